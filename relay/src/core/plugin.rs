//! What may be added to the core: it tells plugins what happens and asks them, and knows none of them.

use std::fmt::Debug;
use std::sync::Arc;

use axum::Router;
use futures_util::future::{BoxFuture, FutureExt, ready};

use super::relay::RelayState;
use super::session::Session;

/// Something that the relay also works without. Each method does nothing unless a plugin says otherwise.
pub trait Plugin: Debug + Send + Sync {
    /// Begins, before the relay takes ports and players.
    fn begin(self: Arc<Self>, _relay: Arc<RelayState>) -> BoxFuture<'static, ()> {
        ready(()).boxed()
    }

    /// Ends, after all sessions.
    fn end(&self, _relay: &RelayState) {}

    /// What it answers over HTTP.
    fn routes(self: Arc<Self>, _relay: &Arc<RelayState>) -> Routes {
        Routes::default()
    }

    /// Who reads along in a session; at most one plugin does.
    fn reader(&self, _relay: &Arc<RelayState>, _session: &Session) -> Option<Box<dyn Reader>> {
        None
    }

    /// The delay to a server by its name, for the page.
    fn server_msec(self: Arc<Self>, _server: &str) -> Option<f64> {
        None
    }

    /// What a server plays, by its name, for the page.
    fn played(self: Arc<Self>, _server: &str) -> Option<Played> {
        None
    }

    fn note(&self, _event: SessionEvent<'_>) {}

    /// Does the next run of the relay go on with this session?
    fn keeps(&self, _session: u64) -> bool {
        false
    }
}

/// A map in lower case, and the game folder that is played; that is empty for the base game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    pub game: String,
    pub map: String,
}

/// What happens to sessions.
#[derive(Clone, Copy, Debug)]
pub enum SessionEvent<'a> {
    /// A server has let the player in, or another disconnect is deposited.
    Playing(&'a Session),
    /// Some session has other tokens now.
    Tokens,
    /// Nobody can come back to it any more.
    Ended(u64),
}

/// Reads along in one session.
pub trait Reader: Debug + Send {
    /// A datagram of the player that passes to the server, as the player wrote it.
    fn read_player(&mut self, datagram: &[u8]);

    /// A datagram for the player; yields what the page is to hear before it.
    fn read_server(&mut self, datagram: &[u8]) -> Option<String>;
}

/// What a plugin answers over HTTP.
#[derive(Debug, Default)]
pub struct Routes {
    /// For pages of all origins.
    pub open: Router,
    /// For requests to hosts that are this relay.
    pub own: Router,
    /// The page: whatever nobody else answers.
    pub page: Option<Router>,
}

/// All plugins of a relay.
#[derive(Clone, Debug)]
pub struct Plugins(pub Arc<[Arc<dyn Plugin>]>);

impl Plugins {
    pub fn note(&self, event: SessionEvent<'_>) {
        self.0.iter().for_each(|plugin| plugin.note(event));
    }

    pub fn keep(&self, session: u64) -> bool {
        self.0.iter().any(|plugin| plugin.keeps(session))
    }

    pub fn server_msec(&self, server: &str) -> Option<f64> {
        let mut plugins = self.0.iter().cloned();
        plugins.find_map(|plugin| plugin.server_msec(server))
    }

    pub fn played(&self, server: &str) -> Option<Played> {
        let mut plugins = self.0.iter().cloned();
        plugins.find_map(|plugin| plugin.played(server))
    }

    pub fn reader(&self, relay: &Arc<RelayState>, session: &Session) -> Option<Box<dyn Reader>> {
        let mut readers = self.0.iter().map(|plugin| plugin.reader(relay, session));
        readers.find_map(|reader| reader)
    }
}
