//! Reads along in one player's session: what its datagrams say, and what each part costs.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use shared::base::time::ClientTime;
use shared::net::clc::{self, ClientMessage};
use shared::net::cost::{self, Cost};
use shared::net::netchan::{Netchan, Side, WireProbe};
use shared::net::oob::{ClientPacket, ServerPacket};
use shared::net::protocol::WireForm;
use shared::net::reliable::CommandTexts;
use shared::net::svc::{self, Decoder, Download, Origin, ServerMessage, ServerOp};
use shared::types::gamestate::Gamestate;
use tokio::sync::mpsc;

/// Follows both directions of a channel from its handshake on.
#[derive(Debug)]
pub(crate) struct Tap {
    began: Instant,
    /// What the last `connect` said, until the server agrees.
    asked: Option<Handshake>,
    /// Agreed upon, but the first datagram must tell how the server writes.
    agreed: Option<Handshake>,
    channel: Option<Channel>,
    listeners: Listeners,
    /// Lines that no listener could take.
    skipped: u64,
}

/// Who gets a line of JSON for each message.
pub(crate) type Listeners = Arc<Mutex<Vec<mpsc::Sender<String>>>>;

#[derive(Clone, Copy, Debug)]
struct Handshake {
    challenge: i32,
    qport: u16,
    protocol: i32,
}

#[derive(Debug)]
struct Channel {
    at_player: Netchan,
    at_server: Netchan,
    decoder: Decoder,
    player_commands: CommandTexts,
    server_commands: CommandTexts,
    /// Datagrams and bytes of the message that is arriving, from the player and from the server.
    arriving: [(u32, usize); 2],
}

impl Tap {
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            asked: None,
            agreed: None,
            channel: None,
            listeners: Listeners::default(),
            skipped: 0,
        }
    }

    pub(crate) fn listeners(&self) -> Listeners {
        self.listeners.clone()
    }

    /// Reads a datagram that passed to the server, as the player wrote it.
    pub(crate) fn hear_player(&mut self, datagram: &[u8]) {
        if datagram.starts_with(&[0xff; 4]) {
            if let Some(ClientPacket::Connect { userinfo }) = ClientPacket::read(datagram) {
                self.asked = Some(Handshake {
                    challenge: userinfo.number("challenge"),
                    qport: userinfo.number("qport") as u16,
                    protocol: userinfo.number("protocol"),
                });
            }
            return self.tell(|| out_of_band("player", datagram));
        }
        let now = self.now();
        let Some(channel) = &mut self.channel else {
            return;
        };
        let read = channel.read_player(now, datagram);
        let Some((head, message)) = read else { return };
        self.tell(|| match message {
            Ok(message) => of_player(head, &message),
            Err(error) => faulty(head, &error),
        });
    }

    /// Reads a datagram for the player; yields a gamestate if it completes one.
    pub(crate) fn hear_server(&mut self, datagram: &[u8]) -> Option<Arc<Gamestate>> {
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
            self.tell(|| out_of_band("server", datagram));
            return None;
        }
        if self.channel.is_none() {
            let wire = WireProbe::detect(self.agreed?.challenge, datagram)?;
            self.open(wire);
        }
        let now = self.now();
        let channel = self.channel.as_mut()?;
        let (head, message) = channel.read_server(now, datagram)?;
        let costs = match (&message, self.listeners.lock().is_empty()) {
            (Ok(message), false) => channel.of_server(message),
            _ => Vec::new(),
        };
        let gamestate = message.as_ref().ok().and_then(newest_gamestate);
        self.tell(|| match message {
            Ok(message) => {
                let mut line = head;
                line.insert("acknowledged_command".to_owned(), message.rel_ack.into());
                line.insert("ops".to_owned(), costs.into());
                line.into()
            }
            Err(error) => faulty(head, &error),
        });
        gamestate
    }

    fn open(&mut self, wire: WireForm) {
        if let Some(agreed) = self.agreed.take() {
            self.channel = Some(Channel::new(agreed, wire));
        }
    }

    fn now(&self) -> ClientTime {
        ClientTime(self.began.elapsed().as_millis() as i32)
    }

    /// Makes a line only if somebody listens, and drops it for whoever does not keep up.
    fn tell(&mut self, line: impl FnOnce() -> Value) {
        let mut listeners = self.listeners.lock();
        listeners.retain(|listener| !listener.is_closed());
        if listeners.is_empty() {
            return;
        }
        let mut line = line();
        line["at_msec"] = (self.began.elapsed().as_micros() as f64 / 1000.0).into();
        if self.skipped > 0 {
            line["skipped_lines"] = self.skipped.into();
        }
        let text = format!("{line}\n");
        let told = listeners
            .iter()
            .filter(|listener| listener.try_send(text.clone()).is_ok());
        self.skipped = match told.count() {
            0 => self.skipped + 1,
            _ => 0,
        };
    }
}

type Head = Map<String, Value>;

impl Channel {
    fn new(handshake: Handshake, wire: WireForm) -> Self {
        let Handshake {
            challenge, qport, ..
        } = handshake;
        Self {
            at_player: Netchan::new(Side::Client { qport }, wire, challenge),
            at_server: Netchan::new(Side::Server { qport }, wire, challenge),
            decoder: Decoder::new(Origin::Connection(wire)),
            player_commands: CommandTexts::new(),
            server_commands: CommandTexts::new(),
            arriving: [(0, 0); 2],
        }
    }

    fn read_player(
        &mut self,
        now: ClientTime,
        datagram: &[u8],
    ) -> Option<(Head, Result<ClientMessage, String>)> {
        count(&mut self.arriving[0], datagram);
        let received = self
            .at_server
            .receive(now, datagram, &self.server_commands)
            .ok()??;
        let head = head(
            "player",
            received.sequence,
            received.bytes.len(),
            &mut self.arriving[0],
        );
        let feed = self.decoder.gamestate().checksum_feed;
        let message = clc::read(&received.bytes, feed, |number| {
            self.server_commands.get(number)
        });
        if let Ok(message) = &message {
            for command in &message.commands {
                if command.number > self.player_commands.newest() {
                    self.player_commands.insert(command.number, &command.text);
                }
                if command.text.starts_with("download ") {
                    self.decoder.expect_block(0);
                }
            }
        }
        Some((head, message.map_err(|error| error.to_string())))
    }

    fn read_server(
        &mut self,
        now: ClientTime,
        datagram: &[u8],
    ) -> Option<(Head, Result<ServerMessage, String>)> {
        count(&mut self.arriving[1], datagram);
        let received = self
            .at_player
            .receive(now, datagram, &self.player_commands)
            .ok()??;
        let head = head(
            "server",
            received.sequence,
            received.bytes.len(),
            &mut self.arriving[1],
        );
        let newest = self.player_commands.newest();
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
        Some((head, message.map_err(|error| error.to_string())))
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
                json!({ "op": "command", "bits": bits, "number": command.number, "text": command.text })
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
                let cost = cost::of_snapshot(snapshot, base.map(|base| &**base), gamestate);
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

fn head(from: &str, sequence: i32, message: usize, arriving: &mut (u32, usize)) -> Head {
    let (datagrams, bytes) = std::mem::take(arriving);
    Map::from_iter([
        ("from".to_owned(), from.into()),
        ("sequence".to_owned(), sequence.into()),
        ("datagrams".to_owned(), datagrams.into()),
        ("bytes".to_owned(), bytes.into()),
        ("message_bytes".to_owned(), message.into()),
    ])
}

/// Only the first word: what follows may be a password.
fn out_of_band(from: &str, datagram: &[u8]) -> Value {
    let letters = datagram[4..]
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric());
    let word: String = letters.take(32).map(|&byte| char::from(byte)).collect();
    json!({ "from": from, "bytes": datagram.len(), "out_of_band": word })
}

fn faulty(mut head: Head, error: &str) -> Value {
    head.insert("error".to_owned(), error.into());
    head.into()
}

fn of_player(mut head: Head, message: &ClientMessage) -> Value {
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
    let fields = cost.fields.iter();
    let fields: Head = fields
        .map(|(name, bits)| (name.clone(), (*bits).into()))
        .collect();
    json!({ "bits": cost.bits, "fields": fields })
}

fn written(write: impl FnOnce(&mut svc::Writer)) -> usize {
    let mut writer = svc::Writer::new(0);
    let before = writer.bit_len();
    write(&mut writer);
    writer.bit_len() - before
}

fn newest_gamestate(message: &ServerMessage) -> Option<Arc<Gamestate>> {
    message.ops.iter().rev().find_map(|op| match op {
        ServerOp::Gamestate(gamestate) => Some(gamestate.clone()),
        _ => None,
    })
}
