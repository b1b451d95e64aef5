//! Cheats: what players give themselves on servers that allow it.

use super::{
    Game, STATS,
    gentity::{Class, float},
};
use glam::Vec3;
use shared::{
    base::{text::number, tokens::Tokens},
    bg::{
        items::{BASEQ3_ITEM_COUNT, ITEMS},
        numbers::weapon,
    },
};

/// So much ammo of each sort.
const GIVEN_AMMO: i32 = 999;
const GIVEN_ARMOR: i32 = 200;

impl Game {
    pub(super) fn cheat(&mut self, client: usize, tokens: &Tokens) {
        if !self.settings.has_cheats {
            return self.tell(client, "print \"Cheats are not enabled on this server.\n\"");
        }
        if !self.players[client].is_alive() {
            return self.tell(client, "print \"You must be alive to use this command.\n\"");
        }
        match tokens.get(0).to_ascii_lowercase().as_str() {
            "give" => self.give(client, &tokens.rest(1), tokens),
            "setviewpos" => self.set_view_position(client, tokens),
            word => self.switch(client, word),
        }
    }

    fn switch(&mut self, client: usize, word: &str) {
        let player = &mut self.players[client];
        let (is_on, name) = match word {
            "god" => {
                player.life.is_god ^= true;
                (player.life.is_god, "godmode")
            }
            "noclip" => {
                player.life.is_noclip ^= true;
                (player.life.is_noclip, "noclip")
            }
            _ => {
                player.life.is_no_target ^= true;
                (player.life.is_no_target, "notarget")
            }
        };
        let state = if is_on { "ON" } else { "OFF" };
        self.tell(client, &format!("print \"{name} {state}\n\""));
    }

    fn set_view_position(&mut self, client: usize, tokens: &Tokens) {
        if tokens.len() != 5 {
            return self.tell(client, "print \"usage: setviewpos x y z yaw\n\"");
        }
        let [x, y, z, yaw] = [1, 2, 3, 4].map(|at| float(tokens.get(at)));
        self.teleport_player(client, Vec3::new(x, y, z), Vec3::new(0.0, yaw, 0.0));
    }

    fn give(&mut self, client: usize, what: &str, tokens: &Tokens) {
        let is_all = what.eq_ignore_ascii_case("all");
        let is = |word: &str| is_all || tokens.get(1).eq_ignore_ascii_case(word);
        let player = &mut self.players[client];
        let mut is_known = is_all;
        if is("health") {
            player.set_health(player.state.stats[STATS.max_health]);
            is_known = true;
        }
        let state = &mut player.state;
        if is("weapons") {
            // All but the hook, which is no weapon of the base game's maps.
            state.stats[STATS.weapons] = (1 << (weapon::BFG + 1)) - 1 - (1 << weapon::NONE);
            is_known = true;
        }
        if is("ammo") {
            let count = match tokens.get(2) {
                "" => GIVEN_AMMO,
                count => number(count).clamp(0, GIVEN_AMMO),
            };
            state.ammo = [count; 16];
            is_known = true;
        }
        if is("armor") {
            state.stats[STATS.armor] = GIVEN_ARMOR;
            is_known = true;
        }
        if !is_known {
            self.give_named(client, what);
        }
    }

    /// Lets a player touch an item of a name.
    fn give_named(&mut self, client: usize, name: &str) {
        let mut known = ITEMS.iter().take(BASEQ3_ITEM_COUNT - 1);
        let found = known.position(|item| {
            item.name.eq_ignore_ascii_case(name) || item.class_name.eq_ignore_ascii_case(name)
        });
        let Some(index) = found else { return };
        let number = index as i32 + 1;
        let Some(at) = self.spawn() else { return };
        let origin = self.world.entities[client].origin;
        let entity = &mut self.world.entities[at];
        super::gentity::set_origin(entity, origin);
        entity.state.model_index = number;
        self.gentities[at].class = Class::Item(number);
        self.touch_item(at, client, number);
        if self.world.entities[at].is_in_use {
            self.free(at);
        }
    }
}
