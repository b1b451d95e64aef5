//! The wave tables that animate materials, and the sine table behind normals and light directions.

use std::{f64::consts::TAU, sync::LazyLock};

/// Entries of every table; arguments are truncated to this fraction of a turn.
pub const TABLE_SIZE: usize = 1024;

/// The shape of a [`Wave`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WaveFunc {
    /// A sine.
    #[default]
    Sin,
    /// 1 for half a turn, then −1.
    Square,
    /// Up and down in straight lines.
    Triangle,
    /// From 0 up to 1, then again.
    Sawtooth,
    /// From 1 down to 0, then again.
    InverseSawtooth,
    /// Smooth noise in time; only colors may use it.
    Noise,
}

/// A value that swings with time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wave {
    /// The shape.
    pub func: WaveFunc,
    /// The middle.
    pub base: f32,
    /// How far it swings.
    pub amplitude: f32,
    /// In turns.
    pub phase: f32,
    /// Turns per second.
    pub frequency: f32,
}

impl Wave {
    /// The value at a shader time in seconds; `Noise` gives the base (see [`Wave::noise_at`]).
    pub fn at(&self, seconds: f64) -> f32 {
        self.at_phase(f64::from(self.phase) + seconds * f64::from(self.frequency))
    }

    /// The value at a phase in turns, for deforms whose phase depends on the place.
    pub fn at_phase(&self, turns: f64) -> f32 {
        self.base + table_value(self.func, turns) * self.amplitude
    }

    /// The value of a `Noise` wave at a shader time in seconds.
    pub fn noise_at(&self, seconds: f64) -> f32 {
        let along = (seconds + f64::from(self.phase)) * f64::from(self.frequency);
        self.base + noise([0.0, 0.0, 0.0], along as f32) * self.amplitude
    }
}

/// The entry of a function's table for a phase in turns; −1 to 1, or 0 to 1 for the sawtooths.
pub fn table_value(func: WaveFunc, turns: f64) -> f32 {
    let index = table_index(turns);
    match func {
        WaveFunc::Sin => SIN[index],
        WaveFunc::Square => {
            if index < TABLE_SIZE / 2 {
                1.0
            } else {
                -1.0
            }
        }
        WaveFunc::Sawtooth => index as f32 / TABLE_SIZE as f32,
        WaveFunc::InverseSawtooth => 1.0 - index as f32 / TABLE_SIZE as f32,
        WaveFunc::Triangle => triangle(index),
        WaveFunc::Noise => 0.0,
    }
}

/// Turns to a table index; the cut toward zero and the wrap of negative values are visible in slow waves.
pub fn table_index(turns: f64) -> usize {
    ((turns * TABLE_SIZE as f64) as i64 & (TABLE_SIZE as i64 - 1)) as usize
}

/// The sine of the table at an index, which wraps.
pub fn sine(index: usize) -> f32 {
    SIN[index % TABLE_SIZE]
}

/// The direction that two bytes encode in models and light grids: 256 steps of latitude and longitude.
pub fn direction_from_bytes(latitude: u8, longitude: u8) -> glam::Vec3 {
    let a = 4 * usize::from(latitude);
    let b = 4 * usize::from(longitude);
    glam::Vec3::new(sine(a + 256) * sine(b), sine(a) * sine(b), sine(b + 256))
}

/// Smooth noise of −1 to 1 over space and time, the same in every run.
pub fn noise(position: [f32; 3], time: f32) -> f32 {
    let at = [position[0], position[1], position[2], time];
    let cell = at.map(f32::floor);
    let blend: [f32; 4] = std::array::from_fn(|axis| at[axis] - cell[axis]);
    let corner = |bits: usize| {
        let lattice: [i64; 4] =
            std::array::from_fn(|axis| cell[axis] as i64 + (bits >> axis & 1) as i64);
        noise_at_lattice(lattice)
    };
    let mut values: [f32; 16] = std::array::from_fn(corner);
    for (axis, blend) in blend.iter().enumerate() {
        for pair in 0..8 >> axis {
            values[pair] = values[2 * pair] + (values[2 * pair + 1] - values[2 * pair]) * blend;
        }
    }
    values[0]
}

fn noise_at_lattice(lattice: [i64; 4]) -> f32 {
    let (values, permutation) = &*NOISE;
    let index = lattice.iter().rev().fold(0, |index, along| {
        usize::from(permutation[((along + index as i64) & 255) as usize])
    });
    values[index]
}

fn triangle(index: usize) -> f32 {
    let half = index % (TABLE_SIZE / 2);
    let height = if half < TABLE_SIZE / 4 {
        half as f32 / 256.0
    } else {
        1.0 - (half - 256) as f32 / 256.0
    };
    if index < TABLE_SIZE / 2 {
        height
    } else {
        -height
    }
}

/// The reference spreads a whole turn over 1023 steps, so that the last entry repeats the first.
static SIN: LazyLock<[f32; TABLE_SIZE]> = LazyLock::new(|| {
    std::array::from_fn(|i| libm::sin(i as f64 * TAU / (TABLE_SIZE - 1) as f64) as f32)
});

/// The reference fills these from the wall clock; a fixed seed keeps pictures repeatable.
static NOISE: LazyLock<([f32; 256], [u8; 256])> = LazyLock::new(|| {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u32
    };
    let values = std::array::from_fn(|_| next() as f32 / u32::MAX as f32 * 2.0 - 1.0);
    let permutation = std::array::from_fn(|_| (next() >> 24) as u8);
    (values, permutation)
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_the_reference_values() {
        assert_eq!(SIN[0], 0.0);
        assert!(SIN[1023].abs() < 1e-6);
        assert!((SIN[256] - 0.999_999).abs() < 1e-5);
        let at = |func, index: usize| table_value(func, index as f64 / 1024.0);
        assert_eq!(
            [0, 511, 512, 1023].map(|i| at(WaveFunc::Square, i)),
            [1.0, 1.0, -1.0, -1.0]
        );
        assert_eq!(
            [0, 256, 512].map(|i| at(WaveFunc::Sawtooth, i)),
            [0.0, 0.25, 0.5]
        );
        assert_eq!(
            [0, 256, 512].map(|i| at(WaveFunc::InverseSawtooth, i)),
            [1.0, 0.75, 0.5]
        );
        assert_eq!(
            [0, 128, 256, 512, 768].map(|i| at(WaveFunc::Triangle, i)),
            [0.0, 0.5, 1.0, 0.0, -1.0]
        );
        assert_eq!(at(WaveFunc::Triangle, 511), 1.0 / 256.0);
    }

    #[test]
    fn phases_wrap_both_ways() {
        assert_eq!(table_index(1.25), 256);
        assert_eq!(table_index(-0.25), 768);
        assert_eq!(table_index(-0.0001), 0);
        assert_eq!(table_index(f64::NAN), 0);
    }

    #[test]
    fn noise_is_smooth_and_bounded() {
        let mut last = noise([0.5, 0.25, 0.0], 0.0);
        for step in 1..2000 {
            let value = noise([0.5, 0.25, step as f32 * 0.01], 0.3);
            assert!(value.abs() <= 1.0);
            assert!(step == 1 || (value - last).abs() < 0.05);
            last = value;
        }
    }
}
