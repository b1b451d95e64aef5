//! How a server's game code rounds: the numeric profile that prediction has to share with it.

use crate::base::{
    fast_math,
    math::{self, Axes},
};
use glam::Vec3;

/// In which precision and order decimal constants, library functions and sums were evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// A C compiler's: constants are `f64`, and so is every expression that holds one.
    Native,
    /// A C compiler's that was allowed to compute faster than exactly, as Debian's build of OpenArena 0.8.8:
    /// sums and products in other orders, sines in `f32`, no numbers too small for full precision. Which ones
    /// was found by counting what agrees.
    Fast,
    /// The bytecode machine's: everything is `f32`. Nearly all servers that run mods.
    #[default]
    Bytecode,
}

/// Which length the reference's normalise returns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LengthRounding {
    /// The square times the reciprocal root: ioquake3 since May 2011.
    ScaledSquare,
    /// The root: the original 1.32 and everything derived from it, OpenArena among it.
    #[default]
    Root,
}

/// How one server rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Numeric {
    /// In which precision and order it computes.
    pub profile: Profile,
    /// Which length its normalise returns.
    pub length: LengthRounding,
}

impl Numeric {
    /// Shortens or lengthens to length 1 and returns the former length; zero stays zero.
    pub fn normalize(self, vector: Vec3) -> (Vec3, f32) {
        match (self.profile, self.length) {
            (Profile::Fast, _) => {
                let squares = vector * vector;
                let (unit, length) = by_root(vector, squares.x + squares.z + squares.y);
                (self.profile.flushed(unit), length)
            }
            (_, LengthRounding::ScaledSquare) => math::normalize(vector),
            (_, LengthRounding::Root) => by_root(vector, vector.dot(vector)),
        }
    }
}

fn by_root(vector: Vec3, square: f32) -> (Vec3, f32) {
    let length = square.sqrt();
    if length == 0.0 {
        return (vector, length);
    }
    (vector * (1.0 / length), length)
}

impl Profile {
    /// A measure times a rate times a time, as friction takes it.
    pub fn over_time(self, measure: f32, rate: f32, seconds: f32) -> f32 {
        match self {
            Self::Fast => measure * (rate * seconds),
            Self::Native | Self::Bytecode => (measure * rate) * seconds,
        }
    }

    /// Without numbers too small for full precision, if they are taken for zero.
    pub fn flushed(self, vector: Vec3) -> Vec3 {
        let flush = |number: f32| if number.is_subnormal() { 0.0 } else { number };
        match self {
            Self::Fast => vector.map(flush),
            Self::Native | Self::Bytecode => vector,
        }
    }

    /// What is left of a time when a fraction of it has passed.
    pub fn left_of(self, seconds: f32, fraction: f32) -> f32 {
        match self {
            Self::Fast => seconds * (1.0 - fraction),
            Self::Native | Self::Bytecode => seconds - seconds * fraction,
        }
    }

    /// Two directions and upwards, each as long as its key says, all scaled.
    pub fn scaled_sum(self, scale: f32, [one, other]: [Vec3; 2], keys: [f32; 3]) -> Vec3 {
        let mut sum = match self {
            Self::Fast => {
                let mut sum = one * keys[0] + other * keys[1];
                sum.z += keys[2];
                return sum * scale;
            }
            Self::Native | Self::Bytecode => (one * scale) * keys[0] + (other * scale) * keys[1],
        };
        sum.z += scale * keys[2];
        sum
    }

    /// How much a speed lacks of a wished one along a direction.
    pub fn missing_speed(self, wished: f32, velocity: Vec3, direction: Vec3) -> f32 {
        let products = velocity * direction;
        match self {
            Self::Fast => (wished - products.z) - (products.x + products.y),
            Self::Native | Self::Bytecode => wished - velocity.dot(direction),
        }
    }

    /// The directions of pitch, yaw and roll in degrees.
    pub fn axes(self, angles: Vec3) -> Axes {
        let radians = || angles.to_array().map(math::radians);
        match self {
            Self::Native => Axes::from_angles(angles),
            Self::Fast => Axes::from_sines(radians().map(fast_math::sin_cos)),
            Self::Bytecode => {
                Axes::from_radians(angles.to_array().map(|angle| angle * 0.017_453_292))
            }
        }
    }

    /// Milliseconds as seconds.
    pub fn seconds(self, msec: i32) -> f32 {
        self.scale(msec as f32, 0.001)
    }

    /// A number times a decimal constant.
    pub fn scale(self, value: f32, constant: f64) -> f32 {
        match self {
            Self::Native | Self::Fast => (f64::from(value) * constant) as f32,
            Self::Bytecode => value * constant as f32,
        }
    }

    /// Whether a number is above a decimal constant.
    pub fn is_above(self, value: f32, constant: f64) -> bool {
        match self {
            Self::Native | Self::Fast => f64::from(value) > constant,
            Self::Bytecode => value > constant as f32,
        }
    }

    /// Whether a number is below a decimal constant.
    pub fn is_below(self, value: f32, constant: f64) -> bool {
        match self {
            Self::Native | Self::Fast => f64::from(value) < constant,
            Self::Bytecode => value < constant as f32,
        }
    }

    /// An angle in 0 to 360, in steps of the wire (`q_math.c`, `AngleMod`).
    pub fn angle_mod(self, angle: f32) -> f32 {
        let steps = match self {
            Self::Native | Self::Fast => (f64::from(angle) * (65536.0 / 360.0)) as i32,
            Self::Bytecode => (angle * (65536.0_f32 / 360.0)) as i32,
        };
        // Both factors are exact, so the profiles agree on the product.
        (steps & 65535) as f32 * (360.0 / 65536.0)
    }

    /// An angle in −180 to 180, in steps of the wire (`q_math.c`, `AngleNormalize180`).
    pub fn angle_normalize_180(self, angle: f32) -> f32 {
        let angle = self.angle_mod(angle);
        if angle > 180.0 { angle - 360.0 } else { angle }
    }

    /// Pitch and yaw of a direction (`q_math.c`, `vectoangles`).
    pub fn angles_of(self, vector: Vec3) -> Vec3 {
        if vector.x == 0.0 && vector.y == 0.0 {
            let pitch = if vector.z > 0.0 { 90.0 } else { 270.0 };
            return Vec3::new(-pitch, 0.0, 0.0);
        }
        let yaw = if vector.x == 0.0 {
            if vector.y > 0.0 { 90.0 } else { 270.0 }
        } else {
            self.degrees_of(vector.y, vector.x)
        };
        let flat = (vector.x * vector.x + vector.y * vector.y).sqrt();
        let pitch = self.degrees_of(vector.z, flat);
        let positive = |angle: f32| if angle < 0.0 { angle + 360.0 } else { angle };
        Vec3::new(-positive(pitch), positive(yaw), 0.0)
    }

    fn degrees_of(self, y: f32, x: f32) -> f32 {
        let radians = libm::atan2(f64::from(y), f64::from(x));
        match self {
            Self::Native | Self::Fast => (radians * 180.0 / std::f64::consts::PI) as f32,
            Self::Bytecode => radians as f32 * 180.0 / std::f32::consts::PI,
        }
    }
}

/// The angle of a 16-bit number from the wire, which is exact.
pub fn short_to_angle(short: i16) -> f32 {
    f32::from(short) * (360.0 / 65536.0)
}

/// The 16-bit number of an angle.
pub fn angle_to_short(angle: f32) -> u16 {
    ((angle * 65536.0 / 360.0) as i32 & 65535) as u16
}

/// The angle between two others, the shorter way round (`q_math.c`, `LerpAngle`).
pub fn lerp_angle(from: f32, mut to: f32, fraction: f32) -> f32 {
    if to - from > 180.0 {
        to -= 360.0;
    }
    if to - from < -180.0 {
        to += 360.0;
    }
    from + fraction * (to - from)
}

/// From angle `b` to angle `a`, the shorter way round (`q_math.c`, `AngleSubtract`).
pub fn angle_subtract(a: f32, b: f32) -> f32 {
    let mut difference = a - b;
    // The reference's loops would not end where subtracting 360 changes nothing.
    if !difference.is_finite() || difference.abs() > 1.0e8 {
        return 0.0;
    }
    while difference > 180.0 {
        difference -= 360.0;
    }
    while difference < -180.0 {
        difference += 360.0;
    }
    difference
}

/// The nearest whole number, ties to even, as the x86 conversion has it: never −0, and too large ones
/// become −2147483648.
pub fn snap_to_integer(value: f32) -> f32 {
    to_integer(value.round_ties_even())
}

/// The whole number towards zero, likewise.
pub fn truncate_to_integer(value: f32) -> f32 {
    to_integer(value.trunc())
}

fn to_integer(whole: f32) -> f32 {
    const LIMIT: f32 = 2_147_483_648.0;
    if (-LIMIT..LIMIT).contains(&whole) {
        whole as i32 as f32
    } else {
        -LIMIT
    }
}
