//! Plays in a real browser (page, relay, real server) and in the native window; prints the cold start's figures.

use crate::{
    release,
    servers::{GameServer, GameServerPlan, Relay},
    setup, shell, web,
};
use anyhow::{Context, Result, bail};
use std::{fs, path::PathBuf};

#[derive(clap::Args, Clone, Debug, Default)]
pub struct Options {
    /// Only the page over this graphics interface, only the native window, only lines that break, or only Firefox.
    #[arg(long, value_parser = ["webgpu", "webgl", "native", "line", "firefox"])]
    pub only: Option<String>,
    /// Builds quickly; the figures of size then mean nothing.
    #[arg(long)]
    pub dev: bool,
    /// Uses the page that was built last.
    #[arg(long)]
    pub no_build: bool,
}

/// How many of the browser's checks passed and failed.
pub struct Outcome {
    pub passed: usize,
    pub failed: usize,
}

pub fn run(options: &Options) -> Result<()> {
    setup::packages(&[setup::LOCAL_GAME, setup::TESTS])?;
    let outcome = play_and_measure(options)?;
    println!("{} passed, {} failed", outcome.passed, outcome.failed);
    if outcome.failed > 0 {
        bail!("the browser tests failed");
    }
    Ok(())
}

/// Builds page, relay and the second client, starts them around a real server, and lets the browser play.
pub fn play_and_measure(options: &Options) -> Result<Outcome> {
    let project = setup::npm_project("web/e2e")?;
    let only = options.only.as_deref();
    if !options.no_build && only != Some("native") {
        web::run(&web::Options {
            dev: options.dev,
            // Broken lines and Firefox need a picture of whatever kind.
            only: options.only.as_deref().map(|only| match only {
                "line" | "firefox" => "webgl".to_owned(),
                only => only.to_owned(),
            }),
        })?;
    }
    let witness = shell::build("client", "strafe", true)?;
    let server = GameServer::start(&GameServerPlan {
        map: "oa_dm1",
        // The tests name their bots, so that every visit needs the same files.
        bots: 0,
        port: 27980,
        settings: &[("g_inactivity", "0")],
    })?;
    let content = PathBuf::from("/usr/share/games/openarena");
    // As operators run it: one program with the page inside.
    let program = release::relay(true)?;
    let relay = Relay::start(&program, 8180, &server.address(), &[content], None)?;
    let results = shell::target().join("e2e");
    fs::create_dir_all(&results)?;
    let parts = only.unwrap_or("native,webgl,webgpu,line,firefox");
    let facts = serde_json::json!({
        "page": relay.url(),
        "server": server.address(),
        "rconPassword": server.rcon_password,
        "witness": witness,
        "results": results,
        "serverLog": server.log(),
        "parts": parts.split(',').collect::<Vec<_>>(),
    });
    let status = shell::program("node", &["run.mjs", &facts.to_string()])
        .current_dir(&project)
        .status()
        .context("cannot start node")?;
    let report = fs::read_to_string(results.join("report.json"))
        .with_context(|| format!("the browser tests left no report ({status})"))?;
    let report: serde_json::Value =
        serde_json::from_str(&report).context("the report of the browser tests is no JSON")?;
    let number = |name: &str| {
        report[name]
            .as_u64()
            .and_then(|number| usize::try_from(number).ok())
    };
    let (Some(passed), Some(failed)) = (number("passed"), number("failed")) else {
        bail!("the report of the browser tests has no counts")
    };
    if passed + failed == 0 {
        bail!("no browser test ran");
    }
    Ok(Outcome { passed, failed })
}
