//! What the next run of the relay needs of the sessions, and how it takes them up.

use std::sync::Arc;

use tokio::net::UdpSocket;

use super::{OpenError, Seat, Session, Sessions, any_address};
use crate::deferred_disconnect::DeferredDisconnect;
use crate::gate::{Gate, Stage};
use crate::policy::Target;
use crate::state::SavedSession;

impl Sessions {
    /// Takes up a session of an earlier run, which waits for its player as if its connection had just
    /// dropped. Servers know players by address and qport, and follow them to another port.
    ///
    /// With `is_late` nobody comes back any more: the server is told so.
    ///
    /// # Errors
    /// If there is no seat or no socket for it.
    pub async fn restore(
        self: &Arc<Self>,
        saved: SavedSession,
        target: Target,
        is_late: bool,
    ) -> Result<(), OpenError> {
        let permit = self.seats.take(saved.user, true).ok_or(OpenError::Full)?;
        if !self.lock().qports.insert(saved.qport) {
            return Err(OpenError::Full);
        }
        let mut pools = self.sources.iter();
        let seat = Seat {
            sessions: self.clone(),
            _place: permit,
            user: saved.user,
            qport: saved.qport,
            source: pools.find_map(|pool| pool.claim(saved.local.ip())),
        };
        let udp = match UdpSocket::bind(saved.local).await {
            Ok(udp) => udp,
            Err(error) => {
                tracing::debug!(local = %saved.local, %error, "another port for a session");
                match UdpSocket::bind((saved.local.ip(), 0)).await {
                    Ok(udp) => udp,
                    Err(_) => UdpSocket::bind((any_address(target.address), 0)).await?,
                }
            }
        };
        udp.connect(target.address).await?;
        let gate = Gate::restored(saved.qport, saved.players_qport);
        let mut session = self.session(target, udp, gate, seat);
        session.deferred_disconnect = DeferredDisconnect::restored(&saved.deferred_disconnect);
        if is_late {
            // When it is dropped, the server hears of its end.
            session.udp.writable().await?;
            return Ok(());
        }
        let mut inner = self.lock();
        for token in saved.tokens {
            inner.tokens.insert(token, session.id);
        }
        drop(inner);
        self.remember(&session);
        self.keep(session);
        Ok(())
    }

    /// Waits until something has changed that the next run of the relay needs to know.
    pub async fn changed(&self) {
        match &self.changed {
            Some(changed) => changed.notified().await,
            None => std::future::pending().await,
        }
    }

    /// What the next run of the relay needs to go on with all who are in a game.
    pub fn saved(&self) -> Vec<SavedSession> {
        let inner = self.lock();
        let mut saved = inner.saved.clone();
        for (token, id) in &inner.tokens {
            if let Some(session) = saved.get_mut(id) {
                session.tokens.push(token.clone());
            }
        }
        saved.into_values().collect()
    }

    /// Notes what the next run of the relay needs to go on with a session.
    pub fn remember(&self, session: &Session) {
        if self.changed.is_none() || session.gate.stage() != Stage::Connected {
            return;
        }
        let Ok(local) = session.udp.local_addr() else {
            return;
        };
        let saved = SavedSession {
            tokens: Vec::new(),
            server: session.target.name.clone(),
            address: session.target.address,
            local,
            qport: session.seat.qport,
            players_qport: session.gate.players_qport(),
            user: session.seat.user,
            deferred_disconnect: session.deferred_disconnect.text(),
        };
        self.lock().saved.insert(session.id, saved);
        self.note_change();
    }

    /// Will the next run of the relay go on with this session?
    pub fn is_remembered(&self, id: u64) -> bool {
        self.lock().saved.contains_key(&id)
    }

    /// Leaves a session to the next run of the relay: the server hears nothing of its end.
    pub fn leave_behind(&self, mut session: Box<Session>) {
        session.deferred_disconnect.clear();
        self.leave(session.id);
    }

    pub(super) fn note_change(&self) {
        if let Some(changed) = &self.changed {
            changed.notify_one();
        }
    }
}
