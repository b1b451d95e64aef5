//! Work beside the frame, on threads that the platform lends.

use std::sync::mpsc::{Receiver, channel};
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

type HandOver = dyn Fn(Box<dyn Job>);

/// Hands jobs to somebody who does them soon, or does nothing where there is nobody.
#[derive(Default)]
pub struct Beside(Option<Box<HandOver>>);

impl Beside {
    pub fn new(hand_over: impl Fn(Box<dyn Job>) + 'static) -> Self {
        Self(Some(Box::new(hand_over)))
    }

    /// Has something made; `None` if nobody is there to make it.
    pub fn promise<T: WasmNotSend + 'static>(
        &self,
        make: impl FnOnce() -> T + WasmNotSend + 'static,
    ) -> Option<Promise<T>> {
        let hand_over = self.0.as_ref()?;
        let (sender, receiver) = channel();
        hand_over(Box::new(move || {
            // Nobody waits any more: what was made is not needed.
            let _ = sender.send(make());
        }));
        Some(Promise(receiver))
    }
}

/// Something that is being made.
pub struct Promise<T>(Receiver<T>);

impl<T> Promise<T> {
    /// Waits for it; `None` if its making failed or was given up.
    pub fn wait(self) -> Option<T> {
        self.0.recv().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn promises_are_kept_or_known_to_be_broken() {
        assert!(Beside::default().promise(|| 1).is_none());
        let done = Beside::new(Job::run).promise(|| 2);
        assert_eq!(done.and_then(Promise::wait), Some(2));
        let given_up = Beside::new(drop).promise(|| 3);
        assert_eq!(given_up.expect("somebody is there").wait(), None);
    }
}
