//! A proxy in ninety lines: stands between a client and a server, and tells what each message costs.
//!
//! `cargo run -p shared --features tap --example proxy -- 127.0.0.1:27999 HOST:PORT`; then `connect 127.0.0.1:27999`.

use shared::{
    base::time::ClientTime,
    net::{netchan::MAX_DATAGRAM, tap::*},
};
use std::{error::Error, io::ErrorKind, net::*, time::*};

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
            if ways.iter().all(|way| way.client != client) {
                let (server, tap) = (UdpSocket::bind("0.0.0.0:0")?, Tap::default());
                server.connect(there)?;
                server.set_nonblocking(true)?;
                ways.push(Way {
                    client,
                    server,
                    tap,
                });
            }
            for way in ways.iter_mut().filter(|way| way.client == client) {
                tell(client, way.tap.hear_client(now, &buffer[..length]));
                way.server.send(&buffer[..length])?;
            }
        }
        for way in &mut ways {
            while let Some(length) = arrived(way.server.recv(&mut buffer))? {
                is_idle = false;
                tell(way.client, way.tap.hear_server(now, &buffer[..length]));
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
    let is_nothing = |kind| matches!(kind, ErrorKind::WouldBlock | ErrorKind::ConnectionRefused);
    match received {
        Err(error) if is_nothing(error.kind()) => Ok(None),
        received => received.map(Some),
    }
}

fn tell(client: SocketAddr, heard: Option<Heard<'_>>) {
    match heard {
        Some(Heard::Client(head, Ok(message))) => {
            let (number, bytes) = (head.sequence, head.bytes);
            let count = message.movement.usercmds.len();
            println!("{client} > {number}: {bytes} bytes, {count} usercmds");
        }
        Some(Heard::Server(head, Ok(message))) => {
            let (number, bytes, parts) = (head.sequence, head.bytes, message.ops.len());
            println!("{client} < {number}: {bytes} bytes, {parts} parts");
        }
        Some(Heard::Client(_, Err(error)) | Heard::Server(_, Err(error))) => {
            println!("{client}: {error}");
        }
        Some(Heard::OutOfBand { from, datagram }) => {
            println!("{client}: {} bytes from the {from}", datagram.len());
        }
        None => {}
    }
}
