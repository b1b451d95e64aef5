//! Portals and mirrors: which surface opens a second view, and from where that view looks.

use super::collect::Collector;
use super::frame::Batch;
use super::view::{Camera, Window};
use super::visibility::Visible;
use super::world::{Shape, World};
use crate::assets::material::Material;
use crate::scene::{RefEntity, RefEntityKind};
use glam::{Quat, Vec3};
use shared::formats::shader_script::terms::{AlphaGen, sort};

/// How far a portal entity may be from the plane of its surface.
const MAX_DISTANCE: f32 = 64.0;

/// The camera behind the first visible portal surface of a sorted view.
pub fn find(collector: &Collector<'_, '_>, visible: &Visible) -> Option<Camera> {
    let world = collector.sources.world?;
    let portals = collector
        .batches
        .iter()
        .take_while(|batch| batch.material.sort <= sort::PORTAL);
    for batch in portals {
        let Some(number) = batch.world_batch else {
            continue;
        };
        for surface in visible.batches.get(number)? {
            if let Some(camera) = open(collector, world, batch, surface.surface as usize) {
                return Some(camera);
            }
        }
    }
    None
}

/// The camera of one surface, unless it cannot be seen or has no portal entity.
fn open(
    collector: &Collector<'_, '_>,
    world: &World,
    batch: &Batch<'_>,
    surface: usize,
) -> Option<Camera> {
    let camera = &collector.camera;
    let placement = &batch.object.placement;
    let surface = &world.surfaces[surface];
    let triangles = world.triangles(surface);
    let at = |index: u32| placement.to_world(world.vertices[index as usize].position.into());
    let clip_from_world = camera.clip_from_world();
    let clip = |index: &u32| clip_from_world * at(*index).extend(1.0);
    for axis in 0..3 {
        let is_outside = |sign: f32| triangles.iter().map(clip).all(|p| sign * p[axis] >= p.w);
        if is_outside(1.0) || is_outside(-1.0) {
            return None;
        }
    }
    let normal_at = |index: u32| {
        let normal = Vec3::from(world.vertices[index as usize].normal);
        placement.axis[0] * normal.x + placement.axis[1] * normal.y + placement.axis[2] * normal.z
    };
    let mut corners = triangles.chunks_exact(3).map(|corners| corners[0]);
    if corners.all(|index| (at(index) - camera.eye).dot(normal_at(index)) >= 0.0) {
        return None;
    }
    let first = *triangles.first()?;
    let normal = match surface.shape {
        Shape::Planar { .. } => normal_at(first),
        _ => {
            let [a, b, c] = triangles.first_chunk()?.map(at);
            (c - a).cross(b - a).try_normalize()?
        }
    };
    let distance = normal.dot(at(first));
    let entity = collector.sources.view.entities.iter().find(|entity| {
        matches!(entity.kind, RefEntityKind::PortalSurface { .. })
            && (normal.dot(entity.origin) - distance).abs() <= MAX_DISTANCE
    })?;
    let is_mirror = entity.kind == RefEntityKind::PortalSurface { is_mirror: true };
    let nearest = triangles
        .iter()
        .map(|&index| at(index).distance(camera.eye))
        .fold(f32::MAX, f32::min);
    if !is_mirror && nearest > range(batch.material) {
        return None;
    }
    Some(camera_behind(
        camera,
        entity,
        is_mirror,
        (normal, distance),
        collector.sources.view.time_msec,
    ))
}

/// How far away a portal still shows something.
fn range(material: &Material) -> f32 {
    let mut ranges = material
        .stages
        .iter()
        .filter_map(|stage| match stage.alpha_gen {
            AlphaGen::Portal { range } => Some(range),
            _ => None,
        });
    ranges.next_back().unwrap_or(0.0)
}

fn camera_behind(
    from: &Camera,
    entity: &RefEntity,
    is_mirror: bool,
    (normal, distance): (Vec3, f32),
    time_msec: i32,
) -> Camera {
    let right = perpendicular(normal);
    let surface_axis = [normal, right, normal.cross(right)];
    let (surface_origin, camera_origin, camera_axis) = if is_mirror {
        let origin = normal * distance;
        (
            origin,
            origin,
            [-surface_axis[0], surface_axis[1], surface_axis[2]],
        )
    } else {
        let origin = entity.origin - normal * (normal.dot(entity.origin) - distance);
        (origin, entity.old_origin, rolled_axis(entity, time_msec))
    };
    let map = |v: Vec3| -> Vec3 {
        (0..3)
            .map(|k| camera_axis[k] * v.dot(surface_axis[k]))
            .sum()
    };
    let clip_normal = -camera_axis[0];
    Camera {
        eye: map(from.eye - surface_origin) + camera_origin,
        axis: from.axis.map(map),
        pvs_origin: entity.old_origin,
        window: Window::Portal {
            is_mirror,
            normal: clip_normal,
            distance: clip_normal.dot(camera_origin),
        },
        ..*from
    }
}

/// The axes of a remote camera, which may turn or swing around its line of sight.
fn rolled_axis(entity: &RefEntity, time_msec: i32) -> [Vec3; 3] {
    let [forward, left, up] = entity.axis;
    let axis = [-forward, -left, up];
    let degrees = if entity.old_frame != 0 {
        if entity.frame != 0 {
            time_msec as f32 / 1000.0 * entity.frame as f32
        } else {
            entity.skin_num as f32 + 4.0 * (f64::from(time_msec) * 0.003).sin() as f32
        }
    } else if entity.skin_num != 0 {
        entity.skin_num as f32
    } else {
        return axis;
    };
    let left = Quat::from_axis_angle(axis[0], degrees.to_radians()) * axis[1];
    [axis[0], left, axis[0].cross(left)]
}

/// A unit vector across `normal`, near the axis that is most across it.
fn perpendicular(normal: Vec3) -> Vec3 {
    let axis = Vec3::AXES[normal.abs().min_position()];
    (axis - normal * normal.dot(axis)).normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CAMERA: Camera = Camera {
        eye: Vec3::new(-100.0, 20.0, 30.0),
        fov_y: 60.0,
        far: 1000.0,
        ..Camera::FLAT
    };

    #[test]
    fn mirrors_look_back() {
        let entity = RefEntity::new(RefEntityKind::PortalSurface { is_mirror: true }, Vec3::ZERO);
        let camera = camera_behind(&CAMERA, &entity, true, (-Vec3::X, 0.0), 0);
        assert!((camera.eye - Vec3::new(100.0, 20.0, 30.0)).length() < 1e-4);
        assert!((camera.axis[0] + Vec3::X).length() < 1e-6);
        assert!((camera.axis[2] - Vec3::Z).length() < 1e-6);
        let Window::Portal {
            normal, distance, ..
        } = camera.window
        else {
            panic!("{camera:?}")
        };
        assert!((normal + Vec3::X).length() < 1e-6 && distance.abs() < 1e-4);
    }

    #[test]
    fn remote_cameras_look_out_of_their_wall() {
        let mut entity = RefEntity::new(
            RefEntityKind::PortalSurface { is_mirror: false },
            Vec3::ZERO,
        );
        entity.old_origin = Vec3::new(500.0, 0.0, 0.0);
        entity.axis = [Vec3::Y, Vec3::X, Vec3::NEG_Z];
        let camera = camera_behind(&CAMERA, &entity, false, (-Vec3::X, 0.0), 0);
        assert!((camera.axis[0] - Vec3::Y).length() < 1e-6, "{camera:?}");
    }
}
