//! Checks what is linked into the programs: licences, sources, duplicate versions, known vulnerabilities.

use crate::{setup, shell};
use anyhow::Result;
use std::{path::Path, process::Command};

/// Licences, sources and duplicate versions, as deny.toml allows them.
pub(crate) fn check() -> Result<()> {
    let program = setup::cargo_program("cargo-deny")?;
    shell::run(deny(&program, &["licenses", "bans", "sources"]).arg("--hide-inclusion-graph"))
}

/// Known vulnerabilities; `None` with the reason printed where their database cannot be fetched.
pub(crate) fn advisories() -> Result<Option<()>> {
    let program = setup::cargo_program("cargo-deny")?;
    let mut fetch = shell::program(&program.to_string_lossy(), &["fetch", "db"]);
    // A clone that waits for a network that is not there would wait for minutes.
    fetch
        .current_dir(shell::root())
        .env("GIT_HTTP_LOW_SPEED_LIMIT", "1000")
        .env("GIT_HTTP_LOW_SPEED_TIME", "20");
    if let Err(error) = shell::read(&mut fetch) {
        println!("NOT RUN known vulnerabilities: their database cannot be fetched ({error:#})");
        return Ok(None);
    }
    shell::run(&mut deny(&program, &["advisories"])).map(Some)
}

fn deny(program: &Path, checks: &[&str]) -> Command {
    let mut command = shell::program(
        &program.to_string_lossy(),
        &["--color=never", "--log-level=warn", "check"],
    );
    command.args(checks).current_dir(shell::root());
    command
}
