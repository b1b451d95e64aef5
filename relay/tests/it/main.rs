//! The relay as a whole, over real sockets on loopback.

mod content;
mod play;
mod real_server;
mod world;
