//! The pure half of a Quake 3 client: no I/O, no clock, no unsafe.
//!
//! What bots and tools need of it: [`net`] speaks the protocol and reads demos, [`types`] has the values that go over
//! the wire, [`formats`] reads the game's files, [`cm`] answers what a box hits in a map, and [`bg`] moves players as
//! servers do. `net` begins with an example of each.
//!
//! Units are those of the game: lengths in units (a player is 56 high), times in milliseconds, angles in degrees
//! or, in usercmds, in 65,536ths of the circle. Fields of states keep the names and the integers of the wire.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]
#![warn(missing_docs, clippy::missing_errors_doc)]

#[macro_use]
pub mod base;
pub mod bg;
pub mod cm;
pub mod formats;
pub mod net;
pub mod sim;
pub mod types;
