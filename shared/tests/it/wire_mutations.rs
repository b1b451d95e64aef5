//! Damaged messages and datagrams: each gives a value or an error, keeps within bounds, and one that
//! gives an error changes nothing.

use crate::capture::{self, Capture, NAMES};
use shared::{
    base::{rng::Rng, time::ClientTime},
    net::{
        clc,
        demo::Records,
        netchan::MAX_MSGLEN,
        oob::{ClientPacket, ServerPacket},
        reliable::CommandTexts,
        svc::{Decoder, Download, Origin, ServerMessage, ServerOp},
    },
};
use std::{ptr, sync::Arc};

/// Damages bytes in one of the ways that lines, bugs and attackers do.
fn damage(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.is_empty() {
        return bytes;
    }
    let place = rng.below(bytes.len());
    match rng.below(6) {
        0 => bytes.truncate(place),
        1 => (0..1 + rng.below(20)).for_each(|_| bytes.push(rng.next_u64() as u8)),
        2 => bytes[place] = rng.next_u64() as u8,
        3 => {
            let end = bytes.len().min(place + 1 + rng.below(8));
            bytes[place..end]
                .iter_mut()
                .for_each(|byte| *byte = rng.next_u64() as u8);
        }
        4 => {
            let end = bytes.len().min(place + 1 + rng.below(4));
            bytes.drain(place..end);
        }
        _ => (0..1 + rng.below(3)).for_each(|_| {
            let bit = rng.below(bytes.len() * 8);
            bytes[bit / 8] ^= 1 << (bit % 8);
        }),
    }
    bytes
}

/// What a message can hold at most, whatever it claims.
fn check_bounds(message: &ServerMessage, length: usize) {
    let bits = length * 8;
    assert!(
        message.ops.len() <= bits / 8,
        "{} operations",
        message.ops.len()
    );
    for op in &message.ops {
        match op {
            ServerOp::Command(command) => assert!(command.text.len() <= 1023),
            ServerOp::Gamestate(gamestate) => {
                assert!(gamestate.baselines.len() <= 1024);
                let ascends = |pair: &[_]| pair[0] < pair[1];
                let numbers: Vec<u16> = gamestate.baselines.iter().map(|one| one.number).collect();
                assert!(numbers.windows(2).all(ascends));
                let chars: usize = gamestate
                    .configstrings
                    .iter()
                    .map(|(_, text)| text.len() + 1)
                    .sum();
                assert!(chars < 16_000);
                assert!((0..64).contains(&gamestate.client_num));
            }
            ServerOp::Snapshot(snapshot) => {
                let numbers: Vec<u16> = snapshot.entities.iter().map(|one| one.number).collect();
                assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]));
                assert!(numbers.last().is_none_or(|&last| last < 1023));
                assert!(snapshot.area_len <= 32);
            }
            ServerOp::SnapshotWithoutBase { .. } => {}
            ServerOp::Download(Download::Block { data, .. }) => assert!(data.len() <= bits / 2),
            ServerOp::Download(Download::Refused { reason }) => assert!(reason.len() <= 1023),
        }
    }
}

/// Reads a damaged message with a decoder that stays as it is.
fn read_damaged(decoder: &Decoder, sequence: i32, bytes: &[u8], counts: &mut [usize; 2]) {
    let mut trial = decoder.clone();
    match trial.read(sequence, bytes, i32::MAX) {
        Ok(message) => {
            check_bounds(&message, bytes.len());
            counts[0] += 1;
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(trial.newest_command(), decoder.newest_command());
            assert!(Arc::ptr_eq(trial.gamestate(), decoder.gamestate()));
            for back in 0..64 {
                let [one, other] = [&trial, decoder].map(|one| one.snapshot(sequence - back));
                assert_eq!(one.map(ptr::from_ref), other.map(ptr::from_ref));
            }
            counts[1] += 1;
        }
    }
}

const MUTATIONS_PER_MESSAGE: usize = 100;

#[test]
fn damaged_server_messages() {
    let (mut rng, mut counts) = (Rng::new(68), [0; 2]);
    for name in NAMES {
        let capture = Capture::load(name);
        let client_commands = capture.commands("client_commands");
        let (mut client, mut decoder) = (capture.client(), capture.decoder());
        let packets = capture.channel_packets();
        for packet in packets.filter(|packet| packet.is_from_server) {
            let newest = packet.line["decoded"]["relAck"].as_i64().unwrap_or(0);
            let texts = capture::texts(&client_commands, newest as i32);
            let now = ClientTime(packet.at_msec);
            let Ok(Some(received)) = client.receive(now, &packet.bytes, &texts) else {
                continue;
            };
            for _ in 0..MUTATIONS_PER_MESSAGE {
                let damaged = damage(&mut rng, &received.bytes);
                read_damaged(&decoder, received.sequence, &damaged, &mut counts);
            }
            decoder
                .read(received.sequence, &received.bytes, i32::MAX)
                .expect("a good message");
        }
    }
    assert!(counts[0] > 1000 && counts[1] > 20_000, "{counts:?}");
    assert!(counts[0] + counts[1] > 200_000, "{counts:?}");
}

#[test]
fn damaged_messages_of_demos() {
    let (mut rng, mut counts) = (Rng::new(71), [0; 2]);
    for name in ["oa_ctf2-play", "suspended-play"] {
        let demo = crate::data::file(&format!("demos/{name}.dm_71.gz"));
        let mut decoder = Decoder::new(Origin::Demo);
        for record in Records::new(&demo) {
            for _ in 0..10 {
                let damaged = damage(&mut rng, record.message);
                read_damaged(&decoder, record.sequence, &damaged, &mut counts);
            }
            decoder
                .read(record.sequence, record.message, 0)
                .expect("a good message");
        }
    }
    assert!(counts[0] + counts[1] > 30_000, "{counts:?}");
}

/// Datagrams of both directions, damaged before they reach channel, scrambling and reader.
#[test]
fn damaged_datagrams() {
    let (mut rng, mut count) = (Rng::new(27_960), 0);
    for name in NAMES {
        let capture = Capture::load(name);
        let mut texts = CommandTexts::new();
        texts.push("say hello");
        let (mut client, mut server) = (capture.client(), capture.server());
        let mut decoder = capture.decoder();
        for packet in &capture.packets {
            let end = if packet.is_from_server {
                &mut client
            } else {
                &mut server
            };
            for _ in 0..30 {
                let damaged = damage(&mut rng, &packet.bytes);
                let _ = ServerPacket::read(&damaged);
                let _ = ClientPacket::read(&damaged);
                count += 1;
                let mut trial = end.clone();
                let Ok(Some(received)) =
                    trial.receive(ClientTime(packet.at_msec), &damaged, &texts)
                else {
                    continue;
                };
                assert!(received.bytes.len() <= MAX_MSGLEN);
                if packet.is_from_server {
                    let _ = decoder.read(received.sequence, &received.bytes, 5);
                } else if let Ok(message) =
                    clc::read(&received.bytes, 0, |number| texts.get(number))
                {
                    assert!(message.movement.usercmds.len() <= clc::MAX_PACKET_USERCMDS);
                    assert!(message.commands.len() <= received.bytes.len());
                }
            }
            let _ = end.receive(ClientTime(packet.at_msec), &packet.bytes, &texts);
        }
    }
    assert!(count > 120_000, "{count}");
}

/// Bytes that no one ever sent.
#[test]
fn noise() {
    let mut rng = Rng::new(1);
    let decoder = Decoder::new(Origin::Demo);
    let mut counts = [0; 2];
    for round in 0..3000 {
        let length = if round % 50 == 0 {
            MAX_MSGLEN + rng.below(3)
        } else {
            rng.below(300)
        };
        let bytes: Vec<u8> = (0..length).map(|_| rng.next_u64() as u8).collect();
        read_damaged(&decoder, 1 + rng.below(99) as i32, &bytes, &mut counts);
        let _ = clc::read(&bytes, 1, |_| "");
        assert!(Records::new(&bytes).all(|record| record.message.len() <= MAX_MSGLEN));
    }
    assert_eq!(counts[0] + counts[1], 3000);
}
