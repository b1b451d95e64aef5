//! Reads messages from the server.

use super::{
    Command, Download, END_OF_ENTITIES, MAX_BIG_STRING, MessageError, ServerMessage, ServerOp, op,
};
use crate::{
    base::{bits::BitReader, error::DecodeError, time::ServerTime},
    net::{
        delta::{self, ENTITYNUM_BITS, Presence},
        netchan::MAX_MSGLEN,
        protocol::WireForm,
        reliable::MAX_COMMAND_CHARS,
    },
    types::{
        configstring::ConfigstringRefusal,
        entitystate::EntityState,
        gamestate::Gamestate,
        limits::{MAX_CLIENTS, MAX_MAP_AREA_BYTES},
        snapshot::Snapshot,
    },
};
use std::sync::Arc;

/// Where messages come from, and with it what they may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    Connection(WireForm),
    /// Acknowledgements in it mean nothing, commands may be missing, and voice is possible.
    Demo,
}

/// Reads the messages of one connection or demo, and remembers what later ones refer to.
#[derive(Clone, Debug)]
pub struct Decoder {
    origin: Origin,
    gamestate: Arc<Gamestate>,
    /// By message number modulo [`PACKET_BACKUP`].
    snapshots: Snapshots,
    newest_command: i32,
    expected_block: i32,
    /// The snapshot that is being read; between messages only its memory matters.
    draft: Box<Snapshot>,
}

/// How many snapshots are kept as bases.
const PACKET_BACKUP: usize = 32;

impl Decoder {
    pub fn new(origin: Origin) -> Self {
        Self {
            origin,
            gamestate: Arc::default(),
            snapshots: Default::default(),
            newest_command: 0,
            expected_block: 0,
            draft: Box::default(),
        }
    }

    /// The gamestate of the level; empty before the first.
    pub fn gamestate(&self) -> &Arc<Gamestate> {
        &self.gamestate
    }

    /// The snapshot that message brought, if it is still a possible base.
    pub fn snapshot(&self, message_num: i32) -> Option<&Arc<Snapshot>> {
        find(&self.snapshots, message_num)
    }

    /// Number of the newest command received.
    pub fn newest_command(&self) -> i32 {
        self.newest_command
    }

    /// Sets the block of the running download that is wanted next; 0 at its start.
    pub fn expect_block(&mut self, number: i32) {
        self.expected_block = number;
    }

    /// Reads one message. `newest_own_command` is the number of the client's newest reliable command.
    ///
    /// # Errors
    /// A message with an error in it changes nothing.
    pub fn read(
        &mut self,
        sequence: i32,
        bytes: &[u8],
        newest_own_command: i32,
    ) -> Result<ServerMessage, MessageError> {
        let mut reader = BitReader::new("server message", bytes);
        if bytes.len() > MAX_MSGLEN {
            return Err(reader.error("it is longer than messages can be").into());
        }
        let rel_ack = reader.i32()?;
        if self.origin != Origin::Demo && rel_ack > newest_own_command {
            let problem = "it acknowledges a command that was never sent";
            return Err(reader.error(problem).into());
        }
        let mut message = Draft {
            sequence,
            newest_command: self.newest_command,
            gamestate: None,
            ops: Vec::with_capacity(2),
            snapshot_at: None,
        };
        while self.read_op(&mut reader, &mut message)? {}
        Ok(self.take_over(rel_ack, message))
    }

    /// Reads one operation; false at the end.
    fn read_op(
        &mut self,
        reader: &mut BitReader<'_>,
        message: &mut Draft,
    ) -> Result<bool, MessageError> {
        match reader.u8()? {
            op::EOF => return Ok(false),
            op::NOP => {}
            op::COMMAND => self.read_command(reader, message)?,
            op::SNAPSHOT => self.read_snapshot(reader, message)?,
            op::GAMESTATE => {
                let gamestate = Arc::new(read_gamestate(reader)?);
                message.newest_command = gamestate.server_command_num;
                message.gamestate = Some(gamestate.clone());
                message.ops.push(ServerOp::Gamestate(gamestate));
            }
            op::DOWNLOAD => {
                let download = read_download(reader, self.expected_block)?;
                message.ops.push(ServerOp::Download(download));
            }
            op::VOIP_SPEEX | op::VOIP_OPUS
                if self.origin != Origin::Connection(WireForm::Legacy) =>
            {
                skip_voice(reader)?;
            }
            unknown => {
                let problem = format!("operation {unknown} does not exist here");
                return Err(reader.error(problem).into());
            }
        }
        Ok(true)
    }

    fn read_command(
        &self,
        reader: &mut BitReader<'_>,
        message: &mut Draft,
    ) -> Result<(), DecodeError> {
        let number = reader.i32()?;
        let text = reader.string(MAX_COMMAND_CHARS)?;
        if number <= message.newest_command {
            return Ok(());
        }
        let is_next = number == message.newest_command.wrapping_add(1);
        if !is_next && self.origin != Origin::Demo {
            return Err(reader.error(format!("commands before number {number} are missing")));
        }
        message.newest_command = number;
        message
            .ops
            .push(ServerOp::Command(Command { number, text }));
        Ok(())
    }

    fn read_snapshot(
        &mut self,
        reader: &mut BitReader<'_>,
        message: &mut Draft,
    ) -> Result<(), DecodeError> {
        if message.snapshot_at.is_some() {
            return Err(reader.error("a second snapshot"));
        }
        let snapshot = &mut *self.draft;
        snapshot.message_num = message.sequence;
        snapshot.server_command_num = message.newest_command;
        snapshot.server_time = ServerTime(reader.take_bits(32) as i32);
        let distance = reader.take_bits(8) as i32;
        let base_num = message.sequence.wrapping_sub(distance);
        snapshot.delta_num = (distance != 0 && base_num > 0).then_some(base_num);
        let gamestate = message.gamestate.as_ref().unwrap_or(&self.gamestate);
        // A new gamestate makes all older snapshots useless as bases.
        let base = snapshot
            .delta_num
            .filter(|_| message.gamestate.is_none())
            .and_then(|number| find(&self.snapshots, number));
        read_snapshot_body(reader, snapshot, base.map(Arc::as_ref), gamestate)?;
        match snapshot.delta_num {
            Some(base_num) if base.is_none() => {
                message.ops.push(ServerOp::SnapshotWithoutBase { base_num });
            }
            _ => message.snapshot_at = Some(message.ops.len()),
        }
        Ok(())
    }

    /// Makes what a message says the base of the next ones.
    fn take_over(&mut self, rel_ack: i32, mut message: Draft) -> ServerMessage {
        self.newest_command = message.newest_command;
        if let Some(gamestate) = message.gamestate {
            self.gamestate = gamestate;
            self.snapshots = Default::default();
        }
        if let Some(place) = message.snapshot_at {
            let snapshot = self.store_draft();
            message.ops.insert(place, ServerOp::Snapshot(snapshot));
        }
        ServerMessage {
            sequence: message.sequence,
            rel_ack,
            ops: message.ops,
        }
    }

    /// Moves the draft among the snapshots; the one it replaces gives its memory, if nobody holds it.
    fn store_draft(&mut self) -> Arc<Snapshot> {
        let slot = &mut self.snapshots[slot(self.draft.message_num)];
        let mut shared = slot.take().unwrap_or_default();
        match Arc::get_mut(&mut shared) {
            Some(unused) => std::mem::swap(unused, &mut *self.draft),
            None => shared = Arc::new(std::mem::take(&mut *self.draft)),
        }
        *slot = Some(shared.clone());
        shared
    }
}

/// A message while it is read.
struct Draft {
    sequence: i32,
    newest_command: i32,
    gamestate: Option<Arc<Gamestate>>,
    ops: Vec<ServerOp>,
    /// The place of the snapshot among the operations.
    snapshot_at: Option<usize>,
}

type Snapshots = [Option<Arc<Snapshot>>; PACKET_BACKUP];

fn find(snapshots: &Snapshots, message_num: i32) -> Option<&Arc<Snapshot>> {
    snapshots[slot(message_num)]
        .as_ref()
        .filter(|snapshot| snapshot.message_num == message_num)
}

fn slot(message_num: i32) -> usize {
    message_num.rem_euclid(PACKET_BACKUP as i32) as usize
}

fn read_snapshot_body(
    reader: &mut BitReader<'_>,
    snapshot: &mut Snapshot,
    base: Option<&Snapshot>,
    gamestate: &Gamestate,
) -> Result<(), DecodeError> {
    snapshot.flags = reader.u8()?;
    snapshot.area_len = reader.u8()?;
    let area_len = usize::from(snapshot.area_len);
    if area_len > MAX_MAP_AREA_BYTES {
        let problem = format!("an areamask of {area_len} bytes; {MAX_MAP_AREA_BYTES} are possible");
        return Err(reader.error(problem));
    }
    snapshot.area_mask = Default::default();
    for byte in &mut snapshot.area_mask[..area_len] {
        *byte = reader.take_bits(8) as u8;
    }
    match base {
        Some(base) => snapshot.player.clone_from(&base.player),
        None => snapshot.player = Default::default(),
    }
    delta::read_player(reader, &mut snapshot.player)?;
    let old = base.map_or(&[][..], |base| &base.entities);
    read_entities(reader, &mut snapshot.entities, old, gamestate)
}

/// Merges the entities of the base with the differences told; both ascend by number.
fn read_entities(
    reader: &mut BitReader<'_>,
    new: &mut Vec<EntityState>,
    old: &[EntityState],
    gamestate: &Gamestate,
) -> Result<(), DecodeError> {
    new.clear();
    let mut old = old;
    let mut next_possible = 0;
    loop {
        let number = reader.take_bits(ENTITYNUM_BITS) as u16;
        if number == END_OF_ENTITIES {
            break;
        }
        if number < next_possible {
            return Err(reader.error("the entities do not ascend"));
        }
        next_possible = number + 1;
        let unchanged = old.iter().take_while(|old| old.number < number).count();
        let is_known = old.get(unchanged).is_some_and(|old| old.number == number);
        let (copied, rest) = old.split_at(unchanged + usize::from(is_known));
        new.extend_from_slice(copied);
        old = rest;
        if !is_known {
            new.push(gamestate.baseline(number));
        }
        let Some(entity) = new.last_mut() else {
            break;
        };
        if delta::read_entity(reader, entity)? == Presence::Removed {
            new.pop();
        }
    }
    new.extend_from_slice(old);
    reader.check()
}

fn read_gamestate(reader: &mut BitReader<'_>) -> Result<Gamestate, MessageError> {
    let mut gamestate = Gamestate {
        server_command_num: reader.i32().map_err(MessageError::Gamestate)?,
        ..Gamestate::default()
    };
    while read_gamestate_item(reader, &mut gamestate)? {}
    read_gamestate_end(reader, &mut gamestate).map_err(MessageError::Gamestate)?;
    Ok(gamestate)
}

/// Reads a configstring or a baseline; false at the end of the list.
fn read_gamestate_item(
    reader: &mut BitReader<'_>,
    gamestate: &mut Gamestate,
) -> Result<bool, MessageError> {
    let bad = MessageError::Gamestate;
    match reader.u8().map_err(bad)? {
        op::EOF => return Ok(false),
        op::CONFIGSTRING => {
            let index = reader.u16().map_err(bad)?;
            let text = reader.string(MAX_BIG_STRING).map_err(bad)?;
            let stored = gamestate.configstrings.set(usize::from(index), &text);
            stored.map_err(|refusal| match refusal {
                ConfigstringRefusal::Index(_) => bad(reader.error(refusal.to_string())),
                ConfigstringRefusal::TooLong(_) => MessageError::GamestateTooLarge(refusal),
            })?;
        }
        op::BASELINE => {
            let baseline = read_baseline(reader).map_err(bad)?;
            let baselines = &mut gamestate.baselines;
            match baselines.binary_search_by_key(&baseline.number, |state| state.number) {
                Ok(place) => baselines[place] = baseline,
                Err(place) => baselines.insert(place, baseline),
            }
        }
        unknown => {
            let problem = format!("operation {unknown} does not exist in a gamestate");
            return Err(bad(reader.error(problem)));
        }
    }
    Ok(true)
}

fn read_baseline(reader: &mut BitReader<'_>) -> Result<EntityState, DecodeError> {
    let zero = EntityState {
        number: reader.bits(ENTITYNUM_BITS)? as u16,
        ..EntityState::default()
    };
    let mut baseline = zero;
    match delta::read_entity(reader, &mut baseline)? {
        Presence::Present => Ok(baseline),
        Presence::Removed => Ok(zero),
    }
}

fn read_gamestate_end(
    reader: &mut BitReader<'_>,
    gamestate: &mut Gamestate,
) -> Result<(), DecodeError> {
    gamestate.client_num = reader.i32()?;
    if !(0..MAX_CLIENTS as i32).contains(&gamestate.client_num) {
        let problem = format!("player {} does not exist", gamestate.client_num);
        return Err(reader.error(problem));
    }
    gamestate.checksum_feed = reader.i32()?;
    Ok(())
}

fn read_download(
    reader: &mut BitReader<'_>,
    expected_block: i32,
) -> Result<Download, MessageError> {
    // Only the low 16 bits are sent: it is the number nearest to the expected one.
    let low = reader.u16()?;
    let number =
        expected_block.wrapping_add(i32::from(low.wrapping_sub(expected_block as u16) as i16));
    let size = if number == 0 {
        Some(reader.i32()?)
    } else {
        None
    };
    if size.is_some_and(|size| size < 0) {
        let reason = reader.string(MAX_COMMAND_CHARS)?;
        return Ok(Download::Refused { reason });
    }
    let length = reader.i16()?;
    let length = usize::try_from(length)
        .ok()
        .filter(|&length| length <= MAX_MSGLEN)
        .ok_or_else(|| {
            MessageError::Download(reader.error(format!("a block of {length} bytes")))
        })?;
    let data = reader.data(length)?;
    Ok(Download::Block { number, size, data })
}

/// Steps over voice, which this client does not have.
fn skip_voice(reader: &mut BitReader<'_>) -> Result<(), DecodeError> {
    let _sender = reader.i16()?;
    let _generation = reader.u8()?;
    let _sequence = reader.i32()?;
    let _frames = reader.u8()?;
    let length = reader.i16()?;
    let _flags = reader.bits(2)?;
    let length =
        usize::try_from(length).map_err(|_| reader.error(format!("voice of {length} bytes")))?;
    reader.data(length).map(drop)
}
