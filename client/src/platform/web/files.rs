//! Paks of the relay and of the player, read in parts through the page, which keeps what it fetched.

use super::host;
use crate::{
    app::wake::Wake,
    assets::{
        source::{FarPak, FoundSource, SourceId, SourceKind},
        vfs::ReadRequest,
    },
    event::Event,
};
use std::{
    path::PathBuf,
    sync::mpsc::{Receiver, Sender, channel},
};
use wasm_bindgen::JsCast;

/// Answers of the page on their way to the client.
#[derive(Debug)]
pub struct Files {
    outbox: Sender<Event>,
    events: Receiver<Event>,
    wake: Wake,
}

impl Files {
    /// Begins to ask for sources; folders of a disk mean nothing here.
    pub fn find(_named: &[PathBuf], wake: Wake) -> Self {
        let (outbox, events) = channel();
        let answers = outbox.clone();
        let found_all = wake.clone();
        wasm_bindgen_futures::spawn_local(async move {
            match host::sources().await {
                Ok(sources) => {
                    for (number, source) in js_sys::Array::from(&sources).iter().enumerate() {
                        // A closed channel means that the client is gone.
                        let _ = answers.send(found(number as u32, source.unchecked_ref()));
                    }
                }
                Err(error) => host::fail(&format!(
                    "The list of game files could not be fetched: {}",
                    host::text_of(&error)
                )),
            }
            let _ = answers.send(Event::SourcesComplete);
            found_all.wake();
        });
        Self {
            outbox,
            events,
            wake,
        }
    }

    /// Asks for a part of a source; the answer comes out of `poll`.
    pub fn read(&mut self, request: ReadRequest) {
        let (answers, wake) = (self.outbox.clone(), self.wake.clone());
        wasm_bindgen_futures::spawn_local(async move {
            let result = read(request.source, &request).await;
            let id = request.id;
            let _ = answers.send(Event::FileRead { id, result });
            wake.wake();
        });
    }

    /// Keeps a pak that came from a server in that server's store; the page announces it.
    pub fn keep_pak(&mut self, store: &str, game: &str, file: &str, bytes: Vec<u8>) {
        let (answers, wake) = (self.outbox.clone(), self.wake.clone());
        let [store, game, file] = [store, game, file].map(str::to_owned);
        wasm_bindgen_futures::spawn_local(async move {
            let fault = match host::keep_pak(&game, &file, &bytes, &store).await {
                Ok(fault) => fault.as_string(),
                Err(error) => Some(host::text_of(&error)),
            };
            if let Some(reason) = fault {
                let _ = answers.send(Event::PakNotStored { file, reason });
                wake.wake();
            }
        });
    }

    /// Removes a pak that came from a server.
    pub fn remove_pak(&mut self, id: SourceId) {
        let (answers, wake) = (self.outbox.clone(), self.wake.clone());
        wasm_bindgen_futures::spawn_local(async move {
            let result = host::remove_pak(id.0).await;
            let result = result.map(|_| ()).map_err(|error| host::text_of(&error));
            let _ = answers.send(Event::SourceGone { id, result });
            wake.wake();
        });
    }

    pub fn poll(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }
}

/// What a request asks for, of the source that has this number now.
pub(super) async fn read(
    SourceId(source): SourceId,
    request: &ReadRequest,
) -> Result<Vec<u8>, String> {
    // File sizes stay far below 2^53, where f64 counts exactly.
    let parts = request.parts.iter();
    let parts = parts.flat_map(|part| [part.start as f64, part.end as f64]);
    let (start, end) = (request.range.start as f64, request.range.end as f64);
    host::bytes_of(host::read(source, start, end, parts.collect()).await)
}

/// A pak of the page as an event.
pub(super) fn found(number: u32, source: &host::PageSource) -> Event {
    Event::SourceFound(FoundSource {
        id: SourceId(number),
        game: source.game(),
        root: source.root(),
        name: source.name(),
        store: source.store(),
        kind: SourceKind::Far(FarPak {
            size: source.size() as u64,
            directory: source.directory().map(|bytes| bytes as u64),
            lightens: source.lightens().map(SourceId),
        }),
    })
}
