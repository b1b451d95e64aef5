//! Plays a demo: yields its messages when due, as the same updates a connection gives.
//!
//! There is always a snapshot beyond the shown time, so nothing is ever extrapolated. The first
//! record is the gamestate; after it playback waits until the level is loaded, and the clock starts
//! with the first frame after that, so that loading takes no time of the demo.

use super::{
    Reason, State, Update,
    commands::{Command, CommandReader},
    level::Level,
    send::UNKNOWN_PING,
    systeminfo::SystemInfo,
};
use shared::{
    base::time::{ClientTime, ServerTime},
    net::{
        demo::{End, Records},
        svc::{self, Decoder, Origin, ServerOp},
    },
    types::{
        configstring::Configstrings,
        servercmd::{ServerCommand, ServerCommandBody},
        snapshot::Snapshot,
        usercmd::UsercmdRing,
    },
};
use std::{collections::VecDeque, sync::Arc};

/// How time passes in a demo.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// With the clock, `timeNudge` included.
    Clock { nudge_msec: i32 },
    /// Stands still.
    Paused,
    /// Every frame shows 50 ms more, whatever the clock says (`timedemo`).
    Timedemo,
}

/// A demo being played.
#[derive(Debug)]
pub struct Playback {
    bytes: Vec<u8>,
    /// Offset of the next record.
    at: usize,
    decoder: Decoder,
    command_reader: CommandReader,
    level: Option<Level>,
    updates: VecDeque<Update>,
    state: State,
    frame_at: ClientTime,
    timedemo: Option<Timedemo>,
    faults: u32,
    has_ended: bool,
}

#[derive(Clone, Copy, Debug)]
struct Timedemo {
    base: ServerTime,
    frames: i32,
}

impl Playback {
    /// Starts a demo from the bytes of its file; the first updates lead to its gamestate.
    pub fn new(bytes: Vec<u8>, now: ClientTime) -> Self {
        let mut playback = Self {
            bytes,
            at: 0,
            decoder: Decoder::new(Origin::Demo),
            command_reader: CommandReader::default(),
            level: None,
            updates: VecDeque::new(),
            state: State::Disconnected,
            frame_at: now,
            timedemo: None,
            faults: 0,
            has_ended: false,
        };
        playback.enter(State::Connected);
        while playback.level.is_none() && playback.read_record(now) {}
        playback
    }

    /// The level is there; the demo goes on with the next frame.
    pub fn loading_finished(&mut self, now: ClientTime) {
        if let Some(level) = &mut self.level {
            level.is_loaded = true;
            self.frame_at = now;
            self.enter(State::Primed);
        }
    }

    /// Decides the time of this frame and reads what is due.
    pub fn frame(&mut self, now: ClientTime, pace: Pace) {
        let frame_msec = now - self.frame_at;
        self.frame_at = now;
        while self.state == State::Primed && self.read_record(now) {}
        if self.state != State::Active {
            return;
        }
        self.advance(now, frame_msec, pace);
        while self.state == State::Active && self.needs_snapshot() && self.read_record(now) {}
    }

    fn advance(&mut self, now: ClientTime, frame_msec: i32, pace: Pace) {
        let timedemo = self.timedemo;
        let Some(clock) = self.level.as_mut().and_then(|level| level.clock.as_mut()) else {
            return;
        };
        match pace {
            Pace::Clock { nudge_msec } => {
                clock.show(now, nudge_msec);
                self.timedemo = None;
            }
            Pace::Paused => {
                clock.hold(frame_msec);
                clock.show(now, 0);
            }
            Pace::Timedemo => {
                let mut run = timedemo.unwrap_or_else(|| {
                    clock.show(now, 0);
                    Timedemo {
                        base: clock.server_time(),
                        frames: 0,
                    }
                });
                run.frames += 1;
                clock.jump(now, run.base + run.frames * TIMEDEMO_FRAME_MSEC);
                self.timedemo = Some(run);
            }
        }
    }

    fn needs_snapshot(&self) -> bool {
        let newest = self.newest_snapshot().map(|snapshot| snapshot.server_time);
        newest.is_none_or(|newest| self.server_time() - newest >= 0)
    }

    /// Reads the next record; false at the end.
    fn read_record(&mut self, now: ClientTime) -> bool {
        let mut records = Records::starting_at(&self.bytes, self.at);
        let record = records.next();
        self.at = records.at();
        let Some(record) = record else {
            let warning = records.end().and_then(End::warning);
            self.end(warning);
            return false;
        };
        match self.decoder.read(record.sequence, record.message, i32::MAX) {
            Ok(message) => message
                .ops
                .into_iter()
                .for_each(|op| self.handle_op(now, op)),
            Err(error) => {
                self.faults += 1;
                if self.faults >= MAX_FAULTS {
                    self.leave(Reason::BadMessages(error.to_string()));
                    return false;
                }
            }
        }
        !self.has_ended
    }

    fn handle_op(&mut self, now: ClientTime, op: ServerOp) {
        match op {
            ServerOp::Command(command) => self.handle_command(&command),
            ServerOp::Gamestate(gamestate) => {
                self.level = Some(Level::new(&gamestate));
                self.timedemo = None;
                self.enter(State::Loading);
                self.updates.push_back(Update::Gamestate(gamestate));
            }
            ServerOp::Snapshot(snapshot) => {
                let Some(level) = &mut self.level else {
                    return;
                };
                level.handle_snapshot(now, snapshot.clone());
                let is_active = level.is_active();
                let ping_msec = UNKNOWN_PING;
                self.updates.push_back(Update::Snapshot {
                    snapshot,
                    ping_msec,
                });
                if is_active {
                    self.enter(State::Active);
                }
            }
            ServerOp::SnapshotWithoutBase { .. } | ServerOp::Download(_) => {}
        }
    }

    fn handle_command(&mut self, command: &svc::Command) {
        let body = match self.command_reader.read(&command.text) {
            Some(Command::Configstring { index, text }) => {
                let stored = self
                    .level
                    .as_mut()
                    .map(|level| level.set_configstring(index, &text));
                match stored {
                    Some(Ok(true)) => ServerCommandBody::Configstring { index, text },
                    _ => return,
                }
            }
            Some(Command::MapRestart(words) | Command::Game(words)) => {
                ServerCommandBody::Words(words)
            }
            // The one who recorded it left; the demo ends by itself.
            Some(Command::Disconnect(_)) | None => return,
        };
        let number = command.number;
        self.updates
            .push_back(Update::ServerCommand(ServerCommand { number, body }));
    }

    fn end(&mut self, warning: Option<String>) {
        if let Some(warning) = warning.filter(|_| !self.has_ended) {
            self.updates.push_back(Update::Print(warning));
        }
        let reason = match self.level {
            Some(_) => Reason::DemoEnded,
            None => Reason::BadMessages("the demo holds no gamestate".to_owned()),
        };
        self.leave(reason);
    }

    fn leave(&mut self, reason: Reason) {
        if !std::mem::replace(&mut self.has_ended, true) {
            self.enter(State::Disconnected);
            self.updates.push_back(Update::Disconnected(reason));
        }
    }

    fn enter(&mut self, state: State) {
        if self.state != state {
            self.state = state;
            self.updates.push_back(Update::StateChanged(state));
        }
    }

    /// The next thing that happened.
    pub fn poll_update(&mut self) -> Option<Update> {
        self.updates.pop_front()
    }

    pub fn state(&self) -> State {
        self.state
    }

    /// The time that is shown.
    pub fn server_time(&self) -> ServerTime {
        self.level
            .as_ref()
            .map_or(ServerTime::default(), Level::server_time)
    }

    pub fn newest_snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.level
            .as_ref()
            .and_then(|level| level.newest_snapshot.as_ref())
    }

    pub fn configstrings(&self) -> Option<&Configstrings> {
        self.level.as_ref().map(|level| &level.configstrings)
    }

    pub fn systeminfo(&self) -> Option<&SystemInfo> {
        self.level.as_ref().map(|level| &level.systeminfo)
    }

    /// Always empty: the player of a demo made his usercmds elsewhere.
    pub fn usercmd_ring(&self) -> Option<&UsercmdRing> {
        self.level.as_ref().map(|level| level.usercmds.ring())
    }

    /// Frames shown since a timedemo began.
    pub fn timedemo_frames(&self) -> i32 {
        self.timedemo.map_or(0, |run| run.frames)
    }
}

const TIMEDEMO_FRAME_MSEC: i32 = 50;
/// A file is the same on the second try, so it may be wrong more often than a line.
const MAX_FAULTS: u32 = 64;
