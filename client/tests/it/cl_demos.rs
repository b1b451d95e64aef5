//! Demos: what is recorded plays back as it was seen, and those of other clients play to their end.

use crate::{
    cl_captures::unpacked,
    cl_sim::{OPENARENA, Pair},
};
use client::cl::{
    Reason, State, Update,
    playback::{Pace, Playback},
};
use shared::{base::time::ClientTime, types::servercmd::ServerCommandBody};

const DEMOS: [&str; 5] = [
    "oa_ctf2-play.dm_71",
    "oa_dm1-play.dm_71",
    "oa_dm4-follow.dm_71",
    "oa_dm6-follow.dm_71",
    "suspended-play.dm_71",
];

/// Plays to the end and gives all updates and the time shown by each frame.
pub fn play(bytes: Vec<u8>, pace: Pace, frame_msec: i32) -> (Vec<Update>, Vec<i32>) {
    let mut now = ClientTime(500);
    let mut playback = Playback::new(bytes, now);
    let mut updates = Vec::new();
    let mut times = Vec::new();
    for _ in 0..200_000 {
        let mut has_level = false;
        while let Some(update) = playback.poll_update() {
            has_level |= matches!(update, Update::Gamestate(_));
            updates.push(update);
        }
        if has_level {
            // Loading takes its time, and no time of the demo.
            now = now + 5000;
            playback.loading_finished(now);
        }
        if playback.state() == State::Disconnected {
            return (updates, times);
        }
        now = now + frame_msec;
        playback.frame(now, pace);
        if playback.state() == State::Active {
            times.push(playback.server_time().0);
            let newest = playback.newest_snapshot().expect("it is active");
            assert!(
                newest.server_time.is_after(playback.server_time()),
                "nothing is extrapolated"
            );
        }
    }
    panic!("the demo does not end: {:?}", playback.state());
}

/// Snapshots and commands, as far as they can be compared.
fn seen(updates: &[Update]) -> Vec<String> {
    updates
        .iter()
        .filter_map(|update| match update {
            Update::Gamestate(state) => Some(format!(
                "gamestate {} {:?}",
                state.checksum_feed, state.configstrings
            )),
            Update::Snapshot { snapshot, .. } => Some(format!(
                "snapshot {} {:?} {:?}",
                snapshot.server_time.0, snapshot.player, snapshot.entities
            )),
            Update::ServerCommand(command) => Some(match &command.body {
                ServerCommandBody::Words(words) => words.join(" "),
                ServerCommandBody::Configstring { index, text } => format!("cs {index} {text}"),
            }),
            _ => None,
        })
        .collect()
}

#[test]
fn a_recording_plays_back_as_it_was_seen() {
    let mut pair = Pair::new(OPENARENA).line(40, 0, 5.0);
    pair.enter();
    pair.server.command("cs 700 \"changed before\"");
    pair.run(1500);
    assert!(pair.connection.start_recording());
    assert!(!pair.connection.start_recording(), "one demo at a time");
    let mut bytes = Vec::new();
    let before = pair.updates.len();
    for round in 0..6 {
        pair.server.command(&format!("print round{round}"));
        match round {
            2 => pair.server.restart_map(),
            4 => pair.server.load_map("second"),
            _ => {}
        }
        pair.run(2000);
        bytes.extend(pair.connection.take_recorded().unwrap_or_default());
    }
    bytes.extend(pair.connection.stop_recording().expect("it is recording"));

    let live = seen(&pair.updates[before..]);
    let (updates, _) = play(bytes, Pace::Clock { nudge_msec: 0 }, 8);
    let played = seen(&updates);
    assert!(played[0].contains("changed before"), "{}", played[0]);
    // The recording waits for its first full snapshot, and there the live sequence goes on.
    let is_snapshot = |line: &String| line.starts_with("snapshot");
    let first = played
        .iter()
        .position(is_snapshot)
        .expect("there are snapshots");
    let start = live
        .iter()
        .position(|line| *line == played[first])
        .expect("it was seen live");
    let wait = live[..start]
        .iter()
        .filter(|line| is_snapshot(line))
        .count();
    assert!(
        wait < 10,
        "{wait} snapshots went by before the recording began"
    );
    assert!(
        played[first..] == live[start..],
        "the demo differs from what was seen"
    );
    let end = updates.last();
    assert!(
        matches!(end, Some(Update::Disconnected(Reason::DemoEnded))),
        "{end:?}"
    );
}

#[test]
fn demos_of_other_clients_play_to_their_end() {
    for name in DEMOS {
        let bytes = unpacked(&format!("demos/{name}.gz"));
        let (updates, times) = play(bytes.clone(), Pace::Clock { nudge_msec: 0 }, 8);
        let end = updates.last();
        assert!(
            matches!(end, Some(Update::Disconnected(Reason::DemoEnded))),
            "{name}: {end:?}"
        );
        assert!(times.len() > 500, "{name}: {} frames", times.len());
        let steps: Vec<i32> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(
            steps.iter().all(|step| *step == 8),
            "{name}: time runs evenly"
        );
    }
}

#[test]
fn a_timedemo_is_the_same_each_time() {
    let bytes = unpacked("demos/oa_dm1-play.dm_71.gz");
    let (first, times) = play(bytes.clone(), Pace::Timedemo, 3);
    let (second, again) = play(bytes, Pace::Timedemo, 17);
    assert_eq!(times, again);
    assert_eq!(seen(&first), seen(&second));
    assert!(times.windows(2).all(|pair| pair[1] - pair[0] == 50));
}

#[test]
fn a_paused_demo_stands_still() {
    let mut now = ClientTime(0);
    let mut playback = Playback::new(unpacked("demos/oa_dm1-play.dm_71.gz"), now);
    playback.loading_finished(now);
    let mut frame = |playback: &mut Playback, pace| {
        now = now + 10;
        playback.frame(now, pace);
        playback.server_time().0
    };
    let clock = Pace::Clock { nudge_msec: 0 };
    frame(&mut playback, clock);
    let start = frame(&mut playback, clock);
    assert_eq!(
        [
            frame(&mut playback, Pace::Paused),
            frame(&mut playback, Pace::Paused)
        ],
        [start; 2]
    );
    assert_eq!(frame(&mut playback, clock), start + 10);
}

#[test]
fn damaged_demos_end_with_a_word_about_it() {
    let bytes = unpacked("demos/oa_dm1-play.dm_71.gz");
    let (updates, _) = play(bytes[..bytes.len() / 2].to_vec(), Pace::Timedemo, 8);
    let is_told = updates
        .iter()
        .any(|update| matches!(update, Update::Print(text) if text.contains("cut off")));
    assert!(is_told, "a cut demo says so");
    for bytes in [Vec::new(), vec![7; 3000], vec![0xFF; 8]] {
        let (updates, _) = play(bytes, Pace::Timedemo, 8);
        let end = updates.last();
        assert!(
            matches!(end, Some(Update::Disconnected(Reason::BadDemo(text))) if text.contains("gamestate")),
            "{end:?}"
        );
    }
}
