//! Feed: where a session's updates come from, a server or a demo; both look the same from above.

use super::{
    Connection, Playback, PureProof, State, SystemInfo, Update, playback::Pace, wire_log::WireLog,
};
use shared::{
    base::time::{ClientTime, ServerTime},
    types::{configstring::Configstrings, snapshot::Snapshot, usercmd::UsercmdRing},
};
use std::sync::Arc;

#[derive(Clone, Debug)]
pub enum Feed {
    Server(Box<Connection>),
    Demo(Box<Playback>),
}

impl Feed {
    /// The connection, for what only a server can be asked.
    pub fn server(&self) -> Option<&Connection> {
        match self {
            Self::Server(connection) => Some(connection),
            Self::Demo(_) => None,
        }
    }

    pub fn server_mut(&mut self) -> Option<&mut Connection> {
        match self {
            Self::Server(connection) => Some(connection),
            Self::Demo(_) => None,
        }
    }

    pub fn demo(&self) -> Option<&Playback> {
        match self {
            Self::Server(_) => None,
            Self::Demo(playback) => Some(playback),
        }
    }

    /// Decides the time of this frame; `pace` is a demo's.
    pub fn frame(&mut self, now: ClientTime, settings: &super::Settings, pace: Pace) {
        match self {
            Self::Server(connection) => connection.frame(now, settings),
            Self::Demo(playback) => playback.frame(now, pace),
        }
    }

    /// The next thing that happened.
    pub fn poll_update(&mut self) -> Option<Update> {
        match self {
            Self::Server(connection) => connection.poll_update(),
            Self::Demo(playback) => playback.poll_update(),
        }
    }

    /// The level is there; a server is told what it wants to know about our paks.
    pub fn loading_finished(&mut self, now: ClientTime, proof: &PureProof) {
        match self {
            Self::Server(connection) => connection.loading_finished(now, Some(proof)),
            Self::Demo(playback) => playback.loading_finished(now),
        }
    }

    pub fn state(&self) -> State {
        match self {
            Self::Server(connection) => connection.state(),
            Self::Demo(playback) => playback.state(),
        }
    }

    /// What was said of late.
    pub fn wire_log(&self) -> Option<&WireLog> {
        match self {
            Self::Server(connection) => connection.wire_log(),
            Self::Demo(playback) => Some(playback.wire_log()),
        }
    }

    /// The time that is shown.
    pub fn server_time(&self) -> ServerTime {
        match self {
            Self::Server(connection) => connection.server_time(),
            Self::Demo(playback) => playback.server_time(),
        }
    }

    pub fn newest_snapshot(&self) -> Option<&Arc<Snapshot>> {
        match self {
            Self::Server(connection) => connection.newest_snapshot(),
            Self::Demo(playback) => playback.newest_snapshot(),
        }
    }

    pub fn configstrings(&self) -> Option<&Configstrings> {
        match self {
            Self::Server(connection) => connection.configstrings(),
            Self::Demo(playback) => playback.configstrings(),
        }
    }

    pub fn systeminfo(&self) -> Option<&SystemInfo> {
        match self {
            Self::Server(connection) => connection.systeminfo(),
            Self::Demo(playback) => playback.systeminfo(),
        }
    }

    /// The usercmds of the level; a demo's player made none here.
    pub fn usercmd_ring(&self) -> Option<&UsercmdRing> {
        match self {
            Self::Server(connection) => connection.usercmd_ring(),
            Self::Demo(playback) => playback.usercmd_ring(),
        }
    }

    /// Milliseconds since the server's last valid packet; a demo never falls silent.
    pub fn silence_msec(&self, now: ClientTime) -> i32 {
        self.server()
            .map_or(0, |connection| connection.silence_msec(now))
    }
}
