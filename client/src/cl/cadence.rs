//! When usercmds are made: one per frame as the originals do, or at a fixed rate whatever the display does.
//!
//! At a fixed rate the usercmds lie on a grid of server time, so every display makes the same ones:
//! a jump is as high at 30 Hz as at 360. Keys and mouse carry times, and each usercmd takes what
//! happened up to its own time. What happened since the newest one goes into a provisional usercmd:
//! it is predicted and shown at once, but never sent, and the next frame makes a new one.

use super::input::{Input, InputSettings, UsercmdFrame};
use shared::{base::time::ServerTime, types::usercmd::Usercmd};

/// The grid that usercmds lie on.
#[derive(Clone, Debug, Default)]
pub struct Cadence {
    /// The time of the newest usercmd.
    last: Option<ServerTime>,
}

/// What one frame brought.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// For the server, oldest first.
    pub usercmds: Vec<Usercmd>,
    /// Only for the view.
    pub provisional: Option<Usercmd>,
}

/// A packet holds 32 usercmds; after a hitch the grid gets wider rather than usercmds being lost.
const MAX_PER_FRAME: usize = 24;
/// Servers cut longer gaps off.
const LONGEST_GAP_MSEC: i32 = 200;

impl Cadence {
    /// Makes the usercmds up to this frame.
    pub fn build(
        &mut self,
        input: &mut Input,
        frame: &UsercmdFrame,
        settings: &InputSettings,
    ) -> Built {
        input.set_timed(settings.command_rate > 0);
        if settings.command_rate <= 0 {
            self.last = None;
            input.catch_up(frame.now);
            return Built {
                usercmds: vec![input.build_usercmd(frame, settings)],
                provisional: None,
            };
        }
        let before = self.last.unwrap_or(frame.server_time);
        let times = self.due(frame.server_time, settings.command_rate);
        let mut built = Built::default();
        let mut last = before;
        for time in times {
            let frame = at(frame, last, time);
            input.catch_up(frame.now);
            built.usercmds.push(input.build_usercmd(&frame, settings));
            last = time;
        }
        if frame.server_time - last > 0 {
            let mut rest = input.clone();
            rest.catch_up(frame.now);
            let frame = at(frame, last, frame.server_time);
            built.provisional = Some(rest.build_usercmd(&frame, settings));
        }
        built
    }

    /// The times of the grid since the frame before.
    fn due(&mut self, now: ServerTime, rate: i32) -> Vec<ServerTime> {
        let last = match self.last {
            Some(last) if (0..=LONGEST_GAP_MSEC).contains(&(now - last)) => last,
            // The first frame, a hitch, or a server whose time went back.
            Some(last) if now - last > 0 => now + -LONGEST_GAP_MSEC,
            _ => now + -1,
        };
        let rate = i64::from(rate.clamp(1, 1000));
        let place = |time: ServerTime| i64::from(time.0) * rate / 1000;
        let times: Vec<ServerTime> = (place(last)..=place(now))
            // The first millisecond that is not before this place of the grid.
            .map(|place| ServerTime((place * 1000 + rate - 1).div_euclid(rate) as i32))
            .filter(|&time| time - last > 0 && now - time >= 0)
            .collect();
        let stride = times.len().div_ceil(MAX_PER_FRAME).max(1);
        let times: Vec<ServerTime> = times.into_iter().rev().step_by(stride).collect();
        self.last = times.first().copied().or(Some(last));
        times.into_iter().rev().collect()
    }
}

/// The frame as it was when the server's time was `time`.
fn at(frame: &UsercmdFrame, last: ServerTime, time: ServerTime) -> UsercmdFrame {
    UsercmdFrame {
        now: frame.now + -(frame.server_time - time),
        scaled_msec: time - last,
        server_time: time,
        ..*frame
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(rate: i32, frames: impl Iterator<Item = i32>) -> Vec<i32> {
        let mut cadence = Cadence::default();
        frames
            .flat_map(|now| cadence.due(ServerTime(now), rate))
            .map(|time| time.0)
            .collect()
    }

    #[test]
    fn every_display_makes_the_same_grid() {
        let wanted: Vec<i32> = (126..=250).map(|place| place * 8).collect();
        for frame_msec in [1, 3, 7, 16, 33] {
            let times = grid(125, (1000..2033).step_by(frame_msec));
            let within: Vec<i32> = times
                .into_iter()
                .filter(|time| (1008..=2000).contains(time))
                .collect();
            assert_eq!(within, wanted, "{frame_msec} ms per frame");
        }
    }

    #[test]
    fn odd_rates_keep_their_mean() {
        let times = grid(144, (0..10_000).step_by(16));
        assert!((1430..=1441).contains(&times.len()), "{}", times.len());
        assert!(
            times
                .windows(2)
                .all(|pair| (6..=7).contains(&(pair[1] - pair[0])))
        );
    }

    #[test]
    fn a_hitch_makes_the_grid_wider_and_time_never_goes_back() {
        let times = grid(500, [1000, 1400, 1402, 900, 904].into_iter());
        assert!(times.len() <= 2 * MAX_PER_FRAME, "{}", times.len());
        assert!(times.contains(&1400) && times.contains(&1402) && times.contains(&904));
    }
}
