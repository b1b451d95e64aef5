//! The plainest proxy from WebSocket to UDP: no gate, no budgets, every frame and datagram passed on.
//!
//! It runs as a process of its own like the relay, so it pays the same price for being woken.

use std::sync::{Arc, Mutex};

use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio_tungstenite::accept_hdr_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{Request, Response};

/// Serves until it is killed; the first line on standard output is its address.
pub async fn run() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(async move {
            if let Err(error) = carry(stream).await {
                eprintln!("plain proxy: {error}");
            }
        });
    }
}

async fn carry(stream: TcpStream) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let query = Arc::new(Mutex::new(String::new()));
    let found = query.clone();
    #[expect(
        clippy::result_large_err,
        reason = "the type of the refusal is the library's"
    )]
    let read_query = move |request: &Request, response: Response| {
        if let (Ok(mut found), Some(query)) = (found.lock(), request.uri().query()) {
            *found = query.to_owned();
        }
        Ok(response)
    };
    let socket = accept_hdr_async(stream, read_query).await?;
    let query = query.lock().map(|query| query.clone()).unwrap_or_default();
    let udp = Arc::new(UdpSocket::bind("127.0.0.1:0").await?);
    udp.connect(query.trim_start_matches("server=")).await?;
    let (mut to_player, mut from_player) = socket.split();
    let from_server = udp.clone();
    tokio::spawn(async move {
        let mut buffer = [0; 2048];
        while let Ok(size) = from_server.recv(&mut buffer).await {
            if to_player
                .send(Message::Binary(buffer[..size].to_vec().into()))
                .await
                .is_err()
            {
                break;
            }
        }
    });
    while let Some(Ok(message)) = from_player.next().await {
        if let Message::Binary(datagram) = message {
            udp.send(&datagram).await?;
        }
    }
    Ok(())
}
