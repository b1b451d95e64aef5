//! Addresses of their own for players, strangers' servers, bad networks and bans.

use std::collections::HashSet;
use std::time::Instant;

use crate::world::{Browser, in_match, listed, oob, refusal};

#[tokio::test]
async fn each_player_comes_from_an_address_of_its_own() {
    let (server, relay) = listed(&["--source", "127.3.0.0/16"]).await;
    let mut players = Vec::new();
    let mut addresses = HashSet::new();
    let mut qports = HashSet::new();
    for _ in 0..8 {
        let mut player = Browser::join(&relay, "").await;
        let seat = server.admit(&mut player).await;
        let address = seat.from.to_string();
        assert!(address.starts_with("127.3."), "{address}");
        addresses.insert(seat.from.ip());
        qports.insert(seat.qport);
        players.push(player);
    }
    assert_eq!((addresses.len(), qports.len()), (8, 8));
}

#[tokio::test]
async fn bad_weather_delays_both_ways() {
    let options = ["--delay", "40", "--jitter", "10"];
    let (server, _relay, mut player, seat) = in_match(&options).await;
    for sequence in 1..5 {
        let begun = Instant::now();
        player.send_channel(sequence, b"up").await;
        server.receive().await;
        server.send_channel(seat, sequence, b"down").await;
        player.receive().await;
        // 40 ms give or take 10, in whole milliseconds, on each way.
        assert!(begun.elapsed().as_millis() >= 2 * 29);
    }
}

#[tokio::test]
async fn all_is_lost_in_the_worst_weather() {
    let (server, relay) = listed(&["--loss", "1"]).await;
    let mut player = Browser::join(&relay, "").await;
    player.send(&oob("getinfo x")).await;
    assert_eq!(server.receive_soon().await, None);
}

#[tokio::test]
async fn banned_users_are_told_so() {
    let (_server, relay) = listed(&["--ban", "127.0.0.0/8"]).await;
    let told = (4009, "You are banned from this relay.".to_owned());
    assert_eq!(refusal(&relay, "").await, told);
}
