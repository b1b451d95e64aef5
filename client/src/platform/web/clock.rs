//! The client's clock: milliseconds since the start, from the browser.

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

/// A number that differs from start to start, for the qport and other harmless chance.
pub fn seed() -> u64 {
    js_sys::Math::random().to_bits() ^ js_sys::Date::now().to_bits().rotate_left(24)
}
