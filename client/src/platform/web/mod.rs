//! The client in a browser: the page's files, WebSocket, and what `web/page.js` offers as its host.

pub mod clipboard;
pub mod clock;
pub mod files;
mod host;
pub mod modules;
pub mod outside;
pub mod pictures;
pub mod queries;
pub mod replay;
pub mod socket;
pub mod speaker;
pub mod start;
pub mod store;
pub mod window;
pub mod workers;
