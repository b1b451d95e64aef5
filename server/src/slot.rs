//! Slot: one client's place on the server, from its connect to its end.

use crate::{downloads::Download, io::Peer};
use shared::{
    base::{info::Info, text::number, time::ServerTime},
    net::{
        netchan::{Netchan, Side},
        protocol::WireForm,
        reliable::CommandTexts,
    },
    types::{snapshot::Snapshot, usercmd::Usercmd},
};
use std::{collections::BTreeSet, sync::Arc};

/// How far a client is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SlotState {
    #[default]
    Free,
    /// Left a moment ago; late datagrams of it find nobody new.
    Zombie,
    /// Accepted; its next message brings it a gamestate.
    Connected,
    /// Has a gamestate; its first usercmd brings it into the game.
    Primed,
    Active,
}

/// Snapshots that can be told against.
pub(crate) const PACKET_BACKUP: i32 = 32;

/// A message that was sent, as far as later ones need it.
#[derive(Clone, Debug, Default)]
pub(crate) struct SentFrame {
    pub snapshot: Option<Arc<Snapshot>>,
    pub sent_at: i32,
    pub acked_at: Option<i32>,
}

/// A connected client.
#[derive(Clone, Debug)]
pub(crate) struct Slot {
    pub state: SlotState,
    pub peer: Peer,
    pub qport: u16,
    pub netchan: Netchan,
    /// Under number 71 there are two wire forms; the client's first message tells which.
    pub is_wire_known: bool,
    pub userinfo: Info,
    /// Bytes in a second.
    pub rate: i32,
    pub snapshot_msec: i32,
    /// Reliable commands to the client, and the newest that it has acknowledged.
    pub commands: CommandTexts,
    pub command_ack: i32,
    /// Reliable commands from the client.
    pub client_commands: CommandTexts,
    pub next_reliable_at: i32,
    /// The message that the next snapshot may be told against.
    pub delta_base: Option<i32>,
    pub message_ack: i32,
    pub gamestate_message_num: i32,
    pub frames: Vec<SentFrame>,
    pub last_snapshot_at: Option<i32>,
    pub is_rate_delayed: bool,
    /// When the line is free again, in milliseconds of the server.
    pub line_free_at: i32,
    pub last_packet_at: i32,
    pub last_connect_at: i32,
    pub silent_frames: u32,
    /// The level time of the level before, until the client knows of the new one.
    pub old_server_time: i32,
    /// Changed while it was primed.
    pub changed_configstrings: BTreeSet<usize>,
    pub last_usercmd: Usercmd,
    pub ping: i32,
    /// Whether it has proved since the gamestate what it plays with.
    pub is_pure: Option<bool>,
    /// Gets no snapshots meanwhile.
    pub(crate) download: Option<Download>,
}

/// The handshake's part of a new slot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handshake {
    pub peer: Peer,
    pub qport: u16,
    pub challenge: i32,
    /// None if the number does not tell.
    pub wire: Option<WireForm>,
}

impl Slot {
    pub(crate) fn new(handshake: Handshake, userinfo: Info, now: i32) -> Self {
        let side = Side::Server {
            qport: handshake.qport,
        };
        let mut slot = Self {
            state: SlotState::Connected,
            peer: handshake.peer,
            qport: handshake.qport,
            netchan: Netchan::new(
                side,
                handshake.wire.unwrap_or(WireForm::Modern),
                handshake.challenge,
            ),
            is_wire_known: handshake.wire.is_some(),
            userinfo: Info::new(),
            rate: 0,
            snapshot_msec: 50,
            commands: CommandTexts::new(),
            command_ack: 0,
            client_commands: CommandTexts::new(),
            next_reliable_at: 0,
            delta_base: None,
            message_ack: 0,
            gamestate_message_num: -1,
            frames: vec![SentFrame::default(); PACKET_BACKUP as usize],
            last_snapshot_at: None,
            is_rate_delayed: false,
            line_free_at: now,
            last_packet_at: now,
            last_connect_at: now,
            silent_frames: 0,
            old_server_time: 0,
            changed_configstrings: BTreeSet::new(),
            last_usercmd: Usercmd::default(),
            ping: 999,
            is_pure: None,
            download: None,
        };
        slot.set_userinfo(userinfo, 20);
        slot
    }

    /// Takes the client's settings over: those that concern the connection (`rate`, `snaps`).
    pub(crate) fn set_userinfo(&mut self, userinfo: Info, fps: i32) {
        self.rate = match userinfo.get("rate") {
            "" => 3000,
            rate => number(rate).clamp(1000, 90_000),
        };
        let snapshot_msec = match userinfo.get("snaps") {
            "" => 50,
            snaps => 1000 / number(snaps).clamp(1, fps.max(1)),
        };
        if snapshot_msec != self.snapshot_msec {
            self.snapshot_msec = snapshot_msec;
            self.last_snapshot_at = None;
        }
        self.userinfo = userinfo;
    }

    pub(crate) fn name(&self) -> &str {
        self.userinfo.get("name")
    }

    /// What was remembered of a message.
    pub(crate) fn frame(&self, message: i32) -> &SentFrame {
        &self.frames[frame_index(message)]
    }

    pub(crate) fn frame_mut(&mut self, message: i32) -> &mut SentFrame {
        &mut self.frames[frame_index(message)]
    }

    /// Milliseconds from snapshot to acknowledgement, on average over the newest.
    pub(crate) fn measured_ping(&self) -> i32 {
        if self.peer == Peer::Bot {
            return 0;
        }
        if self.state != SlotState::Active {
            return 999;
        }
        let times = self.frames.iter();
        let times = times.filter_map(|frame| Some(frame.acked_at? - frame.sent_at));
        let (count, sum) = times.fold((0, 0), |(count, sum), msec| (count + 1, sum + msec));
        if count == 0 {
            999
        } else {
            (sum / count).min(999)
        }
    }

    /// The snapshot that a new one can be told against, if the client still has it.
    pub(crate) fn base(&self) -> Option<Arc<Snapshot>> {
        /// Older ones may be overwritten before the answer arrives.
        const MAX_DISTANCE: i32 = PACKET_BACKUP - 3;
        let base = self.delta_base?;
        let distance = self.netchan.outgoing() - base;
        if self.state != SlotState::Active || !(1..MAX_DISTANCE).contains(&distance) {
            return None;
        }
        let snapshot = self.frame(base).snapshot.clone()?;
        (snapshot.message_num == base).then_some(snapshot)
    }

    /// What level time the client is told: its clock never runs back over a change of levels.
    pub(crate) fn told_time(&self, level_time: i32) -> ServerTime {
        ServerTime(level_time.wrapping_add(self.old_server_time))
    }
}

fn frame_index(message: i32) -> usize {
    message.rem_euclid(PACKET_BACKUP) as usize
}
