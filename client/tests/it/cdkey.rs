//! The key of Quake III: asked for when a server demands it, kept by itself, shown to the authorize server alone.

use client::{
    client::{CDKEY_NAME, Client, ClientSetup},
    event::{Event, Transport},
    output::{Output, QueryTo, Request},
};
use shared::{base::time::ClientTime, net::oob::ClientPacket};

const KEY: &str = "abcd-2345-EFGH-6789";

fn client(cdkey: Option<&str>) -> Client {
    let setup = ClientSetup {
        seed: 1,
        guid: "0123456789ABCDEF0123456789ABCDEF".into(),
        can_ask: true,
        cdkey: cdkey.map(str::to_owned),
        ..ClientSetup::default()
    };
    let mut client = Client::new(setup, ClientTime(0));
    assert_eq!(client.cvars().text("cl_authorizeServer"), "");
    run(&mut client, 5, "cl_authorizeServer keys.example.com");
    client
}

fn run(client: &mut Client, now: i32, line: &str) -> Output {
    let events = vec![Event::Command(format!("{line}\n"))];
    client.frame(ClientTime(now), events)
}

/// The server says these words while the client waits for its challenge.
fn demanded(client: &mut Client, now: i32, words: &str) -> Vec<Output> {
    let bytes = [b"\xff\xff\xff\xffprint\n", words.as_bytes(), b"\n"].concat();
    let at = ClientTime(now);
    let first = client.frame(at, vec![Event::Packet { bytes, at }]);
    vec![first, client.frame(at + 10, Vec::new())]
}

fn connect(client: &mut Client, server: &str) {
    run(client, 10, &format!("connect {server}"));
    let opened = Event::LinkOpened {
        server: server.to_owned(),
        transport: Transport::Udp,
    };
    client.frame(ClientTime(20), vec![opened]);
}

/// Where datagrams beside the connection go, and what they say.
fn queries(outputs: &[Output]) -> Vec<(String, ClientPacket)> {
    let requests = outputs.iter().flat_map(|output| &output.requests);
    let queries = requests.filter_map(|request| match request {
        Request::Query { queries, .. } => Some(queries),
        _ => None,
    });
    let told = queries.flatten().map(|query| {
        let QueryTo::Server(to) = query.to else {
            panic!("the key is for one server");
        };
        let packet = ClientPacket::read(&query.datagram).expect("servers understand it");
        (to.to_string(), packet)
    });
    told.collect()
}

fn looked_up(outputs: &[Output]) -> Vec<&str> {
    let requests = outputs.iter().flat_map(|output| &output.requests);
    let names = requests.filter_map(|request| match request {
        Request::LookUp { name, .. } => Some(name.as_str()),
        _ => None,
    });
    names.collect()
}

fn printed(outputs: &[Output]) -> String {
    let lines = outputs.iter().flat_map(|output| &output.printed);
    lines.map(String::as_str).collect()
}

const DEMAND: &str = "Awaiting CD key authorization";

#[test]
fn the_key_goes_to_the_authorize_server_when_a_server_demands_it() {
    let mut client = client(Some(KEY));
    connect(&mut client, "example.org:27960");
    let outputs = demanded(&mut client, 30, "Server is restarting");
    assert!(looked_up(&outputs).is_empty());
    let outputs = demanded(&mut client, 50, DEMAND);
    assert_eq!(looked_up(&outputs), ["keys.example.com:27952"]);
    assert!(queries(&outputs).is_empty());
    let found = Event::LookedUp {
        name: "keys.example.com:27952".to_owned(),
        addresses: vec![
            "[2001:db8::1]:27952".parse().unwrap(),
            "192.0.2.7:27952".parse().unwrap(),
        ],
    };
    let output = client.frame(ClientTime(80), vec![found]);
    let expected = ClientPacket::KeyAuthorize {
        is_anonymous: false,
        key: "abcd2345EFGH6789".to_owned(),
    };
    assert_eq!(
        queries(&[output]),
        [("192.0.2.7:27952".to_owned(), expected)]
    );
    // Demands that follow at once are not served again.
    assert!(looked_up(&demanded(&mut client, 100, DEMAND)).is_empty());
    assert_eq!(looked_up(&demanded(&mut client, 4000, DEMAND)).len(), 1);
}

#[test]
fn nobody_else_gets_the_key() {
    let mut client = client(Some(KEY));
    // Neither by a server that says so in the own network, nor by what players may type.
    connect(&mut client, "192.168.1.5:27960");
    let outputs = demanded(&mut client, 30, DEMAND);
    assert!(looked_up(&outputs).is_empty() && queries(&outputs).is_empty());
    let mut told = Vec::new();
    for (number, line) in [
        "setu cl_cdkey abcd2345EFGH6780",
        "seta cl_cdkey abcd2345EFGH6789",
        "sets cl_cdkey abcd2345EFGH6789",
        "vstr cl_cdkey",
        "cl_cdkey",
        "print cl_cdkey",
        "cvarlist",
        "clientinfo",
        "writeconfig all",
        "connect example.org:27960",
    ]
    .iter()
    .enumerate()
    {
        told.push(run(&mut client, 1000 + number as i32 * 20, line));
    }
    let text = printed(&told);
    assert!(!text.contains("EFGH"), "{text}");
    for output in &told {
        for datagram in &output.datagrams {
            assert!(!datagram.windows(4).any(|part| part == b"EFGH"));
        }
        for request in &output.requests {
            match request {
                Request::Store { name, text } if name == CDKEY_NAME => {
                    assert!(text.contains("EFGH"), "it is kept");
                }
                Request::Store { name, text } => assert!(!text.contains("EFGH"), "{name}"),
                _ => {}
            }
        }
    }
    let (userinfo, _) = client::settings::userinfo(client.cvars(), "example.org");
    assert_eq!(userinfo.get("cl_cdkey"), "");
}

#[test]
fn whoever_has_stored_no_key_is_asked_once() {
    let mut client = client(None);
    connect(&mut client, "example.org:27960");
    let outputs = demanded(&mut client, 30, DEMAND);
    let told = printed(&outputs);
    assert!(told.contains("cl_cdkey"), "{told}");
    assert!(
        outputs
            .iter()
            .any(|output| output.spoken.contains("Key of Quake III"))
    );
    assert!(looked_up(&outputs).is_empty());
    let outputs = demanded(&mut client, 4000, DEMAND);
    let again = printed(&outputs);
    assert!(!again.contains("cl_cdkey"), "{again}");
    let output = run(&mut client, 5000, "cl_cdkey abcd2345EFGH6789");
    let kept =
        |request: &Request| matches!(request, Request::Store { name, .. } if name == CDKEY_NAME);
    assert!(output.requests.iter().any(kept));
    let outputs = demanded(&mut client, 8000, DEMAND);
    assert_eq!(looked_up(&outputs).len(), 1);
}

#[test]
fn the_key_goes_nowhere_before_a_server_for_it_is_named() {
    let mut client = client(Some(KEY));
    run(&mut client, 6, "reset cl_authorizeServer");
    connect(&mut client, "example.org:27960");
    let outputs = demanded(&mut client, 30, DEMAND);
    let told = printed(&outputs);
    assert!(told.contains("cl_authorizeServer"), "{told}");
    assert!(looked_up(&outputs).is_empty() && queries(&outputs).is_empty());
    run(&mut client, 1000, "cl_authorizeServer 192.0.2.8");
    let outputs = demanded(&mut client, 4000, DEMAND);
    let to = queries(&outputs).into_iter().map(|(to, _)| to);
    assert_eq!(to.collect::<Vec<_>>(), ["192.0.2.8:27952"]);
}
