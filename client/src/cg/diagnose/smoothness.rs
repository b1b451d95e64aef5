//! How evenly other players move on the screen, in figures.

use glam::Vec3;
use shared::base::time::ServerTime;

/// A frame that took longer than this tells nothing about the line.
const LONGEST_FRAME_MSEC: i32 = 60;
/// Farther than anybody gets in a frame: a teleport, not a jump of the picture.
const TELEPORT: f32 = 128.0;
/// Nobody gets out of step by more than this by himself, in one frame.
pub const JUMP: f32 = 3.0;
/// Width of one bar of the histogram, in units.
const BAR: f32 = 0.25;
const BARS: usize = 512;

/// Where somebody was, and how fast that place moved.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    origin: Vec3,
    time: ServerTime,
    /// Units per millisecond; unknown at first.
    velocity: Option<Vec3>,
}

impl Shown {
    /// Goes on to where he is now; gives the way from there to where he would be had he gone on as he did.
    pub fn follow(shown: &mut Option<Self>, origin: Vec3, time: ServerTime) -> Option<Vec3> {
        let before = shown.replace(Self {
            origin,
            time,
            velocity: None,
        })?;
        let elapsed = time - before.time;
        if !(1..=LONGEST_FRAME_MSEC).contains(&elapsed) {
            return None;
        }
        let jump = before
            .velocity
            .map(|velocity| before.origin + velocity * elapsed as f32 - origin);
        let has_jumped = jump.is_some_and(|jump| jump.length() > JUMP);
        if let Some(shown) = shown {
            // After a jump he goes on as before, not as fast as he jumped.
            shown.velocity = match before.velocity {
                Some(velocity) if has_jumped => Some(velocity),
                _ => Some((origin - before.origin) / elapsed as f32),
            };
        }
        jump
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
        let mut shown = None;
        let mut follow = |x: f32, time| Shown::follow(&mut shown, Vec3::X * x, ServerTime(time));
        assert_eq!(follow(0.0, 1000), None);
        assert_eq!(follow(2.0, 1008), None);
        assert_eq!(follow(5.0, 1016), Some(Vec3::NEG_X));
        assert_eq!(follow(5.0, 2000), None, "a long pause tells nothing");
        let mut smoothness = Smoothness::default();
        for deviation in [0.1; 98].into_iter().chain([7.0, 500.0]) {
            smoothness.note(deviation);
        }
        let report = smoothness.report();
        assert_eq!((report.samples, report.largest), (99, 7.0));
        assert_eq!((report.p50, report.p99, report.p999), (0.25, 7.25, 7.25));
    }
}
