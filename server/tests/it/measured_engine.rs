//! What was measured of the engines of other servers: frames, restarts, windows of usercmds, intervals and deltas of snapshots.

use crate::client::{Client, map_read, oa_dm1, server};
use server::{Event, Server};
use shared::types::snapshot::flags;

/// A client in the game, standing still.
fn joined(server: &mut Server, step: i32) -> Client {
    let mut client = Client::new(1001, 71);
    client.play(server, 3000, step, |_| {});
    assert!(client.snapshot.is_some(), "{:?}", client.refusals);
    client
}

#[test]
fn a_level_begins_with_four_frames_of_100_msec() {
    let mut server = server(&[]);
    assert_eq!(server.level_time(), Some(400));
    server.frame(50, Vec::new());
    assert_eq!(server.level_time(), Some(450));
}

#[test]
fn a_flag_of_snapshots_toggles_with_every_map_and_restart() {
    let mut server = server(&[]);
    let mut client = joined(&mut server, 50);
    let mut bits = vec![client.seen().flags & flags::SERVER_COUNT];
    for line in ["map_restart 0", "map oa_dm1", "map oa_dm1", "map_restart 0"] {
        let output = server.frame(0, vec![Event::Command(line.to_owned())]);
        if !output.requests.is_empty() {
            server.frame(0, vec![map_read("oa_dm1", oa_dm1())]);
        }
        client.play(&mut server, 2000, 50, |_| {});
        bits.push(client.seen().flags & flags::SERVER_COUNT);
    }
    assert!(bits.windows(2).all(|pair| pair[0] != pair[1]), "{bits:?}");
}

#[test]
fn after_a_restart_nobodys_time_is_older_than_it() {
    let mut server = server(&[]);
    let mut client = joined(&mut server, 50);
    let before = client.seen().server_time.0;
    server.frame(0, vec![Event::Command("map_restart 0".to_owned())]);
    client.play(&mut server, 50, 50, |_| {});
    let after = client.seen();
    assert_eq!(after.server_time.0 - before, 450);
    assert_eq!(after.player.command_time - before, 100);
}

#[test]
fn each_ignored_line_renews_the_second_in_which_lines_are_ignored() {
    let mut server = server(&["set sv_floodProtect 1"]);
    let mut client = joined(&mut server, 50);
    for number in 0..5 {
        client.say(&format!("say number {number}"));
        client.play(&mut server, 300, 50, |_| {});
    }
    client.play(&mut server, 1000, 50, |_| {});
    let heard = client.heard.iter();
    let heard = heard.filter(|line| line.contains(": ^2number")).count();
    assert_eq!(heard, 1);
}

#[test]
fn usercmds_count_within_a_window_around_the_level() {
    for (ahead, expected) in [(400, 150), (-1500, -1050)] {
        let mut server = server(&[]);
        let mut client = joined(&mut server, 50);
        let mut seen = Vec::new();
        for _ in 0..60 {
            let time = client.seen().server_time + ahead;
            let events = client.frame(50, |usercmd| usercmd.server_time = time);
            let output = server.frame(50, events);
            client.take(&output);
            let snapshot = client.seen();
            seen.push(snapshot.player.command_time - snapshot.server_time.0);
        }
        // Whoever falls behind does so once the level has gone on for longer than he is late.
        let steady = &seen[40..];
        assert!(steady.iter().all(|one| *one == expected), "{seen:?}");
    }
}

/// Snapshots that came within four seconds: the gaps between their times, and their flags.
fn intervals(settings: &[&str], keys: &[(&str, &str)], step: i32) -> Vec<(i32, u8)> {
    let mut server = server(settings);
    let mut client = Client::new(1001, 71);
    for (key, value) in keys {
        client.userinfo.set(key, value, 1023).expect("it fits");
    }
    client.play(&mut server, 3000, step, |_| {});
    let mut last = client.seen().server_time;
    let mut gaps = Vec::new();
    for _ in 0..4000 / step {
        // Whoever turns is told more than whoever rests, by a dozen of bytes.
        let events = client.frame(step, |usercmd| {
            usercmd.forward_move = 127;
            usercmd.angles[1] = usercmd.angles[1].wrapping_add(700);
        });
        let output = server.frame(step, events);
        client.take(&output);
        let snapshot = client.seen();
        if snapshot.server_time != last {
            gaps.push((snapshot.server_time - last, snapshot.flags));
            last = snapshot.server_time;
        }
    }
    gaps
}

#[test]
fn snapshots_come_as_often_as_on_the_original() {
    let rows = include_str!("../data/snapshot_intervals.csv")
        .lines()
        .skip(1);
    let mut count = 0;
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        let number = |at: usize| cells[at].parse::<i32>().expect("a number");
        let (fps, expected) = (number(0), number(3));
        let rate = cells[2]
            .strip_prefix("rate ")
            .and_then(|text| text.split(' ').next());
        let fps_line = format!("set sv_fps {fps}");
        let force = format!("set sv_lanForceRate {}", i32::from(rate.is_none()));
        let keys = [("snaps", cells[1]), ("rate", rate.unwrap_or("25000"))];
        let mut gaps = intervals(&[&fps_line, &force], &keys, 1000 / fps);
        // Before the first the line was free.
        gaps.remove(0);
        assert!(gaps.len() > 10);
        assert!(
            gaps.iter().all(|(gap, _)| *gap == expected),
            "{row}: {gaps:?}"
        );
        let is_delayed = rate.is_some() && expected > 50;
        let told = gaps
            .iter()
            .all(|(_, bits)| (bits & flags::RATE_DELAYED != 0) == is_delayed);
        assert!(told, "{row}: {gaps:?}");
        count += 1;
    }
    assert_eq!(count, 19);
}

#[test]
fn deltas_reach_28_snapshots_back_and_no_further() {
    let mut server = server(&[]);
    let mut client = joined(&mut server, 50);
    let mut reach = Vec::new();
    for _ in 0..50 {
        let output = server.frame(50, Vec::new());
        client.take(&output);
        let snapshot = client.seen();
        reach.push(snapshot.delta_num.map(|base| snapshot.message_num - base));
    }
    let furthest = reach.iter().flatten().max();
    assert_eq!(furthest, Some(&28), "{reach:?}");
    let full = reach.iter().position(Option::is_none).expect("a full one");
    assert!(reach[full..].iter().all(Option::is_none), "{reach:?}");
}

#[test]
fn what_is_said_is_cut_and_told_as_on_the_original() {
    let mut server = server(&["set sv_floodProtect 0"]);
    let mut client = joined(&mut server, 50);
    client.say(&format!("say {}", "x".repeat(300)));
    client.say("say hello");
    client.say("tell 0 psst");
    client.play(&mut server, 500, 50, |_| {});
    let long = format!("chat \"Probe^7\u{19}: ^2{}\"", "x".repeat(149));
    for text in [
        long.as_str(),
        "chat \"Probe^7\u{19}: ^2hello\"",
        "chat \"\u{19}[Probe^7\u{19}]\u{19}: ^6psst\"",
    ] {
        let is_heard = client.heard.iter().any(|line| line.trim_end() == text);
        assert!(is_heard, "{text:?} is not in {:?}", client.heard);
    }
}
