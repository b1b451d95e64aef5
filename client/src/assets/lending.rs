//! Lending: who works for the assets beside the frame, and how they are reached by whoever cannot hold a reference.

use super::Assets;
use crate::jobs::JobQueue;

impl Assets {
    /// Lends threads on which files are unpacked and decoded; without, that is done in [`Assets::poll`].
    pub fn set_beside(&mut self, jobs: JobQueue) {
        self.jobs = jobs;
    }

    /// Who does work beside the frame.
    pub fn jobs(&self) -> &JobQueue {
        &self.jobs
    }

    /// Gives everything away for the time of a call, to whom cannot take a reference; until it is put back, there is
    /// nothing here.
    pub fn lend(&mut self) -> Self {
        let settings = self.settings;
        std::mem::replace(self, Self::empty(settings))
    }
}
