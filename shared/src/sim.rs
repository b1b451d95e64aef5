//! A bad network: latency, jitter, loss, reorder and duplicates, from a seed.
//!
//! It has no sockets and no clock: datagrams go in with the time, and come out when they are due. Each
//! direction has its own [`Line`]. A line keeps the order of datagrams, however much their delay
//! varies; only those that it chooses to reorder are overtaken. Every datagram takes the same number
//! of dice, so the same seed loses the same datagrams at any delay.

use crate::base::{rng::Rng, time::ClientTime};
use std::collections::VecDeque;

/// How bad one direction is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineQuality {
    /// Every datagram takes this long …
    pub delay_msec: i32,
    /// … give or take up to this much, but never less than nothing.
    pub jitter_msec: i32,
    /// So many are lost, 0 to 100.
    pub loss_percent: f32,
    /// So many are held back and overtaken by those behind them.
    pub reorder_percent: f32,
    /// So many arrive twice.
    pub duplicate_percent: f32,
    /// How much gets through in a second, one datagram after the other; 0 is any amount.
    pub bytes_per_second: i32,
}

impl LineQuality {
    /// Everything arrives at once.
    pub const PERFECT: Self = Self {
        delay_msec: 0,
        jitter_msec: 0,
        loss_percent: 0.0,
        reorder_percent: 0.0,
        duplicate_percent: 0.0,
        bytes_per_second: 0,
    };

    /// Whether nothing happens to datagrams at all.
    pub fn is_perfect(&self) -> bool {
        *self == Self::PERFECT
    }
}

/// Both directions between a client and a server.
#[derive(Clone, Debug)]
pub struct BadNetwork {
    /// From the client to the server.
    pub to_server: Line,
    /// From the server to the client.
    pub to_client: Line,
}

impl BadNetwork {
    /// Both lines; the same seed gives the same fate to the same datagrams.
    pub fn new(to_server: LineQuality, to_client: LineQuality, seed: u64) -> Self {
        let mut seeds = Rng::new(seed);
        Self {
            to_server: Line::new(to_server, seeds.next_u64()),
            to_client: Line::new(to_client, seeds.next_u64()),
        }
    }

    /// When the next datagram of either direction is due.
    pub fn next_due(&self) -> Option<ClientTime> {
        match (self.to_server.next_due(), self.to_client.next_due()) {
            (Some(one), Some(other)) => Some(if one - other < 0 { one } else { other }),
            (one, other) => one.or(other),
        }
    }
}

/// One direction of a network.
#[derive(Clone, Debug)]
pub struct Line {
    quality: LineQuality,
    rng: Rng,
    /// What was sent and is not yet due, ascending by time.
    under_way: VecDeque<Parcel>,
    /// The latest time that a datagram in order is due.
    latest_due: Option<ClientTime>,
    /// When all that was sent before has left, where only so much gets through in a second.
    free_at: Option<ClientTime>,
    stats: LineStats,
}

#[derive(Clone, Debug)]
struct Parcel {
    due: ClientTime,
    bytes: Vec<u8>,
}

/// What a line has done to datagrams.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineStats {
    /// Datagrams put on the line.
    pub sent: u32,
    /// Those of them that never arrive.
    pub lost: u32,
    /// Those that later ones overtake.
    pub held_back: u32,
    /// Those that arrive twice.
    pub duplicated: u32,
    /// Datagrams taken from the line, duplicates counted.
    pub delivered: u32,
}

/// A line that holds more loses what comes.
const MAX_UNDER_WAY: usize = 8192;
/// How long a reordered datagram is held back, and how much a duplicate lags behind, at most.
const HOLD_BACK_MSEC: usize = 80;
const LAG_MSEC: usize = 20;

impl Line {
    /// An empty line.
    pub fn new(quality: LineQuality, seed: u64) -> Self {
        Self {
            quality,
            rng: Rng::new(seed),
            under_way: VecDeque::new(),
            latest_due: None,
            free_at: None,
            stats: LineStats::default(),
        }
    }

    /// How bad the line is now.
    pub fn quality(&self) -> LineQuality {
        self.quality
    }

    /// Changes what happens to datagrams from now on; those under way arrive as they would have.
    pub fn set_quality(&mut self, quality: LineQuality) {
        self.quality = quality;
    }

    /// What has happened so far.
    pub fn stats(&self) -> LineStats {
        self.stats
    }

    /// Puts a datagram on the line; tells when it will arrive, if it will.
    pub fn send(&mut self, now: ClientTime, bytes: Vec<u8>) -> Option<ClientTime> {
        let quality = self.quality;
        let is_lost = self.rng.percent(quality.loss_percent);
        let is_held_back = self.rng.percent(quality.reorder_percent);
        let is_duplicated = self.rng.percent(quality.duplicate_percent);
        let jitter = quality.jitter_msec.clamp(0, MAX_MSEC);
        let varied = self.rng.below(2 * jitter as usize + 1) as i32 - jitter;
        let held_back = 1 + self.rng.below(HOLD_BACK_MSEC) as i32;
        let lag = 1 + self.rng.below(LAG_MSEC) as i32;
        self.stats.sent += 1;
        if is_lost || self.under_way.len() >= MAX_UNDER_WAY {
            self.stats.lost += 1;
            return None;
        }
        let delay = (quality.delay_msec.clamp(0, MAX_MSEC) + varied).max(0);
        let mut due = self.leave(now, bytes.len()) + delay;
        if is_held_back {
            self.stats.held_back += 1;
            due = due + held_back;
        } else {
            let latest = self.latest_due.filter(|&latest| latest - due > 0);
            due = latest.unwrap_or(due);
            self.latest_due = Some(due);
        }
        if is_duplicated {
            self.stats.duplicated += 1;
            self.insert(due + lag, bytes.clone());
        }
        self.insert(due, bytes);
        Some(due)
    }

    /// When a datagram that is sent now has left, behind those before it.
    fn leave(&mut self, now: ClientTime, bytes: usize) -> ClientTime {
        let rate = self.quality.bytes_per_second;
        if rate <= 0 {
            return now;
        }
        let begins = self.free_at.filter(|&free| free - now > 0).unwrap_or(now);
        let msec = (bytes as i64 + DATAGRAM_HEADER) * 1000 / i64::from(rate);
        let left = begins + msec.min(i64::from(MAX_MSEC)) as i32;
        self.free_at = Some(left);
        left
    }

    /// A datagram that has arrived by now.
    pub fn receive(&mut self, now: ClientTime) -> Option<Vec<u8>> {
        let is_due = self.next_due().is_some_and(|due| now - due >= 0);
        let parcel = is_due.then(|| self.under_way.pop_front()).flatten()?;
        self.stats.delivered += 1;
        Some(parcel.bytes)
    }

    /// When the next datagram is due.
    pub fn next_due(&self) -> Option<ClientTime> {
        self.under_way.front().map(|parcel| parcel.due)
    }

    /// Behind all that are due at the same time or before.
    fn insert(&mut self, due: ClientTime, bytes: Vec<u8>) {
        let later = self.under_way.iter().rev();
        let later = later.take_while(|parcel| parcel.due - due > 0).count();
        self.under_way
            .insert(self.under_way.len() - later, Parcel { due, bytes });
    }
}

/// Bytes that a datagram costs beside its content.
const DATAGRAM_HEADER: i64 = 28;
/// Longer delays than a minute are taken for one.
const MAX_MSEC: i32 = 60_000;
