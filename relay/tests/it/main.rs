//! The relay as a whole, over real sockets on loopback.
#![expect(clippy::unwrap_used, reason = "a step that fails is a test that fails")]

mod abuse;
mod fairness;
mod folder;
mod handshakes;
mod losses;
mod openings;
mod play;
mod transport;
#[cfg_attr(
    not(feature = "default"),
    expect(dead_code, reason = "tests of plugins use the rest")
)]
mod world;

// Of a relay with all its plugins.
#[cfg(feature = "default")]
mod chaos;
#[cfg(feature = "default")]
mod content;
#[cfg(feature = "default")]
mod deploy;
#[cfg(feature = "default")]
mod downloads;
#[cfg(feature = "default")]
mod flags;
#[cfg(feature = "default")]
mod haproxy;
#[cfg(feature = "default")]
mod masters;
#[cfg(feature = "default")]
mod namespaces;
#[cfg(feature = "default")]
mod real_server;
#[cfg(feature = "default")]
mod restart;
#[cfg(feature = "default")]
mod secure_downloads;
#[cfg(feature = "default")]
mod system_faults;
