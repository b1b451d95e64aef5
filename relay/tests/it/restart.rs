//! A relay that is killed or restarted in the midst of a match: its players go on where they were.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use real_servers::GameServer;
use relay::config::Config;
use serde_json::{Value, json};
use shared::base::info::Info;
use shared::base::time::{ClientTime, ServerTime};
use shared::net::clc::{self, ClientMessage, MoveKey, Movement};
use shared::net::netchan::Netchan;
use shared::net::protocol::WireForm;
use shared::net::reliable::CommandTexts;
use shared::net::svc::{Command as ReliableCommand, Decoder, Origin, ServerOp};
use shared::types::configstring::index::SYSTEMINFO;
use shared::types::usercmd::Usercmd;
use tokio::net::UdpSocket;
use tokio::process::Command;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::abuse::count;
use crate::folder::Folder;
use crate::play::deferred_disconnect;
use crate::real_server::{enter_as, start_ioquake3};
use crate::world::{
    Browser, PATIENCE, Program, Server, connect_at, connect_by_token, oob, relay, token_refusal,
};

/// A folder in which a relay makes the one for its state.
struct StateFolder(Folder);

impl StateFolder {
    fn new(name: &str) -> Self {
        Self(Folder::new(name))
    }

    fn path(&self) -> String {
        self.0.path("state")
    }

    fn file(&self) -> PathBuf {
        self.0.0.join("state/sessions.json")
    }

    fn read(&self) -> Value {
        let text = std::fs::read_to_string(self.file()).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    /// Waits until the file is as it should be.
    async fn wait_until(&self, is_good: impl Fn(&Value) -> bool) {
        let begun = Instant::now();
        while !is_good(&self.read()) {
            assert!(begun.elapsed() < PATIENCE, "{}", self.read());
            sleep(Duration::from_millis(20)).await;
        }
    }
}

/// What a page says to leave a farewell with the relay.
const FAREWELL: &str = r#"{"deferred_disconnect":["010000000700aabb"]}"#;

/// A player in a match on a real server.
struct Player {
    browser: Browser,
    channel: Netchan,
    decoder: Decoder,
    own_commands: CommandTexts,
    server_commands: CommandTexts,
    time: ServerTime,
}

impl Player {
    async fn enter(mut browser: Browser) -> Self {
        let channel = enter_as(&mut browser, WireForm::Modern).await;
        let mut player = Self {
            browser,
            decoder: Decoder::new(Origin::Connection(channel.wire())),
            channel,
            own_commands: CommandTexts::new(),
            server_commands: CommandTexts::new(),
            time: ServerTime(0),
        };
        player.play(10).await;
        player
    }

    /// Moves until so many snapshots have come.
    async fn play(&mut self, snapshots: usize) {
        let playing = async {
            for _ in 0..snapshots {
                let before = self.time;
                while self.time == before {
                    self.say(Vec::new(), 0).await;
                    self.hear().await;
                }
            }
        };
        timeout(3 * PATIENCE, playing).await.expect("snapshots");
    }

    /// Reads what comes within the time of one snapshot.
    async fn hear(&mut self) {
        let next = timeout(Duration::from_millis(50), self.browser.socket.next()).await;
        let Ok(message) = next else { return };
        let Message::Binary(datagram) = message.expect("no end").unwrap() else {
            return;
        };
        let received = self
            .channel
            .receive(ClientTime(0), &datagram, &self.own_commands);
        let Ok(Some(received)) = received else { return };
        let newest = self.own_commands.newest();
        let message = self
            .decoder
            .read(received.sequence, &received.bytes, newest)
            .unwrap();
        for op in &message.ops {
            match op {
                ServerOp::Command(command) => {
                    assert!(!command.text.starts_with("disconnect"), "{}", command.text);
                    self.server_commands.insert(command.number, &command.text);
                }
                ServerOp::Gamestate(gamestate) => {
                    self.server_commands
                        .set_newest(gamestate.server_command_num);
                }
                ServerOp::Snapshot(snapshot) => self.time = snapshot.server_time,
                _ => {}
            }
        }
    }

    /// Sends where the player is, and these commands; from a later message on if `ahead` is not 0.
    async fn say(&mut self, commands: Vec<ReliableCommand>, ahead: i32) -> Vec<Vec<u8>> {
        let gamestate = self.decoder.gamestate();
        let systeminfo = Info::parse(gamestate.configstrings.get(SYSTEMINFO));
        let is_moving = self.channel.incoming() > 0;
        let command_ack = self.server_commands.newest();
        let usercmd = Usercmd {
            server_time: self.time,
            ..Usercmd::default()
        };
        let message = ClientMessage {
            server_id: systeminfo.number("sv_serverid"),
            message_ack: self.channel.incoming(),
            command_ack,
            commands,
            movement: Movement {
                allows_delta: false,
                usercmds: if is_moving { vec![usercmd] } else { Vec::new() },
            },
        };
        let key = MoveKey {
            checksum_feed: gamestate.checksum_feed,
            server_command: self.server_commands.get(command_ack),
        };
        let message = clc::write(&message, key).unwrap();
        if ahead > 0 {
            let mut later = self.channel.clone();
            later.skip(ahead);
            return later.send(message, &self.server_commands).unwrap();
        }
        for datagram in self.channel.send(message, &self.server_commands).unwrap() {
            self.browser.send(&datagram).await;
        }
        Vec::new()
    }

    /// Leaves a farewell with the relay, as pages do.
    async fn deposit(&mut self) {
        let command = ReliableCommand {
            number: self.own_commands.newest() + 1,
            text: "disconnect".to_owned(),
        };
        let datagrams = self.say(vec![command], 1000).await;
        self.browser.say(&deferred_disconnect(&datagrams)).await;
    }

    /// Comes back by the token, as soon as there is somebody to come back to.
    async fn resume(&mut self, relay: SocketAddr) {
        let begun = Instant::now();
        let socket = loop {
            match connect_by_token(relay, self.browser.token()).await {
                Ok(socket) => break socket,
                Err(error) => assert!(begun.elapsed() < PATIENCE, "{error}"),
            }
            sleep(Duration::from_millis(50)).await;
        };
        self.browser = Browser::open(socket).await;
        assert_eq!(self.browser.open["resumed"], true);
    }
}

async fn start(server: &GameServer, state: &StateFolder, listen: &str) -> Program {
    let command = Command::new(env!("CARGO_BIN_EXE_strafe-relay"));
    let (name, folder) = (server.address(), state.path());
    let told = ["--server", &name, "--state", &folder, "--hold", "6"];
    Program::start(command, &[&told[..], &["--listen", listen]].concat()).await
}

/// How many players the server has, by its own account.
async fn players(server: &GameServer) -> usize {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket.connect(server.address()).await.unwrap();
    let mut buffer = [0; 4096];
    for _ in 0..50 {
        socket.send(&oob("getstatus")).await.unwrap();
        let heard = timeout(Duration::from_millis(400), socket.recv(&mut buffer)).await;
        if let Ok(Ok(size)) = heard {
            // A head, the settings, and a line for each player.
            let text = String::from_utf8_lossy(&buffer[..size]);
            return text.trim_end().lines().count() - 2;
        }
    }
    panic!("the server tells no status");
}

#[tokio::test]
async fn a_killed_relay_comes_back_and_its_players_are_in_the_game() {
    let server = start_ioquake3();
    let state = StateFolder::new("killed");
    let relay = start(&server, &state, "127.0.0.1:0").await;
    let address = relay.address;
    let join = async || Browser::open(connect_at(address, "", &[]).await.unwrap()).await;
    let mut stays = Player::enter(join().await).await;
    let mut leaves = Player::enter(join().await).await;
    leaves.deposit().await;
    let has_all = |saved: &Value| {
        let text = saved.to_string();
        let mut sessions = saved["sessions"].as_array().into_iter().flatten();
        text.contains(stays.browser.token())
            && text.contains(leaves.browser.token())
            && sessions.any(|session| session["deferred_disconnect"][0].is_string())
    };
    state.wait_until(has_all).await;
    check_private(&state.file());
    assert_eq!(players(&server).await, 2);

    relay.kill().await;
    let relay = start(&server, &state, &address.to_string()).await;
    stays.resume(relay.address).await;
    let before = stays.time;
    stays.play(20).await;
    assert!(stays.time.0 > before.0, "{:?} after {before:?}", stays.time);
    let count = players(&server).await;
    assert_eq!(count, 2, "one is in the game, one is waited for");
    // The other one never comes back: the server hears of it when that is certain.
    let begun = Instant::now();
    while players(&server).await > 1 {
        assert!(begun.elapsed() < 3 * PATIENCE, "the ghost stays");
        stays.play(10).await;
    }
    stays.play(10).await;
    let log = relay.kill().await;
    let is_told = |line: &String| line.contains("wait for their players");
    assert!(log.iter().any(is_told), "{log:?}");
}

#[tokio::test]
async fn whose_port_is_taken_meanwhile_goes_on_by_another() {
    let server = start_ioquake3();
    let state = StateFolder::new("port");
    let relay = start(&server, &state, "127.0.0.1:0").await;
    let address = relay.address;
    let browser = Browser::open(connect_at(address, "", &[]).await.unwrap()).await;
    let mut player = Player::enter(browser).await;
    let local = |saved: &Value| saved["sessions"][0]["local"].as_str().map(str::to_owned);
    state.wait_until(|saved| local(saved).is_some()).await;
    relay.kill().await;
    let before = local(&state.read()).unwrap();
    let _taken = UdpSocket::bind(&before).await.unwrap();
    let relay = start(&server, &state, &address.to_string()).await;
    player.resume(relay.address).await;
    player.play(20).await;
    assert_eq!(players(&server).await, 1, "nobody stands beside the player");
    let is_elsewhere = |saved: &Value| local(saved).is_some_and(|now| now != before);
    state.wait_until(is_elsewhere).await;
    relay.kill().await;
}

#[cfg(unix)]
fn check_private(file: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(file), 0o600);
    assert_eq!(mode(file.parent().unwrap()), 0o700);
}

#[tokio::test]
async fn a_relay_that_stops_leaves_its_players_to_the_next_run() {
    let server = Server::start().await;
    let state = StateFolder::new("stopped");
    let options = ["--server", &server.name, "--state", &state.path()];
    let first = relay(&options).await;
    let mut player = Browser::join(&first, "").await;
    let seat = server.admit(&mut player).await;
    let mut connecting = Browser::join(&first, "").await;
    player.say(FAREWELL).await;
    player.ping(1).await;
    first.stop("A new version.").await;
    let told = "A new version.".to_owned();
    assert_eq!(player.read_close().await, (1012, told));
    let code = connecting.read_close().await.0;
    assert_eq!(code, 1001, "it has nothing to come back to");
    assert_eq!(server.receive_play_soon().await, None, "no farewell");

    let second = relay(&options).await;
    assert_eq!(count(&second, "sessions_held").await, 1);
    let mut back = Browser::resume(&second, player.token()).await;
    back.send_channel(2, b"up").await;
    server.expect_channel(seat, 2, b"up").await;
    server.send_channel(seat, 9, b"down").await;
    back.expect_channel(9, b"down").await;
    // Whoever leaves for good has left for the next run too, and the server hears the farewell.
    back.say(r#"{"bye":true}"#).await;
    let farewell = server.receive_play().await.0;
    assert_eq!(farewell[..4], [1, 0, 0, 0]);
    let is_empty = |saved: &Value| saved["sessions"] == json!([]);
    state.wait_until(is_empty).await;
    second.stop("Once more.").await;
    let third = relay(&options).await;
    assert_eq!(count(&third, "sessions_held").await, 0);
}

#[tokio::test]
async fn what_is_damaged_old_or_forged_lets_nobody_in() {
    let server = Server::start().await;
    let state = StateFolder::new("forged");
    let folder = state.path();
    let told = ["--server", &server.name, "--state", &folder];
    let options = [&told[..], &["--hold", "20"]].concat();
    let first = relay(&options).await;
    let mut player = Browser::join(&first, "").await;
    server.admit(&mut player).await;
    player.say(FAREWELL).await;
    let has_farewell = |saved: &Value| saved["sessions"][0]["deferred_disconnect"][0].is_string();
    state.wait_until(has_farewell).await;
    first.stop("It ends.").await;
    let good = std::fs::read(state.file()).unwrap();
    let told = async |token: &str| {
        let relay = relay(&options).await;
        let (code, _) = token_refusal(&relay, token).await;
        relay.stop("It ends.").await;
        code
    };
    // Files that are cut off, of another version, or none at all.
    let text = String::from_utf8(good.clone()).unwrap();
    let other = text.replace("\"version\":1", "\"version\":2").into_bytes();
    for damaged in [&good[..good.len() / 2], &other, b"\xff\xfe", b"", b"[]"] {
        std::fs::write(state.file(), damaged).unwrap();
        assert_eq!(told(player.token()).await, 4008);
    }
    // Nobody has carried it for a minute: the player has given up, and the server hears so.
    let mut old: Value = serde_json::from_slice(&good).unwrap();
    let saved_at = old["saved_at"]["secs_since_epoch"].as_u64().unwrap();
    old["saved_at"]["secs_since_epoch"] = (saved_at - 60).into();
    std::fs::write(state.file(), old.to_string()).unwrap();
    assert_eq!(told(player.token()).await, 4008);
    let farewell = server.receive_play().await.0;
    assert_eq!(farewell[..4], [1, 0, 0, 0]);
    // A token that nobody was given.
    std::fs::write(state.file(), &good).unwrap();
    let forged = format!("{:x<32}", &player.token()[..31]);
    assert_eq!(told(&forged).await, 4008);
    // Two relays do not share one folder.
    let first = relay(&options).await;
    let fixed = ["strafe-relay", "--listen", "127.0.0.1:0"];
    let config = <Config as clap::Parser>::parse_from(fixed.iter().chain(&options));
    let refused = relay::start(config).await.expect_err("an error");
    let refused = refused.to_string();
    let reason = "another relay uses this folder";
    assert!(refused.contains(reason), "{refused}");
    first.stop("It ends.").await;
}
