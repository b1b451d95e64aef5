//! Reads along in one player's session, for whoever listens.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;
use shared::base::time::ClientTime;
use shared::net::tap::{self, Heard};
use shared::types::gamestate::Gamestate;
use tokio::sync::mpsc;

/// Follows both directions of a session from its handshake on.
#[derive(Debug)]
pub(crate) struct Tap {
    began: Instant,
    tap: tap::Tap,
    listeners: Listeners,
    /// Lines that no listener could take.
    skipped: u64,
}

/// Who gets a line of JSON for each message.
pub(crate) type Listeners = Arc<Mutex<Vec<mpsc::Sender<String>>>>;

impl Tap {
    pub(crate) fn new() -> Self {
        Self {
            began: Instant::now(),
            tap: tap::Tap::default(),
            listeners: Listeners::default(),
            skipped: 0,
        }
    }

    pub(crate) fn listeners(&self) -> Listeners {
        self.listeners.clone()
    }

    /// Reads a datagram that passed to the server, as the player wrote it.
    pub(crate) fn hear_player(&mut self, datagram: &[u8]) {
        let now = self.now();
        if let Some(heard) = self.tap.hear_client(now, datagram) {
            self.tell(&heard);
        }
    }

    /// Reads a datagram for the player; yields a gamestate if it completes one.
    pub(crate) fn hear_server(&mut self, datagram: &[u8]) -> Option<Arc<Gamestate>> {
        let now = self.now();
        let heard = self.tap.hear_server(now, datagram)?;
        self.tell(&heard);
        heard.gamestate()
    }

    fn now(&self) -> ClientTime {
        ClientTime(self.began.elapsed().as_millis() as i32)
    }

    /// Makes a line only if somebody listens, and drops it for whoever does not keep up.
    fn tell(&mut self, heard: &Heard<'_>) {
        let mut listeners = self.listeners.lock();
        listeners.retain(|listener| !listener.is_closed());
        if listeners.is_empty() {
            return;
        }
        let mut line = self.tap.json(heard);
        line["at_msec"] = (self.began.elapsed().as_micros() as f64 / 1000.0).into();
        if self.skipped > 0 {
            line["skipped_lines"] = self.skipped.into();
        }
        let text = format!("{line}\n");
        let told = listeners
            .iter()
            .filter(|listener| listener.try_send(text.clone()).is_ok());
        self.skipped = match told.count() {
            0 => self.skipped + 1,
            _ => 0,
        };
    }
}
