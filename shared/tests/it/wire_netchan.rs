//! The channel: fragments, loss, order, forgery, and which form a server speaks.

use crate::data::{hex, int, latin1, vector, vectors};
use shared::{
    base::{rng::Rng, time::ClientTime},
    net::{
        netchan::{
            self, DropReason, FRAGMENT_SIZE, MAX_MSGLEN, Netchan, Received, Side, TooLong,
            WireProbe,
        },
        protocol::WireForm::{self, Legacy, Modern},
        reliable::CommandTexts,
        scramble,
    },
};

const QPORT: u16 = 4660;
const CHALLENGE: i32 = -245_720_941;
const NOW: ClientTime = ClientTime(1000);

fn client(wire: WireForm) -> Netchan {
    Netchan::new(Side::Client { qport: QPORT }, wire, CHALLENGE)
}

fn server(wire: WireForm) -> Netchan {
    Netchan::new(Side::Server { qport: QPORT }, wire, CHALLENGE)
}

/// A message that acknowledges nothing and is told apart by its length and number.
fn message(length: usize, number: u8) -> Vec<u8> {
    // Three integers 0 take one byte each.
    (0..length)
        .map(|at| {
            if at < 12 {
                0xAA
            } else {
                (at as u8).wrapping_add(number)
            }
        })
        .collect()
}

/// What a datagram does at an end without reliable commands.
fn receive(end: &mut Netchan, datagram: &[u8]) -> Result<Option<Received>, DropReason> {
    end.receive(NOW, datagram, &texts())
}

/// The message that a datagram completes.
fn complete(received: Result<Option<Received>, DropReason>) -> Received {
    received.expect("accepted").expect("complete")
}

fn texts() -> CommandTexts {
    CommandTexts::new()
}

#[test]
fn checksums_match_the_vectors() {
    for (key, vector) in vectors("checksum_") {
        let checksum = netchan::checksum(
            int(&vector["challenge"]) as i32,
            int(&vector["sequence"]) as i32,
        );
        assert_eq!(i64::from(checksum), int(&vector["checksum_u32"]), "{key}");
        assert_eq!(
            checksum.to_le_bytes().to_vec(),
            hex(&vector["wire"]),
            "{key}"
        );
    }
}

#[test]
fn key_streams_match_the_vectors() {
    for (key, vector) in vectors("xor_stream_") {
        let text = match vector.get("text") {
            Some(text) => latin1(text),
            None => hex(&vector["text_bytes_hex"]),
        };
        let (start, stream) = (int(&vector["start"]) as usize, hex(&vector["stream"]));
        let mut bytes = vec![0; start + stream.len()];
        scramble::xor(&mut bytes, start, int(&vector["key0"]) as u8, &text);
        assert_eq!(bytes[start..], stream, "{key}");
        assert!(bytes[..start].iter().all(|&byte| byte == 0), "{key}");
    }
}

#[test]
fn real_datagrams_come_out_as_recorded() {
    let vectors = [
        "real_s2c_legacy_first",
        "real_s2c_legacy_ack1_percent",
        "real_s2c_legacy_ack3_nonascii",
        "real_s2c_modern",
    ];
    for key in vectors {
        let vector = vector(key);
        let wire = if key.contains("modern") {
            Modern
        } else {
            Legacy
        };
        let challenge = int(&vector["challenge"]) as i32;
        let mut client = Netchan::new(Side::Client { qport: 1 }, wire, challenge);
        let mut texts = texts();
        if let Some(text) = vector["client_command"].as_str() {
            let bytes: Vec<u8> = text.chars().map(|c| u32::from(c) as u8).collect();
            texts.insert(
                int(&vector["relAck"]) as i32,
                &crate::capture::ascii(&bytes),
            );
        }
        let received = client.receive(NOW, &hex(&vector["datagram"]), &texts);
        let expected = Received {
            sequence: int(&vector["sequence"]) as i32,
            lost: int(&vector["sequence"]) as i32 - 1,
            bytes: hex(&vector["payload_plain"]),
        };
        assert_eq!(received, Ok(Some(expected)), "{key}");
    }
}

#[test]
fn the_first_datagram_of_a_client_is_as_recorded() {
    let datagram = hex(&vector("real_c2s_first")["datagram"]);
    let mut client = Netchan::new(Side::Client { qport: QPORT }, Legacy, 437_506_936);
    let sent = client.send(vec![0xAA, 0xAA, 0xAA, 0x11, 0], &texts());
    assert_eq!(sent, Ok(vec![datagram]));
}

/// How many datagrams a message of each length takes, and that it arrives.
#[test]
fn long_messages_travel_in_fragments() {
    let lengths = [
        (0, 1),
        (13, 1),
        (1299, 1),
        (1300, 2),
        (1301, 2),
        (2599, 2),
        (2600, 3),
        (3000, 3),
        (MAX_MSGLEN, 13),
    ];
    for wire in [Legacy, Modern] {
        for is_from_client in [true, false] {
            let (mut sender, mut receiver) = match is_from_client {
                true => (client(wire), server(wire)),
                false => (server(wire), client(wire)),
            };
            for (length, count) in lengths {
                let sent = sender
                    .send(message(length, 3), &texts())
                    .expect("not too long");
                assert_eq!(sent.len(), count, "{length} bytes");
                assert!(sent.iter().all(|datagram| datagram.len() <= 1400));
                let (last, before) = sent.split_last().expect("at least one");
                for datagram in before {
                    assert_eq!(receive(&mut receiver, datagram), Ok(None));
                    assert!(receiver.is_receiving_fragments());
                }
                let received = complete(receive(&mut receiver, last));
                assert_eq!(
                    (received.bytes, received.lost),
                    (message(length, 3), 0),
                    "{length} bytes"
                );
                assert!(!receiver.is_receiving_fragments());
            }
            let too_long = sender.send(message(MAX_MSGLEN + 1, 0), &texts());
            assert_eq!(
                too_long,
                Err(TooLong {
                    length: MAX_MSGLEN + 1
                })
            );
            assert_eq!(sender.outgoing(), lengths.len() as i32 + 1);
        }
    }
}

#[test]
fn both_ends_key_with_the_same_text() {
    let mut commands = texts();
    for text in ["first", "say 100% näh", ""] {
        commands.push(text);
    }
    // The head of a client message: 0, 0 and the number of the server command.
    let mut bits = shared::base::bits::BitWriter::new();
    for number in [7, 9, 2] {
        bits.i32(number);
    }
    bits.data(&[65; 40]);
    let plain = bits.finish();
    let sent = client(Legacy)
        .send(plain.clone(), &commands)
        .expect("short");
    assert_ne!(sent[0][18..], plain[12..]);
    let received = complete(server(Legacy).receive(NOW, &sent[0], &commands));
    assert_eq!(received.bytes, plain);
    let other = complete(receive(&mut server(Legacy), &sent[0]));
    assert_ne!(other.bytes, plain);
}

#[test]
fn forged_and_broken_datagrams_are_dropped() {
    let check = |mut receiver: Netchan, datagram: &[u8], reason| {
        let received = receive(&mut receiver, datagram);
        assert_eq!(received, Err(reason), "{datagram:?}");
        assert_eq!(receiver.incoming(), 0);
    };
    check(client(Legacy), &[1, 0, 0], DropReason::Short);
    check(client(Legacy), &[], DropReason::Short);
    check(client(Modern), &[1, 0, 0, 0, 0, 0, 0], DropReason::Short);
    check(client(Legacy), &[0xFF; 8], DropReason::OutOfBand);
    check(client(Legacy), &[0; 8], DropReason::Old);
    check(client(Legacy), &[2; 16_385], DropReason::Long);
    let second = [2, 0, 0, 0, 1, 2, 3, 4, 5];
    check(client(Modern), &second, DropReason::Checksum);
    check(server(Legacy), &second, DropReason::Qport);
    check(client(Legacy), &[1, 0, 0, 0x80, 0, 0, 9], DropReason::Short);
    for (start, length, bytes, reason) in [
        (1300, 5, 5, DropReason::FragmentStart),
        (-1, 5, 5, DropReason::FragmentStart),
        (0, -5, 5, DropReason::FragmentLength),
        (0, 6, 5, DropReason::FragmentLength),
        (0, 1301, 1301, DropReason::FragmentLength),
    ] {
        check(client(Legacy), &fragment(start, length, bytes), reason);
    }
}

/// A fragment of message 1 that says where it begins and how long it is, and how many bytes it has.
fn fragment(start: i16, length: i16, bytes: usize) -> Vec<u8> {
    let (start, length) = (start.to_le_bytes(), length.to_le_bytes());
    [&[1, 0, 0, 0x80][..], &start, &length, &vec![7; bytes]].concat()
}

#[test]
fn a_message_that_never_ends_is_bounded() {
    let mut receiver = client(Legacy);
    let mut refused = 0;
    for start in (0..30_000).step_by(FRAGMENT_SIZE) {
        match receive(&mut receiver, &fragment(start, 1300, FRAGMENT_SIZE)) {
            Ok(message) => assert_eq!(message, None),
            Err(_) => refused += 1,
        }
    }
    assert_eq!(refused, 12);
    assert!(!receiver.is_receiving_fragments());
}

#[test]
fn a_fragment_that_comes_twice_does_no_harm() {
    let sent = server(Modern)
        .send(message(3000, 1), &texts())
        .expect("short");
    let mut receiver = client(Modern);
    let mut arrived = Vec::new();
    for datagram in [&sent[0], &sent[0], &sent[1], &sent[0], &sent[2], &sent[2]] {
        arrived.push(receive(&mut receiver, datagram));
    }
    let again = Err(DropReason::FragmentStart);
    assert_eq!(arrived[..4], [Ok(None), again.clone(), Ok(None), again]);
    assert!(matches!(&arrived[4], Ok(Some(received)) if received.bytes == message(3000, 1)));
    assert_eq!(arrived[5], Err(DropReason::Old));
}

#[test]
fn a_new_message_ends_an_incomplete_one() {
    let mut sender = server(Legacy);
    let first = sender.send(message(2000, 1), &texts()).expect("short");
    let second = sender.send(message(50, 2), &texts()).expect("short");
    let mut receiver = client(Legacy);
    assert_eq!(receive(&mut receiver, &first[0]), Ok(None));
    let received = complete(receive(&mut receiver, &second[0]));
    assert_eq!((received.sequence, received.lost), (2, 1));
    assert!(!receiver.is_receiving_fragments());
    assert_eq!(receive(&mut receiver, &first[1]), Err(DropReason::Old));
}

/// Whatever the line does, messages arrive whole, in order, each once, and losses add up.
#[test]
fn any_line_gives_whole_messages_in_order() {
    for (seed, wire) in (0..60).flat_map(|seed| [(seed, Legacy), (seed, Modern)]) {
        let (mut rng, mut sender, mut receiver) = (Rng::new(seed), server(wire), client(wire));
        let mut line: Vec<Vec<u8>> = Vec::new();
        for number in 0..80_u8 {
            let length = rng.below(4000);
            for datagram in sender
                .send(message(length.max(1), number), &texts())
                .expect("short")
            {
                for _ in 0..[0, 1, 1, 1, 1, 1, 1, 2][rng.below(8)] {
                    let place = line.len() - rng.below(3).min(line.len());
                    line.insert(place, datagram.clone());
                }
            }
        }
        let (mut newest, mut lost, mut count) = (0, 0, 0);
        for datagram in &line {
            let Ok(Some(received)) = receive(&mut receiver, datagram) else {
                continue;
            };
            assert!(received.sequence > newest, "seed {seed}");
            let expected = message(received.bytes.len(), received.sequence as u8 - 1);
            assert!(
                received.bytes == expected,
                "seed {seed}: message {}",
                received.sequence
            );
            (newest, lost, count) = (received.sequence, lost + received.lost, count + 1);
        }
        assert_eq!(newest, lost + count, "seed {seed}");
        assert!(count > 10, "seed {seed}: {count} messages");
    }
}

#[test]
fn a_jump_of_the_sequence_must_persist_on_the_legacy_wire() {
    let at = |sequence: i32| [&sequence.to_le_bytes()[..], &[0xAA; 9]].concat();
    let is_taken = |receiver: &mut Netchan, msec, sequence| {
        let received = receiver.receive(ClientTime(msec), &at(sequence), &texts());
        received == Err(DropReason::Jump) || received.expect("no other reason").is_some()
    };
    let mut receiver = client(Legacy);
    assert!(is_taken(&mut receiver, 0, 10_000));
    assert_eq!(receiver.incoming(), 10_000);
    // One forged datagram does not silence the server.
    assert!(is_taken(&mut receiver, 10, 1_000_000));
    assert_eq!(receiver.incoming(), 10_000);
    assert!(is_taken(&mut receiver, 20, 10_001));
    assert!(is_taken(&mut receiver, 1100, 1_000_000));
    assert_eq!(receiver.incoming(), 10_001);
    // A jump that stays for a second is real.
    for (msec, sequence) in [(2000, 50_000), (2500, 50_001), (2999, 50_002)] {
        assert!(is_taken(&mut receiver, msec, sequence));
        assert_eq!(receiver.incoming(), 10_001);
    }
    assert!(is_taken(&mut receiver, 3000, 50_003));
    assert_eq!(receiver.incoming(), 50_003);
}

#[test]
fn sequences_wrap() {
    let mut receiver = client(Legacy);
    let mut now = 0;
    for sequence in [i32::MAX - 1, i32::MAX - 1, i32::MAX, 1] {
        let datagram = [&sequence.to_le_bytes()[..], &[0xAA; 9]].concat();
        let _ = receiver.receive(ClientTime(now), &datagram, &texts());
        now += 1000;
    }
    assert_eq!(receiver.incoming(), 1);
}

#[test]
fn the_form_shows_in_the_first_datagram_of_a_server() {
    for challenge in [437_506_936, CHALLENGE, 0x7FFF_FFFF] {
        for wire in [Legacy, Modern] {
            for length in [5, 60, 2000] {
                let mut server = Netchan::new(Side::Server { qport: QPORT }, wire, challenge);
                for _ in 0..3 {
                    let sent = server.send(message(length, 1), &texts()).expect("short");
                    assert_eq!(
                        WireProbe::detect(challenge, &sent[0]),
                        Some(wire),
                        "{length} bytes"
                    );
                }
            }
        }
    }
    assert_eq!(WireProbe::detect(1, &[1, 0, 0, 0, 1]), None);
    assert_eq!(WireProbe::detect(1, &[0xFF; 20]), None);
}

#[test]
fn an_unknown_form_is_tried_by_turns() {
    let mut probe = WireProbe::new(NOW);
    assert_eq!(probe.poll(NOW), Some(Legacy));
    assert_eq!(probe.poll(NOW + 299), None);
    assert_eq!(probe.poll(NOW + 300), Some(Modern));
    assert_eq!(probe.poll(NOW + 650), Some(Legacy));
    assert_eq!(probe.poll(NOW + 900), None);
}
