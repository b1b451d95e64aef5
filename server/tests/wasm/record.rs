//! Plays a match natively and writes its events and the hashes of its seconds, for `run.mjs` to play again in WASM.

#[expect(dead_code, reason = "the tests use more of it")]
#[path = "../it/client.rs"]
mod client;
#[path = "../recording/players.rs"]
mod players;
#[expect(dead_code, reason = "the module of run.mjs plays it again")]
#[path = "../recording/mod.rs"]
mod recording;

use anyhow::{Context, Result};
use clap::Parser;
use std::{fs, path::PathBuf};

#[derive(Parser)]
struct Options {
    /// Where the files `events` and `hashes` go.
    folder: PathBuf,
    #[arg(default_value_t = 600)]
    seconds: i32,
}

fn main() -> Result<()> {
    let options = Options::parse();
    let played = players::record(options.seconds);
    let hashes: Vec<u8> = played
        .hashes
        .iter()
        .flat_map(|one| one.to_le_bytes())
        .collect();
    for (name, bytes) in [("events", &played.events), ("hashes", &hashes)] {
        let path = options.folder.join(name);
        fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}
