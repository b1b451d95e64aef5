//! Packs usercmds, with repeats against loss, at the right rate.

use shared::{
    base::{
        ring::Ring,
        time::{ClientTime, ServerTime},
    },
    net::clc::MAX_PACKET_USERCMDS,
    types::usercmd::{USERCMD_BACKUP, Usercmd},
};

/// The usercmds of a level and the packets they went out with.
#[derive(Clone, Debug)]
pub struct Usercmds {
    generated: Ring<Usercmd>,
    /// By own sequence number modulo the length.
    sent: [Option<SentPacket>; SENT_PACKETS],
}

/// What a packet carried, for repeats and for the ping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SentPacket {
    pub sequence: u32,
    /// The newest usercmd in it, and how many it carried.
    pub usercmd_number: i32,
    pub usercmds: u8,
    /// The time of that usercmd; 0 if there was none.
    pub server_time: ServerTime,
    pub at: ClientTime,
}

impl Default for Usercmds {
    fn default() -> Self {
        Self {
            generated: Ring::new(USERCMD_BACKUP),
            sent: [None; SENT_PACKETS],
        }
    }
}

impl Usercmds {
    /// Adds the usercmd of a frame and gives its number; the first one of a level is 1.
    pub fn push(&mut self, usercmd: Usercmd) -> i32 {
        self.generated.push(usercmd)
    }

    /// Blanks all usercmds, so that none from before a `map_restart` is sent again.
    pub fn blank(&mut self) {
        self.generated
            .iter_mut()
            .for_each(|usercmd| *usercmd = Usercmd::default());
    }

    /// All that are kept, oldest first; at least a second's worth.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (i32, &Usercmd)> + ExactSizeIterator {
        self.generated.iter()
    }

    pub fn ring(&self) -> &Ring<Usercmd> {
        &self.generated
    }

    pub fn newest_number(&self) -> i32 {
        self.generated.newest_number()
    }

    pub fn get(&self, number: i32) -> Option<&Usercmd> {
        self.generated.get(number)
    }

    /// The usercmds for the packet with this sequence number: all since the packet
    /// `packet_dup` + 1 before it, oldest first.
    pub fn due(&self, sequence: u32, packet_dup: i32) -> Vec<Usercmd> {
        let back = 1 + packet_dup.clamp(0, MAX_PACKET_DUP) as u32;
        let known = self.sent[slot(sequence.wrapping_sub(back))];
        let newest = self.newest_number();
        let count = newest - known.map_or(0, |packet| packet.usercmd_number);
        let count = count.clamp(0, MAX_PACKET_USERCMDS as i32);
        (newest - count + 1..=newest)
            .filter_map(|number| self.get(number).copied())
            .collect()
    }

    /// Takes note of a packet that just went out.
    pub fn record(&mut self, sequence: u32, at: ClientTime, usercmds: usize) {
        let newest = self.generated.newest().filter(|_| usercmds > 0);
        self.sent[slot(sequence)] = Some(SentPacket {
            sequence,
            usercmd_number: self.newest_number(),
            usercmds: usercmds.min(MAX_PACKET_USERCMDS) as u8,
            server_time: newest.map_or(ServerTime::default(), |usercmd| usercmd.server_time),
            at,
        });
    }

    /// The packet with this sequence number, if it went out not long ago.
    pub fn sent(&self, sequence: u32) -> Option<&SentPacket> {
        let packet = self.sent[slot(sequence)].as_ref();
        packet.filter(|packet| packet.sequence == sequence)
    }

    /// Milliseconds since the packet that brought the server to `command_time`; 999 if unknown.
    pub fn ping_msec(&self, next_sequence: u32, command_time: i32, now: ClientTime) -> i32 {
        (1..=SENT_PACKETS as u32)
            .filter_map(|back| self.sent[slot(next_sequence.wrapping_sub(back))])
            .find(|packet| packet.server_time.0 <= command_time)
            .map_or(UNKNOWN_PING, |packet| now - packet.at)
    }
}

fn slot(sequence: u32) -> usize {
    sequence as usize % SENT_PACKETS
}

/// What decides whether a packet may go out now.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    pub kind: PaceKind,
    /// `cl_maxpackets`
    pub max_packets: i32,
    /// The server is near and the player wants every frame sent then.
    pub sends_every_frame: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaceKind {
    Downloading,
    /// Waiting for the gamestate, or loading; a sign of life after so many milliseconds.
    Waiting {
        keep_alive_msec: i32,
    },
    Playing,
}

impl Pace {
    /// `last_sent` is `None` right after a gamestate.
    pub fn allows(&self, now: ClientTime, last_sent: Option<ClientTime>) -> bool {
        let Some(last_sent) = last_sent else {
            return true;
        };
        let passed = now - last_sent;
        match self.kind {
            PaceKind::Downloading if passed < DOWNLOAD_INTERVAL_MSEC => false,
            PaceKind::Waiting { keep_alive_msec } => passed >= keep_alive_msec,
            _ if self.sends_every_frame => true,
            _ => passed >= 1000 / self.max_packets.clamp(15, 125),
        }
    }
}

pub const UNKNOWN_PING: i32 = 999;
const DOWNLOAD_INTERVAL_MSEC: i32 = 50;
/// Two seconds at 125 packets per second: the ping of long lines is known too.
const SENT_PACKETS: usize = 256;
const MAX_PACKET_DUP: i32 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs frames of 8 ms and lists when packets went out, with how many usercmds.
    fn packets(max_packets: i32, packet_dup: i32, frames: i32) -> Vec<(i32, usize)> {
        let pace = Pace {
            kind: PaceKind::Playing,
            max_packets,
            sends_every_frame: false,
        };
        let mut usercmds = Usercmds::default();
        let mut last_sent = None;
        let mut sequence = 10;
        let mut sent = Vec::new();
        for frame in 1..=frames {
            let now = ClientTime(frame * 8);
            usercmds.push(Usercmd {
                server_time: ServerTime(now.0),
                ..Usercmd::default()
            });
            if pace.allows(now, last_sent) {
                sent.push((now.0, usercmds.due(sequence, packet_dup).len()));
                usercmds.record(sequence, now, 1);
                sequence += 1;
                last_sent = Some(now);
            }
        }
        sent
    }

    #[test]
    fn every_frame_at_125_packets() {
        let sent = packets(125, 1, 6);
        assert_eq!(sent, [(8, 1), (16, 2), (24, 2), (32, 2), (40, 2), (48, 2)]);
    }

    #[test]
    fn every_fifth_frame_at_30_packets() {
        let sent = packets(30, 1, 16);
        assert_eq!(sent, [(8, 1), (48, 6), (88, 10), (128, 10)]);
    }

    #[test]
    fn repeats_are_limited() {
        assert_eq!(packets(125, 0, 3), [(8, 1), (16, 1), (24, 1)]);
        assert_eq!(packets(15, 5, 40).last(), Some(&(296, 32)));
        assert_eq!(packets(1, 1, 20).len(), packets(15, 1, 20).len());
    }

    #[test]
    fn holds_a_second_at_500_frames() {
        let mut usercmds = Usercmds::default();
        for number in 1..=1500 {
            usercmds.push(Usercmd {
                server_time: ServerTime(number * 2),
                ..Usercmd::default()
            });
        }
        assert!(usercmds.iter().len() >= 500);
        usercmds.blank();
        assert_eq!(usercmds.newest_number(), 1500);
        assert_eq!(usercmds.get(1500), Some(&Usercmd::default()));
    }

    #[test]
    fn ping_is_measured_by_what_the_server_executed() {
        let mut usercmds = Usercmds::default();
        assert_eq!(usercmds.ping_msec(1, 0, ClientTime(50)), UNKNOWN_PING);
        for (sequence, time) in [(5, 100), (6, 108), (7, 116)] {
            usercmds.push(Usercmd {
                server_time: ServerTime(time),
                ..Usercmd::default()
            });
            usercmds.record(sequence, ClientTime(time + 1000), 1);
        }
        assert_eq!(usercmds.ping_msec(8, 110, ClientTime(1160)), 52);
        assert_eq!(usercmds.ping_msec(8, 99, ClientTime(1160)), UNKNOWN_PING);
    }

    #[test]
    fn waiting_and_downloading_have_their_own_pace() {
        let allows = |kind, passed| {
            let pace = Pace {
                kind,
                max_packets: 125,
                sends_every_frame: true,
            };
            pace.allows(ClientTime(passed), Some(ClientTime(0)))
        };
        let waiting = PaceKind::Waiting {
            keep_alive_msec: 1000,
        };
        assert_eq!(
            [999, 1000].map(|passed| allows(waiting, passed)),
            [false, true]
        );
        assert_eq!(
            [49, 50].map(|passed| allows(PaceKind::Downloading, passed)),
            [false, true]
        );
        assert!(allows(PaceKind::Playing, 1));
    }
}
