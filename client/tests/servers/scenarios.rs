//! The connection against real servers: every protocol, over maps, restarts, pure checks and kicks.

use crate::player::{Headless, KnownPak, Play, Report, usual_settings};
use client::cl::{Reason, Seeds, State};
use real_servers::{GameServer, Program};
use shared::{
    base::time::ClientTime,
    formats::pk3::{self, Directory},
};
use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    net::UdpSocket,
    path::Path,
    time::{Duration, Instant},
};

/// A simulated player with a socket and a clock.
pub struct Player {
    pub headless: Headless,
    socket: UdpSocket,
    started: Instant,
}

impl Player {
    pub fn connect(server: &GameServer, name: &str, protocol: Option<i32>, play: Play) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("there is a free port");
        socket
            .connect(server.address())
            .expect("the loopback device is there");
        socket
            .set_nonblocking(true)
            .expect("UDP sockets can be nonblocking");
        let guid = guid(name);
        let mut settings = usual_settings(name, &guid);
        settings.protocol = protocol;
        let port = socket.local_addr().map_or(1, |address| address.port());
        let seeds = Seeds {
            // A server takes the same address with the same qport for the same client.
            qport: port,
            challenge: i32::from(port) * 7919,
        };
        let now = ClientTime(1);
        let headless = Headless::connect(&server.address(), settings, play, paks(), seeds, now);
        Self {
            headless,
            socket,
            started: Instant::now(),
        }
    }

    fn now(&self) -> ClientTime {
        ClientTime(1 + i32::try_from(self.started.elapsed().as_millis()).expect("tests are short"))
    }

    pub fn frame(&mut self) {
        let mut buffer = [0; 65_536];
        while let Ok(length) = self.socket.recv(&mut buffer) {
            let now = self.now();
            self.headless.handle_packet(now, &buffer[..length]);
        }
        let now = self.now();
        for datagram in self.headless.frame(now) {
            // What the line does not take is lost, as on any line.
            let _ = self.socket.send(&datagram);
        }
        std::thread::sleep(Duration::from_millis(8));
    }

    fn play(&mut self, seconds: f32) {
        let until = Instant::now() + Duration::from_secs_f32(seconds);
        while Instant::now() < until {
            self.frame();
        }
    }

    /// Changes what the server is told of the player; before the first frame also for `connect`.
    pub fn set(&mut self, key: &str, value: &str) {
        let userinfo = &mut self.headless.settings().userinfo;
        userinfo.set(key, value, 1000).expect("it is a plain value");
    }

    /// Plays until the connection ends, for so many seconds at most, and gives the reason.
    pub fn play_to_the_end(&mut self, seconds: f32) -> Option<Reason> {
        let until = Instant::now() + Duration::from_secs_f32(seconds);
        while self.headless.end().is_none() && Instant::now() < until {
            self.frame();
        }
        self.headless.end().cloned()
    }

    /// Says goodbye.
    pub fn leave(mut self) {
        let now = self.now();
        self.headless.connection().disconnect(now);
        for datagram in self.headless.frame(now) {
            let _ = self.socket.send(&datagram);
        }
    }

    /// Plays on and gives the newest farewell to keep for later, which was made at least `stale`
    /// seconds before the end.
    pub fn play_and_keep_disconnect(&mut self, seconds: f32, stale: f32) -> Vec<Vec<u8>> {
        let mut kept = Vec::new();
        let until = Instant::now() + Duration::from_secs_f32(seconds);
        while Instant::now() < until {
            self.frame();
            let now = self.now();
            kept = self
                .headless
                .connection()
                .poll_deferred_disconnect(now)
                .unwrap_or(kept);
        }
        self.play(stale);
        kept
    }

    /// Sends what another would send in the player's name.
    pub fn send(&self, datagrams: &[Vec<u8>]) {
        for datagram in datagrams {
            self.socket.send(datagram).expect("the line is there");
        }
    }

    /// Plays until something is true, for so many seconds at most.
    fn play_until(&mut self, what: &str, seconds: f32, is_true: impl Fn(&Report) -> bool) {
        let until = Instant::now() + Duration::from_secs_f32(seconds);
        while !is_true(&self.headless.report()) {
            assert!(
                Instant::now() < until && self.headless.end().is_none(),
                "not {what} within {seconds} s: {:?}",
                self.headless.report()
            );
            self.frame();
        }
    }

    pub fn play_until_active(&mut self, level: usize) {
        self.play_until("active", 40.0, |report| {
            report.maps.len() >= level && report.state == State::Active.to_string()
        });
    }
}

/// OpenArena wants 32 hexadecimal digits that nobody else has.
fn guid(name: &str) -> String {
    let mut digits: String = name.bytes().map(|byte| format!("{byte:02X}")).collect();
    digits.truncate(32);
    format!("{digits:0<32}")
}

/// The directories of OpenArena's paks.
fn paks() -> Vec<KnownPak> {
    let folder = Path::new("/usr/share/games/openarena/baseoa");
    let files = std::fs::read_dir(folder).unwrap_or_else(|error| {
        panic!(
            "{} cannot be read ({error}); install openarena-data",
            folder.display()
        )
    });
    let mut paths: Vec<_> = files
        .filter_map(|file| file.ok().map(|file| file.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "pk3"))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| KnownPak {
            directory: directory(path),
        })
        .collect()
}

fn directory(path: &Path) -> Directory {
    let mut file = File::open(path).expect("the pak can be opened");
    let size = file.metadata().expect("the pak has a size").len();
    let mut read = |range: std::ops::Range<u64>| {
        let mut bytes = vec![0; usize::try_from(range.end - range.start).expect("it is small")];
        file.seek(SeekFrom::Start(range.start))
            .expect("the place is inside");
        file.read_exact(&mut bytes).expect("the bytes are there");
        bytes
    };
    let tail = read(pk3::tail_range(size));
    let place = pk3::find_directory(size, &tail).expect("it is a zip archive");
    Directory::parse(&place, &read(place.range.clone())).expect("its directory is sound")
}

const BOTS: [&str; 8] = [
    "sarge", "grism", "kyonshi", "major", "merman", "neko", "rai", "tony",
];

fn add_bots(server: &GameServer) {
    for bot in BOTS {
        server.rcon(&format!("addbot {bot} 3"));
        std::thread::sleep(Duration::from_millis(120));
    }
}

#[derive(Clone, Copy)]
struct Scenario<'a> {
    program: Program,
    port: u16,
    arguments: &'a [&'a str],
    protocol: Option<i32>,
    expected: (i32, &'a str),
    /// The first is loaded at the start.
    maps: [&'a str; 3],
    is_pure: bool,
}

/// At least a minute on one server, with everything that happens on one.
fn play_scenario(scenario: &Scenario<'_>) {
    let [first, second, third] = scenario.maps;
    let pure = if scenario.is_pure { "1" } else { "0" };
    let mut arguments = vec!["+set", "sv_pure", pure, "+set", "g_gametype", "0"];
    arguments.extend(scenario.arguments);
    arguments.extend(["+map", first]);
    let server = GameServer::start(scenario.program, scenario.port, &arguments);
    let mut player = Player::connect(&server, "Tester", scenario.protocol, Play::Random);
    player.play_until_active(1);
    add_bots(&server);
    player.play(14.0);
    let status = server.rcon("status");
    let line = status
        .lines()
        .find(|line| line.contains("Tester"))
        .unwrap_or_else(|| {
            panic!("status does not list the player:\n{status}");
        });
    let ping: i32 = line
        .split_ascii_whitespace()
        .nth(2)
        .and_then(|ping| ping.parse().ok())
        .unwrap_or_else(|| panic!("no ping in {line:?}"));
    assert!(
        (0..=250).contains(&ping),
        "the server measures a ping of {ping}: {line}"
    );

    server.rcon("map_restart 0");
    player.play(8.0);
    assert_eq!(player.headless.report().map_restarts, 1);
    player.play_until_active(1);
    assert!(
        player
            .headless
            .connection()
            .add_reliable_command("say 100% sure")
            .is_ok()
    );

    server.rcon(&format!("map {second}"));
    player.play_until_active(2);
    player.play(14.0);
    // Another game type needs a new map.
    server.rcon("g_gametype 4");
    server.rcon(&format!("map {third}"));
    player.play_until_active(3);
    player.play(14.0);
    player.set("name", "Renamed");
    player.play(10.0);
    assert!(
        server.rcon("status").contains("Renamed"),
        "{}",
        server.rcon("status")
    );

    let report = player.headless.report();
    println!("{report:?}");
    assert!(report.is_good(), "{report:?}");
    assert_eq!(
        (report.protocol, report.wire, report.pure),
        (scenario.expected.0, scenario.expected.1, scenario.is_pure)
    );
    assert_eq!(report.maps, scenario.maps);
    assert!(
        report.game_types.len() == 2 && report.seconds > 55.0,
        "{report:?}"
    );
    assert!(
        report.snapshots > 1000 && report.usercmds > 3000,
        "{report:?}"
    );

    server.rcon("kick Renamed");
    let end = player.play_to_the_end(10.0);
    assert!(
        matches!(&end, Some(Reason::Server(text)) if text.contains("kicked")),
        "{end:?}\n{}",
        server.log()
    );
}

/// All at once, for each takes a minute of real time.
#[test]
fn a_minute_on_every_kind_of_server() {
    let openarena = Scenario {
        program: Program::OpenArena,
        port: 28510,
        arguments: &[],
        protocol: None,
        expected: (71, "legacy"),
        maps: ["oa_dm1", "oa_dm4", "oa_ctf2"],
        is_pure: false,
    };
    let ioquake3 = Scenario {
        program: Program::Ioquake3,
        port: 28512,
        expected: (71, "modern"),
        maps: ["oa_dm3", "oa_dm5", "ps37ctf"],
        ..openarena
    };
    let scenarios = [
        openarena,
        Scenario {
            port: 28511,
            maps: ["oa_dm2", "oa_dm6", "oa_ctf4ish"],
            is_pure: true,
            ..openarena
        },
        ioquake3,
        Scenario {
            port: 28513,
            protocol: Some(68),
            expected: (68, "legacy"),
            maps: ["aggressor", "czest1dm", "czest2ctf"],
            is_pure: true,
            ..ioquake3
        },
        Scenario {
            port: 28514,
            arguments: &["+set", "com_legacyprotocol", "0"],
            maps: ["am_lavaarena", "kaos2", "hydronex2"],
            ..ioquake3
        },
    ];
    std::thread::scope(|scope| {
        for scenario in &scenarios {
            scope.spawn(|| play_scenario(scenario));
        }
    });
}
