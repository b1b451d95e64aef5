//! A page has one thread for the game; whoever needs something made makes it.

use crate::jobs::JobQueue;

#[derive(Debug)]
pub struct Helpers;

impl Helpers {
    pub fn start() -> Self {
        Self
    }

    pub fn jobs(&self) -> JobQueue {
        JobQueue::default()
    }

    pub fn end(&mut self) {}
}
