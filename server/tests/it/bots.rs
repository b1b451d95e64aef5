//! Bots: they play by themselves, get about in the test room, take items, and the better one wins.

use crate::client::{Client, commands, openarena_files, server, server_with_bots, svtest};
use server::{Server, SlotState};
use shared::types::{playerstate::PlayerState, usercmd::Usercmd};
use std::collections::BTreeSet;

const FRAME_MSEC: i32 = 50;

/// A server that plays the test room.
fn room(seed: u64, bots: &[&str]) -> Server {
    server_with_bots(seed, ("svtest", svtest()), &["set fraglimit 0"], bots)
}

fn player(server: &Server, client: usize) -> PlayerState {
    let game = server.game().expect("a level");
    game.player(client).expect("a player").clone()
}

#[test]
fn same_events_same_minute() {
    let names = [
        "addbot Rill 2",
        "addbot Tarn 3",
        "addbot Moss 4",
        "addbot Fell 5",
    ];
    let (mut one, mut other) = (room(3, &names), room(3, &names));
    for _ in 0..60_000 / FRAME_MSEC {
        let (mine, theirs) = (
            one.frame(FRAME_MSEC, vec![]),
            other.frame(FRAME_MSEC, vec![]),
        );
        assert_eq!(mine.printed, theirs.printed);
        for client in 0..4 {
            assert_eq!(player(&one, client), player(&other, client));
        }
    }
}

/// ioquake3's client needs three times that much of its memory of 128 MB.
#[test]
fn models_of_all_bots_are_there_and_take_25_megabytes() {
    let mut server = room(7, &[]);
    let listed = server.frame(FRAME_MSEC, commands(&["botlist"])).printed;
    assert_eq!(listed.len(), 16);
    let files = openarena_files();
    let mut folders = BTreeSet::new();
    for line in &listed {
        let (_, look) = line.split_once(' ').expect("a name and a model");
        let (model, skin) = look
            .trim()
            .split_once('/')
            .unwrap_or((look.trim(), "default"));
        let folder = format!("models/players/{model}/");
        for part in ["head", "upper", "lower"] {
            for file in [format!("{part}.md3"), format!("{part}_{skin}.skin")] {
                assert!(
                    files.contains_key(&format!("{folder}{file}")),
                    "{line}: {file}"
                );
            }
        }
        folders.insert(folder);
    }
    let sizes = files.iter().filter_map(|(name, size)| {
        let folder = name.rsplit_once('/')?.0;
        (name.ends_with(".md3") && folders.contains(&format!("{folder}/"))).then_some(size)
    });
    let total: u32 = sizes.sum();
    assert!(total < 25_000_000, "{total} bytes");
}

#[test]
fn nobody_is_stuck_and_items_are_taken() {
    let mut server = room(5, &["addbot Rill 3", "addbot Tarn 3"]);
    let mut rests = [(glam::Vec3::ZERO, 0); 2];
    for _ in 0..240_000 / FRAME_MSEC {
        server.frame(FRAME_MSEC, vec![]);
        let time = server.level_time().expect("a level");
        for (client, (place, since)) in rests.iter_mut().enumerate() {
            let state = player(&server, client);
            if state.stats[0] <= 0 || state.origin.distance(*place) > 48.0 {
                (*place, *since) = (state.origin, time);
            }
            assert!(time - *since < 10_000, "bot {client} is stuck at {place}");
        }
    }
    let report = server.bot_report();
    assert!(report.is_complete);
    for (class, place, is_reachable, was_visited) in report.items {
        // Flags are taken in their own game only.
        if class.starts_with("team_CTF_") {
            continue;
        }
        assert!(is_reachable && was_visited, "{class} at {place:?}");
    }
}

#[test]
fn the_better_one_wins() {
    let mut won = 0;
    for seed in 0..3 {
        let mut server = room(seed, &["addbot Good 5", "addbot Weak 1"]);
        let mut scores = [0; 2];
        for _ in 0..600_000 / FRAME_MSEC {
            server.frame(FRAME_MSEC, vec![]);
            scores = [0, 1].map(|client| server.game().expect("a level").score(client));
            if scores.iter().any(|score| *score >= 5) {
                break;
            }
        }
        won += i32::from(scores[0] > scores[1]);
    }
    assert_eq!(won, 3);
}

#[test]
fn bots_come_and_go_by_command() {
    let mut server = server(&["set sv_maxclients 4", "set bot_minplayers 3"]);
    for _ in 0..12_000 / FRAME_MSEC {
        server.frame(FRAME_MSEC, vec![]);
    }
    let count = |server: &Server| {
        (0..4)
            .filter(|&at| server.slot_state(at) == SlotState::Active)
            .count()
    };
    assert_eq!(count(&server), 3);
    // A player is one of them.
    let mut client = Client::new(28_101, 68);
    client.play(&mut server, 14_000, FRAME_MSEC, |_: &mut Usercmd| {});
    assert!(client.snapshot.is_some());
    assert_eq!(count(&server), 3);
    let gamestate = client.gamestate.as_ref().expect("a gamestate");
    let infos = (544..548).filter(|&at| gamestate.configstrings.get(at).contains("\\skill\\"));
    assert!(infos.count() >= 2);
    let quit = commands(&["set bot_minplayers 0", "kick allbots"]);
    server.frame(FRAME_MSEC, quit);
    assert_eq!(count(&server), 1);
}

#[test]
fn a_full_server_lets_a_player_in() {
    let mut server = server(&["set sv_maxclients 2", "set bot_minplayers 1"]);
    server.frame(FRAME_MSEC, commands(&["addbot Rill", "addbot Tarn"]));
    assert!((0..2).all(|at| server.slot_state(at) == SlotState::Active));
    let mut client = Client::new(28_102, 68);
    client.play(&mut server, 1000, FRAME_MSEC, |_: &mut Usercmd| {});
    assert!(client.snapshot.is_some(), "{:?}", client.refusals);
}
