//! Trace, contents and surface flags: the answer to "what do I hit?"

use super::limits::ENTITYNUM_NONE;
use glam::Vec3;

/// Side of a solid: all points with `normal · p == dist`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plane {
    pub normal: Vec3,
    pub dist: f32,
}

/// What a box met on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trace {
    /// The box never left solid.
    pub all_solid: bool,
    pub start_solid: bool,
    /// How far it came; 1 means all the way.
    pub fraction: f32,
    pub end: Vec3,
    /// Meaningful only if `fraction < 1` and not `all_solid`.
    pub plane: Plane,
    /// Bits of [`surface`].
    pub surface_flags: u32,
    /// Bits of [`contents`].
    pub contents: u32,
    pub entity_num: i32,
}

impl Default for Trace {
    fn default() -> Self {
        Self {
            all_solid: false,
            start_solid: false,
            fraction: 1.0,
            end: Vec3::ZERO,
            plane: Plane::default(),
            surface_flags: 0,
            contents: 0,
            entity_num: ENTITYNUM_NONE,
        }
    }
}

/// Bits of what fills a place.
pub mod contents {
    pub const SOLID: u32 = 1;
    pub const LAVA: u32 = 8;
    pub const SLIME: u32 = 16;
    pub const WATER: u32 = 32;
    pub const FOG: u32 = 64;
    pub const PLAYERCLIP: u32 = 0x1_0000;
    pub const MONSTERCLIP: u32 = 0x2_0000;
    pub const BODY: u32 = 0x200_0000;
    pub const CORPSE: u32 = 0x400_0000;
    pub const TRIGGER: u32 = 0x4000_0000;
    pub const NODROP: u32 = 0x8000_0000;
    pub const MASK_SOLID: u32 = SOLID;
    pub const MASK_PLAYERSOLID: u32 = SOLID | PLAYERCLIP | BODY;
    pub const MASK_DEADSOLID: u32 = SOLID | PLAYERCLIP;
    pub const MASK_WATER: u32 = WATER | LAVA | SLIME;
    pub const MASK_SHOT: u32 = SOLID | BODY | CORPSE;
}

/// Bits of what covers a surface.
pub mod surface {
    pub const NODAMAGE: u32 = 1;
    pub const SLICK: u32 = 2;
    pub const SKY: u32 = 4;
    pub const LADDER: u32 = 8;
    pub const NOIMPACT: u32 = 0x10;
    pub const NOMARKS: u32 = 0x20;
    pub const FLESH: u32 = 0x40;
    pub const NODRAW: u32 = 0x80;
    pub const NOLIGHTMAP: u32 = 0x400;
    pub const METALSTEPS: u32 = 0x1000;
    pub const NOSTEPS: u32 = 0x2000;
    pub const NODLIGHT: u32 = 0x2_0000;
    pub const DUST: u32 = 0x4_0000;
}
