//! Looks names up: few at a time, with a deadline, and keeps the answers.
//!
//! The system's lookup blocks a thread, for half a minute if a name's server is silent. So it has
//! threads of its own, those for names that strangers choose apart from those for the operator's.

use std::collections::HashMap;
use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::timeout;

/// Whoever asks waits no longer, though the system may go on.
const PATIENCE: Duration = Duration::from_secs(3);
/// An answer, good or bad, is not asked for again so soon.
const FRESH: Duration = Duration::from_secs(30);
/// Lookups side by side, and those that wait for their turn.
const THREADS: usize = 4;
const WAITING: usize = 64;
/// Answers that are kept.
const MAX_KEPT: usize = 1024;

/// Why a name has no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    #[error("the name does not resolve")]
    Unresolved,
    #[error("too many names are being looked up")]
    Busy,
}

/// Names and their addresses.
#[derive(Debug)]
pub struct Resolver {
    own: Lookups,
    strangers: Lookups,
}

impl Resolver {
    /// # Errors
    /// If the system gives no more threads.
    pub fn start() -> io::Result<Arc<Self>> {
        Self::with(|name| name.to_socket_addrs().map(Iterator::collect))
    }

    fn with(system: fn(&str) -> io::Result<Vec<SocketAddr>>) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            own: Lookups::start(system)?,
            strangers: Lookups::start(system)?,
        }))
    }

    /// The address of a `host:port` that the operator wrote.
    ///
    /// # Errors
    /// [`ResolveError`], after some seconds at the latest.
    pub async fn own(&self, name: &str) -> Result<SocketAddr, ResolveError> {
        self.own.look_up(name).await
    }

    /// The address of a `host:port` that somebody else wrote.
    ///
    /// # Errors
    /// [`ResolveError`], after some seconds at the latest.
    pub async fn strangers(&self, name: &str) -> Result<SocketAddr, ResolveError> {
        self.strangers.look_up(name).await
    }
}

/// What became of a lookup, and until when nobody needs to ask again.
type Answer = (Instant, Option<SocketAddr>);

struct Job {
    name: String,
    begun: Instant,
    answer: watch::Sender<Option<Answer>>,
}

/// The lookups of one kind of names.
#[derive(Debug)]
struct Lookups {
    jobs: SyncSender<Job>,
    known: Mutex<HashMap<String, Lookup>>,
}

#[derive(Clone, Debug)]
struct Lookup {
    begun: Instant,
    answer: watch::Receiver<Option<Answer>>,
}

impl Lookup {
    /// Nobody needs to ask again yet.
    fn is_fresh(&self) -> bool {
        match *self.answer.borrow() {
            Some((until, _)) => Instant::now() < until,
            None => true,
        }
    }

    fn is_under_way(&self) -> bool {
        self.answer.borrow().is_none()
    }
}

impl Lookups {
    fn start(system: fn(&str) -> io::Result<Vec<SocketAddr>>) -> io::Result<Self> {
        let (jobs, waiting) = sync_channel(WAITING);
        let waiting = Arc::new(Mutex::new(waiting));
        for _ in 0..THREADS {
            let waiting = waiting.clone();
            thread::Builder::new()
                .name("names".to_owned())
                .spawn(move || work(&waiting, system))?;
        }
        Ok(Self {
            jobs,
            known: Mutex::default(),
        })
    }

    async fn look_up(&self, name: &str) -> Result<SocketAddr, ResolveError> {
        if let Ok(address) = name.parse() {
            return Ok(address);
        }
        let mut lookup = self.begin(name)?;
        let left = PATIENCE.saturating_sub(lookup.begun.elapsed());
        let answered = timeout(left, lookup.answer.wait_for(Option::is_some)).await;
        let answer = answered.ok().and_then(Result::ok);
        let address = answer.and_then(|answer| answer.as_ref().and_then(|(_, address)| *address));
        address.ok_or(ResolveError::Unresolved)
    }

    /// The lookup of this name that there is, or a new one.
    fn begin(&self, name: &str) -> Result<Lookup, ResolveError> {
        let mut known = self.known.lock();
        if let Some(lookup) = known.get(name)
            && lookup.is_fresh()
        {
            return Ok(lookup.clone());
        }
        if known.len() >= MAX_KEPT {
            known.retain(|_, lookup| lookup.is_fresh());
        }
        if known.len() >= MAX_KEPT {
            // The oldest answer gives way; what is under way is few and stays.
            let answered = known.iter().filter(|(_, lookup)| !lookup.is_under_way());
            let oldest = answered.min_by_key(|(_, lookup)| lookup.begun);
            let oldest = oldest.map(|(name, _)| name.clone());
            known.remove(&oldest.ok_or(ResolveError::Busy)?);
        }
        let (answer, answered) = watch::channel(None);
        let begun = Instant::now();
        let job = Job {
            name: name.to_owned(),
            begun,
            answer,
        };
        match self.jobs.try_send(job) {
            Ok(()) => {}
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                return Err(ResolveError::Busy);
            }
        }
        let lookup = Lookup {
            begun,
            answer: answered,
        };
        known.insert(name.to_owned(), lookup.clone());
        Ok(lookup)
    }
}

/// Looks one name up after the other until nobody can ask any more.
fn work(waiting: &Mutex<Receiver<Job>>, system: fn(&str) -> io::Result<Vec<SocketAddr>>) {
    loop {
        let job = waiting.lock().recv();
        let Ok(job) = job else { return };
        if job.begun.elapsed() > PATIENCE {
            // Nobody waits for it any more: slow names delay what comes after them no longer than this.
            job.answer.send_replace(Some((Instant::now(), None)));
            continue;
        }
        let addresses = system(&job.name).unwrap_or_default();
        // IPv4 before IPv6, as most game servers listen there.
        let first_v4 = addresses.iter().find(|address| address.is_ipv4());
        let address = first_v4.or(addresses.first()).copied();
        job.answer
            .send_replace(Some((Instant::now() + FRESH, address)));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    static ASKED: AtomicUsize = AtomicUsize::new(0);

    /// Names that begin with `slow` take long; `good` ones have an address.
    fn system(name: &str) -> io::Result<Vec<SocketAddr>> {
        if name.starts_with("slow") {
            thread::sleep(Duration::from_secs(5));
        }
        if name.starts_with("counted") {
            ASKED.fetch_add(1, Ordering::Relaxed);
        }
        match name.starts_with("good") {
            true => Ok(vec![
                "[2001:db8::1]:27960".parse().unwrap(),
                "1.2.3.4:27960".parse().unwrap(),
            ]),
            false => Err(io::ErrorKind::NotFound.into()),
        }
    }

    #[tokio::test]
    async fn slow_names_of_strangers_delay_nobody_else() {
        let resolver = Resolver::with(system).unwrap();
        let begun = Instant::now();
        let mut asked = Vec::new();
        for number in 0..500 {
            let resolver = resolver.clone();
            asked.push(tokio::spawn(async move {
                resolver.strangers(&format!("slow{number}:1")).await
            }));
        }
        tokio::task::yield_now().await;
        let own = resolver.own("good:27960").await;
        assert_eq!(own, Ok("1.2.3.4:27960".parse().unwrap()));
        assert!(begun.elapsed() < Duration::from_secs(1));
        let literal = resolver.strangers("9.9.9.9:27960").await;
        assert_eq!(literal, Ok("9.9.9.9:27960".parse().unwrap()));
        let mut busy = 0;
        for one in asked {
            match one.await.unwrap() {
                Err(ResolveError::Busy) => busy += 1,
                other => assert_eq!(other, Err(ResolveError::Unresolved)),
            }
        }
        assert!(busy >= 500 - WAITING - THREADS, "{busy}");
        assert!(begun.elapsed() < PATIENCE + Duration::from_secs(1));
        // Once the few that were begun are over, others have their turn.
        tokio::time::sleep(Duration::from_millis(2500)).await;
        let later = resolver.strangers("good:27960").await;
        assert_eq!(later, Ok("1.2.3.4:27960".parse().unwrap()));
    }

    #[tokio::test]
    async fn bad_answers_are_kept_too() {
        let resolver = Resolver::with(system).unwrap();
        for _ in 0..50 {
            let answer = resolver.strangers("counted:1").await;
            assert_eq!(answer, Err(ResolveError::Unresolved));
        }
        assert_eq!(ASKED.load(Ordering::Relaxed), 1);
        for number in 0..2 * MAX_KEPT {
            let _ = resolver.strangers(&format!("other{number}:1")).await;
        }
        assert!(resolver.strangers.known.lock().len() <= MAX_KEPT);
    }
}
