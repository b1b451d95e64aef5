//! The relay: brings browsers onto Quake 3 servers, WebSocket in, UDP out.
#![forbid(unsafe_code)]

mod bell;
mod budgets;
pub mod config;
mod content;
mod descriptors;
mod door;
mod downloads;
mod fetch;
mod gate;
mod join;
mod lanes;
mod line;
mod listen;
mod masters;
mod metrics;
pub mod network;
mod page;
mod places;
mod policy;
mod pump;
mod queue;
mod quic;
mod relay;
mod resolve;
mod session;
mod single_flight;
mod state;
mod status;
mod tap;
mod tls;
mod weather;
mod web;
mod will;

pub use relay::Relay;
