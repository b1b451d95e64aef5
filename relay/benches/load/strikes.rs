//! The attacks on a relay, made by a process of their own.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;
use futures_util::{SinkExt, StreamExt};
use shared::base::rng::Rng;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream, UdpSocket};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_tungstenite::tungstenite::Message;

use crate::openings;
use crate::players::{self, Link, Path, PlayerLink};

/// Attackers come from addresses from here on.
const FIRST_ATTACKER: u32 = 0x7f02_0001;
const HALF_OPEN: u32 = 10_000;
const SLOW: u32 = 400;
/// Beginnings that are made before they are sent.
const HANDSHAKES: usize = 250;

/// The argument that makes this program the attackers.
pub const STRIKE: &str = "--strike";

/// One table for the kinds of attack and their order.
macro_rules! attacks {
    ($($name:ident,)*) => {
        #[derive(Clone, Copy, Debug)]
        pub enum Attack {
            $($name,)*
        }

        pub const ATTACKS: &[Attack] = &[$(Attack::$name,)*];
    };
}

attacks! {
    Flood,
    OversizedFrames,
    HalfOpen,
    SlowHeads,
    Joins,
    ForbiddenTargets,
    SpoofedReplies,
    QuicNoise,
    UnfinishedHandshakes,
    Malformed,
    AbortedLists,
    RefusedWebSockets,
    Crowds,
    SlowReaders,
    SlowNames,
    TinyDatagrams,
    Pongs,
    Pings,
    BytewiseHttp3,
}

/// What attackers know.
struct Targets {
    relay: String,
    server: String,
    /// Sockets of the relay towards the server.
    seats: Vec<SocketAddr>,
    /// What they have done.
    blows: AtomicU64,
}

impl Targets {
    fn count_blow(&self) {
        self.blows.fetch_add(1, Ordering::Relaxed);
    }
}

/// What the process of the attackers does; its words come after [`STRIKE`].
pub async fn strike(mut words: impl Iterator<Item = String>) -> anyhow::Result<()> {
    let mut word = || words.next().context("a word is missing");
    let number: usize = word()?.parse()?;
    let attack = *ATTACKS.get(number).context("there is no such attack")?;
    let time = Duration::from_secs_f64(word()?.parse()?);
    let targets = Arc::new(Targets {
        relay: word()?,
        server: word()?,
        seats: word()?
            .split(',')
            .filter_map(|seat| seat.parse().ok())
            .collect(),
        blows: AtomicU64::new(0),
    });
    let count = match attack {
        Attack::Flood
        | Attack::TinyDatagrams
        | Attack::Pongs
        | Attack::Pings
        | Attack::AbortedLists
        | Attack::SlowNames
        | Attack::OversizedFrames
        | Attack::Joins
        | Attack::ForbiddenTargets
        | Attack::Malformed => 5,
        _ => 1,
    };
    let mut attackers = JoinSet::new();
    for number in 0..count {
        let targets = targets.clone();
        attackers.spawn(async move {
            loop {
                // A relay that refuses is what it should be; the next one tries again.
                let _ = strike_once(&targets, attack, number).await;
                sleep(Duration::from_millis(5)).await;
            }
        });
    }
    // What they have opened closes when they end.
    sleep(time).await;
    println!("{}", targets.blows.load(Ordering::Relaxed));
    Ok(())
}

async fn strike_once(world: &Targets, attack: Attack, number: u32) -> anyhow::Result<()> {
    match attack {
        Attack::Flood => flood(world, number).await,
        Attack::OversizedFrames => {
            let mut link = attacker(world, number, &world.server).await?;
            for size in [1500, 5000, 1_000_000] {
                send(world, &mut link, vec![0; size]).await?;
            }
            Ok(())
        }
        Attack::HalfOpen => half_open(world, HALF_OPEN, Duration::ZERO).await,
        Attack::SlowHeads => half_open(world, SLOW, Duration::from_millis(100)).await,
        Attack::Joins => {
            world.count_blow();
            attacker(world, number, &world.server).await.map(drop)
        }
        Attack::ForbiddenTargets => {
            let targets = [
                "127.0.0.1:22",
                "localhost:22",
                "[::ffff:127.0.0.1]:22",
                "10.0.0.1:27960",
            ];
            for target in targets {
                world.count_blow();
                let link = attacker(world, number, target).await?;
                if let Link::WebSocket(mut socket) = link {
                    while let Some(Ok(_)) = socket.next().await {}
                }
            }
            Ok(())
        }
        Attack::SpoofedReplies => spoof(world).await,
        Attack::QuicNoise => quic_noise(world).await,
        Attack::UnfinishedHandshakes => unfinished_handshakes(world).await,
        Attack::Malformed => malformed(world, number).await,
        Attack::AbortedLists => aborted_list(world, number).await,
        Attack::RefusedWebSockets => refused_websockets(world).await,
        Attack::Crowds => crowd(world).await,
        Attack::SlowReaders => slow_readers(world).await,
        Attack::SlowNames => slow_names(world, number).await,
        Attack::TinyDatagrams => {
            let datagram = Message::Binary(vec![1, 0, 0, 0, 1, 1, 7].into());
            flood_with(world, number, datagram).await
        }
        Attack::Pongs => flood_with(world, number, Message::Pong(Vec::new().into())).await,
        Attack::Pings => flood_with(world, number, Message::Text(r#"{"ping":1}"#.into())).await,
        Attack::BytewiseHttp3 => bytewise_http3(world).await,
    }
}

/// Whoever hangs up on a list, again and again.
async fn aborted_list(world: &Targets, number: u32) -> anyhow::Result<()> {
    let mut stream = stream_from(world, number).await?;
    world.count_blow();
    let question = format!("GET /api/servers HTTP/1.1\r\nhost: {}\r\n\r\n", world.relay);
    stream.write_all(question.as_bytes()).await?;
    sleep(Duration::from_millis(10)).await;
    Ok(())
}

/// WebSockets to a server that nobody may join, which are never closed by those who opened them.
async fn refused_websockets(world: &Targets) -> anyhow::Result<()> {
    let head = format!(
        "GET /ws?server=10.0.0.1:27960 HTTP/1.1\r\nhost: {}\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
        world.relay
    );
    let _open = open_many(world, 2_500, 500, &head).await?;
    sleep(Duration::from_secs(2)).await;
    Ok(())
}

/// Players of many neighbours who never enter a game.
async fn crowd(world: &Targets) -> anyhow::Result<()> {
    let mut links = Vec::new();
    for number in 0..600 {
        world.count_blow();
        links.extend(attacker(world, number, &world.server).await);
        sleep(Duration::from_millis(2)).await;
    }
    sleep(Duration::from_secs(1)).await;
    Ok(())
}

/// Readers of a large file who take nothing, from as many addresses as fill all places.
async fn slow_readers(world: &Targets) -> anyhow::Result<()> {
    let question = format!(
        "GET /content/baseoa/big.pk3 HTTP/1.1\r\nhost: {}\r\n\r\n",
        world.relay
    );
    let _open = open_many(world, 2_500, 100, &question).await?;
    sleep(Duration::from_secs(20)).await;
    Ok(())
}

/// Names to look up that nobody has looked up before.
async fn slow_names(world: &Targets, number: u32) -> anyhow::Result<()> {
    let names = (0..16).map(|_| Ok(format!("{:x}.invalid:27960", getrandom::u64()?)));
    let names: Result<Vec<_>, getrandom::Error> = names.collect();
    let mut stream = stream_from(world, number).await?;
    world.count_blow();
    let question = format!(
        "GET /api/servers?favourites={} HTTP/1.1\r\nhost: {}\r\n\r\n",
        names?.join(","),
        world.relay
    );
    stream.write_all(question.as_bytes()).await?;
    sleep(Duration::from_millis(50)).await;
    Ok(())
}

/// As many messages of one kind as the line takes.
async fn flood_with(world: &Targets, number: u32, message: Message) -> anyhow::Result<()> {
    let Link::WebSocket(mut socket) = attacker(world, number, &world.server).await? else {
        anyhow::bail!("no WebSocket");
    };
    loop {
        for _ in 0..64 {
            world.count_blow();
            socket.feed(message.clone()).await?;
        }
        socket.flush().await?;
        tokio::task::yield_now().await;
    }
}

/// A request that begins with thousands of frames without meaning.
async fn bytewise_http3(world: &Targets) -> anyhow::Result<()> {
    let hash = players::certificate_hash(&world.relay).await?;
    let config = wtransport::ClientConfig::builder()
        .with_bind_default()
        .with_server_certificate_hashes([wtransport::tls::Sha256Digest::new(hash)])
        .build();
    let endpoint = wtransport::quinn::Endpoint::client((Ipv4Addr::LOCALHOST, 0).into())?;
    for _ in 0..24 {
        let connecting = endpoint.connect_with(
            config.quic_config().clone(),
            world.relay.parse()?,
            "localhost",
        );
        let connection = connecting?.await?;
        let (mut request, _answer) = connection.open_bi().await?;
        for _ in 0..40 {
            world.count_blow();
            // A hundred frames of type 0x21 and no bytes.
            request.write_all(&[0x21, 0].repeat(100)).await?;
            sleep(Duration::from_millis(1)).await;
        }
    }
    Ok(())
}

/// A connection from one of the attackers' addresses.
async fn stream_from(world: &Targets, number: u32) -> anyhow::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::from(FIRST_ATTACKER + number), 0).into())?;
    Ok(socket.connect(world.relay.parse()?).await?)
}

/// So many connections, of which so many come from each address and all begin with the same.
async fn open_many(
    world: &Targets,
    count: u32,
    per_address: u32,
    head: &str,
) -> anyhow::Result<Vec<TcpStream>> {
    let mut open = Vec::new();
    for number in 0..count {
        let mut stream = stream_from(world, number / per_address).await?;
        world.count_blow();
        let _ = stream.write_all(head.as_bytes()).await;
        // Our own descriptors are not without end.
        if open.len() < 2_500 {
            open.push(stream);
        }
        if number % 16 == 0 {
            sleep(Duration::from_millis(3)).await;
        }
    }
    Ok(open)
}

async fn attacker(world: &Targets, number: u32, target: &str) -> anyhow::Result<Link> {
    // The players' own addresses begin 65,536 below the attackers'.
    let number = (FIRST_ATTACKER - 0x7f01_0001 + number) as usize;
    players::connect(
        number,
        target,
        Path::WebSocket,
        Some(&world.relay),
        None,
        None,
    )
    .await
}

async fn send(world: &Targets, link: &mut Link, datagram: Vec<u8>) -> anyhow::Result<()> {
    world.count_blow();
    match link {
        Link::WebSocket(socket) => Ok(socket.send(Message::Binary(datagram.into())).await?),
        _ => link.send(&datagram).await,
    }
}

/// Much more than anybody's budget, from somebody whom the server let in.
async fn flood(world: &Targets, number: u32) -> anyhow::Result<()> {
    let mut link = attacker(world, number, &world.server).await?;
    players::be_let_in(&mut link).await?;
    for sequence in 1_u32.. {
        let datagram = players::usercmd::<60>(sequence).to_vec();
        send(world, &mut link, datagram).await?;
        if sequence % 32 == 0 {
            sleep(Duration::from_millis(2)).await;
        }
    }
    Ok(())
}

/// Connections whose request never ends, from many addresses.
async fn half_open(world: &Targets, count: u32, between: Duration) -> anyhow::Result<()> {
    let head = "GET /ws HTTP/1.1\r\nupgrade: websocket\r\n";
    let mut open = open_many(world, count, 40, head).await?;
    while !between.is_zero() && !open.is_empty() {
        sleep(between).await;
        let mut living = Vec::new();
        for mut stream in open {
            world.count_blow();
            if stream.write_all(b"x").await.is_ok() {
                living.push(stream);
            }
        }
        open = living;
    }
    Ok(())
}

/// Datagrams of somebody who is not the server, to the sockets of those who play.
async fn spoof(world: &Targets) -> anyhow::Result<()> {
    let socket = UdpSocket::bind("127.0.0.1:0").await?;
    let disconnect = players::out_of_band(b"disconnect");
    for round in 0..1000_u32 {
        for seat in &world.seats {
            world.count_blow();
            // Most seats of former players are closed.
            let _ = socket.send_to(&disconnect, *seat).await;
            let forged = [&round.to_le_bytes()[..], &[0; 400]].concat();
            let _ = socket.send_to(&forged, *seat).await;
        }
        sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}

/// What is no QUIC, and what looks like its beginning.
async fn quic_noise(world: &Targets) -> anyhow::Result<()> {
    let mut rng = Rng::new(7);
    for number in 0..64 {
        let socket = UdpSocket::bind((Ipv4Addr::from(FIRST_ATTACKER + number), 0)).await?;
        socket.connect(&world.relay).await?;
        for _ in 0..64 {
            let mut noise: Vec<u8> = (0..1200).map(|_| rng.next_u64() as u8).collect();
            if rng.percent(70.0) {
                // A long header of version 1 with connection ids of 8 bytes each.
                noise[..6].copy_from_slice(&[0xc3, 0, 0, 0, 1, 8]);
                noise[14] = 8;
            }
            world.count_blow();
            let _ = socket.send(&noise).await;
        }
        sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}

/// Beginnings of QUIC connections, each from an address of its own, which never go on.
async fn unfinished_handshakes(world: &Targets) -> anyhow::Result<()> {
    let openings = openings::openings(HANDSHAKES).await?;
    for (number, opening) in (0..).zip(&openings) {
        let socket = UdpSocket::bind((Ipv4Addr::from(FIRST_ATTACKER + number), 0)).await?;
        world.count_blow();
        let _ = socket.send_to(opening, &world.relay).await;
        if number % 32 == 0 {
            sleep(Duration::from_millis(1)).await;
        }
    }
    Ok(())
}

/// Rubbish at every place where something is read.
async fn malformed(world: &Targets, number: u32) -> anyhow::Result<()> {
    let mut rng = Rng::new(u64::from(number));
    let mut noise = |max: usize| -> Vec<u8> {
        let size = rng.below(max);
        (0..size).map(|_| rng.next_u64() as u8).collect()
    };
    for _ in 0..20 {
        let mut stream = TcpStream::connect(&world.relay).await?;
        world.count_blow();
        let _ = stream.write_all(&noise(400)).await;
    }
    let mut link = attacker(world, number, &world.server).await?;
    for _ in 0..60 {
        let datagram = [&[0xff; 4], &noise(1600)[..]].concat();
        send(world, &mut link, datagram).await?;
        send(world, &mut link, noise(1600)).await?;
    }
    Ok(())
}
