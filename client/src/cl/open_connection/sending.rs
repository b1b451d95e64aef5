//! When a packet goes out, what it carries, and the farewell to deposit for when nobody is left to say it.

use super::{ChannelOutput, OpenConnection};
use crate::cl::{
    Notice, Settings, Stats, Update,
    deferred_disconnect::{self, Basis, Deposited},
    record::Recorder,
    reliable::Outgoing,
    send::{Pace, PaceKind},
};
use shared::{
    base::time::ClientTime,
    net::{
        clc::{self, ClientMessage, MoveKey, Movement},
        svc,
    },
};

impl OpenConnection {
    pub(super) fn packet_is_due(&self, now: ClientTime, settings: &Settings) -> bool {
        let kind = match &self.level {
            _ if self.downloads.is_running() => PaceKind::Downloading,
            Some(level) => level.pace(self.keep_alive_msec),
            None => PaceKind::Waiting {
                keep_alive_msec: self.keep_alive_msec,
            },
        };
        // A question in the middle of an answer would bring the answer twice.
        let is_being_answered = self.netchan.is_receiving_fragments()
            && now - self.last_valid_at < self.keep_alive_msec;
        if is_being_answered && matches!(kind, PaceKind::Waiting { .. }) {
            return false;
        }
        let pace = Pace {
            kind,
            max_packets: settings.max_packets,
            sends_every_frame: settings.sends_every_frame,
        };
        let last_sent = match &self.level {
            Some(level) => level.last_sent_at,
            None => self.last_sent_before_level,
        };
        pace.allows(now, last_sent)
    }

    /// How many packets are to repeat each usercmd.
    pub(super) fn repeats(&self, settings: &Settings) -> i32 {
        let measured = || self.loss.repeats(settings.max_packets.clamp(15, 125));
        settings.packet_dup.unwrap_or_else(measured)
    }

    pub(super) fn movement(&self, settings: &Settings) -> Movement {
        let Some(level) = self.level.as_ref().filter(|level| level.is_loaded) else {
            return Movement::default();
        };
        if self.downloads.is_running() {
            return Movement::default();
        }
        let newest = level
            .newest_snapshot
            .as_ref()
            .map(|snapshot| snapshot.message_num);
        let waits_for_full = self.recorder.as_ref().is_some_and(Recorder::is_waiting);
        Movement {
            allows_delta: !settings.no_delta && !waits_for_full && newest == Some(self.message_ack),
            usercmds: level
                .usercmds
                .due(self.netchan.outgoing() as u32, self.repeats(settings)),
        }
    }

    pub(super) fn send_without_usercmds(
        &mut self,
        now: ClientTime,
        stats: &mut Stats,
        output: &mut ChannelOutput,
    ) {
        self.send(now, Movement::default(), stats, output);
    }

    pub(super) fn send(
        &mut self,
        now: ClientTime,
        movement: Movement,
        stats: &mut Stats,
        output: &mut ChannelOutput,
    ) {
        let usercmds = movement.usercmds.len();
        let message = self.message(&self.commands, movement);
        let sequence = self.netchan.outgoing() as u32;
        let sent = clc::write(&message, self.move_key())
            .and_then(|bytes| self.netchan.send(bytes, &self.server_commands));
        match sent {
            Ok(datagrams) => {
                self.wire_log
                    .sends(now, sequence as i32, &message, &datagrams);
                stats.packets_sent += datagrams.len() as u32;
                output.datagrams.extend(datagrams);
            }
            Err(too_long) => {
                output
                    .updates
                    .push(Update::Notice(Notice::Refused(too_long.to_string())));
            }
        }
        match &mut self.level {
            Some(level) => {
                level.usercmds.record(sequence, now, usercmds);
                level.last_sent_at = Some(now);
            }
            None => self.last_sent_before_level = Some(now),
        }
    }

    fn message(&self, commands: &Outgoing, movement: Movement) -> ClientMessage {
        let level = self.level.as_ref();
        let commands = commands.unacknowledged();
        ClientMessage {
            server_id: level.map_or(0, |level| level.systeminfo.server_id),
            message_ack: self.message_ack,
            command_ack: self.server_commands.newest(),
            commands: commands
                .map(|(number, text)| svc::Command {
                    number,
                    text: text.to_owned(),
                })
                .collect(),
            movement,
        }
    }

    fn move_key(&self) -> MoveKey<'_> {
        let level = self.level.as_ref();
        MoveKey {
            checksum_feed: level.map_or(0, |level| level.checksum_feed),
            server_command: self.server_commands.get(self.server_commands.newest()),
        }
    }

    /// The farewell to deposit with whoever carries the datagrams, when the last one is stale.
    pub fn poll_deferred_disconnect(&mut self, now: ClientTime) -> Option<Vec<Vec<u8>>> {
        let level = self.level.as_ref().filter(|_| self.probe.is_none())?;
        let basis = Basis {
            server_id: level.systeminfo.server_id,
            own_command: self.commands.newest_number(),
            server_command: self.server_commands.newest(),
            sequence: self.netchan.outgoing(),
        };
        if self.deposited.is_some_and(|old| !old.is_stale(now, basis)) {
            return None;
        }
        self.deposited = Some(Deposited { at: now, basis });
        self.farewell(now)
    }

    /// What would say goodbye some way ahead; the channel itself does not change.
    fn farewell(&self, now: ClientTime) -> Option<Vec<Vec<u8>>> {
        let mut commands = self.commands.clone();
        commands.push_disconnect(now);
        let message = self.message(&commands, Movement::default());
        let bytes = clc::write(&message, self.move_key()).ok()?;
        let mut netchan = self.netchan.clone();
        netchan.skip(deferred_disconnect::LEAD);
        let copies = (0..deferred_disconnect::COPIES)
            .map(|_| netchan.send(bytes.clone(), &self.server_commands));
        let copies = copies.collect::<Result<Vec<_>, _>>().ok()?;
        Some(copies.concat())
    }
}
