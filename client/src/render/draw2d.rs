//! Flat pictures over the views, in calling order where they overlap; those with the same material are one draw.

use super::baked;
use super::deforms::QUAD;
use super::frame::{Batch, DepthRange, DrawTarget, Frame, Geometry, Recorder};
use super::materials::{self, Look, PassContext};
use super::textures::TextureSlot;
use super::uniforms::ObjectUniform;
use super::view::Placement;
use super::world::WorldVertex;
use crate::scene::{Draw2d, ShaderId};
use glam::{Mat4, Vec3};

/// Pixels of the frame to clip space, y down.
pub fn object(width: f32, height: f32) -> ObjectUniform {
    let clip_from_pixel = Mat4::from_translation(Vec3::new(-1.0, 1.0, 0.0))
        * Mat4::from_scale(Vec3::new(2.0 / width, -2.0 / height, 1.0));
    let mut uniform: ObjectUniform = bytemuck::Zeroable::zeroed();
    uniform.clip_from_local = clip_from_pixel.to_cols_array_2d();
    uniform.clip_plane = [0.0, 0.0, 0.0, 1.0];
    uniform.ambient = [255.0; 4];
    uniform
}

/// Draws all pictures.
pub fn draw(recorder: &mut Recorder<'_>, pictures: &[Draw2d], [width, height]: [f32; 2]) {
    let object =
        recorder
            .frame
            .add_object(&object(width, height), Placement::WORLD, Look::default());
    let assets = recorder.assets;
    for run in runs(pictures).chunk_by(|(a, _), (b, _)| a == b) {
        // Letters whose image is still on its way would be white boxes.
        let Some(material) = assets.complete_shader(run[0].1.shader) else {
            continue;
        };
        let first = recorder.frame.indices.len();
        for (_, picture) in run {
            let color = picture.color.map(|c| (c.clamp(0.0, 1.0) * 255.0) as u8);
            add(recorder.frame, picture.rect, picture.tex, color);
        }
        let indices = recorder.frame.indices_since(first);
        let batch = Batch::new(material, 0, object, Geometry::Stream, indices);
        let look = Look::default();
        let context = PassContext::new(material, &look, recorder.scene_msec);
        for pass in materials::passes(material) {
            let uniform = materials::stage_uniform(material, pass, context);
            let images = recorder.images([Some(pass.first), pass.second], context.time);
            let key = materials::flat_key(material, pass);
            recorder.draw(&batch, key, images, &uniform);
        }
    }
}

/// Pictures with the number of the draw that they belong to, in drawing order.
///
/// A picture joins an earlier draw of its material unless that would put it under what it is to cover.
fn runs(pictures: &[Draw2d]) -> Vec<(usize, &Draw2d)> {
    // Each draw's material and bounds: left, top, right, bottom.
    let mut found: Vec<(ShaderId, [f32; 4])> = Vec::new();
    let mut sorted: Vec<_> = pictures
        .iter()
        .map(|picture| {
            let [x, y, width, height] = picture.rect;
            let [left, top] = [x.min(x + width), y.min(y + height)];
            let [right, bottom] = [x.max(x + width), y.max(y + height)];
            let place = found.iter().rposition(|(shader, bounds)| {
                let is_under =
                    left < bounds[2] && right > bounds[0] && top < bounds[3] && bottom > bounds[1];
                *shader == picture.shader || is_under
            });
            let place = place.filter(|&place| found[place].0 == picture.shader);
            let place = place.unwrap_or_else(|| {
                found.push((picture.shader, [left, top, right, bottom]));
                found.len() - 1
            });
            let bounds = &mut found[place].1;
            *bounds = [
                bounds[0].min(left),
                bounds[1].min(top),
                bounds[2].max(right),
                bounds[3].max(bottom),
            ];
            (place, picture)
        })
        .collect();
    // By address they are in the order in which they came.
    sorted.sort_unstable_by_key(|(place, picture)| (*place, std::ptr::from_ref(*picture)));
    sorted
}

/// Forgets the depths of a viewport, so that what follows stands before all that is there.
pub fn wipe(recorder: &mut Recorder<'_>) {
    let frame = &mut recorder.frame;
    let object = frame.add_object(&object(1.0, 1.0), Placement::WORLD, Look::default());
    let first = frame.indices.len();
    add(frame, [0.0, 0.0, 1.0, 1.0], [0.0; 4], [255; 4]);
    let place = DrawTarget {
        object: object.offset,
        geometry: Geometry::Stream,
        indices: frame.indices_since(first),
        depth: DepthRange::Far,
        instances: 1,
    };
    let images = [TextureSlot::WHITE; 2];
    recorder.draw_at(place, materials::wipe_key(), images, &baked::uniform());
}

fn add(
    frame: &mut Frame,
    [x, y, width, height]: [f32; 4],
    [s1, t1, s2, t2]: [f32; 4],
    color: [u8; 4],
) {
    let corners = [
        ([x, y], [s1, t1]),
        ([x + width, y], [s2, t1]),
        ([x + width, y + height], [s2, t2]),
        ([x, y + height], [s1, t2]),
    ];
    let first = frame.vertices.len() as u32;
    frame
        .vertices
        .extend(corners.map(|([x, y], tex)| WorldVertex {
            position: [x, y, 0.0],
            normal: [0.0; 3],
            tex,
            lightmap: tex,
            color,
            layer: 0,
        }));
    frame.indices.extend(QUAD.map(|k| first + k));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_join_unless_something_lies_between() {
        let picture = |shader, x: f32| Draw2d {
            rect: [x, 0.0, 10.0, 10.0],
            tex: [0.0, 0.0, 1.0, 1.0],
            color: [1.0; 4],
            shader: ShaderId(shader),
        };
        let pictures = [
            picture(1, 0.0),
            picture(2, 20.0),
            picture(1, 40.0),
            // Over the picture of material 2.
            picture(1, 25.0),
            picture(2, 60.0),
        ];
        let order: Vec<_> = runs(&pictures)
            .into_iter()
            .map(|(run, picture)| (run, picture.shader.0, picture.rect[0]))
            .collect();
        let wanted = [
            (0, 1, 0.0),
            (0, 1, 40.0),
            (1, 2, 20.0),
            (1, 2, 60.0),
            (2, 1, 25.0),
        ];
        assert_eq!(order, wanted);
    }
}
