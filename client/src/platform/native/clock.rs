//! The client's clock: milliseconds since the start, from the operating system.

use shared::base::time::ClientTime;
use std::{
    hash::{BuildHasher, RandomState},
    time::{Instant, SystemTime, UNIX_EPOCH},
};

#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Starts at zero.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// A program starts at once; pages take their time.
    pub fn before_start_msec(&self) -> f64 {
        0.0
    }

    /// Whole milliseconds since the start; wraps after 24 days like the wire's clocks.
    pub fn now(&self) -> ClientTime {
        ClientTime(self.0.elapsed().as_millis() as i32)
    }

    /// Milliseconds since the start with their fraction.
    pub fn now_exact(&self) -> f64 {
        self.0.elapsed().as_secs_f64() * 1000.0
    }
}

/// Seconds since the beginning of 1970.
pub fn unix_seconds() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    // A clock before 1970 is as good as none.
    since.map_or(0, |since| since.as_secs() as i64)
}

/// A number that nobody can guess, from the system's generator.
pub fn seed() -> u64 {
    // A system without one still seeds its hash tables from somewhere.
    getrandom::u64().unwrap_or_else(|_| RandomState::new().hash_one(0))
}
