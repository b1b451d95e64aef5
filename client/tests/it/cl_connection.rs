//! The connection against a simulated server, over good and bad lines.

use crate::cl_sim::{IOQUAKE3, Kind, OPENARENA, Pair, QUAKE3E, STOCK, settings};
use client::cl::{PureProof, State, UNKNOWN_PING, Update};
use shared::{base::time::ClientTime, net::protocol::WireForm, types::configstring::index};

const KINDS: [(&str, Kind, i32, WireForm); 4] = [
    ("stock", STOCK, 68, WireForm::Legacy),
    ("OpenArena", OPENARENA, 71, WireForm::Legacy),
    ("ioquake3", IOQUAKE3, 71, WireForm::Modern),
    ("Quake3e", QUAKE3E, 71, WireForm::Modern),
];

/// Compat mode: the number is 71, the server waits, and nothing tells the form.
const QUAKE3E_OLD: Kind = Kind {
    names_protocol: false,
    wire_of_71: WireForm::Legacy,
    ..QUAKE3E
};

#[test]
fn every_kind_of_server_lets_us_in() {
    let old = ("Quake3e compat", QUAKE3E_OLD, 71, WireForm::Legacy);
    for (name, kind, protocol, wire) in KINDS.into_iter().chain([old]) {
        let mut pair = Pair::new(kind).line(20, 0, 0.0);
        pair.enter();
        assert!(pair.now < 4000, "{name} took until {}", pair.now);
        assert_eq!(
            (pair.connection.protocol(), pair.connection.wire()),
            (protocol, Some(wire)),
            "{name}"
        );
        let states: Vec<State> = pair
            .updates
            .iter()
            .filter_map(|update| match update {
                Update::StateChanged(state) => Some(*state),
                _ => None,
            })
            .collect();
        assert_eq!(
            states,
            [
                State::Connecting,
                State::Challenging,
                State::Connected,
                State::Loading,
                State::Primed,
                State::Active
            ],
            "{name}"
        );
    }
}

#[test]
fn loss_times_latency() {
    for (name, kind, ..) in KINDS {
        for latency in [0, 60, 250] {
            for loss in [0.0, 5.0, 20.0] {
                hold_half_a_minute(
                    &format!("{name} {latency} ms {loss} %"),
                    kind,
                    latency,
                    loss,
                );
            }
        }
    }
}

/// Enters, talks in both directions over a map change and a restart, and stays.
fn hold_half_a_minute(what: &str, kind: Kind, latency: i32, loss: f32) {
    let mut pair = Pair::new(kind).line(latency, latency / 10, loss);
    assert!(
        pair.run_until(25_000, Pair::is_active),
        "{what}: {:?}",
        pair.connection.state()
    );
    let mut told = Vec::new();
    let mut said = Vec::new();
    for round in 0..12 {
        let text = format!("print round{round}");
        pair.server.command(&text);
        told.push(text);
        let text = format!("say round{round}");
        assert_eq!(
            pair.connection.add_reliable_command(&text),
            Ok(()),
            "{what}"
        );
        said.push(text);
        match round {
            3 => pair.server.load_map("second"),
            7 => {
                pair.server.restart_map();
                told.push("map_restart".to_owned());
            }
            _ => {}
        }
        pair.run(2400);
    }
    assert!(
        pair.run_until(10_000, Pair::is_active),
        "{what}: {:?}",
        pair.end()
    );
    pair.run(3000);
    assert_eq!(pair.game_commands(), told, "{what}");
    let slot = pair.server.slot.as_ref().expect("the client is there");
    assert_eq!(slot.executed, said, "{what}");
    assert_eq!(
        pair.connection.stats().faults,
        Vec::<String>::new(),
        "{what}"
    );
    let systeminfo = pair.connection.systeminfo().expect("there is a level");
    assert_eq!(systeminfo.server_id, 2001, "{what}");
    // Each usercmd goes out twice, so only double losses are felt.
    let expected = if loss > 10.0 { 3200 } else { 3600 };
    assert!(
        slot.usercmds > expected,
        "{what}: {} usercmds executed",
        slot.usercmds
    );
    let round_trip = 2 * latency;
    let ping = pair.connection.stats().ping_msec;
    assert!(
        ping == UNKNOWN_PING || (round_trip..round_trip + 250).contains(&ping),
        "{what}: ping {ping}"
    );
}

#[test]
fn a_lost_answer_to_connect_is_asked_for_again() {
    let mut pair = Pair::new(IOQUAKE3).line(20, 0, 0.0);
    pair.drop_from_server = |bytes| bytes.starts_with(b"\xff\xff\xff\xffconnectResponse");
    pair.run(5000);
    assert_eq!(pair.connection.state(), State::Challenging);
    assert_eq!(pair.server.connects.len(), 2);
    pair.drop_from_server = |_| false;
    pair.enter();
}

#[test]
fn a_lost_gamestate_comes_again() {
    let mut pair = Pair::new(IOQUAKE3).line(20, 0, 0.0);
    let is_fragment = |bytes: &[u8]| bytes[3] & 0x80 != 0 && bytes[0] != 0xFF;
    pair.drop_from_server = is_fragment;
    pair.run(4000);
    assert_eq!(pair.connection.state(), State::Connected);
    pair.drop_from_server = |_| false;
    pair.enter();
    assert!(
        pair.server
            .slot
            .as_ref()
            .is_some_and(|slot| slot.gamestates_sent >= 2)
    );
}

#[test]
fn a_map_change_starts_everything_anew() {
    let mut pair = Pair::new(OPENARENA).line(40, 0, 0.0);
    pair.enter();
    pair.run(2000);
    let before = pair.connection.server_time();
    pair.server.load_map("second");
    assert!(pair.run_until(5000, |pair| pair.connection.state() == State::Loading));
    assert_eq!(pair.connection.usercmds().count(), 0);
    pair.enter();
    assert!(
        pair.connection.server_time().is_before(before),
        "the time of the new level starts low"
    );
    let configstrings = pair.connection.configstrings().expect("there is a level");
    assert!(configstrings.get(index::SERVERINFO).contains("second"));
    let gamestates = pair
        .updates
        .iter()
        .filter(|update| matches!(update, Update::Gamestate(_)));
    assert_eq!(gamestates.count(), 2);
}

#[test]
fn a_map_restart_repeats_no_usercmd() {
    let mut pair = Pair::new(IOQUAKE3).line(100, 0, 0.0);
    pair.enter();
    pair.run(2000);
    pair.server.restart_map();
    pair.run_until(1000, |pair| {
        pair.game_commands().contains(&"map_restart".to_owned())
    });
    let old = pair
        .connection
        .usercmds()
        .filter(|(_, usercmd)| usercmd.server_time.0 != 0)
        .count();
    assert!(old <= 1, "{old} usercmds from before the restart are left");
    pair.run(2000);
    assert!(pair.is_active());
    assert_eq!(
        pair.connection.systeminfo().map(|info| info.server_id),
        Some(1001)
    );
}

/// Runs against a server that does not want us, and gives what the player reads.
fn refused(change: impl Fn(&mut Pair)) -> (String, i32) {
    let mut pair = Pair::new(OPENARENA).line(20, 0, 0.0);
    change(&mut pair);
    let is_over = pair.run_until(40_000, |pair| {
        pair.connection.state() == State::Disconnected
    });
    assert!(is_over, "{:?}", pair.connection.state());
    (pair.end().expect("there is a reason"), pair.now - 1000)
}

#[test]
fn refusals_end_in_clear_words() {
    let (text, msec) = refused(|pair| pair.server.password = "secret".to_owned());
    assert!(
        text.starts_with("The server needs the right password"),
        "{text}"
    );
    assert!(msec < 1000, "{msec}");

    let (text, msec) = refused(|pair| pair.server.is_full = true);
    assert_eq!(text, "The server is full (Server is full.).");
    assert!((29_000..31_000).contains(&msec), "{msec}");

    let (text, msec) = refused(|pair| {
        pair.server.kind = Kind {
            offered: None,
            info_protocol: 43,
            ..STOCK
        }
    });
    assert!(
        text.contains("The server speaks protocol 43; this client speaks 68 and 71."),
        "{text}"
    );
    assert!(msec < 1000, "{msec}");

    let (text, msec) = refused(|pair| pair.drop_from_server = |_| true);
    assert!(text.starts_with("The server does not answer."), "{text}");
    assert!((29_000..31_000).contains(&msec), "{msec}");
}

#[test]
fn a_protocol_of_the_players_own_choice_is_refused_by_the_server() {
    let settings = client::cl::Settings {
        protocol: Some(70),
        ..settings()
    };
    let mut pair = Pair::with_settings(OPENARENA, settings).line(20, 0, 0.0);
    pair.run(1000);
    let end = pair.end().expect("the server refuses");
    assert!(
        end.contains("Server uses protocol version 68 (yours is 70)."),
        "{end}"
    );
}

#[test]
fn a_place_on_a_full_server_is_waited_for() {
    let mut pair = Pair::new(OPENARENA).line(20, 0, 0.0);
    pair.server.is_full = true;
    pair.run(8000);
    pair.server.is_full = false;
    pair.enter();
    let refusals = pair
        .updates
        .iter()
        .filter(|update| matches!(update, Update::Print(_)));
    assert!(refusals.count() >= 2);
}

#[test]
fn a_bad_challenge_is_replaced() {
    let mut pair = Pair::new(OPENARENA).line(20, 0, 0.0);
    pair.run_until(1000, |pair| pair.connection.state() == State::Challenging);
    pair.server.challenge = 5;
    pair.enter();
}

#[test]
fn a_kick_tells_its_reason() {
    let mut pair = Pair::new(IOQUAKE3).line(20, 0, 0.0);
    pair.enter();
    pair.server.kick("was kicked");
    pair.run(1000);
    assert_eq!(
        pair.end().as_deref(),
        Some("The server disconnected: was kicked")
    );
    let last = pair.updates.last();
    assert!(matches!(last, Some(Update::Disconnected(_))), "{last:?}");
    assert_eq!(pair.connection.state(), State::Disconnected);
}

#[test]
fn a_pure_server_gets_its_proof_and_may_refuse_it() {
    let mut pair = Pair::new(OPENARENA).line(20, 0, 0.0);
    pair.server.is_pure = true;
    pair.server.load_map("pure");
    pair.proof = Some(PureProof {
        cgame: 7,
        ui: 8,
        referenced: vec![7, 8],
    });
    pair.enter();
    let slot = pair.server.slot.as_ref().expect("the client is there");
    assert!(
        slot.executed[0].starts_with("cp 2000 7 8 @ 7 8 "),
        "{:?}",
        slot.executed
    );

    pair.server
        .kick("Unpure client detected. Invalid .PK3 files referenced!");
    pair.run(1000);
    let end = pair.end().expect("the server refuses");
    assert!(
        end.starts_with("The server is pure and does not accept"),
        "{end}"
    );
}

#[test]
fn without_proof_a_pure_server_lets_nobody_in() {
    let mut pair = Pair::new(OPENARENA).line(20, 0, 0.0);
    pair.server.is_pure = true;
    pair.server.load_map("pure");
    assert!(!pair.run_until(10_000, Pair::is_active));
    assert_eq!(pair.connection.state(), State::Primed);
}

#[test]
fn silence_ends_the_connection() {
    let mut pair = Pair::new(IOQUAKE3).line(20, 0, 0.0);
    pair.enter();
    pair.drop_from_server = |_| true;
    pair.run(199_000);
    assert_eq!(pair.connection.state(), State::Active);
    pair.run(2000);
    let end = pair.end().expect("it gives up");
    assert_eq!(end, "Connection timed out: nothing came for 200 seconds.");
}

#[test]
fn leaving_is_told_thrice() {
    let mut pair = Pair::new(OPENARENA).line(20, 0, 0.0);
    pair.enter();
    pair = pair.line(20, 0, 40.0);
    let now = ClientTime(pair.now);
    pair.connection.disconnect(now);
    let mut sent = 0;
    while let Some(datagram) = pair.connection.poll_transmit() {
        pair.network.to_server.send(now, datagram);
        sent += 1;
    }
    assert_eq!(sent, 3);
    pair.run(200);
    let slot = pair.server.slot.as_ref().expect("the client was there");
    assert_eq!(slot.executed.last().map(String::as_str), Some("disconnect"));
    assert_eq!(pair.end().as_deref(), Some("Disconnected."));
}

#[test]
fn userinfo_changes_are_collected() {
    let mut pair = Pair::new(QUAKE3E).line(20, 0, 0.0);
    pair.enter();
    pair.run(2000);
    for number in 0..100 {
        let name = format!("Name{number}");
        pair.settings
            .userinfo
            .set("name", &name, 1000)
            .expect("it is short");
        pair.run(40);
    }
    pair.run(2000);
    let slot = pair.server.slot.as_ref().expect("the client is there");
    let changes: Vec<_> = slot
        .executed
        .iter()
        .filter(|text| text.starts_with("userinfo \""))
        .collect();
    assert!((4..=6).contains(&changes.len()), "{changes:?}");
    assert!(
        changes
            .last()
            .is_some_and(|text| text.contains("\\name\\Name99")),
        "{changes:?}"
    );
    assert!(!changes[0].contains("challenge"), "{changes:?}");
}

#[test]
fn waiting_keeps_quiet_and_playing_keeps_the_pace() {
    let mut pair = Pair::new(OPENARENA).line(20, 0, 0.0);
    pair.loading_msec = 10_000;
    pair.run_until(2000, |pair| pair.connection.state() == State::Loading);
    let before = pair.connection.stats().packets_sent;
    pair.run(8000);
    let waiting = pair.connection.stats().packets_sent - before;
    assert!(
        (7..=9).contains(&waiting),
        "{waiting} packets in 8 seconds of loading"
    );
    pair.enter();
    pair.settings.max_packets = 30;
    let before = pair.connection.stats().packets_sent;
    pair.run(10_000);
    let playing = pair.connection.stats().packets_sent - before;
    assert!(
        (245..=255).contains(&playing),
        "{playing} packets in 10 seconds"
    );
}
