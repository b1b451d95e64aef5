//! A proxy in eighty lines: stands between a client and a server, and tells what each message costs.
//!
//! `cargo run -p shared --features tap --example proxy -- 127.0.0.1:27999 HOST:PORT`; then `connect 127.0.0.1:27999`.

use shared::{
    base::time::ClientTime,
    net::{
        netchan::MAX_DATAGRAM,
        svc::ServerOp,
        tap::{Heard, Tap},
    },
};
use std::{
    error::Error,
    io::ErrorKind,
    net::{SocketAddr, UdpSocket},
    time::{Duration, Instant},
};

/// A client with the way to the server that is its own.
struct Way {
    client: SocketAddr,
    server: UdpSocket,
    tap: Tap,
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [here, there] = &words[..] else {
        return Err("proxy OWN_ADDRESS:PORT HOST:PORT".into());
    };
    let clients = UdpSocket::bind(here)?;
    clients.set_nonblocking(true)?;
    let began_at = Instant::now();
    let mut ways: Vec<Way> = Vec::new();
    let mut buffer = [0; MAX_DATAGRAM];
    loop {
        let now = ClientTime(began_at.elapsed().as_millis() as i32);
        let mut is_idle = true;
        while let Some((length, client)) = arrived(clients.recv_from(&mut buffer))? {
            is_idle = false;
            let place = ways.iter().position(|way| way.client == client);
            let place = match place {
                Some(place) => place,
                None => {
                    let server = UdpSocket::bind("0.0.0.0:0")?;
                    server.connect(there)?;
                    server.set_nonblocking(true)?;
                    let tap = Tap::default();
                    ways.push(Way {
                        client,
                        server,
                        tap,
                    });
                    ways.len() - 1
                }
            };
            let way = &mut ways[place];
            if let Some(heard) = way.tap.hear_client(now, &buffer[..length]) {
                tell(client, &heard);
            }
            way.server.send(&buffer[..length])?;
        }
        for way in &mut ways {
            while let Some(length) = arrived(way.server.recv(&mut buffer))? {
                is_idle = false;
                if let Some(heard) = way.tap.hear_server(now, &buffer[..length]) {
                    tell(way.client, &heard);
                }
                clients.send_to(&buffer[..length], way.client)?;
            }
        }
        if is_idle {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// What a socket gave, if anything waited there; a server that is not there is none of our errors.
fn arrived<T>(received: std::io::Result<T>) -> std::io::Result<Option<T>> {
    match received {
        Ok(received) => Ok(Some(received)),
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::WouldBlock | ErrorKind::ConnectionRefused
            ) =>
        {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn tell(client: SocketAddr, heard: &Heard<'_>) {
    match heard {
        Heard::Client(head, Ok(message)) => {
            let count = message.movement.usercmds.len();
            println!(
                "{client} > {}: {} bytes, {count} usercmds",
                head.sequence, head.bytes
            );
        }
        Heard::Server(head, Ok(message)) => {
            let entities = message.ops.iter().find_map(|op| match op {
                ServerOp::Snapshot(snapshot) => Some(snapshot.entities.len()),
                _ => None,
            });
            println!(
                "{client} < {}: {} bytes, {entities:?} entities",
                head.sequence, head.bytes
            );
        }
        Heard::Client(_, Err(error)) | Heard::Server(_, Err(error)) => {
            println!("{client}: {error}")
        }
        Heard::OutOfBand { from, datagram } => {
            println!("{client}: {} bytes from the {from}", datagram.len())
        }
    }
}
