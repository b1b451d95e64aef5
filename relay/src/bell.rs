//! Tells which of a task's sources called it, so that only those are asked.
//!
//! A task that waits for many things is woken for one of them. To ask all the others too takes locks
//! and cold memory, which for a datagram's way through the relay is more than its own work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;

/// Stands between one source and the task that waits for it.
#[derive(Debug)]
pub struct Bell {
    rope: Arc<Rope>,
    waker: Waker,
}

#[derive(Debug)]
struct Rope {
    has_rung: AtomicBool,
    task: AtomicWaker,
}

impl Bell {
    /// One that has rung: the source must be asked once before it can call.
    pub fn new() -> Self {
        let rope = Arc::new(Rope {
            has_rung: AtomicBool::new(true),
            task: AtomicWaker::new(),
        });
        Self {
            waker: rope.clone().into(),
            rope,
        }
    }

    /// Asks the source if it may have something: if it called, or had something the last time.
    pub fn poll<T>(
        &self,
        context: &Context<'_>,
        source: impl FnOnce(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        // First, so that no call gets lost in between.
        self.rope.task.register(context.waker());
        if !self.rope.has_rung.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        let polled = source(&mut Context::from_waker(&self.waker));
        if polled.is_ready() {
            self.rope.has_rung.store(true, Ordering::Release);
        }
        polled
    }
}

impl Wake for Rope {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.has_rung.store(true, Ordering::Release);
        self.task.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::sync::mpsc;

    use super::*;

    #[test]
    fn a_source_is_asked_only_after_it_called() {
        let bell = Bell::new();
        let context = Context::from_waker(Waker::noop());
        let mut asked = 0;
        let mut waker = None;
        for _ in 0..3 {
            let polled: Poll<()> = bell.poll(&context, |context| {
                asked += 1;
                waker = Some(context.waker().clone());
                Poll::Pending
            });
            assert!(polled.is_pending());
        }
        assert_eq!(asked, 1);
        waker.unwrap().wake();
        assert_eq!(bell.poll(&context, |_| Poll::Ready(7)), Poll::Ready(7));
        // It may have more.
        assert_eq!(bell.poll(&context, |_| Poll::Ready(8)), Poll::Ready(8));
    }

    #[tokio::test]
    async fn nothing_is_missed() {
        let (bells, mut ends) = ([Bell::new(), Bell::new()], Vec::new());
        let mut sources = Vec::new();
        for _ in &bells {
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
                    if let Poll::Ready(Some(number)) = bells[which].poll(context, source) {
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
