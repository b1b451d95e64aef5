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

/// Where a replay stands between two calls.
#[derive(Clone, Debug)]
pub struct Position {
    now: ClientTime,
    frames: u64,
    /// How much of the journal has been read, in bytes.
    at: usize,
    sources: HashMap<SourceId, FoundSource>,
    asked: HashMap<ReadId, ReadRequest>,
    given: HashMap<ReadId, Result<Vec<u8>, String>>,
    /// Something that is shown was changed, so only what leaves the client must be as it was.
    is_changed: bool,
}

impl Position {
    fn new(now: ClientTime, at: usize) -> Self {
        Self {
            now,
            frames: 0,
            at,
            sources: HashMap::new(),
            asked: HashMap::new(),
            given: HashMap::new(),
            is_changed: false,
        }
    }

    /// How many frames had been made.
    pub fn frames(&self) -> u64 {
        self.frames
    }
}

/// A run that is made again, with a client that its owner holds.
pub struct Replay {
    start: Start,
    journal: Arc<[u8]>,
    /// Where the first call lies.
    first_call: usize,
    position: Position,
    /// The call that comes next, once it was read.
    next: Option<Call<Event>>,
    wanted: Vec<WantedPart>,
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
        let mut first_call = MAGIC.len();
        let start: Start = read(&bytes, &mut first_call)?;
        Ok(Self {
            position: Position::new(start.now, first_call),
            start,
            journal: bytes,
            first_call,
            next: None,
            wanted: Vec::new(),
        })
    }

    /// Goes back to the beginning; gives the client as it was made then.
    pub fn begin(&mut self) -> Client {
        self.go_to(Position::new(self.start.now, self.first_call));
        self.start.client()
    }

    /// Where it stands, to go on from there later with a copy of the client; none while a call waits for a file.
    pub fn position(&self) -> Option<Position> {
        self.next.is_none().then(|| self.position.clone())
    }

    /// Goes on from there; its owner brings back the client as it was.
    pub fn go_to(&mut self, position: Position) {
        self.position = position;
        self.next = None;
        self.wanted.clear();
    }

    /// From now on only what leaves the client must be as it was: its owner changes what is shown.
    pub fn allow_change(&mut self) {
        self.position.is_changed = true;
    }

    /// How much of the journal has been replayed, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.position.at as f64 / self.journal.len().max(1) as f64
    }

    /// How many frames have been made.
    pub fn frames(&self) -> u64 {
        self.position.frames
    }

    /// Milliseconds of play that they took then.
    pub fn msec(&self) -> i32 {
        self.position.now - self.start.now
    }

    /// The parts of files that were asked for since the last call of this, to be given in any order.
    pub fn wanted(&mut self) -> Vec<WantedPart> {
        std::mem::take(&mut self.wanted)
    }

    /// The bytes of a part that was wanted, or why it is not here.
    pub fn give(&mut self, id: ReadId, result: Result<Vec<u8>, String>) {
        self.position.given.insert(id, result);
    }

    /// Makes the next call.
    ///
    /// # Errors
    /// The journal is damaged, a file is missing, or something else came of the call than then.
    pub fn step(&mut self, client: &mut Client) -> Result<Step, ReplayError> {
        let call = match self.next.take() {
            Some(call) => call,
            None if self.position.at == self.journal.len() => return Ok(Step::End),
            None => self.read()?,
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
                self.position.frames += 1;
                let events = self.events(events)?;
                self.position.now = self.position.now + msec;
                let output = client.frame(self.position.now, events);
                let then: Fingerprint = self.read()?;
                let mut parts = then.differing(&of_output(&output, self.position.frames));
                if self.position.is_changed {
                    parts.retain(|part| fingerprint::LEAVING.contains(part));
                }
                self.expect_same(parts)?;
                self.note_reads(&output.requests);
                Ok(Step::Frame(Box::new(output)))
            }
            Call::Files { events } => {
                let events = self.events(events)?;
                let (requests, _) = client.pump_files(events);
                let then: u16 = self.read()?;
                if then != of_requests(&requests) {
                    self.expect_same(vec!["files that are asked for"])?;
                }
                self.note_reads(&requests);
                Ok(Step::Files)
            }
        }
    }

    fn read<T: DeserializeOwned>(&mut self) -> Result<T, ReplayError> {
        read(&self.journal, &mut self.position.at)
    }

    fn expect_same(&self, parts: Vec<&'static str>) -> Result<(), ReplayError> {
        if parts.is_empty() {
            return Ok(());
        }
        Err(ReplayError::Differs {
            frame: self.position.frames,
            msec: self.msec(),
            parts,
        })
    }

    fn note_reads(&mut self, requests: &[Request]) {
        for request in requests {
            let Request::Read(request) = request else {
                continue;
            };
            self.position.asked.insert(request.id, request.clone());
            match self.position.sources.get(&request.source) {
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
                self.position.given.contains_key(id) || !self.position.asked.contains_key(id)
            }
        }
    }

    fn events(&mut self, logged: Vec<Logged<Event>>) -> Result<Vec<Event>, ReplayError> {
        let mut events = Vec::with_capacity(logged.len());
        for logged in logged {
            events.push(match logged {
                Logged::Event(event) => {
                    if let Event::SourceFound(source) = &event {
                        self.position.sources.insert(source.id, source.clone());
                    }
                    event
                }
                Logged::FileRead { id, content } => {
                    let bytes = self.content(id, content);
                    let bytes = bytes.map_err(|problem| ReplayError::File {
                        frame: self.position.frames,
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
        let Position { asked, given, .. } = &mut self.position;
        let asked = asked.remove(&id).ok_or("nobody asked for it")?;
        let given = given.remove(&id).ok_or("nobody gave it")?;
        let bytes = given?;
        if Content::of(&asked, &bytes) != then {
            let source = self.position.sources.get(&asked.source);
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

/// What lies in a journal from there on; goes on behind it.
fn read<T: DeserializeOwned>(journal: &[u8], at: &mut usize) -> Result<T, ReplayError> {
    let read = postcard::take_from_bytes(&journal[*at..]);
    let (value, rest) = read.map_err(|error| ReplayError::Damaged {
        at: *at,
        problem: error.to_string(),
    })?;
    *at = journal.len() - rest.len();
    Ok(value)
}
