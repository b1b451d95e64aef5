//! How evenly other players move on the screen, in figures.

use glam::Vec3;

/// A frame that took longer than this tells nothing about the line.
const LONGEST_FRAME_MSEC: i32 = 60;
/// Farther than anybody gets in a frame: a teleport, not a jump of the picture.
const TELEPORT: f32 = 128.0;
/// Width of one bar of the histogram, in units.
const BAR: f32 = 0.25;
const BARS: usize = 512;

/// Where somebody was shown, and how fast that place moved.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    pub origin: Vec3,
    pub time: i32,
    /// Units per millisecond; unknown at first.
    velocity: Option<Vec3>,
}

impl Shown {
    pub fn new(origin: Vec3, time: i32) -> Self {
        Self {
            origin,
            time,
            velocity: None,
        }
    }

    /// Where he would be shown if he went on as he did.
    pub fn expected(&self, time: i32) -> Option<Vec3> {
        let elapsed = time - self.time;
        let velocity = self.velocity?;
        (1..=LONGEST_FRAME_MSEC)
            .contains(&elapsed)
            .then(|| self.origin + velocity * elapsed as f32)
    }

    /// Goes on to where he is shown now.
    #[must_use]
    pub fn moved_to(self, origin: Vec3, time: i32) -> Self {
        let elapsed = time - self.time;
        Self {
            origin,
            time,
            velocity: (elapsed > 0).then(|| (origin - self.origin) / elapsed as f32),
        }
    }
}

/// By how much places differed from where even motion would have led, over all players and frames.
///
/// Starting, stopping, landing and being hit are in it too, so compare two lines with the same players on them.
#[derive(Clone, Debug)]
pub struct Smoothness {
    bars: Vec<u32>,
    largest: f32,
}

/// The figures of a [`Smoothness`], in units per frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize)]
pub struct SmoothnessReport {
    pub samples: u64,
    pub p50: f32,
    pub p99: f32,
    pub p999: f32,
    pub largest: f32,
}

impl Default for Smoothness {
    fn default() -> Self {
        Self {
            bars: vec![0; BARS],
            largest: 0.0,
        }
    }
}

impl Smoothness {
    pub fn note(&mut self, deviation: f32) {
        if deviation >= TELEPORT {
            return;
        }
        self.largest = self.largest.max(deviation);
        let bar = ((deviation / BAR) as usize).min(BARS - 1);
        self.bars[bar] += 1;
    }

    pub fn report(&self) -> SmoothnessReport {
        let samples: u64 = self.bars.iter().map(|&bar| u64::from(bar)).sum();
        let share = |share: f64| {
            let wanted = (samples as f64 * share).ceil() as u64;
            let mut seen = 0;
            let place = self.bars.iter().position(|&bar| {
                seen += u64::from(bar);
                seen >= wanted.max(1)
            });
            place.map_or(0.0, |place| (place + 1) as f32 * BAR)
        };
        SmoothnessReport {
            samples,
            p50: share(0.5),
            p99: share(0.99),
            p999: share(0.999),
            largest: self.largest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn even_motion_is_expected_and_a_jump_is_measured() {
        let mut shown = Shown::new(Vec3::ZERO, 1000);
        assert_eq!(shown.expected(1008), None);
        shown = shown.moved_to(Vec3::X * 2.0, 1008);
        assert_eq!(shown.expected(1016), Some(Vec3::X * 4.0));
        assert_eq!(shown.expected(2000), None);
        let mut smoothness = Smoothness::default();
        for deviation in [0.1; 98].into_iter().chain([7.0, 500.0]) {
            smoothness.note(deviation);
        }
        let report = smoothness.report();
        assert_eq!((report.samples, report.largest), (99, 7.0));
        assert_eq!((report.p50, report.p99, report.p999), (0.25, 7.25, 7.25));
    }
}
