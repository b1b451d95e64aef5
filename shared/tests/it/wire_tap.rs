//! Reads along in recorded sessions, with nothing but the datagrams: all messages are understood, both ways.

use crate::capture::{Capture, NAMES};
use shared::{
    base::time::ClientTime,
    net::tap::{Heard, Tap},
};

#[test]
fn each_message_of_each_session_is_understood() {
    let (mut clients, mut servers, mut levels) = (0, 0, 0);
    for name in NAMES {
        let capture = Capture::load(name);
        let mut tap = Tap::default();
        let heard = capture.packets.iter().filter(|packet| !packet.is_skipped);
        for packet in heard {
            let place = format!("{name} packet {}", packet.line["i"]);
            let now = ClientTime(packet.at_msec);
            let heard = match packet.is_from_server {
                true => tap.hear_server(now, &packet.bytes),
                false => tap.hear_client(now, &packet.bytes),
            };
            let Some(heard) = heard else { continue };
            match &heard {
                Heard::OutOfBand { .. } => assert!(packet.is_oob, "{place}"),
                Heard::Client(head, Ok(message)) => {
                    clients += 1;
                    let line = tap.json(&heard);
                    assert_eq!(line["from"], "player", "{place}");
                    assert_eq!(line["sequence"], head.sequence, "{place}");
                    assert_eq!(line["acknowledged_message"], message.message_ack, "{place}");
                }
                Heard::Server(head, Ok(message)) => {
                    servers += 1;
                    let line = tap.json(&heard);
                    assert_eq!(line["from"], "server", "{place}");
                    assert_eq!(line["message_bytes"], head.message_bytes, "{place}");
                    let ops = line["ops"].as_array().expect("a list");
                    assert_eq!(ops.len(), message.ops.len(), "{place}");
                    levels += usize::from(heard.gamestate().is_some());
                }
                Heard::Client(_, Err(error)) | Heard::Server(_, Err(error)) => {
                    panic!("{place}: {error}")
                }
            }
        }
    }
    assert!(clients > 2000 && servers > 2000, "{clients} and {servers}");
    assert!(levels >= NAMES.len(), "{levels}");
}
