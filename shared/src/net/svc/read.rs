//! Reads messages from the server.

use super::{
    Command, Download, END_OF_ENTITIES, MAX_BIG_STRING, MessageError, MessageInPlace,
    ServerMessage, ServerOp, op,
};
use crate::{
    base::{
        bits::{BitReader, Repeated, SYMBOLS_HELD},
        error::DecodeError,
        time::ServerTime,
    },
    net::{
        delta::{self, ENTITYNUM_BITS, EntityChange, Presence},
        netchan::MAX_MSGLEN,
        protocol::WireForm,
        reliable::MAX_COMMAND_CHARS,
    },
    types::{
        configstring::ConfigstringRefusal,
        entitystate::EntityState,
        gamestate::Gamestate,
        limits::{MAX_CLIENTS, MAX_MAP_AREA_BYTES},
        packet_entities::Edit,
        snapshot::Snapshot,
    },
};
use std::sync::Arc;

/// Where messages come from, and with it what they may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Messages of a server, as [`super::super::netchan`] receives them.
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
    /// A command of a demo whose number is far from the newest.
    stray_command: Option<i32>,
    expected_block: i32,
    /// Which places of `snapshots` hold approximate ones, a bit each.
    approximate: u32,
    /// Snapshots of a demo's level before the first that could be read.
    without_base: usize,
    /// A snapshot that is no base any more: if nobody holds it, its memory is used for the next one.
    spare: Option<Arc<Snapshot>>,
    /// What the last message began with.
    last_rel_ack: Repeated<i32>,
    /// The last snapshot's time without its lowest byte.
    last_time: Repeated<i32>,
    last_head: Repeated<Head>,
}

/// What follows the time of a snapshot.
#[derive(Clone, Copy, Debug, Default)]
struct Head {
    /// How many messages ago the base came; 0 for none.
    distance: u8,
    flags: u8,
    area_len: u8,
    area_mask: [u8; MAX_MAP_AREA_BYTES],
}

/// A server gives up a client that has not confirmed half as many commands.
const MAX_COMMAND_LEAP: u32 = 128;

/// How many snapshots are kept as bases.
const PACKET_BACKUP: usize = 32;

impl Decoder {
    /// Knows nothing yet; the first message with something in it is a gamestate.
    pub fn new(origin: Origin) -> Self {
        Self {
            origin,
            gamestate: Arc::default(),
            snapshots: Default::default(),
            newest_command: 0,
            stray_command: None,
            expected_block: 0,
            approximate: 0,
            without_base: 0,
            spare: None,
            last_rel_ack: Repeated::default(),
            last_time: Repeated::default(),
            last_head: Repeated::default(),
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
        self.read_in_place(sequence, bytes, newest_own_command)
            .map(MessageInPlace::into_owned)
    }

    /// Reads one message and lends its snapshot: for those who look at each once, such as tools that go through demos.
    /// Sharing a snapshot takes as long as a tenth of its reading.
    ///
    /// # Errors
    /// A message with an error in it changes nothing.
    pub fn read_in_place(
        &mut self,
        sequence: i32,
        bytes: &[u8],
        newest_own_command: i32,
    ) -> Result<MessageInPlace<'_>, MessageError> {
        let mut reader = BitReader::new("server message", bytes);
        if bytes.len() > MAX_MSGLEN {
            return Err(reader.error("it is longer than messages can be").into());
        }
        let rel_ack = reader.repeated(&mut self.last_rel_ack, BitReader::i32)?;
        if self.origin != Origin::Demo && rel_ack > newest_own_command {
            let problem = "it acknowledges a command that was never sent";
            return Err(reader.error(problem).into());
        }
        let mut message = Draft {
            sequence,
            newest_command: self.newest_command,
            stray_command: None,
            gamestate: None,
            ops: Vec::new(),
            snapshot: None,
            ops_before_snapshot: 0,
            is_approximate: false,
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
        if self.origin == Origin::Demo && !self.is_in_step(number, message) {
            message.stray_command = Some(number);
            return Ok(());
        }
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

    /// Whether a command of a demo can be the next. A damaged number far off would make all later ones look old or
    /// lost, so such a number counts only once another one goes on with it.
    fn is_in_step(&self, number: i32, message: &mut Draft) -> bool {
        let distance = number.wrapping_sub(message.newest_command);
        if distance.unsigned_abs() <= MAX_COMMAND_LEAP {
            return true;
        }
        let stray = message.stray_command.or(self.stray_command);
        let goes_on = stray.is_some_and(|stray| (0..=1).contains(&number.wrapping_sub(stray)));
        if goes_on {
            message.newest_command = number.wrapping_sub(1);
        }
        goes_on
    }

    fn read_snapshot(
        &mut self,
        reader: &mut BitReader<'_>,
        message: &mut Draft,
    ) -> Result<(), DecodeError> {
        if message.snapshot.is_some() {
            return Err(reader.error("a second snapshot"));
        }
        let is_waiting = self.origin == Origin::Demo && self.without_base < PACKET_BACKUP;
        let mut draft = self.spare.take().unwrap_or_default();
        let snapshot = match Arc::get_mut(&mut draft) {
            Some(unused) => unused,
            None => {
                draft = Arc::default();
                Arc::get_mut(&mut draft).expect("nobody else knows a new one")
            }
        };
        snapshot.message_num = message.sequence;
        snapshot.server_command_num = message.newest_command;
        let low = i32::from(reader.u8()?);
        let high = reader.repeated(&mut self.last_time, |reader| {
            Ok((reader.take_bits(24) << 8) as i32)
        })?;
        snapshot.server_time = ServerTime(high | low);
        let head = reader.repeated(&mut self.last_head, read_head)?;
        snapshot.flags = head.flags;
        snapshot.area_len = head.area_len;
        snapshot.area_mask = head.area_mask;
        let distance = i32::from(head.distance);
        let base_num = message.sequence.wrapping_sub(distance);
        snapshot.delta_num = (distance != 0 && base_num > 0).then_some(base_num);
        let gamestate = message.gamestate.as_ref().unwrap_or(&self.gamestate);
        // A new gamestate makes all older snapshots useless as bases.
        let delta_num = snapshot.delta_num.filter(|_| message.gamestate.is_none());
        let exact = delta_num.and_then(|number| find(&self.snapshots, number));
        let base = match (delta_num, self.origin) {
            (Some(number), Origin::Demo) => stand_in(&self.snapshots, self.approximate, number),
            _ => exact,
        };
        let read = read_snapshot_body(reader, snapshot, base.map(Arc::as_ref), gamestate);
        match snapshot.delta_num {
            // In a demo that lost its only full snapshot, changes alone are better than nothing.
            Some(base_num) if base.is_none() && (is_waiting || self.origin != Origin::Demo) => {
                message.ops.push(ServerOp::SnapshotWithoutBase { base_num });
                self.spare = Some(draft);
            }
            told_against => {
                message.is_approximate = told_against.is_some_and(|number| {
                    let is_here = base.is_some_and(|base| base.message_num == number);
                    !is_here || self.approximate & 1 << slot(number) != 0
                });
                message.snapshot = Some(draft);
                message.ops_before_snapshot = message.ops.len();
            }
        }
        read
    }

    /// Makes what a message says the base of the next ones.
    fn take_over(&mut self, rel_ack: i32, message: Draft) -> MessageInPlace<'_> {
        self.newest_command = message.newest_command;
        self.stray_command = message.stray_command.or(self.stray_command);
        if let Some(gamestate) = message.gamestate {
            self.gamestate = gamestate;
            self.snapshots = Default::default();
            self.without_base = 0;
        }
        let is_without_base = |op: &ServerOp| matches!(op, ServerOp::SnapshotWithoutBase { .. });
        self.without_base += message.ops.iter().filter(|op| is_without_base(op)).count();
        let snapshot = message.snapshot.map(|snapshot| {
            let slot = slot(snapshot.message_num);
            let bit = 1 << slot;
            self.approximate &= !bit;
            self.approximate |= if message.is_approximate { bit } else { 0 };
            let place = &mut self.snapshots[slot];
            self.spare = place.take();
            &*place.insert(snapshot)
        });
        MessageInPlace {
            sequence: message.sequence,
            rel_ack,
            ops: message.ops,
            snapshot,
            ops_before_snapshot: message.ops_before_snapshot,
            is_approximate: message.is_approximate,
        }
    }
}

/// A message while it is read.
struct Draft {
    sequence: i32,
    newest_command: i32,
    stray_command: Option<i32>,
    gamestate: Option<Arc<Gamestate>>,
    is_approximate: bool,
    /// All but the snapshot.
    ops: Vec<ServerOp>,
    snapshot: Option<Arc<Snapshot>>,
    ops_before_snapshot: usize,
}

type Snapshots = [Option<Arc<Snapshot>>; PACKET_BACKUP];

fn find(snapshots: &Snapshots, message_num: i32) -> Option<&Arc<Snapshot>> {
    snapshots[slot(message_num)]
        .as_ref()
        .filter(|snapshot| snapshot.message_num == message_num)
}

/// The snapshot of a demo to read one against that was told against `base_num`.
///
/// The base itself, if it is sure. Else a later one that is: what has changed since the base and is not the same there is
/// told. Else the base as far as it is known, else the newest there is.
fn stand_in(snapshots: &Snapshots, approximate: u32, base_num: i32) -> Option<&Arc<Snapshot>> {
    let is_sure = |number: &i32| approximate & 1 << slot(*number) == 0;
    let known = |number: i32| find(snapshots, number);
    if let Some(base) = Some(base_num).filter(is_sure).and_then(known) {
        return Some(base);
    }
    let later = (1..PACKET_BACKUP as i32).map(|ahead| base_num.wrapping_add(ahead));
    later
        .filter(is_sure)
        .find_map(known)
        .or_else(|| known(base_num))
        .or_else(|| {
            let here = snapshots.iter().flatten();
            here.max_by_key(|snapshot| snapshot.message_num)
        })
}

fn slot(message_num: i32) -> usize {
    message_num.rem_euclid(PACKET_BACKUP as i32) as usize
}

fn read_head(reader: &mut BitReader<'_>) -> Result<Head, DecodeError> {
    reader.refill();
    let mut head = Head {
        distance: reader.held_bits(8) as u8,
        flags: reader.held_bits(8) as u8,
        area_len: reader.held_bits(8) as u8,
        area_mask: Default::default(),
    };
    reader.check()?;
    let area_len = usize::from(head.area_len);
    if area_len > MAX_MAP_AREA_BYTES {
        let problem = format!("an areamask of {area_len} bytes; {MAX_MAP_AREA_BYTES} are possible");
        return Err(reader.error(problem));
    }
    for bytes in head.area_mask[..area_len].chunks_mut(SYMBOLS_HELD) {
        reader.refill();
        for byte in bytes {
            *byte = reader.held_bits(8) as u8;
        }
    }
    Ok(head)
}

fn read_snapshot_body(
    reader: &mut BitReader<'_>,
    snapshot: &mut Snapshot,
    base: Option<&Snapshot>,
    gamestate: &Gamestate,
) -> Result<(), DecodeError> {
    snapshot.entities.restart(base.map(|base| &base.entities));
    match base {
        Some(base) => snapshot.player.clone_from(&base.player),
        None => snapshot.player = Default::default(),
    }
    delta::read_player(reader, &mut snapshot.player)?;
    read_entities(reader, snapshot.entities.edit(), gamestate)
}

/// Applies the differences told to the entities of the base; both ascend by number.
fn read_entities(
    reader: &mut BitReader<'_>,
    mut entities: Edit<'_>,
    gamestate: &Gamestate,
) -> Result<(), DecodeError> {
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
        let is_known = entities.seek(number);
        // The number left enough of what is held.
        match delta::held_entity_change(reader)? {
            EntityChange::Removed if is_known => entities.remove(),
            EntityChange::Removed => {}
            EntityChange::Same if is_known => {}
            EntityChange::Same => drop(entities.insert(gamestate.baseline(number))),
            EntityChange::Fields(count) => {
                let entity = if is_known {
                    entities.change()
                } else {
                    entities.insert(gamestate.baseline(number))
                };
                delta::read_entity_fields(reader, entity, count)?;
            }
        }
    }
    entities.finish();
    reader.check()
}

fn read_gamestate(reader: &mut BitReader<'_>) -> Result<Gamestate, MessageError> {
    let mut gamestate = Gamestate {
        server_command_num: reader.i32().map_err(MessageError::Gamestate)?,
        ..Gamestate::default()
    };
    // One buffer for all the texts.
    let mut text = String::new();
    while read_gamestate_item(reader, &mut gamestate, &mut text)? {}
    read_gamestate_end(reader, &mut gamestate).map_err(MessageError::Gamestate)?;
    Ok(gamestate)
}

/// Reads a configstring or a baseline; false at the end of the list.
fn read_gamestate_item(
    reader: &mut BitReader<'_>,
    gamestate: &mut Gamestate,
    text: &mut String,
) -> Result<bool, MessageError> {
    let bad = MessageError::Gamestate;
    match reader.u8().map_err(bad)? {
        op::EOF => return Ok(false),
        op::CONFIGSTRING => {
            let index = reader.u16().map_err(bad)?;
            text.clear();
            reader.append_string(text, MAX_BIG_STRING).map_err(bad)?;
            let stored = gamestate.configstrings.set(usize::from(index), text);
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
