//! How long each step took from the wish to play until the game's first frame.

use super::{LoadStage, Session};
use crate::cl::State;
use shared::base::time::ClientTime;
use std::fmt;

/// What there is to wait for, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
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

    fn names(self) -> [&'static str; 2] {
        match self {
            Self::Way => ["the way to the server", "wayMsec"],
            Self::Gamestate => ["its gamestate", "gamestateMsec"],
            Self::Paks => ["the paks' directories", "paksMsec"],
            Self::Media => ["map, models, pictures and sounds", "mediaMsec"],
            Self::Snapshot => ["a snapshot", "snapshotMsec"],
            Self::Frame => ["the first frame", "frameMsec"],
        }
    }
}

/// The milliseconds of each step of the newest load; a new level begins anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadTimes {
    msec: [i32; Step::ALL.len()],
    /// What is being done since when; `None` while playing.
    current: Option<(Step, ClientTime)>,
}

impl LoadTimes {
    /// Each step in words and as a key, and its milliseconds.
    pub fn steps(&self) -> impl Iterator<Item = ([&'static str; 2], i32)> {
        Step::ALL.map(Step::names).into_iter().zip(self.msec)
    }

    /// From the wish, or the new level, to the first frame.
    pub fn total_msec(&self) -> i32 {
        self.msec.iter().sum()
    }

    pub fn is_over(&self) -> bool {
        self.current.is_none()
    }

    /// Takes note of what is being waited for from now on; `None` if nothing is.
    fn begin(&mut self, now: ClientTime, step: Option<Step>) {
        match self.current {
            Some((done, since)) => self.msec[done as usize] += now - since,
            None if step.is_some() => self.msec = Default::default(),
            None => {}
        }
        self.current = step.map(|step| (step, now));
    }
}

impl fmt::Display for LoadTimes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |msec: i32| f64::from(msec) / 1000.0;
        write!(formatter, "{:.2} s", seconds(self.total_msec()))?;
        for (number, ([name, _], msec)) in self.steps().enumerate() {
            let before = if number == 0 { ':' } else { ',' };
            write!(formatter, "{before} {:.2} {name}", seconds(msec))?;
        }
        Ok(())
    }
}

impl Session {
    /// Takes note of what this frame leaves to be waited for.
    pub(super) fn note_load(&mut self, now: ClientTime) {
        let step = self.awaited();
        self.load_times.begin(now, step);
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
            // The frame in which the game begins is drawn before the next one.
            LoadStage::Done if !self.load_times.is_over() => match self.load_times.current {
                Some((Step::Frame, _)) if level.is_in_game => None,
                _ => Some(Step::Frame),
            },
            LoadStage::Done => None,
        }
    }

    /// How long the newest level took to load, in words.
    pub fn load_times_text(&self) -> String {
        match &self.level {
            Some(level) if self.load_times.is_over() => {
                format!("{} was loaded in {}.\n", level.map, self.load_times)
            }
            _ => "Nothing is loaded yet.\n".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_has_its_time_and_a_new_level_begins_anew() {
        let mut times = LoadTimes::default();
        let mut load = |steps: &[(i32, Option<Step>)]| {
            for &(now, step) in steps {
                times.begin(ClientTime(now), step);
            }
            (times.clone(), times.is_over())
        };
        let (first, is_over) = load(&[
            (100, Some(Step::Way)),
            (130, Some(Step::Gamestate)),
            (150, Some(Step::Gamestate)),
            (200, Some(Step::Paks)),
            (300, Some(Step::Media)),
            (800, Some(Step::Snapshot)),
            (850, Some(Step::Frame)),
        ]);
        assert!(!is_over);
        assert_eq!(first.total_msec(), 750);
        let (first, is_over) = load(&[(875, None), (900, None)]);
        assert!(is_over);
        assert_eq!(first.msec, [30, 70, 100, 500, 50, 25]);
        assert_eq!(
            first.to_string(),
            "0.78 s: 0.03 the way to the server, 0.07 its gamestate, 0.10 the paks' directories, \
             0.50 map, models, pictures and sounds, 0.05 a snapshot, 0.03 the first frame"
        );
        let (second, _) = load(&[(5000, Some(Step::Media)), (5400, None)]);
        assert_eq!(second.msec, [0, 0, 0, 400, 0, 0]);
    }
}
