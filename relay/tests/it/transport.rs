//! The game over WebTransport, as a page would speak it.

use std::collections::VecDeque;
use std::time::Duration;

use relay::Relay;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use tokio_rustls::rustls;
use wtransport::endpoint::ConnectOptions;
use wtransport::tls::Sha256Digest;
use wtransport::{ClientConfig, Connection, Endpoint, RecvStream, SendStream};

use crate::world::{
    Browser, PATIENCE, QPORT, Seat, Server, channel, connect_datagram, get, oob, relay,
};

/// A page's WebTransport session.
struct Page {
    connection: Connection,
    to_relay: SendStream,
    from_relay: RecvStream,
    lines: VecDeque<u8>,
}

impl Page {
    async fn connect(relay: &Relay, query: &str, origin: Option<&str>) -> Option<Self> {
        let about = get(relay, "/api/transport", "").await.json();
        let about = &about["webtransport"];
        let (host, port) = (about["host"].as_str().unwrap(), &about["port"]);
        let hash = about["certificate_sha256"].as_str().unwrap();
        let bytes: Vec<u8> = (0..32)
            .map(|at| u8::from_str_radix(&hash[2 * at..2 * at + 2], 16).unwrap())
            .collect();
        let digest = Sha256Digest::new(bytes.try_into().unwrap());
        let config = ClientConfig::builder()
            .with_bind_default()
            .with_server_certificate_hashes([digest])
            .build();
        let endpoint = Endpoint::client(config).unwrap();
        let url = format!(
            "https://{host}:{port}{}?{query}",
            about["path"].as_str().unwrap()
        );
        let mut options = ConnectOptions::builder(url);
        if let Some(origin) = origin {
            options = options.add_header("origin", origin);
        }
        let connection = timeout(PATIENCE, endpoint.connect(options.build()))
            .await
            .unwrap()
            .ok()?;
        let (to_relay, from_relay) = timeout(PATIENCE, connection.accept_bi())
            .await
            .unwrap()
            .unwrap();
        Some(Self {
            connection,
            to_relay,
            from_relay,
            lines: VecDeque::new(),
        })
    }

    async fn read_text(&mut self) -> Value {
        loop {
            if let Some(end) = self.lines.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.lines.drain(..=end).collect();
                return serde_json::from_slice(&line).unwrap();
            }
            let mut space = [0; 1024];
            let count = timeout(
                PATIENCE,
                AsyncReadExt::read(&mut self.from_relay, &mut space),
            )
            .await
            .unwrap()
            .unwrap();
            assert!(count > 0, "the stream ended");
            self.lines.extend(&space[..count]);
        }
    }

    async fn say(&mut self, text: &str) {
        AsyncWriteExt::write_all(&mut self.to_relay, format!("{text}\n").as_bytes())
            .await
            .unwrap();
    }

    fn send(&self, datagram: &[u8]) {
        self.connection
            .send_datagram([&[0], datagram].concat())
            .unwrap();
    }

    async fn receive(&self) -> Vec<u8> {
        timeout(PATIENCE, self.connection.receive_datagram())
            .await
            .unwrap()
            .unwrap()
            .payload()
            .to_vec()
    }

    /// The same steps as over WebSocket.
    async fn enter(&self, server: &Server) -> Seat {
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

#[tokio::test]
async fn datagrams_pass_and_large_ones_come_in_halves() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut page = Page::connect(&relay, &format!("server={}", server.name), None)
        .await
        .unwrap();
    assert_eq!(page.read_text().await["open"], server.name.as_str());
    let seat = page.enter(&server).await;

    page.send(&channel(1, Some(QPORT), b"move"));
    assert_eq!(
        server.receive().await.0,
        channel(1, Some(seat.qport), b"move")
    );

    let large = channel(1, None, &(0..1396).map(|at| at as u8).collect::<Vec<_>>());
    server.send(&large, seat.from).await;
    let (first, second) = (page.receive().await, page.receive().await);
    assert_eq!((first[0] & 0x81, second[0]), (0x80, first[0] | 1));
    assert_eq!([&first[1..], &second[1..]].concat(), large);

    let payload = &large[6..];
    let large = channel(2, Some(QPORT), payload);
    for packet in [
        [&[0x83], &large[1149..]].concat(),
        [&[0x82], &large[..1149]].concat(),
    ] {
        page.connection.send_datagram(packet).unwrap();
    }
    assert_eq!(
        server.receive().await.0,
        channel(2, Some(seat.qport), payload)
    );
}

#[tokio::test]
async fn texts_and_the_end_are_lines_of_a_stream() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut page = Page::connect(&relay, "", None).await.unwrap();
    page.read_text().await;
    page.say(r#"{"ping":7}"#).await;
    assert_eq!(page.read_text().await["pong"], 7);
    let stopping = tokio::spawn(relay.stop("Maintenance."));
    let close = page.read_text().await;
    assert_eq!(
        (&close["close"], &close["code"]),
        (&"Maintenance.".into(), &1001.into())
    );
    page.connection.close(0_u32.into(), b"");
    timeout(Duration::from_secs(5), stopping)
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test]
async fn a_match_goes_from_one_transport_to_the_other() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut page = Page::connect(&relay, "", None).await.unwrap();
    let open = page.read_text().await;
    let seat = page.enter(&server).await;

    let mut browser = Browser::resume(&relay, open["token"].as_str().unwrap()).await;
    assert_eq!(page.read_text().await["code"], 4007);
    browser
        .send(&channel(1, Some(QPORT), b"by websocket"))
        .await;
    assert_eq!(
        server.receive().await,
        (channel(1, Some(seat.qport), b"by websocket"), seat.from)
    );

    let mut page = Page::connect(&relay, &format!("resume={}", browser.token()), None)
        .await
        .unwrap();
    assert_eq!(page.read_text().await["resumed"], true);
    page.send(&channel(2, Some(QPORT), b"by webtransport"));
    assert_eq!(
        server.receive().await,
        (channel(2, Some(seat.qport), b"by webtransport"), seat.from)
    );
}

#[tokio::test]
async fn refusals_are_told() {
    let server = Server::start().await;
    let relay = relay(&["--server", &server.name]).await;
    let mut page = Page::connect(&relay, "server=127.0.0.1%3A22", None)
        .await
        .unwrap();
    let close = page.read_text().await;
    assert_eq!(
        close["close"],
        "This relay does not forward to 127.0.0.1:22."
    );
    assert_eq!(close["code"], 4001);
    assert!(
        Page::connect(&relay, "", Some("https://evil.example"))
            .await
            .is_none()
    );
    assert!(
        Page::connect(&relay, "", Some("http://localhost:8080"))
            .await
            .is_some()
    );
}

#[tokio::test]
async fn a_certificate_of_the_operator_makes_it_https() {
    let folder = std::env::temp_dir().join(format!("strafe-relay-tls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = |name: &str| folder.join(name).to_str().unwrap().to_owned();
    let identity = wtransport::Identity::self_signed(["localhost"]).unwrap();
    let certificate = &identity.certificate_chain().as_slice()[0];
    certificate.store_pemfile(file("cert.pem")).await.unwrap();
    identity
        .private_key()
        .store_secret_pemfile(file("key.pem"))
        .await
        .unwrap();
    let options = [
        "--tls-certificate",
        &file("cert.pem"),
        "--tls-key",
        &file("key.pem"),
    ];
    let relay = relay(&options).await;

    let mut roots = rustls::RootCertStore::empty();
    roots.add(certificate.der().to_vec().into()).unwrap();
    let config = rustls::ClientConfig::builder_with_provider(
        rustls::crypto::ring::default_provider().into(),
    )
    .with_safe_default_protocol_versions()
    .unwrap()
    .with_root_certificates(roots)
    .with_no_client_auth();
    let stream = tokio::net::TcpStream::connect(relay.address())
        .await
        .unwrap();
    let connector = tokio_rustls::TlsConnector::from(std::sync::Arc::new(config));
    let mut stream = connector
        .connect("localhost".try_into().unwrap(), stream)
        .await
        .unwrap();
    let request = b"GET /api/transport HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    AsyncWriteExt::write_all(&mut stream, request)
        .await
        .unwrap();
    let mut answer = String::new();
    timeout(
        PATIENCE,
        AsyncReadExt::read_to_string(&mut stream, &mut answer),
    )
    .await
    .unwrap()
    .unwrap();
    // A certificate from files is not pinned.
    assert!(answer.contains("\"certificate_sha256\":null"), "{answer}");
    std::fs::remove_dir_all(folder).unwrap();
}
