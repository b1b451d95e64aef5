//! Messages from the server: what they say, and what they are told against.
//!
//! A message is read as a whole or not at all: a [`Decoder`] takes over what it says only when its end
//! was reached without error, so a damaged message is as good as a lost one.

mod kept;
mod page_deltas;
mod read;
mod write;

pub use page_deltas::PageDeltas;
pub use read::{Decoder, Origin};
pub use write::Writer;

use crate::{
    base::error::DecodeError,
    types::{configstring::ConfigstringRefusal, gamestate::Gamestate, snapshot::Snapshot},
};
use smallvec::SmallVec;
use std::sync::Arc;

/// A message of the server, taken apart.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerMessage {
    /// Its number, which is also the number of the snapshot in it.
    pub sequence: i32,
    /// The last reliable command of the client that the server has executed.
    pub rel_ack: i32,
    /// In the order of the message; commands known before are left out.
    pub ops: Ops,
    /// Its snapshot was told against one of a demo that could not be read: what has not changed since may be wrong.
    pub is_approximate: bool,
}

/// A message of the server that stays with the [`Decoder`].
// One pointer: a result with more in it would go through memory.
#[derive(Clone, Copy, Debug)]
pub struct MessageInPlace<'d> {
    decoder: &'d Decoder,
}

impl<'d> MessageInPlace<'d> {
    /// See [`ServerMessage::sequence`].
    pub fn sequence(self) -> i32 {
        self.decoder.received().sequence
    }

    /// See [`ServerMessage::rel_ack`].
    pub fn rel_ack(self) -> i32 {
        self.decoder.received().rel_ack
    }

    /// The world at one time.
    pub fn snapshot(self) -> Option<&'d Snapshot> {
        let received = self.decoder.received();
        received.place_of_snapshot?;
        self.decoder.snapshot(received.sequence)
    }

    /// All but the snapshot, in the order of the message, divided where it stands; commands known before are left out.
    pub fn ops(self) -> (&'d [ServerOp], &'d [ServerOp]) {
        let received = self.decoder.received();
        let place = received.place_of_snapshot.unwrap_or(0);
        received.ops.split_at(place)
    }

    /// See [`ServerMessage::is_approximate`].
    pub fn is_approximate(self) -> bool {
        self.decoder.received().is_approximate
    }
}

/// Nearly all messages hold one operation, a snapshot, and need no memory for a list.
pub type Ops = SmallVec<[ServerOp; 1]>;

/// One operation of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum ServerOp {
    /// A reliable command, not known before.
    Command(Command),
    /// A level begins.
    Gamestate(Arc<Gamestate>),
    /// The world at one time.
    Snapshot(Arc<Snapshot>),
    /// A snapshot told against one that is not here; the next must come in full.
    SnapshotWithoutBase {
        /// Number of the message that brought the missing one.
        base_num: i32,
    },
    /// A piece of a file.
    Download(Download),
}

/// A reliable command as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Counts up over the connection.
    pub number: i32,
    /// What it says, words not yet split.
    pub text: String,
}

/// A piece of a file, or why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Download {
    /// A piece.
    Block {
        /// Counts up from 0.
        number: i32,
        /// The size of the whole file comes with block 0.
        size: Option<i32>,
        /// Empty at the end of the file.
        data: Vec<u8>,
    },
    /// There will be none.
    Refused {
        /// For the player.
        reason: String,
    },
}

/// Why a message was dropped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// It is damaged, or not what servers send.
    #[error(transparent)]
    Message(DecodeError),
    /// The server will send it again; if it is still wrong then, it will stay so.
    #[error("gamestate: {0}")]
    Gamestate(DecodeError),
    /// No message of this server can be trusted to fit.
    #[error("gamestate: {0}")]
    GamestateTooLarge(ConfigstringRefusal),
    /// What was there to be read told that the download cannot go on.
    #[error("download: {0}")]
    Download(DecodeError),
}

impl From<DecodeError> for MessageError {
    fn from(error: DecodeError) -> Self {
        Self::Message(error)
    }
}

/// First bytes of operations.
mod op {
    pub(super) const NOP: u8 = 1;
    pub(super) const GAMESTATE: u8 = 2;
    pub(super) const CONFIGSTRING: u8 = 3;
    pub(super) const BASELINE: u8 = 4;
    pub(super) const COMMAND: u8 = 5;
    pub(super) const DOWNLOAD: u8 = 6;
    pub(super) const SNAPSHOT: u8 = 7;
    pub(super) const EOF: u8 = 8;
    pub(super) const VOIP_SPEEX: u8 = 9;
    pub(super) const VOIP_OPUS: u8 = 10;
}

/// Longest text of a configstring.
const MAX_BIG_STRING: usize = 8191;
/// The entity number that ends a list of entities.
const END_OF_ENTITIES: u16 = 1023;
