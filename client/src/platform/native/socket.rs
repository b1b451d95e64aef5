//! A UDP socket towards one server.

use super::clock::Clock;
use crate::{
    app::wake::Wake,
    event::{Event, Transport},
    output::OwnAddress,
};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket},
    sync::mpsc::{Receiver, TryRecvError, channel},
};

/// What stands behind the address when it names no port.
const DEFAULT_PORT: u16 = 27960;
/// Programs may ask any server.
pub const CANNOT_ASK: Option<&str> = None;
/// The longest datagram UDP can carry.
const LONGEST_DATAGRAM: usize = 65_536;
/// Datagrams taken in one frame, so that a flood cannot hold the frame up.
const MAX_PER_POLL: usize = 512;

/// The way to one server, being opened or open.
#[derive(Debug)]
pub struct Socket {
    server: String,
    clock: Clock,
    state: State,
    taken: usize,
}

#[derive(Debug)]
enum State {
    /// Names are resolved on a thread of their own, for that may take seconds.
    Opening(Receiver<Result<UdpSocket, String>>),
    Open(UdpSocket),
    Closed,
}

impl Socket {
    /// Begins to open the way; `poll` tells when it is open.
    pub fn open(server: &str, own: &OwnAddress, clock: Clock, wake: Wake) -> Self {
        let (sender, receiver) = channel();
        let (address, own) = (server.to_owned(), own.clone());
        std::thread::spawn(move || {
            // Nobody waits for the answer any more when the player has given up; that is fine.
            let _ = sender.send(connect(&address, &own));
            wake.wake();
        });
        Self {
            server: server.to_owned(),
            clock,
            state: State::Opening(receiver),
            taken: 0,
        }
    }

    /// Sends a datagram; what cannot be sent is lost, as on any line.
    pub fn send(&mut self, datagram: &[u8]) {
        if let State::Open(socket) = &self.state {
            // A full buffer or an unreachable network look like loss to the protocol, which knows how to deal with it.
            let _ = socket.send(datagram);
        }
    }

    /// Between here and the server nobody can keep anything.
    pub fn deposit(&mut self, _datagrams: &[Vec<u8>]) {}

    pub fn set_aside(&mut self, _keepsake: &str) -> bool {
        false
    }

    /// The next thing that happened here; `None` ends the frame's share.
    pub fn poll(&mut self) -> Option<Event> {
        match &self.state {
            State::Opening(receiver) => {
                let outcome = match receiver.try_recv() {
                    Ok(outcome) => outcome,
                    Err(TryRecvError::Empty) => return None,
                    Err(TryRecvError::Disconnected) => {
                        Err("the name could not be looked up".to_owned())
                    }
                };
                Some(match outcome {
                    Ok(socket) => {
                        self.state = State::Open(socket);
                        Event::LinkOpened {
                            server: self.server.clone(),
                            transport: Transport::Udp,
                        }
                    }
                    Err(reason) => {
                        self.state = State::Closed;
                        Event::LinkClosed { reason }
                    }
                })
            }
            State::Open(socket) => {
                if self.taken == MAX_PER_POLL {
                    self.taken = 0;
                    return None;
                }
                self.taken += 1;
                let mut buffer = [0; LONGEST_DATAGRAM];
                loop {
                    match socket.recv(&mut buffer) {
                        Ok(length) => {
                            let bytes = buffer[..length].to_vec();
                            return Some(Event::Packet {
                                bytes,
                                at: self.clock.now(),
                            });
                        }
                        // Nobody listens there yet (an ICMP answer); the protocol keeps trying until its own time is over.
                        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
                        Err(_) => {
                            self.taken = 0;
                            return None;
                        }
                    }
                }
            }
            State::Closed => None,
        }
    }
}

fn connect(server: &str, own: &OwnAddress) -> Result<UdpSocket, String> {
    let address = resolve(server, own)?;
    let any = match address {
        SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    let ip = match own.ip.as_str() {
        "" => any,
        text => text
            .parse()
            .map_err(|_| format!("net_ip \"{text}\" is no IP address; \"\" takes any"))?,
    };
    let open = |port: u16| -> io::Result<UdpSocket> {
        let socket = UdpSocket::bind((ip, port))?;
        socket.connect(address)?;
        socket.set_nonblocking(true)?;
        Ok(socket)
    };
    let opened = match open(own.port) {
        // Another client on this machine has the port; players want to play all the same.
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => open(0),
        opened => opened,
    };
    opened.map_err(|error| format!("no UDP socket from {ip} towards {address}: {error}"))
}

/// IPv4 first, for that is where Quake 3 servers live.
fn resolve(server: &str, own: &OwnAddress) -> Result<SocketAddr, String> {
    let has_port = server.rsplit_once(':').is_some_and(|(host, port)| {
        port.parse::<u16>().is_ok() && (!host.contains(':') || host.ends_with(']'))
    });
    let addresses = if has_port {
        server.to_socket_addrs()
    } else {
        (server.trim_matches(['[', ']']), DEFAULT_PORT).to_socket_addrs()
    };
    let addresses = addresses
        .map_err(|error| format!("\"{server}\" is not the address of a server: {error}"))?
        .filter(|address| match address {
            SocketAddr::V4(_) => own.uses_ipv4,
            SocketAddr::V6(_) => own.uses_ipv6,
        })
        .collect::<Vec<_>>();
    let first = addresses
        .iter()
        .find(|address| address.is_ipv4())
        .or(addresses.first());
    first
        .copied()
        .ok_or_else(|| format!("\"{server}\" has no address of a kind that net_enabled allows"))
}

#[cfg(test)]
mod tests {
    use super::{OwnAddress, connect, resolve};

    fn any() -> OwnAddress {
        OwnAddress {
            ip: String::new(),
            port: 0,
            uses_ipv4: true,
            uses_ipv6: true,
        }
    }

    fn check(server: &str, expected: &str) {
        assert_eq!(
            resolve(server, &any()).map(|address| address.to_string()),
            Ok(expected.to_owned()),
            "{server}"
        );
    }

    #[test]
    fn addresses_with_and_without_port() {
        check("127.0.0.1", "127.0.0.1:27960");
        check("127.0.0.1:27961", "127.0.0.1:27961");
        check("[::1]:27962", "[::1]:27962");
        check("::1", "[::1]:27960");
    }

    #[test]
    fn nonsense_is_an_error_that_names_it() {
        let reason =
            resolve("not a host:99999", &any()).expect_err("a blank is no part of a host name");
        assert!(reason.contains("not a host"), "{reason}");
    }

    #[test]
    fn the_own_address_is_as_chosen() {
        let own = OwnAddress {
            ip: "127.0.0.2".to_owned(),
            ..any()
        };
        let socket = connect("127.0.0.1:27960", &own).unwrap();
        assert_eq!(socket.local_addr().unwrap().ip().to_string(), "127.0.0.2");
        let port = socket.local_addr().unwrap().port();
        let again = connect("127.0.0.1:27960", &OwnAddress { port, ..own }).unwrap();
        assert_ne!(again.local_addr().unwrap().port(), port);
        let only_ipv6 = OwnAddress {
            uses_ipv4: false,
            ..any()
        };
        let reason = connect("127.0.0.1", &only_ipv6).expect_err("IPv4 is not wanted");
        assert!(reason.contains("net_enabled"), "{reason}");
    }
}
