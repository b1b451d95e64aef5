//! Picture: the scenes and flat pictures that a module asks for in one frame.

use super::layout::{POLY_VERTEX_BYTES, REF_ENTITY_BYTES, REFDEF_BYTES, Read, vec3_at};
use crate::scene::{
    Draw2d, DynamicLight, ModelId, PolyVertex, RefEntity, RefEntityKind, Refdef, Scene, ShaderId,
    Shadow, SkinId, entity::EntityFlags,
};
use vm::{Memory, Syscall, Trap};

const MAX_ENTITIES: usize = 4095;
const MAX_LIGHTS: usize = 32;
const MAX_POLYS: usize = 4096;
const MAX_POLY_VERTICES: usize = 16_384;
const MAX_VIEWS: usize = 256;
const MAX_PICTURES: usize = 16_384;
/// The reference's default of `r_railCoreWidth`.
const RAIL_CORE_WIDTH: f32 = 6.0;

/// Bits of an entity's `renderfx`.
mod render_fx {
    pub(super) const THIRD_PERSON: i32 = 2;
    pub(super) const FIRST_PERSON: i32 = 4;
    pub(super) const DEPTH_HACK: i32 = 8;
    pub(super) const NO_SHADOW: i32 = 0x40;
    pub(super) const LIGHTING_ORIGIN: i32 = 0x80;
    pub(super) const SHADOW_PLANE: i32 = 0x100;
    pub(super) const WRAP_FRAMES: i32 = 0x200;
}

/// What has been asked for so far.
#[derive(Debug, Default)]
pub struct Picture {
    view: Refdef,
    entities: usize,
    lights: usize,
    polys: usize,
    vertices: usize,
    color: Option<[f32; 4]>,
    scene: Scene,
    /// The material that lays shadows flat, where the player wants those.
    pub shadow: Option<ShaderId>,
}

/// Handles are numbers from 1 on; 0 is nothing.
pub fn handle_of(id: u32) -> i32 {
    i32::try_from(id)
        .ok()
        .and_then(|id| id.checked_add(1))
        .unwrap_or(0)
}

fn id_of(handle: i32) -> Option<u32> {
    u32::try_from(handle).ok()?.checked_sub(1)
}

pub fn shader_of(handle: i32) -> Option<ShaderId> {
    id_of(handle).map(ShaderId)
}

pub fn model_of(handle: i32) -> Option<ModelId> {
    id_of(handle).map(ModelId)
}

impl Picture {
    /// The frame is over: what was asked for in it, but for what is heard.
    pub fn take(&mut self) -> Scene {
        let shadow = self.shadow;
        std::mem::replace(
            self,
            Self {
                shadow,
                ..Self::default()
            },
        )
        .scene
    }

    pub fn clear_scene(&mut self) {
        self.view = Refdef::default();
    }

    /// Takes the entity at an address; its clock is in seconds, or in whole milliseconds.
    ///
    /// # Errors
    /// If it is of no known type.
    pub fn add_entity(
        &mut self,
        memory: &Memory<'_>,
        address: u32,
        has_msec: bool,
    ) -> Result<(), Trap> {
        let bytes = memory.read::<REF_ENTITY_BYTES>(address);
        let Some(entity) = self.entity(&Read(&bytes), has_msec)? else {
            return Ok(());
        };
        if self.entities < MAX_ENTITIES {
            self.entities += 1;
            self.view.entities.push(entity);
        }
        Ok(())
    }

    fn entity(&self, read: &Read<'_>, has_msec: bool) -> Result<Option<RefEntity>, Trap> {
        let (origin, old_origin) = (read.vec3(68), read.vec3(84));
        let kind = match read.i32(0) {
            0 => model_of(read.i32(8)).map(RefEntityKind::Model),
            1 => None,
            2 => Some(RefEntityKind::Sprite {
                radius: read.f32(132),
                rotation_deg: read.f32(136),
            }),
            3 => Some(RefEntityKind::Beam),
            4 => Some(RefEntityKind::RailCore {
                width: RAIL_CORE_WIDTH,
            }),
            5 => Some(RefEntityKind::RailRings),
            6 => Some(RefEntityKind::Lightning),
            7 => Some(RefEntityKind::PortalSurface {
                is_mirror: origin == old_origin,
            }),
            other => return Err(Trap::Host(format!("it draws an entity of type {other}"))),
        };
        let Some(kind) = kind.filter(|_| origin.is_finite()) else {
            return Ok(None);
        };
        let fx = read.i32(4);
        let has = |bit| fx & bit != 0;
        let shadow = self.shadow.filter(|_| has(render_fx::SHADOW_PLANE));
        Ok(Some(RefEntity {
            kind,
            flags: EntityFlags {
                third_person: has(render_fx::THIRD_PERSON),
                first_person: has(render_fx::FIRST_PERSON),
                depth_hack: has(render_fx::DEPTH_HACK),
                no_shadow: has(render_fx::NO_SHADOW),
                wrap_frames: has(render_fx::WRAP_FRAMES),
                scaled: read.i32(64) != 0,
            },
            origin,
            old_origin,
            axis: read.axis(28),
            custom_shader: shader_of(read.i32(112)),
            custom_skin: id_of(read.i32(108)).map(SkinId),
            skin_num: read.i32(104),
            frame: read.i32(80),
            old_frame: read.i32(96),
            backlerp: read.f32(100),
            color: read.array(116),
            tex_coord: [read.f32(120), read.f32(124)],
            shader_time: match has_msec {
                true => read.i32(128) as f32 * 0.001,
                false => read.f32(128),
            },
            lighting_origin: has(render_fx::LIGHTING_ORIGIN).then(|| read.vec3(12)),
            glow: None,
            shadow: shadow.map(|shader| Shadow {
                floor: read.f32(24),
                shader,
            }),
        }))
    }

    /// Takes polygons of so many corners each.
    ///
    /// # Errors
    /// If they do not lie in the module's memory.
    pub fn add_polys(
        &mut self,
        memory: &Memory<'_>,
        call: &Syscall,
        count: i32,
    ) -> Result<(), Trap> {
        let shader = shader_of(call.int(0));
        let corners = usize::try_from(call.int(1)).unwrap_or(0);
        let (Some(shader), Ok(count)) = (shader, usize::try_from(count)) else {
            return Ok(());
        };
        if corners < 3 {
            return Ok(());
        }
        let each = u32::try_from(corners).unwrap_or(u32::MAX);
        let each = each.saturating_mul(POLY_VERTEX_BYTES);
        let mut address = call.address(2);
        for _ in 0..count {
            if self.polys >= MAX_POLYS || self.vertices + corners > MAX_POLY_VERTICES {
                break;
            }
            let bytes = memory.slice(address, each)?;
            let (vertices, _) = bytes.as_chunks::<{ POLY_VERTEX_BYTES as usize }>();
            let vertices = vertices.iter().map(|bytes| {
                let read = Read(bytes);
                PolyVertex {
                    position: read.vec3(0),
                    tex_coord: [read.f32(12), read.f32(16)],
                    color: read.array(20),
                }
            });
            self.polys += 1;
            self.vertices += corners;
            address = address.wrapping_add(each);
            if vertices.clone().all(|vertex| vertex.position.is_finite()) {
                self.view.polys.push(shader, vertices);
            }
        }
        Ok(())
    }

    pub fn add_light(&mut self, memory: &Memory<'_>, call: &Syscall, additive: bool) {
        let (origin, radius) = (vec3_at(memory, call.address(0)), call.float(1));
        let is_seen = radius > 0.0 && radius.is_finite() && origin.is_finite();
        if is_seen && self.lights < MAX_LIGHTS {
            self.lights += 1;
            self.view.lights.push(DynamicLight {
                origin,
                radius,
                color: [call.float(2), call.float(3), call.float(4)],
                additive,
            });
        }
    }

    /// Draws the scene that was collected.
    pub fn render(&mut self, memory: &Memory<'_>, address: u32) {
        let bytes = memory.read::<REFDEF_BYTES>(address);
        let read = Read(&bytes);
        let flags = read.i32(76);
        let view = Refdef {
            viewport: [0, 4, 8, 12].map(|at| read.i32(at) as f32),
            fov_x: read.f32(16),
            fov_y: read.f32(20),
            eye: read.vec3(24),
            axis: read.axis(36),
            time_msec: read.i32(72),
            has_world: flags & 1 == 0,
            hyperspace: flags & 4 != 0,
            area_mask: read.array(80),
            ..std::mem::take(&mut self.view)
        };
        let [_, _, width, height] = view.viewport;
        let is_sound = view.eye.is_finite() && width > 0.0 && height > 0.0;
        if is_sound && self.scene.views.len() < MAX_VIEWS {
            self.scene.views.push(view);
        }
    }

    pub fn set_color(&mut self, memory: &Memory<'_>, address: u32) {
        let read = |index: u32| memory.read_f32(address.wrapping_add(4 * index));
        self.color = (address != 0).then(|| [read(0), read(1), read(2), read(3)]);
    }

    pub fn stretch_pic(&mut self, call: &Syscall) {
        let Some(shader) = shader_of(call.int(8)) else {
            return;
        };
        let numbers = |from: usize| [0, 1, 2, 3].map(|index| call.float(from + index));
        if self.scene.draw2d.len() < MAX_PICTURES {
            self.scene.draw2d.push(Draw2d {
                rect: numbers(0),
                tex: numbers(4),
                color: self.color.unwrap_or([1.0; 4]),
                shader,
            });
        }
    }
}
