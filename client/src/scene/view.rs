//! A camera and everything that it sees.

use super::{DynamicLight, Entity, Poly};
use glam::Vec3;

/// One view of the world (or of a model without a world) into a rectangle of the frame.
#[derive(Clone, Debug)]
pub struct View {
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
    pub entities: Vec<Entity>,
    pub lights: Vec<DynamicLight>,
    pub polys: Vec<Poly>,
}
