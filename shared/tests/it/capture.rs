//! Recorded sessions of a client with a real server, datagram by datagram.

use crate::data::{file, hex, int, json, latin1};
use serde_json::Value;
use shared::{
    base::text,
    net::{
        netchan::{Netchan, Side},
        protocol::WireForm,
        reliable::CommandTexts,
        svc::{Decoder, Origin},
    },
};

pub const NAMES: [&str; 9] = [
    "ioq3_legacy68_22s",
    "ioq3_modern71_22s",
    "oa088_bcs",
    "oa088_legacy71_24s",
    "oa088_pure_accepted",
    "oa088_pure_rejected",
    "oa088_udp_download",
    "quake3e_compat71_12s",
    "quake3e_modern71_14s",
];

pub struct Capture {
    pub name: &'static str,
    pub meta: Value,
    pub packets: Vec<Packet>,
    pub summary: Value,
}

pub struct Packet {
    pub is_from_server: bool,
    pub is_oob: bool,
    /// The client threw it away on purpose, or did not take it.
    pub is_skipped: bool,
    pub at_msec: i32,
    pub bytes: Vec<u8>,
    pub line: Value,
}

impl Capture {
    pub fn load(name: &'static str) -> Self {
        let text = String::from_utf8(file(&format!("wire/{name}.jsonl.gz"))).expect("UTF-8");
        let mut lines = text.lines().map(|line| json(line.as_bytes()));
        let meta = lines.next().expect("a first line");
        let mut rest: Vec<Value> = lines.collect();
        let summary = rest.pop().expect("a last line");
        assert_eq!(
            (&meta["type"], &summary["type"]),
            (&"meta".into(), &"summary".into())
        );
        let packets = rest.into_iter().map(Packet::new).collect();
        Self {
            name,
            meta,
            packets,
            summary,
        }
    }

    /// One end of the channel that the packets went through.
    pub fn client(&self) -> Netchan {
        self.end(Side::Client {
            qport: self.qport(),
        })
    }

    pub fn server(&self) -> Netchan {
        self.end(Side::Server {
            qport: self.qport(),
        })
    }

    fn end(&self, side: Side) -> Netchan {
        Netchan::new(side, self.wire(), self.challenge())
    }

    /// What the client reads messages with.
    pub fn decoder(&self) -> Decoder {
        Decoder::new(Origin::Connection(self.wire()))
    }

    /// The packets of the channel that arrived.
    pub fn channel_packets(&self) -> impl Iterator<Item = &Packet> {
        let packets = self.packets.iter();
        packets.filter(|packet| !packet.is_oob && !packet.is_skipped)
    }

    pub fn wire(&self) -> WireForm {
        match self.meta["compat"].as_bool() {
            Some(true) => WireForm::Legacy,
            _ => WireForm::Modern,
        }
    }

    pub fn challenge(&self) -> i32 {
        int(&self.meta["challenge"]) as i32
    }

    pub fn qport(&self) -> u16 {
        int(&self.meta["qport"]) as u16
    }

    /// The commands of one direction, as `[number, text]` pairs of the meta line.
    pub fn commands(&self, key: &str) -> Vec<(i32, String)> {
        let pairs = self.meta[key].as_array().expect("a list").iter();
        pairs
            .map(|pair| (int(&pair[0]) as i32, ascii(&latin1(&pair[1]))))
            .collect()
    }
}

impl Packet {
    fn new(line: Value) -> Self {
        Self {
            is_from_server: line["dir"] == "s2c",
            is_oob: line["kind"] == "oob",
            is_skipped: line["lost"] == true || !line["ignored"].is_null(),
            at_msec: int(&line["t_ms"]) as i32,
            bytes: hex(&line["hex"]),
            line,
        }
    }
}

/// A text as the wire carries it.
pub fn ascii(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|&byte| char::from(text::wire_byte(byte)))
        .collect()
}

/// A ring that holds the commands around `newest`.
pub fn texts(commands: &[(i32, String)], newest: i32) -> CommandTexts {
    let mut texts = CommandTexts::new();
    for (number, text) in commands.iter().filter(|(number, _)| *number <= newest) {
        texts.insert(*number, text);
    }
    texts
}

/// CRC-32 over 32-bit words.
pub fn crc(words: impl IntoIterator<Item = u32>) -> i64 {
    let mut crc = flate2::Crc::new();
    for word in words {
        crc.update(&word.to_le_bytes());
    }
    i64::from(crc.sum())
}

pub fn crc_of_bytes(bytes: &[u8]) -> i64 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    i64::from(crc.sum())
}
