//! Trace, contents and surface flags: the answer to "what do I hit?"

use super::limits::ENTITYNUM_NONE;
use glam::Vec3;

/// Side of a solid: all points with `normal · p == dist`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Plane {
    /// Of length 1, away from the solid.
    pub normal: Vec3,
    /// Its distance from the world's origin along the normal.
    pub dist: f32,
}

/// A box on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sweep {
    /// Where it begins.
    pub start: Vec3,
    /// Where it would come to if nothing were there.
    pub end: Vec3,
    /// The box relative to the point that moves; both zero for a point.
    pub mins: Vec3,
    /// See `mins`.
    pub maxs: Vec3,
    /// Contents bits that stop it.
    pub mask: u32,
}

/// What a box met on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trace {
    /// The box never left solid.
    pub all_solid: bool,
    /// The box began in solid.
    pub start_solid: bool,
    /// How far it came; 1 means all the way.
    pub fraction: f32,
    /// Where it came to.
    pub end: Vec3,
    /// Meaningful only if `fraction < 1` and not `all_solid`.
    pub plane: Plane,
    /// Bits of [`surface`].
    pub surface_flags: u32,
    /// Bits of [`contents`].
    pub contents: u32,
    /// What it met; `ENTITYNUM_NONE` for nothing.
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
    /// Walls and the like.
    pub const SOLID: u32 = 1;
    /// Lava.
    pub const LAVA: u32 = 8;
    /// Slime.
    pub const SLIME: u32 = 16;
    /// Water.
    pub const WATER: u32 = 32;
    /// Fog.
    pub const FOG: u32 = 64;
    /// Stops players alone.
    pub const PLAYERCLIP: u32 = 0x1_0000;
    /// Stops bots alone.
    pub const MONSTERCLIP: u32 = 0x2_0000;
    /// A living player.
    pub const BODY: u32 = 0x200_0000;
    /// A dead one.
    pub const CORPSE: u32 = 0x400_0000;
    /// Touched, never solid.
    pub const TRIGGER: u32 = 0x4000_0000;
    /// What falls in here vanishes.
    pub const NODROP: u32 = 0x8000_0000;
    /// What stops things.
    pub const MASK_SOLID: u32 = SOLID;
    /// What stops living players.
    pub const MASK_PLAYERSOLID: u32 = SOLID | PLAYERCLIP | BODY;
    /// What stops the dead and spectators.
    pub const MASK_DEADSOLID: u32 = SOLID | PLAYERCLIP;
    /// All liquids.
    pub const MASK_WATER: u32 = WATER | LAVA | SLIME;
    /// What stops shots.
    pub const MASK_SHOT: u32 = SOLID | BODY | CORPSE;
}

/// Bits of what covers a surface.
pub mod surface {
    /// Falls on it do not hurt.
    pub const NODAMAGE: u32 = 1;
    /// Without friction.
    pub const SLICK: u32 = 2;
    /// The sky.
    pub const SKY: u32 = 4;
    /// Can be climbed in some mods.
    pub const LADDER: u32 = 8;
    /// Missiles vanish in it.
    pub const NOIMPACT: u32 = 0x10;
    /// Shots leave no marks.
    pub const NOMARKS: u32 = 0x20;
    /// Sounds and looks like flesh when hit.
    pub const FLESH: u32 = 0x40;
    /// Not drawn.
    pub const NODRAW: u32 = 0x80;
    /// Has no lightmap.
    pub const NOLIGHTMAP: u32 = 0x400;
    /// Steps on it sound of metal.
    pub const METALSTEPS: u32 = 0x1000;
    /// Steps on it are not heard.
    pub const NOSTEPS: u32 = 0x2000;
    /// Moving lights do not shine on it.
    pub const NODLIGHT: u32 = 0x2_0000;
    /// Landing on it raises dust.
    pub const DUST: u32 = 0x4_0000;
}
