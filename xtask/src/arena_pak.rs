//! Makes the pak of Strafe's own arena, and says how large it is.

use crate::shell;
use anyhow::{Context, Result};
use shared::formats::pk3;
use std::{fs, path::PathBuf, time::Instant};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Where the pak is written; its place in the tree, if nothing is said.
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let pak = arena::pak();
    let out = options.out.clone().unwrap_or_else(path);
    fs::write(&out, &pak).with_context(|| format!("cannot write {}", out.display()))?;
    println!(
        "{}: {} KB, made in {:.1} s",
        out.display(),
        pak.len() / 1000,
        start.elapsed().as_secs_f32()
    );
    Ok(())
}

fn path() -> PathBuf {
    shell::root().join("arena/strafe.pk3")
}

/// The pak in the tree for whoever packs it as a whole.
pub(crate) fn stored() -> Result<Vec<u8>> {
    let path = path();
    let pak = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    pk3::unpack(&pak).with_context(|| format!("{} is defective", path.display()))
}
