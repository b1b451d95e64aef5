//! What goes wrong on purpose: hang-ups at every stage, readers who do not read, no more open files,
//! crowds that never enter a game. Everybody else goes on, and all places come back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::stream::FuturesUnordered;
use futures_util::{SinkExt, StreamExt};
use relay::Relay;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::process::Command;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use crate::abuse::{count, stream_from, wait_for};
use crate::folder::Folder;
use crate::world::{
    Browser, PATIENCE, Program, Server, ask_at, connect, connect_at, get, listed, oob, refusal,
    relay,
};

/// What makes a request one for a WebSocket.
pub const UPGRADE: &str = "connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";

/// The head of a request.
fn head(path: &str, lines: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{lines}\r\n")
}

/// A folder of games with a pak that takes no room on the disk.
fn with_big_pak(name: &str) -> Folder {
    let folder = Folder::new(name);
    folder.make("baseoa");
    let pak = std::fs::File::create(folder.0.join("baseoa/big.pk3")).unwrap();
    pak.set_len(64 << 20).unwrap();
    folder
}

const BIG_PAK: &str = "/content/baseoa/big.pk3";

/// Joins from an address of its own.
async fn join_from(relay: &Relay, number: u32) -> Browser {
    let stream = stream_from(relay, number).await.unwrap();
    let request = format!("ws://{}/ws", relay.address());
    let request = request.into_client_request().unwrap();
    let stream = tokio_tungstenite::MaybeTlsStream::Plain(stream);
    Browser::open(client_async(request, stream).await.unwrap().0).await
}

#[tokio::test]
async fn whoever_hangs_up_on_a_list_stops_nothing() {
    let game = Arc::new(UdpSocket::bind("127.0.0.1:0").await.unwrap());
    let name = game.local_addr().unwrap().to_string();
    let questions = Arc::new(AtomicUsize::new(0));
    let answering = {
        let (game, questions) = (game.clone(), questions.clone());
        tokio::spawn(async move {
            let mut buffer = [0; 2048];
            loop {
                let (size, from) = game.recv_from(&mut buffer).await.unwrap();
                questions.fetch_add(1, Ordering::Relaxed);
                let text = String::from_utf8_lossy(&buffer[4..size]).into_owned();
                let (word, token) = text.split_once(' ').unwrap();
                let kind = match word {
                    "getinfo" => "infoResponse",
                    _ => "statusResponse",
                };
                // Farther away than those who hang up wait.
                sleep(Duration::from_millis(30)).await;
                let answer = oob(&format!("{kind}\n\\challenge\\{token}\\mapname\\q\n"));
                game.send_to(&answer, from).await.unwrap();
            }
        })
    };
    let relay = relay(&["--server", &name]).await;
    for number in 0..40 {
        let mut stream = stream_from(&relay, number).await.unwrap();
        let question = head("/api/servers", "");
        stream.write_all(question.as_bytes()).await.unwrap();
        sleep(Duration::from_millis(8)).await;
        drop(stream);
    }
    let list = get(&relay, "/api/servers", "").await.json();
    assert_eq!(list["servers"][0]["online"], true, "{list}");
    assert_eq!(questions.load(Ordering::Relaxed), 2, "one round for all");
    answering.abort();
}

#[tokio::test]
async fn hang_ups_at_every_stage_give_their_places_back() {
    let folder = with_big_pak("chaos");
    let (server, relay) = listed(&["--content", &folder.path("")]).await;
    let (upgrade, whole) = (head("/ws", UPGRADE), head(BIG_PAK, ""));
    let part = "GET / HTTP/1.1\r\nhost: x\r\n";
    let stages = ["", "GET / HT", part, &upgrade, &whole];
    for (number, stage) in stages.iter().cycle().take(100).enumerate() {
        let mut stream = stream_from(&relay, number as u32).await.unwrap();
        stream.write_all(stage.as_bytes()).await.unwrap();
        if number % 2 == 0 {
            // Some wait for the answer's beginning, some do not.
            let _ = timeout(Duration::from_millis(5), stream.read(&mut [0; 64])).await;
        }
        if number % 3 == 0 {
            // An end that the other side hears at once, instead of one that it finds.
            stream.set_zero_linger().unwrap();
        }
    }
    // What asks counts itself.
    wait_for(&relay, "connections", 0..=1).await;
    wait_for(&relay, "sessions", 0..=0).await;
    let mut player = Browser::join(&relay, "").await;
    server.admit(&mut player).await;
}

#[tokio::test]
async fn readers_who_do_not_read_lose_their_places_and_slow_ones_do_not() {
    let folder = with_big_pak("readers");
    let content = folder.path("");
    let relay = relay(&["--content", &content, "--max-connections", "12"]).await;
    let begin = async |number| {
        let mut stream = stream_from(&relay, number).await.unwrap();
        let question = head(BIG_PAK, "");
        stream.write_all(question.as_bytes()).await.unwrap();
        stream
    };
    // A phone on a bad day: 16 kB each second, for longer than anybody is waited for.
    let mut slow = begin(100).await;
    let mut readers = Vec::new();
    for number in 0..11 {
        readers.push(begin(number).await);
    }
    let mut taken = 0;
    let mut space = vec![0; 16 * 1024];
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(20) {
        taken += slow.read(&mut space).await.unwrap();
        sleep(Duration::from_millis(1000)).await;
    }
    assert!(taken > 100_000, "the slow one goes on: {taken} bytes");
    let health = get(&relay, "/healthz", "").await;
    assert_eq!(health.status, 200, "the others have lost their places");
    wait_for(&relay, "connections", 0..=2).await;
}

#[tokio::test]
async fn refused_players_count_until_they_are_gone() {
    let (server, relay) = listed(&["--max-connections-per-address", "20"]).await;
    let mut refused = Vec::new();
    for _ in 0..60 {
        let Ok(mut stream) = stream_from(&relay, 7).await else {
            continue;
        };
        let head = head("/ws?server=1.2.3.4:5", UPGRADE);
        let _ = stream.write_all(head.as_bytes()).await;
        refused.push(stream);
    }
    sleep(Duration::from_millis(300)).await;
    let open = count(&relay, "connections").await;
    assert!(open <= 21, "{open} connections of one address");
    assert!(count(&relay, "connections_refused_total").await >= 40);
    let mut player = Browser::join(&relay, "").await;
    server.admit(&mut player).await;
    wait_for(&relay, "connections", 0..=1).await;
}

#[tokio::test]
async fn whoever_never_enters_a_game_gives_way() {
    let (server, relay) = listed(&["--max-sessions", "4"]).await;
    // One plays, one may come back, two only sit there.
    let mut playing = join_from(&relay, 1).await;
    server.admit(&mut playing).await;
    let mut away = join_from(&relay, 2).await;
    server.admit(&mut away).await;
    let token = away.token().to_owned();
    drop(away);
    let mut idle = [join_from(&relay, 3).await, join_from(&relay, 4).await];
    let code = refusal(&relay, "").await.0;
    assert_eq!(code, 4003, "nobody has sat there for long");
    sleep(Duration::from_millis(2100)).await;
    let mut newcomer = Browser::join(&relay, "").await;
    let (code, reason) = idle[0].read_close().await;
    assert_eq!(code, 4003, "{reason}");
    server.admit(&mut newcomer).await;
    // Whoever may come back finds their seat.
    assert_eq!(Browser::resume(&relay, &token).await.open["resumed"], true);
    playing.ping(1).await;
}

#[tokio::test]
async fn an_evening_of_friends_behind_one_router() {
    let (server, relay) = listed(&[]).await;
    // All at once, and each page tries both transports.
    let mut coming: FuturesUnordered<_> = (0..60)
        .map(|_| async { Browser::join(&relay, "").await })
        .collect();
    let mut friends = Vec::new();
    while let Some(mut browser) = coming.next().await {
        match friends.len() < 30 {
            true => {
                server.admit(&mut browser).await;
                friends.push(browser);
            }
            false => browser.say(r#"{"bye":true}"#).await,
        }
    }
    // Their line breaks, and all come back.
    let tokens: Vec<String> = friends.iter().map(|one| one.token().to_owned()).collect();
    drop(friends);
    let mut back = Vec::new();
    for token in &tokens {
        back.push(Browser::resume(&relay, token).await);
    }
    assert_eq!(count(&relay, "sessions").await, 30);
}

#[tokio::test]
async fn floods_of_every_kind_end_their_session() {
    let (_server, relay) = listed(&[]).await;
    let part = |kind| Message::Frame(Frame::message(Vec::new(), OpCode::Data(kind), false));
    let kinds = [
        Message::Text(r#"{"ping":1}"#.into()),
        Message::Pong(Vec::new().into()),
        Message::Binary(vec![1, 0, 0, 0, 1, 1, 7].into()),
        // Parts of a message that never ends.
        part(Data::Continue),
    ];
    for kind in kinds {
        let mut socket = connect(&relay, "", &[]).await.unwrap();
        let begun = Instant::now();
        let flood = async {
            if matches!(kind, Message::Frame(_)) {
                socket.feed(part(Data::Binary)).await.unwrap();
            }
            for _ in 0..200_000 {
                if socket.feed(kind.clone()).await.is_err() {
                    break;
                }
            }
            let _ = socket.flush().await;
            let mut code = None;
            while let Some(Ok(message)) = socket.next().await {
                if let Message::Close(Some(frame)) = message {
                    code = Some(u16::from(frame.code));
                }
            }
            code
        };
        let ended = timeout(PATIENCE, flood).await.expect("an end");
        // The reason may be lost in the flood, but not the end.
        let is_told = matches!(ended, None | Some(4010 | 4006));
        assert!(is_told, "{kind:?}: {ended:?}");
        // Far from reading it as fast as it comes, the relay rests in between.
        if !matches!(kind, Message::Frame(_)) {
            assert!(begun.elapsed() >= Duration::from_millis(300), "{kind:?}");
        }
    }
    assert!(count(&relay, "floods_ended_total").await >= 2);
    wait_for(&relay, "sessions", 0..=0).await;
    // A page that says something now and then is no flood.
    let mut player = Browser::join(&relay, "").await;
    for number in 0..60 {
        player.ping(number).await;
    }
}

#[tokio::test]
async fn foreign_hosts_are_sent_away() {
    let (_server, relay) = listed(&["--host", "play.example.org"]).await;
    let ask = async |path: &str, host: &str| {
        let mut stream = TcpStream::connect(relay.address()).await.unwrap();
        let head = format!(
            "GET {path} HTTP/1.1\r\nhost: {host}\r\norigin: http://{host}\r\n{UPGRADE}\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        status_of(&mut stream).await
    };
    for path in ["/ws", "/metrics", "/api/inspect"] {
        assert_eq!(ask(path, "evil.example:8080").await, "421", "{path}");
    }
    assert_eq!(ask("/ws", "play.example.org").await, "101");
    assert_eq!(ask("/ws", "localhost:8080").await, "101");
    assert_eq!(ask("/metrics", "127.0.0.1").await, "200");
    // What pages of all origins may have, and what monitors ask.
    assert_eq!(ask("/api/servers", "evil.example").await, "200");
    assert_eq!(ask("/healthz", "any").await, "200");
    assert_eq!(count(&relay, "foreign_hosts_total").await, 3);
}

#[tokio::test]
async fn few_open_files_are_kept_for_players() {
    let server = Server::start().await;
    // A shell that allows 300, of which 2 × 40 + 128 belong to the game.
    let mut command = Command::new("sh");
    let relay = env!("CARGO_BIN_EXE_strafe-relay");
    command.args(["-c", "ulimit -n 300; exec \"$@\"", "sh", relay]);
    let players = ["--max-sessions", "40", "--server", &server.name];
    let options = [&players[..], &["--no-webtransport"]].concat();
    let relay = Program::start_anywhere(command, &options).await;
    let address = relay.address;
    let mut open = Vec::new();
    for number in 0..400_u32 {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        let own = std::net::Ipv4Addr::from(0x7f03_0001 + 256 * number);
        socket.bind((own, 0).into()).unwrap();
        if let Ok(stream) = socket.connect(address).await {
            open.push(stream);
        }
    }
    drop(open.split_off(20));
    sleep(Duration::from_millis(200)).await;
    let mut players = Vec::new();
    for _ in 0..10 {
        let mut player = Browser::open(connect_at(address, "", &[]).await.unwrap()).await;
        server.admit(&mut player).await;
        players.push(player);
    }
    assert_eq!(ask_at(address, "GET", "/healthz", "").await.status, 200);
    let lines = relay.kill().await;
    let is_error = |line: &String| line.contains("cannot accept");
    assert!(!lines.iter().any(is_error), "{lines:?}");
}

/// Asks for the whole of a pak through a proxy, and reads nothing of it.
async fn ask_through_proxy(relay: &Relay, user: &str) -> TcpStream {
    let mut stream = TcpStream::connect(relay.address()).await.unwrap();
    let head = head(BIG_PAK, &format!("x-forwarded-for: {user}\r\n"));
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

async fn status_of(stream: &mut TcpStream) -> String {
    let mut answer = [0; 12];
    let read = timeout(PATIENCE, stream.read_exact(&mut answer)).await;
    read.expect("an answer").unwrap();
    String::from_utf8_lossy(&answer[9..]).into_owned()
}

const CONNECTIONS: &str = "--max-connections-per-address";
const SESSIONS: &str = "--max-sessions-per-address";

#[tokio::test]
async fn networks_of_ipv6_have_quotas_for_requests_and_for_sessions() {
    let folder = with_big_pak("networks");
    let content = folder.path("");
    let options = [
        ["--content", &content, "--proxy", "127.0.0.1"],
        ["--max-connections", "400", "--max-sessions", "40"],
        // Of each address.
        [CONNECTIONS, "20", SESSIONS, "8"],
    ]
    .concat();
    let (server, relay) = listed(&options).await;
    // All addresses of one network of 64 bits, then all such networks of one of 48 bits.
    let mut open = Vec::new();
    let mut count_good = async |user: &dyn Fn(u32) -> String| {
        let mut good = 0;
        for number in 0..120 {
            let mut stream = ask_through_proxy(&relay, &user(number)).await;
            good += usize::from(status_of(&mut stream).await == "200");
            open.push(stream);
        }
        good
    };
    let good = count_good(&|number| format!("2001:db8:1:2::{number:x}")).await;
    assert_eq!(good, 20);
    let good = count_good(&|number| format!("2001:db8:1:{number:x}00::1")).await;
    assert_eq!(good, 60);
    let mut other = ask_through_proxy(&relay, "2a00:1::1").await;
    assert_eq!(status_of(&mut other).await, "200");
    drop(open);

    let join = async |user: &str| {
        let lines = [("x-forwarded-for", user)];
        connect(&relay, "", &lines).await.unwrap()
    };
    let mut sockets = Vec::new();
    let mut sessions = 0;
    for number in 0..24_u32 {
        let mut socket = join(&format!("2001:db8:7:{number:x}00::1")).await;
        let text = socket.next().await.unwrap().unwrap().into_text().unwrap();
        sessions += usize::from(text.contains("\"open\""));
        sockets.push(socket);
    }
    assert_eq!(sessions, 20, "half of all");
    let mut player = Browser::open(join("2a00:1::1").await).await;
    server.admit(&mut player).await;
}

#[tokio::test]
async fn whoever_holds_all_connections_gives_way_to_newcomers() {
    let (server, relay) = listed(&["--max-connections", "40"]).await;
    // Whatever they do, none of them breaks a rule.
    let (upgrade, health) = (head("/ws", UPGRADE), head("/healthz", ""));
    let stages = ["", "GET / HT", &upgrade, &health];
    let mut held = Vec::new();
    for number in 0..80 {
        let Ok(mut stream) = stream_from(&relay, number / 20).await else {
            continue;
        };
        let stage = stages[number as usize % 4];
        let _ = stream.write_all(stage.as_bytes()).await;
        held.push(stream);
    }
    sleep(Duration::from_millis(200)).await;
    for number in 0..4 {
        let mut player = join_from(&relay, 70_000 + 256 * number).await;
        server.admit(&mut player).await;
        player.ping(1).await;
    }
    assert_eq!(get(&relay, "/healthz", "").await.status, 200);
    let open = count(&relay, "connections").await;
    assert!(open <= 41, "{open} connections");
}
