//! The level meter: how loud what is played is, on a scale of decibels, with the loudest of the last moments.

use crate::scene::{Draw2d, text::Charset};
use shared::base::time::ClientTime;

/// The lower end of the scale; the upper one is what a device can play at most.
const LEAST_DB: f32 = -48.0;
/// From here on little is left.
const LOUD_DB: f32 = -6.0;
/// How fast the bar falls.
const FALL_DB_PER_SEC: f32 = 24.0;
/// How long the loudest is marked.
const HOLD_MSEC: i32 = 1500;

/// What the meter shows.
#[derive(Clone, Copy, Debug)]
pub struct Meter {
    level_db: f32,
    held_db: f32,
    held_since: ClientTime,
    at: ClientTime,
}

impl Default for Meter {
    fn default() -> Self {
        Self {
            level_db: LEAST_DB,
            held_db: LEAST_DB,
            held_since: ClientTime::default(),
            at: ClientTime::default(),
        }
    }
}

impl Meter {
    /// Takes in the loudest sample since the last time; 1 is what a device can play at most.
    pub fn note(&mut self, peak: f32, now: ClientTime) {
        let peak_db = (20.0 * libm::log10f(peak.max(f32::MIN_POSITIVE))).clamp(LEAST_DB, 0.0);
        let seconds = (now - self.at).clamp(0, 10_000) as f32 / 1000.0;
        self.at = now;
        self.level_db = peak_db.max(self.level_db - FALL_DB_PER_SEC * seconds);
        if peak_db >= self.held_db || !now.is_within(self.held_since, HOLD_MSEC) {
            (self.held_db, self.held_since) = (self.level_db, now);
        }
    }

    /// A column at the right edge, from silence below to the loudest above.
    pub fn draw(&self, out: &mut Vec<Draw2d>, charset: Charset, [width, height]: [f32; 2]) {
        let share = |db: f32| 1.0 - db / LEAST_DB;
        let column = [8.0, 200.0].map(|side| side * height / 720.0);
        let (left, bottom) = (width - 2.0 * column[0], height / 2.0 + column[1] / 2.0);
        let mut part = |from: f32, to: f32, color| {
            let [wide, high] = [column[0], column[1] * (to - from)];
            if high > 0.0 {
                let rect = [left, bottom - column[1] * to, wide, high];
                charset.fill(out, rect, color);
            }
        };
        part(0.0, 1.0, [0.0, 0.0, 0.0, 0.6]);
        let (level, loud) = (share(self.level_db), share(LOUD_DB));
        part(0.0, level.min(loud), [0.3, 0.85, 0.4, 1.0]);
        part(loud, level, [1.0, 0.6, 0.1, 1.0]);
        let held = share(self.held_db);
        part(held, held + 0.01, [1.0, 1.0, 1.0, 1.0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::CHARSET;

    /// Heights of the bars over the dark column and below the mark.
    fn bars(meter: &Meter) -> Vec<f32> {
        let mut out = Vec::new();
        meter.draw(&mut out, CHARSET, [1280.0, 720.0]);
        let bars = &out[1..out.len() - 1];
        bars.iter().map(|bar| bar.rect[3].round()).collect()
    }

    #[test]
    fn it_rises_at_once_falls_slowly_and_warns() {
        let mut meter = Meter::default();
        assert_eq!(bars(&meter), [] as [f32; 0]);
        meter.note(0.063_1, ClientTime(1000));
        assert_eq!(bars(&meter), [100.0], "-24 dB is half of the scale");
        meter.note(0.0, ClientTime(1500));
        assert_eq!(bars(&meter), [50.0]);
        meter.note(7.0, ClientTime(1510));
        assert_eq!(bars(&meter), [175.0, 25.0], "what is cut off fills it");
        meter.note(f32::NAN, ClientTime(9000));
        assert_eq!(bars(&meter), [] as [f32; 0]);
    }
}
