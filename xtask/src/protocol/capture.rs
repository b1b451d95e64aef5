//! A capture of both directions between a client and a server, with what each datagram holds.

use anyhow::{Context, Result};
use flate2::read::GzDecoder;
use serde_json::Value;
use shared::{
    base::{hex, time::ClientTime},
    net::{
        clc::ClientMessage,
        netchan,
        svc::{ServerMessage, ServerOp},
        tap::{Heard, Tap},
    },
    types::{gamestate::Gamestate, snapshot::Snapshot},
};
use std::{fs::File, io::Read, path::Path, sync::Arc};

/// One datagram.
pub(super) struct Datagram {
    pub sent: i32,
    /// `None` if it got lost.
    pub arrives: Option<i32>,
    pub is_for_server: bool,
    pub bytes: Vec<u8>,
    pub content: Content,
}

/// What a datagram holds, read by whoever has seen all that its sender had seen.
pub(super) enum Content {
    OutOfBand,
    Client(Box<ClientMessage>),
    Server(Box<ServerMessage>),
    /// It belongs to a message that is not complete with it.
    Part,
}

/// Datagrams in the order in which they were sent.
pub(super) struct Capture {
    pub datagrams: Vec<Datagram>,
    pub gamestate: Arc<Gamestate>,
}

impl Capture {
    /// Reads a file of `shared/tests/data/wire`, or one that `cargo xtask line --record` wrote.
    pub(super) fn read(path: &Path) -> Result<Self> {
        let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut text = String::new();
        GzDecoder::new(file).read_to_string(&mut text)?;
        let mut datagrams = Vec::new();
        for line in text.lines() {
            let line: Value = serde_json::from_str(line)?;
            if line["type"] == "pkt" {
                datagrams.push(datagram(&line).with_context(|| format!("{line} is no datagram"))?);
            }
        }
        let gamestate = understand(&mut datagrams);
        Ok(Self {
            datagrams,
            gamestate,
        })
    }

    /// The server's messages with a snapshot.
    pub(super) fn snapshots(&self) -> impl Iterator<Item = (&Datagram, &Snapshot)> {
        self.datagrams.iter().filter_map(|datagram| {
            let Content::Server(message) = &datagram.content else {
                return None;
            };
            message.ops.iter().find_map(|op| match op {
                ServerOp::Snapshot(snapshot) => Some((datagram, &**snapshot)),
                _ => None,
            })
        })
    }

    /// The client's messages.
    pub(super) fn client_messages(&self) -> impl Iterator<Item = (&Datagram, &ClientMessage)> {
        self.datagrams
            .iter()
            .filter_map(|datagram| match &datagram.content {
                Content::Client(message) => Some((datagram, &**message)),
                _ => None,
            })
    }
}

impl Datagram {
    /// The number of its message.
    pub(super) fn sequence(&self) -> u32 {
        let number = self.bytes.first_chunk().copied().unwrap_or_default();
        u32::from_le_bytes(number) & !(1 << 31)
    }

    /// Whether it holds a piece of a message only.
    pub(super) fn is_fragment(&self) -> bool {
        !netchan::is_out_of_band(&self.bytes)
            && self.bytes.get(3).is_some_and(|byte| byte & 0x80 != 0)
    }

    /// What an out-of-band datagram begins with.
    pub(super) fn word(&self) -> String {
        let letters = self.bytes.iter().skip(4);
        let letters = letters.take_while(|byte| byte.is_ascii_alphanumeric());
        letters.map(|&byte| char::from(byte)).collect()
    }
}

fn datagram(line: &Value) -> Option<Datagram> {
    let sent = i32::try_from(line["t_ms"].as_i64()?).ok()?;
    // Captures without a bad line between have one time, and a mark at what the client threw away.
    let arrives = match line.get("arrives_ms") {
        Some(time) => time.as_i64().and_then(|time| i32::try_from(time).ok()),
        None => (line["lost"] != Value::Bool(true)).then_some(sent),
    };
    Some(Datagram {
        sent,
        arrives,
        is_for_server: line["dir"] == "c2s",
        bytes: hex::decode(line["hex"].as_str()?)?,
        content: Content::Part,
    })
}

/// Reads along at both ends. What the client sends is read where the client stands, and likewise for the server: so
/// what gets lost is understood as well.
fn understand(datagrams: &mut [Datagram]) -> Arc<Gamestate> {
    let mut gamestate = Arc::new(Gamestate::default());
    for is_client in [true, false] {
        let mut heard: Vec<(i32, usize)> = (datagrams.iter().enumerate())
            .filter_map(|(number, datagram)| {
                let is_own = datagram.is_for_server == is_client;
                let at = if is_own {
                    Some(datagram.sent)
                } else {
                    datagram.arrives
                };
                Some((at?, number))
            })
            .collect();
        heard.sort_unstable();
        let mut tap = Tap::default();
        for (at, number) in heard {
            let datagram = &datagrams[number];
            let heard = match datagram.is_for_server {
                true => tap.hear_client(ClientTime(at), &datagram.bytes),
                false => tap.hear_server(ClientTime(at), &datagram.bytes),
            };
            let Some(heard) = heard else { continue };
            if let Some(level) = heard.gamestate() {
                gamestate = level;
            }
            let content = match heard {
                Heard::OutOfBand { .. } => Content::OutOfBand,
                Heard::Client(_, Ok(message)) => Content::Client(message),
                Heard::Server(_, Ok(message)) => Content::Server(message),
                Heard::Client(_, Err(_)) | Heard::Server(_, Err(_)) => Content::Part,
            };
            if datagram.is_for_server == is_client {
                datagrams[number].content = content;
            }
        }
    }
    gamestate
}
