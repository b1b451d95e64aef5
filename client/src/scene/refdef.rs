//! Refdef: a camera and everything that it sees.

use super::{DynamicLight, Polys, RefEntity};
use glam::Vec3;

/// One view of the world (or of a model without a world) into a rectangle of the frame.
#[derive(Clone, Debug)]
pub struct Refdef {
    /// Left, top, width, height in pixels of the frame.
    pub viewport: [f32; 4],
    /// Degrees.
    pub fov_x: f32,
    /// Degrees.
    pub fov_y: f32,
    pub eye: Vec3,
    /// Forward, left and up; orthonormal.
    pub axis: [Vec3; 3],
    /// Milliseconds of server time; animates materials.
    pub time_msec: i32,
    /// False for heads and icons in the HUD, which have no map around them.
    pub has_world: bool,
    /// Between two places: nothing is drawn but a grey that follows the time.
    pub hyperspace: bool,
    /// A set bit marks an area that cannot be seen.
    pub area_mask: [u8; 32],
    pub entities: Vec<RefEntity>,
    pub lights: Vec<DynamicLight>,
    pub polys: Polys,
}

impl Default for Refdef {
    /// The map from its middle along the first axis, with nothing in it.
    fn default() -> Self {
        Self {
            viewport: [0.0; 4],
            fov_x: 90.0,
            fov_y: 90.0,
            eye: Vec3::ZERO,
            axis: [Vec3::X, Vec3::Y, Vec3::Z],
            time_msec: 0,
            has_world: true,
            hyperspace: false,
            area_mask: [0; 32],
            entities: Vec::new(),
            lights: Vec::new(),
            polys: Polys::default(),
        }
    }
}

impl Refdef {
    /// Where in the frame a place is seen, in pixels; `None` if it is not before the eye.
    pub fn project(&self, place: Vec3) -> Option<[f32; 2]> {
        const NEAREST: f32 = 4.0;
        let way = place - self.eye;
        let [ahead, left, up] = self.axis.map(|axis| way.dot(axis));
        if ahead < NEAREST {
            return None;
        }
        let [x, y, width, height] = self.viewport;
        let edge = |fov: f32| ahead * libm::tanf(fov.to_radians() * 0.5);
        Some([
            x + width * 0.5 * (1.0 - left / edge(self.fov_x)),
            y + height * 0.5 * (1.0 - up / edge(self.fov_y)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_seen_where_they_are_drawn() {
        let view = Refdef {
            viewport: [10.0, 20.0, 640.0, 480.0],
            fov_y: 73.739_79,
            eye: Vec3::new(100.0, 0.0, 0.0),
            ..Refdef::default()
        };
        let at = |x: f32, y: f32, z: f32| view.project(Vec3::new(100.0 + x, y, z));
        assert_eq!(at(50.0, 0.0, 0.0), Some([330.0, 260.0]));
        let [x, y] = at(50.0, 50.0, 37.5).expect("the corner is before the eye");
        assert!(
            (x - 10.0).abs() < 0.01 && (y - 20.0).abs() < 0.01,
            "{x} {y}"
        );
        assert_eq!(at(-50.0, 0.0, 0.0), None);
    }
}
