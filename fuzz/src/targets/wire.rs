//! What client and server read from each other, and demos.

use crate::Target;
use ::relay::fuzz::pieces;
use shared::{
    base::time::ClientTime,
    net::{
        clc::{self, MoveKey},
        demo::Records,
        netchan::{MAX_MSGLEN, Netchan, Side, WireProbe},
        oob::{ClientPacket, MARK, ServerPacket},
        protocol::WireForm,
        reliable::CommandTexts,
        svc::{Decoder, Origin, Writer},
    },
    types::{entitystate::EntityState, gamestate::Gamestate, snapshot::Snapshot},
};
use std::sync::LazyLock;

pub const TARGETS: &[Target] = &[
    Target::new("client_message", 2048, 20, client_message),
    Target::new("datagram", 8192, 20, datagram),
    Target::new("demo", 32_768, 20, demo),
    Target::new("oob", 2048, 20, oob),
    Target::new("server_message", 4096, 20, server_message),
];

/// Reads a client message; what was read is the same after writing and reading it again.
fn client_message(bytes: &[u8]) {
    let key = MoveKey {
        checksum_feed: 7,
        server_command: "cs 5 \"x\"",
    };
    let read = |bytes: &[u8]| clc::read(bytes, key.checksum_feed, |_| key.server_command);
    let Ok(message) = read(bytes) else {
        return;
    };
    if let Ok(written) = clc::write(&message, key) {
        let mut again = read(&written).expect("what was written can be read");
        if message.movement.usercmds.is_empty() {
            again.movement.allows_delta = message.movement.allows_delta;
        }
        assert_eq!(again, message);
    }
}

/// Feeds datagrams, each behind its length, to both ends of a channel.
fn datagram(bytes: &[u8]) {
    let mut texts = CommandTexts::new();
    texts.push("say hello");
    let mut ends = [
        Netchan::new(Side::Client { qport: 0 }, WireForm::Legacy, 1),
        // A challenge of 0 makes every checksum 0, which a fuzzer finds.
        Netchan::new(Side::Client { qport: 0 }, WireForm::Modern, 0),
        Netchan::new(Side::Server { qport: 0 }, WireForm::Legacy, 1),
    ];
    for (number, datagram) in (0..).zip(pieces(bytes)) {
        let now = ClientTime(100 * number);
        let _ = WireProbe::detect(1, datagram);
        for end in &mut ends {
            if let Ok(Some(received)) = end.receive(now, datagram, &texts) {
                assert!(received.bytes.len() <= MAX_MSGLEN);
            }
        }
    }
}

/// Plays any file as a demo.
fn demo(bytes: &[u8]) {
    let mut decoder = Decoder::new(Origin::Demo);
    let mut records = Records::new(bytes);
    for record in records.by_ref() {
        let _ = decoder.read(record.sequence, record.message, 0);
    }
    assert!(records.end().is_some());
}

/// Reads a packet outside any connection; what can be written reads back the same.
fn oob(bytes: &[u8]) {
    let datagram = [&MARK[..], bytes].concat();
    if let Some(ServerPacket::Servers(servers)) = ServerPacket::read(&datagram) {
        let again = ServerPacket::read(&ServerPacket::Servers(servers.clone()).write());
        assert_eq!(again, Some(ServerPacket::Servers(servers)));
    }
    if let Some(packet) = ClientPacket::read(&datagram) {
        let _ = packet.write();
    }
}

/// Feeds a server message to a decoder that already has a level and a snapshot.
fn server_message(bytes: &[u8]) {
    /// Made once: they cost more than most messages.
    static DECODERS: LazyLock<[Decoder; 3]> = LazyLock::new(|| {
        let forms = [WireForm::Legacy, WireForm::Modern].map(Origin::Connection);
        [forms[0], forms[1], Origin::Demo].map(decoder_in_play)
    });
    let Some((&choice, bytes)) = bytes.split_first() else {
        return;
    };
    let mut decoder = DECODERS[usize::from(choice) % DECODERS.len()].clone();
    if decoder.read(2, bytes, 5).is_ok() {
        // What a message left behind must not upset the next one.
        let _ = decoder.read(3, bytes, 5);
    }
}

fn decoder_in_play(origin: Origin) -> Decoder {
    let mut decoder = Decoder::new(origin);
    let entities = [3, 70, 500].map(|number| EntityState {
        number,
        ..EntityState::default()
    });
    let base = Snapshot {
        message_num: 1,
        entities: entities.into_iter().collect(),
        ..Snapshot::default()
    };
    let mut writer = Writer::new(0);
    writer.gamestate(&Gamestate::default());
    writer.snapshot(&base, None, &Gamestate::default());
    let first = writer.finish().expect("it is short");
    decoder.read(1, &first, 0).expect("it is good");
    decoder
}
