//! Accepts HTTP connections, not too many, and gives slow ones no time.

use std::net::{self, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::time::timeout;
use tower::ServiceExt;

use crate::core::permits::Permit;
use crate::core::relay::RelayState;
use crate::core::tcp::TcpConnection;
use crate::core::tls::Https;
use crate::core::web::Peer;

/// Unsent bytes that the kernel may hold for one connection. Snapshots beyond that wait with us,
/// where newer ones replace them.
#[cfg(any(target_os = "linux", target_os = "android"))]
const UNSENT_BYTES: u32 = 8 * 1024;
/// More is no request of a browser to us.
const MAX_HEAD: usize = 16 * 1024;
/// How long to wait when the system has no more sockets for us.
const OUT_OF_SOCKETS: Duration = Duration::from_millis(100);

/// What serves all connections.
#[derive(Clone)]
pub(super) struct Front {
    pub router: Router,
    pub https: Option<Arc<Https>>,
    pub relay_state: Arc<RelayState>,
    /// Changes when the relay stops.
    pub stopping: watch::Receiver<bool>,
}

/// Serves until the relay stops.
pub(super) async fn run(listener: net::TcpListener, mut front: Front) {
    let listener = match TcpListener::from_std(listener) {
        Ok(listener) => listener,
        Err(error) => return tracing::error!(%error, "cannot listen"),
    };
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = front.stopping.changed() => return,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept");
                tokio::time::sleep(OUT_OF_SOCKETS).await;
                continue;
            }
        };
        // A proxy's address stands for all its users.
        let is_proxy = front.relay_state.policy.is_proxy(peer.ip());
        let permits = &front.relay_state.permits;
        let permit = match is_proxy {
            true => permits.take(peer.ip(), true),
            false => permits.borrow(peer.ip()),
        };
        let Some(permit) = permit else {
            tracing::debug!(%peer, "too many connections");
            front.relay_state.counters.connections_refused.add(1);
            continue;
        };
        let front = front.clone();
        tokio::spawn(async move {
            front.welcome(stream, peer, permit).await;
        });
    }
}

impl Front {
    async fn welcome(self, stream: TcpStream, peer: SocketAddr, permit: Permit) {
        let tuned = stream
            .set_nodelay(true)
            .and_then(|()| bound_unsent(&stream));
        if let Err(error) = tuned {
            tracing::debug!(%peer, %error, "socket options");
        }
        let stream = TcpConnection::new(stream, permit);
        let Some(https) = &self.https else {
            return self.serve(stream, peer).await;
        };
        let handshake = https.acceptor().accept(stream);
        match timeout(self.relay_state.config.request_timeout, handshake).await {
            Ok(Ok(stream)) => self.serve(stream, peer).await,
            Ok(Err(error)) => tracing::debug!(%peer, %error, "TLS"),
            Err(_) => tracing::debug!(%peer, "TLS took too long"),
        }
    }

    async fn serve(
        mut self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: SocketAddr,
    ) {
        let router = self.router;
        let service = hyper::service::service_fn(move |request: hyper::Request<Incoming>| {
            let mut request: Request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(Peer(peer));
            router.clone().oneshot(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.relay_state.config.request_timeout)
            .max_buf_size(MAX_HEAD)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        let mut connection = std::pin::pin!(connection);
        let ended = tokio::select! {
            ended = &mut connection => ended,
            _ = self.stopping.changed() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%peer, %error, "connection");
        }
    }
}

/// Where the system knows no such bound, it holds as much as it likes, and snapshots come later on slow lines.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn bound_unsent(stream: &TcpStream) -> std::io::Result<()> {
    socket2::SockRef::from(stream).set_tcp_notsent_lowat(UNSENT_BYTES)
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn bound_unsent(_: &TcpStream) -> std::io::Result<()> {
    Ok(())
}
