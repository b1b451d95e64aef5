//! Lets a browser join a server or come back to its session, by whatever transport.

use std::net::IpAddr;

use crate::door::Door;
use crate::policy::Policy;
use crate::pump::{self, Ground, code};
use crate::session::{OpenError, Session};

/// What a browser asks for.
#[derive(Debug, Default)]
pub struct Wish {
    pub server: Option<String>,
    /// The secret of a session to go on with.
    pub token: Option<String>,
}

/// Opens or resumes a session and carries it to its end.
pub async fn join(ground: &Ground, policy: &Policy, door: impl Door, user: IpAddr, wish: Wish) {
    let transport = name(&door);
    match open(ground, policy, user, &wish).await {
        Ok(session) => {
            let is_resumed = wish.token.is_some();
            let counter = match is_resumed {
                true => &ground.metrics.sessions_resumed,
                false => &ground.metrics.sessions_opened,
            };
            counter.add(1);
            let (id, server) = (session.id, &session.target.name);
            tracing::info!(session = id, %user, server, transport, is_resumed, "opened");
            pump::run(ground, session, door, wish.token.as_deref()).await;
        }
        Err((code, reason)) => {
            ground.metrics.sessions_refused.add(1);
            tracing::info!(%user, transport, code, reason, "refused");
            door.close(code, &reason).await;
        }
    }
}

/// Checks what can be checked before a socket is opened.
async fn open(
    ground: &Ground,
    policy: &Policy,
    user: IpAddr,
    wish: &Wish,
) -> Result<Box<Session>, (u16, String)> {
    if policy.is_banned(user) {
        return Err((code::BANNED, OpenError::Banned.to_string()));
    }
    let opened = match &wish.token {
        Some(_) if !ground.budgets.may_resume(user) => Err(OpenError::TooOften),
        Some(token) => ground.sessions.resume(token).await,
        // Before a name is looked up for them.
        None if !ground.budgets.may_open(user) => Err(OpenError::TooOften),
        None => {
            let target = policy.target(wish.server.as_deref()).await;
            let target = target.map_err(|error| (code::NO_TARGET, error.to_string()))?;
            ground.sessions.open(user, target).await
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

fn name<D: Door>(_door: &D) -> &'static str {
    D::NAME
}
