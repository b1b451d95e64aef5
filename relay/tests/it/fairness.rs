//! Addresses of their own for players, strangers' servers, bad networks and bans.

use std::collections::HashSet;
use std::time::Instant;

use crate::world::{Browser, QPORT, Server, channel, refusal, relay};

#[tokio::test]
async fn each_player_comes_from_an_address_of_its_own() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--source", "127.3.0.0/16"]).await;
    let mut players = Vec::new();
    let mut addresses = HashSet::new();
    let mut qports = HashSet::new();
    for _ in 0..8 {
        let mut player = Browser::join(&relay, "").await;
        let seat = server.admit(&mut player).await;
        assert!(
            seat.from.ip().to_string().starts_with("127.3."),
            "{}",
            seat.from
        );
        addresses.insert(seat.from.ip());
        qports.insert(seat.qport);
        players.push(player);
    }
    assert_eq!((addresses.len(), qports.len()), (8, 8));
}

#[tokio::test]
async fn bad_weather_delays_both_ways() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--delay", "40", "--jitter", "10"]).await;
    let mut player = Browser::join(&relay, "").await;
    let seat = server.admit(&mut player).await;
    for sequence in 1..5 {
        let begun = Instant::now();
        player.send(&channel(sequence, Some(QPORT), b"up")).await;
        server.receive().await;
        server
            .send(&channel(sequence, None, b"down"), seat.from)
            .await;
        player.receive().await;
        // 40 ms give or take 10, in whole milliseconds, on each way.
        assert!(begun.elapsed().as_millis() >= 2 * 29);
    }
}

#[tokio::test]
async fn all_is_lost_in_the_worst_weather() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--loss", "1"]).await;
    let mut player = Browser::join(&relay, "").await;
    player.send(&crate::world::oob("getinfo x")).await;
    assert_eq!(server.receive_soon().await, None);
}

#[tokio::test]
async fn banned_users_are_told_so() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name, "--ban", "127.0.0.0/8"]).await;
    let told = (4009, "You are banned from this relay.".to_owned());
    assert_eq!(refusal(&relay, "").await, told);
}
