//! Plays a demo: yields its messages when due, as the same updates a connection gives.
//!
//! There is always a snapshot beyond the shown time, so nothing is ever extrapolated. The first
//! record is the gamestate; after it playback waits until the level is loaded, and the clock starts
//! with the first frame after that, so that loading takes no time of the demo.
//!
//! Files get damaged. What cannot be read is left out, and playback goes on with what follows; snapshots told against a
//! lost one are shown as far as they are known. A snapshot is held back until the next one is read, so that its time can
//! be judged. What was left out is said when it begins and at the end.

use super::{
    Reason, State, Update,
    client_active::ClientActive,
    commands::{Command, CommandReader},
    plausible::{self, Verdict},
    send::UNKNOWN_PING,
    systeminfo::SystemInfo,
    wire_log::WireLog,
};
use shared::{
    base::time::{ClientTime, ServerTime},
    net::{
        demo::{End, Walk},
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
#[derive(Clone, Debug)]
pub struct Playback {
    bytes: Vec<u8>,
    walk: Walk,
    /// Read and not yet done: up to the snapshot after the next.
    pending: VecDeque<PendingOp>,
    decoder: Decoder,
    command_reader: CommandReader,
    level: Option<ClientActive>,
    updates: VecDeque<Update>,
    state: State,
    frame_at: ClientTime,
    timedemo: Option<Timedemo>,
    damage: Damage,
    has_ended: bool,
    /// Where somebody looks at what the demo says.
    wire_log: WireLog,
}

/// Something that a message said, until it is its turn.
#[derive(Clone, Debug)]
struct PendingOp {
    op: ServerOp,
    is_approximate: bool,
}

/// What of the file could not be played.
#[derive(Clone, Debug, Default)]
struct Damage {
    /// Messages that could not be read, and what was wrong with the first.
    messages: u32,
    first: Option<String>,
    /// Snapshots told against lost ones.
    approximate: u32,
    /// Snapshots that nothing is known of but changes.
    without_base: u32,
    /// Snapshots whose time fits to no other.
    wild: u32,
    leaps: u32,
    was_told: bool,
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
            walk: Walk::default(),
            pending: VecDeque::new(),
            decoder: Decoder::new(Origin::Demo),
            command_reader: CommandReader::default(),
            level: None,
            updates: VecDeque::new(),
            state: State::Disconnected,
            frame_at: now,
            timedemo: None,
            damage: Damage::default(),
            has_ended: false,
            wire_log: WireLog::default(),
        };
        playback.enter(State::Connected);
        while playback.level.is_none() && playback.step(now) {}
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
        while self.state == State::Primed && self.step(now) {}
        if self.state != State::Active {
            return;
        }
        self.advance(now, frame_msec, pace);
        while self.state == State::Active && self.needs_snapshot() && self.step(now) {}
        if let Some(level) = &self.level
            && let Some(newest) = &level.newest_snapshot
        {
            self.wire_log
                .shows(now, level.server_time(), newest.server_time, 0);
        }
    }

    /// What the demo said of late.
    pub fn wire_log(&self) -> &WireLog {
        &self.wire_log
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

    /// Does what comes next, up to a snapshot or a gamestate; false at the end.
    fn step(&mut self, now: ClientTime) -> bool {
        while self.needs_more_ahead() && self.read_record() {}
        if self.pending.is_empty() {
            self.end();
            return false;
        }
        while let Some(pending) = self.pending.pop_front() {
            match pending.op {
                ServerOp::Command(command) => self.handle_command(&command),
                ServerOp::Gamestate(gamestate) => {
                    self.level = Some(ClientActive::new(&gamestate));
                    self.timedemo = None;
                    self.enter(State::Loading);
                    self.updates.push_back(Update::Gamestate(gamestate));
                    break;
                }
                ServerOp::Snapshot(snapshot) => {
                    self.damage.approximate += u32::from(pending.is_approximate);
                    self.handle_snapshot(now, snapshot);
                    break;
                }
                ServerOp::SnapshotWithoutBase { .. } => self.damage.without_base += 1,
                ServerOp::Download(_) => {}
            }
        }
        self.tell_damage();
        !self.has_ended
    }

    /// A gamestate can be taken at once, a snapshot once it is known what comes behind it.
    fn needs_more_ahead(&self) -> bool {
        let mut ops = self.pending.iter().map(|one| &one.op);
        match ops.find(|op| is_stage(op)) {
            Some(ServerOp::Snapshot(_)) => !ops.any(is_stage),
            Some(_) => false,
            None => true,
        }
    }

    /// Reads the next record; false at the end of the file.
    fn read_record(&mut self) -> bool {
        let Some(record) = self.walk.next(&self.bytes) else {
            return false;
        };
        match self.decoder.read(record.sequence, record.message, i32::MAX) {
            Ok(message) => {
                self.wire_log
                    .reads_demo(self.frame_at, record.message, &message, &self.decoder);
                let is_approximate = message.is_approximate;
                let ops = message.ops.into_iter();
                self.pending
                    .extend(ops.map(|op| PendingOp { op, is_approximate }));
            }
            Err(error) => {
                self.damage.messages += 1;
                self.damage.first.get_or_insert_with(|| error.to_string());
            }
        }
        true
    }

    fn handle_snapshot(&mut self, now: ClientTime, snapshot: Arc<Snapshot>) {
        let next = self.pending.iter().find_map(|one| match &one.op {
            ServerOp::Snapshot(snapshot) => Some(snapshot.server_time),
            _ => None,
        });
        let Some(level) = &mut self.level else {
            return;
        };
        let last = level.newest_snapshot.as_ref();
        let last = last.map(|snapshot| snapshot.server_time);
        let time = snapshot.server_time;
        let verdict = plausible::judge(last, time, next);
        if verdict == Verdict::LeaveOut {
            self.damage.wild += 1;
            return;
        }
        level.handle_snapshot(now, snapshot.clone());
        if let (Verdict::Leap, Some(clock)) = (verdict, &mut level.clock) {
            self.damage.leaps += 1;
            clock.jump(now, time);
            // The frames of a timedemo are counted on from here.
            if let Some(run) = &mut self.timedemo {
                run.base = time - run.frames.wrapping_mul(TIMEDEMO_FRAME_MSEC);
            }
        }
        let is_active = level.is_active();
        self.updates.push_back(Update::Snapshot {
            snapshot,
            ping_msec: UNKNOWN_PING,
        });
        if is_active {
            self.enter(State::Active);
        }
    }

    /// Says once, when it begins, that something is missing.
    fn tell_damage(&mut self) {
        if self.damage.was_told || self.damage.is_none() && self.walk.skipped().places == 0 {
            return;
        }
        self.damage.was_told = true;
        let fault = match &self.damage.first {
            Some(fault) => format!(" ({fault})"),
            None => String::new(),
        };
        let at = self.walk.at();
        self.updates.push_back(Update::Print(format!(
            "This demo is damaged before byte {at}{fault}; what cannot be read is left out."
        )));
    }

    /// What could not be played, in one sentence; `None` if all was.
    fn damage_text(&self) -> Option<String> {
        let skipped = self.walk.skipped();
        let damage = &self.damage;
        let parts = [
            (damage.messages, "messages that cannot be read"),
            (skipped.places, "places without messages"),
            (damage.wild, "snapshots with impossible times"),
            (
                damage.without_base,
                "snapshots of which only changes are known",
            ),
            (
                damage.approximate,
                "snapshots that build on lost ones and may show things wrong",
            ),
            (damage.leaps, "leaps in time that were followed"),
        ];
        let parts: Vec<String> = parts
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, what)| format!("{what}: {count}"))
            .collect();
        let first = damage.first.as_ref();
        let first = first.map_or_else(String::new, |fault| format!(" The first fault: {fault}."));
        (!parts.is_empty())
            .then(|| format!("The demo is damaged. It has {}.{first}", parts.join("; ")))
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

    fn end(&mut self) {
        if self.has_ended {
            return;
        }
        let warning = self.walk.end().and_then(End::warning);
        for text in warning.into_iter().chain(self.damage_text()) {
            self.updates.push_back(Update::Print(text));
        }
        let fault = self.damage.first.clone();
        self.leave(match (&self.level, fault) {
            (Some(_), _) => Reason::DemoEnded,
            (None, Some(fault)) => Reason::BadDemo(format!("its gamestate is damaged: {fault}")),
            (None, None) => Reason::BadDemo("it holds no gamestate".to_owned()),
        });
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
            .map_or(ServerTime::default(), ClientActive::server_time)
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

impl Damage {
    fn is_none(&self) -> bool {
        let counts = [
            self.messages,
            self.approximate,
            self.without_base,
            self.wild,
        ];
        counts == [0; 4]
    }
}

/// What playback goes from one to the next of.
fn is_stage(op: &ServerOp) -> bool {
    matches!(op, ServerOp::Snapshot(_) | ServerOp::Gamestate(_))
}
