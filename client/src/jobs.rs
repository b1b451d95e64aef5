//! Jobs: work outside the frame, on threads that the platform lends.

use std::{
    ops::{Deref, DerefMut},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{Receiver, channel},
    },
};
use wgpu::WasmNotSend;

/// A piece of work. It may go to another thread, except in browsers, whose graphics handles stay where they are.
pub trait Job: WasmNotSend {
    fn run(self: Box<Self>);
}

impl<F: FnOnce() + WasmNotSend> Job for F {
    fn run(self: Box<Self>) {
        (*self)();
    }
}

type SubmitJob = dyn Fn(Box<dyn Job>) + Send + Sync;

/// Hands jobs to somebody who does them, if there is anybody.
#[derive(Clone, Default)]
pub struct JobQueue(Option<Arc<SubmitJob>>);

impl JobQueue {
    pub fn new(submit: impl Fn(Box<dyn Job>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(submit)))
    }

    /// Whether somebody else does jobs; else they are done by whoever waits for them.
    pub fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// Has something made.
    pub fn submit<T: WasmNotSend + 'static>(
        &self,
        make: impl FnOnce() -> T + WasmNotSend + 'static,
    ) -> JobHandle<T> {
        let (sender, made) = channel();
        let job = QueuedJob::new(move || {
            // Nobody waits any more: what was made is not needed.
            let _ = sender.send(make());
        });
        if let Some(submit) = &self.0 {
            let job = job.clone();
            let run = move || {
                job.run();
            };
            submit(Box::new(run));
        }
        JobHandle {
            made,
            here: None,
            job,
        }
    }
}

impl std::fmt::Debug for JobQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "JobQueue({})", self.is_there())
    }
}

/// A job until somebody begins it.
#[derive(Clone)]
struct QueuedJob(Arc<Mutex<Option<Box<dyn Job>>>>);

impl QueuedJob {
    #[allow(
        clippy::arc_with_non_send_sync,
        reason = "jobs stay on their thread only where there is no other"
    )]
    fn new(job: impl Job + 'static) -> Self {
        Self(Arc::new(Mutex::new(Some(Box::new(job)))))
    }

    /// Does the job; false if somebody has begun before.
    fn run(&self) -> bool {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.map(Job::run).is_some()
    }
}

/// Something that is being made, or will be.
pub struct JobHandle<T> {
    made: Receiver<T>,
    here: Option<T>,
    job: QueuedJob,
}

impl<T> JobHandle<T> {
    /// Makes it here and now unless somebody has begun; returns whether that was so.
    pub fn run_here(&self) -> bool {
        self.job.run()
    }

    /// Whether it is made.
    pub fn is_done(&mut self) -> bool {
        if self.here.is_none() {
            self.here = self.made.try_recv().ok();
        }
        self.here.is_some()
    }

    /// Waits for it, or makes it if nobody has begun; `None` if its making failed.
    pub fn wait(self) -> Option<T> {
        self.here.or_else(|| {
            self.job.run();
            self.made.recv().ok()
        })
    }
}

impl<T> std::fmt::Debug for JobHandle<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JobHandle")
    }
}

/// What is under way and exists once only: a copy of its owner has none of it. Whoever copies asks before that whether
/// there is any.
#[derive(Debug, Default)]
pub struct InFlight<T>(pub T);

impl<T: Default> Clone for InFlight<T> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<T> Deref for InFlight<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for InFlight<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_are_kept_by_somebody_else_or_by_who_waits() {
        let mut done = JobQueue::new(|job| job.run()).submit(|| 2);
        assert!(!done.run_here() && done.is_done());
        assert_eq!(done.wait(), Some(2));
        for nobody in [JobQueue::default(), JobQueue::new(|_| {})] {
            let mut job = nobody.submit(|| 3);
            assert!(!job.is_done());
            assert_eq!(job.wait(), Some(3));
        }
        let helped = JobQueue::default().submit(|| 4);
        assert!(helped.run_here() && !helped.run_here());
        assert_eq!(helped.wait(), Some(4));
    }
}
