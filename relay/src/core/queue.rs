//! The datagrams that wait for a browser: few, and the newest.
//!
//! TCP delivers everything, late if need be. A late snapshot is worthless: the next one replaces
//! it. So while the path does not drain we keep what a game needs to go on, the newest snapshots
//! and the fragments of a gamestate, and drop the oldest of the rest as a lossy line would.
//!
//! A download is the other way round: its blocks look like snapshots but come by the dozen, and each
//! is of use only after the one before. While such a burst drains, the order stays and nothing of
//! it is dropped.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::Instant;

/// A gamestate of 16,384 bytes comes in 13 fragments.
const MAX_DATAGRAMS: usize = 16;
/// More than one, because two snapshots can leave a server within one frame of the network.
const MAX_SNAPSHOTS: usize = 3;
/// A game sends fewer whole messages than this within `BURST`, even at 125 a second.
const DOWNLOAD_BURST: usize = 8;
const BURST: Duration = Duration::from_millis(40);
/// Servers have 48 blocks on their way at most; more would only be the same again.
const MAX_BLOCKS: usize = 64;
/// A burst that has waited for so long belongs to a path that stands still.
const STALE: Duration = Duration::from_secs(2);

/// Datagrams in the order of their arrival, bounded by dropping the oldest.
#[derive(Debug, Default)]
pub(super) struct SendQueue {
    datagrams: VecDeque<Bytes>,
    /// Since when whole messages have come in close succession, and how many.
    burst: Option<(Instant, usize)>,
    /// A download drains, and did so last at this time.
    download: Option<Instant>,
    has_drained: bool,
}

impl SendQueue {
    /// Adds a datagram; yields how many others had to go for it.
    pub(super) fn push(&mut self, now: Instant, datagram: Bytes) -> u64 {
        let mut dropped = 0;
        let mut in_burst = match is_snapshot(&datagram) {
            true => self.note_burst(now),
            false => 0,
        };
        let has_drained = std::mem::take(&mut self.has_drained);
        self.download = match self.download {
            Some(_) if has_drained => Some(now),
            Some(since) if now - since > STALE => None,
            other => other,
        };
        if self.download.is_some() {
            if self.datagrams.len() < MAX_BLOCKS {
                self.datagrams.push_back(datagram);
                return 0;
            }
            // No download has so many blocks on their way: this is a game whose path stood still.
            (self.download, self.burst, in_burst) = (None, None, 0);
        }
        if is_snapshot(&datagram) {
            let max_snapshots = MAX_SNAPSHOTS.max(in_burst);
            let mut snapshots = self.datagrams.iter().filter(|one| is_snapshot(one)).count();
            while snapshots >= max_snapshots {
                let oldest = self.datagrams.iter().position(|one| is_snapshot(one));
                let Some(oldest) = oldest else { break };
                self.datagrams.remove(oldest);
                snapshots -= 1;
                dropped += 1;
            }
        }
        while self.datagrams.len() >= MAX_DATAGRAMS {
            self.datagrams.pop_front();
            dropped += 1;
        }
        self.datagrams.push_back(datagram);
        dropped
    }

    pub(super) fn pop(&mut self) -> Option<Bytes> {
        let datagram = self.datagrams.pop_front();
        self.has_drained = true;
        if self.datagrams.is_empty() {
            self.download = None;
        }
        datagram
    }

    /// How many whole messages have come in close succession, this one included.
    fn note_burst(&mut self, now: Instant) -> usize {
        let (since, count) = match self.burst {
            Some((since, count)) if now - since <= BURST => (since, count + 1),
            _ => (now, 1),
        };
        self.burst = Some((since, count));
        if count > DOWNLOAD_BURST {
            self.download = Some(now);
        }
        count
    }
}

/// Is this numbered, so that its receiver drops it when it comes again?
pub(super) fn is_of_channel(datagram: &[u8]) -> bool {
    datagram.len() > 4 && !datagram.starts_with(&[0xff; 4])
}

/// Is this a whole message of the channel, neither a fragment nor out of band?
fn is_snapshot(datagram: &[u8]) -> bool {
    matches!(datagram, [_, _, _, highest, ..] if highest & 0x80 == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram(sequence: u32, mark: u8) -> Bytes {
        let mut bytes = sequence.to_le_bytes().to_vec();
        bytes.push(mark);
        bytes.into()
    }

    fn check(sent: &[Bytes], expected_marks: &[u8], expected_dropped: u64) {
        let mut queue = SendQueue::default();
        let mut now = Instant::now();
        let mut push = |one: &Bytes| {
            now += Duration::from_millis(20);
            queue.push(now, one.clone())
        };
        let dropped: u64 = sent.iter().map(&mut push).sum();
        let mut marks = Vec::new();
        while let Some(one) = queue.pop() {
            marks.push(one[4]);
        }
        assert_eq!(
            (marks.as_slice(), dropped),
            (expected_marks, expected_dropped)
        );
    }

    #[test]
    fn the_newest_snapshots_stay() {
        let snapshots: Vec<Bytes> = (0..10).map(|n| datagram(n, n as u8)).collect();
        check(&snapshots, &[7, 8, 9], 7);
    }

    #[test]
    fn a_download_keeps_its_order_and_its_oldest_blocks() {
        let mut queue = SendQueue::default();
        let start = Instant::now();
        let block = |n: u32| datagram(n, n as u8);
        // All at once; then what the server sends for each block that is confirmed, on a slow line.
        let dropped: u64 = (0..48).map(|n| queue.push(start, block(n))).sum();
        assert_eq!(dropped, 0);
        for n in 0..300 {
            assert_eq!(queue.pop(), Some(block(n)));
            let now = start + Duration::from_millis(u64::from(n) * 10);
            assert_eq!(queue.push(now, block(n + 48)), 0);
        }
        let later = start + Duration::from_millis(3500);
        let dropped: u64 = (0..100).map(|n| queue.push(later, block(n))).sum();
        let waiting: Vec<Bytes> = std::iter::from_fn(|| queue.pop()).collect();
        assert!(waiting.len() <= MAX_BLOCKS && dropped + waiting.len() as u64 == 148);
        assert_eq!(
            waiting.last(),
            Some(&block(99)),
            "what is no download ends with the newest"
        );
        let dropped: u64 = (1..6)
            .map(|n| queue.push(later + Duration::from_millis(50 * n), block(9)))
            .sum();
        assert_eq!(dropped, 2, "snapshots are dropped again");
    }

    #[test]
    fn fragments_outlive_snapshots() {
        let mut sent: Vec<Bytes> = (0..13).map(|n| datagram(1 << 31 | 5, n)).collect();
        sent.extend((6..16).map(|n| datagram(n, n as u8 + 100)));
        let mut expected: Vec<u8> = (0..13).collect();
        expected.extend([113, 114, 115]);
        check(&sent, &expected, 7);
    }

    #[test]
    fn no_flood_grows_it() {
        let fragments: Vec<Bytes> = (0..200).map(|n| datagram(u32::MAX, n)).collect();
        check(&fragments, &(184..200).collect::<Vec<u8>>(), 184);
    }
}
