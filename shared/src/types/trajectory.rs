//! A path in time, and where it is at a ServerTime.

use glam::Vec3;

/// How something moves until the server says otherwise; fields as on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trajectory {
    /// One of [`kind`]; other values are possible on the wire and behave as stationary.
    pub kind: i32,
    /// Server time at which the path starts, in milliseconds.
    pub time: i32,
    /// Milliseconds, where the kind has an end or a period.
    pub duration: i32,
    /// Where it starts, in units or degrees.
    pub base: Vec3,
    /// Units per second; the amplitude for a sine.
    pub delta: Vec3,
}

/// Values of [`Trajectory::kind`].
pub mod kind {
    numbers! { i32:
        STATIONARY = 0, "Stays at the base.";
        INTERPOLATE = 1, "Stays at the base, and is drawn between that of two snapshots.";
        LINEAR = 2, "Goes on for ever.";
        LINEAR_STOP = 3, "Goes on for the duration.";
        SINE = 4, "Swings around the base; the duration is the period.";
        GRAVITY = 5, "Falls, at 800 units per second each second.";
    }
}
