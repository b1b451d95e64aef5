//! Boards: which tables the player looks at, and when their numbers were asked for.

use super::Hud;
use shared::base::time::ServerTime;

/// The tables of scores and of accuracies.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Boards {
    pub(super) shows_scores: bool,
    pub(super) shows_accuracy: bool,
    scores_requested_at: Option<ServerTime>,
    accuracies_requested_at: Option<ServerTime>,
}

impl Hud {
    pub fn show_scores(&mut self, shows: bool) {
        self.boards.shows_scores = shows;
    }

    pub fn show_accuracy(&mut self, shows: bool) {
        self.boards.shows_accuracy = shows;
    }

    /// What to ask the server for, each at most every two seconds; `waits` shows the scores unasked.
    pub fn requests(&mut self, now: ServerTime, waits: bool) -> Vec<String> {
        const INTERVAL_MSEC: i32 = 2000;
        let boards = &mut self.boards;
        let scores_at = &mut boards.scores_requested_at;
        let accuracies_at = &mut boards.accuracies_requested_at;
        let tables = [
            (boards.shows_scores || waits, scores_at, "score"),
            (boards.shows_accuracy, accuracies_at, "acc"),
        ];
        let mut requests = Vec::new();
        for (is_wanted, at, command) in tables {
            if is_wanted && at.is_none_or(|at| !now.is_within(at, INTERVAL_MSEC + 1)) {
                *at = Some(now);
                requests.push(command.to_owned());
            }
        }
        requests
    }

    /// The match begins again: the scores of before are void.
    pub fn restart(&mut self) {
        self.boards.scores_requested_at = None;
    }
}
