//! What a page knows of servers that it is not on: the list of its relay.

use super::{clock::Clock, host};
use crate::{
    event::Event,
    output::{OwnAddress, Query},
};

/// Browsers do not speak UDP.
pub const CAN_ASK: bool = false;

/// A page has no sockets of this kind.
#[derive(Debug, Default)]
pub struct Queries {}

impl Queries {
    pub fn send(&mut self, _own: &OwnAddress, _queries: Vec<Query>, _clock: Clock) {}

    pub fn end(&mut self) {}

    pub fn look_up(&mut self, _name: String, _own: &OwnAddress) {}

    pub fn poll(&mut self, _events: &mut Vec<Event>) {}
}

/// Asks the relay; the page answers by an event of its own.
pub fn fetch_servers(favourites: &str) {
    host::fetch_servers(favourites);
}
