//! What messages must not do: one test for each rule, with the smallest message that breaks it.

use shared::{
    base::{bits::BitWriter, text, time::ServerTime},
    net::{
        clc::{self, ClientMessage, MoveKey, Movement},
        netchan::TooLong,
        protocol::WireForm::{self, Legacy, Modern},
        svc::{Command, Decoder, Download, MessageError, Origin, ServerMessage, ServerOp, Writer},
    },
    types::{entitystate::EntityState, gamestate::Gamestate, snapshot::Snapshot, usercmd::Usercmd},
};

const NEWEST_OWN: i32 = 10;

fn connection(wire: WireForm) -> Decoder {
    Decoder::new(Origin::Connection(wire))
}

/// A message made of single values, behind an acknowledgement of 0: value and width.
fn raw(values: &[(u32, u32)]) -> Vec<u8> {
    let mut bits = BitWriter::new();
    bits.i32(0);
    for &(value, width) in values {
        bits.bits(value, width);
    }
    bits.finish()
}

fn read(decoder: &mut Decoder, bytes: &[u8]) -> Result<ServerMessage, MessageError> {
    decoder.read(5, bytes, NEWEST_OWN)
}

/// The message is refused, with words of the reason, and changes nothing.
fn check(decoder: &mut Decoder, bytes: &[u8], reason: &str) {
    let before = (decoder.newest_command(), decoder.gamestate().clone());
    let error = read(decoder, bytes).expect_err(reason).to_string();
    assert!(error.contains(reason), "{error:?} instead of {reason:?}");
    assert_eq!(
        (decoder.newest_command(), decoder.gamestate().clone()),
        before
    );
    assert_eq!(decoder.snapshot(5), None);
}

/// The same of a fresh connection of the legacy form.
fn refused(bytes: &[u8], reason: &str) {
    check(&mut connection(Legacy), bytes, reason);
}

fn read_legacy(bytes: &[u8]) -> Result<ServerMessage, MessageError> {
    read(&mut connection(Legacy), bytes)
}

fn command(number: i32, text: &str) -> Vec<u8> {
    let mut writer = Writer::new(0);
    writer.command(number, text);
    writer.finish().expect("short")
}

const EOF: (u32, u32) = (8, 8);

#[test]
fn a_message_must_reach_its_end() {
    refused(&[], "beyond its 0 bytes");
    refused(&raw(&[]), "beyond its");
    refused(&raw(&[(1, 8), (1, 8)]), "beyond its");
    // A cut command leaves the text without its end.
    let whole = command(1, "print \"hello\"");
    for length in 0..whole.len() - 1 {
        refused(&whole[..length], "beyond its");
    }
    // Servers send a second end behind downloads, and unused bytes.
    let message = read_legacy(&raw(&[EOF, EOF, (0, 32)]));
    assert_eq!(message.map(|message| message.ops.into_vec()), Ok(vec![]));
}

#[test]
fn a_message_may_be_as_long_as_the_protocol_says() {
    let mut long = raw(&[EOF]);
    long.resize(16_384, 0);
    assert!(read_legacy(&long).is_ok());
    long.push(0);
    refused(&long, "longer than messages can be");
}

#[test]
fn unknown_operations_are_refused() {
    for op in [0, 3, 4, 11, 12, 255] {
        let reason = format!("operation {op} does not exist");
        check(&mut connection(Modern), &raw(&[(op, 8), EOF]), &reason);
    }
}

#[test]
fn voice_exists_on_the_modern_wire_and_in_demos_only() {
    for op in [9, 10] {
        let head = |length| {
            [
                (op, 8),
                (3, 16),
                (1, 8),
                (7, 32),
                (2, 8),
                (length, 16),
                (0, 2),
            ]
        };
        let voice = raw(&[&head(3)[..], &[(1, 8), (2, 8), (3, 8), EOF]].concat());
        refused(&voice, "does not exist here");
        for origin in [Origin::Connection(Modern), Origin::Demo] {
            let message = read(&mut Decoder::new(origin), &voice);
            assert_eq!(message.map(|message| message.ops.into_vec()), Ok(vec![]));
        }
        let negative = raw(&[&head(0xFFFF)[..], &[EOF]].concat());
        check(&mut connection(Modern), &negative, "voice of -1 bytes");
        let lying = raw(&[&head(0x7FFF)[..], &[EOF]].concat());
        check(&mut connection(Modern), &lying, "do not fit");
    }
}

#[test]
fn an_escape_leaf_is_refused() {
    let message = raw(&[(0, 7), (0, 1), (1, 1), (0, 7), EOF]);
    refused(&message, "a code word that no writer uses");
}

#[test]
fn only_own_commands_can_be_acknowledged() {
    let acknowledging = |number| Writer::new(number).finish().expect("short");
    let message = read_legacy(&acknowledging(NEWEST_OWN));
    assert_eq!(message.map(|message| message.rel_ack), Ok(NEWEST_OWN));
    for number in [NEWEST_OWN + 1, i32::MAX] {
        refused(&acknowledging(number), "never sent");
        assert!(read(&mut Decoder::new(Origin::Demo), &acknowledging(number)).is_ok());
    }
}

#[test]
fn commands_come_once_and_without_holes() {
    let mut decoder = connection(Legacy);
    let taken = |decoder: &mut Decoder, number| {
        read(decoder, &command(number, "x")).map(|message| message.ops.len())
    };
    assert_eq!(taken(&mut decoder, 1), Ok(1));
    assert_eq!(taken(&mut decoder, 1), Ok(0));
    assert_eq!(taken(&mut decoder, 2), Ok(1));
    check(
        &mut decoder,
        &command(4, "x"),
        "before number 4 are missing",
    );
    assert_eq!(taken(&mut decoder, -5), Ok(0));
    assert_eq!(decoder.newest_command(), 2);
    let mut demo = Decoder::new(Origin::Demo);
    assert_eq!(taken(&mut demo, 4), Ok(1));
}

#[test]
fn texts_of_commands_end_within_1023_characters() {
    for (length, is_good) in [(1022, true), (1023, true), (1024, false), (8000, false)] {
        let bytes = command(1, &"x".repeat(length));
        if is_good {
            assert!(read_legacy(&bytes).is_ok(), "{length} characters");
        } else {
            refused(&bytes, "a text of more than 1023 characters");
        }
    }
}

#[test]
fn texts_are_plain_data() {
    let message = read_legacy(&command(1, "print \"%n%s näh\""));
    let Ok([ServerOp::Command(command)]) = message.as_ref().map(|message| &message.ops[..]) else {
        panic!("{message:?}");
    };
    assert_eq!(command.text, "print \".n.s n..h\"");
    assert_eq!(text::clean("a\u{7}\u{1b}[2J^1b\u{19}"), "a[2Jb");
}

fn gamestate(fill: impl FnOnce(&mut Gamestate)) -> Gamestate {
    let mut gamestate = Gamestate::default();
    fill(&mut gamestate);
    gamestate
}

fn message_with(gamestate: &Gamestate) -> Vec<u8> {
    let mut writer = Writer::new(0);
    writer.gamestate(gamestate);
    writer.finish().expect("short")
}

#[test]
fn gamestates_name_players_that_exist() {
    for (client_num, is_good) in [
        (0, true),
        (63, true),
        (64, false),
        (-1, false),
        (i32::MAX, false),
    ] {
        let bytes = message_with(&gamestate(|one| one.client_num = client_num));
        let result = read_legacy(&bytes);
        match is_good {
            true => assert!(result.is_ok(), "{result:?}"),
            false => assert!(
                matches!(result, Err(MessageError::Gamestate(_))),
                "{result:?}"
            ),
        }
    }
}

#[test]
fn gamestates_hold_configstrings_and_baselines_only() {
    const GAMESTATE: [(u32, u32); 2] = [(2, 8), (7, 32)];
    let refused = |items: &[(u32, u32)], reason: &str| {
        refused(&raw(&[&GAMESTATE[..], items].concat()), reason);
    };
    for op in [0, 1, 2, 5, 6, 7, 9] {
        refused(
            &[(op, 8), EOF],
            &format!("operation {op} does not exist in a gamestate"),
        );
    }
    refused(
        &[(3, 8), (1024, 16), (b'x'.into(), 8), (0, 8), EOF],
        "configstring 1024",
    );
    refused(
        &[(3, 8), (0xFFFF, 16), (b'x'.into(), 8), (0, 8), EOF],
        "configstring 65535",
    );
    refused(&[EOF, (0, 32)], "beyond its");
}

#[test]
fn configstrings_of_a_level_are_bounded() {
    let fill = |lengths: &[usize]| {
        let mut values = vec![(2, 8), (7, 32)];
        for (index, &length) in lengths.iter().enumerate() {
            values.extend([(3, 8), (index as u32, 16)]);
            values.extend(std::iter::repeat_n((u32::from(b'e'), 8), length));
            values.push((0, 8));
        }
        values.extend([EOF, (0, 32), (0, 32), EOF]);
        raw(&values)
    };
    assert!(read_legacy(&fill(&[8191, 7806])).is_ok());
    let result = read_legacy(&fill(&[8191, 7807]));
    assert!(
        matches!(result, Err(MessageError::GamestateTooLarge(_))),
        "{result:?}"
    );
    refused(&fill(&[8192]), "a text of more than 8191 characters");
}

fn snapshot(message_num: i32, numbers: &[u16]) -> Snapshot {
    Snapshot {
        message_num,
        server_time: ServerTime(message_num * 50),
        entities: numbers
            .iter()
            .map(|&number| EntityState {
                number,
                e_type: 1,
                ..EntityState::default()
            })
            .collect(),
        ..Snapshot::default()
    }
}

fn message_of(snapshot: &Snapshot, base: Option<&Snapshot>) -> Vec<u8> {
    let mut writer = Writer::new(0);
    writer.snapshot(snapshot, base, &Gamestate::default());
    writer.finish().expect("short")
}

#[test]
fn snapshots_need_the_base_they_were_told_against() {
    let mut decoder = connection(Legacy);
    let (first, second) = (snapshot(40, &[1, 2]), snapshot(41, &[2, 3]));
    let delta = message_of(&second, Some(&first));
    let lost = decoder
        .read(41, &delta, 0)
        .map(|message| message.ops.into_vec());
    assert_eq!(
        lost,
        Ok(vec![ServerOp::SnapshotWithoutBase { base_num: 40 }])
    );
    assert_eq!(decoder.snapshot(41), None);
    // The slot of number 40 holds number 8 now, which is not the base.
    decoder
        .read(8, &message_of(&snapshot(8, &[9]), None), 0)
        .expect("a full snapshot");
    let lost = decoder
        .read(41, &delta, 0)
        .map(|message| message.ops.into_vec());
    assert_eq!(
        lost,
        Ok(vec![ServerOp::SnapshotWithoutBase { base_num: 40 }])
    );
    decoder
        .read(40, &message_of(&first, None), 0)
        .expect("a full snapshot");
    decoder.read(41, &delta, 0).expect("a good difference");
    let expected = Snapshot {
        delta_num: Some(40),
        ..second
    };
    assert_eq!(decoder.snapshot(41), Some(&expected));
}

#[test]
fn a_gamestate_makes_older_snapshots_useless() {
    let mut decoder = connection(Legacy);
    let (first, second) = (snapshot(1, &[1]), snapshot(2, &[1]));
    decoder
        .read(1, &message_of(&first, None), 0)
        .expect("a full snapshot");
    let mut writer = Writer::new(0);
    writer.gamestate(&Gamestate::default());
    writer.snapshot(&second, Some(&first), &Gamestate::default());
    let message = decoder
        .read(2, &writer.finish().expect("short"), 0)
        .expect("readable");
    assert_eq!(
        message.ops[1],
        ServerOp::SnapshotWithoutBase { base_num: 1 }
    );
    assert_eq!(decoder.snapshot(1), None);
}

#[test]
fn only_one_snapshot_per_message() {
    let mut writer = Writer::new(0);
    writer.snapshot(&snapshot(5, &[1]), None, &Gamestate::default());
    writer.snapshot(&snapshot(5, &[2]), None, &Gamestate::default());
    refused(&writer.finish().expect("short"), "a second snapshot");
}

/// Operation, time, no base, no flags.
const SNAPSHOT: [(u32, u32); 4] = [(7, 8), (1000, 32), (0, 8), (0, 8)];
/// No areamask, and a player without a difference.
const NOBODY: [(u32, u32); 3] = [(0, 8), (0, 8), (0, 1)];

#[test]
fn areamasks_have_at_most_32_bytes() {
    let with_area = |length: u32| {
        let area = vec![(0xFF, 8); length as usize];
        raw(&[
            &SNAPSHOT[..],
            &[(length, 8)],
            &area,
            &NOBODY[1..],
            &[(1023, 10), EOF],
        ]
        .concat())
    };
    assert!(read_legacy(&with_area(32)).is_ok());
    refused(&with_area(33), "an areamask of 33 bytes");
    refused(&with_area(255), "an areamask of 255 bytes");
}

#[test]
fn entities_ascend_and_have_an_end() {
    let with = |entities: &[(u32, u32)]| raw(&[&SNAPSHOT[..], &NOBODY, entities].concat());
    // An entity without a difference: number, not removed, not changed.
    let entity = |number| [(number, 10), (0, 2)];
    let list = |numbers: &[u32]| {
        numbers
            .iter()
            .flat_map(|&number| entity(number))
            .collect::<Vec<_>>()
    };
    assert!(read_legacy(&with(&[&list(&[3, 4])[..], &[(1023, 10), EOF]].concat())).is_ok());
    for numbers in [[4, 4], [4, 3]] {
        let message = with(&[&list(&numbers)[..], &[(1023, 10), EOF]].concat());
        refused(&message, "the entities do not ascend");
    }
    refused(&with(&list(&[3, 4])), "beyond its");
    let all: Vec<u32> = (0..1023).collect();
    let message = read_legacy(&with(&[&list(&all)[..], &[(1023, 10), EOF]].concat()));
    let Ok([ServerOp::Snapshot(snapshot)]) = message.as_ref().map(|message| &message.ops[..])
    else {
        panic!("{message:?}");
    };
    assert_eq!(snapshot.entities.len(), 1023);
}

#[test]
fn field_counts_are_those_of_the_tables() {
    let player = raw(&[&SNAPSHOT[..], &[(0, 8), (49, 8)]].concat());
    refused(&player, "49 fields where 48 are known");
    let entity = [(5, 10), (0b10, 2), (52, 8)];
    let entity = raw(&[&SNAPSHOT[..], &NOBODY, &entity].concat());
    refused(&entity, "52 fields where 51 are known");
}

/// Numbers that make no sense pass the wire; whoever uses them looks.
#[test]
fn floats_may_be_anything() {
    let nan = [
        (1, 10),
        (0b10, 2),
        (2, 8),
        (0, 1),
        (0b111, 3),
        (f32::NAN.to_bits(), 32),
    ];
    let message = read_legacy(&raw(
        &[&SNAPSHOT[..], &NOBODY, &nan, &[(1023, 10), EOF]].concat()
    ));
    let Ok([ServerOp::Snapshot(snapshot)]) = message.as_ref().map(|message| &message.ops[..])
    else {
        panic!("{message:?}");
    };
    let first = snapshot.entities.iter().next().expect("it holds one");
    assert!(first.pos.base.x.is_nan());
}

#[test]
fn blocks_of_downloads_are_numbered_around_the_expected_one() {
    let block = |number, size| Download::Block {
        number,
        size,
        data: vec![1, 2, 3],
    };
    let check = |expected: i32, sent: Download| {
        let mut writer = Writer::new(0);
        writer.download(&sent);
        let mut decoder = connection(Legacy);
        decoder.expect_block(expected);
        let message = read(&mut decoder, &writer.finish().expect("short"));
        assert_eq!(
            message.map(|message| message.ops.into_vec()),
            Ok(vec![ServerOp::Download(sent)])
        );
    };
    check(0, block(0, Some(64_114)));
    check(1, block(0, Some(64_114)));
    check(70_000, block(70_000, None));
    check(65_535, block(65_536, None));
    check(65_536, block(65_530, None));
    check(
        0,
        Download::Refused {
            reason: "not found".into(),
        },
    );
}

#[test]
fn lengths_of_download_blocks_are_bounded() {
    for length in [0xFFFF, 0x8000, 16_385] {
        let bytes = raw(&[(6, 8), (1, 16), (length, 16), EOF]);
        let mut decoder = connection(Legacy);
        decoder.expect_block(1);
        let result = read(&mut decoder, &bytes);
        assert!(
            matches!(result, Err(MessageError::Download(_))),
            "{result:?}"
        );
    }
    let mut decoder = connection(Legacy);
    decoder.expect_block(1);
    check(
        &mut decoder,
        &raw(&[(6, 8), (1, 16), (16_000, 16), EOF]),
        "do not fit",
    );
}

#[test]
fn messages_that_would_be_too_long_are_not_written() {
    let mut writer = Writer::new(0);
    for number in 1..=40 {
        writer.command(number, &"\u{1}x".repeat(500));
    }
    assert!(matches!(writer.finish(), Err(TooLong { length }) if length > 16_384));
    let message = ClientMessage {
        commands: (1..=40)
            .map(|number| Command {
                number,
                text: "z".repeat(1000),
            })
            .collect(),
        ..ClientMessage::default()
    };
    let key = MoveKey {
        checksum_feed: 0,
        server_command: "",
    };
    assert!(clc::write(&message, key).is_err());
}

#[test]
fn client_messages_hold_at_most_32_usercmds() {
    let key = MoveKey {
        checksum_feed: 5,
        server_command: "cs 1",
    };
    let usercmds = (1..=40)
        .map(|time| Usercmd {
            server_time: ServerTime(time),
            ..Usercmd::default()
        })
        .collect();
    let message = ClientMessage {
        movement: Movement {
            allows_delta: true,
            usercmds,
        },
        ..ClientMessage::default()
    };
    let bytes = clc::write(&message, key).expect("short");
    let read = clc::read(&bytes, 5, |_| "cs 1").expect("what was written");
    let times: Vec<i32> = read
        .movement
        .usercmds
        .iter()
        .map(|one| one.server_time.0)
        .collect();
    assert_eq!(times, (9..=40).collect::<Vec<_>>());
    for count in [0, 33, 255] {
        let mut bits = BitWriter::new();
        (0..3).for_each(|_| bits.i32(0));
        bits.u8(2);
        bits.u8(count);
        let error = clc::read(&bits.finish(), 0, |_| "").expect_err("a bad count");
        assert!(
            error.to_string().contains(&format!("{count} usercmds")),
            "{error}"
        );
    }
}
