//! Reads along in sessions: for their players, and for whoever wants to know of their levels.

use std::collections::HashMap;
use std::convert::Infallible;
use std::fmt::Debug;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use clap::Args;
use futures_util::stream::poll_fn;
use parking_lot::Mutex;
use shared::types::gamestate::Gamestate;
use tokio::sync::mpsc;

use crate::core::{Plugin, Reader, RelayState, Routes, Session, SessionEvent, Target};

pub(crate) mod tap;

use tap::{Listeners, Tap};

/// Lines of a session that wait for whoever reads along slowly.
const MAX_WAITING_LINES: usize = 512;

#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct Options {
    /// Let players read along in their own session at /api/inspect: each message with the bits of
    /// its fields. Costs up to 2 MB of memory per session.
    #[arg(long)]
    pub inspect: bool,
}

/// Whoever is told of each level that reaches a player.
pub(crate) trait Gamestates: Debug + Send + Sync {
    /// Yields what the page is to hear before the level.
    fn note(
        self: Arc<Self>,
        relay: &Arc<RelayState>,
        session: u64,
        target: &Target,
        gamestate: &Gamestate,
    ) -> Option<String>;
}

/// Reads along in all sessions, where somebody wants that.
#[derive(Debug)]
pub(crate) struct Inspection {
    /// For players.
    is_open: bool,
    gamestates: Option<Arc<dyn Gamestates>>,
    listeners: Mutex<HashMap<u64, Listeners>>,
}

/// What reads along in one session.
#[derive(Debug)]
struct SessionReader {
    relay: Arc<RelayState>,
    session: u64,
    target: Target,
    gamestates: Option<Arc<dyn Gamestates>>,
    tap: Tap,
}

impl Inspection {
    pub(crate) fn new(options: &Options, gamestates: Option<Arc<dyn Gamestates>>) -> Self {
        Self {
            is_open: options.inspect,
            gamestates,
            listeners: Mutex::default(),
        }
    }

    fn listen(&self, session: u64, listener: mpsc::Sender<String>) -> Option<()> {
        self.listeners.lock().get(&session)?.lock().push(listener);
        Some(())
    }
}

impl Plugin for Inspection {
    fn routes(self: Arc<Self>, relay: &Arc<RelayState>) -> Routes {
        let router = Router::new().route("/api/inspect", get(answer));
        Routes {
            own: router.with_state((self, relay.clone())),
            ..Routes::default()
        }
    }

    fn reader(&self, relay: &Arc<RelayState>, session: &Session) -> Option<Box<dyn Reader>> {
        if !self.is_open && self.gamestates.is_none() {
            return None;
        }
        let tap = Tap::new();
        self.listeners.lock().insert(session.id, tap.listeners());
        Some(Box::new(SessionReader {
            relay: relay.clone(),
            session: session.id,
            target: session.target.clone(),
            gamestates: self.gamestates.clone(),
            tap,
        }))
    }

    fn note(&self, event: SessionEvent<'_>) {
        if let SessionEvent::Ended(session) = event {
            self.listeners.lock().remove(&session);
        }
    }
}

impl Reader for SessionReader {
    fn read_player(&mut self, datagram: &[u8]) {
        self.tap.hear_player(datagram);
    }

    fn read_server(&mut self, datagram: &[u8]) -> Option<String> {
        let gamestate = self.tap.hear_server(datagram)?;
        let gamestates = self.gamestates.clone()?;
        gamestates.note(&self.relay, self.session, &self.target, &gamestate)
    }
}

/// The messages of a session in play as they come, for whoever knows its token.
async fn answer(
    State((inspection, relay)): State<(Arc<Inspection>, Arc<RelayState>)>,
    headers: HeaderMap,
) -> Response {
    if !inspection.is_open {
        let reason = "This relay lets nobody read along; --inspect would.\n";
        return (StatusCode::NOT_FOUND, reason).into_response();
    }
    let bearer = headers.get(header::AUTHORIZATION);
    let token = bearer.and_then(|line| line.to_str().ok()?.strip_prefix("Bearer "));
    let (listener, mut lines) = mpsc::channel(MAX_WAITING_LINES);
    let session = relay.sessions.playing(token.unwrap_or_default());
    if session
        .and_then(|session| inspection.listen(session, listener))
        .is_none()
    {
        let reason = "No session in play has this token.\n";
        return (StatusCode::FORBIDDEN, reason).into_response();
    }
    let lines = poll_fn(move |context| {
        let line = lines.poll_recv(context);
        line.map(|line| line.map(Ok::<_, Infallible>))
    });
    let kind = HeaderValue::from_static("application/x-ndjson");
    let head = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (head, Body::from_stream(lines)).into_response()
}
