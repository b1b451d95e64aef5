//! Messages from the client: what it has received, its reliable commands and its usercmds.

use super::{
    delta,
    netchan::{MAX_MSGLEN, TooLong},
    reliable::MAX_COMMAND_CHARS,
    svc::Command,
};
use crate::{
    base::{
        bits::{BitReader, BitWriter},
        error::DecodeError,
    },
    types::usercmd::Usercmd,
};

/// Most usercmds of one message.
pub const MAX_PACKET_USERCMDS: usize = 32;

/// A message of the client.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClientMessage {
    /// `sv_serverid` of the level it belongs to; 0 before the first gamestate.
    pub server_id: i32,
    /// Sequence of the newest server message that was read.
    pub message_ack: i32,
    /// Number of the newest server command that was read.
    pub command_ack: i32,
    /// All commands that the server has not acknowledged, ascending.
    pub commands: Vec<Command>,
    /// Its usercmds; empty where it has none.
    pub movement: Movement,
}

/// The usercmds of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Movement {
    /// Whether the server may tell the next snapshot against the acknowledged one.
    pub allows_delta: bool,
    /// Oldest first, at most [`MAX_PACKET_USERCMDS`]; they may repeat those of earlier messages.
    pub usercmds: Vec<Usercmd>,
}

/// What both ends know and usercmds are keyed with.
#[derive(Clone, Copy, Debug)]
pub struct MoveKey<'a> {
    /// From the gamestate.
    pub checksum_feed: i32,
    /// The text of the server command that the message acknowledges; empty if there is none.
    pub server_command: &'a str,
}

mod op {
    pub(super) const MOVE: u8 = 2;
    pub(super) const MOVE_NO_DELTA: u8 = 3;
    pub(super) const COMMAND: u8 = 4;
    pub(super) const EOF: u8 = 5;
}

/// Writes a message. Of more than [`MAX_PACKET_USERCMDS`] usercmds the newest are taken.
///
/// # Errors
/// The message is longer than the protocol allows.
pub fn write(message: &ClientMessage, key: MoveKey<'_>) -> Result<Vec<u8>, TooLong> {
    let mut bits = BitWriter::new();
    bits.i32(message.server_id);
    bits.i32(message.message_ack);
    bits.i32(message.command_ack);
    for command in &message.commands {
        bits.u8(op::COMMAND);
        bits.i32(command.number);
        bits.string(command.text.as_bytes());
    }
    let all = &message.movement.usercmds;
    let usercmds = &all[all.len().saturating_sub(MAX_PACKET_USERCMDS)..];
    if !usercmds.is_empty() {
        bits.u8(match message.movement.allows_delta {
            true => op::MOVE,
            false => op::MOVE_NO_DELTA,
        });
        bits.u8(usercmds.len() as u8);
        let key = usercmd_key(key, message.message_ack);
        let mut before = Usercmd::default();
        for usercmd in usercmds {
            delta::write_usercmd(&mut bits, key, &before, usercmd);
            before = *usercmd;
        }
    }
    bits.u8(op::EOF);
    let length = bits.byte_len();
    if length > MAX_MSGLEN {
        return Err(TooLong { length });
    }
    Ok(bits.finish())
}

/// Reads a message, as a server does: commands, then one move at most. `server_command` gives the
/// text of a command by its number.
///
/// # Errors
/// The message ends early, holds an operation that clients do not have, a text or a number of usercmds that is too
/// large.
pub fn read<'a>(
    bytes: &[u8],
    checksum_feed: i32,
    server_command: impl Fn(i32) -> &'a str,
) -> Result<ClientMessage, DecodeError> {
    let mut reader = BitReader::new("client message", bytes);
    let mut message = ClientMessage {
        server_id: reader.i32()?,
        message_ack: reader.i32()?,
        command_ack: reader.i32()?,
        ..ClientMessage::default()
    };
    loop {
        match reader.u8()? {
            op::EOF => return Ok(message),
            op::COMMAND => message.commands.push(Command {
                number: reader.i32()?,
                text: reader.string(MAX_COMMAND_CHARS)?,
            }),
            kind @ (op::MOVE | op::MOVE_NO_DELTA) => {
                let key = MoveKey {
                    checksum_feed,
                    server_command: server_command(message.command_ack),
                };
                let key = usercmd_key(key, message.message_ack);
                message.movement = read_movement(&mut reader, kind == op::MOVE, key)?;
                return Ok(message);
            }
            unknown => return Err(reader.error(format!("operation {unknown} does not exist"))),
        }
    }
}

fn read_movement(
    reader: &mut BitReader<'_>,
    allows_delta: bool,
    key: u32,
) -> Result<Movement, DecodeError> {
    let count = usize::from(reader.u8()?);
    if !(1..=MAX_PACKET_USERCMDS).contains(&count) {
        return Err(reader.error(format!("{count} usercmds in one message")));
    }
    let mut usercmds = Vec::with_capacity(count);
    let mut before = Usercmd::default();
    for _ in 0..count {
        before = delta::read_usercmd(reader, key, &before)?;
        usercmds.push(before);
    }
    Ok(Movement {
        allows_delta,
        usercmds,
    })
}

fn usercmd_key(key: MoveKey<'_>, message_ack: i32) -> u32 {
    delta::usercmd_key(
        key.checksum_feed,
        message_ack,
        key.server_command.as_bytes(),
    )
}
