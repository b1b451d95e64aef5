//! Replay: makes the calls of a journal again, and tells where what comes of them is not what came of them then.

use super::{
    Call, Content, Fingerprint, Logged, MAGIC, Start,
    fingerprint::{self, of_output, of_requests},
};
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
use std::{collections::HashMap, sync::Arc};

/// Why a journal cannot be replayed any further.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    #[error("this is no journal of format 2, which is what this version of Strafe replays")]
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
    /// The next call needs a file of [`Replay::wanted`] that was not given yet.
    Waits,
    /// All calls have been made.
    End,
}

/// A part of a file that the run has read.
#[derive(Clone, Debug)]
pub struct WantedPart {
    /// The pak or folder as it was found then.
    pub source: FoundSource,
    pub request: ReadRequest,
}

/// Where a replay stood between two calls.
#[derive(Clone, Debug)]
pub struct Position {
    now: ClientTime,
    frames: u64,
    at: usize,
    sources: HashMap<SourceId, FoundSource>,
    asked: HashMap<ReadId, ReadRequest>,
    given: HashMap<ReadId, Result<Vec<u8>, String>>,
    is_changed: bool,
}

impl Position {
    /// How many frames had been made.
    pub fn frames(&self) -> u64 {
        self.frames
    }
}

/// A run that is made again, with a client that its owner holds.
pub struct Replay {
    start: Start,
    now: ClientTime,
    frames: u64,
    journal: Journal,
    /// Where the first call lies.
    first_call: usize,
    /// The call that comes next, once it was read.
    next: Option<Call<Event>>,
    sources: HashMap<SourceId, FoundSource>,
    asked: HashMap<ReadId, ReadRequest>,
    wanted: Vec<WantedPart>,
    given: HashMap<ReadId, Result<Vec<u8>, String>>,
    /// Something that is shown was changed, so only what leaves the client must be as it was.
    is_changed: bool,
}

impl Replay {
    /// Reads how the run began.
    ///
    /// # Errors
    /// These bytes are no journal.
    pub fn open(bytes: Arc<[u8]>) -> Result<Self, ReplayError> {
        if !bytes.starts_with(MAGIC) {
            return Err(ReplayError::NoJournal);
        }
        let mut journal = Journal {
            bytes,
            at: MAGIC.len(),
        };
        let start: Start = journal.next()?;
        Ok(Self {
            now: start.now,
            start,
            frames: 0,
            first_call: journal.at,
            journal,
            next: None,
            sources: HashMap::new(),
            asked: HashMap::new(),
            wanted: Vec::new(),
            given: HashMap::new(),
            is_changed: false,
        })
    }

    /// Goes back to the beginning; gives the client as it was made then.
    pub fn begin(&mut self) -> Client {
        self.now = self.start.now;
        self.frames = 0;
        self.journal.at = self.first_call;
        self.next = None;
        self.sources.clear();
        self.asked.clear();
        self.wanted.clear();
        self.given.clear();
        self.is_changed = false;
        self.start.client()
    }

    /// Where it stands, to go on from there later with a copy of the client; none while a call waits for a file.
    pub fn position(&self) -> Option<Position> {
        self.next.is_none().then(|| Position {
            now: self.now,
            frames: self.frames,
            at: self.journal.at,
            sources: self.sources.clone(),
            asked: self.asked.clone(),
            given: self.given.clone(),
            is_changed: self.is_changed,
        })
    }

    /// Goes on from there; its owner brings back the client as it was.
    pub fn go_to(&mut self, position: Position) {
        self.now = position.now;
        self.frames = position.frames;
        self.journal.at = position.at;
        self.next = None;
        self.sources = position.sources;
        self.asked = position.asked;
        self.wanted.clear();
        self.given = position.given;
        self.is_changed = position.is_changed;
    }

    /// From now on only what leaves the client must be as it was: its owner changes what is shown.
    pub fn allow_change(&mut self) {
        self.is_changed = true;
    }

    /// How much of the journal has been replayed, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.journal.at as f64 / self.journal.bytes.len().max(1) as f64
    }

    /// How many frames have been made.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Milliseconds of play that they took then.
    pub fn msec(&self) -> i32 {
        self.now - self.start.now
    }

    /// The parts of files that were asked for since the last call of this, to be given in any order.
    pub fn wanted(&mut self) -> Vec<WantedPart> {
        std::mem::take(&mut self.wanted)
    }

    /// The bytes of a part that was wanted, or why it is not here.
    pub fn give(&mut self, id: ReadId, result: Result<Vec<u8>, String>) {
        self.given.insert(id, result);
    }

    /// Makes the next call.
    ///
    /// # Errors
    /// The journal is damaged, a file is missing, or something else came of the call than then.
    pub fn step(&mut self, client: &mut Client) -> Result<Step, ReplayError> {
        let call = match self.next.take() {
            Some(call) => call,
            None if self.journal.is_over() => return Ok(Step::End),
            None => self.journal.next()?,
        };
        let is_here = call.logged().iter().all(|logged| self.is_here(logged));
        let compiled =
            |logged: &Logged<Event>| matches!(logged, Logged::Event(Event::ModuleCompiled));
        if !is_here || (call.logged().iter().any(compiled) && !client.poll_module()) {
            self.next = Some(call);
            return Ok(Step::Waits);
        }
        match call {
            Call::Frame { msec, events } => {
                self.frames += 1;
                let events = self.events(events)?;
                self.now = self.now + msec;
                let output = client.frame(self.now, events);
                let then: Fingerprint = self.journal.next()?;
                let mut parts = then.differing(&of_output(&output, self.frames));
                if self.is_changed {
                    parts.retain(|part| fingerprint::LEAVING.contains(part));
                }
                self.expect_same(parts)?;
                self.note_reads(&output.requests);
                Ok(Step::Frame(Box::new(output)))
            }
            Call::Files { events } => {
                let events = self.events(events)?;
                let (requests, _) = client.pump_files(events);
                let then: u16 = self.journal.next()?;
                if then != of_requests(&requests) {
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
            let Request::Read(request) = request else {
                continue;
            };
            self.asked.insert(request.id, request.clone());
            match self.sources.get(&request.source) {
                Some(source) => self.wanted.push(WantedPart {
                    source: source.clone(),
                    request: request.clone(),
                }),
                None => self.give(request.id, Err("its pak was never found".to_owned())),
            }
        }
    }

    /// Whether what an event brought can be had; what nobody asked for never can.
    fn is_here(&self, logged: &Logged<Event>) -> bool {
        match logged {
            Logged::Event(_) => true,
            Logged::FileRead { id, .. } => {
                self.given.contains_key(id) || !self.asked.contains_key(id)
            }
        }
    }

    fn events(&mut self, logged: Vec<Logged<Event>>) -> Result<Vec<Event>, ReplayError> {
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
                    let bytes = self.content(id, content);
                    let bytes = bytes.map_err(|problem| ReplayError::File {
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
    fn content(&mut self, id: ReadId, then: Content) -> Result<Vec<u8>, String> {
        let asked = self.asked.remove(&id).ok_or("nobody asked for it")?;
        let given = self.given.remove(&id).ok_or("nobody gave it")?;
        let bytes = given?;
        if Content::of(&asked, &bytes) != then {
            let source = self.sources.get(&asked.source);
            let name = source.map_or("", |source| source.name.as_str());
            let (path, range) = (&asked.path, &asked.range);
            return Err(format!("{name} {path} bytes {range:?} have changed"));
        }
        Ok(bytes)
    }
}

impl<E> Call<E> {
    fn logged(&self) -> &[Logged<E>] {
        match self {
            Self::Frame { events, .. } | Self::Files { events } => events,
        }
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

/// A journal's bytes, and how far they have been read.
struct Journal {
    bytes: Arc<[u8]>,
    at: usize,
}

impl Journal {
    fn is_over(&self) -> bool {
        self.at == self.bytes.len()
    }

    fn next<T: DeserializeOwned>(&mut self) -> Result<T, ReplayError> {
        let rest = &self.bytes[self.at..];
        let (value, rest) =
            postcard::take_from_bytes(rest).map_err(|error| ReplayError::Damaged {
                at: self.at,
                problem: error.to_string(),
            })?;
        self.at = self.bytes.len() - rest.len();
        Ok(value)
    }
}
