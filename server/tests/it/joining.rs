//! Joining: challenges, refusals, gamestates, map changes, silence, kicks.

use crate::client::{Client, map_read, oa_dm1, play_together, server};
use server::{Event, SlotState};
use shared::{net::protocol::WireForm, types::snapshot::flags};

#[test]
fn clients_of_both_protocols_join_and_see_each_other() {
    let mut server = server(&[]);
    let mut clients = [Client::new(1001, 68), Client::new(1002, 71)];
    play_together(&mut server, &mut clients, 3000);
    for (client, other) in clients.iter().zip([1, 0]) {
        let snapshot = client.seen();
        assert_eq!(snapshot.flags & flags::NOT_ACTIVE, 0);
        // 125 at first, and one less each second of usercmds.
        assert!((122..=124).contains(&snapshot.player.stats[0]));
        assert_eq!(snapshot.player.client_num, 1 - other);
        assert!(client.has_heard("entered the game"), "{:?}", client.heard);
        let gamestate = client.gamestate.as_ref().expect("a gamestate");
        assert!(gamestate.configstrings.get(0).contains("\\mapname\\oa_dm1"));
        assert!(!gamestate.baselines.is_empty());
        assert!(client.deltas > client.fulls);
    }
    assert_eq!(server.slot_state(0), SlotState::Active);
}

#[test]
fn under_number_71_the_clients_first_message_tells_the_wire_form() {
    let mut server = server(&[]);
    let mut clients = [1001, 1002].map(|port| Client::new(port, 71));
    // OpenArena's own client.
    clients[0].wire = WireForm::Legacy;
    play_together(&mut server, &mut clients, 3000);
    for client in clients {
        assert_eq!(client.seen().flags & flags::NOT_ACTIVE, 0);
        assert!(client.deltas > 20);
    }
}

#[test]
fn openarenas_clients_are_told_its_layout() {
    let mut server = server(&["set gamename baseoa"]);
    let mut client = Client::new(1001, 71);
    client.wire = WireForm::Legacy;
    client.play(&mut server, 500, 50, |_| {});
    let stats = client.seen().player.stats;
    // Weapons and the most health stand one place further.
    assert_eq!((stats[2], stats[3], stats[6], stats[7]), (0, 6, 0, 100));
    let gamestate = client.gamestate.as_ref().expect("a gamestate");
    assert_eq!(gamestate.configstrings.get(20), "baseoa-1");
    // Four numbers in front and fifteen of each player, not three and fourteen.
    client.say("score");
    client.play(&mut server, 200, 50, |_| {});
    let lists = client
        .heard
        .iter()
        .filter(|text| text.starts_with("scores 1 "));
    let words: Vec<usize> = lists.map(|text| text.split_whitespace().count()).collect();
    assert_eq!(words.last(), Some(&(1 + 4 + 15)), "{:?}", client.heard);
}

#[test]
fn who_may_not_join_is_told_why() {
    let mut server = server(&["set sv_maxclients 1", "set g_password secret"]);
    let mut stranger = Client::new(1001, 71);
    stranger.play(&mut server, 500, 50, |_| {});
    assert_eq!(stranger.refusals[0], "Invalid password\n");
    let mut wrong = Client::new(1002, 70);
    wrong.play(&mut server, 500, 50, |_| {});
    assert!(wrong.refusals[0].starts_with("Server uses protocol version 71 (yours is 70)"));
    let mut friend = Client::new(1003, 71);
    friend
        .userinfo
        .set("password", "secret", 1023)
        .expect("it fits");
    friend.play(&mut server, 1000, 50, |_| {});
    assert!(friend.refusals.is_empty() && friend.snapshot.is_some());
    let mut late = Client::new(1004, 71);
    late.userinfo = friend.userinfo.clone();
    late.play(&mut server, 500, 50, |_| {});
    assert_eq!(late.refusals[0], "Server is full.\n");
}

#[test]
fn a_lost_gamestate_comes_again() {
    let mut server = server(&[]);
    let mut client = Client::new(1001, 71);
    client.play(&mut server, 150, 50, |_| {});
    client.to_lose = 3;
    client.play(&mut server, 2000, 50, |_| {});
    assert!(client.snapshot.is_some());
    assert_eq!(server.slot_state(0), SlotState::Active);
}

#[test]
fn a_map_change_takes_everybody_along_and_their_time_never_runs_back() {
    let mut server = server(&[]);
    let mut client = Client::new(1001, 71);
    client.play(&mut server, 3000, 50, |_| {});
    let before = client.seen().server_time;
    let first_id = client
        .gamestate
        .as_ref()
        .map(|one| one.configstrings.get(1).to_owned());
    server.frame(0, vec![Event::Command("map oa_dm1".to_owned())]);
    server.frame(0, vec![map_read("oa_dm1", oa_dm1())]);
    client.play(&mut server, 3000, 50, |_| {});
    let gamestate = client.gamestate.as_ref().expect("a gamestate");
    assert_ne!(first_id.as_deref(), Some(gamestate.configstrings.get(1)));
    assert_eq!(server.slot_state(0), SlotState::Active);
    assert!(client.seen().server_time.0 > 0 && before.0 > 0);
}

#[test]
fn the_silent_and_the_kicked_leave() {
    let mut server = server(&["set sv_timeout 3"]);
    let mut client = Client::new(1001, 68);
    client.play(&mut server, 1000, 50, |_| {});
    let mut msec = 0;
    while server.slot_state(0) == SlotState::Active {
        server.frame(50, Vec::new());
        msec += 50;
        assert!(msec < 10_000);
    }
    // As measured on the original.
    assert_eq!(msec, 3250);
    let mut other = Client::new(1002, 71);
    other.play(&mut server, 1000, 50, |_| {});
    let output = server.frame(50, vec![Event::Command("kick Probe".to_owned())]);
    other.take(&output);
    assert!(
        other.has_heard("disconnect \"was kicked\""),
        "{:?}",
        other.heard
    );
    assert_eq!(server.slot_state(0), SlotState::Zombie);
    for _ in 0..60 {
        server.frame(50, Vec::new());
    }
    assert_eq!(server.slot_state(0), SlotState::Free);
}

#[test]
fn nonsense_harms_nobody() {
    let mut server = server(&[]);
    let mut client = Client::new(1001, 71);
    client.play(&mut server, 1000, 50, |_| {});
    let mut rng = shared::base::rng::Rng::new(3);
    for _ in 0..20_000 {
        let mut bytes: Vec<u8> = (0..rng.below(80)).map(|_| rng.next_u64() as u8).collect();
        if rng.percent(50.0) && bytes.len() > 6 {
            // As if it came from the client itself.
            bytes[4..6].copy_from_slice(&1001_u16.to_le_bytes());
        }
        if rng.percent(20.0) && bytes.len() > 4 {
            bytes[..4].fill(0xFF);
        }
        let from = client.peer;
        server.frame(0, vec![Event::Packet { from, bytes }]);
    }
    client.play(&mut server, 500, 50, |_| {});
    assert_eq!(server.slot_state(0), SlotState::Active);
    assert!(client.deltas > 5);
}
