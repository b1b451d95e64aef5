//! TCP connections that move from the thread that read their request to the one of their session.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

/// A TCP connection, which is empty only if a move has failed.
#[derive(Debug)]
pub struct Line(Option<TcpStream>);

/// What a session is carried by.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send + 'static {
    /// Has the runtime of this task wait for the connection from now on.
    ///
    /// # Errors
    /// If the system refuses; the connection is lost then.
    fn settle(&mut self) -> io::Result<()>;
}

impl From<TcpStream> for Line {
    fn from(stream: TcpStream) -> Self {
        Self(Some(stream))
    }
}

impl Line {
    fn stream(self: Pin<&mut Self>) -> io::Result<Pin<&mut TcpStream>> {
        let stream = self.get_mut().0.as_mut().map(Pin::new);
        stream.ok_or_else(|| io::ErrorKind::NotConnected.into())
    }
}

impl Stream for Line {
    fn settle(&mut self) -> io::Result<()> {
        if let Some(stream) = self.0.take() {
            self.0 = Some(TcpStream::from_std(stream.into_std()?)?);
        }
        Ok(())
    }
}

impl Stream for TlsStream<Line> {
    fn settle(&mut self) -> io::Result<()> {
        self.get_mut().0.settle()
    }
}

/// A stream and what has been read of it already.
///
/// # Errors
/// The connection as it was, if it is carried by something else.
pub fn part<S: Stream>(upgraded: Upgraded) -> Result<(S, Vec<u8>), Upgraded> {
    let parts = upgraded.downcast::<TokioIo<S>>()?;
    Ok((parts.io.into_inner(), parts.read_buf.to_vec()))
}

impl AsyncRead for Line {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        space: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.stream()?.poll_read(context, space)
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream()?.poll_write(context, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream()?.poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.as_ref().is_some_and(TcpStream::is_write_vectored)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_shutdown(context)
    }
}
