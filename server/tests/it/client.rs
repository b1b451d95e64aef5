//! A client for tests: it speaks the protocol and nothing else, without a clock of its own.

use server::{Event, Output, Pak, Peer, Server};
use shared::{
    base::{
        info::{Info, MAX_INFO},
        time::{ClientTime, ServerTime},
        tokens::Tokens,
    },
    formats::{
        bsp::Bsp,
        pk3::{self, Directory},
    },
    net::{
        clc::{self, ClientMessage, MoveKey, Movement},
        netchan::{Netchan, Side, is_out_of_band},
        oob::{ClientPacket, ServerPacket},
        protocol::WireForm,
        reliable::CommandTexts,
        svc::{Command, Decoder, Download, Origin, ServerOp},
    },
    types::{gamestate::Gamestate, snapshot::Snapshot, usercmd::Usercmd},
};
use std::{
    collections::HashMap,
    fs,
    net::SocketAddr,
    sync::{Arc, OnceLock},
};

/// Where Debian's package `openarena-data` puts the game.
const PAKS: &str = "/usr/share/games/openarena/baseoa";

/// What lies in a pak.
fn directory(bytes: &[u8]) -> Directory {
    let size = bytes.len() as u64;
    let place = pk3::find_directory(size, &bytes[pk3::tail_range(size).start as usize..]);
    let place = place.expect("a pak has a directory");
    let range = place.range.start as usize..place.range.end as usize;
    Directory::parse(&place, &bytes[range]).expect("a directory")
}

/// A map out of the bytes of a pak, if that has it.
fn map_of_pak(bytes: &[u8], name: &str) -> Option<Arc<Bsp>> {
    let directory = directory(bytes);
    let entry = directory.find(&format!("maps/{name}.bsp"))?;
    let range = entry.range();
    let packed = &bytes[range.start as usize..range.end as usize];
    let map = entry.extract(packed).expect("the map can be unpacked");
    Some(Arc::new(Bsp::parse(&map).expect("a map")))
}

/// The test room.
pub fn svtest() -> Arc<Bsp> {
    let pak = include_bytes!("../data/svtest.pk3");
    map_of_pak(pak, "svtest").expect("the pak has the map")
}

/// The bytes of OpenArena's paks, those first that later ones override.
fn openarena_paks() -> impl DoubleEndedIterator<Item = Vec<u8>> {
    assert!(
        fs::metadata(PAKS).is_ok(),
        "{PAKS} is missing: install the Debian package openarena-data"
    );
    let mut paks: Vec<_> = fs::read_dir(PAKS)
        .expect("the folder can be read")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "pk3"))
        .collect();
    paks.sort();
    paks.into_iter()
        .map(|pak| fs::read(pak).expect("a pak can be read"))
}

/// The files in OpenArena's paks, by their names in small letters, with their sizes in bytes.
pub fn openarena_files() -> HashMap<String, u32> {
    let files = openarena_paks().flat_map(|pak| directory(&pak).entries().to_vec());
    files
        .map(|file| (file.name.to_lowercase(), file.size))
        .collect()
}

/// A map from OpenArena's paks.
pub fn openarena_map(name: &str) -> Arc<Bsp> {
    let found = openarena_paks()
        .rev()
        .find_map(|pak| map_of_pak(&pak, name));
    found.expect("a pak has the map")
}

/// The map oa_dm1, from OpenArena's paks.
pub fn oa_dm1() -> Arc<Bsp> {
    static MAP: OnceLock<Arc<Bsp>> = OnceLock::new();
    MAP.get_or_init(|| openarena_map("oa_dm1")).clone()
}

/// Lines of the server's console.
pub fn commands(lines: &[&str]) -> Vec<Event> {
    let lines = lines.iter();
    lines
        .map(|line| Event::Command((*line).to_owned()))
        .collect()
}

/// The answer to a server that asks for a map.
pub fn map_read(name: &str, map: Arc<Bsp>) -> Event {
    Event::MapRead {
        name: name.to_owned(),
        result: Ok(map),
    }
}

/// A server on which a map has begun, and in whose first frame of 50 milliseconds bots come.
pub fn server_with_bots(
    seed: u64,
    (name, map): (&str, Arc<Bsp>),
    settings: &[&str],
    bots: &[&str],
) -> Server {
    let mut server = Server::new(seed);
    let begin = format!("map {name}");
    let lines = [&["set sv_maxclients 8"][..], settings, &[begin.as_str()]].concat();
    server.frame(0, commands(&lines));
    server.frame(0, vec![map_read(name, map)]);
    server.frame(50, commands(bots));
    server
}

/// Lets several play at once, in frames of 50 milliseconds.
pub fn play_together(server: &mut Server, clients: &mut [Client], msec: i32) {
    for _ in 0..msec / 50 {
        let events = clients.iter_mut().flat_map(|one| one.frame(50, |_| {}));
        let events = events.collect();
        let output = server.frame(50, events);
        clients.iter_mut().for_each(|one| one.take(&output));
    }
}

/// A server that plays oa_dm1.
pub fn server(settings: &[&str]) -> Server {
    server_with_paks(settings, Vec::new())
}

/// The same, with paks that clients are told of.
pub fn server_with_paks(settings: &[&str], paks: Vec<Pak>) -> Server {
    let mut server = Server::new(7);
    let output = server.frame(0, commands(&[settings, &["map oa_dm1"]].concat()));
    assert_eq!(output.requests.len(), 1, "{:?}", output.requests);
    let read = map_read("oa_dm1", oa_dm1());
    let output = server.frame(0, vec![Event::PaksFound(paks), read]);
    assert!(server.level_time().is_some(), "{:?}", output.printed);
    server
}

/// A restart tells its number by a configstring.
fn follow_configstring(gamestate: &mut Arc<Gamestate>, text: &str) {
    let tokens = Tokens::new(text);
    if let ("cs", Ok(index)) = (tokens.get(0), tokens.get(1).parse()) {
        let strings = &mut Arc::make_mut(gamestate).configstrings;
        strings.set(index, tokens.get(2)).expect("it fits");
    }
}

/// One client.
pub struct Client {
    pub peer: Peer,
    pub protocol: i32,
    pub wire: WireForm,
    pub userinfo: Info,
    challenge: Option<i32>,
    channel: Option<Channel>,
    /// What the server said outside of the connection.
    pub refusals: Vec<String>,
    /// Texts of reliable commands, as they came.
    pub heard: Vec<String>,
    pub gamestate: Option<Arc<Gamestate>>,
    /// How many came.
    pub gamestates: usize,
    pub snapshot: Option<Arc<Snapshot>>,
    /// Snapshots told against another, and those that came in full.
    pub deltas: usize,
    pub fulls: usize,
    /// A file that comes over the connection: how large it is to be, and what has come.
    pub file_size: Option<i32>,
    pub file: Vec<u8>,
    /// Number of the next block; none while nothing is fetched.
    pub next_block: Option<i32>,
    /// Usercmds of one message; it has one for each part of its frame.
    pub usercmds: i32,
    /// Sends no usercmds.
    pub is_still: bool,
    /// Datagrams from the server that still get lost.
    pub to_lose: usize,
    now: i32,
    usercmd: Usercmd,
}

struct Channel {
    netchan: Netchan,
    decoder: Decoder,
    server_commands: CommandTexts,
    commands: CommandTexts,
    commands_acked: i32,
    message_ack: i32,
}

impl Client {
    pub fn new(port: u16, protocol: i32) -> Self {
        let userinfo = "\\name\\Probe\\rate\\25000\\snaps\\20\\model\\sarge";
        Self {
            peer: Peer::Net(SocketAddr::from(([127, 0, 0, 1], port))),
            protocol,
            wire: match protocol {
                68 => WireForm::Legacy,
                _ => WireForm::Modern,
            },
            userinfo: Info::parse(userinfo),
            challenge: None,
            channel: None,
            refusals: Vec::new(),
            heard: Vec::new(),
            gamestate: None,
            gamestates: 0,
            snapshot: None,
            deltas: 0,
            fulls: 0,
            file_size: None,
            file: Vec::new(),
            next_block: None,
            usercmds: 1,
            is_still: false,
            to_lose: 0,
            now: 0,
            usercmd: Usercmd::default(),
        }
    }

    /// Plays with the server alone for so many milliseconds, in frames of `step` milliseconds.
    pub fn play(&mut self, server: &mut Server, msec: i32, step: i32, act: impl Fn(&mut Usercmd)) {
        for _ in 0..msec / step {
            let events = self.frame(step, &act);
            let output = server.frame(step, events);
            self.take(&output);
        }
    }

    /// What it sends in a frame.
    pub fn frame(&mut self, step: i32, act: impl Fn(&mut Usercmd)) -> Vec<Event> {
        self.now += step;
        let datagrams = match (&self.channel, self.challenge) {
            (Some(_), _) => self.message(step, act),
            (None, Some(challenge)) => vec![self.connect(challenge)],
            (None, None) => {
                let packet = ClientPacket::GetChallenge {
                    own: Some(5),
                    gamename: "Quake3Arena".to_owned(),
                };
                vec![packet.write().expect("a packet")]
            }
        };
        let from = self.peer;
        let packet = |bytes| Event::Packet { from, bytes };
        datagrams.into_iter().map(packet).collect()
    }

    fn connect(&self, challenge: i32) -> Vec<u8> {
        let mut userinfo = self.userinfo.clone();
        let pairs = [
            ("protocol", self.protocol),
            ("qport", i32::from(self.qport())),
            ("challenge", challenge),
        ];
        for (key, value) in pairs {
            userinfo
                .set(key, &value.to_string(), MAX_INFO)
                .expect("it fits");
        }
        ClientPacket::Connect { userinfo }
            .write()
            .expect("a packet")
    }

    /// Says a reliable command with the next message.
    pub fn say(&mut self, text: &str) {
        let channel = self.channel.as_mut().expect("a connection");
        channel.commands.push(text);
    }

    fn message(&mut self, step: i32, act: impl Fn(&mut Usercmd)) -> Vec<Vec<u8>> {
        let channel = self.channel.as_mut().expect("a connection");
        let mut message = ClientMessage {
            message_ack: channel.message_ack,
            command_ack: channel.server_commands.newest(),
            commands: channel
                .commands
                .after(channel.commands_acked)
                .map(|(number, text)| Command {
                    number,
                    text: text.to_owned(),
                })
                .collect(),
            ..ClientMessage::default()
        };
        let mut feed = 0;
        if let Some(gamestate) = &self.gamestate {
            let systeminfo = Info::parse(gamestate.configstrings.get(1));
            message.server_id = systeminfo.number("sv_serverid");
            feed = gamestate.checksum_feed;
            let shown = self
                .snapshot
                .as_ref()
                .map_or(ServerTime(0), |one| one.server_time);
            let mut usercmds = Vec::new();
            for _ in 0..self.usercmds {
                let next = self.usercmd.server_time + step / self.usercmds;
                self.usercmd.server_time = if next - shown < 0 { shown } else { next };
                act(&mut self.usercmd);
                usercmds.push(self.usercmd);
            }
            if self.is_still {
                usercmds.clear();
            }
            message.movement = Movement {
                allows_delta: self.snapshot.is_some(),
                usercmds,
            };
        }
        let key = MoveKey {
            checksum_feed: feed,
            server_command: channel.server_commands.get(message.command_ack),
        };
        let bytes = clc::write(&message, key).expect("a message");
        channel
            .netchan
            .send(bytes, &channel.server_commands)
            .expect("a message")
    }

    /// Takes what the server sent to it.
    pub fn take(&mut self, output: &Output) {
        for (peer, datagram) in &output.datagrams {
            if *peer == self.peer {
                self.receive(datagram);
            }
        }
    }

    /// Takes one datagram.
    pub fn receive(&mut self, datagram: &[u8]) {
        if self.to_lose > 0 {
            self.to_lose -= 1;
        } else if is_out_of_band(datagram) {
            self.take_out_of_band(datagram);
        } else {
            self.take_message(datagram);
        }
    }

    fn take_out_of_band(&mut self, datagram: &[u8]) {
        match ServerPacket::read(datagram) {
            Some(ServerPacket::Challenge(answer)) => self.challenge = Some(answer.challenge),
            Some(ServerPacket::Connected { .. }) => {
                let qport = self.qport();
                let wire = self.wire;
                let challenge = self.challenge.expect("a challenge");
                self.channel = Some(Channel {
                    netchan: Netchan::new(Side::Client { qport }, wire, challenge),
                    decoder: Decoder::new(Origin::Connection(wire)),
                    server_commands: CommandTexts::new(),
                    commands: CommandTexts::new(),
                    commands_acked: 0,
                    message_ack: 0,
                });
            }
            Some(ServerPacket::Print(text)) => self.refusals.push(text),
            other => panic!("unexpected: {other:?}"),
        }
    }

    fn take_message(&mut self, datagram: &[u8]) {
        let channel = self.channel.as_mut().expect("a connection");
        let received = channel
            .netchan
            .receive(ClientTime(self.now), datagram, &channel.commands)
            .expect("a datagram of the channel");
        let Some(received) = received else { return };
        let message = channel
            .decoder
            .read(
                received.sequence,
                &received.bytes,
                channel.commands.newest(),
            )
            .expect("a message that can be read");
        channel.message_ack = received.sequence;
        channel.commands_acked = message.rel_ack;
        let mut blocks = Vec::new();
        for op in message.ops {
            match op {
                ServerOp::Command(command) => {
                    if let Some(gamestate) = &mut self.gamestate {
                        follow_configstring(gamestate, &command.text);
                    }
                    channel
                        .server_commands
                        .insert(command.number, &command.text);
                    self.heard.push(command.text);
                }
                ServerOp::Gamestate(gamestate) => {
                    self.gamestate = Some(gamestate);
                    self.gamestates += 1;
                    self.snapshot = None;
                }
                ServerOp::Snapshot(snapshot) => {
                    match snapshot.delta_num {
                        Some(_) => self.deltas += 1,
                        None => self.fulls += 1,
                    }
                    self.snapshot = Some(snapshot);
                }
                ServerOp::Download(download) => blocks.push(download),
                other => panic!("unexpected: {other:?}"),
            }
        }
        blocks.into_iter().for_each(|block| self.take_block(block));
    }

    /// Asks for a pak.
    pub fn fetch(&mut self, path: &str) {
        self.say(&format!("download {path}"));
        (self.next_block, self.file_size) = (Some(0), None);
        self.file.clear();
        self.is_still = true;
    }

    fn take_block(&mut self, download: Download) {
        let (number, size, data) = match download {
            Download::Block { number, size, data } => (number, size, data),
            Download::Refused { reason } => return self.refusals.push(reason),
        };
        if self.next_block != Some(number) {
            return;
        }
        self.file_size = self.file_size.or(size);
        self.file.extend(&data);
        self.say(&format!("nextdl {number}"));
        self.next_block = (!data.is_empty()).then_some(number + 1);
        let channel = self.channel.as_mut().expect("a connection");
        channel.decoder.expect_block(number + 1);
    }

    fn qport(&self) -> u16 {
        match self.peer {
            Peer::Net(address) => address.port(),
            Peer::Local | Peer::Bot => 0,
        }
    }

    /// The newest snapshot.
    pub fn seen(&self) -> &Snapshot {
        self.snapshot.as_ref().expect("a snapshot")
    }

    pub fn has_heard(&self, text: &str) -> bool {
        self.heard.iter().any(|line| line.contains(text))
    }
}
