//! A real dedicated server behind the relay.

use std::time::Duration;

use real_servers::{GameServer, Program};
use relay::Relay;
use serde_json::Value;
use shared::base::adaptive;
use shared::net::clc::{self, ClientMessage};
use shared::net::netchan::{Netchan, Side};
use shared::net::protocol::WireForm;
use shared::net::reliable::CommandTexts;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::net::TcpStream;

use crate::world::{Browser, PATIENCE, QPORT, get, oob, relay};

/// Starts ioquake3's own server, which lets everybody in whatever paks they have.
pub fn start_ioquake3() -> GameServer {
    let arguments = ["+set", "sv_pure", "0", "+map", "oa_dm1"];
    GameServer::start(Program::Ioquake3, 0, &arguments)
}

/// Starts OpenArena's server with a map and settings.
pub fn start(map: &str, settings: &[(&str, &str)]) -> GameServer {
    let settings = settings
        .iter()
        .flat_map(|(name, value)| ["+set", name, value]);
    let arguments: Vec<&str> = settings.chain(["+map", map]).collect();
    GameServer::start(Program::OpenArena, 0, &arguments)
}

/// Loading a map takes a while on a busy machine.
pub async fn wait_until_online(relay: &Relay) {
    for _ in 0..12 {
        let servers = get(relay, "/api/servers", "").await.json();
        if servers["servers"][0]["online"] == true {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5100)).await;
    }
    panic!("the server does not answer within a minute");
}

#[tokio::test]
async fn questions_reach_a_real_server_and_come_back() {
    let game_server = start("oa_dm1", &[]);
    let server = &game_server.address();
    let relay = relay(&["--server", server]).await;

    let mut player = Browser::join(&relay, "").await;
    player.send(&oob("getinfo abc")).await;
    let text = player.answer("infoResponse").await.expect("an answer");
    assert!(text.contains("\\mapname\\oa_dm1"), "{text}");
    assert!(text.contains("\\challenge\\abc"), "{text}");

    player.send(&oob("getchallenge 4711 Quake3Arena")).await;
    let text = player
        .answer("challengeResponse")
        .await
        .expect("a challenge");
    assert!(text.ends_with(" 4711 71"), "{text}");

    let servers = get(&relay, "/api/servers", "").await.json();
    let status = &servers["servers"][0];
    assert_eq!(status["online"], true, "{servers}");
    assert_eq!(status["status"]["mapname"], "oa_dm1", "{servers}");
}

impl Browser {
    /// The text of the next datagram with this command; nothing if the relay closed.
    async fn answer(&mut self, command: &str) -> Option<String> {
        use futures_util::StreamExt;
        use tokio_tungstenite::tungstenite::Message;
        while let Some(Ok(message)) = self.socket.next().await {
            let Message::Binary(datagram) = message else {
                continue;
            };
            let text =
                String::from_utf8_lossy(datagram.strip_prefix(&[0xff; 4]).unwrap_or_default())
                    .into_owned();
            assert!(!text.starts_with("print"), "refused: {text}");
            if text.starts_with(command) {
                return Some(text);
            }
        }
        None
    }
}

/// Lets a player made of the wire's own parts in on OpenArena's server, up to the gamestate.
pub async fn enter(player: &mut Browser) -> Netchan {
    enter_as(player, WireForm::Legacy).await
}

/// The same on any server, which speaks this form of the channel.
pub async fn enter_as(player: &mut Browser, wire: WireForm) -> Netchan {
    player.send(&oob("getchallenge 4711 Quake3Arena")).await;
    let text = player.answer("challengeResponse").await.unwrap();
    let challenge: i32 = text.split(' ').nth(1).unwrap().parse().unwrap();
    // Servers let no two players of one GUID in.
    let guid = getrandom::u64().unwrap();
    let userinfo = format!(
        "\"\\challenge\\{challenge}\\qport\\{QPORT}\\protocol\\71\\rate\\25000\\snaps\\20\\cl_guid\\{guid:032X}\\name\\Reader\""
    );
    let connect = [oob("connect "), adaptive::compress(userinfo.as_bytes())].concat();
    player.send(&connect).await;
    player.answer("connectResponse").await.expect("let in");
    let side = Side::Client { qport: QPORT };
    let mut channel = Netchan::new(side, wire, challenge);
    say(player, &mut channel).await;
    channel
}

/// Sends a message without anything in it.
async fn say(player: &mut Browser, channel: &mut Netchan) {
    let key = clc::MoveKey {
        checksum_feed: 0,
        server_command: "",
    };
    let message = clc::write(&ClientMessage::default(), key).unwrap();
    for datagram in channel.send(message, &CommandTexts::new()).unwrap() {
        player.send(&datagram).await;
    }
}

/// Lines of JSON up to the one that is wanted.
async fn read_until(
    lines: &mut Lines<BufReader<TcpStream>>,
    is_wanted: impl Fn(&Value) -> bool,
) -> Vec<Value> {
    let mut seen = Vec::new();
    loop {
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await;
        let line = line.expect("a line").unwrap().expect("no end");
        // Between the lines stand the sizes of the chunks.
        match serde_json::from_str::<Value>(&line) {
            Ok(line) if line.is_object() => seen.push(line),
            _ => continue,
        }
        if seen.last().is_some_and(&is_wanted) {
            return seen;
        }
    }
}

#[tokio::test]
async fn players_read_along_in_their_own_session() {
    let game_server = start("oa_dm1", &[]);
    let server = &game_server.address();
    let relay = relay(&["--server", server, "--inspect"]).await;
    let wrong = get(&relay, "/api/inspect", "authorization: Bearer x\r\n").await;
    assert_eq!(wrong.status, 403);
    wait_until_online(&relay).await;

    let mut player = Browser::join(&relay, "").await;
    let address = relay.address();
    let mut reader = TcpStream::connect(address).await.unwrap();
    let token = player.token().to_owned();
    let request = format!(
        "GET /api/inspect HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {token}\r\n\r\n"
    );
    reader.write_all(request.as_bytes()).await.unwrap();
    let mut lines = BufReader::new(reader).lines();
    while !lines.next_line().await.unwrap().unwrap().is_empty() {}
    let mut channel = enter(&mut player).await;

    let seen = read_until(&mut lines, |line| line["ops"][0]["op"] == "gamestate").await;
    let words: Vec<_> = seen
        .iter()
        .filter_map(|line| line["out_of_band"].as_str())
        .collect();
    let handshake = [
        "getchallenge",
        "challengeResponse",
        "connect",
        "connectResponse",
    ];
    assert_eq!(words, handshake, "{seen:#?}");
    let gamestate = seen.last().unwrap();
    assert!(gamestate["datagrams"].as_u64() > Some(1), "{gamestate}");
    assert!(
        gamestate["ops"][0]["configstrings"].as_u64() > Some(10),
        "{gamestate}"
    );
    let told = gamestate["message_bytes"].as_u64().unwrap() * 8;
    let bits = gamestate["ops"][0]["bits"].as_u64().unwrap();
    // The acknowledgement and the end take 40 symbols or so.
    assert!((told - 100..told).contains(&bits), "{gamestate}");
    // What the player sends can be read once it is known how the server writes.
    say(&mut player, &mut channel).await;
    let seen = read_until(&mut lines, |line| line["from"] == "player").await;
    assert_eq!(seen.last().unwrap()["sequence"], 2, "{seen:#?}");
    assert_eq!(seen.last().unwrap()["acknowledged_message"], 0);
}
