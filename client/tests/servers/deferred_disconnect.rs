//! A farewell made in advance ends the stay of a player who has fallen silent.

use crate::player::Play;
use crate::scenarios::Player;
use real_servers::{GameServer, Program};
use std::time::{Duration, Instant};

fn check(program: Program, port: u16, protocol: Option<i32>) {
    let server = GameServer::start(program, port, &["+map", "oa_dm1"]);
    let mut player = Player::connect(&server, "Silent", protocol, Play::Random);
    player.play_until_active(1);
    // A command that is not acknowledged yet, and one that is, both count.
    let said = player.headless.connection().add_reliable_command("say hi");
    assert_eq!(said, Ok(()));
    let deferred_disconnect = player.play_and_keep_disconnect(3.0, 2.0);
    assert_eq!(deferred_disconnect.len(), 3);
    let lists_player = || server.rcon("status").contains("Silent");
    std::thread::sleep(Duration::from_millis(1500));
    assert!(lists_player(), "the server waits for whoever says nothing");
    player.send(&deferred_disconnect);
    let until = Instant::now() + Duration::from_secs(5);
    while lists_player() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(!lists_player(), "{}", server.log());
    // The server takes the same player again.
    let mut again = Player::connect(&server, "Silent", protocol, Play::Idle);
    again.play_until_active(1);
    again.leave();
}

#[test]
fn openarena_believes_a_deferred_disconnect() {
    check(Program::OpenArena, 28519, None);
}

#[test]
fn ioquake3_believes_a_deferred_disconnect_of_protocol_68() {
    check(Program::Ioquake3, 28517, Some(68));
}

#[test]
fn ioquake3_believes_a_deferred_disconnect_of_protocol_71() {
    check(Program::Ioquake3, 28518, Some(71));
}
