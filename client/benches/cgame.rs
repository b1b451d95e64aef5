//! What a frame of the game's view costs without drawing: p50 and p99 over a recorded match of 16 players.

#[path = "../tests/it/cg_demos.rs"]
#[expect(dead_code, unused_imports, reason = "tests look at more than times")]
mod cg_demos;
#[path = "../tests/it/disk.rs"]
#[expect(dead_code, reason = "tests need more")]
mod disk;

use cg_demos::{Shown, play_bytes};
use flate2::read::GzDecoder;
use std::{cell::RefCell, io::Read};

/// The first second fills pools and loads what is seen for the first time.
const WARM_UP: usize = 40;

fn main() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/match/crowd.dm_71.gz"
    );
    let packed = std::fs::read(path).expect("the demo is part of the repository");
    let mut bytes = Vec::new();
    GzDecoder::new(packed.as_slice())
        .read_to_end(&mut bytes)
        .expect("the demo unpacks");
    let (disk, mut assets) = disk::Disk::assets();
    let disk = RefCell::new(disk);
    disk.borrow_mut().serve(&mut assets);
    let shown = Shown::default();
    let (mut players, mut entities) = (0, 0);
    let cgame = play_bytes(
        "crowd",
        bytes,
        &shown,
        &mut assets,
        |assets, map| {
            assets.load_world(map);
            disk.borrow_mut().serve(assets);
        },
        |cgame, output, assets| {
            disk.borrow_mut().serve(assets);
            let level = cgame.level();
            players = players.max(level.clients.iter().flatten().count());
            let drawn = output.scene.views.first();
            entities = entities.max(drawn.map_or(0, |view| view.entities.len()));
        },
    );
    let mut times = shown.times.into_inner();
    times.drain(..WARM_UP.min(times.len()));
    times.sort_unstable();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e6;
    println!(
        "{} frames, {players} players, at most {entities} entities, {} events: \
         p50 {:.0} µs, p99 {:.0} µs, longest {:.0} µs",
        times.len(),
        cgame.event_counts().fired,
        at(0.5),
        at(0.99),
        at(1.0),
    );
}
