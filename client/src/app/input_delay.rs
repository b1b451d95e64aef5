//! How long it takes from what the player does until the picture with it goes to the display.

use crate::event::InputDelay;
use shared::base::sort::sort_by;

/// So often it is told.
const TOLD_MSEC: f64 = 500.0;
/// More pictures are not drawn in that time; older ones go.
const MAX_PICTURES: usize = 1024;

/// Measures on the exact clock, in milliseconds.
#[derive(Debug, Default)]
pub struct InputDelayMeter {
    /// When the oldest input came that no picture has shown yet.
    since: Option<f64>,
    delays: Vec<f32>,
    told_at: f64,
}

impl InputDelayMeter {
    /// Notes input that came at a time.
    pub fn note_input(&mut self, at: f64) {
        self.since.get_or_insert(at);
    }

    /// Notes that the picture with all of it went to the display; gives what half a second of that came to.
    pub fn note_picture(&mut self, at: f64) -> Option<InputDelay> {
        if let Some(since) = self.since.take()
            && self.delays.len() < MAX_PICTURES
        {
            self.delays.push((at - since).max(0.0) as f32);
        }
        if at - self.told_at < TOLD_MSEC || self.delays.is_empty() {
            return None;
        }
        self.told_at = at;
        sort_by(&mut self.delays, f32::total_cmp);
        let delay = InputDelay {
            typical_msec: self.delays[self.delays.len() / 2],
            longest_msec: self.delays[self.delays.len() - 1],
        };
        self.delays.clear();
        Some(delay)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_input_of_each_picture_counts() {
        let mut meter = InputDelayMeter::default();
        let mut told = Vec::new();
        for picture in 0..120 {
            let at = 1000.0 + f64::from(picture) * 10.0;
            meter.note_input(at);
            // Newer ones of the same picture do not matter.
            meter.note_input(at + 5.0);
            let took = if picture == 70 { 9.5 } else { 8.0 };
            told.extend(meter.note_picture(at + took));
        }
        let delay = |longest_msec| InputDelay {
            typical_msec: 8.0,
            longest_msec,
        };
        // The first is told at once, then half a second each.
        assert_eq!(told, [delay(8.0), delay(8.0), delay(9.5)]);
    }

    #[test]
    fn pictures_without_input_tell_nothing() {
        let mut meter = InputDelayMeter::default();
        assert!((0..1000).all(|at| meter.note_picture(f64::from(at) * 10.0).is_none()));
    }
}
