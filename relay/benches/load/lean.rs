//! A player by WebTransport at the least cost, for the generator shares the machine with what it measures.
//!
//! The library's client has tasks for the connection, its socket and its streams, which wake each other
//! for every packet. Here the same QUIC is a mere value that is asked where a packet comes or goes, and
//! the little HTTP/3 that opens a session is written by hand. In a game QUIC's timers are looked at
//! whenever a packet passes, a hundred times a second: they need no timer of the runtime's.

use std::convert::Infallible;
use std::io::ErrorKind;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use bytes::{Bytes, BytesMut};
use parking_lot::Mutex;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Dir, Endpoint, EndpointConfig,
    Event, StreamId,
};
use tokio::net::UdpSocket;
use tokio::time::{sleep_until, timeout};
use wtransport::VarInt;
use wtransport::proto::frame::Frame;
use wtransport::proto::headers::Headers;
use wtransport::proto::session::SessionRequest;
use wtransport::proto::settings::Settings;
use wtransport::proto::stream_header::StreamHeader;

use crate::players::PlayerLink;

const PATIENCE: Duration = Duration::from_secs(20);
/// How long QUIC is left alone where it awaits nothing.
const CALM: Duration = Duration::from_secs(1);
/// Before each datagram: the number of the session, one to a connection, and that it is a whole one.
const HEAD: [u8; 2] = [0, 0];

/// A WebTransport session; its texts stay unread.
pub struct Lean {
    socket: UdpSocket,
    quic: Mutex<Quic>,
}

struct Quic {
    endpoint: Endpoint,
    handle: ConnectionHandle,
    connection: Connection,
    /// A packet on its way out.
    packet: Vec<u8>,
}

/// What all players by WebTransport have in common: they pin the relay's certificate, as pages do.
pub fn config(hash: [u8; 32]) -> ClientConfig {
    let config = wtransport::ClientConfig::builder()
        .with_bind_default()
        .with_server_certificate_hashes([wtransport::tls::Sha256Digest::new(hash)])
        .build();
    config.quic_config().clone()
}

impl Lean {
    pub async fn connect(
        own: Ipv4Addr,
        relay: &str,
        server: &str,
        config: ClientConfig,
    ) -> anyhow::Result<Self> {
        let socket = UdpSocket::bind((own, 0)).await?;
        socket.connect(relay).await?;
        socket.writable().await?;
        let remote = socket.peer_addr()?;
        let mut endpoint = Endpoint::new(Arc::new(EndpointConfig::default()), None, false, None);
        let name = remote.ip().to_string();
        let (handle, connection) = endpoint.connect(Instant::now(), config, remote, &name)?;
        let lean = Self {
            socket,
            quic: Mutex::new(Quic {
                endpoint,
                handle,
                connection,
                packet: Vec::new(),
            }),
        };
        let url = format!("https://{relay}/wt?server={server}");
        timeout(PATIENCE, lean.open(&url)).await??;
        Ok(lean)
    }

    /// Becomes a session of WebTransport.
    async fn open(&self, url: &str) -> anyhow::Result<()> {
        self.wait(|connection| Ok((!connection.is_handshaking()).then_some(())))
            .await?;
        let settings = Settings::builder()
            .qpack_max_table_capacity(VarInt::from_u32(0))
            .qpack_blocked_streams(VarInt::from_u32(0))
            .enable_connect_protocol()
            .enable_webtransport()
            .enable_h3_datagrams()
            .webtransport_max_sessions(VarInt::from_u32(1))
            .build();
        let mut control = Vec::new();
        StreamHeader::new_control().write(&mut control)?;
        settings.generate_frame().write(&mut control)?;
        let mut request = Vec::new();
        let headers = SessionRequest::new(url)?;
        headers.headers().generate_frame().write(&mut request)?;
        let stream = {
            let connection = &mut self.quic.lock().connection;
            begin_stream(connection, Dir::Uni, &control)?;
            begin_stream(connection, Dir::Bi, &request)?
        };
        let mut answer = Vec::new();
        self.wait(|connection| {
            read(connection, stream, &mut answer)?;
            let Some(frame) = Frame::read(&mut answer.as_slice())? else {
                return Ok(None);
            };
            let headers = Headers::with_frame(&frame)?;
            let status = headers.get(":status").context("no status")?;
            ensure!(status == "200", "the relay answers {status}");
            Ok(Some(()))
        })
        .await
    }

    /// Asks whenever something may have changed, and keeps QUIC's times meanwhile.
    async fn wait<T>(
        &self,
        mut ask: impl FnMut(&mut Connection) -> anyhow::Result<Option<T>>,
    ) -> anyhow::Result<T> {
        loop {
            let alarm = {
                let mut quic = self.quic.lock();
                quic.settle(&self.socket)?;
                if let Some(answer) = ask(&mut quic.connection)? {
                    return Ok(answer);
                }
                quic.connection.poll_timeout()
            };
            let alarm = alarm.unwrap_or_else(|| Instant::now() + CALM);
            tokio::select! {
                taken = self.take_in(|_| {}) => taken?,
                () = sleep_until(alarm.into()) => {}
            }
        }
    }

    /// Takes all packets that come next, and does what is asked after each of them.
    async fn take_in(&self, mut each: impl FnMut(&mut Connection)) -> anyhow::Result<()> {
        self.socket.readable().await?;
        let mut quic = self.quic.lock();
        let mut buffer = [0; 2048];
        loop {
            match self.socket.try_recv(&mut buffer) {
                Ok(size) => quic.take(&buffer[..size], &self.socket)?,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return Err(error.into()),
            }
            each(&mut quic.connection);
        }
        quic.settle(&self.socket)
    }

    /// Hears all that comes.
    pub async fn listen(&self, hear: impl Fn(&[u8])) -> anyhow::Result<Infallible> {
        loop {
            self.take_in(|connection| {
                while let Some(datagram) = connection.datagrams().recv() {
                    hear(datagram.get(HEAD.len()..).unwrap_or_default());
                }
            })
            .await?;
        }
    }

    pub fn speak(&self, datagram: &[u8]) -> anyhow::Result<()> {
        let mut quic = self.quic.lock();
        let packet = [&HEAD, datagram].concat();
        quic.connection.datagrams().send(packet.into(), true)?;
        quic.settle(&self.socket)
    }
}

impl PlayerLink for Lean {
    async fn send(&mut self, datagram: &[u8]) -> anyhow::Result<()> {
        self.speak(datagram)
    }

    async fn receive(&mut self) -> anyhow::Result<Bytes> {
        let packet = self.wait(|connection| Ok(connection.datagrams().recv()));
        Ok(packet.await?.slice(HEAD.len()..))
    }
}

impl Quic {
    fn take(&mut self, packet: &[u8], socket: &UdpSocket) -> anyhow::Result<()> {
        let remote = self.connection.remote_address();
        let now = Instant::now();
        let data = BytesMut::from(packet);
        let event = (self.endpoint).handle(now, remote, None, None, data, &mut self.packet);
        match event {
            Some(DatagramEvent::ConnectionEvent(_, event)) => self.connection.handle_event(event),
            Some(DatagramEvent::Response(answer)) => {
                drop(socket.try_send(&self.packet[..answer.size]))
            }
            // Nobody calls a page.
            Some(DatagramEvent::NewConnection(_)) | None => {}
        }
        self.packet.clear();
        Ok(())
    }

    /// Does what is due, and sends what there is to be sent.
    fn settle(&mut self, socket: &UdpSocket) -> anyhow::Result<()> {
        let now = Instant::now();
        if self.connection.poll_timeout().is_some_and(|due| due <= now) {
            self.connection.handle_timeout(now);
        }
        while let Some(event) = self.connection.poll_endpoint_events() {
            if let Some(event) = self.endpoint.handle_event(self.handle, event) {
                self.connection.handle_event(event);
            }
        }
        while let Some(event) = self.connection.poll() {
            if let Event::ConnectionLost { reason } = event {
                return Err(reason.into());
            }
        }
        while let Some(transmit) = self.connection.poll_transmit(now, 1, &mut self.packet) {
            // A full line loses it.
            let _ = socket.try_send(&self.packet[..transmit.size]);
            self.packet.clear();
        }
        Ok(())
    }
}

fn begin_stream(connection: &mut Connection, kind: Dir, bytes: &[u8]) -> anyhow::Result<StreamId> {
    let stream = connection.streams().open(kind).context("no stream")?;
    let written = connection.send_stream(stream).write(bytes)?;
    ensure!(written == bytes.len(), "no room in a new stream");
    Ok(stream)
}

/// Adds what has come on a stream.
fn read(connection: &mut Connection, stream: StreamId, all: &mut Vec<u8>) -> anyhow::Result<()> {
    let mut stream = connection.recv_stream(stream);
    let mut chunks = stream.read(true)?;
    while let Ok(Some(chunk)) = chunks.next(usize::MAX) {
        all.extend_from_slice(&chunk.bytes);
    }
    // What this makes room for, the next packet tells.
    let _ = chunks.finalize();
    Ok(())
}
