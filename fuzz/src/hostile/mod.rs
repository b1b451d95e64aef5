//! A match of the whole client against a hostile server, made from bytes: no socket, no thread, a virtual clock.
//!
//! The bytes are choices: what the server sends, with which values, and how the time goes on. What they choose is
//! encoded with the writers of the protocol, so that nearly all of it is taken for good by the client; raw messages and
//! raw datagrams are among the choices too.

mod choices;
pub mod module;
mod server;

use crate::{memory_files::MemoryFiles, room};
use arbitrary::{Result, Unstructured};
use client::{
    cl::State,
    client::{Client, ClientSetup},
    event::{Event, Transport},
    output::{Output, Request},
};
use server::Server;
use shared::base::time::ClientTime;
use std::sync::OnceLock;

const ADDRESS: &str = "127.0.0.1:27960";
/// Steps of the server, and frames, in one match.
const MAX_STEPS: usize = 256;
/// How long everything is shown in the end.
const LAST_FRAMES: usize = 4;
/// More than a frame has any reason to send: messages come in fragments, commands and questions in packets.
const MAX_DATAGRAMS_PER_FRAME: usize = 64;

/// What a player may do meanwhile.
const LINES: [&str; 14] = [
    "+attack",
    "+moveup",
    "reconnect",
    "disconnect",
    "record x",
    "stoprecord",
    "say hello",
    "+scores",
    "cg_drawGhosts 1",
    "cg_smoothOthers 100; cl_timeNudge -30",
    "cg_optimizePrediction 0",
    "net_delay 100; net_loss 20",
    "follownext; weapnext; kill",
    "cg_thirdPerson 1; cl_shownet 4; cg_lagometer 1; cg_drawPing 2; cl_debugMove 1; timegraph 1",
];

/// Plays until the bytes are used up.
pub fn play(bytes: &[u8]) {
    let mut choices = Unstructured::new(bytes);
    let Ok(mut game) = Match::enter(&mut choices) else {
        return;
    };
    for _ in 0..MAX_STEPS {
        if choices.is_empty() || game.step(&mut choices).is_err() {
            break;
        }
    }
    for _ in 0..LAST_FRAMES {
        game.frame(50);
    }
}

struct Match {
    client: Client,
    files: &'static MemoryFiles,
    server: Server,
    now: i32,
    events: Vec<Event>,
    /// Whether the player's disk takes paks.
    can_store: bool,
}

impl Match {
    /// Connects, and plays fair until the first snapshots are shown.
    fn enter(choices: &mut Unstructured<'_>) -> Result<Self> {
        let kind: u8 = choices.arbitrary()?;
        static FILES: OnceLock<MemoryFiles> = OnceLock::new();
        let files = FILES.get_or_init(|| {
            MemoryFiles::new([
                ("maps/room.bsp", room::room().as_slice()),
                ("scripts/room.shader", SHADERS),
                ("models/players/sarge/animation.cfg", ANIMATIONS),
            ])
        });
        let setup = ClientSetup {
            seed: 1,
            guid: "0123456789ABCDEF0123456789ABCDEF".to_owned(),
            commands: vec![format!("connect {ADDRESS}\n")],
            ..ClientSetup::default()
        };
        let events = vec![
            Event::SourceFound(files.source()),
            Event::SourcesComplete,
            Event::Resized {
                width: 640,
                height: 480,
            },
        ];
        let mut game = Self {
            client: Client::new(setup, ClientTime(0)),
            files,
            server: Server::new(kind),
            now: 0,
            events,
            can_store: kind & 16 == 0,
        };
        // Before the level; what comes of that is for the server to choose.
        let frames = if kind & 32 == 0 { 12 } else { 3 };
        for number in 0..frames {
            game.frame(20);
            if number > 4 && kind & 32 == 0 {
                game.server.fair_snapshot();
            }
        }
        if kind == 0 {
            assert_eq!(
                game.client.state(),
                State::Active,
                "a fair server is entered"
            );
        }
        Ok(game)
    }

    fn step(&mut self, choices: &mut Unstructured<'_>) -> Result<()> {
        match choices.int_in_range(0..=31)? {
            0..=3 => self.frame(choices.int_in_range(0..=100)?),
            4 => {
                let frames = choices.int_in_range(1..=8)?;
                for _ in 0..frames {
                    self.server.fair_snapshot();
                    self.frame(50);
                }
            }
            5 => self.frame(*choices.choose(&[500, 5000, 60_000, 400_000])?),
            6 => {
                let line = *choices.choose(&LINES)?;
                self.events.push(Event::Command(line.to_owned()));
            }
            7 => self.events.push(Event::LinkClosed {
                reason: "the line is cut".to_owned(),
            }),
            8 => self.events.push(Event::LinkMoved {
                transport: Transport::Udp,
            }),
            9..=16 => self.server.snapshot(choices)?,
            17..=22 => self.server.command(choices)?,
            23..=24 => self.server.gamestate(choices)?,
            25..=26 => self.server.download(choices)?,
            27..=28 => self.server.out_of_band(choices)?,
            29 => self.server.raw_message(choices)?,
            30 => self.server.raw_datagram(choices)?,
            _ => self.server.jump(choices)?,
        }
        Ok(())
    }

    /// One frame of the client; what it asks for is answered before the next.
    fn frame(&mut self, msec: i32) {
        self.now = self.now.saturating_add(msec);
        let now = ClientTime(self.now);
        let mut events = std::mem::take(&mut self.events);
        let packets = self.server.take_packets().into_iter();
        events.extend(packets.map(|bytes| Event::Packet { bytes, at: now }));
        let output = self.client.frame(now, events);
        self.serve(output);
    }

    fn serve(&mut self, output: Output) {
        assert!(
            output.datagrams.len() <= MAX_DATAGRAMS_PER_FRAME,
            "{} datagrams in one frame",
            output.datagrams.len()
        );
        for datagram in &output.datagrams {
            self.server.receive(ClientTime(self.now), datagram);
        }
        let mut requests = output.requests;
        while !requests.is_empty() {
            let mut reads = Vec::new();
            for request in requests {
                match request {
                    Request::Read(read) => reads.push(Event::FileRead {
                        id: read.id,
                        result: self.files.read(&read),
                    }),
                    other => self.events.extend(self.answer(other)),
                }
            }
            requests = self.client.pump_files(reads).0;
        }
    }

    fn answer(&self, request: Request) -> Option<Event> {
        match request {
            Request::OpenLink { server, .. } => Some(Event::LinkOpened {
                server,
                transport: Transport::Udp,
            }),
            Request::ReadConfig { name } => Some(Event::ConfigRead { name, text: None }),
            Request::ReadDemo { name } => Some(Event::DemoRead { name, bytes: None }),
            Request::StorePak { file, .. } if !self.can_store => Some(Event::PakNotStored {
                file,
                reason: "the disk is full".to_owned(),
            }),
            Request::StorePak {
                store, game, file, ..
            } => {
                let mut source = self.files.source();
                source.id.0 = 1;
                (source.game, source.name, source.store) = (game, file, Some(store));
                Some(Event::SourceFound(source))
            }
            _ => None,
        }
    }
}

const SHADERS: &[u8] =
    b"textures/floor { { map $lightmap } { map textures/floor.tga blendfunc filter } }
textures/water { deformVertexes wave 64 sin 0 2 0 1 { map textures/water.tga tcMod turb 0 1 0 1 } }
textures/fog { fogparms ( 1 0 0 ) 100 }
";
const ANIMATIONS: &[u8] = b"sex m
0 29 0 20\n29 1 0 20\n30 30 0 25\n60 1 0 25\n60 30 0 20\n89 1 0 20\n90 30 0 18\n120 10 0 18
130 6 0 15\n136 6 0 15\n142 5 0 20\n147 4 0 20\n151 1 0 15\n152 1 0 15\n153 8 0 20\n161 12 0 20
173 11 0 21\n184 10 0 20\n194 10 0 20\n204 10 0 15\n214 10 10 18\n224 10 10 18\n234 1 0 15
235 8 0 15\n243 10 10 15\n253 7 7 20\n";
