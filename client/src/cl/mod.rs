//! Connection: one server, as a state machine.
//!
//! It has no socket and no clock: datagrams and times go in, datagrams and [`Update`]s come out, so
//! the same code runs natively, in the browser, and in tests with a virtual clock. Per frame: give it
//! all packets ([`Connection::handle_packet`]), take the updates, add the frame's usercmd, call
//! [`Connection::frame`], send what [`Connection::poll_transmit`] gives.
//!
//! ```text
//! connect ─ Connecting ─ Challenging ─ Connected ─ Loading ─ Primed ─ Active
//!              getchallenge  connect      gamestate │  loading_finished │ first active snapshot
//!                                      a new gamestate leads back to Loading
//! ```

pub mod age;
pub mod cadence;
mod client_active;
pub mod clock;
mod commands;
mod connect;
mod deferred_disconnect;
pub mod demo_kind;
mod download;
mod feed;
pub mod input;
pub mod lag;
mod open_connection;
mod pings;
mod plausible;
pub mod playback;
pub mod reason;
mod record;
mod redundancy;
pub mod reliable;
mod resume_state;
mod send;
pub mod systeminfo;
pub mod wire_log;

pub use connect::Seeds;
pub use download::{Progress, is_safe_name};
pub use feed::Feed;
pub use playback::Playback;
pub use reason::{Reason, Refusal};
pub use reliable::CommandRefused;
pub use send::{SentPacket, UNKNOWN_PING};
pub use shared::net::pure::PureProof;
pub use systeminfo::{Pak, SystemInfo};

use client_active::ClientActive;
use connect::{Handshake, Stage, Step};
use lag::LagWatch;
use open_connection::{ChannelOutput, OpenConnection};
use shared::{
    base::{
        info::Info,
        time::{ClientTime, ServerTime},
    },
    net::{
        netchan,
        oob::{ClientPacket, PacketRefusal, ServerPacket},
        protocol::WireForm,
    },
    types::{
        configstring::Configstrings,
        gamestate::Gamestate,
        servercmd::ServerCommand,
        snapshot::Snapshot,
        usercmd::{Usercmd, UsercmdRing},
    },
};
use std::{collections::VecDeque, fmt, sync::Arc};
use wire_log::WireLog;

/// The player's choices that concern the connection.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `name`, `model`, `rate`, `snaps`, `password` and the like; changes are told to the server.
    pub userinfo: Info,
    /// The protocol to ask for; `None` lets the server's answers decide.
    pub protocol: Option<i32>,
    /// `cl_maxpackets`, 15 to 125.
    pub max_packets: i32,
    /// `cl_packetdup`, 0 to 5: how many later packets repeat a usercmd; `None` is as many as the measured loss needs.
    pub packet_dup: Option<i32>,
    /// `cl_timeNudge`, −30 to 30.
    pub time_nudge_msec: i32,
    /// `cl_autoNudge`: shows others earlier by this share of the ping, 0 to 1.
    pub auto_nudge: f32,
    /// `cl_timeout` in milliseconds.
    pub timeout_msec: i32,
    /// `cl_showTimeDelta`: tells every correction of the clock.
    pub shows_time_delta: bool,
    /// `cl_nodelta`: every snapshot in full.
    pub no_delta: bool,
    /// The server is near (`cl_lanForcePackets`): a packet per frame.
    pub sends_every_frame: bool,
}

/// How far the way into the game is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Disconnected,
    /// Asking for a challenge.
    Connecting,
    /// Asking to be let in.
    Challenging,
    /// Let in, waiting for the gamestate or fetching paks.
    Connected,
    /// The level is known and being loaded.
    Loading,
    /// Loaded, waiting to be put into the world.
    Primed,
    Active,
}

/// What happened, in order.
#[derive(Clone, Debug)]
pub enum Update {
    StateChanged(State),
    /// A text that the server sent outside the game: refusals, answers to rcon.
    Print(String),
    /// Something about the connection for the player.
    Notice(Notice),
    /// A level begins; everything of the one before is void.
    Gamestate(Arc<Gamestate>),
    Snapshot {
        snapshot: Arc<Snapshot>,
        ping_msec: i32,
    },
    ServerCommand(ServerCommand),
    /// A pak came whole; its checksum is still to be compared.
    PakFetched {
        pak: Pak,
        bytes: Vec<u8>,
    },
    /// The connection is over; nothing follows.
    Disconnected(Reason),
}

/// Something to tell the player that does not end the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// What the server or the player wanted and did not get.
    Refused(String),
    DownloadFailed {
        pak: Pak,
        fault: String,
    },
}

/// Counters for displays and reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    pub packets_sent: u32,
    pub packets_received: u32,
    /// Datagrams that made no sense or came from somewhere else.
    pub packets_dropped: u32,
    /// Datagrams that came twice or too late.
    pub packets_late: u32,
    /// Messages of the server that never came.
    pub messages_lost: u32,
    pub gamestates: u32,
    pub snapshots: u32,
    /// Snapshots that could not be used because an earlier one was lost.
    pub snapshots_without_base: u32,
    pub server_commands: u32,
    pub usercmds: u32,
    /// How many packets repeat each usercmd now.
    pub repeats: i32,
    /// Of the newest snapshot; 999 if unknown.
    pub ping_msec: i32,
    /// What was wrong with messages that could not be read.
    pub faults: Vec<String>,
}

/// A connection from the first question to its end.
#[derive(Clone, Debug)]
pub struct Connection {
    server: String,
    seeds: Seeds,
    phase: Phase,
    /// What was told outside.
    state: State,
    transmits: VecDeque<Vec<u8>>,
    updates: VecDeque<Update>,
    stats: Stats,
    protocol: i32,
}

#[derive(Clone, Debug)]
enum Phase {
    Handshake(Handshake),
    OpenConnection(Box<OpenConnection>),
    Ended,
}

impl Connection {
    /// Begins to ask a server to be let in.
    pub fn connect(server: &str, settings: &Settings, seeds: Seeds, now: ClientTime) -> Self {
        let mut connection = Self {
            server: server.to_owned(),
            seeds,
            phase: Phase::Handshake(Handshake::new(seeds, settings.protocol, now)),
            state: State::Disconnected,
            transmits: VecDeque::new(),
            updates: VecDeque::new(),
            stats: Stats::default(),
            protocol: 0,
        };
        connection.frame(now, settings);
        connection
    }

    /// Takes a datagram of the server.
    pub fn handle_packet(&mut self, now: ClientTime, bytes: &[u8]) {
        self.stats.packets_received += 1;
        if netchan::is_out_of_band(bytes) {
            match ServerPacket::read(bytes) {
                Some(answer) => self.handle_answer(now, answer),
                None => self.stats.packets_dropped += 1,
            }
        } else if let Phase::OpenConnection(session) = &mut self.phase {
            let output = session.handle_datagram(now, bytes, &mut self.stats);
            self.fulfil(output);
        } else {
            self.stats.packets_dropped += 1;
        }
        self.tell_state();
    }

    fn handle_answer(&mut self, now: ClientTime, answer: ServerPacket) {
        match &mut self.phase {
            Phase::Handshake(handshake) => match handshake.handle_answer(now, answer) {
                Some(Step::Print(text)) => self.updates.push_back(Update::Print(text)),
                Some(Step::Failed(reason)) => self.end(reason),
                Some(Step::Accepted(accepted)) => {
                    self.protocol = accepted.protocol;
                    let qport = self.seeds.qport;
                    let session =
                        OpenConnection::new(now, &accepted, qport, handshake.sent_userinfo());
                    self.phase = Phase::OpenConnection(Box::new(session));
                }
                None => {}
            },
            Phase::OpenConnection(session) => match answer {
                ServerPacket::Print(text) => {
                    let text = text.trim_end().to_owned();
                    self.updates.push_back(Update::Print(text));
                }
                ServerPacket::Disconnect if now - session.last_valid_at() >= FORGOTTEN_MSEC => {
                    self.end(Reason::Forgotten);
                }
                _ => {}
            },
            Phase::Ended => {}
        }
    }

    /// Does what is due; once per frame, after the frame's usercmd was added.
    pub fn frame(&mut self, now: ClientTime, settings: &Settings) {
        match &mut self.phase {
            Phase::Handshake(handshake) => match handshake.frame(now, &settings.userinfo) {
                Ok(questions) => self.ask(&questions),
                Err(reason) => self.end(reason),
            },
            Phase::OpenConnection(session) => {
                let output = session.frame(now, settings, &mut self.stats);
                self.fulfil(output);
            }
            Phase::Ended => {}
        }
        self.tell_state();
    }

    /// Adds the usercmd of this frame and gives its number within the level; `None` while usercmds
    /// are not wanted yet.
    pub fn add_usercmd(&mut self, usercmd: Usercmd) -> Option<i32> {
        let level = self.level_mut().filter(|level| level.is_loaded)?;
        let number = level.usercmds.push(usercmd);
        self.stats.usercmds += 1;
        Some(number)
    }

    /// Sends a command to the server's game, such as `say hello`; it waits where the server would
    /// ignore it.
    ///
    /// # Errors
    /// Tells why it cannot be sent; also when there is no connection.
    pub fn add_reliable_command(&mut self, text: &str) -> Result<(), CommandRefused> {
        match &mut self.phase {
            Phase::OpenConnection(session) => session.push_game(text),
            _ => Err(CommandRefused::NotConnected),
        }
    }

    /// Enters the level. A pure server lets nobody in without the proof.
    pub fn loading_finished(&mut self, now: ClientTime, proof: Option<&PureProof>) {
        if let Phase::OpenConnection(session) = &mut self.phase {
            let output = session.loading_finished(now, proof, &mut self.stats);
            self.fulfil(output);
        }
        self.tell_state();
    }

    /// Fetches paks from the server. A new gamestate follows when they are here.
    pub fn download(&mut self, now: ClientTime, paks: &[Pak]) {
        if let Phase::OpenConnection(session) = &mut self.phase {
            let mut output = ChannelOutput::default();
            session.download(now, paks, &mut output);
            self.fulfil(output);
        }
        self.tell_state();
    }

    /// Gives the running download and those that wait up. A new gamestate follows.
    pub fn stop_downloads(&mut self, now: ClientTime) {
        if let Phase::OpenConnection(session) = &mut self.phase {
            let mut output = ChannelOutput::default();
            session.stop_downloads(now, &mut output);
            self.fulfil(output);
        }
        self.tell_state();
    }

    /// Sends a line to the server's remote console; the password goes over the line in clear.
    ///
    /// # Errors
    /// The server would misread it.
    pub fn send_rcon(&mut self, password: &str, command: &str) -> Result<(), PacketRefusal> {
        let packet = ClientPacket::Rcon {
            password: password.to_owned(),
            command: command.to_owned(),
        };
        self.transmits.push_back(packet.write()?);
        self.stats.packets_sent += 1;
        Ok(())
    }

    fn ask(&mut self, questions: &[ClientPacket]) {
        for question in questions {
            match question.write() {
                Ok(datagram) => {
                    self.transmits.push_back(datagram);
                    self.stats.packets_sent += 1;
                }
                Err(refusal) => self.end(Reason::Userinfo(refusal.to_string())),
            }
        }
    }

    /// Leaves the server.
    pub fn disconnect(&mut self, now: ClientTime) {
        if let Phase::OpenConnection(session) = &mut self.phase {
            let output = session.disconnect(now, &mut self.stats);
            self.fulfil(output);
        }
        self.end(Reason::Left);
        self.tell_state();
    }

    /// The next datagram to send to the server.
    pub fn poll_transmit(&mut self) -> Option<Vec<u8>> {
        self.transmits.pop_front()
    }

    /// A farewell that a relay may send when the player cannot any more, when there is a new one:
    /// datagrams some way ahead in sequence, which are not sent now and change nothing here.
    pub fn poll_deferred_disconnect(&mut self, now: ClientTime) -> Option<Vec<Vec<u8>>> {
        self.session_mut()?.poll_deferred_disconnect(now)
    }

    /// The next thing that happened.
    pub fn poll_update(&mut self) -> Option<Update> {
        self.updates.pop_front()
    }

    /// Starts to record a demo; false unless the player is in the world and no demo is recorded.
    pub fn start_recording(&mut self) -> bool {
        match &mut self.phase {
            Phase::OpenConnection(session) if session.recorder.is_none() => {
                session.start_recording()
            }
            _ => false,
        }
    }

    /// What the demo grew by since the last time.
    pub fn take_recorded(&mut self) -> Option<Vec<u8>> {
        let recorder = self.session_mut()?.recorder.as_mut()?;
        Some(recorder.take()).filter(|bytes| !bytes.is_empty())
    }

    /// Ends the demo and gives its last bytes.
    pub fn stop_recording(&mut self) -> Option<Vec<u8>> {
        let recorder = self.session_mut()?.recorder.take()?;
        Some(recorder.finish())
    }

    fn fulfil(&mut self, output: ChannelOutput) {
        self.transmits.extend(output.datagrams);
        for update in output.updates {
            // A level begins before anything in it happens.
            if matches!(update, Update::Gamestate(_)) {
                self.tell_state();
            }
            self.updates.push_back(update);
        }
        if let Some(reason) = output.end {
            self.end(reason);
        }
    }

    fn end(&mut self, reason: Reason) {
        if matches!(self.phase, Phase::Ended) {
            return;
        }
        self.phase = Phase::Ended;
        self.tell_state();
        self.updates.push_back(Update::Disconnected(reason));
    }

    fn tell_state(&mut self) {
        let state = self.state_of_phase();
        if state != self.state {
            self.state = state;
            self.updates.push_back(Update::StateChanged(state));
        }
    }

    fn state_of_phase(&self) -> State {
        let session = match &self.phase {
            Phase::Ended => return State::Disconnected,
            Phase::Handshake(handshake) => {
                return match handshake.stage() {
                    Stage::Challenge => State::Connecting,
                    Stage::Connect => State::Challenging,
                };
            }
            Phase::OpenConnection(session) => session,
        };
        match &session.level {
            None => State::Connected,
            Some(_) if session.downloads.is_running() => State::Connected,
            Some(level) if level.is_active() => State::Active,
            Some(level) if level.is_loaded => State::Primed,
            Some(_) => State::Loading,
        }
    }
}

/// What is known now.
impl Connection {
    pub fn state(&self) -> State {
        self.state
    }

    /// The server as the player named it.
    pub fn server(&self) -> &str {
        &self.server
    }

    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// How often the open question of the handshake was asked.
    pub fn attempts(&self) -> u32 {
        match &self.phase {
            Phase::Handshake(handshake) => handshake.attempts(),
            _ => 0,
        }
    }

    /// The protocol number of the connection; 0 before it is chosen.
    pub fn protocol(&self) -> i32 {
        self.protocol
    }

    /// The form of the packets, once it is certain.
    pub fn wire(&self) -> Option<WireForm> {
        self.session().and_then(OpenConnection::wire)
    }

    /// The time of the last frame: what is drawn, and what the next usercmd carries.
    pub fn server_time(&self) -> ServerTime {
        self.level()
            .map_or(ServerTime::default(), ClientActive::server_time)
    }

    /// The configstrings of the level as they are now.
    pub fn configstrings(&self) -> Option<&Configstrings> {
        self.level().map(|level| &level.configstrings)
    }

    /// Why nothing new came for a while, in this level.
    pub fn lag(&self) -> Option<&LagWatch> {
        self.level().map(|level| &level.lag)
    }

    /// The same, to be told what happens beside the connection.
    pub fn lag_mut(&mut self) -> Option<&mut LagWatch> {
        self.session_mut()?
            .level
            .as_mut()
            .map(|level| &mut level.lag)
    }

    /// What was said on the connection of late.
    pub fn wire_log(&self) -> Option<&WireLog> {
        self.session().map(|session| &session.wire_log)
    }

    /// How old the level's snapshots were over the last so many seconds.
    pub fn snapshot_ages(&self, seconds: i32) -> Option<age::AgeReport> {
        self.level()?.ages.report(seconds)
    }

    pub fn systeminfo(&self) -> Option<&SystemInfo> {
        self.level().map(|level| &level.systeminfo)
    }

    pub fn checksum_feed(&self) -> Option<i32> {
        self.level().map(|level| level.checksum_feed)
    }

    pub fn client_num(&self) -> Option<i32> {
        self.level().map(|level| level.client_num)
    }

    pub fn newest_snapshot(&self) -> Option<&Arc<Snapshot>> {
        self.level()
            .and_then(|level| level.newest_snapshot.as_ref())
    }

    /// The usercmds of the level with their numbers, oldest first; more than a second's worth.
    pub fn usercmds(&self) -> impl DoubleEndedIterator<Item = (i32, &Usercmd)> {
        self.level()
            .into_iter()
            .flat_map(|level| level.usercmds.iter())
    }

    /// The same as the ring they are kept in; `None` before there is a level.
    pub fn usercmd_ring(&self) -> Option<&UsercmdRing> {
        self.level().map(|level| level.usercmds.ring())
    }

    /// The packets of the level from a sequence number on, as far as they are remembered.
    pub fn sent_packets(&self, from: u32) -> Vec<SentPacket> {
        let packets = self.session().map(|session| session.sent_packets(from));
        packets.unwrap_or_default()
    }

    /// Commands of the client so far.
    pub fn reliable_commands(&self) -> i32 {
        self.session().map_or(0, OpenConnection::newest_own_command)
    }

    pub fn download_progress(&self) -> Option<Progress<'_>> {
        self.session()
            .and_then(|session| session.downloads.progress())
    }

    /// Milliseconds since the server's last valid packet.
    pub fn silence_msec(&self, now: ClientTime) -> i32 {
        self.session()
            .map_or(0, |session| now - session.last_valid_at())
    }

    fn session(&self) -> Option<&OpenConnection> {
        match &self.phase {
            Phase::OpenConnection(session) => Some(session),
            _ => None,
        }
    }

    fn session_mut(&mut self) -> Option<&mut OpenConnection> {
        match &mut self.phase {
            Phase::OpenConnection(session) => Some(session),
            _ => None,
        }
    }

    fn level(&self) -> Option<&ClientActive> {
        self.session().and_then(|session| session.level.as_ref())
    }

    fn level_mut(&mut self) -> Option<&mut ClientActive> {
        self.session_mut()
            .and_then(|session| session.level.as_mut())
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Disconnected => "disconnected",
            Self::Connecting => "connecting",
            Self::Challenging => "challenging",
            Self::Connected => "connected",
            Self::Loading => "loading",
            Self::Primed => "primed",
            Self::Active => "active",
        })
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(what) => write!(f, "Refused: {what}."),
            Self::DownloadFailed { pak, fault } => {
                write!(f, "{}.pk3 could not be fetched: {fault}.", pak.name)
            }
        }
    }
}

/// A server of 1999 says `disconnect` to peers that it does not know.
const FORGOTTEN_MSEC: i32 = 3000;
