//! A bot in sixty lines: enters a server that is not pure, runs in circles, shoots, and tells what it sees.
//!
//! `cargo run -p shared --example bot -- HOST:PORT [SECONDS]`

use shared::{
    base::{
        info::Info,
        time::{ClientTime, ServerTime},
    },
    net::{
        clc::{self, ClientMessage, MoveKey, Movement},
        netchan::{MAX_DATAGRAM, Netchan, Side},
        oob::{ClientPacket, ServerPacket},
        protocol::{CLASSIC, GAMENAME, WireForm},
        reliable::CommandTexts,
        svc::{Decoder, Origin, ServerOp},
    },
    types::usercmd::{Usercmd, buttons},
};
use std::{
    error::Error,
    net::UdpSocket,
    time::{Duration, Instant},
};

const QPORT: u16 = 4711;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let seconds = words.get(1).map_or(Ok(10.0), |word| word.parse())?;
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    socket.connect(words.first().ok_or("bot HOST:PORT [SECONDS]")?)?;
    socket.set_read_timeout(Some(Duration::from_millis(10)))?;
    let mut buffer = [0; MAX_DATAGRAM];
    let mut userinfo = Info::new();
    for (key, value) in [
        ("name", "Sixty"),
        ("rate", "25000"),
        ("snaps", "20"),
        ("model", "sarge"),
    ] {
        userinfo.set(key, value, 980)?;
    }
    let (protocol, qport) = (CLASSIC.to_string(), QPORT.to_string());
    let challenge = loop {
        let own = Some(1);
        let question = ClientPacket::GetChallenge {
            own,
            gamename: GAMENAME.to_owned(),
        };
        socket.send(&question.write()?)?;
        std::thread::sleep(Duration::from_millis(200));
        let length = socket.recv(&mut buffer).unwrap_or(0);
        if let Some(ServerPacket::Challenge(answer)) = ServerPacket::read(&buffer[..length]) {
            break answer.challenge;
        }
    };
    for (key, value) in [
        ("protocol", protocol),
        ("qport", qport),
        ("challenge", challenge.to_string()),
    ] {
        userinfo.set(key, &value, 980)?;
    }
    socket.send(&ClientPacket::Connect { userinfo }.write()?)?;
    let mut netchan = Netchan::new(Side::Client { qport: QPORT }, WireForm::Legacy, challenge);
    let mut decoder = Decoder::new(Origin::Connection(WireForm::Legacy));
    let (own, mut theirs) = (CommandTexts::new(), CommandTexts::new());
    let (began_at, mut level, mut newest) = (Instant::now(), None, ServerTime(0));
    while began_at.elapsed().as_secs_f64() < seconds {
        let now = ClientTime(began_at.elapsed().as_millis() as i32);
        let length = socket.recv(&mut buffer).unwrap_or(0);
        if let Ok(Some(message)) = netchan.receive(now, &buffer[..length], &own) {
            for op in decoder
                .read(message.sequence, &message.bytes, own.newest())?
                .ops
            {
                match op {
                    ServerOp::Gamestate(gamestate) => {
                        let id = Info::parse(gamestate.configstrings.get(1)).number("sv_serverid");
                        theirs.set_newest(gamestate.server_command_num);
                        level = Some((id, gamestate.checksum_feed));
                    }
                    ServerOp::Command(command) => {
                        println!("{}", command.text);
                        theirs.insert(command.number, &command.text);
                    }
                    ServerOp::Snapshot(snapshot) => {
                        newest = snapshot.server_time;
                        let (at, entities) = (snapshot.player.origin, snapshot.entities.len());
                        println!("{} ms: at {at}, {entities} entities", newest.0);
                    }
                    _ => {}
                }
            }
        }
        let Some((server_id, checksum_feed)) = level else {
            continue;
        };
        let turn = (now.0 * 20) as u16;
        let (angles, forward_move, buttons) = ([0, turn, 0], 127, buttons::ATTACK);
        let usercmd = Usercmd {
            server_time: newest,
            angles,
            forward_move,
            buttons,
            weapon: 2,
            ..Usercmd::default()
        };
        let movement = Movement {
            allows_delta: true,
            usercmds: vec![usercmd],
        };
        let (message_ack, command_ack) = (netchan.incoming(), theirs.newest());
        let message = ClientMessage {
            server_id,
            message_ack,
            command_ack,
            commands: Vec::new(),
            movement,
        };
        let key = MoveKey {
            checksum_feed,
            server_command: theirs.get(command_ack),
        };
        for datagram in netchan.send(clc::write(&message, key)?, &theirs)? {
            socket.send(&datagram)?;
        }
    }
    Ok(())
}
