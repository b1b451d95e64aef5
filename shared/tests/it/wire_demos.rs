//! Demo files: real ones to their end, damaged ones up to the damage.

use crate::data::{file, hex, vector};
use shared::net::{
    demo::{self, End, Records},
    svc::{Decoder, Origin, ServerOp},
};
use std::path::{Path, PathBuf};

/// What a demo holds.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    messages: usize,
    snapshots: usize,
    without_base: usize,
    gamestates: usize,
}

/// Decodes up to the end, or up to the first error, which is given as a text.
fn decode(bytes: &[u8]) -> (Counts, Result<End, String>) {
    let mut decoder = Decoder::new(Origin::Demo);
    let mut records = Records::new(bytes);
    let mut counts = Counts::default();
    for record in records.by_ref() {
        let message = match decoder.read(record.sequence, record.message, 0) {
            Ok(message) => message,
            Err(error) => return (counts, Err(error.to_string())),
        };
        counts.messages += 1;
        for op in &message.ops {
            match op {
                ServerOp::Snapshot(_) => counts.snapshots += 1,
                ServerOp::SnapshotWithoutBase { .. } => counts.without_base += 1,
                ServerOp::Gamestate(_) => counts.gamestates += 1,
                ServerOp::Command(_) | ServerOp::Download(_) => {}
            }
        }
    }
    (counts, Ok(records.end().expect("the records have ended")))
}

#[test]
fn recorded_demos_decode_to_their_end() {
    let check = |name: &str, messages: usize| {
        let (counts, end) = decode(&file(&format!("demos/{name}.dm_71.gz")));
        assert_eq!(end, Ok(End::Marked), "{name}: {counts:?}");
        assert_eq!(
            (counts.messages, counts.without_base),
            (messages, 0),
            "{name}"
        );
        assert!(counts.snapshots > messages * 9 / 10, "{name}: {counts:?}");
    };
    check("oa_ctf2-play", 2659);
    check("oa_dm1-play", 2681);
    check("oa_dm4-follow", 2378);
    check("oa_dm6-follow", 2468);
    check("suspended-play", 362);
}

/// Demos of real players, which are not part of the repository.
fn real_demo(name: &str) -> Option<Vec<u8>> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path: PathBuf = manifest.join("../../shared/demos/real").join(name);
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            eprintln!(
                "{} is absent ({error}); its checks are left out",
                path.display()
            );
            None
        }
    }
}

#[test]
fn demos_of_real_players_decode_to_their_end() {
    let check = |name: &str, messages: usize| {
        let Some(bytes) = real_demo(name) else { return };
        let (counts, end) = decode(&bytes);
        assert_eq!(end, Ok(End::Marked), "{name}: {counts:?}");
        assert_eq!(counts.messages, messages, "{name}");
    };
    check("baseq3_1_map_2_matches.dm_68", 27167);
    check("door_lift_grenade_100_130.dm_68", 1264);
    check("excellent_impressive.dm_68", 1559);
    check("gameplay_types.dm_68", 1024);
    check("no_over_time_tied.dm_68", 2243);
}

#[test]
fn damaged_demos_of_real_players_keep_what_comes_before() {
    let check = |name: &str, messages: usize, expected: Result<End, &str>| {
        let Some(bytes) = real_demo(name) else { return };
        let (counts, end) = decode(&bytes);
        assert_eq!(
            (counts.messages, end),
            (messages, expected.map_err(str::to_owned)),
            "{name}"
        );
    };
    check("truncated.dm_68", 238, Ok(End::Unmarked));
    let problem = "server message: an areamask of 131 bytes; 32 are possible (at 62)";
    check("invalid_area_mask_length.dm_68", 6, Err(problem));
}

#[test]
fn the_smallest_demo_is_read_and_written() {
    let vector = vector("demo_minimal");
    let (message, bytes) = (hex(&vector["message_hex"]), hex(&vector["file_hex"]));
    let mut records = Records::new(&bytes);
    let record = records.next().expect("one record");
    assert_eq!((record.sequence, record.message), (7, &message[..]));
    assert_eq!((records.next(), records.end()), (None, Some(End::Marked)));
    let written = [&demo::write_record(7, &message)[..], &demo::END_MARK].concat();
    assert_eq!(written, bytes);
    let (counts, end) = decode(&bytes);
    assert_eq!((counts.messages, end), (1, Ok(End::Marked)));
}

#[test]
fn a_cut_demo_keeps_its_whole_records() {
    let bytes = file("demos/oa_dm1-play.dm_71.gz");
    let (mut at, mut whole) = (0, Vec::new());
    for record in Records::new(&bytes).take(40) {
        at += 8 + record.message.len();
        whole.push(at);
    }
    for cut in 0..at {
        let mut records = Records::new(&bytes[..cut]);
        let count = records.by_ref().count();
        let expected = whole.iter().filter(|&&end| end <= cut).count();
        assert_eq!(count, expected, "cut at {cut}");
        let last = whole[..count].last().copied().unwrap_or(0);
        let end = match cut - last {
            0 => End::Unmarked,
            _ => End::Truncated { at: last },
        };
        assert_eq!(records.end(), Some(end), "cut at {cut}");
        assert!(end.warning().is_some());
    }
}

#[test]
fn an_impossible_length_ends_a_demo() {
    for length in [16_385, i32::MAX, -2, i32::MIN] {
        let bytes = [1_i32.to_le_bytes(), length.to_le_bytes()].concat();
        let mut records = Records::new(&bytes);
        assert_eq!(records.next(), None);
        let end = records.end().expect("it has ended");
        assert_eq!(end, End::Broken { at: 0, length });
        assert!(
            end.warning()
                .is_some_and(|text| text.contains(&length.to_string()))
        );
    }
}

#[test]
fn a_believable_head_may_overlap_a_damaged_one() {
    let number = 0x7FFF_0000_i32;
    // The length of the first head is the number of the second.
    let bytes = [&9_i32.to_le_bytes()[..], &demo::write_record(number, &[])].concat();
    let bytes = [bytes, demo::write_record(number + 1, &[])].concat();
    let mut records = Records::new(&bytes);
    let sequences: Vec<i32> = records.by_ref().map(|record| record.sequence).collect();
    assert_eq!(sequences, [number, number + 1]);
    assert_eq!(records.end(), Some(End::Unmarked));
    let skipped = records.skipped();
    assert_eq!((skipped.places, skipped.bytes, skipped.first_at), (1, 4, 0));
}
