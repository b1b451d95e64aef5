//! What clients cost: our server and ioquake3's on the same map with the same usercmds, over loopback, and how long
//! one of our frames takes.
//!
//! `cargo bench -p server --bench clients -- --clients 16 --seconds 30`

#[expect(dead_code, reason = "the tests use more of it")]
#[path = "../tests/it/client.rs"]
mod client;

use anyhow::{Context, Result, bail};
use clap::Parser;
use client::{Client, openarena_map};
use real_servers::Program;
use server::{Event, Peer, Server};
use shared::{
    base::rng::Rng,
    types::usercmd::{Usercmd, buttons},
};
use std::{
    fs,
    net::{SocketAddr, UdpSocket},
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

#[derive(Parser)]
struct Options {
    /// How many play; both 16 and 64 if it is left out.
    #[arg(long)]
    clients: Option<usize>,
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    #[arg(long, default_value = "oa_dm1")]
    map: String,
    /// The next port is used too.
    #[arg(long, default_value_t = 27290)]
    port: u16,
    /// Only what frames cost in this process.
    #[arg(long)]
    frames_only: bool,
    /// Cargo's own word.
    #[arg(long, hide = true)]
    bench: bool,
}

/// Clients send a message of four usercmds so often, about as those do that draw 125 frames a second.
const MESSAGE_MSEC: i32 = 32;
const USERCMDS: i32 = 4;
const FRAME_MSEC: i32 = 50;
/// The program waits for datagrams no longer than this, so usercmds run as they come and not all in the game's frame.
const STEP_MSEC: i32 = 2;
/// Until all have come in.
const SETTLE_MSEC: u64 = 20_000;
/// Each client does something else after so many messages.
const TURN: u64 = 12;

fn main() -> Result<()> {
    let options = Options::parse();
    let counts = options.clients.map_or(vec![16, 64], |one| vec![one]);
    for count in counts {
        frames(&options, count);
        if options.frames_only {
            continue;
        }
        for server in [Other::Ours, Other::Ioquake3] {
            let load = server.measure(&options, count)?;
            println!(
                "{count} clients, {server:?}: {:.2} % of a core, {} of {} snapshots, longest gap {} ms of the level, \
                 {} ms of time, {:.0} KiB/s to clients",
                load.cpu * 100.0,
                load.snapshots,
                load.expected,
                load.longest_gap,
                load.longest_wait,
                load.bytes / 1024.0 / load.seconds,
            );
        }
    }
    Ok(())
}

/// Whom the clients play on.
#[derive(Clone, Copy, Debug)]
enum Other {
    Ours,
    Ioquake3,
}

/// What was measured of a server.
struct Load {
    /// Part of a core.
    cpu: f64,
    seconds: f64,
    snapshots: usize,
    expected: usize,
    longest_gap: i32,
    longest_wait: u128,
    bytes: f64,
}

/// A child process that ends with this.
struct Process {
    child: Child,
    home: PathBuf,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may be gone already, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.home);
    }
}

impl Other {
    fn start(self, options: &Options, count: usize) -> Result<(Process, u16)> {
        let count = count.to_string();
        let (port, mut command) = match self {
            Self::Ours => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_strafe-server"));
                let listen = format!("127.0.0.1:{}", options.port);
                command.args(["--listen", &listen]);
                (options.port, command)
            }
            Self::Ioquake3 => {
                let home = home(self)?;
                let port = options.port + 1;
                (
                    port,
                    real_servers::command(Program::Ioquake3, port, &home, &[]),
                )
            }
        };
        let settings = [
            ("sv_maxclients", count.as_str()),
            ("sv_pure", "0"),
            ("sv_fps", "20"),
            ("fraglimit", "0"),
            ("timelimit", "0"),
            ("sv_floodProtect", "0"),
        ];
        for (name, value) in settings {
            command.args(["+set", name, value]);
        }
        command.args(["+map", &options.map]);
        // Ours reads its console, and would take its end for nothing new.
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("{self:?} cannot be started"))?;
        let home = home(self)?;
        Ok((Process { child, home }, port))
    }

    fn measure(self, options: &Options, count: usize) -> Result<Load> {
        let (process, port) = self.start(options, count)?;
        let mut crowd = Crowd::new(count, port)?;
        crowd.play_until(Duration::from_secs(60), Crowd::are_all_in)?;
        if !crowd.are_all_in() {
            bail!(
                "{self:?}: not all {count} clients came in: {:?}",
                crowd.refusals()
            );
        }
        crowd.play_until(Duration::from_secs(3), |_| false)?;
        crowd.forget();
        let (began, cpu) = (Instant::now(), cpu_seconds(process.child.id())?);
        crowd.play_until(Duration::from_secs(options.seconds), |_| false)?;
        let seconds = began.elapsed().as_secs_f64();
        let cpu = (cpu_seconds(process.child.id())? - cpu) / seconds;
        let players = crowd.players.iter();
        Ok(Load {
            cpu,
            seconds,
            snapshots: players.clone().map(|one| one.snapshots).sum(),
            expected: (seconds * 1000.0 / f64::from(FRAME_MSEC)) as usize * count,
            longest_gap: players
                .clone()
                .map(|one| one.longest_gap)
                .max()
                .unwrap_or(0),
            longest_wait: players
                .clone()
                .map(|one| one.longest_wait)
                .max()
                .unwrap_or(0),
            bytes: players.map(|one| one.bytes as f64).sum(),
        })
    }
}

fn home(server: Other) -> Result<PathBuf> {
    let home = std::env::temp_dir().join(format!("strafe-bench-{server:?}-{}", std::process::id()));
    fs::create_dir_all(home.join(".oa/baseoa"))?;
    Ok(home)
}

/// Seconds that a process has computed.
fn cpu_seconds(process: u32) -> Result<f64> {
    let mut nanos = 0.0;
    for task in fs::read_dir(format!("/proc/{process}/task"))? {
        let text = fs::read_to_string(task?.path().join("schedstat"))?;
        let first = text.split(' ').next().context("no figures")?;
        nanos += first.parse::<f64>()?;
    }
    Ok(nanos / 1e9)
}

/// Clients that run about and shoot, each by its own seed.
struct Crowd {
    players: Vec<Player>,
}

struct Player {
    client: Client,
    socket: UdpSocket,
    mind: Mind,
    next_at: Duration,
    seen: Option<(i32, Instant)>,
    snapshots: usize,
    longest_gap: i32,
    longest_wait: u128,
    bytes: usize,
}

/// What a player does: the same on each server.
struct Mind {
    rng: Rng,
    messages: u64,
    usercmd: Usercmd,
}

impl Mind {
    fn new(seed: usize) -> Self {
        Self {
            rng: Rng::new(seed as u64),
            messages: 0,
            usercmd: Usercmd::default(),
        }
    }

    fn decide(&mut self) -> Usercmd {
        if self.messages.is_multiple_of(TURN) {
            self.usercmd = Usercmd {
                angles: [0, self.rng.next_u64() as u16, 0],
                forward_move: 127,
                right_move: [0, 127, -127][self.rng.below(3)],
                buttons: match self.rng.percent(60.0) {
                    true => buttons::ATTACK,
                    false => 0,
                },
                weapon: 2 + self.rng.below(4) as u8,
                ..Usercmd::default()
            };
        }
        self.messages += 1;
        self.usercmd.angles[1] = self.usercmd.angles[1].wrapping_add(300);
        self.usercmd
    }
}

fn own_address(number: usize) -> [u8; 4] {
    [127, 0, 1, 1 + number as u8]
}

fn new_client(number: usize) -> Client {
    let mut client = Client::new(20_000 + number as u16, 71);
    client.peer = Peer::Net((own_address(number), 20_000 + number as u16).into());
    client.usercmds = USERCMDS;
    // OpenArena's game demands an id of 32 digits from each.
    let (name, id) = (format!("p{number}"), format!("{number:032X}"));
    for (key, value) in [("rate", "90000"), ("name", &name), ("cl_guid", &id)] {
        client.userinfo.set(key, value, 1023).expect("it fits");
    }
    client
}

fn act(client: &mut Client, mind: &mut Mind) -> Vec<Event> {
    let chosen = mind.decide();
    client.frame(MESSAGE_MSEC, |usercmd| {
        *usercmd = Usercmd {
            server_time: usercmd.server_time,
            ..chosen
        };
    })
}

impl Crowd {
    fn new(count: usize, port: u16) -> Result<Self> {
        let player = |number: usize| {
            // Servers answer one address only so often.
            let socket = UdpSocket::bind(SocketAddr::from((own_address(number), 0)))?;
            socket.connect(("127.0.0.1", port))?;
            socket.set_nonblocking(true)?;
            Ok(Player {
                client: new_client(number),
                socket,
                mind: Mind::new(number),
                next_at: Duration::from_millis(number as u64 * 300),
                seen: None,
                snapshots: 0,
                longest_gap: 0,
                longest_wait: 0,
                bytes: 0,
            })
        };
        let players = (0..count).map(player).collect::<Result<_>>()?;
        Ok(Self { players })
    }

    fn are_all_in(&self) -> bool {
        self.players.iter().all(|one| one.snapshots > 0)
    }

    fn refusals(&self) -> Vec<&String> {
        let players = self.players.iter();
        players
            .filter_map(|one| one.client.refusals.last())
            .collect()
    }

    fn forget(&mut self) {
        for player in &mut self.players {
            player.snapshots = 0;
            player.bytes = 0;
            (player.longest_gap, player.longest_wait) = (0, 0);
        }
    }

    /// Plays for so long, or until something is reached.
    fn play_until(&mut self, time: Duration, is_over: impl Fn(&Self) -> bool) -> Result<()> {
        const TICK: Duration = Duration::from_millis(4);
        /// Before it is connected, a client asks so often.
        const ASK_MSEC: u64 = 1100;
        let began = Instant::now();
        let offset = self
            .players
            .first()
            .map_or(Duration::ZERO, |one| one.next_at);
        let mut tick = began;
        while began.elapsed() < time && !is_over(self) {
            let now = offset + began.elapsed();
            for player in &mut self.players {
                player.receive();
                if now < player.next_at {
                    continue;
                }
                let pause = match player.client.gamestate.is_some() {
                    true => MESSAGE_MSEC as u64,
                    false => ASK_MSEC,
                };
                player.next_at = (player.next_at + Duration::from_millis(pause)).max(now);
                for event in act(&mut player.client, &mut player.mind) {
                    if let Event::Packet { bytes, .. } = event {
                        player.socket.send(&bytes).context("the server is gone")?;
                    }
                }
            }
            tick += TICK;
            thread::sleep(tick.saturating_duration_since(Instant::now()));
        }
        Ok(())
    }
}

impl Player {
    fn receive(&mut self) {
        let mut buffer = [0; 16_384];
        while let Ok(length) = self.socket.recv(&mut buffer) {
            self.bytes += length;
            self.client.receive(&buffer[..length]);
            let Some(snapshot) = &self.client.snapshot else {
                continue;
            };
            let (time, now) = (snapshot.server_time.0, Instant::now());
            match self.seen {
                Some((seen, _)) if seen == time => continue,
                Some((seen, at)) => {
                    self.longest_gap = self.longest_gap.max(time - seen);
                    self.longest_wait = self.longest_wait.max((now - at).as_millis());
                }
                None => {}
            }
            self.seen = Some((time, now));
            self.snapshots += 1;
        }
    }
}

/// Times the frames of a server in this process: of each of the game's, the longest time in which no datagram is read.
fn frames(options: &Options, count: usize) {
    let mut server = Server::new(1);
    let mut events: Vec<Event> = [
        "set gamename baseoa".to_owned(),
        format!("set sv_maxclients {count}"),
        "set fraglimit 0".to_owned(),
        format!("map {}", options.map),
    ]
    .map(Event::Command)
    .to_vec();
    server.frame(0, std::mem::take(&mut events));
    let name = options.map.clone();
    let result = Ok(openarena_map(&name));
    server.frame(0, vec![Event::MapRead { name, result }]);
    let mut players: Vec<(Client, Mind)> = (0..count)
        .map(|number| (new_client(number), Mind::new(number)))
        .collect();
    let mut micros = Vec::new();
    let mut longest = 0.0_f64;
    let mut own_seconds = 0.0;
    let mut budget: Vec<i32> = (0..count)
        .map(|number| -STEP_MSEC * (number as i32 % 16))
        .collect();
    for step in 0..(options.seconds * 1000 + SETTLE_MSEC) / STEP_MSEC as u64 {
        let msec = step * STEP_MSEC as u64;
        for (number, (client, mind)) in players.iter_mut().enumerate() {
            // One after the other, as challenges are given only so often.
            if msec < number as u64 * 200 {
                continue;
            }
            budget[number] += STEP_MSEC;
            while budget[number] >= MESSAGE_MSEC {
                budget[number] -= MESSAGE_MSEC;
                events.extend(act(client, mind));
            }
        }
        let (began, used) = (Instant::now(), thread_seconds());
        let output = server.frame(STEP_MSEC, std::mem::take(&mut events));
        if msec >= SETTLE_MSEC {
            longest = longest.max(began.elapsed().as_nanos() as f64 / 1000.0);
            own_seconds += thread_seconds() - used;
            if (msec + STEP_MSEC as u64).is_multiple_of(FRAME_MSEC as u64) {
                micros.push(std::mem::take(&mut longest));
            }
        }
        for (client, _) in &mut players {
            client.take(&output);
        }
    }
    let playing = players
        .iter()
        .filter(|one| one.0.snapshot.is_some())
        .count();
    let own_mean = own_seconds * 1e6 / micros.len() as f64;
    micros.sort_by(f64::total_cmp);
    let at = |share: f64| micros[((micros.len() - 1) as f64 * share) as usize];
    let mean = micros.iter().sum::<f64>() / micros.len() as f64;
    println!(
        "{playing} of {count} clients in one process, {} frames: mean {own_mean:.0} us of processor time with all that comes in between; \
         at a stretch mean {mean:.0}, p50 {:.0}, p99 {:.0}, max {:.0} us of time",
        micros.len(),
        at(0.5),
        at(0.99),
        at(1.0),
    );
}

/// Seconds that this thread has computed: what others do on the same machine does not count. The figure grows in steps of
/// some milliseconds, so only sums of many tell something.
fn thread_seconds() -> f64 {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = text
        .split(' ')
        .next()
        .and_then(|word| word.parse::<f64>().ok());
    nanos.unwrap_or(0.0) / 1e9
}
