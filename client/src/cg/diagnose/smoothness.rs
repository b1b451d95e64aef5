//! How evenly other players move on the screen, in figures.

use crate::cg::timeline::{Timeline, entities::CEntity};

/// Farther than anybody gets in a frame: a teleport, not a jump of the picture.
const TELEPORT: f32 = 128.0;
/// Width of one bar of the histogram, in units.
const BAR: f32 = 0.25;
const BARS: usize = 512;

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
    /// Counts how everybody moved in this frame.
    pub fn measure(&mut self, timeline: &Timeline) {
        let Some(snap) = timeline.snap() else { return };
        let deviation = |entity: &CEntity| entity.deviation;
        for number in timeline.entities().shown(snap) {
            if let Some(deviation) = timeline.entity(number).and_then(deviation) {
                self.note(deviation);
            }
        }
    }

    fn note(&mut self, deviation: f32) {
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
    fn deviations_are_counted_and_teleports_are_not() {
        let mut smoothness = Smoothness::default();
        for deviation in [0.1; 98].into_iter().chain([7.0, 500.0]) {
            smoothness.note(deviation);
        }
        let report = smoothness.report();
        assert_eq!((report.samples, report.largest), (99, 7.0));
        assert_eq!((report.p50, report.p99, report.p999), (0.25, 7.25, 7.25));
    }
}
