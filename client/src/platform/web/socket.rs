//! The page's way to a server through the relay, over WebTransport or WebSocket, as `web/link.js` opens and keeps it.

use super::{clock::Clock, host};
use crate::{
    app::wake::Wake,
    event::{Event, Hops, Transport},
    output::OwnAddress,
};
use js_sys::Uint8Array;
use shared::{
    base::hex,
    net::split::{Joiner, Splitter},
};
use std::{
    borrow::Cow,
    cell::RefCell,
    rc::Rc,
    sync::mpsc::{Receiver, channel},
};
use wasm_bindgen::{JsValue, closure::Closure};

/// A page has one way, to the server that it plays on.
pub const CANNOT_ASK: Option<&str> =
    Some("a page asks no other servers; the list of servers tells what they say");
/// What the relay takes as one text.
const LONGEST_TEXT: usize = 2048;

/// The way to one server, being opened or open.
#[derive(Debug)]
pub struct Socket {
    link: Option<host::PageLink>,
    events: Receiver<Event>,
    path: Rc<RefCell<Path>>,
    // Dropped after the link was closed, so that nothing calls into what is gone.
    _hear: Closure<dyn Fn(String, JsValue)>,
}

/// What carries the datagrams now.
#[derive(Debug, Default)]
struct Path {
    /// What splits those to the server and joins those from there; a WebSocket carries them whole.
    halves: Option<(Splitter, Joiner)>,
}

impl Path {
    fn begin(&mut self, transport: Transport) {
        self.halves = (transport == Transport::WebTransport).then(Default::default);
    }

    fn packets(&mut self, datagram: &[u8]) -> Vec<Uint8Array> {
        match &mut self.halves {
            None => vec![Uint8Array::from(datagram)],
            Some((splitter, _)) => {
                let packets = splitter.split(datagram);
                packets
                    .map(|packet| Uint8Array::from(&packet[..]))
                    .collect()
            }
        }
    }

    fn datagram(&mut self, packet: Vec<u8>) -> Option<Vec<u8>> {
        match &mut self.halves {
            None => Some(packet),
            Some((_, joiner)) => joiner.join(&packet).map(Cow::into_owned),
        }
    }
}

impl Socket {
    /// Begins to open the way; `poll` tells when it is open.
    pub fn open(server: &str, _own: &OwnAddress, clock: Clock, wake: Wake) -> Self {
        let (sender, events) = channel();
        let to_client = sender.clone();
        let name = server.to_owned();
        let path = Rc::new(RefCell::new(Path::default()));
        let heard = path.clone();
        let hear = Closure::<dyn Fn(String, JsValue)>::new(move |word: String, value: JsValue| {
            if let Some(event) = event(&name, &word, &value, clock, &mut heard.borrow_mut()) {
                // A closed channel means that nobody listens to this way any more.
                let _ = to_client.send(event);
                wake.wake();
            }
        });
        let link = match host::open_link(server, &hear) {
            Ok(link) => Some(link),
            Err(error) => {
                let reason = format!("the relay cannot be reached: {}", host::text_of(&error));
                // The receiver is held right here.
                let _ = sender.send(Event::LinkClosed { reason });
                None
            }
        };
        Self {
            link,
            events,
            path,
            _hear: hear,
        }
    }

    /// Sends a datagram; what cannot be sent soon is dropped, as a line would drop it.
    pub fn send(&mut self, datagram: &[u8]) {
        if let Some(link) = &self.link {
            let packets = self.path.borrow_mut().packets(datagram);
            if !packets.is_empty() {
                link.send(packets);
            }
        }
    }

    /// Leaves a farewell with the relay, for when the page dies.
    pub fn deposit(&mut self, deferred_disconnect: &[Vec<u8>]) {
        let Some(link) = &self.link else { return };
        let mut text = deferred_disconnect_text(deferred_disconnect);
        if text.len() > LONGEST_TEXT {
            // A farewell that went out once is better than none.
            text = deferred_disconnect_text(deferred_disconnect.get(..1).unwrap_or_default());
        }
        if text.len() <= LONGEST_TEXT {
            link.deposit(&text);
        }
    }

    /// The page may be about to load again: the relay keeps our place for a moment.
    pub fn set_aside(&mut self, resume_state: &str) -> bool {
        self.link
            .take_if(|link| link.set_aside(resume_state))
            .is_some()
    }

    /// The next thing that happened here.
    pub fn poll(&mut self) -> Option<Event> {
        self.events.try_recv().ok()
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        if let Some(link) = &self.link {
            link.close();
        }
    }
}

/// What the page tells about the way, as an event.
fn event(
    server: &str,
    word: &str,
    value: &JsValue,
    clock: Clock,
    path: &mut Path,
) -> Option<Event> {
    let text = || value.as_string().unwrap_or_default();
    let mut begin = |name: &str| {
        let transport = transport(name);
        path.begin(transport);
        transport
    };
    match word {
        "packet" => Some(Event::Packet {
            bytes: path.datagram(Uint8Array::new(value).to_vec())?,
            at: clock.now(),
        }),
        "opened" => Some(Event::LinkOpened {
            server: server.to_owned(),
            transport: begin(&text()),
        }),
        "resumed" => {
            let part = |name| host::part(value, name)?.as_string();
            Some(Event::LinkResumed {
                transport: begin(&part("transport")?),
                resume_state: part("resumeState")?,
            })
        }
        "timed" => {
            let part = |name| Some(host::part(value, name)?.as_f64()? as f32);
            Some(Event::LinkTimed(Hops {
                relay_msec: part("relayMsec")?,
                server_msec: part("serverMsec"),
            }))
        }
        "moved" => Some(Event::LinkMoved {
            transport: begin(&text()),
        }),
        // The relay has forgotten us: the server has to let us in anew.
        "lost" => Some(Event::Command("reconnect\n".to_owned())),
        "closed" => Some(Event::LinkClosed { reason: text() }),
        _ => None,
    }
}

fn transport(name: &str) -> Transport {
    match name {
        "WebTransport" => Transport::WebTransport,
        _ => Transport::WebSocket,
    }
}

fn deferred_disconnect_text(deferred_disconnect: &[Vec<u8>]) -> String {
    let texts = deferred_disconnect
        .iter()
        .map(|datagram| hex::encode(datagram));
    let texts = texts.collect::<Vec<_>>();
    serde_json::json!({ "deferred_disconnect": texts }).to_string()
}
