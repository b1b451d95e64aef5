//! A value that many want and one task at a time makes anew, whoever of them hangs up.

use std::future::Future;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, Shared};

/// The last value and when it was complete, and the task that makes the next one.
#[derive(Debug)]
pub(crate) struct SingleFlight<T: Clone> {
    state: Mutex<State<T>>,
}

#[derive(Debug)]
struct State<T: Clone> {
    last: Option<(Instant, T)>,
    running: Option<Running<T>>,
}

/// The value with the time when it was complete; nothing if the task was cut off.
type Running<T> = Shared<BoxFuture<'static, Option<(Instant, T)>>>;

fn begin<T: Clone + Send + Sync + 'static>(
    make: impl Future<Output = T> + Send + 'static,
) -> Running<T> {
    let task = tokio::spawn(async move {
        let value = make.await;
        (Instant::now(), value)
    });
    async move { task.await.ok() }.boxed().shared()
}

impl<T: Clone> Default for SingleFlight<T> {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                last: None,
                running: None,
            }),
        }
    }
}

impl<T: Clone + Send + Sync + 'static> SingleFlight<T> {
    /// A value that is younger than `fresh`. If there is none, `make` makes one in a task of its own;
    /// whoever comes meanwhile waits for the same one. The task goes on when nobody waits any more.
    ///
    /// Nothing if the task was cut off by the relay's end.
    pub(crate) async fn get<F>(&self, fresh: Duration, make: impl FnOnce() -> F) -> Option<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let running = {
            let mut state = self.state.lock();
            if let Some(value) = state.settled(fresh) {
                return Some(value);
            }
            match &state.running {
                Some(running) => running.clone(),
                None => state.running.insert(begin(make())).clone(),
            }
        };
        let made = running.await;
        self.state.lock().collect();
        made.map(|(_, value)| value)
    }

    /// Has a new value made if the last one is older than `fresh`; yields the last one.
    #[cfg(feature = "servers")]
    pub(crate) fn refresh<F>(&self, fresh: Duration, make: impl FnOnce() -> F) -> Option<T>
    where
        F: Future<Output = T> + Send + 'static,
    {
        let mut state = self.state.lock();
        if state.settled(fresh).is_none() && state.running.is_none() {
            state.running = Some(begin(make()));
        }
        state.last.as_ref().map(|(_, value)| value.clone())
    }

    /// Is somebody's value younger than this, or on its way?
    #[cfg(feature = "servers")]
    pub(crate) fn is_fresh(&self, fresh: Duration) -> bool {
        let mut state = self.state.lock();
        state.settled(fresh).is_some() || state.running.is_some()
    }
}

impl<T: Clone> State<T> {
    /// Takes over what the task has made, though nobody may have waited for it.
    fn collect(&mut self) {
        let done = self
            .running
            .as_mut()
            .and_then(|running| running.now_or_never());
        if let Some(made) = done {
            self.running = None;
            self.last = made.or(self.last.take());
        }
    }

    fn settled(&mut self, fresh: Duration) -> Option<T> {
        self.collect();
        let last = self.last.as_ref().filter(|(at, _)| at.elapsed() < fresh);
        last.map(|(_, value)| value.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn whoever_hangs_up_stops_nothing() {
        let value = SingleFlight::default();
        let made = Arc::new(AtomicUsize::new(0));
        let make = || {
            let made = made.clone();
            async move {
                tokio::time::sleep(Duration::from_millis(100)).await;
                made.fetch_add(1, Ordering::Relaxed)
            }
        };
        let fresh = Duration::from_secs(5);
        for _ in 0..20 {
            let waited = tokio::time::timeout(Duration::from_millis(1), value.get(fresh, make));
            assert!(waited.await.is_err());
        }
        assert!(value.is_fresh(fresh));
        assert_eq!(value.get(fresh, make).await, Some(0));
        assert_eq!(made.load(Ordering::Relaxed), 1);
        // Real time decides how old a value is: none is younger than nothing.
        assert_eq!(value.refresh(Duration::ZERO, make), Some(0));
        assert_eq!(value.get(Duration::ZERO, make).await, Some(1));
    }

    #[tokio::test]
    async fn a_task_that_fails_is_tried_again() {
        let value = SingleFlight::<u8>::default();
        let fails = || async { panic!("on purpose") };
        assert_eq!(value.get(Duration::from_secs(5), fails).await, None);
        assert_eq!(
            value.get(Duration::from_secs(5), || async { 7 }).await,
            Some(7)
        );
    }
}
