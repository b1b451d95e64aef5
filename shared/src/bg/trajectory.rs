//! Where a trajectory is, and how fast it moves, at a server time.

use crate::types::trajectory::{Trajectory, kind};
use glam::Vec3;

/// Gravity of paths; servers with another gravity still send paths that fall by this one.
const PATH_GRAVITY: f64 = 800.0;

/// The position at a time; unknown kinds stay at their base.
pub fn position_at(path: &Trajectory, time: i32) -> Vec3 {
    match path.kind {
        kind::LINEAR => path.base + path.delta * seconds(path, time),
        kind::LINEAR_STOP => {
            let end = path.time.wrapping_add(path.duration);
            let time = if time.wrapping_sub(end) > 0 {
                end
            } else {
                time
            };
            path.base + path.delta * seconds(path, time).max(0.0)
        }
        kind::SINE => path.base + path.delta * phase(path, time).sin() as f32,
        kind::GRAVITY => {
            let elapsed = seconds(path, time);
            let mut at = path.base + path.delta * elapsed;
            let fallen = 0.5 * PATH_GRAVITY * f64::from(elapsed) * f64::from(elapsed);
            at.z = (f64::from(at.z) - fallen) as f32;
            at
        }
        _ => path.base,
    }
}

/// The velocity at a time, in units per second.
pub fn velocity_at(path: &Trajectory, time: i32) -> Vec3 {
    match path.kind {
        kind::LINEAR => path.delta,
        kind::LINEAR_STOP if time.wrapping_sub(path.time.wrapping_add(path.duration)) <= 0 => {
            path.delta
        }
        kind::SINE => path.delta * (phase(path, time).cos() as f32 * 0.5),
        kind::GRAVITY => {
            let mut velocity = path.delta;
            velocity.z -= PATH_GRAVITY as f32 * seconds(path, time);
            velocity
        }
        _ => Vec3::ZERO,
    }
}

fn seconds(path: &Trajectory, time: i32) -> f32 {
    (f64::from(time.wrapping_sub(path.time)) * 0.001) as f32
}

/// Radians into a sine; a path without a period does not swing.
fn phase(path: &Trajectory, time: i32) -> f64 {
    if path.duration == 0 {
        return 0.0;
    }
    let turns = time.wrapping_sub(path.time) as f32 / path.duration as f32;
    f64::from(turns) * std::f64::consts::PI * 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: i32, time: i32, expected: [f32; 3]) {
        let path = Trajectory {
            kind,
            time: 1000,
            duration: 400,
            base: Vec3::X,
            delta: Vec3::new(0.0, 0.0, 100.0),
        };
        assert_eq!(position_at(&path, time), Vec3::from(expected));
    }

    #[test]
    fn each_kind_moves_in_its_way() {
        check(kind::STATIONARY, 2000, [1.0, 0.0, 0.0]);
        check(kind::LINEAR, 1500, [1.0, 0.0, 50.0]);
        check(kind::LINEAR_STOP, 1500, [1.0, 0.0, 40.0]);
        check(kind::LINEAR_STOP, 500, [1.0, 0.0, 0.0]);
        check(kind::SINE, 1100, [1.0, 0.0, 100.0]);
        check(kind::GRAVITY, 1500, [1.0, 0.0, -50.0]);
        check(99, 1500, [1.0, 0.0, 0.0]);
    }
}
