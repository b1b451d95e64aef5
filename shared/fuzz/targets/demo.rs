//! Plays any file as a demo.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shared::net::{
    demo::Records,
    svc::{Decoder, Origin},
};

fuzz_target!(|bytes: &[u8]| {
    let mut decoder = Decoder::new(Origin::Demo);
    let mut records = Records::new(bytes);
    for record in records.by_ref() {
        let _ = decoder.read(record.sequence, record.message, 0);
    }
    assert!(records.end().is_some());
});
