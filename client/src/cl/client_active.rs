//! ClientActive: everything that is forgotten when the next gamestate comes.

use super::{
    age::SnapshotAges,
    clock::Clock,
    lag::{Arrival, LagWatch},
    send::{PaceKind, Usercmds},
    systeminfo::SystemInfo,
};
use shared::{
    base::{
        info::Info,
        time::{ClientTime, ServerTime},
    },
    types::{
        configstring::{ConfigstringRefusal, Configstrings, index},
        gamestate::Gamestate,
        snapshot::{Snapshot, flags},
    },
};
use std::sync::Arc;

/// The level that the server told about last.
#[derive(Clone, Debug)]
pub struct ClientActive {
    /// Kept up to date, unlike those of the gamestate.
    pub configstrings: Configstrings,
    pub systeminfo: SystemInfo,
    /// The server lets only so many commands of a client through.
    pub has_flood_protection: bool,
    pub client_num: i32,
    pub checksum_feed: i32,
    pub usercmds: Usercmds,
    /// From the first active snapshot on.
    pub clock: Option<Clock>,
    /// All files are there; usercmds may go out.
    pub is_loaded: bool,
    pub newest_snapshot: Option<Arc<Snapshot>>,
    pub ages: SnapshotAges,
    pub lag: LagWatch,
    pub last_sent_at: Option<ClientTime>,
}

impl ClientActive {
    pub fn new(gamestate: &Gamestate) -> Self {
        Self {
            configstrings: gamestate.configstrings.clone(),
            systeminfo: SystemInfo::parse(gamestate.configstrings.get(index::SYSTEMINFO)),
            has_flood_protection: floods(gamestate.configstrings.get(index::SERVERINFO)),
            client_num: gamestate.client_num,
            checksum_feed: gamestate.checksum_feed,
            usercmds: Usercmds::default(),
            clock: None,
            is_loaded: false,
            newest_snapshot: None,
            ages: SnapshotAges::default(),
            lag: LagWatch::default(),
            last_sent_at: None,
        }
    }

    /// Changes a configstring and tells whether it was different.
    pub fn set_configstring(&mut self, at: usize, text: &str) -> Result<bool, ConfigstringRefusal> {
        let is_new = self.configstrings.set(at, text)?;
        match at {
            index::SYSTEMINFO if is_new => self.systeminfo = SystemInfo::parse(text),
            index::SERVERINFO if is_new => self.has_flood_protection = floods(text),
            _ => {}
        }
        Ok(is_new)
    }

    /// Takes the newest snapshot; the first active one after loading starts the clock.
    pub fn handle_snapshot(&mut self, now: ClientTime, snapshot: Arc<Snapshot>) {
        let is_active = snapshot.flags & flags::NOT_ACTIVE == 0;
        match &mut self.clock {
            Some(clock) => clock.handle_snapshot(snapshot.server_time),
            None if self.is_loaded && is_active => {
                self.clock = Some(Clock::start(now, snapshot.server_time));
            }
            None => {}
        }
        self.ages.add(now, snapshot.server_time);
        if let (true, Some(sent)) = (is_active, self.usercmds.ring().newest()) {
            self.lag.note_snapshot(Arrival {
                at: now,
                sequence: snapshot.message_num,
                server_time: snapshot.server_time,
                is_rate_delayed: snapshot.flags & flags::RATE_DELAYED != 0,
                executed: ServerTime(snapshot.player.command_time),
                sent: sent.server_time,
            });
        }
        self.newest_snapshot = Some(snapshot);
    }

    pub fn is_active(&self) -> bool {
        self.clock.is_some()
    }

    /// The time for usercmds; 0 until the first active snapshot.
    pub fn server_time(&self) -> ServerTime {
        self.clock
            .as_ref()
            .map_or(ServerTime::default(), Clock::server_time)
    }

    pub fn pace(&self, keep_alive_msec: i32) -> PaceKind {
        if self.is_loaded {
            PaceKind::Playing
        } else {
            PaceKind::Waiting { keep_alive_msec }
        }
    }
}

/// Protection is the rule; a server that does without it says so.
fn floods(serverinfo: &str) -> bool {
    Info::parse(serverinfo).get("sv_floodProtect") != "0"
}
