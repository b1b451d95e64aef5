//! Screens over the game: menus, console, chat line, connection screen; and the letters of menus.

pub mod chat;
pub mod connect;
pub mod console;
pub mod font;
pub mod graph;
pub mod loading;
pub mod menu;
pub mod meter;
pub mod painter;
pub mod touch;
