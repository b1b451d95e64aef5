//! Two relays behind a real HAProxy with the configuration that operators get.

use std::net::Ipv4Addr;
use std::process::Stdio;
use std::time::Duration;

use relay::Relay;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixStream};
use tokio::process::{Child, Command};
use tokio::time::sleep;
use tokio_tungstenite::MaybeTlsStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use crate::folder::Folder;
use crate::world::{Browser, Seat, Server, get, relay};

const CONFIGURATION: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/deploy/haproxy.cfg");
const PLAYERS: u32 = 200;
const NEWCOMERS: u32 = 50;

/// HAProxy in front of two relays, with a socket for its operator.
struct Proxy {
    _child: Child,
    address: String,
    folder: Folder,
}

impl Proxy {
    async fn start(relays: [&Relay; 2]) -> Self {
        let probe = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = probe.local_addr().unwrap().to_string();
        drop(probe);
        let folder = Folder::new("haproxy");
        let (more, socket) = (folder.path("operator.cfg"), folder.path("operator.sock"));
        let line = format!("global\n    stats socket {socket} level admin\n");
        folder.write("operator.cfg", line.as_bytes());
        let child = Command::new("/usr/sbin/haproxy")
            .args(["-db", "-f", CONFIGURATION, "-f", &more])
            .env("STRAFE_BIND", &address)
            .env("STRAFE_RELAY_A", relays[0].address().to_string())
            .env("STRAFE_RELAY_B", relays[1].address().to_string())
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("/usr/sbin/haproxy starts (Debian: apt-get install haproxy)");
        let proxy = Self {
            _child: child,
            address,
            folder,
        };
        for _ in 0..100 {
            if TcpStream::connect(&proxy.address).await.is_ok() {
                return proxy;
            }
            sleep(Duration::from_millis(50)).await;
        }
        panic!("HAProxy does not listen on {}", proxy.address);
    }

    /// What an operator types.
    async fn order(&self, line: &str) -> String {
        let socket = self.folder.path("operator.sock");
        let mut stream = UnixStream::connect(socket).await.unwrap();
        let line = format!("{line}\n");
        stream.write_all(line.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer.trim().to_owned()
    }

    /// A page from an address of its own; yields it and the cookie that keeps it at its relay.
    async fn join(&self, number: u32, cookie: &str, token: Option<&str>) -> (Browser, String) {
        let socket = TcpSocket::new_v4().unwrap();
        let own = Ipv4Addr::from(0x7f05_0001 + number);
        socket.bind((own, 0).into()).unwrap();
        let stream = socket.connect(self.address.parse().unwrap()).await.unwrap();
        let url = format!("ws://{}/ws", self.address);
        let mut request = url.into_client_request().unwrap();
        let headers = request.headers_mut();
        if !cookie.is_empty() {
            headers.insert("cookie", cookie.parse().unwrap());
        }
        if let Some(token) = token {
            let protocols = format!("strafe.1, resume.{token}").parse().unwrap();
            headers.insert("sec-websocket-protocol", protocols);
        }
        let stream = MaybeTlsStream::Plain(stream);
        let (socket, answer) = client_async(request, stream).await.unwrap();
        let given = answer.headers().get("set-cookie");
        let given = given.map_or("", |given| given.to_str().unwrap());
        let given = given.split(';').next().unwrap_or_default().to_owned();
        (Browser::open(socket).await, given)
    }
}

async fn sessions(relay: &Relay) -> u32 {
    let answer = get(relay, "/metrics", "x-forwarded-for: 127.0.0.1\r\n").await;
    let text = String::from_utf8(answer.body).unwrap();
    let mut lines = text.lines();
    let line = lines.find_map(|line| line.strip_prefix("strafe_sessions "));
    line.unwrap().parse().unwrap()
}

/// Every page still reaches its relay.
async fn check_all_answer(players: &mut [(Browser, String)]) {
    for (number, (player, _)) in (0..).zip(players) {
        player.ping(number).await;
    }
}

async fn check_plays(server: &Server, player: &mut Browser, seat: Seat, sequence: u32) {
    player.send_channel(sequence, b"up").await;
    server.expect_channel(seat, sequence, b"up").await;
    server.send_channel(seat, sequence, b"down").await;
    player.expect_channel(sequence, b"down").await;
}

#[tokio::test]
async fn one_of_two_relays_is_drained_and_nobody_is_lost() {
    let server = Server::start().await;
    let behind = ["--proxy", "127.0.0.1", "--no-webtransport"];
    let large = ["--server", &server.name, "--max-sessions", "1000"];
    let options = [&behind[..], &large].concat();
    let (a, b) = (relay(&options).await, relay(&options).await);
    let proxy = Proxy::start([&a, &b]).await;

    let mut players = Vec::new();
    for number in 0..PLAYERS {
        players.push(proxy.join(number, "", None).await);
    }
    let spread = (sessions(&a).await, sessions(&b).await);
    println!("{PLAYERS} sessions: {} and {}", spread.0, spread.1);
    assert_eq!(spread.0 + spread.1, PLAYERS);
    assert!(spread.0.abs_diff(spread.1) <= PLAYERS / 10, "{spread:?}");
    // Somebody plays at each relay.
    let mut seats = Vec::new();
    for cookie in ["strafe-relay=a", "strafe-relay=b"] {
        let permit = players.iter().position(|(_, given)| given == cookie);
        let permit = permit.expect("a page at each relay");
        let seat = server.admit(&mut players[permit].0).await;
        check_plays(&server, &mut players[permit].0, seat, 1).await;
        seats.push((permit, seat));
    }

    assert_eq!(proxy.order("set server relays/a state drain").await, "");
    for number in PLAYERS..PLAYERS + NEWCOMERS {
        players.push(proxy.join(number, "", None).await);
    }
    let after = (sessions(&a).await, sessions(&b).await);
    println!("{NEWCOMERS} more while a is drained: {after:?}");
    assert_eq!(after, (spread.0, spread.1 + NEWCOMERS));
    check_all_answer(&mut players).await;
    for (permit, seat) in &seats {
        check_plays(&server, &mut players[*permit].0, *seat, 2).await;
    }

    // A page of the drained relay loads again: its cookie leads back to its session.
    let (permit, seat) = seats[0];
    let token = players[permit].0.token().to_owned();
    let (again, _) = proxy.join(9_000, "strafe-relay=a", Some(&token)).await;
    assert_eq!(again.open["resumed"], true);
    players[permit].0 = again;
    check_plays(&server, &mut players[permit].0, seat, 3).await;

    // Its players leave one by one; then it can be stopped.
    let (leaving, mut staying): (Vec<_>, Vec<_>) =
        (players.into_iter()).partition(|(_, cookie)| cookie == "strafe-relay=a");
    for (mut player, _) in leaving {
        player.say(r#"{"bye":true}"#).await;
        assert_eq!(player.read_close().await.0, 1000);
    }
    assert_eq!(sessions(&a).await, 0);
    a.stop("Maintenance.").await;
    assert_eq!(staying.len() as u32, sessions(&b).await);
    check_all_answer(&mut staying).await;
    let (mut newcomer, _) = proxy.join(9_001, "", None).await;
    newcomer.ping(1).await;
}
