//! Damaged demos: whatever is flipped, cut or mixed in, playback goes on to the end and says what it left out.

use crate::{cl_captures::unpacked, cl_demos::play};
use client::cl::{Reason, Update, playback::Pace};
use shared::{base::rng::Rng, net::demo::Records};

const DEMOS: [&str; 3] = ["oa_dm1-play", "oa_dm4-follow", "suspended-play"];
const FLIPS: usize = 60;

fn demo(name: &str) -> Vec<u8> {
    unpacked(&format!("demos/{name}.dm_71.gz"))
}

/// How playing ended: the last time shown, the reason, and all that was said.
struct Outcome {
    last: i32,
    reason: Reason,
    said: String,
    snapshots: usize,
}

fn outcome(bytes: Vec<u8>, pace: Pace) -> Outcome {
    let (updates, times) = play(bytes, pace, 50);
    let said = updates.iter().filter_map(|update| match update {
        Update::Print(text) => Some(format!("{text}\n")),
        _ => None,
    });
    let is_snapshot = |update: &&Update| matches!(update, Update::Snapshot { .. });
    Outcome {
        last: times.last().copied().unwrap_or(0),
        said: said.collect(),
        snapshots: updates.iter().filter(is_snapshot).count(),
        reason: match updates.last() {
            Some(Update::Disconnected(reason)) => reason.clone(),
            other => panic!("playing ends with a reason, not with {other:?}"),
        },
    }
}

/// Where the records begin and how long their messages are.
fn records(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut at = 0;
    let place = |message: &[u8]| {
        let here = at;
        at += 8 + message.len();
        (here, message.len())
    };
    let mut records = Records::new(bytes);
    records
        .by_ref()
        .map(|record| record.message)
        .map(place)
        .collect()
}

#[test]
fn one_flipped_bit_never_ends_a_demo_early() {
    let mut dice = Rng::new(25);
    for name in DEMOS {
        let bytes = demo(name);
        let gamestate_end = 8 + records(&bytes)[0].1;
        let whole = outcome(bytes.clone(), Pace::Timedemo);
        assert_eq!(whole.reason, Reason::DemoEnded);
        assert_eq!(whole.said, "", "{name} is whole");
        for _ in 0..FLIPS {
            let bit = dice.below(bytes.len() * 8);
            let mut damaged = bytes.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            let played = outcome(damaged, Pace::Timedemo);
            if bit / 8 < gamestate_end && played.reason != Reason::DemoEnded {
                assert!(matches!(played.reason, Reason::BadDemo(_)), "{name} {bit}");
                continue;
            }
            assert_eq!(played.reason, Reason::DemoEnded, "{name}, bit {bit}");
            assert!(
                (whole.last - played.last).abs() <= 500,
                "{name}, bit {bit}: ends at {} instead of {}: {}",
                played.last,
                whole.last,
                played.said
            );
            // Without the first full snapshot, 32 are waited through for another one.
            assert!(
                played.snapshots + 36 >= whole.snapshots,
                "{name}, bit {bit}: {} of {} snapshots: {}",
                played.snapshots,
                whole.snapshots,
                played.said
            );
        }
    }
}

#[test]
fn an_unreadable_message_costs_itself_and_is_told() {
    let bytes = demo("oa_dm1-play");
    let records = records(&bytes);
    let whole = outcome(bytes.clone(), Pace::Clock { nudge_msec: 0 });
    let (at, length) = records[400];
    let mut damaged = bytes;
    damaged[at + 8..at + 8 + length].fill(0x55);
    let played = outcome(damaged, Pace::Clock { nudge_msec: 0 });
    assert_eq!(played.reason, Reason::DemoEnded);
    assert_eq!(played.last, whole.last);
    assert!(
        played.said.contains("messages that cannot be read: 1"),
        "{}",
        played.said
    );
    assert!(
        played.said.contains("may show things wrong"),
        "{}",
        played.said
    );
}

#[test]
fn damaged_heads_of_records_cost_one_record_at_most() {
    let bytes = demo("oa_dm1-play");
    let records = records(&bytes);
    let whole = outcome(bytes.clone(), Pace::Timedemo);
    for (place, mask) in [
        (0, 0x40),
        (3, 0x80),
        (4, 0x10),
        (5, 0x01),
        (6, 0x20),
        (7, 0x80),
    ] {
        let mut damaged = bytes.clone();
        damaged[records[700].0 + place] ^= mask;
        let played = outcome(damaged, Pace::Timedemo);
        assert_eq!(played.reason, Reason::DemoEnded);
        assert_eq!(played.last, whole.last, "byte {place}: {}", played.said);
        assert!(
            played.snapshots + 1 >= whole.snapshots,
            "byte {place}: {}",
            played.said
        );
    }
}

#[test]
fn cut_spliced_and_filled_demos_come_to_an_end() {
    let (first, second) = (demo("oa_dm1-play"), demo("oa_dm4-follow"));
    let garbage: Vec<u8> = (0..20_000_u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    let half = first.len() / 2;
    let unmarked = &first[..first.len() - 8];
    let check = |what: &str, bytes: Vec<u8>, words: &str| {
        let played = outcome(bytes, Pace::Timedemo);
        assert_eq!(played.reason, Reason::DemoEnded, "{what}");
        assert!(played.said.contains(words), "{what}: {}", played.said);
        assert!(played.snapshots > 500, "{what}: {}", played.snapshots);
    };
    check("cut", first[..half].to_vec(), "cut off");
    check("one behind the other", [unmarked, &second].concat(), "");
    check(
        "garbage between",
        [&first[..half], &garbage, &first[half..]].concat(),
        "places without messages",
    );
    check(
        "zeros between",
        [&first[..half], &[0; 5000], &first[half..]].concat(),
        "damaged",
    );
    check(
        "a piece missing",
        [&first[..half], &first[half + 9000..]].concat(),
        "damaged",
    );
}
