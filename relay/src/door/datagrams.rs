//! Takes the datagrams of a WebTransport connection, past the library's own task once the game runs.
//!
//! That task looks at all streams of a connection for each datagram, which costs more than all else
//! that the relay does for it. It takes no datagram while the one before waits to be fetched. So one
//! is left there for ever, and those behind it come from QUIC directly. By then the game runs, where
//! each usercmd packet repeats what was in the one before, and losses are nothing special.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use futures_util::Stream;
use futures_util::stream::unfold;
use wtransport::Connection;

use crate::bell::Bell;
use crate::queue::is_of_channel;

/// The game runs when so many datagrams of its channel have come.
const SETTLED: u32 = 100;

type Receiving = Pin<Box<dyn Stream<Item = Result<Bytes, String>> + Send>>;

/// What a connection receives.
pub struct Datagrams {
    connection: Arc<Connection>,
    receiving: Receiving,
    bell: Bell,
    /// Of the game's channel, up to [`SETTLED`].
    count: u32,
    /// The library's task calls next when it has another datagram, which is to be left there.
    is_last_awaited: bool,
}

impl Datagrams {
    pub fn new(connection: Arc<Connection>) -> Self {
        Self {
            receiving: receive(connection.clone()),
            connection,
            bell: Bell::new(),
            count: 0,
            is_last_awaited: false,
        }
    }

    /// The next datagram, or why there is none any more.
    pub fn poll(&mut self, context: &Context<'_>) -> Poll<Result<Bytes, String>> {
        let Self {
            connection,
            receiving,
            bell,
            count,
            is_last_awaited,
        } = self;
        let received = bell.poll(context, |context| {
            if std::mem::take(is_last_awaited) {
                *receiving = receive_from_quic(connection.clone());
                *count += 1;
            }
            let received = receiving.as_mut().poll_next(context);
            *is_last_awaited = received.is_pending() && *count == SETTLED;
            received
        });
        received.map(|received| received.unwrap_or_else(|| Err("closed".to_owned())))
    }

    /// Takes note of a whole datagram that came.
    pub fn note(&mut self, datagram: &[u8]) {
        if self.count < SETTLED && is_of_channel(datagram) {
            self.count += 1;
        }
    }
}

fn receive(connection: Arc<Connection>) -> Receiving {
    Box::pin(unfold(connection, |connection| async move {
        let received = connection.receive_datagram().await;
        let received = received.map(|datagram| datagram.payload());
        Some((received.map_err(|error| error.to_string()), connection))
    }))
}

fn receive_from_quic(connection: Arc<Connection>) -> Receiving {
    Box::pin(unfold(connection, |connection| async move {
        loop {
            let received = connection.quic_connection().read_datagram().await;
            let payload = match received {
                Ok(datagram) => payload(datagram, connection.session_id().into_u64()),
                Err(error) => return Some((Err(error.to_string()), connection)),
            };
            if let Some(payload) = payload {
                return Some((Ok(payload), connection));
            }
        }
    }))
}

/// What a datagram of QUIC carries for a session, behind a quarter of its number (RFC 9297, 2.1).
fn payload(mut datagram: Bytes, session: u64) -> Option<Bytes> {
    let first = *datagram.first()?;
    let size = 1 << (first >> 6);
    let mut rest = datagram.get(1..size)?.iter();
    let quarter = rest.try_fold(u64::from(first & 0x3f), |number, byte| {
        Some(number << 8 | u64::from(*byte))
    })?;
    datagram.advance(size);
    (quarter == session / 4).then_some(datagram)
}

#[cfg(test)]
mod tests {
    use super::payload;

    #[test]
    fn datagrams_of_other_sessions_are_left_out() {
        let check = |datagram: &'static [u8], session| {
            payload(datagram.into(), session).map(|payload| payload.to_vec())
        };
        assert_eq!(check(b"\x00abc", 0), Some(b"abc".to_vec()));
        assert_eq!(check(b"\x01abc", 4), Some(b"abc".to_vec()));
        assert_eq!(check(b"\x01abc", 0), None);
        assert_eq!(check(b"\x40\x01abc", 4), Some(b"abc".to_vec()));
        assert_eq!(
            check(b"\x80\x01\x00\x00abc", 4 << 16),
            Some(b"abc".to_vec())
        );
        assert_eq!(check(b"\x00", 0), Some(Vec::new()));
        for cut in [&b""[..], b"\x40", b"\xc0\x00\x00"] {
            assert_eq!(check(cut, 0), None);
        }
    }
}
