//! Which two snapshots we are between, and what happens when that changes.
//!
//! The view is drawn for a server time that lies, most of the time, between two snapshots: `snap` (at or before it)
//! and `next` (after it; missing when the line is bad, then everything is extrapolated from `snap`).
//! [`Snapshots::advance`] moves on by one step at a time, so that no snapshot is skipped: every event and every server
//! command in between is seen, even when several snapshots arrive within one frame.

use super::{finite::finite, lagometer::Lagometer};
use crate::cg::io::SnapshotArrival;
use shared::{
    base::time::ServerTime,
    bg::numbers::entity_flags,
    types::snapshot::{Snapshot, flags},
};
use std::{collections::VecDeque, sync::Arc};

/// When more are waiting, the shown time is not going to reach `next`: a server set it far ahead. Many more than come
/// between two frames, and few enough to keep.
const MAX_WAITING: usize = 256;

/// The two snapshots around the shown time, and those still waiting.
#[derive(Clone, Debug, Default)]
pub struct Snapshots {
    waiting: VecDeque<SnapshotArrival>,
    pub snap: Option<Arc<Snapshot>>,
    pub next: Option<Arc<Snapshot>>,
    /// The player changed place abruptly at the last transition; cleared by the prediction.
    pub this_teleport: bool,
    /// The player changes place abruptly between `snap` and `next`: nothing of his is interpolated.
    pub next_teleport: bool,
    /// The newest message number ever taken in.
    newest_message: i32,
    newest_time: ServerTime,
}

/// One change of the pair of snapshots.
#[derive(Clone, Debug)]
pub enum Step {
    /// The first snapshot that can be shown became `snap`.
    Initial,
    /// A later snapshot became `next`.
    Next,
    /// The shown time passed `next`, which became `snap`; this was `snap` before.
    Transition { previous: Arc<Snapshot> },
}

impl Snapshots {
    /// Takes in what arrived; numbers that are missing in between count as lost.
    pub fn push(&mut self, arrival: &SnapshotArrival, lagometer: &mut Lagometer) {
        let number = arrival.snapshot.message_num;
        if self.newest_message != 0 {
            let gap = number.wrapping_sub(self.newest_message);
            if gap <= 0 {
                return;
            }
            for _ in 1..gap.min(1000) {
                lagometer.add_lost_snapshot();
            }
        }
        lagometer.add_snapshot(
            arrival.ping_msec,
            arrival.snapshot.flags & flags::RATE_DELAYED != 0,
        );
        self.newest_message = number;
        self.newest_time = arrival.snapshot.server_time;
        self.waiting.push_back(SnapshotArrival {
            snapshot: finite(&arrival.snapshot),
            ..arrival.clone()
        });
    }

    /// Does the next due change, if there is one; call again until there is none.
    pub fn advance(&mut self, time: ServerTime) -> Option<Step> {
        let Some(snap) = &self.snap else {
            return self.take_initial();
        };
        let Some(next) = &self.next else {
            let next = self.waiting.pop_front()?.snapshot;
            if next.server_time.is_before(snap.server_time) {
                // The server's clock went back without a new gamestate: start over rather than run backwards.
                self.snap = Some(next);
                return Some(Step::Initial);
            }
            self.next_teleport = is_abrupt(snap, &next);
            self.next = Some(next);
            return Some(Step::Next);
        };
        let is_between = !time.is_before(snap.server_time) && time.is_before(next.server_time);
        if is_between && self.waiting.len() <= MAX_WAITING {
            return None;
        }
        let teleported =
            (snap.player.e_flags ^ next.player.e_flags) & entity_flags::TELEPORT_BIT != 0;
        let previous = self.snap.take()?;
        self.snap = self.next.take();
        if teleported {
            self.this_teleport = true;
        }
        Some(Step::Transition { previous })
    }

    /// The shown time, not before `snap`: after a transition it never runs backwards.
    pub fn clamp(&self, time: ServerTime) -> ServerTime {
        self.snap
            .as_ref()
            .map_or(time, |snap| time.later(snap.server_time))
    }

    /// How far the shown time is from `snap` to `next`; 0 without a `next`.
    pub fn fraction(&self, time: ServerTime) -> f32 {
        let (Some(snap), Some(next)) = (&self.snap, &self.next) else {
            return 0.0;
        };
        let span = next.server_time - snap.server_time;
        if span == 0 {
            0.0
        } else {
            (time - snap.server_time) as f32 / span as f32
        }
    }

    /// The newest snapshot usable as a base for prediction and for the solid list.
    pub fn base(&self) -> Option<&Arc<Snapshot>> {
        match &self.next {
            Some(next) if !self.next_teleport && !self.this_teleport => Some(next),
            _ => self.snap.as_ref(),
        }
    }

    /// Server time of the newest snapshot that arrived, shown or not.
    pub fn newest_time(&self) -> ServerTime {
        self.newest_time
    }

    /// Message number of the newest snapshot that arrived, shown or not.
    pub fn newest_message(&self) -> i32 {
        self.newest_message
    }

    /// Leaves out snapshots from before the player is in the game.
    fn take_initial(&mut self) -> Option<Step> {
        loop {
            let first = self.waiting.pop_front()?.snapshot;
            if first.flags & flags::NOT_ACTIVE == 0 {
                self.snap = Some(first);
                return Some(Step::Initial);
            }
        }
    }
}

/// Whether the player must not be interpolated between the two.
pub fn is_abrupt(snap: &Snapshot, next: &Snapshot) -> bool {
    (snap.player.e_flags ^ next.player.e_flags) & entity_flags::TELEPORT_BIT != 0
        || snap.player.client_num != next.player.client_num
        || (snap.flags ^ next.flags) & flags::SERVER_COUNT != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arrival(message_num: i32, time: i32, change: impl FnOnce(&mut Snapshot)) -> SnapshotArrival {
        let mut snapshot = Snapshot {
            message_num,
            server_time: ServerTime(time),
            ..Snapshot::default()
        };
        change(&mut snapshot);
        SnapshotArrival {
            snapshot: Arc::new(snapshot),
            ping_msec: 40,
        }
    }

    /// Feeds snapshots, shows the times, and writes down the steps.
    fn check(
        arrivals: Vec<SnapshotArrival>,
        times: &[i32],
        expected: &str,
    ) -> (Snapshots, Lagometer) {
        let (mut snapshots, mut lagometer) = (Snapshots::default(), Lagometer::default());
        for arrival in &arrivals {
            snapshots.push(arrival, &mut lagometer);
        }
        let mut seen = Vec::new();
        for &time in times {
            while let Some(step) = snapshots.advance(ServerTime(time)) {
                seen.push(match step {
                    Step::Initial => "initial".to_owned(),
                    Step::Next => format!(
                        "next {}",
                        snapshots.next.as_ref().expect("just set").message_num
                    ),
                    Step::Transition { previous } => format!("from {}", previous.message_num),
                });
            }
            seen.push(format!("f {:.2}", snapshots.fraction(ServerTime(time))));
        }
        assert_eq!(seen.join(", "), expected);
        (snapshots, lagometer)
    }

    #[test]
    fn goes_through_every_snapshot() {
        let three = vec![
            arrival(5, 100, |_| ()),
            arrival(6, 150, |_| ()),
            arrival(7, 200, |_| ()),
        ];
        check(
            three.clone(),
            &[120, 160],
            "initial, next 6, f 0.40, from 5, next 7, f 0.20",
        );
        check(
            three,
            &[250],
            "initial, next 6, from 5, next 7, from 6, f 0.00",
        );
    }

    #[test]
    fn waits_for_an_active_snapshot() {
        let arrivals = vec![
            arrival(1, 50, |snapshot| snapshot.flags = flags::NOT_ACTIVE),
            arrival(2, 100, |_| ()),
        ];
        check(arrivals, &[100], "initial, f 0.00");
    }

    #[test]
    fn counts_what_is_missing_and_ignores_what_is_old() {
        let arrivals = vec![
            arrival(1, 50, |_| ()),
            arrival(4, 100, |_| ()),
            arrival(3, 80, |_| ()),
        ];
        let (snapshots, lagometer) = check(arrivals, &[60], "initial, next 4, f 0.20");
        assert_eq!(
            (snapshots.newest_message(), lagometer.lost_snapshots()),
            (4, 2)
        );
    }

    #[test]
    fn knows_abrupt_changes() {
        for change in [
            (|snapshot: &mut Snapshot| snapshot.player.e_flags = entity_flags::TELEPORT_BIT)
                as fn(&mut Snapshot),
            |snapshot| snapshot.player.client_num = 3,
            |snapshot| snapshot.flags = flags::SERVER_COUNT,
        ] {
            let (snapshots, _) = check(
                vec![arrival(1, 50, |_| ()), arrival(2, 100, change)],
                &[60],
                "initial, next 2, f 0.20",
            );
            assert!(snapshots.next_teleport);
            assert_eq!(
                snapshots.base().expect("there is a snapshot").message_num,
                1
            );
        }
    }

    #[test]
    fn a_time_that_never_comes_holds_up_so_many_at_most() {
        let mut snapshots = Snapshots::default();
        let mut lagometer = Lagometer::default();
        let wild = |number| if number == 2 { i32::MAX } else { 50 * number };
        for number in 1..=1000 {
            let arrival = arrival(number, wild(number), |_| ());
            snapshots.push(&arrival, &mut lagometer);
            while snapshots.advance(ServerTime(50 * number - 25)).is_some() {}
            assert!(snapshots.waiting.len() <= MAX_WAITING);
        }
        let shown = snapshots.snap.expect("one is shown").server_time;
        assert_eq!(shown, ServerTime(50 * 999));
    }

    #[test]
    fn starts_over_when_the_servers_clock_goes_back() {
        check(
            vec![arrival(1, 500, |_| ()), arrival(2, 100, |_| ())],
            &[500],
            "initial, initial, f 0.00",
        );
    }
}
