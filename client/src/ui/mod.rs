//! Screens over the game: console, chat line, connection screen.

pub mod chat;
pub mod connect;
pub mod console;
