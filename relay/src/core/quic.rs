//! Accepts WebTransport sessions, with a certificate of the operator's or of its own making.

use std::net::{SocketAddr, UdpSocket};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use axum::extract::Query;
use axum::http::header::ORIGIN;
use axum::http::{HeaderValue, StatusCode, Uri};
use governor::{Quota, RateLimiter};
use parking_lot::Mutex;
use serde::Serialize;
use socket2::SockRef;
use tokio::task::JoinHandle;
use tokio::time::{interval, timeout};
use web_transport_quinn::Request;
use wtransport::Identity;
use wtransport::config::QuicTransportConfig;
use wtransport::quinn::congestion::BbrConfig;
use wtransport::quinn::{
    self, Endpoint, EndpointConfig, Incoming, ServerConfig, TokioRuntime, VarInt,
};

use crate::core::join::{self, JoinRequest, join};
use crate::core::permits::{Permit, Permits};
use crate::core::relay::RelayState;
use crate::core::tls;
use crate::core::transport::{GOODBYE, WebTransport};
use crate::core::workers::Workers;

const PATH: &str = "/wt";
/// Two packets of one large datagram and a little more: what is behind waits with us.
const SEND_BUFFER: usize = 4 * 1024;
/// What all players send goes through one socket, whose usual buffer holds a few hundred packets:
/// 500 players fill it in some ms. More than this would be a queue in which all of them wait.
const SOCKET_BUFFER: usize = 512 * 1024;
/// Connections that have not become sessions yet.
const MAX_HANDSHAKES: usize = 256;
/// Those of one address, so that nobody takes all of them.
const MAX_HANDSHAKES_PER_ADDRESS: usize = 32;
/// Newcomers beyond this must prove their address first, which costs them a round trip, and us a
/// thirtieth of a handshake.
const CALM_HANDSHAKES_PER_SECOND: NonZeroU32 = NonZeroU32::new(20).unwrap();
const CALM_HANDSHAKES_AT_ONCE: NonZeroU32 = NonZeroU32::new(8).unwrap();
/// H3_MESSAGE_ERROR (RFC 9114, 8.1): what came is no request.
const MESSAGE_ERROR: VarInt = VarInt::from_u32(0x10e);
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Browsers give up silent connections after about 20 seconds.
const KEEP_ALIVE: Duration = Duration::from_secs(5);
const IDLE: Duration = Duration::from_secs(30);

/// The WebTransport side of a relay.
pub(super) struct Quic {
    endpoint: Endpoint,
    address: SocketAddr,
    certificate_sha256: Mutex<Option<String>>,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

/// What a page needs to connect.
#[derive(Debug, Serialize)]
pub(super) struct WebTransportAddress {
    host: Option<String>,
    port: u16,
    path: &'static str,
    certificate_sha256: Option<String>,
}

impl Quic {
    /// Listens on the same address as HTTP does, if that port is free for UDP.
    pub(super) async fn start(
        http: SocketAddr,
        workers: Arc<Workers>,
        relay_state: Arc<RelayState>,
    ) -> anyhow::Result<Arc<Self>> {
        let socket = bind(http, relay_state.config.listen.port() == 0)?;
        let address = socket.local_addr()?;
        let (identity, certificate_sha256) = tls::identity(&relay_state.config).await?;
        let endpoint = Endpoint::new(
            EndpointConfig::default(),
            Some(config(identity)),
            socket,
            Arc::new(TokioRuntime),
        )?;
        let quic = Arc::new(Self {
            endpoint,
            address,
            certificate_sha256: Mutex::new(certificate_sha256),
            tasks: Mutex::default(),
        });
        let tasks = [
            tokio::spawn(quic.clone().accept(workers, relay_state.clone())),
            tokio::spawn(quic.clone().renew(relay_state)),
        ];
        quic.tasks.lock().extend(tasks);
        Ok(quic)
    }

    pub(super) fn about(&self) -> WebTransportAddress {
        let ip = self.address.ip();
        let literal = if ip.is_ipv6() {
            format!("[{ip}]")
        } else {
            ip.to_string()
        };
        WebTransportAddress {
            host: ip.is_loopback().then_some(literal),
            port: self.address.port(),
            path: PATH,
            certificate_sha256: self.certificate_sha256.lock().clone(),
        }
    }

    pub(super) fn stop(&self) {
        for task in self.tasks.lock().drain(..) {
            task.abort();
        }
        self.endpoint
            .close(VarInt::from_u32(0), b"The relay stops.");
    }

    async fn accept(self: Arc<Self>, workers: Arc<Workers>, relay_state: Arc<RelayState>) {
        let handshakes = Permits::new(MAX_HANDSHAKES, MAX_HANDSHAKES_PER_ADDRESS);
        let calm = Quota::per_second(CALM_HANDSHAKES_PER_SECOND);
        let calm = RateLimiter::direct(calm.allow_burst(CALM_HANDSHAKES_AT_ONCE));
        while let Some(incoming) = self.endpoint.accept().await {
            if !incoming.remote_address_validated() && calm.check().is_err() {
                // Whoever has proven its address was not asked to.
                let _ = incoming.retry();
                continue;
            }
            let user = incoming.remote_address().ip();
            // Whoever has proven nothing may use the name of somebody else.
            let is_too_often =
                incoming.remote_address_validated() && !relay_state.budgets.handshakes.check(user);
            if is_too_often {
                relay_state.counters.connections_refused.add(1);
                incoming.refuse();
                continue;
            }
            let permits = (handshakes.take(user, false)).zip(relay_state.permits.take(user, false));
            let Some((handshake, permit)) = permits else {
                relay_state.counters.connections_refused.add(1);
                incoming.refuse();
                continue;
            };
            let relay_state = relay_state.clone();
            workers.spawn(welcome(incoming, handshake, permit, relay_state));
        }
    }

    /// Changes the certificate before it ends: a new one of our own, or what the operator's files
    /// hold by then. Connections that exist go on.
    async fn renew(self: Arc<Self>, relay_state: Arc<RelayState>) {
        let mut renewals = interval(tls::renewal(&relay_state.config));
        renewals.tick().await;
        loop {
            renewals.tick().await;
            let renewed = async {
                let (identity, certificate_sha256) = tls::identity(&relay_state.config).await?;
                self.endpoint.set_server_config(Some(config(identity)));
                *self.certificate_sha256.lock() = certificate_sha256;
                Ok::<(), anyhow::Error>(())
            };
            match renewed.await {
                Ok(()) => tracing::info!("the certificate for WebTransport is renewed"),
                Err(error) => {
                    tracing::error!(%error, "cannot renew the certificate for WebTransport")
                }
            }
        }
    }
}

impl std::fmt::Debug for Quic {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Quic")
            .field("address", &self.address)
            .finish_non_exhaustive()
    }
}

async fn welcome(
    incoming: Incoming,
    handshake: Permit,
    permit: Permit,
    relay_state: Arc<RelayState>,
) {
    let opening = timeout(HANDSHAKE, open(incoming, permit, &relay_state)).await;
    drop(handshake);
    match opening {
        Ok(Ok(Some((transport, user, join_request)))) => {
            match join::admit(&relay_state, user, &join_request) {
                Ok(admitted) => join(&relay_state, transport, user, join_request, admitted).await,
                Err(refused) => join::refuse(&relay_state, transport, user, refused).await,
            }
        }
        Ok(Ok(None)) => {}
        Ok(Err(error)) => tracing::debug!(%error, "webtransport"),
        Err(_) => tracing::debug!("a webtransport handshake took too long"),
    }
}

async fn open(
    incoming: Incoming,
    permit: Permit,
    relay_state: &RelayState,
) -> anyhow::Result<Option<(WebTransport, std::net::IpAddr, JoinRequest)>> {
    let connection: quinn::Connection = incoming.await?;
    let user = connection.remote_address().ip().to_canonical();
    // The library takes no header block of more than 16 kB, and no frame before it of more than 64 kB.
    let request = (Request::accept(connection.clone()).await)
        .inspect_err(|_| connection.close(MESSAGE_ERROR, b""))?;
    let uri: Uri = request.url.as_str().parse()?;
    if uri.path() != PATH {
        refuse(request, StatusCode::NOT_FOUND).await?;
        return Ok(None);
    }
    let policy = &relay_state.policy;
    let origin = request.headers.get(ORIGIN).map(HeaderValue::to_str);
    let host = request.url.host_str().unwrap_or_default();
    if !policy.is_welcome_over_quic(origin.transpose()?, host) {
        relay_state.counters.sessions_refused.add(1);
        refuse(request, StatusCode::FORBIDDEN).await?;
        return Ok(None);
    }
    let Query(join_request) = Query::try_from_uri(&uri)?;
    let session = request.ok().await?;
    let transport = WebTransport::open(
        session,
        relay_state.config.repeat,
        relay_state.counters.clone(),
        permit,
    )
    .await?;
    Ok(Some((transport, user, join_request)))
}

/// Tells why not, and gives the browser time to hear it.
async fn refuse(request: Request, status: StatusCode) -> anyhow::Result<()> {
    let connection = request.conn().clone();
    request.reject(status).await?;
    let _ = timeout(GOODBYE, connection.closed()).await;
    Ok(())
}

fn config(identity: Identity) -> ServerConfig {
    let config = wtransport::ServerConfig::builder()
        .with_bind_default(0)
        .with_custom_transport(identity, transport())
        .build();
    config.quic_config().clone()
}

fn transport() -> QuicTransportConfig {
    let mut transport = QuicTransportConfig::default();
    // Cubic reads every loss as a jam and lets datagrams wait; measured at 5 % loss and 60 ms the
    // slowest hundredth took 593 ms with it and 63 ms with BBR.
    transport.congestion_controller_factory(Arc::new(BbrConfig::default()));
    transport.datagram_send_buffer_size(SEND_BUFFER);
    transport.datagram_receive_buffer_size(Some(64 * 1024));
    transport.max_concurrent_bidi_streams(4_u8.into());
    transport.max_concurrent_uni_streams(8_u8.into());
    transport.stream_receive_window((16 * 1024_u32).into());
    transport.receive_window((64 * 1024_u32).into());
    transport.send_window(64 * 1024);
    transport.keep_alive_interval(Some(KEEP_ALIVE));
    transport.max_idle_timeout(IDLE.try_into().ok());
    transport
}

/// The port of HTTP, or any port where that one was left to chance.
fn bind(http: SocketAddr, is_any_port: bool) -> anyhow::Result<UdpSocket> {
    let same = UdpSocket::bind(http);
    let socket = match same {
        Err(_) if is_any_port => UdpSocket::bind((http.ip(), 0))?,
        same => same.with_context(|| {
            format!("cannot listen on {http} over UDP (--no-webtransport does without)")
        })?,
    };
    socket.set_nonblocking(true)?;
    let buffers = SockRef::from(&socket);
    let tuned = buffers
        .set_recv_buffer_size(SOCKET_BUFFER)
        .and_then(|()| buffers.set_send_buffer_size(SOCKET_BUFFER));
    if let Err(error) = tuned {
        tracing::debug!(%error, "socket options");
    }
    Ok(socket)
}
