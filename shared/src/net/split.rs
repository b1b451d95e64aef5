//! Datagrams in packets of WebTransport, as relay and page exchange them: one byte, and then the datagram or half of it.
//!
//! Browsers promise to carry only so many bytes in a packet, and servers send more. The README of the relay tells what the
//! byte means.

use std::{borrow::Cow, collections::VecDeque};

/// Most bytes of a packet: what surely fits through a browser's WebTransport.
pub const MAX_PACKET: usize = 1150;
const MAX_PAYLOAD: usize = MAX_PACKET - 1;
const SPLIT: u8 = 0x80;
const SECOND: u8 = 1;
const TEXT: u8 = 0x40;
/// Halves that wait for their other half.
const MAX_HALVES: usize = 4;
/// Their numbers come again after 64: what is so far from the newest has been lost.
const FARTHEST: u8 = 16;

/// Numbers the split datagrams of one direction.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    last: u8,
}

/// Puts the split datagrams of one direction together.
#[derive(Clone, Debug, Default)]
pub struct Joiner {
    halves: VecDeque<(u8, Vec<u8>)>,
}

/// What a page says in a packet, because its stream would not be read any more.
pub fn text(packet: &[u8]) -> Option<String> {
    let text = packet.strip_prefix(&[TEXT])?;
    Some(String::from_utf8_lossy(text).into_owned())
}

impl Splitter {
    /// One datagram as one or two packets; none if it is too large for that.
    pub fn split(&mut self, datagram: &[u8]) -> impl Iterator<Item = Vec<u8>> + use<> {
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
    pub fn join<'p>(&mut self, packet: &'p [u8]) -> Option<Cow<'p, [u8]>> {
        let (&head, payload) = packet.split_first()?;
        if head == 0 {
            return Some(payload.into());
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
            self.halves.push_back((head, payload.to_vec()));
            return None;
        };
        Some(Cow::Owned(if head & SECOND == 0 {
            [payload, &other].concat()
        } else {
            [&other, payload].concat()
        }))
    }
}

/// How far the numbers of two split datagrams are from each other, either way.
fn distance(one: u8, other: u8) -> u8 {
    let ahead = (one >> 1).wrapping_sub(other >> 1) & 63;
    ahead.min(64 - ahead)
}

fn packet(head: u8, payload: &[u8]) -> Vec<u8> {
    [&[head], payload].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram(size: usize) -> Vec<u8> {
        (0..size).map(|at| (at * 7 % 251) as u8).collect()
    }

    fn joined(joiner: &mut Joiner, packet: &[u8]) -> Option<Vec<u8>> {
        joiner.join(packet).map(Cow::into_owned)
    }

    #[test]
    fn all_sizes_come_through() {
        let (mut splitter, mut joiner) = (Splitter::default(), Joiner::default());
        for size in (0..=2298).chain([1149, 1150, 2298]) {
            let packets: Vec<Vec<u8>> = splitter.split(&datagram(size)).collect();
            assert_eq!(packets.len(), if size > 1149 { 2 } else { 1 });
            assert!(packets.iter().all(|packet| packet.len() <= MAX_PACKET));
            let whole = packets
                .into_iter()
                .filter_map(|packet| joined(&mut joiner, &packet))
                .collect::<Vec<_>>();
            assert_eq!(whole, [datagram(size)]);
        }
        assert_eq!(splitter.split(&datagram(2299)).count(), 0);
    }

    #[test]
    fn halves_find_each_other_in_any_order() {
        let (mut splitter, mut joiner) = (Splitter::default(), Joiner::default());
        let first: Vec<Vec<u8>> = splitter.split(&datagram(1400)).collect();
        let second: Vec<Vec<u8>> = splitter.split(&datagram(1300)).collect();
        assert_eq!(joined(&mut joiner, &second[1]), None);
        assert_eq!(joined(&mut joiner, &first[1]), None);
        assert_eq!(joined(&mut joiner, &first[1]), None);
        assert_eq!(joined(&mut joiner, &first[0]), Some(datagram(1400)));
        assert_eq!(joined(&mut joiner, &second[0]), Some(datagram(1300)));
        assert!(joiner.halves.is_empty());
    }

    #[test]
    fn repeats_mend_what_is_lost_and_break_nothing() {
        let (mut splitter, mut joiner) = (Splitter::default(), Joiner::default());
        // Every number comes round three times, and each time another packet of the four is lost.
        for number in 0..200 {
            let sent = datagram(1200 + number);
            let packets: Vec<Vec<u8>> = splitter.split(&sent).collect();
            let mut came = [packets.clone(), packets].concat();
            came.remove(number % 4);
            let whole: Vec<Vec<u8>> = came
                .into_iter()
                .filter_map(|packet| joined(&mut joiner, &packet))
                .collect();
            assert_eq!(whole, [sent], "{number}");
        }
    }

    #[test]
    fn a_lost_half_is_not_joined_to_one_of_its_number_that_comes_later() {
        let (mut splitter, mut joiner) = (Splitter::default(), Joiner::default());
        let lost: Vec<Vec<u8>> = splitter.split(&datagram(1400)).collect();
        assert_eq!(joined(&mut joiner, &lost[1]), None);
        for size in 1200..1300 {
            let whole: Vec<Vec<u8>> = splitter
                .split(&datagram(size))
                .filter_map(|packet| joined(&mut joiner, &packet))
                .collect();
            assert_eq!(whole, [datagram(size)]);
        }
    }

    #[test]
    fn lost_halves_and_rubbish_do_not_pile_up() {
        let (mut splitter, mut joiner) = (Splitter::default(), Joiner::default());
        for _ in 0..1000 {
            let half = splitter.split(&datagram(1400)).next();
            assert_eq!(joined(&mut joiner, &half.unwrap()), None);
        }
        assert_eq!(joiner.halves.len(), MAX_HALVES);
        for rubbish in [&b""[..], b"\x01abc", b"\x7f", b"\x40"] {
            assert_eq!(joined(&mut joiner, rubbish), None);
        }
    }
}
