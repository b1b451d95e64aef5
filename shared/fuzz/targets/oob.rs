//! Reads a packet outside any connection; what can be written reads back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shared::net::oob::{ClientPacket, MARK, ServerPacket};

fuzz_target!(|bytes: &[u8]| {
    let datagram = [&MARK[..], bytes].concat();
    if let Some(ServerPacket::Servers(servers)) = ServerPacket::read(&datagram) {
        let again = ServerPacket::read(&ServerPacket::Servers(servers.clone()).write());
        assert_eq!(again, Some(ServerPacket::Servers(servers)));
    }
    if let Some(packet) = ClientPacket::read(&datagram) {
        let _ = packet.write();
    }
});
