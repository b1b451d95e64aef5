//! What the system around a relay does wrong: name servers that are silent or lie, a full disk.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream, UdpSocket};
use tokio::process::Command;
use tokio::time::{sleep, timeout};

use crate::folder::Folder;
use crate::world::{Browser, PATIENCE, Program, Server, ask_at, connect_at, refused};

/// Name servers have this port and no other.
const NAME_SERVER: (Ipv4Addr, u16) = (Ipv4Addr::new(127, 77, 0, 53), 53);

/// The relay with mounts of its own, which a shell makes before; nothing where that is not allowed.
pub async fn inside(script: &str, argument: &str) -> Option<Command> {
    let allowed = Command::new("unshare").args(["-rm", "true"]).status().await;
    if !allowed.is_ok_and(|status| status.success()) {
        println!("NOT RUN: `unshare -rm` is not allowed here; root has it");
        return None;
    }
    let mut command = Command::new("unshare");
    let script = format!("{script}; exec \"$@\"");
    command.args(["-rm", "sh", "-c", &script, argument]);
    command.arg(env!("CARGO_BIN_EXE_strafe-relay"));
    Some(command)
}

/// Answers questions for names: never those that begin with `slow`, and all others with addresses
/// of this machine.
async fn lie(socket: UdpSocket) {
    let mut question = [0; 600];
    loop {
        let (size, from) = socket.recv_from(&mut question).await.unwrap();
        let question = &question[..size];
        let name = &question[13..];
        let end = 13 + name.iter().position(|byte| *byte == 0).unwrap();
        if name.starts_with(b"slow") {
            continue;
        }
        let is_v6 = question[end + 2] == 28;
        let address = match (name.starts_with(b"mapped"), is_v6) {
            (true, true) => Ipv4Addr::LOCALHOST.to_ipv6_mapped().octets().to_vec(),
            (false, true) => Ipv6Addr::LOCALHOST.octets().to_vec(),
            (false, false) => Ipv4Addr::LOCALHOST.octets().to_vec(),
            (true, false) => Vec::new(),
        };
        let count = u8::from(!address.is_empty());
        let head = [&question[..2], &[0x81, 0x80, 0, 1, 0, count, 0, 0, 0, 0]].concat();
        let kind = question[end + 2];
        let about = [
            &[0xc0, 12, 0, kind, 0, 1][..],
            &[0; 5],
            &[address.len() as u8],
        ]
        .concat();
        let mut answer = [&head[..], &question[12..end + 5]].concat();
        if count > 0 {
            answer.extend([&about[..], &address].concat());
        }
        socket.send_to(&answer, from).await.unwrap();
    }
}

#[tokio::test]
async fn name_servers_that_are_silent_or_lie_harm_nobody() {
    let Ok(socket) = UdpSocket::bind(NAME_SERVER).await else {
        println!("NOT RUN: port 53 of a loopback address is not to be had; root has it");
        return;
    };
    let folder = Folder::new("names");
    let settings = b"nameserver 127.77.0.53\noptions timeout:5 attempts:1\n";
    folder.write("resolv.conf", settings);
    let script = "mount --bind \"$0\" /etc/resolv.conf";
    let Some(command) = inside(script, &folder.path("resolv.conf")).await else {
        return;
    };
    let answering = tokio::spawn(lie(socket));
    let server = Server::start().await;
    let options = ["--open", "--server", &server.name];
    let relay = Program::start_anywhere(command, &options).await;

    let mut asking = Vec::new();
    for number in 0..150_u32 {
        let names = (0..16).map(|name| format!("slow{number}x{name}.example:27960"));
        let names = names.collect::<Vec<_>>().join(",");
        let socket = TcpSocket::new_v4().unwrap();
        let own = Ipv4Addr::from(0x7f09_0001 + 256 * number);
        socket.bind((own, 0).into()).unwrap();
        let mut stream: TcpStream = socket.connect(relay.address).await.unwrap();
        let head = format!("GET /api/servers?favourites={names} HTTP/1.1\r\nhost: x\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        asking.push(stream);
    }
    let begun = Instant::now();
    for path in ["/healthz", "/api/content", "/api/transport"] {
        let answer = ask_at(relay.address, "GET", path, "").await;
        assert_eq!(answer.status, 200, "{path}");
    }
    let mut player = Browser::open(connect_at(relay.address, "", &[]).await.unwrap()).await;
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(3), "{took:?}");
    server.admit(&mut player).await;
    assert!(relay.threads() < 60, "{} threads", relay.threads());
    drop(asking);
    // Whoever is patient hears that these names are busy, or lead to nobody in the internet.
    for name in ["lie.example:27960", "mapped.example:27960"] {
        let told = async {
            loop {
                let connected = connect_at(relay.address, name, &[]).await;
                let (code, reason) = refused(connected).await;
                assert_eq!(code, 4001, "{reason}");
                if !reason.contains("too many names") && !reason.contains("does not resolve") {
                    break reason;
                }
                sleep(Duration::from_secs(2)).await;
            }
        };
        let reason = timeout(6 * PATIENCE, told).await.expect("an answer");
        let expected = "is not the address of a public";
        assert!(reason.contains(expected), "{reason}");
    }
    answering.abort();
    relay.kill().await;
}

#[tokio::test]
async fn on_a_full_disk_one_plays_on() {
    let folder = Folder::new("disk");
    let path = folder.0.to_str().unwrap();
    let script = "mount -t tmpfs -o size=64k,mode=700 none \"$0\" && mkdir \"$0/state\"; \
        dd if=/dev/zero of=\"$0/fill\" bs=1k 2>/dev/null";
    let Some(command) = inside(script, path).await else {
        return;
    };
    let server = Server::start().await;
    let state = format!("{path}/state");
    let options = ["--server", &server.name, "--state", &state];
    let relay = Program::start_anywhere(command, &options).await;
    let inside = format!("/proc/{}/root{path}", relay.id());
    let mut player = Browser::open(connect_at(relay.address, "", &[]).await.unwrap()).await;
    server.admit(&mut player).await;
    for number in 0..20 {
        player.ping(number).await;
        sleep(Duration::from_millis(50)).await;
    }
    let saved = format!("{inside}/state/sessions.json");
    let read = std::fs::read(&saved);
    assert!(read.is_err(), "nothing, rather than a part");
    // Somebody makes room.
    std::fs::remove_file(format!("{inside}/fill")).unwrap();
    let begun = Instant::now();
    while !std::fs::read_to_string(&saved).is_ok_and(|text| text.contains(player.token())) {
        assert!(begun.elapsed() < 2 * PATIENCE, "it is never saved");
        sleep(Duration::from_millis(100)).await;
    }
    let log = relay.kill().await;
    let count = |words: &str| log.iter().filter(|line| line.contains(words)).count();
    assert_eq!(count("cannot save the sessions"), 1, "{log:?}");
    assert_eq!(count("saved again"), 1, "{log:?}");
}
