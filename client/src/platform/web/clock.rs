//! The client's clock: milliseconds since the start, from the browser.

use super::host;
use shared::base::time::ClientTime;

#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start_msec: f64,
}

impl Clock {
    /// Starts at zero.
    pub fn start() -> Self {
        Self {
            start_msec: page_msec(),
        }
    }

    /// Milliseconds from the wish to see the page until the start.
    pub fn before_start_msec(&self) -> f64 {
        self.start_msec
    }

    /// Whole milliseconds since the start; wraps after 24 days like the wire's clocks.
    pub fn now(&self) -> ClientTime {
        ClientTime(self.now_exact() as i64 as i32)
    }

    /// Milliseconds since the start with their fraction.
    pub fn now_exact(&self) -> f64 {
        page_msec() - self.start_msec
    }
}

fn page_msec() -> f64 {
    // A page without a window has nothing to show either; its clock stands still.
    web_sys::window()
        .and_then(|window| window.performance())
        .map_or(0.0, |performance| performance.now())
}

/// Seconds since the beginning of 1970.
pub fn unix_seconds() -> i64 {
    (js_sys::Date::now() / 1000.0) as i64
}

/// A number that nobody can guess, from the browser's generator.
pub fn seed() -> u64 {
    let mut bytes = [0; 8];
    // Every browser that runs the game has one, in insecure pages too.
    let filled = web_sys::window()
        .and_then(|window| window.crypto().ok())
        .and_then(|crypto| crypto.get_random_values_with_u8_array(&mut bytes).ok());
    if filled.is_none() {
        host::fail("This browser has no generator of random numbers.");
    }
    u64::from_le_bytes(bytes)
}
