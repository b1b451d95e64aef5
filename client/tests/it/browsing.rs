//! The whole client looks for servers: by commands, by the menus, with a master that lies, and through a relay.

use client::{
    client::{Client, ClientSetup},
    con::keys,
    event::Event,
    output::{Output, Query, QueryTo, Request},
};
use core::net::SocketAddr;
use shared::{
    base::time::ClientTime,
    net::oob::{ClientPacket, ServerPacket},
};

const MASTER: &str = "198.51.100.1:28400";

/// A client, and a network of simulated servers: each answers after 40 ms, a lying one a thousand times.
struct Net {
    client: Client,
    now: i32,
    servers: Vec<SocketAddr>,
    coming: Vec<(i32, SocketAddr, Vec<u8>)>,
    printed: String,
    spoken: String,
    requests: Vec<Request>,
}

impl Net {
    fn new(servers: usize, config: &str) -> Self {
        let setup = ClientSetup {
            seed: 1,
            config: Some(format!(
                "set sv_master1 {MASTER}\nset sv_master2 \"\"\nset sv_master3 \"\"\n{config}"
            )),
            can_ask: true,
            ..ClientSetup::default()
        };
        let address = |number: usize| {
            let [high, low] = (number as u16).to_be_bytes();
            SocketAddr::from(([203, 0, high, low], 27960))
        };
        Self {
            client: Client::new(setup, ClientTime(0)),
            now: 0,
            servers: (0..servers).map(address).collect(),
            coming: Vec::new(),
            printed: String::new(),
            spoken: String::new(),
            requests: Vec::new(),
        }
    }

    fn frame(&mut self, mut events: Vec<Event>) {
        self.now += 8;
        let (arrived, coming) = std::mem::take(&mut self.coming)
            .into_iter()
            .partition(|(at, ..)| *at <= self.now);
        self.coming = coming;
        let answers = arrived
            .into_iter()
            .map(|(at, from, bytes)| Event::QueryAnswer {
                from,
                bytes,
                at: ClientTime(at),
            });
        events.extend(answers);
        let output: Output = self.client.frame(ClientTime(self.now), events);
        self.printed.push_str(&output.printed.concat());
        self.spoken = output.spoken;
        self.requests = output.requests;
        let requests = self.requests.clone();
        for request in &requests {
            if let Request::Query { queries, .. } = request {
                queries.iter().for_each(|query| self.answer(query));
            }
        }
    }

    fn answer(&mut self, query: &Query) {
        let QueryTo::Server(to) = query.to else {
            return;
        };
        let token = match ClientPacket::read(&query.datagram) {
            Some(ClientPacket::GetServers(_)) if to.to_string() == MASTER => {
                for part in self.servers.chunks(200) {
                    let bytes = ServerPacket::Servers(part.to_vec()).write();
                    self.coming.push((self.now + 40, to, bytes));
                }
                return;
            }
            Some(ClientPacket::GetInfo { token }) => token,
            _ => return,
        };
        let Some(number) = self.servers.iter().position(|server| *server == to) else {
            return;
        };
        let text = format!(
            "infoResponse\n\\challenge\\{token}\\hostname\\^3Number {number}\\mapname\\q3dm6\\clients\\1\\sv_maxclients\\8"
        );
        let bytes = [&[0xFF; 4], text.as_bytes()].concat();
        let times = if number == 13 { 1000 } else { 1 };
        for _ in 0..times {
            self.coming.push((self.now + 40, to, bytes.clone()));
        }
    }

    fn run(&mut self, line: &str, frames: usize) {
        self.frame(vec![Event::Command(format!("{line}\n"))]);
        (0..frames).for_each(|_| self.frame(Vec::new()));
    }

    fn press(&mut self, key: u16) {
        let events = [true, false].map(|is_down| Event::Key {
            key,
            is_down,
            is_repeat: false,
            at: ClientTime(self.now),
        });
        self.frame(events.to_vec());
    }
}

#[test]
fn a_master_is_asked_and_its_servers_are_printed() {
    let mut net = Net::new(20, "");
    net.run("globalservers", 700);
    let lines: Vec<&str> = net
        .printed
        .lines()
        .filter(|line| line.contains("q3dm6"))
        .collect();
    assert_eq!(lines.len(), 20, "{}", net.printed);
    assert!(lines[0].contains("203.0.0."), "{}", lines[0]);
    assert!(
        net.printed.ends_with("20 shown of 20 that answer\n"),
        "{}",
        net.printed
    );
    // Nothing is asked any more once nobody looks.
    let asks = |request: &Request| matches!(request, Request::Query { .. });
    assert!(!net.requests.iter().any(asks));
}

#[test]
fn five_hundred_servers_stand_in_the_menu_within_three_seconds() {
    let mut net = Net::new(500, "");
    net.run("menu servers", 0);
    let began = net.now;
    while !net.spoken.contains("milliseconds") || !net.printed.is_empty() {
        net.press(keys::END);
        net.printed.clear();
        assert!(net.now - began < 3000, "{}", net.spoken);
    }
    // The last of them all is reached by one key, once all are there.
    while net.now - began < 3000 {
        net.frame(Vec::new());
    }
    net.press(keys::END);
    assert!(net.spoken.contains("Number "), "{}", net.spoken);
    net.frame(vec![Event::Char('4'), Event::Char('9'), Event::Char('9')]);
    net.frame(Vec::new());
    assert!(
        net.spoken.contains("Number 499, 1 of 8 players, q3dm6"),
        "{}",
        net.spoken
    );
    net.press(keys::ENTER);
    net.frame(Vec::new());
    assert!(net.spoken.starts_with("Server. Join"), "{}", net.spoken);
    net.press(keys::ENTER);
    let joins = |request: &Request| matches!(request, Request::OpenLink { server, .. } if server == "203.0.1.243:27960");
    if !net.requests.iter().any(joins) {
        net.frame(Vec::new());
    }
    assert!(net.requests.iter().any(joins), "{:?}", net.requests);
}

#[test]
fn favourites_are_kept_forgotten_and_asked_by_name() {
    let mut net = Net::new(
        0,
        "seta server1 \"play.example.org\"\nseta server2 \"bad;quit\"",
    );
    net.run("favourite 203.0.0.9:27960", 0);
    assert_eq!(net.client.cvars().text("server3"), "203.0.0.9:27960");
    net.run("favourite 203.0.0.9:27960", 0);
    assert_eq!(net.client.cvars().text("server3"), "");
    net.run("favourite \"x;y\"", 0);
    net.run("ui_browserMaster 7; menu servers", 0);
    let named: Vec<String> = net
        .requests
        .iter()
        .filter_map(|request| match request {
            Request::LookUp { name, .. } => Some(name.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(named, ["play.example.org:27960"]);
    net.servers.push("203.0.113.5:27960".parse().unwrap());
    net.frame(vec![Event::LookedUp {
        name: "play.example.org:27960".to_owned(),
        addresses: vec!["203.0.113.5:27960".parse().unwrap()],
    }]);
    (0..100).for_each(|_| net.frame(Vec::new()));
    net.press(keys::END);
    assert!(net.spoken.contains("Number 0"), "{}", net.spoken);
    assert!(net.spoken.contains("play.example.org"), "{}", net.spoken);
}

#[test]
fn a_page_asks_its_relay() {
    let setup = ClientSetup {
        seed: 1,
        config: Some("seta server1 kept.example.org:27961".to_owned()),
        ..ClientSetup::default()
    };
    let mut client = Client::new(setup, ClientTime(0));
    let command = |line: &str| vec![Event::Command(format!("{line}\n"))];
    let output = client.frame(ClientTime(10), command("globalservers"));
    let asks = output.requests.iter().any(|request| {
        matches!(request, Request::FetchServers { favourites } if favourites == "kept.example.org:27961")
    });
    assert!(asks, "{:?}", output.requests);
    let list = r#"{"servers":[{"address":"here:27960","online":true,"ping_msec":7.2,
        "info":{"hostname":"Here","mapname":"q3dm17","clients":"3","sv_maxclients":"8"},
        "status":{"fraglimit":"30"},"players":[{"score":9,"ping":30,"name":"Rill"}]}]}"#;
    client.frame(
        ClientTime(400),
        vec![Event::ServersFetched(Ok(list.to_owned()))],
    );
    let output = client.frame(ClientTime(900), Vec::new());
    let printed = output.printed.concat();
    assert!(
        printed.contains("q3dm17") || printed.is_empty(),
        "{printed}"
    );
    client.frame(ClientTime(1000), command("serverstatus here"));
    let output = client.frame(
        ClientTime(1100),
        vec![Event::ServersFetched(Ok(list.to_owned()))],
    );
    let printed = output.printed.concat();
    assert!(printed.contains("fraglimit                30"), "{printed}");
    assert!(printed.contains("Rill"), "{printed}");
    let output = client.frame(ClientTime(1200), command("ping here:27960"));
    assert!(output.printed.is_empty(), "{:?}", output.printed);
    let refused = Event::ServersFetched(Err("there is no relay".to_owned()));
    client.frame(ClientTime(1300), vec![refused]);
}

#[test]
fn a_link_is_copied_and_bad_ones_are_not() {
    let mut net = Net::new(0, "");
    net.run("copylink play.example.org", 0);
    let copied = net.requests.iter().find_map(|request| match request {
        Request::Copy(text) => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(copied, Some("quake3://play.example.org:27960"));
    net.run("copylink \"x y\"", 0);
    assert!(
        !net.requests
            .iter()
            .any(|request| matches!(request, Request::Copy(_)))
    );
}
