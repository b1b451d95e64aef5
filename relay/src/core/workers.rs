//! Threads that share the sessions, each with a runtime of its own, and the HTTP runtime.
//!
//! The HTTP runtime has the connections that are no sessions, as those of browsers that fetch files and of
//! attackers. Whatever they do, even thousands at once, players feel only what the system takes for
//! one more thread, which besides gives way to those of players.
//!
//! What a datagram wakes on its way stays on the thread that read it. A runtime that spreads its tasks
//! over threads wakes others to help, which for such short work costs more than the work.

use std::future::Future;
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread;

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;

/// The threads; when this is dropped, they end and what runs on them is cut off.
#[derive(Debug)]
pub(super) struct Workers {
    http_runtime: Worker,
    workers: Vec<Worker>,
}

#[derive(Debug)]
struct Worker {
    runtime: Handle,
    /// Held by what runs there, to be counted.
    users: Arc<()>,
    /// Ends the thread, if it is one of ours.
    _open: Option<oneshot::Sender<()>>,
}

impl Workers {
    /// The caller's runtime and `count` − 1 threads beside it.
    ///
    /// # Errors
    /// If the system gives no more threads.
    pub(super) fn start(count: NonZeroUsize) -> io::Result<Self> {
        let mut workers = vec![Worker {
            runtime: Handle::current(),
            users: Arc::default(),
            _open: None,
        }];
        for _ in 1..count.get() {
            workers.push(Worker::start("worker")?);
        }
        let http_runtime = Worker::start("http")?;
        http_runtime.runtime.spawn(async { give_way(10) });
        Ok(Self {
            http_runtime,
            workers,
        })
    }

    /// Where connections wait until they are sessions.
    pub(super) fn http_runtime(&self) -> &Handle {
        &self.http_runtime.runtime
    }

    /// Runs it on the thread that has the least sessions.
    pub(super) fn spawn(&self, session: impl Future<Output = ()> + Send + 'static) {
        let Some(worker) =
            (self.workers.iter()).min_by_key(|worker| Arc::strong_count(&worker.users))
        else {
            return;
        };
        let user = worker.users.clone();
        worker.runtime.spawn(async move {
            session.await;
            drop(user);
        });
    }
}

/// A runtime for one thread that looks for arrivals after few tasks, however many have still more to do.
///
/// # Errors
/// If the system refuses what it needs.
pub fn runtime() -> io::Result<Runtime> {
    /// A session's turn takes some 20 µs, so others wait for a third of a millisecond at most.
    const TASKS_BETWEEN_ARRIVALS: u32 = 16;
    Builder::new_current_thread()
        .enable_all()
        .event_interval(TASKS_BETWEEN_ARRIVALS)
        .build()
}

/// Has the calling thread, and those that it starts from now on, wait more often than others where there are fewer
/// processors than threads that have something to do.
///
/// `niceness`: how often, as Linux has it: 1 to 19 for ever less of the processors. Other systems change nothing.
pub fn give_way(niceness: i32) {
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, niceness) {
        tracing::debug!(%error, "this thread keeps its priority");
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}

impl Worker {
    fn start(name: &str) -> io::Result<Self> {
        let runtime = runtime()?;
        let (open, closed) = oneshot::channel::<()>();
        let worker = Self {
            runtime: runtime.handle().clone(),
            users: Arc::default(),
            _open: Some(open),
        };
        let run = move || {
            // It is never sent, only dropped.
            let _ = runtime.block_on(closed);
        };
        thread::Builder::new().name(name.to_owned()).spawn(run)?;
        Ok(worker)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::future::pending;

    use tokio::sync::mpsc;

    use super::*;

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn who_fetches_files_gives_way_to_players() {
        async fn niceness() -> i32 {
            rustix::process::getpriority_process(None).unwrap()
        }
        let workers = Workers::start(NonZeroUsize::new(2).unwrap()).unwrap();
        let on_http = workers.http_runtime().spawn(niceness()).await.unwrap();
        let (send, mut of_workers) = mpsc::unbounded_channel();
        for _ in 0..2 {
            let send = send.clone();
            workers.spawn(async move {
                send.send(niceness().await).unwrap();
                pending::<()>().await;
            });
        }
        let players = [of_workers.recv().await, of_workers.recv().await];
        assert_eq!(players, [Some(niceness().await); 2]);
        assert!(Some(on_http) > players[0], "{on_http}, {players:?}");
    }

    #[tokio::test]
    async fn connections_are_shared_out_and_end_with_their_threads() {
        let workers = Workers::start(NonZeroUsize::new(3).unwrap()).unwrap();
        let (send, mut threads) = mpsc::unbounded_channel();
        let connect = || {
            let (send, (hang_up, hung_up)) = (send.clone(), oneshot::channel::<()>());
            workers.spawn(async move {
                send.send(thread::current().id()).unwrap();
                let _ = hung_up.await;
            });
            hang_up
        };
        let lines: Vec<_> = (0..9).map(|_| connect()).collect();
        let mut shares = HashMap::new();
        for _ in &lines {
            *shares.entry(threads.recv().await.unwrap()).or_insert(0) += 1;
        }
        assert_eq!(shares.into_values().collect::<Vec<_>>(), [3, 3, 3]);
        let (held, cut_off) = oneshot::channel::<()>();
        workers.workers[1].runtime.spawn(async move {
            let _held = held;
            pending::<()>().await;
        });
        drop(workers);
        assert!(cut_off.await.is_err());
    }
}
