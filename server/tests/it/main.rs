//! Integration tests of the server: clients of both protocols on a real map.

mod baselines;
mod bots;
mod chaos;
mod client;
mod fetching;
mod fighting;
mod joining;
mod limits;
mod matches;
mod playing;
mod room;
mod session;
