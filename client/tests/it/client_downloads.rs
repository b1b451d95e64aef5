//! Paks that a server hands out or refuses, and what the whole client makes of them.

use super::{
    cl_sim::{IOQUAKE3, Kind, QUAKE3E, SimServer},
    recorded::{self, Recorded},
    zip,
};
use client::{
    assets::source::{FoundSource, SourceId, SourceKind},
    cl::State,
    client::ClientSetup,
    con::keys,
    event::{Event, Transport},
    output::Request,
};
use shared::{base::time::ClientTime, formats::pk3, net::svc::Download};

/// How the server treats who asks for a pak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    HandsOut,
    Refuses,
    /// Not a word.
    Silence,
}

/// What becomes of a pak that the client wants to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Disk {
    Works,
    IsFull,
}

/// One client, a server with one pak, and the client's disk, which takes its time.
struct Simulation {
    client: Recorded,
    server: SimServer,
    answer: Answer,
    disk: Disk,
    pak: Vec<u8>,
    now: i32,
    connects: usize,
    /// Commands of this connection that were seen.
    seen: usize,
    block: Option<i32>,
    /// What is on its way to the client.
    events: Vec<Event>,
    /// Events of the disk, and when they come.
    stored: Vec<(i32, Event)>,
    sources: Vec<Vec<u8>>,
    printed: Vec<String>,
    kept: Vec<String>,
}

/// How long the disk takes.
const STORING_MSEC: i32 = 300;
const BLOCK: usize = 1024;

fn pak() -> Vec<u8> {
    zip::pak("extra.txt", &[b'x'; 3000])
}

impl Simulation {
    fn new(kind: Kind, answer: Answer, named: &str) -> Self {
        let pak = pak();
        let checksum = pk3::checksum(&pak).expect("it is a pak");
        Self::with_checksum(kind, answer, named, checksum)
    }

    fn with_checksum(kind: Kind, answer: Answer, named: &str, checksum: i32) -> Self {
        let setup = ClientSetup {
            seed: 1,
            config: Some(String::new()),
            guid: "0123456789ABCDEF0123456789ABCDEF".into(),
            ..ClientSetup::default()
        };
        let mut server = SimServer::new(kind);
        server.systeminfo =
            format!("\\sv_referencedPaks\\{checksum} \\sv_referencedPakNames\\{named} ");
        server.load_map("first");
        Self {
            client: Recorded::new(setup, ClientTime(0)),
            server,
            answer,
            disk: Disk::Works,
            pak: pak(),
            now: 0,
            connects: 0,
            seen: 0,
            block: None,
            events: vec![
                Event::SourcesComplete,
                Event::Command("connect sim:27960\n".to_owned()),
            ],
            stored: Vec::new(),
            sources: Vec::new(),
            printed: Vec::new(),
            kept: Vec::new(),
        }
    }

    fn pure(mut self) -> Self {
        self.server.is_pure = true;
        self.server.load_map("first");
        self
    }

    fn run(&mut self, msec: i32) {
        for _ in 0..msec / 8 {
            self.step();
        }
    }

    fn step(&mut self) {
        self.now += 8;
        let now = self.now;
        if now % 48 == 0 {
            self.server.send_snapshot();
            self.serve_block();
        }
        let answers = std::mem::take(&mut self.server.answers);
        let at = ClientTime(now);
        self.events
            .extend(answers.into_iter().map(|bytes| Event::Packet { bytes, at }));
        let (due, later) = std::mem::take(&mut self.stored)
            .into_iter()
            .partition(|(at, _)| *at <= now);
        self.stored = later;
        self.events.extend(due.into_iter().map(|(_, event)| event));
        let output = self.client.frame(at, std::mem::take(&mut self.events));
        self.printed.extend(output.printed);
        for request in output.requests {
            self.take_request(request);
        }
        for datagram in output.datagrams {
            self.server.handle(now, &datagram);
        }
        self.execute();
    }

    fn take_request(&mut self, request: Request) {
        match request {
            Request::OpenLink { server, .. } => self.events.push(Event::LinkOpened {
                server,
                transport: Transport::Udp,
            }),
            Request::Read(read) => {
                let source = &self.sources[read.source.0 as usize];
                let range = read.range.start as usize..read.range.end as usize;
                let result = Ok(source[range].to_vec());
                self.events.push(Event::FileRead {
                    id: read.id,
                    result,
                });
            }
            Request::StorePak {
                store,
                game,
                file,
                bytes,
            } => {
                self.kept.push(format!("{store}/{game}/{file}"));
                let event = match self.disk {
                    Disk::Works => self.source(store, game, file, bytes),
                    Disk::IsFull => Event::PakNotStored {
                        file,
                        reason: "the disk is full".to_owned(),
                    },
                };
                self.stored.push((self.now + STORING_MSEC, event));
            }
            _ => {}
        }
    }

    fn source(&mut self, store: String, game: String, name: String, bytes: Vec<u8>) -> Event {
        let id = SourceId(self.sources.len() as u32);
        let size = bytes.len() as u64;
        self.sources.push(bytes);
        Event::SourceFound(FoundSource {
            id,
            game,
            root: u8::MAX,
            name,
            store: Some(store),
            kind: SourceKind::Pak { size },
        })
    }

    /// Does what the newest commands of the client ask for.
    fn execute(&mut self) {
        let Some(slot) = &self.server.slot else {
            return;
        };
        if self.connects != self.server.connects.len() {
            self.connects = self.server.connects.len();
            self.seen = 0;
            self.block = None;
        }
        let commands = slot.executed[self.seen..].to_vec();
        self.seen = slot.executed.len();
        for command in commands {
            if command.starts_with("download ") {
                match self.answer {
                    Answer::HandsOut => self.block = Some(0),
                    Answer::Refuses => self.server.send_download(&Download::Refused {
                        reason: "Server is not allowing downloads.".to_owned(),
                    }),
                    Answer::Silence => {}
                }
            } else if let Some(number) = command.strip_prefix("nextdl ") {
                let number: i32 = number.parse().expect("a number");
                let is_last = number as usize * BLOCK >= self.pak.len();
                self.block = (!is_last).then_some(number + 1);
            } else if command == "stopdl" {
                self.block = None;
            } else if command == "donedl" {
                self.server.send_gamestate();
            }
        }
    }

    fn serve_block(&mut self) {
        let Some(number) = self.block else { return };
        let start = (number as usize * BLOCK).min(self.pak.len());
        let data = self.pak[start..self.pak.len().min(start + BLOCK)].to_vec();
        self.server.send_download(&Download::Block {
            number,
            size: (number == 0).then_some(self.pak.len() as i32),
            data,
        });
    }

    /// How often the client has said something to the server.
    fn said(&self, command: &str) -> usize {
        let slot = self.server.slot.as_ref().expect("the client is there");
        let is_it = |said: &&String| said.starts_with(command);
        slot.executed.iter().filter(is_it).count()
    }

    /// Each of these once.
    #[track_caller]
    fn check_said(&self, commands: [&str; 2]) {
        assert_eq!(commands.map(|command| self.said(command)), [1, 1]);
    }

    fn command(&mut self, line: &str) {
        self.events.push(Event::Command(format!("{line}\n")));
    }

    fn printed(&self) -> String {
        self.printed.concat()
    }

    fn error(&self) -> String {
        self.client.status().error.unwrap_or_default()
    }
}

/// Without its map nobody plays, but the client has stopped waiting for the pak then.
#[track_caller]
fn check_went_on(simulation: &Simulation) {
    let error = simulation.error();
    assert!(error.contains("The map first is in none"), "{error:?}");
}

#[test]
fn a_refused_pak_is_asked_for_once_and_played_without() {
    for kind in [QUAKE3E, IOQUAKE3] {
        let mut simulation = Simulation::new(kind, Answer::Refuses, "baseoa/extra");
        simulation.run(20_000);
        simulation.check_said(["download ", "donedl"]);
        let printed = simulation.printed();
        let expected = "You play without baseoa/extra.pk3 (Server is not allowing downloads)";
        assert!(printed.contains(expected), "{printed}");
        check_went_on(&simulation);
    }
}

#[test]
fn a_pure_server_that_refuses_is_left_at_once_with_what_to_do() {
    let mut simulation = Simulation::new(QUAKE3E, Answer::Refuses, "baseoa/extra").pure();
    simulation.run(5000);
    assert_eq!(simulation.said("download "), 1);
    assert_eq!(simulation.client.state(), State::Disconnected);
    let error = simulation.error();
    for words in ["pure", "baseoa/extra.pk3", "not allowing", "join again"] {
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_pak_is_fetched_once_verified_and_kept_apart() {
    let mut simulation = Simulation::new(IOQUAKE3, Answer::HandsOut, "baseoa/extra");
    simulation.run(20_000);
    simulation.check_said(["download ", "donedl"]);
    let checksum = pk3::checksum(&simulation.pak).expect("it is a pak");
    let file = format!("extra.{checksum:08x}.pk3");
    assert_eq!(simulation.kept, [format!("sim_3a27960/baseoa/{file}")]);
    check_went_on(&simulation);

    // The same again on the next connection: it is here now.
    simulation.command("reconnect");
    simulation.run(20_000);
    check_went_on(&simulation);
    assert_eq!(simulation.said("download "), 0);
    assert_eq!(simulation.kept.len(), 1);

    simulation.printed.clear();
    simulation.command("fetched");
    simulation.run(16);
    assert_eq!(
        simulation.printed,
        [format!("baseoa/{file} from sim:27960\n")]
    );

    // Another server does not get it.
    simulation.command("connect other:27960");
    simulation.run(20_000);
    assert_eq!(simulation.said("download "), 1);
    assert_eq!(simulation.kept[1], format!("other_3a27960/baseoa/{file}"));
}

#[test]
fn another_pak_than_the_named_one_is_not_kept() {
    let mut simulation =
        Simulation::with_checksum(IOQUAKE3, Answer::HandsOut, "baseoa/extra", 12345);
    simulation.run(20_000);
    simulation.check_said(["download ", "donedl"]);
    assert_eq!(simulation.kept, [""; 0]);
    assert!(simulation.printed().contains("it is another pak"));
    check_went_on(&simulation);
}

#[test]
fn the_games_own_paks_are_never_asked_for() {
    let mut simulation = Simulation::new(IOQUAKE3, Answer::HandsOut, "baseq3/pak0");
    simulation.run(10_000);
    assert_eq!(simulation.said("download "), 0);
    assert!(simulation.printed().contains("belongs to the game itself"));
    check_went_on(&simulation);
}

#[test]
fn a_full_disk_says_so_and_ends_it() {
    let mut simulation = Simulation::new(IOQUAKE3, Answer::HandsOut, "baseoa/extra");
    simulation.disk = Disk::IsFull;
    simulation.run(20_000);
    assert_eq!(simulation.said("download "), 1);
    let printed = simulation.printed();
    assert!(
        printed.contains("is not kept: the disk is full"),
        "{printed}"
    );
    check_went_on(&simulation);
}

#[test]
fn a_server_that_says_nothing_is_not_waited_for() {
    let mut simulation = Simulation::new(IOQUAKE3, Answer::Silence, "baseoa/extra");
    simulation.run(40_000);
    assert_eq!(simulation.said("download "), 1);
    let printed = simulation.printed();
    assert!(printed.contains("nothing came for 20 seconds"), "{printed}");
    check_went_on(&simulation);
}

#[test]
fn escape_stops_a_download_and_the_level_goes_on() {
    let mut simulation = Simulation::new(QUAKE3E, Answer::Silence, "baseoa/extra");
    simulation.run(4000);
    assert_eq!(simulation.said("download "), 1);
    simulation.events.push(Event::Key {
        key: keys::ESCAPE,
        is_down: true,
        is_repeat: false,
        at: ClientTime(simulation.now),
    });
    simulation.run(4000);
    simulation.check_said(["stopdl", "donedl"]);
    assert!(simulation.printed().contains("you stopped it"));
    check_went_on(&simulation);
    assert_eq!(simulation.said("download "), 1);
}

#[test]
fn whoever_wants_no_downloads_gets_none_and_is_told() {
    let mut simulation = Simulation::new(QUAKE3E, Answer::HandsOut, "baseoa/extra");
    let set = Event::Command("set cl_allowDownload 0\n".to_owned());
    simulation.events.insert(0, set);
    simulation.run(5000);
    assert_eq!(simulation.said("download "), 0);
    assert!(simulation.printed().contains("You lack baseoa/extra.pk3"));
    check_went_on(&simulation);
}

#[test]
fn a_map_restart_amid_a_download_is_had_again() {
    let mut simulation = Simulation::new(IOQUAKE3, Answer::HandsOut, "baseoa/extra");
    for _ in 0..1000 {
        if simulation.block == Some(1) {
            break;
        }
        simulation.step();
    }
    assert_eq!(simulation.block, Some(1), "no download has begun");
    simulation.server.restart_map();
    simulation.run(20_000);
    assert_eq!(simulation.kept.len(), 1, "{}", simulation.printed());
    let sources = &simulation.sources;
    let read = |part: &client::journal::WantedPart| {
        let range = part.request.range.start as usize..part.request.range.end as usize;
        Ok(sources[part.source.id.0 as usize][range].to_vec())
    };
    let outcome = recorded::replay(simulation.client.journal(), read, |_, _| {});
    assert!(outcome.is_ok(), "{outcome:?}");
}
