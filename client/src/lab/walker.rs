//! A player who walks by himself, always in the same way, so that both hands are free for the sliders.

use crate::cl::input::{Action, Input};
use shared::base::time::ClientTime;

/// How long the round takes; then it begins again.
const ROUND_MSEC: i32 = 6000;
/// What is held down from when to when.
const STEPS: &[(Action, i32, i32)] = &[
    (Action::Forward, 0, 2400),
    (Action::Left, 500, 1150),
    (Action::MoveUp, 1300, 1400),
    (Action::MoveLeft, 2400, 3000),
    (Action::MoveRight, 3000, 3600),
    (Action::Forward, 3600, 5200),
    (Action::Left, 3600, 4200),
    (Action::MoveUp, 4500, 4600),
];

/// Walks since a moment.
#[derive(Clone, Debug)]
pub struct Walker {
    since: ClientTime,
}

impl Walker {
    pub fn start(now: ClientTime) -> Self {
        Self { since: now }
    }

    /// Holds down what is due and lets go of the rest.
    pub fn step(&self, now: ClientTime, input: &mut Input) {
        let at = (now - self.since).rem_euclid(ROUND_MSEC);
        for (action, from, to) in STEPS {
            let is_due = (*from..*to).contains(&at);
            let mut all = STEPS.iter();
            let is_any_due =
                all.any(|(other, from, to)| other == action && (*from..*to).contains(&at));
            if is_due && !input.is_held(*action) {
                input.press(*action, None, None);
            } else if !is_any_due && input.is_held(*action) {
                input.release(*action, None, None);
            }
        }
    }

    /// Lets go of everything.
    pub fn stop(input: &mut Input) {
        for (action, ..) in STEPS {
            input.release(*action, None, None);
        }
    }
}
