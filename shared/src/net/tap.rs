//! Reads along between a client and a server: follows both directions of their channel from the handshake on, and tells
//! what each message says and what its parts cost.
//!
//! Whoever stands between the two (a relay, a line) gives each datagram to [`Tap::hear_client`] or [`Tap::hear_server`],
//! and turns what was heard into JSON where somebody wants to read it.

use super::{
    clc::{self, ClientMessage},
    cost::{self, Cost, SnapshotCost},
    netchan::{Netchan, Received, Side, WireProbe},
    oob::{ClientPacket, ServerPacket},
    protocol::WireForm,
    reliable::CommandTexts,
    svc::{self, Decoder, Download, Origin, ServerMessage, ServerOp},
};
use crate::{
    base::time::ClientTime,
    types::{gamestate::Gamestate, snapshot::Snapshot},
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// Follows one client's channel.
#[derive(Debug, Default)]
pub struct Tap {
    /// What the last `connect` said, until the server agrees.
    asked: Option<Handshake>,
    /// Agreed upon, but the first datagram must tell how the server writes.
    agreed: Option<Handshake>,
    channel: Option<Box<Channel>>,
}

/// What a datagram was, or the message that it completed.
#[derive(Debug)]
pub enum Heard<'a> {
    /// A packet outside the channel.
    OutOfBand {
        /// Who said it: `player` or `server`.
        from: &'static str,
        /// The whole of it.
        datagram: &'a [u8],
    },
    /// A message to the server, or why it cannot be read.
    Client(Head, Result<Box<ClientMessage>, String>),
    /// A message to the client, or why it cannot be read.
    Server(Head, Result<Box<ServerMessage>, String>),
}

/// How a message came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its number in its direction.
    pub sequence: i32,
    /// Datagrams that carried it.
    pub datagrams: u32,
    /// Bytes of these.
    pub bytes: usize,
    /// Bytes of the message itself.
    pub message_bytes: usize,
}

#[derive(Clone, Copy, Debug)]
struct Handshake {
    challenge: i32,
    qport: u16,
    protocol: i32,
}

#[derive(Debug)]
struct Channel {
    at_client: Netchan,
    at_server: Netchan,
    decoder: Decoder,
    client_commands: CommandTexts,
    server_commands: CommandTexts,
    /// Datagrams and bytes of the message that is arriving, from the client and from the server.
    arriving: [(u32, usize); 2],
}

impl Tap {
    /// Reads a datagram on its way to the server, as the client wrote it.
    pub fn hear_client<'a>(&mut self, now: ClientTime, datagram: &'a [u8]) -> Option<Heard<'a>> {
        if datagram.starts_with(&[0xff; 4]) {
            if let Some(ClientPacket::Connect { userinfo }) = ClientPacket::read(datagram) {
                self.asked = Some(Handshake {
                    challenge: userinfo.number("challenge"),
                    qport: userinfo.number("qport") as u16,
                    protocol: userinfo.number("protocol"),
                });
            }
            let from = "player";
            return Some(Heard::OutOfBand { from, datagram });
        }
        self.channel.as_mut()?.read_client(now, datagram)
    }

    /// Reads a datagram on its way to the client.
    pub fn hear_server<'a>(&mut self, now: ClientTime, datagram: &'a [u8]) -> Option<Heard<'a>> {
        if datagram.starts_with(&[0xff; 4]) {
            if let Some(ServerPacket::Connected { protocol, .. }) = ServerPacket::read(datagram)
                && let Some(asked) = self.asked.take()
            {
                self.channel = None;
                self.agreed = Some(asked);
                if let Some(wire) = WireForm::from_handshake(asked.protocol, protocol) {
                    self.open(wire);
                }
            }
            let from = "server";
            return Some(Heard::OutOfBand { from, datagram });
        }
        if self.channel.is_none() {
            let wire = WireProbe::detect(self.agreed?.challenge, datagram)?;
            self.open(wire);
        }
        self.channel.as_mut()?.read_server(now, datagram)
    }

    fn open(&mut self, wire: WireForm) {
        if let Some(agreed) = self.agreed.take() {
            self.channel = Some(Box::new(Channel::new(agreed, wire)));
        }
    }

    /// What was heard just now, as one JSON object: each part with its bits, each state with the fields that changed.
    pub fn json(&self, heard: &Heard<'_>) -> Value {
        match heard {
            Heard::OutOfBand { from, datagram } => out_of_band(from, datagram),
            Heard::Client(head, Ok(message)) => client_json(*head, message),
            Heard::Server(head, Ok(message)) => {
                let channel = self.channel.as_ref();
                let ops = channel.map_or_else(Vec::new, |channel| channel.of_server(message));
                server_json(*head, message.rel_ack, ops)
            }
            Heard::Client(head, Err(error)) => faulty(head.json("player"), error),
            Heard::Server(head, Err(error)) => faulty(head.json("server"), error),
        }
    }
}

impl Heard<'_> {
    /// The level, if this brought a new one.
    pub fn gamestate(&self) -> Option<Arc<Gamestate>> {
        let Self::Server(_, Ok(message)) = self else {
            return None;
        };
        message.ops.iter().rev().find_map(|op| match op {
            ServerOp::Gamestate(gamestate) => Some(gamestate.clone()),
            _ => None,
        })
    }
}

impl Head {
    fn json(&self, from: &str) -> Map<String, Value> {
        let mut head = Map::new();
        head.insert("from".to_owned(), from.into());
        head.insert("sequence".to_owned(), self.sequence.into());
        head.insert("datagrams".to_owned(), self.datagrams.into());
        head.insert("bytes".to_owned(), self.bytes.into());
        head.insert("message_bytes".to_owned(), self.message_bytes.into());
        head
    }
}

impl Channel {
    fn new(handshake: Handshake, wire: WireForm) -> Self {
        let Handshake {
            challenge, qport, ..
        } = handshake;
        Self {
            at_client: Netchan::new(Side::Client { qport }, wire, challenge),
            at_server: Netchan::new(Side::Server { qport }, wire, challenge),
            decoder: Decoder::new(Origin::Connection(wire)),
            client_commands: CommandTexts::new(),
            server_commands: CommandTexts::new(),
            arriving: [(0, 0); 2],
        }
    }

    fn read_client(&mut self, now: ClientTime, datagram: &[u8]) -> Option<Heard<'static>> {
        count(&mut self.arriving[0], datagram);
        let received = self
            .at_server
            .receive(now, datagram, &self.server_commands)
            .ok()??;
        let head = head(&received, &mut self.arriving[0]);
        let feed = self.decoder.gamestate().checksum_feed;
        let message = clc::read(&received.bytes, feed, |number| {
            self.server_commands.get(number)
        });
        if let Ok(message) = &message {
            for command in &message.commands {
                if command.number > self.client_commands.newest() {
                    self.client_commands.insert(command.number, &command.text);
                }
                if command.text.starts_with("download ") {
                    self.decoder.expect_block(0);
                }
            }
        }
        let message = message.map(Box::new).map_err(|error| error.to_string());
        Some(Heard::Client(head, message))
    }

    fn read_server(&mut self, now: ClientTime, datagram: &[u8]) -> Option<Heard<'static>> {
        count(&mut self.arriving[1], datagram);
        let received = self
            .at_client
            .receive(now, datagram, &self.client_commands)
            .ok()??;
        let head = head(&received, &mut self.arriving[1]);
        let newest = self.client_commands.newest();
        let message = self
            .decoder
            .read(received.sequence, &received.bytes, newest);
        for op in message.iter().flat_map(|message| &message.ops) {
            match op {
                ServerOp::Command(command) => {
                    self.server_commands.insert(command.number, &command.text);
                }
                ServerOp::Gamestate(gamestate) => {
                    self.server_commands
                        .set_newest(gamestate.server_command_num);
                }
                ServerOp::Download(Download::Block { number, .. }) => {
                    self.decoder.expect_block(number.wrapping_add(1));
                }
                _ => {}
            }
        }
        let message = message.map(Box::new).map_err(|error| error.to_string());
        Some(Heard::Server(head, message))
    }

    /// The operations of a message with their bits.
    fn of_server(&self, message: &ServerMessage) -> Vec<Value> {
        message.ops.iter().map(|op| self.of_op(op)).collect()
    }

    fn of_op(&self, op: &ServerOp) -> Value {
        let gamestate = self.decoder.gamestate();
        match op {
            ServerOp::Command(command) => {
                let bits = written(|writer| writer.command(command.number, &command.text));
                command_json(command, bits)
            }
            ServerOp::Gamestate(gamestate) => json!({
                "op": "gamestate",
                "bits": written(|writer| writer.gamestate(gamestate)),
                "configstrings": gamestate.configstrings.iter().count(),
                "baselines": gamestate.baselines.len(),
            }),
            ServerOp::Snapshot(snapshot) => {
                let base = snapshot
                    .delta_num
                    .and_then(|number| self.decoder.snapshot(number));
                snapshot_json(snapshot, &cost::of_snapshot(snapshot, base, gamestate))
            }
            ServerOp::SnapshotWithoutBase { base_num } => {
                json!({ "op": "snapshot", "missing_base": base_num })
            }
            ServerOp::Download(download) => {
                let bits = written(|writer| writer.download(download));
                json!({ "op": "download", "bits": bits })
            }
        }
    }
}

fn count(arriving: &mut (u32, usize), datagram: &[u8]) {
    arriving.0 = arriving.0.saturating_add(1);
    arriving.1 = arriving.1.saturating_add(datagram.len());
}

fn head(received: &Received, arriving: &mut (u32, usize)) -> Head {
    let (datagrams, bytes) = std::mem::take(arriving);
    Head {
        sequence: received.sequence,
        datagrams,
        bytes,
        message_bytes: received.bytes.len(),
    }
}

/// Only the first word: what follows may be a password.
fn out_of_band(from: &str, datagram: &[u8]) -> Value {
    let letters = datagram[4..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric());
    let word: String = letters.take(32).map(|&byte| char::from(byte)).collect();
    json!({ "from": from, "bytes": datagram.len(), "out_of_band": word })
}

fn faulty(mut head: Map<String, Value>, error: &str) -> Value {
    head.insert("error".to_owned(), error.into());
    head.into()
}

/// A message of the server as JSON, with the operations in it.
pub fn server_json(head: Head, rel_ack: i32, ops: Vec<Value>) -> Value {
    let mut line = head.json("server");
    line.insert("acknowledged_command".to_owned(), rel_ack.into());
    line.insert("ops".to_owned(), ops.into());
    line.into()
}

/// A reliable command of the server as JSON.
pub fn command_json(command: &svc::Command, bits: usize) -> Value {
    json!({ "op": "command", "bits": bits, "number": command.number, "text": command.text })
}

/// A snapshot as JSON, down to the bits of each field that changed.
pub fn snapshot_json(snapshot: &Snapshot, cost: &SnapshotCost) -> Value {
    let entity = |(number, cost): &(u16, Cost)| {
        let mut value = of_cost(cost);
        value["number"] = (*number).into();
        value
    };
    json!({
        "op": "snapshot",
        "bits": cost.bits,
        "server_time": snapshot.server_time.0,
        "base": snapshot.delta_num,
        "player": of_cost(&cost.player),
        "entities": cost.entities.iter().map(entity).collect::<Vec<_>>(),
    })
}

/// A message of the client as JSON.
pub fn client_json(head: Head, message: &ClientMessage) -> Value {
    let mut head = head.json("player");
    let commands = message.commands.iter();
    let commands: Vec<_> = commands
        .map(|command| json!({ "number": command.number, "text": command.text }))
        .collect();
    let usercmds = &message.movement.usercmds;
    let times: Vec<_> = usercmds
        .iter()
        .map(|usercmd| usercmd.server_time.0)
        .collect();
    head.insert("server_id".to_owned(), message.server_id.into());
    head.insert(
        "acknowledged_message".to_owned(),
        message.message_ack.into(),
    );
    head.insert(
        "acknowledged_command".to_owned(),
        message.command_ack.into(),
    );
    head.insert("commands".to_owned(), commands.into());
    head.insert("usercmds".to_owned(), times.into());
    head.into()
}

fn of_cost(cost: &Cost) -> Value {
    let mut fields = Map::new();
    for (name, bits) in &cost.fields {
        fields.insert(name.clone(), (*bits).into());
    }
    json!({ "bits": cost.bits, "fields": fields })
}

fn written(write: impl FnOnce(&mut svc::Writer)) -> usize {
    let mut writer = svc::Writer::new(0);
    let before = writer.bit_len();
    write(&mut writer);
    writer.bit_len() - before
}
