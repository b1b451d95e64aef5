//! An open connection to a server: its messages in, ours out.
//!
//! Messages are read as a whole or not at all, and only a message that was read is acknowledged.
//! Every gamestate is answered at once by a message without usercmds, before the next datagram is
//! read: some servers send it again and again unless exactly its number comes back.

mod fetching;
mod sending;

use super::{
    Notice, Settings, Stats, Update,
    client_active::ClientActive,
    clock::Adjustment,
    commands::{Command, CommandReader},
    connect::Accepted,
    deferred_disconnect::Deposited,
    download::{Downloads, STALLED_SECONDS},
    pings::Pings,
    reason::Reason,
    record::Recorder,
    redundancy::LossMeter,
    reliable::{FloodRule, Outgoing},
    send::SentPacket,
    wire_log::WireLog,
};
use shared::{
    base::{info::Info, time::ClientTime},
    net::{
        clc::Movement,
        netchan::{DropReason, Netchan, Received, Side, WireProbe},
        protocol::WireForm,
        pure::PureProof,
        reliable::CommandTexts,
        svc::{self, Decoder, MessageError, Origin, ServerMessage, ServerOp},
    },
    types::{
        servercmd::{ServerCommand, ServerCommandBody},
        usercmd::Usercmd,
    },
};

/// Everything that lasts as long as the connection to one server.
#[derive(Clone, Debug)]
pub struct OpenConnection {
    pub(super) netchan: Netchan,
    /// Until the form of the packets is known.
    probe: Option<WireProbe>,
    pub(super) decoder: Decoder,
    /// Texts from the server by number.
    pub(super) server_commands: CommandTexts,
    command_reader: CommandReader,
    pub(super) commands: Outgoing,
    /// Number of the newest message that was read.
    pub(super) message_ack: i32,
    pub(super) keep_alive_msec: i32,
    last_valid_at: ClientTime,
    last_sent_before_level: Option<ClientTime>,
    faults: Faults,
    pub(super) userinfo: SentUserinfo,
    pub(super) is_quake3e: bool,
    pub level: Option<ClientActive>,
    pub downloads: Downloads,
    /// The server was told once that nobody waits for its blocks.
    has_stopped_download: bool,
    /// Blocks of a download have come and are to be confirmed with the next frame.
    owes_confirmation: bool,
    pub recorder: Option<Recorder>,
    deposited: Option<Deposited>,
    pings: Pings,
    loss: LossMeter,
    pub wire_log: WireLog,
}

#[derive(Clone, Debug)]
pub(super) struct SentUserinfo {
    pub(super) info: Info,
    at: ClientTime,
}

/// What a session wants from its owner.
#[derive(Debug, Default)]
pub struct ChannelOutput {
    pub datagrams: Vec<Vec<u8>>,
    pub updates: Vec<Update>,
    /// The connection is over.
    pub end: Option<Reason>,
}

impl OpenConnection {
    pub fn new(now: ClientTime, accepted: &Accepted, qport: u16, userinfo: &Info) -> Self {
        let wire = accepted.wire.unwrap_or(WireForm::Legacy);
        let netchan = Netchan::new(Side::Client { qport }, wire, accepted.challenge);
        let decoder = Decoder::new(Origin::Connection(wire));
        Self {
            probe: accepted.wire.is_none().then(|| WireProbe::new(now)),
            keep_alive_msec: (2 * accepted.round_trip_msec).clamp(KEEP_ALIVE_MSEC, 5000),
            is_quake3e: accepted.is_quake3e,
            ..Self::open(now, netchan, decoder, userinfo.clone())
        }
    }

    /// A session over a channel whose form is known.
    pub(super) fn open(
        now: ClientTime,
        netchan: Netchan,
        decoder: Decoder,
        userinfo: Info,
    ) -> Self {
        Self {
            netchan,
            probe: None,
            decoder,
            server_commands: CommandTexts::new(),
            command_reader: CommandReader::default(),
            commands: Outgoing::default(),
            message_ack: 0,
            keep_alive_msec: KEEP_ALIVE_MSEC,
            last_valid_at: now,
            last_sent_before_level: None,
            faults: Faults::default(),
            userinfo: SentUserinfo {
                info: userinfo,
                at: now,
            },
            is_quake3e: false,
            level: None,
            downloads: Downloads::default(),
            has_stopped_download: false,
            owes_confirmation: false,
            recorder: None,
            deposited: None,
            pings: Pings::default(),
            loss: LossMeter::default(),
            wire_log: WireLog::default(),
        }
    }

    /// The form of the packets, once it is certain.
    pub fn wire(&self) -> Option<WireForm> {
        self.probe.is_none().then(|| self.netchan.wire())
    }

    pub fn last_valid_at(&self) -> ClientTime {
        self.last_valid_at
    }

    pub fn newest_own_command(&self) -> i32 {
        self.commands.newest_number()
    }

    /// Takes a datagram of the channel.
    pub fn handle_datagram(
        &mut self,
        now: ClientTime,
        bytes: &[u8],
        stats: &mut Stats,
    ) -> ChannelOutput {
        let mut output = ChannelOutput::default();
        if self.probe.is_some() {
            let Some(form) = WireProbe::detect(self.netchan.challenge(), bytes) else {
                stats.packets_dropped += 1;
                return output;
            };
            self.probe = None;
            self.netchan.set_wire(form);
            self.decoder = Decoder::new(Origin::Connection(form));
        }
        self.wire_log.arrives(bytes);
        match self.netchan.receive(now, bytes, self.commands.texts()) {
            Ok(received) => {
                self.last_valid_at = now;
                if let Some(received) = received {
                    stats.messages_lost += received.lost.max(0) as u32;
                    self.loss.note(received.lost);
                    self.handle_message(now, &received, stats, &mut output);
                }
            }
            Err(reason) => {
                match reason {
                    DropReason::Old => stats.packets_late += 1,
                    _ => stats.packets_dropped += 1,
                }
                self.wire_log.drops(now, reason);
            }
        }
        output
    }

    fn handle_message(
        &mut self,
        now: ClientTime,
        received: &Received,
        stats: &mut Stats,
        output: &mut ChannelOutput,
    ) {
        self.decoder.expect_block(self.downloads.expected_block());
        let newest_own = self.commands.newest_number();
        let message = match self
            .decoder
            .read(received.sequence, &received.bytes, newest_own)
        {
            Ok(message) => message,
            Err(error) => {
                self.wire_log.cannot_read(now, &error);
                stats.faults.push(error.to_string());
                output.end = self.faults.add(now, &error);
                if matches!(error, MessageError::Download(_)) {
                    self.skip_download(now, output, "its blocks cannot be read");
                }
                return;
            }
        };
        self.wire_log.reads(now, received, &message, &self.decoder);
        self.message_ack = message.sequence;
        // The reader has refused numbers above the newest.
        let _is_known = self.commands.acknowledge(message.rel_ack);
        self.record(&message, &received.bytes);
        for op in message.ops {
            self.handle_op(now, op, stats, output);
            if output.end.is_some() {
                return;
            }
        }
    }

    fn handle_op(
        &mut self,
        now: ClientTime,
        op: ServerOp,
        stats: &mut Stats,
        output: &mut ChannelOutput,
    ) {
        match op {
            ServerOp::Command(command) => self.handle_command(&command, stats, output),
            ServerOp::Gamestate(gamestate) => {
                stats.gamestates += 1;
                self.server_commands
                    .set_newest(gamestate.server_command_num);
                let level = ClientActive::new(&gamestate);
                for refused in &level.systeminfo.refused {
                    output
                        .updates
                        .push(Update::Notice(Notice::Refused(refused.clone())));
                }
                self.level = Some(level);
                output.updates.push(Update::Gamestate(gamestate));
                self.send_without_usercmds(now, stats, output);
            }
            ServerOp::Snapshot(snapshot) => {
                stats.snapshots += 1;
                let Some(level) = &mut self.level else {
                    return;
                };
                let next = self.netchan.outgoing() as u32;
                let ping_msec = level
                    .usercmds
                    .ping_msec(next, snapshot.player.command_time, now);
                stats.ping_msec = ping_msec;
                self.pings.note(ping_msec);
                level.handle_snapshot(now, snapshot.clone());
                output.updates.push(Update::Snapshot {
                    snapshot,
                    ping_msec,
                });
            }
            ServerOp::SnapshotWithoutBase { .. } => stats.snapshots_without_base += 1,
            ServerOp::Download(download) => self.handle_download(now, &download, stats, output),
        }
    }

    fn handle_command(
        &mut self,
        command: &svc::Command,
        stats: &mut Stats,
        output: &mut ChannelOutput,
    ) {
        stats.server_commands += 1;
        self.server_commands.insert(command.number, &command.text);
        let body = match self.command_reader.read(&command.text) {
            None => return,
            Some(Command::Disconnect(text)) => {
                output.end = Some(Reason::from_disconnect(&text));
                return;
            }
            Some(Command::MapRestart(words)) => {
                // Times from before the restart must not be sent again.
                if let Some(level) = &mut self.level {
                    level.usercmds.blank();
                }
                ServerCommandBody::Words(words)
            }
            Some(Command::Configstring { index, text }) => {
                let Some(level) = &mut self.level else {
                    return;
                };
                match level.set_configstring(index, &text) {
                    Ok(true) => ServerCommandBody::Configstring { index, text },
                    Ok(false) => return,
                    Err(refusal) => {
                        let notice = Notice::Refused(refusal.to_string());
                        output.updates.push(Update::Notice(notice));
                        return;
                    }
                }
            }
            Some(Command::Game(words)) => ServerCommandBody::Words(words),
        };
        let number = command.number;
        output
            .updates
            .push(Update::ServerCommand(ServerCommand { number, body }));
    }

    fn push_engine(&mut self, now: ClientTime, text: &str, output: &mut ChannelOutput) {
        if let Err(refused) = self.commands.push_engine(now, text) {
            output
                .updates
                .push(Update::Notice(Notice::Refused(refused.to_string())));
        }
    }

    pub fn push_game(&mut self, text: &str) -> Result<(), super::reliable::CommandRefused> {
        self.commands.push_game(text)
    }

    /// Enters the level: everything is loaded.
    pub fn loading_finished(
        &mut self,
        now: ClientTime,
        proof: Option<&PureProof>,
        stats: &mut Stats,
    ) -> ChannelOutput {
        let mut output = ChannelOutput::default();
        let Some(level) = &mut self.level else {
            return output;
        };
        level.is_loaded = true;
        let command = proof.filter(|_| level.systeminfo.is_pure);
        let command =
            command.map(|proof| proof.command(level.systeminfo.server_id, level.checksum_feed));
        if let Some(command) = command {
            self.push_engine(now, &command, &mut output);
        }
        // Usercmds count only after the proof, so it goes out thrice.
        for _ in 0..3 {
            self.send_without_usercmds(now, stats, &mut output);
        }
        output
    }

    /// Says goodbye.
    pub fn disconnect(&mut self, now: ClientTime, stats: &mut Stats) -> ChannelOutput {
        let mut output = ChannelOutput::default();
        self.commands.push_disconnect(now);
        for _ in 0..3 {
            self.send_without_usercmds(now, stats, &mut output);
        }
        output
    }

    /// Sends what is due, once per frame, and moves the clock on.
    pub fn frame(
        &mut self,
        now: ClientTime,
        settings: &Settings,
        stats: &mut Stats,
    ) -> ChannelOutput {
        let mut output = ChannelOutput::default();
        if now - self.last_valid_at >= settings.timeout_msec {
            output.end = Some(Reason::TimedOut {
                seconds: settings.timeout_msec / 1000,
            });
            return output;
        }
        if let Some(probe) = &mut self.probe {
            if let Some(form) = probe.poll(now) {
                self.netchan.set_wire(form);
                self.send(now, Movement::default(), stats, &mut output);
            }
            return output;
        }
        if self.downloads.is_stalled(now) {
            let fault = format!("nothing came for {STALLED_SECONDS} seconds");
            self.skip_download(now, &mut output, &fault);
        }
        self.send_userinfo(now, settings, &mut output);
        self.commands.release(now, self.flood_rule());
        let confirms = std::mem::take(&mut self.owes_confirmation) && self.downloads.is_running();
        stats.repeats = self.repeats(settings);
        if confirms || self.packet_is_due(now, settings) {
            let movement = self.movement(settings);
            self.send(now, movement, stats, &mut output);
        }
        if let Some(clock) = self.level.as_mut().and_then(|level| level.clock.as_mut()) {
            let auto = self.pings.nudge_msec(settings.auto_nudge);
            let adjustment = clock.frame(now, auto.unwrap_or(settings.time_nudge_msec));
            if let (Some(adjustment), true) = (adjustment, settings.shows_time_delta) {
                let sign = match adjustment {
                    Adjustment::Reset => "<RESET> ",
                    Adjustment::Fast => "<FAST> ",
                    Adjustment::Slow => "",
                };
                let text = format!("{sign}{}\n", clock.delta_msec());
                output.updates.push(Update::Print(text));
            }
        }
        self.log_frame(now);
        output
    }

    /// Notes what this frame shows.
    fn log_frame(&mut self, now: ClientTime) {
        if let Some(level) = &self.level
            && let Some(newest) = &level.newest_snapshot
        {
            let executed = newest.player.command_time;
            let usercmds = level.usercmds.iter().rev();
            let is_later = |(_, usercmd): &(i32, &Usercmd)| usercmd.server_time.0 > executed;
            let replayed = usercmds.take_while(is_later).count();
            self.wire_log
                .shows(now, level.server_time(), newest.server_time, replayed);
        }
    }

    fn send_userinfo(&mut self, now: ClientTime, settings: &Settings, output: &mut ChannelOutput) {
        let is_due = now - self.userinfo.at >= USERINFO_INTERVAL_MSEC;
        if is_due && self.level.is_some() && self.userinfo.info != settings.userinfo {
            self.userinfo = SentUserinfo {
                info: settings.userinfo.clone(),
                at: now,
            };
            let command = format!("userinfo \"{}\"", settings.userinfo);
            self.push_engine(now, &command, output);
        }
    }

    fn flood_rule(&self) -> FloodRule {
        let is_protected = self
            .level
            .as_ref()
            .is_none_or(|level| level.has_flood_protection);
        match (is_protected, self.is_quake3e) {
            (false, _) => FloodRule::NONE,
            (true, true) => FloodRule::QUAKE3E,
            (true, false) => FloodRule::CLASSIC,
        }
    }

    /// The packets of the level from a sequence number on, oldest first.
    pub fn sent_packets(&self, from: u32) -> Vec<SentPacket> {
        /// More than go out between two frames.
        const MAX: u32 = 64;
        let Some(level) = &self.level else {
            return Vec::new();
        };
        let end = self.netchan.outgoing() as u32;
        let from = from.max(end.saturating_sub(MAX));
        let packets = (from..end).filter_map(|sequence| level.usercmds.sent(sequence));
        packets.copied().collect()
    }

    /// Starts to record; false unless the player is in the world.
    pub fn start_recording(&mut self) -> bool {
        let is_active = self.level.as_ref().is_some_and(ClientActive::is_active);
        if is_active {
            self.recorder = Some(Recorder::default());
        }
        is_active
    }

    /// Writes a message down before anything of it takes effect here.
    fn record(&mut self, message: &ServerMessage, bytes: &[u8]) {
        let (Some(recorder), Some(level)) = (&mut self.recorder, &self.level) else {
            return;
        };
        if recorder.is_waiting() && Recorder::can_begin_with(message) {
            let mut gamestate = self.decoder.gamestate().as_ref().clone();
            gamestate.configstrings = level.configstrings.clone();
            gamestate.server_command_num = self.server_commands.newest();
            let own_command = self.commands.newest_number();
            recorder.begin(message.sequence - 1, own_command, &gamestate);
        }
        recorder.add(message.sequence, bytes);
    }
}

/// Counts messages that could not be read.
#[derive(Clone, Debug, Default)]
struct Faults {
    recent: Vec<ClientTime>,
    gamestates: u32,
}

impl Faults {
    fn add(&mut self, now: ClientTime, error: &MessageError) -> Option<Reason> {
        let is_too_many = match error {
            MessageError::GamestateTooLarge(_) => true,
            MessageError::Gamestate(_) => {
                self.gamestates += 1;
                self.gamestates >= MAX_GAMESTATE_FAULTS
            }
            MessageError::Message(_) | MessageError::Download(_) => false,
        };
        self.recent.retain(|at| now - *at < FAULT_WINDOW_MSEC);
        self.recent.push(now);
        (is_too_many || self.recent.len() >= MAX_FAULTS)
            .then(|| Reason::BadMessages(error.to_string()))
    }
}

const KEEP_ALIVE_MSEC: i32 = 1000;
/// Some servers stop reading a client's messages that changes its userinfo more often.
const USERINFO_INTERVAL_MSEC: i32 = 1050;
const FAULT_WINDOW_MSEC: i32 = 10_000;
const MAX_FAULTS: usize = 8;
const MAX_GAMESTATE_FAULTS: u32 = 3;
