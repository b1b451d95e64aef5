//! Pings of the newest snapshots, for a nudge that follows the line (`cl_autoNudge`).

use super::send::UNKNOWN_PING;
use std::collections::VecDeque;

/// As many snapshots as the connection remembers.
const MAX: usize = 32;

#[derive(Clone, Debug, Default)]
pub struct Pings {
    newest: VecDeque<i32>,
}

impl Pings {
    pub fn note(&mut self, ping_msec: i32) {
        if ping_msec == UNKNOWN_PING {
            return;
        }
        if self.newest.len() == MAX {
            self.newest.pop_front();
        }
        self.newest.push_back(ping_msec);
    }

    /// How much later others are shown, in milliseconds, for a share of the ping: negative is earlier.
    /// `None` for no share at all.
    pub fn nudge_msec(&self, share: f32) -> Option<i32> {
        if share == 0.0 {
            return None;
        }
        let mut sorted: Vec<i32> = self.newest.iter().copied().collect();
        sorted.sort_unstable();
        let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0);
        Some(-(share * median as f32).round() as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nudge_follows_the_middle_of_the_pings() {
        let mut pings = Pings::default();
        for ping in [50, UNKNOWN_PING, 40, 300] {
            pings.note(ping);
        }
        assert_eq!(pings.nudge_msec(0.0), None);
        assert_eq!(pings.nudge_msec(0.5), Some(-25));
        assert_eq!(Pings::default().nudge_msec(0.5), Some(0));
    }
}
