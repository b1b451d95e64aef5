//! Recorded sessions with real servers, replayed through the connection.

use crate::cl_sim::settings;
use client::cl::{Connection, Seeds, Settings, State, Update};
use serde_json::Value;
use shared::base::{text::wire_byte, time::ClientTime};
use std::{fs, io::Read, path::PathBuf};

/// The recordings lie with the wire's own tests. That of a download is not among these: the
/// connection would send commands of its own, and the recorded packets are keyed with others.
const NAMES: [&str; 8] = [
    "ioq3_legacy68_22s",
    "ioq3_modern71_22s",
    "oa088_bcs",
    "oa088_legacy71_24s",
    "oa088_pure_accepted",
    "oa088_pure_rejected",
    "quake3e_compat71_12s",
    "quake3e_modern71_14s",
];

pub fn unpacked(path: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/tests/data")
        .join(path);
    let packed = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(&packed[..])
        .read_to_end(&mut bytes)
        .expect("it is a gzip file");
    bytes
}

fn lines(name: &str) -> Vec<Value> {
    let text = String::from_utf8(unpacked(&format!("wire/{name}.jsonl.gz"))).expect("UTF-8");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn int(value: &Value) -> i32 {
    value.as_i64().unwrap_or_default() as i32
}

fn hex(value: &Value) -> Vec<u8> {
    shared::base::hex::decode(value.as_str().expect("a text")).expect("hexadecimal")
}

/// What the recording says of one packet, in the words of [`told`].
fn expected(packet: &Value, newest: &mut i32) -> Vec<String> {
    let mut told = Vec::new();
    for op in packet["decoded"]["ops"].as_array().into_iter().flatten() {
        match op[0].as_str() {
            Some("cmd") => {
                let number = int(&op[1]);
                let text = op[2].as_str().expect("a text");
                let is_own = ["cs ", "bcs", "disconnect"]
                    .iter()
                    .any(|word| text.starts_with(word));
                if number > *newest && !is_own {
                    told.push(format!("command {number}"));
                }
                *newest = number.max(*newest);
            }
            Some("gamestate") => {
                let state = &op[1];
                *newest = int(&state["srvseq"]);
                told.push(format!(
                    "gamestate {} {} {}",
                    state["clientNum"], state["feed"], state["ncs"]
                ));
            }
            Some("snapshot") if op[1]["valid"] == true => {
                let shot = &op[1];
                told.push(format!(
                    "snapshot {} {} {} {}",
                    shot["time"], shot["flags"], shot["commandTime"], shot["nents"]
                ));
            }
            _ => {}
        }
    }
    told
}

fn told(update: &Update) -> Option<String> {
    match update {
        Update::Gamestate(state) => Some(format!(
            "gamestate {} {} {}",
            state.client_num,
            state.checksum_feed,
            state.configstrings.iter().count()
        )),
        Update::Snapshot { snapshot, .. } => Some(format!(
            "snapshot {} {} {} {}",
            snapshot.server_time.0,
            snapshot.flags,
            snapshot.player.command_time,
            snapshot.entities.len()
        )),
        Update::ServerCommand(command) => match &command.body {
            shared::types::servercmd::ServerCommandBody::Words(_) => {
                Some(format!("command {}", command.number))
            }
            shared::types::servercmd::ServerCommandBody::Configstring { .. } => None,
        },
        _ => None,
    }
}

fn replay(name: &str) {
    let lines = lines(name);
    let meta = &lines[0];
    let bare = name == "ioq3_legacy68_22s";
    let seeds = Seeds {
        qport: int(&meta["qport"]) as u16,
        // Without arguments the question is echoed as 0.
        challenge: if bare {
            0
        } else {
            int(&meta["client_challenge"])
        },
    };
    let settings = Settings {
        protocol: Some(int(&meta["userinfo_protocol"])),
        ..settings()
    };
    let mut now = ClientTime(1);
    let mut connection = Connection::connect(name, &settings, seeds, now);
    let mut own_commands = meta["client_commands"].as_array().expect("a list").iter();
    let mut newest = 0;
    let mut count = 0;
    for packet in &lines[1..] {
        let is_taken = packet["lost"] != true && packet["ignored"].is_null();
        if packet["dir"] != "s2c" || !is_taken {
            continue;
        }
        // Slow enough that no command of ours waits for its turn.
        now = now + 1200;
        if connection.state() >= State::Connected {
            for command in own_commands.by_ref() {
                let text: String = command[1]
                    .as_str()
                    .expect("a text")
                    .chars()
                    .map(|c| char::from(wire_byte(c as u32 as u8)))
                    .collect();
                assert_eq!(
                    connection.add_reliable_command(&text),
                    Ok(()),
                    "{name}: {text}"
                );
            }
        }
        connection.frame(now, &settings);
        while connection.poll_transmit().is_some() {}
        connection.handle_packet(now, &hex(&packet["hex"]));
        let mut got = Vec::new();
        while let Some(update) = connection.poll_update() {
            got.extend(told(&update));
            if let Update::Gamestate(_) = update {
                connection.loading_finished(now, None);
            }
        }
        if connection.state() == State::Disconnected {
            break;
        }
        let wanted = expected(packet, &mut newest);
        // A configstring may say what was known already, and that is told to nobody.
        assert_eq!(got, wanted, "{name}: packet {}", packet["i"]);
        count += got.len();
    }
    let stats = connection.stats();
    assert_eq!(stats.faults, Vec::<String>::new(), "{name}");
    assert!(count >= 4, "{name}: only {count} things were told");
    let is_legacy = meta["compat"] == true;
    if let Some(wire) = connection.wire() {
        assert_eq!(
            wire == shared::net::protocol::WireForm::Legacy,
            is_legacy,
            "{name}"
        );
    }
}

#[test]
fn recorded_sessions_come_out_as_they_were() {
    NAMES.into_iter().for_each(replay);
}
