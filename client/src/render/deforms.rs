//! Shapes that depend on the viewer or on whole quads, placed on the CPU: autosprites and what comes with them.

use super::world::WorldVertex;
use crate::assets::material::Material;
use glam::Vec3;
use shared::formats::shader_script::terms::Deform;
use shared::formats::wave::{noise, sine};

/// The viewer as the deformed thing sees it.
#[derive(Clone, Copy, Debug)]
pub struct Facing {
    pub forward: Vec3,
    /// Negated in mirrors.
    pub left: Vec3,
    pub up: Vec3,
    /// Seconds of the material's clock.
    pub time: f64,
    pub scene_msec: i32,
}

/// Applies all deforms of a material; `indices` count from the first of `vertices`.
pub fn apply(
    material: &Material,
    facing: &Facing,
    vertices: &mut [WorldVertex],
    indices: &mut Vec<u32>,
) {
    for deform in &material.deforms {
        match *deform {
            Deform::Autosprite => autosprites(facing, vertices, indices),
            Deform::Autosprite2 => autosprites2(facing, vertices, indices),
            other => vertices
                .iter_mut()
                .for_each(|vertex| move_vertex(other, facing, vertex)),
        }
    }
}

fn move_vertex(deform: Deform, facing: &Facing, vertex: &mut WorldVertex) {
    let (position, normal) = (Vec3::from(vertex.position), Vec3::from(vertex.normal));
    match deform {
        Deform::Wave { spread, wave } => {
            let phase = f64::from(wave.phase) + facing.time * f64::from(wave.frequency);
            let offset = if wave.frequency == 0.0 {
                0.0
            } else {
                position.element_sum() * spread
            };
            vertex.position = (position + normal * wave.at_phase(phase + f64::from(offset))).into();
        }
        Deform::Bulge {
            width,
            height,
            speed,
        } => {
            let now = facing.scene_msec as f32 * 0.001 * speed;
            let index = 1024.0 / std::f32::consts::TAU * (vertex.tex[0] * width + now);
            let sine = sine((index as i64 & 1023) as usize);
            vertex.position = (position + normal * height * sine).into();
        }
        Deform::Move { direction, wave } => {
            vertex.position = (position + direction * wave.at(facing.time)).into();
        }
        Deform::Normal {
            amplitude,
            frequency,
        } => {
            let time = (facing.time * f64::from(frequency)) as f32;
            let at = |offset: f32| {
                noise(
                    [
                        0.98 * position.x + offset,
                        0.98 * position.y,
                        0.98 * position.z,
                    ],
                    time,
                )
            };
            let bent = normal + amplitude * Vec3::new(at(0.0), at(100.0), at(200.0));
            vertex.normal = bent.normalize_or_zero().into();
        }
        // Texts are empty in every known game, and shadows fall in the shader.
        Deform::Autosprite | Deform::Autosprite2 | Deform::Text(_) | Deform::ProjectionShadow => {}
    }
}

/// Turns every quad to the viewer.
fn autosprites(facing: &Facing, vertices: &mut [WorldVertex], indices: &mut Vec<u32>) {
    indices.clear();
    for (number, quad) in vertices.chunks_exact_mut(4).enumerate() {
        let at = |k: usize| Vec3::from(quad[k].position);
        let middle = (at(0) + at(1) + at(2) + at(3)) * 0.25;
        let radius = (at(0) - middle).length() * 0.707;
        let corners = sprite_corners(middle, facing.left * radius, facing.up * radius);
        let color = quad[0].color;
        for (vertex, (position, tex)) in quad.iter_mut().zip(corners) {
            vertex.position = position.into();
            vertex.tex = tex;
            vertex.lightmap = tex;
            vertex.color = color;
            vertex.normal = (-facing.forward).into();
        }
        indices.extend(QUAD.map(|k| number as u32 * 4 + k));
    }
}

/// The triangles of a square.
pub const QUAD: [u32; 6] = [0, 1, 3, 3, 1, 2];

/// Corners of a square with their texture coordinates.
pub fn sprite_corners(middle: Vec3, left: Vec3, up: Vec3) -> [(Vec3, [f32; 2]); 4] {
    [
        (middle + left + up, [0.0, 0.0]),
        (middle - left + up, [1.0, 0.0]),
        (middle - left - up, [1.0, 1.0]),
        (middle + left - up, [0.0, 1.0]),
    ]
}

/// Turns every long quad around its long axis to the viewer.
fn autosprites2(facing: &Facing, vertices: &mut [WorldVertex], indices: &[u32]) {
    const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    for (number, quad) in vertices.chunks_exact_mut(4).enumerate() {
        let at = |k: usize| Vec3::from(quad[k].position);
        let (mut shortest, mut second) = ((f32::MAX, PAIRS[0]), (f32::MAX, PAIRS[0]));
        for pair in PAIRS {
            let length = (at(pair[0]) - at(pair[1])).length();
            if length < shortest.0 {
                second = shortest;
                shortest = (length, pair);
            } else if length < second.0 {
                second = (length, pair);
            }
        }
        let edges = [shortest, second];
        let middles = edges.map(|(_, [a, b])| (at(a) + at(b)) * 0.5);
        let minor = (middles[1] - middles[0])
            .cross(facing.forward)
            .normalize_or_zero();
        let corners = indices.get(number * 6..number * 6 + 6).unwrap_or_default();
        for ((length, [a, b]), middle) in edges.into_iter().zip(middles) {
            let first = number as u32 * 4;
            let is_forward = corners
                .windows(2)
                .any(|w| w[0] == first + a as u32 && w[1] == first + b as u32);
            let half = minor * (length * if is_forward { 0.5 } else { -0.5 });
            quad[a].position = (middle - half).into();
            quad[b].position = (middle + half).into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FACING: Facing = Facing {
        forward: Vec3::X,
        left: Vec3::Y,
        up: Vec3::Z,
        time: 0.0,
        scene_msec: 0,
    };

    fn quad(corners: [[f32; 3]; 4]) -> [WorldVertex; 4] {
        corners.map(|position| WorldVertex {
            position,
            ..WorldVertex::default()
        })
    }

    #[test]
    fn autosprites_face_the_viewer() {
        let mut vertices = quad([
            [0.0, 0.0, 0.0],
            [2.0, 0.0, 0.0],
            [2.0, 2.0, 0.0],
            [0.0, 2.0, 0.0],
        ]);
        let mut indices = vec![0; 6];
        autosprites(&FACING, &mut vertices, &mut indices);
        assert_eq!(indices, QUAD);
        assert!((Vec3::from(vertices[0].position) - Vec3::new(1.0, 2.0, 1.0)).length() < 0.001);
        assert_eq!(vertices[2].tex, [1.0, 1.0]);
    }

    #[test]
    fn long_sprites_keep_their_long_axis() {
        // A quad along z whose flat side shows to y.
        let mut vertices = quad([
            [0.0, 0.0, 0.0],
            [2.0, 0.0, 0.0],
            [2.0, 0.0, 50.0],
            [0.0, 0.0, 50.0],
        ]);
        autosprites2(&FACING, &mut vertices, &[0, 1, 2, 2, 3, 0]);
        for vertex in vertices {
            let [x, y, z] = vertex.position;
            assert!(
                (x - 1.0).abs() < 0.001 && (y.abs() - 1.0).abs() < 0.001 && (z == 0.0 || z == 50.0)
            );
        }
    }
}
