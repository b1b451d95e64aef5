//! The sessions there are: their places, their secret tokens, and those that wait for a resume.

use std::collections::{HashMap, HashSet};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

use crate::budgets::{Budgets, PlayerBudget, household};
use crate::config::Config;
use crate::gate::{Gate, Trust};
use crate::network::{Source, SourcePool};
use crate::policy::Target;
use crate::tap::Tap;
use crate::will::Will;

/// How long the old connection of a session may take to give it away.
const HANDOVER: Duration = Duration::from_secs(2);

/// One player on one server, whatever connection carries them.
#[derive(Debug)]
pub struct Session {
    pub id: u64,
    pub target: Target,
    pub udp: UdpSocket,
    pub gate: Gate,
    pub budget: PlayerBudget,
    pub opened: Instant,
    /// Datagrams that say goodbye to the server when the player can no longer.
    pub will: Will,
    /// How long it waits for its player when the connection drops.
    pub hold: Duration,
    /// Reads along, where the operator wants that.
    pub tap: Option<Box<Tap>>,
    /// Held for as long as the session lives.
    place: Place,
}

/// What can be asked of a session in play.
#[derive(Debug)]
pub enum Order {
    /// Another connection of the same player takes over.
    HandOver(oneshot::Sender<Box<Session>>),
    /// The player wants to read along.
    Listen(mpsc::Sender<String>),
    /// The page should know something.
    Say(String),
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
    #[error("You are banned from this relay.")]
    Banned,
    #[error("Too many attempts from your address; please wait a minute.")]
    TooOften,
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
    has_taps: bool,
    sources: Vec<Arc<SourcePool>>,
    budgets: Arc<Budgets>,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    last_id: u64,
    last_qport: u16,
    count: usize,
    by_address: HashMap<IpAddr, usize>,
    qports: HashSet<u16>,
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
    /// No other session uses it.
    qport: u16,
    /// Where the datagrams come from, as the server sees it.
    source: Option<Source>,
}

impl Sessions {
    pub fn new(config: &Config, budgets: Arc<Budgets>) -> Arc<Self> {
        let inner = Inner {
            // A relay that restarts should not meet the qports of its former players.
            last_qport: getrandom::u32().unwrap_or(0) as u16,
            ..Inner::default()
        };
        Arc::new(Self {
            most: config.max_sessions,
            most_per_address: config.max_sessions_per_address,
            hold: config.hold,
            has_taps: config.inspect || config.downloads.is_some(),
            sources: config
                .sources
                .iter()
                .map(|network| SourcePool::new(*network))
                .collect(),
            budgets,
            inner: Mutex::new(inner),
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
        drop(self.make_room(household(user)));
        let place = self.take_place(household(user), target.address)?;
        let own = match (&place.source, target.address) {
            (Some(source), _) => source.address,
            (None, SocketAddr::V4(_)) => Ipv4Addr::UNSPECIFIED.into(),
            (None, SocketAddr::V6(_)) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let udp = UdpSocket::bind((own, 0)).await?;
        udp.connect(target.address).await?;
        let trust = match target.is_listed {
            true => Trust::Listed,
            false => Trust::Stranger { secret: secret()? },
        };
        let mut inner = self.lock();
        inner.last_id += 1;
        Ok(Box::new(Session {
            id: inner.last_id,
            target,
            udp,
            gate: Gate::new(trust, place.qport),
            budget: self.budgets.player(),
            opened: Instant::now(),
            will: Will::default(),
            hold: self.hold,
            tap: self.has_taps.then(|| Box::new(Tap::new())),
            place,
        }))
    }

    /// Takes a session over from a connection that dropped, or that has not noticed so yet.
    pub async fn resume(&self, token: &str) -> Result<Box<Session>, OpenError> {
        let playing = {
            let mut inner = self.lock();
            let id = *inner.tokens.get(token).ok_or(OpenError::UnknownToken)?;
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

    /// Lets whoever knows the token read along in a session that is in play.
    pub async fn listen(&self, token: &str, listener: mpsc::Sender<String>) -> Option<()> {
        let orders = {
            let inner = self.lock();
            inner.playing.get(inner.tokens.get(token)?)?.clone()
        };
        orders.send(Order::Listen(listener)).await.ok()
    }

    /// Tells the page of a session something, if one is there.
    pub async fn say(&self, id: u64, text: String) {
        let orders = self.lock().playing.get(&id).cloned();
        if let Some(orders) = orders {
            // A connection that ends just now hears no more.
            let _ = orders.send(Order::Say(text)).await;
        }
    }

    /// Notes that a connection carries a session now; yields a new token and where orders arrive.
    ///
    /// A line that breaks again may swallow the new token, so the one that was used stays good
    /// until the page is heard on the new connection.
    pub fn play(
        &self,
        id: u64,
        used: Option<&str>,
    ) -> Result<(String, mpsc::Receiver<Order>), OpenError> {
        let token = secret()?;
        let (orders, arriving) = mpsc::channel(4);
        let mut inner = self.lock();
        inner
            .tokens
            .retain(|old, owner| *owner != id || Some(old.as_str()) == used);
        inner.tokens.insert(token.clone(), id);
        inner.playing.insert(id, orders);
        Ok((token, arriving))
    }

    /// The page has its new token: the old one is used up.
    pub fn confirm(&self, id: u64, token: &str) {
        let mut inner = self.lock();
        inner
            .tokens
            .retain(|old, owner| *owner != id || old == token);
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
        let until = Instant::now() + session.hold;
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

    /// Ends all sessions that wait for their player.
    pub fn end_waiting(&self) {
        let waiting = std::mem::take(&mut self.lock().waiting);
        // Their places lock too.
        drop(waiting);
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

    /// Gives up the oldest session that waits for a player who may never come back, where its place
    /// is needed. Its place locks too, so the caller drops it.
    fn make_room(&self, user: IpAddr) -> Option<Box<Session>> {
        let mut inner = self.lock();
        let is_full = inner.count >= self.most;
        let is_full_here = inner
            .by_address
            .get(&user)
            .is_some_and(|here| *here >= self.most_per_address);
        if !is_full && !is_full_here {
            return None;
        }
        let waiting = inner.waiting.iter();
        let of_user =
            waiting.filter(|(_, (_, session))| !is_full_here || session.place.user == user);
        let (id, _) = of_user.min_by_key(|(_, (until, _))| *until)?;
        let id = *id;
        inner.tokens.retain(|_, owner| *owner != id);
        tracing::info!(session = id, "ended: its place was needed");
        inner.waiting.remove(&id).map(|(_, session)| session)
    }

    fn take_place(self: &Arc<Self>, user: IpAddr, target: SocketAddr) -> Result<Place, OpenError> {
        let mut inner = self.lock();
        if inner.count >= self.most {
            return Err(OpenError::Full);
        }
        if inner
            .by_address
            .get(&user)
            .is_some_and(|here| *here >= self.most_per_address)
        {
            return Err(OpenError::FullForAddress);
        }
        *inner.by_address.entry(user).or_default() += 1;
        inner.count += 1;
        let qport = inner.free_qport();
        let mut pools = self
            .sources
            .iter()
            .filter(|pool| pool.is_ipv4() == target.is_ipv4());
        Ok(Place {
            sessions: self.clone(),
            user,
            qport,
            source: pools.next().map(SourcePool::take),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Inner {
    /// A qport from 1 that no session uses, as long as there is one.
    fn free_qport(&mut self) -> u16 {
        for _ in 0..=self.qports.len() {
            self.last_qport = self.last_qport % u16::MAX + 1;
            if self.qports.insert(self.last_qport) {
                break;
            }
        }
        self.last_qport
    }
}

/// 128 bits of chance in hexadecimal.
fn secret() -> Result<String, io::Error> {
    let mut secret = [0; 16];
    getrandom::fill(&mut secret).map_err(io::Error::other)?;
    Ok(secret.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Drop for Session {
    /// However a session ends, the server hears of it.
    fn drop(&mut self) {
        self.will.execute(&self.udp);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut inner = self.sessions.lock();
        inner.qports.remove(&self.qport);
        inner.count -= 1;
        if let Some(here) = inner.by_address.get_mut(&self.user) {
            *here -= 1;
            if *here == 0 {
                inner.by_address.remove(&self.user);
            }
        }
    }
}
