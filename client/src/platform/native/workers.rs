//! Threads for work that need not be done within a frame.

use crate::jobs::{Job, JobQueue};
use std::{
    num::NonZero,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread::{self, JoinHandle},
};

/// More would only wait for each other.
const MAX: usize = 3;

type Jobs = Arc<Mutex<Option<Sender<Box<dyn Job>>>>>;

/// Threads that do jobs, and end before what they share with the frame does.
///
/// A job may hold the graphics device. A thread that is still at one while the program exits meets a driver that takes
/// itself apart: Mesa then frees memory twice.
#[derive(Debug)]
pub struct Helpers {
    /// None once they are to end.
    jobs: Jobs,
    is_over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Helpers {
    /// Starts one for each processor but the frame's own.
    pub fn start() -> Self {
        let (jobs, inbox) = channel::<Box<dyn Job>>();
        let inbox = Arc::new(Mutex::new(inbox));
        let is_over = Arc::new(AtomicBool::new(false));
        let processors = thread::available_parallelism().map_or(1, NonZero::get);
        let threads = (0..processors.saturating_sub(1).clamp(1, MAX)).map(|_| {
            let (inbox, is_over) = (Arc::clone(&inbox), Arc::clone(&is_over));
            thread::spawn(move || work(&inbox, &is_over))
        });
        Self {
            threads: threads.collect(),
            jobs: Arc::new(Mutex::new(Some(jobs))),
            is_over,
        }
    }

    /// Where jobs are handed over.
    pub fn jobs(&self) -> JobQueue {
        let jobs = Arc::clone(&self.jobs);
        JobQueue::new(move |job| {
            // A job that nobody can take any more is done by whoever waits for it.
            if let Some(jobs) = &*jobs.lock().unwrap_or_else(PoisonError::into_inner) {
                let _ = jobs.send(job);
            }
        })
    }

    /// Ends the threads; returns when each has finished the job that it was at. Jobs that nobody has begun are left to
    /// who waits for them.
    pub fn end(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        *self.jobs.lock().unwrap_or_else(PoisonError::into_inner) = None;
        for thread in self.threads.drain(..) {
            // Jobs that fail are caught, so no thread does.
            let _ = thread.join();
        }
    }
}

impl Drop for Helpers {
    fn drop(&mut self) {
        self.end();
    }
}

fn work(inbox: &Mutex<Receiver<Box<dyn Job>>>, is_over: &AtomicBool) {
    loop {
        // Held while waiting: whoever holds it gets the next job.
        let Ok(Ok(job)) = inbox.lock().map(|inbox| inbox.recv()) else {
            return;
        };
        if !is_over.load(Ordering::Relaxed) {
            // Its owner learns of a failure by its handle; the next job is none the worse for it.
            let _ = catch_unwind(AssertUnwindSafe(|| job.run()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn helpers_do_all_jobs_and_one_that_fails_breaks_its_own_promise_alone() {
        let threads = Helpers::start();
        let workers = threads.jobs();
        let fail = || -> u32 { panic!("this job fails, as the test wants") };
        let broken = workers.submit(fail);
        let job = |n| workers.submit(move || n * 2);
        let kept: Vec<_> = (0..20).map(job).collect();
        for (n, mut job) in (0..20).zip(kept) {
            // Whoever only waits would do the work here.
            while !job.is_done() {
                thread::yield_now();
            }
            assert_eq!(job.wait(), Some(n * 2));
        }
        assert_eq!(broken.wait(), None);
    }

    #[test]
    fn helpers_end_only_after_the_job_that_they_are_at() {
        let mut workers = Helpers::start();
        let jobs = workers.jobs();
        let (begun, has_begun) = channel();
        let (go, may_go) = channel::<()>();
        let device = Arc::new(());
        let held = Arc::clone(&device);
        let job = jobs.submit(move || {
            let _ = begun.send(());
            let _ = may_go.recv();
            drop(held);
        });
        has_begun.recv().expect("the job has begun");
        let end = thread::spawn(move || workers.end());
        assert!(!end.is_finished(), "the job is not over");
        drop(go);
        end.join().expect("they end");
        assert_eq!(Arc::strong_count(&device), 1, "nobody holds it any more");
        assert_eq!(job.wait(), Some(()));
        // Whoever comes later does the work where it waits.
        assert_eq!(jobs.submit(|| 7).wait(), Some(7));
    }
}
