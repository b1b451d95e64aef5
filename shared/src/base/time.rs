//! ClientTime and ServerTime: milliseconds that cannot be mixed up.

use std::ops::{Add, Sub};

macro_rules! milliseconds {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub i32);

        /// Moves the time by milliseconds; wraps like the 32-bit clocks on the wire.
        impl Add<i32> for $name {
            type Output = Self;

            fn add(self, msec: i32) -> Self {
                Self(self.0.wrapping_add(msec))
            }
        }

        /// Moves the time back by milliseconds; wraps like the 32-bit clocks on the wire.
        impl Sub<i32> for $name {
            type Output = Self;

            fn sub(self, msec: i32) -> Self {
                Self(self.0.wrapping_sub(msec))
            }
        }

        /// Milliseconds from `earlier` to `self`.
        impl Sub for $name {
            type Output = i32;

            fn sub(self, earlier: Self) -> i32 {
                self.0.wrapping_sub(earlier.0)
            }
        }
    };
}

milliseconds! {
    /// Milliseconds of the client's own clock.
    ClientTime
}
milliseconds! {
    /// Milliseconds of the server's clock.
    ServerTime
}
