//! Sprites, beams, rails, lightning and polygons: small things made anew in every frame.

use super::baked;
use super::collect::{Collector, depth_of, look_of};
use super::deforms::{self, QUAD, sprite_corners};
use super::fog::fog_around;
use super::frame::{Batch, ENTITY_WORLD, Geometry};
use super::materials::{PassContext, deforms_on_cpu};
use super::view::Placement;
use super::world::WorldVertex;
use crate::assets::ImageId;
use crate::assets::material::{Lightmap, Material, Stage, StageImage};
use crate::scene::{Poly, RefEntity, RefEntityKind};
use glam::{Quat, Vec3};
use shared::base::math::bounds_of;
use shared::formats::shader_script::terms::{Blend, Cull, RgbGen, sort};

const RAIL_RING_WIDTH: f32 = 16.0;
const RAIL_RING_STEP: f32 = 32.0;
const LIGHTNING_WIDTH: f32 = 8.0;
const BEAM_RADIUS: f32 = 4.0;
const BEAM_SIDES: usize = 6;

/// A small mesh in world space.
#[derive(Clone, Debug, Default)]
struct Mesh {
    vertices: Vec<WorldVertex>,
    indices: Vec<u32>,
}

impl Mesh {
    fn add(&mut self, corners: &[(Vec3, [f32; 2], [u8; 4])], triangles: &[u32], normal: Vec3) {
        let first = self.vertices.len() as u32;
        self.vertices
            .extend(corners.iter().map(|&(position, tex, color)| WorldVertex {
                position: position.into(),
                normal: normal.into(),
                tex,
                lightmap: tex,
                color,
                layer: 0,
            }));
        self.indices
            .extend(triangles.iter().map(|index| first + index));
    }
}

/// Adds an entity that is not a model.
pub fn add(collector: &mut Collector<'_, '_>, entity: &RefEntity, number: u16) {
    let mut mesh = Mesh::default();
    let mut radius = 0.0;
    match entity.kind {
        RefEntityKind::Sprite {
            radius: half,
            rotation_deg,
        } => {
            radius = half;
            sprite(collector, entity, radius, rotation_deg, &mut mesh);
        }
        RefEntityKind::Beam => beam(entity, &mut mesh),
        RefEntityKind::RailCore { width } => {
            let (start, end) = (entity.old_origin, entity.origin);
            let side = side_vector(start, end, collector.camera.eye) * width;
            ribbon(start, end, side, entity.color, &mut mesh);
        }
        RefEntityKind::RailRings => rail_rings(entity, &mut mesh),
        RefEntityKind::Lightning => lightning(collector.camera.eye, entity, &mut mesh),
        RefEntityKind::Model(_) | RefEntityKind::PortalSurface { .. } => return,
    }
    let material = match entity.kind {
        RefEntityKind::Beam => Some(collector.sources.beam),
        _ => entity
            .custom_shader
            .and_then(|shader| collector.material(shader)),
    };
    let Some(material) = material else { return };
    let bounds = (entity.origin - radius, entity.origin + radius);
    push(collector, mesh, material, Some((entity, number)), bounds);
}

/// Adds the polygons of the view.
pub fn add_polys(collector: &mut Collector<'_, '_>) {
    let polys = collector.sources.view.polys.iter();
    let mut polys: Vec<Poly<'_>> = polys.filter(|poly| poly.vertices.len() >= 3).collect();
    // Side by side in the index buffer they become one draw; by address they are in the order in which they came.
    polys.sort_unstable_by_key(|poly| (poly.shader, poly.vertices.as_ptr()));
    for poly in polys {
        let Some(material) = collector.material(poly.shader) else {
            continue;
        };
        let corners: Vec<_> = poly
            .vertices
            .iter()
            .map(|v| (v.position, v.tex_coord, v.color))
            .collect();
        let fan: Vec<_> = (1..corners.len() as u32 - 1)
            .flat_map(|k| [0, k, k + 1])
            .collect();
        let mut mesh = Mesh::default();
        mesh.add(&corners, &fan, Vec3::ZERO);
        let bounds = bounds_of(poly.vertices.iter().map(|v| v.position));
        push(collector, mesh, material, None, bounds);
    }
}

/// Adds a mesh with a material, for an entity or as part of the world.
fn push<'a>(
    collector: &mut Collector<'a, '_>,
    mut mesh: Mesh,
    material: &'a Material,
    entity: Option<(&RefEntity, u16)>,
    bounds: (Vec3, Vec3),
) {
    let first = collector.frame.indices.len();
    let look = entity
        .map(|(entity, _)| look_of(entity))
        .unwrap_or_default();
    let context = PassContext::new(material, &look, collector.sources.view.time_msec);
    if deforms_on_cpu(material) {
        let facing = collector.facing(material, &Placement::WORLD, look.shader_time);
        deforms::apply(material, &facing, &mut mesh.vertices, &mut mesh.indices);
    }
    let is_baked = entity.is_some()
        && !material.entity_mergable
        && baked::bake(material, context, &mut mesh.vertices);
    collector.stream(&mesh.vertices, &mesh.indices);
    let indices = collector.frame.indices_since(first);
    let mut object = collector.world_object;
    object.look = look;
    let number = entity.map_or(ENTITY_WORLD, |(_, number)| number);
    let mut batch = Batch::new(material, number, object, Geometry::Stream, indices);
    let world = collector.sources.world;
    batch.fog = world.and_then(|world| fog_around(&world.fogs, bounds.0, bounds.1));
    batch.is_baked = is_baked;
    batch.depth = entity
        .map(|(entity, _)| depth_of(entity))
        .unwrap_or_default();
    collector.batches.push(batch);
}

fn sprite(
    collector: &Collector<'_, '_>,
    entity: &RefEntity,
    radius: f32,
    rotation_deg: f32,
    mesh: &mut Mesh,
) {
    let [forward, left, up] = collector.camera.axis;
    let (sin, cos) = rotation_deg.to_radians().sin_cos();
    let mut turned_left = (left * cos - up * sin) * radius;
    if collector.camera.is_mirror() {
        turned_left = -turned_left;
    }
    let turned_up = (up * cos + left * sin) * radius;
    let corners = sprite_corners(entity.origin, turned_left, turned_up)
        .map(|(position, tex)| (position, tex, entity.color));
    mesh.add(&corners, &QUAD, -forward);
}

/// What beams are drawn with, whatever material they ask for: plain added color.
pub fn beam_material() -> Material {
    let stage = Stage {
        blend: Some(Blend::ADD),
        depth_write: false,
        ..Stage::new(StageImage::Image(ImageId::WHITE), RgbGen::ExactVertex)
    };
    Material {
        sort: sort::BLEND,
        is_explicit: true,
        cull: Cull::None,
        stages: vec![stage],
        ..Material::blank("beam", Lightmap::TwoD, 0)
    }
}

fn beam(entity: &RefEntity, mesh: &mut Mesh) {
    let along = entity.old_origin - entity.origin;
    let Some(direction) = along.try_normalize() else {
        return;
    };
    let side = direction.any_orthonormal_vector() * BEAM_RADIUS;
    let at = |k: usize| {
        let angle = std::f32::consts::TAU * k as f32 / BEAM_SIDES as f32;
        entity.origin + Quat::from_axis_angle(direction, angle) * side
    };
    let red = [255, 0, 0, 255];
    for k in 0..BEAM_SIDES {
        let (a, b) = (at(k), at(k + 1));
        let corners = [
            (a, [0.0; 2], red),
            (a + along, [0.0; 2], red),
            (b, [0.0; 2], red),
            (b + along, [0.0; 2], red),
        ];
        mesh.add(&corners, &[0, 1, 2, 2, 1, 3], Vec3::ZERO);
    }
}

/// Across a line as seen from the eye.
fn side_vector(start: Vec3, end: Vec3, eye: Vec3) -> Vec3 {
    (start - eye)
        .normalize_or_zero()
        .cross((end - eye).normalize_or_zero())
        .normalize_or_zero()
}

fn ribbon(start: Vec3, end: Vec3, side: Vec3, color: [u8; 4], mesh: &mut Mesh) {
    let length = (end - start).length().trunc() / 256.0;
    let [r, g, b, _] = color;
    let bright = [r, g, b, 255];
    let dark = [r / 4, g / 4, b / 4, 255];
    let corners = [
        (start + side, [0.0, 0.0], dark),
        (start - side, [0.0, 1.0], bright),
        (end + side, [length, 0.0], bright),
        (end - side, [length, 1.0], bright),
    ];
    mesh.add(&corners, &[0, 1, 2, 2, 1, 3], Vec3::ZERO);
}

fn lightning(eye: Vec3, entity: &RefEntity, mesh: &mut Mesh) {
    let (start, end) = (entity.origin, entity.old_origin);
    let Some(direction) = (end - start).try_normalize() else {
        return;
    };
    let side = side_vector(start, end, eye) * LIGHTNING_WIDTH;
    for k in 0..4 {
        let turn = Quat::from_axis_angle(direction, std::f32::consts::FRAC_PI_4 * k as f32);
        ribbon(start, end, turn * side, entity.color, mesh);
    }
}

fn rail_rings(entity: &RefEntity, mesh: &mut Mesh) {
    let (mut start, end) = (entity.old_origin, entity.origin);
    let along = end - start;
    let Some(forward) = along.try_normalize() else {
        return;
    };
    let step = forward * RAIL_RING_STEP;
    let steps = (along.length().trunc() / RAIL_RING_STEP) as usize;
    let count = steps.saturating_sub(1).max(1);
    if count > 1 {
        start += step;
    }
    let across = Vec3::new(forward.z, -forward.x, forward.y);
    let right = (across - forward * across.dot(forward)).normalize_or_zero();
    let up = right.cross(forward);
    const TEX: [[f32; 2]; 4] = [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0], [0.0, 0.0]];
    for ring in 0..count {
        let middle = start + step * ring as f32;
        let corners: [_; 4] = std::array::from_fn(|k| {
            let (sin, cos) = (45.0_f32 + 90.0 * k as f32).to_radians().sin_cos();
            (
                middle + (right * cos + up * sin) * (0.25 * RAIL_RING_WIDTH),
                TEX[k],
                entity.color,
            )
        });
        mesh.add(&corners, &QUAD, Vec3::ZERO);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rails_have_a_ring_every_32_units() {
        let mut entity = RefEntity::new(RefEntityKind::RailRings, Vec3::new(320.0, 0.0, 0.0));
        entity.old_origin = Vec3::ZERO;
        let mut mesh = Mesh::default();
        rail_rings(&entity, &mut mesh);
        assert_eq!(mesh.vertices.len(), 9 * 4);
        assert_eq!(mesh.vertices[0].position[0], 32.0);
    }

    #[test]
    fn ribbons_are_dark_at_one_corner() {
        let mut mesh = Mesh::default();
        ribbon(
            Vec3::ZERO,
            Vec3::X * 512.0,
            Vec3::Y,
            [200, 100, 40, 7],
            &mut mesh,
        );
        assert_eq!(mesh.vertices[0].color, [50, 25, 10, 255]);
        assert_eq!(mesh.vertices[3].tex, [2.0, 1.0]);
    }
}
