//! The relay: brings browsers onto Quake 3 servers, WebSocket in, UDP out.
#![forbid(unsafe_code)]

pub mod config;
mod content;
mod door;
mod gate;
mod listen;
mod metrics;
mod policy;
mod pump;
mod queue;
mod relay;
mod session;
mod status;
mod web;

pub use relay::Relay;
