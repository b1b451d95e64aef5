//! Draws the reference views with the client's renderer and shows how far they are off.

use crate::{release, servers::Relay, setup, shell, web};
use anyhow::{Context, Result, ensure};
use std::{path::PathBuf, process::Command};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Prints one line of JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Draws in Chromium over this graphics interface instead, by playing each view's demo.
    #[arg(long, value_parser = ["webgpu", "webgl"])]
    browser: Option<String>,
    /// Uses the page that was built last.
    #[arg(long, requires = "browser")]
    no_build: bool,
    /// Only views whose name contains one of these words.
    words: Vec<String>,
}

#[derive(clap::Args)]
pub(crate) struct MapOptions {
    /// Only maps whose name contains one of these words.
    words: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    if let Some(renderer) = &options.browser {
        return in_browser(renderer, options);
    }
    let json = options.json.then(|| "--json".to_owned());
    let arguments = json.into_iter().chain(options.words.iter().cloned());
    ensure!(
        example("views", arguments)?,
        "some views are outside the gates; compare the pictures in target/views"
    );
    Ok(())
}

/// Draws the views in Chromium, through the page, the relay and each view's demo.
fn in_browser(renderer: &str, options: &Options) -> Result<()> {
    setup::packages(&[setup::LOCAL_GAME, setup::TESTS])?;
    let project = setup::npm_project("web/e2e")?;
    if !options.no_build {
        web::build(true, Some(renderer))?;
    }
    let program = release::relay(true)?;
    let content = PathBuf::from("/usr/share/games/openarena");
    let relay = Relay::start(&program, 8181, "localhost:27960", &[content], None)?;
    let facts = serde_json::json!({
        "page": relay.url(),
        "renderer": renderer,
        "views": folder(),
        "results": shell::target().join("views"),
        "words": options.words,
        "json": options.json,
    });
    let status = shell::program("node", &["views.mjs", &facts.to_string()])
        .current_dir(&project)
        .status()
        .context("node could not be started")?;
    ensure!(
        status.success(),
        "some views are outside the gates, or the page complained{}",
        if options.no_build {
            "; without --no-build it is built anew"
        } else {
            ""
        }
    );
    Ok(())
}

/// The reference's frames, what they show, and their demos.
pub(crate) fn folder() -> PathBuf {
    shell::root().join("client/tests/data/views")
}

/// Loads and draws every map of OpenArena.
pub(crate) fn maps(options: &MapOptions) -> Result<()> {
    ensure!(
        example("maps", options.words.iter().cloned())?,
        "some maps failed; look at the contact sheets in target/maps"
    );
    Ok(())
}

/// Runs one of the client's examples; whether it was content.
fn example(name: &str, arguments: impl Iterator<Item = String>) -> Result<bool> {
    let status = Command::new(env!("CARGO"))
        .args([
            "run",
            "--quiet",
            "--release",
            "--package",
            "client",
            "--example",
        ])
        .args([name, "--"])
        .args(arguments)
        .status()
        .context("cargo could not be started")?;
    Ok(status.success())
}
