//! Limits: bans, pings, private places, rates, and the remote console.

use crate::client::{Client, server};
use server::{Event, Output, Peer, Request, Server, SlotState};
use shared::net::oob::{ClientPacket, ServerPacket};
use std::net::SocketAddr;

/// A client that comes from afar.
fn stranger(address: [u8; 4], port: u16) -> Client {
    let mut client = Client::new(port, 71);
    client.peer = Peer::Net(SocketAddr::from((address, port)));
    client
}

fn run(server: &mut Server, line: &str) -> Output {
    server.frame(0, vec![Event::Command(line.to_owned())])
}

#[test]
fn who_is_banned_is_sent_away_and_not_let_in() {
    let mut server = server(&[]);
    let mut client = stranger([203, 0, 113, 9], 1001);
    client.play(&mut server, 1000, 50, |_| {});
    assert_eq!(server.slot_state(0), SlotState::Active);
    let output = run(&mut server, "banaddr 203.0.113.0/24");
    client.play(&mut server, 100, 50, |_| {});
    assert!(
        client.has_heard("disconnect \"was banned\""),
        "{:?}",
        client.heard
    );
    let script = "banaddr 203.0.113.0/24\n".to_owned();
    assert_eq!(output.requests, [Request::KeepBans { script }]);
    let mut again = stranger([203, 0, 113, 200], 1002);
    again.play(&mut server, 500, 50, |_| {});
    assert_eq!(again.refusals[0], "You are banned from this server.\n");
    run(&mut server, "exceptaddr 203.0.113.200");
    assert_eq!(
        run(&mut server, "listbans").printed,
        ["Ban #1: 203.0.113.0/24", "Except #1: 203.0.113.200/32"]
    );
    again.play(&mut server, 1000, 50, |_| {});
    assert_eq!(server.slot_state(1), SlotState::Active);
    // By the number of a client; its own word counts for nothing.
    run(&mut server, "exceptdel 1");
    run(&mut server, "bandel 1");
    assert_eq!(run(&mut server, "listbans").printed, ["Nobody is banned"]);
    run(&mut server, "banaddr 1");
    assert_eq!(server.slot_state(1), SlotState::Zombie);
    assert_eq!(
        run(&mut server, "listip").printed,
        ["Ban #1: 203.0.113.200/32"]
    );
    assert_eq!(
        run(&mut server, "flushbans").printed,
        ["All bans are lifted"]
    );
    for line in ["banaddr", "banaddr 7", "banaddr nobody", "addip 1.2.3.4/99"] {
        let printed = run(&mut server, line).printed;
        assert!(printed[0].contains("is no address"), "{line}: {printed:?}");
    }
}

/// Joins with a ping of so many milliseconds.
fn joins(settings: &[&str], address: [u8; 4], ping: i32) -> Client {
    let mut server = server(settings);
    let mut client = stranger(address, 1001);
    let mut late = Vec::new();
    for _ in 0..1500 / ping {
        let events = client.frame(ping, |_| {});
        let output = server.frame(ping, std::mem::replace(&mut late, events));
        client.take(&output);
    }
    client
}

#[test]
fn pings_that_are_not_wanted_are_told_once() {
    let far = [203, 0, 113, 9];
    let check = |settings: &[&str], address, ping, refusals: &[&str]| {
        let client = joins(settings, address, ping);
        assert_eq!(client.refusals, refusals, "{settings:?} {ping}");
        assert_eq!(client.snapshot.is_some(), refusals.is_empty());
    };
    check(&["set sv_maxPing 100"], far, 40, &[]);
    check(
        &["set sv_maxPing 100"],
        far,
        150,
        &["Server is for low pings only\n"],
    );
    check(&["set sv_minPing 100"], far, 150, &[]);
    check(
        &["set sv_minPing 100"],
        far,
        40,
        &["Server is for high pings only\n"],
    );
    check(&["set sv_minPing 100"], [192, 168, 1, 5], 40, &[]);
}

#[test]
fn private_places_are_for_who_knows_the_password() {
    let settings = [
        "set sv_maxclients 2",
        "set sv_privateClients 1",
        "set sv_privatePassword hush",
    ];
    let mut server = server(&settings);
    let mut first = Client::new(1001, 71);
    first.play(&mut server, 1000, 50, |_| {});
    assert_eq!(server.slot_state(1), SlotState::Active);
    let mut second = Client::new(1002, 71);
    second.play(&mut server, 500, 50, |_| {});
    assert_eq!(second.refusals[0], "Server is full.\n");
    let mut friend = Client::new(1003, 71);
    friend
        .userinfo
        .set("password", "hush", 1023)
        .expect("it fits");
    friend.play(&mut server, 1000, 50, |_| {});
    assert_eq!(server.slot_state(0), SlotState::Active);
    let info = answers(
        &mut server,
        1004,
        &ClientPacket::GetInfo {
            token: "x".to_owned(),
        },
    );
    let Some(ServerPacket::Info(info)) = info.first() else {
        panic!("{info:?}");
    };
    assert_eq!(info.get("sv_maxclients"), "1");
}

fn answers(server: &mut Server, port: u16, packet: &ClientPacket) -> Vec<ServerPacket> {
    let from = Peer::Net(SocketAddr::from(([203, 0, 113, 1], port)));
    let bytes = packet.write().expect("a packet");
    let output = server.frame(0, vec![Event::Packet { from, bytes }]);
    let own = output.datagrams.iter().filter(|(peer, _)| *peer == from);
    own.filter_map(|(_, bytes)| ServerPacket::read(bytes))
        .collect()
}

#[test]
fn the_remote_console_answers_no_host_more_than_it_should() {
    let mut server = server(&["set rconPassword right"]);
    let rcon = |password: &str| ClientPacket::Rcon {
        password: password.to_owned(),
        command: "status".to_owned(),
    };
    let answered = answers(&mut server, 1001, &rcon("right"));
    assert!(matches!(&answered[..], [ServerPacket::Print(text)] if text.contains("map: oa_dm1")));
    let all = (0..30).map(|port| answers(&mut server, 2000 + port, &rcon("right")).len());
    assert_eq!(all.sum::<usize>(), 9, "ten at once");
    for _ in 0..60 {
        server.frame(50, Vec::new());
    }
    let all = (0..30).map(|port| answers(&mut server, 2000 + port, &rcon("wrong")).len());
    assert_eq!(all.sum::<usize>(), 3, "and one more each second");
}

#[test]
fn the_servers_rates_count_more_than_the_clients() {
    let snapshots = |settings: &[&str], rate: &str| {
        let mut server = server(settings);
        let mut client = Client::new(1001, 71);
        client.userinfo.set("rate", rate, 1023).expect("it fits");
        client.play(&mut server, 4000, 50, |_| {});
        client.deltas + client.fulls
    };
    let (slow, fast) = (snapshots(&[], "1000"), snapshots(&[], "25000"));
    assert!(slow * 3 < fast * 2, "{slow} of {fast}");
    assert_eq!(snapshots(&["set sv_maxRate 1000"], "25000"), slow);
    assert_eq!(snapshots(&["set sv_maxRate 5"], "25000"), slow);
    assert_eq!(snapshots(&["set sv_minRate 25000"], "1000"), fast);
}

#[test]
fn what_follows_a_file_of_lines_waits_for_it() {
    let mut server = Server::new(1);
    let output = run(&mut server, "exec server; map b");
    let name = "server.cfg".to_owned();
    assert_eq!(
        output.requests,
        [Request::ReadConfig { name: name.clone() }]
    );
    assert!(run(&mut server, "set sv_hostname late").printed.is_empty());
    let text =
        "set sv_hostname \"a;b\" // the name\n// set fraglimit 1\nset fraglimit 7; echo done\n";
    let read = Event::ConfigRead {
        name: name.clone(),
        result: Ok(text.to_owned()),
    };
    let output = server.frame(0, vec![read]);
    assert_eq!(output.printed, ["done"]);
    assert_eq!(
        output.requests,
        [Request::ReadMap {
            name: "b".to_owned()
        }]
    );
    assert_eq!(server.cvars.get("fraglimit"), "7");
    assert_eq!(server.cvars.get("sv_hostname"), "late");
    // One that runs itself ends.
    run(&mut server, "exec server.cfg");
    let mut printed = Vec::new();
    for _ in 0..40 {
        let result = Ok("exec server.cfg; echo again".to_owned());
        let read = Event::ConfigRead {
            name: name.clone(),
            result,
        };
        printed.extend(server.frame(0, vec![read]).printed);
    }
    assert!(
        printed.iter().any(|line| line.contains("without end")),
        "{printed:?}"
    );
    assert_eq!(run(&mut server, "echo here").printed, ["here"]);
    for name in ["", "../x", "/etc/passwd", ".hidden", "a b/c"] {
        let output = run(&mut server, &format!("exec \"{name}\""));
        assert!(output.requests.is_empty(), "{name}");
        assert!(output.printed[0].contains("is no name"), "{name}");
    }
}
