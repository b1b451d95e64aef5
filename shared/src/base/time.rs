//! ClientTime and ServerTime: milliseconds that cannot be mixed up, and differences that cannot overflow.
//!
//! Both clocks have 32 bits, as on the wire, and are circles: after 2³¹ − 1 comes −2³¹, and nothing ends there.
//! Two times have no order of their own. One is *before* another if the shorter way around the circle leads forward
//! to the other, so all of this holds across the end of the clock as anywhere else, for times less than 24 days apart.
//! That is why there is no `Ord`: `<` would be wrong for a moment every 49 days, and for ever on a hostile server.
//!
//! A server may also let its clock jump, by any distance, in one snapshot. What began at a time and lasts for a while
//! is therefore asked by [`ServerTime::is_within`]: it is over as soon as the clock stands outside of its stretch, on
//! *either* side. After a jump, forwards or backwards, such things are gone instead of waiting for days. What is done
//! once every few milliseconds catches up with [`ServerTime::steps_since`], which is bounded.

#![deny(
    clippy::arithmetic_side_effects,
    reason = "any two times can meet here, and a server chooses one of them"
)]

use std::ops::{Add, Sub};

macro_rules! milliseconds {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $name(pub i32);

        /// Moves the time by milliseconds; wraps like the 32-bit clocks on the wire.
        impl Add<i32> for $name {
            type Output = Self;

            #[inline]
            fn add(self, msec: i32) -> Self {
                Self(self.0.wrapping_add(msec))
            }
        }

        /// Moves the time back by milliseconds; wraps like the 32-bit clocks on the wire.
        impl Sub<i32> for $name {
            type Output = Self;

            #[inline]
            fn sub(self, msec: i32) -> Self {
                Self(self.0.wrapping_sub(msec))
            }
        }

        /// Milliseconds from `earlier` to `self`; negative if `self` comes first.
        impl Sub for $name {
            type Output = i32;

            #[inline]
            fn sub(self, earlier: Self) -> i32 {
                self.0.wrapping_sub(earlier.0)
            }
        }

        impl $name {
            /// Whether this comes first.
            #[inline]
            pub fn is_before(self, other: Self) -> bool {
                self.0.wrapping_sub(other.0) < 0
            }

            /// Whether the other comes first.
            #[inline]
            pub fn is_after(self, other: Self) -> bool {
                self.0.wrapping_sub(other.0) > 0
            }

            /// Whether `msec` milliseconds that began at `start` have begun and are not over.
            #[inline]
            pub fn is_within(self, start: Self, msec: i32) -> bool {
                (0..msec).contains(&self.0.wrapping_sub(start.0))
            }

            /// The later one.
            #[inline]
            pub fn later(self, other: Self) -> Self {
                if self.is_before(other) { other } else { self }
            }

            /// The earlier one.
            #[inline]
            pub fn earlier(self, other: Self) -> Self {
                if self.is_after(other) { other } else { self }
            }

            /// Each whole multiple of `every` after `last`, up to this time; none if this time is not after `last`, and
            /// the last `max_steps` if there are more.
            pub fn steps_since(
                self,
                last: Self,
                every: i32,
                max_steps: i32,
            ) -> impl Iterator<Item = Self> {
                let every = every.max(1);
                let passed = self.0.wrapping_sub(last.0).max(0);
                let count = passed.checked_div(every).unwrap_or(0);
                let first = count.saturating_sub(max_steps.max(0)).max(0);
                let after = move |step: i32| step.saturating_add(1).saturating_mul(every);
                (first..count).map(move |step| Self(last.0.wrapping_add(after(step))))
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

#[cfg(test)]
mod tests {
    use super::*;

    const END: ServerTime = ServerTime(i32::MAX);

    #[test]
    fn the_end_of_the_clock_is_like_any_other_moment() {
        for now in [ServerTime(0), ServerTime(1000), END - 20, END, END + 1] {
            assert!(now.is_before(now + 50) && (now + 50).is_after(now));
            assert!(!now.is_before(now) && !now.is_after(now));
            assert_eq!(now + 50 - now, 50);
            assert_eq!(
                (now.later(now + 50), now.earlier(now + 50)),
                (now + 50, now)
            );
            let lives = [-1, 0, 49, 50].map(|msec| (now + msec).is_within(now, 50));
            assert_eq!(lives, [false, true, true, false]);
            let steps = (now + 50).steps_since(now, 20, 8).collect::<Vec<_>>();
            assert_eq!(steps, [now + 20, now + 40]);
        }
    }

    #[test]
    fn a_jump_ends_what_lasts_and_makes_few_steps() {
        let start = ServerTime(1000);
        for jump in [
            i32::MIN,
            i32::MIN + 1,
            -100_000,
            100_000,
            i32::MAX - 1,
            i32::MAX,
        ] {
            let now = start + jump;
            assert!(!now.is_within(start, 10_000), "{jump}");
            assert!(now.steps_since(start, 1, 16).count() <= 16, "{jump}");
            assert_eq!(now.steps_since(start, 1, 16).last().is_some(), jump > 0);
        }
        assert_eq!(
            (start + 90).steps_since(start, 0, 4).last(),
            Some(start + 90)
        );
        assert_eq!((start + 90).steps_since(start, 10, -1).count(), 0);
    }
}
