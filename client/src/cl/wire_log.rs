//! What was said on a connection over the last two minutes, both ways, for whoever wants to look at it.

use shared::{
    base::time::{ClientTime, ServerTime},
    net::{
        clc::ClientMessage,
        cost::{self, SnapshotCost},
        netchan::{DropReason, Received},
        svc::{self, Decoder, ServerMessage, ServerOp},
    },
    types::{gamestate::Gamestate, snapshot::Snapshot},
};
use std::{
    cell::OnceCell,
    collections::{VecDeque, vec_deque},
    rc::Rc,
    sync::Arc,
};

/// How long things are remembered.
const KEPT_MSEC: i32 = 120_000;
/// More than two minutes of any match have.
const MAX_ENTRIES: usize = 32_768;
/// Bytes of datagrams; a download brings more in that time.
const MAX_BYTES: usize = 8 << 20;
/// Two minutes at 250 frames a second.
const MAX_FRAMES: usize = 32_768;

/// What is told of a message that begins a level.
pub const GAMESTATE: &str = "gamestate";

/// A message, or a datagram that became none.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Counts up over the connection, to find it again.
    pub number: u64,
    /// When it was sent or had come whole.
    pub at: ClientTime,
    /// The datagrams that carried it, as they were.
    pub datagrams: Vec<Vec<u8>>,
    pub said: Said,
}

/// What it says.
#[derive(Clone, Debug)]
pub enum Said {
    Server(Box<ServerSaid>),
    Client {
        sequence: i32,
        message: Box<ClientMessage>,
    },
    /// It was not taken.
    Dropped(String),
}

/// A message of the server.
#[derive(Clone, Debug, Default)]
pub struct ServerSaid {
    pub sequence: i32,
    /// Messages before it that did not come.
    pub lost: i32,
    /// The client's newest command that the server has executed.
    pub rel_ack: i32,
    pub snapshot: Option<Arc<Snapshot>>,
    /// What the snapshot was told against.
    base: Option<Arc<Snapshot>>,
    gamestate: Arc<Gamestate>,
    /// Taking a snapshot apart is dear, so only those are that somebody looks at.
    cost: OnceCell<SnapshotCost>,
    pub commands: Vec<svc::Command>,
    /// What else there was.
    pub others: Vec<&'static str>,
}

impl ServerSaid {
    /// What the snapshot's parts cost; nothing without one.
    pub fn cost(&self) -> &SnapshotCost {
        self.cost.get_or_init(|| {
            let snapshot = self.snapshot.as_ref();
            snapshot.map_or_else(SnapshotCost::default, |snapshot| {
                cost::of_snapshot(snapshot, self.base.as_deref(), &self.gamestate)
            })
        })
    }

    /// Bits of all its commands.
    pub fn command_bits(&self) -> usize {
        self.commands.iter().map(command_bits).sum()
    }
}

/// Bits of a command of the server on the wire.
pub fn command_bits(command: &svc::Command) -> usize {
    let mut writer = svc::Writer::new(0);
    let before = writer.bit_len();
    writer.command(command.number, &command.text);
    writer.bit_len() - before
}

/// A frame of ours, and what it showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownFrame {
    pub at: ClientTime,
    /// How much newer the newest snapshot was than what was shown; below zero there was none to go to.
    pub ahead_msec: i32,
    /// Usercmds that prediction replayed.
    pub replayed: usize,
}

/// The newest entries.
#[derive(Clone, Debug, Default)]
pub struct WireLog {
    /// Copies of the log share them.
    entries: VecDeque<Rc<Entry>>,
    frames: VecDeque<ShownFrame>,
    /// Datagrams of a message that is not complete.
    arriving: Vec<Vec<u8>>,
    bytes: usize,
    next_number: u64,
}

impl WireLog {
    /// Oldest first.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> + ExactSizeIterator + Clone {
        self.entries.iter().map(Rc::as_ref)
    }

    pub fn newest(&self) -> Option<&Entry> {
        self.entries.back().map(Rc::as_ref)
    }

    /// Oldest first.
    pub fn frames(&self) -> &VecDeque<ShownFrame> {
        &self.frames
    }

    /// Those of a time, oldest first.
    pub fn entries_between(
        &self,
        from: ClientTime,
        to: ClientTime,
    ) -> impl Iterator<Item = &Entry> + Clone {
        let (first, end) = range(&self.entries, |entry| entry.at, from, to);
        self.entries.range(first..end).map(Rc::as_ref)
    }

    /// Those of a time, oldest first.
    pub fn frames_between(
        &self,
        from: ClientTime,
        to: ClientTime,
    ) -> vec_deque::Iter<'_, ShownFrame> {
        let (first, end) = range(&self.frames, |frame| frame.at, from, to);
        self.frames.range(first..end)
    }

    pub fn find(&self, number: u64) -> Option<&Entry> {
        let first = self.entries.front()?.number;
        let place = usize::try_from(number.checked_sub(first)?).ok()?;
        self.entries.get(place).map(Rc::as_ref)
    }

    /// A datagram has come.
    pub(super) fn arrives(&mut self, datagram: &[u8]) {
        const MAX_PIECES: usize = 16;
        if self.arriving.len() == MAX_PIECES {
            self.arriving.remove(0);
        }
        self.arriving.push(datagram.to_vec());
    }

    /// What has come is no message of this connection.
    pub(super) fn drops(&mut self, now: ClientTime, reason: DropReason) {
        let datagram = self.arriving.pop().unwrap_or_default();
        self.push(now, vec![datagram], Said::Dropped(reason.to_string()));
    }

    /// A message that cannot be read.
    pub(super) fn cannot_read(&mut self, now: ClientTime, error: &svc::MessageError) {
        let datagrams = std::mem::take(&mut self.arriving);
        self.push(now, datagrams, Said::Dropped(error.to_string()));
    }

    /// A message of the server that was read.
    pub(super) fn reads(
        &mut self,
        now: ClientTime,
        received: &Received,
        message: &ServerMessage,
        decoder: &Decoder,
    ) {
        self.notes(now, received.lost, message, decoder);
    }

    fn notes(&mut self, now: ClientTime, lost: i32, message: &ServerMessage, decoder: &Decoder) {
        let mut said = ServerSaid {
            sequence: message.sequence,
            lost: lost.max(0),
            rel_ack: message.rel_ack,
            gamestate: decoder.gamestate().clone(),
            ..ServerSaid::default()
        };
        for op in &message.ops {
            match op {
                ServerOp::Command(command) => said.commands.push(command.clone()),
                ServerOp::Snapshot(snapshot) => {
                    said.base = snapshot.delta_num.and_then(|number| self.snapshot(number));
                    said.snapshot = Some(snapshot.clone());
                }
                ServerOp::Gamestate(_) => said.others.push(GAMESTATE),
                ServerOp::SnapshotWithoutBase { .. } => {
                    said.others.push("a snapshot against one that is not here");
                }
                ServerOp::Download(_) => said.others.push("a piece of a file"),
            }
        }
        let datagrams = std::mem::take(&mut self.arriving);
        self.push(now, datagrams, Said::Server(Box::new(said)));
    }

    /// The snapshot of the message of this number.
    fn snapshot(&self, message_num: i32) -> Option<Arc<Snapshot>> {
        let snapshots = self
            .entries
            .iter()
            .rev()
            .filter_map(|entry| match &entry.said {
                Said::Server(said) => said.snapshot.as_ref(),
                _ => None,
            });
        let mut newest = snapshots.take_while(|snapshot| snapshot.message_num >= message_num);
        let found = newest.find(|snapshot| snapshot.message_num == message_num);
        found.cloned()
    }

    /// A message of a demo, which has no datagrams any more.
    pub(super) fn reads_demo(
        &mut self,
        now: ClientTime,
        bytes: &[u8],
        message: &ServerMessage,
        decoder: &Decoder,
    ) {
        let last = self.newest().and_then(Entry::sequence);
        let lost = last.map_or(0, |last| {
            message.sequence.wrapping_sub(last).wrapping_sub(1)
        });
        self.arriving = vec![bytes.to_vec()];
        self.notes(now, lost, message, decoder);
    }

    /// A message of ours goes out.
    pub(super) fn sends(
        &mut self,
        now: ClientTime,
        sequence: i32,
        message: &ClientMessage,
        datagrams: &[Vec<u8>],
    ) {
        let message = Box::new(message.clone());
        self.push(now, datagrams.to_vec(), Said::Client { sequence, message });
    }

    /// A frame was decided.
    pub(super) fn shows(
        &mut self,
        at: ClientTime,
        shown: ServerTime,
        newest: ServerTime,
        replayed: usize,
    ) {
        if self.frames.len() == MAX_FRAMES {
            self.frames.pop_front();
        }
        self.frames.push_back(ShownFrame {
            at,
            ahead_msec: newest - shown,
            replayed,
        });
    }

    fn push(&mut self, at: ClientTime, datagrams: Vec<Vec<u8>>, said: Said) {
        self.bytes += datagrams.iter().map(Vec::len).sum::<usize>();
        let number = self.next_number;
        self.next_number += 1;
        self.entries.push_back(Rc::new(Entry {
            number,
            at,
            datagrams,
            said,
        }));
        let is_too_old = |entry: &Entry| at - entry.at > KEPT_MSEC;
        while let Some(first) = self.entries.front()
            && (self.entries.len() > MAX_ENTRIES || self.bytes > MAX_BYTES || is_too_old(first))
        {
            self.bytes -= first.bytes();
            self.entries.pop_front();
        }
    }
}

/// The first place of a time in a list, and the one behind its last.
fn range<T>(
    list: &VecDeque<T>,
    at: impl Fn(&T) -> ClientTime,
    from: ClientTime,
    to: ClientTime,
) -> (usize, usize) {
    let first = list.partition_point(|item| at(item) - from < 0);
    let end = list.partition_point(|item| at(item) - to <= 0);
    (first, end.max(first))
}

impl Entry {
    /// Of all its datagrams.
    pub fn bytes(&self) -> usize {
        self.datagrams.iter().map(Vec::len).sum()
    }

    /// Its number in its direction.
    pub fn sequence(&self) -> Option<i32> {
        match &self.said {
            Said::Server(said) => Some(said.sequence),
            Said::Client { sequence, .. } => Some(*sequence),
            Said::Dropped(_) => None,
        }
    }
}
