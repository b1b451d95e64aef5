//! The game over WebTransport, as a page would speak it.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use relay::Relay;
use serde_json::Value;
use shared::base::hex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UdpSocket;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_rustls::rustls;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use wtransport::endpoint::ConnectOptions;
use wtransport::tls::Sha256Digest;
use wtransport::{ClientConfig, Connection, Endpoint, RecvStream, SendStream};

use crate::abuse::{count, wait_for};
use crate::folder::Folder;
use crate::world::{
    Browser, PATIENCE, QPORT, Seat, Server, channel, connect_datagram, get, listed, oob,
};

/// Where the relay's WebTransport listens, and the hash of its certificate.
pub async fn about(relay: &Relay) -> (String, u16, Sha256Digest) {
    let about = get(relay, "/api/transport", "").await.json();
    let about = &about["webtransport"];
    let hash = about["certificate_sha256"].as_str().unwrap();
    let bytes = hex::decode(hash).unwrap();
    let host = about["host"].as_str().unwrap().to_owned();
    let port = about["port"].as_u64().unwrap() as u16;
    (host, port, Sha256Digest::new(bytes.try_into().unwrap()))
}

/// A page's WebTransport session.
pub struct Page {
    connection: Connection,
    to_relay: SendStream,
    from_relay: RecvStream,
    lines: VecDeque<u8>,
}

impl Page {
    pub async fn connect(relay: &Relay, query: &str, origin: Option<&str>) -> Option<Self> {
        Self::connect_by(relay, None, query, origin).await
    }

    /// Connects, maybe to another port that leads to the relay.
    pub async fn connect_by(
        relay: &Relay,
        port: Option<u16>,
        query: &str,
        origin: Option<&str>,
    ) -> Option<Self> {
        let (host, own_port, digest) = about(relay).await;
        let port = port.unwrap_or(own_port);
        let config = ClientConfig::builder()
            .with_bind_default()
            .with_server_certificate_hashes([digest])
            .build();
        let endpoint = Endpoint::client(config).unwrap();
        let url = format!("https://{host}:{port}/wt?{query}");
        let mut options = ConnectOptions::builder(url);
        if let Some(origin) = origin {
            options = options.add_header("origin", origin);
        }
        let connecting = timeout(PATIENCE, endpoint.connect(options.build())).await;
        let connection = connecting.unwrap().ok()?;
        let accepted = timeout(PATIENCE, connection.accept_bi()).await.unwrap();
        let (to_relay, from_relay) = accepted.unwrap();
        Some(Self {
            connection,
            to_relay,
            from_relay,
            lines: VecDeque::new(),
        })
    }

    /// Connects, and expects the opening text of this server's.
    pub async fn join(relay: &Relay, server: &Server) -> Self {
        let mut page = Self::connect(relay, "", None).await.unwrap();
        assert_eq!(page.read_text().await["open"], server.name.as_str());
        page
    }

    /// Connects by a line that can be bad, and is let in.
    pub async fn enter_by_line(relay: &Relay, server: &Server) -> (Self, Seat, Arc<Quality>) {
        let (port, line) = line(relay).await;
        let page = Self::connect_by(relay, Some(port), "", None).await;
        let mut page = page.unwrap();
        page.read_text().await;
        let seat = page.enter(server).await;
        (page, seat, line)
    }

    pub async fn read_text(&mut self) -> Value {
        loop {
            if let Some(end) = self.lines.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.lines.drain(..=end).collect();
                return serde_json::from_slice(&line).unwrap();
            }
            let mut space = [0; 1024];
            let read = AsyncReadExt::read(&mut self.from_relay, &mut space);
            let count = timeout(PATIENCE, read).await.unwrap().unwrap();
            assert!(count > 0, "the stream ended");
            self.lines.extend(&space[..count]);
        }
    }

    async fn say(&mut self, text: &str) {
        let line = format!("{text}\n");
        let written = AsyncWriteExt::write_all(&mut self.to_relay, line.as_bytes()).await;
        written.unwrap();
    }

    /// Is answered.
    async fn ping(&mut self) {
        self.say(r#"{"ping":7}"#).await;
        assert_eq!(self.read_text().await["pong"], 7);
    }

    pub fn send(&self, datagram: &[u8]) {
        let packet = [&[0], datagram].concat();
        self.connection.send_datagram(packet).unwrap();
    }

    /// Sends a datagram of the channel.
    pub fn send_channel(&self, sequence: u32, payload: &[u8]) {
        self.send(&channel(sequence, Some(QPORT), payload));
    }

    pub async fn receive(&self) -> Vec<u8> {
        let received = timeout(PATIENCE, self.connection.receive_datagram()).await;
        received.unwrap().unwrap().payload().to_vec()
    }

    /// The same steps as over WebSocket.
    pub async fn enter(&self, server: &Server) -> Seat {
        self.send(&oob("getchallenge 1 Quake3Arena"));
        let (_, from) = server.receive().await;
        server.send(&oob("challengeResponse 5"), from).await;
        assert_eq!(self.receive().await[1..], oob("challengeResponse 5"));
        self.send(&connect_datagram(QPORT));
        let seat = server.read_connect().await;
        server.send(&oob("connectResponse"), from).await;
        assert_eq!(self.receive().await[1..], oob("connectResponse"));
        seat
    }
}

/// A page in the match of a server.
pub async fn page_in_match() -> (Server, Relay, Page, Seat) {
    let (server, relay) = listed(&[]).await;
    let page = Page::join(&relay, &server).await;
    let seat = page.enter(&server).await;
    (server, relay, page, seat)
}

/// Plays until the relay has left the one datagram with WebTransport's library that it leaves there.
pub async fn settle(page: &Page, server: &Server) {
    for sequence in 1..=120 {
        page.send_channel(sequence, b"move");
        server.receive_soon().await;
    }
    while server.receive_soon().await.is_some() {}
}

#[tokio::test]
async fn datagrams_pass_and_large_ones_come_in_halves() {
    let (server, relay) = listed(&[]).await;
    let query = format!("server={}", server.name);
    let mut page = Page::connect(&relay, &query, None).await.unwrap();
    assert_eq!(page.read_text().await["open"], server.name.as_str());
    let seat = page.enter(&server).await;

    page.send_channel(1, b"move");
    server.expect_channel(seat, 1, b"move").await;

    let payload: Vec<u8> = (0..1396).map(|at| at as u8).collect();
    let large = channel(1, None, &payload);
    server.send(&large, seat.from).await;
    let (first, second) = (page.receive().await, page.receive().await);
    assert_eq!((first[0] & 0x81, second[0]), (0x80, first[0] | 1));
    assert_eq!([&first[1..], &second[1..]].concat(), large);

    // The channel takes no more of a player.
    let payload = &payload[..1394];
    let large = channel(2, Some(QPORT), payload);
    for (head, half) in [(0x83, &large[1149..]), (0x82, &large[..1149])] {
        let packet = [&[head], half].concat();
        page.connection.send_datagram(packet).unwrap();
    }
    server.expect_channel(seat, 2, payload).await;
}

/// What a line does to what passes.
#[derive(Default)]
pub struct Quality {
    pub is_silent: AtomicBool,
    /// One in so many datagrams of the relay gets lost, if it is not 0.
    pub lost_one_in: AtomicU32,
    /// Bytes per second towards the page, if it is not 0; a few packets may wait.
    pub rate: AtomicU32,
}

/// Takes packets, for whom they are and at how many bytes per second, and lets them through in turn.
fn narrow(to: Arc<UdpSocket>) -> mpsc::Sender<(Vec<u8>, SocketAddr, u32)> {
    let (give, mut waiting) = mpsc::channel::<(Vec<u8>, SocketAddr, u32)>(20);
    tokio::spawn(async move {
        let mut free = Instant::now();
        while let Some((packet, page, rate)) = waiting.recv().await {
            let takes = Duration::from_secs_f64(packet.len() as f64 / f64::from(rate));
            free = free.max(Instant::now()) + takes;
            sleep_until(free).await;
            to.send_to(&packet, page).await.unwrap();
        }
    });
    give
}

/// A line from a port of its own to the relay.
pub async fn line(relay: &Relay) -> (u16, Arc<Quality>) {
    let page_side = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
    let relay_side = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let (_, relay_port, _) = about(relay).await;
    relay_side.connect(("127.0.0.1", relay_port)).await.unwrap();
    let port = page_side.local_addr().unwrap().port();
    let line = Arc::new(Quality::default());
    let quality = line.clone();
    let narrow = narrow(page_side.clone());
    tokio::spawn(async move {
        let (mut up, mut down) = ([0; 2048], [0; 2048]);
        let (mut page, mut number) = (None, 0);
        loop {
            tokio::select! {
                received = page_side.recv_from(&mut up) => {
                    let (size, from) = received.unwrap();
                    page = Some(from);
                    if !quality.is_silent.load(Ordering::Relaxed) {
                        relay_side.send(&up[..size]).await.unwrap();
                    }
                }
                received = relay_side.recv(&mut down) => {
                    let size = received.unwrap();
                    number += 1;
                    let one_in = quality.lost_one_in.load(Ordering::Relaxed);
                    let is_lost = quality.is_silent.load(Ordering::Relaxed)
                        || one_in > 0 && number % one_in == 0;
                    if let Some(page) = page.filter(|_| !is_lost) {
                        let rate = quality.rate.load(Ordering::Relaxed);
                        if rate > 0 {
                            // Where too many wait, this one is lost.
                            let _ = narrow.try_send((down[..size].to_vec(), page, rate));
                        } else {
                            page_side.send_to(&down[..size], page).await.unwrap();
                        }
                    }
                }
            }
        }
    });
    (port, line)
}

#[tokio::test]
async fn a_long_game_loses_nothing() {
    let (server, relay, mut page, seat) = page_in_match().await;
    for sequence in 1..=300 {
        page.send_channel(sequence, b"move");
        server.expect_channel(seat, sequence, b"move").await;
    }
    page.ping().await;
    drop(page);
    wait_for(&relay, "sessions_held", 1..=1).await;
}

#[tokio::test]
async fn after_a_silence_the_newest_comes_and_the_oldest_is_dropped() {
    const LAST: u32 = 400;
    let (server, relay) = listed(&[]).await;
    let (page, seat, line) = Page::enter_by_line(&relay, &server).await;
    line.is_silent.store(true, Ordering::Relaxed);
    // Much more than the 200 packets that QUIC sends before it hears of the first.
    for sequence in 1..=LAST {
        server.send_channel(seat, sequence, &[7; 1000]).await;
        sleep(Duration::from_millis(10)).await;
    }
    line.is_silent.store(false, Ordering::Relaxed);
    let mut came = Vec::new();
    while came.last() != Some(&LAST) {
        let packet = page.receive().await;
        came.push(u32::from_le_bytes(packet[1..5].try_into().unwrap()));
    }
    // Three snapshots wait in the queue, and a few packets in QUIC's own small buffer.
    assert!(came.ends_with(&[LAST - 2, LAST - 1, LAST]), "{came:?}");
    assert!(came.len() <= 8, "{came:?}");
    let stale = count(&relay, "stale_total").await;
    assert!(stale > u64::from(LAST) / 4, "{stale} dropped");
}

#[tokio::test]
async fn noise_at_the_udp_port_keeps_nobody_out() {
    let (server, relay, playing, seat) = page_in_match().await;
    let (_, port, _) = about(&relay).await;
    // What is no QUIC, and what begins like version 1 with connection ids of 8 bytes each.
    let mut noise = vec![0_u8; 1200];
    for number in 0..2000_u32 {
        for (at, byte) in noise.iter_mut().enumerate() {
            *byte = (number as usize * 31 + at * at) as u8;
        }
        if number % 4 != 0 {
            noise[..6].copy_from_slice(&[0xc3, 0, 0, 0, 1, 8]);
            noise[6..10].copy_from_slice(&number.to_le_bytes());
            noise[14] = 8;
        }
        if number % 20 == 0 {
            // Whoever plays is heard in between.
            let sequence = 1 + number / 20;
            playing.send_channel(sequence, b"move");
            server.expect_channel(seat, sequence, b"move").await;
        }
        let attacker = UdpSocket::bind((Ipv4Addr::from(0x7f02_0001 + number), 0)).await;
        let sent = attacker.unwrap().send_to(&noise, ("127.0.0.1", port)).await;
        sent.unwrap();
    }
    Page::join(&relay, &server).await;
}

#[tokio::test]
async fn texts_and_the_end_are_lines_of_a_stream() {
    let (server, relay) = listed(&[]).await;
    let mut page = Page::join(&relay, &server).await;
    page.ping().await;
    let stopping = tokio::spawn(relay.stop("Maintenance."));
    let close = page.read_text().await;
    assert_eq!(close["close"], "Maintenance.");
    assert_eq!(close["code"], 1001);
    page.connection.close(0_u32.into(), b"");
    let stopped = timeout(Duration::from_secs(5), stopping).await;
    stopped.unwrap().unwrap();
}

#[tokio::test]
async fn what_a_page_says_last_is_heard() {
    let (server, relay) = listed(&[]).await;
    for round in 0..20 {
        let mut page = Page::connect(&relay, "", None).await.unwrap();
        let open = page.read_text().await;
        page.enter(&server).await;
        let word = [b"\x40", r#"{"hold_msec":0}"#.as_bytes()].concat();
        page.connection.send_datagram(word).unwrap();
        // Both come at once, or one after the other.
        sleep(Duration::from_millis(round % 4)).await;
        page.connection.close(0_u32.into(), b"");
        sleep(Duration::from_millis(100)).await;
        let resume = format!("resume={}", open["token"].as_str().unwrap());
        let mut page = Page::connect(&relay, &resume, None).await.unwrap();
        assert_eq!(page.read_text().await["code"], 4008, "round {round}");
    }
}

#[tokio::test]
async fn a_match_goes_from_one_transport_to_the_other() {
    let (server, relay) = listed(&[]).await;
    let mut page = Page::connect(&relay, "", None).await.unwrap();
    let open = page.read_text().await;
    let seat = page.enter(&server).await;

    let mut browser = Browser::resume(&relay, open["token"].as_str().unwrap()).await;
    assert_eq!(page.read_text().await["code"], 4007);
    browser.send_channel(1, b"by websocket").await;
    server.expect_channel(seat, 1, b"by websocket").await;

    let resume = format!("resume={}", browser.token());
    let mut page = Page::connect(&relay, &resume, None).await.unwrap();
    assert_eq!(page.read_text().await["resumed"], true);
    page.send_channel(2, b"by webtransport");
    server.expect_channel(seat, 2, b"by webtransport").await;
}

#[tokio::test]
async fn refusals_are_told() {
    let (_server, relay) = listed(&[]).await;
    let page = Page::connect(&relay, "server=127.0.0.1%3A22", None).await;
    let close = page.unwrap().read_text().await;
    let told = "This relay does not forward to 127.0.0.1:22.";
    assert_eq!(close["close"], told);
    assert_eq!(close["code"], 4001);
    for (origin, is_welcome) in [
        ("https://evil.example", false),
        ("http://localhost:8080", true),
    ] {
        let page = Page::connect(&relay, "", Some(origin)).await;
        assert_eq!(page.is_some(), is_welcome, "{origin}");
    }
}

#[tokio::test]
async fn a_certificate_of_the_operator_makes_it_https() {
    let folder = Folder::new("tls");
    let (certificate_file, key_file) = (folder.path("cert.pem"), folder.path("key.pem"));
    let identity = wtransport::Identity::self_signed(["localhost"]).unwrap();
    let certificate = &identity.certificate_chain().as_slice()[0];
    certificate.store_pemfile(&certificate_file).await.unwrap();
    let key = identity.private_key();
    key.store_secret_pemfile(&key_file).await.unwrap();
    let certified = ["--tls-certificate", &certificate_file];
    let (server, relay) = listed(&[&certified[..], &["--tls-key", &key_file]].concat()).await;

    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate.der().to_vec().into()).unwrap();
    let config = rustls::ClientConfig::builder_with_provider(
        rustls::crypto::ring::default_provider().into(),
    )
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_root_certificates(roots)
    .with_no_client_auth();
    let connector = tokio_rustls::TlsConnector::from(std::sync::Arc::new(config));
    let dial = async || {
        let stream = tokio::net::TcpStream::connect(relay.address()).await;
        let name = "localhost".try_into().unwrap();
        connector.connect(name, stream.unwrap()).await.unwrap()
    };
    let mut stream = dial().await;
    let request = b"GET /api/transport HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let written = AsyncWriteExt::write_all(&mut stream, request).await;
    written.unwrap();
    let mut answer = String::new();
    let reading = AsyncReadExt::read_to_string(&mut stream, &mut answer);
    timeout(PATIENCE, reading).await.unwrap().unwrap();
    // A certificate from files is not pinned.
    assert!(answer.contains("\"certificate_sha256\":null"), "{answer}");

    let upgraded = client_async("wss://localhost/ws", dial().await).await;
    let (mut socket, _) = upgraded.unwrap();
    let opening = timeout(PATIENCE, socket.next()).await.unwrap();
    let opening = opening.unwrap().unwrap().into_text().unwrap();
    assert!(opening.contains("\"token\""), "{opening}");
    let question = Message::Binary(oob("getchallenge 1").into());
    socket.send(question).await.unwrap();
    let (question, from) = server.receive().await;
    assert_eq!(question, oob("getchallenge 1"));
    server.send(&oob("challengeResponse 5 1 71"), from).await;
    let answer = timeout(PATIENCE, socket.next()).await.unwrap();
    let answer = answer.unwrap().unwrap().into_data();
    assert_eq!(answer, oob("challengeResponse 5 1 71"));
}
