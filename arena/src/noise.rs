//! Random numbers and noise from integer hashes, alike on every machine.

/// A well mixed number for a place and a seed.
pub(crate) fn hash(x: i32, y: i32, seed: u32) -> u32 {
    let mut h = (x as u32)
        .wrapping_mul(0x9e37_79b1)
        .wrapping_add((y as u32).wrapping_mul(0x85eb_ca77))
        .wrapping_add(seed.wrapping_mul(0xc2b2_ae3d));
    h ^= h >> 15;
    h = h.wrapping_mul(0x2c1b_3c6d);
    h ^= h >> 12;
    h = h.wrapping_mul(0x297a_2d39);
    h ^ (h >> 15)
}

/// [`hash`] as a number from 0 to 1.
pub(crate) fn chance(x: i32, y: i32, seed: u32) -> f32 {
    (hash(x, y, seed) >> 8) as f32 / (1 << 24) as f32
}

/// Smooth noise from 0 to 1 that repeats after `period` in both directions.
pub(crate) fn value(x: f32, y: f32, period: i32, seed: u32) -> f32 {
    let (left, top) = (x.floor(), y.floor());
    let (fx, fy) = (smooth(x - left), smooth(y - top));
    let at = |dx: i32, dy: i32| {
        chance(
            (left as i32 + dx).rem_euclid(period),
            (top as i32 + dy).rem_euclid(period),
            seed,
        )
    };
    let upper = lerp(at(0, 0), at(1, 0), fx);
    let lower = lerp(at(0, 1), at(1, 1), fx);
    lerp(upper, lower, fy)
}

/// Octaves of [`value`], each twice as fine and half as strong; from 0 to 1 around 0.5.
pub(crate) fn fbm(x: f32, y: f32, period: i32, octaves: u32, seed: u32) -> f32 {
    let (mut sum, mut weight, mut all) = (0.0, 1.0, 0.0);
    for octave in 0..octaves {
        let scale = (1 << octave) as f32;
        sum += weight * value(x * scale, y * scale, period << octave, seed + octave);
        all += weight;
        weight *= 0.5;
    }
    sum / all
}

/// Like [`fbm`], but with sharp crests at 1.
pub(crate) fn ridges(x: f32, y: f32, period: i32, octaves: u32, seed: u32) -> f32 {
    let (mut sum, mut weight, mut all) = (0.0, 1.0, 0.0);
    for octave in 0..octaves {
        let scale = (1 << octave) as f32;
        let noise = value(x * scale, y * scale, period << octave, seed + octave);
        sum += weight * (1.0 - (noise * 2.0 - 1.0).abs());
        all += weight;
        weight *= 0.5;
    }
    sum / all
}

/// Cells around scattered points: how far the nearest point is, how much farther the next, and which it is.
pub(crate) fn cells(x: f32, y: f32, period: i32, seed: u32) -> (f32, f32, u32) {
    let (left, top) = (x.floor() as i32, y.floor() as i32);
    let (mut nearest, mut second, mut which) = (9.0_f32, 9.0_f32, 0);
    for cy in top - 1..=top + 1 {
        for cx in left - 1..=left + 1 {
            let (wx, wy) = (cx.rem_euclid(period), cy.rem_euclid(period));
            let px = cx as f32 + chance(wx, wy, seed);
            let py = cy as f32 + chance(wx, wy, seed + 1);
            let distance = ((px - x) * (px - x) + (py - y) * (py - y)).sqrt();
            if distance < nearest {
                second = nearest;
                nearest = distance;
                which = hash(wx, wy, seed + 2);
            } else if distance < second {
                second = distance;
            }
        }
    }
    (nearest, second - nearest, which)
}

pub(crate) fn lerp(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// From 0 to 1 with level ends, for `t` from 0 to 1.
pub(crate) fn smooth(t: f32) -> f32 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// 0 below `from`, 1 above `to`, smooth between.
pub(crate) fn step(from: f32, to: f32, at: f32) -> f32 {
    smooth((at - from) / (to - from))
}

/// A row of random numbers.
#[derive(Clone, Debug)]
pub(crate) struct NoiseRng {
    seed: u32,
    next: i32,
}

impl NoiseRng {
    pub(crate) fn new(seed: u32) -> Self {
        Self { seed, next: 0 }
    }

    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f32 {
        self.next = self.next.wrapping_add(1);
        chance(self.next, 7, self.seed)
    }

    pub(crate) fn between(&mut self, from: f32, to: f32) -> f32 {
        lerp(from, to, self.unit())
    }
}
