//! Judges the times of a demo's snapshots: which are damage, and which leaps are real.
//!
//! Nothing guards a message, so a flipped bit can put a snapshot anywhere in time. Each one is judged by the time before
//! it and the one after it: a time that the next one does not go on with, though it goes on with the one before, is
//! damage. A leap that the next one confirms is real, and the clock goes along.

use shared::base::time::ServerTime;

/// What to do with a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Show,
    /// Show it, and let the clock leap to it.
    Leap,
    LeaveOut,
}

/// The clock runs through gaps up to this; longer ones are leapt over.
pub const MAX_GAP_MSEC: i32 = 10_000;

/// Judges the time of a snapshot by that of the last shown one and that of the next, where there are such.
pub fn judge(last: Option<ServerTime>, time: ServerTime, next: Option<ServerTime>) -> Verdict {
    let goes_on =
        |from: ServerTime, to: ServerTime| (0..=MAX_GAP_MSEC).contains(&to.0.wrapping_sub(from.0));
    match (last, next) {
        (None, None) => Verdict::Show,
        (None, Some(next)) if goes_on(time, next) => Verdict::Show,
        (None, Some(_)) => Verdict::LeaveOut,
        (Some(last), None) if goes_on(last, time) => Verdict::Show,
        (Some(_), None) => Verdict::LeaveOut,
        (Some(last), Some(next)) => match (goes_on(last, time), goes_on(time, next)) {
            (true, true) => Verdict::Show,
            (true, false) if goes_on(last, next) => Verdict::LeaveOut,
            (true, false) => Verdict::Show,
            (false, true) if goes_on(last, next) => Verdict::LeaveOut,
            (false, true) => Verdict::Leap,
            (false, false) => Verdict::LeaveOut,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Judges a row of times as a demo is played, and gives what is shown; leaps are negated.
    fn shown(times: &[i32]) -> Vec<i32> {
        let mut last = None;
        let mut shown = Vec::new();
        for (place, &time) in times.iter().enumerate() {
            let next = times.get(place + 1).map(|&next| ServerTime(next));
            let verdict = judge(last, ServerTime(time), next);
            if verdict != Verdict::LeaveOut {
                last = Some(ServerTime(time));
                shown.push(if verdict == Verdict::Leap {
                    -time
                } else {
                    time
                });
            }
        }
        shown
    }

    #[test]
    fn wild_times_are_left_out_and_real_leaps_are_followed() {
        let check = |times: &[i32], expected: &[i32]| assert_eq!(shown(times), expected);
        check(&[100, 150, 200], &[100, 150, 200]);
        check(&[100, 150, 1_543_372_800, 250, 300], &[100, 150, 250, 300]);
        check(&[100, 150, -7, 250, 300], &[100, 150, 250, 300]);
        // 4096 ms more is within what may be a gap, but the next one tells.
        check(&[100, 150, 4296, 250, 300], &[100, 150, 250, 300]);
        check(
            &[100, 150, 90_000, i32::MIN, 250, 300],
            &[100, 150, 250, 300],
        );
        // Nothing yet tells which of the first two is wild.
        check(&[100, 90_000, i32::MIN, 150, 200], &[150, 200]);
        check(&[i32::MAX, 100, 150], &[100, 150]);
        check(&[100, 150, 3150, 3200], &[100, 150, 3150, 3200]);
        check(
            &[100, 150, 60_000, 60_050, 60_100],
            &[100, 150, -60_000, 60_050, 60_100],
        );
        check(
            &[90_000, 90_050, 100, 150, 200],
            &[90_000, 90_050, -100, 150, 200],
        );
        check(
            &[i32::MAX - 10, i32::MIN + 39],
            &[i32::MAX - 10, i32::MIN + 39],
        );
        check(&[100, 150, 1_543_372_800], &[100, 150]);
    }
}
