//! What a comparison of two sessions reads of one after each frame.

use super::Session;
use crate::{
    cg::CGame,
    cl::{Connection, SentPacket},
    conditioner::DatagramRecord,
};
use glam::Vec3;
use shared::base::time::ServerTime;

/// One session as it stands, and what it did since it was looked at last.
#[derive(Clone, Debug, Default)]
pub struct Observation {
    /// Where the player is shown, and when his usercmds end that this is made of.
    pub shown: Option<(Vec3, ServerTime)>,
    /// The server time of what is shown of the others.
    pub shown_time: ServerTime,
    /// Where the others are shown, by client number.
    pub others: Vec<(i32, Vec3)>,
    pub client_num: i32,
    /// The newest usercmd that the server says it has executed, by its time.
    pub acknowledged: ServerTime,
    /// Usercmds that are new, by number and time.
    pub usercmds: Vec<(i32, ServerTime)>,
    /// Packets that are new.
    pub packets: Vec<SentPacket>,
    /// Datagrams that went onto the line, both ways.
    pub records: Vec<DatagramRecord>,
    pub ping_msec: i32,
    /// How many packets repeat each usercmd.
    pub repeats: i32,
    /// Predictions that missed.
    pub missed: u64,
}

/// Up to where somebody has looked already.
#[derive(Clone, Copy, Debug, Default)]
pub struct ObservedUpTo {
    pub usercmd: i32,
    pub packet: u32,
}

impl Session {
    /// Keeps what becomes of each datagram, for [`Self::observe`].
    pub fn watch_line(&mut self) {
        self.conditioner.record_datagrams();
    }

    /// Another session has loaded the level: this one takes it as it is.
    pub fn share_assets(&mut self) {
        self.shares_assets = true;
    }

    /// How the session stands, and what it did since `seen`.
    pub fn observe(&mut self, seen: ObservedUpTo) -> Observation {
        let mut observed = Observation {
            records: self.conditioner.take_records(),
            ..Observation::default()
        };
        let Some(connection) = self.connection() else {
            return observed;
        };
        observed.look_at_connection(connection, seen);
        if let Some(cgame) = self.cgame().filter(|_| self.is_in_game()) {
            observed.look_at_game(cgame);
        }
        observed
    }
}

impl Observation {
    fn look_at_connection(&mut self, connection: &Connection, seen: ObservedUpTo) {
        let stats = connection.stats();
        self.ping_msec = stats.ping_msec;
        self.repeats = stats.repeats;
        self.shown_time = connection.server_time();
        self.client_num = connection.client_num().unwrap_or(-1);
        let snapshot = connection.newest_snapshot();
        self.acknowledged = snapshot.map_or_else(ServerTime::default, |snapshot| {
            ServerTime(snapshot.player.command_time)
        });
        let newest = connection.usercmds().next_back();
        // In another level numbers begin anew.
        let is_same = newest.is_some_and(|(number, _)| number >= seen.usercmd);
        let from = if is_same { seen.usercmd } else { 0 };
        let new = connection.usercmds().rev();
        let new = new.take_while(|(number, _)| *number > from);
        self.usercmds = new
            .map(|(number, usercmd)| (number, usercmd.server_time))
            .collect();
        self.usercmds.reverse();
        self.packets = connection.sent_packets(seen.packet);
    }

    fn look_at_game(&mut self, cgame: &CGame) {
        self.missed = cgame.prediction_stats().missed;
        self.shown = Some((cgame.player().origin, cgame.shown_command_time()));
        self.others = cgame.shown_players();
    }
}
