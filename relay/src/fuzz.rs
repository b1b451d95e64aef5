//! What decides over bytes from outside, as plain functions that the fuzz targets call.

use shared::net::split::{Joiner, Splitter, text};
#[cfg(feature = "inspection")]
use tokio::sync::mpsc;

use crate::core::gate::{Answer, Gate, MAX_FROM_PLAYER, Stage, Trust};
#[cfg(feature = "inspection")]
use crate::inspection::tap::Tap;

/// Splits a datagram and puts it together again while packets of an attacker come between, each behind its length.
pub fn split(bytes: &[u8]) {
    let mut splitter = Splitter::default();
    let mut own = Joiner::default();
    let mut attacked = Joiner::default();
    for packet in pieces(bytes) {
        let packets: Vec<Vec<u8>> = splitter.split(packet).collect();
        let joined: Vec<_> = packets
            .iter()
            .filter_map(|packet| own.join(packet))
            .collect();
        if !packets.is_empty() {
            assert_eq!(joined, [packet], "it comes through whole");
        }
        // Texts are told from datagrams.
        assert!(packets.iter().all(|packet| text(packet).is_none()));
        let _ = text(packet);
        for packet in packets.iter().map(Vec::as_slice).take(1).chain([packet]) {
            if let Some(datagram) = attacked.join(packet) {
                assert!(datagram.len() <= 2 * bytes.len());
            }
        }
    }
}

/// Lets datagrams of both sides come to the gate, each behind its length; one bit of the first byte says whose it is.
pub fn gate(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else {
        return;
    };
    const QPORT: u16 = 4711;
    let is_listed = kind & 1 == 0;
    let trust = match is_listed {
        true => Trust::Listed,
        false => Trust::Stranger {
            secret: "0123456789abcdef".to_owned(),
        },
    };
    let mut gate = Gate::new(trust, QPORT);
    let (mut sent, mut passed) = (0, 0);
    for piece in pieces(bytes) {
        let before = gate.stage();
        let Some((&side, datagram)) = piece.split_first() else {
            continue;
        };
        if side & 1 == 0 {
            sent += datagram.len();
            let Ok(to_server) = gate.pass_to_server(datagram) else {
                continue;
            };
            passed += to_server.len();
            // What is packed anew may become longer, but by no more than its packing.
            assert!(to_server.len() <= 2 * MAX_FROM_PLAYER);
            if !is_listed && before == Stage::Asking {
                assert!(passed <= sent, "no amplifier");
            }
        } else if let Ok(answer) = gate.pass_to_player(datagram) {
            if let Answer::Proof { due: Some(due) } = answer {
                assert!(due.len() <= sent);
            }
            assert!(is_listed || gate.stage() > Stage::Asking);
        }
        assert!(gate.stage() >= before, "a session never falls back");
    }
}

/// Lets the tap follow a session whose handshake is done; the first byte says how the server writes, and datagrams
/// come behind their lengths, the first byte of each saying whose it is.
#[cfg(feature = "inspection")]
pub fn tap(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else {
        return;
    };
    let mut tap = Tap::new();
    let (sender, mut lines) = mpsc::channel(8);
    if kind & 1 == 0 {
        tap.listeners().lock().push(sender);
    }
    if kind & 2 == 0 {
        let connect = shared::net::oob::ClientPacket::Connect {
            userinfo: shared::base::info::Info::parse("\\challenge\\0\\qport\\0\\protocol\\71"),
        };
        if let Ok(connect) = connect.write() {
            tap.hear_player(&connect);
        }
        let answer: &[u8] = match kind & 12 {
            0 => b"\xff\xff\xff\xffconnectResponse 0",
            4 => b"\xff\xff\xff\xffconnectResponse 0 71",
            _ => b"\xff\xff\xff\xffconnectResponse",
        };
        tap.hear_server(answer);
    }
    for piece in pieces(bytes) {
        let Some((&side, datagram)) = piece.split_first() else {
            continue;
        };
        if side & 1 == 0 {
            tap.hear_player(datagram);
        } else if let Some(gamestate) = tap.hear_server(datagram) {
            assert!(gamestate.baselines.len() <= 1024);
        }
        while lines.try_recv().is_ok() {}
    }
}

/// Cuts bytes at the lengths that stand before each piece.
pub fn pieces(mut rest: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (&[low, high], after) = rest.split_first_chunk()?;
        let length = usize::from(u16::from_le_bytes([low, high])).min(after.len());
        let piece;
        (piece, rest) = after.split_at(length);
        Some(piece)
    })
}
