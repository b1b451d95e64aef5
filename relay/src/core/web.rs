//! The URLs of the relay.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use anyhow::bail;
use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, Query, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{any, get};
use http_body_util::BodyExt;
use hyper::upgrade::Upgraded;
use serde::Deserialize;
use tokio::sync::watch;
use tokio_rustls::server::TlsStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::core::join::{self, Admitted, JoinRequest, Refused, join};
use crate::core::permits::{Permit, Permits};
use crate::core::policy;
use crate::core::quic::Quic;
use crate::core::relay::RelayState;
use crate::core::tcp::{self, Stream, TcpConnection};
use crate::core::transport::WebSocketTransport;
use crate::core::workers::Workers;

const SUBPROTOCOL: &str = "strafe.1";
const RESUME: &str = "resume.";
pub const REVALIDATED: HeaderValue = HeaderValue::from_static("no-cache");

/// For all answers: what the page may do, and what the game never asks a browser for.
const SECURITY: &[(&str, &str)] = &[
    (
        "content-security-policy",
        // It runs its own scripts and WebAssembly, and speaks to relays.
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
         style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' blob:; \
         worker-src 'self' blob:; connect-src 'self' https: wss: ws: http://localhost:* http://127.0.0.1:*; \
         object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
    ),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("x-frame-options", "SAMEORIGIN"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
];

/// For what pages of all origins may have.
const FOR_ALL_ORIGINS: &[(&str, &str)] = &[
    ("access-control-allow-origin", "*"),
    (
        "access-control-expose-headers",
        "content-length, content-range, etag",
    ),
    ("cross-origin-resource-policy", "cross-origin"),
];

/// What the handlers need.
#[derive(Debug)]
pub(super) struct Site {
    pub relay_state: Arc<RelayState>,
    /// Where sessions go.
    pub workers: Arc<Workers>,
    /// For requests that come through proxies.
    pub forwarded: Arc<Permits>,
    /// WebTransport, if the relay has it.
    pub quic: Option<Arc<Quic>>,
    pub stopping: watch::Receiver<bool>,
}

/// The peer of an HTTP connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

#[derive(Debug, Deserialize)]
struct Asked {
    server: Option<String>,
}

/// What the core and its plugins answer.
pub(super) fn router(site: Arc<Site>) -> Router {
    let only_own = from_fn_with_state(site.clone(), only_own_hosts);
    let forwarded = from_fn_with_state(site.clone(), take_forwarded_place);
    let core = |path, handler| Router::new().route(path, handler).with_state(site.clone());
    let mut open = core("/api/transport", get(transport));
    let mut own = core("/ws", any(play));
    for plugin in site.relay_state.plugins.0.iter() {
        let routes = plugin.clone().routes(&site.relay_state);
        open = open.merge(routes.open);
        own = own.merge(routes.own);
        if let Some(page) = routes.page {
            own = own.fallback_service(page);
        }
    }
    let router = core("/healthz", get(health))
        .merge(with_headers(open, FOR_ALL_ORIGINS))
        .merge(own.layer(only_own));
    with_headers(router, SECURITY).layer(forwarded)
}

/// Adds headers to all answers that do not have them.
fn with_headers(router: Router, headers: &[(&'static str, &'static str)]) -> Router {
    headers.iter().fold(router, |router, &(name, value)| {
        let (name, value) = (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
        router.layer(SetResponseHeaderLayer::if_not_present(name, value))
    })
}

/// The place of a request that a proxy forwards, which counts for whom it is forwarded.
#[derive(Clone, Debug, Default)]
struct Forwarded(Option<Arc<Permit>>);

/// Counts what comes through a proxy for whom it comes, from the moment that the proxy has said so.
async fn take_forwarded_place(
    State(site): State<Arc<Site>>,
    Extension(Peer(peer)): Extension<Peer>,
    mut request: Request,
    next: Next,
) -> Response {
    let user = site.relay_state.policy.user(peer.ip(), request.headers());
    if user == peer.ip().to_canonical() || site.relay_state.policy.is_proxy(user) {
        // The connection's own place counts for them.
        request.extensions_mut().insert(Forwarded(None));
        return next.run(request).await;
    }
    let Some(permit) = site.forwarded.take(user, false).map(Arc::new) else {
        site.relay_state.counters.connections_refused.add(1);
        return (
            StatusCode::TOO_MANY_REQUESTS,
            "Too many connections from your address.\n",
        )
            .into_response();
    };
    let forwarded = Forwarded(Some(permit.clone()));
    request.extensions_mut().insert(forwarded);
    let response = next.run(request).await;
    // The place is given back with the body, when its last byte has left.
    response.map(|body| {
        Body::new(body.map_err(move |error| {
            let _held = &permit;
            error
        }))
    })
}

async fn play(
    State(site): State<Arc<Site>>,
    Extension(Peer(peer)): Extension<Peer>,
    Extension(forwarded): Extension<Forwarded>,
    Query(asked): Query<Asked>,
    mut request: Request,
) -> Response {
    let upgrade = hyper::upgrade::on(&mut request);
    let mut response = match create_response_with_body(&request, Body::empty) {
        Ok(response) => response,
        Err(error) => {
            let reason = format!("A WebSocket is wanted here: {error}.\n");
            return (StatusCode::BAD_REQUEST, reason).into_response();
        }
    };
    let headers = request.headers();
    if !site.relay_state.policy.is_welcome(headers) {
        site.relay_state.counters.sessions_refused.add(1);
        return (
            StatusCode::FORBIDDEN,
            "This relay does not serve pages of that origin.\n",
        )
            .into_response();
    }
    let user = site.relay_state.policy.user(peer.ip(), headers);
    let lines = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    let lines = lines.filter_map(|line| line.to_str().ok());
    let protocols: Vec<&str> = lines
        .flat_map(|line| line.split(',').map(str::trim))
        .collect();
    if protocols.contains(&SUBPROTOCOL) {
        let name = HeaderValue::from_static(SUBPROTOCOL);
        let headers = response.headers_mut();
        headers.insert(header::SEC_WEBSOCKET_PROTOCOL, name);
    }
    let mut tokens = protocols
        .iter()
        .filter_map(|name| name.strip_prefix(RESUME));
    let join_request = JoinRequest {
        server: asked.server,
        token: tokens.next().map(str::to_owned),
    };
    let admitted = join::admit(&site.relay_state, user, &join_request);
    let is_admitted = admitted.is_ok();
    let joining = Joining {
        relay_state: site.relay_state.clone(),
        forwarded,
        user,
        join_request,
        admitted,
    };
    let carried = async move {
        let carried = match upgrade.await {
            Ok(upgraded) => joining.carry(upgraded).await,
            Err(error) => Err(error.into()),
        };
        if let Err(error) = carried {
            tracing::debug!(%peer, %error, "a connection did not become a session");
        }
    };
    match is_admitted {
        true => site.workers.spawn(carried),
        // The threads of those who play have nothing to do with it.
        false => drop(tokio::spawn(carried)),
    }
    response
}

/// A request that is about to become a session.
struct Joining {
    relay_state: Arc<RelayState>,
    forwarded: Forwarded,
    user: IpAddr,
    join_request: JoinRequest,
    admitted: Result<Admitted, Refused>,
}

impl Joining {
    /// Takes a connection over from the HTTP runtime, with or without TLS.
    async fn carry(self, upgraded: Upgraded) -> anyhow::Result<()> {
        match tcp::part::<TcpConnection>(upgraded) {
            Ok(connection) => self.settle(connection).await,
            Err(upgraded) => match tcp::part::<TlsStream<TcpConnection>>(upgraded) {
                Ok(connection) => self.settle(connection).await,
                Err(_) => bail!("it is carried by something unknown"),
            },
        }
    }

    async fn settle(self, (mut stream, read): (impl Stream, Vec<u8>)) -> anyhow::Result<()> {
        stream.tcp().settle()?;
        let counters = self.relay_state.counters.clone();
        let transport = WebSocketTransport::new(stream, read, counters, self.forwarded.0).await;
        match self.admitted {
            Ok(admitted) => {
                join(
                    &self.relay_state,
                    transport,
                    self.user,
                    self.join_request,
                    admitted,
                )
                .await;
            }
            Err(refused) => join::refuse(&self.relay_state, transport, self.user, refused).await,
        }
        Ok(())
    }
}

/// Refuses what is addressed to another host, but for what pages of all origins may have.
async fn only_own_hosts(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let named = request.headers().get_all(header::HOST).iter();
    let named = named.map(|host| host.to_str().unwrap_or_default());
    let addressed = request.uri().authority().map(Authority::as_str);
    let foreign = named
        .chain(addressed)
        .find(|host| !site.relay_state.policy.knows_host(host));
    if let Some(host) = foreign {
        let reason = format!(
            "This relay does not know itself as {}. If that is its name, its operator should start it with --host.\n",
            policy::shortened(host)
        );
        site.relay_state.counters.foreign_hosts.add(1);
        return (StatusCode::MISDIRECTED_REQUEST, reason).into_response();
    }
    next.run(request).await
}

async fn transport(State(site): State<Arc<Site>>) -> Response {
    let webtransport = site.quic.as_ref().map(|quic| quic.about());
    let body = Json(serde_json::json!({ "websocket": "/ws", "webtransport": webtransport }));
    (
        [(header::CACHE_CONTROL, HeaderValue::from_static("no-store"))],
        body,
    )
        .into_response()
}

async fn health(State(site): State<Arc<Site>>) -> Response {
    match *site.stopping.borrow() {
        false => "ok\n".into_response(),
        true => (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response(),
    }
}
