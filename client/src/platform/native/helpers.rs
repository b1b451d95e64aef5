//! Threads for work that need not be done within a frame.

use crate::beside::{Beside, Job, When};
use std::{
    collections::VecDeque,
    num::NonZero,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, mpsc::channel},
    thread,
};

/// More would only wait for each other.
const MOST: usize = 3;

/// Starts helpers that live as long as what comes back: one for each processor but the frame's own.
pub fn start() -> Beside {
    let jobs = Arc::new(Mutex::new(Jobs::default()));
    // One for each job; the helpers end when nobody can send any more.
    let (calls, inbox) = channel::<()>();
    let inbox = Arc::new(Mutex::new(inbox));
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    for _ in 0..processors.saturating_sub(1).clamp(1, MOST) {
        let (inbox, jobs) = (Arc::clone(&inbox), Arc::clone(&jobs));
        thread::spawn(move || {
            loop {
                // Held while waiting: whoever holds it gets the next job.
                let Ok(Ok(())) = inbox.lock().map(|inbox| inbox.recv()) else {
                    return;
                };
                let Some(job) = jobs.lock().ok().and_then(|mut jobs| jobs.next()) else {
                    return;
                };
                // Its owner learns of a failure by the promise; the next job is none the worse for it.
                let _ = catch_unwind(AssertUnwindSafe(|| job.run()));
            }
        });
    }
    Beside::new(move |when, job| {
        // A job that nobody can take any more is done by who waits for it.
        if let Ok(mut jobs) = jobs.lock() {
            jobs.add(when, job);
            let _ = calls.send(());
        }
    })
}

/// What is to be done, oldest first.
#[derive(Default)]
struct Jobs {
    soon: VecDeque<Box<dyn Job>>,
    later: VecDeque<Box<dyn Job>>,
}

impl Jobs {
    fn add(&mut self, when: When, job: Box<dyn Job>) {
        match when {
            When::Soon => self.soon.push_back(job),
            When::Later => self.later.push_back(job),
        }
    }

    fn next(&mut self) -> Option<Box<dyn Job>> {
        self.soon.pop_front().or_else(|| self.later.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_do_all_jobs_and_one_that_fails_breaks_its_own_promise_alone() {
        let helpers = start();
        let fail = || -> u32 { panic!("this job fails, as the test wants") };
        let broken = helpers.promise(When::Soon, fail);
        let promise = |n| helpers.promise(When::Later, move || n * 2);
        let kept: Vec<_> = (0..20).map(promise).collect();
        for (n, mut promise) in (0..20).zip(kept) {
            // Who only waits would do the work here.
            while !promise.is_kept() {
                thread::yield_now();
            }
            assert_eq!(promise.wait(), Some(n * 2));
        }
        assert_eq!(broken.wait(), None);
    }
}
