//! Replays recorded sessions: every message must mean what the recording says it means.

use crate::{
    capture::{self, Capture, NAMES, Packet, crc, crc_of_bytes},
    data::int,
};
use serde_json::{Value, json};
use shared::{
    base::{info::Info, time::ClientTime},
    net::{
        clc, cost,
        fields::{self, DeltaState},
        netchan::{Netchan, WireProbe},
        reliable::CommandTexts,
        svc::{self, Decoder, Download, ServerOp},
    },
    types::{
        entitystate::EntityState, gamestate::Gamestate, playerstate::PlayerState,
        snapshot::Snapshot, usercmd::Usercmd,
    },
};

#[test]
fn every_session_means_what_was_recorded() {
    let mut counts = [0; 2];
    let mut costs = [0; 2];
    for name in NAMES {
        let capture = Capture::load(name);
        let replayed = Replay::new(&capture).run(&capture);
        counts[0] += replayed.server_messages;
        counts[1] += replayed.client_messages;
        let stats = &capture.summary["stats"];
        assert_eq!(replayed.snapshots, int(&stats["snaps"]), "{name}");
        costs[0] += replayed.costs;
        costs[1] += replayed.exact_costs;
    }
    assert_eq!(counts, [2153, 2073]);
    assert!(costs[0] > 1500 && costs[1] > costs[0] * 9 / 10, "{costs:?}");
}

struct Replay {
    client: Netchan,
    server: Netchan,
    decoder: Decoder,
    client_commands: Vec<(i32, String)>,
    server_commands: Vec<(i32, String)>,
    expected_block: i32,
    feed: i32,
    snapshots: i64,
    costs: usize,
    exact_costs: usize,
    newest_command: i32,
    server_messages: usize,
    client_messages: usize,
}

impl Replay {
    fn new(capture: &Capture) -> Self {
        Self {
            client: capture.client(),
            server: capture.server(),
            decoder: capture.decoder(),
            client_commands: capture.commands("client_commands"),
            server_commands: capture.commands("server_commands"),
            expected_block: 0,
            feed: 0,
            snapshots: 0,
            costs: 0,
            exact_costs: 0,
            newest_command: 0,
            server_messages: 0,
            client_messages: 0,
        }
    }

    fn run(mut self, capture: &Capture) -> Self {
        for packet in capture.channel_packets() {
            let place = format!("{} packet {}", capture.name, packet.line["i"]);
            if packet.is_from_server {
                let form = WireProbe::detect(capture.challenge(), &packet.bytes);
                assert_eq!(form, Some(capture.wire()), "{place}");
                self.server_packet(packet, &place);
            } else {
                self.client_packet(packet, &place);
            }
        }
        self
    }

    fn server_packet(&mut self, packet: &Packet, place: &str) {
        let now = ClientTime(packet.at_msec);
        // The ring of a real client holds what it had sent by then; numbers make it the same.
        let newest = expected_rel_ack(packet).map_or(0, |rel_ack| rel_ack + 40);
        let texts = capture::texts(&self.client_commands, newest);
        let received = self
            .client
            .receive(now, &packet.bytes, &texts)
            .expect(place);
        assert_eq!(
            received.is_some(),
            packet.line.get("decoded").is_some(),
            "{place}"
        );
        let Some(received) = received else { return };
        let decoded = &packet.line["decoded"];
        assert_eq!(received.bytes.len() as i64, int(&decoded["len"]), "{place}");
        let message = self
            .decoder
            .read(received.sequence, &received.bytes, i32::MAX)
            .unwrap_or_else(|error| panic!("{place}: {error}"));
        assert_eq!(
            i64::from(message.rel_ack),
            int(&decoded["relAck"]),
            "{place}"
        );
        self.server_messages += 1;
        let mut expected = decoded["ops"].as_array().expect("a list").iter();
        for op in &message.ops {
            let expected = expected
                .by_ref()
                .find(|expected| !self.is_known(expected))
                .unwrap_or_else(|| panic!("{place}: {op:?} was not recorded"));
            self.check_op(op, expected, place);
        }
        assert_eq!(
            expected.find(|op| !self.is_known(op)),
            None,
            "{place}: missing"
        );
        if let ([ServerOp::Snapshot(snapshot)], 1) = (
            &message.ops[..],
            decoded["ops"].as_array().map_or(0, Vec::len),
        ) {
            self.check_cost(&message, snapshot, received.bytes.len(), place);
        }
    }

    /// The parts of a snapshot make up what came.
    fn check_cost(
        &mut self,
        message: &svc::ServerMessage,
        snapshot: &Snapshot,
        length: usize,
        place: &str,
    ) {
        let base = snapshot
            .delta_num
            .and_then(|number| self.decoder.snapshot(number));
        let gamestate = self.decoder.gamestate();
        let mut whole = svc::Writer::new(message.rel_ack);
        whole.snapshot(snapshot, base, gamestate);
        // Servers also tell changes that the width of a field cuts off; those cannot be known here.
        let written = whole.finish().expect(place).len();
        assert!(
            written <= length && length <= written + 8,
            "{place}: {written} of {length}"
        );
        self.exact_costs += usize::from(written == length);
        let cost = cost::of_snapshot(snapshot, base, gamestate);
        let parts = cost
            .entities
            .iter()
            .map(|(_, cost)| cost)
            .chain([&cost.player]);
        let told: usize = parts.clone().map(|part| part.bits).sum();
        // Eight single bytes or so, and the areamask; a byte takes 2 to 11 bits.
        let bytes = 10 + usize::from(snapshot.area_len);
        assert!(
            (2 * bytes..11 * bytes).contains(&(cost.bits - told)),
            "{place}: {cost:?}"
        );
        for part in parts {
            let values: usize = part.fields.iter().map(|(_, bits)| bits).sum();
            assert!(values <= part.bits, "{place}: {part:?}");
        }
        self.costs += 1;
    }

    /// Whether a recorded operation is one that the decoder leaves out: padding, or a repeat.
    fn is_known(&self, op: &Value) -> bool {
        op[0] == "nop" || op[0] == "cmd" && int(&op[1]) <= i64::from(self.newest_command)
    }

    fn check_op(&mut self, op: &ServerOp, expected: &Value, place: &str) {
        match op {
            ServerOp::Command(command) => {
                assert_eq!(expected[0], "cmd", "{place}");
                assert_eq!(i64::from(command.number), int(&expected[1]), "{place}");
                self.newest_command = command.number;
                assert_eq!(
                    command.text,
                    expected[2].as_str().expect("a text"),
                    "{place}"
                );
            }
            ServerOp::Gamestate(gamestate) => {
                self.feed = gamestate.checksum_feed;
                self.expected_block = 0;
                self.decoder.expect_block(0);
                check(&gamestate_facts(gamestate), &expected[1], place);
            }
            ServerOp::Snapshot(snapshot) => {
                self.snapshots += 1;
                check(&snapshot_facts(snapshot), &expected[1], place);
            }
            ServerOp::SnapshotWithoutBase { base_num } => panic!("{place}: no base {base_num}"),
            ServerOp::Download(download) => self.check_download(download, expected, place),
        }
    }

    fn check_download(&mut self, download: &Download, expected: &Value, place: &str) {
        let facts = match download {
            Download::Refused { reason } => json!(["download", 0, -1, reason]),
            Download::Block { number, size, data } => {
                json!(["download", number, size, data.len(), crc_of_bytes(data)])
            }
        };
        assert_eq!(facts, *expected, "{place}");
        if let Download::Block { number, .. } = download
            && *number == self.expected_block
        {
            self.expected_block += 1;
            self.decoder.expect_block(self.expected_block);
        }
    }

    fn client_packet(&mut self, packet: &Packet, place: &str) {
        let decoded = &packet.line;
        let now = ClientTime(packet.at_msec);
        let newest = decoded["cmdAck"].as_i64().map_or(0, |number| number as i32);
        let texts = capture::texts(&self.server_commands, newest);
        let received = self
            .server
            .receive(now, &packet.bytes, &texts)
            .expect(place);
        let Some(received) = received else { return };
        let message = clc::read(&received.bytes, self.feed, |number| texts.get(number))
            .unwrap_or_else(|error| panic!("{place}: {error}"));
        self.client_messages += 1;
        let facts = json!({
            "serverId": message.server_id, "msgAck": message.message_ack, "cmdAck": message.command_ack,
        });
        check(&facts, decoded, place);
        let usercmds: Vec<Value> = message
            .movement
            .usercmds
            .iter()
            .map(usercmd_facts)
            .collect();
        let expected = decoded["usercmds"].as_array().cloned().unwrap_or_default();
        assert_eq!(usercmds, expected, "{place}");
        if !usercmds.is_empty() {
            let op = if message.movement.allows_delta { 2 } else { 3 };
            assert_eq!(int(&decoded["op"]), op, "{place}");
        }
        self.check_rewritten(&message, &received.bytes, &texts, place);
    }

    /// Writing what was read gives the same bytes, but for what the spare byte holds.
    fn check_rewritten(
        &self,
        message: &clc::ClientMessage,
        bytes: &[u8],
        texts: &CommandTexts,
        place: &str,
    ) {
        let key = clc::MoveKey {
            checksum_feed: self.feed,
            server_command: texts.get(message.command_ack),
        };
        let written = clc::write(message, key).expect(place);
        assert_eq!(written.len(), bytes.len(), "{place}");
        let end = bytes.len() - 1;
        assert_eq!(written[..end], bytes[..end], "{place}");
    }
}

fn expected_rel_ack(packet: &Packet) -> Option<i32> {
    packet.line["decoded"]["relAck"]
        .as_i64()
        .map(|number| number as i32)
}

/// Compares all facts that both know.
fn check(facts: &Value, expected: &Value, place: &str) {
    for (key, fact) in facts.as_object().expect("facts are an object") {
        assert_eq!(*fact, expected[key], "{place}: {key}");
    }
}

fn gamestate_facts(gamestate: &Gamestate) -> Value {
    let strings: Vec<String> = gamestate
        .configstrings
        .iter()
        .map(|(index, text)| format!("{index}:{text}"))
        .collect();
    let systeminfo = Info::parse(gamestate.configstrings.get(1));
    json!({
        "srvseq": gamestate.server_command_num,
        "ncs": strings.len(),
        "nbase": gamestate.baselines.len(),
        "clientNum": gamestate.client_num,
        "feed": gamestate.checksum_feed,
        "serverId": systeminfo.number("sv_serverid"),
        "cs_crc": crc_of_bytes(strings.join("\n").as_bytes()),
        "base_crc": crc(gamestate.baselines.iter().flat_map(entity_words)),
    })
}

pub fn snapshot_facts(snapshot: &Snapshot) -> Value {
    let area = &snapshot.area_mask[..usize::from(snapshot.area_len)];
    let delta = snapshot
        .delta_num
        .map_or(0, |base| snapshot.message_num - base);
    json!({
        "time": snapshot.server_time.0,
        "delta": delta,
        "flags": snapshot.flags,
        "area": shared::base::hex::encode(area),
        "valid": true,
        "commandTime": snapshot.player.command_time,
        "pm_type": snapshot.player.pm_type,
        "health": snapshot.player.stats[0],
        "weapon": snapshot.player.weapon,
        "nents": snapshot.entities.len(),
        "ps_crc": crc(player_words(&snapshot.player)),
        "ents_crc": crc(snapshot.entities.iter().flat_map(entity_words)),
    })
}

fn player_words(player: &PlayerState) -> Vec<u32> {
    let fields = (0..PlayerState::FIELDS.len()).map(|index| player.field(index));
    let arrays = fields::arrays(player)
        .into_iter()
        .flatten()
        .map(|&value| value as u32);
    fields.chain(arrays).collect()
}

fn entity_words(entity: &EntityState) -> Vec<u32> {
    let fields = (0..EntityState::FIELDS.len()).map(|index| entity.field(index));
    std::iter::once(u32::from(entity.number))
        .chain(fields)
        .collect()
}

pub fn usercmd_facts(usercmd: &Usercmd) -> Value {
    json!({
        "t": usercmd.server_time.0,
        "a0": usercmd.angles[0], "a1": usercmd.angles[1], "a2": usercmd.angles[2],
        "f": usercmd.forward_move, "r": usercmd.right_move, "u": usercmd.up_move,
        "b": usercmd.buttons, "w": usercmd.weapon,
    })
}

/// Snapshots written again against the same base mean the same.
#[test]
fn snapshots_of_a_session_read_back_when_written() {
    let capture = Capture::load("oa088_legacy71_24s");
    let mut replay = Replay::new(&capture);
    let mut again = capture.decoder();
    let mut messages = 0;
    let packets = capture.channel_packets();
    for packet in packets.filter(|packet| packet.is_from_server) {
        let newest = expected_rel_ack(packet).unwrap_or(0);
        let texts = capture::texts(&replay.client_commands, newest);
        let now = ClientTime(packet.at_msec);
        let Ok(Some(received)) = replay.client.receive(now, &packet.bytes, &texts) else {
            continue;
        };
        let (sequence, bytes) = (received.sequence, received.bytes);
        let before = replay.decoder.clone();
        let read = replay
            .decoder
            .read(sequence, &bytes, i32::MAX)
            .expect("a good message");
        let mut writer = svc::Writer::new(read.rel_ack);
        for op in &read.ops {
            match op {
                ServerOp::Command(command) => writer.command(command.number, &command.text),
                ServerOp::Gamestate(gamestate) => writer.gamestate(gamestate),
                ServerOp::Snapshot(snapshot) => {
                    let base = snapshot
                        .delta_num
                        .and_then(|number| before.snapshot(number));
                    writer.snapshot(snapshot, base, replay.decoder.gamestate());
                }
                ServerOp::Download(download) => writer.download(download),
                ServerOp::SnapshotWithoutBase { .. } => panic!("a base is missing"),
            }
        }
        let written = writer.finish().expect("it fits");
        assert_eq!(again.read(sequence, &written, i32::MAX), Ok(read));
        messages += 1;
    }
    assert!(messages > 400, "{messages} messages");
}
