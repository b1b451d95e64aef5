//! Builds models from simple solids, and writes them as MD3.

use crate::textures::AtlasCell;
use glam::{Mat3, Vec2, Vec3, vec2, vec3};
use std::f32::consts::TAU;

/// A corner of a face; `uv` from 0 to 1 across its cell of the atlas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vertex {
    pub position: Vec3,
    pub normal: Vec3,
    pub uv: Vec2,
}

/// Faces without a material.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Solid {
    pub vertices: Vec<Vertex>,
    pub triangles: Vec<[u32; 3]>,
}

pub(crate) fn sin_cos(degrees: f32) -> (f32, f32) {
    let radians = degrees / 360.0 * TAU;
    (libm::sinf(radians), libm::cosf(radians))
}

/// Turns around the forward axis: left goes up.
pub(crate) fn roll(degrees: f32) -> Mat3 {
    let (sin, cos) = sin_cos(degrees);
    Mat3::from_cols(Vec3::X, vec3(0.0, cos, sin), vec3(0.0, -sin, cos))
}

/// Turns around the left axis: forward goes down.
pub(crate) fn pitch(degrees: f32) -> Mat3 {
    let (sin, cos) = sin_cos(degrees);
    Mat3::from_cols(vec3(cos, 0.0, -sin), Vec3::Y, vec3(sin, 0.0, cos))
}

/// Turns around the up axis: forward goes left.
pub(crate) fn yaw(degrees: f32) -> Mat3 {
    let (sin, cos) = sin_cos(degrees);
    Mat3::from_cols(vec3(cos, sin, 0.0), vec3(-sin, cos, 0.0), Vec3::Z)
}

impl Solid {
    fn vertex(&mut self, position: Vec3, normal: Vec3, uv: Vec2) -> u32 {
        self.vertices.push(Vertex {
            position,
            normal,
            uv,
        });
        self.vertices.len() as u32 - 1
    }

    /// A face of four corners in order around it.
    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        self.triangles.extend([[a, b, c], [a, c, d]]);
    }

    pub(crate) fn moved(mut self, by: Vec3) -> Self {
        for vertex in &mut self.vertices {
            vertex.position += by;
        }
        self
    }

    pub(crate) fn turned(mut self, by: Mat3) -> Self {
        for vertex in &mut self.vertices {
            vertex.position = by * vertex.position;
            vertex.normal = by * vertex.normal;
        }
        self
    }

    pub(crate) fn scaled(mut self, by: Vec3) -> Self {
        for vertex in &mut self.vertices {
            vertex.position *= by;
            vertex.normal = (vertex.normal / by).normalize_or_zero();
        }
        self
    }

    /// The same on the right side, or on the left.
    pub(crate) fn mirrored(self) -> Self {
        self.scaled(vec3(1.0, -1.0, 1.0))
    }

    /// This and its mirror image.
    pub(crate) fn both_sides(self) -> Self {
        let mut both = self.clone();
        both.append(self.mirrored());
        both
    }

    pub(crate) fn append(&mut self, other: Self) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(other.vertices);
        let triangles = other.triangles.iter();
        self.triangles
            .extend(triangles.map(|corners| corners.map(|corner| corner + first)));
    }
}

/// A box whose edges are cut off by `bevel`; its normals are soft across the cut.
pub(crate) fn bevelled(min: Vec3, max: Vec3, bevel: f32) -> Solid {
    let mut solid = Solid::default();
    let (middle, half) = ((min + max) / 2.0, (max - min) / 2.0);
    let bevel = bevel.min(half.min_element() * 0.95);
    // For each corner of the box, its points on the faces of the three axes.
    let mut corners = [[0_u32; 3]; 8];
    for (index, corner) in corners.iter_mut().enumerate() {
        let sign = |axis: usize| if index >> axis & 1 == 1 { 1.0 } else { -1.0 };
        let signs = vec3(sign(0), sign(1), sign(2));
        for (axis, place) in corner.iter_mut().enumerate() {
            let mut offset = (half - Vec3::splat(bevel)) * signs;
            offset[axis] = half[axis] * signs[axis];
            let mut normal = Vec3::ZERO;
            normal[axis] = signs[axis];
            let uv = face_uv(signs, axis);
            *place = solid.vertex(middle + offset, normal, uv);
        }
    }
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for side in 0..2 {
            let base = side << axis;
            let [a, b, c, d] = [0, 1 << u, 1 << u | 1 << v, 1 << v];
            solid.quad([a, b, c, d].map(|corner| corners[base | corner][axis]));
            // The cuts between this face's side and the faces of the next axis.
            for far in [side, 1 - side] {
                let from = base | far << u;
                let to = from | 1 << v;
                solid.quad([
                    corners[from][axis],
                    corners[to][axis],
                    corners[to][u],
                    corners[from][u],
                ]);
            }
        }
    }
    solid.triangles.extend(corners);
    solid
}

/// How a corner of a box lies on the picture of a face: up is up where the face has an up.
fn face_uv(signs: Vec3, axis: usize) -> Vec2 {
    let [s, t] = match axis {
        0 => [signs.y, signs.z],
        1 => [signs.x, signs.z],
        _ => [signs.x, signs.y],
    };
    vec2(s * 0.5 + 0.5, 0.5 - t * 0.5)
}

/// A side view in the plane of forward and up, made `half_width` thick to both sides, with the rim cut by `bevel`.
pub(crate) fn extruded(outline: &[[f32; 2]], half_width: f32, bevel: f32) -> Solid {
    let mut solid = Solid::default();
    let mut points: Vec<Vec2> = outline.iter().copied().map(Vec2::from).collect();
    if area(&points) < 0.0 {
        points.reverse();
    }
    let count = points.len();
    let inner = inset(&points, bevel);
    let (low, high) = points.iter().fold(
        (Vec2::splat(f32::MAX), Vec2::splat(f32::MIN)),
        |(low, high), &point| (low.min(point), high.max(point)),
    );
    let flat = |point: Vec2| {
        let share = (point - low) / (high - low).max(Vec2::splat(0.01));
        vec2(share.x, 1.0 - share.y)
    };
    let mut caps = [Vec::new(), Vec::new()];
    for (cap, side) in caps.iter_mut().zip([1.0, -1.0]) {
        for &point in &inner {
            let at = vec3(point.x, side * half_width, point.y);
            cap.push(solid.vertex(at, vec3(0.0, side, 0.0), flat(point)));
        }
    }
    for triangle in clip_ears(&inner) {
        for cap in &caps {
            solid.triangles.push(triangle.map(|corner| cap[corner]));
        }
    }
    let rim = (half_width - bevel).max(0.0);
    for from in 0..count {
        let to = (from + 1) % count;
        let (a, b) = (points[from], points[to]);
        let along = b - a;
        let normal = vec3(along.y, 0.0, -along.x).normalize_or_zero();
        let mut edge = |point: Vec2, side: f32, u: f32| {
            let uv = vec2(u, 0.5 - side * 0.5);
            solid.vertex(vec3(point.x, side * rim, point.y), normal, uv)
        };
        let left = [edge(a, 1.0, 0.0), edge(b, 1.0, 1.0)];
        let right = [edge(a, -1.0, 0.0), edge(b, -1.0, 1.0)];
        solid.quad([left[0], left[1], right[1], right[0]]);
        solid.quad([left[0], left[1], caps[0][to], caps[0][from]]);
        solid.quad([right[0], right[1], caps[1][to], caps[1][from]]);
    }
    solid
}

fn area(points: &[Vec2]) -> f32 {
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(a, b)| a.perp_dot(*b)).sum()
}

/// The outline moved inward by `width`, corner by corner.
fn inset(points: &[Vec2], width: f32) -> Vec<Vec2> {
    let count = points.len();
    let inward = |from: usize, to: usize| {
        let along = (points[to] - points[from]).normalize_or_zero();
        vec2(-along.y, along.x)
    };
    (0..count)
        .map(|at| {
            let before = inward((at + count - 1) % count, at);
            let after = inward(at, (at + 1) % count);
            let sum = before + after;
            points[at] + sum * (width * 2.0 / sum.length_squared().max(0.5))
        })
        .collect()
}

/// Triangles of a polygon that goes around counterclockwise.
fn clip_ears(points: &[Vec2]) -> Vec<[usize; 3]> {
    let mut left: Vec<usize> = (0..points.len()).collect();
    let mut triangles = Vec::new();
    while left.len() > 2 {
        let count = left.len();
        let ear = (0..count).find(|&at| {
            let [a, b, c] = [(at + count - 1) % count, at, (at + 1) % count].map(|i| left[i]);
            let turn = (points[b] - points[a]).perp_dot(points[c] - points[b]);
            let is_inside = |point: Vec2| {
                [(a, b), (b, c), (c, a)].iter().all(|&(from, to)| {
                    (points[to] - points[from]).perp_dot(point - points[from]) >= 0.0
                })
            };
            turn > 1e-6
                && !left
                    .iter()
                    .any(|&other| ![a, b, c].contains(&other) && is_inside(points[other]))
        });
        // A polygon that crosses itself has no ear; it is cut anyhow.
        let at = ear.unwrap_or(1);
        triangles.push([(at + count - 1) % count, at, (at + 1) % count].map(|i| left[i]));
        left.remove(at);
    }
    triangles
}

/// Turns a profile of `[forward, radius]` around the forward axis; with hard rings where it bends.
pub(crate) fn lathe(profile: &[[f32; 2]], sides: usize) -> Solid {
    let mut solid = Solid::default();
    let length: f32 = profile.windows(2).map(step_length).sum();
    let mut run = 0.0;
    for pair in profile.windows(2) {
        let ([x0, r0], [x1, r1]) = (pair[0], pair[1]);
        let step = step_length(pair);
        let slope = vec2(r0 - r1, x1 - x0).normalize_or_zero();
        let (u0, u1) = (run / length.max(0.001), (run + step) / length.max(0.001));
        run += step;
        let mut previous: Option<[u32; 2]> = None;
        for side in 0..=sides {
            let (sin, cos) = sin_cos(side as f32 * 360.0 / sides as f32);
            let normal = vec3(slope.x, slope.y * cos, slope.y * sin);
            let v = side as f32 / sides as f32;
            let a = solid.vertex(vec3(x0, r0 * cos, r0 * sin), normal, vec2(u0, v));
            let b = solid.vertex(vec3(x1, r1 * cos, r1 * sin), normal, vec2(u1, v));
            if let Some([c, d]) = previous {
                if r0 > 0.0 {
                    solid.triangles.push([a, c, b]);
                }
                if r1 > 0.0 {
                    solid.triangles.push([c, d, b]);
                }
            }
            previous = Some([a, b]);
        }
    }
    solid
}

fn step_length(pair: &[[f32; 2]]) -> f32 {
    Vec2::from(pair[0]).distance(Vec2::from(pair[1]))
}

/// A disc that looks forward at `x`, its picture laid flat on it.
pub(crate) fn disc(x: f32, radius: f32, sides: usize) -> Solid {
    let mut solid = Solid::default();
    let hub = solid.vertex(vec3(x, 0.0, 0.0), Vec3::X, vec2(0.5, 0.5));
    let rim: Vec<u32> = (0..sides)
        .map(|side| {
            let (sin, cos) = sin_cos(side as f32 * 360.0 / sides as f32);
            let at = vec3(x, radius * cos, radius * sin);
            solid.vertex(at, Vec3::X, vec2(0.5 + cos * 0.48, 0.5 - sin * 0.48))
        })
        .collect();
    for side in 0..sides {
        solid
            .triangles
            .push([hub, rim[side], rim[(side + 1) % sides]]);
    }
    solid
}

/// A smooth ball.
pub(crate) fn ball(radius: f32, rings: usize, sides: usize) -> Solid {
    let mut solid = Solid::default();
    for ring in 0..=rings {
        let (sin, cos) = sin_cos(ring as f32 * 180.0 / rings as f32);
        for side in 0..=sides {
            let (s, c) = sin_cos(side as f32 * 360.0 / sides as f32);
            let normal = vec3(sin * c, sin * s, cos);
            let uv = vec2(side as f32 / sides as f32, ring as f32 / rings as f32);
            solid.vertex(normal * radius, normal, uv);
        }
    }
    grid_faces(&mut solid, rings, sides);
    solid
}

/// A ring around the up axis.
pub(crate) fn torus(radius: f32, thickness: Vec2, around: usize, across: usize) -> Solid {
    let mut solid = Solid::default();
    for step in 0..=around {
        let (sin, cos) = sin_cos(step as f32 * 360.0 / around as f32);
        for side in 0..=across {
            let (s, c) = sin_cos(side as f32 * 360.0 / across as f32);
            let out = vec3(cos, sin, 0.0);
            let at = out * (radius + thickness.x * c) + Vec3::Z * (thickness.y * s);
            let normal = (out * c + Vec3::Z * s).normalize_or_zero();
            let uv = vec2(step as f32 / around as f32, side as f32 / across as f32);
            solid.vertex(at, normal, uv);
        }
    }
    grid_faces(&mut solid, around, across);
    solid
}

/// A hose through points.
pub(crate) fn hose(points: &[Vec3], radius: f32, sides: usize) -> Solid {
    let mut solid = Solid::default();
    let count = points.len();
    for (index, &point) in points.iter().enumerate() {
        let before = points[index.saturating_sub(1)];
        let after = points[(index + 1).min(count - 1)];
        let along = (after - before).normalize_or_zero();
        let helper = if along.z.abs() > 0.9 {
            Vec3::X
        } else {
            Vec3::Z
        };
        let left = along.cross(helper).normalize_or_zero();
        let up = left.cross(along);
        for side in 0..=sides {
            let (sin, cos) = sin_cos(side as f32 * 360.0 / sides as f32);
            let normal = left * cos + up * sin;
            let uv = vec2(
                index as f32 / (count - 1) as f32,
                side as f32 / sides as f32,
            );
            solid.vertex(point + normal * radius, normal, uv);
        }
    }
    grid_faces(&mut solid, count - 1, sides);
    solid
}

/// Faces of a grid of vertices, `columns + 1` in each of `rows + 1` rows.
fn grid_faces(solid: &mut Solid, rows: usize, columns: usize) {
    let width = columns as u32 + 1;
    for row in 0..rows as u32 {
        for column in 0..columns as u32 {
            let a = row * width + column;
            solid.quad([a, a + 1, a + width + 1, a + width]);
        }
    }
}

/// One material's part of a model, in one or more frames.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    pub name: String,
    pub shader: String,
    pub triangles: Vec<[u32; 3]>,
    pub uvs: Vec<Vec2>,
    /// Positions and normals of all vertices, frame by frame.
    pub frames: Vec<Vec<(Vec3, Vec3)>>,
}

/// A place to hang other models on: origin and axes, frame by frame.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    pub name: &'static str,
    pub frames: Vec<(Vec3, Mat3)>,
}

/// What becomes one MD3 file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    pub surfaces: Vec<Surface>,
    pub tags: Vec<Tag>,
    /// Positions are rounded to this many 64ths of a unit.
    pub grain: i16,
}

/// A model in the making: what is lit, and what shines by itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sculpt {
    lit: Solid,
    shining: Solid,
    extra: Vec<(String, Solid)>,
    tags: Vec<Tag>,
}

impl Sculpt {
    /// Adds a solid that wears a cell of the kit.
    pub(crate) fn add(&mut self, cell: AtlasCell, solid: Solid) {
        let mut solid = solid;
        for vertex in &mut solid.vertices {
            vertex.uv = cell.uv(vertex.uv);
        }
        if cell.shines() {
            self.shining.append(solid);
        } else {
            self.lit.append(solid);
        }
    }

    /// Adds a solid with a shader of its own and its own picture.
    pub(crate) fn add_shaded(&mut self, shader: &str, solid: Solid) {
        match self.extra.iter_mut().find(|(name, _)| name == shader) {
            Some((_, all)) => all.append(solid),
            None => self.extra.push((shader.to_owned(), solid)),
        }
    }

    pub(crate) fn tag(&mut self, name: &'static str, origin: Vec3) {
        self.tags.push(Tag {
            name,
            frames: vec![(origin, Mat3::IDENTITY)],
        });
    }

    /// The model, whose lit part wears `shader`, the shining part `shining`.
    pub(crate) fn model(self, shader: &str, shining: &str) -> Model {
        let mut parts = vec![
            ("body".to_owned(), shader.to_owned(), self.lit),
            ("glow".to_owned(), shining.to_owned(), self.shining),
        ];
        for (index, (shader, solid)) in self.extra.into_iter().enumerate() {
            parts.push((format!("part{index}"), shader, solid));
        }
        let surfaces = parts
            .into_iter()
            .filter(|(_, _, solid)| !solid.triangles.is_empty())
            .map(|(name, shader, solid)| Surface::still(name, shader, &solid))
            .collect();
        Model {
            surfaces,
            tags: self.tags,
            grain: 2,
        }
    }
}

impl Surface {
    pub(crate) fn still(name: String, shader: String, solid: &Solid) -> Self {
        Self {
            name,
            shader,
            triangles: wound(solid),
            uvs: solid.vertices.iter().map(|vertex| vertex.uv).collect(),
            frames: vec![
                solid
                    .vertices
                    .iter()
                    .map(|vertex| (vertex.position, vertex.normal))
                    .collect(),
            ],
        }
    }
}

/// Triangles clockwise from outside, which is where their normals point; those without area are left out.
fn wound(solid: &Solid) -> Vec<[u32; 3]> {
    let mut triangles = Vec::with_capacity(solid.triangles.len());
    for &[a, b, c] in &solid.triangles {
        let [p, q, r] = [a, b, c].map(|corner| solid.vertices[corner as usize]);
        let face = (q.position - p.position).cross(r.position - p.position);
        if face.length_squared() < 1e-8 {
            continue;
        }
        let outward = p.normal + q.normal + r.normal;
        triangles.push(if face.dot(outward) > 0.0 {
            [a, c, b]
        } else {
            [a, b, c]
        });
    }
    triangles
}

impl Surface {
    /// The surface in pieces that the game reads: fewer than 1000 vertices and 2000 triangles each.
    fn parts(&self) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut rest = self.triangles.as_slice();
        while !rest.is_empty() {
            let mut places = std::collections::BTreeMap::new();
            let mut used = Vec::new();
            let mut triangles = Vec::new();
            for corners in rest {
                let added = corners
                    .iter()
                    .filter(|corner| !places.contains_key(*corner));
                if used.len() + added.count() >= 1000 || triangles.len() >= 1999 {
                    break;
                }
                triangles.push(corners.map(|corner| {
                    *places.entry(corner).or_insert_with(|| {
                        used.push(corner as usize);
                        used.len() as u32 - 1
                    })
                }));
            }
            rest = &rest[triangles.len()..];
            parts.push(Self {
                name: self.name.clone(),
                shader: self.shader.clone(),
                triangles,
                uvs: used.iter().map(|&index| self.uvs[index]).collect(),
                frames: self
                    .frames
                    .iter()
                    .map(|frame| used.iter().map(|&index| frame[index]).collect())
                    .collect(),
            });
        }
        parts
    }
}

impl Model {
    pub(crate) fn frame_count(&self) -> usize {
        let surfaces = self.surfaces.iter().map(|surface| surface.frames.len());
        let tags = self.tags.iter().map(|tag| tag.frames.len());
        surfaces.chain(tags).max().unwrap_or(1)
    }

    /// The bytes of the MD3 file.
    pub(crate) fn md3(&self, name: &str) -> Vec<u8> {
        let frames = self.frame_count();
        let mut out = Vec::new();
        out.extend(b"IDP3");
        put(&mut out, 15);
        put_text(&mut out, name, 64);
        let frames_at = 108;
        let tags_at = frames_at + frames * 56;
        let surfaces_at = tags_at + frames * self.tags.len() * 112;
        let parts = self.surfaces.iter().flat_map(Surface::parts);
        let surfaces: Vec<Vec<u8>> = parts.map(|part| self.surface_bytes(&part)).collect();
        let end = surfaces_at + surfaces.iter().map(Vec::len).sum::<usize>();
        let counts = [0, frames, self.tags.len(), surfaces.len(), 0];
        for number in counts
            .into_iter()
            .chain([frames_at, tags_at, surfaces_at, end])
        {
            put(&mut out, number);
        }
        for frame in 0..frames {
            self.put_frame(&mut out, frame);
        }
        for frame in 0..frames {
            for tag in &self.tags {
                let (origin, axes) = tag.frames[frame.min(tag.frames.len() - 1)];
                put_text(&mut out, tag.name, 64);
                for vector in [origin, axes.x_axis, axes.y_axis, axes.z_axis] {
                    put_vector(&mut out, vector);
                }
            }
        }
        out.extend(surfaces.into_iter().flatten());
        out
    }

    fn put_frame(&self, out: &mut Vec<u8>, frame: usize) {
        let mut bounds = (Vec3::ZERO, Vec3::ZERO);
        let mut radius = 0.0_f32;
        let mut is_first = true;
        for surface in &self.surfaces {
            for (position, _) in &surface.frames[frame] {
                bounds = if is_first {
                    (*position, *position)
                } else {
                    (bounds.0.min(*position), bounds.1.max(*position))
                };
                is_first = false;
                radius = radius.max(position.length());
            }
        }
        put_vector(out, bounds.0);
        put_vector(out, bounds.1);
        put_vector(out, Vec3::ZERO);
        out.extend(radius.to_le_bytes());
        put_text(out, "strafe", 16);
    }

    fn surface_bytes(&self, surface: &Surface) -> Vec<u8> {
        let (frames, vertices) = (surface.frames.len(), surface.uvs.len());
        let mut out = Vec::new();
        out.extend(b"IDP3");
        put_text(&mut out, &surface.name, 64);
        let triangles_at = 108;
        let shaders_at = triangles_at + surface.triangles.len() * 12;
        let uvs_at = shaders_at + 68;
        let vertices_at = uvs_at + vertices * 8;
        let end = vertices_at + frames * vertices * 8;
        let counts = [0, frames, 1, vertices, surface.triangles.len()];
        let offsets = [triangles_at, shaders_at, uvs_at, vertices_at, end];
        for number in counts.into_iter().chain(offsets) {
            put(&mut out, number);
        }
        for corner in surface.triangles.iter().flatten() {
            put(&mut out, *corner as usize);
        }
        put_text(&mut out, &surface.shader, 64);
        put(&mut out, 0);
        for uv in &surface.uvs {
            // Rounded, so that the pak compresses better.
            for value in [uv.x, uv.y] {
                out.extend(((value * 512.0).round() / 512.0).to_le_bytes());
            }
        }
        let grain = f32::from(self.grain.max(1));
        for (position, normal) in surface.frames.iter().flatten() {
            for axis in position.to_array() {
                let steps = (axis * 64.0 / grain).round() * grain;
                out.extend((steps.clamp(-32000.0, 32000.0) as i16).to_le_bytes());
            }
            out.extend(packed_normal(*normal, grain).to_le_bytes());
        }
        out
    }
}

/// A direction as latitude and longitude of a byte each; coarser where positions are.
fn packed_normal(normal: Vec3, grain: f32) -> u16 {
    let step = if grain > 2.0 { 12.0 } else { 3.0 };
    let turn = |radians: f32| ((radians / TAU * 255.0 / step).round() * step) as i32 as u16 & 255;
    let unit = normal.normalize_or_zero();
    if unit.x.abs() < 1e-4 && unit.y.abs() < 1e-4 {
        return if unit.z >= 0.0 { 0 } else { 128 };
    }
    let latitude = turn(libm::atan2f(unit.y, unit.x));
    let longitude = turn(libm::acosf(unit.z.clamp(-1.0, 1.0)));
    latitude << 8 | longitude
}

fn put(out: &mut Vec<u8>, number: usize) {
    out.extend((number as u32).to_le_bytes());
}

fn put_vector(out: &mut Vec<u8>, vector: Vec3) {
    out.extend(vector.to_array().iter().flat_map(|axis| axis.to_le_bytes()));
}

fn put_text(out: &mut Vec<u8>, text: &str, size: usize) {
    let mut bytes = text.as_bytes().to_vec();
    bytes.truncate(size - 1);
    bytes.resize(size, 0);
    out.extend(bytes);
}
