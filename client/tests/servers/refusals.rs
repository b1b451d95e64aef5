//! What real servers say to those they do not want, and what the player then reads.

use crate::{player::Play, scenarios::Player};
use client::cl::{Reason, Refusal};
use real_servers::{GameServer, Program};

#[test]
fn real_refusals_end_in_clear_words() {
    let settings = "+set sv_pure 0 +set g_password secret +set sv_maxclients 1 +map oa_dm1";
    let arguments: Vec<&str> = settings.split(' ').collect();
    let server = GameServer::start(Program::OpenArena, 28516, &arguments);

    let mut player = Player::connect(&server, "NoWord", None, Play::Idle);
    let end = player.play_to_the_end(10.0);
    assert!(
        matches!(end, Some(Reason::Refused(Refusal::Password(_)))),
        "{end:?}"
    );

    let mut player = Player::connect(&server, "OldProto", Some(68), Play::Idle);
    let end = player.play_to_the_end(10.0);
    assert!(
        matches!(end, Some(Reason::Refused(Refusal::Protocol(_)))),
        "{end:?}"
    );

    // The right word lets one in. After a goodbye the only place is free again, two seconds later.
    let mut player = Player::connect(&server, "Word", None, Play::Idle);
    player.set("password", "secret");
    player.play_until_active(1);
    player.leave();
    let mut player = Player::connect(&server, "Word", None, Play::Idle);
    player.set("password", "secret");
    player.play_until_active(1);

    // Nobody else fits in, and waiting for a place ends after half a minute.
    let mut late = Player::connect(&server, "Late", None, Play::Idle);
    late.set("password", "secret");
    for _ in 0..4000 {
        player.frame();
        late.frame();
        if late.headless.end().is_some() {
            break;
        }
    }
    let end = late.headless.end();
    assert!(
        matches!(end, Some(Reason::Refused(Refusal::Full(_)))),
        "{end:?}"
    );
    assert!(player.headless.end().is_none());
}
