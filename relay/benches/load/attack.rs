//! Attacks a relay in all the ways that its tests know, and measures what other players feel of it.
//!
//! Players at both transports play quietly and measure the way to the server and back: alone, then while
//! another relay on this machine is attacked, then during the attack on theirs. The attackers are a
//! process of their own with the lowest priority: they stand for other machines, and must not take the
//! processor from those whom they attack. They do all the same, and so does the system, which carries
//! what they send; the attack on the other relay tells how much of a delay is theirs.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};
use tokio::net::UdpSocket;
use tokio::process::Command;
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};

use crate::Relay;
use crate::echo::{self, USERCMD_BYTES};
use crate::folder::Folder;
use crate::players::{self, Link, Path, PlayerLink};
use crate::strikes::{ATTACKS, Attack, STRIKE};

const PLAYERS: usize = 20;
const FRAME: Duration = Duration::from_micros(16_667);
/// A player may wait so long during an attack, in shares of the time before it, or of that beside the
/// same attack on another relay.
const MAX_SLOWDOWN: f64 = 2.0;
/// Round trips are measured in turns of the processors of this machine; less than this is one of them.
const TURN_MSEC: f64 = 0.5;
/// What all attacks together may make the relay remember.
const MAX_GROWTH_KILOBYTES: u64 = 100_000;

/// What is measured for each attack, in this order.
const STRETCHES: [&str; 3] = ["before", "elsewhere", "during"];

/// What players know.
struct World {
    relay: String,
    hash: [u8; 32],
    begun: Instant,
    /// Which stretch of time is measured: 0 none, then [`STRETCHES`] for each attack.
    stretch: AtomicUsize,
    is_over: AtomicBool,
    /// Round trips in microseconds, by stretch.
    delays: Mutex<Vec<Vec<u32>>>,
    sent: AtomicU64,
    heard: AtomicU64,
    /// What the server sees of the relay.
    seats: Arc<Mutex<Vec<SocketAddr>>>,
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
    let folder = Folder::new("attack");
    std::fs::create_dir_all(folder.0.join("baseoa"))?;
    // Nobody can fetch it in a moment, and it takes no room on the disk.
    std::fs::File::create(folder.0.join("baseoa/big.pk3"))?.set_len(256 << 20)?;
    let content = folder.0.to_string_lossy();
    // The limits that hold when nothing is said.
    let options = ["--open", "--content", &content];
    let relay = Relay::start_with(std::slice::from_ref(&server), &options).await?;
    let elsewhere = Relay::start_with(std::slice::from_ref(&server), &options).await?;
    let process = relay.process.id().context("the relay has ended")?;
    let world = Arc::new(World {
        hash: players::certificate_hash(&relay.address).await?,
        relay: relay.address.clone(),
        begun: Instant::now(),
        stretch: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
        delays: Mutex::new(vec![Vec::new(); STRETCHES.len() * ATTACKS.len() + 1]),
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
    let mut is_withstood = true;
    for (number, attack) in ATTACKS.iter().copied().enumerate() {
        let begin = |stretch| {
            let stretch = STRETCHES.len() * number + 1 + stretch;
            world.stretch.store(stretch, Ordering::Relaxed);
        };
        // A pause before each attack is the measure for it.
        begin(0);
        sleep(time).await;
        begin(1);
        strike_from_afar(&world, &elsewhere.address, &server, number, time).await?;
        world.stretch.store(0, Ordering::Relaxed);
        sleep(Duration::from_secs(1)).await;
        begin(2);
        let refused = refused(&world).await?;
        let blows = strike_from_afar(&world, &world.relay, &server, number, time).await?;
        world.stretch.store(0, Ordering::Relaxed);
        let refused = self::refused(&world).await? - refused;
        let mut row = world.row(number, attack);
        row["blows"] = blows.into();
        row["refused_or_dropped"] = refused.into();
        let grown = players::resident_kilobytes(process)?.saturating_sub(resident);
        row["grown_kilobytes"] = grown.into();
        let verdict = verdict(&row, grown);
        row["verdict"] = verdict.as_deref().unwrap_or("withstood").into();
        is_withstood &= verdict.is_none();
        eprintln!("{row}");
        rows.push(row);
        // What is still under way belongs to nobody.
        sleep(Duration::from_secs(1)).await;
    }
    world.is_over.store(true, Ordering::Relaxed);
    let good = playing.join_all().await.into_iter().filter(|good| *good);
    let lost_players = PLAYERS - good.count();
    serving.abort();
    let report = json!({
        "players": PLAYERS,
        "seconds_each": time.as_secs_f64(),
        "what": "round trip from player through relay to server and back, in ms, in the pause before each attack, while it goes to another relay on this machine, and while it goes to theirs",
        "players_lost": lost_players,
        "sent": world.sent.load(Ordering::Relaxed),
        "heard": world.heard.load(Ordering::Relaxed),
        "resident_kilobytes_before": resident,
        "resident_kilobytes_after": players::resident_kilobytes(process)?,
        "attacks": rows,
    });
    println!("{report:#}");
    anyhow::ensure!(lost_players == 0, "{lost_players} players were thrown out");
    anyhow::ensure!(is_withstood, "players felt an attack");
    Ok(())
}

/// What players felt too much of an attack; nothing if it was withstood.
fn verdict(row: &Value, grown_kilobytes: u64) -> Option<String> {
    let p99 = |when: &str| row[when]["p99"].as_f64();
    let [Some(before), Some(elsewhere), Some(during)] = STRETCHES.map(p99) else {
        return Some("nobody was heard".to_owned());
    };
    if during > MAX_SLOWDOWN * before.max(elsewhere).max(TURN_MSEC) {
        return Some(format!(
            "p99 of {during} ms instead of {before} ms, or {elsewhere} ms beside the other relay"
        ));
    }
    (grown_kilobytes > MAX_GROWTH_KILOBYTES).then(|| format!("{grown_kilobytes} kB more memory"))
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
                let permit = (delays.len() as f64 * part) as usize;
                let delay = delays.get(permit.min(delays.len().saturating_sub(1)));
                delay.map_or(Value::Null, |delay| (f64::from(*delay) / 1000.0).into())
            };
            json!({ "p50": at(0.5), "p99": at(0.99), "count": delays.len() })
        };
        let mut row = json!({ "attack": format!("{attack:?}") });
        for (stretch, name) in STRETCHES.into_iter().enumerate() {
            row[name] = parts(STRETCHES.len() * number + 1 + stretch);
        }
        row
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
                let mut usercmd = players::usercmd::<USERCMD_BYTES>(sequence);
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

/// Lets a process of its own attack a relay, as others in the world outside do; yields its blows.
async fn strike_from_afar(
    world: &World,
    relay: &str,
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
        .args([relay, server, &seats.join(",")])
        .kill_on_drop(true)
        .output()
        .await?;
    let blows = String::from_utf8(output.stdout)?;
    blows
        .trim()
        .parse()
        .context("the attackers report no count")
}
