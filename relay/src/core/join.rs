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
    _: Admitted,
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
        Err(refused) => refuse(relay_state, transport, user, refused).await,
    }
}

/// Somebody who may join or come back now, by the budgets of the address.
#[derive(Debug)]
pub(super) struct Admitted(());

/// Why a request does not become a session, as the page is told.
#[derive(Debug)]
pub(super) struct Refused {
    code: u16,
    reason: String,
}

impl From<OpenError> for Refused {
    fn from(error: OpenError) -> Self {
        let code = match error {
            OpenError::Full | OpenError::FullForAddress | OpenError::TooOften => code::FULL,
            OpenError::Banned => code::BANNED,
            OpenError::UnknownToken => code::UNKNOWN_TOKEN,
            OpenError::Socket(_) => code::NO_SERVER,
        };
        let reason = error.to_string();
        Self { code, reason }
    }
}

/// Checks what costs nothing: before a worker hears of the request, and before a name is looked up.
///
/// # Errors
/// If the address is banned, or has come too often.
pub(super) fn admit(
    relay_state: &RelayState,
    user: IpAddr,
    join_request: &JoinRequest,
) -> Result<Admitted, Refused> {
    if relay_state.policy.is_banned(user) {
        return Err(OpenError::Banned.into());
    }
    let is_within_budget = match &join_request.token {
        Some(_) => relay_state.budgets.resumes.check(user),
        None => relay_state.budgets.openings.check(user),
    };
    match is_within_budget {
        true => Ok(Admitted(())),
        false => Err(OpenError::TooOften.into()),
    }
}

/// Tells somebody that they are refused.
pub(super) async fn refuse<T: Transport>(
    relay_state: &RelayState,
    transport: T,
    user: IpAddr,
    refused: Refused,
) {
    let Refused { code, reason } = refused;
    relay_state.counters.sessions_refused.add(1);
    tracing::info!(%user, transport = T::NAME, code, reason, "refused");
    transport.close(code, &reason).await;
}

async fn open(
    relay_state: &RelayState,
    user: IpAddr,
    join_request: &JoinRequest,
) -> Result<Box<Session>, Refused> {
    if let Some(token) = &join_request.token {
        return Ok(relay_state.sessions.resume(token).await?);
    }
    let server = join_request.server.as_deref();
    let target = relay_state.policy.target(server).await;
    let target = target.map_err(|error| Refused {
        code: code::NO_TARGET,
        reason: error.to_string(),
    })?;
    Ok(relay_state.sessions.open(user, target).await?)
}
