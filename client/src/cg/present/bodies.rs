//! Bodies: what is remembered from frame to frame about how each entity was drawn.

use super::anim::LerpFrame;
use crate::{
    assets::AnimationId,
    cg::{
        angles,
        timeline::entities::{Beginning, CEntity},
    },
};
use glam::Vec3;
use shared::{base::time::ServerTime, bg::numbers::entity_type, types::limits::MAX_GENTITIES};

/// An entity as it was drawn last; most of it only players need.
#[derive(Clone, Debug, Default)]
pub struct Body {
    /// The beginning of the entity's stay that this belongs to.
    pub began: Beginning,
    /// Up to when its smoke has been drawn.
    pub trail_time: ServerTime,
    /// When an item came back, or a speaker speaks next; the time of the last predicted pickup.
    pub misc_time: ServerTime,
    pub muzzle_flash_time: Option<ServerTime>,
    pub legs: LerpFrame,
    pub torso: LerpFrame,
    /// The cloth of a flag on the back.
    pub flag: LerpFrame,
    /// Starts over at the next frame: new, teleported, or another model.
    pub needs_reset: bool,
    /// Whose animations run.
    pub animation: Option<AnimationId>,
    pub pain_time: Option<ServerTime>,
    pub pain_is_right: bool,
    pub barrel: Barrel,
    /// The lightning gun has begun to hum.
    pub is_lightning_firing: bool,
    pub rail_time: Option<ServerTime>,
    /// Where the lightning leaves the muzzle in this frame.
    pub lightning_from: Option<Vec3>,
    pub carried: Carried,
    pub smoke: SmokeTimes,
    /// Where the head was drawn in this frame, and where it looks.
    pub head: Option<(Vec3, Vec3)>,
}

/// What a player carries beside weapons.
#[derive(Clone, Debug, Default)]
pub struct Carried {
    /// When the shield appeared, and when it was seen last.
    pub shield: Option<(ServerTime, ServerTime)>,
    /// Places of the cubes that follow a player, nearest first.
    pub cubes: Vec<Vec3>,
}

/// When each kind of smoke was left last.
#[derive(Clone, Copy, Debug, Default)]
pub struct SmokeTimes {
    pub haste: ServerTime,
    pub breath: ServerTime,
    pub dust: ServerTime,
}

/// Degrees per millisecond of a spinning barrel.
const SPIN_SPEED: f32 = 0.9;
/// How long a barrel goes on turning.
const COAST_MSEC: i32 = 1000;

/// A barrel's turning.
#[derive(Clone, Copy, Debug, Default)]
pub struct Barrel {
    angle: f32,
    since: ServerTime,
    pub is_spinning: bool,
}

impl Barrel {
    pub fn turn(&mut self, now: ServerTime, is_firing: bool) -> f32 {
        let elapsed = now - self.since;
        let angle = if self.is_spinning {
            self.angle + elapsed as f32 * SPIN_SPEED
        } else {
            let elapsed = elapsed.clamp(0, COAST_MSEC);
            let speed = 0.5 * (SPIN_SPEED + (COAST_MSEC - elapsed) as f32 / COAST_MSEC as f32);
            self.angle + elapsed as f32 * speed
        };
        if self.is_spinning != is_firing {
            self.angle = angles::normalize_360(angle);
            self.since = now;
            self.is_spinning = is_firing;
        }
        angle
    }
}

/// An entity and how it was drawn last.
#[derive(Debug)]
pub struct Figure<'a> {
    pub entity: &'a CEntity,
    pub body: &'a mut Body,
}

/// All bodies by the number of their entity, the predicted player's apart.
#[derive(Clone, Debug)]
pub struct Bodies {
    all: Vec<Body>,
    pub own: Body,
}

impl Default for Bodies {
    fn default() -> Self {
        Self {
            all: vec![Body::default(); MAX_GENTITIES],
            own: Body::default(),
        }
    }
}

impl Bodies {
    pub fn get_mut(&mut self, number: i32) -> Option<&mut Body> {
        usize::try_from(number)
            .ok()
            .and_then(|number| self.all.get_mut(number))
    }

    /// How a player was drawn last: the predicted one where one looks through him.
    pub fn of(&mut self, number: i32, viewed_client: i32) -> Option<&mut Body> {
        match number == viewed_client {
            true => Some(&mut self.own),
            false => self.get_mut(number),
        }
    }
}

impl Body {
    /// Starts over where the entity is new or changed abruptly.
    pub fn follow(&mut self, entity: &CEntity) {
        if self.began != entity.began {
            self.began = entity.began;
            self.trail_time = entity.began.at;
            self.needs_reset |= entity.current.e_type == entity_type::PLAYER;
        }
    }
}
