//! The list of servers against masters and servers that answer well, badly, late, or without end.

use super::{
    entry::Server,
    order::{Filter, SortKey, view},
    *,
};
use shared::{
    base::info::{Info, MAX_BIG_INFO},
    net::oob::{Status, StatusPlayer},
};

/// A network of a master and servers, each with its own delay, on a virtual clock.
struct Network {
    browser: Browser,
    now: i32,
    /// What is on its way to the browser: when it arrives, from whom.
    coming: Vec<(i32, SocketAddr, Vec<u8>)>,
    servers: Vec<SocketAddr>,
    /// Most questions of one frame, and all.
    most_at_once: usize,
    asked: usize,
}

const MASTER: &str = "198.51.100.1:27950";

fn master() -> SocketAddr {
    MASTER.parse().unwrap()
}

fn address(number: usize) -> SocketAddr {
    let [high, low] = (number as u16).to_be_bytes();
    SocketAddr::from(([203, 0, high, low], 27960))
}

/// What a good server answers.
fn answer(to: &ClientPacket, number: usize) -> Option<Vec<u8>> {
    let info = |token: &str, name: &str| {
        let mut info = Info::new();
        for (key, value) in [
            ("challenge", token),
            ("protocol", "71"),
            ("hostname", name),
            ("mapname", "oa_dm1"),
            ("clients", "1"),
            ("sv_maxclients", "8"),
            ("gametype", "4"),
        ] {
            info.set(key, value, MAX_BIG_INFO).unwrap();
        }
        info
    };
    let name = format!("^2Server ^7{number}");
    Some(match to {
        ClientPacket::GetInfo { token } => ServerPacket::Info(info(token, &name)).write(),
        ClientPacket::GetStatus { token } => ServerPacket::Status(Status {
            info: info(token, &name),
            players: vec![StatusPlayer {
                score: 3,
                ping: 48,
                name: format!("^1Player{number}"),
            }],
        })
        .write(),
        _ => return None,
    })
}

impl Network {
    fn new(servers: usize) -> Self {
        let mut browser = Browser::new(7);
        browser.add_master(master());
        Self {
            browser,
            now: 0,
            coming: Vec::new(),
            servers: (0..servers).map(address).collect(),
            most_at_once: 0,
            asked: 0,
        }
    }

    /// One frame of 8 ms; every seventh question is lost.
    fn frame(&mut self) {
        self.now += 8;
        let now = ClientTime(self.now);
        let (arrived, coming) = std::mem::take(&mut self.coming)
            .into_iter()
            .partition(|(at, ..)| *at <= self.now);
        self.coming = coming;
        for (at, from, bytes) in arrived {
            self.browser.handle_answer(from, &bytes, ClientTime(at));
        }
        let queries = self.browser.poll(now);
        self.most_at_once = self.most_at_once.max(queries.len());
        for query in queries {
            self.asked += 1;
            if self.asked.is_multiple_of(7) {
                continue;
            }
            self.take(&query);
        }
    }

    fn take(&mut self, query: &Query) {
        let packet = ClientPacket::read(&query.datagram).expect("servers understand it");
        let QueryTo::Server(to) = query.to else {
            return;
        };
        if to == master() {
            for part in self.servers.chunks(100) {
                let bytes = ServerPacket::Servers(part.to_vec()).write();
                self.coming.push((self.now + 60, to, bytes));
            }
        } else if let Some(number) = self.servers.iter().position(|server| *server == to) {
            let delay = 20 + (number as i32 * 37) % 280;
            let bytes = answer(&packet, number).expect("a question to servers");
            self.coming.push((self.now + delay, to, bytes));
        }
    }

    fn answered(&self) -> usize {
        let servers = self.browser.servers().iter();
        servers.filter(|server| server.ping_msec.is_some()).count()
    }
}

fn all() -> Filter {
    Filter {
        lists: u8::MAX,
        shows_empty: true,
        shows_full: true,
        shows_private: true,
        ..Filter::default()
    }
}

#[test]
fn five_hundred_servers_are_listed_within_three_seconds() {
    let mut network = Network::new(500);
    while network.answered() < 500 {
        network.frame();
        assert!(network.now <= 3000, "{} of 500", network.answered());
    }
    // Frames stay alike: nothing is asked in bursts.
    assert!(network.most_at_once <= 24, "{}", network.most_at_once);
    let first = &network.browser.servers()[0];
    assert_eq!((first.name.as_str(), first.players), ("^2Server ^70", 1));
    assert!((20..40).contains(&first.ping_msec.unwrap()), "{first:?}");
    for _ in 0..400 {
        network.frame();
    }
    assert!(!network.browser.is_busy());
    let filter = Filter {
        text: "player77".to_owned(),
        ..all()
    };
    let found = view(network.browser.servers(), &filter);
    assert_eq!(found.len(), 1);
    assert_eq!(network.browser.servers()[found[0]].name, "^2Server ^777");
}

#[test]
fn a_master_without_end_fills_its_part_and_costs_no_more() {
    let mut browser = Browser::new(1);
    browser.add_master(master());
    browser.poll(ClientTime(8));
    for datagram in 0..4000_usize {
        let addresses = (0..250).map(|at| {
            let number = (datagram * 250 + at) as u32;
            let [_, b, c, d] = number.to_be_bytes();
            SocketAddr::from(([20 + b, c, d, 1], 27960))
        });
        let bytes = ServerPacket::Servers(addresses.collect()).write();
        browser.handle_answer(master(), &bytes, ClientTime(20));
    }
    assert_eq!(browser.servers().len(), MAX_PER_MASTER);
    let mut asked = 0;
    for frame in 2..2000 {
        let questions = browser.poll(ClientTime(frame * 8)).len();
        assert!(questions <= 24, "{questions}");
        asked += questions;
    }
    assert!(asked <= MAX_PER_MASTER * 3 + 12, "{asked}");
    assert!(browser.flights.len() <= MAX_IN_FLIGHT);
    assert!(!browser.is_busy());
}

#[test]
fn public_masters_send_nobody_into_private_networks() {
    let mut browser = Browser::new(1);
    browser.add_master(master());
    browser.poll(ClientTime(8));
    let bad = [
        "127.0.0.1:27960",
        "10.0.0.1:27960",
        "192.168.1.1:27960",
        "169.254.1.1:27960",
        "8.8.8.8:53",
        "[::1]:27960",
        "[fd00::1]:27960",
        "[::ffff:127.0.0.1]:27960",
    ];
    let mut addresses: Vec<SocketAddr> = bad.iter().map(|text| text.parse().unwrap()).collect();
    addresses.push(address(5));
    let bytes = ServerPacket::Servers(addresses).write();
    browser.handle_answer(master(), &bytes, ClientTime(20));
    let known: Vec<&str> = (browser.servers().iter())
        .map(|server| server.address.as_str())
        .collect();
    assert_eq!(known, ["203.0.0.5:27960"]);
}

#[test]
fn only_who_was_asked_is_heard_and_only_with_the_token() {
    let mut browser = Browser::new(1);
    browser.add_server("play.example.org:27960", address(1), lists::FAVOURITE);
    let query = browser.poll(ClientTime(8)).remove(0);
    let packet = ClientPacket::read(&query.datagram).unwrap();
    let good = answer(&packet, 1).unwrap();
    let forged = answer(&ClientPacket::GetInfo { token: "x".into() }, 1).unwrap();
    browser.handle_answer(address(2), &good, ClientTime(30));
    browser.handle_answer(address(1), &forged, ClientTime(30));
    browser.handle_answer(
        address(1),
        b"\xff\xff\xff\xffinfoResponse\n",
        ClientTime(30),
    );
    assert_eq!(browser.servers()[0].ping_msec, None);
    browser.handle_answer(address(1), &good, ClientTime(38));
    assert_eq!(browser.servers()[0].ping_msec, Some(30));
    assert_eq!(browser.servers()[0].address, "play.example.org:27960");
    // A second answer, or a list of servers from somebody who is no master, changes nothing.
    browser.handle_answer(address(1), &good, ClientTime(700));
    let list = ServerPacket::Servers(vec![address(9)]).write();
    browser.handle_answer(address(1), &list, ClientTime(700));
    assert_eq!(browser.servers().len(), 1);
    assert_eq!(browser.servers()[0].ping_msec, Some(30));
}

#[test]
fn a_million_answers_are_a_million_times_nothing() {
    let mut network = Network::new(3);
    for _ in 0..100 {
        network.frame();
    }
    let generation = network.browser.generation();
    let bytes = answer(&ClientPacket::GetInfo { token: "1".into() }, 0).unwrap();
    for number in 0..1_000_000 {
        network
            .browser
            .handle_answer(address(number % 4), &bytes, ClientTime(network.now));
    }
    assert_eq!(network.browser.generation(), generation);
    assert_eq!(network.browser.servers().len(), 3);
}

#[test]
fn odd_texts_are_cut_and_cleaned() {
    let name = format!("^1\u{1b}[31m^^^9{}\u{202e}^", "long ".repeat(300));
    let mut info = Info::parse(&format!(
        "\\hostname\\{name}\\mapname\\../../\u{7}etc\\clients\\-5\\sv_maxclients\\99999999999\\gametype\\-2147483648"
    ));
    let mut server = Server::new("x".to_owned(), lists::INTERNET);
    server.take_info(&info, Some(5));
    assert!(server.name.len() <= 60, "{}", server.name);
    assert!(
        !server.name.contains(['\u{1b}', '\u{202e}']),
        "{}",
        server.name
    );
    assert_eq!(server.map, "../../etc");
    assert_eq!((server.players, server.max_players), (0, 1024));
    assert_eq!(server.game_type_name(), "?");
    let colours = "^1".repeat(5000);
    info.set("hostname", &colours[..600], MAX_BIG_INFO).unwrap();
    server.take_info(&info, Some(5));
    assert!(server.name.len() <= 160, "{}", server.name.len());
}

#[test]
fn neighbours_answer_the_question_to_all() {
    let mut browser = Browser::new(1);
    browser.poll(ClientTime(8));
    browser.ask_neighbours();
    let queries = browser.poll(ClientTime(16));
    let ports: Vec<QueryTo> = queries.iter().map(|query| query.to).collect();
    assert_eq!(ports.len(), 4);
    assert_eq!(ports[3], QueryTo::Neighbours { port: 27963 });
    let packet = ClientPacket::read(&queries[0].datagram).unwrap();
    let bytes = answer(&packet, 1).unwrap();
    let near: SocketAddr = "192.168.7.7:27960".parse().unwrap();
    browser.handle_answer(near, &bytes, ClientTime(20));
    browser.handle_answer("203.0.113.9:27960".parse().unwrap(), &bytes, ClientTime(20));
    assert_eq!(browser.servers().len(), 1);
    assert_eq!(browser.servers()[0].lists, lists::LAN);
    assert_eq!(browser.servers()[0].ping_msec, Some(4));
    for number in 0..2000_u16 {
        let [high, low] = number.to_be_bytes();
        let near = SocketAddr::from(([10, 1, high, low], 27960));
        browser.handle_answer(near, &bytes, ClientTime(20));
    }
    assert_eq!(browser.servers().len(), MAX_NEIGHBOURS);
}

#[test]
fn a_watched_server_is_asked_again_and_shown_in_full() {
    let mut network = Network::new(2);
    for _ in 0..100 {
        network.frame();
    }
    network.browser.watch(Some(1));
    let before = network.asked;
    for _ in 0..1000 {
        network.frame();
    }
    let details = network.browser.details().expect("it has answered");
    assert_eq!(details.players[0].name, "^1Player1");
    let mut rules = details.rules.iter();
    assert!(rules.any(|(key, value)| key == "mapname" && value == "oa_dm1"));
    let asked = network.asked - before;
    assert!((6..=16).contains(&asked), "{asked}");
}

#[test]
fn filters_and_order() {
    let server = |name: &str, ping, players, game_type, mod_name: &str| Server {
        address: format!("{name}:27960"),
        lists: lists::INTERNET,
        ping_msec: ping,
        name: name.to_owned(),
        players,
        max_players: 8,
        game_type,
        mod_name: mod_name.to_owned(),
        protocol: 68,
        names: vec!["Rill".to_owned(); usize::from(players.min(1))],
        ..Server::default()
    };
    let mut servers = [
        server("^3beta", Some(80), 0, 0, ""),
        server("^1Alpha", Some(90), 8, 4, "cpma"),
        server("gamma", Some(20), 3, 4, ""),
        server("delta", None, 0, 0, ""),
    ];
    servers[2].needs_password = true;
    let names = |filter: &Filter| -> Vec<&str> {
        let order = view(&servers, filter);
        order
            .into_iter()
            .map(|number| servers[number].name.as_str())
            .collect()
    };
    assert_eq!(names(&all()), ["gamma", "^3beta", "^1Alpha"]);
    let check = |change: fn(&mut Filter), expected: &[&str]| {
        let mut filter = all();
        change(&mut filter);
        assert_eq!(names(&filter), expected);
    };
    let by_name = ["^1Alpha", "^3beta", "gamma"];
    check(|filter| filter.key = SortKey::Name, &by_name);
    let by_players = ["^1Alpha", "gamma", "^3beta"];
    check(|filter| filter.key = SortKey::Players, &by_players);
    check(|filter| filter.shows_empty = false, &["gamma", "^1Alpha"]);
    check(|filter| filter.shows_full = false, &["gamma", "^3beta"]);
    check(
        |filter| filter.shows_private = false,
        &["^3beta", "^1Alpha"],
    );
    check(|filter| filter.game_type = Some(4), &["gamma", "^1Alpha"]);
    check(|filter| filter.mod_name = "CPMA".into(), &["^1Alpha"]);
    check(|filter| filter.protocol = Some(71), &[]);
    check(|filter| filter.lists = lists::LAN, &[]);
    let by_friends = |filter: &mut Filter| {
        filter.only_friends = true;
        filter.friends = vec!["ril".into()];
    };
    check(by_friends, &["gamma", "^1Alpha"]);
    // What the player keeps is shown though it be silent, and last.
    servers[3].lists = lists::FAVOURITE;
    let favourites = Filter {
        lists: lists::FAVOURITE,
        ..all()
    };
    assert_eq!(view(&servers, &favourites), [3]);
}

#[test]
fn a_relay_tells_and_nonsense_is_refused() {
    let text = r#"{"servers":[{"address":"play.example.org:27960","online":true,"ping_msec":12.6,
        "info":{"hostname":"^1Here","clients":"2","sv_maxclients":"8","mapname":"q3dm6"},
        "status":{"mapname":"q3dm6","fraglimit":"20"},"players":[{"score":1,"ping":5000,"name":"a\u001bb"}]},
        {"address":"x;quit","online":true}],
        "favourites":[{"address":"[::1]:27961","online":false}]}"#;
    let servers = relay_list::read(text).unwrap();
    assert_eq!(servers.len(), 2);
    let mut browser = Browser::new(1);
    servers
        .into_iter()
        .for_each(|server| browser.add_listed(server));
    browser.watch(Some(0));
    let first = browser.watched().unwrap();
    assert_eq!((first.ping_msec, first.players), (Some(12), 2));
    assert_eq!(browser.servers()[1].ping_msec, None);
    let details = browser.details().unwrap();
    assert_eq!(
        (details.players[0].name.as_str(), details.players[0].ping),
        ("ab", 999)
    );
    assert!(browser.poll(ClientTime(3000)).is_empty());
    for bad in [
        "",
        "[]",
        "{\"servers\":5}",
        "{\"servers\":[{\"ping_msec\":\"x\"}]}",
    ] {
        assert!(relay_list::read(bad).is_err() || bad == "[]", "{bad}");
    }
}

#[test]
fn addresses_get_the_port_that_they_lack() {
    let check = |name, is_master, expected: &str| assert_eq!(with_port(name, is_master), expected);
    check("example.org", false, "example.org:27960");
    check("example.org", true, "example.org:27950");
    check("example.org:28400", true, "example.org:28400");
    check("::1", false, "[::1]:27960");
    check("[::1]:5", false, "[::1]:5");
}
