//! The servers and players of the load: they speak just enough Quake 3 to be let through.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use shared::base::adaptive;
use tokio::net::{TcpSocket, UdpSocket};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{MissedTickBehavior, interval, interval_at, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{WebSocketStream, client_async};
use wtransport::{ClientConfig, Connection, Endpoint};

use crate::report::Report;

const UP_INTERVAL: Duration = Duration::from_micros(16_667);
const DOWN_INTERVAL: Duration = Duration::from_millis(25);
/// Usual sizes of a usercmd packet and of a snapshot.
const UP_BYTES: usize = 90;
const DOWN_BYTES: usize = 450;
pub const QPORT: u16 = 7;
const PATIENCE: Duration = Duration::from_secs(20);
const OUT_OF_BAND: [u8; 4] = [0xff; 4];

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

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

/// What is measured now, for all tasks.
#[derive(Debug, Default)]
struct Clock {
    is_measuring: AtomicBool,
    is_over: AtomicBool,
    sent: AtomicUsize,
}

/// Game servers that run until the game is over.
pub struct Servers {
    pub names: Vec<String>,
    clock: Arc<Clock>,
    running: Vec<JoinHandle<Vec<u32>>>,
}

pub async fn start_servers(count: usize) -> anyhow::Result<Servers> {
    let clock = Arc::new(Clock::default());
    let mut servers = Servers {
        names: Vec::new(),
        clock: clock.clone(),
        running: Vec::new(),
    };
    for number in 0..count {
        let socket = UdpSocket::bind("127.0.0.1:0").await?;
        servers.names.push(socket.local_addr()?.to_string());
        let phase = DOWN_INTERVAL * number as u32 / count as u32;
        servers
            .running
            .push(tokio::spawn(serve(socket, clock.clone(), phase)));
    }
    Ok(servers)
}

/// Lets everybody in, measures what comes, and sends a snapshot to all of them 40 times a second.
async fn serve(socket: UdpSocket, clock: Arc<Clock>, phase: Duration) -> Vec<u32> {
    let mut delays = Vec::new();
    let mut players: HashMap<SocketAddr, u32> = HashMap::new();
    let mut frames = interval_at(tokio::time::Instant::now() + phase, DOWN_INTERVAL);
    frames.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut buffer = [0; 2048];
    while !clock.is_over.load(Ordering::Relaxed) {
        tokio::select! {
            received = socket.recv_from(&mut buffer) => {
                let Ok((size, from)) = received else { continue };
                match &buffer[..size] {
                    question if question.starts_with(&[OUT_OF_BAND.as_slice(), b"getchallenge"].concat()) => {
                        let _ = socket.send_to(&out_of_band(b"challengeResponse 5"), from).await;
                    }
                    question if question.starts_with(&OUT_OF_BAND) => {
                        let _ = socket.send_to(&out_of_band(b"connectResponse 5"), from).await;
                        players.insert(from, 0);
                    }
                    usercmd => note(&mut delays, &usercmd[6..]),
                }
            }
            _ = frames.tick() => {
                for (player, sequence) in &mut players {
                    *sequence += 1;
                    let mut snapshot = [0; DOWN_BYTES];
                    snapshot[..4].copy_from_slice(&sequence.to_le_bytes());
                    stamp(&clock, &mut snapshot[4..]);
                    let _ = socket.send_to(&snapshot, *player).await;
                }
            }
        }
    }
    delays
}

/// Plays one game; `process` is the relay's, to see how much it works.
pub async fn play(
    servers: Servers,
    count: usize,
    path: Path,
    relay: Option<String>,
    time: Duration,
    process: Option<u32>,
) -> anyhow::Result<Report> {
    let clock = servers.clock.clone();
    let hash = match path {
        Path::WebTransport => Some(certificate_hash(relay.as_deref().unwrap_or_default()).await?),
        _ => None,
    };
    let mut joining = JoinSet::new();
    for number in 0..count {
        let (server, relay) = (
            servers.names[number % servers.names.len()].clone(),
            relay.clone(),
        );
        joining.spawn(async move {
            let mut entered = enter(number, &server, path, relay.clone(), hash).await;
            for _ in 0..3 {
                let Err(error) = &entered else { break };
                eprintln!("player {number} tries again: {error:#}");
                entered = enter(number, &server, path, relay.clone(), hash).await;
            }
            entered
        });
        // All at once would be an attack, and be treated as one.
        sleep(Duration::from_millis(8)).await;
    }
    let mut playing = JoinSet::new();
    while let Some(joined) = joining.join_next().await {
        playing.spawn(run(joined??, clock.clone()));
    }
    sleep(Duration::from_secs(2)).await;
    let begun = Instant::now();
    let work_before = process.map(processor_time).transpose()?;
    clock.is_measuring.store(true, Ordering::Relaxed);
    sleep(time).await;
    clock.is_measuring.store(false, Ordering::Relaxed);
    let work_after = process.map(processor_time).transpose()?;
    let time = begun.elapsed();
    sleep(Duration::from_secs(1)).await;
    clock.is_over.store(true, Ordering::Relaxed);
    let mut down: Vec<u32> = playing.join_all().await.into_iter().flatten().collect();
    let mut up = Vec::new();
    for server in servers.running {
        up.extend(server.await?);
    }
    up.sort_unstable();
    down.sort_unstable();
    Ok(Report {
        path,
        sessions: count,
        up,
        down,
        sent: clock.sent.load(Ordering::Relaxed),
        time,
        work: work_after
            .zip(work_before)
            .map(|(after, before)| after - before),
    })
}

/// Sends 60 times a second and measures what comes.
async fn run(mut link: Link, clock: Arc<Clock>) -> Vec<u32> {
    let mut delays = Vec::new();
    let mut frames = interval(UP_INTERVAL);
    frames.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut sequence = 0_u32;
    while !clock.is_over.load(Ordering::Relaxed) {
        tokio::select! {
            snapshot = link.receive() => match snapshot {
                Ok(snapshot) if snapshot.len() == DOWN_BYTES => note(&mut delays, &snapshot[4..]),
                Ok(_) => {}
                Err(error) => {
                    eprintln!("a player is out: {error}");
                    break;
                }
            },
            _ = frames.tick() => {
                sequence += 1;
                let mut usercmd = [0; UP_BYTES];
                usercmd[..4].copy_from_slice(&sequence.to_le_bytes());
                usercmd[4..6].copy_from_slice(&QPORT.to_le_bytes());
                stamp(&clock, &mut usercmd[6..]);
                if link.send(&usercmd).await.is_err() {
                    break;
                }
            }
        }
    }
    delays
}

/// Writes the time, or 0 where nothing is measured.
fn stamp(clock: &Clock, space: &mut [u8]) {
    let mut now = 0;
    if clock.is_measuring.load(Ordering::Relaxed) {
        clock.sent.fetch_add(1, Ordering::Relaxed);
        now = START.elapsed().as_nanos() as u64;
    }
    space[..8].copy_from_slice(&now.to_le_bytes());
}

fn note(delays: &mut Vec<u32>, stamped: &[u8]) {
    let Some(sent) = stamped
        .first_chunk::<8>()
        .map(|bytes| u64::from_le_bytes(*bytes))
    else {
        return;
    };
    if sent > 0 {
        let delay = (START.elapsed().as_nanos() as u64).saturating_sub(sent) / 1000;
        delays.push(delay as u32);
    }
}

/// A player's connection.
pub enum Link {
    Udp(UdpSocket),
    WebSocket(Box<WebSocketStream<tokio::net::TcpStream>>),
    WebTransport(Box<Connection>),
}

impl Link {
    pub async fn send(&mut self, datagram: &[u8]) -> anyhow::Result<()> {
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

    /// The next datagram; texts are left out.
    pub async fn receive(&mut self) -> anyhow::Result<Bytes> {
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

/// Connects and is let in.
async fn enter(
    number: usize,
    server: &str,
    path: Path,
    relay: Option<String>,
    hash: Option<[u8; 32]>,
) -> anyhow::Result<Link> {
    let mut link = connect(number, server, path, relay.as_deref(), hash, None).await?;
    be_let_in(&mut link).await?;
    Ok(link)
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
    // An address for each player, as in the world outside.
    let own: Ipv4Addr = (0x7f01_0001 + number as u32).into();
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
pub async fn be_let_in(link: &mut Link) -> anyhow::Result<()> {
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

pub fn out_of_band(text: &[u8]) -> Vec<u8> {
    [&OUT_OF_BAND, text].concat()
}

/// The hash that a page would pin.
pub async fn certificate_hash(relay: &str) -> anyhow::Result<[u8; 32]> {
    let about: serde_json::Value = serde_json::from_str(&get(relay, "/api/transport").await?)?;
    let digits = about["webtransport"]["certificate_sha256"].as_str();
    let digits = digits
        .filter(|digits| digits.len() == 64 && digits.is_ascii())
        .context("no hash")?;
    let mut hash = [0; 32];
    for (at, byte) in hash.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&digits[2 * at..2 * at + 2], 16)?;
    }
    Ok(hash)
}

/// The body of the relay's answer.
pub async fn get(relay: &str, path: &str) -> anyhow::Result<String> {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(relay).await?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (_, body) = answer.split_once("\r\n\r\n").context("no body")?;
    Ok(body.to_owned())
}

/// User and system time of a process, from the kernel's count of ticks of 10 ms.
pub fn processor_time(process: u32) -> anyhow::Result<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    let (_, fields) = stat.rsplit_once(')').context("no process name")?;
    let ticks = |field: usize| {
        fields
            .split_whitespace()
            .nth(field)
            .and_then(|text| text.parse::<u64>().ok())
    };
    let ticks = ticks(11).zip(ticks(12)).map(|(user, system)| user + system);
    Ok(Duration::from_millis(10 * ticks.context("no times")?))
}

/// Memory that a process has in use.
pub fn resident_kilobytes(process: u32) -> anyhow::Result<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let resident = resident.context("no VmRSS")?.trim().trim_end_matches(" kB");
    Ok(resident.parse()?)
}
