//! Playing: usercmds move, chat is heard once, deltas survive losses, and equal events give equal bytes.

use crate::client::{Client, server};
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
    let play = || {
        let mut server = server(&[]);
        let mut client = Client::new(1001, 71);
        let mut bytes = Vec::new();
        for _ in 0..100 {
            let output = server.frame(50, client.frame(50, run));
            client.take(&output);
            bytes.extend(output.datagrams);
        }
        bytes
    };
    let first = play();
    assert!(first.len() > 90);
    assert!(first == play());
}
