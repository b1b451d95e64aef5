//! Own shots that hit at once are shown exactly once: with lag compensation in the frame of the trigger.

use super::{
    latency::{DistantPlayer, Range},
    practice::Server,
};
use client::cg::{Settings, timeline::game_static::GameStatic};
use shared::{
    bg::numbers::{entity_type, event as ev, weapon},
    types::{entitystate::EntityState, usercmd::Usercmd},
};

const ONE_WAY_MSEC: i32 = 100;
const TRIGGER_AT: i32 = 3000;
/// The trigger is let go before any weapon is ready again.
const TRIGGER_MSEC: i32 = 48;
const OWN: i32 = 0;

/// The event that a server sends when it executes a shot, and the one that shows it.
fn told(number: i32) -> i32 {
    match number {
        weapon::RAIL => ev::RAILTRAIL,
        weapon::SHOTGUN => ev::SHOTGUN,
        _ => ev::BULLET_HIT_WALL,
    }
}

/// Milliseconds from the trigger to each time that the shot's event was shown.
fn shown(number: i32, compensates: bool, delag: i32) -> Vec<i32> {
    let mut range = Range::new();
    let info = format!(
        "\\mapname\\oa_dm4\\gamename\\baseoa\\g_delagHitscan\\{}",
        i32::from(compensates)
    );
    range
        .gamestate
        .configstrings
        .set(0, &info)
        .expect("it fits");
    let settings = Settings {
        delag,
        ..Settings::default()
    };
    let level = GameStatic::new(&range.gamestate);
    let mut server = Server::new(&range.clip, &level, range.start);
    server.player.weapon = number;
    server.player.stats[level.stats.weapons] |= 1 << number;
    server.player.ammo[number as usize] = 100;
    let mut player = DistantPlayer::new(&mut range, settings, ONE_WAY_MSEC);
    let mut fired: Option<i32> = None;
    let mut shown = Vec::new();
    for now in 1001..TRIGGER_AT + 1500 {
        while let Some(command) = player.poll_usercmd(now) {
            let before = server.player.event_sequence;
            server.execute(command);
            let is_shot = (before..server.player.event_sequence)
                .any(|event| server.player.events[(event & 1) as usize] & 0xff == ev::FIRE_WEAPON);
            if is_shot {
                assert_eq!(fired.replace(now), None, "the server fires once");
            }
        }
        if now % 50 == 0 {
            let mut snapshot = server.snapshot(now);
            // A temporary entity lives for a moment, as on real servers.
            if fired.is_some_and(|at| now - at < 300) {
                let mut told_shot = EntityState {
                    number: 200,
                    e_type: entity_type::EVENTS + told(number),
                    client_num: OWN,
                    other_entity_num: OWN,
                    origin2: server.player.origin,
                    event_parm: 5,
                    ..EntityState::default()
                };
                told_shot.pos.base = server.player.origin;
                let others = snapshot.entities.iter().copied();
                snapshot.entities = others.chain([told_shot]).collect();
            }
            player.send(now, snapshot);
        }
        let is_down = (TRIGGER_AT..TRIGGER_AT + TRIGGER_MSEC).contains(&now);
        let command = Usercmd {
            buttons: u16::from(is_down),
            weapon: number as u8,
            ..Usercmd::default()
        };
        let Some(output) = player.frame(now, command, &mut range.assets) else {
            continue;
        };
        let events = output.events.iter();
        let shots = events.filter(|event| event.event == told(number));
        shown.extend(shots.map(|_| now - TRIGGER_AT));
    }
    assert!(fired.is_some(), "the server executed the shot");
    shown
}

#[test]
fn with_lag_compensation_a_shot_is_shown_once_and_at_once() {
    for number in [weapon::RAIL, weapon::SHOTGUN, weapon::MACHINEGUN] {
        assert_eq!(shown(number, true, 1), [0], "weapon {number}");
    }
}

#[test]
fn without_it_a_shot_is_shown_once_when_the_server_tells() {
    for (compensates, delag) in [(false, 1), (true, 0)] {
        let shown = shown(weapon::RAIL, compensates, delag);
        assert_eq!(shown.len(), 1);
        assert!((200..400).contains(&shown[0]), "{shown:?}");
    }
}
