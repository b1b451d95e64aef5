//! Plays in a real browser over a line that loses packets, by both transports in turn, and compares how old snapshots get.

use crate::{
    setup, shell,
    shell::Running,
    tunnel::{FAR, NEAR, Tunnel},
    web,
};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use shared::{base::text::printable_json, sim::LineQuality};
use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    process::Stdio,
};

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Options {
    /// Seconds of bad line by each transport.
    #[arg(long, default_value_t = 60)]
    pub seconds: u32,
    /// Percent lost, each way.
    #[arg(long, default_value_t = 5.0)]
    pub loss: f32,
    /// Milliseconds each way.
    #[arg(long, default_value_t = 30)]
    pub delay: i32,
    /// The same seed begins with the same losses.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Whether the relay repeats datagrams: auto, never or always.
    #[arg(long, default_value = "auto")]
    pub repeat: String,
    /// Uses the page that was built last.
    #[arg(long)]
    pub no_build: bool,
    /// Prints only the result.
    #[arg(long)]
    pub json: bool,
}

const SERVER: &str = "127.0.0.1:27960";
const RELAY_PORT: u16 = 8080;
/// WebTransport's snapshots may at 99 of 100 moments be at most this part as old as WebSocket's.
const GOAL: f64 = 0.5;

pub(crate) fn run(options: &Options) -> Result<()> {
    setup::packages(&[setup::LOCAL_GAME, setup::TESTS, setup::NAMESPACES])?;
    let project = setup::npm_project("web/e2e")?;
    if !options.no_build {
        web::build(false, Some("webgl"))?;
    }
    let relay_program = shell::build("relay", "strafe-relay", true)?;
    let results = shell::target().join("e2e");
    fs::create_dir_all(&results)?;
    let quality = LineQuality {
        delay_msec: options.delay,
        loss_percent: options.loss,
        ..LineQuality::PERFECT
    };
    let tunnel = Tunnel::build(quality, options.seed)?;
    let _server = start_server(&tunnel)?;
    let page = format!("http://{FAR}:{RELAY_PORT}/");
    let relay_program = relay_program.to_string_lossy();
    let mut relay = (tunnel.far).program(&relay_program, &["--server", SERVER]);
    relay.args(["--content", "/usr/share/games/openarena"]);
    relay.args(["--listen", &format!("0.0.0.0:{RELAY_PORT}")]);
    relay.args(["--metrics-for", NEAR, "--repeat", &options.repeat]);
    relay.arg("--web").arg(web::folder());
    relay.env("RUST_LOG", "warn");
    let _relay = Running::start("strafe-relay", &mut relay)?;
    let facts = json!({
        "page": page,
        "server": SERVER,
        "transports": ["WebTransport", "WebSocket"],
        "seconds": options.seconds,
        "results": results,
    });
    let mut node = tunnel
        .near
        .program("node", &["lossy.mjs", &facts.to_string()]);
    node.current_dir(project).stdout(Stdio::piped());
    let mut node = Running::start("node", &mut node)?;
    let words = node.child.stdout.take().context("node says nothing")?;
    let measured = listen(BufReader::new(words), &tunnel, options)?;
    report(&measured, &tunnel, options)
}

/// Does what the script wishes of the line, and gathers what it measured.
fn listen(words: impl BufRead, tunnel: &Tunnel, options: &Options) -> Result<Vec<Value>> {
    let mut measured = Vec::new();
    for line in words.lines() {
        let line = line?;
        let word: Value = serde_json::from_str(&line)
            .with_context(|| format!("the script in the browser's network says {line:?}"))?;
        if let Some(quality) = word["line"].as_str() {
            tunnel.set_bad(quality == "bad");
        } else if let Some(note) = word["note"].as_str() {
            if !options.json {
                println!("{note}");
            }
        } else if word["measured"].is_object() {
            measured.push(word["measured"].clone());
        } else if let Some(error) = word["error"].as_str() {
            bail!("{error}");
        }
    }
    Ok(measured)
}

fn report(measured: &[Value], tunnel: &Tunnel, options: &Options) -> Result<()> {
    let p99 = |transport: &str| {
        let one = measured.iter().find(|one| one["transport"] == transport)?;
        one["p99_msec"].as_f64()
    };
    let (Some(webtransport), Some(websocket)) = (p99("WebTransport"), p99("WebSocket")) else {
        bail!("the browser has not measured both transports");
    };
    let ratio = webtransport / websocket;
    let (carried, lost) = tunnel.counts();
    let passed = ratio <= GOAL;
    let report = json!({
        "loss_percent_each_way": options.loss,
        "round_trip_msec": 2 * options.delay,
        "seconds_each": options.seconds,
        "repeat": options.repeat,
        "what": "age of the newest snapshot (time since the server made it) over all milliseconds of the bad line",
        "measured": measured,
        "p99_ratio": (ratio * 1000.0).round() / 1000.0,
        "goal": GOAL,
        "passed": passed,
        "packets_carried": carried,
        "packets_lost": lost,
    });
    println!("{}", printable_json(&format!("{report:#}")));
    if !passed {
        bail!("WebTransport's p99 is {ratio:.2} of WebSocket's, not {GOAL} at most");
    }
    Ok(())
}

/// Debian's OpenArena server with some bots, reachable by the relay alone.
fn start_server(tunnel: &Tunnel) -> Result<Running> {
    let program =
        shell::find_program("openarena-server").context("openarena-server is not installed")?;
    let home = shell::target().join("servers/lossy");
    fs::create_dir_all(&home)?;
    let log = File::create(home.join("server.log"))?;
    let home = home.to_string_lossy().into_owned();
    let (host, port) = SERVER.split_once(':').context("no port")?;
    let mut command = tunnel.far.program(&program.to_string_lossy(), &[]);
    for (name, value) in [
        ("dedicated", "1"),
        ("ttycon", "0"),
        ("fs_homepath", home.as_str()),
        ("net_ip", host),
        ("net_port", port),
        ("sv_hostname", "Strafe behind a bad line"),
        ("sv_pure", "1"),
        ("bot_enable", "1"),
        ("bot_minplayers", "3"),
        ("g_inactivity", "0"),
        ("timelimit", "0"),
        ("fraglimit", "0"),
    ] {
        command.args(["+set", name, value]);
    }
    command.args(["+map", "oa_dm1"]);
    command.stdout(log.try_clone()?).stderr(log);
    // The script waits until relay and server answer.
    Running::start("openarena-server", &mut command)
}
