//! What an attacker would try: refused, counted, bounded, and unnoticed by other players.

use std::net::Ipv4Addr;
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use relay::Relay;
use shared::base::rng::Rng;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use crate::world::{
    Browser, PATIENCE, QPORT, Server, channel, connect, get, in_match, listed, oob, refusal, relay,
};

/// A count of the relay, by `/metrics` where it has that.
pub async fn count(relay: &Relay, name: &str) -> u64 {
    if !cfg!(feature = "metrics") {
        let counts = relay.state().counts();
        let mut counts = counts.iter().filter(|count| count.name == name);
        return counts.next().unwrap().value;
    }
    let text = String::from_utf8(get(relay, "/metrics", "").await.body).unwrap();
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix(&format!("strafe_{name} ")));
    line.unwrap_or_else(|| panic!("{name} is not in {text}"))
        .parse()
        .unwrap()
}

/// Waits until a count of the relay is one of these.
pub async fn wait_for(relay: &Relay, name: &str, wanted: RangeInclusive<u64>) {
    let begun = Instant::now();
    loop {
        let now = count(relay, name).await;
        if wanted.contains(&now) {
            return;
        }
        assert!(begun.elapsed() < PATIENCE, "{name} stays at {now}");
        sleep(Duration::from_millis(20)).await;
    }
}

/// A connection from an address of its own, as an attacker with many machines has.
pub async fn stream_from(relay: &Relay, number: u32) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::from(0x7f02_0001 + number), 0).into())?;
    socket.connect(relay.address()).await
}

/// The same bytes in every run.
fn noise(rng: &mut Rng, max: usize) -> Vec<u8> {
    let size = rng.below(max);
    (0..size).map(|_| rng.next_u64() as u8).collect()
}

#[tokio::test]
async fn a_port_scan_touches_no_port() {
    let (_listed, relay) = listed(&["--open"]).await;
    let victim = Server::start().await;
    let port = victim.name.rsplit_once(':').unwrap().1.to_owned();
    for host in [
        "127.0.0.1",
        "localhost",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "0.0.0.0",
        "127.1",
        "2130706433",
    ] {
        let (code, reason) = refusal(&relay, &format!("{host}:{port}")).await;
        assert_eq!(code, 4001, "{host}: {reason}");
    }
    assert_eq!(victim.receive_soon().await, None);
    assert_eq!(count(&relay, "sessions_refused_total").await, 7);
    assert_eq!(count(&relay, "to_server_total").await, 0);
}

#[tokio::test]
async fn a_server_that_let_nobody_in_gets_and_gives_little() {
    let (server, relay) = listed(&[]).await;
    let mut attacker = Browser::join(&relay, "").await;
    for sequence in 0..4 {
        attacker.send_channel(sequence, &[0; 1000]).await;
        attacker.send(&oob("rcon password map q3dm17")).await;
        attacker.send(&oob("heartbeat QuakeArena-1")).await;
    }
    attacker.send(&oob("getinfo x")).await;
    let (first, from) = server.receive().await;
    assert_eq!(first, oob("getinfo x"));
    for _ in 0..20 {
        server.send(&channel(1, None, &[0; 1400]), from).await;
        server.send(&oob("echo hello"), from).await;
    }
    let answer = oob("infoResponse\n\\protocol\\71");
    server.send(&answer, from).await;
    assert_eq!(attacker.receive().await, answer);
    assert_eq!(count(&relay, "refused_from_server_total").await, 40);
    assert!(count(&relay, "refused_from_player_total").await >= 12);
    assert_eq!(server.receive_soon().await, None);
}

#[tokio::test]
async fn answers_after_the_end_reach_nobody() {
    let (server, relay, mut gone, seat) = in_match(&[]).await;
    gone.say(r#"{"bye":true}"#).await;
    assert_eq!(gone.read_close().await.0, 1000);
    let before = count(&relay, "to_player_total").await;
    let mut next = Browser::join(&relay, "").await;
    for sequence in 0..50 {
        server.send_channel(seat, sequence, b"late").await;
    }
    let new_seat = server.admit(&mut next).await;
    assert_ne!(new_seat.qport, seat.qport);
    server.send_channel(new_seat, 1, b"new").await;
    next.expect_channel(1, b"new").await;
    assert_eq!(count(&relay, "to_player_total").await, before + 3);
}

#[tokio::test]
async fn oversized_frames_end_the_connection() {
    let (server, relay) = listed(&[]).await;
    let mut attacker = Browser::join(&relay, "").await;
    attacker.send(&vec![0; 1_000_000]).await;
    let end = timeout(PATIENCE, async {
        while let Some(Ok(_)) = attacker.socket.next().await {}
    });
    end.await.expect("the relay closes");

    let mut attacker = Browser::join(&relay, "").await;
    for _ in 0..80 {
        // The relay may have closed already.
        let large = Message::Binary(vec![0; 1500].into());
        let _ = attacker.socket.send(large).await;
    }
    assert_eq!(attacker.read_close().await.0, 4006);
    assert_eq!(server.receive_soon().await, None);
}

#[tokio::test]
async fn slow_heads_are_cut_and_others_are_served() {
    let limits = ["--request-timeout", "1", "--max-connections", "60"];
    let of_address = ["--max-connections-per-address", "50"];
    let relay = relay(&[&limits[..], &of_address].concat()).await;
    let mut slow = Vec::new();
    for _ in 0..100 {
        let mut stream = stream_from(&relay, 1).await.unwrap();
        // Those over the limit are closed at once.
        let _ = stream.write_all(b"GET / HTTP/1.1\r\nx-slow: ").await;
        slow.push(stream);
    }
    assert_eq!(get(&relay, "/healthz", "").await.status, 200);
    assert!(count(&relay, "connections_refused_total").await >= 50);
    assert_eq!(slow.len(), 100);
    for mut stream in slow {
        let mut answer = Vec::new();
        let ended = timeout(PATIENCE, stream.read_to_end(&mut answer)).await;
        // Reset or closed, as long as it ends.
        let _ = ended.expect("an end");
    }
    stream_from(&relay, 1).await.unwrap();
}

#[tokio::test]
async fn ten_thousand_half_open_connections_leave_room_and_memory() {
    let (server, relay, mut player, seat) = in_match(&["--max-connections", "2000"]).await;
    let before = resident_kilobytes();
    let mut open = Vec::new();
    let mut refused = 0;
    for number in 0..10_000 {
        match stream_from(&relay, number / 40).await {
            Ok(mut stream) => {
                let head = b"GET /ws HTTP/1.1\r\nupgrade: websocket\r\n";
                let _ = stream.write_all(head).await;
                // Our own descriptors are not without end; the relay keeps 2,000 in any case.
                if open.len() < 2_500 {
                    open.push(stream);
                }
            }
            Err(_) => refused += 1,
        }
    }
    let grown = resident_kilobytes().saturating_sub(before);
    println!(
        "10,000 half-open connections: {grown} kB more with both ends, {refused} not accepted"
    );
    assert!(grown < 100_000, "{grown} kB");
    for sequence in 1..20 {
        player.send_channel(sequence, b"still here").await;
        server.expect_channel(seat, sequence, b"still here").await;
    }
    drop(open);
    let mut tries = 0;
    while connect(&relay, "", &[]).await.is_err() {
        tries += 1;
        assert!(tries < 100, "nobody can join afterwards");
        sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn one_address_does_not_open_sessions_without_end() {
    let (_server, relay) = listed(&["--max-sessions-per-address", "200"]).await;
    let mut opened = 0;
    for _ in 0..150 {
        let mut socket = connect(&relay, "", &[]).await.unwrap();
        let first = timeout(PATIENCE, socket.next()).await.unwrap();
        let text = first.unwrap().unwrap().into_text().unwrap();
        opened += usize::from(text.contains("\"open\""));
    }
    assert!((80..100).contains(&opened), "{opened} sessions");
}

#[tokio::test]
async fn a_flood_stops_at_the_relay_and_does_not_slow_others() {
    let (server, relay, mut player, seat) = in_match(&[]).await;
    let quiet = delays(&server, &mut player, seat.qport, 0).await;

    let mut attackers = Vec::new();
    for _ in 0..3 {
        let mut attacker = Browser::join(&relay, "").await;
        server.admit(&mut attacker).await;
        attackers.push(attacker);
    }
    let mut floods = tokio::task::JoinSet::new();
    for mut attacker in attackers {
        floods.spawn(async move {
            let mut sent = 0_u64;
            loop {
                let datagram = channel(sent as u32, Some(QPORT), &[0; 60]);
                let message = Message::Binary(datagram.into());
                if attacker.socket.send(message).await.is_err() {
                    return;
                }
                sent += 1;
                if sent.is_multiple_of(64) {
                    sleep(Duration::from_millis(1)).await;
                }
            }
        });
    }
    let begun = Instant::now();
    let attacked = delays(&server, &mut player, seat.qport, 1000).await;
    let passed = count(&relay, "to_server_total").await;
    let dropped = count(&relay, "over_budget_total").await;
    floods.abort_all();
    println!(
        "flood: {dropped} datagrams dropped; delay to the server p50/p99 {} and {} ms",
        two(&quiet),
        two(&attacked)
    );
    assert!(dropped > 1000, "{dropped}");
    // Each attacker has 1,000 at once and 250 per second, and the player sent 400.
    let max = 3 * 1000 + 3 * 250 * (begun.elapsed().as_secs() + 2) + 500;
    assert!(passed < max, "{passed} of at most {max}");
    assert_eq!(attacked.len(), 200);
}

/// How long each of 200 datagrams takes from the player to the server, in milliseconds, sorted.
///
/// The floods may fill the queue of this test's own socket, so what has not come after a while is sent again.
async fn delays(server: &Server, player: &mut Browser, qport: u16, from: u32) -> Vec<f64> {
    const AGAIN: Duration = Duration::from_millis(500);
    let mut delays = Vec::new();
    let mut lost = 0;
    for sequence in from..from + 200 {
        let expected = channel(sequence, Some(qport), b"player");
        let sent = Instant::now();
        loop {
            player.send_channel(sequence, b"player").await;
            let arrival = async { while server.receive().await.0 != expected {} };
            if timeout(AGAIN, arrival).await.is_ok() {
                break;
            }
            lost += 1;
            assert!(lost < 20, "{lost} of {} datagrams lost", sequence - from);
        }
        delays.push(sent.elapsed().as_secs_f64() * 1000.0);
        sleep(Duration::from_millis(3)).await;
    }
    delays.sort_by(f64::total_cmp);
    delays
}

pub fn two(sorted: &[f64]) -> String {
    format!(
        "{:.2}/{:.2}",
        sorted[sorted.len() / 2],
        sorted[sorted.len() * 99 / 100]
    )
}

#[tokio::test]
async fn malformed_everything_leaves_the_relay_alive() {
    let (server, relay) = listed(&[]).await;
    let mut rng = Rng::new(0x5eed);
    for _ in 0..60 {
        let mut stream = TcpStream::connect(relay.address()).await.unwrap();
        let _ = stream.write_all(&noise(&mut rng, 400)).await;
        let _ = stream.shutdown().await;
    }
    for path in [
        "/ws?server=%00",
        "/ws?server=%ff%fe",
        "/api/../../etc/passwd",
        "/content/%2e%2e/x",
        "/content/a/b?v=%zz",
    ] {
        assert!(get(&relay, path, "").await.status >= 400, "{path}");
    }
    let mut player = Browser::join(&relay, "").await;
    let seat = server.admit(&mut player).await;
    for _ in 0..8 {
        let mut attacker = Browser::join(&relay, "").await;
        for round in 0..40 {
            let bytes = noise(&mut rng, 1600);
            let message = match round % 3 {
                0 => Message::Text(String::from_utf8_lossy(&bytes).into_owned().into()),
                1 => Message::Binary([&[0xff; 4], &bytes[..]].concat().into()),
                _ => Message::Binary(bytes.into()),
            };
            let _ = attacker.socket.send(message).await;
        }
    }
    for _ in 0..200 {
        server.send(&noise(&mut rng, 1400), seat.from).await;
        // More at once would not fit the relay's socket.
        tokio::task::yield_now().await;
    }
    server.send_channel(seat, 7, b"the end").await;
    while player.receive().await != channel(7, None, b"the end") {}
}

/// Memory of this process, relay and attackers together.
pub fn resident_kilobytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("VmRSS:"));
    line.unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap()
}
