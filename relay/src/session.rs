//! The sessions there are: their places, their secret tokens, and those that wait for a resume.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

use crate::gate::Gate;
use crate::policy::Target;

/// How long the old connection of a session may take to give it away.
const HANDOVER: Duration = Duration::from_secs(2);

/// One player on one server, whatever connection carries them.
#[derive(Debug)]
pub struct Session {
    pub id: u64,
    pub target: Target,
    pub udp: UdpSocket,
    pub gate: Gate,
    pub opened: Instant,
    /// Held for as long as the session lives.
    _place: Place,
}

/// What can be asked of a session in play.
#[derive(Debug)]
pub enum Order {
    /// Another connection of the same player takes over.
    HandOver(oneshot::Sender<Box<Session>>),
    /// The relay ends.
    Stop(String),
}

/// Why there is no session, as a sentence for the player.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("This relay is full.")]
    Full,
    #[error("Too many players come from your address.")]
    FullForAddress,
    #[error("The session is over; please join again.")]
    UnknownToken,
    #[error("The relay cannot open a socket to the server: {0}")]
    Socket(#[from] io::Error),
}

/// All sessions.
#[derive(Debug)]
pub struct Sessions {
    most: usize,
    most_per_address: usize,
    hold: Duration,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    last_id: u64,
    count: usize,
    by_address: HashMap<IpAddr, usize>,
    playing: HashMap<u64, mpsc::Sender<Order>>,
    /// With the time until which they wait.
    waiting: HashMap<u64, (Instant, Box<Session>)>,
    tokens: HashMap<String, u64>,
}

/// One of the places that the operator allows.
#[derive(Debug)]
struct Place {
    sessions: Arc<Sessions>,
    user: IpAddr,
}

impl Sessions {
    pub fn new(most: usize, most_per_address: usize, hold: Duration) -> Arc<Self> {
        Arc::new(Self {
            most,
            most_per_address,
            hold,
            inner: Mutex::default(),
        })
    }

    pub fn hold(&self) -> Duration {
        self.hold
    }

    /// Sessions in play, and those that wait for their player.
    pub fn counts(&self) -> (usize, usize) {
        let inner = self.lock();
        (inner.playing.len(), inner.waiting.len())
    }

    /// Opens a session with a socket of its own, which hears nobody but the target.
    pub async fn open(
        self: &Arc<Self>,
        user: IpAddr,
        target: Target,
    ) -> Result<Box<Session>, OpenError> {
        let place = self.take_place(user)?;
        let any: SocketAddr = match target.address {
            SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
            SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
        };
        let udp = UdpSocket::bind(any).await?;
        udp.connect(target.address).await?;
        let mut inner = self.lock();
        inner.last_id += 1;
        Ok(Box::new(Session {
            id: inner.last_id,
            target,
            udp,
            gate: Gate::new(),
            opened: Instant::now(),
            _place: place,
        }))
    }

    /// Takes a session over from a connection that dropped, or that has not noticed so yet.
    pub async fn resume(&self, token: &str) -> Result<Box<Session>, OpenError> {
        let playing = {
            let mut inner = self.lock();
            let id = inner.tokens.remove(token).ok_or(OpenError::UnknownToken)?;
            if let Some((_, session)) = inner.waiting.remove(&id) {
                return Ok(session);
            }
            inner
                .playing
                .get(&id)
                .cloned()
                .ok_or(OpenError::UnknownToken)?
        };
        let (give, take) = oneshot::channel();
        let handover = async {
            playing.send(Order::HandOver(give)).await.ok()?;
            take.await.ok()
        };
        let session = timeout(HANDOVER, handover).await.ok().flatten();
        session.ok_or(OpenError::UnknownToken)
    }

    /// Notes that a connection carries a session now; yields a new token and where orders arrive.
    pub fn play(&self, id: u64) -> Result<(String, mpsc::Receiver<Order>), OpenError> {
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(io::Error::other)?;
        let token: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let (orders, arriving) = mpsc::channel(4);
        let mut inner = self.lock();
        inner.tokens.retain(|_, owner| *owner != id);
        inner.tokens.insert(token.clone(), id);
        inner.playing.insert(id, orders);
        Ok((token, arriving))
    }

    /// Notes that no connection carries the session any more and its end or new owner is known.
    pub fn leave(&self, id: u64) {
        self.lock().playing.remove(&id);
    }

    /// Ends a session for good.
    pub fn end(&self, session: Box<Session>) {
        let mut inner = self.lock();
        inner.playing.remove(&session.id);
        inner.tokens.retain(|_, owner| *owner != session.id);
        // Its place locks too.
        drop(inner);
        drop(session);
    }

    /// Keeps a session whose connection dropped until its player comes back or the time is over.
    pub fn keep(self: &Arc<Self>, session: Box<Session>) {
        let id = session.id;
        let mut inner = self.lock();
        inner.playing.remove(&id);
        let until = Instant::now() + self.hold;
        inner.waiting.insert(id, (until, session));
        drop(inner);
        let sessions = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep_until(until).await;
            sessions.forget_waiting(id, until);
        });
    }

    /// Tells every player something.
    pub fn announce(&self, order: impl Fn() -> Order) {
        for player in self.lock().playing.values() {
            // A full channel belongs to a connection that is ending anyway.
            let _ = player.try_send(order());
        }
    }

    fn forget_waiting(&self, id: u64, until: Instant) {
        let mut inner = self.lock();
        // The player may have been back and have dropped once more.
        if inner
            .waiting
            .get(&id)
            .is_none_or(|(later, _)| *later != until)
        {
            return;
        }
        let session = inner.waiting.remove(&id);
        inner.tokens.retain(|_, owner| *owner != id);
        drop(inner);
        tracing::info!(session = id, "ended: nobody came back");
        drop(session);
    }

    fn take_place(self: &Arc<Self>, user: IpAddr) -> Result<Place, OpenError> {
        let mut inner = self.lock();
        if inner.count >= self.most {
            return Err(OpenError::Full);
        }
        let here = inner.by_address.entry(user).or_default();
        if *here >= self.most_per_address {
            return Err(OpenError::FullForAddress);
        }
        *here += 1;
        inner.count += 1;
        Ok(Place {
            sessions: self.clone(),
            user,
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut inner = self.sessions.lock();
        inner.count -= 1;
        if let Some(here) = inner.by_address.get_mut(&self.user) {
            *here -= 1;
            if *here == 0 {
                inner.by_address.remove(&self.user);
            }
        }
    }
}
