//! Real dedicated servers as child processes, for tests and for the project's own commands.
#![forbid(unsafe_code)]

use std::{
    fs::{self, File},
    net::UdpSocket,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// Which program, and how it is set up.
#[derive(Clone, Copy, Debug)]
pub enum Program {
    /// Both of its protocol numbers are 71.
    OpenArena,
    /// The ioquake3 engine with the same game, under its own protocol numbers.
    Ioquake3,
}

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct GameServer {
    child: Child,
    pub port: u16,
    home: PathBuf,
    console: UdpSocket,
}

const RCON_PASSWORD: &str = "test";
const IOQUAKE3: &str = "/usr/lib/ioquake3/ioq3ded";
pub const OPENARENA: &str = "/usr/games/openarena-server";

/// Starts a server on loopback that keeps its files in a folder.
pub fn command(program: Program, port: u16, home: &Path, arguments: &[&str]) -> Command {
    let mut command = match program {
        Program::OpenArena => Command::new(OPENARENA),
        Program::Ioquake3 => {
            let mut command = Command::new(IOQUAKE3);
            command.args("+set com_basegame baseoa +set com_homepath .oa".split(' '));
            command.args("+set fs_basepath /usr/lib/openarena-server".split(' '));
            command
        }
    };
    let common = format!(
        "+set dedicated 1 +set net_enabled 1 +set net_ip 127.0.0.1 +set net_port {port} \
         +set rconPassword {RCON_PASSWORD} +set ttycon 0 +set sv_maxclients 16 \
         +set bot_enable 1 +set g_doWarmup 0 +set sv_master1 \"\" +set com_hunkMegs 128"
    );
    command
        .args(common.split_ascii_whitespace())
        .args(arguments)
        .env("HOME", home)
        .current_dir(home)
        .stdin(Stdio::null());
    command
}

impl GameServer {
    /// Starts a server and waits until it answers; a port of 0 takes a free one.
    ///
    /// # Panics
    /// If it does not answer within a minute.
    pub fn start(program: Program, port: u16, arguments: &[&str]) -> Self {
        Self::start_with(program, port, arguments, &[])
    }

    /// Starts a server that has some paks more.
    ///
    /// # Panics
    /// If it does not answer within a minute.
    pub fn start_with(
        program: Program,
        port: u16,
        arguments: &[&str],
        paks: &[(&str, Vec<u8>)],
    ) -> Self {
        let free = UdpSocket::bind(("127.0.0.1", port)).and_then(|socket| socket.local_addr());
        let port = free.expect("the port is free").port();
        let home = std::env::temp_dir().join(format!("strafe-{}-{port}", std::process::id()));
        let folder = match program {
            Program::OpenArena => ".openarena/baseoa",
            Program::Ioquake3 => ".oa/baseoa",
        };
        fs::create_dir_all(home.join(folder)).expect("the temporary folder can be written");
        for (name, bytes) in paks {
            fs::write(home.join(folder).join(name), bytes).expect("as above");
        }
        let log = File::create(home.join("server.log")).expect("as above");
        let mut command = command(program, port, &home, arguments);
        command
            .stdout(log.try_clone().expect("as above"))
            .stderr(log);
        let child = command.spawn().unwrap_or_else(|error| {
            panic!(
                "{program:?} cannot be started ({error}); install the packages openarena-server, \
                 openarena-data and ioquake3-server"
            )
        });
        let console = UdpSocket::bind("127.0.0.1:0").expect("there is a free port");
        console
            .connect(("127.0.0.1", port))
            .expect("the loopback device is there");
        let mut server = Self {
            child,
            port,
            home,
            console,
        };
        server.wait_until_ready();
        server
    }

    fn wait_until_ready(&mut self) {
        let started = Instant::now();
        while started.elapsed() < Duration::from_secs(60) {
            if let Ok(Some(status)) = self.child.try_wait() {
                panic!("the server ended with {status}:\n{}", self.log());
            }
            if self
                .ask("getinfo ready")
                .is_some_and(|answer| answer.contains("mapname"))
            {
                return;
            }
            std::thread::sleep(Duration::from_millis(300));
        }
        panic!("the server did not answer for a minute:\n{}", self.log());
    }

    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Runs a line in the server's console and gives what it printed.
    pub fn rcon(&self, line: &str) -> String {
        self.ask(&format!("rcon {RCON_PASSWORD} {line}"))
            .unwrap_or_default()
    }

    fn ask(&self, text: &str) -> Option<String> {
        // Answers to earlier lines may still be there, and a long answer comes in many pieces.
        self.receive(Duration::from_millis(1));
        let datagram = [&[0xFF; 4], text.as_bytes()].concat();
        // Nobody listens while the server starts; then there is no answer either.
        let _ = self.console.send(&datagram);
        let mut answer = self.receive(Duration::from_millis(1500))?;
        while let Some(more) = self.receive(Duration::from_millis(100)) {
            answer.push_str(&more);
        }
        Some(answer)
    }

    /// All pieces that are there, or the next one.
    fn receive(&self, patience: Duration) -> Option<String> {
        self.console
            .set_read_timeout(Some(patience))
            .expect("the timeout is not zero");
        let mut answer = None;
        let mut buffer = [0; 65_536];
        while let Ok(length) = self.console.recv(&mut buffer) {
            let text = String::from_utf8_lossy(&buffer[4.min(length)..length]);
            let text = text.strip_prefix("print\n").unwrap_or(&text);
            answer.get_or_insert_with(String::new).push_str(text);
            self.console
                .set_read_timeout(Some(Duration::from_millis(1)))
                .expect("the timeout is not zero");
        }
        answer
    }

    /// Everything the server printed.
    pub fn log(&self) -> String {
        let log = fs::read(self.home.join("server.log")).expect("it was made at the start");
        String::from_utf8_lossy(&log).into_owned()
    }
}

impl Drop for GameServer {
    fn drop(&mut self) {
        // It may be gone already, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.home);
    }
}
