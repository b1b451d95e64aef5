//! The relay's counts as a text for Prometheus.

use std::fmt::Write;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Extension, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use clap::Args;
use ipnet::IpNet;

use crate::core::network::{any_contains, parse};
use crate::core::{Peer, Plugin, RelayState, Routes};

/// Answers whoever may read it.
#[derive(Debug)]
pub(crate) struct Metrics(pub Options);

#[derive(Args, Clone, Debug)]
#[group(skip)]
pub struct Options {
    /// An address or network that may read /metrics, besides programs on this machine (repeatable).
    #[arg(long, value_parser = parse, value_name = "NETWORK")]
    pub metrics_for: Vec<IpNet>,
}

impl Plugin for Metrics {
    fn routes(self: Arc<Self>, relay: &Arc<RelayState>) -> Routes {
        let router = Router::new().route("/metrics", get(answer));
        Routes {
            own: router.with_state((self, relay.clone())),
            ..Routes::default()
        }
    }
}

/// Counts for the operator: for programs on this machine, and for addresses named in the options.
async fn answer(
    State((metrics, relay)): State<(Arc<Metrics>, Arc<RelayState>)>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
) -> Response {
    let reader = relay.policy.certain_user(peer.ip(), &headers);
    let may_read = |user: IpAddr| user.is_loopback() || any_contains(&metrics.0.metrics_for, user);
    match reader.is_some_and(may_read) {
        true => {
            let kind = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
            (kind, text(&relay)).into_response()
        }
        false => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The text format of Prometheus, version 0.0.4.
fn text(relay: &RelayState) -> String {
    let mut text = String::new();
    for count in relay.counts() {
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "# HELP strafe_{0} {1}\n# TYPE strafe_{0} {2}\nstrafe_{0} {3}",
            count.name, count.help, count.kind, count.value
        );
    }
    text
}
