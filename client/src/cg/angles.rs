//! Angles and axes for looks only: what servers must agree on is computed in `shared::bg`.

use glam::Vec3;

/// Forward, left and up of a thing.
pub type Axis = [Vec3; 3];

pub const UPRIGHT: Axis = [Vec3::X, Vec3::Y, Vec3::Z];

/// Pitch, yaw and roll in degrees to forward, left, up; positive pitch looks down.
pub fn axis_from_angles(angles: Vec3) -> Axis {
    let [(sp, cp), (sy, cy), (sr, cr)] = angles
        .to_array()
        .map(|angle| libm::sincosf(angle.to_radians()));
    let forward = Vec3::new(cp * cy, cp * sy, -sp);
    let left = Vec3::new(sr * sp * cy - cr * sy, sr * sp * sy + cr * cy, sr * cp);
    let up = Vec3::new(cr * sp * cy + sr * sy, cr * sp * sy - sr * cy, cr * cp);
    [forward, left, up]
}

/// Forward, left and up from a yaw alone.
pub fn axis_from_yaw(yaw: f32) -> Axis {
    axis_from_angles(Vec3::new(0.0, yaw, 0.0))
}

/// Pitch and yaw that look along a direction; yaw and pitch are 0 to 360.
pub fn angles_from_direction(direction: Vec3) -> Vec3 {
    if direction.x == 0.0 && direction.y == 0.0 {
        return Vec3::new(if direction.z > 0.0 { -90.0 } else { -270.0 }, 0.0, 0.0);
    }
    let yaw = libm::atan2f(direction.y, direction.x).to_degrees();
    let pitch = libm::atan2f(direction.z, direction.truncate().length()).to_degrees();
    Vec3::new(-pitch.rem_euclid(360.0), yaw.rem_euclid(360.0), 0.0)
}

/// Forward along `direction` (the z axis for none), turned around it by `roll_deg`.
pub fn axis_along(direction: Vec3, roll_deg: f32) -> Axis {
    let forward = direction.try_normalize().unwrap_or(Vec3::Z);
    let left = rotate_around(perpendicular(forward), forward, roll_deg);
    [forward, left, forward.cross(left)]
}

/// A unit vector at right angles to a unit vector; the axis that `v` has least of decides which.
pub fn perpendicular(v: Vec3) -> Vec3 {
    let mut axis = Vec3::X;
    let mut least = 1.0;
    for (size, candidate) in v.abs().to_array().into_iter().zip(UPRIGHT) {
        if size < least {
            least = size;
            axis = candidate;
        }
    }
    (axis - v * axis.dot(v)).normalize_or_zero()
}

/// Turns a point around an axis of unit length through the origin.
pub fn rotate_around(point: Vec3, axis: Vec3, degrees: f32) -> Vec3 {
    let (sin, cos) = libm::sincosf(degrees.to_radians() * 0.5);
    let [x, y, z] = (axis * sin).to_array();
    glam::Quat::from_xyzw(x, y, z, cos) * point
}

/// The axis `inner`, given in the space of `outer`, in the space of the world.
pub fn multiply(inner: &Axis, outer: &Axis) -> Axis {
    inner.map(|row| to_world(row, outer))
}

/// A vector given along forward, left and up of an axis.
pub fn to_world(v: Vec3, axis: &Axis) -> Vec3 {
    axis[0] * v.x + axis[1] * v.y + axis[2] * v.z
}

pub fn scale(axis: &Axis, factor: f32) -> Axis {
    axis.map(|row| row * factor)
}

/// The difference `a - b` the short way, −180 to 180.
pub fn difference(a: f32, b: f32) -> f32 {
    normalize_180(a - b)
}

pub fn normalize_180(angle: f32) -> f32 {
    let turned = angle.rem_euclid(360.0);
    if turned > 180.0 {
        turned - 360.0
    } else {
        turned
    }
}

/// 0 to 360 in the steps of 16-bit angles.
pub fn normalize_360(angle: f32) -> f32 {
    (360.0 / 65536.0) * ((angle * (65536.0 / 360.0)) as i64 & 65535) as f32
}

/// From `from` to `to` the short way.
pub fn lerp_angle(from: f32, to: f32, fraction: f32) -> f32 {
    let mut to = to;
    if to - from > 180.0 {
        to -= 360.0;
    }
    if to - from < -180.0 {
        to += 360.0;
    }
    from + fraction * (to - from)
}

pub fn lerp_angles(from: Vec3, to: Vec3, fraction: f32) -> Vec3 {
    Vec3::new(
        lerp_angle(from.x, to.x, fraction),
        lerp_angle(from.y, to.y, fraction),
        lerp_angle(from.z, to.z, fraction),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_follow_quakes_directions() {
        let [forward, left, up] = axis_from_angles(Vec3::new(0.0, 90.0, 0.0));
        assert!(
            forward.abs_diff_eq(Vec3::Y, 1e-6)
                && left.abs_diff_eq(-Vec3::X, 1e-6)
                && up.abs_diff_eq(Vec3::Z, 1e-6)
        );
        let [forward, ..] = axis_from_angles(Vec3::new(90.0, 0.0, 0.0));
        assert!(forward.abs_diff_eq(-Vec3::Z, 1e-6));
        for angles in [Vec3::new(20.0, 130.0, 0.0), Vec3::new(-30.0, 300.0, 0.0)] {
            let back = angles_from_direction(axis_from_angles(angles)[0]);
            assert!(
                lerp_angles(back, angles, 0.5).abs_diff_eq(angles, 1e-3)
                    || normalize_180(back.x - angles.x).abs() < 1e-3
            );
        }
    }

    #[test]
    fn angles_take_the_short_way() {
        assert_eq!(lerp_angle(350.0, 10.0, 0.5), 360.0);
        assert_eq!(difference(10.0, 350.0), 20.0);
        assert!((normalize_360(-90.0) - 270.0).abs() < 0.01);
    }
}
