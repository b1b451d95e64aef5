//! Packets outside a connection: vectors, recorded ones, and what must not get through.

use crate::{
    capture::{Capture, NAMES},
    data::{hex, vector, vectors},
};
use proptest::prelude::*;
use shared::{
    base::{adaptive, info::Info},
    net::oob::{
        Challenge, ClientPacket, MARK, PacketRefusal, ServerPacket, ServersRequest, Status,
        StatusPlayer,
    },
};

fn packet(text: &str) -> Vec<u8> {
    [&MARK, text.as_bytes()].concat()
}

fn check_server(text: &str, expected: ServerPacket) {
    assert_eq!(
        ServerPacket::read(&packet(text)),
        Some(expected),
        "{text:?}"
    );
}

#[test]
fn client_packets_match_the_vectors() {
    let check = |key: &str, expected: ClientPacket| {
        let datagram = hex(&vector(key)["datagram"]);
        assert_eq!(expected.write(), Ok(datagram.clone()), "{key}");
        assert_eq!(ClientPacket::read(&datagram), Some(expected), "{key}");
    };
    check(
        "real_oob_getinfo",
        ClientPacket::GetInfo {
            token: "spec-1".into(),
        },
    );
    let gamename = "Quake3Arena".into();
    check(
        "real_oob_getchallenge",
        ClientPacket::GetChallenge {
            own: Some(1842673652),
            gamename,
        },
    );
    let plain = vector("real_connect")["plaintext"].clone();
    let quoted = plain
        .as_str()
        .and_then(|text| text.strip_prefix("connect "));
    let userinfo = Info::parse(quoted.expect("a connect").trim_matches('"'));
    assert_eq!(userinfo.get("challenge"), "437506936");
    check("real_connect", ClientPacket::Connect { userinfo });
}

#[test]
fn server_packets_match_the_vectors() {
    let read = |key: &str| ServerPacket::read(&hex(&vector(key)["datagram"]));
    let challenge = ServerPacket::Challenge(Challenge {
        challenge: 437506936,
        own: Some(1842673652),
        protocol: Some(71),
    });
    assert_eq!(read("real_oob_challengeResponse"), Some(challenge));
    let connected = ServerPacket::Connected {
        challenge: Some(437506936),
        protocol: None,
    };
    assert_eq!(read("real_oob_connectResponse"), Some(connected));
    let Some(ServerPacket::Info(info)) = read("real_oob_infoResponse") else {
        panic!("no info");
    };
    assert_eq!(
        (info.get("mapname"), info.number("protocol")),
        ("oa_dm1", 71)
    );
    for (key, vector) in vectors("getservers") {
        let Some(ServerPacket::Servers(servers)) = ServerPacket::read(&hex(&vector["hex"])) else {
            panic!("{key}: no servers");
        };
        let texts: Vec<String> = servers.iter().map(ToString::to_string).collect();
        assert_eq!(serde_json::json!(texts), vector["servers"], "{key}");
        assert_eq!(
            ServerPacket::Servers(servers).write(),
            hex(&vector["hex"]),
            "{key}"
        );
    }
}

#[test]
fn all_forms_of_the_handshake_are_read() {
    let challenge = |own, protocol| {
        ServerPacket::Challenge(Challenge {
            challenge: -5,
            own,
            protocol,
        })
    };
    check_server("challengeResponse -5", challenge(None, None));
    check_server("CHALLENGERESPONSE -5 0 71", challenge(Some(0), Some(71)));
    check_server(
        "connectResponse",
        ServerPacket::Connected {
            challenge: None,
            protocol: None,
        },
    );
    check_server(
        "connectResponse 7 71\n",
        ServerPacket::Connected {
            challenge: Some(7),
            protocol: Some(71),
        },
    );
    check_server(
        "print\nServer is full\n",
        ServerPacket::Print("Server is full\n".into()),
    );
    check_server("disconnect", ServerPacket::Disconnect);
    check_server("echo hello", ServerPacket::Other("echo".into()));
    let long = format!("challengeResponse 5 {}", "6".repeat(1100));
    assert_eq!(ServerPacket::read(&packet(&long)), None);
    assert_eq!(ServerPacket::read(&packet("challengeResponse")), None);
    assert_eq!(ServerPacket::read(b"print\nno mark"), None);
}

#[test]
fn status_lists_players() {
    let text =
        "statusResponse\n\\sv_hostname\\a\\challenge\\x\n5 48 \"^1Sarge\"\n-1 0 \"\"\n\n9 9 \"no\"";
    let player = |score, ping, name: &str| StatusPlayer {
        score,
        ping,
        name: name.into(),
    };
    let status = Status {
        info: Info::parse("\\sv_hostname\\a\\challenge\\x"),
        players: vec![player(5, 48, "^1Sarge"), player(-1, 0, "")],
    };
    check_server(text, ServerPacket::Status(status));
    let many = format!("statusResponse\n\\a\\b\n{}", "1 2 \"x\"\n".repeat(5000));
    let Some(ServerPacket::Status(status)) = ServerPacket::read(&packet(&many)) else {
        panic!("no status");
    };
    assert_eq!(status.players.len(), 64);
}

#[test]
fn lists_of_servers_leave_out_what_no_server_can_be() {
    let list = |records: &[u8]| {
        let datagram = [&MARK[..], b"getserversResponse", records].concat();
        match ServerPacket::read(&datagram) {
            Some(ServerPacket::Servers(servers)) => servers.len(),
            other => panic!("{other:?}"),
        }
    };
    let one = b"\\\x01\x02\x03\x04\x6d\x38";
    assert_eq!(list(&[one, &b"\\EOT\0\0\0"[..]].concat()), 1);
    assert_eq!(list(&[one, &one[..], b"\\"].concat()), 1, "twice the same");
    assert_eq!(list(one), 0, "a cut record");
    assert_eq!(list(b"\\\x01\x02\x03\x04\0\0\\"), 0, "port 0");
    assert_eq!(list(b"\\\xe0\x02\x03\x04\x6d\x38\\"), 0, "multicast");
    assert_eq!(list(b"\\\0\0\0\0\x6d\x38\\"), 0, "no address");
    assert_eq!(list(b""), 0);
}

#[test]
fn what_servers_would_misread_is_not_written() {
    let token = |token: &str| {
        ClientPacket::GetInfo {
            token: token.into(),
        }
        .write()
    };
    assert!(token(&"x".repeat(128)).is_ok());
    assert_eq!(token(&"x".repeat(129)), Err(PacketRefusal::Token));
    assert_eq!(token("two words"), Err(PacketRefusal::Token));
    let connect = |text: &str| {
        ClientPacket::Connect {
            userinfo: Info::parse(text),
        }
        .write()
    };
    assert_eq!(connect("\\name\\a\"b"), Err(PacketRefusal::Userinfo));
    assert_eq!(
        connect(&format!("\\name\\{}", "x".repeat(1000))),
        Err(PacketRefusal::Userinfo)
    );
    let rcon = |password: &str, command: &str| {
        ClientPacket::Rcon {
            password: password.into(),
            command: command.into(),
        }
        .write()
    };
    assert_eq!(
        rcon("secret", "map q3dm17"),
        Ok(packet("rcon secret map q3dm17"))
    );
    assert_eq!(rcon("two words", "status"), Err(PacketRefusal::Rcon));
    assert_eq!(rcon("secret", &"x".repeat(1020)), Err(PacketRefusal::Rcon));
}

#[test]
fn requests_to_masters_have_two_forms() {
    let request = |gamename: &str, is_extended| ServersRequest {
        gamename: gamename.into(),
        protocol: 71,
        is_extended,
        filters: vec!["full".into(), "empty".into()],
    };
    let check = |request: ServersRequest, text: &str| {
        let sent = ClientPacket::GetServers(request);
        assert_eq!(sent.write(), Ok(packet(text)));
        assert_eq!(ClientPacket::read(&packet(text)), Some(sent));
    };
    check(request("Quake3Arena", false), "getservers 71 full empty");
    check(request("Other", false), "getservers Other 71 full empty");
    check(
        request("Quake3Arena", true),
        "getserversExt Quake3Arena 71 full empty",
    );
}

#[test]
fn recorded_packets_are_known() {
    let mut known = 0;
    for name in NAMES {
        let capture = Capture::load(name);
        for packet in capture.packets.iter().filter(|packet| packet.is_oob) {
            let place = format!("{name} packet {}", packet.line["i"]);
            if packet.is_from_server {
                let read = ServerPacket::read(&packet.bytes).expect(&place);
                assert!(!matches!(read, ServerPacket::Other(_)), "{place}: {read:?}");
            } else {
                let read = ClientPacket::read(&packet.bytes).expect(&place);
                assert_eq!(read.write(), Ok(packet.bytes.clone()), "{place}");
            }
            known += 1;
        }
    }
    assert!(known > 50, "{known} packets");
}

/// A block that claims more than it holds, or more than fits, stays within its bounds.
#[test]
fn a_lying_connect_is_bounded() {
    let mut block = adaptive::compress(&[b'x'; 5000]);
    block[..2].copy_from_slice(&[0xFF, 0xFF]);
    let datagram = [&MARK[..], b"connect ", &block].concat();
    let Some(ClientPacket::Connect { userinfo }) = ClientPacket::read(&datagram) else {
        panic!("no connect");
    };
    assert!(userinfo.to_string().len() <= 1026);
}

proptest! {
    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), word in 0_usize..8) {
        let words = [
            "", "connect ", "getserversResponse", "getserversExtResponse\\", "statusResponse\n",
            "infoResponse\n", "challengeResponse ", "print\n",
        ];
        let datagram = [&MARK[..], words[word].as_bytes(), &bytes].concat();
        if let Some(read) = ServerPacket::read(&datagram) {
            prop_assert!(read.write().starts_with(&MARK));
        }
        if let Some(read) = ClientPacket::read(&datagram) {
            prop_assert!(read.write().map_or(true, |bytes| bytes.starts_with(&MARK)));
        }
    }

    #[test]
    fn userinfos_arrive(pairs in prop::collection::vec(("[a-z_]{1,12}", "[A-Za-z0-9 *^/]{1,30}"), 0..20)) {
        let mut userinfo = Info::new();
        for (key, value) in &pairs {
            prop_assert_eq!(userinfo.set(key, value, 900).is_err(), userinfo.to_string().len() + key.len() + value.len() + 2 > 900 && userinfo.get(key).is_empty());
        }
        let sent = ClientPacket::Connect { userinfo };
        let datagram = sent.write().expect("short enough");
        prop_assert_eq!(ClientPacket::read(&datagram), Some(sent));
    }
}
