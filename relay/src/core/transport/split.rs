//! Carries datagrams that are too large for WebTransport in two halves, by one byte before each.

use std::collections::VecDeque;

use bytes::{BufMut, Bytes, BytesMut};

/// What surely fits through a browser's WebTransport, with our byte.
const MAX: usize = 1150;
const MAX_PAYLOAD: usize = MAX - 1;
const SPLIT: u8 = 0x80;
const SECOND: u8 = 1;
const TEXT: u8 = 0x40;
/// Halves that wait for their other half.
const MAX_HALVES: usize = 4;
/// Their numbers come again after 64: what is so far from the newest has been lost.
const FARTHEST: u8 = 16;

/// Numbers the split datagrams of one direction.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    last: u8,
}

/// Puts the split datagrams of one direction together.
#[derive(Debug, Default)]
pub(crate) struct Joiner {
    halves: VecDeque<(u8, Bytes)>,
}

/// What a page says in a packet, because its stream would not be read any more.
pub(crate) fn text(packet: &[u8]) -> Option<String> {
    let text = packet.strip_prefix(&[TEXT])?;
    Some(String::from_utf8_lossy(text).into_owned())
}

impl Splitter {
    /// One datagram as one or two packets; none if it is too large for that.
    pub(crate) fn split(&mut self, datagram: &[u8]) -> impl Iterator<Item = Bytes> + use<> {
        let (first, second) = datagram.split_at(datagram.len().min(MAX_PAYLOAD));
        let packets = if second.is_empty() {
            [Some(packet(0, first)), None]
        } else if second.len() > MAX_PAYLOAD {
            [None, None]
        } else {
            self.last = (self.last + 1) & 63;
            let head = SPLIT | self.last << 1;
            [
                Some(packet(head, first)),
                Some(packet(head | SECOND, second)),
            ]
        };
        packets.into_iter().flatten()
    }
}

impl Joiner {
    /// The datagram that a packet completes, if it does.
    pub(crate) fn join(&mut self, packet: Bytes) -> Option<Bytes> {
        let head = *packet.first()?;
        let payload = packet.slice(1..);
        if head == 0 {
            return Some(payload);
        }
        if head & SPLIT == 0 {
            return None;
        }
        self.halves
            .retain(|(half, _)| distance(*half, head) <= FARTHEST);
        let other = self
            .halves
            .iter()
            .position(|(half, _)| *half == head ^ SECOND);
        let Some((_, other)) = other.and_then(|other| self.halves.remove(other)) else {
            // A repeated half takes the place of the first one.
            self.halves.retain(|(half, _)| *half != head);
            if self.halves.len() == MAX_HALVES {
                self.halves.pop_front();
            }
            self.halves.push_back((head, payload));
            return None;
        };
        let (first, second) = if head & SECOND == 0 {
            (payload, other)
        } else {
            (other, payload)
        };
        let mut datagram = BytesMut::with_capacity(first.len() + second.len());
        datagram.put(first);
        datagram.put(second);
        Some(datagram.freeze())
    }
}

/// How far the numbers of two split datagrams are from each other, either way.
fn distance(one: u8, other: u8) -> u8 {
    let ahead = (one >> 1).wrapping_sub(other >> 1) & 63;
    ahead.min(64 - ahead)
}

fn packet(head: u8, payload: &[u8]) -> Bytes {
    let mut packet = BytesMut::with_capacity(1 + payload.len());
    packet.put_u8(head);
    packet.put_slice(payload);
    packet.freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram(size: usize) -> Bytes {
        (0..size).map(|at| (at * 7 % 251) as u8).collect()
    }

    #[test]
    fn all_sizes_come_through() {
        let (mut splitter, mut joiner) = (Splitter::default(), Joiner::default());
        for size in (0..=2298).chain([1149, 1150, 2298]) {
            let packets: Vec<Bytes> = splitter.split(&datagram(size)).collect();
            assert_eq!(packets.len(), if size > 1149 { 2 } else { 1 });
            assert!(packets.iter().all(|packet| packet.len() <= MAX));
            let joined = packets
                .into_iter()
                .filter_map(|packet| joiner.join(packet))
                .collect::<Vec<_>>();
            assert_eq!(joined, [datagram(size)]);
        }
        assert_eq!(splitter.split(&datagram(2299)).count(), 0);
    }

    #[test]
    fn halves_find_each_other_in_any_order() {
        let (mut splitter, mut joiner) = (Splitter::default(), Joiner::default());
        let first: Vec<Bytes> = splitter.split(&datagram(1400)).collect();
        let second: Vec<Bytes> = splitter.split(&datagram(1300)).collect();
        assert_eq!(joiner.join(second[1].clone()), None);
        assert_eq!(joiner.join(first[1].clone()), None);
        assert_eq!(joiner.join(first[1].clone()), None);
        assert_eq!(joiner.join(first[0].clone()), Some(datagram(1400)));
        assert_eq!(joiner.join(second[0].clone()), Some(datagram(1300)));
        assert!(joiner.halves.is_empty());
    }

    #[test]
    fn repeats_mend_what_is_lost_and_break_nothing() {
        let (mut splitter, mut joiner) = (Splitter::default(), Joiner::default());
        // Every number comes round three times, and each time another packet of the four is lost.
        for number in 0..200 {
            let sent = datagram(1200 + number);
            let packets: Vec<Bytes> = splitter.split(&sent).collect();
            let mut came = [packets.clone(), packets].concat();
            came.remove(number % 4);
            let joined: Vec<Bytes> = came
                .into_iter()
                .filter_map(|packet| joiner.join(packet))
                .collect();
            assert_eq!(joined, [sent], "{number}");
        }
    }

    #[test]
    fn a_lost_half_is_not_joined_to_one_of_its_number_that_comes_later() {
        let (mut splitter, mut joiner) = (Splitter::default(), Joiner::default());
        let lost: Vec<Bytes> = splitter.split(&datagram(1400)).collect();
        assert_eq!(joiner.join(lost[1].clone()), None);
        for size in 1200..1300 {
            let joined: Vec<Bytes> = splitter
                .split(&datagram(size))
                .filter_map(|packet| joiner.join(packet))
                .collect();
            assert_eq!(joined, [datagram(size)]);
        }
    }

    #[test]
    fn lost_halves_and_rubbish_do_not_pile_up() {
        let (mut splitter, mut joiner) = (Splitter::default(), Joiner::default());
        for _ in 0..1000 {
            let half = splitter.split(&datagram(1400)).next();
            assert_eq!(joiner.join(half.unwrap()), None);
        }
        assert_eq!(joiner.halves.len(), MAX_HALVES);
        for rubbish in [&b""[..], b"\x01abc", b"\x7f", b"\x40"] {
            assert_eq!(joiner.join(Bytes::from_static(rubbish)), None);
        }
    }
}
