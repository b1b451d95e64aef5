//! Cvars, commands, keys and what the console has printed; nothing here knows what a command does.

pub mod bind;
pub mod cmd;
pub mod config;
pub mod cvar;
pub mod cvars;
pub mod edit;
pub mod keys;
pub mod scrollback;
pub mod secrets;
pub mod unsupported;
