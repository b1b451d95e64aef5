//! Gentity: what an entity of the level does, beside its place and looks, which the world has.

use super::Game;
use crate::entity::Entity;
use glam::Vec3;
use shared::{
    base::text::number,
    formats::mapents::MapEntity,
    types::{limits::MAX_CLIENTS, limits::MAX_GENTITIES, trajectory::Trajectory},
};

/// Slots above those of clients that bodies are laid into by turns.
pub(super) const BODIES: core::ops::Range<usize> = MAX_CLIENTS..MAX_CLIENTS + 8;
/// So long a freed slot rests, so that clients do not take a new entity for the old one.
const REST_MSEC: i32 = 1000;
/// In the first moments of a level there is nothing to be confused about.
const NO_REST_MSEC: i32 = 2000;

/// What sort of thing an entity is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Class {
    /// A place, or nothing but looks.
    #[default]
    Place,
    /// By its number in the list of items.
    Item(i32),
    Missile,
    Hook,
    Body,
    Door,
    Plat,
    Button,
    Train,
    /// Rotating, bobbing, pendulum: they never stop.
    Swinging,
    Static,
    DoorTrigger,
    PlatTrigger,
    PathCorner,
    Multiple,
    Always,
    Push,
    Teleport,
    Hurt,
    Timer,
    Give,
    RemovePowerups,
    Delay,
    Print,
    Speaker,
    Laser,
    Score,
    Teleporter,
    Relay,
    Kill,
    TargetPush,
    Location,
    /// By the weapon that it fires.
    Shooter(i32),
    PortalSurface,
    PortalCamera,
}

impl Class {
    pub(super) fn is_mover(self) -> bool {
        matches!(
            self,
            Self::Door | Self::Plat | Self::Button | Self::Train | Self::Swinging | Self::Static
        )
    }
}

/// What happens when an entity's time has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Think {
    #[default]
    Nothing,
    Free,
    FinishItem,
    RespawnItem,
    ReturnFlag,
    Explode,
    HookPull,
    FreeHook,
    SinkBody,
    SetUpDoor,
    /// Back to where the mover rests.
    ReturnMover,
    SetUpTrain,
    BeginTrainLeg,
    AimPad,
    FireTargets,
    TimerFires,
    FireLaser,
    StartLaser,
    LinkLocations,
    SetUpPortal,
    AimShooter,
    EndWait,
}

/// The keys of a map's entity that the game asks for again and again.
#[derive(Clone, Debug, Default)]
pub(super) struct Keys {
    pub class_name: String,
    pub target: String,
    pub target_name: String,
    pub team: String,
    pub message: String,
    pub shader: String,
    pub new_shader: String,
    pub spawn_flags: i32,
    pub speed: f32,
    pub wait: f32,
    pub random: f32,
    pub count: i32,
    pub health: i32,
    pub damage: i32,
    /// The place at which the map put it.
    pub origin: Vec3,
    pub angles: Vec3,
}

impl Keys {
    pub(super) fn read(entity: &MapEntity) -> Self {
        let text = |key: &str| entity.get(key).unwrap_or_default().to_owned();
        let int = |key: &str| entity.get(key).map_or(0, number);
        let yaw = || Some(Vec3::new(0.0, float(entity.get("angle")?), 0.0));
        Self {
            class_name: text("classname").to_ascii_lowercase(),
            target: text("target"),
            target_name: text("targetname"),
            team: text("team"),
            message: text("message").replace("\\n", "\n"),
            shader: text("targetShaderName"),
            new_shader: text("targetShaderNewName"),
            spawn_flags: int("spawnflags"),
            speed: entity.get("speed").map_or(0.0, float),
            wait: entity.get("wait").map_or(0.0, float),
            random: entity.get("random").map_or(0.0, float),
            count: int("count"),
            health: int("health"),
            damage: int("dmg"),
            origin: entity.vector("origin").unwrap_or_default(),
            angles: entity.vector("angles").or_else(yaw).unwrap_or_default(),
        }
    }

    pub(super) fn has_flag(&self, flag: i32) -> bool {
        self.spawn_flags & flag != 0
    }
}

/// A number with a fraction as maps have it; what is none is 0.
pub(super) fn float(text: &str) -> f32 {
    let text = text.trim();
    let is_part = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+');
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    let value = text.parse().or_else(|_| text[..end].parse()).unwrap_or(0.0);
    if f32::is_finite(value) { value } else { 0.0 }
}

/// A key's value; where it is 0, what the class has by default.
pub(super) fn or_default(value: f32, default: f32) -> f32 {
    if value == 0.0 { default } else { value }
}

/// Where a mover is on its way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum MoverState {
    #[default]
    At1,
    At2,
    From1To2,
    From2To1,
}

/// What movers have besides.
#[derive(Clone, Debug, Default)]
pub(super) struct Mover {
    pub state: MoverState,
    pub places: [Vec3; 2],
    /// Sound numbers; 0 for none.
    pub start_sound: i32,
    pub end_sound: i32,
    pub loop_sound: i32,
    /// Milliseconds at the end of the way.
    pub wait_msec: i32,
    /// A button makes no sound on its way back.
    pub is_silent_back: bool,
    /// The next corner of a train's way; what a shooter or laser points at.
    pub target: Option<usize>,
}

/// What missiles have besides.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Payload {
    pub damage: i32,
    pub splash_damage: i32,
    pub splash_radius: f32,
    pub cause: i32,
    pub splash_cause: i32,
}

/// One slot of the level, beside the world's.
#[derive(Clone, Debug, Default)]
pub(super) struct Gentity {
    pub class: Class,
    pub keys: Keys,
    pub think: Think,
    /// When it thinks; 0 for never.
    pub think_at: i32,
    pub event_at: i32,
    pub is_freed_after_event: bool,
    pub is_unlinked_after_event: bool,
    /// Never freed: slots for bodies.
    pub is_kept: bool,
    pub freed_at: i32,
    pub takes_damage: bool,
    pub health: i32,
    /// Falls, bounces and rides movers.
    pub is_physical: bool,
    pub bounce: f32,
    pub clip_mask: u32,
    pub team_master: Option<usize>,
    pub team_chain: Option<usize>,
    pub activator: Option<usize>,
    /// Who fired it, or what it belongs to.
    pub parent: Option<usize>,
    /// A time of its own: when a trigger may hurt again, when a body was laid.
    pub timestamp: i32,
    pub sound: i32,
    pub move_dir: Vec3,
    pub mover: Mover,
    pub payload: Payload,
}

impl Game {
    /// Takes a free slot above those of clients and bodies.
    pub(super) fn spawn(&mut self) -> Option<usize> {
        let is_rested = |one: &Gentity| {
            one.freed_at <= self.start_time + NO_REST_MSEC || self.time - one.freed_at >= REST_MSEC
        };
        let slots = BODIES.end..self.world.entities.len();
        let is_free = |at: &usize| !self.world.entities[*at].is_in_use;
        let rested = slots
            .clone()
            .find(|at| is_free(at) && is_rested(&self.gentities[*at]));
        let last = MAX_GENTITIES - 2;
        let fresh = Some(self.world.entities.len()).filter(|at| *at < last);
        let at = rested
            .or(fresh)
            .or_else(|| slots.clone().find(|at| is_free(at)))?;
        self.world.take_slot(at);
        self.gentities.resize_with(
            self.gentities.len().max(self.world.entities.len()),
            Gentity::default,
        );
        self.gentities[at] = Gentity::default();
        Some(at)
    }

    /// Ends an entity; slots of clients and bodies stay.
    pub(super) fn free(&mut self, at: usize) {
        self.world.unlink(at);
        if self.gentities[at].is_kept {
            return;
        }
        self.world.remove_entity(at);
        self.gentities[at] = Gentity {
            freed_at: self.time,
            ..Gentity::default()
        };
    }

    pub(super) fn think_in(&mut self, at: usize, think: Think, msec: i32) {
        self.gentities[at].think = think;
        self.gentities[at].think_at = self.time.wrapping_add(msec).max(1);
    }

    /// The entities in use, by number, from a point on.
    pub(super) fn in_use(&self, from: usize) -> impl Iterator<Item = usize> {
        (from..self.world.entities.len()).filter(|&at| self.world.entities[at].is_in_use)
    }

    pub(super) fn is_client(&self, at: usize) -> bool {
        at < self.players.len()
    }

    pub(super) fn is_connected(&self, at: usize) -> bool {
        self.players.get(at).is_some_and(|one| one.is_connected)
    }

    /// The slot of an entity number, if something is there.
    pub(super) fn slot_of(&self, number: i32) -> Option<usize> {
        let at = usize::try_from(number).ok()?;
        self.world
            .entities
            .get(at)
            .filter(|one| one.is_in_use)
            .map(|_| at)
    }

    /// The entities whose name is a target; names have no case.
    pub(super) fn named(&self, name: &str) -> Vec<usize> {
        if name.is_empty() {
            return Vec::new();
        }
        let is_named = |at: &usize| {
            let own = &self.gentities[*at].keys.target_name;
            own.eq_ignore_ascii_case(name)
        };
        self.in_use(0).filter(is_named).collect()
    }

    /// One of the first entities of a name.
    pub(super) fn pick_named(&mut self, name: &str) -> Option<usize> {
        const MAX_CHOICES: usize = 32;
        let mut found = self.named(name);
        found.truncate(MAX_CHOICES);
        match found.len() {
            0 => None,
            count => Some(found[self.rng.below(count)]),
        }
    }

    /// −1 to 1.
    pub(super) fn centred(&mut self) -> f32 {
        2.0 * (self.rng.fraction() - 0.5)
    }
}

/// Puts an entity at a place, at rest.
pub(super) fn set_origin(entity: &mut Entity, origin: Vec3) {
    entity.state.pos = Trajectory {
        base: origin,
        ..Trajectory::default()
    };
    entity.origin = origin;
}

/// Each component towards zero.
pub(super) fn snapped(vector: Vec3) -> Vec3 {
    vector.map(shared::bg::numeric::truncate_to_integer)
}

/// Each component to the whole number nearer to another point.
pub(super) fn snapped_towards(vector: Vec3, to: Vec3) -> Vec3 {
    let snap = |axis: usize| match to[axis] <= vector[axis] {
        true => vector[axis].floor(),
        false => vector[axis].ceil(),
    };
    Vec3::new(snap(0), snap(1), snap(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_maps_are_read_leniently() {
        for (text, value) in [("1.5", 1.5), (" -90 ", -90.0), ("2x", 2.0), ("x", 0.0)] {
            assert_eq!(float(text), value, "{text:?}");
        }
        assert_eq!(float("inf"), 0.0);
        let at = Vec3::new(1.5, -1.5, 2.0);
        assert_eq!(snapped(at), Vec3::new(1.0, -1.0, 2.0));
        assert_eq!(
            snapped_towards(at, Vec3::new(9.0, -9.0, 0.0)),
            Vec3::new(2.0, -2.0, 2.0)
        );
    }
}
