//! Movers: doors, plats, buttons and trains between their places, and what never stops.

use super::{
    Game,
    combat::{Hit, means_of_death},
    gentity::{Class, MoverState, Think, float, or_default, set_origin},
};
use crate::entity::sv_flags;
use glam::Vec3;
use shared::{
    base::{math::Axes, time::ServerTime},
    bg::{
        numbers::{entity_type, event},
        trajectory,
    },
    formats::mapents::MapEntity,
    types::{trace::contents, trajectory::kind},
};

/// Doors look for their teams after the first frame.
const SET_UP_MSEC: i32 = 100;
/// A mover that was used begins in the next frame.
const START_MSEC: i32 = 50;
/// A door opens for whoever comes so near.
const DOOR_REACH: f32 = 120.0;
const START_OPEN: i32 = 1;
const CRUSHER: i32 = 4;

/// The direction of a mover's or trigger's angles, among which two mean up and down.
pub(super) fn move_dir(angles: Vec3) -> Vec3 {
    match angles.to_array() {
        [0.0, -1.0, 0.0] => Vec3::Z,
        [0.0, -2.0, 0.0] => Vec3::NEG_Z,
        _ => Axes::from_angles(angles).forward,
    }
}

impl Game {
    /// Makes a mover of the map; true if the class names one.
    pub(super) fn spawn_mover(&mut self, at: usize, entity: &MapEntity) -> bool {
        let class = match self.gentities[at].keys.class_name.as_str() {
            "func_door" => Class::Door,
            "func_plat" => Class::Plat,
            "func_button" => Class::Button,
            "func_train" => Class::Train,
            "func_static" => Class::Static,
            "func_rotating" | "func_bobbing" | "func_pendulum" => Class::Swinging,
            _ => return false,
        };
        self.gentities[at].class = class;
        let keys = &mut self.gentities[at].keys;
        keys.damage = match entity.get("dmg") {
            None => 2,
            Some(_) => keys.damage,
        };
        match class {
            Class::Door => self.spawn_door(at, entity),
            Class::Plat => self.spawn_plat(at, entity),
            Class::Button => self.spawn_button(at, entity),
            Class::Train => {
                self.set_brush_model(at, entity);
                self.init_mover(at, entity);
                self.think_in(at, Think::SetUpTrain, SET_UP_MSEC);
            }
            _ => self.spawn_endless(at, entity),
        }
        true
    }

    pub(super) fn set_brush_model(&mut self, at: usize, entity: &MapEntity) {
        let model = entity.get("model").and_then(|name| name.strip_prefix('*'));
        if let Some(model) = model.and_then(|number| number.parse().ok()) {
            self.world.set_brush_model(at, model);
        }
    }

    /// The way of a door or button: along its direction, by its size.
    fn set_way(&mut self, at: usize, entity: &MapEntity, lip: f32) {
        let keys = &self.gentities[at].keys;
        let (origin, direction) = (keys.origin, move_dir(keys.angles));
        self.world.entities[at].state.angles = Vec3::ZERO;
        self.set_brush_model(at, entity);
        let lip = entity.get("lip").map_or(lip, float);
        let size = self.world.entities[at].maxs - self.world.entities[at].mins;
        let distance = direction.abs().dot(size) - lip;
        self.gentities[at].move_dir = direction;
        self.gentities[at].mover.places = [origin, origin + direction * distance];
    }

    fn set_speed(&mut self, at: usize, speed: f32, wait: f32) {
        let gentity = &mut self.gentities[at];
        gentity.keys.speed = or_default(gentity.keys.speed, speed);
        gentity.mover.wait_msec = (or_default(gentity.keys.wait, wait) * 1000.0) as i32;
    }

    fn set_sounds(&mut self, at: usize, path: &str) {
        self.gentities[at].mover.start_sound = self.sound_index(&format!("{path}_strt.wav"));
        self.gentities[at].mover.end_sound = self.sound_index(&format!("{path}_end.wav"));
    }

    fn spawn_door(&mut self, at: usize, entity: &MapEntity) {
        self.set_sounds(at, "sound/movers/doors/dr1");
        self.set_speed(at, 400.0, 2.0);
        self.set_way(at, entity, 8.0);
        let gentity = &mut self.gentities[at];
        if gentity.keys.has_flag(START_OPEN) {
            gentity.mover.places.reverse();
        }
        if gentity.keys.health != 0 {
            gentity.takes_damage = true;
        }
        self.init_mover(at, entity);
        self.think_in(at, Think::SetUpDoor, SET_UP_MSEC);
    }

    fn spawn_plat(&mut self, at: usize, entity: &MapEntity) {
        self.set_sounds(at, "sound/movers/plats/pt1");
        self.gentities[at].keys.wait = 1.0;
        self.set_speed(at, 200.0, 1.0);
        self.world.entities[at].state.angles = Vec3::ZERO;
        self.set_brush_model(at, entity);
        let lip = entity.get("lip").map_or(8.0, float);
        let shape = &self.world.entities[at];
        let height = entity
            .get("height")
            .map_or(shape.maxs.z - shape.mins.z - lip, float);
        let gentity = &mut self.gentities[at];
        let top = gentity.keys.origin;
        gentity.mover.places = [top - Vec3::Z * height, top];
        let has_trigger = gentity.keys.target_name.is_empty();
        self.init_mover(at, entity);
        if has_trigger {
            self.spawn_plat_trigger(at);
        }
    }

    fn spawn_plat_trigger(&mut self, plat: usize) {
        const INSET: Vec3 = Vec3::new(33.0, 33.0, 0.0);
        let low = self.gentities[plat].mover.places[0];
        let shape = &self.world.entities[plat];
        let middle = low + (shape.mins + shape.maxs) * 0.5;
        let mut mins = low + shape.mins + INSET;
        let mut maxs = low + shape.maxs - INSET + Vec3::Z * 8.0;
        for axis in 0..2 {
            if maxs[axis] <= mins[axis] {
                mins[axis] = middle[axis];
                maxs[axis] = mins[axis] + 1.0;
            }
        }
        self.spawn_mover_trigger(plat, Class::PlatTrigger, [mins, maxs]);
    }

    fn spawn_mover_trigger(&mut self, mover: usize, class: Class, [mins, maxs]: [Vec3; 2]) {
        let Some(at) = self.spawn() else { return };
        let entity = &mut self.world.entities[at];
        (entity.mins, entity.maxs) = (mins, maxs);
        entity.contents = contents::TRIGGER;
        self.gentities[at].class = class;
        self.gentities[at].parent = Some(mover);
        self.world.link(at);
    }

    fn spawn_button(&mut self, at: usize, entity: &MapEntity) {
        let sound = self.sound_index("sound/movers/switches/butn2.wav");
        self.set_speed(at, 40.0, 1.0);
        self.set_way(at, entity, 4.0);
        let gentity = &mut self.gentities[at];
        gentity.mover.start_sound = sound;
        gentity.mover.is_silent_back = true;
        gentity.takes_damage = gentity.keys.health != 0;
        self.init_mover(at, entity);
    }

    fn spawn_endless(&mut self, at: usize, entity: &MapEntity) {
        let gravity = self.settings.gravity as f32;
        let keys = &self.gentities[at].keys;
        let (origin, speed, flags) = (keys.origin, keys.speed, keys.spawn_flags);
        let class = keys.class_name.clone();
        self.gentities[at].mover.places = [origin; 2];
        self.set_brush_model(at, entity);
        let length = self.world.entities[at].mins.z.abs().max(8.0);
        self.init_mover(at, entity);
        let phase = entity.get("phase").map_or(0.0, float);
        let state = &mut self.world.entities[at].state;
        match class.as_str() {
            "func_rotating" => {
                state.apos.kind = kind::LINEAR;
                let axis = match flags {
                    flags if flags & 4 != 0 => 2,
                    flags if flags & 8 != 0 => 0,
                    _ => 1,
                };
                state.apos.delta[axis] = or_default(speed, 100.0);
            }
            "func_bobbing" => {
                state.pos.kind = kind::SINE;
                state.pos.duration = (or_default(speed, 4.0) * 1000.0) as i32;
                state.pos.time = (state.pos.duration as f32 * phase) as i32;
                let axis = match flags {
                    flags if flags & 1 != 0 => 0,
                    flags if flags & 2 != 0 => 1,
                    _ => 2,
                };
                state.pos.delta = Vec3::ZERO;
                state.pos.delta[axis] = entity.get("height").map_or(32.0, float);
            }
            "func_pendulum" => {
                let swings = core::f32::consts::TAU.recip() * (gravity / (3.0 * length)).sqrt();
                state.apos.kind = kind::SINE;
                state.apos.duration = (1000.0 / swings.max(0.001)) as i32;
                state.apos.time = (state.apos.duration as f32 * phase) as i32;
                state.apos.delta.z = or_default(speed, 30.0);
            }
            _ => {}
        }
        self.world.entities[at].origin = origin;
        self.world.link(at);
    }

    /// What all movers begin with, at the first of their two places.
    fn init_mover(&mut self, at: usize, entity: &MapEntity) {
        let text = |key: &str| entity.get(key).unwrap_or_default();
        let model2 = self.model_index(text("model2"));
        let noise = self.sound_index(text("noise"));
        let light = entity.get("light").map(float);
        let color = entity.vector("color");
        let gentity = &self.gentities[at];
        let [from, to] = gentity.mover.places;
        let speed = or_default(gentity.keys.speed, 100.0);
        let slot = &mut self.world.entities[at];
        slot.sv_flags = sv_flags::USE_CURRENT_ORIGIN;
        let state = &mut slot.state;
        state.e_type = entity_type::MOVER;
        state.model_index2 = model2;
        state.loop_sound = noise;
        if light.is_some() || color.is_some() {
            let part = |value: f32| (value * 255.0).clamp(0.0, 255.0) as i32;
            let color = color.unwrap_or(Vec3::ONE);
            let intensity = (light.unwrap_or(100.0) / 4.0).clamp(0.0, 255.0) as i32;
            state.constant_light =
                part(color.x) | part(color.y) << 8 | part(color.z) << 16 | intensity << 24;
        }
        let way = to - from;
        set_origin(slot, from);
        slot.state.pos.delta = way * speed;
        slot.state.pos.duration = ((way.length() * 1000.0 / speed) as i32).max(1);
        self.gentities[at].mover.state = MoverState::At1;
        self.gentities[at].mover.loop_sound = noise;
        self.world.link(at);
    }

    /// All entities of a team, the master first.
    pub(super) fn team_members(&self, at: usize) -> Vec<usize> {
        let master = self.gentities[at].team_master.unwrap_or(at);
        let mut team = vec![master];
        while let Some(next) = team
            .last()
            .and_then(|&last| self.gentities[last].team_chain)
        {
            team.push(next);
        }
        team
    }

    fn set_team_state(&mut self, at: usize, state: MoverState, time: i32) {
        for part in self.team_members(at) {
            self.set_mover_state(part, state, time);
        }
    }

    pub(super) fn set_mover_state(&mut self, at: usize, state: MoverState, time: i32) {
        self.gentities[at].mover.state = state;
        let [first, second] = self.gentities[at].mover.places;
        let path = &mut self.world.entities[at].state.pos;
        path.time = time;
        let (from, to) = match state {
            MoverState::At1 | MoverState::From1To2 => (first, second),
            MoverState::At2 | MoverState::From2To1 => (second, first),
        };
        path.base = from;
        match state {
            MoverState::At1 | MoverState::At2 => path.kind = kind::STATIONARY,
            MoverState::From1To2 | MoverState::From2To1 => {
                path.delta = (to - from) * (1000.0 / path.duration as f32);
                path.kind = kind::LINEAR_STOP;
            }
        }
        self.world.entities[at].origin = self.place_of(at);
        self.world.link(at);
    }

    /// A door or button is used: it goes, turns, or waits longer.
    pub(super) fn use_mover(&mut self, at: usize, activator: Option<usize>) {
        let at = self.gentities[at].team_master.unwrap_or(at);
        self.gentities[at].activator = activator;
        let time = self.time;
        let mover = &self.gentities[at].mover;
        let (start, wait) = (mover.start_sound, mover.wait_msec);
        let path = &self.world.entities[at].state.pos;
        let total = path.duration;
        // So far has it come; the rest of the way back counts as gone.
        let done = time.wrapping_sub(path.time).min(total);
        let turned_at = time.wrapping_sub(total.wrapping_sub(done));
        match self.gentities[at].mover.state {
            MoverState::At1 => {
                self.set_team_state(at, MoverState::From1To2, time.wrapping_add(START_MSEC));
                self.mover_sound(at, start);
                self.set_portals(at, true);
            }
            MoverState::At2 => self.think_in(at, Think::ReturnMover, wait),
            MoverState::From2To1 => {
                self.set_team_state(at, MoverState::From1To2, turned_at);
                self.mover_sound(at, start);
            }
            MoverState::From1To2 => {
                self.set_team_state(at, MoverState::From2To1, turned_at);
                self.mover_sound(at, start);
            }
        }
    }

    fn mover_sound(&mut self, at: usize, sound: i32) {
        if sound != 0 {
            self.add_event(at, event::GENERAL_SOUND, sound);
        }
    }

    /// An open door connects the areas on both sides.
    fn set_portals(&mut self, at: usize, is_open: bool) {
        let Some(link) = &self.world.entities[at].link else {
            return;
        };
        let areas = link.areas;
        if areas[1] >= 0 {
            self.world.areas.set_open(areas, is_open);
        }
    }

    pub(super) fn return_mover(&mut self, at: usize) {
        self.set_team_state(at, MoverState::From2To1, self.time);
        let mover = &self.gentities[at].mover;
        if !mover.is_silent_back {
            self.mover_sound(at, mover.start_sound);
        }
    }

    /// A mover has come to the end of its way.
    pub(super) fn mover_reached(&mut self, at: usize) {
        if self.gentities[at].class == Class::Train {
            return self.train_reached(at);
        }
        let time = self.time;
        let mover = &self.gentities[at].mover;
        let (end, wait) = (mover.end_sound, mover.wait_msec);
        match mover.state {
            MoverState::From1To2 => {
                self.set_mover_state(at, MoverState::At2, time);
                self.mover_sound(at, end);
                self.think_in(at, Think::ReturnMover, wait);
                let activator = self.gentities[at].activator.or(Some(at));
                self.use_targets(at, activator);
            }
            MoverState::From2To1 => {
                self.set_mover_state(at, MoverState::At1, time);
                self.mover_sound(at, end);
                if self.gentities[at]
                    .team_master
                    .is_none_or(|master| master == at)
                {
                    self.set_portals(at, false);
                }
            }
            MoverState::At1 | MoverState::At2 => {}
        }
    }

    /// Makes the trigger around a team of doors, or leaves them to their buttons.
    pub(super) fn set_up_door(&mut self, at: usize) {
        let keys = &self.gentities[at].keys;
        let opens_itself = keys.target_name.is_empty() && keys.health == 0;
        let team = self.team_members(at);
        if opens_itself {
            let mut low = Vec3::splat(f32::MAX);
            let mut high = Vec3::splat(f32::MIN);
            for &part in &team {
                self.gentities[part].takes_damage = true;
                if let Some(link) = &self.world.entities[part].link {
                    (low, high) = (low.min(link.bounds[0]), high.max(link.bounds[1]));
                }
            }
            let thinnest = (high - low).min_position();
            low[thinnest] -= DOOR_REACH;
            high[thinnest] += DOOR_REACH;
            if low.x <= high.x {
                self.spawn_mover_trigger(at, Class::DoorTrigger, [low, high]);
            }
        }
        let state = self.gentities[at].mover.state;
        self.set_team_state(at, state, self.time);
    }

    /// A player is near a door.
    pub(super) fn touch_door_trigger(&mut self, at: usize, client: usize) {
        let Some(door) = self.gentities[at].parent else {
            return;
        };
        let is_spectator = self.players[client].is_spectator();
        let state = self.gentities[door].mover.state;
        if is_spectator {
            if matches!(state, MoverState::At1 | MoverState::From2To1) {
                self.pass_door(at, client);
            }
        } else if state != MoverState::From1To2 {
            self.use_mover(door, Some(client));
        }
    }

    /// Whoever watches goes through closed doors.
    fn pass_door(&mut self, at: usize, client: usize) {
        const BEHIND: f32 = 10.0;
        let Some(link) = &self.world.entities[at].link else {
            return;
        };
        let [low, high] = link.bounds;
        let axis = (high - low).min_position();
        let (near, far) = (low[axis] + 100.0, high[axis] - 100.0);
        let player = &mut self.players[client];
        let place = &mut player.state.origin[axis];
        if !(near..=far).contains(place) {
            return;
        }
        *place = match (*place - near).abs() < (*place - far).abs() {
            true => near - BEHIND,
            false => far + BEHIND,
        };
        let (origin, mut angles) = (player.state.origin - Vec3::Z, player.state.view_angles);
        // So steep a pitch says that view and speed stay.
        angles.x = 10_000_000.0;
        self.teleport_player(client, origin, angles);
    }

    /// Standing on a plat: it rises, or stays up a little longer.
    pub(super) fn touch_plat(&mut self, plat: usize, client: usize) {
        const STAY_MSEC: i32 = 1000;
        let is_alive = self.players[client].health() > 0;
        if is_alive && self.gentities[plat].mover.state == MoverState::At2 {
            self.think_in(plat, Think::ReturnMover, STAY_MSEC);
        }
    }

    pub(super) fn touch_plat_trigger(&mut self, at: usize, client: usize) {
        if let Some(plat) = self.gentities[at].parent
            && self.gentities[plat].mover.state == MoverState::At1
        {
            self.use_mover(plat, Some(client));
        }
    }

    pub(super) fn touch_button(&mut self, at: usize, client: usize) {
        let gentity = &self.gentities[at];
        if gentity.mover.state == MoverState::At1 && gentity.keys.health == 0 {
            self.use_mover(at, Some(client));
        }
    }

    /// Something is in a mover's way.
    pub(super) fn mover_blocked(&mut self, at: usize, obstacle: usize) {
        let class = self.gentities[at].class;
        if matches!(class, Class::Train | Class::Button | Class::Static) {
            return;
        }
        if !self.is_client(obstacle) {
            if self.is_flag(obstacle) {
                return self.return_flag_item(obstacle);
            }
            let origin = self.world.entities[obstacle].state.origin;
            self.temp_entity(origin, event::ITEM_POP);
            return self.free(obstacle);
        }
        let keys = &self.gentities[at].keys;
        let (damage, presses_on) = (keys.damage, keys.has_flag(CRUSHER));
        if damage != 0 {
            self.damage(obstacle, &Hit::by(at, damage, means_of_death::CRUSH));
        }
        if !presses_on && class != Class::Swinging {
            self.use_mover(at, Some(obstacle));
        }
    }

    /// Where a mover is and how it is turned, by its paths.
    pub(super) fn pose_of(&self, at: usize) -> (Vec3, Vec3) {
        let state = &self.world.entities[at].state;
        let profile = self.settings.numeric.profile;
        let now = ServerTime(self.time);
        (
            trajectory::position(&state.pos, now, profile),
            trajectory::position(&state.apos, now, profile),
        )
    }
}
