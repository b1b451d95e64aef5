//! From datagram to message and back: the map of the wire.
//!
//! ```text
//! datagram ── oob       text packets outside any connection
//!         └── netchan   sequence, fragments, checksum ── scramble (legacy wire)
//!               └── svc / clc   what server and client say ── delta ── fields
//! demo ────────────┘            the same messages from a file
//! ```

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
pub mod svc;
