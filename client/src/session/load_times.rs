//! How long each step took from the wish to play until the game's first frame.

use super::{LoadStage, Session};
use crate::cl::State;
use shared::base::time::ClientTime;
use std::fmt;

/// What there is to wait for, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Way,
    Gamestate,
    Paks,
    Media,
    Snapshot,
    Frame,
}

impl Step {
    const ALL: [Self; 6] = [
        Self::Way,
        Self::Gamestate,
        Self::Paks,
        Self::Media,
        Self::Snapshot,
        Self::Frame,
    ];

    /// Its name for the page's script, and what was waited for, for players.
    fn texts(self) -> (&'static str, &'static str) {
        match self {
            Self::Way => ("wayMsec", "the way to the server"),
            Self::Gamestate => ("gamestateMsec", "its gamestate"),
            Self::Paks => ("paksMsec", "the paks' directories"),
            Self::Media => ("mediaMsec", "map, models, pictures and sounds"),
            Self::Snapshot => ("snapshotMsec", "a snapshot"),
            Self::Frame => ("frameMsec", "the first frame"),
        }
    }

    /// Its name for the page's script.
    pub fn key(self) -> &'static str {
        self.texts().0
    }
}

/// The milliseconds of each step of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadTimes([i32; Step::ALL.len()]);

impl LoadTimes {
    pub fn steps(&self) -> impl Iterator<Item = (Step, i32)> {
        Step::ALL.into_iter().zip(self.0)
    }

    /// From the wish, or the new level, to the first frame.
    pub fn total_msec(&self) -> i32 {
        self.0.iter().sum()
    }
}

/// Measures one load after the other.
#[derive(Clone, Debug, Default)]
pub struct LoadClock {
    /// The load that goes on, and which of its steps since when.
    current: Option<(LoadTimes, Step, ClientTime)>,
    last: Option<LoadTimes>,
}

impl LoadClock {
    /// The newest load; `None` while it goes on.
    pub fn newest(&self) -> Option<LoadTimes> {
        self.last.filter(|_| self.current.is_none())
    }

    /// Takes note of what is being waited for from now on; `None` if nothing is.
    fn note(&mut self, now: ClientTime, step: Option<Step>) {
        let so_far = self.current.take().map(|(mut times, step, since)| {
            times.0[step as usize] += now - since;
            times
        });
        match step {
            Some(step) => self.current = Some((so_far.unwrap_or_default(), step, now)),
            None => self.last = so_far.or(self.last),
        }
    }
}

impl fmt::Display for LoadTimes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |msec: i32| f64::from(msec) / 1000.0;
        write!(formatter, "{:.2} s", seconds(self.total_msec()))?;
        for (number, (step, msec)) in self.steps().enumerate() {
            let before = if number == 0 { ':' } else { ',' };
            let (_, words) = step.texts();
            write!(formatter, "{before} {:.2} {words}", seconds(msec))?;
        }
        Ok(())
    }
}

impl Session {
    /// Takes note of what this frame leaves to be waited for.
    pub(super) fn note_load(&mut self, now: ClientTime) {
        let step = self.awaited();
        self.load_clock.note(now, step);
        if let Some(level) = &mut self.level {
            // It is drawn before the next frame.
            level.was_shown |= level.is_in_game;
        }
    }

    fn awaited(&self) -> Option<Step> {
        let Some(feed) = &self.feed else {
            return Some(Step::Way);
        };
        let Some(level) = &self.level else {
            return Some(Step::Gamestate);
        };
        match level.stage {
            LoadStage::Paks => Some(Step::Paks),
            LoadStage::Media => Some(Step::Media),
            LoadStage::Done if feed.state() != State::Active => Some(Step::Snapshot),
            LoadStage::Done if !level.was_shown => Some(Step::Frame),
            LoadStage::Done => None,
        }
    }

    /// How long the newest level took to load, in words.
    pub fn load_times_text(&self) -> String {
        match (&self.level, self.load_clock.newest()) {
            (Some(level), Some(times)) => format!("{} was loaded in {times}.\n", level.map),
            _ => "Nothing is loaded yet.\n".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_has_its_time_and_a_new_level_begins_anew() {
        let mut clock = LoadClock::default();
        let mut load = |steps: &[(i32, Option<Step>)]| {
            for &(now, step) in steps {
                clock.note(ClientTime(now), step);
            }
            clock.newest()
        };
        assert_eq!(load(&[(50, None)]), None);
        let begun = load(&[
            (100, Some(Step::Way)),
            (130, Some(Step::Gamestate)),
            (150, Some(Step::Gamestate)),
            (200, Some(Step::Paks)),
            (300, Some(Step::Media)),
            (800, Some(Step::Snapshot)),
            (850, Some(Step::Frame)),
        ]);
        assert_eq!(begun, None);
        let first = load(&[(875, None), (900, None)]).unwrap();
        assert_eq!(first, LoadTimes([30, 70, 100, 500, 50, 25]));
        assert_eq!(
            first.to_string(),
            "0.78 s: 0.03 the way to the server, 0.07 its gamestate, 0.10 the paks' directories, \
             0.50 map, models, pictures and sounds, 0.05 a snapshot, 0.03 the first frame"
        );
        assert_eq!(load(&[(5000, Some(Step::Media))]), None);
        let second = load(&[(5400, None)]).unwrap();
        assert_eq!(second, LoadTimes([0, 0, 0, 400, 0, 0]));
    }
}
