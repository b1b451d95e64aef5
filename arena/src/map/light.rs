//! Baked light: how bright each luxel and the air is by lamps, sky and sun, and by what comes back from what they light.

use super::Part;
use super::carve::Carved;
use super::face::Face;
use super::geometry::{area, extent};
use super::lightmap::{Baked, PAGE, Placement, Rect, curve_luxels, luxels};
use super::source::Sun;
use super::visibility::Visibility;
use crate::materials::{TABLE, id};
use glam::Vec3;
use shared::{
    cm::{ClipMap, Sweep},
    types::trace::Trace,
};

/// Emitting faces are taken as points of about this size.
const SPOT: f32 = 32.0;
/// Those of the sky, and what lit surfaces send back, are coarser.
const SKY_SPOT: f32 = 128.0;
/// Luxels of a lit surface that send back together, along each side.
const BLOCK: usize = 8;
/// Of so many luxels along each side one asks what comes back from others.
const STRIDE: usize = 4;
/// What a square unit that glows fully gives.
const GLOW: f32 = 3300.0;
/// The same of the sky.
const SKY: Vec3 = Vec3::new(30.0, 40.0, 58.0);
/// What is everywhere.
const AMBIENT: Vec3 = Vec3::new(2.6, 3.0, 3.6);
/// How much of a room's light is left after it came back twice and more.
const REST: f32 = 0.24;
/// Less light than this of one lamp, or of one block that sends back, is not looked for.
const LEAST: f32 = 0.12;
const LEAST_BACK: f32 = 0.025;
/// Farther than any map.
const FAR: f32 = 8192.0;

/// What light moves through.
pub(crate) struct Surroundings<'a> {
    pub carved: &'a Carved,
    pub visibility: &'a Visibility,
    pub solid: &'a ClipMap,
    pub sun: Option<Sun>,
    pub cell: Vec3,
}

struct Emitter {
    at: Vec3,
    normal: Vec3,
    power: Vec3,
}

/// Emitters, and for each cluster (and at the end for what is in none) those that may shine into it.
struct Emitters {
    all: Vec<Emitter>,
    of_cluster: Vec<Vec<usize>>,
    least: f32,
}

/// A surface whose luxels receive light.
struct Receiver {
    rect: Rect,
    luxels: Vec<(Vec3, Vec3)>,
    room: Option<usize>,
    size: f32,
    albedo: Vec3,
    /// What came from lamps, sky and sun; nothing for luxels inside something solid.
    direct: Vec<Option<Vec3>>,
}

/// Bakes all surfaces and the air.
pub(crate) fn bake(parts: &[Part], placement: &Placement, around: &Surroundings) -> Baked {
    let faces = parts.iter().flat_map(|part| &part.faces);
    let lamps: Vec<Emitter> = faces.flat_map(emitters_of).collect();
    let lamps = Emitters::new(lamps, LEAST, around);
    let mut receivers = receivers(parts, placement, around);
    for receiver in &mut receivers {
        let lit = |&(at, normal): &(Vec3, Vec3)| {
            let is_buried = around.trace(at, at).start_solid;
            (!is_buried).then(|| {
                around.received(at, Some(normal), &lamps).0 + around.sunlight(at, Some(normal))
            })
        };
        receiver.direct = receiver.luxels.iter().map(lit).collect();
    }
    let back = receivers.iter().flat_map(|receiver| receiver.sends_back());
    let back = Emitters::new(back.collect(), LEAST_BACK, around);
    let fill = fill_of_rooms(&receivers, around.carved.rooms());
    let filled = |room: Option<usize>| room.map_or(AMBIENT, |room| fill[room]);
    let mut pages = vec![0; placement.pages() * PAGE * PAGE * 3];
    for receiver in &receivers {
        let indirect = receiver.indirect(&back, around);
        let soft = receiver.softened(&indirect);
        let rect = &receiver.rect;
        for (number, light) in soft.iter().enumerate() {
            let (x, y) = (number % rect.width as usize, number / rect.width as usize);
            let row = rect.page as usize * PAGE + rect.y as usize + y;
            let at = (row * PAGE + rect.x as usize + x) * 3;
            let color = stored(*light + filled(receiver.room));
            pages[at..at + 3].copy_from_slice(&color);
        }
    }
    let grid = bake_grid(parts, [&lamps, &back], around, filled);
    Baked { pages, grid }
}

fn receivers(parts: &[Part], placement: &Placement, around: &Surroundings) -> Vec<Receiver> {
    let mut receivers = Vec::new();
    let mut add = |rect: Rect, luxels: Vec<(Vec3, Vec3)>, size: f32, material: usize| {
        let middle = luxels.get((rect.height / 2 * rect.width + rect.width / 2) as usize);
        let room = middle.and_then(|(at, _)| around.carved.room_at(*at));
        receivers.push(Receiver {
            rect,
            luxels,
            room,
            size,
            albedo: Vec3::from_array(TABLE[material].albedo),
            direct: Vec::new(),
        });
    };
    for (number, part) in parts.iter().enumerate() {
        let moved = |(at, normal): (Vec3, Vec3)| (at + part.origin, normal);
        for (at, face) in part.faces.iter().enumerate() {
            if let Some(placed) = placement.face(number, at) {
                let luxels = luxels(face, placed).map(moved).collect();
                add(placed.rect, luxels, area(&face.winding), face.material);
            }
        }
        for (at, curve) in part.curves.iter().enumerate() {
            if let Some(rect) = placement.curve(number, at) {
                let luxels = curve_luxels(curve, rect).map(moved).collect();
                let [width, height] = curve.lengths();
                add(*rect, luxels, width * height, curve.material);
            }
        }
    }
    receivers
}

/// What each room gets on average, times what is left of it later.
fn fill_of_rooms(receivers: &[Receiver], rooms: usize) -> Vec<Vec3> {
    let mut sums = vec![(Vec3::ZERO, 0.0); rooms];
    for receiver in receivers {
        if let Some(room) = receiver.room {
            let lit: Vec<Vec3> = receiver.direct.iter().flatten().copied().collect();
            let mean = lit.iter().copied().sum::<Vec3>() / lit.len().max(1) as f32;
            sums[room].0 += mean * receiver.size;
            sums[room].1 += receiver.size;
        }
    }
    sums.iter()
        .map(|(sum, size)| AMBIENT + *sum / f32::max(*size, 1.0) * REST)
        .collect()
}

impl Emitters {
    fn new(all: Vec<Emitter>, least: f32, around: &Surroundings) -> Self {
        let clusters = around.carved.clusters();
        let homes: Vec<_> = all
            .iter()
            .map(|emitter| around.carved.cluster_at(emitter.at))
            .collect();
        let of_cluster = (0..=clusters).map(|cluster| {
            let cluster = (cluster < clusters).then_some(cluster);
            let shines = |&number: &usize| around.visibility.sees(cluster, homes[number]);
            (0..all.len()).filter(shines).collect()
        });
        Self {
            of_cluster: of_cluster.collect(),
            all,
            least,
        }
    }
}

impl Surroundings<'_> {
    fn trace(&self, start: Vec3, end: Vec3) -> Trace {
        self.solid.trace(&Sweep {
            start,
            end,
            mins: Vec3::ZERO,
            maxs: Vec3::ZERO,
            mask: 1,
        })
    }

    fn is_free(&self, from: Vec3, to: Vec3) -> bool {
        let trace = self.trace(from, to);
        trace.fraction >= 1.0 && !trace.start_solid
    }

    /// The light that arrives at a point, and from where most of it comes; of a surface's point only what shines onto it.
    fn received(&self, at: Vec3, normal: Option<Vec3>, emitters: &Emitters) -> (Vec3, Vec3) {
        let (mut sum, mut from) = (Vec3::ZERO, Vec3::ZERO);
        let carved = self.carved;
        let cluster = carved.cluster_at(at).unwrap_or(carved.clusters());
        for &number in &emitters.of_cluster[cluster] {
            let emitter = &emitters.all[number];
            let way = emitter.at - at;
            let squared = way.length_squared().max(64.0);
            let direction = way / way.length().max(1e-6);
            let facing = normal.map_or(1.0, |normal| normal.dot(direction));
            let leaving = -emitter.normal.dot(direction);
            if facing <= 0.0 || leaving <= 0.0 {
                continue;
            }
            let light = emitter.power * (facing * leaving / (std::f32::consts::PI * squared));
            if light.max_element() < emitters.least || !self.is_free(at, emitter.at) {
                continue;
            }
            sum += light;
            from += direction * light.element_sum();
        }
        (sum, from)
    }

    /// What the sun gives a point that it reaches.
    fn sunlight(&self, at: Vec3, normal: Option<Vec3>) -> Vec3 {
        const SURF_SKY: u32 = 4;
        let Some(sun) = self.sun else {
            return Vec3::ZERO;
        };
        let facing = normal.map_or(1.0, |normal| normal.dot(sun.towards));
        if facing <= 0.0 {
            return Vec3::ZERO;
        }
        let trace = self.trace(at, at + sun.towards * FAR);
        if trace.start_solid || trace.fraction >= 1.0 || trace.surface_flags & SURF_SKY == 0 {
            return Vec3::ZERO;
        }
        sun.color * facing
    }
}

impl Receiver {
    /// What it sends back of the light that it got, in blocks.
    fn sends_back(&self) -> impl Iterator<Item = Emitter> + '_ {
        let (width, height) = (self.rect.width as usize, self.rect.height as usize);
        let share = self.size / self.luxels.len().max(1) as f32;
        let blocks = (0..height)
            .step_by(BLOCK)
            .flat_map(move |y| (0..width).step_by(BLOCK).map(move |x| (x, y)));
        blocks.filter_map(move |(x, y)| {
            let (mut at, mut normal, mut light, mut count) =
                (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO, 0.0);
            for v in y..(y + BLOCK).min(height) {
                for u in x..(x + BLOCK).min(width) {
                    let number = u + v * width;
                    if let Some(direct) = self.direct[number] {
                        at += self.luxels[number].0;
                        normal += self.luxels[number].1;
                        light += direct;
                        count += 1.0;
                    }
                }
            }
            (count > 0.0 && light.max_element() > 0.0).then(|| Emitter {
                at: at / count,
                normal: normal.normalize_or_zero(),
                power: light * self.albedo * share,
            })
        })
    }

    /// What comes back to it from others: asked at some luxels, between them in proportion.
    fn indirect(&self, back: &Emitters, around: &Surroundings) -> Vec<Vec3> {
        let (width, height) = (self.rect.width as usize, self.rect.height as usize);
        let count = |side: usize| (side - 1).div_ceil(STRIDE) + 1;
        let (columns, rows) = (count(width), count(height));
        let asked: Vec<Option<Vec3>> = (0..columns * rows)
            .map(|number| {
                let x = (number % columns * STRIDE).min(width - 1);
                let y = (number / columns * STRIDE).min(height - 1);
                let number = x + y * width;
                self.direct[number]?;
                let (at, normal) = self.luxels[number];
                Some(around.received(at, Some(normal), back).0)
            })
            .collect();
        let between = |at: usize, side: usize| {
            let first = (at / STRIDE * STRIDE).min(side - 1);
            let last = (first + STRIDE).min(side - 1);
            (
                at / STRIDE,
                (at - first) as f32 / (last - first).max(1) as f32,
            )
        };
        (0..width * height)
            .map(|number| {
                let (x, u) = between(number % width, width);
                let (y, v) = between(number / width, height);
                let (mut sum, mut weight) = (Vec3::ZERO, 0.0);
                for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                    let (column, row) = ((x + i).min(columns - 1), (y + j).min(rows - 1));
                    let share = |k: usize, at: f32| if k == 0 { 1.0 - at } else { at };
                    if let Some(light) = asked[column + row * columns] {
                        let share = share(i, u) * share(j, v) + 1e-4;
                        sum += light * share;
                        weight += share;
                    }
                }
                sum / f32::max(weight, 1e-4)
            })
            .collect()
    }

    /// The mean of each luxel and its neighbours, so that edges of shadows are soft; what is inside something solid takes
    /// part in nothing and is filled from around it.
    fn softened(&self, indirect: &[Vec3]) -> Vec<Vec3> {
        const REACH: usize = 3;
        let (width, height) = (self.rect.width as usize, self.rect.height as usize);
        let mean = |x: usize, y: usize, reach: usize| {
            let (mut sum, mut weight) = (Vec3::ZERO, 0.0);
            for v in y.saturating_sub(reach)..(y + reach + 1).min(height) {
                for u in x.saturating_sub(reach)..(x + reach + 1).min(width) {
                    if let Some(light) = self.direct[u + v * width] {
                        let share = if (u, v) == (x, y) { 2.0 } else { 1.0 };
                        sum += light * share;
                        weight += share;
                    }
                }
            }
            (weight > 0.0).then(|| sum / weight)
        };
        (0..width * height)
            .map(|number| {
                let (x, y) = (number % width, number / width);
                let direct = mean(x, y, 1).or_else(|| mean(x, y, REACH));
                direct.unwrap_or_default() + indirect[number]
            })
            .collect()
    }
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
    let (glow, spot) = match face.material {
        id::SKY => (SKY, SKY_SPOT),
        _ => (glow, SPOT),
    };
    if glow == Vec3::ZERO {
        return Vec::new();
    }
    let (low, high) = extent(&face.winding);
    let counts = (high - low)
        .to_array()
        .map(|size| (size / spot).ceil().max(1.0) as usize);
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
                let at = low + (high - low) * share + face.plane.normal;
                emitters.push(Emitter {
                    at,
                    normal: face.plane.normal,
                    power,
                });
            }
        }
    }
    emitters
}

fn bake_grid(
    parts: &[Part],
    [lamps, back]: [&Emitters; 2],
    around: &Surroundings,
    fill: impl Fn(Option<usize>) -> Vec3,
) -> Vec<u8> {
    let Some(world) = parts.first() else {
        return Vec::new();
    };
    let bounds = world.brushes.iter().map(|brush| (brush.mins, brush.maxs));
    let (low, high) = bounds
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        .unwrap_or_default();
    let first = (low / around.cell).ceil();
    let counts = ((high / around.cell).floor() - first + 1.0)
        .to_array()
        .map(|n| n.max(0.0) as usize);
    let mut bytes = Vec::with_capacity(counts.iter().product::<usize>() * 8);
    for z in 0..counts[2] {
        for y in 0..counts[1] {
            for x in 0..counts[0] {
                let cell = Vec3::new(x as f32, y as f32, z as f32);
                let at = (first + cell) * around.cell;
                if around.trace(at, at).start_solid {
                    bytes.extend([0; 8]);
                    continue;
                }
                let (light, from) = around.received(at, None, lamps);
                let sun = around.sunlight(at, None);
                let towards = around.sun.map_or(Vec3::ZERO, |sun| sun.towards);
                let from = from + towards * sun.element_sum();
                let light = light + sun;
                let returned = around.received(at, None, back).0 * 0.5;
                let ambient = fill(around.carved.room_at(at)) + returned + light * 0.25;
                bytes.extend(stored(ambient.max(Vec3::ONE)));
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
