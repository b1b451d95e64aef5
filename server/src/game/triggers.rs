//! Triggers: what players set off by being somewhere, and timers.

use super::{
    Game,
    combat::{self, Hit, means_of_death},
    gentity::{Class, Think},
};
use glam::Vec3;
use shared::bg::{
    numbers::entity_type,
    numeric::{Numeric, Profile},
};

/// After its one use a trigger is gone in so many milliseconds.
const GONE_MSEC: i32 = 100;

impl Game {
    /// What happens to a player who touches an entity.
    pub(super) fn touch(&mut self, at: usize, client: usize) {
        match self.gentities[at].class {
            Class::Item(number) => self.touch_item(at, client, number),
            Class::Push => self.touch_jump_pad(at, client),
            Class::Teleport => self.touch_teleporter(at, client),
            Class::Multiple => self.fire_multiple(at, Some(client)),
            Class::Hurt => self.hurt_toucher(at, client),
            Class::DoorTrigger => self.touch_door_trigger(at, client),
            Class::PlatTrigger => self.touch_plat_trigger(at, client),
            Class::Plat => self.touch_plat(at, client),
            Class::Button => self.touch_button(at, client),
            _ => {}
        }
    }

    /// Aims a jump pad: from the middle of the brush over its target.
    pub(super) fn aim_pad(&mut self, at: usize) {
        let gravity = self.settings.gravity as f32;
        let numeric = self.settings.numeric;
        let target = self.gentities[at].keys.target.clone();
        let entity = &self.world.entities[at];
        let is_pad = entity.state.e_type == entity_type::PUSH_TRIGGER;
        let from = match &entity.link {
            Some(link) if is_pad => (link.bounds[0] + link.bounds[1]) * 0.5,
            _ => entity.state.origin,
        };
        let over = self
            .pick_named(&target)
            .map(|target| self.gentities[target].keys.origin);
        let Some(way) = over.and_then(|over| throw(from, over, gravity, numeric)) else {
            return self.free(at);
        };
        self.world.entities[at].state.origin2 = way;
        if is_pad {
            self.world.link(at);
        }
    }

    pub(super) fn fire_multiple(&mut self, at: usize, activator: Option<usize>) {
        let client = activator.filter(|&at| self.is_client(at));
        if self.is_wrong_team(at, client) || self.gentities[at].think_at > 0 {
            return;
        }
        self.gentities[at].activator = activator;
        self.use_targets(at, activator);
        let (wait, random) = (self.gentities[at].keys.wait, self.gentities[at].keys.random);
        if wait > 0.0 {
            let seconds = wait + random * self.centred();
            self.think_in(at, Think::EndWait, (seconds * 1000.0) as i32);
        } else {
            // It may be in the middle of being touched.
            self.think_in(at, Think::Free, GONE_MSEC);
        }
    }

    fn hurt_toucher(&mut self, at: usize, client: usize) {
        const SILENT: i32 = 4;
        const NO_PROTECTION: i32 = 8;
        const SLOW: i32 = 16;
        let gentity = &mut self.gentities[at];
        if gentity.timestamp > self.time {
            return;
        }
        gentity.timestamp = self.time
            + if gentity.keys.has_flag(SLOW) {
                1000
            } else {
                100
            };
        let (damage, sound) = (gentity.keys.damage, gentity.sound);
        let is_silent = gentity.keys.has_flag(SILENT);
        let flags = match gentity.keys.has_flag(NO_PROTECTION) {
            true => combat::NO_PROTECTION,
            false => 0,
        };
        if !is_silent {
            self.sound_at_entity(client, sound);
        }
        let hit = Hit {
            flags,
            ..Hit::by(at, damage, means_of_death::TRIGGER_HURT)
        };
        self.damage(client, &hit);
    }

    pub(super) fn toggle_hurt(&mut self, at: usize) {
        if self.world.entities[at].is_linked() {
            self.world.unlink(at);
        } else {
            self.world.link(at);
        }
    }

    pub(super) fn toggle_timer(&mut self, at: usize, activator: Option<usize>) {
        self.gentities[at].activator = activator;
        if self.gentities[at].think_at > 0 {
            self.gentities[at].think_at = 0;
        } else {
            self.fire_timer(at);
        }
    }

    pub(super) fn fire_timer(&mut self, at: usize) {
        let activator = self.gentities[at].activator;
        self.use_targets(at, activator);
        let (wait, random) = (self.gentities[at].keys.wait, self.gentities[at].keys.random);
        let seconds = wait + random * self.centred();
        self.think_in(at, Think::TimerFires, ((seconds * 1000.0) as i32).max(1));
    }
}

/// The velocity that carries from one place over the highest point at another.
fn throw(from: Vec3, over: Vec3, gravity: f32, numeric: Numeric) -> Option<Vec3> {
    let height = over.z - from.z;
    let seconds = match numeric.profile {
        Profile::Bytecode => (height / (0.5 * gravity)).sqrt(),
        _ => (f64::from(height) / (0.5 * f64::from(gravity))).sqrt() as f32,
    };
    // Also not a number, below the pad.
    if seconds.is_nan() || seconds <= 0.0 {
        return None;
    }
    let way = Vec3::new(over.x - from.x, over.y - from.y, 0.0);
    let (direction, length) = numeric.normalize(way);
    Some((direction * (length / seconds)).with_z(seconds * gravity))
}
