//! The benchmarks: the relay's load, attack and soak, and what the client's parts cost, natively and as WASM.

use crate::{servers::Relay, setup, shell, web};
use anyhow::Result;
use std::path::PathBuf;

/// The recorded match that the benchmark of the game's view plays.
const CROWD: &str = "client/tests/data/match/crowd.dm_71.gz";
const CONTENT: &str = "/usr/share/games/openarena";
const RELAY_PORT: u16 = 8190;

/// Runs the relay's benchmarks by `load`, `visitors`, `attack` or `soak` and what they take, one of the client's by its name, else
/// those of every crate that have a word in their names.
pub(crate) fn run(words: &[String]) -> Result<()> {
    let rest = words.get(1..).unwrap_or_default();
    match words.first().map(String::as_str) {
        Some("load") => relay(&[], rest),
        Some("visitors") => relay(&["--visitors", CONTENT], rest),
        Some("attack") => relay(&["--attack"], rest),
        Some("soak") if rest.is_empty() => relay(&["--soak", "60"], rest),
        Some("soak") => relay(&["--soak"], rest),
        Some("prediction") => client("prediction"),
        Some("cgame") => {
            setup::packages(&[setup::LOCAL_GAME, setup::TESTS])?;
            client("cgame")?;
            in_browser()
        }
        _ => named(words),
    }
}

fn relay(options: &[&str], rest: &[String]) -> Result<()> {
    let mut command = shell::cargo(&["bench", "--package=relay", "--bench=load", "--"]);
    shell::run(command.args(options).args(rest))
}

/// Builds and runs one benchmark alone: the others would take minutes more.
fn client(name: &str) -> Result<()> {
    shell::run(&mut shell::cargo(&[
        "bench",
        "--package=client",
        "--bench",
        name,
    ]))
}

fn named(words: &[String]) -> Result<()> {
    let mut command = shell::cargo(&["bench", "--workspace", "--benches"]);
    if !words.is_empty() {
        // The relay's benchmark has no names to choose from.
        command.args(["--exclude=relay", "--"]).args(words);
    }
    shell::run(&mut command)
}

/// Plays the same match without drawing in Chromium.
fn in_browser() -> Result<()> {
    setup::npm_project("web/e2e")?;
    web::build(false, Some("webgl"))?;
    let program = shell::build("relay", "strafe-relay", true)?;
    // The page plays a file and joins nobody.
    let relay = Relay::start(
        &program,
        RELAY_PORT,
        "localhost:27960",
        &[PathBuf::from(CONTENT)],
        Some(&web::folder()),
    )?;
    println!("in Chromium, of the whole client:");
    shell::run(&mut shell::program(
        "node",
        &["web/e2e/cost.mjs", &relay.url(), CROWD],
    ))
}
