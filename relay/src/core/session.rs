//! The sessions there are: their places, their secret tokens, and those that wait for a resume.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use shared::base::hex;
use tokio::net::UdpSocket;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout};

use crate::core::budgets::{Budgets, PlayerBudget};
use crate::core::config::Config;
use crate::core::deferred_disconnect::DeferredDisconnect;
use crate::core::gate::{Gate, Trust};
use crate::core::network::{Source, SourcePool, any_address};
use crate::core::permits::{Permit, Permits, rate_limit_key};
use crate::core::plugin::{Plugins, Reader, SessionEvent};
use crate::core::policy::Target;

mod record;

pub use record::SessionRecord;

/// Players of one address whom no server has let in yet; that takes a second.
const MAX_CONNECTING: usize = 16;
/// So long everybody may try before their seat is given to others.
const GRACE: Duration = Duration::from_secs(2);
/// How long a newcomer waits for a seat that is being given up, or for those of the same address to
/// get in first.
const SEATING: Duration = Duration::from_secs(2);
const RETRY: Duration = Duration::from_millis(20);

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
    pub deferred_disconnect: DeferredDisconnect,
    /// How long it waits for its player when the connection drops.
    pub hold: Duration,
    /// Reads along, where a plugin wants that.
    pub reader: Option<Box<dyn Reader>>,
    /// Held until the server has let the player in.
    connecting: Option<Permit>,
    /// Held for as long as the session lives.
    seat: Seat,
}

/// What can be asked of a session in play.
#[derive(Debug)]
pub enum Order {
    /// Another connection of the same player takes over.
    HandOver(oneshot::Sender<Box<Session>>),
    /// The page should know something.
    Say(String),
    /// The relay ends.
    Stop(String),
    /// Others need the seat of somebody who has not entered a game.
    GiveWay,
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
    /// For everybody, and for those whom no server has let in yet.
    seats: Arc<Permits>,
    connecting: Arc<Permits>,
    hold: Duration,
    sources: Vec<Arc<SourcePool>>,
    budgets: Arc<Budgets>,
    plugins: Plugins,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    last_id: u64,
    last_qport: u16,
    qports: HashSet<u16>,
    playing: HashMap<u64, mpsc::Sender<Order>>,
    /// Those of them whom no server has let in yet, and since when they try.
    trying: BTreeMap<u64, Instant>,
    /// With the time until which they wait.
    waiting: HashMap<u64, (Instant, Box<Session>)>,
    tokens: HashMap<String, u64>,
}

/// What a session holds of what there is only so much of.
#[derive(Debug)]
struct Seat {
    sessions: Arc<Sessions>,
    _permit: Permit,
    user: IpAddr,
    /// No other session uses it.
    qport: u16,
    /// Where the datagrams come from, as the server sees it.
    source: Option<Source>,
}

impl Sessions {
    pub fn new(config: &Config, budgets: Arc<Budgets>, plugins: Plugins) -> Arc<Self> {
        let inner = Inner {
            // A relay that restarts should not meet the qports of its former players.
            last_qport: getrandom::u32().unwrap_or(0) as u16,
            ..Inner::default()
        };
        Arc::new(Self {
            seats: Permits::of_players(config.max_sessions, config.max_sessions_per_address),
            connecting: Permits::new(
                config.max_sessions,
                config.max_sessions_per_address.min(MAX_CONNECTING),
            ),
            hold: config.hold,
            sources: config
                .sources
                .iter()
                .map(|network| SourcePool::new(*network))
                .collect(),
            budgets,
            plugins,
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
        let until = Instant::now() + SEATING;
        let connecting = loop {
            // Friends behind one router come all at once when a server is back.
            match self.connecting.take(user, false) {
                None if Instant::now() < until => tokio::time::sleep(RETRY).await,
                permit => break Some(permit.ok_or(OpenError::FullForAddress)?),
            }
        };
        let seat = self.find_seat(user, target.address).await?;
        let own = match &seat.source {
            Some(source) => source.address,
            None => any_address(target.address),
        };
        let udp = UdpSocket::bind((own, 0)).await?;
        udp.connect(target.address).await?;
        let trust = match target.is_listed {
            true => Trust::Listed,
            false => Trust::Stranger { secret: secret()? },
        };
        let gate = Gate::new(trust, seat.qport);
        let mut session = self.session(target, udp, gate, seat);
        session.connecting = connecting;
        Ok(session)
    }

    fn session(&self, target: Target, udp: UdpSocket, gate: Gate, seat: Seat) -> Box<Session> {
        let mut inner = self.lock();
        inner.last_id += 1;
        Box::new(Session {
            id: inner.last_id,
            target,
            udp,
            gate,
            budget: self.budgets.player(),
            opened: Instant::now(),
            deferred_disconnect: DeferredDisconnect::default(),
            hold: self.hold,
            reader: None,
            connecting: None,
            seat,
        })
    }

    /// A seat for a newcomer. If there is none, the oldest who has not entered a game gives way;
    /// whoever is in one, or may come back to one, does not.
    async fn find_seat(
        self: &Arc<Self>,
        user: IpAddr,
        target: SocketAddr,
    ) -> Result<Seat, OpenError> {
        drop(self.make_room(rate_limit_key(user)));
        match self.take_seat(user, target) {
            Err(OpenError::Full) if self.oust() => {}
            result => return result,
        }
        let until = Instant::now() + SEATING;
        loop {
            tokio::time::sleep(RETRY).await;
            match self.take_seat(user, target) {
                Err(OpenError::Full) if Instant::now() < until => {}
                result => return result,
            }
        }
    }

    /// Has the oldest session that never entered a game end; false if there is none.
    fn oust(&self) -> bool {
        let mut inner = self.lock();
        let oldest = inner.trying.iter().min_by_key(|(_, since)| **since);
        let Some((id, _)) = oldest.filter(|(_, since)| since.elapsed() > GRACE) else {
            return false;
        };
        let id = *id;
        inner.trying.remove(&id);
        // One that is ending anyway has no room for more orders.
        let orders = inner.playing.get(&id);
        orders.is_none_or(|orders| orders.try_send(Order::GiveWay).is_ok())
    }

    /// The server has let a player in.
    pub fn note_connected(&self, session: &mut Session) {
        self.lock().trying.remove(&session.id);
        session.connecting = None;
        self.plugins.note(SessionEvent::Playing(session));
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
        session.ok_or_else(|| match self.lock().tokens.contains_key(token) {
            true => OpenError::TooOften,
            false => OpenError::UnknownToken,
        })
    }

    /// The session in play that has this token.
    pub fn playing(&self, token: &str) -> Option<u64> {
        let inner = self.lock();
        let id = inner.tokens.get(token)?;
        inner.playing.contains_key(id).then_some(*id)
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
        if used.is_none() {
            inner.trying.insert(id, Instant::now());
        }
        drop(inner);
        self.plugins.note(SessionEvent::Tokens);
        Ok((token, arriving))
    }

    /// The page has its new token: the old one is used up.
    pub fn confirm(&self, id: u64, token: &str) {
        let mut inner = self.lock();
        inner
            .tokens
            .retain(|old, owner| *owner != id || old == token);
        drop(inner);
        self.plugins.note(SessionEvent::Tokens);
    }

    /// Notes that no connection carries the session any more and its end or new owner is known.
    pub fn leave(&self, id: u64) {
        let mut inner = self.lock();
        inner.playing.remove(&id);
        inner.trying.remove(&id);
    }

    /// Ends a session for good.
    pub fn end(&self, session: Box<Session>) {
        self.lock().forget(session.id);
        self.plugins.note(SessionEvent::Ended(session.id));
        // Its place locks too.
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

    /// Ends all sessions that wait for their player, or leaves them to the next run of the relay.
    pub fn end_waiting(&self) {
        let waiting = std::mem::take(&mut self.lock().waiting);
        for (_, (_, session)) in waiting {
            match self.plugins.keep(session.id) {
                true => self.leave_behind(session),
                false => self.end(session),
            }
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
        inner.forget(id);
        drop(inner);
        self.plugins.note(SessionEvent::Ended(id));
        tracing::info!(session = id, "ended: nobody came back");
        drop(session);
    }

    /// Gives up the session of an address that waits for its player the longest, where the address
    /// needs its seat itself. Its seat locks too, so the caller drops it.
    fn make_room(&self, user: IpAddr) -> Option<Box<Session>> {
        if !self.seats.is_full_for_address(user) {
            return None;
        }
        let mut inner = self.lock();
        let waiting = inner.waiting.iter();
        let of_user = waiting.filter(|(_, (_, session))| session.seat.user == user);
        let (id, _) = of_user.min_by_key(|(_, (until, _))| *until)?;
        let id = *id;
        inner.forget(id);
        tracing::info!(session = id, "ended: its seat was needed");
        let session = inner.waiting.remove(&id).map(|(_, session)| session);
        drop(inner);
        self.plugins.note(SessionEvent::Ended(id));
        session
    }

    fn take_seat(self: &Arc<Self>, user: IpAddr, target: SocketAddr) -> Result<Seat, OpenError> {
        let permit = self.seats.take(user, false);
        let permit = permit.ok_or_else(|| match self.seats.is_full() {
            true => OpenError::Full,
            false => OpenError::FullForAddress,
        })?;
        let mut pools = self
            .sources
            .iter()
            .filter(|pool| pool.is_ipv4() == target.is_ipv4());
        Ok(Seat {
            sessions: self.clone(),
            _permit: permit,
            user: rate_limit_key(user),
            qport: self.lock().free_qport(),
            source: pools.next().map(SourcePool::take),
        })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }
}

impl Inner {
    /// Nobody can come back to a session any more.
    fn forget(&mut self, id: u64) {
        self.playing.remove(&id);
        self.trying.remove(&id);
        self.tokens.retain(|_, owner| *owner != id);
    }

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
    Ok(hex::encode(&secret))
}

impl Drop for Session {
    /// However a session ends, the server hears of it.
    fn drop(&mut self) {
        self.deferred_disconnect.execute(&self.udp);
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.sessions.lock().qports.remove(&self.qport);
    }
}
