//! Lets a browser join a server or come back to its session, by whatever transport.

use std::net::IpAddr;
use std::sync::Arc;

use serde::Deserialize;

use crate::core::pump::{self, code};
use crate::core::relay::RelayState;
use crate::core::session::{OpenError, Session};
use crate::core::transport::Transport;

/// What a browser asks for.
#[derive(Debug, Default, Deserialize)]
pub(super) struct JoinRequest {
    pub server: Option<String>,
    /// The secret of a session to go on with.
    #[serde(rename = "resume")]
    pub token: Option<String>,
}

/// Opens or resumes a session and carries it to its end.
pub(super) async fn join<T: Transport>(
    relay_state: &Arc<RelayState>,
    transport: T,
    user: IpAddr,
    join_request: JoinRequest,
) {
    match open(relay_state, user, &join_request).await {
        Ok(session) => {
            let is_resumed = join_request.token.is_some();
            let counter = match is_resumed {
                true => &relay_state.counters.sessions_resumed,
                false => &relay_state.counters.sessions_opened,
            };
            counter.add(1);
            let (id, server) = (session.id, &session.target.name);
            tracing::info!(session = id, %user, server, transport = T::NAME, is_resumed, "opened");
            pump::run(
                relay_state,
                session,
                transport,
                join_request.token.as_deref(),
            )
            .await;
        }
        Err((code, reason)) => {
            relay_state.counters.sessions_refused.add(1);
            tracing::info!(%user, transport = T::NAME, code, reason, "refused");
            transport.close(code, &reason).await;
        }
    }
}

/// Checks what can be checked before a socket is opened.
async fn open(
    relay_state: &RelayState,
    user: IpAddr,
    join_request: &JoinRequest,
) -> Result<Box<Session>, (u16, String)> {
    if relay_state.policy.is_banned(user) {
        return Err((code::BANNED, OpenError::Banned.to_string()));
    }
    let opened = match &join_request.token {
        Some(_) if !relay_state.budgets.may_resume(user) => Err(OpenError::TooOften),
        Some(token) => relay_state.sessions.resume(token).await,
        // Before a name is looked up for them.
        None if !relay_state.budgets.may_open(user) => Err(OpenError::TooOften),
        None => {
            let target = relay_state
                .policy
                .target(join_request.server.as_deref())
                .await;
            let target = target.map_err(|error| (code::NO_TARGET, error.to_string()))?;
            relay_state.sessions.open(user, target).await
        }
    };
    opened.map_err(|error| {
        let code = match error {
            OpenError::Full | OpenError::FullForAddress | OpenError::TooOften => code::FULL,
            OpenError::Banned => code::BANNED,
            OpenError::UnknownToken => code::UNKNOWN_TOKEN,
            OpenError::Socket(_) => code::NO_SERVER,
        };
        (code, error.to_string())
    })
}
