//! Builds what an operator installs: the relay with the page inside, one program in target/release.

use crate::{setup, shell, web};
use anyhow::{Context, Result};
use std::{fs, path::PathBuf};

pub(crate) fn run() -> Result<()> {
    setup::packages(&[setup::SMALL_BUNDLE])?;
    web::build(false, None)?;
    let program = relay(false)?;
    let bytes = fs::metadata(&program)
        .with_context(|| format!("cannot read {}", program.display()))?
        .len();
    println!("relay: {} ({} KB)", program.display(), bytes / 1000);
    Ok(())
}

/// Builds the relay with the page that was built last.
pub(crate) fn relay(is_dev: bool) -> Result<PathBuf> {
    let page = web::folder();
    shell::build_with(
        "relay",
        "strafe-relay",
        is_dev,
        &["--features=embed"],
        &[("STRAFE_PAGE", page.as_os_str())],
    )
}
