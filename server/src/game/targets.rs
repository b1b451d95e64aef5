//! Targets: what triggers, buttons and items set off by name.

use super::{
    Effect, Game,
    combat::{self, Hit, means_of_death},
    gentity::{Class, Think},
};
use crate::entity::sv_flags;
use glam::Vec3;
use shared::bg::numbers::{configstring as cs, entity_type, event, pm_type, powerup, team};

/// One chain of targets sets off at most so many: maps can name circles.
const MAX_USES: u32 = 256;

impl Game {
    /// Uses all entities that an entity has as its target.
    pub(super) fn use_targets(&mut self, at: usize, activator: Option<usize>) {
        let keys = &self.gentities[at].keys;
        let target = keys.target.clone();
        if !keys.shader.is_empty() && !keys.new_shader.is_empty() {
            let (from, to) = (keys.shader.clone(), keys.new_shader.clone());
            self.remap_shader(from, to);
        }
        if self.use_depth >= MAX_USES {
            return;
        }
        self.use_depth += 1;
        for other in self.named(&target) {
            if other != at {
                self.use_entity(other, activator);
            }
            if !self.world.entities[at].is_in_use {
                break;
            }
        }
        self.use_depth -= 1;
    }

    fn remap_shader(&mut self, from: String, to: String) {
        const MAX_REMAPS: usize = 128;
        let seconds = self.time as f32 * 0.001;
        let remaps = &mut self.shader_remaps;
        let known = remaps
            .iter()
            .position(|one| one.0.eq_ignore_ascii_case(&from));
        match known {
            Some(at) => (remaps[at].1, remaps[at].2) = (to, seconds),
            None if remaps.len() < MAX_REMAPS => remaps.push((from, to, seconds)),
            None => return,
        }
        let text =
            |(from, to, seconds): &(String, String, f32)| format!("{from}={to}:{seconds:5.2}@");
        let text = self.shader_remaps.iter().map(text).collect();
        self.set_configstring(cs::SHADER_STATE, text);
    }

    /// Sets off one entity.
    pub(super) fn use_entity(&mut self, at: usize, activator: Option<usize>) {
        let client = activator.filter(|&at| self.is_client(at));
        match self.gentities[at].class {
            Class::Item(_) => self.respawn_item(at),
            Class::Door | Class::Button => self.use_mover(at, activator),
            Class::Plat if self.gentities[at].mover.state == super::gentity::MoverState::At1 => {
                self.use_mover(at, activator);
            }
            Class::Multiple => self.fire_multiple(at, activator),
            Class::Hurt => self.toggle_hurt(at),
            Class::Timer => self.toggle_timer(at, activator),
            Class::Give => self.give_targets(at, client),
            Class::RemovePowerups => {
                if let Some(client) = client {
                    self.remove_powerups(client);
                }
            }
            Class::Delay => self.delay_targets(at, activator),
            Class::Print => self.print_message(at, client),
            Class::Speaker => self.use_speaker(at, activator),
            Class::Laser => self.toggle_laser(at, activator),
            Class::Score => {
                if let Some(client) = client {
                    let (place, points) = (
                        self.world.entities[at].origin,
                        self.gentities[at].keys.count,
                    );
                    self.add_score(client, place, points);
                }
            }
            Class::Teleporter => self.teleport_activator(at, client),
            Class::Relay => self.relay(at, activator),
            Class::Kill => {
                if let Some(activator) = activator {
                    let hit = Hit {
                        flags: combat::NO_PROTECTION,
                        ..Hit::new(100_000, means_of_death::TELEFRAG)
                    };
                    self.damage(activator, &hit);
                }
            }
            Class::TargetPush => self.push_activator(at, client),
            Class::Shooter(weapon) => self.fire_shooter(at, weapon),
            _ => {}
        }
    }

    /// Whether a trigger's or relay's flags for one team keep a player out.
    pub(super) fn is_wrong_team(&self, at: usize, client: Option<usize>) -> bool {
        const RED_ONLY: i32 = 1;
        const BLUE_ONLY: i32 = 2;
        let keys = &self.gentities[at].keys;
        let Some(client) = client.filter(|&client| self.is_connected(client)) else {
            return false;
        };
        let own = self.players[client].team();
        keys.has_flag(RED_ONLY) && own != team::RED || keys.has_flag(BLUE_ONLY) && own != team::BLUE
    }

    fn give_targets(&mut self, at: usize, client: Option<usize>) {
        let Some(client) = client else { return };
        let target = self.gentities[at].keys.target.clone();
        for other in self.named(&target) {
            if let Class::Item(number) = self.gentities[other].class {
                self.touch_item(other, client, number);
                // It never lies around itself.
                self.gentities[other].think_at = 0;
                self.world.unlink(other);
            }
        }
    }

    fn remove_powerups(&mut self, client: usize) {
        self.return_carried_flags(client);
        self.players[client].state.powerups = [0; 16];
    }

    fn delay_targets(&mut self, at: usize, activator: Option<usize>) {
        let (wait, random) = (self.gentities[at].keys.wait, self.gentities[at].keys.random);
        let seconds = wait + random * self.centred();
        self.gentities[at].activator = activator;
        self.think_in(at, Think::FireTargets, (seconds * 1000.0) as i32);
    }

    fn print_message(&mut self, at: usize, client: Option<usize>) {
        const PRIVATE: i32 = 4;
        let keys = &self.gentities[at].keys;
        let text = format!("cp \"{}\"", keys.message.replace('"', "'"));
        let only_team = match keys.spawn_flags & 3 {
            0 => None,
            flags => Some([flags & 1 != 0, flags & 2 != 0]),
        };
        if let Some(client) = client.filter(|_| keys.has_flag(PRIVATE)) {
            return self.tell(client, &text);
        }
        let Some([red, blue]) = only_team else {
            return self.tell_all(&text);
        };
        for client in 0..self.players.len() {
            let own = self.players[client].team();
            if red && own == team::RED || blue && own == team::BLUE {
                self.tell(client, &text);
            }
        }
    }

    fn use_speaker(&mut self, at: usize, activator: Option<usize>) {
        const LOOPED: i32 = 1 | 2;
        const GLOBAL: i32 = 4;
        const ACTIVATOR: i32 = 8;
        let keys = &self.gentities[at].keys;
        let (flags, sound) = (keys.spawn_flags, self.gentities[at].sound);
        if flags & LOOPED != 0 {
            let state = &mut self.world.entities[at].state;
            state.loop_sound = if state.loop_sound != 0 { 0 } else { sound };
        } else if flags & ACTIVATOR != 0 {
            if let Some(activator) = activator {
                self.add_event(activator, event::GENERAL_SOUND, sound);
            }
        } else if flags & GLOBAL != 0 {
            self.add_event(at, event::GLOBAL_SOUND, sound);
        } else {
            self.add_event(at, event::GENERAL_SOUND, sound);
        }
    }

    fn teleport_activator(&mut self, at: usize, client: Option<usize>) {
        let target = self.gentities[at].keys.target.clone();
        let client = client.filter(|&client| self.is_connected(client));
        if let (Some(client), Some(destination)) = (client, self.pick_named(&target)) {
            let keys = &self.gentities[destination].keys;
            let (origin, angles) = (keys.origin, keys.angles);
            self.teleport_player(client, origin, angles);
        }
    }

    fn relay(&mut self, at: usize, activator: Option<usize>) {
        const RANDOM: i32 = 4;
        let client = activator.filter(|&at| self.is_client(at));
        if self.is_wrong_team(at, client) {
            return;
        }
        if !self.gentities[at].keys.has_flag(RANDOM) {
            return self.use_targets(at, activator);
        }
        let target = self.gentities[at].keys.target.clone();
        if let Some(chosen) = self.pick_named(&target).filter(|&chosen| chosen != at)
            && self.use_depth < MAX_USES
        {
            self.use_depth += 1;
            self.use_entity(chosen, activator);
            self.use_depth -= 1;
        }
    }

    fn push_activator(&mut self, at: usize, client: Option<usize>) {
        const SOUND_MSEC: i32 = 1500;
        let Some(client) = client.filter(|&client| self.is_connected(client)) else {
            return;
        };
        let time = self.time;
        let way = self.world.entities[at].state.origin2;
        let sound = self.gentities[at].sound;
        let player = &mut self.players[client];
        if player.state.pm_type != pm_type::NORMAL || player.has_powerup(powerup::FLIGHT) {
            return;
        }
        player.state.velocity = way;
        if time >= self.gentities[at].timestamp {
            self.gentities[at].timestamp = time + SOUND_MSEC;
            self.sound_at_entity(client, sound);
        }
    }

    pub(super) fn sound_at_entity(&mut self, at: usize, sound: i32) {
        let origin = self.world.entities[at].origin;
        self.sound_at(origin, sound);
    }

    fn toggle_laser(&mut self, at: usize, activator: Option<usize>) {
        self.gentities[at].activator = activator;
        if self.gentities[at].think_at > 0 {
            self.world.unlink(at);
            self.gentities[at].think_at = 0;
        } else {
            self.fire_laser(at);
        }
    }

    /// Points a laser at its target, and turns it on if it starts so.
    pub(super) fn start_laser(&mut self, at: usize) {
        const ON: i32 = 1;
        let keys = &self.gentities[at].keys;
        let (target, angles, is_on) = (keys.target.clone(), keys.angles, keys.has_flag(ON));
        self.world.entities[at].state.e_type = entity_type::BEAM;
        self.gentities[at].mover.target = self.named(&target).first().copied();
        if self.gentities[at].mover.target.is_none() {
            self.gentities[at].move_dir = super::movers::move_dir(angles);
        }
        if is_on {
            self.fire_laser(at);
        } else {
            self.world.unlink(at);
            self.gentities[at].think_at = 0;
        }
    }

    pub(super) fn fire_laser(&mut self, at: usize) {
        const RANGE: f32 = 2048.0;
        const AGAIN_MSEC: i32 = 100;
        let start = self.world.entities[at].state.origin;
        if let Some(target) = self.gentities[at].mover.target {
            let entity = &self.world.entities[target];
            let middle = entity.origin + (entity.mins + entity.maxs) * 0.5;
            self.gentities[at].move_dir = (middle - start).normalize_or_zero();
        }
        let direction = self.gentities[at].move_dir;
        let trace = self.trace_shot(start, start + direction * RANGE, at);
        if let Some(victim) = self.slot_of(trace.entity_num) {
            let hit = Hit {
                inflictor: Some(at),
                attacker: self.gentities[at].activator,
                direction: Some(direction),
                ..Hit::new(self.gentities[at].keys.damage, means_of_death::TARGET_LASER)
            };
            self.damage(victim, &hit);
        }
        self.world.entities[at].state.origin2 = trace.end;
        self.world.link(at);
        self.think_in(at, Think::FireLaser, AGAIN_MSEC);
    }

    /// Numbers the places that the map names, and tells them.
    pub(super) fn link_locations(&mut self) {
        const MAX_LOCATIONS: usize = 64;
        if self.has_locations {
            return;
        }
        self.has_locations = true;
        self.set_configstring(cs::LOCATIONS, "unknown".to_owned());
        let is_location = |at: &usize| self.gentities[*at].class == Class::Location;
        let found: Vec<usize> = self.in_use(0).filter(is_location).collect();
        for (index, at) in found.into_iter().enumerate().take(MAX_LOCATIONS - 1) {
            let keys = &self.gentities[at].keys;
            let text = match keys.count {
                0 => keys.message.clone(),
                color => format!("^{}{}^7", color.clamp(0, 7), keys.message),
            };
            self.gentities[at].health = index as i32 + 1;
            self.set_configstring(cs::LOCATIONS + index + 1, text);
        }
    }

    /// The named place nearest to a player that is in sight of it.
    pub(super) fn location_of(&self, client: usize) -> Option<usize> {
        let from = self.world.entities[client].origin;
        let is_location = |at: &usize| self.gentities[*at].class == Class::Location;
        let place = |at: &usize| self.gentities[*at].keys.origin;
        let mut found: Vec<usize> = self.in_use(0).filter(is_location).collect();
        found.retain(|at| self.is_in_pvs(from, place(at)));
        found
            .into_iter()
            .min_by(|a, b| place(a).distance(from).total_cmp(&place(b).distance(from)))
    }

    /// Where the other end of a portal is.
    pub(super) fn set_up_portal(&mut self, at: usize) {
        const SLOW: i32 = 1;
        const FAST: i32 = 2;
        const NO_SWING: i32 = 4;
        let target = self.gentities[at].keys.target.clone();
        let Some(camera) = self.pick_named(&target) else {
            self.print(format!(
                "A portal has no camera named {target} and is left out"
            ));
            return self.free(at);
        };
        let keys = &self.gentities[camera].keys;
        let (flags, angles, aims_at) = (keys.spawn_flags, keys.angles, keys.target.clone());
        let origin = keys.origin;
        let roll = self.world.entities[camera].state.client_num;
        let direction = match self.pick_named(&aims_at) {
            Some(aim) => (self.gentities[aim].keys.origin - origin).normalize_or_zero(),
            None => super::movers::move_dir(angles),
        };
        let state = &mut self.world.entities[at].state;
        state.client_num = roll;
        state.origin2 = origin;
        state.frame = match flags {
            flags if flags & SLOW != 0 => 25,
            flags if flags & FAST != 0 => 75,
            _ => 0,
        };
        state.powerups = i32::from(flags & NO_SWING == 0);
        state.event_parm = shared::bg::directions::byte_from_direction(direction);
        self.world.entities[at].sv_flags |= sv_flags::PORTAL;
    }

    /// A map's own launcher fires.
    fn fire_shooter(&mut self, at: usize, weapon: i32) {
        let gentity = &self.gentities[at];
        let origin = self.world.entities[at].state.origin;
        let mut direction = match gentity.mover.target {
            Some(target) => (self.world.entities[target].origin - origin).normalize_or_zero(),
            None => gentity.move_dir,
        };
        let stray = gentity.keys.random;
        let side = aside(direction);
        let up = side.cross(direction);
        direction += up * self.centred() * stray;
        direction += side * self.centred() * stray;
        let direction = direction.normalize_or_zero();
        let aim = super::weapons::Aim {
            shooter: at,
            muzzle: origin,
            axes: shared::base::math::Axes {
                forward: direction,
                right: side,
                up,
            },
            quad_factor: 1.0,
        };
        self.fire_missile(&aim, weapon);
        self.add_event(at, event::FIRE_WEAPON, 0);
    }

    /// Where a shooter's target is, once all are in place.
    pub(super) fn aim_shooter(&mut self, at: usize) {
        let target = self.gentities[at].keys.target.clone();
        self.gentities[at].mover.target = self.pick_named(&target);
    }

    pub(super) fn print(&mut self, text: String) {
        self.effects.push(Effect::Print(text));
    }
}

/// A unit vector at right angles to another.
fn aside(direction: Vec3) -> Vec3 {
    let axis = if direction.x.abs() < 0.9 {
        Vec3::X
    } else {
        Vec3::Y
    };
    (axis - direction * axis.dot(direction)).normalize_or(Vec3::Y)
}
