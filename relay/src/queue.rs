//! The datagrams that wait for a browser: few, and the newest.
//!
//! TCP delivers everything, late if need be. A late snapshot is worthless: the next one replaces
//! it. So while the path does not drain we keep what a game needs to go on, the newest snapshots
//! and the fragments of a gamestate, and drop the oldest of the rest as a lossy line would.

use std::collections::VecDeque;

use bytes::Bytes;

/// A gamestate of 16,384 bytes comes in 13 fragments.
const MOST_DATAGRAMS: usize = 16;
/// More than one, because two snapshots can leave a server within one frame of the network.
const MOST_SNAPSHOTS: usize = 3;

/// Datagrams in the order of their arrival, bounded by dropping the oldest.
#[derive(Debug, Default)]
pub struct SendQueue {
    datagrams: VecDeque<Bytes>,
}

impl SendQueue {
    /// Adds a datagram; yields how many others had to go for it.
    pub fn push(&mut self, datagram: Bytes) -> u64 {
        let mut dropped = 0;
        if is_snapshot(&datagram) {
            let mut snapshots = self.datagrams.iter().filter(|one| is_snapshot(one)).count();
            while snapshots >= MOST_SNAPSHOTS {
                let oldest = self.datagrams.iter().position(|one| is_snapshot(one));
                let Some(oldest) = oldest else { break };
                self.datagrams.remove(oldest);
                snapshots -= 1;
                dropped += 1;
            }
        }
        while self.datagrams.len() >= MOST_DATAGRAMS {
            self.datagrams.pop_front();
            dropped += 1;
        }
        self.datagrams.push_back(datagram);
        dropped
    }

    pub fn pop(&mut self) -> Option<Bytes> {
        self.datagrams.pop_front()
    }
}

/// Is this numbered, so that its receiver drops it when it comes again?
pub fn is_of_channel(datagram: &[u8]) -> bool {
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
        let dropped: u64 = sent.iter().map(|one| queue.push(one.clone())).sum();
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
