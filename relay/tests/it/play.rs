//! Sessions: datagrams both ways, refusals, resumes, the end.

use std::time::Duration;

use futures_util::StreamExt;
use shared::base::hex;
use tokio_tungstenite::tungstenite;

use crate::world::{
    Browser, QPORT, Server, channel, connect, in_match, listed, oob, refusal, relay, token_refusal,
};

#[tokio::test]
async fn datagrams_pass_both_ways_unchanged() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut player = Browser::join(&relay, &server.name).await;
    assert_eq!(player.open["open"], server.name.as_str());
    assert_eq!(player.open["resumed"], false);
    let seat = server.admit(&mut player).await;
    for sequence in 1..50 {
        let up = [sequence as u8; 90];
        player.send_channel(sequence, &up).await;
        server.expect_channel(seat, sequence, &up).await;
        let down = vec![sequence as u8; 28 * sequence as usize];
        server.send_channel(seat, sequence, &down).await;
        player.expect_channel(sequence, &down).await;
    }
}

#[tokio::test]
async fn the_default_server_is_the_first() {
    in_match(&["--server", "127.0.0.1:1"]).await;
}

#[tokio::test]
async fn players_have_sockets_of_their_own() {
    let (server, relay, mut first, first_seat) = in_match(&[]).await;
    let mut second = Browser::join(&relay, "").await;
    let second_seat = server.admit(&mut second).await;
    assert_ne!(first_seat.from, second_seat.from);
    assert_ne!(first_seat.qport, second_seat.qport);
    server.send_channel(first_seat, 1, b"first").await;
    server.send_channel(second_seat, 1, b"second").await;
    second.expect_channel(1, b"second").await;
    first.expect_channel(1, b"first").await;
}

#[tokio::test]
async fn only_listed_servers_are_reached() {
    let (_listed, relay) = listed(&[]).await;
    let stranger = Server::start().await;
    let told = format!("This relay does not forward to {}.", stranger.name);
    assert_eq!(refusal(&relay, &stranger.name).await, (4001, told));
    assert_eq!(stranger.receive_soon().await, None);
}

#[tokio::test]
async fn only_the_server_is_heard() {
    let (server, _relay, mut player, seat) = in_match(&[]).await;
    let stranger = Server::start().await;
    stranger.send_channel(seat, 1, b"forged").await;
    server.send_channel(seat, 2, b"real").await;
    player.expect_channel(2, b"real").await;
}

#[tokio::test]
async fn pages_of_other_origins_are_refused() {
    let (_server, relay) = listed(&["--origin", "https://friend.example"]).await;
    let own = format!("http://{}", relay.address());
    for welcome in [own.as_str(), "https://friend.example"] {
        let connected = connect(&relay, "", &[("origin", welcome)]).await;
        assert!(connected.is_ok(), "{welcome}");
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
    let told = format!("No server answers at {name}.");
    assert_eq!(player.read_close().await, (4002, told));
}

#[tokio::test]
async fn places_are_limited() {
    let (_server, relay) = listed(&["--max-sessions-per-address", "2"]).await;
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
    let (server, relay, player, seat) = in_match(&[]).await;
    let token = player.token().to_owned();
    drop(player);
    server.send_channel(seat, 1, b"unheard").await;
    tokio::time::sleep(Duration::from_millis(50)).await;

    let mut again = Browser::resume(&relay, &token).await;
    assert_eq!(again.open["resumed"], true);
    assert_ne!(again.token(), token);
    again.send_channel(9, b"back").await;
    server.expect_channel(seat, 9, b"back").await;
    server.send_channel(seat, 2, b"welcome").await;
    again.expect_channel(2, b"welcome").await;
}

#[tokio::test]
async fn a_living_connection_hands_over() {
    let (server, relay, mut old, seat) = in_match(&[]).await;
    let mut new = Browser::resume(&relay, old.token()).await;
    assert_eq!(old.read_close().await.0, 4007);
    new.send_channel(9, b"here").await;
    server.expect_channel(seat, 9, b"here").await;
}

#[tokio::test]
async fn a_token_that_never_arrived_is_not_needed() {
    let (_server, relay, player, _) = in_match(&[]).await;
    let token = player.token().to_owned();
    drop(player);
    // The line breaks again before the page has heard anything, while or after it takes over.
    drop(Browser::resume(&relay, &token).await);
    let unheard = Browser::resume(&relay, &token).await;
    let mut heard = Browser::resume(&relay, &token).await;
    assert_eq!(heard.open["resumed"], true);
    heard.ping(0).await;
    drop(unheard);
}

#[tokio::test]
async fn a_page_may_shorten_the_time_that_its_place_is_kept() {
    let (server, _relay, mut player, seat) = in_match(&["--hold", "60"]).await;
    player.say(&farewell(3, b"farewell")).await;
    player.say(r#"{"hold_msec":100}"#).await;
    player.ping(0).await;
    drop(player);
    // The relay speaks for a player who does not come back, long before its own time is over.
    server.expect_channel(seat, 3, b"farewell").await;
}

#[tokio::test]
async fn a_page_that_ends_without_a_word_is_not_held_as_long_as_a_silent_one() {
    let options = ["--hold", "60", "--hold-ended", "0.3"];
    let (server, relay, mut player, seat) = in_match(&options).await;
    player.say(&farewell(3, b"farewell")).await;
    settle(&mut player, &server, &channel(1, Some(QPORT), b"play")).await;
    // It comes back in time, as after a proxy's restart.
    let token = player.token().to_owned();
    drop(player);
    let again = Browser::resume(&relay, &token).await;
    assert_eq!(server.receive_play_soon().await, None, "not while it plays");
    drop(again);
    let start = std::time::Instant::now();
    server.expect_channel(seat, 3, b"farewell").await;
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[tokio::test]
async fn tokens_work_once_and_for_a_time() {
    let (_server, relay, player, _) = in_match(&["--hold", "0.2"]).await;
    let mut again = Browser::resume(&relay, player.token()).await;
    again.ping(0).await;
    for token in [player.token(), "0123"] {
        assert_eq!(token_refusal(&relay, token).await.0, 4008);
    }
    let late = again.token().to_owned();
    drop(again);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert_eq!(token_refusal(&relay, &late).await.0, 4008);
}

#[tokio::test]
async fn a_held_place_gives_way_to_a_player_who_is_here() {
    let (_server, relay, player, _) = in_match(&["--max-sessions-per-address", "1"]).await;
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
    let (_server, relay) = listed(&[]).await;
    Browser::join(&relay, "").await.ping(7).await;
}

#[tokio::test]
async fn a_browser_that_does_not_read_gets_the_newest() {
    let (server, _relay, mut player, seat) = in_match(&[]).await;
    // Much more than the sockets in between can hold.
    let last = 20_000;
    for sequence in 1..=last {
        server.send_channel(seat, sequence, &[0; 1000]).await;
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
    let (_server, relay) = listed(&["--idle-timeout", "0.5"]).await;
    let mut player = Browser::join(&relay, "").await;
    assert_eq!(player.read_close().await.0, 4004);
}

#[tokio::test]
async fn whoever_is_not_let_in_leaves() {
    let (_server, relay) = listed(&["--handshake-timeout", "0.5"]).await;
    let mut player = Browser::join(&relay, "").await;
    assert_eq!(player.read_close().await.0, 4005);
}

#[tokio::test]
async fn players_hear_why_a_relay_stops() {
    let (_server, relay, mut player, _) = in_match(&[]).await;
    let stopping = tokio::spawn(relay.stop("Maintenance."));
    assert_eq!(player.read_close().await, (1001, "Maintenance.".to_owned()));
    stopping.await.unwrap();
}

/// What a page says to deposit a farewell.
pub fn deferred_disconnect(datagrams: &[Vec<u8>]) -> String {
    let texts = datagrams.iter().map(|datagram| hex::encode(datagram));
    let texts: Vec<String> = texts.collect();
    serde_json::json!({ "deferred_disconnect": texts }).to_string()
}

/// The same for one datagram of the channel.
fn farewell(sequence: u32, payload: &[u8]) -> String {
    deferred_disconnect(&[channel(sequence, Some(QPORT), payload)])
}

/// Waits until the relay has read all that was said before.
async fn settle(player: &mut Browser, server: &Server, datagram: &[u8]) {
    player.send(datagram).await;
    assert_eq!(server.receive().await.0.len(), datagram.len());
}

#[tokio::test]
async fn the_deferred_disconnect_is_sent_when_nobody_comes_back() {
    let (server, relay, mut player, seat) = in_match(&["--hold", "0.4"]).await;
    player.say(&farewell(9000, b"stale")).await;
    player.say(&farewell(9000, b"disconnect")).await;
    settle(&mut player, &server, &channel(1, Some(QPORT), b"play")).await;
    let token = player.token().to_owned();
    drop(player);
    assert_eq!(server.receive_soon().await, None, "not while it is held");

    // A resume keeps it.
    let again = Browser::resume(&relay, &token).await;
    assert_eq!(server.receive_soon().await, None, "not while it is played");
    drop(again);
    server.expect_channel(seat, 9000, b"disconnect").await;
    assert_eq!(server.receive_soon().await, None, "only once");
}

#[tokio::test]
async fn a_stopping_relay_says_goodbye_for_players_and_held_sessions() {
    let (server, relay) = listed(&[]).await;
    let mut expected = Vec::new();
    let mut playing = None;
    for number in 1..=2 {
        let mut player = Browser::join(&relay, "").await;
        let seat = server.admit(&mut player).await;
        player.say(&farewell(number, b"bye")).await;
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
    let (server, relay) = listed(&["--hold", "0"]).await;
    let mut early = Browser::join(&relay, "").await;
    early.say(&farewell(1, b"early")).await;
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
