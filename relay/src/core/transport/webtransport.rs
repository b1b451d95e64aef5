//! A browser connected by WebTransport: datagrams, and one stream for the texts.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::ops::Deref;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use futures_util::Stream;
use futures_util::stream::unfold;
use shared::net::split::{self, Joiner, Splitter};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep, timeout};
use web_transport_quinn::quinn::{Connection, ConnectionError, SendDatagramError, VarInt};
use web_transport_quinn::{RecvStream, SendStream, Session, SessionError, WebTransportError};

use super::repeats::{Repeats, Seen};
use super::{Arrival, GOODBYE, Transport, closing_text};
use crate::core::config::Repeat;
use crate::core::counters::Counters;
use crate::core::permits::Permit;
use crate::core::queue::{SendQueue, is_of_channel};
use crate::core::source_waker::SourceWaker;

/// Longest line from a page.
const MAX_TEXT: usize = 2048;
/// Texts wait unbounded only in theory: a page that asks without reading is closed at this.
const MAX_UNREAD: usize = 16 * 1024;
/// What QUIC and HTTP/3 may add to a packet of ours in the send buffer.
const OVERHEAD: usize = 64;
/// How soon a full send buffer is looked at again. QUIC paces its packets much finer than a
/// snapshot's interval, so this is no delay that counts.
const RETRY: Duration = Duration::from_millis(1);

/// A WebTransport session that never queues for long.
pub(crate) struct WebTransport {
    session: ClosedOnDrop,
    received: Received,
    datagrams_waker: SourceWaker,
    to_page: SendStream,
    from_page: Lines,
    unread: BytesMut,
    datagrams: SendQueue,
    /// Packets of a datagram which has begun to leave.
    packets: VecDeque<Bytes>,
    repeats: Repeats,
    /// The room in QUIC's buffer while nothing waits in it.
    max_space: usize,
    alarm: Pin<Box<Sleep>>,
    splitter: Splitter,
    joiner: Joiner,
    counters: Arc<Counters>,
    permit: Option<Permit>,
}

impl WebTransport {
    /// Opens the stream for texts.
    pub(crate) async fn open(
        session: Session,
        repeat: Repeat,
        counters: Arc<Counters>,
        permit: Permit,
    ) -> anyhow::Result<Self> {
        let session = ClosedOnDrop(session);
        let (to_page, from_page) = session.open_bi().await?;
        Ok(Self {
            received: receive(session.0.clone()),
            datagrams_waker: SourceWaker::new(),
            max_space: session.datagram_send_buffer_space(),
            session,
            to_page,
            from_page: Lines {
                stream: from_page,
                line: Vec::new(),
                source_waker: SourceWaker::new(),
            },
            unread: BytesMut::new(),
            datagrams: SendQueue::default(),
            packets: VecDeque::new(),
            repeats: Repeats::new(repeat),
            alarm: Box::pin(sleep(Duration::ZERO)),
            splitter: Splitter::default(),
            joiner: Joiner::default(),
            counters,
            permit: Some(permit),
        })
    }

    fn send_all(&mut self, context: &mut Context<'_>) -> Result<(), String> {
        self.send_texts(context)
            .map_err(|error| error.to_string())?;
        self.send_datagrams(context)
            .map_err(|error| error.to_string())
    }

    fn send_texts(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        while !self.unread.is_empty() {
            match Pin::new(&mut self.to_page).poll_write(context, &self.unread)? {
                Poll::Ready(count) => self.unread.advance(count),
                Poll::Pending if self.unread.len() > MAX_UNREAD => {
                    return Err(io::Error::other("the page does not read"));
                }
                Poll::Pending => break,
            }
        }
        Ok(())
    }

    /// Gives QUIC what it can send now; the rest waits with us, where newer datagrams replace it.
    fn send_datagrams(&mut self, context: &mut Context<'_>) -> Result<(), SessionError> {
        loop {
            if self.packets.is_empty() && !self.begin_next() {
                return self.send_repeats(context);
            }
            let Some(packet) = self.packets.front() else {
                // Too large to be split in two.
                continue;
            };
            let space = self.session.datagram_send_buffer_space();
            if space < packet.len() + OVERHEAD {
                self.wake_at(Instant::now() + RETRY, context);
                return Ok(());
            }
            let Some(packet) = self.packets.pop_front() else {
                continue;
            };
            self.send(packet)?;
        }
    }

    /// Makes packets of the datagram that waits longest; false if none waits.
    fn begin_next(&mut self) -> bool {
        let Some(datagram) = self.datagrams.pop() else {
            return false;
        };
        let packets = self.splitter.split(&datagram);
        self.packets.extend(packets.map(Bytes::from));
        if is_of_channel(&datagram) {
            let now = Instant::now();
            for packet in &self.packets {
                self.repeats.note(now, packet, || {
                    let stats = Connection::stats(&self.session);
                    Seen {
                        sent: stats.frame_tx.datagram,
                        lost: stats.path.lost_packets,
                        round_trip: stats.path.rtt,
                    }
                });
            }
        }
        true
    }

    /// Sends again what is due, each where QUIC has nothing else to send: so it delays nothing, and
    /// shares no packet with the first one.
    fn send_repeats(&mut self, context: &mut Context<'_>) -> Result<(), SessionError> {
        if self.repeats.is_empty() {
            return Ok(());
        }
        let now = Instant::now();
        while let Some(due) = self.repeats.due(now) {
            let space = self.session.datagram_send_buffer_space();
            if due > now || space < self.max_space {
                self.wake_at(due.max(now + RETRY), context);
                return Ok(());
            }
            if let Some(packet) = self.repeats.pop() {
                self.counters.repeated.add(1);
                self.send(packet)?;
            }
        }
        Ok(())
    }

    fn send(&self, packet: Bytes) -> Result<(), SessionError> {
        match self.session.send_datagram(packet) {
            Err(SessionError::SendDatagramError(SendDatagramError::TooLarge)) => {
                self.counters.stale.add(1);
            }
            sent => sent?,
        }
        Ok(())
    }

    fn wake_at(&mut self, time: Instant, context: &mut Context<'_>) {
        self.alarm.as_mut().reset(time);
        // Polled to be woken.
        let _ = self.alarm.as_mut().poll(context);
    }
}

/// A session whose connection ends with it: the library keeps the connection for as long as the page keeps its side.
struct ClosedOnDrop(Session);

impl Deref for ClosedOnDrop {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.0
    }
}

impl Drop for ClosedOnDrop {
    fn drop(&mut self) {
        // Nothing happens where it has been closed with a reason.
        Connection::close(self, VarInt::from_u32(0), b"");
    }
}

/// The datagrams of a session, and at last why there are no more.
type Received = Pin<Box<dyn Stream<Item = Result<Bytes, String>> + Send>>;

fn receive(session: Session) -> Received {
    Box::pin(unfold(session, |session| async {
        loop {
            match session.read_datagram().await {
                Ok(datagram) => return Some((Ok(datagram), session)),
                // Those of no session, or of another one.
                Err(SessionError::WebTransportError(WebTransportError::UnknownSession)) => {}
                Err(error) => return Some((Err(describe_end(&error)), session)),
            }
        }
    }))
}

fn describe_end(error: &SessionError) -> String {
    match error {
        // The library ends the connection itself when the page ends the session.
        SessionError::WebTransportError(WebTransportError::Closed(..))
        | SessionError::ConnectionError(ConnectionError::LocallyClosed) => {
            "closed by the page".to_owned()
        }
        error => error.to_string(),
    }
}

/// What a page says, line by line.
struct Lines {
    stream: RecvStream,
    line: Vec<u8>,
    source_waker: SourceWaker,
}

impl Lines {
    /// The next whole line.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<io::Result<String>> {
        loop {
            if let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
                let rest = self.line.split_off(end + 1);
                let line = std::mem::replace(&mut self.line, rest);
                return Poll::Ready(Ok(String::from_utf8_lossy(&line).into_owned()));
            }
            if self.line.len() > MAX_TEXT {
                return Poll::Ready(Err(io::Error::other("a line of the page is too long")));
            }
            let mut space = [0; 256];
            let mut space = ReadBuf::new(&mut space);
            let stream = Pin::new(&mut self.stream);
            let read = |context: &mut Context<'_>| stream.poll_read(context, &mut space);
            ready!(self.source_waker.poll(context, read))?;
            if space.filled().is_empty() {
                return Poll::Ready(Err(io::Error::other("the page ended its stream")));
            }
            self.line.extend_from_slice(space.filled());
        }
    }
}

impl Transport for WebTransport {
    const NAME: &'static str = "webtransport";

    fn push(&mut self, datagram: Bytes) {
        self.counters
            .stale
            .add(self.datagrams.push(Instant::now(), datagram));
    }

    fn say(&mut self, text: String) {
        self.unread.extend_from_slice(text.as_bytes());
        self.unread.extend_from_slice(b"\n");
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Arrival> {
        // What a page says last comes with its end, where nothing can be sent any more.
        if let Poll::Ready(text) = self.from_page.poll(context) {
            return Poll::Ready(match text {
                Ok(text) => Arrival::Text(text),
                Err(error) => Arrival::Gone(error.to_string()),
            });
        }
        let sent = self.send_all(context);
        let received = &mut self.received;
        let poll = |context: &mut Context<'_>| received.as_mut().poll_next(context);
        let packet = match (self.datagrams_waker.poll(context, poll), sent) {
            (Poll::Ready(Some(Ok(packet))), _) => packet,
            (Poll::Ready(Some(Err(reason))), _) | (Poll::Pending, Err(reason)) => {
                return Poll::Ready(Arrival::Gone(reason));
            }
            (Poll::Ready(None), _) => return Poll::Ready(Arrival::Gone("closed".to_owned())),
            (Poll::Pending, Ok(())) => return Poll::Pending,
        };
        Poll::Ready(match split::text(&packet) {
            Some(text) => Arrival::Text(text),
            None => match self.joiner.join(&packet) {
                None => Arrival::Part,
                Some(Cow::Borrowed(whole)) => Arrival::Datagram(packet.slice_ref(whole)),
                Some(Cow::Owned(whole)) => Arrival::Datagram(whole.into()),
            },
        })
    }

    fn poll_send(&mut self, context: &mut Context<'_>) {
        let _ = self.send_all(context);
    }

    fn release_permit(&mut self) {
        self.permit = None;
    }

    async fn close(mut self, code: u16, reason: &str) {
        self.say(closing_text(code, reason));
        let goodbye = async {
            self.to_page.write_all(&self.unread).await?;
            self.to_page.finish()?;
            // The page ends the session when it has read the text.
            self.session.closed().await;
            Ok::<(), anyhow::Error>(())
        };
        // Whoever does not listen to the end has gone already.
        let _ = timeout(GOODBYE, goodbye).await;
        let code = VarInt::from_u32(code.into());
        Connection::close(&self.session, code, reason.as_bytes());
    }
}
