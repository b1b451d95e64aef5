//! End of frame: what is due for each player after everything else has moved.

use super::{
    Game,
    combat::{self, Hit, means_of_death},
    player::{AIR_MSEC, FIRST_DROWNING_DAMAGE},
};
use shared::{
    bg::numbers::{entity_flags, event, powerup},
    types::trace::contents,
};

/// Whoever sends nothing for so long is marked, in milliseconds.
const SILENT_MSEC: i32 = 1000;
/// Between two sounds of pain.
const PAIN_MSEC: i32 = 700;
/// A battle suit holds so much air.
const SUIT_AIR_MSEC: i32 = 10_000;
/// Drowning gets no worse than this in a second.
const MAX_DROWNING_DAMAGE: i32 = 15;

impl Game {
    pub(super) fn end_player_frame(&mut self, client: usize) {
        let time = self.time;
        let player = &mut self.players[client];
        if !player.is_in_game {
            return;
        }
        if player.is_spectator() {
            return self.end_spectator_frame(client);
        }
        for until in &mut player.state.powerups {
            if *until < time {
                *until = 0;
            }
        }
        if self.intermission_at.is_some() {
            return;
        }
        self.hurt_by_surroundings(client);
        self.give_damage_feedback(client);
        let fry = self.fry_sound;
        let player = &mut self.players[client];
        player.set_health(player.health());
        let is_silent = time.wrapping_sub(player.last_command_at) > SILENT_MSEC;
        let is_burning = player.contact.water_type & (contents::LAVA | contents::SLIME) != 0;
        let state = &mut player.state;
        state.e_flags &= !entity_flags::CONNECTION;
        if is_silent {
            state.e_flags |= entity_flags::CONNECTION;
        }
        state.loop_sound = if is_burning && player.contact.water_level > 0 {
            fry
        } else {
            0
        };
        self.update_player_state(client);
        self.send_pending_event(client);
        self.remember_place(client);
    }

    /// Water without air, lava and slime.
    fn hurt_by_surroundings(&mut self, client: usize) {
        let time = self.time;
        let player = &mut self.players[client];
        let has_suit = player.has_powerup(powerup::BATTLESUIT);
        let is_alive = player.health() > 0;
        let (level, liquid) = (player.contact.water_level, player.contact.water_type);
        let life = &mut player.life;
        if life.is_noclip {
            life.air_until = time + AIR_MSEC;
            return;
        }
        let mut drowning = None;
        if level < 3 {
            life.air_until = time + AIR_MSEC;
            life.drowning_damage = FIRST_DROWNING_DAMAGE;
        } else {
            if has_suit {
                life.air_until = time + SUIT_AIR_MSEC;
            }
            if life.air_until < time {
                life.air_until += 1000;
                if is_alive {
                    let amount = (life.drowning_damage + 2).min(MAX_DROWNING_DAMAGE);
                    life.drowning_damage = amount;
                    life.pain_until = time + 200;
                    drowning = Some(amount);
                }
            }
        }
        if let Some(amount) = drowning {
            let hit = Hit {
                flags: combat::NO_ARMOR,
                ..Hit::new(amount, means_of_death::WATER)
            };
            self.damage(client, &hit);
        }
        if level > 0 && liquid & (contents::LAVA | contents::SLIME) != 0 {
            self.burn(client, level, liquid, has_suit);
        }
    }

    fn burn(&mut self, client: usize, level: i32, liquid: u32, has_suit: bool) {
        let player = &self.players[client];
        if player.health() <= 0 || player.life.pain_until > self.time {
            return;
        }
        if has_suit {
            return self.add_event(client, event::POWERUP_BATTLESUIT, 0);
        }
        if liquid & contents::LAVA != 0 {
            self.damage(client, &Hit::new(30 * level, means_of_death::LAVA));
        }
        if liquid & contents::SLIME != 0 {
            self.damage(client, &Hit::new(10 * level, means_of_death::SLIME));
        }
    }

    /// Tells a player how much he was hurt, and from where.
    fn give_damage_feedback(&mut self, client: usize) {
        let profile = self.settings.numeric.profile;
        let time = self.time;
        let player = &mut self.players[client];
        let life = &player.life;
        let count = life.damage_blood + life.damage_armor;
        let health = player.health();
        if count == 0 || health <= 0 {
            return;
        }
        let life = &mut player.life;
        let state = &mut player.state;
        (state.damage_pitch, state.damage_yaw) = match life.damage_from {
            None => (255, 255),
            Some(direction) => {
                let angles = profile.angles_of(direction);
                let part = |angle: f32| (angle / 360.0 * 256.0) as i32;
                (part(angles.x), part(angles.y))
            }
        };
        state.damage_count = count.min(255);
        (life.damage_blood, life.damage_armor) = (0, 0);
        if time > life.pain_until && !life.is_god {
            life.pain_until = time + PAIN_MSEC;
            state.damage_event += 1;
            self.add_event(client, event::PAIN, health);
        }
    }
}
