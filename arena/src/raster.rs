//! Draws models into pictures, for icons that look like what they stand for.

use crate::canvas::{Canvas, opaque};
use crate::mesh::Model;
use glam::{Mat3, Vec2, Vec3, vec2, vec3};

/// What a surface is painted with.
pub(crate) struct Paint<'a> {
    pub canvas: &'a Canvas,
    pub is_lit: bool,
    pub tint: [f32; 3],
}

/// Where a model is looked at from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// Turns the model before it is seen from its front; forward goes into the picture.
    pub turn: Mat3,
    /// Of the square picture, in pixels.
    pub size: usize,
    pub frame: usize,
}

/// Each pixel is the mean of this many squared.
const SAMPLES: usize = 4;
/// Empty rim, as a share of the picture.
const MARGIN: f32 = 0.07;

struct Corner {
    /// Pixels right and down, and depth.
    at: Vec3,
    light: f32,
    uv: Vec2,
}

/// A picture of all models together, as large as fits; transparent where there is nothing.
pub(crate) fn render<'a>(
    models: &[&Model],
    view: View,
    paint: impl Fn(&str) -> Option<Paint<'a>>,
) -> Canvas {
    let size = view.size * SAMPLES;
    let screen = |position: Vec3| {
        let seen = view.turn * position;
        vec3(-seen.y, -seen.z, seen.x)
    };
    let (mut low, mut high) = (Vec3::splat(f32::MAX), Vec3::splat(f32::MIN));
    for surface in models.iter().flat_map(|model| &model.surfaces) {
        for (position, _) in &surface.frames[view.frame.min(surface.frames.len() - 1)] {
            low = low.min(screen(*position));
            high = high.max(screen(*position));
        }
    }
    let extent = (high - low).truncate().max_element().max(0.01);
    let zoom = size as f32 * (1.0 - 2.0 * MARGIN) / extent;
    let middle = (low + high) / 2.0;
    let mut canvas = Canvas::filled(size, size, [0.0; 4]);
    let mut depths = vec![f32::MAX; size * size];
    let lamp = vec3(-0.5, 0.45, 0.75).normalize_or_zero();
    let rim = vec3(0.3, -0.8, 0.2).normalize_or_zero();
    for surface in models.iter().flat_map(|model| &model.surfaces) {
        let Some(paint) = paint(&surface.shader) else {
            continue;
        };
        let frame = &surface.frames[view.frame.min(surface.frames.len() - 1)];
        for triangle in &surface.triangles {
            let corners = triangle.map(|corner| {
                let (position, normal) = frame[corner as usize];
                let turned = (view.turn * normal).normalize_or_zero();
                let at = (screen(position) - middle) * zoom;
                let light =
                    0.42 + 0.75 * turned.dot(lamp).max(0.0) + 0.25 * turned.dot(rim).max(0.0);
                Corner {
                    at: vec3(at.x + size as f32 / 2.0, at.y + size as f32 / 2.0, at.z),
                    light: if paint.is_lit { light } else { 1.0 },
                    uv: surface.uvs[corner as usize],
                }
            });
            fill(&mut canvas, &mut depths, &corners, &paint);
        }
    }
    let mut samples = SAMPLES;
    while samples > 1 {
        canvas = canvas.halved();
        samples /= 2;
    }
    canvas
}

fn fill(canvas: &mut Canvas, depths: &mut [f32], corners: &[Corner; 3], paint: &Paint<'_>) {
    let [a, b, c] = corners.each_ref().map(|corner| corner.at);
    let edge = |from: Vec3, to: Vec3, at: Vec2| {
        (to.truncate() - from.truncate()).perp_dot(at - from.truncate())
    };
    let whole = edge(a, b, c.truncate());
    // Clockwise on a screen whose second axis points down is positive.
    if whole <= 0.0 {
        return;
    }
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    let last = canvas.width as f32 - 1.0;
    for y in low.y.clamp(0.0, last) as usize..=high.y.clamp(0.0, last) as usize {
        for x in low.x.clamp(0.0, last) as usize..=high.x.clamp(0.0, last) as usize {
            let at = vec2(x as f32 + 0.5, y as f32 + 0.5);
            let shares = [edge(b, c, at), edge(c, a, at), edge(a, b, at)].map(|e| e / whole);
            if shares.iter().any(|&share| share < 0.0) {
                continue;
            }
            let depth: f32 = (0..3).map(|i| shares[i] * corners[i].at.z).sum();
            let index = y * canvas.width + x;
            if depth >= depths[index] {
                continue;
            }
            let uv = (0..3).map(|i| corners[i].uv * shares[i]).sum::<Vec2>();
            let light: f32 = (0..3).map(|i| shares[i] * corners[i].light).sum();
            let texel = sample(paint.canvas, uv);
            if texel[3] < 0.5 {
                continue;
            }
            depths[index] = depth;
            let color = [0, 1, 2].map(|i| (texel[i] * light * paint.tint[i]).min(1.0));
            canvas.pixels[index] = opaque(color);
        }
    }
}

fn sample(canvas: &Canvas, uv: Vec2) -> [f32; 4] {
    let x = (uv.x - uv.x.floor()) * canvas.width as f32;
    let y = (uv.y - uv.y.floor()) * canvas.height as f32;
    canvas.get(
        (x as usize).min(canvas.width - 1),
        (y as usize).min(canvas.height - 1),
    )
}
