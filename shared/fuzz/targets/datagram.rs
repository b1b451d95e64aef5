//! Feeds datagrams, each behind its length, to both ends of a channel.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shared::{
    base::time::ClientTime,
    net::{
        netchan::{MAX_MSGLEN, Netchan, Side, WireProbe},
        protocol::WireForm,
        reliable::CommandTexts,
    },
};

fuzz_target!(|bytes: &[u8]| {
    let mut texts = CommandTexts::new();
    texts.push("say hello");
    let mut ends = [
        Netchan::new(Side::Client { qport: 0 }, WireForm::Legacy, 1),
        // A challenge of 0 makes every checksum 0, which a fuzzer finds.
        Netchan::new(Side::Client { qport: 0 }, WireForm::Modern, 0),
        Netchan::new(Side::Server { qport: 0 }, WireForm::Legacy, 1),
    ];
    let mut rest = bytes;
    let mut now = ClientTime(0);
    while let Some((&[low, high], after)) = rest.split_first_chunk() {
        let length = usize::from(u16::from_le_bytes([low, high])).min(after.len());
        let (datagram, after) = after.split_at(length);
        let _ = WireProbe::detect(1, datagram);
        for end in &mut ends {
            if let Ok(Some(received)) = end.receive(now, datagram, &texts) {
                assert!(received.bytes.len() <= MAX_MSGLEN);
            }
        }
        (rest, now) = (after, now + 100);
    }
});
