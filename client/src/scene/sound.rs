//! What is heard this frame: the ear, sounds that start, loops that go on, and the music.

use super::SoundId;
use glam::Vec3;
use serde::Serialize;
use std::sync::Arc;

/// Everything the mixer is told in one frame.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SoundScene {
    pub ear: Ear,
    /// Where entities are, for the sounds that follow them; one that is not told stays where it was.
    pub positions: Vec<(u16, Vec3)>,
    pub starts: Vec<SoundStart>,
    pub loops: Vec<SoundLoop>,
    /// One or two file names, the intro and what is repeated after it; empty is silence.
    pub music: Arc<str>,
    /// The music begins anew although it is the same.
    pub restarts_music: bool,
}

/// Where one listens from.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Ear {
    pub entity_num: u16,
    pub origin: Vec3,
    /// Forward, left, up.
    pub axis: [Vec3; 3],
    pub is_under_water: bool,
}

/// A sound that begins in this frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SoundStart {
    pub sound: SoundId,
    pub place: SoundOrigin,
    pub entity_num: u16,
    /// 0 auto, 1 local, 2 weapon, 3 voice, 4 item, 5 body, 6 local sound, 7 announcer.
    pub channel: u8,
}

/// Where a sound comes from.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum SoundOrigin {
    /// As loud in both ears wherever one is.
    Local,
    /// Follows its entity.
    Entity,
    Fixed(Vec3),
}

/// A sound that is heard as long as it is repeated every frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SoundLoop {
    pub sound: SoundId,
    pub entity_num: u16,
    pub origin: Vec3,
    /// Units a second; a loop that comes near sounds higher.
    pub velocity: Vec3,
    /// Part of the map rather than of something that moves: somewhat quieter.
    pub is_ambient: bool,
}
