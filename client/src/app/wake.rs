//! Wakes the event loop when something arrives between two frames.

use winit::event_loop::EventLoopProxy;

/// Held by whatever brings data from outside; does nothing where no window waits.
#[derive(Clone, Debug, Default)]
pub struct Wake(Option<EventLoopProxy<()>>);

impl Wake {
    pub fn of(event_loop: EventLoopProxy<()>) -> Self {
        Self(Some(event_loop))
    }

    pub fn wake(&self) {
        if let Some(event_loop) = &self.0 {
            // It fails only when the event loop is gone, and then nobody waits.
            let _ = event_loop.send_event(());
        }
    }
}
