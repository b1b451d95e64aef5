//! The pure half of a Quake 3 client: no I/O, no clock, no unsafe.
#![forbid(unsafe_code)]
#![warn(unreachable_pub)]

pub mod base;
pub mod bg;
pub mod cm;
pub mod formats;
pub mod net;
pub mod sim;
pub mod types;
