//! Trace: what became of every usercmd, packet and snapshot of one side over the last seconds.
//!
//! The line tells at once when a datagram will arrive or that it will not, so the whole life of a usercmd is known
//! without asking the server: made, sent, lost or executed, acknowledged. Until it is acknowledged, prediction replays it.

use crate::{
    cl::SentPacket,
    conditioner::DatagramRecord,
    session::{Observation, ObservedUpTo},
};
use shared::base::sort::sort_by_key;
use shared::base::time::{ClientTime, ServerTime};
use std::collections::VecDeque;

/// How long things are remembered after they happened.
const KEPT_MSEC: i32 = 4000;
/// More than a frame of any length brings in that time.
const MAX_KEPT: usize = 8192;

/// How far a usercmd has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsercmdOutcome {
    /// Made, and not executed as far as the line is known.
    Pending,
    Executed {
        at: ClientTime,
    },
    Acknowledged {
        executed_at: ClientTime,
    },
    /// A later one was executed first.
    Lost,
}

/// A usercmd and what became of it.
#[derive(Clone, Copy, Debug)]
pub struct TracedUsercmd {
    pub number: i32,
    pub time: ServerTime,
    pub made_at: ClientTime,
    pub outcome: UsercmdOutcome,
}

/// A packet to the server: the way, and which usercmds it carries.
#[derive(Clone, Copy, Debug)]
pub struct TracedPacket {
    pub record: DatagramRecord,
    sequence: u32,
    first: i32,
    newest: i32,
    has_arrived: bool,
}

/// Sums since the trace began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TraceCounts {
    pub usercmds: u64,
    pub lost_usercmds: u64,
    pub packets: u64,
    pub lost_packets: u64,
    pub snapshots: u64,
    pub lost_snapshots: u64,
}

/// The last seconds of one side.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub usercmds: VecDeque<TracedUsercmd>,
    pub packets: VecDeque<TracedPacket>,
    pub snapshots: VecDeque<DatagramRecord>,
    pub counts: TraceCounts,
    /// The newest usercmd that was executed, and the newest packet that arrived.
    executed: i32,
    /// Where the newest usercmd ends that was executed.
    pub executed_until: ServerTime,
    arrived: u32,
    acknowledged: ServerTime,
}

impl Trace {
    /// Up to where the session has been looked at.
    pub fn seen(&self) -> ObservedUpTo {
        ObservedUpTo {
            usercmd: self.usercmds.back().map_or(0, |usercmd| usercmd.number),
            packet: self.packets.back().map_or(0, |packet| packet.sequence + 1),
        }
    }

    /// Takes in what a session did in this frame.
    pub fn note(&mut self, now: ClientTime, observed: &Observation) {
        let first = observed.usercmds.first().map(|(number, _)| *number);
        if first.is_some_and(|first| first <= self.seen().usercmd) {
            // Another level: numbers begin anew.
            *self = Self::default();
        }
        for &(number, time) in &observed.usercmds {
            self.counts.usercmds += 1;
            self.usercmds.push_back(TracedUsercmd {
                number,
                time,
                made_at: now,
                outcome: UsercmdOutcome::Pending,
            });
        }
        self.add_records(&observed.records, &observed.packets);
        self.arrive(now);
        self.acknowledge(observed.acknowledged);
        self.forget(now);
    }

    fn add_records(&mut self, records: &[DatagramRecord], sent: &[SentPacket]) {
        let up: Vec<&DatagramRecord> = records
            .iter()
            .filter(|record| record.is_to_server)
            .collect();
        // What is not of the game went out before.
        let others = up.len().saturating_sub(sent.len());
        for (record, packet) in up.iter().skip(others).zip(sent) {
            self.counts.packets += 1;
            self.counts.lost_packets += u64::from(record.arrives_at.is_none());
            self.packets.push_back(TracedPacket {
                record: **record,
                sequence: packet.sequence,
                first: packet.usercmd_number - i32::from(packet.usercmds) + 1,
                newest: packet.usercmd_number,
                has_arrived: false,
            });
        }
        for record in records.iter().filter(|record| !record.is_to_server) {
            self.counts.snapshots += 1;
            self.counts.lost_snapshots += u64::from(record.arrives_at.is_none());
            self.snapshots.push_back(*record);
        }
    }

    /// Lets the server execute what has arrived; what comes after a later packet is dropped there.
    fn arrive(&mut self, now: ClientTime) {
        let is_due = |packet: &TracedPacket| {
            let at = packet.record.arrives_at;
            !packet.has_arrived && at.is_some_and(|at| now - at >= 0)
        };
        let due = self.packets.iter().enumerate();
        let mut due: Vec<usize> = due
            .filter(|(_, packet)| is_due(packet))
            .map(|(at, _)| at)
            .collect();
        sort_by_key(&mut due, |&at| {
            let packet = &self.packets[at];
            (packet.record.arrives_at.map_or(0, |time| time - now), at)
        });
        for at in due {
            self.packets[at].has_arrived = true;
            let packet = self.packets[at];
            if packet.sequence <= self.arrived && self.arrived != 0 {
                continue;
            }
            self.arrived = packet.sequence;
            self.execute(&packet);
        }
    }

    fn execute(&mut self, packet: &TracedPacket) {
        let Some(at) = packet.record.arrives_at else {
            return;
        };
        let executed = self.executed;
        for usercmd in &mut self.usercmds {
            let is_passed = usercmd.number > executed && usercmd.number <= packet.newest;
            if !is_passed || usercmd.outcome != UsercmdOutcome::Pending {
                continue;
            }
            usercmd.outcome = match usercmd.number >= packet.first {
                true => UsercmdOutcome::Executed { at },
                false => UsercmdOutcome::Lost,
            };
            self.counts.lost_usercmds += u64::from(usercmd.outcome == UsercmdOutcome::Lost);
            self.executed_until = usercmd.time;
        }
        self.executed = executed.max(packet.newest);
    }

    fn acknowledge(&mut self, time: ServerTime) {
        self.acknowledged = time;
        for usercmd in &mut self.usercmds {
            if let UsercmdOutcome::Executed { at } = usercmd.outcome
                && usercmd.time - time <= 0
            {
                usercmd.outcome = UsercmdOutcome::Acknowledged { executed_at: at };
            }
        }
    }

    fn forget(&mut self, now: ClientTime) {
        // The newest usercmd and packet tell up to where the session has been looked at.
        forget_old(&mut self.usercmds, 1, now, |one| one.made_at);
        forget_old(&mut self.packets, 1, now, |one| one.record.sent_at);
        forget_old(&mut self.snapshots, 0, now, |one| one.sent_at);
    }

    /// How many usercmds prediction runs again in every frame.
    pub fn replayed(&self) -> usize {
        let newest = self.usercmds.iter().rev();
        newest
            .take_while(|usercmd| usercmd.time - self.acknowledged > 0)
            .count()
    }

    /// When the usercmd was made that ends at this time or before.
    pub fn made_at(&self, time: ServerTime) -> Option<ClientTime> {
        let mut newest = self.usercmds.iter().rev();
        newest
            .find(|usercmd| usercmd.time - time <= 0)
            .map(|usercmd| usercmd.made_at)
    }

    /// Bytes of the last second with their datagrams' headers: up, down.
    pub fn bytes_per_second(&self, now: ClientTime) -> [usize; 2] {
        const HEADER: usize = 28;
        let sum = |records: &mut dyn Iterator<Item = &DatagramRecord>| {
            let last = records.filter(|record| now - record.sent_at < 1000);
            last.map(|record| record.bytes + HEADER).sum()
        };
        [
            sum(&mut self.packets.iter().map(|packet| &packet.record)),
            sum(&mut self.snapshots.iter()),
        ]
    }
}

/// Forgets what happened too long ago, but for the newest ones, and what is too much.
fn forget_old<T>(all: &mut VecDeque<T>, kept: usize, now: ClientTime, at: fn(&T) -> ClientTime) {
    let is_old = |one: &T| now - at(one) > KEPT_MSEC;
    while all.len() > MAX_KEPT || all.len() > kept && all.front().is_some_and(is_old) {
        all.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line of 30 ms on which packets carry one usercmd and `repeats` earlier ones; those in `lost` never arrive.
    fn fates(repeats: u8, lost: &[u32], frames: i32) -> (Vec<UsercmdOutcome>, TraceCounts) {
        let mut trace = Trace::default();
        for frame in 1..=frames {
            let now = ClientTime(frame * 10);
            let sequence = frame as u32;
            let arrives_at = (!lost.contains(&sequence)).then_some(now + 30);
            let observed = Observation {
                usercmds: vec![(frame, ServerTime(now.0))],
                packets: vec![SentPacket {
                    sequence,
                    usercmd_number: frame,
                    usercmds: 1 + repeats.min(frame as u8 - 1),
                    server_time: ServerTime(now.0),
                    at: now,
                }],
                records: vec![DatagramRecord {
                    is_to_server: true,
                    sent_at: now,
                    arrives_at,
                    bytes: 40,
                }],
                // The answer takes as long.
                acknowledged: ServerTime(now.0 - 60),
                ..Observation::default()
            };
            trace.note(now, &observed);
        }
        let fates = trace.usercmds.iter().map(|usercmd| usercmd.outcome);
        (fates.collect(), trace.counts)
    }

    fn acknowledged(executed_at: i32) -> UsercmdOutcome {
        UsercmdOutcome::Acknowledged {
            executed_at: ClientTime(executed_at),
        }
    }

    #[test]
    fn usercmds_are_executed_then_acknowledged() {
        let (fates, counts) = fates(0, &[], 8);
        assert_eq!(fates[1], acknowledged(50));
        assert_eq!(fates[4], UsercmdOutcome::Executed { at: ClientTime(80) });
        assert_eq!(fates[5], UsercmdOutcome::Pending);
        assert_eq!((counts.usercmds, counts.lost_usercmds), (8, 0));
    }

    #[test]
    fn a_lost_packet_loses_its_usercmd_unless_it_is_repeated() {
        let (alone, counts) = fates(0, &[2], 12);
        assert_eq!(alone[1], UsercmdOutcome::Lost);
        assert_eq!((counts.lost_usercmds, counts.lost_packets), (1, 1));
        let (repeated, counts) = fates(1, &[2], 12);
        assert_eq!(repeated[1], acknowledged(60));
        assert_eq!((counts.lost_usercmds, counts.lost_packets), (0, 1));
    }
}
