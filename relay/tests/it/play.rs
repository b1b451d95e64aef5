//! Sessions: datagrams both ways, refusals, resumes, the end.

use std::time::Duration;

use futures_util::StreamExt;
use shared::base::hex;
use tokio_tungstenite::tungstenite;

use crate::world::{Browser, QPORT, Server, channel, connect, oob, refusal, relay};

#[tokio::test]
async fn datagrams_pass_both_ways_unchanged() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut player = Browser::join(&relay, &server.name).await;
    assert_eq!(player.open["open"], server.name.as_str());
    assert_eq!(player.open["resumed"], false);
    let seat = server.admit(&mut player).await;
    for sequence in 1..50 {
        player
            .send(&channel(sequence, Some(QPORT), &[sequence as u8; 90]))
            .await;
        let seen = channel(sequence, Some(seat.qport), &[sequence as u8; 90]);
        assert_eq!(server.receive().await, (seen, seat.from));
        let down = channel(
            sequence,
            None,
            &vec![sequence as u8; 28 * sequence as usize],
        );
        server.send(&down, seat.from).await;
        assert_eq!(player.receive().await, down);
    }
}

#[tokio::test]
async fn the_default_server_is_the_first() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--server", "127.0.0.1:1"]).await;
    let mut player = Browser::join(&relay, "").await;
    server.admit(&mut player).await;
}

#[tokio::test]
async fn players_have_sockets_of_their_own() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut first = Browser::join(&relay, "").await;
    let mut second = Browser::join(&relay, "").await;
    let first_seat = server.admit(&mut first).await;
    let second_seat = server.admit(&mut second).await;
    assert_ne!(first_seat.from, second_seat.from);
    assert_ne!(first_seat.qport, second_seat.qport);
    server
        .send(&channel(1, None, b"first"), first_seat.from)
        .await;
    server
        .send(&channel(1, None, b"second"), second_seat.from)
        .await;
    assert_eq!(second.receive().await, channel(1, None, b"second"));
    assert_eq!(first.receive().await, channel(1, None, b"first"));
}

#[tokio::test]
async fn only_listed_servers_are_reached() {
    let listed = Server::start().await;
    let stranger = Server::start().await;
    let relay = relay(&["--server", &listed.name]).await;
    let (code, reason) = refusal(&relay, &stranger.name).await;
    assert_eq!(code, 4001);
    assert_eq!(
        reason,
        format!("This relay does not forward to {}.", stranger.name)
    );
    assert_eq!(stranger.receive_soon().await, None);
}

#[tokio::test]
async fn only_the_server_is_heard() {
    let server = Server::start().await;
    let stranger = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut player = Browser::join(&relay, "").await;
    let seat = server.admit(&mut player).await;
    stranger.send(&channel(1, None, b"forged"), seat.from).await;
    server.send(&channel(2, None, b"real"), seat.from).await;
    assert_eq!(player.receive().await, channel(2, None, b"real"));
}

#[tokio::test]
async fn pages_of_other_origins_are_refused() {
    let server = Server::start().await;
    let relay = relay(&[
        "--server",
        &server.name,
        "--origin",
        "https://friend.example",
    ])
    .await;
    let own = format!("http://{}", relay.address());
    for welcome in [own.as_str(), "https://friend.example"] {
        assert!(
            connect(&relay, "", &[("origin", welcome)]).await.is_ok(),
            "{welcome}"
        );
    }
    match connect(&relay, "", &[("origin", "https://evil.example")]).await {
        Err(tungstenite::Error::Http(answer)) => assert_eq!(answer.status(), 403),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_port_without_server_is_told() {
    let server = Server::start().await;
    let name = server.name.clone();
    drop(server);
    let relay = relay(&["--server", &name]).await;
    let mut player = Browser::join(&relay, "").await;
    player.send(&oob("getchallenge 1 Quake3Arena")).await;
    let (code, reason) = player.read_close().await;
    assert_eq!(
        (code, reason),
        (4002, format!("No server answers at {name}."))
    );
}

#[tokio::test]
async fn places_are_limited() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--max-sessions-per-address", "2"]).await;
    let first = Browser::join(&relay, "").await;
    let mut second = Browser::join(&relay, "").await;
    assert_eq!(refusal(&relay, "").await.0, 4003);
    second.say(r#"{"bye":true}"#).await;
    assert_eq!(second.read_close().await.0, 1000);
    Browser::join(&relay, "").await;
    drop(first);
}

#[tokio::test]
async fn a_dropped_connection_resumes_by_token() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut player = Browser::join(&relay, "").await;
    let seat = server.admit(&mut player).await;
    let token = player.token().to_owned();
    drop(player);
    server.send(&channel(1, None, b"unheard"), seat.from).await;
    tokio::time::sleep(Duration::from_millis(50)).await;

    let mut again = Browser::resume(&relay, &token).await;
    assert_eq!(again.open["resumed"], true);
    assert_ne!(again.token(), token);
    again.send(&channel(9, Some(QPORT), b"back")).await;
    assert_eq!(
        server.receive().await,
        (channel(9, Some(seat.qport), b"back"), seat.from)
    );
    server.send(&channel(2, None, b"welcome"), seat.from).await;
    assert_eq!(again.receive().await, channel(2, None, b"welcome"));
}

#[tokio::test]
async fn a_living_connection_hands_over() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut old = Browser::join(&relay, "").await;
    let seat = server.admit(&mut old).await;
    let mut new = Browser::resume(&relay, old.token()).await;
    assert_eq!(old.read_close().await.0, 4007);
    new.send(&channel(9, Some(QPORT), b"here")).await;
    assert_eq!(
        server.receive().await,
        (channel(9, Some(seat.qport), b"here"), seat.from)
    );
}

#[tokio::test]
async fn a_token_that_never_arrived_is_not_needed() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut player = Browser::join(&relay, "").await;
    server.admit(&mut player).await;
    let token = player.token().to_owned();
    drop(player);
    // The line breaks again before the page has heard anything, while or after it takes over.
    drop(Browser::resume(&relay, &token).await);
    let unheard = Browser::resume(&relay, &token).await;
    let mut heard = Browser::resume(&relay, &token).await;
    assert_eq!(heard.open["resumed"], true);
    heard.say(r#"{"ping":0}"#).await;
    assert_eq!(heard.read_text().await["pong"], 0);
    drop(unheard);
}

#[tokio::test]
async fn a_page_may_shorten_the_time_that_its_place_is_kept() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--hold", "60"]).await;
    let mut player = Browser::join(&relay, "").await;
    let seat = server.admit(&mut player).await;
    player
        .say(&deferred_disconnect(&[channel(
            3,
            Some(QPORT),
            b"farewell",
        )]))
        .await;
    player.say(r#"{"hold_msec":100}"#).await;
    player.say(r#"{"ping":0}"#).await;
    assert_eq!(player.read_text().await["pong"], 0);
    drop(player);
    // The relay speaks for a player who does not come back, long before its own time is over.
    let mut heard = server.receive().await;
    while heard.0.starts_with(&[0xff; 4]) {
        // It asks for the server's status now and then.
        heard = server.receive().await;
    }
    assert_eq!(
        heard,
        (channel(3, Some(seat.qport), b"farewell"), seat.from)
    );
}

#[tokio::test]
async fn a_page_that_ends_without_a_word_is_not_held_as_long_as_a_silent_one() {
    let server = Server::start().await;
    let options = [
        "--server",
        &server.name,
        "--hold",
        "60",
        "--hold-ended",
        "0.3",
    ];
    let relay = relay(&options).await;
    let mut player = Browser::join(&relay, "").await;
    let seat = server.admit(&mut player).await;
    let farewell = channel(3, Some(QPORT), b"farewell");
    player.say(&deferred_disconnect(&[farewell])).await;
    settle(&mut player, &server, &channel(1, Some(QPORT), b"play")).await;
    // It comes back in time, as after a proxy's restart.
    let token = player.token().to_owned();
    drop(player);
    let again = Browser::resume(&relay, &token).await;
    assert_eq!(server.receive_play_soon().await, None, "not while it plays");
    drop(again);
    let expected = (channel(3, Some(seat.qport), b"farewell"), seat.from);
    let start = std::time::Instant::now();
    assert_eq!(server.receive_play().await, expected);
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn tokens_work_once_and_for_a_time() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--hold", "0.2"]).await;
    let mut player = Browser::join(&relay, "").await;
    server.admit(&mut player).await;
    let used = player.token().to_owned();
    let mut again = Browser::resume(&relay, &used).await;
    again.say(r#"{"ping":0}"#).await;
    assert_eq!(again.read_text().await["pong"], 0);
    for token in [used, "0123".to_owned(), again.token().to_owned()] {
        if token == again.token() {
            break;
        }
        let protocols = format!("strafe.1, resume.{token}");
        let socket = connect(&relay, "", &[("sec-websocket-protocol", &protocols)])
            .await
            .unwrap();
        let mut refused = Browser {
            socket,
            open: serde_json::Value::Null,
        };
        assert_eq!(refused.read_close().await.0, 4008);
    }
    let late = again.token().to_owned();
    drop(again);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let protocols = format!("strafe.1, resume.{late}");
    let socket = connect(&relay, "", &[("sec-websocket-protocol", &protocols)])
        .await
        .unwrap();
    let mut refused = Browser {
        socket,
        open: serde_json::Value::Null,
    };
    assert_eq!(refused.read_close().await.0, 4008);
}

#[tokio::test]
async fn a_held_place_gives_way_to_a_player_who_is_here() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--max-sessions-per-address", "1"]).await;
    let mut player = Browser::join(&relay, "").await;
    server.admit(&mut player).await;
    drop(player);
    let mut again = None;
    for _ in 0..50 {
        // The relay may not have noticed the end yet.
        let mut socket = connect(&relay, "", &[]).await.unwrap();
        let first = socket.next().await.unwrap().unwrap();
        if first.to_text().unwrap().contains("\"open\"") {
            again = Some(socket);
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(again.is_some());
    assert_eq!(refusal(&relay, "").await.0, 4003);
}

#[tokio::test]
async fn pings_come_back() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut player = Browser::join(&relay, "").await;
    player.say(r#"{"ping":7}"#).await;
    assert_eq!(player.read_text().await["pong"], 7);
}

#[tokio::test]
async fn a_browser_that_does_not_read_gets_the_newest() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut player = Browser::join(&relay, "").await;
    let seat = server.admit(&mut player).await;
    // Much more than the sockets in between can hold.
    let last = 20_000;
    for sequence in 1..=last {
        server
            .send(&channel(sequence, None, &[0; 1000]), seat.from)
            .await;
        if sequence % 8 == 0 {
            tokio::task::yield_now().await;
        }
    }
    let mut received = 0;
    loop {
        received += 1;
        let datagram = player.receive().await;
        if datagram[..4] == last.to_le_bytes() {
            break;
        }
    }
    assert!(received < last, "{received} of {last} datagrams came");
}

#[tokio::test]
async fn silence_ends_a_session() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--idle-timeout", "0.5"]).await;
    let mut player = Browser::join(&relay, "").await;
    assert_eq!(player.read_close().await.0, 4004);
}

#[tokio::test]
async fn whoever_is_not_let_in_leaves() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--handshake-timeout", "0.5"]).await;
    let mut player = Browser::join(&relay, "").await;
    assert_eq!(player.read_close().await.0, 4005);
}

#[tokio::test]
async fn players_hear_why_a_relay_stops() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut player = Browser::join(&relay, "").await;
    server.admit(&mut player).await;
    let stopping = tokio::spawn(relay.stop("Maintenance."));
    assert_eq!(player.read_close().await, (1001, "Maintenance.".to_owned()));
    stopping.await.unwrap();
}

/// What a page says to deposit a farewell.
fn deferred_disconnect(datagrams: &[Vec<u8>]) -> String {
    let texts = datagrams.iter().map(|datagram| hex::encode(datagram));
    let texts: Vec<String> = texts.collect();
    serde_json::json!({ "deferred_disconnect": texts }).to_string()
}

/// Waits until the relay has read all that was said before.
async fn settle(player: &mut Browser, server: &Server, datagram: &[u8]) {
    player.send(datagram).await;
    assert_eq!(server.receive().await.0.len(), datagram.len());
}

#[tokio::test]
async fn the_deferred_disconnect_is_sent_when_nobody_comes_back() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--hold", "0.4"]).await;
    let mut player = Browser::join(&relay, "").await;
    let seat = server.admit(&mut player).await;
    let farewell = |text: &[u8]| deferred_disconnect(&[channel(9000, Some(QPORT), text)]);
    player.say(&farewell(b"stale")).await;
    player.say(&farewell(b"disconnect")).await;
    settle(&mut player, &server, &channel(1, Some(QPORT), b"play")).await;
    let token = player.token().to_owned();
    drop(player);
    assert_eq!(server.receive_soon().await, None, "not while it is held");

    // A resume keeps it.
    let again = Browser::resume(&relay, &token).await;
    assert_eq!(server.receive_soon().await, None, "not while it is played");
    drop(again);
    let expected = (channel(9000, Some(seat.qport), b"disconnect"), seat.from);
    assert_eq!(server.receive().await, expected);
    assert_eq!(server.receive_soon().await, None, "only once");
}

#[tokio::test]
async fn a_stopping_relay_says_goodbye_for_players_and_held_sessions() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut expected = Vec::new();
    let mut playing = None;
    for number in 1..=2 {
        let mut player = Browser::join(&relay, "").await;
        let seat = server.admit(&mut player).await;
        player
            .say(&deferred_disconnect(&[channel(
                number,
                Some(QPORT),
                b"bye",
            )]))
            .await;
        settle(&mut player, &server, &channel(1, Some(QPORT), b"play")).await;
        expected.push((channel(number, Some(seat.qport), b"bye"), seat.from));
        // The first one's connection drops here.
        playing = Some(player);
    }
    relay.stop("the test is over").await;
    let mut seen = vec![server.receive().await, server.receive().await];
    seen.sort();
    expected.sort();
    assert_eq!(seen, expected);
    drop(playing);
}

#[tokio::test]
async fn deferred_disconnects_pass_the_gate() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--hold", "0"]).await;
    let mut early = Browser::join(&relay, "").await;
    early
        .say(&deferred_disconnect(&[channel(1, Some(QPORT), b"early")]))
        .await;
    settle(&mut early, &server, &oob("getinfo xxx")).await;
    drop(early);
    let mut player = Browser::join(&relay, "").await;
    let good = channel(5, Some(QPORT), b"good");
    server.admit(&mut player).await;
    let refused = [
        deferred_disconnect(&[oob("rcon secret quit")]),
        deferred_disconnect(&[channel(1, Some(QPORT + 1), b"another's")]),
        deferred_disconnect(&vec![good.clone(); 5]),
        r#"{"deferred_disconnect":["xyz"]}"#.to_owned(),
    ];
    for text in &refused {
        player.say(text).await;
    }
    settle(&mut player, &server, &channel(1, Some(QPORT), b"play")).await;
    drop(player);
    assert_eq!(server.receive_soon().await, None);
}
