//! A WebSocket to the relay: one binary message is one datagram.

use super::{clock::Clock, host};
use crate::{app::wake::Wake, event::Event};
use std::sync::mpsc::{Receiver, Sender, channel};
use wasm_bindgen::{JsCast, closure::Closure};
use web_sys::{BinaryType, CloseEvent, MessageEvent, WebSocket};

/// Bytes waiting in the browser beyond which datagrams are dropped: late ones help nobody.
const MOST_WAITING_BYTES: u32 = 16_384;

/// What the relay takes as one text.
const LONGEST_TEXT: usize = 2048;

/// The way to one server, being opened or open.
#[derive(Debug)]
pub struct Socket {
    socket: Option<WebSocket>,
    events: Receiver<Event>,
    // Dropped with the socket, so that nothing calls into what is gone.
    _on_message: Closure<dyn Fn(MessageEvent)>,
    _on_close: Closure<dyn Fn(CloseEvent)>,
}

impl Socket {
    /// Begins to open the way; `poll` tells when it is open.
    pub fn open(server: &str, clock: Clock, wake: Wake) -> Self {
        let (sender, events) = channel();
        let on_message = message_listener(server.to_owned(), sender.clone(), clock, wake.clone());
        let on_close = close_listener(sender.clone(), wake);
        let url = host::link_url(server);
        let socket = match WebSocket::new(&url) {
            Ok(socket) => {
                socket.set_binary_type(BinaryType::Arraybuffer);
                socket.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
                socket.set_onclose(Some(on_close.as_ref().unchecked_ref()));
                Some(socket)
            }
            Err(error) => {
                let reason = format!(
                    "the relay at {url} cannot be reached: {}",
                    host::text_of(&error)
                );
                // The receiver is held right here.
                let _ = sender.send(Event::LinkClosed { reason });
                None
            }
        };
        Self {
            socket,
            events,
            _on_message: on_message,
            _on_close: on_close,
        }
    }

    /// Sends a datagram; what cannot be sent soon is dropped, as a line would drop it.
    pub fn send(&mut self, datagram: &[u8]) {
        let Some(socket) = &self.socket else { return };
        if socket.ready_state() == WebSocket::OPEN && socket.buffered_amount() < MOST_WAITING_BYTES
        {
            // It fails only when the socket is closing, which its own event tells.
            let _ = socket.send_with_u8_array(datagram);
        }
    }

    /// Leaves a farewell with the relay, for when the page dies.
    pub fn deposit(&mut self, will: &[Vec<u8>]) {
        let Some(socket) = &self.socket else { return };
        let mut text = will_text(will);
        if text.len() > LONGEST_TEXT {
            // A farewell that went out once is better than none.
            text = will_text(will.get(..1).unwrap_or_default());
        }
        if socket.ready_state() == WebSocket::OPEN && text.len() <= LONGEST_TEXT {
            // It fails only when the socket is closing, which its own event tells.
            let _ = socket.send_with_str(&text);
        }
    }

    /// The next thing that happened here.
    pub fn poll(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Some(socket) = &self.socket {
            socket.set_onmessage(None);
            socket.set_onclose(None);
            // The relay holds nothing for a player who leaves on purpose. Both fail only on a closed socket.
            let _ = socket.send_with_str(r#"{"bye":true}"#);
            let _ = socket.close();
        }
    }
}

fn will_text(will: &[Vec<u8>]) -> String {
    let digits = |datagram: &Vec<u8>| -> String {
        datagram.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let texts = will.iter().map(digits).collect::<Vec<_>>();
    serde_json::json!({ "will": texts }).to_string()
}

fn message_listener(
    server: String,
    sender: Sender<Event>,
    clock: Clock,
    wake: Wake,
) -> Closure<dyn Fn(MessageEvent)> {
    Closure::new(move |message: MessageEvent| {
        let data = message.data();
        let event = if let Some(buffer) = data.dyn_ref::<js_sys::ArrayBuffer>() {
            Some(Event::Packet {
                bytes: js_sys::Uint8Array::new(buffer).to_vec(),
                at: clock.now(),
            })
        } else {
            data.as_string().and_then(|text| relay_says(&text, &server))
        };
        if let Some(event) = event {
            // A closed channel means that nobody listens to this socket any more.
            let _ = sender.send(event);
            wake.wake();
        }
    })
}

/// The relay speaks JSON in text frames; its first key tells what it is about.
fn relay_says(text: &str, server: &str) -> Option<Event> {
    let said: serde_json::Value = serde_json::from_str(text).ok()?;
    if said.get("open").is_some() {
        return Some(Event::LinkOpened {
            server: server.to_owned(),
            transport: "WebSocket",
        });
    }
    let notice = said.get("notice")?.as_str()?;
    host::log(&format!("relay: {notice}"));
    None
}

fn close_listener(sender: Sender<Event>, wake: Wake) -> Closure<dyn Fn(CloseEvent)> {
    Closure::new(move |close: CloseEvent| {
        let reason = match close.reason() {
            reason if !reason.is_empty() => reason,
            _ if close.code() == 1006 => {
                "the connection to the relay broke, or it could not be reached".to_owned()
            }
            _ => format!("the relay closed the connection (code {})", close.code()),
        };
        let _ = sender.send(Event::LinkClosed { reason });
        wake.wake();
    })
}
