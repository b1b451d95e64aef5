//! Event and Output: the only way into the server, and the only way out.

use crate::pure::Pak;
use core::net::{IpAddr, SocketAddr};
use shared::formats::bsp::Bsp;
use std::sync::Arc;

/// The other end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Peer {
    /// The client in the same program: no challenge, no rate, no timeout.
    Local,
    /// Nobody: the server plays this one itself.
    Bot,
    Net(SocketAddr),
}

impl Peer {
    /// Whether it may be the same end behind a router that changed its port.
    pub fn is_same_host(self, other: Self) -> bool {
        match (self, other) {
            (Self::Net(one), Self::Net(other)) => one.ip() == other.ip(),
            (one, other) => one == other,
        }
    }

    /// Whether it is in the same house, where pings say nothing.
    pub fn is_near(self) -> bool {
        let Self::Net(address) = self else {
            return true;
        };
        match address.ip().to_canonical() {
            IpAddr::V4(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local(),
            IpAddr::V6(ip) => {
                ip.is_loopback() || ip.is_unicast_link_local() || ip.is_unique_local()
            }
        }
    }

    /// As players and operators read it.
    pub fn text(self) -> String {
        match self {
            Self::Local => "localhost".to_owned(),
            Self::Bot => "bot".to_owned(),
            Self::Net(address) => address.to_string(),
        }
    }
}

/// Everything that can happen to the server.
#[derive(Clone, Debug)]
pub enum Event {
    Packet {
        from: Peer,
        bytes: Vec<u8>,
    },
    /// A line of the server's own console.
    Command(String),
    /// The paks that the next level is played with, in the order in which files are looked for.
    PaksFound(Vec<Pak>),
    /// The answer to [`Request::ReadConfig`].
    ConfigRead {
        name: String,
        result: Result<String, String>,
    },
    /// The answer to [`Request::ReadPak`].
    PakRead {
        path: String,
        start: u64,
        result: Result<Vec<u8>, String>,
    },
    /// The answer to [`Request::ReadMap`].
    MapRead {
        name: String,
        result: Result<Arc<Bsp>, String>,
    },
}

/// What the server asks of the outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    ReadMap {
        name: String,
    },
    /// Bytes of one of the paks that were found, for a client that downloads it.
    ReadPak {
        path: String,
        start: u64,
        length: usize,
    },
    /// A file of console lines, for `exec`.
    ReadConfig {
        name: String,
    },
    /// The bans have changed: lines of the console that make them again.
    KeepBans {
        script: String,
    },
    Quit,
}

/// What came of a frame.
#[derive(Clone, Debug, Default)]
pub struct Output {
    pub datagrams: Vec<(Peer, Vec<u8>)>,
    /// Lines for the console.
    pub printed: Vec<String>,
    pub requests: Vec<Request>,
}
