//! The relay: brings browsers onto Quake 3 servers, WebSocket in, UDP out.
#![forbid(unsafe_code)]

mod budgets;
pub mod config;
mod content;
mod deferred_disconnect;
mod descriptors;
mod downloads;
mod fetch;
#[doc(hidden)]
pub mod fuzz;
mod gate;
mod join;
mod listen;
mod masters;
mod metrics;
pub mod network;
mod network_simulation;
mod page;
mod permits;
mod policy;
mod pump;
mod queue;
mod quic;
mod relay;
mod resolve;
mod session;
mod single_flight;
mod source_waker;
mod state;
mod status;
mod tap;
mod tcp;
mod tls;
mod transport;
mod web;
mod workers;

pub use relay::Relay;
