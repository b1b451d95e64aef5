//! QUIC handshakes that nobody finishes: bounded memory, and room and time for those who play.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Instant;

use tokio::net::UdpSocket;
use tokio::time::timeout;
use tokio_rustls::rustls::RootCertStore;
use wtransport::quinn::crypto::rustls::QuicClientConfig;
use wtransport::quinn::{ClientConfig, Endpoint};
use wtransport::tls::Sha256Digest;
use wtransport::tls::client::{ServerHashVerification, build_default_tls_config};

use crate::abuse::{count, resident_kilobytes, two};
use crate::openings::openings;
use crate::transport::{Page, about, in_match, settle};
use crate::world::{PATIENCE, QPORT, Server, channel, relay};

const HANDSHAKES: usize = 10_000;

/// A client of QUIC and TLS as browsers are, without what comes after the handshake.
fn client(hash: Sha256Digest) -> ClientConfig {
    let verifier = Arc::new(ServerHashVerification::new([hash]));
    let tls = build_default_tls_config(Arc::new(RootCertStore::empty()), Some(verifier));
    ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls).unwrap()))
}

#[tokio::test]
async fn ten_thousand_unfinished_handshakes_leave_room_and_memory() {
    let (server, relay, playing, seat) = in_match().await;
    settle(&playing, &server).await;
    let (_, port, _) = about(&relay).await;
    let openings = openings(HANDSHAKES).await.unwrap();
    let before = resident_kilobytes();
    let mut listening = Vec::new();
    let mut delays = Vec::new();
    for (number, opening) in (0_u32..).zip(&openings) {
        let attacker = UdpSocket::bind((Ipv4Addr::from(0x7f02_0001 + number), 0))
            .await
            .unwrap();
        attacker
            .send_to(opening, ("127.0.0.1", port))
            .await
            .unwrap();
        // Our own descriptors are not without end; nobody ever reads the answers.
        if listening.len() < 2_500 {
            listening.push(attacker);
        }
        if number % 20 == 0 {
            // Whoever plays is heard in between.
            let sequence = 1 + number / 20;
            let sent = Instant::now();
            playing.send(&channel(sequence, Some(QPORT), b"move"));
            let heard = server.receive().await.0;
            assert_eq!(heard, channel(sequence, Some(seat.qport), b"move"));
            delays.push(sent.elapsed().as_secs_f64() * 1000.0);
        }
    }
    let grown = resident_kilobytes().saturating_sub(before);
    delays.sort_by(f64::total_cmp);
    println!(
        "10,000 unfinished handshakes: {grown} kB more; a player's delay p50/p99 {} ms",
        two(&delays)
    );
    assert!(grown < 50_000, "{grown} kB");
    assert!(delays[delays.len() / 2] < 100.0, "{}", two(&delays));
    let mut next = Page::connect(&relay, "", None).await.unwrap();
    assert_eq!(next.read_text().await["open"], server.name.as_str());
}

#[tokio::test]
async fn one_address_does_not_take_all_places_of_newcomers() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let (_, port, hash) = about(&relay).await;
    let endpoint = Endpoint::client("127.4.0.1:0".parse().unwrap()).unwrap();
    let address = (Ipv4Addr::LOCALHOST, port).into();
    let config = client(hash);
    let mut held = Vec::new();
    for _ in 0..300 {
        let connecting = endpoint.connect_with(config.clone(), address, "localhost");
        // Whoever shook hands asks for nothing.
        held.extend(timeout(PATIENCE, connecting.unwrap()).await.unwrap());
    }
    held.retain(|connection| connection.close_reason().is_none());
    assert!((1..=32).contains(&held.len()), "{} places", held.len());
    assert!(count(&relay, "connections_refused_total").await >= 260);
    let mut other = Page::connect(&relay, "", None).await.unwrap();
    assert_eq!(other.read_text().await["open"], server.name.as_str());
}
