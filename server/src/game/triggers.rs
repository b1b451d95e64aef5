//! Jump pads and teleporters: aims them, and moves who touches them.

use super::Game;
use crate::cvars::Cvars;
use glam::Vec3;
use shared::{
    base::math::Axes,
    base::time::ServerTime,
    bg::{
        numbers::{entity_flags, entity_type, pm_flags},
        numeric::{Profile, angle_to_short},
        pickup::PickupRules,
        ruleset,
        triggers::{Trigger, TriggerSettings, touch_triggers},
    },
    types::trace::contents,
};

/// Triggers are looked for in a box of this size around the player.
const REACH: Vec3 = Vec3::new(40.0, 40.0, 52.0);
/// How fast one leaves a teleporter, in units a second.
const TELEPORT_SPEED: f32 = 400.0;
/// For so many milliseconds after it one cannot steer.
const TELEPORT_MSEC: i32 = 160;

impl Game {
    /// Aims the jump pads that are not aimed yet: from the middle of the brush over its target.
    pub(super) fn aim_jump_pads(&mut self, cvars: &Cvars) {
        let gravity = cvars.integer("g_gravity") as f32;
        let triggers = std::mem::take(&mut self.places.triggers);
        let mut kept = Vec::with_capacity(triggers.len());
        for mut trigger in triggers {
            let entity = &self.world.entities[trigger.entity];
            let is_pad = entity.state.e_type == entity_type::PUSH_TRIGGER;
            if is_pad && !trigger.is_aimed {
                trigger.is_aimed = true;
                let bounds = entity.link.as_ref().map(|link| link.bounds);
                let target = self.destination(&trigger.target).map(|(origin, _)| origin);
                let throw = bounds.zip(target).and_then(|([low, high], target)| {
                    throw(low + (high - low) * 0.5, target, gravity)
                });
                let Some(throw) = throw else {
                    self.world.remove_entity(trigger.entity);
                    continue;
                };
                self.world.entities[trigger.entity].state.origin2 = throw;
                self.world.link(trigger.entity);
            }
            kept.push(trigger);
        }
        self.places.triggers = kept;
    }

    /// The place of a name; of several any.
    fn destination(&mut self, name: &str) -> Option<(Vec3, Vec3)> {
        let found = self.places.destinations.iter();
        let found: Vec<_> = found
            .filter(|one| !name.is_empty() && one.name.eq_ignore_ascii_case(name))
            .map(|one| (one.origin, one.angles))
            .collect();
        found.get(self.rng.below(found.len())).copied()
    }

    /// Sets off what a player touches after a move.
    pub(super) fn touch_triggers(&mut self, client: usize) {
        let Some(player) = &mut self.players[client] else {
            return;
        };
        let origin = player.state.origin;
        let found = self.world.entities_in_box(origin - REACH, origin + REACH);
        let is_trigger = |at: &usize| self.world.entities[*at].contents & contents::TRIGGER != 0;
        let found: Vec<usize> = found.into_iter().filter(is_trigger).collect();
        let mut triggers: Vec<Trigger> = found
            .iter()
            .filter_map(|at| Trigger::from_entity(&self.world.entities[*at].state))
            .collect();
        let world = &self.world;
        let is_inside = |model: i32, origin: Vec3, [mins, maxs]: [Vec3; 2]| {
            found.iter().any(|&at| {
                world.entities[at].state.model_index == model
                    && world.is_in_contact(origin + mins, origin + maxs, at)
            })
        };
        let settings = TriggerSettings {
            rules: &ruleset::IOQUAKE3,
            profile: Profile::default(),
            pickup: PickupRules::default(),
            predict_items: false,
            now: ServerTime(self.time),
        };
        let touched = touch_triggers(
            &mut player.state,
            &player.contact,
            &mut triggers,
            &settings,
            &is_inside,
        );
        if touched.hyperspace {
            let inside = found.into_iter().find(|&at| {
                let entity = &world.entities[at];
                let (mins, maxs) = (player.contact.mins, player.contact.maxs);
                entity.state.e_type == entity_type::TELEPORT_TRIGGER
                    && world.is_in_contact(origin + mins, origin + maxs, at)
            });
            if let Some(at) = inside {
                self.teleport(client, at);
            }
        }
    }

    fn teleport(&mut self, client: usize, trigger: usize) {
        let triggers = &self.places.triggers;
        let target = triggers.iter().find(|one| one.entity == trigger);
        let Some(target) = target.map(|one| one.target.clone()) else {
            return;
        };
        let Some((origin, angles)) = self.destination(&target) else {
            return;
        };
        self.world.unlink(client);
        let Some(player) = &mut self.players[client] else {
            return;
        };
        let state = &mut player.state;
        state.origin = origin + Vec3::Z;
        state.velocity = Axes::from_angles(angles).forward * TELEPORT_SPEED;
        state.pm_time = TELEPORT_MSEC;
        state.pm_flags |= pm_flags::TIME_KNOCKBACK;
        state.e_flags ^= entity_flags::TELEPORT_BIT;
        player.turn_to(angles);
        self.update_player_entity(client);
    }
}

/// The velocity that carries from one place over the highest point at another.
fn throw(from: Vec3, over: Vec3, gravity: f32) -> Option<Vec3> {
    let height = over.z - from.z;
    let seconds = (height / (0.5 * gravity)).sqrt();
    // Also not a number, below the pad.
    if seconds.is_nan() || seconds <= 0.0 {
        return None;
    }
    let way = Vec3::new(over.x - from.x, over.y - from.y, 0.0);
    Some((way / seconds).with_z(seconds * gravity))
}

/// Angles as a player's state has them, against those of the usercmd.
pub(super) fn delta_angles(angles: Vec3, usercmd: [u16; 3]) -> [i32; 3] {
    std::array::from_fn(|axis| i32::from(angle_to_short(angles[axis])) - i32::from(usercmd[axis]))
}
