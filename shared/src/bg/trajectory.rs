//! Where a trajectory is at a ServerTime, and how fast.

use super::numeric::Profile;
use crate::{
    base::time::ServerTime,
    types::trajectory::{Trajectory, kind},
};
use glam::Vec3;

/// Gravity of everything that flies, whatever the server's own (`bg_misc.c`, `DEFAULT_GRAVITY`).
const GRAVITY: f64 = 800.0;

/// The place on the path at a server time, as native code computes it; unknown kinds stay at their base.
pub fn position_at(path: &Trajectory, at: ServerTime) -> Vec3 {
    position(path, at, Profile::Native)
}

/// The velocity on the path at a server time, as native code computes it.
pub fn velocity_at(path: &Trajectory, at: ServerTime) -> Vec3 {
    velocity(path, at, Profile::Native)
}

/// The place on the path (`bg_misc.c`, `BG_EvaluateTrajectory`).
pub fn position(path: &Trajectory, at: ServerTime, profile: Profile) -> Vec3 {
    let elapsed = at - ServerTime(path.time);
    match path.kind {
        kind::LINEAR => path.base + path.delta * profile.seconds(elapsed),
        kind::LINEAR_STOP => {
            // The reference compares times; this is the same, and true across the end of the clock.
            let elapsed = elapsed.min(path.duration);
            path.base + path.delta * profile.seconds(elapsed).max(0.0)
        }
        kind::SINE => path.base + path.delta * libm::sin(phase(path, elapsed, profile)) as f32,
        kind::GRAVITY => {
            let seconds = profile.seconds(elapsed);
            let mut place = path.base + path.delta * seconds;
            place.z = match profile {
                Profile::Native | Profile::Fast => {
                    let seconds = f64::from(seconds);
                    (f64::from(place.z) - 0.5 * GRAVITY * seconds * seconds) as f32
                }
                Profile::Bytecode => place.z - 0.5 * GRAVITY as f32 * seconds * seconds,
            };
            place
        }
        _ => path.base,
    }
}

/// The velocity on the path in units per second (`bg_misc.c`, `BG_EvaluateTrajectoryDelta`).
pub fn velocity(path: &Trajectory, at: ServerTime, profile: Profile) -> Vec3 {
    let elapsed = at - ServerTime(path.time);
    match path.kind {
        kind::LINEAR => path.delta,
        kind::LINEAR_STOP if elapsed > path.duration => Vec3::ZERO,
        kind::LINEAR_STOP => path.delta,
        kind::SINE => {
            let pace = libm::cos(phase(path, elapsed, profile)) as f32;
            path.delta * (pace * 0.5)
        }
        kind::GRAVITY => {
            let seconds = profile.seconds(elapsed);
            path.delta - Vec3::new(0.0, 0.0, GRAVITY as f32 * seconds)
        }
        _ => Vec3::ZERO,
    }
}

/// How far a sine has come, in radians; a path without a period does not swing.
fn phase(path: &Trajectory, elapsed: i32, profile: Profile) -> f64 {
    if path.duration == 0 {
        return 0.0;
    }
    let periods = elapsed as f32 / path.duration as f32;
    match profile {
        Profile::Native | Profile::Fast => f64::from(periods) * std::f64::consts::PI * 2.0,
        Profile::Bytecode => f64::from(periods * std::f32::consts::PI * 2.0),
    }
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
        assert_eq!(position_at(&path, ServerTime(time)), Vec3::from(expected));
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
