//! Makes a run again from its journal, without window, network and clock, and tells whether the same came of it.

use super::{files::Shelf, modules, terminal, workers::Helpers};
use crate::{
    client::Client,
    journal::{Replay, ReplayError, Step},
};
use flate2::read::GzDecoder;
use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Instant,
};

/// Whether a run can be watched again in the window.
pub const HAS_WINDOW: bool = true;

/// What a journal may unpack to, in bytes.
const MAX_UNPACKED: u64 = 512 << 20;

/// Replays; good is who comes to the end and finds everything the same.
pub(super) fn run(path: &Path, data: &[PathBuf], prints_json: bool) -> ExitCode {
    let began_at = Instant::now();
    let outcome = read(path).and_then(|journal| {
        let mut shelf = Shelf::find(data);
        let mut workers = Helpers::start();
        let mut replay = Replay::open(journal).map_err(|error| error.to_string())?;
        let mut client = replay.begin();
        client.assets_mut().set_beside(workers.jobs());
        client.set_module_engine(modules::engine());
        let outcome = play(&mut replay, &mut client, &mut shelf);
        workers.end();
        Ok((replay.frames(), replay.msec(), outcome))
    });
    let seconds = began_at.elapsed().as_secs_f64();
    let (frames, msec, problem) = match outcome {
        Ok((frames, msec, outcome)) => (frames, msec, outcome.err().map(|error| error.to_string())),
        Err(problem) => (0, 0, Some(problem)),
    };
    let speed = f64::from(msec) / 1000.0 / seconds.max(1e-9);
    if prints_json {
        terminal::show_json(&serde_json::json!({
            "frames": frames,
            "msec": msec,
            "seconds": seconds,
            "speed": speed,
            "problem": problem,
        }));
    } else {
        terminal::show(&match &problem {
            Some(problem) => format!("{problem}\n{frames} frames before it were the same."),
            None => format!(
                "{frames} frames, {:.1} s of play in {seconds:.1} s ({speed:.0} times as fast): all the same.",
                f64::from(msec) / 1000.0
            ),
        });
    }
    match problem {
        Some(_) => ExitCode::FAILURE,
        None => ExitCode::SUCCESS,
    }
}

fn play(replay: &mut Replay, client: &mut Client, shelf: &mut Shelf) -> Result<(), ReplayError> {
    while !matches!(replay.step(client)?, Step::End) {
        for part in replay.wanted() {
            let bytes = shelf.read_of(&part.source, &part.request);
            replay.give(part.request.id, bytes);
        }
    }
    Ok(())
}

/// A journal's bytes, packed or not.
pub(super) fn read(path: &Path) -> Result<Arc<[u8]>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let bytes = fs::read(path).map_err(failed)?;
    if !bytes.starts_with(&[0x1f, 0x8b]) {
        return Ok(bytes.into());
    }
    let mut unpacked = Vec::new();
    let mut rest = GzDecoder::new(&*bytes).take(MAX_UNPACKED);
    rest.read_to_end(&mut unpacked).map_err(failed)?;
    match rest.limit() {
        0 => Err(format!(
            "{}: it unpacks to more than 512 MB",
            path.display()
        )),
        _ => Ok(unpacked.into()),
    }
}
