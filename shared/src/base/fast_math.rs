//! Numbers as servers get them that were compiled with leave to compute faster than exactly (`-ffast-math`).
//!
//! Such servers differ from others in last bits, which grow at corners. What stands here is what they call,
//! found by counting which way of computing agrees with them.

/// Sine and cosine in `f32` as glibc 2.28 and newer compute them: from polynomials in `f64`, the nearest `f32`
/// to 99 of 100 angles and the one next to it to the others.
///
/// Within 100 radians; further away the last bits are not those.
pub fn sin_cos(radians: f32) -> (f32, f32) {
    let angle = f64::from(radians);
    let quarters = (angle * std::f64::consts::FRAC_2_PI).round_ties_even();
    let rest = angle - quarters * std::f64::consts::FRAC_PI_2;
    let (sin, cos) = (sine_of(rest), cosine_of(rest));
    let (sin, cos) = match quarters.rem_euclid(4.0) as u32 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    };
    (sin as f32, cos as f32)
}

/// Within an eighth of a turn.
fn sine_of(x: f64) -> f64 {
    const S1: f64 = -0.166_666_549_437_010_84;
    const S2: f64 = 0.008_332_178_146_138_854;
    const S3: f64 = -0.000_195_172_989_813_857_25;
    let square = x * x;
    let cube = x * square;
    (x + cube * S1) + (cube * square) * (S2 + square * S3)
}

/// Within an eighth of a turn.
fn cosine_of(x: f64) -> f64 {
    const C1: f64 = -0.499_999_997_251_082_24;
    const C2: f64 = 0.041_666_623_324_344_516;
    const C3: f64 = -0.001_388_676_379_437_604;
    const C4: f64 = 2.439_045_070_356_454_2e-5;
    let square = x * x;
    let fourth = square * square;
    ((1.0 + square * C1) + fourth * C2) + (fourth * square) * (C3 + square * C4)
}

/// One over the root, as compilers write it: the processor's estimate to 12 bits and one step of Newton's.
///
/// The estimate differs between makers of processors: this is AMD's. Numbers that are not positive and normal
/// have no estimate and give NaN.
pub fn reciprocal_root(square: f32) -> f32 {
    if !square.is_normal() || square < 0.0 {
        return f32::NAN;
    }
    let bits = square.to_bits();
    // The number is 4 to the power of `fours` times one from 1 to 4.
    let exponent = (bits >> 23) as i32 - 127;
    let fours = exponent.div_euclid(2);
    let place = (exponent.rem_euclid(2) as u32) << 12 | (bits >> 11 & 0xFFF);
    let estimate = f32::from(ESTIMATES[place as usize]) / 8192.0 * 2.0_f32.powi(-fours);
    ((estimate * square) * estimate - 3.0) * (estimate * -0.5)
}

/// 8192 times the estimate, for numbers from 1 to 4: 4096 steps from 1 to 2, as many from 2 to 4.
static ESTIMATES: [u16; 8192] = estimates();

/// Measured on a processor: by how much each estimate is below the one before, in two bits each.
const fn estimates() -> [u16; 8192] {
    const STEPS: &[u8; 2048] = include_bytes!("fast_math/rsqrt.bin");
    let mut estimates = [0; 8192];
    let mut last = 8192;
    let mut place = 0;
    while place < estimates.len() {
        last -= (STEPS[place / 4] >> (2 * (place % 4)) & 3) as u16;
        estimates[place] = last;
        place += 1;
    }
    estimates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_are_the_nearest_numbers_but_for_a_few() {
        let mut other = 0;
        for short in i16::MIN..=i16::MAX {
            let radians = crate::base::math::radians(f32::from(short) * (360.0 / 65536.0));
            let (sin, cos) = sin_cos(radians);
            let (exact_sin, exact_cos) = libm::sincos(f64::from(radians));
            for (near, exact) in [(sin, exact_sin as f32), (cos, exact_cos as f32)] {
                other += u32::from(near != exact);
                assert!(
                    (near.to_bits() as i32 - exact.to_bits() as i32).abs() <= 1 || near == exact
                );
            }
        }
        // glibc 2.36 on x86-64 differs at 864 sines and 832 cosines.
        assert_eq!(other, 864 + 832);
    }

    #[test]
    fn reciprocal_roots_are_near_the_root() {
        assert_eq!(reciprocal_root(1.0), 1.0);
        assert_eq!(reciprocal_root(4.0), reciprocal_root(1.0) / 2.0);
        assert!(reciprocal_root(0.0).is_nan() && reciprocal_root(-1.0).is_nan());
        for bits in (1.0e-30_f32.to_bits()..1.0e30_f32.to_bits()).step_by(99_991) {
            let square = f32::from_bits(bits);
            let error = reciprocal_root(square) * square.sqrt() - 1.0;
            assert!(error.abs() < 4.0e-7, "{square}: {error}");
        }
    }
}
