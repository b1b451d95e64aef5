//! Sequence numbers, fragments, qport and checksum: from datagram to message and back.
//!
//! A message is numbered, cut into fragments if it is long, and sent once. What is lost stays lost:
//! the channel only drops what comes late or twice. On the modern wire each datagram carries a
//! checksum over challenge and sequence against blind forgery; on the legacy wire messages are
//! scrambled instead, which forgers can guess more easily, so there a sudden jump of the sequence
//! must persist before it is believed.
//!
//! ```
//! use shared::{
//!     base::time::{ClientTime, ServerTime},
//!     net::{
//!         clc::{self, ClientMessage, MoveKey, Movement},
//!         netchan::{Netchan, Side},
//!         protocol::WireForm,
//!         reliable::CommandTexts,
//!     },
//!     types::usercmd::{Usercmd, buttons},
//! };
//!
//! // Both ends know the challenge and the client's qport from the handshake.
//! let (challenge, qport) = (1234, 5678);
//! let mut client = Netchan::new(Side::Client { qport }, WireForm::Legacy, challenge);
//! let mut server = Netchan::new(Side::Server { qport }, WireForm::Legacy, challenge);
//! // The reliable commands of the server; none has been sent yet.
//! let server_commands = CommandTexts::new();
//!
//! let usercmd = Usercmd {
//!     server_time: ServerTime(1000),
//!     forward_move: 127,
//!     buttons: buttons::ATTACK,
//!     ..Usercmd::default()
//! };
//! let message = ClientMessage {
//!     movement: Movement { allows_delta: false, usercmds: vec![usercmd] },
//!     ..ClientMessage::default()
//! };
//! let key = MoveKey { checksum_feed: 0, server_command: "" };
//! for datagram in client.send(clc::write(&message, key)?, &server_commands)? {
//!     // … over a UDP socket …
//!     let Some(received) = server.receive(ClientTime(0), &datagram, &server_commands)? else {
//!         continue;
//!     };
//!     assert_eq!(received.sequence, 1);
//!     let read = clc::read(&received.bytes, 0, |number| server_commands.get(number))?;
//!     assert_eq!(read, message);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::{
    protocol::WireForm,
    reliable::CommandTexts,
    scramble::{self, Sender},
};
use crate::base::time::ClientTime;

/// Longest message in bytes.
pub const MAX_MSGLEN: usize = 16_384;
/// A datagram as long as this or longer is never valid.
pub const MAX_DATAGRAM: usize = MAX_MSGLEN + 1;
/// Bytes of a message in each full fragment.
pub const FRAGMENT_SIZE: usize = 1300;

/// Which end of the channel this is. Datagrams of the client carry its qport.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Its datagrams carry the qport.
    Client {
        /// A number that tells clients behind one address apart.
        qport: u16,
    },
    /// Expects the client's qport.
    Server {
        /// From the client's `connect`.
        qport: u16,
    },
}

/// One end of a sequenced channel.
#[derive(Clone, Debug)]
pub struct Netchan {
    side: Side,
    wire: WireForm,
    challenge: i32,
    /// Sequence of the next message to send.
    outgoing: i32,
    /// Sequence of the newest message received.
    incoming: i32,
    partial: Partial,
    jump: Option<Jump>,
}

/// The message whose fragments are arriving.
#[derive(Clone, Debug, Default)]
struct Partial {
    sequence: i32,
    bytes: Vec<u8>,
}

/// Datagrams far ahead of the newest message, not believed yet.
#[derive(Clone, Copy, Debug)]
struct Jump {
    since: ClientTime,
    sequence: i32,
}

/// A message as its sender wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    /// The message's number.
    pub sequence: i32,
    /// Messages that were lost (or are late) between the one before and this.
    pub lost: i32,
    /// The message, for [`super::svc`] or [`super::clc`].
    pub bytes: Vec<u8>,
}

/// Why a datagram was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DropReason {
    /// It ends within its head.
    #[error("the datagram is shorter than its header")]
    Short,
    /// It is as long as [`MAX_DATAGRAM`] or longer.
    #[error("the datagram is longer than any message")]
    Long,
    /// It belongs to no channel; [`super::oob`] reads it.
    #[error("the datagram has no sequence number")]
    OutOfBand,
    /// It is another client's.
    #[error("the datagram has another qport")]
    Qport,
    /// Its sender does not know the challenge.
    #[error("the checksum of the datagram is wrong")]
    Checksum,
    /// Its sequence is not above the newest.
    #[error("the message was received before, or comes too late")]
    Old,
    /// Its sequence is far above the newest.
    #[error("the sequence jumps, as a forged one would")]
    Jump,
    /// It goes on with a message whose beginning was lost.
    #[error("a fragment before this one is missing")]
    FragmentStart,
    /// It is empty, too long, or makes the message too long.
    #[error("the length of the fragment is impossible")]
    FragmentLength,
}

/// A message that the protocol cannot carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a message of {length} bytes is longer than {MAX_MSGLEN}")]
pub struct TooLong {
    /// The message's length in bytes.
    pub length: usize,
}

/// Larger jumps of the sequence must persist on the legacy wire.
const MAX_JUMP: i32 = 10_000;
const JUMP_PERSISTS_MSEC: i32 = 1000;

const FRAGMENT_BIT: u32 = 1 << 31;
const OUT_OF_BAND: [u8; 4] = [0xFF; 4];

/// Whether a datagram belongs to no channel.
pub fn is_out_of_band(datagram: &[u8]) -> bool {
    datagram.starts_with(&OUT_OF_BAND)
}

impl Netchan {
    /// A fresh channel, as after connectResponse.
    pub fn new(side: Side, wire: WireForm, challenge: i32) -> Self {
        Self {
            side,
            wire,
            challenge,
            outgoing: 1,
            incoming: 0,
            partial: Partial::default(),
            jump: None,
        }
    }

    /// The wire form it uses.
    pub fn wire(&self) -> WireForm {
        self.wire
    }

    /// Goes on in another wire form: the first datagrams are sent before the form is known.
    pub fn set_wire(&mut self, wire: WireForm) {
        self.wire = wire;
    }

    /// The number that both ends know, from the handshake.
    pub fn challenge(&self) -> i32 {
        self.challenge
    }

    /// Sequence that the next message sent will have.
    pub fn outgoing(&self) -> i32 {
        self.outgoing
    }

    /// Sequence of the newest message received; 0 before the first.
    pub fn incoming(&self) -> i32 {
        self.incoming
    }

    /// Whether fragments of a message have arrived but not yet all.
    pub fn is_receiving_fragments(&self) -> bool {
        // Once a later message is complete, the rest of this one can no longer come.
        !self.partial.bytes.is_empty() && ahead(self.partial.sequence, self.incoming) > 0
    }

    /// Takes a datagram; gives a message when it is complete. `own_commands` are the reliable
    /// commands of this end, one of which keys the scrambling.
    ///
    /// # Errors
    /// A datagram that is dropped changes nothing but what it says about fragments.
    pub fn receive(
        &mut self,
        now: ClientTime,
        datagram: &[u8],
        own_commands: &CommandTexts,
    ) -> Result<Option<Received>, DropReason> {
        let header = self.read_header(datagram)?;
        self.guard_jump(now, header.sequence)?;
        let mut bytes = match header.fragment {
            None => header.payload.to_vec(),
            Some(fragment) => match self.join(header.sequence, fragment, header.payload)? {
                Some(message) => message,
                None => return Ok(None),
            },
        };
        let lost = ahead(header.sequence, self.incoming) - 1;
        self.incoming = header.sequence;
        self.partial.bytes.clear();
        if self.wire == WireForm::Legacy {
            let sender = match self.side {
                Side::Client { .. } => Sender::Server,
                Side::Server { .. } => Sender::Client,
            };
            scramble::apply(
                &mut bytes,
                sender,
                self.challenge,
                header.sequence,
                own_commands,
            );
        }
        Ok(Some(Received {
            sequence: header.sequence,
            lost,
            bytes,
        }))
    }

    fn read_header<'a>(&self, datagram: &'a [u8]) -> Result<Header<'a>, DropReason> {
        if datagram.len() >= MAX_DATAGRAM {
            return Err(DropReason::Long);
        }
        if is_out_of_band(datagram) {
            return Err(DropReason::OutOfBand);
        }
        let mut rest = datagram;
        let first = u32::from_le_bytes(take(&mut rest)?);
        let sequence = (first & !FRAGMENT_BIT) as i32;
        if let Side::Server { qport } = self.side
            && u16::from_le_bytes(take(&mut rest)?) != qport
        {
            return Err(DropReason::Qport);
        }
        if self.wire == WireForm::Modern
            && u32::from_le_bytes(take(&mut rest)?) != checksum(self.challenge, sequence)
        {
            return Err(DropReason::Checksum);
        }
        let fragment = if first & FRAGMENT_BIT != 0 {
            Some(Fragment {
                start: i16::from_le_bytes(take(&mut rest)?),
                length: i16::from_le_bytes(take(&mut rest)?),
            })
        } else {
            None
        };
        if ahead(sequence, self.incoming) <= 0 {
            return Err(DropReason::Old);
        }
        Ok(Header {
            sequence,
            fragment,
            payload: rest,
        })
    }

    fn guard_jump(&mut self, now: ClientTime, sequence: i32) -> Result<(), DropReason> {
        let is_jump = |from| ahead(sequence, from) > MAX_JUMP || ahead(sequence, from) < -MAX_JUMP;
        if self.wire == WireForm::Modern || !is_jump(self.incoming) {
            self.jump = None;
            return Ok(());
        }
        let jump = self.jump.filter(|jump| !is_jump(jump.sequence));
        let since = jump.map_or(now, |jump| jump.since);
        self.jump = Some(Jump { since, sequence });
        if now - since < JUMP_PERSISTS_MSEC {
            return Err(DropReason::Jump);
        }
        self.jump = None;
        Ok(())
    }

    fn join(
        &mut self,
        sequence: i32,
        fragment: Fragment,
        payload: &[u8],
    ) -> Result<Option<Vec<u8>>, DropReason> {
        if self.partial.sequence != sequence {
            self.partial.sequence = sequence;
            self.partial.bytes.clear();
        }
        let bytes = &mut self.partial.bytes;
        if usize::try_from(fragment.start) != Ok(bytes.len()) {
            return Err(DropReason::FragmentStart);
        }
        let piece = usize::try_from(fragment.length)
            .ok()
            .and_then(|length| payload.get(..length))
            .filter(|piece| {
                piece.len() <= FRAGMENT_SIZE && bytes.len() + piece.len() <= MAX_MSGLEN
            });
        let Some(piece) = piece else {
            bytes.clear();
            return Err(DropReason::FragmentLength);
        };
        bytes.extend_from_slice(piece);
        if piece.len() == FRAGMENT_SIZE {
            return Ok(None);
        }
        Ok(Some(std::mem::take(bytes)))
    }

    /// Goes on with the sequence numbers of an earlier run: the next to send, the newest received.
    pub fn go_on(&mut self, outgoing: i32, incoming: i32) {
        self.outgoing = outgoing & i32::MAX;
        self.incoming = incoming & i32::MAX;
    }

    /// Leaves sequence numbers out, as if so many messages had been lost on the way.
    pub fn skip(&mut self, messages: i32) {
        self.outgoing = self.outgoing.wrapping_add(messages) & i32::MAX;
    }

    /// Makes the datagrams of a message, to be sent in this order. `peer_commands` are the reliable
    /// commands received from the other end, one of which keys the scrambling.
    ///
    /// # Errors
    /// A message longer than the protocol allows is not sent, and takes no number.
    pub fn send(
        &mut self,
        mut message: Vec<u8>,
        peer_commands: &CommandTexts,
    ) -> Result<Vec<Vec<u8>>, TooLong> {
        let length = message.len();
        if length > MAX_MSGLEN {
            return Err(TooLong { length });
        }
        let sequence = self.outgoing;
        self.outgoing = sequence.wrapping_add(1) & i32::MAX;
        if self.wire == WireForm::Legacy {
            let sender = match self.side {
                Side::Client { .. } => Sender::Client,
                Side::Server { .. } => Sender::Server,
            };
            scramble::apply(
                &mut message,
                sender,
                self.challenge,
                sequence,
                peer_commands,
            );
        }
        if length < FRAGMENT_SIZE {
            let mut datagram = self.header(sequence as u32);
            datagram.extend_from_slice(&message);
            return Ok(vec![datagram]);
        }
        // A message that fills its last fragment ends with an empty one.
        let fragment = |start: usize| {
            let piece = &message[start..length.min(start + FRAGMENT_SIZE)];
            let mut datagram = self.header(sequence as u32 | FRAGMENT_BIT);
            datagram.extend_from_slice(&(start as u16).to_le_bytes());
            datagram.extend_from_slice(&(piece.len() as u16).to_le_bytes());
            datagram.extend_from_slice(piece);
            datagram
        };
        Ok((0..=length).step_by(FRAGMENT_SIZE).map(fragment).collect())
    }

    fn header(&self, first: u32) -> Vec<u8> {
        let mut header = first.to_le_bytes().to_vec();
        if let Side::Client { qport } = self.side {
            header.extend_from_slice(&qport.to_le_bytes());
        }
        if self.wire == WireForm::Modern {
            let sequence = (first & !FRAGMENT_BIT) as i32;
            header.extend_from_slice(&checksum(self.challenge, sequence).to_le_bytes());
        }
        header
    }
}

struct Header<'a> {
    sequence: i32,
    fragment: Option<Fragment>,
    payload: &'a [u8],
}

#[derive(Clone, Copy)]
struct Fragment {
    start: i16,
    length: i16,
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], DropReason> {
    let (&taken, after) = rest.split_first_chunk().ok_or(DropReason::Short)?;
    *rest = after;
    Ok(taken)
}

/// How far a sequence is ahead of another one; both count in 31 bits and wrap.
fn ahead(sequence: i32, of: i32) -> i32 {
    sequence.wrapping_sub(of) << 1 >> 1
}

/// The checksum of a datagram on the modern wire.
pub fn checksum(challenge: i32, sequence: i32) -> u32 {
    (challenge ^ sequence.wrapping_mul(challenge)) as u32
}

/// Finds out the wire form of a server that accepted a connection under number 71 without saying
/// which form it means.
///
/// Some servers speak first; others wait for a valid message. So the first message goes out in both
/// forms by turns until anything arrives. Each attempt takes a new sequence number; an attempt in the
/// wrong form does no harm.
#[derive(Clone, Debug)]
pub struct WireProbe {
    next_form: WireForm,
    next_at: ClientTime,
}

const PROBE_MSEC: i32 = 300;

impl WireProbe {
    /// Its first turn is due at once.
    pub fn new(now: ClientTime) -> Self {
        Self {
            next_form: WireForm::Legacy,
            next_at: now,
        }
    }

    /// The form in which the first message is to be sent now, if it is time.
    pub fn poll(&mut self, now: ClientTime) -> Option<WireForm> {
        if now - self.next_at < 0 {
            return None;
        }
        let form = self.next_form;
        self.next_form = match form {
            WireForm::Legacy => WireForm::Modern,
            WireForm::Modern => WireForm::Legacy,
        };
        self.next_at = now + PROBE_MSEC;
        Some(form)
    }

    /// The form of a client's sequenced datagram, which tells that of a connection under number 71.
    pub fn detect_client(challenge: i32, datagram: &[u8]) -> Option<WireForm> {
        /// Clients name their port between sequence and checksum.
        const QPORT_BYTES: usize = 2;
        Self::detect_by(challenge, datagram, QPORT_BYTES)
    }

    /// The form of a sequenced datagram of the server; `None` if it is too short to tell.
    pub fn detect(challenge: i32, datagram: &[u8]) -> Option<WireForm> {
        Self::detect_by(challenge, datagram, 0)
    }

    /// Looks for a checksum so many bytes behind the sequence.
    fn detect_by(challenge: i32, datagram: &[u8], between: usize) -> Option<WireForm> {
        if is_out_of_band(datagram) || datagram.len() >= MAX_DATAGRAM {
            return None;
        }
        let (&first, rest) = datagram.split_first_chunk()?;
        let (&second, _) = rest.get(between..)?.split_first_chunk()?;
        let sequence = (u32::from_le_bytes(first) & !FRAGMENT_BIT) as i32;
        match u32::from_le_bytes(second) == checksum(challenge, sequence) {
            true => Some(WireForm::Modern),
            false => Some(WireForm::Legacy),
        }
    }
}
