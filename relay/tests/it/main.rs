//! The relay as a whole, over real sockets on loopback.
#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

mod abuse;
mod chaos;
mod content;
mod deploy;
mod downloads;
mod fairness;
mod flags;
mod handshakes;
mod haproxy;
mod losses;
mod masters;
mod namespaces;
mod openings;
mod play;
mod real_server;
mod restart;
mod secure_downloads;
mod system_faults;
mod transport;
mod world;
