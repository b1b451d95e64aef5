//! Questions to servers and masters that one is not on: one UDP socket for each kind of address, and names looked up.

use super::clock::Clock;
use crate::{
    event::Event,
    output::{OwnAddress, Query, QueryTo},
};
use std::{
    collections::BTreeSet,
    io::ErrorKind,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs, UdpSocket},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, SyncSender, channel, sync_channel},
    },
    time::Duration,
};

/// Pages cannot ask; programs can.
pub const CAN_ASK: bool = true;
/// Answers that wait for a frame; more are lost, as on a full line.
const MAX_WAITING: usize = 512;
/// Answers taken in one frame.
const MAX_PER_POLL: usize = 256;
/// The longest answer that is read: a full status.
const LONGEST_DATAGRAM: usize = 16_384;
/// Names that are looked up at once.
const MAX_LOOKUPS: usize = 32;
/// The group in which servers of IPv6 networks listen for those who look for them.
const GROUP: Ipv6Addr = Ipv6Addr::new(0xff04, 0, 0, 0, 0x696f, 0x7175, 0x616b, 0x6533);

/// The sockets while they are open, and names that are being looked up.
#[derive(Debug)]
pub struct Queries {
    open: Option<Open>,
    names: (Sender<Event>, Receiver<Event>),
    pending: BTreeSet<String>,
}

#[derive(Debug)]
struct Open {
    ipv4: Option<UdpSocket>,
    ipv6: Option<UdpSocket>,
    answers: Receiver<Event>,
    is_over: Arc<AtomicBool>,
}

impl Default for Queries {
    fn default() -> Self {
        Self {
            open: None,
            names: channel(),
            pending: BTreeSet::new(),
        }
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl Queries {
    /// Sends; what cannot be sent is lost, as on any line.
    pub fn send(&mut self, own: &OwnAddress, queries: Vec<Query>, clock: Clock) {
        let open = self.open.get_or_insert_with(|| Open::new(own, clock));
        for query in queries {
            match query.to {
                QueryTo::Server(to) => open.send(to, &query.datagram),
                QueryTo::Neighbours { port } => {
                    for ip in [
                        IpAddr::V4(Ipv4Addr::BROADCAST),
                        IpAddr::V4(Ipv4Addr::LOCALHOST),
                        IpAddr::V6(GROUP),
                        IpAddr::V6(Ipv6Addr::LOCALHOST),
                    ] {
                        open.send(SocketAddr::new(ip, port), &query.datagram);
                    }
                }
            }
        }
    }

    /// Closes the sockets; the threads behind them end by themselves.
    pub fn end(&mut self) {
        self.open = None;
    }

    /// Looks a name up on a thread of its own, for that may take seconds.
    pub fn look_up(&mut self, name: String, own: &OwnAddress) {
        if self.pending.len() >= MAX_LOOKUPS || !self.pending.insert(name.clone()) {
            return;
        }
        let (sender, own) = (self.names.0.clone(), own.clone());
        std::thread::spawn(move || {
            let found = name.to_socket_addrs().map(Iterator::collect::<Vec<_>>);
            let mut addresses = found.unwrap_or_default();
            addresses.retain(|address| match address {
                SocketAddr::V4(_) => own.uses_ipv4,
                SocketAddr::V6(_) => own.uses_ipv6,
            });
            // A closed channel means that the program is ending.
            let _ = sender.send(Event::LookedUp { name, addresses });
        });
    }

    /// What has come, so much of it as a frame can take.
    pub fn poll(&mut self, events: &mut Vec<Event>) {
        while let Ok(event) = self.names.1.try_recv() {
            if let Event::LookedUp { name, .. } = &event {
                self.pending.remove(name);
            }
            events.push(event);
        }
        if let Some(open) = &self.open {
            events.extend(open.answers.try_iter().take(MAX_PER_POLL));
        }
    }
}

impl Open {
    fn new(own: &OwnAddress, clock: Clock) -> Self {
        let (sender, answers) = sync_channel(MAX_WAITING);
        let is_over = Arc::new(AtomicBool::new(false));
        let ip = own.ip.parse::<IpAddr>().ok();
        let listen = |any: IpAddr| {
            let ip = ip.filter(|ip| ip.is_ipv4() == any.is_ipv4()).unwrap_or(any);
            // Without such a socket the other kind of address still works.
            let socket = UdpSocket::bind((ip, 0)).ok()?;
            socket.set_broadcast(true).ok();
            // The thread looks this often whether it is still wanted.
            socket
                .set_read_timeout(Some(Duration::from_millis(250)))
                .ok()?;
            let heard = socket.try_clone().ok()?;
            let (sender, is_over) = (sender.clone(), is_over.clone());
            std::thread::spawn(move || hear(&heard, &sender, &is_over, clock));
            Some(socket)
        };
        let wants = |is_wanted: bool, any| is_wanted.then(|| listen(any)).flatten();
        Self {
            ipv4: wants(own.uses_ipv4, Ipv4Addr::UNSPECIFIED.into()),
            ipv6: wants(own.uses_ipv6, Ipv6Addr::UNSPECIFIED.into()),
            answers,
            is_over,
        }
    }

    fn send(&self, to: SocketAddr, datagram: &[u8]) {
        let socket = match to {
            SocketAddr::V4(_) => &self.ipv4,
            SocketAddr::V6(_) => &self.ipv6,
        };
        if let Some(socket) = socket {
            // An unreachable network looks like a silent server.
            let _ = socket.send_to(datagram, to);
        }
    }
}

/// Notes when each answer came, whatever a frame takes meanwhile.
fn hear(socket: &UdpSocket, sender: &SyncSender<Event>, is_over: &AtomicBool, clock: Clock) {
    let mut buffer = [0; LONGEST_DATAGRAM];
    while !is_over.load(Ordering::Relaxed) {
        match socket.recv_from(&mut buffer) {
            Ok((length, from)) => {
                let bytes = buffer[..length].to_vec();
                let at = clock.now();
                // Where too many wait, this one is lost; where nobody waits any more, the thread ends soon.
                let _ = sender.try_send(Event::QueryAnswer { from, bytes, at });
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            // Somebody does not listen (an ICMP answer); a socket that is broken for good must not spin.
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Programs need no relay.
pub fn fetch_servers(_favourites: &str) {}
