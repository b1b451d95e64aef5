//! Draws the reference views with the client's renderer and shows how far they are off.

use anyhow::{Context, Result, ensure};
use std::process::Command;

#[derive(clap::Args)]
pub struct Options {
    /// Prints one line of JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Only views whose name contains one of these words.
    words: Vec<String>,
}

pub fn run(options: &Options) -> Result<()> {
    let mut command = Command::new(env!("CARGO"));
    command.args([
        "run",
        "--quiet",
        "--release",
        "--package",
        "client",
        "--example",
        "views",
        "--",
    ]);
    if options.json {
        command.arg("--json");
    }
    let status = command
        .args(&options.words)
        .status()
        .context("cargo could not be started")?;
    ensure!(
        status.success(),
        "some views are outside the gates; compare the pictures in target/views"
    );
    Ok(())
}
