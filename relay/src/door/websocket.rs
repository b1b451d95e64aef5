//! A browser connected by WebSocket.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use bytes::Bytes;
use futures_util::{Sink, Stream, StreamExt};
use tokio::time::timeout;

use super::{Arrival, Door, GOODBYE, closing_text};
use crate::bell::Bell;
use crate::metrics::Metrics;
use crate::queue::SendQueue;

const MOST_TEXTS: usize = 16;

/// A WebSocket that never queues for long.
#[derive(Debug)]
pub struct WebSocketDoor {
    socket: WebSocket,
    bell: Bell,
    texts: VecDeque<String>,
    datagrams: SendQueue,
    is_flushing: bool,
    metrics: Arc<Metrics>,
}

impl WebSocketDoor {
    pub fn new(socket: WebSocket, metrics: Arc<Metrics>) -> Self {
        Self {
            socket,
            bell: Bell::new(),
            texts: VecDeque::new(),
            datagrams: SendQueue::default(),
            is_flushing: false,
            metrics,
        }
    }

    fn send(&mut self, context: &mut Context<'_>) -> Result<(), axum::Error> {
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

impl Door for WebSocketDoor {
    const NAME: &'static str = "websocket";

    fn push(&mut self, datagram: Bytes) {
        self.metrics.stale.add(self.datagrams.push(datagram));
    }

    fn say(&mut self, text: String) {
        // A page that asks without reading hears nothing more.
        if self.texts.len() < MOST_TEXTS {
            self.texts.push_back(text);
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Arrival> {
        if let Err(error) = self.send(context) {
            return Poll::Ready(Arrival::Gone(error.to_string()));
        }
        loop {
            let socket = Pin::new(&mut self.socket);
            let arrived = self.bell.poll(context, |context| socket.poll_next(context));
            let message = match arrived {
                Poll::Ready(Some(Ok(message))) => message,
                Poll::Ready(Some(Err(error))) => {
                    return Poll::Ready(Arrival::Gone(error.to_string()));
                }
                Poll::Ready(None) => return Poll::Ready(Arrival::Gone("closed".to_owned())),
                Poll::Pending => return Poll::Pending,
            };
            match message {
                Message::Binary(datagram) => return Poll::Ready(Arrival::Datagram(datagram)),
                Message::Text(text) => return Poll::Ready(Arrival::Text(text.as_str().to_owned())),
                Message::Close(_) => {
                    return Poll::Ready(Arrival::Gone("closed by the page".to_owned()));
                }
                Message::Ping(_) | Message::Pong(_) => {}
            }
        }
    }

    async fn close(mut self, code: u16, reason: &str) {
        let goodbye = async {
            let text = closing_text(code, reason);
            self.socket.send(Message::Text(text.into())).await?;
            // A close frame holds 125 bytes with its code.
            let frame = CloseFrame {
                code,
                reason: reason[..reason.floor_char_boundary(120)].into(),
            };
            self.socket.send(Message::Close(Some(frame))).await?;
            while let Some(Ok(_)) = self.socket.next().await {}
            Ok::<(), axum::Error>(())
        };
        // Whoever does not listen to the end has gone already.
        let _ = timeout(GOODBYE, goodbye).await;
    }
}
