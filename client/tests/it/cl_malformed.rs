//! What broken and forged packets must lead to: nothing, or a clear end.

use crate::cl_sim::{IOQUAKE3, Kind, OPENARENA, Pair};
use client::cl::{Notice, State, Update};
use shared::{
    base::{bits::BitWriter, time::ClientTime},
    net::svc::{Download, Writer},
    types::{configstring::Configstrings, gamestate::Gamestate, usercmd::Usercmd},
};

fn active(kind: Kind) -> Pair {
    let mut pair = Pair::new(kind).line(10, 0, 0.0);
    pair.enter();
    pair.run(500);
    pair
}

/// A message that begins as all do.
fn message(rel_ack: i32, write: impl Fn(&mut BitWriter)) -> Vec<u8> {
    let mut bits = BitWriter::new();
    bits.i32(rel_ack);
    write(&mut bits);
    bits.finish()
}

fn cut(message: &[u8]) -> Vec<u8> {
    message[..message.len() / 2].to_vec()
}

#[test]
fn a_message_that_cannot_be_read_counts_as_lost() {
    let good = {
        let mut writer = Writer::new(0);
        writer.command(1, &"print long".repeat(40));
        writer.finish().expect("it is small")
    };
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("unknown operation", message(0, |bits| bits.u8(77))),
        ("operation 0", message(0, |bits| bits.u8(0))),
        ("configstring outside", message(0, |bits| bits.u8(3))),
        ("baseline outside", message(0, |bits| bits.u8(4))),
        ("voice on the legacy wire", message(0, |bits| bits.u8(9))),
        ("cut", cut(&good)),
        ("nothing", Vec::new()),
        ("acknowledges too much", message(99, |bits| bits.u8(8))),
        ("a command is missing", {
            let mut writer = Writer::new(0);
            writer.command(50, "print hole");
            writer.finish().expect("it is small")
        }),
        (
            "text without end",
            message(0, |bits| {
                bits.u8(5);
                bits.i32(1);
                (0..1100).for_each(|_| bits.u8(b'a'));
            }),
        ),
        (
            "areamask",
            message(0, |bits| {
                bits.u8(7);
                bits.i32(5000);
                [0, 0, 33].into_iter().for_each(|byte| bits.u8(byte));
            }),
        ),
        (
            "player fields",
            message(0, |bits| {
                bits.u8(7);
                bits.i32(5000);
                [0, 0, 0, 49].into_iter().for_each(|byte| bits.u8(byte));
            }),
        ),
    ];
    for (name, bytes) in cases {
        let mut pair = active(OPENARENA);
        let before = pair.connection.stats().clone();
        let commands = pair.game_commands().len();
        pair.server.send_raw(bytes);
        pair.run(200);
        pair.server.command("print after");
        pair.run(1000);
        let after = pair.connection.stats();
        assert_eq!(after.faults.len(), 1, "{name}: {:?}", after.faults);
        assert_eq!(pair.connection.state(), State::Active, "{name}");
        assert!(after.snapshots >= before.snapshots + 20, "{name}");
        assert_eq!(pair.game_commands()[commands..], ["print after"], "{name}");
    }
}

#[test]
fn too_many_of_them_end_the_connection() {
    let mut pair = active(OPENARENA);
    for _ in 0..8 {
        pair.server.send_raw(message(0, |bits| bits.u8(77)));
        pair.run(400);
    }
    let end = pair.end().expect("it gives up");
    assert!(
        end.starts_with("The server's messages cannot be read: server message: operation 77"),
        "{end}"
    );

    let mut pair = active(OPENARENA);
    for _ in 0..12 {
        pair.server.send_raw(message(0, |bits| bits.u8(77)));
        pair.run(2000);
    }
    assert_eq!(
        pair.connection.state(),
        State::Active,
        "a few now and then do no harm"
    );
}

#[test]
fn a_gamestate_that_stays_broken_ends_the_connection() {
    for (name, write) in [
        (
            "unknown operation",
            (|bits| bits.u8(77)) as fn(&mut BitWriter),
        ),
        ("index", |bits| {
            bits.u8(3);
            bits.u16(1024);
            bits.string(b"x");
        }),
        ("client number", |bits| {
            bits.u8(8);
            bits.i32(64);
            bits.i32(0);
            bits.u8(8);
        }),
    ] {
        let mut pair = active(IOQUAKE3);
        for round in 0..3 {
            assert_eq!(pair.end(), None, "{name}: round {round}");
            pair.server.send_raw(message(0, |bits| {
                bits.u8(2);
                bits.i32(0);
                write(bits);
            }));
            pair.run(100);
        }
        let end = pair.end().unwrap_or_else(|| panic!("{name}: it goes on"));
        assert!(end.contains("gamestate"), "{name}: {end}");
    }
}

#[test]
fn a_gamestate_above_the_pool_ends_the_connection_at_once() {
    let mut pair = active(IOQUAKE3);
    pair.server.send_raw(message(0, |bits| {
        bits.u8(2);
        bits.i32(0);
        for index in 0..20 {
            bits.u8(3);
            bits.u16(index);
            bits.string(&[b' '; 900]);
        }
    }));
    pair.run(200);
    let end = pair.end().expect("it gives up");
    assert!(end.contains("16000 characters"), "{end}");
}

#[test]
fn forged_datagrams_change_nothing() {
    let cases: [(&str, Kind, Vec<u8>); 9] = [
        ("empty", OPENARENA, Vec::new()),
        ("short", OPENARENA, vec![1, 2, 3]),
        ("long", OPENARENA, vec![7; 16_385]),
        ("old sequence", OPENARENA, vec![1, 0, 0, 0, 9, 9, 9, 9]),
        ("far sequence", OPENARENA, vec![0, 0, 0, 0x70, 9, 9, 9, 9]),
        ("wrong checksum", IOQUAKE3, vec![0, 1, 0, 0, 9, 9, 9, 9, 9]),
        (
            "fragment in the middle",
            OPENARENA,
            vec![0, 1, 0, 0x80, 20, 5, 1, 0, 9],
        ),
        (
            "fragment of negative length",
            OPENARENA,
            vec![0, 1, 0, 0x80, 0, 0, 0xFF, 0xFF, 9],
        ),
        (
            "fragment beyond the datagram",
            OPENARENA,
            vec![0, 1, 0, 0x80, 0, 0, 20, 0, 9],
        ),
    ];
    for (name, kind, bytes) in cases {
        let mut pair = active(kind);
        let before = pair.connection.stats().clone();
        let silence = pair.connection.silence_msec(ClientTime(pair.now));
        pair.connection
            .handle_packet(ClientTime(pair.now + 1), &bytes);
        let after = pair.connection.stats().clone();
        let dropped = |stats: &client::cl::Stats| stats.packets_dropped + stats.packets_late;
        assert_eq!(dropped(&after), dropped(&before) + 1, "{name}");
        assert_eq!(
            pair.connection.silence_msec(ClientTime(pair.now)),
            silence,
            "{name}: a forged packet keeps no connection alive"
        );
        pair.run(1000);
        assert!(pair.is_active(), "{name}");
        assert!(
            pair.connection.stats().snapshots >= before.snapshots + 18,
            "{name}"
        );
        assert_eq!(pair.connection.stats().faults.len(), 0, "{name}");
    }
}

#[test]
fn stray_texts_are_never_answered() {
    let mut pair = active(OPENARENA);
    for text in [
        "echo hello",
        "connectResponse 5",
        "challengeResponse 1 77777 71",
        "infoResponse\n\\challenge\\x",
        "getstatus x",
        "rcon a b",
        "disconnect",
        "",
        "nonsense",
    ] {
        let datagram = [b"\xff\xff\xff\xff", text.as_bytes()].concat();
        pair.connection
            .handle_packet(ClientTime(pair.now), &datagram);
        assert_eq!(pair.connection.poll_transmit(), None, "{text}");
        assert_eq!(pair.connection.state(), State::Active, "{text}");
    }
    // A server of 1999 says so to somebody it does not know; then nothing else comes from it.
    pair.drop_from_server = |_| true;
    pair.run(4000);
    pair.connection
        .handle_packet(ClientTime(pair.now), b"\xff\xff\xff\xffdisconnect");
    pair.run(16);
    let end = pair.end().expect("the server has forgotten us");
    assert_eq!(
        end,
        "The server no longer knows this client. Try reconnect."
    );
}

#[test]
fn answers_to_somebody_else_are_ignored() {
    let mut pair = Pair::new(IOQUAKE3).line(10, 0, 0.0);
    for text in [
        "challengeResponse 99 12345 71",
        "connectResponse 99",
        "infoResponse\n\\protocol\\43",
    ] {
        let datagram = [b"\xff\xff\xff\xff", text.as_bytes()].concat();
        pair.connection
            .handle_packet(ClientTime(pair.now), &datagram);
        assert_eq!(pair.connection.state(), State::Connecting, "{text}");
    }
    pair.enter();
}

#[test]
fn download_blocks_that_nobody_wants_are_stopped_once() {
    let mut pair = active(OPENARENA);
    for number in 0..5 {
        pair.server.send_download(&Download::Block {
            number,
            size: (number == 0).then_some(5000),
            data: vec![1; 900],
        });
        pair.run(50);
    }
    pair.run(2000);
    assert_eq!(pair.server.slot().executed, ["stopdl"]);
    assert!(pair.is_active());

    let mut pair = active(OPENARENA);
    pair.server.send_raw(message(0, |bits| {
        bits.u8(6);
        bits.u16(1);
        bits.u16(0xFFFF);
    }));
    pair.run(2000);
    assert_eq!(pair.server.slot().executed, ["stopdl"]);
    assert_eq!(pair.connection.stats().faults.len(), 1);
}

#[test]
fn a_pak_comes_block_by_block_over_a_bad_line() {
    let mut pair = Pair::new(OPENARENA).line(30, 0, 0.0);
    pair.loading_msec = 100_000;
    assert!(pair.run_until(5000, |pair| pair.connection.state() == State::Loading));
    let pak = client::cl::Pak {
        name: "baseoa/extra".to_owned(),
        checksum: 1,
    };
    pair.connection
        .download(ClientTime(pair.now), std::slice::from_ref(&pak));
    assert_eq!(pair.connection.state(), State::Connected);
    let file: Vec<u8> = (0..5000_u32).map(|n| (n * 7) as u8).collect();
    pair = pair.line(30, 0, 10.0);
    let mut block = 0;
    let mut rounds = 0;
    while !pair.server.slot().executed.contains(&"donedl".to_owned()) {
        rounds += 1;
        assert!(rounds < 500, "{:?}", pair.server.slot().executed);
        let confirmed = format!("nextdl {block}");
        if pair.server.slot().executed.contains(&confirmed) {
            block += 1;
        }
        let start = (block as usize * 1024).min(file.len());
        let data = file[start..file.len().min(start + 1024)].to_vec();
        pair.server.send_download(&Download::Block {
            number: block,
            size: (block == 0).then_some(file.len() as i32),
            data,
        });
        pair.run(104);
    }
    let fetched = pair.updates.iter().find_map(|update| match update {
        Update::PakFetched { pak, bytes } => Some((pak.clone(), bytes.clone())),
        _ => None,
    });
    assert_eq!(fetched, Some((pak, file)));
}

#[test]
fn what_a_server_may_not_set_stays() {
    let mut pair = active(OPENARENA);
    let before = pair.connection.configstrings().cloned();
    for text in [
        "cs 1024 \"x\"",
        "cs -1 \"x\"",
        "bcs1 7 \"x\"",
        "bcs2 7 \"x\"",
        &format!("cs 50 \"{}", "x".repeat(1000)),
    ] {
        pair.server.command(text);
    }
    for piece in 0..20 {
        let word = if piece == 0 { "bcs0" } else { "bcs1" };
        pair.server
            .command(&format!("{word} 60 \"{}\"", "y".repeat(990)));
        pair.run(100);
    }
    pair.server.command("bcs2 60 \"end\"");
    pair.run(500);
    let mut expected: Configstrings = before.expect("there is a level");
    expected.set(50, &"x".repeat(1000)).expect("it fits");
    assert_eq!(pair.connection.configstrings(), Some(&expected));
    assert!(pair.is_active());
    let notices: Vec<_> = pair
        .updates
        .iter()
        .filter(|update| matches!(update, Update::Notice(_)))
        .collect();
    assert_eq!(notices.len(), 1, "{notices:?}");

    // Commands that would do harm are words for the game, which does not know them.
    pair.server.command("quit");
    pair.server.command("bind w kill");
    pair.run(300);
    assert_eq!(pair.game_commands(), ["quit", "bind w kill"]);

    pair.server
        .command("cs 1 \"\\sv_serverid\\1000\\fs_game\\..\\cl_maxpackets\\1\"");
    pair.run(300);
    assert_eq!(
        pair.connection.systeminfo().map(|info| info.game.as_str()),
        Some("")
    );
}

#[test]
fn refused_values_of_a_gamestate_are_told() {
    let mut pair = Pair::new(OPENARENA).line(10, 0, 0.0);
    let text = "\\sv_serverid\\1000\\fs_game\\../..";
    pair.server
        .gamestate
        .configstrings
        .set(1, text)
        .expect("it is short");
    pair.enter();
    let is_told = pair.updates.iter().any(|update| {
        matches!(update, Update::Notice(Notice::Refused(what)) if what.contains("fs_game"))
    });
    assert!(is_told);
}

#[test]
fn a_server_time_that_goes_back_is_followed() {
    let mut pair = active(OPENARENA);
    pair.run(2000);
    pair.server.time = pair.server.time - 1000;
    pair.run(1000);
    assert!(pair.is_active());
    let ahead = pair.connection.server_time() - pair.server.time;
    assert!((-150..=50).contains(&ahead), "{ahead} ms off");
}

#[test]
fn damaged_packets_never_do_worse_than_end_the_connection() {
    for seed in 0..30_u32 {
        let mut pair = active(if seed % 2 == 0 { OPENARENA } else { IOQUAKE3 });
        let mut random = seed.wrapping_mul(2_654_435_761) | 1;
        for _ in 0..200 {
            let gamestate = Gamestate::default();
            let mut writer = pair.server.writer();
            writer.command(pair.server.slot().commands.newest() + 1, "print x");
            if random & 3 == 0 {
                writer.gamestate(&gamestate);
            }
            let mut bytes = writer.finish().expect("it is small");
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let at = (random >> 8) as usize % bytes.len();
            bytes[at] ^= 1 << (random & 7);
            pair.server.send_raw(bytes);
            pair.run(24);
        }
        pair.connection.add_usercmd(Usercmd::default());
        let has_ended = pair.connection.state() == State::Disconnected;
        assert_eq!(pair.end().is_some(), has_ended);
    }
}
