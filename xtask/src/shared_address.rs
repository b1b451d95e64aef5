//! Brings eight players through one relay onto a server that allows three of an address, with and without an address for each.
//!
//! Debian's servers have no such limit, so one stands before the real server and does as Quake3e's
//! `sv_maxclientsPerIP` does: a `connect` from an address that has three clients already is refused.

use crate::{
    line::receive,
    release,
    servers::{GameServer, GameServerPlan, Relay},
    setup, shell, web,
};
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use shared::base::text::printable_json;
use std::{
    collections::{HashMap, HashSet, hash_map::Entry},
    net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket},
    path::PathBuf,
    process::Stdio,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Options {
    /// Uses the page that was built last.
    #[arg(long)]
    pub no_build: bool,
}

const MAX_PER_ADDRESS: usize = 3;
const PLAYERS: usize = 8;
/// A page and this many clients through WebSocket go without addresses of their own.
const PLAYERS_OF_ONE_ADDRESS: usize = 4;
/// 127.8.0.1, the address that the first player has at the real server.
const FIRST_ADDRESS: u32 = 0x7F08_0001;
const REFUSAL: &[u8] = b"\xff\xff\xff\xffprint\nToo many connections from your address.\n";

/// Who plays, by address, and how often somebody was refused.
#[derive(Debug, Default)]
struct Guests {
    admitted: HashMap<IpAddr, HashSet<u16>>,
    refused: HashSet<SocketAddr>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    setup::packages(&[setup::LOCAL_GAME, setup::TESTS])?;
    let project = setup::npm_project("web/e2e")?;
    if !options.no_build {
        web::build(true, Some("webgl"))?;
    }
    let client = shell::build("client", "strafe", true)?;
    let program = release::relay(true)?;
    let mut outcomes = Vec::new();
    for (source, players) in [
        (None, PLAYERS_OF_ONE_ADDRESS),
        (Some("127.9.0.0/16"), PLAYERS),
    ] {
        // A fresh one each, for the first game's players time out only later.
        let server = GameServer::start(&GameServerPlan {
            map: "oa_dm1",
            bots: 0,
            port: 27985,
            settings: &[("g_inactivity", "0"), ("timelimit", "0")],
        })?;
        let guests = Arc::new(Mutex::new(Guests::default()));
        let limited = limit(server.address().parse()?, guests.clone())?;
        let content = PathBuf::from("/usr/share/games/openarena");
        let sources = source.map_or_else(Vec::new, |source| vec!["--source", source]);
        let relay = Relay::start_with(
            &program,
            8190,
            &limited.to_string(),
            &[content],
            None,
            &sources,
        )?;
        let facts = json!({
            "page": relay.url(),
            "relay": format!("127.0.0.1:{}", relay.port),
            "server": limited.to_string(),
            "real": server.address(),
            "rconPassword": server.rcon_password,
            "client": client,
            "players": players,
        });
        let mut node = shell::program(
            "node",
            &[
                "--experimental-websocket",
                "--no-warnings",
                "shared_address.mjs",
                &facts.to_string(),
            ],
        );
        let output = node
            .current_dir(&project)
            .stderr(Stdio::inherit())
            .output()
            .context("cannot start node")?;
        let text = String::from_utf8_lossy(&output.stdout);
        let mut outcome: Value = serde_json::from_str(text.trim())
            .with_context(|| format!("the players report {text:?} ({})", output.status))?;
        let guests = guests
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        outcome["addresses"] = guests.admitted.len().into();
        outcome["source"] = source.unwrap_or("one for all").into();
        outcome["refused"] = guests.refused.len().into();
        outcomes.push(outcome);
    }
    report(&outcomes)
}

fn report(outcomes: &[Value]) -> Result<()> {
    let [together, apart] = outcomes else {
        bail!("one of both games is missing");
    };
    // Without addresses of their own the limit must show, else the test would prove nothing.
    let is_limited = together["in_game"] == MAX_PER_ADDRESS && together["refused"] == 1;
    let are_in = apart["in_game"] == PLAYERS && apart["addresses"] == PLAYERS;
    let passed = is_limited && are_in && apart["refused"] == 0;
    let report = format!("{:#}", json!({ "games": outcomes, "passed": passed }));
    // Names and texts in it come from the games.
    println!("{}", printable_json(&report));
    if !passed {
        bail!("not all players came in, or the limit did not hold");
    }
    Ok(())
}

/// Carries datagrams to the server, but of each address only three clients'.
fn limit(server: SocketAddr, guests: Arc<Mutex<Guests>>) -> Result<SocketAddr> {
    let front = UdpSocket::bind("127.0.0.1:0")?;
    front.set_nonblocking(true)?;
    let address = front.local_addr()?;
    thread::spawn(move || {
        let mut ways: HashMap<SocketAddr, UdpSocket> = HashMap::new();
        let mut bytes = vec![0; 65_536];
        loop {
            if let Err(error) = carry(&front, server, &mut ways, &guests, &mut bytes) {
                eprintln!("the limit before the server: {error:#}");
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
    });
    Ok(address)
}

fn carry(
    front: &UdpSocket,
    server: SocketAddr,
    ways: &mut HashMap<SocketAddr, UdpSocket>,
    guests: &Mutex<Guests>,
    bytes: &mut [u8],
) -> Result<()> {
    while let Some((from, length)) = receive(front, bytes)? {
        let mut guests = guests
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let here = guests.admitted.entry(from.ip()).or_default();
        let is_connect = bytes[..length].starts_with(b"\xff\xff\xff\xffconnect");
        if is_connect && !here.contains(&from.port()) {
            if here.len() >= MAX_PER_ADDRESS {
                guests.refused.insert(from);
                // Whoever does not hear it asks again.
                let _ = front.send_to(REFUSAL, from);
                continue;
            }
            here.insert(from.port());
        }
        guests.admitted.retain(|_, ports| !ports.is_empty());
        let count = u32::try_from(ways.len())?;
        let way = match ways.entry(from) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                // An address each: the real server answers ten questions of one address at once,
                // then one a second, and its console's count as well. Whoever gets no answer for
                // half a minute gives up.
                let way = UdpSocket::bind((Ipv4Addr::from_bits(FIRST_ADDRESS + count), 0))?;
                way.connect(server)?;
                way.set_nonblocking(true)?;
                new.insert(way)
            }
        };
        // A full socket loses a datagram, as lines do.
        let _ = way.send(&bytes[..length]);
    }
    for (player, way) in ways {
        while let Some((_, length)) = receive(way, bytes)? {
            let _ = front.send_to(&bytes[..length], player);
        }
    }
    Ok(())
}
