//! Light: the map's stored brightness, the light grid, and how an entity is lit.

use crate::scene::DynamicLight;
use glam::Vec3;
use shared::formats::bsp::Bsp;
use shared::formats::mapents;
use shared::formats::wave::direction_from_bytes;

/// How far stored light is shifted up: maps are compiled for a display with two more bits.
const STORED_SHIFT: u32 = 2;
const AMBIENT_SCALE: f32 = 0.6;
const DEFAULT_CELL: Vec3 = Vec3::new(64.0, 64.0, 128.0);
/// Ambient light that every entity gets on top, in color bytes.
const MINIMUM: f32 = 32.0;
/// What lights entities where there is no grid, in color bytes.
const WITHOUT_GRID: f32 = 150.0;

/// A stored color at its real brightness, keeping the hue where it is too bright to be shown.
pub fn shift_color([r, g, b]: [u8; 3]) -> [u8; 3] {
    let color = [r, g, b].map(|c| u32::from(c) << STORED_SHIFT);
    let brightest = color[0].max(color[1]).max(color[2]);
    color.map(|c| if brightest > 255 { c * 255 / brightest } else { c } as u8)
}

/// Light at a point, in color bytes as numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointLight {
    pub ambient: Vec3,
    pub directed: Vec3,
    /// Towards the light; zero if unknown.
    pub direction: Vec3,
}

/// Samples of light on a regular grid through the map.
#[derive(Clone, Debug)]
pub struct LightGrid {
    origin: Vec3,
    cell: Vec3,
    count: [i32; 3],
    samples: Vec<Sample>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    ambient: [u8; 3],
    directed: [u8; 3],
    direction: Vec3,
}

impl LightGrid {
    /// `None` if the map has no grid, or one of the wrong size.
    pub fn new(bsp: &Bsp) -> Option<Self> {
        let cell = mapents::parse(&bsp.entities)
            .ok()
            .and_then(|entities| entities.first()?.vector("gridsize"))
            .filter(|cell| cell.cmpgt(Vec3::ZERO).all())
            .unwrap_or(DEFAULT_CELL);
        let world = bsp.models.first()?;
        let origin = cell * (world.mins / cell).ceil();
        let last = cell * (world.maxs / cell).floor();
        let count = ((last - origin) / cell)
            .to_array()
            .map(|steps| (steps as i32).saturating_add(1));
        let wanted: i128 = count.iter().map(|&count| i128::from(count)).product();
        if count.iter().any(|&count| count < 1) || bsp.light_grid.len() as i128 != wanted {
            return None;
        }
        let samples = bsp
            .light_grid
            .iter()
            .map(|s| Sample {
                ambient: shift_color([s[0], s[1], s[2]]),
                directed: shift_color([s[3], s[4], s[5]]),
                direction: direction_from_bytes(s[7], s[6]),
            })
            .collect();
        Some(Self {
            origin,
            cell,
            count,
            samples,
        })
    }

    pub fn sample(&self, point: Vec3) -> PointLight {
        let at = (point - self.origin) / self.cell;
        let fraction = at - at.floor();
        let floor = at.floor().to_array();
        let base: [i32; 3] =
            std::array::from_fn(|axis| (floor[axis] as i32).clamp(0, self.count[axis] - 1));
        let mut light = PointLight::default();
        let mut total = 0.0;
        for corner in 0..8 {
            let step = [corner & 1, corner >> 1 & 1, corner >> 2];
            let [x, y, z] = std::array::from_fn(|axis| base[axis] + step[axis]);
            if x >= self.count[0] || y >= self.count[1] || z >= self.count[2] {
                continue;
            }
            let sample = self.samples[(x + self.count[0] * (y + self.count[1] * z)) as usize];
            if sample.ambient == [0; 3] {
                // Inside a wall.
                continue;
            }
            let weight_along = |axis: usize| {
                if step[axis] == 1 {
                    fraction[axis]
                } else {
                    1.0 - fraction[axis]
                }
            };
            let weight = weight_along(0) * weight_along(1) * weight_along(2);
            total += weight;
            light.ambient += weight * Vec3::from(sample.ambient.map(f32::from));
            light.directed += weight * Vec3::from(sample.directed.map(f32::from));
            light.direction += weight * sample.direction;
        }
        if total > 0.0 && total < 0.99 {
            light.ambient /= total;
            light.directed /= total;
        }
        light.ambient *= AMBIENT_SCALE;
        light.direction = light.direction.normalize_or_zero();
        light
    }
}

/// The light on an entity at `point`: grid and dynamic lights together; the direction is in world space.
pub fn entity_light(grid: Option<&LightGrid>, point: Vec3, lights: &[DynamicLight]) -> PointLight {
    let mut light = match grid {
        Some(grid) => grid.sample(point),
        None => PointLight {
            ambient: Vec3::splat(WITHOUT_GRID),
            directed: Vec3::splat(WITHOUT_GRID),
            direction: Vec3::new(0.45, 0.3, 0.9).normalize(),
        },
    };
    light.ambient += MINIMUM;
    let mut towards = light.direction * light.directed.length();
    for dynamic in lights {
        let offset = dynamic.origin - point;
        let distance = offset.length().max(16.0);
        let power = 16.0 * dynamic.radius * dynamic.radius / (distance * distance);
        light.directed += power * Vec3::from(dynamic.color);
        towards += power * offset.normalize_or_zero();
    }
    light.ambient = light.ambient.min(Vec3::splat(255.0));
    light.direction = towards.normalize_or_zero();
    light
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::formats::bsp::Model;

    fn map(mins: Vec3, maxs: Vec3) -> Bsp {
        let world = Model {
            mins,
            maxs,
            surfaces: Default::default(),
            brushes: Default::default(),
        };
        Bsp {
            models: vec![world],
            ..Bsp::default()
        }
    }

    #[test]
    fn too_bright_colors_keep_their_hue() {
        assert_eq!(shift_color([10, 20, 30]), [40, 80, 120]);
        assert_eq!(shift_color([255, 128, 0]), [255, 128, 0]);
        assert_eq!(shift_color([64, 64, 64]), [255, 255, 255]);
    }

    #[test]
    fn a_world_that_is_too_large_for_any_grid_has_none() {
        let mut bsp = map(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));
        bsp.light_grid = vec![[10; 8]];
        for size in [f32::MAX, 1e38, 1e12, -1e12, f32::INFINITY, f32::NAN] {
            bsp.models[0].maxs = Vec3::splat(size);
            if let Some(grid) = LightGrid::new(&bsp) {
                grid.sample(Vec3::ZERO);
            }
            bsp.models[0].mins = Vec3::splat(-size);
        }
        bsp.models[0].mins = Vec3::splat(-1e12);
        bsp.models[0].maxs = Vec3::splat(1e12);
        assert!(LightGrid::new(&bsp).is_none());
    }

    #[test]
    fn the_grid_is_sampled_between_its_points() {
        let mut bsp = map(Vec3::ZERO, Vec3::new(64.0, 0.0, 0.0));
        bsp.light_grid = vec![[10, 10, 10, 0, 0, 0, 0, 0], [20, 20, 20, 0, 0, 0, 0, 0]];
        let grid = LightGrid::new(&bsp).unwrap();
        let ambient = |x: f32| grid.sample(Vec3::new(x, 0.0, 0.0)).ambient.x / AMBIENT_SCALE;
        assert!((ambient(0.0) - 40.0).abs() < 0.01);
        assert!((ambient(32.0) - 60.0).abs() < 0.01);
        assert!((ambient(64.0) - 80.0).abs() < 0.01);
    }
}
