//! What is heard this frame: the ear, sounds that start, and loops that go on.

use super::SoundId;
use glam::Vec3;

/// Everything the mixer is told in one frame.
#[derive(Clone, Debug, Default)]
pub struct SoundScene {
    pub ear: Ear,
    pub starts: Vec<SoundStart>,
    pub loops: Vec<SoundLoop>,
}

/// Where one listens from.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ear {
    pub entity_num: u16,
    pub origin: Vec3,
    /// Forward, left, up.
    pub axis: [Vec3; 3],
    pub is_under_water: bool,
}

/// A sound that begins in this frame.
#[derive(Clone, Copy, Debug)]
pub struct SoundStart {
    pub sound: SoundId,
    /// Fixed place; `None` follows the entity.
    pub origin: Option<Vec3>,
    pub entity_num: u16,
    /// 0 auto, 1 local, 2 weapon, 3 voice, 4 item, 5 body, 6 local sound, 7 announcer.
    pub channel: u8,
}

/// A sound that is heard as long as it is repeated every frame.
#[derive(Clone, Copy, Debug)]
pub struct SoundLoop {
    pub sound: SoundId,
    pub entity_num: u16,
    pub origin: Vec3,
    pub velocity: Vec3,
}
