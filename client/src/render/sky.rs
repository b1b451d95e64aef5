//! The sky: a box of six pictures around the viewer, and cloud layers on a sphere high above.

use super::frame::{Batch, DepthRange, Geometry, Recorder};
use super::materials::{self, Look, PassContext};
use super::pipeline_key::{DepthTest, PipelineKey, VertexKind};
use super::textures::TextureSlot;
use super::world::WorldVertex;
use crate::assets::material::Sky;
use glam::Vec3;
use shared::base::math::bounds_of;
use shared::formats::shader_script::terms::Cull;

/// Pieces along each side of a face.
const PIECES: usize = 8;
/// Radius of the earth under the clouds.
const EARTH_RADIUS: f32 = 4096.0;

/// Draws a sky in place of the surfaces of a batch.
pub fn draw(recorder: &mut Recorder<'_>, batch: &Batch<'_>, sky: &Sky) {
    let material = batch.material;
    let size = recorder.camera.far / 1.75;
    let look = Look::default();
    let context = PassContext::new(material, &look, recorder.scene_msec);
    if let Some(images) = sky.far_box {
        for (face, image) in images.into_iter().enumerate() {
            let piece = add_faces(recorder, batch, face..face + 1, size, box_tex_coord);
            if piece.indices.is_empty() {
                continue;
            }
            let images = [recorder.image(image), TextureSlot::WHITE];
            recorder.draw(&piece, BOX_KEY, images, &materials::plain_uniform());
        }
    }
    if material.stages.is_empty() {
        return;
    }
    // There are no clouds below.
    let height = sky.cloud_height;
    let piece = add_faces(recorder, batch, 0..5, size, |direction, _| {
        cloud_tex_coord(direction, height)
    });
    for pass in materials::passes(material) {
        let uniform = materials::stage_uniform(material, pass, context);
        let images = recorder.images([Some(pass.first), pass.second], context.time);
        let key = PipelineKey {
            depth_test: DepthTest::LessEqual,
            depth_write: false,
            cull: Cull::None,
            ..materials::pass_key(material, pass, VertexKind::World, false)
        };
        recorder.draw(&piece, key, images, &uniform);
    }
}

const BOX_KEY: PipelineKey = PipelineKey {
    depth_write: false,
    cull: Cull::None,
    ..PipelineKey::WALL
};

/// Adds faces around the eye to the frame's own vertices.
fn add_faces<'a>(
    recorder: &mut Recorder<'_>,
    batch: &Batch<'a>,
    faces: std::ops::Range<usize>,
    size: f32,
    tex_coord: impl Fn(Vec3, [f32; 2]) -> [f32; 2],
) -> Batch<'a> {
    let first_index = recorder.frame.indices.len();
    let frustum = recorder.camera.frustum();
    for face in faces {
        let corners = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
            .map(|corner| recorder.camera.eye + direction(face, corner) * size);
        let (mins, maxs) = bounds_of(corners.into_iter());
        if frustum.hides_box(mins, maxs) {
            continue;
        }
        let first = recorder.frame.vertices.len() as u32;
        for b in 0..=PIECES {
            for a in 0..=PIECES {
                let at = [a, b].map(|k| k as f32 * 2.0 / PIECES as f32 - 1.0);
                let direction = direction(face, at);
                let tex = tex_coord(direction, at);
                recorder.frame.vertices.push(WorldVertex {
                    position: (recorder.camera.eye + direction * size).into(),
                    normal: [0.0; 3],
                    tex,
                    lightmap: tex,
                    color: [255; 4],
                    layer: 0,
                });
            }
        }
        let row = PIECES as u32 + 1;
        for b in 0..PIECES as u32 {
            for a in 0..PIECES as u32 {
                let at = |a: u32, b: u32| first + b * row + a;
                let (near, far) = ([at(a, b), at(a, b + 1)], [at(a + 1, b), at(a + 1, b + 1)]);
                recorder
                    .frame
                    .indices
                    .extend([near[0], near[1], far[0], near[1], far[1], far[0]]);
            }
        }
    }
    let mut piece = batch.clone();
    piece.geometry = Geometry::Stream;
    piece.indices = recorder.frame.indices_since(first_index);
    piece.depth = DepthRange::Far;
    piece.fog = None;
    piece
}

/// Right, left, back, front, up, down.
fn direction(face: usize, [s, t]: [f32; 2]) -> Vec3 {
    match face {
        0 => Vec3::new(1.0, -s, t),
        1 => Vec3::new(-1.0, s, t),
        2 => Vec3::new(s, 1.0, t),
        3 => Vec3::new(-s, -1.0, t),
        4 => Vec3::new(-t, -s, 1.0),
        _ => Vec3::new(t, -s, -1.0),
    }
}

fn box_tex_coord(_: Vec3, [s, t]: [f32; 2]) -> [f32; 2] {
    [(s + 1.0) * 0.5, 1.0 - (t + 1.0) * 0.5]
}

/// Where a line of sight meets the clouds, as angles from the earth's middle.
fn cloud_tex_coord(direction: Vec3, height: f32) -> [f32; 2] {
    let radius = EARTH_RADIUS;
    let squared = direction.length_squared();
    let down = direction.z * radius;
    let along = (-down
        + (down * down + squared * (2.0 * radius * height + height * height)).sqrt())
        / squared;
    let at = (direction * along + Vec3::new(0.0, 0.0, radius)).normalize();
    [at.x.acos(), at.y.acos()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clouds_above_lie_in_the_middle() {
        let [s, t] = cloud_tex_coord(direction(4, [0.0, 0.0]), 512.0);
        assert!((s - std::f32::consts::FRAC_PI_2).abs() < 1e-6 && (t - s).abs() < 1e-6);
        // At the horizon one looks sqrt(2 r h + h²) far, here to +x.
        let [s, _] = cloud_tex_coord(direction(0, [0.0, 0.0]), 512.0);
        let far = (2.0_f32 * 4096.0 * 512.0 + 512.0 * 512.0).sqrt();
        assert!((s - (far / (4096.0 + 512.0)).acos()).abs() < 1e-5);
    }
}
