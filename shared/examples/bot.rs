//! A bot in ninety lines: enters a server that is not pure, runs in circles, shoots, and tells what it sees.
//!
//! `cargo run -p shared --example bot -- HOST:PORT [SECONDS]`

use shared::{
    base::{info::Info, time::*},
    net::{clc, clc::*, netchan::*, oob::*, protocol::*, reliable::CommandTexts, svc::*},
    types::usercmd::*,
};
use std::{error::Error, net::UdpSocket, time::*};

const QPORT: u16 = 4711;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().collect();
    let seconds = words.get(2).map_or(Ok(10.0), |word| word.parse())?;
    let socket = UdpSocket::bind("0.0.0.0:0")?;
    socket.connect(words.get(1).ok_or("bot HOST:PORT [SECONDS]")?)?;
    socket.set_read_timeout(Some(Duration::from_millis(10)))?;
    let mut buffer = [0; MAX_DATAGRAM];
    let challenge = loop {
        let (own, gamename) = (Some(1), GAMENAME.to_owned());
        socket.send(&ClientPacket::GetChallenge { own, gamename }.write()?)?;
        std::thread::sleep(Duration::from_millis(200));
        let length = socket.recv(&mut buffer).unwrap_or(0);
        if let Some(ServerPacket::Challenge(answer)) = ServerPacket::read(&buffer[..length]) {
            break answer.challenge;
        }
    };
    let handshake = format!(r"\protocol\{CLASSIC}\qport\{QPORT}\challenge\{challenge}");
    let userinfo =
        Info::parse(&(r"\name\Seventy\rate\25000\snaps\20\model\sarge".to_owned() + &handshake));
    socket.send(&ClientPacket::Connect { userinfo }.write()?)?;
    let mut netchan = Netchan::new(Side::Client { qport: QPORT }, WireForm::Legacy, challenge);
    let mut decoder = Decoder::new(Origin::Connection(WireForm::Legacy));
    let (own, mut theirs) = (CommandTexts::new(), CommandTexts::new());
    let (began_at, mut level, mut newest) = (Instant::now(), None, ServerTime(0));
    while began_at.elapsed().as_secs_f64() < seconds {
        let now = ClientTime(began_at.elapsed().as_millis() as i32);
        let length = socket.recv(&mut buffer).unwrap_or(0);
        if let Ok(Some(message)) = netchan.receive(now, &buffer[..length], &own) {
            let message = decoder.read(message.sequence, &message.bytes, own.newest())?;
            for op in message.ops {
                match op {
                    ServerOp::Gamestate(gamestate) => {
                        let info = Info::parse(gamestate.configstrings.get(1));
                        theirs.set_newest(gamestate.server_command_num);
                        level = Some((info.number("sv_serverid"), gamestate.checksum_feed));
                    }
                    ServerOp::Command(command) => {
                        println!("{}", command.text);
                        theirs.insert(command.number, &command.text);
                    }
                    ServerOp::Snapshot(snapshot) => {
                        newest = snapshot.server_time;
                        println!("{} ms: at {}", newest.0, snapshot.player.origin);
                    }
                    _ => {}
                }
            }
        }
        // The server sends the gamestate to whoever has sent a message.
        let (server_id, checksum_feed) = level.unwrap_or_default();
        let mut usercmd = Usercmd::default();
        (usercmd.server_time, usercmd.weapon) = (newest, 2);
        (usercmd.angles[1], usercmd.forward_move) = ((now.0 * 20) as u16, 127);
        usercmd.buttons = buttons::ATTACK;
        let usercmds = level.map(|_| usercmd).into_iter().collect();
        let allows_delta = true;
        let message = ClientMessage {
            server_id,
            message_ack: netchan.incoming(),
            command_ack: theirs.newest(),
            movement: Movement {
                allows_delta,
                usercmds,
            },
            ..ClientMessage::default()
        };
        let server_command = theirs.get(message.command_ack);
        let key = MoveKey {
            checksum_feed,
            server_command,
        };
        for datagram in netchan.send(clc::write(&message, key)?, &theirs)? {
            socket.send(&datagram)?;
        }
    }
    Ok(())
}
