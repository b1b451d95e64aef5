//! A browser connected by WebSocket.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::{Sink, SinkExt, Stream as _, StreamExt};
use tokio::time::{Instant, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Message};

use super::{Arrival, GOODBYE, MAX_AFTER_GOODBYE, Transport, closing_text};
use crate::core::counters::Counters;
use crate::core::gate::MAX_FROM_PLAYER;
use crate::core::permits::Permit;
use crate::core::queue::SendQueue;
use crate::core::source_waker::SourceWaker;
use crate::core::tcp::Stream;

const MAX_TEXTS: usize = 16;
/// So often the line is read before the other sessions of the thread have their turn: of a message in
/// parts without bytes there is no end.
const MAX_READS: u32 = 8;
/// Much more than the largest message and the record of TLS that it comes in.
const MAX_UNUSED_BYTES: usize = 64 * 1024;

/// A WebSocket that never queues for long.
#[derive(Debug)]
pub(crate) struct WebSocketTransport<S> {
    socket: WebSocketStream<S>,
    source_waker: SourceWaker,
    texts: VecDeque<String>,
    datagrams: SendQueue,
    is_flushing: bool,
    counters: Arc<Counters>,
    /// Where a proxy forwards it, whose address counts.
    forwarded: Option<Arc<Permit>>,
}

impl<S: Stream> WebSocketTransport<S> {
    /// On a stream that speaks WebSocket from now on, of which so much was read already.
    pub(crate) async fn new(
        stream: S,
        read: Vec<u8>,
        counters: Arc<Counters>,
        forwarded: Option<Arc<Permit>>,
    ) -> Self {
        let limits = WebSocketConfig::default()
            .max_message_size(Some(MAX_FROM_PLAYER))
            .max_frame_size(Some(MAX_FROM_PLAYER))
            .read_buffer_size(4096)
            .write_buffer_size(16 * 1024)
            .max_write_buffer_size(256 * 1024);
        let socket =
            WebSocketStream::from_partially_read(stream, read, Role::Server, Some(limits)).await;
        Self {
            socket,
            source_waker: SourceWaker::new(),
            texts: VecDeque::new(),
            datagrams: SendQueue::default(),
            is_flushing: false,
            counters,
            forwarded,
        }
    }

    fn send(&mut self, context: &mut Context<'_>) -> Result<(), tungstenite::Error> {
        loop {
            if self.is_flushing {
                match Pin::new(&mut self.socket).poll_flush(context)? {
                    Poll::Ready(()) => self.is_flushing = false,
                    Poll::Pending => return Ok(()),
                }
            }
            while let Some(message) = self.next_message() {
                // Nothing is buffered below after a flush, so this does not wait.
                let _ = Pin::new(&mut self.socket).poll_ready(context)?;
                Pin::new(&mut self.socket).start_send(message)?;
                self.is_flushing = true;
            }
            if !self.is_flushing {
                return Ok(());
            }
        }
    }

    fn next_message(&mut self) -> Option<Message> {
        let text = self
            .texts
            .pop_front()
            .map(|text| Message::Text(text.into()));
        text.or_else(|| self.datagrams.pop().map(Message::Binary))
    }
}

impl<S: Stream> Transport for WebSocketTransport<S> {
    const NAME: &'static str = "websocket";

    fn push(&mut self, datagram: Bytes) {
        self.counters
            .stale
            .add(self.datagrams.push(Instant::now(), datagram));
    }

    fn say(&mut self, text: String) {
        // A page that asks without reading hears nothing more.
        if self.texts.len() < MAX_TEXTS {
            self.texts.push_back(text);
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Arrival> {
        if let Err(error) = self.send(context) {
            return Poll::Ready(Arrival::Gone(error.to_string()));
        }
        self.socket.get_mut().tcp().allow_reads(MAX_READS);
        let socket = Pin::new(&mut self.socket);
        let arrived = self
            .source_waker
            .poll(context, |context| socket.poll_next(context));
        match arrived.is_ready() {
            true => self.socket.get_mut().tcp().note_message(),
            false if self.socket.get_mut().tcp().unused_bytes() > MAX_UNUSED_BYTES => {
                let reason = "a message of the page never ends";
                return Poll::Ready(Arrival::Gone(reason.to_owned()));
            }
            false => {}
        }
        arrived.map(|message| match message {
            Some(Ok(Message::Binary(datagram))) => Arrival::Datagram(datagram),
            Some(Ok(Message::Text(text))) => Arrival::Text(text.as_str().to_owned()),
            Some(Ok(Message::Close(_))) => Arrival::Gone("closed by the page".to_owned()),
            Some(Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_))) => Arrival::Noise,
            Some(Err(error)) => Arrival::Gone(error.to_string()),
            None => Arrival::Gone("closed".to_owned()),
        })
    }

    fn poll_send(&mut self, context: &mut Context<'_>) {
        let _ = self.send(context);
    }

    fn release_permit(&mut self) {
        self.socket.get_mut().tcp().release_permit();
        self.forwarded = None;
    }

    async fn close(mut self, code: u16, reason: &str) {
        let goodbye = async {
            let text = closing_text(code, reason);
            self.socket.send(Message::Text(text.into())).await?;
            // A close frame holds 125 bytes with its code.
            let frame = CloseFrame {
                code: code.into(),
                reason: reason[..reason.floor_char_boundary(120)].into(),
            };
            self.socket.send(Message::Close(Some(frame))).await?;
            for _ in 0..MAX_AFTER_GOODBYE {
                let Some(Ok(_)) = self.socket.next().await else {
                    break;
                };
            }
            Ok::<(), tungstenite::Error>(())
        };
        // Whoever does not listen to the end has gone already.
        let _ = timeout(GOODBYE, goodbye).await;
    }
}
