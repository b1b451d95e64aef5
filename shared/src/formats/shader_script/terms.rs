//! What a material script can say: the words of stages and deforms as types.

pub use crate::types::trace::{contents, surface};

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
    /// Both sides are drawn.
    None,
}

/// A factor of a blend, as in OpenGL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlendFactor {
    /// 0
    Zero,
    /// 1
    One,
    /// The color painted.
    SrcColor,
    /// 1 less the color painted.
    OneMinusSrcColor,
    /// The color already there.
    DstColor,
    /// 1 less the color already there.
    OneMinusDstColor,
    /// The alpha painted.
    SrcAlpha,
    /// 1 less the alpha painted.
    OneMinusSrcAlpha,
    /// The target has no alpha: reads as one.
    DstAlpha,
    /// The target has no alpha: reads as zero.
    OneMinusDstAlpha,
    /// The lesser of the alpha painted and what is left to full alpha.
    SrcAlphaSaturate,
}

/// How a stage mixes with what is already drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Blend {
    /// Of what is painted.
    pub src: BlendFactor,
    /// Of what is already there.
    pub dst: BlendFactor,
}

impl Blend {
    /// `blendFunc add`.
    pub const ADD: Self = Self::new(BlendFactor::One, BlendFactor::One);
    /// `blendFunc filter`.
    pub const FILTER: Self = Self::new(BlendFactor::DstColor, BlendFactor::Zero);
    /// `blendFunc blend`.
    pub const ALPHA: Self = Self::new(BlendFactor::SrcAlpha, BlendFactor::OneMinusSrcAlpha);

    /// Both factors.
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
    /// White.
    Identity,
    /// White, as bright as lightmaps can be.
    IdentityLighting,
    /// The entity's color.
    Entity,
    /// 1 less the entity's color.
    OneMinusEntity,
    /// The vertex's color, as bright as lightmaps can be.
    Vertex,
    /// The vertex's color as stored.
    ExactVertex,
    /// 1 less the vertex's color.
    OneMinusVertex,
    /// Lit by the light grid and dynamic lights, for models.
    LightingDiffuse,
    /// Grey that swings.
    Wave(Wave),
    /// 0 to 1 each, as written.
    Const(Vec3),
}

/// Where a stage's alpha comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AlphaGen {
    /// 1
    Identity,
    /// The entity's alpha.
    Entity,
    /// 1 less the entity's alpha.
    OneMinusEntity,
    /// The vertex's alpha.
    Vertex,
    /// 1 less the vertex's alpha.
    OneMinusVertex,
    /// The glint of a light at a fixed place.
    LightingSpecular,
    /// Alpha that swings.
    Wave(Wave),
    /// 0 to 1, as written.
    Const(f32),
    /// Grows to one over this distance from the eye, in units.
    Portal {
        /// The distance.
        range: f32,
    },
}

/// Where a stage's texture coordinates come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TcGen {
    /// The surface's own.
    Base,
    /// Those of its lightmap.
    Lightmap,
    /// From the reflection of the eye's ray.
    Environment,
    /// Projections of the position.
    Vector {
        /// What the position is multiplied with to give s.
        s: Vec3,
        /// The same for t.
        t: Vec3,
    },
}

/// One change of texture coordinates; a stage applies them in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TcMod {
    /// Multiplies them.
    Scale(Vec2),
    /// Turns of the picture per second.
    Scroll(Vec2),
    /// Degrees per second around the middle.
    Rotate(f32),
    /// The picture's size around the middle swings.
    Stretch(Wave),
    /// They swing like water.
    Turb {
        /// How far, in pictures.
        amplitude: f32,
        /// In turns.
        phase: f32,
        /// In turns per second.
        frequency: f32,
    },
    /// s' = s·m00 + t·m10 + t0; t' = s·m01 + t·m11 + t1.
    Transform {
        /// s from s.
        m00: f32,
        /// t from s.
        m01: f32,
        /// s from t.
        m10: f32,
        /// t from t.
        m11: f32,
        /// Added to s.
        t0: f32,
        /// Added to t.
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
        /// Turns per unit.
        spread: f32,
        /// How far along the normal, in units.
        wave: Wave,
    },
    /// Normals swing, and reflections with them.
    Normal {
        /// How far.
        amplitude: f32,
        /// In turns per second.
        frequency: f32,
    },
    /// A swelling runs along the picture's s.
    Bulge {
        /// In turns for each picture's width.
        width: f32,
        /// In units.
        height: f32,
        /// In turns per second.
        speed: f32,
    },
    /// The whole surface swings.
    Move {
        /// Where to, in units for each 1 of the wave.
        direction: Vec3,
        /// How far.
        wave: Wave,
    },
    /// Quads turn to the eye.
    Autosprite,
    /// Quads turn to the eye around their long side.
    Autosprite2,
    /// Replaces the quad by letters of scene text 0 to 7.
    Text(u8),
    /// Flattened onto the ground as a shadow.
    ProjectionShadow,
}

/// What looking at a fog brush's inside does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FogParms {
    /// 0 to 1 each.
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

impl SkyParms {
    /// Endings of the six images of the box.
    pub const SIDES: [&str; 6] = ["_rt", "_lf", "_bk", "_ft", "_up", "_dn"];
}

/// Draw order of materials; lower is drawn first.
pub mod sort {
    numbers! { f32:
        PORTAL = 1.0, "Portals and mirrors.";
        SKY = 2.0, "The sky.";
        OPAQUE = 3.0, "Solid surfaces.";
        DECAL = 4.0, "Marks on them.";
        SEE_THROUGH = 5.0, "Gratings and the like.";
        BANNER = 6.0, "Banners.";
        FOG = 7.0, "Fog.";
        UNDERWATER = 8.0, "What swims below a surface of water.";
        BLEND = 9.0, "Transparent surfaces.";
        ADDITIVE = 10.0, "Light.";
        NEAREST = 16.0, "What covers everything.";
    }
}
