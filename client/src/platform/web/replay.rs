//! Makes a run again from a journal that was dropped on the page, a little at a time, and tells what came of it.

use super::{files, host, modules};
use crate::{
    assets::source::FoundSource,
    event::Event,
    journal::{Replay, ReplayError, Step, WantedPart},
};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Whether a run can be watched again in the page's picture; it is told in words. What is never used is not fetched.
pub const HAS_WINDOW: bool = false;

/// So long the page waits at a stretch.
const SLICE_MSEC: f64 = 30.0;

/// Begins to replay; what comes of it goes to the page in words.
pub(super) fn begin(journal: Vec<u8>) {
    spawn_local(async move {
        let began_at = js_sys::Date::now();
        let text = match replay(journal).await {
            Ok((frames, msec)) => {
                let seconds = (js_sys::Date::now() - began_at) / 1000.0;
                let of_play = f64::from(msec) / 1000.0;
                format!("{frames} frames, {of_play:.1} s of play in {seconds:.1} s: all the same.")
            }
            Err(problem) => problem,
        };
        host::replayed(&text);
    });
}

async fn replay(journal: Vec<u8>) -> Result<(u64, i32), String> {
    let sources = sources().await?;
    let told = |error: ReplayError| error.to_string();
    let mut replay = Replay::open(journal.into()).map_err(told)?;
    let mut client = replay.begin();
    client.set_module_engine(modules::engine());
    let mut slice_began_at = js_sys::Date::now();
    loop {
        match replay.step(&mut client).map_err(told)? {
            Step::End => return Ok((replay.frames(), replay.msec())),
            Step::Frame(_) | Step::Files | Step::Waits => {}
        }
        for part in replay.wanted() {
            let bytes = read(&sources, &part).await;
            replay.give(part.request.id, bytes);
        }
        if js_sys::Date::now() - slice_began_at > SLICE_MSEC {
            // Whatever else the page has to do is done before this is answered.
            let turn = host::turn();
            let _ = JsFuture::from(turn).await;
            slice_began_at = js_sys::Date::now();
        }
    }
}

/// The paks that the page knows.
async fn sources() -> Result<Vec<FoundSource>, String> {
    let sources = host::sources()
        .await
        .map_err(|error| host::text_of(&error))?;
    let sources = js_sys::Array::from(&sources);
    let found = (0..).zip(sources.iter()).filter_map(|(number, source)| {
        match files::found(number, source.unchecked_ref()) {
            Event::SourceFound(source) => Some(source),
            _ => None,
        }
    });
    Ok(found.collect())
}

async fn read(sources: &[FoundSource], part: &WantedPart) -> Result<Vec<u8>, String> {
    let wanted = &part.source;
    let found = sources.iter().find(|source| source.is_same(wanted));
    let found = found.ok_or_else(|| format!("{}/{} is not here", wanted.game, wanted.name))?;
    files::read(found.id, &part.request).await
}
