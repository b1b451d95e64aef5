//! What a frame of prediction costs, and how long the own view takes to answer.
//!
//! Per sample 20 seconds of random play on one map, on a line of the given round trip; the item is one frame.
//! Before the benches a table tells, in milliseconds of virtual time, how long after a key the view moves.

#[path = "../tests/it/disk.rs"]
#[expect(dead_code, reason = "tests need more")]
mod disk;
#[path = "../tests/it/latency.rs"]
mod latency;
#[path = "../tests/it/practice.rs"]
mod practice;

use divan::{Bencher, counter::ItemsCount};
use practice::{Conditions, Practice, map};
use std::time::Instant;

const OPENARENA: &[(usize, &str)] = &[(20, "baseoa-1")];
/// Round trip in milliseconds, usercmds (and frames) per second.
const LINES: [(i32, i32); 5] = [(0, 125), (100, 125), (400, 125), (100, 500), (400, 500)];

fn main() {
    print_misses();
    print_answers();
    divan::main();
}

/// Every frame starts from what was kept of the frame before.
#[divan::bench(args = LINES, sample_count = 20)]
fn frame(bencher: Bencher<'_, '_>, line: (i32, i32)) {
    let practice = record(line);
    let frames = ItemsCount::new(practice.frames());
    bencher
        .counter(frames)
        .with_inputs(|| practice.predictor())
        .bench_local_values(|mut predictor| practice.play(&mut predictor, |_, _| ()));
}

/// Every frame runs all unacknowledged usercmds again, as the original does.
// Slow where much is under way, and even: a few samples do.
#[divan::bench(args = LINES, sample_count = 3)]
fn whole_replay(bencher: Bencher<'_, '_>, line: (i32, i32)) {
    let practice = record(line);
    let frames = ItemsCount::new(practice.frames());
    bencher.counter(frames).bench_local(|| {
        let mut predictor = practice.predictor();
        practice.play_afresh(&mut predictor);
    });
}

fn record((ping_msec, rate): (i32, i32)) -> Practice {
    record_on(Conditions {
        delay: ping_msec / 2,
        loses_one_in: 0,
        command_msec: 1000 / rate,
    })
}

fn record_on(conditions: Conditions) -> Practice {
    let (clip, start) = map("oa_dm4");
    Practice::record(&clip, start, OPENARENA, conditions, 7)
}

/// What the frames cost in which a lost usercmd comes to light, with 24 usercmds outstanding.
fn print_misses() {
    let practice = record_on(Conditions {
        delay: 96,
        loses_one_in: 20,
        command_msec: 8,
    });
    let mut taken = Vec::new();
    for _ in 0..10 {
        let mut since = Instant::now();
        practice.play(&mut practice.predictor(), |_, predicted| {
            if !predicted.misses.is_empty() {
                taken.push(since.elapsed());
            }
            since = Instant::now();
        });
    }
    taken.sort();
    let (median, longest) = (taken[taken.len() / 2], taken[taken.len() - 1]);
    println!("frame of a miss at 24 outstanding usercmds: median {median:?}, longest {longest:?}");
}

fn print_answers() {
    let mut range = latency::Range::new();
    println!("key to own view in ms (least to most), display at 125 Hz, snapshots at 20 Hz:");
    for one_way_msec in [0, 25, 50, 100, 200] {
        let mut answers = |predicts| {
            let times = (0..8).map(|place| 3003 + place * 7);
            let msec = times.map(|at| range.measure(one_way_msec, predicts, at).walk_msec);
            let msec: Vec<i32> = msec.collect();
            let (least, max) = (msec.iter().min(), msec.iter().max());
            format!("{} to {}", least.unwrap_or(&0), max.unwrap_or(&0))
        };
        println!(
            "  round trip {:3} ms: {} predicted, {} with cg_nopredict 1",
            2 * one_way_msec,
            answers(true),
            answers(false)
        );
    }
}
