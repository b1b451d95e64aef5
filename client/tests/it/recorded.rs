//! A client whose journal is written, and runs that are had again from journals.

use client::{
    assets::Limits,
    client::{Client, ClientSetup},
    event::Event,
    journal::{Recorder, Replay, ReplayError, Start, Step, WantedPart},
    output::{Output, Request},
};
use shared::base::time::ClientTime;
use std::{
    ops::{Deref, DerefMut},
    time::{Duration, Instant},
};

/// A client and its journal.
pub struct Recorded {
    client: Client,
    recorder: Recorder,
    /// Of each frame so far, for whoever measures.
    pub spent: Vec<FrameTimes>,
}

/// What a frame took.
#[allow(dead_code, reason = "only benches read it")]
#[derive(Clone, Copy, Debug)]
pub struct FrameTimes {
    pub frame: Duration,
    /// Beside it, to write it down.
    pub journal: Duration,
}

impl Recorded {
    pub fn new(setup: ClientSetup, now: ClientTime) -> Self {
        let start = Start {
            version: "test".to_owned(),
            setup,
            limits: Limits::DESKTOP,
            now,
        };
        Self {
            client: start.client(),
            recorder: Recorder::new(&start),
            spent: Vec::new(),
        }
    }

    pub fn frame(&mut self, now: ClientTime, events: Vec<Event>) -> Output {
        let began_at = Instant::now();
        self.recorder.begin_frame(now, &events);
        let before = began_at.elapsed();
        let output = self.client.frame(now, events);
        let after = began_at.elapsed();
        self.recorder.end_frame(&output);
        self.spent.push(FrameTimes {
            frame: after - before,
            journal: before + (began_at.elapsed() - after),
        });
        output
    }

    pub fn pump_files(&mut self, events: Vec<Event>) -> Vec<Request> {
        self.recorder.begin_files(&events);
        let (requests, _) = self.client.pump_files(events);
        self.recorder.end_files(&requests);
        requests
    }

    /// All that happened to it so far.
    pub fn journal(&self) -> &[u8] {
        self.recorder.bytes()
    }
}

impl Deref for Recorded {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl DerefMut for Recorded {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.client
    }
}

/// Replays a journal to its end, with files from `read`; `meddle` may do something to the client before each call.
/// Gives the number of frames.
pub fn replay(
    journal: &[u8],
    mut read: impl FnMut(&WantedPart) -> Result<Vec<u8>, String>,
    mut meddle: impl FnMut(&Replay, &mut Client),
) -> Result<u64, ReplayError> {
    let mut replay = Replay::open(journal.into())?;
    let mut client = replay.begin();
    while !matches!(replay.step(&mut client)?, Step::End) {
        for part in replay.wanted() {
            let bytes = read(&part);
            replay.give(part.request.id, bytes);
        }
        meddle(&replay, &mut client);
    }
    Ok(replay.frames())
}
