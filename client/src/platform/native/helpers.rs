//! Threads for work that need not be done within a frame.

use crate::beside::{Beside, Job};
use std::{
    num::NonZero,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Mutex, mpsc::channel},
    thread,
};

/// More would only wait for each other.
const MOST: usize = 3;

/// Starts helpers that live as long as what comes back: one for each processor but the frame's own.
pub fn start() -> Beside {
    // The helpers end when nobody can send any more.
    let (jobs, inbox) = channel::<Box<dyn Job>>();
    let inbox = Arc::new(Mutex::new(inbox));
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    for _ in 0..processors.saturating_sub(1).clamp(1, MOST) {
        let inbox = Arc::clone(&inbox);
        thread::spawn(move || {
            loop {
                // Held while waiting: whoever holds it gets the next job.
                let Ok(Ok(job)) = inbox.lock().map(|inbox| inbox.recv()) else {
                    return;
                };
                // Its owner learns of a failure by the promise; the next job is none the worse for it.
                let _ = catch_unwind(AssertUnwindSafe(|| job.run()));
            }
        });
    }
    Beside::new(move |job| {
        // A job that nobody can take any more is done by who waits for it.
        let _ = jobs.send(job);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_do_all_jobs_and_one_that_fails_breaks_its_own_promise_alone() {
        let helpers = start();
        let fail = || -> u32 { panic!("this job fails, as the test wants") };
        let broken = helpers.promise(fail);
        let promise = |n| helpers.promise(move || n * 2);
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
