//! Source wakers: tell which of the sources that a task waits for has something, so that only those are polled.
//!
//! A task that waits for many things is woken for one of them. To ask all the others too takes locks
//! and cold memory, which for a datagram's way through the relay is more than its own work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use parking_lot::Mutex;

/// Stands between one source and the task that waits for it.
#[derive(Debug)]
pub(super) struct SourceWaker {
    flag: Arc<WakeFlag>,
    waker: Waker,
    /// What `flag.task` holds. A task keeps its waker, so comparing is all that most polls need.
    task: Waker,
}

#[derive(Debug)]
struct WakeFlag {
    is_woken: AtomicBool,
    task: Mutex<Waker>,
}

impl SourceWaker {
    /// One that has been woken: the source must be asked once before it can call.
    pub(super) fn new() -> Self {
        let flag = Arc::new(WakeFlag {
            is_woken: AtomicBool::new(true),
            task: Mutex::new(Waker::noop().clone()),
        });
        Self {
            waker: flag.clone().into(),
            flag,
            task: Waker::noop().clone(),
        }
    }

    /// Asks the source if it may have something: if it called, or had something the last time.
    pub(super) fn poll<T>(
        &mut self,
        context: &Context<'_>,
        source: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        // First, so that no call gets lost in between.
        if !self.task.will_wake(context.waker()) {
            self.task.clone_from(context.waker());
            self.flag.task.lock().clone_from(context.waker());
        }
        if !self.flag.is_woken.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        let polled = source(&mut Context::from_waker(&self.waker));
        if polled.is_ready() {
            self.flag.is_woken.store(true, Ordering::Release);
        }
        polled
    }
}

impl Wake for WakeFlag {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_woken.store(true, Ordering::Release);
        self.task.lock().wake_by_ref();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::sync::mpsc;

    use super::*;

    #[test]
    fn a_source_is_asked_only_after_it_called() {
        let mut source_waker = SourceWaker::new();
        let context = Context::from_waker(Waker::noop());
        let mut asked = 0;
        let mut waker = None;
        for _ in 0..3 {
            let polled: Poll<()> = source_waker.poll(&context, |context| {
                asked += 1;
                waker = Some(context.waker().clone());
                Poll::Pending
            });
            assert!(polled.is_pending());
        }
        assert_eq!(asked, 1);
        waker.unwrap().wake();
        assert_eq!(
            source_waker.poll(&context, |_| Poll::Ready(7)),
            Poll::Ready(7)
        );
        // It may have more.
        assert_eq!(
            source_waker.poll(&context, |_| Poll::Ready(8)),
            Poll::Ready(8)
        );
    }

    #[tokio::test]
    async fn nothing_is_missed() {
        let (mut source_wakers, mut ends) = ([SourceWaker::new(), SourceWaker::new()], Vec::new());
        let mut sources = Vec::new();
        for _ in &source_wakers {
            let (send, source) = mpsc::channel(8);
            sources.push(source);
            ends.push(tokio::spawn(async move {
                for number in 0..20_000_u32 {
                    send.send(number).await.unwrap();
                    if number % 64 == 0 {
                        tokio::task::yield_now().await;
                    }
                }
            }));
        }
        let mut next = [0, 0];
        while next.iter().sum::<u32>() < 40_000 {
            let (which, number) = poll_fn(|context| {
                for which in 0..2 {
                    let source = |context: &mut Context<'_>| sources[which].poll_recv(context);
                    if let Poll::Ready(Some(number)) = source_wakers[which].poll(context, source) {
                        return Poll::Ready((which, number));
                    }
                }
                Poll::Pending
            })
            .await;
            assert_eq!(number, next[which]);
            next[which] += 1;
        }
        for end in ends {
            end.await.unwrap();
        }
    }
}
