//! As much HTTP/3 as a WebTransport session needs: its opening, its datagrams, its end.
//!
//! The library's server asks all streams of a connection in turn and begins anew whenever one of them has
//! something. It loses what it had of a frame that comes in pieces, and its care for each datagram costs more
//! than all else that the relay does for it. Here one thing is read after the other, and what no session needs
//! is left unread: the browser's settings, and the streams of its header compression, which ours rule out.

use std::pin::Pin;
use std::task::{Context, Poll};

use anyhow::{Context as _, bail, ensure};
use bytes::{Buf, Bytes};
use futures_util::Stream;
use futures_util::stream::unfold;
use wtransport::VarInt;
use wtransport::proto::bytes::BytesWriter;
use wtransport::proto::error::ErrorCode;
use wtransport::proto::frame::{Frame, FrameKind};
use wtransport::proto::headers::Headers;
use wtransport::proto::ids::{SessionId, StreamId};
use wtransport::proto::session::{SessionRequest, SessionResponse};
use wtransport::proto::settings::Settings;
use wtransport::proto::stream_header::StreamHeader;
use wtransport::quinn::{self, Connection, RecvStream, SendDatagramError, SendStream};

use crate::core::source_waker::SourceWaker;

/// Longer is no request of a browser.
const MAX_HEAD: usize = 8 * 1024;
/// What a browser may say besides before its session ends, which nobody reads.
const MAX_ASIDE: usize = 64 * 1024;
const CHUNK: usize = 2048;

/// A browser that waits for an answer.
pub(crate) struct Caller {
    pub request: SessionRequest,
    connection: Connection,
    control: SendStream,
    answer: SendStream,
    rest: RecvStream,
}

impl Caller {
    /// Hears what somebody who connected asks for.
    ///
    /// # Errors
    /// If the connection ends, or speaks otherwise than browsers do.
    pub(crate) async fn hear(connection: Connection) -> anyhow::Result<Self> {
        let mut control = connection.open_uni().await?;
        control.write_all(&settings()?).await?;
        let (answer, mut rest) = connection.accept_bi().await?;
        match read_request(&mut rest).await {
            Ok(request) => Ok(Self {
                request,
                connection,
                control,
                answer,
                rest,
            }),
            Err(error) => {
                connection.close(code(ErrorCode::Message), b"");
                Err(error)
            }
        }
    }

    /// Lets the session begin.
    pub(crate) async fn accept(mut self) -> anyhow::Result<Http3Session> {
        let head = head(SessionResponse::ok())?;
        self.answer.write_all(&head).await?;
        let stream = quinn::VarInt::from(self.rest.id()).into_inner();
        let mut datagram_head = Vec::new();
        datagram_head.put_varint(VarInt::try_from(stream / 4)?)?;
        let id = StreamId::new(VarInt::try_from(stream)?);
        Ok(Http3Session {
            id: SessionId::try_from_session_stream(id)
                .ok()
                .context("no session's stream")?,
            received: receive(self.connection.clone(), stream / 4),
            connection: self.connection,
            datagram_head,
            datagrams_waker: SourceWaker::new(),
            rest: self.rest,
            rest_waker: SourceWaker::new(),
            aside: 0,
            _open: [self.control, self.answer],
        })
    }

    /// Tells why not, and ends when the browser has heard it.
    pub(crate) async fn refuse(mut self, response: SessionResponse) -> anyhow::Result<()> {
        self.answer.write_all(&head(response)?).await?;
        self.answer.finish()?;
        self.answer.stopped().await?;
        self.connection.close(code(ErrorCode::NoError), b"");
        Ok(())
    }
}

/// A session in being.
pub(crate) struct Http3Session {
    id: SessionId,
    connection: Connection,
    received: Pin<Box<dyn Stream<Item = Result<Bytes, String>> + Send>>,
    datagrams_waker: SourceWaker,
    /// Before each datagram.
    datagram_head: Vec<u8>,
    /// The session ends with this stream.
    rest: RecvStream,
    rest_waker: SourceWaker,
    aside: usize,
    /// Whoever ends these ends the session.
    _open: [SendStream; 2],
}

impl Http3Session {
    /// The connection that carries it, and nothing else.
    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(crate) async fn open_stream(&mut self) -> anyhow::Result<(SendStream, RecvStream)> {
        let (mut send, receive) = self.connection.open_bi().await?;
        let mut head = Vec::new();
        Frame::new_webtransport(self.id).write(&mut head)?;
        send.write_all(&head).await?;
        Ok((send, receive))
    }

    pub(crate) fn send_datagram(&self, payload: &[u8]) -> Result<(), SendDatagramError> {
        let datagram = [&self.datagram_head, payload].concat();
        self.connection.send_datagram(datagram.into())
    }

    /// The next datagram, or why there is none any more.
    pub(crate) fn poll_datagram(&mut self, context: &Context<'_>) -> Poll<Result<Bytes, String>> {
        let received = &mut self.received;
        let poll = |context: &mut Context<'_>| received.as_mut().poll_next(context);
        let received = self.datagrams_waker.poll(context, poll);
        received.map(|received| received.unwrap_or_else(|| Err("closed".to_owned())))
    }

    /// Whether the browser ended the session, and how.
    pub(crate) fn poll_end(&mut self, context: &Context<'_>) -> Poll<String> {
        loop {
            let rest = &mut self.rest;
            let mut space = [0; CHUNK];
            let read = |context: &mut Context<'_>| rest.poll_read(context, &mut space);
            let reason = match std::task::ready!(self.rest_waker.poll(context, read)) {
                Ok(0) => "closed by the page".to_owned(),
                Ok(size) => {
                    self.aside += size;
                    if self.aside <= MAX_ASIDE {
                        continue;
                    }
                    "the page says too much where nobody listens".to_owned()
                }
                Err(error) => error.to_string(),
            };
            return Poll::Ready(reason);
        }
    }

    /// Waits until the browser ends the session.
    pub(crate) async fn ended(&mut self) {
        std::future::poll_fn(|context| self.poll_end(context)).await;
    }
}

/// What we say of ourselves on the control stream.
fn settings() -> anyhow::Result<Vec<u8>> {
    let settings = Settings::builder()
        .qpack_max_table_capacity(VarInt::from_u32(0))
        .qpack_blocked_streams(VarInt::from_u32(0))
        .enable_connect_protocol()
        .enable_webtransport()
        .enable_h3_datagrams()
        .webtransport_max_sessions(VarInt::from_u32(1))
        .build();
    let mut bytes = Vec::new();
    StreamHeader::new_control().write(&mut bytes)?;
    settings.generate_frame().write(&mut bytes)?;
    Ok(bytes)
}

fn head(response: SessionResponse) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    response.headers().generate_frame().write(&mut bytes)?;
    Ok(bytes)
}

/// Reads the request at the start of a stream.
async fn read_request(stream: &mut RecvStream) -> anyhow::Result<SessionRequest> {
    let mut reader = RequestReader::default();
    loop {
        let chunk = stream.read_chunk(CHUNK, true).await?;
        let bytes = chunk.context("no whole request")?.bytes;
        if let Some(request) = reader.take(&bytes)? {
            return Ok(request);
        }
    }
}

/// Finds the request behind frames that mean nothing, in whatever pieces it comes.
#[derive(Debug, Default)]
pub(crate) struct RequestReader {
    unread: Vec<u8>,
    size: usize,
}

impl RequestReader {
    /// Takes more of the stream; yields the request once it is whole.
    ///
    /// # Errors
    /// What comes is no request of a browser.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> anyhow::Result<Option<SessionRequest>> {
        self.size += bytes.len();
        self.unread.extend_from_slice(bytes);
        let mut rest = self.unread.as_slice();
        let mut read = 0;
        while let Some(frame) = Frame::read(&mut rest)? {
            read = self.unread.len() - rest.len();
            match frame.kind() {
                FrameKind::Exercise(_) => {}
                FrameKind::Headers => {
                    let is_readable = check_numbers(frame.payload()).is_some();
                    ensure!(is_readable, "a request whose header block is malformed");
                    return Ok(Some(Headers::with_frame(&frame)?.try_into()?));
                }
                kind => bail!("a request that begins with {kind:?}"),
            }
        }
        // What was read is never read again, however small the pieces are in which more comes.
        self.unread.drain(..read);
        ensure!(self.size < MAX_HEAD, "a request that is too long");
        Ok(None)
    }
}

/// Walks over a header block (RFC 9204, 4.5), since the library shifts its numbers however long they are; `None`
/// where one is longer than any header needs, or the block is cut off.
fn check_numbers(block: &[u8]) -> Option<()> {
    let mut rest = block;
    take_number(&mut rest, 8)?;
    take_number(&mut rest, 7)?;
    while let Some(&first) = rest.first() {
        match first {
            0x80.. => {
                take_number(&mut rest, 6)?;
            }
            0x40..=0x7f => {
                take_number(&mut rest, 4)?;
                skip_string(&mut rest, 7)?;
            }
            0x20..=0x3f => {
                skip_string(&mut rest, 3)?;
                skip_string(&mut rest, 7)?;
            }
            // These need the dynamic table, which our settings rule out.
            _ => return None,
        }
    }
    Some(())
}

fn skip_string(rest: &mut &[u8], bits: u32) -> Option<()> {
    let length = take_number(rest, bits)?;
    *rest = rest.get(length..)?;
    Some(())
}

/// A number whose first byte holds so many bits of it (RFC 9204, 4.1.1).
fn take_number(rest: &mut &[u8], bits: u32) -> Option<usize> {
    let mask = (1_usize << bits) - 1;
    let (&first, mut tail) = rest.split_first()?;
    let mut value = usize::from(first) & mask;
    let mut shift = 0;
    let mut goes_on = value == mask;
    while goes_on {
        let (&byte, after) = tail.split_first()?;
        value += usize::from(byte & 0x7f) << shift;
        goes_on = byte & 0x80 != 0;
        (shift, tail) = (shift + 7, after);
        if goes_on && shift > MAX_NUMBER_SHIFT {
            return None;
        }
    }
    *rest = tail;
    Some(value)
}

/// Numbers of a header block have three bytes behind the first, which is more than a request is long.
const MAX_NUMBER_SHIFT: u32 = 14;

fn receive(
    connection: Connection,
    quarter: u64,
) -> Pin<Box<dyn Stream<Item = Result<Bytes, String>> + Send>> {
    Box::pin(unfold(connection, move |connection| async move {
        loop {
            let payload = match connection.read_datagram().await {
                Ok(datagram) => payload(datagram, quarter),
                Err(error) => return Some((Err(error.to_string()), connection)),
            };
            if let Some(payload) = payload {
                return Some((Ok(payload), connection));
            }
        }
    }))
}

/// What a datagram of QUIC carries for a session, behind a quarter of its number (RFC 9297, 2.1).
pub(crate) fn payload(mut datagram: Bytes, quarter: u64) -> Option<Bytes> {
    let first = *datagram.first()?;
    let size = 1 << (first >> 6);
    let mut rest = datagram.get(1..size)?.iter();
    let found = rest.try_fold(u64::from(first & 0x3f), |number, byte| {
        Some(number << 8 | u64::from(*byte))
    })?;
    datagram.advance(size);
    (found == quarter).then_some(datagram)
}

fn code(code: ErrorCode) -> quinn::VarInt {
    quinn::VarInt::from_u64(code.to_code().into_inner()).unwrap_or(quinn::VarInt::MAX)
}

#[cfg(test)]
mod tests {
    use super::{RequestReader, payload};
    use wtransport::proto::frame::Frame;
    use wtransport::proto::headers::Headers;

    /// What the reader says to a stream of one frame with this header block.
    fn read(block: &[u8]) -> anyhow::Result<bool> {
        let frame = Frame::new_headers(block.to_vec().into());
        let mut stream = Vec::new();
        frame.write(&mut stream)?;
        Ok(RequestReader::default().take(&stream)?.is_some())
    }

    #[test]
    fn header_blocks_with_endless_numbers_are_refused() {
        let fields = [
            (":method", "CONNECT"),
            (":scheme", "https"),
            (":protocol", "webtransport"),
            (":authority", "relay.example:443"),
            (":path", "/a-path-that-is-longer-than-seven-bits-can-say"),
        ];
        let fair: Headers = fields.into_iter().collect();
        let frame = fair.generate_frame();
        assert!(read(frame.payload()).expect("it is fair"));
        let endless = [0xff; 40];
        for start in [
            &b""[..],
            b"\0",
            b"\0\0",
            b"\0\0\x5f",
            b"\0\0\x50",
            b"\0\0\x2f",
            b"\0\0\x21a",
        ] {
            let block = [start, &endless].concat();
            assert!(read(&block).is_err(), "{start:?}");
        }
        for cut in 0..frame.payload().len() {
            assert!(read(&frame.payload()[..cut]).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn datagrams_of_other_sessions_are_left_out() {
        let check = |datagram: &'static [u8], quarter| {
            payload(datagram.into(), quarter).map(|payload| payload.to_vec())
        };
        assert_eq!(check(b"\x00abc", 0), Some(b"abc".to_vec()));
        assert_eq!(check(b"\x01abc", 1), Some(b"abc".to_vec()));
        assert_eq!(check(b"\x01abc", 0), None);
        assert_eq!(check(b"\x40\x01abc", 1), Some(b"abc".to_vec()));
        assert_eq!(
            check(b"\x80\x01\x00\x00abc", 1 << 16),
            Some(b"abc".to_vec())
        );
        assert_eq!(check(b"\x00", 0), Some(Vec::new()));
        for cut in [&b""[..], b"\x40", b"\xc0\x00\x00"] {
            assert_eq!(check(cut, 0), None);
        }
    }
}
