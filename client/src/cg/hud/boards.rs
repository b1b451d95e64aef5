//! Boards: which tables the player looks at, and when their numbers were asked for.

use shared::base::time::ServerTime;

/// The tables of scores and of accuracies.
#[derive(Clone, Copy, Debug, Default)]
pub struct Boards {
    pub shows_scores: bool,
    pub shows_accuracy: bool,
    scores_requested_at: Option<ServerTime>,
    accuracies_requested_at: Option<ServerTime>,
}

impl Boards {
    /// What to ask the server for, each at most every two seconds; `waits` shows the scores unasked.
    pub fn requests(&mut self, now: ServerTime, waits: bool) -> Vec<String> {
        const INTERVAL_MSEC: i32 = 2000;
        let tables = [
            (
                self.shows_scores || waits,
                &mut self.scores_requested_at,
                "score",
            ),
            (
                self.shows_accuracy,
                &mut self.accuracies_requested_at,
                "acc",
            ),
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
        self.scores_requested_at = None;
    }
}
