//! Reads and writes a state as the difference from another one.

use super::fields::{self, DeltaState, FieldKind, FieldSource};
use crate::{
    base::{
        bits::{BitReader, BitWriter, Repeated},
        error::DecodeError,
        huffman::MAX_CODE_BITS,
        text,
        time::ServerTime,
    },
    types::{entitystate::EntityState, playerstate::PlayerState, usercmd::Usercmd},
};

/// Whether an entity is still there after a difference was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is there, with the difference applied.
    Present,
    /// It is gone.
    Removed,
}

/// What follows an entity's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntityChange {
    /// The entity is gone.
    Removed,
    /// Nothing differs from the base.
    Same,
    /// So many fields of the table follow.
    Fields(usize),
}

/// Applies the difference that follows an entity's number.
///
/// # Errors
/// The message ends early, or tells of more fields than there are.
pub fn read_entity(
    reader: &mut BitReader<'_>,
    entity: &mut EntityState,
) -> Result<Presence, DecodeError> {
    reader.refill();
    let change = held_entity_change(reader)?;
    if let EntityChange::Fields(count) = change {
        take_entity_fields(reader, entity, count, &HighBytes::default());
    }
    reader.check()?;
    Ok(match change {
        EntityChange::Removed => Presence::Removed,
        EntityChange::Same | EntityChange::Fields(_) => Presence::Present,
    })
}

/// Takes what kind of difference follows an entity's number, up to 13 of the bits held.
///
/// # Errors
/// It tells of more fields than there are.
#[inline(always)]
pub fn held_entity_change(reader: &mut BitReader<'_>) -> Result<EntityChange, DecodeError> {
    if reader.held_flag() {
        return Ok(EntityChange::Removed);
    }
    if !reader.held_flag() {
        return Ok(EntityChange::Same);
    }
    let count = reader.held_bits(8);
    checked_count::<EntityState>(reader, count).map(EntityChange::Fields)
}

/// The three higher bytes of the last time that was read: those of other times are mostly the same.
pub type HighBytes = Repeated<u32>;

/// Applies the fields of a difference.
#[inline(always)]
pub fn take_entity_fields(
    reader: &mut BitReader<'_>,
    entity: &mut EntityState,
    count: usize,
    last_time: &HighBytes,
) {
    take_fields::<_, true>(reader, entity, count, last_time);
}

/// Writes an entity's number and its difference from a base. Without a difference nothing is written
/// unless it is `forced`.
pub fn write_entity(
    writer: &mut BitWriter,
    base: &EntityState,
    entity: &EntityState,
    forced: bool,
) {
    let differing = entity.differing(base);
    if differing == 0 && !forced {
        return;
    }
    write_entity_number(writer, entity.number);
    writer.flag(false);
    writer.flag(differing != 0);
    if differing != 0 {
        write_fields(writer, entity, differing, write_entity_field);
    }
}

/// Writes that an entity is no longer there.
pub fn write_removed_entity(writer: &mut BitWriter, number: u16) {
    write_entity_number(writer, number);
    writer.flag(true);
}

/// Writes an entity number; the last one ends a list of entities.
pub fn write_entity_number(writer: &mut BitWriter, number: u16) {
    writer.bits(u32::from(number), ENTITYNUM_BITS);
}

/// Width of an entity number.
pub const ENTITYNUM_BITS: u32 = 10;

/// Applies the difference of a playerState.
///
/// # Errors
/// The message ends early, or tells of more fields than there are.
pub fn read_player(
    reader: &mut BitReader<'_>,
    player: &mut PlayerState,
) -> Result<(), DecodeError> {
    take_player(reader, player, &HighBytes::default())?;
    reader.check()
}

/// The same, for callers that check later whether the message ended early. The number of an entity and what it tells is
/// held then.
///
/// # Errors
/// The message tells of more fields than there are.
#[inline(always)]
pub fn take_player(
    reader: &mut BitReader<'_>,
    player: &mut PlayerState,
    last_time: &HighBytes,
) -> Result<(), DecodeError> {
    reader.ensure(MAX_CODE_BITS);
    let count = reader.held_bits(8);
    let count = checked_count::<PlayerState>(reader, count)?;
    take_fields::<_, false>(reader, player, count, last_time);
    // All the flags before the first array that is told.
    reader.refill();
    if reader.held_flag() {
        for (kind, array) in fields::ARRAYS.iter().zip(fields::arrays_mut(player)) {
            if reader.held_flag() {
                take_array(reader, array, kind.bits);
                reader.refill();
            }
        }
    }
    Ok(())
}

#[inline(always)]
fn take_array(reader: &mut BitReader<'_>, array: &mut [i32; 16], bits: u32) {
    let mut mask = reader.take_bits(16);
    while mask != 0 {
        let value = reader.take_bits(bits);
        array[mask.trailing_zeros() as usize % 16] = sign_extended(value, bits);
        mask &= mask - 1;
    }
}

/// Writes a playerState as its difference from a base.
pub fn write_player(writer: &mut BitWriter, base: &PlayerState, player: &PlayerState) {
    write_fields(writer, player, player.differing(base), write_player_field);
    let masks = array_masks(base, player);
    writer.flag(masks != [0; 4]);
    if masks == [0; 4] {
        return;
    }
    let arrays = fields::ARRAYS.iter().zip(fields::arrays(player));
    for ((kind, array), mask) in arrays.zip(masks) {
        writer.flag(mask != 0);
        if mask == 0 {
            continue;
        }
        writer.u16(mask);
        for (index, &value) in array.iter().enumerate() {
            if mask >> index & 1 != 0 {
                writer.bits(value as u32, kind.bits);
            }
        }
    }
}

/// For each array a bit per element that differs.
pub(super) fn array_masks(base: &PlayerState, player: &PlayerState) -> [u16; 4] {
    let (old, new) = (fields::arrays(base), fields::arrays(player));
    std::array::from_fn(|array| {
        let differs = |index: usize| u16::from(old[array][index] != new[array][index]);
        (0..16).fold(0, |mask, index| mask | differs(index) << index)
    })
}

#[inline(always)]
fn checked_count<S: DeltaState>(reader: &BitReader<'_>, count: u32) -> Result<usize, DecodeError> {
    let known = S::FIELDS.len();
    match count as usize {
        count if count <= known => Ok(count),
        count => Err(reader.error(format!("{count} fields where {known} are known"))),
    }
}

/// Applies the first `count` fields; each has a bit that tells whether it differs.
#[inline(always)]
fn take_fields<S: DeltaState, const HAS_ZERO_FLAG: bool>(
    bits: &mut BitReader<'_>,
    state: &mut S,
    count: usize,
    last_time: &HighBytes,
) {
    let mut index = 0;
    // Writers count up to the last that differs.
    while index < count {
        // What the field before left mostly tells which is the next; no table is as long as what is held after a refill.
        let unchanged = bits.find_one();
        if index + unchanged as usize >= count {
            bits.held_skip((count - index) as u32);
            break;
        }
        index += unchanged as usize;
        bits.held_skip(unchanged + 1);
        bits.refill();
        state.read_field(index, Value::<HAS_ZERO_FLAG> { bits, last_time });
        index += 1;
    }
}

/// The value of one field; entities have a flag before it that tells whether it is zero.
struct Value<'r, 'm, const HAS_ZERO_FLAG: bool> {
    bits: &'r mut BitReader<'m>,
    last_time: &'r HighBytes,
}

impl<const HAS_ZERO_FLAG: bool> Value<'_, '_, HAS_ZERO_FLAG> {
    #[inline(always)]
    fn is_zero(&mut self) -> bool {
        HAS_ZERO_FLAG && !self.bits.held_flag()
    }
}

impl<const HAS_ZERO_FLAG: bool> FieldSource for Value<'_, '_, HAS_ZERO_FLAG> {
    #[inline(always)]
    fn float(mut self) -> f32 {
        if self.is_zero() {
            0.0
        } else if self.bits.held_flag() {
            f32::from_bits(self.bits.held_bits(32))
        } else {
            (self.bits.held_bits(COMPACT_BITS) as i32 - COMPACT_BIAS) as f32
        }
    }

    #[inline(always)]
    fn unsigned(mut self, bits: u32) -> i32 {
        if self.is_zero() {
            return 0;
        }
        if bits < 32 {
            return self.bits.held_bits(bits) as i32;
        }
        // Nearly all of these are times.
        let low = self.bits.held_bits(8);
        let high = self.last_time.held_by(self.bits);
        let high = high.unwrap_or_else(|| self.bits.held_bits(24) << 8);
        (high | low) as i32
    }

    #[inline(always)]
    fn signed(mut self, bits: u32) -> i32 {
        if self.is_zero() {
            return 0;
        }
        sign_extended(self.bits.held_bits(bits), bits)
    }
}

const COMPACT_BITS: u32 = 13;
const COMPACT_BIAS: i32 = 1 << (COMPACT_BITS - 1);

/// What a float travels as in its short form, if it can.
fn compacted(value: f32) -> Option<u32> {
    let whole = value as i32;
    let is_compact = whole as f32 == value && (-COMPACT_BIAS..COMPACT_BIAS).contains(&whole);
    is_compact.then(|| (whole + COMPACT_BIAS) as u32)
}

fn sign_extended(value: u32, bits: u32) -> i32 {
    let unused = 32 - bits;
    (value << unused) as i32 >> unused
}

/// Writes how many fields are told, up to the last that differs, and those that differ.
fn write_fields<S: DeltaState>(
    writer: &mut BitWriter,
    state: &S,
    mut differing: u64,
    write_field: impl Fn(&mut BitWriter, FieldKind, u32),
) {
    writer.u8((u64::BITS - differing.leading_zeros()) as u8);
    let mut next = 0;
    while differing != 0 {
        let index = differing.trailing_zeros();
        writer.flags_until_set(index - next);
        write_field(
            writer,
            S::FIELDS[index as usize],
            state.field(index as usize),
        );
        differing &= differing - 1;
        next = index + 1;
    }
}

pub(super) fn write_entity_field(writer: &mut BitWriter, kind: FieldKind, word: u32) {
    let is_zero = match kind {
        // Minus zero equals zero here and arrives as zero.
        FieldKind::Float => f32::from_bits(word) == 0.0,
        FieldKind::Unsigned(_) | FieldKind::Signed(_) => word == 0,
    };
    writer.flag(!is_zero);
    if !is_zero {
        write_player_field(writer, kind, word);
    }
}

pub(super) fn write_player_field(writer: &mut BitWriter, kind: FieldKind, word: u32) {
    match kind {
        FieldKind::Float => match compacted(f32::from_bits(word)) {
            Some(compact) => {
                writer.flag(false);
                writer.bits(compact, COMPACT_BITS);
            }
            None => {
                writer.flag(true);
                writer.bits(word, 32);
            }
        },
        FieldKind::Unsigned(bits) | FieldKind::Signed(bits) => writer.bits(word, bits),
    }
}

/// The key of all usercmds of one message: it ties them to what the client has received.
pub fn usercmd_key(checksum_feed: i32, message_ack: i32, server_command: &[u8]) -> u32 {
    checksum_feed as u32 ^ message_ack as u32 ^ text::hash(server_command)
}

/// Reads a usercmd that was told against the one before it.
///
/// # Errors
/// The message ends early.
pub fn read_usercmd(
    reader: &mut BitReader<'_>,
    key: u32,
    before: &Usercmd,
) -> Result<Usercmd, DecodeError> {
    let server_time = if reader.flag()? {
        before.server_time + i32::from(reader.u8()?)
    } else {
        ServerTime(reader.i32()?)
    };
    let mut cmd = Usercmd {
        server_time,
        ..*before
    };
    if reader.flag()? {
        let key = key ^ server_time.0 as u32;
        for (field, bits) in USERCMD_BITS.into_iter().enumerate() {
            if reader.flag()? {
                let value = reader.bits(bits)? ^ key & (u32::MAX >> (32 - bits));
                set_usercmd_field(&mut cmd, field, value);
            }
        }
    }
    Ok(cmd)
}

/// Writes a usercmd against the one before it.
pub fn write_usercmd(writer: &mut BitWriter, key: u32, before: &Usercmd, cmd: &Usercmd) {
    let elapsed = cmd.server_time - before.server_time;
    let short = u8::try_from(elapsed).ok();
    writer.flag(short.is_some());
    match short {
        Some(elapsed) => writer.u8(elapsed),
        None => writer.i32(cmd.server_time.0),
    }
    let (old, new) = (usercmd_fields(before), usercmd_fields(cmd));
    writer.flag(old != new);
    if old == new {
        return;
    }
    let key = key ^ cmd.server_time.0 as u32;
    for ((old, new), bits) in old.into_iter().zip(new).zip(USERCMD_BITS) {
        writer.flag(old != new);
        if old != new {
            writer.bits(new ^ key, bits);
        }
    }
}

/// Widths of the fields of a usercmd behind its time, in the order of the wire.
const USERCMD_BITS: [u32; 8] = [16, 16, 16, 8, 8, 8, 16, 8];

fn usercmd_fields(cmd: &Usercmd) -> [u32; 8] {
    let [pitch, yaw, roll] = cmd.angles.map(u32::from);
    let [forward, right, up] = [cmd.forward_move, cmd.right_move, cmd.up_move]
        .map(|speed| u32::from(speed.max(-i8::MAX) as u8));
    let (buttons, weapon) = (u32::from(cmd.buttons), u32::from(cmd.weapon));
    [pitch, yaw, roll, forward, right, up, buttons, weapon]
}

fn set_usercmd_field(cmd: &mut Usercmd, field: usize, value: u32) {
    // −128 would be faster than any key can make a player.
    let speed = (value as u8 as i8).max(-i8::MAX);
    match field {
        0..=2 => cmd.angles[field] = value as u16,
        3 => cmd.forward_move = speed,
        4 => cmd.right_move = speed,
        5 => cmd.up_move = speed,
        6 => cmd.buttons = value as u16,
        _ => cmd.weapon = value as u8,
    }
}
