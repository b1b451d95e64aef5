//! Lists of servers: the operator's, those of masters, and those that players keep.

use std::net::SocketAddr;

use shared::net::oob::{ClientPacket, servers};
use tokio::net::UdpSocket;

use crate::real_server;
use crate::world::{Server, get, relay};

/// A master that speaks as dpmaster does, in both forms and with more than one datagram.
async fn master(servers: Vec<SocketAddr>) -> String {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let name = socket.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let mut buffer = [0; 2048];
        while let Ok((size, from)) = socket.recv_from(&mut buffer).await {
            let Some(ClientPacket::GetServers(request)) = ClientPacket::read(&buffer[..size])
            else {
                panic!("no question to a master: {:?}", &buffer[..size]);
            };
            assert!(request.filters.iter().any(|filter| filter == "full"));
            let known = servers.iter().filter(|server| {
                request.protocol == 71 && (request.is_extended || server.is_ipv4())
            });
            for server in known {
                let list = [&[0xff; 4], &servers::write(&[*server])[..]].concat();
                socket.send_to(&list, from).await.unwrap();
            }
        }
    });
    name
}

#[tokio::test]
async fn masters_and_favourites_are_asked_and_shown() {
    let game_server = real_server::start("oa_dm1", &[]);
    let name = &game_server.address();
    real_server::wait_until_online(&relay(&["--server", name]).await).await;
    let silent = Server::start().await;
    let deaf = master(Vec::new()).await;
    let real = name.parse().unwrap();
    let other = silent.name.parse().unwrap();
    let knowing = master(vec![real, other, "127.0.0.1:53".parse().unwrap()]).await;
    let masters = ["--master", &deaf, "--master", &knowing];
    let viewed = relay(&[&["--open", "--server", name], &masters[..]].concat()).await;

    // Private addresses are no favourites, but the operator's servers may be.
    let named = format!("{name},10.0.0.1:27960,rubbish,,{}", silent.name);
    let query = format!("/api/servers?favourites={named}");
    let answer = get(&viewed, &query, "").await.json();
    let favourites = answer["favourites"].as_array().unwrap();
    assert_eq!(favourites.len(), 1, "{answer}");
    assert_eq!(favourites[0]["info"]["mapname"], "oa_dm1", "{answer}");
    let shown = &answer["masters"];
    let count = shown.as_array().unwrap().len();
    assert_eq!(count, 1, "only servers that answer are shown: {shown}");
    assert_eq!(shown[0]["address"], name.as_str());
    assert_eq!(shown[0]["info"]["mapname"], "oa_dm1");

    // Many viewers share the answers: a server that is silent was asked for info and status once.
    for _ in 0..20 {
        get(&viewed, "/api/servers", "").await;
    }
    let mut questions = 0;
    while silent.receive_soon().await.is_some() {
        questions += 1;
    }
    assert!((2..=6).contains(&questions), "{questions}");
}
