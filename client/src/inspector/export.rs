//! What is said on a connection as files for other programs: JSON, and pcap-ng for those that read captures.
//!
//! Three kinds of blocks of pcap-ng are written here: a library that knows all of them is 13 kB of each page. The tests
//! read with it what is written.

use crate::cl::wire_log::{Entry, Said, WireLog, command_bits};
use serde_json::Value;
use shared::{
    net::{
        svc::Command,
        tap::{self, Head},
    },
    types::usercmd::Usercmd,
};

/// One JSON object a line for each message, as `xtask line --json` and the relay's `--inspect` print them.
pub fn json(log: &WireLog) -> String {
    let lines = log.entries().map(|entry| {
        let mut line = value(entry);
        line["at_msec"] = entry.at.0.into();
        format!("{line}\n")
    });
    lines.collect()
}

fn value(entry: &Entry) -> Value {
    let head = |sequence: i32| Head {
        sequence,
        datagrams: u32::try_from(entry.datagrams.len()).unwrap_or(u32::MAX),
        bytes: entry.bytes(),
        message_bytes: entry.bytes(),
    };
    match &entry.said {
        Said::Client { sequence, message } => tap::client_json(head(*sequence), message),
        Said::Server(said) => {
            let commands = said.commands.iter();
            let mut ops: Vec<Value> = commands
                .map(|command| tap::command_json(command, command_bits(command)))
                .collect();
            let snapshot = said.snapshot.as_ref();
            ops.extend(snapshot.map(|snapshot| tap::snapshot_json(snapshot, said.cost())));
            ops.extend(
                said.others
                    .iter()
                    .map(|other| serde_json::json!({ "op": other })),
            );
            tap::server_json(head(said.sequence), said.rel_ack, ops)
        }
        Said::Dropped(reason) => {
            serde_json::json!({ "from": "server", "bytes": entry.bytes(), "error": reason })
        }
    }
}

/// What of each message can be told without what it says: when it came or went, its number, its size, and what it
/// acknowledges or builds on. Commands are named, not told, for they may be chat or hold a password.
pub fn heads(log: &WireLog) -> Value {
    let entries: Vec<Value> = log.entries().map(head).collect();
    let frames = log.frames().iter();
    let frames: Vec<Value> = frames
        .map(|frame| serde_json::json!([frame.at.0, frame.ahead_msec, frame.replayed]))
        .collect();
    serde_json::json!({
        "said": entries,
        "frames": { "columns": ["at_msec", "ahead_msec", "replayed_usercmds"], "rows": frames },
    })
}

fn head(entry: &Entry) -> Value {
    let name = |command: &Command| {
        let name = command.text.split_ascii_whitespace().next().unwrap_or("");
        serde_json::json!([command.number, name])
    };
    let mut head = match &entry.said {
        Said::Client { message, .. } => {
            let usercmds = &message.movement.usercmds;
            let time = |usercmd: Option<&Usercmd>| usercmd.map(|usercmd| usercmd.server_time.0);
            serde_json::json!({
                "from": "player",
                "acknowledged_message": message.message_ack,
                "acknowledged_command": message.command_ack,
                "usercmds": usercmds.len(),
                "oldest_usercmd": time(usercmds.first()),
                "newest_usercmd": time(usercmds.last()),
                "commands": message.commands.iter().map(name).collect::<Vec<_>>(),
            })
        }
        Said::Server(said) => {
            let snapshot = said.snapshot.as_ref();
            serde_json::json!({
                "from": "server",
                "lost": said.lost,
                "acknowledged_command": said.rel_ack,
                "server_time": snapshot.map(|snapshot| snapshot.server_time.0),
                "base": snapshot.and_then(|snapshot| snapshot.delta_num),
                "flags": snapshot.map(|snapshot| snapshot.flags),
                "command_time": snapshot.map(|snapshot| snapshot.player.command_time),
                "commands": said.commands.iter().map(name).collect::<Vec<_>>(),
                "others": said.others,
            })
        }
        Said::Dropped(reason) => serde_json::json!({ "from": "server", "error": reason }),
    };
    head["at_msec"] = entry.at.0.into();
    head["sequence"] = entry.sequence().into();
    head["bytes"] = entry.bytes().into();
    head["datagrams"] = entry.datagrams.len().into();
    head
}

/// A capture as Wireshark reads it: pcap-ng's draft, version 1.0. The addresses are made: 10.0.0.1 is we, 10.0.0.2 the
/// server.
pub fn pcapng(log: &WireLog) -> Vec<u8> {
    const SECTION: u32 = 0x0a0d_0d0a;
    const INTERFACE: u32 = 1;
    const PACKET: u32 = 6;
    const BYTE_ORDER: u32 = 0x1a2b_3c4d;
    const IPV4: u16 = 228;
    let mut file = Vec::new();
    let version = [1u16, 0].map(u16::to_le_bytes).concat();
    let unknown_length = u64::MAX.to_le_bytes();
    add_block(
        &mut file,
        SECTION,
        &[&BYTE_ORDER.to_le_bytes(), &version, &unknown_length],
    );
    let any_length = 0u32.to_le_bytes();
    add_block(
        &mut file,
        INTERFACE,
        &[&IPV4.to_le_bytes(), &[0; 2], &any_length],
    );
    for entry in log.entries() {
        let is_ours = matches!(entry.said, Said::Client { .. });
        // Microseconds are what an interface counts that says nothing else.
        let at = u64::try_from(entry.at.0).unwrap_or(0) * 1000;
        for datagram in &entry.datagrams {
            let packet = packet(datagram, is_ours);
            let length = u32::try_from(packet.len()).unwrap_or(u32::MAX);
            let words = [0, (at >> 32) as u32, at as u32, length, length];
            add_block(
                &mut file,
                PACKET,
                &[&words.map(u32::to_le_bytes).concat(), &packet],
            );
        }
    }
    file
}

/// Kind, length, what it holds up to the next full word, and the length again.
fn add_block(file: &mut Vec<u8>, kind: u32, parts: &[&[u8]]) {
    const FRAME: usize = 12;
    let held: usize = parts.iter().map(|part| part.len()).sum();
    let length = (FRAME + held.next_multiple_of(4)) as u32;
    file.extend(kind.to_le_bytes());
    file.extend(length.to_le_bytes());
    file.extend(parts.concat());
    file.resize(file.len().next_multiple_of(4), 0);
    file.extend(length.to_le_bytes());
}

/// A datagram in UDP in IPv4.
fn packet(datagram: &[u8], is_ours: bool) -> Vec<u8> {
    const IP_HEAD: usize = 20;
    const UDP_HEAD: usize = 8;
    const US: [u8; 4] = [10, 0, 0, 1];
    const SERVER: [u8; 4] = [10, 0, 0, 2];
    const OUR_PORT: u16 = 27961;
    const PORT: u16 = 27960;
    let length = u16::try_from(IP_HEAD + UDP_HEAD + datagram.len()).unwrap_or(u16::MAX);
    let (from, to, ports) = match is_ours {
        true => (US, SERVER, [OUR_PORT, PORT]),
        false => (SERVER, US, [PORT, OUR_PORT]),
    };
    let mut head = Vec::with_capacity(IP_HEAD);
    head.extend([0x45, 0]);
    head.extend(length.to_be_bytes());
    head.extend([0, 0, 0, 0, 64, 17, 0, 0]);
    head.extend(from);
    head.extend(to);
    let words = head
        .chunks(2)
        .map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
    let mut sum: u32 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    head[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    head.extend(ports[0].to_be_bytes());
    head.extend(ports[1].to_be_bytes());
    head.extend((length - IP_HEAD as u16).to_be_bytes());
    // UDP over IPv4 may be without a checksum.
    head.extend([0, 0]);
    head.extend(datagram);
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_what_ip_and_udp_say_of_it() {
        let packet = packet(b"hello", true);
        assert_eq!(packet.len(), 33);
        assert_eq!(&packet[28..], b"hello");
        assert_eq!(u16::from_be_bytes([packet[24], packet[25]]), 13);
        let words = packet[..20]
            .chunks(2)
            .map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
        let sum: u32 = words.sum();
        assert_eq!(
            (sum & 0xffff) + (sum >> 16),
            0xffff,
            "the head's sum is wrong"
        );
    }
}
