//! The lagometer's two histories: how old the newest snapshot was at each frame, and how each snapshot fared.

use std::collections::VecDeque;

/// How many samples each history keeps.
pub const LAGOMETER_SAMPLES: usize = 128;

/// What became of one snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnapshotSample {
    Lost,
    Received {
        ping_msec: i32,
        /// The server held snapshots back to keep the rate.
        is_rate_delayed: bool,
    },
}

/// The histories, oldest sample first.
#[derive(Clone, Debug, Default)]
pub struct Lagometer {
    /// Per frame: shown time minus the newest snapshot's time. Positive is extrapolation.
    frames: VecDeque<i32>,
    snapshots: VecDeque<SnapshotSample>,
    lost: u64,
}

impl Lagometer {
    pub fn add_frame(&mut self, offset_msec: i32) {
        add(&mut self.frames, offset_msec);
    }

    pub fn add_snapshot(&mut self, ping_msec: i32, is_rate_delayed: bool) {
        add(
            &mut self.snapshots,
            SnapshotSample::Received {
                ping_msec,
                is_rate_delayed,
            },
        );
    }

    pub fn add_lost_snapshot(&mut self) {
        self.lost += 1;
        add(&mut self.snapshots, SnapshotSample::Lost);
    }

    pub fn frames(&self) -> &VecDeque<i32> {
        &self.frames
    }

    pub fn snapshots(&self) -> &VecDeque<SnapshotSample> {
        &self.snapshots
    }

    /// Snapshots lost since the level began.
    pub fn lost_snapshots(&self) -> u64 {
        self.lost
    }

    /// Ping of the newest snapshot that was measured.
    pub fn newest_ping_msec(&self) -> Option<i32> {
        self.snapshots.iter().rev().find_map(|sample| match sample {
            SnapshotSample::Received { ping_msec, .. } => Some(*ping_msec),
            SnapshotSample::Lost => None,
        })
    }
}

fn add<T>(history: &mut VecDeque<T>, sample: T) {
    if history.len() == LAGOMETER_SAMPLES {
        history.pop_front();
    }
    history.push_back(sample);
}
