//! The load itself: servers and players that cost little, and the delays that both measure.
//!
//! One thread has all servers and two have the players, as cheaply as can be, for the relay needs the
//! machine. Each player sends at its own instant of a sixtieth of a second. A timer of the kernel
//! keeps to these, where the runtime's would send for all in one go every millisecond, and the wait
//! in that crowd would count as delay.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use parking_lot::Mutex;
use quinn_proto::ClientConfig;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use shared::base::rng::Rng;
use tokio::io::AsyncReadExt;
use tokio::net::UdpSocket;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::unix::pipe::Receiver;
use tokio::runtime::Builder;
use tokio::task::{JoinHandle, JoinSet, spawn_blocking};
use tokio::time::{interval, sleep};

use crate::lean::{self, Lean};
use crate::players::{self, Link, OUT_OF_BAND, Path, ProcessorTime};
use crate::report::Report;

const UP_INTERVAL: Duration = Duration::from_micros(16_667);
const DOWN_INTERVAL: Duration = Duration::from_millis(25);
/// Usual sizes of a usercmd packet and of a snapshot.
const UP_BYTES: usize = 90;
const DOWN_BYTES: usize = 450;
const PLAYER_THREADS: usize = 2;
/// A silent server asks so often whether the game is over.
const LOOK_UP: Duration = Duration::from_millis(100);
/// The timer rests so long at least: who is due meanwhile sends so much later.
const SHORTEST_REST: Duration = Duration::from_micros(30);
/// All at once would be an attack, and be treated as one.
const BETWEEN_JOINS: Duration = Duration::from_millis(8);

static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Those of all players of a thread.
type Delays = Mutex<Vec<u32>>;

/// What is measured now, for all tasks.
#[derive(Debug, Default)]
struct Clock {
    joined: AtomicUsize,
    is_measuring: AtomicBool,
    is_over: AtomicBool,
    sent: AtomicUsize,
}

impl Clock {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }
}

/// When servers send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frames {
    /// To all players in one go, as game servers do.
    Together,
    /// To each player at an instant of its own, as if each had a server for itself.
    Apart,
}

/// Game servers that run until the game is over.
pub struct Servers {
    pub names: Vec<String>,
    clock: Arc<Clock>,
    running: JoinHandle<anyhow::Result<Vec<u32>>>,
}

pub fn start_servers(count: usize, frames: Frames) -> anyhow::Result<Servers> {
    let clock = Arc::new(Clock::default());
    let mut names = Vec::new();
    let mut sockets = Vec::new();
    for _ in 0..count {
        let socket = std::net::UdpSocket::bind("127.0.0.1:0")?;
        socket.set_nonblocking(true)?;
        names.push(socket.local_addr()?.to_string());
        sockets.push(socket);
    }
    let of_servers = clock.clone();
    let running = spawn_blocking(move || {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut serving = JoinSet::new();
            let guests = Guests::default();
            for (number, socket) in sockets.into_iter().enumerate() {
                let socket = Arc::new(UdpSocket::from_std(socket)?);
                serving.spawn(serve(number, socket, of_servers.clone(), guests.clone()));
            }
            send_snapshots(guests, count, frames, &of_servers).await?;
            Ok(serving.join_all().await.into_iter().flatten().collect())
        })
    });
    Ok(Servers {
        names,
        clock,
        running,
    })
}

/// Who plays: the number of the server, its socket and the player's address.
type Guests = Arc<Mutex<Vec<(usize, Arc<UdpSocket>, SocketAddr)>>>;

/// Lets everybody in and measures what comes.
async fn serve(
    number: usize,
    socket: Arc<UdpSocket>,
    clock: Arc<Clock>,
    guests: Guests,
) -> Vec<u32> {
    let mut delays = Vec::new();
    let mut buffer = [0; 2048];
    let mut looking_up = interval(LOOK_UP);
    while !clock.is_over() {
        let received = tokio::select! {
            received = socket.recv_from(&mut buffer) => received,
            _ = looking_up.tick() => continue,
        };
        let Ok((size, from)) = received else { continue };
        let Some(question) = buffer[..size].strip_prefix(&OUT_OF_BAND) else {
            note(&mut delays, &buffer[6..]);
            continue;
        };
        let answer = if question.starts_with(b"getchallenge") {
            players::out_of_band(b"challengeResponse 5")
        } else if !question.starts_with(b"connect") {
            // The relay asks which map is played.
            continue;
        } else {
            let mut guests = guests.lock();
            if !guests.iter().any(|(_, _, guest)| *guest == from) {
                guests.push((number, socket.clone(), from));
            }
            players::out_of_band(b"connectResponse 5")
        };
        let _ = socket.send_to(&answer, from).await;
    }
    delays
}

/// Sends everybody 40 snapshots a second.
async fn send_snapshots(
    guests: Guests,
    servers: usize,
    frames: Frames,
    clock: &Clock,
) -> anyhow::Result<()> {
    let mut timer = Timer::new()?;
    let begun = Instant::now();
    for round in 1_u32.. {
        let mut guests = guests.lock().clone();
        guests.sort_unstable_by_key(|(server, _, _)| *server);
        let count = guests.len();
        for (permit, (server, socket, player)) in guests.into_iter().enumerate() {
            let (part, parts) = match frames {
                Frames::Together => (server, servers),
                Frames::Apart => (permit, count),
            };
            let due = DOWN_INTERVAL * round + DOWN_INTERVAL * part as u32 / parts as u32;
            while let Some(left) = due.checked_sub(begun.elapsed()) {
                timer.rest(left).await?;
            }
            // Whoever missed a turn is not sent two instead.
            if begun.elapsed() >= due + DOWN_INTERVAL {
                continue;
            }
            let mut snapshot = [0; DOWN_BYTES];
            snapshot[..4].copy_from_slice(&round.to_le_bytes());
            stamp(clock, &mut snapshot[4..]);
            let _ = socket.send_to(&snapshot, player).await;
        }
        if count == 0 {
            sleep(DOWN_INTERVAL).await;
        }
        if clock.is_over() {
            break;
        }
    }
    Ok(())
}

/// A game to play.
#[derive(Clone)]
pub struct Game {
    pub count: usize,
    pub path: Path,
    pub relay: Option<String>,
    pub time: Duration,
    /// The relay's, to see how much it works.
    pub process: Option<u32>,
}

pub async fn play(servers: Servers, game: Game) -> anyhow::Result<Report> {
    let clock = servers.clock.clone();
    let webtransport = match (game.path, &game.relay) {
        (Path::WebTransport, Some(relay)) => {
            Some(lean::config(players::certificate_hash(relay).await?))
        }
        _ => None,
    };
    let names = Arc::new(servers.names);
    let mut crowds = Vec::new();
    for first in 0..PLAYER_THREADS {
        let (names, game, clock) = (names.clone(), game.clone(), clock.clone());
        let webtransport = webtransport.clone();
        crowds.push(spawn_blocking(move || {
            // This kind runs what a datagram wakes at once, as the players' own machines would.
            let mut runtime = Builder::new_multi_thread();
            let runtime = runtime.worker_threads(1).enable_all().build()?;
            runtime.block_on(async {
                let crowd = crowd(first, names, game, webtransport, clock);
                tokio::spawn(crowd).await?
            })
        }));
    }
    while clock.joined.load(Ordering::Relaxed) < game.count {
        sleep(Duration::from_millis(20)).await;
        if let Some(at) = crowds.iter().position(JoinHandle::is_finished) {
            // The other threads would wait for each other for ever.
            clock.is_over.store(true, Ordering::Relaxed);
            crowds.swap_remove(at).await??;
            bail!("players left before the game");
        }
    }
    sleep(Duration::from_secs(2)).await;
    let begun = Instant::now();
    let before = Work::now(game.process)?;
    clock.is_measuring.store(true, Ordering::Relaxed);
    sleep(game.time).await;
    clock.is_measuring.store(false, Ordering::Relaxed);
    let after = Work::now(game.process)?;
    let time = begun.elapsed();
    sleep(Duration::from_secs(1)).await;
    clock.is_over.store(true, Ordering::Relaxed);
    let mut down = Vec::new();
    for crowd in crowds {
        down.extend(crowd.await??);
    }
    let mut up = servers.running.await??;
    up.sort_unstable();
    down.sort_unstable();
    Ok(Report {
        path: game.path,
        sessions: game.count,
        up,
        down,
        sent: clock.sent.load(Ordering::Relaxed),
        time,
        work: after.relay.zip(before.relay).map(|(one, two)| one - two),
        own_work: after.own - before.own,
    })
}

/// Processor times so far.
struct Work {
    relay: Option<ProcessorTime>,
    own: Duration,
}

impl Work {
    fn now(relay: Option<u32>) -> anyhow::Result<Self> {
        Ok(Self {
            relay: relay.map(ProcessorTime::of).transpose()?,
            own: ProcessorTime::of(std::process::id())?.total(),
        })
    }
}

/// Before a player who was refused tries again.
const PAUSE: Duration = Duration::from_secs(1);

/// Lets a thread's share of the players in, and has them play until the game is over.
async fn crowd(
    first: usize,
    servers: Arc<Vec<String>>,
    game: Game,
    webtransport: Option<ClientConfig>,
    clock: Arc<Clock>,
) -> anyhow::Result<Vec<u32>> {
    let delays = Arc::new(Delays::default());
    let mut joining = JoinSet::new();
    for number in (first..game.count).step_by(PLAYER_THREADS) {
        let server = servers[number % servers.len()].clone();
        let (game, webtransport) = (game.clone(), webtransport.clone());
        let (clock, delays) = (clock.clone(), delays.clone());
        joining.spawn(async move {
            let mut entered = enter(number, &server, &game, webtransport.clone()).await;
            for _ in 0..3 {
                let Err(error) = &entered else { break };
                eprintln!("player {number} tries again: {error:#}");
                // On a busy machine handshakes take long, and only so many of one address may be open.
                sleep(PAUSE).await;
                entered = enter(number, &server, &game, webtransport.clone()).await;
            }
            let (mouth, ear) = entered?;
            // From now on: what nobody reads meanwhile would be lost.
            tokio::spawn(async move {
                let Err(error) = ear.listen(&delays).await;
                if !clock.is_over() {
                    eprintln!("a player is out: {error:#}");
                }
            });
            anyhow::Ok(mouth)
        });
        sleep(BETWEEN_JOINS * PLAYER_THREADS as u32).await;
    }
    let mut rng = Rng::new(first as u64 + 1);
    let mut mouths = Vec::new();
    while let Some(joined) = joining.join_next().await {
        mouths.push((UP_INTERVAL.mul_f32(rng.fraction()), joined??));
    }
    clock.joined.fetch_add(mouths.len(), Ordering::Relaxed);
    speak(mouths, &clock).await?;
    Ok(std::mem::take(&mut *delays.lock()))
}

/// Sends for each player 60 times a second, at that player's phase.
async fn speak(mut mouths: Vec<(Duration, Mouth)>, clock: &Clock) -> anyhow::Result<()> {
    mouths.sort_unstable_by_key(|(phase, _)| *phase);
    let mut timer = Timer::new()?;
    let begun = Instant::now();
    for round in 1_u32.. {
        for (phase, mouth) in &mouths {
            let due = UP_INTERVAL * round + *phase;
            while let Some(left) = due.checked_sub(begun.elapsed()) {
                timer.rest(left).await?;
            }
            // Whoever missed a turn does not send twice instead.
            if begun.elapsed() < due + UP_INTERVAL {
                let mut usercmd = players::usercmd::<UP_BYTES>(round);
                stamp(clock, &mut usercmd[6..]);
                mouth.send(&usercmd);
            }
        }
        if clock.is_over() {
            break;
        }
    }
    Ok(())
}

/// A timer of the kernel, which does not round to milliseconds.
struct Timer(Receiver);

impl Timer {
    fn new() -> anyhow::Result<Self> {
        let timer = timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK)?;
        // It is read like a pipe.
        Ok(Self(Receiver::from_file_unchecked(timer.into())?))
    }

    async fn rest(&mut self, time: Duration) -> io::Result<()> {
        let time = time.max(SHORTEST_REST);
        let none = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let value = Itimerspec {
            it_interval: none,
            it_value: Timespec {
                tv_sec: time.as_secs() as i64,
                tv_nsec: time.subsec_nanos().into(),
            },
        };
        timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &value)?;
        // It yields 8 bytes; that they are fewer than asked for tells that no more are there.
        self.0.read(&mut [0; 16]).await.map(|_| ())
    }
}

/// The sending end of a player's connection.
enum Mouth {
    Udp(Arc<UdpSocket>),
    WebSocket(OwnedWriteHalf),
    WebTransport(Arc<Lean>),
}

/// The receiving end.
enum Ear {
    Udp(Arc<UdpSocket>),
    WebSocket(OwnedReadHalf),
    WebTransport(Arc<Lean>),
}

/// Connects a player and has them let in.
async fn enter(
    number: usize,
    server: &str,
    game: &Game,
    webtransport: Option<ClientConfig>,
) -> anyhow::Result<(Mouth, Ear)> {
    let relay = game.relay.as_deref();
    if let Some(config) = webtransport {
        let own = players::address(number);
        let mut lean = Lean::connect(own, relay.unwrap_or_default(), server, config).await?;
        players::be_let_in(&mut lean).await?;
        let lean = Arc::new(lean);
        return Ok((Mouth::WebTransport(lean.clone()), Ear::WebTransport(lean)));
    }
    let mut link = players::connect(number, server, game.path, relay, None, None).await?;
    players::be_let_in(&mut link).await?;
    // The libraries' ends are left once the player is in: they would cost more than the relay.
    match link {
        Link::Udp(socket) => {
            let socket = Arc::new(socket);
            Ok((Mouth::Udp(socket.clone()), Ear::Udp(socket)))
        }
        Link::WebSocket(socket) => {
            let (reader, writer) = socket.into_inner().into_split();
            Ok((Mouth::WebSocket(writer), Ear::WebSocket(reader)))
        }
        Link::WebTransport(_) => bail!("this client costs more than the relay"),
    }
}

impl Mouth {
    /// A full line loses it.
    fn send(&self, datagram: &[u8; UP_BYTES]) {
        match self {
            Self::Udp(socket) => drop(socket.try_send(datagram)),
            Self::WebSocket(writer) => {
                // A whole binary message, with a mask of zeros.
                let mut frame = [0; 6 + UP_BYTES];
                frame[..2].copy_from_slice(&[0x82, 0x80 | UP_BYTES as u8]);
                frame[6..].copy_from_slice(datagram);
                drop(writer.try_write(&frame));
            }
            Self::WebTransport(lean) => drop(lean.speak(datagram)),
        }
    }
}

impl Ear {
    async fn listen(self, delays: &Delays) -> anyhow::Result<Infallible> {
        let mut buffer = [0; 4096];
        match self {
            Self::Udp(socket) => loop {
                let size = socket.recv(&mut buffer).await?;
                hear(&buffer[..size], delays);
            },
            Self::WebSocket(mut reader) => {
                let mut filled = 0;
                loop {
                    let size = reader.read(&mut buffer[filled..]).await?;
                    ensure!(size > 0, "the relay closed");
                    filled += size;
                    let used = read_frames(&buffer[..filled], delays)?;
                    buffer.copy_within(used..filled, 0);
                    filled -= used;
                }
            }
            Self::WebTransport(lean) => lean.listen(|datagram| hear(datagram, delays)).await,
        }
    }
}

/// Reads whole frames of WebSocket as servers send them; yields how many bytes they are.
fn read_frames(bytes: &[u8], delays: &Delays) -> anyhow::Result<usize> {
    let mut rest = bytes;
    loop {
        let (kind, size, head) = match *rest {
            [kind, 126, high, low, ..] => (kind, usize::from(high) << 8 | usize::from(low), 4),
            [kind, size, ..] if size < 126 => (kind, usize::from(size), 2),
            _ => break,
        };
        let Some(payload) = rest.get(head..head + size) else {
            break;
        };
        match kind {
            0x82 => hear(payload, delays),
            0x81 => {}
            _ => bail!("a frame of kind {kind:#x}"),
        }
        rest = &rest[head + size..];
    }
    Ok(bytes.len() - rest.len())
}

fn hear(datagram: &[u8], delays: &Delays) {
    if datagram.len() == DOWN_BYTES {
        note(&mut delays.lock(), &datagram[4..]);
    }
}

/// Writes the time, or 0 where nothing is measured.
fn stamp(clock: &Clock, space: &mut [u8]) {
    let mut now = 0;
    if clock.is_measuring.load(Ordering::Relaxed) {
        clock.sent.fetch_add(1, Ordering::Relaxed);
        now = START.elapsed().as_nanos() as u64;
    }
    space[..8].copy_from_slice(&now.to_le_bytes());
}

fn note(delays: &mut Vec<u32>, stamped: &[u8]) {
    let Some(sent) = stamped
        .first_chunk::<8>()
        .map(|bytes| u64::from_le_bytes(*bytes))
    else {
        return;
    };
    if sent > 0 {
        let delay = (START.elapsed().as_nanos() as u64).saturating_sub(sent) / 1000;
        delays.push(delay as u32);
    }
}
