//! Starts real servers and the relay on this machine, on free ports, and waits until they answer.

use crate::{shell, shell::Running};
use anyhow::{Context, Result, bail};
use real_servers::Program;
use std::{
    fs::{self, File},
    io::{Read, Write},
    net::{TcpListener, TcpStream, UdpSocket},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

/// A running game server and what one needs to speak with it.
pub(crate) struct GameServer {
    pub running: Running,
    pub port: u16,
    pub rcon_password: String,
}

/// What a game server is to be.
pub(crate) struct GameServerPlan<'a> {
    pub map: &'a str,
    pub bots: u32,
    /// The first port to try.
    pub port: u16,
    /// More settings, `+set name value` each.
    pub settings: &'a [(&'a str, &'a str)],
}

impl GameServer {
    /// Starts our own server on loopback and waits for its first answer. Without a folder of paks and a game in it, it
    /// plays on the arena that it carries.
    pub(crate) fn start_own(
        program: &Path,
        plan: &GameServerPlan,
        data: Option<(&Path, &str)>,
    ) -> Result<Self> {
        Self::launch("strafe-server", plan, |port, home, settings| {
            let (folder, game) = data.unwrap_or((home, "baseq3"));
            let mut command = shell::program(&program.to_string_lossy(), &[]);
            command
                .arg("--data")
                .arg(folder)
                .args(["--game", game])
                .args(["--listen", &format!("127.0.0.1:{port}")])
                .args(settings)
                .args(["+map", plan.map]);
            command
        })
    }

    /// Starts Debian's OpenArena server on loopback and waits for its first answer.
    pub(crate) fn start(plan: &GameServerPlan) -> Result<Self> {
        Self::launch("openarena-server", plan, |port, home, settings| {
            let settings = settings.iter().map(String::as_str);
            // A dedicated server leaves a map only for the next one in this chain.
            let map = ["+map", plan.map, "+set", "nextmap", "map_restart"];
            let arguments: Vec<&str> = settings
                .chain(["+set", "sv_pure", "1"])
                .chain(map)
                .collect();
            real_servers::command(Program::OpenArena, port, home, &arguments)
        })
    }

    fn launch(
        name: &'static str,
        plan: &GameServerPlan,
        command: impl FnOnce(u16, &Path, &[String]) -> Command,
    ) -> Result<Self> {
        let (port, claim) = free_udp_port(plan.port)?;
        let home = home(port);
        fs::create_dir_all(&home)?;
        let log = File::create(home.join("server.log"))?;
        let rcon_password = format!("{:x}", std::process::id() ^ u32::from(port) << 12);
        let bots = plan.bots.to_string();
        let settings = [
            ("sv_hostname", "Strafe on this machine"),
            ("rconPassword", &rcon_password),
            ("bot_minplayers", &bots),
            ("g_spSkill", "2"),
            ("timelimit", "15"),
            ("fraglimit", "30"),
        ];
        let settings = settings.iter().chain(plan.settings);
        let settings: Vec<String> = settings
            .flat_map(|(name, value)| ["+set", name, value])
            .map(str::to_owned)
            .collect();
        let mut command = command(port, &home, &settings);
        command.stdout(log.try_clone()?).stderr(log);
        let mut running = Running::start(name, &mut command)?;
        running.claim = Some(claim);
        let words = || fs::read_to_string(home.join("server.log")).unwrap_or_default();
        let refused = || words().contains("cannot be played");
        let outcome = wait_until(Duration::from_secs(60), &mut running, || {
            is_playing(port, plan.map) || refused()
        });
        if outcome.is_err() || refused() {
            let words = last_lines(&words(), 8);
            return outcome
                .and_then(|()| bail!("it cannot play {}", plan.map))
                .with_context(|| {
                    format!(
                        "the game server on port {port} cannot be used; its last words:\n{words}"
                    )
                });
        }
        Ok(Self {
            running,
            port,
            rcon_password,
        })
    }

    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// What it printed so far.
    pub(crate) fn log(&self) -> PathBuf {
        home(self.port).join("server.log")
    }
}

fn home(port: u16) -> PathBuf {
    shell::target().join("servers").join(port.to_string())
}

fn last_lines(text: &str, count: usize) -> String {
    let lines = text.lines().collect::<Vec<_>>();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

/// Whether a Quake 3 server at this port answers `getinfo` and plays this map.
fn is_playing(port: u16, map: &str) -> bool {
    let ask = || -> std::io::Result<String> {
        let socket = UdpSocket::bind("127.0.0.1:0")?;
        socket.set_read_timeout(Some(Duration::from_millis(300)))?;
        socket.send_to(b"\xff\xff\xff\xffgetinfo xxx", ("127.0.0.1", port))?;
        let mut answer = [0; 2048];
        let length = socket.recv(&mut answer)?;
        Ok(String::from_utf8_lossy(&answer[..length]).to_lowercase())
    };
    let map = format!("\\mapname\\{}", map.to_lowercase());
    ask().is_ok_and(|answer| answer.contains(&map))
}

/// Where relays that are started here keep smaller pictures and sounds.
pub(crate) fn light_folder() -> PathBuf {
    shell::target().join("light")
}

/// A running relay.
pub(crate) struct Relay {
    pub running: Running,
    pub port: u16,
    server: String,
}

impl Relay {
    /// Starts this relay for one server; without a page it serves the one inside it.
    pub(crate) fn start(
        program: &Path,
        first_port: u16,
        server: &str,
        content: &[PathBuf],
        page: Option<&Path>,
    ) -> Result<Self> {
        Self::start_with(program, first_port, server, content, page, &[])
    }

    /// The same, with more options.
    pub(crate) fn start_with(
        program: &Path,
        first_port: u16,
        server: &str,
        content: &[PathBuf],
        page: Option<&Path>,
        options: &[&str],
    ) -> Result<Self> {
        let (port, claim) = free_relay_port(first_port)?;
        let mut command = shell::program(
            &program.to_string_lossy(),
            &["--listen", &format!("127.0.0.1:{port}"), "--server", server],
        );
        command.args(options);
        // It finds nothing beside itself that an operator would not have.
        let folder = shell::target().join("servers").join("relay");
        fs::create_dir_all(&folder)?;
        command.current_dir(folder);
        if let Some(page) = page {
            command.arg("--web").arg(page);
        }
        for folder in content {
            command.arg("--content").arg(folder);
        }
        command.env(
            "RUST_LOG",
            std::env::var("RUST_LOG").unwrap_or_else(|_| "warn".to_owned()),
        );
        let mut running = Running::start("strafe-relay", &mut command)?;
        running.claim = Some(claim);
        wait_until(Duration::from_secs(20), &mut running, || {
            http_get(port, "/healthz").is_ok_and(|text| text.contains(" 200 "))
        })
        .with_context(|| format!("the relay does not answer on port {port}"))?;
        let server = server.to_owned();
        Ok(Self {
            running,
            port,
            server,
        })
    }

    /// Starts this relay with smaller pictures and sounds for pages.
    pub(crate) fn start_light(
        program: &Path,
        first_port: u16,
        server: &str,
        content: &[PathBuf],
        page: Option<&Path>,
    ) -> Result<Self> {
        let folder = light_folder().display().to_string();
        Self::start_with(
            program,
            first_port,
            server,
            content,
            page,
            &["--light", &folder],
        )
    }

    /// Waits until it has made all of them, and what the map of its server needs first.
    pub(crate) fn await_light(&mut self) -> Result<()> {
        let port = self.port;
        let list = format!("/api/content?server={}", self.server);
        wait_until(Duration::from_secs(900), &mut self.running, || {
            let answer = http_get(port, &list).unwrap_or_default();
            let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
            let Ok(index) = serde_json::from_str::<serde_json::Value>(body) else {
                return false;
            };
            let games = index["games"].as_array().into_iter().flatten();
            let mut paks = games.flat_map(|game| game["paks"].as_array().into_iter().flatten());
            let first = index["first"].as_array().map_or(0, Vec::len);
            paks.all(|pak| pak.get("light").is_some()) && first == 2
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://localhost:{}/", self.port)
    }
}

/// The whole answer of a local HTTP server, head included.
fn http_get(port: u16, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(Duration::from_secs(2)))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = String::new();
    stream.take(1 << 20).read_to_string(&mut answer)?;
    Ok(answer)
}

pub(crate) fn wait_until(
    limit: Duration,
    running: &mut Running,
    mut is_ready: impl FnMut() -> bool,
) -> Result<()> {
    let start = Instant::now();
    while !is_ready() {
        if let Some(status) = running.ended() {
            bail!("{} has ended: {status}", running.name);
        }
        if start.elapsed() > limit {
            bail!("{} took longer than {} s", running.name, limit.as_secs());
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(())
}

/// The first port from here on that no program uses; says so if it is another one.
fn free_udp_port(first: u16) -> Result<(u16, File)> {
    free_port(first, "--server-port", |port| {
        UdpSocket::bind(("0.0.0.0", port)).is_ok()
    })
}

/// The same for a relay, which listens over TCP and UDP.
pub(crate) fn free_relay_port(first: u16) -> Result<(u16, File)> {
    free_port(first, "--port", |port| {
        let address = ("127.0.0.1", port);
        TcpListener::bind(address).is_ok() && UdpSocket::bind(address).is_ok()
    })
}

fn free_port(first: u16, option: &str, is_free: impl Fn(u16) -> bool) -> Result<(u16, File)> {
    let mut ports = first..first.saturating_add(100);
    let (port, claim) = ports
        .find_map(|port| is_free(port).then(|| claim(port)).flatten().map(|claim| (port, claim)))
        .with_context(|| {
            format!("other programs have all ports from {first} to {}; choose another one with {option}", first.saturating_add(99))
        })?;
    if port != first {
        println!("Port {first} is in use by another program; taking {port} ({option} chooses).");
    }
    Ok((port, claim))
}

/// Keeps other commands of this checkout from a port that our program has not opened yet.
fn claim(port: u16) -> Option<File> {
    let folder = shell::target().join("servers");
    fs::create_dir_all(&folder).ok()?;
    let file = File::create(folder.join(format!("{port}.lock"))).ok()?;
    file.try_lock().ok()?;
    Some(file)
}
