//! Playing: usercmds move, chat is heard once, deltas survive losses, and equal events give equal bytes.

use crate::client::{Client, commands, server};
use server::Event;
use shared::types::usercmd::Usercmd;

fn run(usercmd: &mut Usercmd) {
    usercmd.forward_move = 127;
}

#[test]
fn usercmds_move_the_player_at_once() {
    let mut server = server(&[]);
    let mut client = Client::new(1001, 71);
    client.play(&mut server, 2000, 50, |_| {});
    let start = client.seen().player.origin;
    client.play(&mut server, 1500, 25, run);
    let snapshot = client.seen();
    assert!(snapshot.player.origin.distance(start) > 30.0, "{start}");
    assert_eq!(snapshot.player.speed, 320);
    let behind = snapshot.server_time.0 - snapshot.player.command_time;
    assert!((-200..=100).contains(&behind), "{behind}");
}

#[test]
fn after_many_losses_a_snapshot_comes_in_full() {
    let mut server = server(&[]);
    let mut client = Client::new(1001, 68);
    client.play(&mut server, 2000, 50, |_| {});
    let fulls = client.fulls;
    client.to_lose = 5;
    client.play(&mut server, 500, 50, run);
    assert_eq!(client.fulls, fulls, "five are no reason");
    client.to_lose = 40;
    client.play(&mut server, 3000, 50, run);
    assert!(client.fulls > fulls);
    assert!(client.seen().server_time.0 > 0);
}

#[test]
fn chat_reaches_everybody_once_and_floods_do_not() {
    let mut server = server(&[]);
    let mut client = Client::new(1001, 71);
    client.play(&mut server, 2000, 50, |_| {});
    for number in 0..5 {
        client.say(&format!("say number {number}"));
    }
    client.play(&mut server, 1000, 50, |_| {});
    let heard = client
        .heard
        .iter()
        .filter(|line| line.contains(": ^2number"));
    assert_eq!(heard.count(), 1);
    client.say("dance");
    client.play(&mut server, 2000, 50, |_| {});
    assert!(client.has_heard("unknown cmd dance"), "{:?}", client.heard);
}

#[test]
fn a_slow_line_gets_fewer_snapshots_and_is_told_so() {
    let mut server = server(&[]);
    let mut fast = Client::new(1001, 71);
    fast.play(&mut server, 4000, 50, run);
    let mut server = self::server(&[]);
    let mut slow = Client::new(1002, 71);
    slow.userinfo.set("rate", "1000", 1023).expect("it fits");
    slow.play(&mut server, 4000, 50, run);
    let [of_fast, of_slow] = [&fast, &slow].map(|client| client.deltas + client.fulls);
    assert!(of_slow * 3 < of_fast * 2, "{of_slow} of {of_fast}");
    assert_eq!(slow.seen().flags & 1, 1);
}

#[test]
fn equal_events_give_equal_bytes() {
    // Running and shooting draws from chance as well.
    let fight = |usercmd: &mut Usercmd| {
        run(usercmd);
        usercmd.buttons = 1;
        usercmd.weapon = 2;
        usercmd.angles[1] = usercmd.angles[1].wrapping_add(700);
    };
    let play = || {
        let mut server = server(&[]);
        let mut clients = [1001, 1002, 1003].map(|port| Client::new(port, 71));
        let mut bytes = Vec::new();
        for _ in 0..200 {
            let mut events = Vec::new();
            for client in &mut clients {
                events.extend(client.frame(50, fight));
            }
            let output = server.frame(50, events);
            for client in &mut clients {
                client.take(&output);
            }
            bytes.extend(output.datagrams);
        }
        bytes
    };
    let first = play();
    assert!(first.len() > 90);
    assert!(first == play());
}

#[test]
fn a_restart_begins_anew_without_another_gamestate() {
    let mut server = server(&[]);
    let mut client = Client::new(1001, 71);
    client.play(&mut server, 3000, 50, run);
    let before = client.seen().clone();
    let gamestate = client.gamestate.clone().expect("a gamestate");
    client.heard.clear();
    server.frame(0, vec![Event::Command("map_restart 0".to_owned())]);
    client.play(&mut server, 50, 50, |_| {});
    let after = client.seen();
    // Four frames of 100 ms and an ordinary one.
    assert_eq!(after.server_time - before.server_time, 450);
    assert_eq!(after.flags & 4, before.flags & 4 ^ 4);
    assert_eq!(after.delta_num, None);
    let now = client.gamestate.as_ref().expect("a gamestate");
    assert_eq!(client.gamestates, 1, "the same one, with changed strings");
    assert_eq!(gamestate.checksum_feed, now.checksum_feed);
    let at = |text: &str| {
        let found = client.heard.iter().position(|line| line.starts_with(text));
        found.unwrap_or_else(|| panic!("{text} is not in {:?}", client.heard))
    };
    assert!(at("cs 21") < at("map_restart") && at("map_restart") < at("cs 1 "));
    assert_eq!(after.player.stats[0], 125);
}

#[test]
fn a_restart_is_announced_unless_it_is_at_once() {
    let mut server = server(&[]);
    let mut client = Client::new(1001, 71);
    client.play(&mut server, 3000, 50, |_| {});
    let time = server.level_time().expect("a level");
    server.frame(0, vec![Event::Command("map_restart".to_owned())]);
    client.play(&mut server, 4900, 50, |_| {});
    assert!(client.has_heard(&format!("cs 5 \"{}\"", time + 5000)));
    assert!(!client.has_heard("map_restart"));
    client.play(&mut server, 300, 50, |_| {});
    assert!(client.has_heard("map_restart") && client.has_heard("cs 5 \"\""));
}

#[test]
fn rotations_run_the_line_of_the_next_map() {
    let mut server = server(&[]);
    for line in ["set d1 \"map oa_dm2; set nextmap vstr d2\"", "vstr d1"] {
        let output = server.frame(0, vec![Event::Command(line.to_owned())]);
        if line.starts_with("vstr") {
            assert!(
                matches!(&output.requests[..], [server::Request::ReadMap { name }] if name == "oa_dm2")
            );
        }
    }
    assert_eq!(server.cvars.get("nextmap"), "vstr d2");
    // One that runs itself ends.
    let output = server.frame(0, commands(&["set a \"vstr a\"", "vstr a"]));
    assert!(
        output.printed[0].contains("without end"),
        "{:?}",
        output.printed
    );
}
