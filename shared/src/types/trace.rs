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
    numbers! { u32:
        SOLID = 1, "Walls and the like.";
        LAVA = 8, "Lava.";
        SLIME = 16, "Slime.";
        WATER = 32, "Water.";
        FOG = 64, "Fog.";
        PLAYERCLIP = 0x1_0000, "Stops players alone.";
        MONSTERCLIP = 0x2_0000, "Stops bots alone.";
        BODY = 0x200_0000, "A living player.";
        CORPSE = 0x400_0000, "A dead one.";
        TRIGGER = 0x4000_0000, "Touched, never solid.";
        NODROP = 0x8000_0000, "What falls in here vanishes.";
        MASK_SOLID = SOLID, "What stops things.";
        MASK_PLAYERSOLID = SOLID | PLAYERCLIP | BODY, "What stops living players.";
        MASK_DEADSOLID = SOLID | PLAYERCLIP, "What stops the dead and spectators.";
        MASK_WATER = WATER | LAVA | SLIME, "All liquids.";
        MASK_SHOT = SOLID | BODY | CORPSE, "What stops shots.";
    }
}

/// Bits of what covers a surface.
pub mod surface {
    numbers! { u32:
        NODAMAGE = 1, "Falls on it do not hurt.";
        SLICK = 2, "Without friction.";
        SKY = 4, "The sky.";
        LADDER = 8, "Can be climbed in some mods.";
        NOIMPACT = 0x10, "Missiles vanish in it.";
        NOMARKS = 0x20, "Shots leave no marks.";
        FLESH = 0x40, "Sounds and looks like flesh when hit.";
        NODRAW = 0x80, "Not drawn.";
        NOLIGHTMAP = 0x400, "Has no lightmap.";
        METALSTEPS = 0x1000, "Steps on it sound of metal.";
        NOSTEPS = 0x2000, "Steps on it are not heard.";
        NODLIGHT = 0x2_0000, "Moving lights do not shine on it.";
        DUST = 0x4_0000, "Landing on it raises dust.";
    }
}
