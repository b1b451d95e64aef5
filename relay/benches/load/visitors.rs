//! Who visits the page for the first time while others play: what that costs the players.

use std::net::Ipv4Addr;
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use relay::core::give_way;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpSocket;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use crate::crowd::{self, Frames, Game};
use crate::folder::Folder;
use crate::players::Path;
use crate::report::Report;
use crate::{PLAYERS_PER_SERVER, Relay};

const VISITORS: u8 = 20;
/// Of each one's line: 20 Mbit/s.
const BYTES_PER_SECOND: f64 = 2.5e6;
/// What a visitor reads besides the first files, as models and sounds are read, in parts of this size.
const PARTS: u64 = 30;
const PART_BYTES: u64 = 64 << 10;

/// How often the three games are played. Another program of the machine spoils one round; the one in the middle tells.
const ROUNDS: usize = 5;

/// Plays the same game three times: on a machine that has nothing else to do; while another relay on it makes the smaller
/// files of these paks and visitors come, read what a match on this map begins with, and come again; and while all that
/// happens at the players' own relay. What the second costs is the machine's and the generator's, which reads for all.
/// Then all again, `ROUNDS` times.
pub async fn measure(
    content: PathBuf,
    map: String,
    count: usize,
    time: Duration,
) -> anyhow::Result<()> {
    println!("{}", Report::head());
    let bytes = Arc::new(AtomicU64::new(0));
    let visits = |visited| {
        Some(Visits {
            map: map.clone(),
            visited,
            bytes: bytes.clone(),
        })
    };
    let mut rounds = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let quiet = play(&content, None, count, time).await?;
        println!("{}", quiet.line(None));
        let elsewhere = play(&content, visits(VisitedRelay::OtherRelay), count, time).await?;
        println!("{}", elsewhere.line(Some(&quiet)));
        let here = play(&content, visits(VisitedRelay::PlayersRelay), count, time).await?;
        println!("{}", here.line(Some(&quiet)));
        rounds.push([
            here.ratios(&quiet, 0.99),
            elsewhere.ratios(&quiet, 0.99),
            here.ratios(&elsewhere, 0.99),
        ]);
    }
    let megabytes = bytes.load(Ordering::Relaxed) as f64 / 1e6;
    println!("{VISITORS} visitors read {megabytes:.0} MB");
    for (pair, words) in [
        "as without them",
        "as without them, at another relay",
        "as while they visit another relay",
    ]
    .into_iter()
    .enumerate()
    {
        let [up, down] = [0, 1].map(|way| {
            let mut ratios: Vec<f64> = rounds.iter().map(|round| round[pair][way]).collect();
            ratios.sort_by(f64::total_cmp);
            let [low, middle, high] = [0, ROUNDS / 2, ROUNDS - 1].map(|at| ratios[at]);
            format!("{middle:.2} ({low:.2} to {high:.2})")
        });
        println!("p99 up {up} times, down {down} times {words}");
    }
    Ok(())
}

/// Which relay makes smaller files and is visited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum VisitedRelay {
    PlayersRelay,
    OtherRelay,
}

#[derive(Clone)]
struct Visits {
    map: String,
    visited: VisitedRelay,
    /// How many all have read.
    bytes: Arc<AtomicU64>,
}

/// What stands for the visitors' own machines: a thread whose work waits while relay, servers or players have something to
/// do.
struct Machine {
    runtime: Handle,
    /// Ends the thread when it is dropped.
    _open: oneshot::Sender<()>,
}

impl Machine {
    fn start() -> anyhow::Result<Self> {
        let runtime = relay::core::runtime()?;
        let (open, closed) = oneshot::channel::<()>();
        let machine = Self {
            runtime: runtime.handle().clone(),
            _open: open,
        };
        thread::Builder::new().spawn(move || {
            give_way(19);
            // It is never sent, only dropped.
            let _ = runtime.block_on(closed);
        })?;
        Ok(machine)
    }
}

async fn play(
    content: &FilePath,
    visits: Option<Visits>,
    count: usize,
    time: Duration,
) -> anyhow::Result<Report> {
    let servers = crowd::start_servers(count.div_ceil(PLAYERS_PER_SERVER), Frames::Together)?;
    let light = Folder::new("visits");
    let [content, folder] = [content, &light.0].map(|path| path.to_string_lossy());
    let plain = ["--content", &content];
    let with_light = ["--content", &content, "--light", &folder];
    let visited = visits.as_ref().map(|visits| visits.visited);
    let mut relay = match visited {
        Some(VisitedRelay::PlayersRelay) => Relay::start(&servers.names, &with_light).await?,
        Some(VisitedRelay::OtherRelay) | None => Relay::start(&servers.names, &plain).await?,
    };
    let mut other = match visited {
        Some(VisitedRelay::OtherRelay) => Some(Relay::start(&servers.names, &with_light).await?),
        Some(VisitedRelay::PlayersRelay) | None => None,
    };
    let address = other
        .as_ref()
        .map_or(&relay.address, |other| &other.address);
    let address = address.clone();
    let machine = Machine::start()?;
    let game = Game {
        count,
        path: Path::WebSocket,
        relay: Some(relay.address.clone()),
        time,
        process: relay.process.id(),
    };
    // They end with the game.
    let mut visitors = JoinSet::new();
    for number in (0..VISITORS).filter(|_| visits.is_some()) {
        let (relay, visits) = (address.clone(), visits.clone());
        let visiting = async move {
            let Some(visits) = visits else { return Ok(()) };
            loop {
                visit(number, &relay, &visits).await?;
            }
        };
        visitors.spawn_on(visiting, &machine.runtime);
    }
    let report = crowd::play(servers, game).await?;
    // All still visit; without the relay they get no answer.
    if let Some(ended) = visitors.try_join_next() {
        let ended: anyhow::Result<()> = ended?;
        ended.context("a visitor got no answer")?;
    }
    visitors.shutdown().await;
    relay.process.kill().await?;
    if let Some(other) = &mut other {
        other.process.kill().await?;
    }
    Ok(report)
}

/// The requests of a first visit but for the page itself, one after the other.
async fn visit(number: u8, relay: &str, visits: &Visits) -> anyhow::Result<()> {
    let read = |path: String, range: Option<(u64, u64)>| async move {
        let body = get(number, relay, &path, range).await.context(path)?;
        visits.bytes.fetch_add(body.len() as u64, Ordering::Relaxed);
        anyhow::Ok(body)
    };
    let list = read(format!("/api/content?map={}", visits.map), None).await?;
    let list: serde_json::Value = serde_json::from_slice(&list)?;
    for first in list["first"].as_array().into_iter().flatten() {
        let url = first["url"].as_str().context("a first file without URL")?;
        read(url.to_owned(), None).await?;
    }
    let games = list["games"].as_array().into_iter().flatten();
    let mut paks = games.flat_map(|game| game["paks"].as_array().into_iter().flatten());
    let pak = paks.find(|pak| pak["bytes"].as_u64() > Some(PARTS * PART_BYTES));
    let pak = pak.context("no pak is large enough")?;
    let url = pak["url"].as_str().context("a pak without URL")?;
    for part in 0..PARTS {
        let start = part * PART_BYTES;
        let range = Some((start, start + PART_BYTES - 1));
        read(url.to_owned(), range).await?;
    }
    Ok(())
}

/// The body of an answer, over a line of its own.
async fn get(
    number: u8,
    relay: &str,
    path: &str,
    range: Option<(u64, u64)>,
) -> anyhow::Result<Vec<u8>> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::new(127, 77, 0, 1 + number), 0).into())?;
    let mut stream = socket.connect(relay.parse()?).await?;
    let range = range.map_or_else(String::new, |(start, end)| {
        format!("Range: bytes={start}-{end}\r\n")
    });
    let head = format!("GET {path} HTTP/1.1\r\nHost: {relay}\r\nConnection: close\r\n{range}\r\n");
    stream.write_all(head.as_bytes()).await?;
    let started = Instant::now();
    let mut answer = Vec::new();
    let mut chunk = vec![0; 16 << 10];
    loop {
        let size = stream.read(&mut chunk).await?;
        if size == 0 {
            break;
        }
        answer.extend_from_slice(&chunk[..size]);
        let due = Duration::from_secs_f64(answer.len() as f64 / BYTES_PER_SECOND);
        tokio::time::sleep(due.saturating_sub(started.elapsed())).await;
    }
    let status = answer.get(..12).unwrap_or_default();
    ensure!(
        status.ends_with(b" 200") || status.ends_with(b" 206"),
        "{}",
        String::from_utf8_lossy(status)
    );
    let mut ends = answer.windows(4);
    let end = ends.position(|four| four == b"\r\n\r\n");
    Ok(answer.split_off(end.context("no head")? + 4))
}
