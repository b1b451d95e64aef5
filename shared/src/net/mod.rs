//! From datagram to message and back: the map of the wire.
//!
//! ```text
//! datagram ── oob       text packets outside any connection
//!         └── netchan   sequence, fragments, checksum ── scramble (legacy wire)
//!               └── svc / clc   what server and client say ── delta ── fields
//! demo ────────────┘            the same messages from a file
//! ```
//!
//! # From a bot's or a tool's side
//!
//! 1. *Ask a server*: write a query with [`oob::ClientPacket`], send it to UDP port [`protocol::PORT_SERVER`], read what
//!    comes back with [`oob::ServerPacket`]. The example stands in [`oob`].
//! 2. *Read a demo*: [`demo::Records`] takes the file apart, [`svc::Decoder`] its messages. The example stands in [`demo`].
//! 3. *Play*: ask for a challenge, send `connect`, and from the answer on speak through a [`netchan::Netchan`]. What it
//!    receives goes into a [`svc::Decoder`]; what [`clc::write`] makes goes out. The example stands in [`netchan`].
//!    Each message names the newest message and command received, repeats the client's commands until they are
//!    acknowledged, and carries usercmds.

pub mod clc;
pub mod cost;
pub mod delta;
pub mod demo;
pub mod fields;
pub mod netchan;
pub mod oob;
pub mod protocol;
pub mod pure;
pub mod reliable;
pub mod scramble;
pub mod split;
pub mod svc;
#[cfg(feature = "tap")]
pub mod tap;
