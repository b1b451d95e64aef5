//! Recorder: writes down the calls of a run as they are made.

use super::{Call, Content, Logged, MAGIC, Start, fingerprint};
use crate::{
    assets::vfs::{ReadId, ReadRequest},
    event::Event,
    output::{Output, Request},
};
use serde::Serialize;
use shared::base::time::ClientTime;
use std::collections::HashMap;

/// A journal in the making.
#[derive(Debug)]
pub struct Recorder {
    bytes: Vec<u8>,
    last_frame: ClientTime,
    /// What was asked for and has not come.
    asked: HashMap<ReadId, ReadRequest>,
    frames: u64,
    is_full: bool,
}

impl Recorder {
    /// Hours of play; what comes later is not written down, because a journal without its beginning is of no use.
    pub const MAX_BYTES: usize = 128 << 20;

    /// Begins a journal.
    pub fn new(start: &Start) -> Self {
        let mut recorder = Self {
            bytes: MAGIC.to_vec(),
            last_frame: start.now,
            asked: HashMap::new(),
            frames: 0,
            is_full: false,
        };
        recorder.write(start);
        recorder
    }

    /// The journal as far as it has come.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether it has reached [`Recorder::MAX_BYTES`] and goes no further.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// A frame is about to be made of these events.
    pub fn begin_frame(&mut self, now: ClientTime, events: &[Event]) {
        let msec = now - self.last_frame;
        self.last_frame = now;
        let events = self.logged(events);
        self.begin(&Call::Frame { msec, events });
    }

    /// What came of it.
    pub fn end_frame(&mut self, output: &Output) {
        if !self.is_full {
            self.note_reads(&output.requests);
            self.frames += 1;
            self.write(&fingerprint::of_output(output, self.frames));
        }
    }

    /// Files are about to be taken.
    pub fn begin_files(&mut self, events: &[Event]) {
        let events = self.logged(events);
        self.begin(&Call::Files { events });
    }

    /// What came of them.
    pub fn end_files(&mut self, requests: &[Request]) {
        if !self.is_full {
            self.note_reads(requests);
            self.write(&fingerprint::of_requests(requests));
        }
    }

    fn begin(&mut self, call: &Call<&Event>) {
        // Only here, so that no call is without what came of it.
        self.is_full |= self.bytes.len() >= Self::MAX_BYTES;
        if !self.is_full {
            self.write(call);
        }
    }

    fn note_reads(&mut self, requests: &[Request]) {
        for request in requests {
            if let Request::Read(read) = request {
                self.asked.insert(read.id, read.clone());
            }
        }
    }

    fn logged<'e>(&mut self, events: &'e [Event]) -> Vec<Logged<&'e Event>> {
        let logged = events.iter().map(|event| {
            let Event::FileRead { id, result } = event else {
                return Logged::Event(event);
            };
            match (self.asked.remove(id), result) {
                (Some(request), Ok(bytes)) => Logged::FileRead {
                    id: *id,
                    content: Content::of(&request, bytes),
                },
                _ => Logged::Event(event),
            }
        });
        logged.collect()
    }

    fn write<T: Serialize>(&mut self, value: &T) {
        let length = self.bytes.len();
        match postcard::to_extend(value, std::mem::take(&mut self.bytes)) {
            Ok(bytes) => self.bytes = bytes,
            // Nothing that is written has a part of unknown length.
            Err(error) => unreachable!("after {length} bytes: {error}"),
        }
    }
}
