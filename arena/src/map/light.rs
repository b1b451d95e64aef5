//! Baked light: where each face lies on the lightmaps, how bright it is there, and how bright the air is.

use super::brush::Brush;
use super::build::{Carved, Face};
use super::geometry::{area, middle};
use crate::materials::{TABLE, id};
use glam::Vec3;
use shared::cm::{ClipMap, Sweep};

/// Luxels of a page along each side.
const PAGE: usize = 128;
/// Units of the map for a luxel, where a face is not too large for that.
const LUXEL: f32 = 16.0;
/// The most luxels of a face along a side.
const MAX_SIDE: usize = 126;
/// Emitting faces are taken as points of about this size.
const PATCH: f32 = 64.0;
/// What a square unit that glows fully gives.
const GLOW: f32 = 2600.0;
/// The same of the sky.
const SKY: Vec3 = Vec3::new(55.0, 68.0, 88.0);
/// What is everywhere.
const AMBIENT: Vec3 = Vec3::new(7.0, 8.0, 9.0);
/// How much of a room's light comes back from its walls.
const BOUNCE: f32 = 0.55;
/// Less light than this of one emitter is not looked for.
const LEAST: f32 = 0.2;
/// Cells of the light grid.
const CELL: Vec3 = Vec3::new(64.0, 64.0, 128.0);

/// Where a face lies on the lightmaps.
#[derive(Clone, Debug)]
pub struct Placed {
    pub page: i32,
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
    /// The first luxel in the world, and the way to the next along and down.
    pub origin: Vec3,
    pub axes: (Vec3, Vec3),
    /// Units of a luxel.
    step: f32,
    /// The two axes of the world along which luxels lie.
    along: [usize; 2],
    least: [f32; 2],
}

/// The bytes of the lightmaps and of the light grid.
#[derive(Clone, Debug, Default)]
pub struct Baked {
    pub pages: Vec<u8>,
    pub grid: Vec<u8>,
}

struct Emitter {
    at: Vec3,
    normal: Vec3,
    power: Vec3,
}

impl Placed {
    /// Where a point of the face lies on its page.
    pub fn st(&self, point: Vec3) -> [f32; 2] {
        let at = |k: usize| (point[self.along[k]] - self.least[k]) / self.step + 0.5;
        [
            (self.x as f32 + at(0)) / PAGE as f32,
            (self.y as f32 + at(1)) / PAGE as f32,
        ]
    }
}

/// Gives each face its place, in shelves from page to page.
pub fn place<'a>(faces: impl Iterator<Item = &'a Face>) -> Vec<Placed> {
    let (mut page, mut x, mut y, mut shelf) = (0, 0, 0, 0);
    faces
        .map(|face| {
            let a = face.plane.normal.abs();
            let drop = (0..3).fold(0, |best, axis| if a[axis] > a[best] { axis } else { best });
            let along = match drop {
                0 => [1, 2],
                1 => [0, 2],
                _ => [0, 1],
            };
            let low = face
                .winding
                .iter()
                .fold(Vec3::INFINITY, |low, &p| low.min(p));
            let high = face
                .winding
                .iter()
                .fold(Vec3::NEG_INFINITY, |high, &p| high.max(p));
            let mut step = LUXEL;
            let count =
                |k: usize, step: f32| ((high[along[k]] - low[along[k]]) / step).ceil() as usize + 1;
            while count(0, step).max(count(1, step)) > MAX_SIDE {
                step *= 2.0;
            }
            let (width, height) = (count(0, step), count(1, step));
            if x + width > PAGE {
                (x, y, shelf) = (0, y + shelf, 0);
            }
            if y + height > PAGE {
                (page, x, y, shelf) = (page + 1, 0, 0, 0);
            }
            let mut axes = (Vec3::ZERO, Vec3::ZERO);
            (axes.0[along[0]], axes.1[along[1]]) = (step, step);
            let mut origin = low;
            origin[drop] = face.plane.dist * face.plane.normal[drop].signum();
            let placed = Placed {
                page,
                x: x as i32,
                y: y as i32,
                width: width as i32,
                height: height as i32,
                origin,
                axes,
                step,
                along,
                least: [low[along[0]], low[along[1]]],
            };
            x += width;
            shelf = shelf.max(height);
            placed
        })
        .collect()
}

/// Bakes all faces and the air.
pub fn bake(
    parts: &[(&[Brush], &[Face])],
    places: &mut [Placed],
    carved: &Carved,
    map: &ClipMap,
) -> Baked {
    let faces: Vec<&Face> = parts.iter().flat_map(|(_, faces)| faces.iter()).collect();
    let emitters: Vec<Emitter> = faces.iter().flat_map(|face| emitters_of(face)).collect();
    let rooms = carved.rooms();
    // Light that comes straight, and what each room gets of it on average.
    let mut direct: Vec<Vec<Vec3>> = Vec::new();
    let mut sums = vec![(Vec3::ZERO, 0.0); rooms];
    let mut room_of = Vec::new();
    for (face, place) in faces.iter().zip(places.iter()) {
        let room = carved.room_at(middle(&face.winding) + face.plane.normal);
        let lit: Vec<Vec3> = samples(face, place)
            .map(|at| received(at, Some(face.plane.normal), &emitters, map).0)
            .collect();
        if let Some(room) = room {
            let mean = lit.iter().copied().sum::<Vec3>() / lit.len().max(1) as f32;
            let size = area(&face.winding);
            sums[room].0 += mean * size;
            sums[room].1 += size;
        }
        room_of.push(room);
        direct.push(lit);
    }
    let fill: Vec<Vec3> = sums
        .iter()
        .map(|(sum, size)| AMBIENT + *sum / size.max(1.0) * BOUNCE)
        .collect();
    let filled = |room: Option<usize>| room.map_or(AMBIENT, |room| fill[room]);
    let pages = places.iter().map(|place| place.page + 1).max().unwrap_or(0) as usize;
    let mut bytes = vec![0; pages * PAGE * PAGE * 3];
    for ((place, lit), room) in places.iter().zip(&direct).zip(&room_of) {
        let (width, height) = (place.width as usize, place.height as usize);
        let soft = soften(lit, width, height);
        for (number, light) in soft.iter().enumerate() {
            let (x, y) = (number % width, number / width);
            let at =
                (place.page as usize * PAGE + place.y as usize + y) * PAGE + place.x as usize + x;
            let color = stored(*light + filled(*room));
            bytes[at * 3..at * 3 + 3].copy_from_slice(&color);
        }
    }
    let grid = bake_grid(parts, &emitters, map, |point| filled(carved.room_at(point)));
    Baked { pages: bytes, grid }
}

/// Whatever is brighter than a byte keeps its colour.
fn stored(light: Vec3) -> [u8; 3] {
    let light = light * (255.0 / light.max_element().max(255.0));
    light
        .to_array()
        .map(|part| part.round().clamp(0.0, 255.0) as u8)
}

fn emitters_of(face: &Face) -> Vec<Emitter> {
    let material = &TABLE[face.material];
    let glow = Vec3::from_array(material.glow) * GLOW;
    let glow = if face.material == id::SKY { SKY } else { glow };
    if glow == Vec3::ZERO {
        return Vec::new();
    }
    let low = face
        .winding
        .iter()
        .fold(Vec3::INFINITY, |low, &p| low.min(p));
    let high = face
        .winding
        .iter()
        .fold(Vec3::NEG_INFINITY, |high, &p| high.max(p));
    let counts = (high - low)
        .to_array()
        .map(|size| (size / PATCH).ceil().max(1.0) as usize);
    let total = counts.iter().product::<usize>().max(1);
    let power = glow * area(&face.winding) / total as f32;
    let mut emitters = Vec::new();
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                let share = Vec3::new(
                    (x as f32 + 0.5) / counts[0] as f32,
                    (y as f32 + 0.5) / counts[1] as f32,
                    (z as f32 + 0.5) / counts[2] as f32,
                );
                emitters.push(Emitter {
                    at: low + (high - low) * share + face.plane.normal,
                    normal: face.plane.normal,
                    power,
                });
            }
        }
    }
    emitters
}

/// The points of a face's luxels, moved inside where they lie on its edge.
fn samples<'a>(face: &'a Face, place: &'a Placed) -> impl Iterator<Item = Vec3> + 'a {
    let low = face
        .winding
        .iter()
        .fold(Vec3::INFINITY, |low, &p| low.min(p));
    let high = face
        .winding
        .iter()
        .fold(Vec3::NEG_INFINITY, |high, &p| high.max(p));
    let center = middle(&face.winding);
    (0..place.width * place.height).map(move |number| {
        let (x, y) = (number % place.width, number / place.width);
        let mut at = center;
        for (k, step) in [(0, x), (1, y)] {
            let axis = place.along[k];
            let inset = 1.0_f32.min((high[axis] - low[axis]) / 2.0);
            let wanted = place.least[k] + step as f32 * place.step;
            at[axis] = wanted.clamp(low[axis] + inset, high[axis] - inset);
        }
        // Back onto the plane along the axis that luxels do not lie on.
        let drop = 3 - place.along[0] - place.along[1];
        let normal = face.plane.normal;
        at[drop] += -face.plane.distance(at) / normal[drop];
        at + normal
    })
}

/// The light that arrives at a point, and from where most of it comes; of a surface's point only what shines onto it.
fn received(at: Vec3, normal: Option<Vec3>, emitters: &[Emitter], map: &ClipMap) -> (Vec3, Vec3) {
    let (mut sum, mut from) = (Vec3::ZERO, Vec3::ZERO);
    for emitter in emitters {
        let way = emitter.at - at;
        let squared = way.length_squared().max(64.0);
        let direction = way / way.length().max(1e-6);
        let facing = normal.map_or(1.0, |normal| normal.dot(direction));
        let leaving = -emitter.normal.dot(direction);
        if facing <= 0.0 || leaving <= 0.0 {
            continue;
        }
        let light = emitter.power * (facing * leaving / (std::f32::consts::PI * squared));
        if light.max_element() < LEAST || !is_free(at, emitter.at, map) {
            continue;
        }
        sum += light;
        from += direction * light.element_sum();
    }
    (sum, from)
}

fn is_free(from: Vec3, to: Vec3, map: &ClipMap) -> bool {
    let sweep = Sweep {
        start: from,
        end: to,
        mins: glam::Vec3::ZERO,
        maxs: glam::Vec3::ZERO,
        mask: 1,
    };
    let trace = map.trace(&sweep);
    trace.fraction >= 1.0 && !trace.start_solid
}

/// The mean of each luxel and its neighbours, so that edges of shadows are soft.
fn soften(lit: &[Vec3], width: usize, height: usize) -> Vec<Vec3> {
    let mut soft = Vec::with_capacity(lit.len());
    for y in 0..height {
        for x in 0..width {
            let (mut sum, mut weight) = (Vec3::ZERO, 0.0);
            for v in y.saturating_sub(1)..(y + 2).min(height) {
                for u in x.saturating_sub(1)..(x + 2).min(width) {
                    let share = if (u, v) == (x, y) { 2.0 } else { 1.0 };
                    sum += lit[u + v * width] * share;
                    weight += share;
                }
            }
            soft.push(sum / weight);
        }
    }
    soft
}

fn bake_grid(
    parts: &[(&[Brush], &[Face])],
    emitters: &[Emitter],
    map: &ClipMap,
    fill: impl Fn(Vec3) -> Vec3,
) -> Vec<u8> {
    let Some((world, _)) = parts.first() else {
        return Vec::new();
    };
    let low = world
        .iter()
        .fold(Vec3::INFINITY, |low, brush| low.min(brush.mins));
    let high = world
        .iter()
        .fold(Vec3::NEG_INFINITY, |high, brush| high.max(brush.maxs));
    let first = (low / CELL).ceil();
    let counts = ((high / CELL).floor() - first + 1.0)
        .to_array()
        .map(|n| n.max(0.0) as usize);
    let mut bytes = Vec::with_capacity(counts.iter().product::<usize>() * 8);
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                let cell = Vec3::new(x as f32, y as f32, z as f32);
                let at = (first + cell) * CELL;
                let sweep_is_solid = !is_free(at, at, map);
                if sweep_is_solid {
                    bytes.extend([0; 8]);
                    continue;
                }
                let (light, from) = received(at, None, emitters, map);
                bytes.extend(stored(fill(at) + light * 0.25));
                bytes.extend(stored(light));
                bytes.extend(direction(from));
            }
        }
    }
    bytes
}

/// A direction as longitude and latitude in 256ths of a turn.
fn direction(from: Vec3) -> [u8; 2] {
    let from = from.try_normalize().unwrap_or(Vec3::Z);
    let turn = 255.0 / std::f32::consts::TAU;
    let lng = libm::acosf(from.z.clamp(-1.0, 1.0)) * turn;
    let lat = libm::atan2f(from.y, from.x) * turn;
    [lng.round() as i32 as u8, lat.round() as i32 as u8]
}
