//! Reads messages from the server.

use super::{
    Command, Download, END_OF_ENTITIES, MAX_BIG_STRING, MessageError, MessageInPlace, Ops,
    ServerMessage, ServerOp,
    kept::{BaseRule, PACKET_BACKUP, SnapshotRing},
    op,
};
use crate::{
    base::{
        bits::{BitReader, KnownBits, Repeated, SYMBOLS_HELD},
        error::DecodeError,
        time::ServerTime,
    },
    net::{
        delta::{self, ENTITYNUM_BITS, EntityChange, HighBytes, Presence},
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
use std::{mem, sync::Arc};

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
    snapshots: SnapshotRing,
    received: LastMessage,
    newest_command: i32,
    /// A command of a demo whose number is far from the newest.
    stray_command: Option<i32>,
    expected_block: i32,
    /// Snapshots of a demo's level before the first that could be read.
    without_base: usize,
    last_opening: Repeated<Opening>,
    /// The last snapshot's time without its lowest byte.
    last_time: HighBytes,
    last_head: Repeated<Head>,
}

/// The last message: its list of operations is used again for the next.
#[derive(Clone, Debug, Default)]
pub(super) struct LastMessage {
    pub(super) sequence: i32,
    pub(super) rel_ack: i32,
    /// All but the snapshot.
    pub(super) ops: Vec<ServerOp>,
    /// How many of `ops` come before the snapshot, if there is one.
    pub(super) place_of_snapshot: Option<usize>,
    pub(super) is_approximate: bool,
}

/// What a message begins with.
#[derive(Clone, Copy, Debug, Default)]
struct Opening {
    rel_ack: i32,
    op: u8,
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

impl Decoder {
    /// Knows nothing yet; the first message with something in it is a gamestate.
    pub fn new(origin: Origin) -> Self {
        Self {
            origin,
            gamestate: Arc::default(),
            snapshots: SnapshotRing::default(),
            newest_command: 0,
            stray_command: None,
            expected_block: 0,
            received: LastMessage::default(),
            without_base: 0,
            last_opening: Repeated::default(),
            last_time: Repeated::default(),
            last_head: Repeated::default(),
        }
    }

    /// The gamestate of the level; empty before the first.
    pub fn gamestate(&self) -> &Arc<Gamestate> {
        &self.gamestate
    }

    /// The snapshot that message brought, if it is still a possible base.
    pub fn snapshot(&self, message_num: i32) -> Option<&Snapshot> {
        self.snapshots.find(message_num)
    }

    pub(super) fn received(&self) -> &LastMessage {
        &self.received
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
        self.snapshots.share_draft();
        self.read_message(sequence, bytes, newest_own_command)?;
        let received = &mut self.received;
        let (place, ops) = (received.place_of_snapshot, mem::take(&mut received.ops));
        let snapshot = place.and_then(|_| self.snapshots.share(sequence));
        let snapshot = snapshot.map(ServerOp::Snapshot);
        let ops = match snapshot {
            Some(snapshot) if ops.is_empty() => Ops::from_buf([snapshot]),
            snapshot => {
                let mut ops = Ops::from_vec(ops);
                ops.insert_many(place.unwrap_or(0), snapshot);
                ops
            }
        };
        Ok(ServerMessage {
            sequence,
            rel_ack: received.rel_ack,
            ops,
            is_approximate: received.is_approximate,
        })
    }

    /// Reads one message and lends it: for those who look at each once, such as tools that go through demos.
    ///
    /// # Errors
    /// A message with an error in it changes nothing.
    // The error is in a box to make the result fit into registers.
    pub fn read_in_place(
        &mut self,
        sequence: i32,
        bytes: &[u8],
        newest_own_command: i32,
    ) -> Result<MessageInPlace<'_>, Box<MessageError>> {
        self.read_message(sequence, bytes, newest_own_command)?;
        Ok(MessageInPlace { decoder: self })
    }

    fn read_message(
        &mut self,
        sequence: i32,
        bytes: &[u8],
        newest_own_command: i32,
    ) -> Result<(), MessageError> {
        let mut reader = BitReader::new("server message", bytes);
        if bytes.len() > MAX_MSGLEN {
            return Err(reader.error("it is longer than messages can be").into());
        }
        let &Opening { rel_ack, mut op } = reader.repeated(&mut self.last_opening, |reader| {
            Ok(Opening {
                rel_ack: reader.take_bits(32) as i32,
                op: reader.take_bits(8) as u8,
            })
        })?;
        if self.origin != Origin::Demo && rel_ack > newest_own_command {
            let problem = "it acknowledges a command that was never sent";
            return Err(reader.error(problem).into());
        }
        self.received.ops.clear();
        self.received.place_of_snapshot = None;
        self.received.is_approximate = false;
        self.received.sequence = sequence;
        self.received.rel_ack = rel_ack;
        let mut draft = Draft {
            newest_command: self.newest_command,
            stray_command: None,
            gamestate: None,
        };
        while op != op::EOF {
            if op == op::SNAPSHOT {
                op = self.read_snapshot(&mut reader, &draft)?;
            } else {
                // Others read from a copy: what the address of is handed out would not stay in registers.
                let mut copy = reader.clone();
                self.read_other_op(op, &mut copy, &mut draft)?;
                reader.go_on_from(&copy);
                op = reader.take_bits(8) as u8;
            }
        }
        reader.check()?;
        self.take_over(draft);
        Ok(())
    }

    /// Reads anything but a snapshot.
    fn read_other_op(
        &mut self,
        op: u8,
        reader: &mut BitReader<'_>,
        message: &mut Draft,
    ) -> Result<(), MessageError> {
        match op {
            op::NOP => {}
            op::COMMAND => self.read_command(reader, message)?,
            op::GAMESTATE => {
                let gamestate = Arc::new(read_gamestate(reader)?);
                message.newest_command = gamestate.server_command_num;
                message.gamestate = Some(gamestate.clone());
                self.received.ops.push(ServerOp::Gamestate(gamestate));
            }
            op::DOWNLOAD => {
                let download = read_download(reader, self.expected_block)?;
                self.received.ops.push(ServerOp::Download(download));
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
        Ok(())
    }

    fn read_command(
        &mut self,
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
        let command = ServerOp::Command(Command { number, text });
        self.received.ops.push(command);
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

    /// Reads a snapshot, and the operation that follows it.
    #[inline(always)]
    fn read_snapshot(
        &mut self,
        reader: &mut BitReader<'_>,
        message: &Draft,
    ) -> Result<u8, DecodeError> {
        if self.received.place_of_snapshot.is_some() {
            return Err(reader.error("a second snapshot"));
        }
        let low = reader.take_bits(8);
        let &high =
            reader.held_repeated(&mut self.last_time, |reader| Ok(reader.take_bits(24) << 8))?;
        let head = reader.repeated(&mut self.last_head, read_head)?;
        let sequence = self.received.sequence;
        let distance = i32::from(head.distance);
        let base_num = sequence.wrapping_sub(distance);
        let told_against = (distance != 0 && base_num > 0).then_some(base_num);
        // A new gamestate makes all older snapshots useless as bases.
        let delta_num = told_against.filter(|_| message.gamestate.is_none());
        let bases = match self.origin {
            Origin::Demo => BaseRule::StandIns,
            Origin::Connection(_) => BaseRule::Exact,
        };
        let (snapshot, base) = self.snapshots.draft(delta_num, bases);
        snapshot.message_num = sequence;
        snapshot.server_command_num = message.newest_command;
        snapshot.server_time = ServerTime((high | low) as i32);
        snapshot.flags = head.flags;
        snapshot.area_len = head.area_len;
        snapshot.area_mask = head.area_mask;
        snapshot.delta_num = told_against;
        snapshot.entities.restart(base.map(|base| &base.entities));
        match base {
            Some(base) => snapshot.player.clone_from(&base.player),
            None => snapshot.player = Default::default(),
        }
        let used_base_num = base.map(|base| base.message_num);
        let gamestate = message.gamestate.as_ref().unwrap_or(&self.gamestate);
        delta::take_player(reader, &mut snapshot.player, &self.last_time)?;
        let next_op = read_entities(reader, snapshot.entities.edit(), gamestate, &self.last_time)?;

        let is_waiting = self.origin == Origin::Demo && self.without_base < PACKET_BACKUP;
        let received = &mut self.received;
        match told_against {
            // In a demo that lost its only full snapshot, changes alone are better than nothing.
            Some(base_num)
                if used_base_num.is_none() && (is_waiting || self.origin != Origin::Demo) =>
            {
                (received.ops).push(ServerOp::SnapshotWithoutBase { base_num });
            }
            told_against => {
                received.is_approximate = told_against.is_some_and(|number| {
                    used_base_num != Some(number) || self.snapshots.is_approximate(number)
                });
                received.place_of_snapshot = Some(received.ops.len());
            }
        }
        Ok(next_op)
    }

    /// Makes what a message says the base of the next ones.
    fn take_over(&mut self, message: Draft) {
        self.newest_command = message.newest_command;
        self.stray_command = message.stray_command.or(self.stray_command);
        if let Some(gamestate) = message.gamestate {
            self.gamestate = gamestate;
            self.snapshots.clear();
            self.without_base = 0;
        }
        let received = &self.received;
        let is_without_base = |op: &ServerOp| matches!(op, ServerOp::SnapshotWithoutBase { .. });
        self.without_base += received.ops.iter().filter(|op| is_without_base(op)).count();
        if received.place_of_snapshot.is_some() {
            self.snapshots.keep_draft(received.is_approximate);
        }
    }
}

/// What a message changes once its end is reached.
struct Draft {
    newest_command: i32,
    stray_command: Option<i32>,
    gamestate: Option<Arc<Gamestate>>,
}

fn read_head(reader: &mut BitReader<'_>) -> Result<Head, DecodeError> {
    reader.refill();
    let mut head = Head {
        distance: reader.held_bits(8) as u8,
        flags: reader.held_bits(8) as u8,
        area_len: reader.held_bits(8) as u8,
        area_mask: Default::default(),
    };
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

/// Applies the differences told to the entities of the base; both ascend by number. The first number must be held.
/// Gives the operation that follows.
#[inline(always)]
fn read_entities(
    reader: &mut BitReader<'_>,
    mut entities: Edit<'_>,
    gamestate: &Gamestate,
    last_time: &HighBytes,
) -> Result<u8, DecodeError> {
    let mut next_possible = 0;
    let next_op = loop {
        if reader.held_known(&LAST_OF_MESSAGE) {
            break op::EOF;
        }
        let number = reader.held_bits(ENTITYNUM_BITS) as u16;
        if number == END_OF_ENTITIES {
            break reader.held_bits(8) as u8;
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
                delta::take_entity_fields(reader, entity, count, last_time);
            }
        }
        reader.refill();
    };
    entities.finish();
    Ok(next_op)
}

/// The end of the entities of a snapshot with nothing behind it, as most messages end.
const LAST_OF_MESSAGE: KnownBits = KnownBits::of(&[
    (END_OF_ENTITIES as u32, ENTITYNUM_BITS),
    (op::EOF as u32, u8::BITS),
]);

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
