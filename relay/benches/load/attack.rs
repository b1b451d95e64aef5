//! Attacks a relay in all the ways that its tests know, and measures what other players feel of it.
//!
//! Players at both transports play quietly and measure the way to the server and back, first alone
//! and then during each attack in turn. The attackers are a process of their own with the lowest
//! priority: they shall be other machines, and not take the processor from those whom they attack.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Context;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use shared::base::rng::Rng;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream, UdpSocket};
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::Relay;
use crate::echo::{self, USERCMD_BYTES};
use crate::openings;
use crate::players::{self, Line, Link, Path, QPORT};

const PLAYERS: usize = 20;
const FRAME: Duration = Duration::from_micros(16_667);
/// Attackers come from addresses from here on.
const FIRST_ATTACKER: u32 = 0x7f02_0001;
const HALF_OPEN: u32 = 10_000;
const SLOW: u32 = 400;
/// Beginnings that are made before they are sent.
const HANDSHAKES: usize = 250;

/// The argument that makes this program the attackers.
pub const STRIKE: &str = "--strike";

#[derive(Clone, Copy, Debug)]
enum Attack {
    Flood,
    OversizedFrames,
    HalfOpen,
    SlowHeads,
    Joins,
    ForbiddenTargets,
    SpoofedReplies,
    QuicNoise,
    UnfinishedHandshakes,
    Malformed,
}

const ATTACKS: [Attack; 10] = [
    Attack::Flood,
    Attack::OversizedFrames,
    Attack::HalfOpen,
    Attack::SlowHeads,
    Attack::Joins,
    Attack::ForbiddenTargets,
    Attack::SpoofedReplies,
    Attack::QuicNoise,
    Attack::UnfinishedHandshakes,
    Attack::Malformed,
];

/// What players know.
struct World {
    relay: String,
    hash: [u8; 32],
    begun: Instant,
    /// Which stretch of time is measured: 0 before, then one for each attack.
    stretch: AtomicUsize,
    is_over: AtomicBool,
    /// Round trips in microseconds, by stretch.
    delays: Mutex<Vec<Vec<u32>>>,
    sent: AtomicU64,
    heard: AtomicU64,
    /// What the server sees of the relay.
    seats: Arc<Mutex<Vec<SocketAddr>>>,
}

/// What attackers know.
struct Targets {
    relay: String,
    server: String,
    /// Sockets of the relay towards the server.
    seats: Vec<SocketAddr>,
    /// What they have done.
    blows: AtomicU64,
}

/// Measures before and during each attack, so long each.
pub async fn run(time: Duration) -> anyhow::Result<()> {
    let socket = UdpSocket::bind("127.0.0.1:0").await?;
    let server = socket.local_addr()?.to_string();
    let seats = Arc::new(Mutex::new(Vec::new()));
    let taken = seats.clone();
    let serving = tokio::spawn(echo::serve(socket, move |seat| {
        if let Ok(mut seats) = taken.lock() {
            seats.push(seat);
        }
    }));
    // The limits that hold when nothing is said.
    let relay = Relay::start_plainly(std::slice::from_ref(&server)).await?;
    let process = relay.process.id().context("the relay has ended")?;
    let world = Arc::new(World {
        hash: players::certificate_hash(&relay.address).await?,
        relay: relay.address.clone(),
        begun: Instant::now(),
        stretch: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
        delays: Mutex::new(vec![Vec::new(); 2 * ATTACKS.len() + 1]),
        sent: AtomicU64::new(0),
        heard: AtomicU64::new(0),
        seats,
    });
    let mut playing = JoinSet::new();
    for number in 0..PLAYERS {
        let path = [Path::WebSocket, Path::WebTransport][number % 2];
        let (relay, hash) = (Some(world.relay.as_str()), Some(world.hash));
        let mut link = players::connect(number, &server, path, relay, hash, None).await?;
        players::be_let_in(&mut link).await?;
        playing.spawn(play(world.clone(), link));
    }
    sleep(Duration::from_secs(1)).await;
    let resident = players::resident_kilobytes(process)?;
    let mut rows = Vec::new();
    for (number, attack) in ATTACKS.into_iter().enumerate() {
        // A pause before each attack is the measure for it.
        world.stretch.store(2 * number + 1, Ordering::Relaxed);
        sleep(time).await;
        world.stretch.store(2 * number + 2, Ordering::Relaxed);
        let refused = refused(&world).await?;
        let blows = strike_from_afar(&world, &server, number, time).await?;
        world.stretch.store(0, Ordering::Relaxed);
        let refused = self::refused(&world).await? - refused;
        let mut row = world.row(number, attack);
        row["blows"] = blows.into();
        row["refused_or_dropped"] = refused.into();
        row["resident_kilobytes"] = players::resident_kilobytes(process)?.into();
        eprintln!("{row}");
        rows.push(row);
        // What is still under way belongs to nobody.
        sleep(Duration::from_secs(1)).await;
    }
    world.is_over.store(true, Ordering::Relaxed);
    let lost_players = PLAYERS
        - playing
            .join_all()
            .await
            .into_iter()
            .filter(|good| *good)
            .count();
    serving.abort();
    let report = json!({
        "players": PLAYERS,
        "seconds_each": time.as_secs_f64(),
        "what": "round trip from player through relay to server and back, in ms, in the pause before and during each attack",
        "players_lost": lost_players,
        "sent": world.sent.load(Ordering::Relaxed),
        "heard": world.heard.load(Ordering::Relaxed),
        "resident_kilobytes_before": resident,
        "resident_kilobytes_after": players::resident_kilobytes(process)?,
        "attacks": rows,
    });
    println!("{report:#}");
    anyhow::ensure!(lost_players == 0, "{lost_players} players were thrown out");
    Ok(())
}

/// All that the relay has refused or dropped.
async fn refused(world: &World) -> anyhow::Result<u64> {
    let text = players::get(&world.relay, "/metrics");
    let text = timeout(Duration::from_secs(10), text).await??;
    let names = ["refused", "over_budget"];
    let counts = text
        .lines()
        .filter(|line| !line.starts_with('#') && names.iter().any(|name| line.contains(name)))
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok());
    Ok(counts.sum())
}

impl World {
    fn row(&self, number: usize, attack: Attack) -> Value {
        let delays = self.delays.lock();
        let mut delays = delays.unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut parts = |stretch: usize| {
            let delays = &mut delays[stretch];
            delays.sort_unstable();
            let at = |part: f64| {
                let place = (delays.len() as f64 * part) as usize;
                let delay = delays.get(place.min(delays.len().saturating_sub(1)));
                delay.map_or(Value::Null, |delay| (f64::from(*delay) / 1000.0).into())
            };
            json!({ "p50": at(0.5), "p99": at(0.99), "count": delays.len() })
        };
        json!({
            "attack": format!("{attack:?}"),
            "before": parts(2 * number + 1),
            "during": parts(2 * number + 2),
        })
    }
}

impl Targets {
    fn count_blow(&self) {
        self.blows.fetch_add(1, Ordering::Relaxed);
    }
}

/// Plays and measures; true if nobody threw the player out.
async fn play(world: Arc<World>, mut link: Link) -> bool {
    let mut frames = interval(FRAME);
    let mut sequence = 0_u32;
    while !world.is_over.load(Ordering::Relaxed) {
        tokio::select! {
            snapshot = link.receive() => {
                let Ok(snapshot) = snapshot else { return false };
                world.heard.fetch_add(1, Ordering::Relaxed);
                let stamp = snapshot.get(4..12).and_then(|bytes| bytes.first_chunk::<8>());
                let Some(stamp) = stamp.map(|bytes| u64::from_le_bytes(*bytes)) else { continue };
                let (stretch, sent) = ((stamp >> 56) as usize, stamp & ((1 << 56) - 1));
                let now = world.begun.elapsed().as_micros() as u64;
                if stretch > 0 && let Ok(mut delays) = world.delays.lock() {
                    delays[stretch].push(now.saturating_sub(sent) as u32);
                }
            }
            _ = frames.tick() => {
                sequence += 1;
                let stretch = world.stretch.load(Ordering::Relaxed) as u64;
                let stamp = stretch << 56 | world.begun.elapsed().as_micros() as u64;
                let mut usercmd = [0; USERCMD_BYTES];
                usercmd[..4].copy_from_slice(&sequence.to_le_bytes());
                usercmd[4..6].copy_from_slice(&QPORT.to_le_bytes());
                usercmd[6..14].copy_from_slice(&stamp.to_le_bytes());
                if link.send(&usercmd).await.is_err() {
                    return false;
                }
                world.sent.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
    true
}

/// Lets a process of its own attack, as others in the world outside do; yields its blows.
async fn strike_from_afar(
    world: &World,
    server: &str,
    number: usize,
    time: Duration,
) -> anyhow::Result<u64> {
    let seats = world.seats.lock().map(|seats| seats.clone());
    let seats = seats.unwrap_or_default();
    let seats = seats.iter().map(SocketAddr::to_string).collect::<Vec<_>>();
    let output = Command::new("nice")
        .args(["-n", "19"])
        .arg(std::env::current_exe()?)
        .arg(STRIKE)
        .args([&number.to_string(), &time.as_secs_f64().to_string()])
        .args([&world.relay, server, &seats.join(",")])
        .kill_on_drop(true)
        .output()
        .await?;
    let blows = String::from_utf8(output.stdout)?;
    blows
        .trim()
        .parse()
        .context("the attackers report no count")
}

/// What the process of the attackers does; its words come after [`STRIKE`].
pub async fn strike(mut words: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let mut word = || words.next().context("a word is missing");
    let number: usize = word()?.parse()?;
    let attack = *ATTACKS.get(number).context("there is no such attack")?;
    let time = Duration::from_secs_f64(word()?.parse()?);
    let targets = Arc::new(Targets {
        relay: word()?,
        server: word()?,
        seats: word()?
            .split(',')
            .filter_map(|seat| seat.parse().ok())
            .collect(),
        blows: AtomicU64::new(0),
    });
    let count = match attack {
        Attack::Flood
        | Attack::OversizedFrames
        | Attack::Joins
        | Attack::ForbiddenTargets
        | Attack::Malformed => 5,
        _ => 1,
    };
    let mut attackers = JoinSet::new();
    for number in 0..count {
        let targets = targets.clone();
        attackers.spawn(async move {
            loop {
                // A relay that refuses is what it should be; the next one tries again.
                let _ = strike_once(&targets, attack, number).await;
                sleep(Duration::from_millis(5)).await;
            }
        });
    }
    // What they have opened closes when they end.
    sleep(time).await;
    println!("{}", targets.blows.load(Ordering::Relaxed));
    Ok(())
}

async fn strike_once(world: &Targets, attack: Attack, number: u32) -> anyhow::Result<()> {
    match attack {
        Attack::Flood => flood(world, number).await,
        Attack::OversizedFrames => {
            let mut link = attacker(world, number, &world.server).await?;
            for size in [1500, 5000, 1_000_000] {
                send(world, &mut link, vec![0; size]).await?;
            }
            Ok(())
        }
        Attack::HalfOpen => half_open(world, HALF_OPEN, Duration::ZERO).await,
        Attack::SlowHeads => half_open(world, SLOW, Duration::from_millis(100)).await,
        Attack::Joins => {
            world.count_blow();
            attacker(world, number, &world.server).await.map(drop)
        }
        Attack::ForbiddenTargets => {
            let targets = [
                "127.0.0.1:22",
                "localhost:22",
                "[::ffff:127.0.0.1]:22",
                "10.0.0.1:27960",
            ];
            for target in targets {
                world.count_blow();
                let link = attacker(world, number, target).await?;
                if let Link::WebSocket(mut socket) = link {
                    while let Some(Ok(_)) = socket.next().await {}
                }
            }
            Ok(())
        }
        Attack::SpoofedReplies => spoof(world).await,
        Attack::QuicNoise => quic_noise(world).await,
        Attack::UnfinishedHandshakes => unfinished_handshakes(world).await,
        Attack::Malformed => malformed(world, number).await,
    }
}

async fn attacker(world: &Targets, number: u32, target: &str) -> anyhow::Result<Link> {
    // The players' own addresses begin 65,536 below the attackers'.
    let number = (FIRST_ATTACKER - 0x7f01_0001 + number) as usize;
    players::connect(
        number,
        target,
        Path::WebSocket,
        Some(&world.relay),
        None,
        None,
    )
    .await
}

async fn send(world: &Targets, link: &mut Link, datagram: Vec<u8>) -> anyhow::Result<()> {
    world.count_blow();
    match link {
        Link::WebSocket(socket) => Ok(socket.send(Message::Binary(datagram.into())).await?),
        _ => link.send(&datagram).await,
    }
}

/// Much more than anybody's budget, from somebody whom the server let in.
async fn flood(world: &Targets, number: u32) -> anyhow::Result<()> {
    let mut link = attacker(world, number, &world.server).await?;
    players::be_let_in(&mut link).await?;
    for sequence in 1_u32.. {
        let mut datagram = vec![0; 60];
        datagram[..4].copy_from_slice(&sequence.to_le_bytes());
        datagram[4..6].copy_from_slice(&QPORT.to_le_bytes());
        send(world, &mut link, datagram).await?;
        if sequence % 32 == 0 {
            sleep(Duration::from_millis(2)).await;
        }
    }
    Ok(())
}

/// Connections whose request never ends, from many addresses.
async fn half_open(world: &Targets, count: u32, between: Duration) -> anyhow::Result<()> {
    let mut open: Vec<TcpStream> = Vec::new();
    for number in 0..count {
        let socket = TcpSocket::new_v4()?;
        socket.bind((Ipv4Addr::from(FIRST_ATTACKER + number / 40), 0).into())?;
        let mut stream = socket.connect(world.relay.parse()?).await?;
        world.count_blow();
        let _ = stream
            .write_all(b"GET /ws HTTP/1.1\r\nupgrade: websocket\r\n")
            .await;
        // Our own descriptors are not without end.
        if open.len() < 2_500 {
            open.push(stream);
        }
        if number % 16 == 0 {
            sleep(Duration::from_millis(3)).await;
        }
    }
    while !between.is_zero() && !open.is_empty() {
        sleep(between).await;
        let mut living = Vec::new();
        for mut stream in open {
            world.count_blow();
            if stream.write_all(b"x").await.is_ok() {
                living.push(stream);
            }
        }
        open = living;
    }
    Ok(())
}

/// Datagrams of somebody who is not the server, to the sockets of those who play.
async fn spoof(world: &Targets) -> anyhow::Result<()> {
    let socket = UdpSocket::bind("127.0.0.1:0").await?;
    let disconnect = players::out_of_band(b"disconnect");
    for round in 0..1000_u32 {
        for seat in &world.seats {
            world.count_blow();
            // Most seats of former players are closed.
            let _ = socket.send_to(&disconnect, *seat).await;
            let forged = [&round.to_le_bytes()[..], &[0; 400]].concat();
            let _ = socket.send_to(&forged, *seat).await;
        }
        sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}

/// What is no QUIC, and what looks like its beginning.
async fn quic_noise(world: &Targets) -> anyhow::Result<()> {
    let mut rng = Rng::new(7);
    for number in 0..64 {
        let socket = UdpSocket::bind((Ipv4Addr::from(FIRST_ATTACKER + number), 0)).await?;
        socket.connect(&world.relay).await?;
        for _ in 0..64 {
            let mut noise: Vec<u8> = (0..1200).map(|_| rng.next_u64() as u8).collect();
            if rng.percent(70.0) {
                // A long header of version 1 with connection ids of 8 bytes each.
                noise[..6].copy_from_slice(&[0xc3, 0, 0, 0, 1, 8]);
                noise[14] = 8;
            }
            world.count_blow();
            let _ = socket.send(&noise).await;
        }
        sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}

/// Beginnings of QUIC connections, each from an address of its own, which never go on.
async fn unfinished_handshakes(world: &Targets) -> anyhow::Result<()> {
    let openings = openings::openings(HANDSHAKES).await?;
    for (number, opening) in (0..).zip(&openings) {
        let socket = UdpSocket::bind((Ipv4Addr::from(FIRST_ATTACKER + number), 0)).await?;
        world.count_blow();
        let _ = socket.send_to(opening, &world.relay).await;
        if number % 32 == 0 {
            sleep(Duration::from_millis(1)).await;
        }
    }
    Ok(())
}

/// Rubbish at every place where something is read.
async fn malformed(world: &Targets, number: u32) -> anyhow::Result<()> {
    let mut rng = Rng::new(u64::from(number));
    let mut noise = |most: usize| -> Vec<u8> {
        let size = rng.below(most);
        (0..size).map(|_| rng.next_u64() as u8).collect()
    };
    for _ in 0..20 {
        let mut stream = TcpStream::connect(&world.relay).await?;
        world.count_blow();
        let _ = stream.write_all(&noise(400)).await;
    }
    let mut link = attacker(world, number, &world.server).await?;
    for _ in 0..60 {
        let datagram = [&[0xff; 4], &noise(1600)[..]].concat();
        send(world, &mut link, datagram).await?;
        send(world, &mut link, noise(1600)).await?;
    }
    Ok(())
}
