//! MD3 models: uploaded once with all their frames, drawn between two of them.

use super::collect::{Collector, depth_of, placement_of};
use super::deforms;
use super::fog::fog_around;
use super::frame::{Batch, Geometry, ModelGeometry};
use super::materials::deforms_on_cpu;
use super::view::{Camera, Placement};
use super::world::WorldVertex;
use crate::assets::Assets;
use crate::assets::material::Material;
use crate::assets::model::{Lod, MeshModel, Model};
use crate::scene::{ModelId, RefEntity, ShaderId};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;
use shared::base::math::bounds_of;
use shared::formats::md3;
use shared::formats::shader_script::terms::sort;
use std::sync::Arc;

/// How quickly detail falls with size on screen ("r_lodscale").
const LOD_SCALE: f32 = 5.0;

/// Uploaded models, by id.
#[derive(Default)]
pub struct Models {
    uploaded: Vec<Option<(Arc<Model>, Vec<GpuLod>)>>,
}

/// One level of detail on the GPU.
struct GpuLod {
    /// All surfaces in each frame, then their texture coordinates; 8 bytes per vertex each.
    vertices: wgpu::Buffer,
    indices: wgpu::Buffer,
    frame_bytes: u64,
    frame_count: u64,
}

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct FrameVertex {
    position: [i16; 3],
    normal: u16,
}

impl Models {
    /// Makes sure that a model is on the GPU.
    pub fn upload(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        assets: &Assets,
        id: ModelId,
    ) {
        let index = id.0 as usize;
        let Some(model) = assets.model(id) else {
            return;
        };
        let Model::Mesh(mesh) = &**model else { return };
        if self.uploaded.len() <= index {
            self.uploaded.resize_with(index + 1, || None);
        }
        if self.uploaded[index]
            .as_ref()
            .is_none_or(|(uploaded, _)| !Arc::ptr_eq(uploaded, model))
        {
            let lods = mesh
                .lods
                .iter()
                .map(|lod| GpuLod::new(device, queue, &lod.mesh))
                .collect();
            self.uploaded[index] = Some((Arc::clone(model), lods));
        }
    }

    /// Binds the buffers of a model; false if there is none.
    pub fn bind(&self, pass: &mut wgpu::RenderPass<'_>, geometry: ModelGeometry) -> bool {
        let lods = self
            .uploaded
            .get(geometry.model.0 as usize)
            .and_then(|uploaded| uploaded.as_ref());
        let Some(lod) = lods.and_then(|(_, lods)| lods.get(usize::from(geometry.lod))) else {
            return false;
        };
        let part = |number: u64| {
            let first = number * lod.frame_bytes;
            lod.vertices.slice(first..first + lod.frame_bytes)
        };
        pass.set_vertex_buffer(0, part(u64::from(geometry.frame)));
        pass.set_vertex_buffer(1, part(u64::from(geometry.old_frame)));
        pass.set_vertex_buffer(2, part(lod.frame_count));
        pass.set_index_buffer(lod.indices.slice(..), wgpu::IndexFormat::Uint32);
        true
    }
}

impl GpuLod {
    fn new(device: &wgpu::Device, queue: &wgpu::Queue, mesh: &md3::Md3) -> Self {
        let mut bytes: Vec<u8> = Vec::new();
        let mut indices: Vec<u32> = Vec::new();
        for frame in 0..mesh.frames.len() {
            for vertex in mesh.surfaces.iter().flat_map(|s| s.frame_vertices(frame)) {
                let vertex = FrameVertex {
                    position: vertex.position,
                    normal: vertex.normal,
                };
                bytes.extend_from_slice(bytemuck::bytes_of(&vertex));
            }
        }
        let mut first_vertex = 0;
        for surface in &mesh.surfaces {
            bytes.extend_from_slice(bytemuck::cast_slice(&surface.tex_coords));
            let corners = surface.triangles.iter().flatten();
            indices.extend(corners.map(|corner| first_vertex + corner));
            first_vertex += surface.vertex_count as u32;
        }
        let upload = |label, bytes: &[u8], usage| {
            let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size: (bytes.len() as u64).max(8),
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            queue.write_buffer(&buffer, 0, bytes);
            buffer
        };
        Self {
            vertices: upload("model vertices", &bytes, wgpu::BufferUsages::VERTEX),
            indices: upload(
                "model indices",
                bytemuck::cast_slice(&indices),
                wgpu::BufferUsages::INDEX,
            ),
            frame_bytes: u64::from(first_vertex) * 8,
            frame_count: mesh.frames.len() as u64,
        }
    }
}

/// Adds the surfaces of a model to a view.
pub fn add<'a>(
    collector: &mut Collector<'a, '_>,
    id: ModelId,
    model: &'a MeshModel,
    entity: &RefEntity,
    number: u16,
) {
    let placement = placement_of(entity);
    let Some(first) = model.lods.first() else {
        return;
    };
    let (frame, old_frame) = frames(entity, first.mesh.frames.len());
    let backlerp = if frame == old_frame {
        0.0
    } else {
        entity.backlerp
    };
    if is_culled(
        &first.mesh,
        [frame, old_frame],
        &placement,
        entity.flags.scaled,
        &collector.camera,
    ) {
        return;
    }
    let lod =
        choose_lod(model, frame, &placement, &collector.camera) as i32 + collector.sources.lod_bias;
    let lod_number = lod.clamp(0, model.lods.len() as i32 - 1) as usize;
    let lod = &model.lods[lod_number];
    let last = lod.mesh.frames.len() - 1;
    let (frame, old_frame) = (frame.min(last), old_frame.min(last));
    let fog = collector.sources.world.and_then(|world| {
        let bounds = &first.mesh.frames[frame.min(first.mesh.frames.len() - 1)];
        let middle = entity.origin + bounds.origin;
        fog_around(&world.fogs, middle - bounds.radius, middle + bounds.radius)
    });
    let object = collector.lit_object(entity, placement, backlerp);
    let is_hidden = collector.hides(entity);
    // In fog there is none.
    let shadow = entity.shadow.filter(|_| fog.is_none());
    let shadow = shadow.and_then(|shadow| collector.material(shadow.shader));
    let mut first_index = 0;
    let (first_batch, mut shadows) = (collector.batches.len(), Vec::new());
    for (surface_number, surface) in lod.mesh.surfaces.iter().enumerate() {
        let indices = first_index..first_index + surface.triangles.len() as u32 * 3;
        first_index = indices.end;
        let Some(shader) = surface_shader(collector.sources.assets, lod, surface_number, entity)
        else {
            continue;
        };
        let Some(material) = collector.material(shader) else {
            continue;
        };
        let (geometry, indices) = if deforms_on_cpu(material) {
            let facing = collector.facing(material, &placement, entity.shader_time);
            let first = collector.frame.indices.len();
            let (vertices, triangles) =
                deformed(surface, [frame, old_frame], backlerp, material, &facing);
            collector.stream(&vertices, &triangles);
            (Geometry::Stream, collector.frame.indices_since(first))
        } else {
            let geometry = ModelGeometry {
                model: id,
                lod: lod_number as u8,
                frame: frame as u16,
                old_frame: old_frame as u16,
            };
            (Geometry::Model(geometry), indices)
        };
        let distance = entity.origin.distance_squared(collector.camera.eye);
        let batch_of = |material| {
            let mut batch = Batch::new(material, number, object, geometry, indices.clone());
            batch.fog = fog;
            batch.depth = depth_of(entity);
            batch.distance = distance;
            batch
        };
        let is_solid = material.sort == sort::OPAQUE && geometry != Geometry::Stream;
        if let Some(shadow) = shadow.filter(|_| is_solid) {
            join(&mut shadows, 0, batch_of(shadow));
        }
        if !is_hidden {
            join(&mut collector.batches, first_batch, batch_of(material));
        }
    }
    collector.batches.append(&mut shadows);
}

/// Adds a batch, or lengthens the last one from `first` on if nothing tells them apart.
fn join<'a>(batches: &mut Vec<Batch<'a>>, first: usize, batch: Batch<'a>) {
    match batches[first..].last_mut() {
        Some(before)
            if std::ptr::eq(before.material, batch.material)
                && before.geometry == batch.geometry
                && before.indices.end == batch.indices.start =>
        {
            before.indices.end = batch.indices.end;
        }
        _ => batches.push(batch),
    }
}

/// The material of a surface: the entity's own, its skin's, or the model's.
fn surface_shader(
    assets: &Assets,
    lod: &Lod,
    number: usize,
    entity: &RefEntity,
) -> Option<ShaderId> {
    if let Some(shader) = entity.custom_shader {
        return Some(shader);
    }
    let surface = &lod.mesh.surfaces[number];
    if let Some(skin) = entity.custom_skin.and_then(|skin| assets.skin(skin)) {
        return skin.shader(&surface.name);
    }
    let shaders = lod.shaders.get(number)?;
    let index = entity
        .skin_num
        .rem_euclid(i32::try_from(shaders.len().max(1)).ok()?);
    shaders.get(index as usize).copied()
}

/// The two frames to draw; numbers out of range become the first frame.
fn frames(entity: &RefEntity, count: usize) -> (usize, usize) {
    let number = |frame: i32| {
        let count = count as i32;
        let frame = if entity.flags.wrap_frames && count > 0 {
            frame.rem_euclid(count)
        } else {
            frame
        };
        usize::try_from(frame).ok().filter(|_| frame < count)
    };
    match (number(entity.frame), number(entity.old_frame)) {
        (Some(frame), Some(old_frame)) => (frame, old_frame),
        _ => (0, 0),
    }
}

fn is_culled(
    mesh: &md3::Md3,
    frames: [usize; 2],
    placement: &Placement,
    is_scaled: bool,
    camera: &Camera,
) -> bool {
    let frustum = camera.frustum();
    let bounds = frames.map(|frame| &mesh.frames[frame]);
    if !is_scaled {
        let spheres = bounds.map(|frame| (placement.to_world(frame.origin), frame.radius));
        if spheres
            .iter()
            .all(|&(center, radius)| frustum.hides_sphere(center, radius))
        {
            return true;
        }
        if spheres
            .iter()
            .all(|&(center, radius)| frustum.holds_sphere(center, radius))
        {
            return false;
        }
    }
    let mins = bounds[0].mins.min(bounds[1].mins);
    let maxs = bounds[0].maxs.max(bounds[1].maxs);
    let (world_mins, world_maxs) = bounds_of((0..8).map(|corner| {
        let pick = |axis: usize| {
            if corner >> axis & 1 == 1 {
                maxs[axis]
            } else {
                mins[axis]
            }
        };
        placement.to_world(Vec3::new(pick(0), pick(1), pick(2)))
    }));
    frustum.hides_box(world_mins, world_maxs)
}

fn choose_lod(model: &MeshModel, frame: usize, placement: &Placement, camera: &Camera) -> usize {
    let count = model.lods.len();
    if count < 2 {
        return 0;
    }
    let bounds = &model.lods[0].mesh.frames[frame];
    let radius = bounds.mins.abs().max(bounds.maxs.abs()).length();
    let distance = camera.axis[0].dot(placement.origin - camera.eye);
    if distance <= 0.0 {
        return 0;
    }
    let size = (radius / (distance * (camera.fov_y.to_radians() * 0.5).tan())).min(1.0);
    let lod = ((1.0 - size * LOD_SCALE) * count as f32) as i32;
    lod.clamp(0, count as i32 - 1) as usize
}

/// A surface between two frames with its vertices placed for the viewer.
fn deformed(
    surface: &md3::Surface,
    [frame, old_frame]: [usize; 2],
    backlerp: f32,
    material: &Material,
    facing: &deforms::Facing,
) -> (Vec<WorldVertex>, Vec<u32>) {
    let pairs = surface
        .frame_vertices(frame)
        .iter()
        .zip(surface.frame_vertices(old_frame));
    let mut vertices: Vec<_> = pairs
        .zip(&surface.tex_coords)
        .map(|((new, old), tex)| WorldVertex {
            position: new.position().lerp(old.position(), backlerp).into(),
            normal: new
                .normal()
                .lerp(old.normal(), backlerp)
                .normalize_or_zero()
                .into(),
            tex: *tex,
            lightmap: *tex,
            color: [255; 4],
            layer: 0,
        })
        .collect();
    let mut indices = surface.triangles.iter().flatten().copied().collect();
    deforms::apply(material, facing, &mut vertices, &mut indices);
    (vertices, indices)
}
