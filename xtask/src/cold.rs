//! What a first visit costs: bytes, requests and seconds until the first frame and until all is exact, then a second visit
//! and two changes of the map, in real browsers, on this machine or over a line of a given rate and delay.

use crate::{
    nginx::{self, Nginx},
    release,
    servers::{self, GameServer, GameServerPlan, Relay},
    setup, shell,
    slow_line::SlowLine,
    web,
};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use shared::base::text::printable_json;
use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Options {
    /// The maps to visit.
    #[arg(default_values = ["oa_dm1"])]
    pub maps: Vec<String>,
    /// Which browsers.
    #[arg(long, value_parser = ["chromium", "firefox"], default_values = ["chromium", "firefox"])]
    pub browser: Vec<String>,
    /// Which graphics interface.
    #[arg(long, value_parser = ["webgl", "webgpu"], default_value = "webgl")]
    pub renderer: String,
    /// Megabits a second of the line to the browser; without it all is on this machine.
    #[arg(long)]
    pub mbit: Option<u32>,
    /// Milliseconds there and back on that line.
    #[arg(long, default_value_t = 40, requires = "mbit")]
    pub rtt: i32,
    /// Puts nginx before the relay, set up as relay/deploy/nginx.conf says.
    #[arg(long)]
    pub nginx: bool,
    /// The map that the player calls a vote for after the second visit.
    #[arg(long, default_value = "oa_dm3")]
    pub voted: String,
    /// The map that the server changes to at the end, unannounced.
    #[arg(long, default_value = "oa_dm2")]
    pub next: String,
    /// Bots on the server.
    #[arg(long, default_value_t = 4)]
    pub bots: u32,
    /// Leaves each visit at its first frame, and changes no map.
    #[arg(long)]
    pub first_frames: bool,
    /// Puts pictures of the first visit into this folder, 1, 2, 4 and 8 seconds after its first frame.
    #[arg(long)]
    pub pictures: Option<PathBuf>,
    /// Uses the page that was built last.
    #[arg(long)]
    pub no_build: bool,
    /// Prints only the figures.
    #[arg(long)]
    pub json: bool,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    setup::packages(&[setup::LOCAL_GAME, setup::TESTS])?;
    let project = setup::npm_project("web/e2e")?;
    if !options.no_build {
        web::build(false, Some(&options.renderer))?;
    }
    let relay = release::relay(true)?;
    let mut rows = Vec::new();
    for map in &options.maps {
        for browser in &options.browser {
            let row = visit(&project, &relay, map, browser, options)
                .with_context(|| format!("{map} in {browser}"))?;
            if !options.json {
                println!("{}", readable(&row));
            }
            rows.push(row);
        }
    }
    if options.json {
        println!("{}", printable_json(&format!("{:#}", json!(rows))));
    }
    Ok(())
}

fn visit(
    project: &Path,
    relay: &Path,
    map: &str,
    browser: &str,
    options: &Options,
) -> Result<Value> {
    let server = GameServer::start(&GameServerPlan {
        map,
        // Added by name.
        bots: 0,
        port: 27980,
        settings: &[("g_inactivity", "0")],
    })?;
    let content = [PathBuf::from("/usr/share/games/openarena")];
    let light = servers::light_folder().display().to_string();
    let mut relay_options = vec!["--light", &light];
    if options.nginx {
        relay_options.extend(nginx::RELAY_OPTIONS);
    }
    let address = server.address();
    let mut relay = Relay::start_with(relay, 8180, &address, &content, None, &relay_options)?;
    // They are made ahead, once.
    relay.await_light()?;
    let front = (options.nginx).then(|| Nginx::start(&relay, &content[0]));
    let front = front.transpose()?;
    let port = front.as_ref().map_or(relay.port, |nginx| nginx.port);
    let line = (options.mbit).map(|mbit| SlowLine::open(port, mbit, options.rtt));
    let line = line.transpose()?;
    let port = line.as_ref().map_or(port, |line| line.port);
    let page = format!("http://localhost:{port}/");
    // The browser's script runs in its own folder.
    let pictures = options.pictures.as_deref().map(std::path::absolute);
    let pictures = pictures.transpose()?;
    let facts = json!({
        "page": page,
        "map": map,
        "pictures": pictures,
        "server": server.address(),
        "bots": options.bots,
        "rconPassword": server.rcon_password,
        "browser": browser,
        "renderer": options.renderer,
        "firstFrames": options.first_frames,
        "votedMap": (options.voted != map && !options.first_frames).then_some(&options.voted),
        "nextMap": (options.next != map && !options.first_frames).then_some(&options.next),
    });
    let mut node = shell::program(
        "node",
        &[
            "--experimental-websocket",
            "--no-warnings",
            "cold.mjs",
            &facts.to_string(),
        ],
    );
    node.current_dir(project).stderr(Stdio::inherit());
    let output = node.output().context("node cannot be started")?;
    let words = String::from_utf8_lossy(&output.stdout);
    let last = words.lines().last().unwrap_or_default();
    let mut row: Value = serde_json::from_str(last)
        .with_context(|| format!("the browser's script says {words:?}"))?;
    if row["first"].is_null() {
        bail!("the browser's script says {words:?}");
    }
    row["map"] = map.into();
    row["browser"] = browser.into();
    Ok(row)
}

/// One line for each part of a visit.
fn readable(row: &Value) -> String {
    let megabytes = |value: &Value| value.as_f64().unwrap_or(0.0) / 1e6;
    let number = |value: &Value| value.as_f64().unwrap_or(0.0);
    let part = |name: &str, part: &Value| {
        let first = format!(
            "  {name:6}  first frame {:5.1} s, {:5.2} MB of code, {:5.2} MB of data, {} requests",
            number(&part["seconds"]),
            megabytes(&part["codeBytes"]),
            megabytes(&part["dataBytes"]),
            part["requests"],
        );
        if part["exactSeconds"].is_null() {
            return first;
        }
        let frames = |name: &str| {
            let frames = &part[name];
            let [middle, longest] = ["medianMsec", "longestMsec"].map(|name| number(&frames[name]));
            format!("{middle:.0} ms, longest {longest:.0}")
        };
        format!(
            "{first}; exact {:5.1} s, {:5.2} MB, {} requests; frames meanwhile {}, then {}",
            number(&part["exactSeconds"]),
            megabytes(&part["exactDataBytes"]),
            part["exactRequests"],
            frames("frames"),
            frames("laterFrames"),
        )
    };
    let title = |name: &str| row[name].as_str().unwrap_or("").to_owned();
    let mut lines = vec![
        format!("{} in {}", title("map"), title("browser")),
        part("first", &row["first"]),
        part("second", &row["second"]),
    ];
    for (name, how) in [("voted", "by a vote"), ("change", "unannounced")] {
        let change = &row[name];
        if !change.is_null() {
            lines.push(format!(
                "  change  to {} {how} {:5.1} s, {:5.2} MB of data, {:5.2} of them before",
                change["map"].as_str().unwrap_or(""),
                number(&change["seconds"]),
                megabytes(&change["dataBytes"]),
                megabytes(&change["aheadBytes"]),
            ));
        }
    }
    lines.join("\n")
}
