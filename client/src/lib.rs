//! The Quake 3 game client; see ARCHITECTURE.md for the map of this crate.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

#[allow(clippy::disallowed_methods, reason = "it is outside of frames")]
pub mod app;
pub mod assets;
pub mod browser;
pub mod cg;
pub mod cl;
pub mod client;
pub mod commands;
pub mod con;
mod conditioner;
pub mod event;
pub mod inspector;
pub mod jobs;
pub mod journal;
pub mod lab;
pub mod link;
mod netprint;
pub mod output;
#[allow(clippy::disallowed_methods, reason = "it is outside of frames")]
pub mod platform;
pub mod qvm;
#[allow(
    clippy::disallowed_methods,
    reason = "nothing that it computes comes back"
)]
pub mod render;
pub mod scene;
mod session;
pub mod settings;
pub mod sound;
pub mod ui;
