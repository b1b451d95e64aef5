//! How many usercmds a real server never gets, and how many bytes go up, by `cl_packetdup`: several players on OpenArena's
//! server at the same time, each behind a bad line of its own with the same quality.
//!
//! `cargo bench -p client --bench redundancy -- --seconds 600 --loss 5 --jitter 20 --reorder 2`

#[path = "../tests/servers/player.rs"]
#[expect(dead_code, reason = "tests use more of it")]
mod player;

use clap::Parser;
use client::cl::{Seeds, State};
use player::{Headless, Play, usual_settings};
use real_servers::{GameServer, Program};
use shared::{
    base::time::ClientTime,
    sim::{BadNetwork, LineQuality},
};
use std::{
    net::UdpSocket,
    time::{Duration, Instant},
};

#[derive(Parser)]
struct Options {
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// Percent lost, each way.
    #[arg(long, default_value_t = 5.0)]
    loss: f32,
    /// Milliseconds each way, give or take `--jitter`.
    #[arg(long, default_value_t = 40)]
    delay: i32,
    #[arg(long, default_value_t = 20)]
    jitter: i32,
    /// Percent overtaken, each way.
    #[arg(long, default_value_t = 2.0)]
    reorder: f32,
    /// Players for each setting.
    #[arg(long, default_value_t = 1)]
    players: u16,
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Cargo's own word.
    #[arg(long, hide = true)]
    bench: bool,
}

/// `cl_packetdup`; `None` is `auto`.
const SETTINGS: [Option<i32>; 5] = [None, Some(0), Some(1), Some(2), Some(5)];
const FRAME: Duration = Duration::from_millis(8);

fn main() {
    let options = Options::parse();
    let arguments = "+set sv_pure 0 +set fraglimit 0 +set timelimit 0 +map oa_dm1";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let server = GameServer::start(Program::OpenArena, options.port, &arguments);
    let mut players: Vec<Player> = SETTINGS
        .iter()
        .flat_map(|repeats| (0..options.players).map(move |number| (*repeats, number)))
        .enumerate()
        .map(|(at, (repeats, number))| {
            Player::join(&options, &server.address(), at as u16, (repeats, number))
        })
        .collect();
    let began = Instant::now();
    let mut tick = began;
    while began.elapsed().as_secs() < options.seconds + 10 {
        players.iter_mut().for_each(Player::frame);
        // After a pause of the whole machine no frames are made up for: one frame makes one usercmd, however long it was.
        tick = (tick + FRAME).max(Instant::now());
        std::thread::sleep(tick.saturating_duration_since(Instant::now()));
    }
    let rate_of_auto = players[0].bytes_per_second();
    for player in &players {
        player.report(rate_of_auto);
    }
}

struct Player {
    headless: Headless,
    socket: UdpSocket,
    network: BadNetwork,
    began: Instant,
    repeats: Option<i32>,
    /// When it came into the game; what was before is not counted.
    active_since: Option<ClientTime>,
    now: ClientTime,
    bytes: usize,
    datagrams: usize,
    judge: Judge,
    counted: u32,
    usercmds_in_packets: u32,
}

/// Decides as a server does which usercmds it executes, by the packets that reach it.
#[derive(Default)]
struct Judge {
    newest_sequence: u32,
    newest_usercmd: Option<i32>,
    executed: u32,
    lost: u32,
}

impl Judge {
    /// Takes note of a packet with usercmds up to a number.
    fn deliver(&mut self, sequence: u32, newest: i32, count: i32) {
        // A channel drops what comes late or twice.
        if sequence <= self.newest_sequence {
            return;
        }
        self.newest_sequence = sequence;
        let Some(before) = self.newest_usercmd else {
            self.newest_usercmd = Some(newest);
            return;
        };
        if newest <= before {
            return;
        }
        let first = newest - count + 1;
        let missing = (first - before - 1).max(0);
        self.lost += missing as u32;
        self.executed += (newest - before - missing) as u32;
        self.newest_usercmd = Some(newest);
    }
}

impl Player {
    fn join(
        options: &Options,
        server: &str,
        at: u16,
        (repeats, number): (Option<i32>, u16),
    ) -> Self {
        // Servers answer one address only so often, and count who plays from it.
        let host = [127, 0, 2, 1 + at as u8];
        let socket = UdpSocket::bind((std::net::Ipv4Addr::from(host), 0)).expect("a free port");
        socket.connect(server).expect("the loopback device");
        socket.set_nonblocking(true).expect("UDP can do so");
        let quality = LineQuality {
            delay_msec: options.delay,
            jitter_msec: options.jitter,
            loss_percent: options.loss,
            reorder_percent: options.reorder,
            ..LineQuality::PERFECT
        };
        let name = format!("dup{repeats:?}{number}");
        let mut settings = usual_settings(&name, &format!("{at:032X}"));
        settings.packet_dup = repeats;
        let seeds = Seeds {
            qport: 1000 + at,
            challenge: i32::from(at) * 7919 + 1,
        };
        let headless = Headless::connect(
            server,
            settings,
            Play::Random,
            Vec::new(),
            seeds,
            ClientTime(1),
        );
        Self {
            headless,
            socket,
            network: BadNetwork::new(quality, quality, u64::from(at) + 1),
            began: Instant::now(),
            repeats,
            active_since: None,
            now: ClientTime(1),
            bytes: 0,
            datagrams: 0,
            judge: Judge::default(),
            counted: 0,
            usercmds_in_packets: 0,
        }
    }

    fn frame(&mut self) {
        self.now = ClientTime(1 + self.began.elapsed().as_millis() as i32);
        let mut buffer = [0; 65_536];
        while let Ok(length) = self.socket.recv(&mut buffer) {
            self.network
                .to_client
                .send(self.now, buffer[..length].to_vec());
        }
        while let Some(datagram) = self.network.to_client.receive(self.now) {
            self.headless.handle_packet(self.now, &datagram);
        }
        let datagrams = self.headless.frame(self.now);
        let is_active = self.headless.connection().state() == State::Active;
        if is_active && self.active_since.is_none() {
            self.active_since = Some(self.now);
        }
        for datagram in datagrams {
            if is_active {
                self.bytes += datagram.len();
                self.datagrams += 1;
            }
            self.network.to_server.send(self.now, datagram);
        }
        while let Some(datagram) = self.network.to_server.receive(self.now) {
            if is_active {
                self.judge_datagram(&datagram);
            }
            // What the device does not take would be lost without being counted.
            self.socket.send(&datagram).expect("loopback takes it");
        }
    }

    fn judge_datagram(&mut self, datagram: &[u8]) {
        let Some(first) = datagram.first_chunk() else {
            return;
        };
        let sequence = u32::from_le_bytes(*first);
        if sequence >> 31 != 0 {
            return;
        }
        let packets = self.headless.connection().sent_packets(sequence);
        let Some(packet) = packets.first().filter(|one| one.sequence == sequence) else {
            return;
        };
        self.counted += 1;
        self.usercmds_in_packets += u32::from(packet.usercmds);
        self.judge
            .deliver(sequence, packet.usercmd_number, i32::from(packet.usercmds));
    }

    fn seconds(&self) -> f32 {
        self.active_since
            .map_or(0.0, |since| (self.now - since) as f32 / 1000.0)
    }

    fn bytes_per_second(&self) -> f32 {
        self.bytes as f32 / self.seconds().max(1.0)
    }

    fn report(&self, rate_of_auto: f32) {
        let setting = self
            .repeats
            .map_or("auto".to_owned(), |repeats| repeats.to_string());
        let rate = self.bytes_per_second();
        let stats = self.network.to_server.stats();
        println!(
            "cl_packetdup {setting}: {} usercmds executed, {} lost in {:.0} s; {} packets up, {} lost, {} overtaken; \
             {rate:.0} bytes/s up ({:.1} a packet, {:.2} usercmds a packet), auto is {:.2} times that",
            self.judge.executed,
            self.judge.lost,
            self.seconds(),
            stats.sent,
            stats.lost,
            stats.held_back,
            self.bytes as f32 / self.datagrams.max(1) as f32,
            self.usercmds_in_packets as f32 / self.counted.max(1) as f32,
            rate_of_auto / rate.max(1.0),
        );
    }
}
