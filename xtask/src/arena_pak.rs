//! Makes the pak of Strafe's own arena, and says how large it is.

use crate::shell;
use anyhow::{Context, Result};
use std::{fs, path::PathBuf, time::Instant};

#[derive(clap::Args)]
pub struct Options {
    /// Where the pak is written; its place in the tree, if nothing is said.
    #[arg(long)]
    out: Option<PathBuf>,
}

pub fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let pak = arena::pak();
    let own = || shell::root().join("arena/strafe.pk3");
    let out = options.out.clone().unwrap_or_else(own);
    fs::write(&out, &pak).with_context(|| format!("cannot write {}", out.display()))?;
    println!(
        "{}: {} KB, made in {:.1} s",
        out.display(),
        pak.len() / 1000,
        start.elapsed().as_secs_f32()
    );
    Ok(())
}
