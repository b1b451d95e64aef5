//! Tests against real dedicated servers; a minute and a half, and ports 28510 to 28523.

mod deferred_disconnect;
mod downloads;
mod player;
mod program;
mod refusals;
mod scenarios;
#[path = "../it/zip.rs"]
mod zip;
