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
    pub base: Vec3,
    /// Units per second; the amplitude for a sine.
    pub delta: Vec3,
}

/// Values of [`Trajectory::kind`].
pub mod kind {
    pub const STATIONARY: i32 = 0;
    pub const INTERPOLATE: i32 = 1;
    pub const LINEAR: i32 = 2;
    pub const LINEAR_STOP: i32 = 3;
    pub const SINE: i32 = 4;
    pub const GRAVITY: i32 = 5;
}
