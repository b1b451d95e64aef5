//! Reads a client message; what was read is the same after writing and reading it again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shared::net::clc::{self, MoveKey};

fuzz_target!(|bytes: &[u8]| {
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
});
