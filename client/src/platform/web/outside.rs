//! What the surroundings say: the page's form, and the paks and demos dropped on it.

use super::{
    files,
    host::{self, part},
    replay,
};
use crate::{app::wake::Wake, event::Event};
use shared::base::text;
use std::sync::mpsc::{Receiver, Sender, channel};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

#[derive(Debug)]
pub struct Outside {
    events: Receiver<Event>,
}

impl Outside {
    /// Begins to listen to the page.
    pub fn listen(wake: Wake) -> Self {
        let (sender, events) = channel();
        // The page sends what the player types into its form, and paks dropped later than the start.
        on_page_event("strafe-command", &sender, &wake, |detail| {
            detail.as_string().map(Event::Command)
        });
        on_page_event("strafe-source", &sender, &wake, |detail| {
            let number = part(detail, "id")?.as_f64()?;
            Some(files::found(number as u32, detail.unchecked_ref()))
        });
        on_page_event("strafe-coming", &sender, &wake, |detail| {
            detail
                .as_f64()
                .map(|count| Event::SourcesComing(count as u32))
        });
        on_page_event("strafe-turned", &sender, &wake, |detail| {
            let angle = |name| Some(part(detail, name)?.as_f64()? as f32);
            Some(Event::Turned {
                yaw: angle("yaw")?,
                pitch: angle("pitch")?,
            })
        });
        on_page_event("strafe-servers", &sender, &wake, |detail| {
            let text = |name| part(detail, name)?.as_string();
            let list = text("list").ok_or_else(|| text("reason").unwrap_or_default());
            Some(Event::ServersFetched(list))
        });
        on_page_event("strafe-demo", &sender, &wake, |detail| {
            Some(Event::DemoRead {
                name: part(detail, "name")?.as_string()?,
                bytes: Some(js_sys::Uint8Array::new(&part(detail, "bytes")?).to_vec()),
            })
        });
        on_page_event("strafe-journal", &sender, &wake, |detail| {
            replay::begin(js_sys::Uint8Array::new(detail).to_vec());
            None
        });
        Self { events }
    }

    pub fn poll(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// Shows what the console printed.
    pub fn print(&mut self, line: &str) {
        host::log(&text::printable(line));
    }

    /// A page has no files; the browser's own console keeps what is printed.
    pub fn log(&mut self, _line: &str, _logfile: i32) {}
}

fn on_page_event(
    name: &str,
    sender: &Sender<Event>,
    wake: &Wake,
    read: impl Fn(&JsValue) -> Option<Event> + 'static,
) {
    let (sender, wake) = (sender.clone(), wake.clone());
    let listener =
        Closure::<dyn Fn(web_sys::CustomEvent)>::new(move |event: web_sys::CustomEvent| {
            if let Some(event) = read(&event.detail()) {
                // A closed channel means that the client is gone.
                let _ = sender.send(event);
                wake.wake();
            }
        });
    if let Some(window) = web_sys::window() {
        // Adding a listener to one's own window cannot fail.
        let _ = window.add_event_listener_with_callback(name, listener.as_ref().unchecked_ref());
    }
    // The listener lives as long as the page.
    listener.forget();
}
