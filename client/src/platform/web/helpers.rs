//! A page has one thread for the game; whoever needs something made makes it.

use crate::beside::Beside;

#[derive(Debug)]
pub struct Helpers;

impl Helpers {
    pub fn start() -> Self {
        Self
    }

    pub fn beside(&self) -> Beside {
        Beside::default()
    }

    pub fn end(&mut self) {}
}
