//! The core of the relay: carries each browser player's datagrams to a server over UDP, and nothing else.
//!
//! ```text
//! listen, tls, tcp   connections over TCP     ┐ permits: how many      ┌ web: requests, WebSocket
//! quic               connections over QUIC    ┘ policy: whose, whereto └ transport: what carries a session
//! join               opens or resumes a session and gives it to a worker
//! pump               transport ⇄ gate, budgets, network_simulation ⇄ the session's UDP socket
//! ```
//!
//! Whatever else a relay does is a [`Plugin`], of which the core knows none.

mod budgets;
mod config;
mod counters;
mod deferred_disconnect;
mod descriptors;
pub(crate) mod gate;
mod join;
mod listen;
pub mod network;
mod network_simulation;
mod permits;
mod plugin;
mod policy;
mod pump;
mod queue;
mod quic;
mod relay;
mod resolve;
mod session;
mod source_waker;
mod tcp;
mod tls;
pub(crate) mod transport;
mod web;
mod workers;

pub use budgets::Budgets;
pub use config::{Config, host_and_port};
pub use counters::{Count, Counter, Counters};
pub use gate::MAX_FROM_SERVER;
pub use permits::Permits;
pub use plugin::{Played, Plugin, Plugins, Reader, Routes, SessionEvent};
pub use policy::{LOWEST_PORT, Policy, Target, TargetError};
pub use relay::{Relay, RelayState};
pub use resolve::{ResolveError, Resolver};
pub use session::{OpenError, Session, SessionRecord, Sessions};
pub use web::{Peer, REVALIDATED};
pub use workers::{give_way, runtime};
