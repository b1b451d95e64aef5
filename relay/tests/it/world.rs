//! A relay, a game server made of a socket, and browsers: what the tests are played with.

use std::net::SocketAddr;
use std::process::Stdio;
use std::time::Duration;

use clap::Parser;
use futures_util::{SinkExt, StreamExt};
use relay::Relay;
use relay::config::Config;
use serde_json::Value;
use shared::base::adaptive;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpStream, UdpSocket};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

use crate::folder::Folder;

/// Longer than anything here takes on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Starts a relay on a free port with these options.
pub async fn relay(options: &[&str]) -> Relay {
    let fixed = ["strafe-relay", "--listen", "127.0.0.1:0"];
    let config = Config::parse_from(fixed.iter().chain(options));
    relay::start(config).await.expect("the relay starts")
}

/// A game server that a relay lists, and the relay with these options besides.
pub async fn listed(options: &[&str]) -> (Server, Relay) {
    let server = Server::start().await;
    let relay = relay(&[&["--server", &server.name], options].concat()).await;
    (server, relay)
}

/// The same with a player whom the server has let in.
pub async fn in_match(options: &[&str]) -> (Server, Relay, Browser, Seat) {
    let (server, relay) = listed(options).await;
    let mut player = Browser::join(&relay, "").await;
    let seat = server.admit(&mut player).await;
    (server, relay, player, seat)
}

impl Folder {
    /// Of what lies in it, as an argument.
    pub fn path(&self, inner: &str) -> String {
        self.0.join(inner).to_str().unwrap().to_owned()
    }

    /// With what leads to it.
    pub fn make(&self, inner: &str) {
        std::fs::create_dir_all(self.0.join(inner)).unwrap();
    }

    pub fn write(&self, inner: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(inner), bytes).unwrap();
    }
}

/// The relay as a program of its own.
pub struct Program {
    pub address: SocketAddr,
    child: Child,
    log: JoinHandle<Vec<String>>,
}

impl Program {
    /// Starts it on a free port.
    pub async fn start_anywhere(command: Command, options: &[&str]) -> Self {
        let listen = ["--listen", "127.0.0.1:0"];
        Self::start(command, &[&listen, options].concat()).await
    }

    /// Starts it by a command that may end with options of the relay.
    pub async fn start(mut command: Command, options: &[&str]) -> Self {
        command
            .args(options)
            .arg("--log-json")
            .env_remove("RUST_LOG")
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut lines = Vec::new();
        let address = loop {
            let line = timeout(PATIENCE, log.next_line()).await.expect("a line");
            let line = line
                .unwrap()
                .unwrap_or_else(|| panic!("it ends: {lines:?}"));
            let about: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("{line}"));
            lines.push(line);
            if let Some(address) = about["fields"]["address"].as_str() {
                break address.parse().unwrap();
            }
        };
        // Somebody must read the log, or the relay would wait for us.
        let log = tokio::spawn(async move {
            while let Ok(Some(line)) = log.next_line().await {
                lines.push(line);
            }
            lines
        });
        Self {
            address,
            child,
            log,
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id().expect("it runs")
    }

    pub fn threads(&self) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let count = status
            .lines()
            .find_map(|line| line.strip_prefix("Threads:"));
        count.unwrap().trim().parse().unwrap()
    }

    /// Kills it in the midst of what it does; yields its log.
    pub async fn kill(mut self) -> Vec<String> {
        self.child.kill().await.unwrap();
        self.log.await.unwrap()
    }
}

/// An out-of-band datagram.
pub fn oob(text: &str) -> Vec<u8> {
    [&[0xff; 4], text.as_bytes()].concat()
}

/// A datagram of the channel, from a player if it has a qport.
pub fn channel(sequence: u32, qport: Option<u16>, payload: &[u8]) -> Vec<u8> {
    let qport = qport.map(u16::to_le_bytes);
    [
        &sequence.to_le_bytes()[..],
        qport.as_ref().map_or(&[], |two| &two[..]),
        payload,
    ]
    .concat()
}

/// A game server that does what the test says.
pub struct Server {
    socket: UdpSocket,
    pub name: String,
}

impl Server {
    pub async fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let name = socket.local_addr().unwrap().to_string();
        Self { socket, name }
    }

    pub async fn receive(&self) -> (Vec<u8>, SocketAddr) {
        let mut buffer = vec![0; 65536];
        let (size, from) = timeout(PATIENCE, self.socket.recv_from(&mut buffer))
            .await
            .expect("a datagram")
            .unwrap();
        buffer.truncate(size);
        (buffer, from)
    }

    /// The next datagram that is none of the relay's own questions.
    pub async fn receive_play(&self) -> (Vec<u8>, SocketAddr) {
        loop {
            let heard = self.receive().await;
            if !is_status(&heard.0) {
                return heard;
            }
        }
    }

    /// What has arrived within a moment, if anything.
    pub async fn receive_soon(&self) -> Option<Vec<u8>> {
        let moment = Duration::from_millis(200);
        Some(timeout(moment, self.receive()).await.ok()?.0)
    }

    /// The same without the relay's own questions.
    pub async fn receive_play_soon(&self) -> Option<Vec<u8>> {
        let moment = Duration::from_millis(200);
        Some(timeout(moment, self.receive_play()).await.ok()?.0)
    }

    pub async fn send(&self, datagram: &[u8], to: SocketAddr) {
        self.socket.send_to(datagram, to).await.unwrap();
    }

    /// Sends a datagram of the channel to a player.
    pub async fn send_channel(&self, to: Seat, sequence: u32, payload: &[u8]) {
        self.send(&channel(sequence, None, payload), to.from).await;
    }

    /// Hears this datagram of the channel next from a player.
    pub async fn expect_channel(&self, seat: Seat, sequence: u32, payload: &[u8]) {
        let expected = channel(sequence, Some(seat.qport), payload);
        assert_eq!(self.receive_play().await, (expected, seat.from));
    }

    /// Lets one player in.
    pub async fn admit(&self, player: &mut Browser) -> Seat {
        player.send(&oob("getchallenge 1 Quake3Arena")).await;
        let (question, from) = self.receive_play().await;
        assert_eq!(question, oob("getchallenge 1 Quake3Arena"));
        self.send(&oob("challengeResponse 5 1 71"), from).await;
        assert_eq!(player.receive().await, oob("challengeResponse 5 1 71"));
        player.send(&connect_datagram(QPORT)).await;
        let seat = self.read_connect().await;
        assert_eq!(seat.from, from);
        self.send(&oob("connectResponse 5"), from).await;
        assert_eq!(player.receive().await, oob("connectResponse 5"));
        seat
    }

    /// Who connects.
    pub async fn read_connect(&self) -> Seat {
        let (datagram, from) = self.receive().await;
        let userinfo = datagram
            .strip_prefix(&oob("connect ")[..])
            .expect("a connect");
        let userinfo = String::from_utf8(adaptive::decompress(userinfo, 2048)).unwrap();
        let rest = userinfo
            .strip_prefix("\"\\challenge\\5\\qport\\")
            .expect("our userinfo");
        let qport = rest
            .strip_suffix("\\name\\Sarge\"")
            .expect("our userinfo")
            .parse()
            .unwrap();
        Seat { from, qport }
    }
}

fn is_status(datagram: &[u8]) -> bool {
    datagram.starts_with(&oob("getinfo")) || datagram.starts_with(&oob("getstatus"))
}

/// How the server sees a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    pub from: SocketAddr,
    pub qport: u16,
}

/// The qport that all our players use.
pub const QPORT: u16 = 7;

pub fn connect_datagram(qport: u16) -> Vec<u8> {
    let userinfo = format!("\"\\challenge\\5\\qport\\{qport}\\name\\Sarge\"");
    [oob("connect "), adaptive::compress(userinfo.as_bytes())].concat()
}

pub type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// A page's WebSocket.
pub struct Browser {
    pub socket: Socket,
    pub open: Value,
}

impl Browser {
    /// Connects and expects the opening text.
    pub async fn join(relay: &Relay, server: &str) -> Self {
        Self::open(connect(relay, server, &[]).await.expect("connected")).await
    }

    /// Takes over by token and expects the opening text.
    pub async fn resume(relay: &Relay, token: &str) -> Self {
        let socket = connect_by_token(relay.address(), token).await;
        Self::open(socket.expect("connected")).await
    }

    pub async fn open(socket: Socket) -> Self {
        let mut browser = Self {
            socket,
            open: Value::Null,
        };
        browser.open = browser.read_text().await;
        assert!(browser.open["open"].is_string(), "{}", browser.open);
        browser
    }

    pub fn token(&self) -> &str {
        self.open["token"].as_str().unwrap()
    }

    pub async fn send(&mut self, datagram: &[u8]) {
        self.socket
            .send(Message::Binary(datagram.to_vec().into()))
            .await
            .unwrap();
    }

    /// Sends a datagram of the channel.
    pub async fn send_channel(&mut self, sequence: u32, payload: &[u8]) {
        self.send(&channel(sequence, Some(QPORT), payload)).await;
    }

    /// Hears this datagram of the channel next.
    pub async fn expect_channel(&mut self, sequence: u32, payload: &[u8]) {
        assert_eq!(self.receive().await, channel(sequence, None, payload));
    }

    pub async fn say(&mut self, text: &str) {
        self.socket.send(Message::Text(text.into())).await.unwrap();
    }

    /// Is answered, and so all that it said before has been read.
    pub async fn ping(&mut self, number: u32) {
        self.say(&format!(r#"{{"ping":{number}}}"#)).await;
        assert_eq!(self.read_text().await["pong"], number);
    }

    pub async fn receive(&mut self) -> Vec<u8> {
        match self.next().await {
            Message::Binary(datagram) => datagram.to_vec(),
            other => panic!("expected a datagram, not {other:?}"),
        }
    }

    pub async fn read_text(&mut self) -> Value {
        match self.next().await {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("expected a text, not {other:?}"),
        }
    }

    /// The closing text and frame, which must agree; yields code and reason.
    pub async fn read_close(&mut self) -> (u16, String) {
        loop {
            let Message::Text(text) = self.next().await else {
                continue;
            };
            let text: Value = serde_json::from_str(&text).unwrap();
            let Some(reason) = text["close"].as_str() else {
                continue;
            };
            let Message::Close(Some(CloseFrame { code, .. })) = self.next().await else {
                panic!("expected a close frame");
            };
            assert_eq!(text["code"], u16::from(code));
            return (code.into(), reason.to_owned());
        }
    }

    async fn next(&mut self) -> Message {
        loop {
            match timeout(PATIENCE, self.socket.next())
                .await
                .expect("a message")
                .expect("open")
                .unwrap()
            {
                Message::Ping(_) | Message::Pong(_) => {}
                message => return message,
            }
        }
    }
}

/// What a relay says to somebody who is refused after the handshake.
pub async fn refusal(relay: &Relay, server: &str) -> (u16, String) {
    refused(connect(relay, server, &[]).await).await
}

/// The same to somebody who comes by a token.
pub async fn token_refusal(relay: &Relay, token: &str) -> (u16, String) {
    refused(connect_by_token(relay.address(), token).await).await
}

/// The same on a connection.
pub async fn refused(connected: Result<Socket, tungstenite::Error>) -> (u16, String) {
    let mut browser = Browser {
        socket: connected.expect("connected"),
        open: Value::Null,
    };
    browser.read_close().await
}

pub async fn connect(
    relay: &Relay,
    server: &str,
    headers: &[(&'static str, &str)],
) -> Result<Socket, tungstenite::Error> {
    connect_at(relay.address(), server, headers).await
}

pub async fn connect_by_token(
    relay: SocketAddr,
    token: &str,
) -> Result<Socket, tungstenite::Error> {
    let protocols = format!("strafe.1, resume.{token}");
    connect_at(relay, "", &[("sec-websocket-protocol", &protocols)]).await
}

/// The same of a relay that is a program of its own.
pub async fn connect_at(
    relay: SocketAddr,
    server: &str,
    headers: &[(&'static str, &str)],
) -> Result<Socket, tungstenite::Error> {
    let url = format!("ws://{relay}/ws?server={server}");
    let mut request = url.into_client_request().unwrap();
    for (name, value) in headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    Ok(connect_async(request).await?.0)
}

/// An HTTP answer: its status line, its head in lower case, and its body.
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub fn expect(&self, status: u16, body: &[u8]) {
        assert_eq!((self.status, self.body.as_slice()), (status, body));
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// Asks for a path; further head lines end with `\r\n` each.
pub async fn get(relay: &Relay, path: &str, lines: &str) -> Answer {
    ask(relay, "GET", path, lines).await
}

/// The same with another method.
pub async fn ask(relay: &Relay, method: &str, path: &str, lines: &str) -> Answer {
    ask_at(relay.address(), method, path, lines).await
}

/// The same of any server. A head line `connection` of one's own replaces ours.
pub async fn ask_at(address: SocketAddr, method: &str, path: &str, lines: &str) -> Answer {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let ours = match lines.contains("connection: ") {
        true => "",
        false => "connection: close\r\n",
    };
    let request = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\n{ours}{lines}\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    timeout(PATIENCE, stream.read_to_end(&mut bytes))
        .await
        .expect("an answer")
        .unwrap();
    let end = bytes
        .windows(4)
        .position(|four| four == b"\r\n\r\n")
        .expect("a head");
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    Answer {
        status: head[9..12].parse().unwrap(),
        head: head.lines().map(lower_name).collect::<Vec<_>>().join("\n"),
        body: bytes[end + 4..].to_vec(),
    }
}

fn lower_name(line: &str) -> String {
    match line.split_once(": ") {
        Some((name, value)) => format!("{}: {value}", name.to_lowercase()),
        None => line.to_owned(),
    }
}
