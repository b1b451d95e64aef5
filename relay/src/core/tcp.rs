//! TCP connections that move from the thread that read their request to the one of their session, hold
//! their place until their last byte, and end if nobody takes what is written.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep_until};
use tokio_rustls::server::TlsStream;

use crate::core::permits::Permit;

/// How long a writer that waits is measured for.
const WINDOW: Duration = Duration::from_secs(15);
/// What a reader of files must take on average, in bytes per second; phones on a bad day take more.
const LEAST_RATE: u64 = 4 * 1024;

/// A TCP connection, which is empty only if a move has failed.
#[derive(Debug)]
pub(crate) struct TcpConnection {
    stream: Option<TcpStream>,
    permit: Option<Permit>,
    writing: Progress,
    /// How often it may be read before it has nothing for the moment.
    reads_left: u32,
    /// What was read since the last whole message.
    unused_bytes: usize,
}

/// What a session is carried by: TCP, with TLS above it or not.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    fn tcp(&mut self) -> &mut TcpConnection;
}

impl Stream for TcpConnection {
    fn tcp(&mut self) -> &mut TcpConnection {
        self
    }
}

impl Stream for TlsStream<TcpConnection> {
    fn tcp(&mut self) -> &mut TcpConnection {
        self.get_mut().0
    }
}

/// How fast somebody takes what is written, while it has to wait for them.
#[derive(Debug)]
struct Progress {
    /// Since when, and how many bytes were taken since.
    window: Option<(Instant, u64)>,
    is_waiting: bool,
    least_bytes: u64,
    alarm: Option<Pin<Box<Sleep>>>,
}

impl Progress {
    fn new(least_bytes: u64) -> Self {
        Self {
            window: None,
            is_waiting: false,
            least_bytes,
            alarm: None,
        }
    }

    /// Notes what became of an attempt to write; an error if too little is taken.
    fn note(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match &written {
            Poll::Ready(Ok(count)) => {
                self.is_waiting = false;
                if let Some((_, taken)) = &mut self.window {
                    *taken += *count as u64;
                }
                written
            }
            Poll::Ready(Err(_)) => written,
            Poll::Pending => self.wait(context).map(Err),
        }
    }

    fn wait(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let now = Instant::now();
        let (mut begun, mut taken) = self.window.unwrap_or((now, 0));
        if !self.is_waiting && begun.elapsed() > WINDOW {
            // Between then and now nothing had to wait.
            (begun, taken) = (now, 0);
        }
        self.is_waiting = true;
        loop {
            self.window = Some((begun, taken));
            let until = begun + WINDOW;
            let alarm = (self.alarm).get_or_insert_with(|| Box::pin(sleep_until(until)));
            if alarm.deadline() != until {
                alarm.as_mut().reset(until);
            }
            ready!(alarm.as_mut().poll(context));
            if taken < self.least_bytes {
                let reason = "the reader takes too little";
                return Poll::Ready(io::Error::new(io::ErrorKind::TimedOut, reason));
            }
            (begun, taken) = (Instant::now(), 0);
        }
    }
}

impl TcpConnection {
    /// A connection that has just been accepted, with its place.
    pub(crate) fn new(stream: TcpStream, permit: Permit) -> Self {
        Self {
            stream: Some(stream),
            permit: Some(permit),
            writing: Progress::new(WINDOW.as_secs() * LEAST_RATE),
            reads_left: u32::MAX,
            unused_bytes: 0,
        }
    }

    /// Has the runtime of this task wait for the connection from now on. Its reader is measured as a
    /// player's, who takes little, but must take something.
    ///
    /// # Errors
    /// If the system refuses; the connection is lost then.
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        if let Some(stream) = self.stream.take() {
            self.stream = Some(TcpStream::from_std(stream.into_std()?)?);
        }
        self.writing = Progress::new(1);
        Ok(())
    }

    /// Gives the place back: the session that it carries has one of its own.
    pub(crate) fn release_permit(&mut self) {
        self.permit = None;
    }

    /// Lets it be read so often from now on; then it has nothing for the moment.
    pub(crate) fn allow_reads(&mut self, count: u32) {
        self.reads_left = count;
    }

    /// A whole message has come of what was read.
    pub(crate) fn note_message(&mut self) {
        self.unused_bytes = 0;
    }

    /// How many bytes were read without a message.
    pub(crate) fn unused_bytes(&self) -> usize {
        self.unused_bytes
    }

    /// An error if others need the place of this connection.
    fn check_place(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> io::Result<()> {
        let permit = self.permit.as_mut();
        match permit.is_some_and(|permit| permit.poll_over(context).is_ready()) {
            true => Err(io::Error::other("others need its place")),
            false => Ok(()),
        }
    }

    fn stream(self: Pin<&mut Self>) -> io::Result<Pin<&mut TcpStream>> {
        let stream = self.get_mut().stream.as_mut().map(Pin::new);
        stream.ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

/// A stream and what has been read of it already.
///
/// # Errors
/// The connection as it was, if it is carried by something else.
pub(super) fn part<S: Stream>(upgraded: Upgraded) -> Result<(S, Vec<u8>), Upgraded> {
    let parts = upgraded.downcast::<TokioIo<S>>()?;
    Ok((parts.io.into_inner(), parts.read_buf.to_vec()))
}

impl AsyncRead for TcpConnection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        space: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.as_mut().check_place(context)?;
        if self.reads_left == 0 {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = space.filled().len();
        let read = self.as_mut().stream()?.poll_read(context, space);
        if read.is_ready() {
            self.reads_left -= 1;
            let more = space.filled().len() - before;
            self.unused_bytes = self.unused_bytes.saturating_add(more);
        }
        read
    }
}

impl AsyncWrite for TcpConnection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.as_mut().check_place(context)?;
        let written = self.as_mut().stream()?.poll_write(context, bytes);
        self.writing.note(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.as_mut().check_place(context)?;
        let written = self.as_mut().stream()?.poll_write_vectored(context, slices);
        self.writing.note(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream
            .as_ref()
            .is_some_and(TcpStream::is_write_vectored)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_shutdown(context)
    }
}
