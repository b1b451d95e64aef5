//! QUIC handshakes that nobody finishes: bounded memory, and room and time for those who play.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use relay::Relay;
use tokio::net::UdpSocket;
use tokio::time::{sleep, timeout};
use tokio_rustls::rustls::RootCertStore;
use wtransport::VarInt;
use wtransport::proto::frame::Frame;
use wtransport::proto::headers::Headers;
use wtransport::proto::session::SessionRequest;
use wtransport::proto::settings::Settings;
use wtransport::proto::stream_header::StreamHeader;
use wtransport::quinn::crypto::rustls::QuicClientConfig;
use wtransport::quinn::{ClientConfig, Connection, Endpoint, SendStream};
use wtransport::tls::Sha256Digest;
use wtransport::tls::client::{ServerHashVerification, build_default_tls_config};

use crate::abuse::{count, resident_kilobytes, two, wait_for};
use crate::openings::openings;
use crate::transport::{Page, about, page_in_match, settle};
use crate::world::{PATIENCE, listed};

const HANDSHAKES: usize = 10_000;

/// A client of QUIC and TLS as browsers are, without what comes after the handshake.
fn client(hash: Sha256Digest) -> ClientConfig {
    let verifier = Arc::new(ServerHashVerification::new([hash]));
    let tls = build_default_tls_config(Arc::new(RootCertStore::empty()), Some(verifier));
    ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls).unwrap()))
}

#[tokio::test]
async fn ten_thousand_unfinished_handshakes_leave_room_and_memory() {
    let (server, relay, playing, seat) = page_in_match().await;
    settle(&playing, &server).await;
    let (_, port, _) = about(&relay).await;
    let openings = openings(HANDSHAKES).await.unwrap();
    let before = resident_kilobytes();
    let mut listening = Vec::new();
    let mut delays = Vec::new();
    for (number, opening) in (0_u32..).zip(&openings) {
        let attacker = UdpSocket::bind((Ipv4Addr::from(0x7f02_0001 + number), 0)).await;
        let attacker = attacker.unwrap();
        let sent = attacker.send_to(opening, ("127.0.0.1", port)).await;
        sent.unwrap();
        // Our own descriptors are not without end; nobody ever reads the answers.
        if listening.len() < 2_500 {
            listening.push(attacker);
        }
        if number % 20 == 0 {
            // Whoever plays is heard in between.
            let sequence = 1 + number / 20;
            let sent = Instant::now();
            playing.send_channel(sequence, b"move");
            server.expect_channel(seat, sequence, b"move").await;
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
    Page::join(&relay, &server).await;
}

#[tokio::test]
async fn one_address_does_not_take_all_places_of_newcomers() {
    let (server, relay) = listed(&[]).await;
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
    Page::join(&relay, &server).await;
}

/// Shakes hands and says no more.
async fn connect(relay: &Relay) -> Connection {
    let (_, port, hash) = about(relay).await;
    let endpoint = Endpoint::client("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = (Ipv4Addr::LOCALHOST, port).into();
    let connecting = endpoint.connect_with(client(hash), address, "localhost");
    let connected = timeout(PATIENCE, connecting.unwrap()).await;
    connected.unwrap().unwrap()
}

fn settings() -> Vec<u8> {
    let settings = Settings::builder()
        .enable_webtransport()
        .enable_h3_datagrams()
        .build();
    let mut bytes = Vec::new();
    StreamHeader::new_control().write(&mut bytes).unwrap();
    settings.generate_frame().write(&mut bytes).unwrap();
    bytes
}

fn request(path: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Browsers send frames that mean nothing, so that nobody relies on there being none.
    let nothing = Frame::new_exercise(VarInt::from_u32(0x21), b"nothing"[..].into());
    nothing.write(&mut bytes).unwrap();
    let request = SessionRequest::new(format!("https://localhost{path}")).unwrap();
    let frame = request.headers().generate_frame();
    frame.write(&mut bytes).unwrap();
    bytes
}

/// Each byte in a packet of its own.
async fn write_slowly(stream: &mut SendStream, bytes: Vec<u8>) {
    for byte in bytes {
        stream.write_all(&[byte]).await.unwrap();
        sleep(Duration::from_millis(2)).await;
    }
}

#[tokio::test]
async fn an_opening_may_come_in_pieces_and_its_stream_ends_the_session() {
    let (_server, relay) = listed(&[]).await;
    let connection = connect(&relay).await;
    let mut control = connection.open_uni().await.unwrap();
    let (mut ask, mut hear) = connection.open_bi().await.unwrap();
    // The request comes in the middle of the settings.
    let mut said = settings();
    let rest = said.split_off(said.len() / 2);
    write_slowly(&mut control, said).await;
    write_slowly(&mut ask, request("/wt")).await;
    write_slowly(&mut control, rest).await;
    let mut answer = [0; 256];
    let size = timeout(PATIENCE, hear.read(&mut answer)).await.unwrap();
    let mut answer = &answer[..size.unwrap().expect("an answer")];
    let frame = Frame::read(&mut answer).unwrap().expect("a whole frame");
    let headers = Headers::with_frame(&frame).unwrap();
    assert_eq!(headers.get(":status"), Some("200"));
    wait_for(&relay, "sessions", 1..=1).await;
    // Datagrams of no session, and of another one, end nothing.
    for datagram in [&b""[..], b"\xc0", b"\x05what"] {
        connection.send_datagram(datagram.into()).unwrap();
    }
    sleep(Duration::from_millis(100)).await;
    wait_for(&relay, "sessions", 1..=1).await;
    ask.finish().unwrap();
    wait_for(&relay, "sessions", 0..=0).await;
}

#[tokio::test]
async fn a_line_without_end_ends_the_connection() {
    let (_server, relay) = listed(&[]).await;
    let connection = connect(&relay).await;
    let mut control = connection.open_uni().await.unwrap();
    control.write_all(&settings()).await.unwrap();
    let (mut ask, _hear) = connection.open_bi().await.unwrap();
    ask.write_all(&request("/wt")).await.unwrap();
    let texts = timeout(PATIENCE, connection.accept_bi()).await.unwrap();
    let (mut say, _texts) = texts.unwrap();
    say.write_all(&[b'a'; 4096]).await.unwrap();
    timeout(PATIENCE, connection.closed()).await.unwrap();
}

/// Starts of header blocks of which a number comes next (RFC 9204, 4.5): of the block, of fields of both tables, of
/// names and of values.
const NUMBERS: [&[u8]; 7] = [
    b"",
    b"\0",
    b"\0\0",
    b"\0\0\x5f",
    b"\0\0\x50",
    b"\0\0\x2f",
    b"\0\0\x21a",
];

#[tokio::test]
async fn what_no_browser_asks_ends_the_connection() {
    let (server, relay) = listed(&[]).await;
    let mut data = Vec::new();
    let frame = Frame::new_data(b"what"[..].into());
    frame.write(&mut data).unwrap();
    let mut long = Vec::new();
    let frame = Frame::new_headers(vec![0; 17 * 1024].into());
    frame.write(&mut long).unwrap();
    // A frame of HTTP/2, one of a size beyond all bounds, and headers of nothing.
    let others = [
        &b"\x06\x00"[..],
        b"\x01\xff\xff\xff\xff\xff\xff\xff\xff",
        b"\x01\x00",
    ];
    let endless_numbers: Vec<Vec<u8>> = (NUMBERS.iter())
        .map(|start| {
            let block = [start, &[0xff; 40][..]].concat();
            let mut asked = Vec::new();
            let frame = Frame::new_headers(block.into());
            frame.write(&mut asked).unwrap();
            asked
        })
        .collect();
    let endless_numbers = endless_numbers.iter().map(Vec::as_slice);
    for asked in ([&data[..], &long].into_iter())
        .chain(others)
        .chain(endless_numbers)
    {
        let connection = connect(&relay).await;
        let mut control = connection.open_uni().await.unwrap();
        control.write_all(&settings()).await.unwrap();
        let (mut ask, _hear) = connection.open_bi().await.unwrap();
        // It may be refused before all of it is written.
        let _ = ask.write_all(asked).await;
        let end = timeout(PATIENCE, connection.closed()).await.unwrap();
        let end = end.to_string();
        assert!(end.contains("closed by peer: 270"), "{asked:x?}: {end}");
    }
    Page::join(&relay, &server).await;
}

#[tokio::test]
async fn hang_ups_over_quic_give_their_places_back() {
    let (server, relay) = listed(&[]).await;
    // Whoever drops these ends the session.
    let mut controls = Vec::new();
    for number in 0..24 {
        let connection = connect(&relay).await;
        // After the handshake, in the middle of the settings, of the request, and as a session.
        if number % 4 > 0 {
            let mut control = connection.open_uni().await.unwrap();
            let settings = settings();
            let said = if number % 4 == 1 { 3 } else { settings.len() };
            control.write_all(&settings[..said]).await.unwrap();
            controls.push(control);
        }
        if number % 4 > 1 {
            let (mut ask, mut hear) = connection.open_bi().await.unwrap();
            let request = request("/wt");
            let said = match number % 4 {
                2 => request.len() / 2,
                _ => request.len(),
            };
            ask.write_all(&request[..said]).await.unwrap();
            if number % 4 == 3 {
                let mut answer = [0; 256];
                let answer = timeout(PATIENCE, hear.read(&mut answer)).await;
                answer.unwrap().unwrap().expect("an answer");
            }
        }
        connection.close(0_u8.into(), b"");
    }
    wait_for(&relay, "sessions", 0..=0).await;
    // What asks counts itself.
    wait_for(&relay, "connections", 0..=1).await;
    Page::join(&relay, &server).await;
}
