//! What a material script can say: the words of stages and deforms as types.

use crate::formats::wave::Wave;
use glam::{Vec2, Vec3};

/// Which side of a surface is not drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Cull {
    /// Back faces are hidden; the visible side is wound clockwise on screen.
    #[default]
    Back,
    /// Front faces are hidden.
    Front,
    None,
}

/// A factor of a blend, as in OpenGL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlendFactor {
    Zero,
    One,
    SrcColor,
    OneMinusSrcColor,
    DstColor,
    OneMinusDstColor,
    SrcAlpha,
    OneMinusSrcAlpha,
    /// The target has no alpha: reads as one.
    DstAlpha,
    /// The target has no alpha: reads as zero.
    OneMinusDstAlpha,
    SrcAlphaSaturate,
}

/// How a stage mixes with what is already drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Blend {
    pub src: BlendFactor,
    pub dst: BlendFactor,
}

impl Blend {
    pub const ADD: Self = Self::new(BlendFactor::One, BlendFactor::One);
    pub const FILTER: Self = Self::new(BlendFactor::DstColor, BlendFactor::Zero);
    pub const ALPHA: Self = Self::new(BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha);

    pub const fn new(src: BlendFactor, dst: BlendFactor) -> Self {
        Self { src, dst }
    }
}

/// Which pixels of a stage are kept, by their final alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AlphaFunc {
    /// Above zero.
    Gt0,
    /// Below one half.
    Lt128,
    /// One half and more.
    Ge128,
}

/// Where a stage's color comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RgbGen {
    Identity,
    IdentityLighting,
    Entity,
    OneMinusEntity,
    Vertex,
    ExactVertex,
    OneMinusVertex,
    /// Lit by the light grid and dynamic lights, for models.
    LightingDiffuse,
    Wave(Wave),
    /// 0 to 1 each, as written.
    Const(Vec3),
}

/// Where a stage's alpha comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AlphaGen {
    Identity,
    Entity,
    OneMinusEntity,
    Vertex,
    OneMinusVertex,
    LightingSpecular,
    Wave(Wave),
    /// 0 to 1, as written.
    Const(f32),
    /// Grows to one over this distance from the eye, in units.
    Portal {
        range: f32,
    },
}

/// Where a stage's texture coordinates come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TcGen {
    Base,
    Lightmap,
    Environment,
    /// Projections of the position.
    Vector {
        s: Vec3,
        t: Vec3,
    },
}

/// One change of texture coordinates; a stage applies them in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TcMod {
    Scale(Vec2),
    /// Turns of the picture per second.
    Scroll(Vec2),
    /// Degrees per second around the middle.
    Rotate(f32),
    /// The picture's size around the middle swings.
    Stretch(Wave),
    Turb {
        amplitude: f32,
        phase: f32,
        frequency: f32,
    },
    /// s' = s·m00 + t·m10 + t0; t' = s·m01 + t·m11 + t1.
    Transform {
        m00: f32,
        m01: f32,
        m10: f32,
        m11: f32,
        t0: f32,
        t1: f32,
    },
    /// Scrolls with the texture coordinates of the entity.
    EntityTranslate,
}

/// One change of a surface's shape; a material applies them in order before any stage.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Deform {
    /// Along the normal; the phase shifts by `spread` turns per unit of x+y+z.
    Wave {
        spread: f32,
        wave: Wave,
    },
    Normal {
        amplitude: f32,
        frequency: f32,
    },
    Bulge {
        width: f32,
        height: f32,
        speed: f32,
    },
    Move {
        direction: Vec3,
        wave: Wave,
    },
    Autosprite,
    Autosprite2,
    /// Replaces the quad by letters of scene text 0 to 7.
    Text(u8),
    ProjectionShadow,
}

/// What looking at a fog brush's inside does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FogParms {
    pub color: Vec3,
    /// Units at which nothing is seen through it.
    pub depth_for_opaque: f32,
}

/// A sun that a sky material describes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// Normalised color times intensity.
    pub light: Vec3,
    /// Towards the sun.
    pub direction: Vec3,
}

/// A sky as written: names of the box, height of the clouds.
#[derive(Clone, Debug, PartialEq)]
pub struct SkyParms {
    /// Base name of the six far images; `None` for "-".
    pub far_box: Option<String>,
    /// Units above the eye.
    pub cloud_height: f32,
}

/// Draw order of materials; lower is drawn first.
pub mod sort {
    pub const PORTAL: f32 = 1.0;
    pub const SKY: f32 = 2.0;
    pub const OPAQUE: f32 = 3.0;
    pub const DECAL: f32 = 4.0;
    pub const SEE_THROUGH: f32 = 5.0;
    pub const BANNER: f32 = 6.0;
    pub const FOG: f32 = 7.0;
    pub const UNDERWATER: f32 = 8.0;
    pub const BLEND: f32 = 9.0;
    pub const ADDITIVE: f32 = 10.0;
    pub const NEAREST: f32 = 16.0;
}

/// Bits of a material that other parts of the game ask for.
pub mod surface {
    pub const SKY: u32 = 0x4;
    pub const NOIMPACT: u32 = 0x10;
    pub const NOMARKS: u32 = 0x20;
    pub const NODRAW: u32 = 0x80;
    pub const NODLIGHT: u32 = 0x2_0000;
    /// In `content_flags`.
    pub const CONTENTS_FOG: u32 = 0x40;
}
