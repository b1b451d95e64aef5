//! What pulls and drives the player: gravity and speed, which servers tell late or not at all.

use shared::{
    bg::numbers::{pm_type, powerup},
    types::playerstate::PlayerState,
};

/// Gravity and speed that the server last gave to a player on foot without powerups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pull {
    gravity: i32,
    speed: i32,
    /// The newest snapshot is the first without haste.
    ends_haste: bool,
}

/// How much faster haste makes a player.
const HASTE_FACTOR: f64 = 1.3;

impl Pull {
    pub const USUAL: Self = Self {
        gravity: 800,
        speed: 320,
        ends_haste: false,
    };

    /// The same on servers of RatMod as they come.
    pub const RATMOD: Self = Self {
        gravity: 752,
        ..Self::USUAL
    };

    /// Takes note of what a snapshot tells; `had_haste` is what the one before told.
    pub fn learn(&mut self, player: &PlayerState, had_haste: bool) {
        let is_plain = player.pm_type == pm_type::NORMAL && player.powerups[powerup::HASTE] == 0;
        self.ends_haste = is_plain && had_haste && player.speed == self.hasty();
        if is_plain && player.speed != 0 && !self.ends_haste {
            *self = Self {
                gravity: player.gravity,
                speed: player.speed,
                ends_haste: false,
            };
        }
    }

    fn hasty(self) -> i32 {
        (f64::from(self.speed) * HASTE_FACTOR) as i32
    }

    /// A server changes the speed with the first usercmd after haste was taken, or has ended.
    pub fn hasten(self, player: &mut PlayerState, has_haste: bool) {
        if player.pm_type != pm_type::NORMAL {
        } else if has_haste && player.speed == self.speed {
            player.speed = self.hasty();
        } else if !has_haste && self.ends_haste {
            player.speed = self.speed;
        }
    }

    /// A server fills in both when it executes a command. A player who has just entered, and none of whose
    /// commands was executed yet, is told without them.
    pub fn complete(self, player: &mut PlayerState) {
        if player.pm_type == pm_type::NORMAL && player.speed == 0 && player.gravity == 0 {
            player.gravity = self.gravity;
            player.speed = self.speed;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn player(speed: i32, haste_until: i32) -> PlayerState {
        let mut player = PlayerState {
            speed,
            gravity: 800,
            pm_type: pm_type::NORMAL,
            ..PlayerState::default()
        };
        player.powerups[powerup::HASTE] = haste_until;
        player
    }

    #[test]
    fn haste_begins_and_ends_with_the_next_usercmd() {
        let mut pull = Pull::USUAL;
        // Taken with the newest usercmd that was executed.
        let mut taken = player(320, 40_000);
        pull.learn(&taken, false);
        pull.hasten(&mut taken, true);
        assert_eq!(taken.speed, 416);
        // Over, and no usercmd was executed since.
        let mut over = player(416, 0);
        pull.learn(&over, true);
        pull.hasten(&mut over, false);
        assert_eq!((over.speed, pull.speed), (320, 320));
        // A server that makes everybody as fast as that.
        let mut fast = player(416, 0);
        pull.learn(&fast, false);
        pull.hasten(&mut fast, false);
        assert_eq!((fast.speed, pull.speed), (416, 416));
    }
}
