//! Feeds a server message to a decoder that already has a level and a snapshot.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shared::{
    net::{
        protocol::WireForm,
        svc::{Decoder, Origin, Writer},
    },
    types::{entitystate::EntityState, gamestate::Gamestate, snapshot::Snapshot},
};

fuzz_target!(|bytes: &[u8]| {
    let Some((&choice, bytes)) = bytes.split_first() else {
        return;
    };
    let origin = match choice % 3 {
        0 => Origin::Connection(WireForm::Legacy),
        1 => Origin::Connection(WireForm::Modern),
        _ => Origin::Demo,
    };
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
    if decoder.read(2, bytes, 5).is_ok() {
        // What a message left behind must not upset the next one.
        let _ = decoder.read(3, bytes, 5);
    }
});
