//! A Quake 3 game server, pure: no I/O, no clock, no chance of its own.
//!
//! ```text
//! Event ─→ Server::frame ─┬ connect    challenge, connect, getinfo, getstatus, rcon
//!                         ├ messages   a client's commands and usercmds → game, at once
//!                         ├ downloads  paks to clients, block by block
//!                         ├ bots       what the players without a client do → usercmds
//!                         ├ game       a step of the level, each 1000 / sv_fps milliseconds
//!                         └ snapshots  whom to tell what, against what, how often ─→ Output
//! ```
//!
//! The engine knows clients and what they are sent; the game knows players and what happens to them.
//! The game answers with [`game::Effect`]s and never calls the engine.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

mod bans;
mod bots;
mod connect;
mod console;
pub mod cvars;
mod downloads;
pub mod entity;
pub mod game;
mod io;
mod levels;
mod messages;
mod pure;
mod server;
mod slot;
mod snapshots;
pub mod world;

pub use bots::BotReport;
pub use io::{Event, Output, Peer, Request};
pub use pure::Pak;
pub use server::Server;
pub use slot::SlotState;
