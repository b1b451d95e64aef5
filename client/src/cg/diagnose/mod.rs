//! Diagnose: what is measured and explained about frames; it reads all rooms, and nothing of the game depends on it.

pub mod explain;
pub mod ghosts;
pub mod shots;
pub mod smoothness;
mod test_model;

use super::{
    hud::Label,
    io::{Action, FrameInput, FrameOutput},
    predict::{Progress, misses::PredictionStats},
    present::frame::Frame,
    timeline::Timeline,
};
use crate::scene::ShaderId;
use ghosts::Ghosts;
use glam::Vec3;
use shared::{base::time::ServerTime, types::playerstate::PlayerState};
use shots::{Shots, Verdict};
use smoothness::Smoothness;
use test_model::TestModels;

/// What is looked at closer.
#[derive(Clone, Debug, Default)]
pub struct Diagnose {
    ghosts: Ghosts,
    test_model: TestModels,
    shots: Shots,
    /// How evenly the other players moved on the screen.
    smoothness: Smoothness,
}

impl Diagnose {
    /// What the player asked for.
    pub fn act(&mut self, action: &Action, output: &mut FrameOutput) {
        match action {
            Action::TestModel { name, is_held } => self.test_model.request(name, *is_held),
            Action::StepTestModel(step) => self.test_model.step(*step, output),
            _ => {}
        }
    }

    /// Looks for the causes of misses where that was asked for, and tells them.
    pub fn explain(
        &mut self,
        progress: Progress,
        stats: &mut PredictionStats,
        input: &FrameInput<'_>,
        output: &mut FrameOutput,
    ) {
        let show_miss = input.settings.show_miss;
        if progress.is_frozen && show_miss > 0 {
            let text = "exceeded the window of usercmds\n".to_owned();
            output.printed.push(text);
        }
        for mut miss in progress.misses {
            explain::explain(&mut miss, stats);
            if show_miss > 0 {
                let length = miss.predicted.distance(miss.actual);
                let (cause, field, time) = (miss.cause.name(), miss.field, miss.server_time);
                output.printed.push(format!(
                    "Prediction miss: {length:.3} ({field}, {cause}) at {}\n",
                    time.0
                ));
            }
            if show_miss > 1 {
                output.printed.push(format!("{}\n", miss.detail));
            }
            self.ghosts.add_miss(miss, input.time);
        }
    }

    /// Judges own shots by the newest snapshot, and tells of those that missed where that was asked for.
    pub fn judge_shots(
        &mut self,
        timeline: &Timeline,
        input: &FrameInput<'_>,
        output: &mut FrameOutput,
    ) {
        let snapshots = timeline.snapshots();
        let Some(newest) = snapshots.next.as_ref().or(snapshots.snap.as_ref()) else {
            return;
        };
        let count = self.shots.judge(newest, timeline.level(), input.time);
        if input.settings.show_shots {
            let fresh = self.shots.reports().iter().rev().take(count).rev();
            let told =
                fresh.filter(|report| !matches!(report.verdict, Verdict::Hit | Verdict::Nobody));
            output
                .printed
                .extend(told.map(|report| format!("Shot: {}\n", report.describe())));
        }
    }

    /// Measures what is shown, and draws what helps to compare; `shader` is plain white.
    pub fn draw(&mut self, shader: ShaderId, frame: &mut Frame<'_>) {
        self.smoothness.measure(frame.timeline);
        self.ghosts.add(shader, frame);
        if frame.settings.show_shots {
            self.shots.draw(shader, frame, &mut self.ghosts.labels);
        }
        self.test_model.add(frame);
    }

    /// What the ghosts are in numbers, and what stands at the marks of misses.
    pub fn texts(&self) -> (&[String], &[Label]) {
        (&self.ghosts.texts, &self.ghosts.labels)
    }

    /// The local player went from one state to the next; `shown` gives where everybody is seen.
    pub fn note_shot(
        &mut self,
        old: &PlayerState,
        new: &PlayerState,
        shown_time: ServerTime,
        shown: impl FnOnce() -> Vec<(i32, Vec3)>,
    ) {
        self.shots.note(old, new, shown_time, shown);
    }

    /// Own shots, and why they missed.
    pub fn shots(&self) -> &Shots {
        &self.shots
    }

    pub fn smoothness(&self) -> &Smoothness {
        &self.smoothness
    }
}
