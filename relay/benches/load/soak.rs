//! Lets players come and go at random for a long time, and looks at what that leaves in the relay.
//!
//! Each player has a place in turn: joins by either transport, plays for a while, and then says
//! goodbye, breaks off, comes back by the token over either transport, falls silent, or has never
//! been let in at all. The server answers each datagram with a snapshot, so a player who hears
//! nothing for long is stuck.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use shared::base::rng::Rng;
use tokio::net::UdpSocket;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use wtransport::{RecvStream, SendStream};

use crate::Relay;
use crate::echo::{self, USERCMD_BYTES};
use crate::players::{self, Link, Path, PlayerLink, ProcessorTime};

/// What the relay is told, so that a place comes free again soon.
const RELAY_OPTIONS: [&str; 6] = [
    "--hold",
    "5",
    "--idle-timeout",
    "20",
    "--handshake-timeout",
    "15",
];
/// Longer than the relay keeps any session whose player is gone.
const REST: Duration = Duration::from_secs(90);
/// Whoever sends and hears nothing for so long is stuck.
const STUCK: Duration = Duration::from_secs(10);
const PATIENCE: Duration = Duration::from_secs(20);
const LOOK: Duration = Duration::from_secs(60);
const SHORTEST_PLAY_SEC: usize = 5;
const LONGEST_PLAY_SEC: usize = 115;

/// How long and how much.
pub struct Plan {
    pub time: Duration,
    pub sessions: usize,
    /// Datagrams per second that each player sends, and gets.
    pub rate: u32,
}

/// What happened, over all players.
#[derive(Debug, Default)]
struct Counts {
    joined: AtomicU64,
    let_in: AtomicU64,
    said_goodbye: AtomicU64,
    broke_off: AtomicU64,
    came_back: AtomicU64,
    fell_silent: AtomicU64,
    stuck: AtomicU64,
    /// Joins and resumes that failed.
    failed: AtomicU64,
    sent: AtomicU64,
    heard: AtomicU64,
}

/// What all players know.
struct World {
    relay: String,
    server: String,
    hash: [u8; 32],
    rate: u32,
    counts: Counts,
    is_over: AtomicBool,
}

/// The relay's process at one time.
struct Look {
    minute: f64,
    resident_kilobytes: u64,
    descriptors: usize,
    playing: u64,
    held: u64,
}

/// Soaks a relay and prints what came of it; an error if anything was stuck or leaked.
pub async fn run(plan: Plan) -> anyhow::Result<()> {
    let server = UdpSocket::bind("127.0.0.1:0").await?;
    let name = server.local_addr()?.to_string();
    let serving = tokio::spawn(echo::serve(server, |_| {}));
    let relay = Relay::start(std::slice::from_ref(&name), &RELAY_OPTIONS).await?;
    let process = relay.process.id().context("the relay has ended")?;
    let world = Arc::new(World {
        hash: players::certificate_hash(&relay.address).await?,
        relay: relay.address.clone(),
        server: name,
        rate: plan.rate.max(1),
        counts: Counts::default(),
        is_over: AtomicBool::new(false),
    });
    let begun = Instant::now();
    let mut looks = vec![look(&world, process, begun).await?];
    let mut players = JoinSet::new();
    for number in 0..plan.sessions {
        players.spawn(haunt(world.clone(), number));
        // All at once would be an attack, and be treated as one.
        sleep(Duration::from_millis(20)).await;
    }
    while begun.elapsed() < plan.time {
        sleep(LOOK.min(plan.time.saturating_sub(begun.elapsed()))).await;
        let now = look(&world, process, begun).await?;
        eprintln!("{}", now.json());
        looks.push(now);
    }
    let work = ProcessorTime::of(process)?.total();
    let time = begun.elapsed();
    world.is_over.store(true, Ordering::Relaxed);
    while players.join_next().await.is_some() {}
    let rest = wait_for_rest(&world, process, begun).await?;
    serving.abort();
    let report = report(
        &plan,
        &world,
        &looks,
        &rest,
        work.as_secs_f64() / time.as_secs_f64(),
    );
    println!("{report:#}");
    ensure!(
        report["passed"] == true,
        "the soak has left something behind"
    );
    Ok(())
}

/// One place: a player, and then the next one, until it is over.
async fn haunt(world: Arc<World>, number: usize) {
    let mut rng = Rng::new(number as u64);
    while !world.is_over.load(Ordering::Relaxed) {
        if let Err(error) = live(&world, number, &mut rng).await {
            world.counts.failed.fetch_add(1, Ordering::Relaxed);
            eprintln!("player {number}: {error:#}");
            sleep(Duration::from_secs(1)).await;
        }
    }
}

/// One player from the first connection to the last.
async fn live(world: &World, number: usize, rng: &mut Rng) -> anyhow::Result<()> {
    let counts = &world.counts;
    let mut player = Player::join(world, number, any_path(rng), None).await?;
    count(&counts.joined);
    if rng.percent(8.0) {
        // Somebody who only looked.
        count(&counts.broke_off);
        return Ok(());
    }
    players::be_let_in(&mut player.link).await?;
    count(&counts.let_in);
    let mut sequence = 0;
    loop {
        let seconds = SHORTEST_PLAY_SEC + rng.below(LONGEST_PLAY_SEC - SHORTEST_PLAY_SEC);
        let time = Duration::from_secs(seconds as u64);
        if !player.play(world, &mut sequence, time).await? {
            count(&counts.stuck);
            return Ok(());
        }
        let is_over = world.is_over.load(Ordering::Relaxed);
        match rng.below(10) {
            0..4 if !is_over => {
                let token = player.token.clone();
                let path = any_path(rng);
                if rng.percent(50.0) {
                    drop(player);
                    sleep(Duration::from_millis(rng.below(2000) as u64)).await;
                    player = Player::join(world, number, path, Some(&token)).await?;
                } else {
                    // Takes over from a connection that lives.
                    let next = Player::join(world, number, path, Some(&token)).await?;
                    player = next;
                }
                count(&counts.came_back);
            }
            4..6 => {
                count(&counts.broke_off);
                return Ok(());
            }
            6 if !is_over => {
                count(&counts.fell_silent);
                // Until the relay has had enough.
                let _ = timeout(2 * PATIENCE, async {
                    while player.link.receive().await.is_ok() {}
                })
                .await;
                return Ok(());
            }
            _ => {
                count(&counts.said_goodbye);
                return player.say_goodbye().await;
            }
        }
    }
}

fn any_path(rng: &mut Rng) -> Path {
    match rng.below(2) {
        0 => Path::WebSocket,
        _ => Path::WebTransport,
    }
}

fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Somebody with a session.
struct Player {
    link: Link,
    token: String,
    streams: Option<(SendStream, RecvStream)>,
}

impl Player {
    /// Connects and reads the first text.
    async fn join(
        world: &World,
        number: usize,
        path: Path,
        token: Option<&str>,
    ) -> anyhow::Result<Self> {
        let (relay, hash) = (Some(world.relay.as_str()), Some(world.hash));
        let joining = async {
            let mut link =
                players::connect(number, &world.server, path, relay, hash, token).await?;
            let mut streams = None;
            let text = match &mut link {
                Link::Udp(_) => String::new(),
                Link::WebSocket(socket) => {
                    let first = socket.next().await.context("closed")??;
                    first.into_text()?.as_str().to_owned()
                }
                Link::WebTransport(connection) => {
                    let (to_relay, mut from_relay) = connection.accept_bi().await?;
                    let text = read_line(&mut from_relay).await?;
                    streams = Some((to_relay, from_relay));
                    text
                }
            };
            let open: Value = serde_json::from_str(&text).context("the first text")?;
            let token = open["token"].as_str().map(str::to_owned);
            anyhow::Ok(Self {
                link,
                token: token.with_context(|| format!("refused: {text}"))?,
                streams,
            })
        };
        let was = if token.is_some() {
            "coming back"
        } else {
            "joining"
        };
        timeout(PATIENCE, joining)
            .await
            .with_context(|| format!("{was} by {} took too long", path.name()))?
            .with_context(|| format!("{was} by {}", path.name()))
    }

    /// Sends and hears for so long; false if nothing was heard for long.
    async fn play(
        &mut self,
        world: &World,
        sequence: &mut u32,
        time: Duration,
    ) -> anyhow::Result<bool> {
        let mut frames = tokio::time::interval(Duration::from_secs(1) / world.rate);
        let (begun, mut heard) = (Instant::now(), Instant::now());
        while begun.elapsed() < time && !world.is_over.load(Ordering::Relaxed) {
            tokio::select! {
                snapshot = self.link.receive() => {
                    snapshot.context("in play")?;
                    heard = Instant::now();
                    count(&world.counts.heard);
                }
                _ = frames.tick() => {
                    if heard.elapsed() > STUCK {
                        return Ok(false);
                    }
                    *sequence += 1;
                    let usercmd = players::usercmd::<USERCMD_BYTES>(*sequence);
                    self.link.send(&usercmd).await.context("in play")?;
                    count(&world.counts.sent);
                }
            }
        }
        Ok(true)
    }

    /// Gives the place back and waits until the relay has heard it.
    async fn say_goodbye(mut self) -> anyhow::Result<()> {
        let bye = r#"{"bye":true}"#;
        if let Link::WebSocket(socket) = &mut self.link {
            socket.send(Message::Text(bye.into())).await?;
        }
        if let Some((to_relay, _)) = &mut self.streams {
            to_relay.write_all(format!("{bye}\n").as_bytes()).await?;
            let (_, from_relay) = self.streams.as_mut().context("no stream")?;
            let _ = timeout(PATIENCE, read_line(from_relay)).await;
        } else {
            let _ = timeout(PATIENCE, async {
                while self.link.receive().await.is_ok() {}
            })
            .await;
        }
        Ok(())
    }
}

async fn read_line(stream: &mut RecvStream) -> anyhow::Result<String> {
    let mut line = Vec::new();
    let mut space = [0; 512];
    while !line.ends_with(b"\n") {
        let count = stream.read(&mut space).await?.context("the stream ended")?;
        line.extend_from_slice(&space[..count]);
    }
    Ok(String::from_utf8(line)?)
}

/// Waits until the relay holds no session any more; the last look either way.
async fn wait_for_rest(world: &World, process: u32, begun: Instant) -> anyhow::Result<Look> {
    let over = Instant::now();
    loop {
        let now = look(world, process, begun).await?;
        if now.playing + now.held == 0 || over.elapsed() > REST {
            return Ok(now);
        }
        sleep(Duration::from_secs(1)).await;
    }
}

async fn look(world: &World, process: u32, begun: Instant) -> anyhow::Result<Look> {
    let metrics = players::get(&world.relay, "/metrics").await?;
    let gauge = |name: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|value| value.trim().parse().ok())
            .with_context(|| format!("{name} is not in /metrics"))
    };
    Ok(Look {
        minute: begun.elapsed().as_secs_f64() / 60.0,
        resident_kilobytes: players::resident_kilobytes(process)?,
        descriptors: std::fs::read_dir(format!("/proc/{process}/fd"))?.count(),
        playing: gauge("strafe_sessions ")?,
        held: gauge("strafe_sessions_held ")?,
    })
}

impl Look {
    fn json(&self) -> Value {
        json!({
            "minute": (self.minute * 10.0).round() / 10.0,
            "resident_kilobytes": self.resident_kilobytes,
            "descriptors": self.descriptors,
            "playing": self.playing,
            "held": self.held,
        })
    }
}

fn report(plan: &Plan, world: &World, looks: &[Look], rest: &Look, cores: f64) -> Value {
    let counts = &world.counts;
    let value = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let at = |minute: f64| {
        let nearest = looks
            .iter()
            .min_by(|one, other| {
                (one.minute - minute)
                    .abs()
                    .total_cmp(&(other.minute - minute).abs())
            })
            .map(|look| look.resident_kilobytes);
        nearest.unwrap_or_default()
    };
    let (early, late) = (
        at(5.0),
        looks.last().map_or(0, |look| look.resident_kilobytes),
    );
    let still_there = rest.playing + rest.held;
    // A tenth and 2 MB for what memory the allocator has not given back at the moment of the look.
    let is_leaking = late > early + early / 10 + 2048;
    let is_enough = value(&counts.let_in) > 0 && value(&counts.came_back) > 0;
    json!({
        "minutes": (plan.time.as_secs_f64() / 6.0).round() / 10.0,
        "sessions": plan.sessions,
        "datagrams_per_second_and_player": plan.rate,
        "relay_cores": (cores * 1000.0).round() / 1000.0,
        "joined": value(&counts.joined),
        "let_in": value(&counts.let_in),
        "came_back": value(&counts.came_back),
        "said_goodbye": value(&counts.said_goodbye),
        "broke_off": value(&counts.broke_off),
        "fell_silent": value(&counts.fell_silent),
        "failed": value(&counts.failed),
        "stuck_players": value(&counts.stuck),
        "datagrams_sent": value(&counts.sent),
        "snapshots_heard": value(&counts.heard),
        "resident_kilobytes_at_5_minutes": early,
        "resident_kilobytes_at_the_end": late,
        "sessions_after_the_end": still_there,
        "after_the_end": rest.json(),
        "looks": looks.iter().map(Look::json).collect::<Vec<_>>(),
        "passed": !is_leaking && still_there == 0 && value(&counts.stuck) == 0 && is_enough,
    })
}
