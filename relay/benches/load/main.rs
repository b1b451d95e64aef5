//! How much delay and work the relay adds: many players at once, beside the same game over plain UDP.
//!
//! `cargo bench -p relay --bench load -- [SESSIONS…] [--apart] [--seconds N]` plays games of 16 players per
//! server, as full servers have, 60 datagrams per second up and 40 down, straight and through the
//! relay, one after the other in the same run. The generator shares the machine with the relay and
//! counts in the delays. Straight means within one process, which no proxy can reach; the plainest
//! proxy there can be runs as a process like the relay and shows what passing through any costs on
//! this machine. With `--apart` servers send to each player at an instant of its own instead of to all
//! of theirs in one go: what is added then is the relay's own delay, without the wait in that crowd.
//!
//! `-- --soak MINUTES [SESSIONS] [--rate N]` lets players come, move, break off and leave at random
//! for so long instead, and prints as JSON what that leaves behind in the relay. `-- --attack
//! [--seconds N]` prints what players feel of each kind of attack. `-- --visitors CONTENT [MAP] [SESSIONS]` plays beside twenty
//! first visits to the page, while the relay makes the smaller files of the paks in that folder.

mod attack;
mod crowd;
mod echo;
#[path = "../../tests/it/folder.rs"]
mod folder;
mod lean;
#[path = "../../tests/it/openings.rs"]
mod openings;
mod plain;
mod players;
mod report;
mod soak;
mod strikes;
mod visitors;

use std::process::Stdio;
use std::time::Duration;

use anyhow::Context;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crowd::{Frames, Game};
use players::Path;
use report::Report;

/// The argument that makes this program a plain proxy.
const PLAIN_PROXY: &str = "--plain-proxy";
/// A full server, as most are set up. What it sends to all of them in one go waits in the relay for its turn.
const PLAYERS_PER_SERVER: usize = 16;

fn main() -> anyhow::Result<()> {
    let mut sessions = Vec::new();
    let mut seconds = 8;
    let mut soak_minutes = None;
    let mut is_attack = false;
    let mut rate = 5;
    let mut visited = None;
    let mut frames = Frames::Together;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--seconds" => seconds = arguments.next().unwrap_or_default().parse()?,
            "--soak" => soak_minutes = Some(arguments.next().unwrap_or_default().parse::<f64>()?),
            "--rate" => rate = arguments.next().unwrap_or_default().parse()?,
            "--attack" => is_attack = true,
            "--visitors" => {
                let content = arguments.next().context("--visitors needs a folder")?;
                visited = Some((content.into(), "oa_dm1".to_owned()));
            }
            "--apart" => frames = Frames::Apart,
            "--bench" => {}
            strikes::STRIKE => return runtime.block_on(strikes::strike(arguments)),
            PLAIN_PROXY => return runtime.block_on(plain::run()),
            word => match (word.parse(), &mut visited) {
                (Ok(number), _) => sessions.push(number),
                (Err(_), Some((_, map))) => word.clone_into(map),
                (Err(error), None) => return Err(error).context(format!("{word:?}")),
            },
        }
    }
    if is_attack {
        return runtime.block_on(attack::run(Duration::from_secs(seconds)));
    }
    if let Some((content, map)) = visited {
        let count = sessions.first().copied().unwrap_or(50);
        let time = Duration::from_secs(seconds);
        return runtime.block_on(visitors::measure(content, map, count, time));
    }
    if let Some(minutes) = soak_minutes {
        let plan = soak::Plan {
            time: Duration::from_secs_f64(60.0 * minutes),
            sessions: sessions.first().copied().unwrap_or(200),
            rate,
        };
        return runtime.block_on(soak::run(plan));
    }
    if sessions.is_empty() {
        sessions = vec![50, 200, 500];
    }
    runtime.block_on(measure(&sessions, frames, Duration::from_secs(seconds)))
}

async fn measure(sessions: &[usize], frames: Frames, time: Duration) -> anyhow::Result<()> {
    println!("{}", Report::head());
    for &count in sessions {
        let direct = play(count, Path::Direct, frames, time).await?;
        println!("{}", direct.line(None));
        for path in [Path::Plain, Path::WebSocket, Path::WebTransport] {
            println!(
                "{}",
                play(count, path, frames, time).await?.line(Some(&direct))
            );
        }
    }
    Ok(())
}

/// One game on fresh servers, with a fresh relay if it goes through one.
async fn play(count: usize, path: Path, frames: Frames, time: Duration) -> anyhow::Result<Report> {
    let servers = crowd::start_servers(count.div_ceil(PLAYERS_PER_SERVER), frames)?;
    let relay = match path {
        Path::Direct => None,
        Path::Plain => Some(Relay::start_plain().await?),
        _ => Some(Relay::start(&servers.names, &[]).await?),
    };
    let game = Game {
        count,
        path,
        relay: relay.as_ref().map(|relay| relay.address.clone()),
        time,
        process: relay.as_ref().and_then(|relay| relay.process.id()),
    };
    let report = crowd::play(servers, game).await?;
    if let Some(mut relay) = relay {
        relay.process.kill().await?;
    }
    Ok(report)
}

/// The relay as its own process, so that its work can be told from ours.
struct Relay {
    process: Child,
    address: String,
}

impl Relay {
    async fn start_plain() -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .arg(PLAIN_PROXY)
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut process = command.spawn()?;
        let output = process.stdout.take().map(BufReader::new);
        let mut output = output.ok_or_else(|| anyhow::anyhow!("no output"))?.lines();
        let address = output.next_line().await?.unwrap_or_default();
        Ok(Self { process, address })
    }

    /// With limits that no game here reaches, and for which systems allow enough open files.
    async fn start(servers: &[String], options: &[&str]) -> anyhow::Result<Self> {
        let wide = [
            "--max-sessions",
            "2000",
            "--max-sessions-per-address",
            "2000",
            "--max-connections",
            "4000",
        ];
        Self::start_with(servers, &[&wide, options].concat()).await
    }

    /// With the limits that hold when nothing is said.
    async fn start_with(servers: &[String], options: &[&str]) -> anyhow::Result<Self> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_strafe-relay"));
        command.args(["--listen", "127.0.0.1:0", "--log-json"]);
        for server in servers {
            command.args(["--server", server]);
        }
        command.args(options);
        command.stderr(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn()?;
        let log = process.stderr.take().map(BufReader::new);
        let mut log = log.ok_or_else(|| anyhow::anyhow!("no log"))?.lines();
        // Warnings may come before it.
        let address = loop {
            let line = log.next_line().await?.context("the relay ended")?;
            let line: serde_json::Value = serde_json::from_str(&line)?;
            if let Some(address) = line["fields"]["address"].as_str() {
                break address.to_owned();
            }
        };
        // Somebody must read the log, or the relay would wait for us.
        tokio::spawn(async move { while let Ok(Some(_)) = log.next_line().await {} });
        Ok(Self { process, address })
    }
}
