//! Recording: a match as the events that came to a server, and a hash of all that each of its seconds brought forth.

use server::{Event, Output, Peer, Request, Server};
use shared::formats::{
    bsp::Bsp,
    pk3::{self, Directory},
};
use std::{net::SocketAddr, sync::Arc};

pub const FRAME_MSEC: i32 = 50;
const FRAMES_IN_SECOND: usize = 20;
const FNV_BASIS: u64 = 0xCBF2_9CE4_8422_2325;
const FNV_PRIME: u64 = 0x100_0000_01B3;

/// How an event is written.
mod tag {
    pub const FRAME: u8 = 0;
    pub const PACKET: u8 = 1;
    pub const COMMAND: u8 = 2;
}

/// A server whose events are written down, and whose answers are hashed.
pub struct Match {
    pub server: Server,
    map: Arc<Bsp>,
    /// Maps that the last frame asked for.
    asked: Vec<String>,
    pub events: Vec<u8>,
    frames: usize,
    hash: u64,
    /// One for each second.
    pub hashes: Vec<u64>,
}

impl Match {
    /// A server that knows one map, `strafe1`, from the bytes of its pak.
    pub fn new(pak: &[u8], seed: u64) -> Self {
        Self {
            server: Server::new(seed),
            map: map_of_pak(pak, "strafe1"),
            asked: Vec::new(),
            events: Vec::new(),
            frames: 0,
            hash: FNV_BASIS,
            hashes: Vec::new(),
        }
    }

    /// Lets a frame pass in which this happened.
    pub fn frame(&mut self, mut events: Vec<Event>) -> Output {
        for event in &events {
            self.write(event);
        }
        self.events.push(tag::FRAME);
        for name in std::mem::take(&mut self.asked) {
            let result = Ok(self.map.clone());
            events.push(Event::MapRead { name, result });
        }
        let output = self.server.frame(FRAME_MSEC, events);
        self.take(&output);
        self.frames += 1;
        if self.frames.is_multiple_of(FRAMES_IN_SECOND) {
            self.hashes.push(self.hash);
        }
        output
    }

    fn write(&mut self, event: &Event) {
        let (tag, port, bytes) = match event {
            Event::Packet {
                from: Peer::Net(address),
                bytes,
            } => (tag::PACKET, address.port(), bytes.as_slice()),
            Event::Command(line) => (tag::COMMAND, 0, line.as_bytes()),
            other => panic!("not recorded: {other:?}"),
        };
        let length = u16::try_from(bytes.len()).expect("a datagram or line");
        self.events.push(tag);
        self.events.extend(port.to_le_bytes());
        self.events.extend(length.to_le_bytes());
        self.events.extend(bytes);
    }

    fn take(&mut self, output: &Output) {
        for (peer, datagram) in &output.datagrams {
            self.add(peer.text().as_bytes());
            self.add(datagram);
        }
        for line in &output.printed {
            self.add(line.as_bytes());
        }
        for request in &output.requests {
            if let Request::ReadMap { name } = request {
                self.asked.push(name.clone());
                self.add(name.as_bytes());
            }
        }
        // Nobody is told of all players, so where they are counts by itself.
        let players: Vec<_> = (0..16)
            .filter_map(|client| self.server.game()?.player(client))
            .flat_map(|player| [player.origin, player.velocity, player.view_angles])
            .flat_map(|vector| vector.to_array().map(f32::to_le_bytes))
            .collect();
        for axis in players {
            self.add(&axis);
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u32).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            self.hash = (self.hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME);
        }
    }
}

/// Lets the same events happen again; gives the hashes of the seconds.
pub fn replay(pak: &[u8], seed: u64, mut events: &[u8]) -> Vec<u64> {
    let mut again = Match::new(pak, seed);
    let mut of_frame = Vec::new();
    while let [tag, rest @ ..] = events {
        events = rest;
        if *tag == tag::FRAME {
            again.frame(std::mem::take(&mut of_frame));
            continue;
        }
        let (port, length) = (number(rest, 0), usize::from(number(rest, 2)));
        let bytes = rest[4..4 + length].to_vec();
        events = &rest[4 + length..];
        of_frame.push(match *tag {
            tag::PACKET => Event::Packet {
                from: Peer::Net(SocketAddr::from(([127, 0, 0, 1], port))),
                bytes,
            },
            _ => Event::Command(String::from_utf8(bytes).expect("a line")),
        });
    }
    again.hashes
}

fn number(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

/// A map out of the bytes of a pak.
fn map_of_pak(bytes: &[u8], name: &str) -> Arc<Bsp> {
    let size = bytes.len() as u64;
    let tail = &bytes[pk3::tail_range(size).start as usize..];
    let place = pk3::find_directory(size, tail).expect("a pak has a directory");
    let range = place.range.start as usize..place.range.end as usize;
    let directory = Directory::parse(&place, &bytes[range]).expect("a directory");
    let entry = directory.find(&format!("maps/{name}.bsp"));
    let entry = entry.expect("the pak has the map");
    let range = entry.range();
    let packed = &bytes[range.start as usize..range.end as usize];
    let map = entry.extract(packed).expect("the map can be unpacked");
    Arc::new(Bsp::parse(&map).expect("a map"))
}
