//! A real dedicated server behind the relay.

use std::process::Stdio;
use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::process::{Child, Command};

use crate::world::{Browser, get, oob, relay};

/// Debian's package openarena-server.
const PROGRAM: &str = "/usr/games/openarena-server";

/// Starts a server on a free port with a map.
async fn start() -> (Child, String) {
    let probe = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let port = probe.local_addr().unwrap().port();
    drop(probe);
    let home = std::env::temp_dir().join(format!("strafe-relay-home-{port}"));
    let set = |name: &str, value: &str| ["+set".to_owned(), name.to_owned(), value.to_owned()];
    let child = Command::new(PROGRAM)
        .args(set("fs_homepath", home.to_str().unwrap()))
        .args(set("net_ip", "127.0.0.1"))
        .args(set("net_port", &port.to_string()))
        .args(set("net_enabled", "1"))
        .args(set("dedicated", "1"))
        .args(["+map", "oa_dm1"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("/usr/games/openarena-server starts (Debian: apt-get install openarena-server)");
    (child, format!("127.0.0.1:{port}"))
}

#[tokio::test]
async fn questions_reach_a_real_server_and_come_back() {
    let (mut child, server) = start().await;
    let relay = relay(&["--server", &server]).await;

    let mut info = None;
    for _ in 0..120 {
        let mut player = Browser::join(&relay, "").await;
        player.send(&oob("getinfo abc")).await;
        let answer =
            tokio::time::timeout(Duration::from_millis(1500), player.answer("infoResponse")).await;
        if let Ok(Some(text)) = answer {
            info = Some((text, player));
            break;
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
    }
    let (text, mut player) = info.expect("the server answers within half a minute");
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
    child.kill().await.unwrap();
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
            if text.starts_with(command) {
                return Some(text);
            }
        }
        None
    }
}
