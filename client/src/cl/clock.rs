//! Estimates server time and keeps it smooth.
//!
//! The picture is drawn a little behind the newest snapshot, so that there is usually a later one
//! to interpolate towards. The estimate is one number, `delta` = server time − own time. Each
//! snapshot moves it: by +1 ms while there is slack, by −2 ms when a frame came within 5 ms of the
//! newest snapshot, by half of the way when it is more than 100 ms off, at once above 500 ms.
//! Moving only when a snapshot arrives makes it independent of the frame rate and calm during loss.
//!
//! Guarantees: the time never goes back except in such a reset, and usercmds carry exactly this
//! time, so the server sees the rules that it expects.

use shared::base::time::{ClientTime, ServerTime};

/// What a snapshot did to the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjustment {
    /// It was more than 500 ms off; the time jumped to the snapshot's.
    Reset,
    /// It was more than 100 ms off and came half of the way.
    Fast,
    /// It crept one step.
    Slow,
}

/// The server's clock as seen from here; belongs to one level.
#[derive(Clone, Debug)]
pub struct Clock {
    server_time: ServerTime,
    /// The time is never before this.
    floor: ServerTime,
    /// Estimate of server time − own time.
    delta: i32,
    newest_snapshot: ServerTime,
    /// Some frame since the last step came close to the newest snapshot or past it.
    has_extrapolated: bool,
    /// A snapshot arrived since the last frame.
    has_fresh_snapshot: bool,
    /// The newest snapshot is older than one before it.
    runs_backwards: bool,
}

impl Clock {
    /// Starts at the first active snapshot.
    pub fn start(now: ClientTime, snapshot_time: ServerTime) -> Self {
        Self {
            server_time: ServerTime::default(),
            floor: snapshot_time,
            delta: snapshot_time.0.wrapping_sub(now.0),
            newest_snapshot: snapshot_time,
            has_extrapolated: false,
            has_fresh_snapshot: false,
            runs_backwards: false,
        }
    }

    /// Takes note of a valid snapshot; the next frame acts on it.
    pub fn handle_snapshot(&mut self, snapshot_time: ServerTime) {
        self.runs_backwards |= snapshot_time - self.newest_snapshot < 0;
        self.newest_snapshot = snapshot_time;
        self.has_fresh_snapshot = true;
    }

    /// Decides the time of this frame; once per frame.
    ///
    /// A positive `nudge_msec` shows the world further in the past.
    pub fn frame(&mut self, now: ClientTime, nudge_msec: i32) -> Option<Adjustment> {
        self.show(now, nudge_msec);
        if !std::mem::take(&mut self.has_fresh_snapshot) {
            return None;
        }
        Some(self.adjust(now))
    }

    /// Decides the time of this frame without any adjustment, as demos do.
    pub fn show(&mut self, now: ClientTime, nudge_msec: i32) {
        let estimate = self.estimate(now);
        let nudged = estimate - nudge_msec;
        self.server_time = if nudged - self.floor > 0 {
            nudged
        } else {
            self.floor
        };
        self.floor = self.server_time;
        // The nudge is left out here: it is a wish of the player, not a sign of the line.
        if estimate - self.newest_snapshot >= -EXTRAPOLATION_MARGIN_MSEC {
            self.has_extrapolated = true;
        }
    }

    fn adjust(&mut self, now: ClientTime) -> Adjustment {
        let wanted = self.newest_snapshot.0.wrapping_sub(now.0);
        let gap = wanted.wrapping_sub(self.delta).unsigned_abs();
        if gap > RESET_GAP_MSEC || std::mem::take(&mut self.runs_backwards) {
            self.delta = wanted;
            self.server_time = self.newest_snapshot;
            self.floor = self.newest_snapshot;
            return Adjustment::Reset;
        }
        if gap > FAST_GAP_MSEC {
            self.delta = (self.delta.wrapping_add(wanted)) >> 1;
            return Adjustment::Fast;
        }
        self.delta += if std::mem::take(&mut self.has_extrapolated) {
            -2
        } else {
            1
        };
        Adjustment::Slow
    }

    fn estimate(&self, now: ClientTime) -> ServerTime {
        ServerTime(now.0.wrapping_add(self.delta))
    }

    /// The time of the last frame, which is what is drawn and what usercmds carry.
    pub fn server_time(&self) -> ServerTime {
        self.server_time
    }

    /// Server time − own time, for display.
    pub fn delta_msec(&self) -> i32 {
        self.delta
    }

    /// Takes away a frame's duration, so that a demo stands still.
    pub fn hold(&mut self, frame_msec: i32) {
        self.delta = self.delta.wrapping_sub(frame_msec);
    }

    /// Sets the time outright, as timedemo and seeking do.
    pub fn jump(&mut self, now: ClientTime, server_time: ServerTime) {
        self.delta = server_time.0.wrapping_sub(now.0);
        self.server_time = server_time;
        self.floor = server_time;
    }
}

const EXTRAPOLATION_MARGIN_MSEC: i32 = 5;
const RESET_GAP_MSEC: u32 = 500;
const FAST_GAP_MSEC: u32 = 100;

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames each 8 ms, snapshots each 50 ms that take `latency` to arrive.
    struct SnapshotStream {
        clock: Clock,
        now: i32,
        server_offset: i32,
        latency: i32,
    }

    impl SnapshotStream {
        fn new(latency: i32) -> Self {
            let server_offset = 100_000;
            let clock = Clock::start(ClientTime(0), ServerTime(server_offset - latency));
            Self {
                clock,
                now: 0,
                server_offset,
                latency,
            }
        }

        /// Runs frames for a while and lists the adjustments that were not slow.
        fn run(&mut self, msec: i32) -> Vec<Adjustment> {
            let end = self.now + msec;
            let mut unusual = Vec::new();
            let mut last = self.clock.server_time();
            while self.now < end {
                let sent_before = (self.now - self.latency).div_euclid(50);
                self.now += 8;
                let sent = (self.now - self.latency).div_euclid(50);
                if sent > sent_before {
                    self.clock
                        .handle_snapshot(ServerTime(sent * 50 + self.server_offset));
                }
                let adjustment = self.clock.frame(ClientTime(self.now), 0);
                unusual.extend(adjustment.filter(|adjustment| *adjustment != Adjustment::Slow));
                assert!(
                    self.clock.server_time() - last >= 0,
                    "time went back at {}",
                    self.now
                );
                last = self.clock.server_time();
            }
            unusual
        }
    }

    #[test]
    fn constant_latency_settles_within_two_milliseconds() {
        let mut line = SnapshotStream::new(100);
        assert_eq!(line.run(10_000), []);
        let (mut low, mut high) = (i32::MAX, i32::MIN);
        for _ in 0..200 {
            assert_eq!(line.run(50), []);
            low = low.min(line.clock.delta_msec());
            high = high.max(line.clock.delta_msec());
        }
        assert!(high - low <= 4, "delta moves between {low} and {high}");
        // The last frame before an arrival, 50 ms after the one before, is about 5 ms short of it.
        let lag = line.server_offset - line.latency - high;
        assert!((42..=57).contains(&lag), "drawn {lag} ms behind");
    }

    #[test]
    fn a_jump_of_600_ms_resets_once() {
        let mut line = SnapshotStream::new(100);
        line.run(5_000);
        line.server_offset += 600;
        assert_eq!(line.run(5_000), [Adjustment::Reset]);
    }

    #[test]
    fn a_jump_of_200_ms_is_made_up_by_halves() {
        let mut line = SnapshotStream::new(50);
        line.run(2_000);
        line.server_offset += 200;
        let unusual = line.run(2_000);
        assert!(
            unusual.iter().all(|kind| *kind == Adjustment::Fast) && !unusual.is_empty(),
            "{unusual:?}"
        );
    }

    #[test]
    fn a_server_time_that_goes_back_resets() {
        let mut clock = Clock::start(ClientTime(1000), ServerTime(5000));
        clock.frame(ClientTime(1008), 0);
        clock.handle_snapshot(ServerTime(4950));
        assert_eq!(clock.frame(ClientTime(1016), 0), Some(Adjustment::Reset));
        assert_eq!(clock.server_time(), ServerTime(4950));
    }

    #[test]
    fn a_nudge_never_turns_time_back() {
        let mut clock = Clock::start(ClientTime(0), ServerTime(1000));
        clock.frame(ClientTime(100), 0);
        assert_eq!(clock.server_time(), ServerTime(1100));
        clock.frame(ClientTime(108), 30);
        assert_eq!(clock.server_time(), ServerTime(1100));
        clock.frame(ClientTime(140), 30);
        assert_eq!(clock.server_time(), ServerTime(1110));
        clock.frame(ClientTime(140), -30);
        assert_eq!(clock.server_time(), ServerTime(1170));
    }

    #[test]
    fn survives_the_wrap_of_the_clock() {
        let mut clock = Clock::start(ClientTime(i32::MAX - 3), ServerTime(i32::MAX - 10));
        clock.frame(ClientTime(i32::MIN + 7), 0);
        assert_eq!(clock.server_time(), ServerTime(i32::MIN));
    }
}
