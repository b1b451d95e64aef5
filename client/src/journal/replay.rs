//! Replay: makes the calls of a journal again, and tells where what comes of them is not what came of them then.

use super::{Call, Content, Fingerprint, Logged, MAGIC, Start, fingerprint::Fingerprints};
use crate::{
    assets::{
        source::{FoundSource, SourceId},
        vfs::{ReadId, ReadRequest},
    },
    client::Client,
    event::Event,
    output::{Output, Request},
};
use serde::de::DeserializeOwned;
use shared::base::time::ClientTime;
use std::collections::HashMap;

/// Where the files are that a run has read.
pub trait Contents {
    /// A part of the source that is known by this description.
    ///
    /// # Errors
    /// Says what is missing here.
    fn read(&mut self, source: &FoundSource, request: &ReadRequest) -> Result<Vec<u8>, String>;
}

/// Why a journal cannot be replayed any further.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    #[error("this is no journal of format 1")]
    NoJournal,
    #[error("the journal is damaged {at} bytes from its beginning ({problem})")]
    Damaged { at: usize, problem: String },
    #[error("frame {frame} needs a file that is not as it was: {problem}")]
    File { frame: u64, problem: String },
    #[error("frame {frame}, {msec} ms after the start, is not as it was: {} differ", parts.join(", "))]
    Differs {
        frame: u64,
        msec: i32,
        parts: Vec<&'static str>,
    },
}

/// What one call of the journal has brought.
#[derive(Debug)]
pub enum Step {
    Frame(Box<Output>),
    Files,
    /// All calls have been made.
    End,
}

/// A run that is made again.
pub struct Replay<'j> {
    pub client: Client,
    start: ClientTime,
    now: ClientTime,
    frames: u64,
    journal: Journal<'j>,
    sources: HashMap<SourceId, FoundSource>,
    /// What was asked for and has not come.
    reads: HashMap<ReadId, ReadRequest>,
    fingerprints: Fingerprints,
}

impl<'j> Replay<'j> {
    /// Begins with the client as it was made then.
    ///
    /// # Errors
    /// These bytes are no journal.
    pub fn open(bytes: &'j [u8]) -> Result<Self, ReplayError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(ReplayError::NoJournal)?;
        let mut journal = Journal {
            rest,
            length: bytes.len(),
        };
        let start: Start = journal.next()?;
        Ok(Self {
            client: start.client(),
            start: start.now,
            now: start.now,
            frames: 0,
            journal,
            sources: HashMap::new(),
            reads: HashMap::new(),
            fingerprints: Fingerprints::default(),
        })
    }

    /// How many frames have been made.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Milliseconds of play that they took then.
    pub fn msec(&self) -> i32 {
        self.now - self.start
    }

    /// Makes the next call.
    ///
    /// # Errors
    /// The journal is damaged, a file is missing, or something else came of the call than then.
    pub fn step(&mut self, contents: &mut dyn Contents) -> Result<Step, ReplayError> {
        if self.journal.rest.is_empty() {
            return Ok(Step::End);
        }
        match self.journal.next()? {
            Call::Frame { msec, events } => {
                self.frames += 1;
                let events = self.events(events, contents)?;
                self.now = self.now + msec;
                let output = self.client.frame(self.now, events);
                let then: Fingerprint = self.journal.next()?;
                let parts = then.differing(&self.fingerprints.of_output(&output));
                self.expect_same(parts)?;
                self.note_reads(&output.requests);
                Ok(Step::Frame(Box::new(output)))
            }
            Call::Files { events } => {
                let events = self.events(events, contents)?;
                let (requests, _) = self.client.pump_files(events);
                let then: u16 = self.journal.next()?;
                if then != self.fingerprints.of_requests(&requests) {
                    self.expect_same(vec!["files that are asked for"])?;
                }
                self.note_reads(&requests);
                Ok(Step::Files)
            }
        }
    }

    fn expect_same(&self, parts: Vec<&'static str>) -> Result<(), ReplayError> {
        if parts.is_empty() {
            return Ok(());
        }
        Err(ReplayError::Differs {
            frame: self.frames,
            msec: self.msec(),
            parts,
        })
    }

    fn note_reads(&mut self, requests: &[Request]) {
        for request in requests {
            if let Request::Read(read) = request {
                self.reads.insert(read.id, read.clone());
            }
        }
    }

    fn events(
        &mut self,
        logged: Vec<Logged<Event>>,
        contents: &mut dyn Contents,
    ) -> Result<Vec<Event>, ReplayError> {
        let mut events = Vec::with_capacity(logged.len());
        for logged in logged {
            events.push(match logged {
                Logged::Event(event) => {
                    if let Event::SourceFound(source) = &event {
                        self.sources.insert(source.id, source.clone());
                    }
                    event
                }
                Logged::FileRead { id, content } => {
                    let request = self.reads.remove(&id).ok_or("nobody asked for it".to_owned());
                    let bytes = request
                        .and_then(|request| self.content(&request, content, contents))
                        .map_err(|problem| ReplayError::File {
                            frame: self.frames,
                            problem,
                        })?;
                    Event::FileRead {
                        id,
                        result: Ok(bytes),
                    }
                }
            });
        }
        Ok(events)
    }

    /// The part of a file, if it holds what it held then.
    fn content(
        &self,
        request: &ReadRequest,
        then: Content,
        contents: &mut dyn Contents,
    ) -> Result<Vec<u8>, String> {
        let source = self.sources.get(&request.source);
        let source = source.ok_or("it lies in a pak that was never found")?;
        let bytes = contents.read(source, request)?;
        if Content::of(&bytes) != then {
            let (game, name, path) = (&source.game, &source.name, &request.path);
            let range = &request.range;
            return Err(format!("{game}/{name} {path} bytes {range:?} have changed"));
        }
        Ok(bytes)
    }
}

impl Start {
    /// The client before its first frame; who has threads or runs modules gives them to it.
    pub fn client(&self) -> Client {
        let mut client = Client::new(self.setup.clone(), self.now);
        client.assets_mut().set_limits(self.limits);
        client
    }
}

/// The rest of a journal's bytes.
struct Journal<'j> {
    rest: &'j [u8],
    length: usize,
}

impl Journal<'_> {
    fn next<T: DeserializeOwned>(&mut self) -> Result<T, ReplayError> {
        let at = self.length - self.rest.len();
        let (value, rest) =
            postcard::take_from_bytes(self.rest).map_err(|error| ReplayError::Damaged {
                at,
                problem: error.to_string(),
            })?;
        self.rest = rest;
        Ok(value)
    }
}
