//! Probe: tries out on the bare map where a walk leads, and where a jump, a fall or a throw ends.

use crate::game::{Landmarks, Lift, Obstacle};
use glam::{Vec2, Vec3};
use shared::{
    base::time::ServerTime,
    bg::{
        World,
        numeric::angle_to_short,
        pmove::{self, Contact, pmove},
    },
    cm::{ClipMap, Solid, Sweep},
    types::{
        limits::{ENTITYNUM_NONE, ENTITYNUM_WORLD},
        playerstate::PlayerState,
        trace::{Trace, contents},
        usercmd::Usercmd,
    },
};

/// The box of a player that stands.
pub(super) const MINS: Vec3 = Vec3::new(-15.0, -15.0, -24.0);
pub(super) const MAXS: Vec3 = Vec3::new(15.0, 15.0, 32.0);
/// What one climbs without a jump.
pub(super) const STEP: f32 = 18.0;
/// Steeper ground is no floor.
const MIN_NORMAL: f32 = 0.7;
/// Length of one step of a walk.
const STRIDE: f32 = 20.0;
/// Usercmds of tried moves are so long, as bots' own are at the usual rate.
const MOVE_MSEC: i32 = 50;

/// The volume of a trigger, and what it does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Zone {
    pub model: usize,
    pub origin: Vec3,
    pub mins: Vec3,
    pub maxs: Vec3,
    pub kind: ZoneKind,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ZoneKind {
    /// By number among the pads.
    Pad(usize, Vec3),
    /// By number among the teleporters.
    Teleporter(usize),
    Hazard,
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Walk {
    Arrived(Vec3),
    /// The floor ends; the last place on it.
    Edge(Vec3),
    Blocked(Vec3),
    Zone(usize),
    /// Lava, or a place that hurts.
    Danger,
}

/// The map with the obstacles that stand still.
#[derive(Debug)]
pub(crate) struct Ground<'a> {
    pub map: &'a ClipMap,
    pub obstacles: &'a [Obstacle],
    pub lifts: &'a [Lift],
    pub zones: &'a [Zone],
    /// This lift is up, the others down.
    pub raised: Option<usize>,
    pub settings: &'a pmove::Settings<'static>,
    pub player: &'a PlayerState,
    /// How much was asked, in sweeps.
    pub cost: std::cell::Cell<u32>,
}

/// What a tried move does, frame for frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    pub from: Vec3,
    pub velocity: Vec3,
    /// Runs that way; none to let go.
    pub direction: Option<Vec2>,
    /// Begins with a jump.
    pub jumps: bool,
}

/// Where a tried move ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Landing {
    pub at: Vec3,
    pub msec: i32,
    pub zone: Option<usize>,
    /// Places on the way, for what is to be had in the air.
    pub way: Vec<Vec3>,
}

impl World for Ground<'_> {
    fn trace(&self, sweep: &Sweep, _: i32) -> Trace {
        self.sweep(sweep)
    }

    fn point_contents(&self, point: Vec3, _: i32) -> u32 {
        self.map.point_contents(point)
    }
}

impl<'a> Ground<'a> {
    fn sweep(&self, sweep: &Sweep) -> Trace {
        self.cost.set(self.cost.get() + 1);
        let mut nearest = self.map.trace(sweep);
        nearest.entity_num = match nearest.fraction == 1.0 {
            true => ENTITYNUM_NONE,
            false => ENTITYNUM_WORLD,
        };
        let low = sweep.start.min(sweep.end) + sweep.mins - 2.0;
        let high = sweep.start.max(sweep.end) + sweep.maxs + 2.0;
        let lifts = self.lifts.iter().enumerate().map(|(at, lift)| Obstacle {
            model: lift.model,
            origin: lift.places[usize::from(self.raised == Some(at))],
            angles: Vec3::ZERO,
        });
        for part in self.obstacles.iter().copied().chain(lifts) {
            let Some([mins, maxs]) = self.map.model_bounds(part.model) else {
                continue;
            };
            let (mut mins, mut maxs) = (mins + part.origin, maxs + part.origin);
            if part.angles != Vec3::ZERO {
                let radius = (maxs - mins).length();
                (mins, maxs) = (part.origin - radius, part.origin + radius);
            }
            if mins.cmpgt(high).any() || maxs.cmplt(low).any() {
                continue;
            }
            let model = Solid::Model(part.model);
            let mut hit = self.map.trace_solid(sweep, model, part.origin, part.angles);
            hit.entity_num = ENTITYNUM_WORLD;
            if hit.all_solid || hit.fraction < nearest.fraction {
                hit.start_solid |= nearest.start_solid;
                nearest = hit;
            }
            nearest.start_solid |= hit.start_solid;
        }
        nearest
    }

    /// Sweeps a player's box.
    pub(crate) fn body(&self, start: Vec3, end: Vec3) -> Trace {
        self.sweep(&Sweep {
            start,
            end,
            mins: MINS,
            maxs: MAXS,
            mask: self.settings.trace_mask,
        })
    }

    pub(crate) fn is_deadly(&self, place: Vec3) -> bool {
        let feet = place + Vec3::Z * (MINS.z + 1.0);
        self.map.point_contents(feet) & (contents::LAVA | contents::SLIME) != 0
    }

    /// Whether a player there would swim.
    pub(crate) fn is_water(&self, place: Vec3) -> bool {
        self.map.point_contents(place + Vec3::Z * 8.0) & contents::WATER != 0
    }

    /// The place on the floor below.
    pub(crate) fn drop(&self, place: Vec3, depth: f32) -> Option<Vec3> {
        let trace = self.body(place, place - Vec3::Z * depth);
        let lands =
            !trace.start_solid && trace.fraction < 1.0 && trace.plane.normal.z >= MIN_NORMAL;
        lands.then_some(trace.end)
    }

    /// The trigger that a player there would set off.
    pub(crate) fn zone_at(&self, place: Vec3) -> Option<usize> {
        let (low, high) = (place + MINS, place + MAXS);
        self.zones.iter().position(|zone| {
            let near = zone.mins.cmple(high).all() && zone.maxs.cmpge(low).all();
            near && {
                let sweep = Sweep {
                    start: place,
                    end: place,
                    mins: MINS,
                    maxs: MAXS,
                    mask: u32::MAX,
                };
                let model = Solid::Model(zone.model);
                let trace = self.map.trace_solid(&sweep, model, zone.origin, Vec3::ZERO);
                trace.start_solid
            }
        })
    }

    /// Walks to a place, up and down steps and along walls.
    pub(crate) fn walk(&self, from: Vec3, to: Vec3, may_slide: bool) -> Walk {
        let mut at = from;
        let steps = ((to - from).truncate().length() / STRIDE).ceil().max(1.0) as usize + 1;
        for _ in 0..steps {
            let way = (to - at).truncate();
            let length = way.length();
            if length < 2.0 {
                return Walk::Arrived(at);
            }
            let move_by = (way * (STRIDE / length).min(1.0)).extend(0.0);
            let Some(next) = self.stride(at, move_by, may_slide) else {
                return Walk::Blocked(at);
            };
            let Some(floor) = self.drop(next + Vec3::Z, STEP * 1.5 + 2.0) else {
                return Walk::Edge(at);
            };
            if let Some(zone) = self.zone_at(floor) {
                return match self.zones[zone].kind {
                    ZoneKind::Hazard => Walk::Danger,
                    _ => Walk::Zone(zone),
                };
            }
            if self.is_deadly(floor) {
                return Walk::Danger;
            }
            at = floor;
        }
        match (to - at).truncate().length() < 8.0 {
            true => Walk::Arrived(at),
            false => Walk::Blocked(at),
        }
    }

    /// One step forward, if need be up or along a wall.
    fn stride(&self, at: Vec3, move_by: Vec3, may_slide: bool) -> Option<Vec3> {
        let low = self.body(at, at + move_by);
        if !low.start_solid && low.fraction == 1.0 {
            return Some(low.end);
        }
        let up = self.body(at, at + Vec3::Z * STEP).end;
        let high = self.body(up, up + move_by);
        if !high.start_solid && high.fraction == 1.0 {
            return Some(self.body(high.end, high.end - Vec3::Z * (up.z - at.z)).end);
        }
        if !may_slide {
            return None;
        }
        let normal = high.plane.normal.with_z(0.0).normalize_or_zero();
        let along = move_by - normal * move_by.dot(normal);
        if along.length() < move_by.length() * 0.3 {
            return None;
        }
        let slid = self.body(up, up + along);
        let moved = !slid.start_solid && slid.fraction == 1.0;
        moved.then(|| self.body(slid.end, slid.end - Vec3::Z * (up.z - at.z)).end)
    }

    /// Moves by the real rules until the feet are on the ground again.
    pub(crate) fn fly(&self, trial: &Trial) -> Option<Landing> {
        const MAX_STEPS: i32 = 100;
        let mut player = self.player.clone();
        player.origin = trial.from;
        player.velocity = trial.velocity;
        let mut contact = Contact::default();
        let yaw = trial
            .direction
            .map_or(0.0, |way| libm::atan2f(way.y, way.x).to_degrees());
        let mut has_left = trial.velocity.z > 100.0;
        let mut way = Vec::new();
        for step in 1..=MAX_STEPS {
            let usercmd = Usercmd {
                server_time: ServerTime(step * MOVE_MSEC),
                angles: [0, angle_to_short(yaw), 0],
                forward_move: if trial.direction.is_some() { 127 } else { 0 },
                up_move: if trial.jumps && step == 1 { 127 } else { 0 },
                ..Usercmd::default()
            };
            pmove(self, &mut player, usercmd, self.settings, &mut contact);
            way.push(player.origin);
            if self.is_deadly(player.origin) || player.origin.z < -65_536.0 {
                return None;
            }
            let zone = self.zone_at(player.origin);
            let is_in_zone = match zone.map(|zone| self.zones[zone].kind) {
                Some(ZoneKind::Hazard) => return None,
                Some(ZoneKind::Pad(..)) => has_left && player.velocity.z <= 0.0,
                Some(_) => true,
                None => false,
            };
            let is_on_ground = player.ground_entity_num != ENTITYNUM_NONE;
            has_left |= !is_on_ground;
            let is_wet = contact.water_level > 1;
            if is_in_zone || has_left && (is_on_ground || is_wet) {
                return Some(Landing {
                    at: player.origin,
                    msec: step * MOVE_MSEC,
                    zone: zone.filter(|_| is_in_zone),
                    way,
                });
            }
            // Against a wall or simply walking on.
            if step > 12 && !has_left {
                return None;
            }
        }
        None
    }

    /// Swims against an edge until it stands on it.
    pub(crate) fn climb(&self, from: Vec3, direction: Vec2) -> Option<Landing> {
        const MAX_STEPS: i32 = 40;
        let mut player = self.player.clone();
        player.origin = from;
        let mut contact = Contact::default();
        let yaw = libm::atan2f(direction.y, direction.x).to_degrees();
        for step in 1..=MAX_STEPS {
            let usercmd = Usercmd {
                server_time: ServerTime(step * MOVE_MSEC),
                angles: [0, angle_to_short(yaw), 0],
                forward_move: 127,
                up_move: 127,
                ..Usercmd::default()
            };
            pmove(self, &mut player, usercmd, self.settings, &mut contact);
            if self.is_deadly(player.origin) || self.zone_at(player.origin).is_some() {
                return None;
            }
            if player.ground_entity_num != ENTITYNUM_NONE && contact.water_level < 2 {
                return Some(Landing {
                    at: player.origin,
                    msec: step * MOVE_MSEC,
                    zone: None,
                    way: Vec::new(),
                });
            }
        }
        None
    }
}

/// The triggers of a map as volumes.
pub(super) fn zones(landmarks: &Landmarks, world: &crate::world::World) -> Vec<Zone> {
    let zone = |at: usize, kind: ZoneKind| {
        let entity = world.entities.get(at)?;
        Some(Zone {
            model: entity.brush_model?,
            origin: entity.origin,
            mins: entity.origin + entity.mins,
            maxs: entity.origin + entity.maxs,
            kind,
        })
    };
    let pads = landmarks.pads.iter().enumerate();
    let pads = pads.filter_map(|(number, &(at, throw))| zone(at, ZoneKind::Pad(number, throw)));
    let teleporters = landmarks.teleporters.iter().enumerate();
    let teleporters =
        teleporters.filter_map(|(number, (at, _))| zone(*at, ZoneKind::Teleporter(number)));
    let hazards = landmarks.hazards.iter();
    let hazards = hazards.filter_map(|&at| zone(at, ZoneKind::Hazard));
    pads.chain(teleporters).chain(hazards).collect()
}
