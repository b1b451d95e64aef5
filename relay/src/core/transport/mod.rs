//! The browser's side of a session, whatever carries it.

mod repeats;
mod websocket;
mod webtransport;

use std::future::Future;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;

pub(crate) use websocket::WebSocketTransport;
pub(crate) use webtransport::WebTransport;

/// How long a browser may take to hear why it was closed.
pub(crate) const GOODBYE: Duration = Duration::from_secs(2);

/// What comes from a browser.
#[derive(Debug)]
pub(crate) enum Arrival {
    Datagram(Bytes),
    Text(String),
    /// A part of a datagram, or one that is to be dropped.
    Part,
    /// A ping or pong of the transport.
    Noise,
    /// The connection is over, well or badly.
    Gone(String),
}

/// A connection to a browser that never queues datagrams for long.
pub(crate) trait Transport: Send {
    /// What the transport is called in logs.
    const NAME: &'static str;

    /// Queues a datagram for the browser; it leaves with the next poll.
    fn push(&mut self, datagram: Bytes);

    /// Queues a text for the browser.
    fn say(&mut self, text: String);

    /// Sends what waits, as far as the path takes it, and yields what came.
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Arrival>;

    /// Only sends what waits. That the path has ended is found when it is read again.
    fn poll_send(&mut self, context: &mut Context<'_>);

    /// Gives the connection's place back: the session that it carries has one of its own.
    fn release_permit(&mut self);

    /// Tells the browser why, and ends. Waits a little for it to hear that.
    fn close(self, code: u16, reason: &str) -> impl Future<Output = ()> + Send;
}

/// Messages that are read away before a connection that says goodbye is cut off.
const MAX_AFTER_GOODBYE: usize = 256;

fn closing_text(code: u16, reason: &str) -> String {
    serde_json::json!({ "close": reason, "code": code }).to_string()
}
