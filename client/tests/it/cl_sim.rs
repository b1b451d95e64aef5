//! A simulated server and line with a virtual clock, for tests of the connection.

use client::cl::{Connection, PureProof, Seeds, Settings, State, Update};
use shared::{
    base::{
        info::{Info, MAX_INFO},
        time::{ClientTime, ServerTime},
    },
    net::{
        clc::{self, ClientMessage},
        netchan::{Netchan, Side},
        oob::{Challenge, ClientPacket, ServerPacket},
        protocol::WireForm,
        reliable::CommandTexts,
        svc::{Download, Writer},
    },
    sim::{BadNetwork, LineQuality},
    types::{
        configstring::index,
        entitystate::EntityState,
        gamestate::Gamestate,
        snapshot::{Snapshot, flags},
        usercmd::Usercmd,
    },
};
use std::collections::VecDeque;

/// How a server of the field differs from another.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// The protocol in infoResponse.
    pub info_protocol: i32,
    /// The third argument of challengeResponse.
    pub offered: Option<i32>,
    /// Whether connectResponse names the protocol.
    pub names_protocol: bool,
    /// The form used with a client that connects with 71.
    pub wire_of_71: WireForm,
    /// Says nothing until the client's first message.
    pub waits_for_client: bool,
}

pub const STOCK: Kind = Kind {
    info_protocol: 68,
    offered: None,
    names_protocol: false,
    wire_of_71: WireForm::Legacy,
    waits_for_client: false,
};
pub const OPENARENA: Kind = Kind {
    info_protocol: 71,
    offered: Some(71),
    ..STOCK
};
pub const IOQUAKE3: Kind = Kind {
    offered: Some(71),
    wire_of_71: WireForm::Modern,
    ..STOCK
};
pub const QUAKE3E: Kind = Kind {
    names_protocol: true,
    waits_for_client: true,
    ..IOQUAKE3
};

/// A server with one slot.
#[derive(Debug)]
pub struct SimServer {
    pub kind: Kind,
    pub password: String,
    pub is_full: bool,
    pub is_pure: bool,
    /// More of the systeminfo, from the next level on.
    pub systeminfo: String,
    /// Every `connect` that reached it.
    pub connects: Vec<Info>,
    pub challenge: i32,
    pub slot: Option<Slot>,
    pub gamestate: Gamestate,
    pub time: ServerTime,
    map_count: i32,
    server_count_bit: u8,
    pub answers: Vec<Vec<u8>>,
}

/// What the server knows of its client.
#[derive(Debug)]
pub struct Slot {
    pub netchan: Netchan,
    /// Texts to the client.
    pub commands: CommandTexts,
    acknowledged: i32,
    /// Texts from the client.
    client_commands: CommandTexts,
    /// What was executed, in order.
    pub executed: Vec<String>,
    message_ack: i32,
    gamestate_message: i32,
    pub gamestates_sent: u32,
    is_proven: bool,
    pub is_in_world: bool,
    allows_delta: bool,
    pub command_time: i32,
    pub usercmds: u32,
    pub messages: u32,
    sent: VecDeque<Snapshot>,
    pub is_zombie: bool,
}

impl SimServer {
    pub fn new(kind: Kind) -> Self {
        let mut server = Self {
            kind,
            password: String::new(),
            is_full: false,
            is_pure: false,
            systeminfo: String::new(),
            connects: Vec::new(),
            challenge: -123_456_789,
            slot: None,
            gamestate: Gamestate::default(),
            time: ServerTime(0),
            map_count: 0,
            server_count_bit: 0,
            answers: Vec::new(),
        };
        server.load_map("first");
        server
    }

    /// Loads a level, without a word to the client.
    pub fn load_map(&mut self, map: &str) {
        self.map_count += 1;
        self.server_count_bit ^= flags::SERVER_COUNT;
        self.time = ServerTime(400);
        let mut gamestate = Gamestate {
            client_num: 3,
            checksum_feed: -1_862_093_484 + self.map_count,
            ..Gamestate::default()
        };
        let strings = &mut gamestate.configstrings;
        let serverinfo = format!("\\mapname\\{map}\\sv_hostname\\sim\\g_gametype\\0");
        strings
            .set(index::SERVERINFO, &serverinfo)
            .expect("it is short");
        // Long enough for several fragments.
        for number in 0..40 {
            let text = format!("models/players/number{number}/{map}/{}", "x".repeat(60));
            strings.set(32 + number, &text).expect("they are short");
        }
        gamestate.baselines = (1..60)
            .map(|number| EntityState {
                number,
                e_type: 2,
                ..Default::default()
            })
            .collect();
        self.gamestate = gamestate;
        self.set_server_id(self.map_count * 1000);
        if let Some(slot) = &mut self.slot {
            slot.is_in_world = false;
            slot.is_proven = false;
            slot.gamestate_message = 0;
            slot.command_time = 0;
            slot.sent.clear();
        }
    }

    fn set_server_id(&mut self, id: i32) {
        let pure = i32::from(self.is_pure);
        let more = &self.systeminfo;
        let text =
            format!("\\sv_serverid\\{id}\\sv_pure\\{pure}\\sv_paks\\1 2 \\sv_cheats\\0{more}");
        self.gamestate
            .configstrings
            .set(index::SYSTEMINFO, &text)
            .expect("it is short");
    }

    pub fn server_id(&self) -> i32 {
        Info::parse(self.gamestate.configstrings.get(index::SYSTEMINFO)).number("sv_serverid")
    }

    pub fn restart_map(&mut self) {
        self.server_count_bit ^= flags::SERVER_COUNT;
        self.command("map_restart");
        self.set_server_id(self.server_id() + 1);
        let systeminfo = self
            .gamestate
            .configstrings
            .get(index::SYSTEMINFO)
            .to_owned();
        self.command(&format!("cs 1 \"{systeminfo}\"\n"));
    }

    /// Queues a reliable command.
    pub fn command(&mut self, text: &str) {
        if let Some(slot) = &mut self.slot {
            slot.commands.push(text);
        }
    }

    /// What the server knows of its client.
    pub fn slot(&self) -> &Slot {
        self.slot.as_ref().expect("the client is there")
    }

    pub fn kick(&mut self, reason: &str) {
        self.command(&format!("disconnect \"{reason}\""));
        if let Some(slot) = &mut self.slot {
            slot.is_zombie = true;
        }
    }

    pub fn handle(&mut self, now: i32, datagram: &[u8]) {
        match ClientPacket::read(datagram) {
            Some(packet) => self.handle_question(&packet),
            None => self.handle_message(now, datagram),
        }
    }

    fn answer(&mut self, packet: &ServerPacket) {
        self.answers.push(packet.write());
    }

    fn handle_question(&mut self, packet: &ClientPacket) {
        match packet {
            ClientPacket::GetInfo { token } => {
                let mut info = Info::new();
                let protocol = self.kind.info_protocol.to_string();
                for (key, value) in [("challenge", token.as_str()), ("protocol", &protocol)] {
                    info.set(key, value, MAX_INFO).expect("they are short");
                }
                self.answer(&ServerPacket::Info(info));
            }
            ClientPacket::GetChallenge { own, .. } => {
                let has_arguments = self.kind.offered.is_some();
                self.answer(&ServerPacket::Challenge(Challenge {
                    challenge: self.challenge,
                    own: own.filter(|_| has_arguments),
                    protocol: self.kind.offered,
                }));
            }
            ClientPacket::Connect { userinfo } => self.handle_connect(userinfo),
            _ => {}
        }
    }

    fn handle_connect(&mut self, userinfo: &Info) {
        self.connects.push(userinfo.clone());
        let protocol = userinfo.number("protocol");
        let refusal = if userinfo.number("challenge") != self.challenge {
            Some("No or bad challenge for your address.".to_owned())
        } else if ![68, 71].contains(&protocol) {
            Some(format!(
                "Server uses protocol version 68 (yours is {protocol})."
            ))
        } else if self.is_full {
            Some("Server is full.".to_owned())
        } else if userinfo.get("password") != self.password {
            Some("Invalid password".to_owned())
        } else {
            None
        };
        if let Some(refusal) = refusal {
            self.answer(&ServerPacket::Print(format!("{refusal}\n")));
            return;
        }
        let is_modern = protocol > 68 && self.kind.wire_of_71 == WireForm::Modern;
        let wire = if is_modern {
            WireForm::Modern
        } else {
            WireForm::Legacy
        };
        let qport = u16::try_from(userinfo.number("qport")).expect("a qport has 16 bits");
        self.slot = Some(Slot {
            netchan: Netchan::new(Side::Server { qport }, wire, self.challenge),
            commands: CommandTexts::new(),
            acknowledged: 0,
            client_commands: CommandTexts::new(),
            executed: Vec::new(),
            message_ack: 0,
            gamestate_message: 0,
            gamestates_sent: 0,
            is_proven: false,
            is_in_world: false,
            allows_delta: false,
            command_time: 0,
            usercmds: 0,
            messages: 0,
            sent: VecDeque::new(),
            is_zombie: false,
        });
        let named = (self.kind.names_protocol && protocol > 68).then_some(protocol);
        self.answer(&ServerPacket::Connected {
            challenge: Some(self.challenge),
            protocol: named,
        });
    }

    fn handle_message(&mut self, now: i32, datagram: &[u8]) {
        let server_id = self.server_id();
        let Some(slot) = &mut self.slot else {
            return;
        };
        let received = slot
            .netchan
            .receive(ClientTime(now), datagram, &slot.commands);
        let Ok(Some(received)) = received else {
            return;
        };
        let feed = self.gamestate.checksum_feed;
        let Ok(message) = clc::read(&received.bytes, feed, |number| slot.commands.get(number))
        else {
            return;
        };
        slot.messages += 1;
        if slot.is_zombie {
            return;
        }
        slot.acknowledged = slot.acknowledged.max(message.command_ack);
        slot.message_ack = message.message_ack;
        let is_current = message.server_id == server_id;
        if !is_current {
            let has_missed_it = message.message_ack > slot.gamestate_message;
            if !slot.is_in_world && (has_missed_it || slot.gamestate_message == 0) {
                self.send_gamestate();
            }
            return;
        }
        self.execute(&message);
    }

    fn execute(&mut self, message: &ClientMessage) {
        let Some(slot) = &mut self.slot else {
            return;
        };
        for command in &message.commands {
            if command.number <= slot.client_commands.newest() {
                continue;
            }
            assert_eq!(
                command.number,
                slot.client_commands.newest() + 1,
                "Lost reliable commands"
            );
            slot.client_commands.insert(command.number, &command.text);
            slot.executed.push(command.text.clone());
            slot.is_proven |= command.text.starts_with("cp ");
        }
        slot.allows_delta = message.movement.allows_delta;
        for usercmd in &message.movement.usercmds {
            if self.is_pure && !slot.is_proven {
                continue;
            }
            slot.is_in_world = true;
            if usercmd.server_time.0 > slot.command_time {
                slot.command_time = usercmd.server_time.0;
                slot.usercmds += 1;
            }
        }
    }

    pub fn send_gamestate(&mut self) {
        let Some(slot) = &mut self.slot else {
            return;
        };
        slot.gamestates_sent += 1;
        slot.gamestate_message = slot.netchan.outgoing();
        slot.sent.clear();
        let mut gamestate = self.gamestate.clone();
        gamestate.server_command_num = slot.commands.newest();
        let mut writer = Writer::new(slot.client_commands.newest());
        for (number, text) in slot.commands.after(slot.acknowledged) {
            writer.command(number, text);
        }
        writer.gamestate(&gamestate);
        let message = writer.finish().expect("the gamestate is small enough");
        self.send_raw(message);
    }

    /// Sends any bytes as the next message.
    pub fn send_raw(&mut self, message: Vec<u8>) {
        if let Some(slot) = &mut self.slot {
            let sent = slot.netchan.send(message, &slot.client_commands);
            self.answers
                .extend(sent.expect("the message is small enough"));
        }
    }

    pub fn send_download(&mut self, download: &Download) {
        let mut writer = self.writer();
        writer.download(download);
        self.send_raw(writer.finish().expect("it is small"));
    }

    /// What the client has executed, as the head of a message.
    pub fn writer(&self) -> Writer {
        Writer::new(
            self.slot
                .as_ref()
                .map_or(0, |slot| slot.client_commands.newest()),
        )
    }

    pub fn send_snapshot(&mut self) {
        let Some(slot) = &mut self.slot else {
            return;
        };
        if self.kind.waits_for_client && slot.messages == 0 {
            return;
        }
        let number = slot.netchan.outgoing();
        let mut snapshot = Snapshot {
            message_num: number,
            server_time: self.time,
            flags: self.server_count_bit,
            ..Snapshot::default()
        };
        if slot.is_in_world {
            snapshot.player.command_time = slot.command_time;
            snapshot.player.client_num = 3;
            snapshot.entities = (10..40)
                .filter(|entity| (i32::from(*entity) + self.time.0 / 50) % 7 != 0)
                .map(|entity| EntityState {
                    number: entity,
                    e_type: 1,
                    frame: self.time.0,
                    ..Default::default()
                })
                .collect();
        } else {
            snapshot.flags |= flags::NOT_ACTIVE;
        }
        let base = slot
            .sent
            .iter()
            .find(|sent| sent.message_num == slot.message_ack)
            .filter(|base| slot.allows_delta && number - base.message_num < 28);
        let mut writer = Writer::new(slot.client_commands.newest());
        for (number, text) in slot.commands.after(slot.acknowledged) {
            writer.command(number, text);
        }
        writer.snapshot(&snapshot, base, &self.gamestate);
        slot.sent.push_back(snapshot);
        slot.sent.truncate(64);
        if slot.sent.len() > 40 {
            slot.sent.pop_front();
        }
        let message = writer.finish().expect("the snapshot is small enough");
        self.send_raw(message);
    }
}

/// A connection, a server, and a network between them.
#[derive(Debug)]
pub struct Pair {
    pub connection: Connection,
    pub settings: Settings,
    pub server: SimServer,
    pub network: BadNetwork,
    pub now: i32,
    /// Everything the connection told, in order.
    pub updates: Vec<Update>,
    pub proof: Option<PureProof>,
    /// Milliseconds between gamestate and `loading_finished`.
    pub loading_msec: i32,
    load_until: Option<i32>,
    /// Drops datagrams of the server on purpose.
    pub drop_from_server: fn(&[u8]) -> bool,
}

pub fn settings() -> Settings {
    let mut userinfo = Info::new();
    for (key, value) in [("name", "Tester"), ("rate", "25000"), ("snaps", "20")] {
        userinfo.set(key, value, MAX_INFO).expect("they are short");
    }
    Settings {
        userinfo,
        protocol: None,
        max_packets: 125,
        packet_dup: Some(1),
        time_nudge_msec: 0,
        auto_nudge: 0.0,
        timeout_msec: 200_000,
        no_delta: false,
        shows_time_delta: false,
        sends_every_frame: false,
    }
}

impl Pair {
    pub fn new(kind: Kind) -> Self {
        Self::with_settings(kind, settings())
    }

    pub fn with_settings(kind: Kind, settings: Settings) -> Self {
        let seeds = Seeds {
            qport: 4660,
            challenge: 77_777,
        };
        let now = 1000;
        Self {
            connection: Connection::connect("sim", &settings, seeds, ClientTime(now)),
            settings,
            server: SimServer::new(kind),
            network: BadNetwork::new(LineQuality::PERFECT, LineQuality::PERFECT, 1),
            now,
            updates: Vec::new(),
            proof: None,
            loading_msec: 100,
            load_until: None,
            drop_from_server: |_| false,
        }
    }

    /// Sets both directions of the line; jitter only makes datagrams later.
    pub fn line(mut self, latency_msec: i32, jitter_msec: i32, loss_percent: f32) -> Self {
        let quality = LineQuality {
            delay_msec: latency_msec + jitter_msec / 2,
            jitter_msec: jitter_msec / 2,
            loss_percent,
            ..LineQuality::PERFECT
        };
        self.network.to_server.set_quality(quality);
        self.network.to_client.set_quality(quality);
        self
    }

    /// Runs frames of 8 ms.
    pub fn run(&mut self, msec: i32) {
        for _ in 0..msec / 8 {
            self.step();
        }
    }

    pub fn run_until(&mut self, limit_msec: i32, is_true: impl Fn(&Self) -> bool) -> bool {
        for _ in 0..limit_msec / 8 {
            if is_true(self) {
                return true;
            }
            self.step();
        }
        is_true(self)
    }

    pub fn is_active(&self) -> bool {
        self.connection.state() == State::Active
    }

    /// Runs until the player is in the world.
    pub fn enter(&mut self) {
        assert!(
            self.run_until(25_000, Self::is_active),
            "not active: {:?} {:?}",
            self.connection.state(),
            self.updates
        );
    }

    fn step(&mut self) {
        self.now += 8;
        let now = self.now;
        let at = ClientTime(now);
        while let Some(datagram) = self.network.to_server.receive(at) {
            self.server.handle(now, &datagram);
        }
        if now % 50 < 8 {
            self.server.time = self.server.time + 50;
            self.server.send_snapshot();
        }
        for datagram in std::mem::take(&mut self.server.answers) {
            if !(self.drop_from_server)(&datagram) {
                self.network.to_client.send(at, datagram);
            }
        }
        while let Some(datagram) = self.network.to_client.receive(at) {
            self.connection.handle_packet(at, &datagram);
        }
        self.take_updates();
        if self.load_until.is_some_and(|until| now >= until) {
            self.load_until = None;
            self.connection.loading_finished(at, self.proof.as_ref());
        }
        let server_time = self.connection.server_time();
        self.connection.add_usercmd(Usercmd {
            server_time,
            ..Usercmd::default()
        });
        self.connection.frame(at, &self.settings);
        self.take_updates();
        while let Some(datagram) = self.connection.poll_transmit() {
            self.network.to_server.send(at, datagram);
        }
    }

    fn take_updates(&mut self) {
        while let Some(update) = self.connection.poll_update() {
            if let Update::Gamestate(_) = update {
                self.load_until = Some(self.now + self.loading_msec);
            }
            self.updates.push(update);
        }
    }

    /// The words of the game's commands so far.
    pub fn game_commands(&self) -> Vec<String> {
        let words = |update: &Update| match update {
            Update::ServerCommand(command) => match &command.body {
                shared::types::servercmd::ServerCommandBody::Words(words) => Some(words.join(" ")),
                shared::types::servercmd::ServerCommandBody::Configstring { .. } => None,
            },
            _ => None,
        };
        self.updates.iter().filter_map(words).collect()
    }

    /// Why it ended, in the words for the player.
    pub fn end(&self) -> Option<String> {
        self.updates.iter().find_map(|update| match update {
            Update::Disconnected(reason) => Some(reason.to_string()),
            _ => None,
        })
    }
}
