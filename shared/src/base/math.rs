//! Angles, axes and lengths on top of glam, rounded the way the reference rounds them.

use glam::Vec3;

/// Three directions at right angles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes {
    /// Where it points.
    pub forward: Vec3,
    /// To its right.
    pub right: Vec3,
    /// Above it.
    pub up: Vec3,
}

impl Axes {
    /// The directions of pitch, yaw and roll in degrees (`q_math.c`, `AngleVectors`).
    pub fn from_angles(angles: Vec3) -> Self {
        Self::from_radians(angles.to_array().map(radians))
    }

    /// The directions of pitch, yaw and roll in radians.
    ///
    /// Sine and cosine are taken in `f64`, which gives the same `f32` everywhere.
    pub fn from_radians(radians: [f32; 3]) -> Self {
        Self::from_sines(radians.map(sin_cos))
    }

    /// The directions of the sines and cosines of pitch, yaw and roll.
    pub fn from_sines([(sp, cp), (sy, cy), (sr, cr)]: [(f32, f32); 3]) -> Self {
        Self {
            forward: Vec3::new(cp * cy, cp * sy, -sp),
            right: Vec3::new(
                (-sr * sp) * cy + -cr * (-sy),
                (-sr * sp) * sy + -cr * cy,
                -sr * cp,
            ),
            up: Vec3::new(
                (cr * sp) * cy + (-sr) * (-sy),
                (cr * sp) * sy + (-sr) * cy,
                cr * cp,
            ),
        }
    }

    /// Forward, left and up: the axes of a model turned by the angles, as rows.
    pub fn rows(self) -> [Vec3; 3] {
        [self.forward, -self.right, self.up]
    }
}

/// Degrees to radians by way of `f64`.
pub fn radians(degrees: f32) -> f32 {
    (f64::from(degrees) * (std::f64::consts::TAU / 360.0)) as f32
}

fn sin_cos(radians: f32) -> (f32, f32) {
    let (sin, cos) = libm::sincos(f64::from(radians));
    (sin as f32, cos as f32)
}

/// Shortens or lengthens to length 1, and returns the former length as ioquake3 computes it: the square
/// times the reciprocal root, which is not always the root. A zero vector stays as it is.
pub fn normalize(vector: Vec3) -> (Vec3, f32) {
    let square = vector.dot(vector);
    if square == 0.0 {
        return (vector, square);
    }
    let reciprocal = 1.0 / square.sqrt();
    (vector * reciprocal, square * reciprocal)
}

/// Multiplies a vector by a matrix given as rows.
pub fn rotate(rows: &[Vec3; 3], vector: Vec3) -> Vec3 {
    Vec3::new(
        rows[0].dot(vector),
        rows[1].dot(vector),
        rows[2].dot(vector),
    )
}

/// Swaps the rows and columns of a matrix given as rows; undoes a rotation.
pub fn transpose(rows: &[Vec3; 3]) -> [Vec3; 3] {
    [
        Vec3::new(rows[0].x, rows[1].x, rows[2].x),
        Vec3::new(rows[0].y, rows[1].y, rows[2].y),
        Vec3::new(rows[0].z, rows[1].z, rows[2].z),
    ]
}

/// The smallest box around points, mins and maxs; of no points a box that holds nothing, with mins above maxs.
pub fn bounds_of(points: impl Iterator<Item = Vec3>) -> (Vec3, Vec3) {
    let empty = (Vec3::splat(f32::MAX), Vec3::splat(f32::MIN));
    points.fold(empty, |(mins, maxs), p| (mins.min(p), maxs.max(p)))
}
