//! Players' connections: they speak just enough Quake 3 to be let through.

use std::net::Ipv4Addr;
use std::ops::Sub;
use std::time::Duration;

use anyhow::{Context, bail};
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use shared::base::{adaptive, hex};
use tokio::net::{TcpSocket, UdpSocket};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};
use wtransport::{ClientConfig, Connection, Endpoint};

const QPORT: u16 = 7;
const PATIENCE: Duration = Duration::from_secs(20);
pub const OUT_OF_BAND: [u8; 4] = [0xff; 4];

/// How players reach the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    Direct,
    Plain,
    WebSocket,
    WebTransport,
}

impl Path {
    pub fn name(self) -> &'static str {
        match self {
            Self::Direct => "UDP, direct",
            Self::Plain => "plain WebSocket proxy",
            Self::WebSocket => "WebSocket",
            Self::WebTransport => "WebTransport",
        }
    }
}

/// A player's connection.
pub enum Link {
    Udp(UdpSocket),
    WebSocket(Box<WebSocketStream<tokio::net::TcpStream>>),
    WebTransport(Box<Connection>),
}

/// What a player needs of a connection to be let in.
pub trait PlayerLink {
    async fn send(&mut self, datagram: &[u8]) -> anyhow::Result<()>;
    /// The next datagram; texts are left out.
    async fn receive(&mut self) -> anyhow::Result<Bytes>;
}

impl PlayerLink for Link {
    async fn send(&mut self, datagram: &[u8]) -> anyhow::Result<()> {
        match self {
            Self::Udp(socket) => drop(socket.send(datagram).await?),
            Self::WebSocket(socket) => {
                socket
                    .send(Message::Binary(datagram.to_vec().into()))
                    .await?
            }
            Self::WebTransport(connection) => {
                connection.send_datagram([&[0], datagram].concat())?
            }
        }
        Ok(())
    }

    async fn receive(&mut self) -> anyhow::Result<Bytes> {
        match self {
            Self::Udp(socket) => {
                let mut buffer = [0; 2048];
                let size = socket.recv(&mut buffer).await?;
                Ok(Bytes::copy_from_slice(&buffer[..size]))
            }
            Self::WebSocket(socket) => loop {
                match socket.next().await.context("the relay closed")?? {
                    Message::Binary(datagram) => return Ok(datagram),
                    Message::Text(text) if text.contains("\"close\"") => bail!("{text}"),
                    _ => {}
                }
            },
            Self::WebTransport(connection) => {
                Ok(connection.receive_datagram().await?.payload().slice(1..))
            }
        }
    }
}

/// An address for each player, as in the world outside.
pub fn address(number: usize) -> Ipv4Addr {
    (0x7f01_0001 + number as u32).into()
}

/// Connects, by a token to a session that there is already.
pub async fn connect(
    number: usize,
    server: &str,
    path: Path,
    relay: Option<&str>,
    hash: Option<[u8; 32]>,
    token: Option<&str>,
) -> anyhow::Result<Link> {
    let own = address(number);
    let relay = relay.unwrap_or_default();
    Ok(match path {
        Path::Direct => {
            let socket = UdpSocket::bind((own, 0)).await?;
            socket.connect(server).await?;
            Link::Udp(socket)
        }
        Path::Plain | Path::WebSocket => {
            let socket = TcpSocket::new_v4()?;
            socket.bind((own, 0).into())?;
            let stream = socket.connect(relay.parse()?).await?;
            stream.set_nodelay(true)?;
            let mut request = format!("ws://{relay}/ws?server={server}").into_client_request()?;
            if let Some(token) = token {
                let protocols = format!("strafe.1, resume.{token}").parse()?;
                request
                    .headers_mut()
                    .insert("sec-websocket-protocol", protocols);
            }
            Link::WebSocket(Box::new(client_async(request, stream).await?.0))
        }
        Path::WebTransport => {
            let hash = hash.context("no hash of the certificate")?;
            let config = ClientConfig::builder()
                .with_bind_address((own, 0).into())
                .with_server_certificate_hashes([wtransport::tls::Sha256Digest::new(hash)])
                .build();
            let resume = token.map(|token| format!("&resume={token}"));
            let resume = resume.unwrap_or_default();
            let url = format!("https://{relay}/wt?server={server}{resume}");
            Link::WebTransport(Box::new(Endpoint::client(config)?.connect(url).await?))
        }
    })
}

/// Asks until the server answers.
pub async fn be_let_in(link: &mut impl PlayerLink) -> anyhow::Result<()> {
    let userinfo = format!("\"\\challenge\\5\\qport\\{QPORT}\\name\\player\"");
    let connect = [
        out_of_band(b"connect "),
        adaptive::compress(userinfo.as_bytes()),
    ]
    .concat();
    for (question, answer) in [
        (out_of_band(b"getchallenge 1"), "challengeResponse"),
        (connect, "connectResponse"),
    ] {
        let asking = async {
            loop {
                link.send(&question).await?;
                let Ok(datagram) = timeout(Duration::from_secs(2), link.receive()).await else {
                    continue;
                };
                if datagram?[4..].starts_with(answer.as_bytes()) {
                    return anyhow::Ok(());
                }
            }
        };
        timeout(PATIENCE, asking).await.context(answer)??;
    }
    Ok(())
}

/// A packet of the channel of so many bytes, with nothing behind its head.
pub fn usercmd<const SIZE: usize>(sequence: u32) -> [u8; SIZE] {
    let mut usercmd = [0; SIZE];
    usercmd[..4].copy_from_slice(&sequence.to_le_bytes());
    usercmd[4..6].copy_from_slice(&QPORT.to_le_bytes());
    usercmd
}

pub fn out_of_band(text: &[u8]) -> Vec<u8> {
    [&OUT_OF_BAND, text].concat()
}

/// The hash that a page would pin.
pub async fn certificate_hash(relay: &str) -> anyhow::Result<[u8; 32]> {
    let about: serde_json::Value = serde_json::from_str(&get(relay, "/api/transport").await?)?;
    let digits = about["webtransport"]["certificate_sha256"].as_str();
    let hash = digits.and_then(hex::decode);
    hash.and_then(|hash| hash.try_into().ok())
        .context("no hash")
}

/// The body of the relay's answer.
pub async fn get(relay: &str, path: &str) -> anyhow::Result<String> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(relay).await?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {relay}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (_, body) = answer.split_once("\r\n\r\n").context("no body")?;
    Ok(body.to_owned())
}

/// What a process has worked so far.
#[derive(Clone, Copy)]
pub struct ProcessorTime {
    /// In its own code.
    pub user: Duration,
    /// In the kernel, for it.
    pub system: Duration,
}

impl ProcessorTime {
    /// From the kernel's count of ticks of 10 ms.
    pub fn of(process: u32) -> anyhow::Result<Self> {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
        let (_, fields) = stat.rsplit_once(')').context("no process name")?;
        let ticks = |field: usize| -> anyhow::Result<Duration> {
            let ticks: u64 = fields
                .split_whitespace()
                .nth(field)
                .context("no times")?
                .parse()?;
            Ok(Duration::from_millis(10 * ticks))
        };
        Ok(Self {
            user: ticks(11)?,
            system: ticks(12)?,
        })
    }

    pub fn total(self) -> Duration {
        self.user + self.system
    }
}

impl Sub for ProcessorTime {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            user: self.user - earlier.user,
            system: self.system - earlier.system,
        }
    }
}

/// Memory that a process has in use.
pub fn resident_kilobytes(process: u32) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let resident = resident.context("no VmRSS")?.trim().trim_end_matches(" kB");
    Ok(resident.parse()?)
}
