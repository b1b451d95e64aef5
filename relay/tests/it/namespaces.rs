//! An address of its own for each player out of an IPv6 prefix: a relay and a real server in network
//! namespaces, with the route between them that relay/README.md tells operators to set.

use std::collections::BTreeSet;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;
use tokio::time::{sleep, timeout};

use crate::real_server::enter;
use crate::world::{Browser, PATIENCE, Program, ask_at, connect_at};

const PLAYERS: usize = 8;
const PREFIX: &str = "2001:db8:5:5::";
const GAME: &str = "fd00:7e57::2";

/// Runs `ip` with these words; what it complains of as an error.
fn ip(words: &str) -> Result<(), String> {
    let output = std::process::Command::new("ip")
        .args(words.split(' '))
        .output()
        .map_err(|error| format!("`ip` does not start: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}

/// A network for the relay, one for the server, and lines from us to the first and on to the second.
struct Networks {
    relay: String,
    game: String,
    /// The relay's address as we see it.
    relay_address: String,
}

impl Networks {
    /// An error where this machine lets us have no namespaces.
    fn build() -> Result<Self, String> {
        let process = std::process::id();
        let networks = Self {
            relay: format!("strafe-relay-{process}"),
            game: format!("strafe-game-{process}"),
            relay_address: format!("198.18.{}.2", process % 256),
        };
        ip(&format!("netns add {}", networks.relay))?;
        networks.connect(process).unwrap();
        Ok(networks)
    }

    fn connect(&self, process: u32) -> Result<(), String> {
        let (relay, game) = (&self.relay, &self.game);
        let (own, there) = (format!("strafe{process}"), &self.relay_address);
        let here = format!("198.18.{}.1", process % 256);
        for words in [
            format!("netns add {game}"),
            format!("-n {relay} link set lo up"),
            format!("-n {game} link set lo up"),
            format!("link add {own} type veth peer name pages netns {relay}"),
            format!("-n {relay} link add game type veth peer name relay netns {game}"),
            format!("addr add {here}/30 dev {own}"),
            format!("link set {own} up"),
            format!("-n {relay} addr add {there}/30 dev pages"),
            format!("-n {relay} link set pages up"),
            format!("-n {relay} addr add fd00:7e57::1/64 dev game nodad"),
            format!("-n {relay} link set game up"),
            format!("-n {game} addr add {GAME}/64 dev relay nodad"),
            format!("-n {game} link set relay up"),
            // What the README asks operators for, and what their network does for them.
            format!("-n {relay} route add local {PREFIX}/64 dev lo"),
            format!("netns exec {relay} sysctl -q -w net.ipv6.ip_nonlocal_bind=1"),
            format!("-n {game} route add {PREFIX}/64 via fd00:7e57::1"),
        ] {
            ip(&words).map_err(|error| format!("`ip {words}`: {error}"))?;
        }
        Ok(())
    }
}

impl Drop for Networks {
    fn drop(&mut self) {
        for name in [&self.relay, &self.game] {
            // Their devices go with them.
            let _ = ip(&format!("netns delete {name}"));
        }
    }
}

#[tokio::test]
async fn each_player_has_an_address_of_an_ipv6_prefix() {
    let networks = match Networks::build() {
        Ok(networks) => networks,
        Err(reason) => {
            println!("NOT RUN: no network namespaces here ({reason}); root with iproute2 has them");
            return;
        }
    };
    let home = std::env::temp_dir().join(format!("strafe-namespaces-{}", std::process::id()));
    let mut server = Command::new("ip")
        .args(["netns", "exec", &networks.game, real_servers::OPENARENA])
        .args(["+set", "fs_homepath", home.to_str().unwrap()])
        .args(["+set", "net_enabled", "2", "+set", "net_ip6", GAME])
        .args(["+set", "net_port6", "27960", "+set", "dedicated", "1"])
        .args(["+set", "ttycon", "0", "+set", "sv_maxclients", "12"])
        .args(["+map", "oa_dm1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("/usr/games/openarena-server starts (Debian: apt-get install openarena-server)");
    let mut console = server.stdin.take().unwrap();
    let mut lines = BufReader::new(server.stderr.take().unwrap()).lines();
    let mut inside = Command::new("ip");
    inside
        .args(["netns", "exec", &networks.relay])
        .arg(env!("CARGO_BIN_EXE_strafe-relay"))
        .args(["--server", &format!("[{GAME}]:27960")])
        .args(["--source", &format!("{PREFIX}/64")]);
    let listen = format!("{}:8080", networks.relay_address);
    let relay = Program::start(inside, &["--listen", &listen]).await;
    let is_online = async {
        loop {
            let servers = ask_at(relay.address, "GET", "/api/servers", "").await;
            if servers.json()["servers"][0]["online"] == true {
                break;
            }
            sleep(Duration::from_secs(1)).await;
        }
    };
    timeout(6 * PATIENCE, is_online)
        .await
        .expect("the server answers over IPv6");

    let mut players = Vec::new();
    for _ in 0..PLAYERS {
        let socket = connect_at(relay.address, "", &[]).await.unwrap();
        let mut player = Browser::open(socket).await;
        enter(&mut player).await;
        players.push(player);
    }
    console.write_all(b"status\n").await.unwrap();
    let mut addresses = BTreeSet::new();
    let mut said = Vec::new();
    while addresses.len() < PLAYERS {
        let line = timeout(PATIENCE, lines.next_line()).await;
        let line = line.unwrap_or_else(|_| panic!("only {addresses:?}: {said:#?}"));
        let line = line.unwrap().expect("the server runs");
        // The list gives it a colour by two characters.
        let address = line.find(PREFIX).map(|at| &line[at..]);
        let address = address.and_then(|text| text.split(' ').next());
        addresses.extend(address.map(str::to_owned));
        said.push(line);
    }
    println!("the server's status lists {addresses:?}");
    server.kill().await.unwrap();
    let _ = std::fs::remove_dir_all(home);
}
