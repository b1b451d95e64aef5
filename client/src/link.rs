//! Link: who is at the other end.

use crate::{
    app::wake::Wake,
    event::Event,
    output::OwnAddress,
    platform::{clock::Clock, socket::Socket},
};

/// The way by which datagrams travel.
#[derive(Debug, Default)]
pub enum Link {
    #[default]
    None,
    /// A server, by UDP or by a relay, as the platform can.
    Socket(Socket),
}

impl Link {
    /// Begins to open the way to a server; `poll` tells what comes of it.
    pub fn open(server: &str, own: &OwnAddress, clock: Clock, wake: Wake) -> Self {
        Self::Socket(Socket::open(server, own, clock, wake))
    }

    pub fn send(&mut self, datagram: &[u8]) {
        match self {
            Self::None => {}
            Self::Socket(socket) => socket.send(datagram),
        }
    }

    /// Leaves datagrams with the relay, if there is one, for when the player cannot say goodbye.
    pub fn deposit(&mut self, deferred_disconnect: &[Vec<u8>]) {
        match self {
            Self::None => {}
            Self::Socket(socket) => socket.deposit(deferred_disconnect),
        }
    }

    /// Leaves the way to the next run of the page, with what it must know; false where nobody keeps it.
    pub fn set_aside(&mut self, resume_state: &str) -> bool {
        match self {
            Self::None => false,
            Self::Socket(socket) => socket.set_aside(resume_state),
        }
    }

    /// The next thing that happened on the way.
    pub fn poll(&mut self) -> Option<Event> {
        match self {
            Self::None => None,
            Self::Socket(socket) => socket.poll(),
        }
    }
}
