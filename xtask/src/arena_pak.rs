//! Writes the pak of Strafe's own arena, and says how large it is.

use anyhow::{Context, Result};
use std::{fs, path::PathBuf, time::Instant};

#[derive(clap::Args)]
pub struct Options {
    /// Where the pak is written.
    #[arg(long, default_value = "target/strafe.pk3")]
    out: PathBuf,
}

pub fn run(options: &Options) -> Result<()> {
    let start = Instant::now();
    let files = arena::assets();
    let count = files.len();
    let pak = arena::pack(files);
    if let Some(folder) = options.out.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot create {}", folder.display()))?;
    }
    fs::write(&options.out, &pak)
        .with_context(|| format!("cannot write {}", options.out.display()))?;
    println!(
        "{}: {count} files, {} KB, made in {:.1} s",
        options.out.display(),
        pak.len() / 1000,
        start.elapsed().as_secs_f32()
    );
    Ok(())
}
