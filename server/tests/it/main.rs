//! Integration tests of the server: clients of both protocols on a real map.

mod baselines;
mod bot_matches;
mod bots;
mod chaos;
mod client;
mod fetching;
mod fighting;
mod joining;
mod limits;
mod matches;
mod measured_engine;
mod measured_game;
mod moving;
#[path = "../recording/players.rs"]
mod players;
mod playing;
mod program;
mod recorded;
#[path = "../recording/mod.rs"]
mod recording;
mod room;
mod session;
