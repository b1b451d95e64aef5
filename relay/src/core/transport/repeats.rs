//! What goes to a browser once more because its path loses some, and whether it does.
//!
//! A lost snapshot costs a player the time until the next one. Quake's channel drops whatever comes
//! twice, so where packets get lost each one is sent again a moment later: both must be lost then.
//! A repeat never keeps anything else from leaving here. A path that the repeats would fill, so that
//! packets wait in it, is known by its round trip: there they rest for a while.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

use crate::core::config::Repeat;

/// Bursts of losses are mostly shorter than this, and the next snapshot comes later.
const PAUSE: Duration = Duration::from_millis(10);
/// A repeat that could not leave for so long after its time helps nobody.
const MAX_LATE: Duration = Duration::from_millis(30);
/// The fragments of a gamestate in two halves each.
const MAX_WAITING: usize = 32;

/// The packets of one connection that go once more.
#[derive(Debug)]
pub(super) struct Repeats {
    repeat: Repeat,
    losses: Losses,
    waiting: VecDeque<(Instant, Bytes)>,
}

impl Repeats {
    pub(super) fn new(repeat: Repeat) -> Self {
        Self {
            repeat,
            losses: Losses::default(),
            waiting: VecDeque::new(),
        }
    }

    /// Takes note of a packet of the channel that leaves now. `look` tells how the path is.
    pub(super) fn note(&mut self, now: Instant, packet: &Bytes, look: impl FnOnce() -> Seen) {
        let is_wanted = match self.repeat {
            Repeat::Never => false,
            Repeat::Always => true,
            Repeat::Auto => self.losses.look(now, look),
        };
        if !is_wanted {
            return;
        }
        if self.waiting.len() == MAX_WAITING {
            self.waiting.pop_front();
        }
        self.waiting.push_back((now + PAUSE, packet.clone()));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// When the next one is due.
    pub(super) fn due(&mut self, now: Instant) -> Option<Instant> {
        while let Some((due, _)) = self.waiting.front() {
            if now <= *due + MAX_LATE {
                return Some(*due);
            }
            self.waiting.pop_front();
        }
        None
    }

    pub(super) fn pop(&mut self) -> Option<Bytes> {
        self.waiting.pop_front().map(|(_, packet)| packet)
    }
}

/// How a path is, as QUIC knows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// Datagrams sent since the connection began.
    pub sent: u64,
    /// Packets known to be lost since then.
    pub lost: u64,
    pub round_trip: Duration,
}

/// How much a path has lost lately.
#[derive(Debug, Default)]
struct Losses {
    is_lossy: bool,
    /// The round trip when the repeats began.
    round_trip: Duration,
    rests_until: Option<Instant>,
    /// When we looked, and both counts since the connection began.
    looks: VecDeque<(Instant, u64, u64)>,
}

const LATELY: Duration = Duration::from_secs(10);
const LOOK: Duration = Duration::from_millis(250);
/// One lost packet is no pattern.
const FEWEST_LOST: u64 = 2;
/// Lossy is a path from one lost in a hundred on, and until it is less than half of that.
const BAD_ONE_IN: u64 = 100;
const GOOD_ONE_IN: u64 = 200;
/// Repeats have filled the path when its round trip is twice as long as before and so much longer.
const LONGER: Duration = Duration::from_millis(80);
const REST: Duration = Duration::from_secs(60);

impl Losses {
    /// Whether the path is lossy; looks at the counts now and then.
    fn look(&mut self, now: Instant, look: impl FnOnce() -> Seen) -> bool {
        let newest = self.looks.back();
        if newest.is_some_and(|(at, ..)| now < *at + LOOK) {
            return self.is_lossy;
        }
        let Seen {
            sent,
            lost,
            round_trip,
        } = look();
        // Another path counts anew.
        if newest.is_some_and(|(_, _, before)| lost < *before) {
            self.looks.clear();
        }
        self.looks.push_back((now, sent, lost));
        while self.looks.get(1).is_some_and(|(at, ..)| *at + LATELY < now) {
            self.looks.pop_front();
        }
        let (_, sent_before, lost_before) = self.looks[0];
        let (sent, lost) = (sent.saturating_sub(sent_before), lost - lost_before);
        let is_full = self.is_lossy && round_trip > 2 * self.round_trip + LONGER;
        if is_full {
            self.rests_until = Some(now + REST);
        }
        let rests = self.rests_until.is_some_and(|until| now < until);
        self.is_lossy = match self.is_lossy {
            _ if rests => false,
            true => lost * GOOD_ONE_IN >= sent && lost > 0,
            false => lost * BAD_ONE_IN >= sent && lost >= FEWEST_LOST,
        };
        if !self.is_lossy {
            self.round_trip = round_trip;
        }
        self.is_lossy
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends 20 packets a second for so many seconds, of which the path loses one in so many;
    /// yields how many were to be repeated.
    fn play(repeats: &mut Repeats, path: &mut Path, seconds: u64, lost_one_in: u64) -> u64 {
        let mut repeated = 0;
        for _ in 0..20 * seconds {
            path.now += Duration::from_millis(50);
            path.sent += 1;
            path.lost += u64::from(path.sent.is_multiple_of(lost_one_in));
            let seen = Seen {
                sent: path.sent,
                lost: path.lost,
                round_trip: path.round_trip,
            };
            repeats.note(path.now, &Bytes::from_static(b"snapshot"), || seen);
            while repeats.due(path.now + PAUSE).is_some() {
                repeats.pop().unwrap();
                repeated += 1;
                path.sent += 1;
                path.lost += u64::from(path.sent.is_multiple_of(lost_one_in));
            }
        }
        repeated
    }

    struct Path {
        now: Instant,
        sent: u64,
        lost: u64,
        round_trip: Duration,
    }

    fn path() -> Path {
        let now = Instant::now();
        Path {
            now,
            sent: 0,
            lost: 0,
            round_trip: Duration::from_millis(60),
        }
    }

    #[test]
    fn a_path_that_loses_has_repeats_and_a_good_one_none() {
        let (mut repeats, mut path) = (Repeats::new(Repeat::Auto), path());
        assert_eq!(play(&mut repeats, &mut path, 60, u64::MAX), 0);
        // Losses of one in 20 are noticed within three seconds.
        let repeated = play(&mut repeats, &mut path, 60, 20);
        assert!((57 * 20..60 * 20).contains(&repeated), "{repeated}");
        // They are forgotten ten seconds after the last one.
        let repeated = play(&mut repeats, &mut path, 60, u64::MAX);
        assert!((8 * 20..=11 * 20).contains(&repeated), "{repeated}");
    }

    #[test]
    fn few_losses_are_no_reason_and_end_none() {
        let (mut repeats, mut path) = (Repeats::new(Repeat::Auto), path());
        assert_eq!(play(&mut repeats, &mut path, 120, 250), 0);
        play(&mut repeats, &mut path, 10, 10);
        // Three losses in four hundred packets: too few to begin, enough to go on.
        let repeated = play(&mut repeats, &mut path, 60, 133);
        assert_eq!(repeated, 60 * 20);
    }

    #[test]
    fn a_path_that_repeats_fill_has_a_rest_of_them() {
        let (mut repeats, mut path) = (Repeats::new(Repeat::Auto), path());
        assert!(play(&mut repeats, &mut path, 10, 20) > 100);
        path.round_trip = Duration::from_millis(199);
        assert_eq!(play(&mut repeats, &mut path, 10, 20), 200);
        path.round_trip = Duration::from_millis(400);
        assert!(play(&mut repeats, &mut path, 59, 20) <= 5);
        // The path is longer than it was, and the repeats are not why.
        assert!(play(&mut repeats, &mut path, 10, 20) > 100);
    }

    #[test]
    fn a_new_path_counts_anew() {
        let (mut repeats, mut path) = (Repeats::new(Repeat::Auto), path());
        assert!(play(&mut repeats, &mut path, 10, 10) > 0);
        path.lost = 0;
        assert_eq!(play(&mut repeats, &mut path, 10, u64::MAX), 0);
    }

    #[test]
    fn the_operator_decides() {
        let (mut never, mut bad) = (Repeats::new(Repeat::Never), path());
        assert_eq!(play(&mut never, &mut bad, 10, 2), 0);
        let (mut always, mut good) = (Repeats::new(Repeat::Always), path());
        assert_eq!(play(&mut always, &mut good, 10, u64::MAX), 200);
    }

    #[test]
    fn what_cannot_leave_is_forgotten() {
        let mut repeats = Repeats::new(Repeat::Always);
        let now = Instant::now();
        for number in 0..100 {
            let packet = Bytes::from(vec![number]);
            repeats.note(now, &packet, || {
                panic!("it does not matter how the path is")
            });
        }
        assert_eq!(repeats.waiting.len(), MAX_WAITING);
        assert_eq!(repeats.due(now), Some(now + PAUSE));
        assert_eq!(repeats.pop().unwrap()[0], 100 - MAX_WAITING as u8);
        assert_eq!(repeats.due(now + PAUSE + 2 * MAX_LATE), None);
        assert!(repeats.waiting.is_empty());
    }
}
