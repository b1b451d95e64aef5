//! Threads for work that need not be done within a frame.

use crate::render::beside::{Beside, Job};
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
    let (jobs, inbox) = channel::<Box<dyn Job>>();
    let inbox = Arc::new(Mutex::new(inbox));
    let processors = thread::available_parallelism().map_or(1, NonZero::get);
    for _ in 0..processors.saturating_sub(1).clamp(1, MOST) {
        let inbox = Arc::clone(&inbox);
        thread::spawn(move || {
            loop {
                // Held while waiting: whoever holds it gets the next job.
                let Ok(job) = inbox.lock().map(|inbox| inbox.recv()) else {
                    return;
                };
                let Ok(job) = job else { return };
                // Its owner learns of a failure by the promise; the next job is none the worse for it.
                let _ = catch_unwind(AssertUnwindSafe(|| job.run()));
            }
        });
    }
    // A job that nobody takes is dropped, which its owner notices.
    Beside::new(move |job| drop(jobs.send(job)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::beside::Promise;

    #[test]
    fn helpers_do_all_jobs_and_one_that_fails_breaks_its_own_promise_alone() {
        let helpers = start();
        let broken = helpers.promise(|| -> u32 { panic!("this job fails, as the test wants") });
        let kept: Vec<_> = (0..20).map(|n| helpers.promise(move || n * 2)).collect();
        assert_eq!(broken.and_then(Promise::wait), None);
        for (n, promise) in (0..20).zip(kept) {
            let made = promise.and_then(Promise::wait);
            assert_eq!(made, Some(n * 2));
        }
    }
}
