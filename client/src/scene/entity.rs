//! Things placed in the world: models, sprites, beams and portal surfaces.

use super::{ModelId, ShaderId, SkinId};
use glam::Vec3;
use serde::Serialize;

/// Something placed in the world for one frame.
#[derive(Clone, Debug, Serialize)]
pub struct RefEntity {
    pub kind: RefEntityKind,
    pub flags: EntityFlags,
    pub origin: Vec3,
    /// Start of a beam or rail; the camera of a portal.
    pub old_origin: Vec3,
    /// Forward, left, up; may be scaled.
    pub axis: [Vec3; 3],
    pub custom_shader: Option<ShaderId>,
    pub custom_skin: Option<SkinId>,
    /// Chooses among a model surface's materials.
    pub skin_num: i32,
    pub frame: i32,
    pub old_frame: i32,
    /// 0 is all `frame`, 1 is all `old_frame`.
    pub backlerp: f32,
    /// Red, green, blue, alpha, for materials that take the entity's color.
    pub color: [u8; 4],
    pub tex_coord: [f32; 2],
    /// Scene time in seconds at which the material's clock started.
    pub shader_time: f32,
    /// Where light is sampled, if not at `origin` (all parts of a player share one place).
    pub lighting_origin: Option<Vec3>,
    /// The light on it from all sides, 0 to 1 each, instead of the map's.
    pub glow: Option<Vec3>,
    /// What is solid of it lies flat on the floor, too; even where the thing itself is not shown.
    pub shadow: Option<Shadow>,
}

/// A flat shadow.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Shadow {
    /// Height of the floor.
    pub floor: f32,
    /// The material that flattens what it is drawn on.
    pub shader: ShaderId,
}

/// What a [`RefEntity`] is drawn as.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub enum RefEntityKind {
    Model(ModelId),
    /// A square that faces the viewer.
    Sprite {
        radius: f32,
        rotation_deg: f32,
    },
    Beam,
    RailCore {
        width: f32,
    },
    RailRings,
    Lightning,
    /// Makes the nearest portal material show what `old_origin` sees.
    PortalSurface {
        is_mirror: bool,
    },
}

/// How a [`RefEntity`] is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct EntityFlags {
    /// Only seen in mirrors and portals: the own body.
    pub third_person: bool,
    /// Never seen in mirrors and portals: the own weapon.
    pub first_person: bool,
    /// Drawn into the nearest part of the depth range, so that walls cannot cut it.
    pub depth_hack: bool,
    pub no_shadow: bool,
    /// Frame numbers wrap around instead of being refused.
    pub wrap_frames: bool,
    /// `axis` is not of unit length.
    pub scaled: bool,
}

impl RefEntity {
    /// A thing of this kind at this place, upright, white and still.
    pub fn new(kind: RefEntityKind, origin: Vec3) -> Self {
        Self {
            kind,
            flags: EntityFlags::default(),
            origin,
            old_origin: origin,
            axis: [Vec3::X, Vec3::Y, Vec3::Z],
            custom_shader: None,
            custom_skin: None,
            skin_num: 0,
            frame: 0,
            old_frame: 0,
            backlerp: 0.0,
            color: [255; 4],
            tex_coord: [0.0; 2],
            shader_time: 0.0,
            lighting_origin: None,
            glow: None,
            shadow: None,
        }
    }
}
