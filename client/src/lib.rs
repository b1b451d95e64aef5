//! The Quake 3 game client; see ARCHITECTURE.md for the map of this crate.
#![forbid(unsafe_code)]
#![deny(clippy::print_stdout, clippy::print_stderr)]

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
pub mod jobs;
pub mod lab;
pub mod link;
mod netprint;
pub mod output;
pub mod platform;
pub mod qvm;
pub mod render;
pub mod scene;
mod session;
pub mod settings;
pub mod sound;
pub mod ui;
