//! The program strafe-server: the server on a UDP socket, with its console on standard input.
#![forbid(unsafe_code)]

mod handout;
mod paks;

use anyhow::{Context, Result};
use clap::Parser;
use server::{Event, Output, Peer, Request, Server};
use std::{
    io::{self, BufRead, ErrorKind},
    net::{SocketAddr, UdpSocket},
    path::PathBuf,
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

/// A Quake 3 server: `strafe-server +map strafe1` plays on the arena in this program, `strafe-server --data DIR +set sv_hostname "My server" +map oa_dm1`.
#[derive(Parser)]
struct Options {
    /// Folder that holds the game's folders (baseq3, baseoa).
    #[arg(long, default_value = "/usr/share/games/openarena")]
    data: PathBuf,
    /// Folder of the game inside it.
    #[arg(long, default_value = "baseoa")]
    game: String,
    #[arg(long, default_value = "0.0.0.0:27960")]
    listen: SocketAddr,
    /// File in which bans are kept.
    #[arg(long)]
    bans: Option<PathBuf>,
    /// Console commands, each with a plus sign in front of its first word.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    commands: Vec<String>,
}

/// How long to wait for a datagram before the next frame.
const WAIT: Duration = Duration::from_millis(2);
/// Longer datagrams are no messages.
const MAX_DATAGRAM: usize = 16_384;

fn main() -> Result<()> {
    let options = Options::parse();
    let socket = UdpSocket::bind(options.listen)
        .with_context(|| format!("cannot listen on {}", options.listen))?;
    socket.set_read_timeout(Some(WAIT))?;
    println!("strafe-server listens on {}", socket.local_addr()?);
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let mut server = Server::new(since_1970.as_nanos() as u64);
    // Clients that have OpenArena's data have its game as well.
    let folder = options.data.join(&options.game);
    let has_paks = !paks::list(&folder).is_empty();
    let game = match options.game.as_str() {
        "baseoa" if has_paks => "baseoa",
        _ => "baseq3",
    };
    if !has_paks {
        println!(
            "{} has no paks; there is the arena in this program: map strafe1",
            folder.display()
        );
    }
    // OpenArena's players have its game as a native library for the most part.
    let vm_game = if game == "baseoa" { "0" } else { "2" };
    let beginning = [
        format!("set gamename {game}"),
        format!("set vm_game {vm_game}"),
    ];
    let mut events: Vec<Event> = beginning
        .into_iter()
        .chain(handout::bans(options.bans.as_deref())?)
        .chain(commands(&options.commands))
        .map(Event::Command)
        .collect();
    let console = read_console();
    let mut last = Instant::now();
    loop {
        receive(&socket, &mut events)?;
        events.extend(console.try_iter().map(Event::Command));
        let msec = last.elapsed().as_millis() as i32;
        last += Duration::from_millis(msec as u64);
        let output = server.frame(msec, std::mem::take(&mut events));
        let wants_quit = serve(&socket, &options, output, &mut events);
        if wants_quit {
            return Ok(());
        }
    }
}

/// Does what a frame asks for; true at the end.
fn serve(socket: &UdpSocket, options: &Options, output: Output, events: &mut Vec<Event>) -> bool {
    let folder = options.data.join(&options.game);
    for line in output.printed {
        println!("{}", line.replace(char::is_control, ""));
    }
    for (peer, datagram) in output.datagrams {
        if let Peer::Net(address) = peer {
            // What cannot be sent is lost like any datagram.
            let _ = socket.send_to(&datagram, address);
        }
    }
    let mut wants_quit = false;
    for request in output.requests {
        match request {
            Request::ReadMap { name } => {
                let result = paks::read_map(&folder, &name).map_err(|error| format!("{error:#}"));
                events.push(Event::PaksFound(handout::list(&folder, &name)));
                events.push(Event::MapRead { name, result });
            }
            Request::ReadPak {
                path,
                start,
                length,
            } => {
                let result = handout::read(&folder, &path, start, length);
                let result = result.map_err(|error| format!("{error:#}"));
                events.push(Event::PakRead {
                    path,
                    start,
                    result,
                });
            }
            Request::ReadConfig { name } => {
                let result = handout::config(&folder, &name).map_err(|error| format!("{error:#}"));
                events.push(Event::ConfigRead { name, result });
            }
            Request::KeepBans { script } => {
                if let Some(path) = &options.bans
                    && let Err(error) = handout::keep_bans(path, &script)
                {
                    println!("The bans are not kept: {error:#}");
                }
            }
            Request::Quit => wants_quit = true,
        }
    }
    wants_quit
}

/// Takes the datagrams that are here; waits a moment for the first.
fn receive(socket: &UdpSocket, events: &mut Vec<Event>) -> Result<()> {
    /// Then the game goes on, however many more there are.
    const MAX_AT_ONCE: usize = 1000;
    let mut buffer = [0; MAX_DATAGRAM];
    let deadline = Instant::now() + WAIT;
    for _ in 0..MAX_AT_ONCE {
        match socket.recv_from(&mut buffer) {
            Ok((length, address)) => events.push(Event::Packet {
                from: Peer::Net(address),
                bytes: buffer[..length].to_vec(),
            }),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                break;
            }
            // A client's port that was closed is told on the next call, by Windows as a reset; who halts the program
            // (Ctrl-Z) and lets it go on interrupts the call.
            Err(error)
                if matches!(
                    error.kind(),
                    ErrorKind::ConnectionRefused
                        | ErrorKind::ConnectionReset
                        | ErrorKind::Interrupted
                ) => {}
            Err(error) => return Err(error).context("the socket fails"),
        }
        if Instant::now() >= deadline {
            break;
        }
    }
    Ok(())
}

/// `+set a b +map c` as lines.
fn commands(words: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words {
        match word.strip_prefix('+') {
            Some(first) => lines.push(first.to_owned()),
            None => {
                if let Some(line) = lines.last_mut() {
                    line.push_str(&format!(" \"{}\"", word.replace('"', "'")));
                }
            }
        }
    }
    lines
}

/// The lines of standard input, as they come.
fn read_console() -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
