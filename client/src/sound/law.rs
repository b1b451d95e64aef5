//! How loud a sound is in either ear, by where it is: the laws of the original's mixer.

use crate::scene::sound::Ear;
use glam::Vec3;

/// Up to here a sound is at its full loudness.
const FULL_WITHIN: f32 = 80.0;
/// What a unit more takes away.
const LOSS_PER_UNIT: f32 = 0.0008;
/// Every sound of its own, of 255.
pub const VOICE: f32 = 127.0 / 255.0;
/// A loop of the map, of 255.
pub const AMBIENT: f32 = 90.0 / 255.0;

/// Left and right, each 0 to `base`.
pub fn ears(ear: &Ear, origin: Vec3, base: f32) -> [f32; 2] {
    let toward = origin - ear.origin;
    let distance = toward.length();
    let loss = (distance - FULL_WITHIN).max(0.0) * LOSS_PER_UNIT;
    let gain = base * (1.0 - loss).max(0.0);
    // What is at the ear itself comes from both sides.
    let side = if distance > 0.0 {
        -toward.dot(ear.axis[1]) / distance
    } else {
        0.0
    };
    [0.5 * (1.0 - side), 0.5 * (1.0 + side)].map(|factor| gain * factor.clamp(0.0, 1.0))
}

/// How much faster something is heard that comes near; 1 for all else.
///
/// The original compares where it is with where it will be in a second, so that only what flies straight past is
/// changed.
pub fn doppler(ear: &Ear, origin: Vec3, velocity: Vec3) -> f32 {
    const MAX: f32 = 50.0;
    if velocity == Vec3::ZERO {
        return 1.0;
    }
    let now = ear.origin.distance_squared(origin).max(f32::MIN_POSITIVE);
    let later = ear.origin.distance_squared(origin + velocity);
    (later / (now * 100.0)).clamp(1.0, MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ear() -> Ear {
        Ear {
            entity_num: 0,
            origin: Vec3::ZERO,
            axis: [Vec3::X, Vec3::Y, Vec3::Z],
            is_under_water: false,
        }
    }

    #[test]
    fn far_is_silent_and_sides_are_told_apart() {
        let rows: [(Vec3, [f32; 2]); 7] = [
            (Vec3::ZERO, [0.5, 0.5]),
            (Vec3::X * 80.0, [0.5, 0.5]),
            (Vec3::X * 705.0, [0.25, 0.25]),
            (Vec3::X * 1330.0, [0.0, 0.0]),
            (Vec3::Y * 50.0, [1.0, 0.0]),
            (Vec3::NEG_Y * 50.0, [0.0, 1.0]),
            (Vec3::NEG_X * 5000.0, [0.0, 0.0]),
        ];
        for (at, expected) in rows {
            let got = ears(&ear(), at, 1.0);
            let is_near = got
                .iter()
                .zip(expected)
                .all(|(got, expected)| (got - expected).abs() < 1e-5);
            assert!(is_near, "{at}: {got:?}, not {expected:?}");
        }
    }

    #[test]
    fn only_what_comes_very_near_is_heard_higher() {
        let rocket = Vec3::NEG_X * 900.0;
        assert_eq!(doppler(&ear(), Vec3::X * 500.0, Vec3::ZERO), 1.0);
        assert_eq!(doppler(&ear(), Vec3::X * 500.0, rocket), 1.0);
        let near = doppler(&ear(), Vec3::X * 40.0, rocket);
        assert!((near - 860.0_f32.powi(2) / (1600.0 * 100.0)).abs() < 1e-3);
        assert_eq!(doppler(&ear(), Vec3::ZERO, rocket), 50.0);
    }
}
