//! The client as a native program: files, UDP, terminal, winit's own window.

pub mod clipboard;
pub mod clock;
pub mod files;
mod headless;
pub mod modules;
mod offscreen;
pub mod outside;
pub mod pictures;
mod places;
pub mod queries;
pub mod replay;
pub mod socket;
pub mod speaker;
pub mod start;
pub mod store;
mod terminal;
pub mod window;
pub mod workers;
