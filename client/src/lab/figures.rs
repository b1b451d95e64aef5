//! Figures: how old and how wrong one side's picture is, averaged so that they can be read.

use super::trace::Trace;
use crate::session::Observation;
use glam::Vec3;
use shared::base::time::ClientTime;

/// What the server of a side knows at this moment.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// Milliseconds of its level.
    pub time: i32,
    pub players: Vec<TruePlayer>,
}

/// One who can be seen.
#[derive(Clone, Copy, Debug)]
pub struct TruePlayer {
    pub client_num: i32,
    pub origin: Vec3,
    /// The end of the usercmd that was executed last.
    pub command_time: i32,
}

impl Truth {
    pub fn player(&self, client_num: i32) -> Option<&TruePlayer> {
        let mut players = self.players.iter();
        players.find(|player| player.client_num == client_num)
    }
}

/// The figures of one side.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    /// Milliseconds from a key to its effect on the own picture, without the display.
    pub own_age_msec: f32,
    /// How much older the others are shown than the server knows them.
    pub others_age_msec: f32,
    /// How far they are shown from where the server has them, on average, in units.
    pub others_off: f32,
    pub ping_msec: i32,
    pub repeats: i32,
    pub missed: u64,
    pub lost_usercmds: u64,
    pub lost_snapshots: u64,
    pub replayed: usize,
    /// Bytes a second: up, down.
    pub bytes: [usize; 2],
    /// Mispredictions before the experiment began.
    missed_before: u64,
    is_measured: bool,
}

/// Averages follow within about so many milliseconds.
const FOLLOW_MSEC: f32 = 600.0;
/// Somebody further off than this has been teleported or has died.
const FARTHEST: f32 = 400.0;

impl Figures {
    /// Forgets what happened before; another experiment begins.
    pub fn begin(&mut self, observed_missed: u64) {
        *self = Self {
            missed_before: observed_missed,
            ..Self::default()
        };
    }

    /// Mispredictions of the whole session.
    pub fn missed_in_all(&self) -> u64 {
        self.missed_before + self.missed
    }

    /// Takes in a frame.
    pub fn measure(
        &mut self,
        now: ClientTime,
        frame_msec: i32,
        observed: &Observation,
        trace: &Trace,
        truth: &Truth,
    ) {
        let Some((_, command_time)) = observed.shown else {
            return;
        };
        let share = match self.is_measured {
            true => (frame_msec as f32 / FOLLOW_MSEC).clamp(0.0, 1.0),
            false => 1.0,
        };
        self.is_measured = true;
        let follow = |value: &mut f32, to: f32| *value += (to - *value) * share;
        if let Some(made_at) = trace.made_at(command_time) {
            follow(&mut self.own_age_msec, (now - made_at) as f32);
        }
        let age = truth.time.wrapping_sub(observed.shown_time.0);
        follow(&mut self.others_age_msec, age as f32);
        let off = |client: i32, shown: Vec3| {
            let distance = truth.player(client)?.origin.distance(shown);
            (distance < FARTHEST).then_some(distance)
        };
        let others = observed.others.iter();
        let distances: Vec<f32> = others
            .filter_map(|(client, shown)| off(*client, *shown))
            .collect();
        if !distances.is_empty() {
            let mean = distances.iter().sum::<f32>() / distances.len() as f32;
            follow(&mut self.others_off, mean);
        }
        self.ping_msec = observed.ping_msec;
        self.repeats = observed.repeats;
        self.missed = observed.missed.saturating_sub(self.missed_before);
        self.lost_usercmds = trace.counts.lost_usercmds;
        self.lost_snapshots = trace.counts.lost_snapshots;
        self.replayed = trace.replayed();
        self.bytes = trace.bytes_per_second(now);
    }

    /// What stands under the view, in two rows: what it is called and how much it is.
    pub fn texts(&self, predicts: bool) -> [[(&'static str, String); 5]; 2] {
        let units = |value: f32| format!("{value:.0} u");
        let msec = |value: f32| format!("{value:.0} ms");
        let rate = |bytes: usize| format!("{:.1} kB/s", bytes as f32 / 1000.0);
        let missed = match predicts {
            true => self.missed.to_string(),
            false => "-".to_owned(),
        };
        [
            [
                ("own view", msec(self.own_age_msec)),
                ("others", msec(self.others_age_msec)),
                ("others off", units(self.others_off)),
                ("missed", missed),
                ("up", rate(self.bytes[0])),
            ],
            [
                ("ping", format!("{} ms", self.ping_msec)),
                ("lost cmds", self.lost_usercmds.to_string()),
                ("lost snaps", self.lost_snapshots.to_string()),
                ("replayed", self.replayed.to_string()),
                ("down", rate(self.bytes[1])),
            ],
        ]
    }
}
