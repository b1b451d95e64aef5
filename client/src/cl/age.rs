//! How old the newest snapshot is at each moment, from the times at which snapshots came.
//!
//! A snapshot is as old as the time since the server made it. The clocks of server and client have
//! nothing to do with each other, so the fastest snapshot of the level sets what counts as no time
//! on the way: ages are true but for that way's shortest time.

use shared::base::time::{ClientTime, ServerTime};
use std::collections::VecDeque;

/// Some minutes of play.
const MAX_ARRIVALS: usize = 16_384;
/// Older than this is a connection that is interrupted, and counts as no more than this.
const OLDEST_MSEC: i32 = 10_000;

/// The arrivals of a level's snapshots, bounded.
#[derive(Clone, Debug, Default)]
pub struct SnapshotAges {
    arrivals: VecDeque<(ClientTime, ServerTime)>,
    /// Arrival less server time of the fastest snapshot.
    least_msec: Option<i32>,
}

/// How old the newest snapshot was, over all milliseconds of a stretch of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AgeReport {
    pub seconds: i32,
    pub snapshots: usize,
    pub p50_msec: i32,
    pub p99_msec: i32,
    pub max_msec: i32,
    /// 99 of 100 snapshots were at most this old when they came.
    pub p99_at_arrival_msec: i32,
}

impl SnapshotAges {
    pub fn add(&mut self, at: ClientTime, server_time: ServerTime) {
        let difference = at.0.wrapping_sub(server_time.0);
        let least = self
            .least_msec
            .map_or(difference, |least| least.min(difference));
        self.least_msec = Some(least);
        if self.arrivals.len() == MAX_ARRIVALS {
            self.arrivals.pop_front();
        }
        self.arrivals.push_back((at, server_time));
    }

    /// The last so many seconds up to the newest snapshot; `None` without two of them.
    pub fn report(&self, seconds: i32) -> Option<AgeReport> {
        let (end, _) = *self.arrivals.back()?;
        let first = self
            .arrivals
            .iter()
            .position(|(at, _)| end - *at <= seconds.saturating_mul(1000))?;
        let arrivals = self.arrivals.range(first..).collect::<Vec<_>>();
        let least = self.least_msec?;
        let age = |(at, made): &(ClientTime, ServerTime)| {
            at.0.wrapping_sub(made.0)
                .saturating_sub(least)
                .clamp(0, OLDEST_MSEC)
        };
        let mut msec_at = vec![0_u32; OLDEST_MSEC as usize + 1];
        let mut newest = *arrivals.first().copied()?;
        for &&(at, made) in arrivals.iter().skip(1) {
            let from = age(&newest);
            for older in 0..(at - newest.0).clamp(0, OLDEST_MSEC) {
                msec_at[(from + older).min(OLDEST_MSEC) as usize] += 1;
            }
            newest = (at, made);
        }
        let total = msec_at.iter().sum::<u32>();
        if total == 0 {
            return None;
        }
        let mut at_arrival = arrivals.iter().map(|one| age(one)).collect::<Vec<_>>();
        at_arrival.sort_unstable();
        Some(AgeReport {
            seconds: (end - arrivals.first()?.0) / 1000,
            snapshots: arrivals.len(),
            p50_msec: part(&msec_at, total / 2),
            p99_msec: part(&msec_at, total - total / 100 - 1),
            max_msec: part(&msec_at, total - 1),
            p99_at_arrival_msec: at_arrival[(at_arrival.len() - 1) * 99 / 100],
        })
    }
}

/// The age at which so many milliseconds are over.
fn part(msec_at: &[u32], rank: u32) -> i32 {
    let mut passed = 0;
    let place = msec_at.iter().position(|msec| {
        passed += msec;
        passed > rank
    });
    place.map_or(OLDEST_MSEC, |age| age as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Snapshots every 50 ms that take `way` each, if they come.
    fn ages(ways: impl IntoIterator<Item = Option<i32>>) -> SnapshotAges {
        let mut ages = SnapshotAges::default();
        for (number, way) in (0..).zip(ways) {
            let made = 7_000_000 + 50 * number;
            if let Some(way) = way {
                ages.add(ClientTime(1000 + 50 * number + way), ServerTime(made));
            }
        }
        ages
    }

    fn check(ages: &SnapshotAges, expected: [i32; 4]) {
        let report = ages.report(1000).expect("two snapshots and more");
        let found = [
            report.p50_msec,
            report.p99_msec,
            report.max_msec,
            report.p99_at_arrival_msec,
        ];
        assert_eq!(found, expected, "{report:?}");
    }

    #[test]
    fn a_steady_line_ages_by_the_interval() {
        check(&ages((0..200).map(|_| Some(30))), [25, 49, 49, 0]);
    }

    #[test]
    fn the_fastest_way_is_none_at_all() {
        let ages = ages((0..200).map(|number| Some(if number < 2 { 5 } else { 35 })));
        let report = ages.report(5).expect("snapshots");
        assert_eq!((report.p50_msec, report.max_msec), (55, 79));
        assert_eq!(report.p99_at_arrival_msec, 30);
        assert_eq!((report.seconds, report.snapshots), (5, 101));
    }

    #[test]
    fn a_lost_snapshot_makes_the_one_before_older() {
        // One in ten is lost: a tenth of the time is 50 to 99 ms old.
        let lossy = ages((0..1001).map(|number| (number % 10 != 5).then_some(0)));
        check(&lossy, [27, 94, 99, 0]);
    }

    #[test]
    fn a_stall_is_as_old_as_it_is_long() {
        // What stalls comes all at once, the newest last.
        let stall = ages((0..100).map(|number: i32| match number {
            50..60 => Some(50 * (60 - number)),
            _ => Some(0),
        }));
        check(&stall, [27, 500, 549, 450]);
    }

    #[test]
    fn long_play_and_silence_are_bounded() {
        let mut long = ages((0..20_000).map(|_| Some(0)));
        assert_eq!(long.arrivals.len(), MAX_ARRIVALS);
        long.add(ClientTime(i32::MAX), ServerTime(0));
        assert_eq!(
            long.report(i32::MAX).expect("snapshots").max_msec,
            OLDEST_MSEC - 1
        );
        assert_eq!(SnapshotAges::default().report(10), None);
        assert_eq!(ages([Some(1)]).report(10), None);
    }
}
