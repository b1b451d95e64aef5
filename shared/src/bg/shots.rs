//! Where pellets and bullets go: the same on the server that hurts by them and on the client that draws them.

use super::random::Random;
use core::f32::consts::TAU;
use glam::Vec3;

/// Pellets of one shot of the shotgun.
pub const PELLETS: usize = 11;
/// How far bullets and pellets go.
pub const BULLET_RANGE: f32 = 131_072.0;
/// How far pellets stray at that range.
const PELLET_SPREAD: f32 = 700.0 * 16.0;

/// Where the pellets of a shot end in the open, from the place, direction and seed that its event tells.
pub fn pellet_ends(muzzle: Vec3, direction: Vec3, seed: i32) -> [Vec3; PELLETS] {
    let forward = direction.normalize_or_zero();
    let right = perpendicular(forward);
    let up = forward.cross(right);
    let mut random = Random(seed);
    std::array::from_fn(|_| {
        let across = random.centred() * PELLET_SPREAD;
        let upward = random.centred() * PELLET_SPREAD;
        muzzle + forward * BULLET_RANGE + right * across + up * upward
    })
}

/// Pellets of one shot of RatMod's newer shotgun.
pub const RING_PELLETS: usize = 12;

/// Where the pellets of a shot of RatMod's newer shotgun end in the open: two rings and the middle, each a little off.
pub fn ring_ends(muzzle: Vec3, direction: Vec3, seed: i32) -> [Vec3; RING_PELLETS] {
    const STRAY: f32 = 100.0 * 16.0;
    let forward = direction.normalize_or_zero();
    let right = perpendicular(forward);
    let up = forward.cross(right);
    let mut random = Random(seed);
    std::array::from_fn(|pellet| {
        let (angle, radius) = match pellet {
            0..5 => ((pellet as f32 + 0.5) * (TAU / 5.0), 4800.0),
            5..11 => ((pellet as f32 - 4.5) * (TAU / 6.0), 9600.0),
            _ => (0.0, 0.0),
        };
        let across = libm::cosf(angle) * radius + random.centred() * STRAY;
        let upward = libm::sinf(angle) * radius + random.centred() * STRAY;
        muzzle + forward * BULLET_RANGE + right * across + up * upward
    })
}

/// A unit vector at right angles to a unit vector; the axis that it has least of decides which.
fn perpendicular(v: Vec3) -> Vec3 {
    let mut axis = Vec3::X;
    let mut least = 1.0;
    for (size, candidate) in v
        .abs()
        .to_array()
        .into_iter()
        .zip([Vec3::X, Vec3::Y, Vec3::Z])
    {
        if size < least {
            least = size;
            axis = candidate;
        }
    }
    (axis - v * axis.dot(v)).normalize_or_zero()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_pellet_of_a_seed_is_known() {
        let ends = pellet_ends(Vec3::ZERO, Vec3::X * 4096.0, 0);
        // Seed 0 gives -0.99997 and -0.89215 of the spread.
        let expected = Vec3::new(BULLET_RANGE, -11_199.66, -9992.1);
        assert!((ends[0] - expected).length() < 1.0, "{}", ends[0]);
        assert_eq!(ends.len(), PELLETS);
    }

    #[test]
    fn pellets_of_ratmod_fly_in_two_rings() {
        for seed in 0..256 {
            let ends = ring_ends(Vec3::ZERO, Vec3::X * 4096.0, seed);
            let off = |pellet: usize| libm::hypotf(ends[pellet].y, ends[pellet].z);
            for (pellet, radius) in [
                (0, 4800.0),
                (4, 4800.0),
                (5, 9600.0),
                (10, 9600.0),
                (11, 0.0),
            ] {
                let stray = (off(pellet) - radius).abs();
                assert!(stray <= 1600.0 * 1.42, "{seed} {pellet} {stray}");
            }
        }
        // Seed 0 gives -0.99997 and -0.89215 of the stray, beside 36 degrees of the inner ring.
        let first = ring_ends(Vec3::ZERO, Vec3::X * 4096.0, 0)[0];
        let expected = Vec3::new(BULLET_RANGE, 3883.3 - 1599.95, 2821.3 - 1427.4);
        assert!((first - expected).length() < 2.0, "{first}");
    }
}
