//! Sessions as values, for the next run of the relay, and how it takes them up.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tokio::net::UdpSocket;

use super::{OpenError, Seat, Session, SessionEvent, Sessions};
use crate::core::deferred_disconnect::DeferredDisconnect;
use crate::core::gate::{Gate, Stage};
use crate::core::network::any_address;
use crate::core::policy::Target;

/// A session whose player is in the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    pub tokens: Vec<String>,
    /// The server as the player named it, and its address.
    pub server: String,
    pub address: SocketAddr,
    /// From where the server knows the player.
    pub local: SocketAddr,
    pub qport: u16,
    pub players_qport: Option<u16>,
    pub user: IpAddr,
    /// What tells the server that the player left, in hexadecimal.
    pub deferred_disconnect: Vec<String>,
}

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
        record: SessionRecord,
        target: Target,
        is_late: bool,
    ) -> Result<(), OpenError> {
        let permit = self.seats.take(record.user, true).ok_or(OpenError::Full)?;
        if !self.lock().qports.insert(record.qport) {
            return Err(OpenError::Full);
        }
        let mut pools = self.sources.iter();
        let seat = Seat {
            sessions: self.clone(),
            _permit: permit,
            user: record.user,
            qport: record.qport,
            source: pools.find_map(|pool| pool.claim(record.local.ip())),
        };
        let udp = match UdpSocket::bind(record.local).await {
            Ok(udp) => udp,
            Err(error) => {
                tracing::debug!(local = %record.local, %error, "another port for a session");
                match UdpSocket::bind((record.local.ip(), 0)).await {
                    Ok(udp) => udp,
                    Err(_) => UdpSocket::bind((any_address(target.address), 0)).await?,
                }
            }
        };
        udp.connect(target.address).await?;
        let gate = Gate::restored(record.qport, record.players_qport);
        let mut session = self.session(target, udp, gate, seat);
        session.deferred_disconnect = DeferredDisconnect::restored(&record.deferred_disconnect);
        if is_late {
            // When it is dropped, the server hears of its end.
            session.udp.writable().await?;
            return Ok(());
        }
        let mut inner = self.lock();
        for token in record.tokens {
            inner.tokens.insert(token, session.id);
        }
        drop(inner);
        self.plugins.note(SessionEvent::Playing(&session));
        self.keep(session);
        Ok(())
    }

    /// The tokens by which players come back, and to which session.
    pub fn tokens(&self) -> HashMap<String, u64> {
        self.lock().tokens.clone()
    }

    /// Leaves a session to the next run of the relay: the server hears nothing of its end.
    pub fn leave_behind(&self, mut session: Box<Session>) {
        session.deferred_disconnect.clear();
        self.leave(session.id);
    }
}

impl Session {
    /// What the next run of the relay needs to go on with it, but for its tokens; nothing before a server has
    /// let the player in.
    pub fn record(&self) -> Option<SessionRecord> {
        if self.gate.stage() != Stage::Connected {
            return None;
        }
        Some(SessionRecord {
            tokens: Vec::new(),
            server: self.target.name.clone(),
            address: self.target.address,
            local: self.udp.local_addr().ok()?,
            qport: self.seat.qport,
            players_qport: self.gate.players_qport(),
            user: self.seat.user,
            deferred_disconnect: self.deferred_disconnect.text(),
        })
    }
}
