//! The URLs of the relay.

use std::convert::Infallible;
use std::net::{IpAddr, SocketAddr};
use std::path::Path as FilePath;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use anyhow::bail;
use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{Extension, Path, Query, Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{any, get};
use futures_util::future::join_all;
use futures_util::stream::poll_fn;
use hyper::body::{Frame, SizeHint};
use hyper::upgrade::Upgraded;
use serde::Deserialize;
use tokio::sync::{mpsc, watch};
use tokio_rustls::server::TlsStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tower::ServiceExt;
use tower_http::services::{ServeDir, ServeFile};

use crate::content::Content;
use crate::join::{JoinRequest, join};
use crate::network::Network;
use crate::page::Page;
use crate::permits::{Permit, Permits};
use crate::policy::{self, Policy};
use crate::pump::RelayState;
use crate::quic::Quic;
use crate::tcp::{self, Stream, TcpConnection};
use crate::transport::WebSocketTransport;
use crate::workers::Workers;

const SUBPROTOCOL: &str = "strafe.1";
const RESUME: &str = "resume.";
const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const REVALIDATED: HeaderValue = HeaderValue::from_static("no-cache");

/// What the page may do: run its own scripts and WebAssembly, and speak to relays.
const CONTENT_SECURITY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; \
    style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; media-src 'self' blob:; \
    worker-src 'self' blob:; connect-src 'self' https: wss: ws: http://localhost:* http://127.0.0.1:*; \
    object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'";

/// As many as the cvars server1 to server16 of other clients.
const MAX_FAVOURITES: usize = 16;

/// Lines of a session that wait for whoever reads along slowly.
const MAX_WAITING_LINES: usize = 512;

/// What the game never asks a browser for.
const UNUSED_POWERS: &str = "camera=(), geolocation=(), microphone=(), payment=(), usb=()";

/// What the handlers need.
#[derive(Debug)]
pub struct Site {
    pub relay_state: Arc<RelayState>,
    pub policy: Arc<Policy>,
    /// Where sessions go.
    pub workers: Arc<Workers>,
    pub content: Arc<Content>,
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

/// Servers that a player keeps, with commas between them.
#[derive(Debug, Deserialize)]
struct Favourites {
    favourites: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Version {
    v: Option<String>,
}

pub fn router(site: Arc<Site>) -> Router {
    let web = site.relay_state.config.web.clone();
    let open = Router::new()
        .route("/api/content", get(content))
        .route("/api/servers", get(servers))
        .route("/api/transport", get(transport))
        .route("/content/{game}/{pak}", get(pak))
        .layer(from_fn(allow_all_origins));
    let own = from_fn_with_state(site.clone(), only_own_hosts);
    let mut router = Router::new()
        .route("/ws", any(play))
        .route("/api/inspect", get(inspect))
        .route("/metrics", get(metrics))
        .layer(own.clone())
        .route("/healthz", get(health))
        .merge(open)
        .with_state(site.clone());
    let page = match web {
        Some(folder) => {
            let files = ServeDir::new(folder)
                .precompressed_br()
                .precompressed_gzip();
            Some(Router::new().fallback_service(files))
        }
        None => Page::embedded().map(Page::router),
    };
    if let Some(page) = page {
        router = router.fallback_service(page.layer(from_fn(cache_page)).layer(own));
    }
    let forwarded = from_fn_with_state(site, take_forwarded_place);
    router.layer(from_fn(secure)).layer(forwarded)
}

/// The place of a request that a proxy forwards, which counts for whom it is forwarded.
#[derive(Clone, Debug, Default)]
struct Forwarded(Option<Arc<Permit>>);

/// A body that gives a place back when its last byte has left.
struct Guarded {
    body: Body,
    _place: Arc<Permit>,
}

impl HttpBody for Guarded {
    type Data = <Body as HttpBody>::Data;
    type Error = <Body as HttpBody>::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Counts what comes through a proxy for whom it comes, from the moment that the proxy has said so.
async fn take_forwarded_place(
    State(site): State<Arc<Site>>,
    Extension(Peer(peer)): Extension<Peer>,
    mut request: Request,
    next: Next,
) -> Response {
    let user = site.policy.user(peer.ip(), request.headers());
    if user == peer.ip().to_canonical() || site.policy.is_proxy(user) {
        // The connection's own place counts for them.
        request.extensions_mut().insert(Forwarded(None));
        return next.run(request).await;
    }
    let Some(permit) = site.forwarded.take(user, false).map(Arc::new) else {
        site.relay_state.metrics.connections_refused.add(1);
        return (
            StatusCode::TOO_MANY_REQUESTS,
            "Too many connections from your address.\n",
        )
            .into_response();
    };
    let forwarded = Forwarded(Some(permit.clone()));
    request.extensions_mut().insert(forwarded);
    let response = next.run(request).await;
    response.map(|body| {
        Body::new(Guarded {
            body,
            _place: permit,
        })
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
    if !site.policy.is_welcome(headers) {
        site.relay_state.metrics.sessions_refused.add(1);
        return (
            StatusCode::FORBIDDEN,
            "This relay does not serve pages of that origin.\n",
        )
            .into_response();
    }
    let user = site.policy.user(peer.ip(), headers);
    let lines = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).iter();
    let lines = lines.filter_map(|connection| connection.to_str().ok());
    let protocols: Vec<&str> = lines
        .flat_map(|connection| connection.split(',').map(str::trim))
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
    let (relay_state, policy) = (site.relay_state.clone(), site.policy.clone());
    site.workers.spawn(async move {
        let carried = match upgrade.await {
            Ok(upgraded) => {
                carry(
                    &relay_state,
                    &policy,
                    upgraded,
                    forwarded,
                    user,
                    join_request,
                )
                .await
            }
            Err(error) => Err(error.into()),
        };
        if let Err(error) = carried {
            tracing::debug!(%peer, %error, "a connection did not become a session");
        }
    });
    response
}

/// Takes a connection over from the HTTP runtime, with or without TLS.
async fn carry(
    relay_state: &RelayState,
    policy: &Policy,
    upgraded: Upgraded,
    forwarded: Forwarded,
    user: IpAddr,
    join_request: JoinRequest,
) -> anyhow::Result<()> {
    match tcp::part::<TcpConnection>(upgraded) {
        Ok(connection) => {
            settle(
                relay_state,
                policy,
                connection,
                forwarded,
                user,
                join_request,
            )
            .await
        }
        Err(upgraded) => match tcp::part::<TlsStream<TcpConnection>>(upgraded) {
            Ok(connection) => {
                settle(
                    relay_state,
                    policy,
                    connection,
                    forwarded,
                    user,
                    join_request,
                )
                .await
            }
            Err(_) => bail!("it is carried by something unknown"),
        },
    }
}

async fn settle(
    relay_state: &RelayState,
    policy: &Policy,
    (mut stream, read): (impl Stream, Vec<u8>),
    Forwarded(permit): Forwarded,
    user: IpAddr,
    join_request: JoinRequest,
) -> anyhow::Result<()> {
    stream.settle()?;
    let transport =
        WebSocketTransport::new(stream, read, relay_state.metrics.clone(), permit).await;
    join(relay_state, policy, transport, user, join_request).await;
    Ok(())
}

/// Refuses what is addressed to another host, but for what pages of all origins may have.
async fn only_own_hosts(State(site): State<Arc<Site>>, request: Request, next: Next) -> Response {
    let named = request.headers().get_all(header::HOST).iter();
    let named = named.map(|host| host.to_str().unwrap_or_default());
    let addressed = request.uri().authority().map(Authority::as_str);
    let foreign = named
        .chain(addressed)
        .find(|host| !site.policy.knows_host(host));
    if let Some(host) = foreign {
        let reason = format!(
            "This relay does not know itself as {}. If that is its name, its operator should start it with --host.\n",
            policy::shortened(host)
        );
        site.relay_state.metrics.foreign_hosts.add(1);
        return (StatusCode::MISDIRECTED_REQUEST, reason).into_response();
    }
    next.run(request).await
}

async fn content(State(site): State<Arc<Site>>) -> Response {
    site.content.refresh().await;
    (
        [(header::CACHE_CONTROL, REVALIDATED)],
        Json(site.content.index()),
    )
        .into_response()
}

async fn servers(
    State(site): State<Arc<Site>>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
    Query(asked): Query<Favourites>,
) -> Response {
    let status = &site.relay_state.status;
    let user = site.policy.user(peer.ip(), &headers);
    let favourites = asked.favourites.unwrap_or_default();
    let names = favourites.split(',').filter(|name| !name.is_empty());
    let mut wanted = Vec::new();
    for name in names.take(MAX_FAVOURITES) {
        // Before anything is looked up or asked.
        if site.relay_state.budgets.may_name(user) {
            // Only what may be joined is asked.
            wanted.push(async {
                let target = site.policy.target(Some(name)).await.ok()?;
                status.of_named(&target).await
            });
        }
    }
    let (servers, of_masters, favourites) =
        tokio::join!(status.servers(), status.of_masters(), join_all(wanted));
    let body = Json(serde_json::json!({
        "servers": &*servers,
        "masters": &*of_masters,
        "favourites": favourites.into_iter().flatten().collect::<Vec<_>>(),
    }));
    ([(header::CACHE_CONTROL, REVALIDATED)], body).into_response()
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

/// The messages of a session in play as they come, for whoever knows its token.
async fn inspect(State(site): State<Arc<Site>>, headers: HeaderMap) -> Response {
    if !site.relay_state.config.inspect {
        let reason = "This relay lets nobody read along; --inspect would.\n";
        return (StatusCode::NOT_FOUND, reason).into_response();
    }
    let bearer = headers.get(header::AUTHORIZATION);
    let token = bearer.and_then(|connection| connection.to_str().ok()?.strip_prefix("Bearer "));
    let (listener, mut lines) = mpsc::channel(MAX_WAITING_LINES);
    if site
        .relay_state
        .sessions
        .listen(token.unwrap_or_default(), listener)
        .await
        .is_none()
    {
        let reason = "No session in play has this token.\n";
        return (StatusCode::FORBIDDEN, reason).into_response();
    }
    let lines = poll_fn(move |context| {
        lines
            .poll_recv(context)
            .map(|connection| connection.map(Ok::<_, Infallible>))
    });
    let kind = HeaderValue::from_static("application/x-ndjson");
    let head = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    (head, Body::from_stream(lines)).into_response()
}

/// Counts for the operator: for programs on this machine, and for addresses named in the options.
async fn metrics(
    State(site): State<Arc<Site>>,
    Extension(Peer(peer)): Extension<Peer>,
    headers: HeaderMap,
) -> Response {
    let reader = site.policy.certain_user(peer.ip(), &headers);
    let may_read = |user: IpAddr| {
        user.is_loopback() || Network::any_contains(&site.relay_state.config.metrics_for, user)
    };
    if !reader.is_some_and(may_read) {
        return StatusCode::NOT_FOUND.into_response();
    }
    let (playing, held) = site.relay_state.sessions.counts();
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    (
        [(header::CONTENT_TYPE, kind)],
        site.relay_state
            .metrics
            .text(playing, held, site.relay_state.permits.count()),
    )
        .into_response()
}

async fn health(State(site): State<Arc<Site>>) -> Response {
    match *site.stopping.borrow() {
        false => "ok\n".into_response(),
        true => (StatusCode::SERVICE_UNAVAILABLE, "stopping\n").into_response(),
    }
}

/// One pak, whole or by range.
async fn pak(
    State(site): State<Arc<Site>>,
    Path((game, pak)): Path<(String, String)>,
    Query(version): Query<Version>,
    mut request: Request,
) -> Response {
    site.content.refresh().await;
    let Some(file) = site.content.path(&game, &pak) else {
        return (StatusCode::NOT_FOUND, "There is no such pak.\n").into_response();
    };
    if let Some(expected) = request.headers_mut().remove(header::IF_RANGE)
        && etag(&file).await.as_ref() != Some(&expected)
    {
        // The file changed between two parts of it: the whole one is due.
        request.headers_mut().remove(header::RANGE);
    }
    let mut response = serve(&file, request).await;
    let is_good = response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED;
    let cache = if is_good && version.v.is_some() {
        FOR_EVER
    } else {
        REVALIDATED
    };
    response.headers_mut().insert(header::CACHE_CONTROL, cache);
    response
}

async fn serve(file: &FilePath, request: Request) -> Response {
    match ServeFile::new(file).oneshot(request).await {
        Ok(response) => {
            let (mut parts, body) = response.into_parts();
            parts.headers.insert(
                header::CONTENT_TYPE,
                HeaderValue::from_static("application/zip"),
            );
            Response::from_parts(parts, axum::body::Body::new(body))
        }
        Err(never) => match never {},
    }
}

async fn etag(file: &FilePath) -> Option<HeaderValue> {
    let mut question = Request::default();
    *question.method_mut() = Method::HEAD;
    *question.uri_mut() = Uri::from_static("/");
    serve(file, question)
        .await
        .headers_mut()
        .remove(header::ETAG)
}

/// Files with a hash in their name never change; all others are asked for again.
async fn cache_page(request: Request, next: Next) -> Response {
    let is_hashed = is_hashed(request.uri().path());
    let mut response = next.run(request).await;
    let cache = if is_hashed && response.status().is_success() {
        FOR_EVER
    } else {
        REVALIDATED
    };
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, cache);
    headers.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
    response
}

fn is_hashed(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_hash = |part: &str| {
        part.len() >= 8
            && part.bytes().all(|byte| byte.is_ascii_hexdigit())
            && part.contains(|one: char| one.is_ascii_digit())
    };
    name.split(['-', '.', '_']).any(is_hash)
}

async fn allow_all_origins(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        HeaderValue::from_static("*"),
    );
    let exposed = HeaderValue::from_static("content-length, content-range, etag");
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
    headers.insert(
        "cross-origin-resource-policy",
        HeaderValue::from_static("cross-origin"),
    );
    response
}

async fn secure(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(CONTENT_SECURITY),
    );
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("x-frame-options", "SAMEORIGIN"),
        ("cross-origin-opener-policy", "same-origin"),
        ("permissions-policy", UNUSED_POWERS),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    // Paks and lists are for pages of all origins, as they say themselves.
    headers
        .entry("cross-origin-resource-policy")
        .or_insert(HeaderValue::from_static("same-origin"));
    response
}

#[cfg(test)]
mod tests {
    use super::is_hashed;

    #[test]
    fn hashes_are_seen_in_names() {
        assert!(is_hashed("/strafe-0a1b2c3d4e5f.wasm"));
        assert!(is_hashed("/assets/page.8f14e45fceea167a.js"));
        assert!(!is_hashed("/strafe_bg.wasm"));
        assert!(!is_hashed("/index.html"));
        assert!(!is_hashed("/facadefeed.js"));
    }
}
