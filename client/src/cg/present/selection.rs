//! Which weapon the coming usercmds ask for.

use crate::cg::{settings::Settings, timeline::game_static::GameStatic};
use shared::{base::time::ServerTime, bg::numbers::weapon, types::playerstate::PlayerState};

/// The weapon asked for, and when it was last changed (for the weapon bar).
#[derive(Clone, Copy, Debug)]
pub struct Selection {
    pub weapon: u8,
    pub changed_at: ServerTime,
}

impl Default for Selection {
    fn default() -> Self {
        Self {
            weapon: weapon::MACHINEGUN as u8,
            changed_at: ServerTime::default(),
        }
    }
}

impl Selection {
    /// Takes what the server gave, at a respawn.
    pub fn set(&mut self, number: i32, now: ServerTime) {
        self.weapon = u8::try_from(number).unwrap_or(0);
        self.changed_at = now;
    }

    /// Selects a weapon by number if the player has it.
    pub fn select(
        &mut self,
        number: u8,
        player: &PlayerState,
        level: &GameStatic,
        now: ServerTime,
    ) {
        self.changed_at = now;
        if owns(player, level, i32::from(number)) {
            self.weapon = number;
        }
    }

    /// The next weapon with ammunition, in one or the other direction; the gauntlet is never cycled to.
    ///
    /// OpenArena puts the hook before all others, for whoever wants it there.
    pub fn cycle(
        &mut self,
        step: i32,
        player: &PlayerState,
        level: &GameStatic,
        settings: &Settings,
        now: ServerTime,
    ) {
        self.changed_at = now;
        let is_open_arena = level.profile.is_open_arena();
        let mut place = match i32::from(self.weapon) {
            weapon::HOOK if is_open_arena => 0,
            number => number,
        };
        for _ in 0..16 {
            place = (place + step).rem_euclid(16);
            let number = match place {
                0 if is_open_arena && settings.cycles_grapple => weapon::HOOK,
                weapon::HOOK if is_open_arena => continue,
                place => place,
            };
            if number != weapon::GAUNTLET
                && owns(player, level, number)
                && player.ammo[number as usize] != 0
            {
                self.weapon = number as u8;
                return;
            }
        }
    }

    /// The best weapon with ammunition, when the one in hand is empty.
    pub fn out_of_ammo(&mut self, player: &PlayerState, level: &GameStatic, now: ServerTime) {
        self.changed_at = now;
        let best = (1..16)
            .rev()
            .filter(|&number| !(number == weapon::HOOK && level.profile.is_open_arena()))
            .find(|&number| owns(player, level, number) && player.ammo[number as usize] != 0);
        if let Some(best) = best {
            self.weapon = best as u8;
        }
    }
}

impl Selection {
    /// Takes the best weapon with ammunition, by a list such as `/1/2/4/` from worst to best.
    pub fn best(&mut self, order: &str, player: &PlayerState, level: &GameStatic, now: ServerTime) {
        let best = (1..16)
            .filter(|&number| owns(player, level, number) && player.ammo[number as usize] != 0)
            .max_by_key(|&number| rank(order, number));
        if let Some(best) = best {
            self.set(best, now);
        }
    }

    /// Takes a weapon that was picked up into the hand if the player wants that (`cg_autoswitch`).
    pub fn picked_up(&mut self, number: i32, is_new: bool, settings: &Settings, now: ServerTime) {
        let order = &settings.weapon_order;
        let is_better = rank(order, number) > rank(order, i32::from(self.weapon));
        let is_wanted = match settings.autoswitch {
            0 => false,
            1 => number != weapon::MACHINEGUN,
            2 => is_new,
            3 => is_better,
            _ => is_new && is_better,
        };
        if is_wanted {
            self.set(number, now);
        }
    }
}

/// A weapon's place in a list such as `/1/2/4/`; what is not named there is worst.
fn rank(order: &str, number: i32) -> Option<usize> {
    order
        .split('/')
        .position(|entry| entry.trim().parse() == Ok(number))
}

/// Whether the player has a weapon.
pub fn owns(player: &PlayerState, level: &GameStatic, number: i32) -> bool {
    (1..16).contains(&number) && player.stats[level.stats.weapons] & (1 << number) != 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::types::gamestate::Gamestate;

    #[test]
    fn cycling_skips_what_is_empty_or_missing() {
        let level = GameStatic::new(&Gamestate::default());
        let mut player = PlayerState::default();
        player.stats[level.stats.weapons] = 0b10_1110;
        player.ammo[1..6].copy_from_slice(&[-1, 50, 0, 9, 9]);
        let mut selection = Selection::default();
        let mut seen = vec![];
        for step in [1, 1, -1] {
            selection.cycle(step, &player, &level, &Settings::default(), ServerTime(0));
            seen.push(selection.weapon);
        }
        assert_eq!(seen, [5, 2, 5]);
        selection.select(3, &player, &level, ServerTime(0));
        assert_eq!(
            selection.weapon, 3,
            "an empty weapon can be selected by its number"
        );
        selection.select(7, &player, &level, ServerTime(0));
        assert_eq!(selection.weapon, 3);
        selection.out_of_ammo(&player, &level, ServerTime(0));
        assert_eq!(selection.weapon, 5);
    }

    #[test]
    fn the_hook_of_openarena_stands_first_where_it_is_wanted() {
        let mut gamestate = Gamestate::default();
        let version = shared::bg::numbers::configstring::GAME_VERSION;
        let stored = gamestate.configstrings.set(version, "baseoa-1");
        assert_eq!(stored, Ok(true));
        let level = GameStatic::new(&gamestate);
        let mut player = PlayerState::default();
        player.stats[level.stats.weapons] = 1 << weapon::HOOK | 0b1100;
        player.ammo[2..4].copy_from_slice(&[50, 9]);
        player.ammo[weapon::HOOK as usize] = -1;
        let cycled = |cycles_grapple| {
            let settings = Settings {
                cycles_grapple,
                ..Settings::default()
            };
            let mut selection = Selection::default();
            let mut step = || {
                selection.cycle(1, &player, &level, &settings, ServerTime(0));
                i32::from(selection.weapon)
            };
            [step(), step(), step()]
        };
        assert_eq!(cycled(true), [3, weapon::HOOK, 2]);
        assert_eq!(cycled(false), [3, 2, 3]);
    }

    #[test]
    fn pickups_are_taken_in_hand_as_the_player_wants() {
        let in_hand = |autoswitch, number, is_new| {
            let settings = Settings {
                autoswitch,
                ..Settings::default()
            };
            let mut selection = Selection::default();
            selection.set(weapon::ROCKET, ServerTime(0));
            selection.picked_up(number, is_new, &settings, ServerTime(0));
            i32::from(selection.weapon) == number
        };
        let (machinegun, shotgun, bfg) = (weapon::MACHINEGUN, weapon::SHOTGUN, weapon::BFG);
        assert!(!in_hand(0, bfg, true));
        assert!(in_hand(1, shotgun, false) && !in_hand(1, machinegun, true));
        assert!(in_hand(2, shotgun, true) && !in_hand(2, shotgun, false));
        assert!(in_hand(3, bfg, false) && !in_hand(3, shotgun, true));
        assert!(in_hand(4, bfg, true) && !in_hand(4, bfg, false));
    }
}
