//! What was measured of the games of other servers: spawning, health, missiles, hits, items and what is dropped, pads and falls.
#![allow(
    clippy::disallowed_methods,
    reason = "what measures is no part of a frame"
)]

use crate::room::Room;
use glam::Vec3;
use shared::{
    base::math::Axes,
    bg::numbers::{entity_flags, entity_type, event, persistant, powerup, weapon},
    types::{entitystate::EntityState, usercmd::buttons},
};

/// A medkit or teleporter is used so.
const USE_HOLDABLE: u16 = 4;
const OPENARENA: [(&str, &str); 1] = [("gamename", "baseoa")];

fn health_after(room: &mut Room, msec: i32) -> i32 {
    room.play(msec);
    room.health(0)
}

fn missiles(room: &Room) -> Vec<EntityState> {
    let missiles = room.of_type(entity_type::MISSILE);
    let linked = missiles.filter(|one| one.is_linked());
    linked.map(|one| one.state).collect()
}

/// The muzzle of a player's weapon: before the eye of the place in whole units that others are told.
fn muzzle(room: &Room, client: usize) -> Vec3 {
    let state = room.player(client);
    let eye = state.origin.trunc() + Vec3::Z * state.view_height as f32;
    eye + Axes::from_angles(state.view_angles).forward * 14.0
}

#[test]
fn spawned_players_have_what_they_had_elsewhere() {
    let room = Room::new(2, &[]);
    let state = room.player(0);
    let gauntlet = weapon::GAUNTLET as usize;
    assert_eq!(
        (
            state.ammo[weapon::MACHINEGUN as usize],
            state.ammo[gauntlet]
        ),
        (100, -1)
    );
    assert_eq!(state.persistant[persistant::RANK], 0x4000, "shared");
    assert!(room.has_said("cs 6 \"0\"") && room.has_said("cs 7 \"-9999\""));
    let mut room = Room::new(0, &[("g_gametype", "3")]);
    room.join("\\teampref\\red");
    assert_eq!(room.player(0).ammo[weapon::MACHINEGUN as usize], 50);
}

#[test]
fn health_above_100_goes_down_by_one_each_second() {
    let mut room = Room::new(0, &[]);
    room.join("");
    assert_eq!(room.health(0), 125);
    // His time begins 100 ms before the frame in which he appears.
    assert_eq!(health_after(&mut room, 850), 125);
    assert_eq!(health_after(&mut room, 100), 124);
    assert_eq!(health_after(&mut room, 23_000), 101);
    assert_eq!(health_after(&mut room, 1000), 100);
    assert_eq!(health_after(&mut room, 3000), 100);
}

#[test]
fn players_appear_above_their_spot_and_in_openarena_have_fallen() {
    for (settings, height) in [(&[][..], 39.0), (&OPENARENA[..], 34.0)] {
        let mut room = Room::new(1, settings);
        room.command(0, "kill");
        room.play(1600);
        room.keys[0].buttons = buttons::ATTACK;
        while room.health(0) <= 0 {
            room.play(50);
            assert!(room.time < 10_000);
        }
        let told = room.events(event::PLAYER_TELEPORT_IN);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].pos.base.z, height);
    }
}

#[test]
fn who_is_not_heard_is_marked_after_a_second() {
    let mut room = Room::new(1, &[]);
    let is_marked = |room: &Room| room.player(0).e_flags & entity_flags::CONNECTION != 0;
    room.keys[0].is_silent = true;
    room.play(950);
    assert!(!is_marked(&room));
    room.play(100);
    assert!(is_marked(&room));
    room.keys[0].is_silent = false;
    room.play(100);
    assert!(!is_marked(&room));
}

#[test]
fn deaths_are_heard_in_turn() {
    let mut heard = Vec::new();
    let mut room = Room::duel(weapon::RAIL, 200);
    for _ in 0..4 {
        room.keys[1].is_silent = false;
        room.put(1, "-18 -300 30", 180.0);
        room.command(1, "give health");
        room.shoot(0);
        assert!(room.health(1) <= 0);
        heard.push(room.player(1).external_event & event::NUMBER_MASK);
        room.keys[1].buttons = buttons::ATTACK;
        room.play(2500);
        room.keys[1].buttons = 0;
        room.play(200);
    }
    let first = event::DEATH1;
    assert_eq!(heard, [first, first + 1, first + 2, first]);
}

#[test]
fn missiles_leave_from_the_muzzle_in_whole_units() {
    for (held, pitch, delta) in [
        (weapon::ROCKET, 4.8285, [896.0, 0.0, -75.0]),
        (weapon::GRENADE, 5.1855, [695.0, 0.0, 76.0]),
        (weapon::PLASMA, 4.966, [1992.0, 0.0, -173.0]),
        (weapon::BFG, 4.966, [1992.0, 0.0, -173.0]),
    ] {
        let mut room = Room::new(1, &[]);
        room.put(0, "-400 -300 30", 0.0);
        room.arm(0, held as u8);
        room.keys[0].view[0] = pitch;
        room.play(100);
        let from = muzzle(&room, 0).trunc();
        room.shoot(0);
        let flying = missiles(&room);
        assert_eq!(flying.len(), 1, "{held}");
        assert_eq!(flying[0].pos.delta.to_array(), delta, "{held}");
        assert_eq!(flying[0].pos.base, from, "{held}");
        let kind = if held == weapon::GRENADE { 5 } else { 2 };
        assert_eq!(flying[0].pos.kind, kind);
    }
}

#[test]
fn grenades_bounce_with_less_speed_and_burst_upwards() {
    let mut room = Room::new(1, &[]);
    room.put(0, "-400 -300 30", 0.0);
    room.arm(0, weapon::GRENADE as u8);
    room.keys[0].view[0] = 20.0;
    room.play(100);
    room.shoot(0);
    let before = missiles(&room)[0].pos;
    let mut bounce = None;
    let mut burst = None;
    for _ in 0..60 {
        room.play(50);
        let entities = room.game.world().entities.iter();
        for state in entities.filter(|one| one.is_linked()).map(|one| one.state) {
            match state.event & event::NUMBER_MASK {
                event::GRENADE_BOUNCE if bounce.is_none() => bounce = Some(state.pos),
                event::MISSILE_MISS => burst = Some(state.event_parm),
                _ => {}
            }
        }
    }
    let after = bounce.expect("it bounces");
    // On the floor the two other components lose 35 % and nothing else.
    assert!(
        (after.delta.x - before.delta.x * 0.65).abs() <= 1.0,
        "{after:?}"
    );
    let fall = before.delta.z - 0.8 * (after.time - before.time) as f32;
    let off = after.delta.z + fall * 0.65;
    assert!(
        after.delta.z > 0.0 && off.abs() <= 0.65 * 50.0 * 0.8,
        "{off}"
    );
    assert_eq!(burst, Some(5));
}

#[test]
fn the_rails_trail_begins_beside_the_muzzle() {
    let mut room = Room::duel(weapon::RAIL, 200);
    let eye = {
        let state = room.player(0);
        state.origin + Vec3::Z * state.view_height as f32
    };
    // The game works with a muzzle of whole units.
    let from = (eye + Vec3::X * 14.0).trunc();
    room.shoot(0);
    let trail = room.events(event::RAILTRAIL);
    assert_eq!(trail.len(), 1);
    let off = trail[0].origin2 - from;
    assert!((off - Vec3::new(0.0, -4.0, -1.0)).length() < 0.01, "{off}");
}

#[test]
fn the_gauntlet_reaches_46_units_from_the_eye() {
    for (wanted, is_hit) in [(45, true), (70, false), (76, false)] {
        let mut room = Room::duel(weapon::GAUNTLET, 200);
        let apart = |room: &Room| (room.player(1).origin - room.player(0).origin).length() as i32;
        // He walks up to him and comes to rest.
        room.keys[1].is_silent = false;
        room.keys[1].forward = 30;
        while apart(&room) > wanted + 2 {
            room.play(50);
            assert!(room.time < 20_000, "{}", apart(&room));
        }
        room.keys[1].forward = 0;
        room.play(500);
        let distance = apart(&room);
        assert!((wanted - 8..=wanted + 2).contains(&distance), "{distance}");
        let before = room.health(1);
        room.shoot(0);
        assert_eq!(room.health(1) <= before - 49, is_hit, "{distance}");
    }
}

#[test]
fn who_hits_is_told_of_it() {
    let mut room = Room::duel(weapon::SHOTGUN, 120);
    room.command(1, "give armor");
    let hits = room.player(0).persistant[persistant::HITS];
    let before = room.health(1);
    room.shoot(0);
    let state = room.player(0);
    let pellets = state.persistant[persistant::HITS] - hits;
    assert!((10..=11).contains(&pellets), "{pellets}");
    assert!(room.health(1) < before);
    let mut room = Room::duel(weapon::RAIL, 200);
    room.command(1, "give armor");
    room.shoot(0);
    // 100 and 200, before the hit.
    assert_eq!(
        room.player(0).persistant[persistant::ATTACKEE_ARMOR],
        25_800
    );
}

#[test]
fn own_plasma_at_the_feet_lifts_and_hurts_a_little() {
    let mut room = Room::new(1, &[]);
    room.put(0, "-400 -300 30", 0.0);
    room.command(0, "give health");
    room.arm(0, weapon::PLASMA as u8);
    room.command(0, "give health");
    room.keys[0].view[0] = 88.0;
    room.play(100);
    room.keys[0].buttons = buttons::ATTACK;
    room.play(50);
    room.keys[0].buttons = 0;
    let mut fastest: f32 = 0.0;
    for _ in 0..10 {
        room.play(50);
        fastest = fastest.max(room.player(0).velocity.z);
    }
    assert_eq!(room.health(0), 93);
    assert!(fastest > 20.0 && fastest <= 75.0, "{fastest}");
}

#[test]
fn ammo_of_999_lasts_in_openarena() {
    for (settings, left) in [(&[][..], 998), (&OPENARENA[..], 999)] {
        let mut room = Room::new(1, settings);
        room.put(0, "-400 -300 30", 0.0);
        room.command(0, "give all");
        room.keys[0].weapon = weapon::RAIL as u8;
        room.play(600);
        assert_eq!(room.player(0).ammo[weapon::RAIL as usize], 999);
        room.shoot(0);
        assert_eq!(room.player(0).ammo[weapon::RAIL as usize], left);
    }
}

#[test]
fn items_add_what_they_did_elsewhere() {
    let mut room = Room::new(1, &[]);
    room.command(0, "give Shotgun");
    assert_eq!(room.player(0).ammo[weapon::SHOTGUN as usize], 10);
    for rockets in [5, 10, 15] {
        room.command(0, "give Rockets");
        assert_eq!(room.player(0).ammo[weapon::ROCKET as usize], rockets);
    }
    // The second in which a powerup was taken counts as a whole.
    room.play(350);
    room.command(0, "give \"Battle Suit\"");
    let until = room.player(0).powerups[powerup::BATTLESUIT];
    assert_eq!(until, room.time - room.time % 1000 + 30_000);
}

#[test]
fn a_medkit_is_kept_for_who_has_25_above_his_health() {
    let mut room = Room::new(1, &[]);
    room.command(0, "give Medkit");
    let holds = |room: &Room| room.player(0).stats[1];
    assert_ne!(holds(&room), 0);
    room.command(0, "give \"Mega Health\"");
    assert!(room.health(0) >= 125);
    room.keys[0].buttons = USE_HOLDABLE;
    room.play(100);
    room.keys[0].buttons = 0;
    assert_ne!(holds(&room), 0);
    room.play(50);
    room.command(0, "give health");
    room.keys[0].buttons = USE_HOLDABLE;
    room.play(100);
    assert_eq!((holds(&room), room.health(0)), (0, 125));
}

#[test]
fn powerups_come_half_a_minute_to_a_minute_after_the_start() {
    let mut room = Room::new(1, &[]);
    room.put(0, "800 -200 30", 0.0);
    let is_there = |room: &Room| -> Vec<bool> {
        let items = room.of_type(entity_type::ITEM);
        let powerups = items.filter(|one| (28..=33).contains(&one.state.model_index));
        let is_drawn = |flags: i32| flags & entity_flags::NODRAW == 0;
        powerups.map(|one| is_drawn(one.state.e_flags)).collect()
    };
    assert_eq!(is_there(&room), [false; 6]);
    room.play(30_000 - room.time);
    assert_eq!(is_there(&room), [false; 6]);
    room.play(60_400 - room.time);
    assert_eq!(is_there(&room), [true; 6]);
}

#[test]
fn the_dead_drop_weapon_and_powerup_in_two_directions() {
    let mut room = Room::duel(weapon::RAIL, 200);
    room.keys[1].is_silent = false;
    room.command(1, "give \"Rocket Launcher\"");
    room.command(1, "give \"Quad Damage\"");
    room.keys[1].weapon = weapon::ROCKET as u8;
    room.play(600);
    room.shoot(0);
    assert!(room.health(1) <= 0);
    let dropped = |room: &Room| -> Vec<EntityState> {
        let items = room.of_type(entity_type::ITEM);
        let dropped = items.filter(|one| one.is_linked() && one.state.model_index2 == 1);
        dropped.map(|one| one.state).collect()
    };
    let tossed = dropped(&room);
    let yaw = room.player(1).view_angles.y;
    assert_eq!(tossed.len(), 2);
    // He looks at his killer as he dies, which is where he looked before.
    for (state, turn) in tossed.iter().zip([0.0, 45.0]) {
        let flat = state.pos.delta.truncate();
        assert!((flat.length() - 150.0).abs() < 2.0, "{flat}");
        let angle = flat.y.atan2(flat.x).to_degrees();
        let off = (angle - (180.0 + turn) + 540.0).rem_euclid(360.0) - 180.0;
        assert!(off.abs() < 2.0, "{angle} for {turn}, he looks along {yaw}");
        assert!((150.0..=250.0).contains(&state.pos.delta.z), "{state:?}");
    }
    room.play(3000);
    for state in dropped(&room) {
        assert_eq!(state.pos.base.z, 16.0);
    }
}

#[test]
fn a_door_that_never_waits_turns_back_where_it_arrives() {
    /// Trajectories of movers at rest.
    const STATIONARY: i32 = 0;
    let mut room = Room::with_entities(
        1,
        &[
            "\"classname\" \"func_door\" \"model\" \"*6\" \"angle\" \"0\" \"wait\" \"-1\" \"targetname\" \"d\"",
            "\"classname\" \"trigger_multiple\" \"model\" \"*11\" \"target\" \"d\" \"wait\" \"60\"",
        ],
    );
    let door = |room: &Room| {
        let door = room.of_type(entity_type::MOVER).next();
        door.expect("a door").state.pos
    };
    let closed = door(&room).base;
    room.command(0, "setviewpos -359 -868 10 0");
    let mut paths = vec![door(&room)];
    for _ in 0..40 {
        room.play(50);
        let now = door(&room);
        if paths.last() != Some(&now) {
            paths.push(now);
        }
    }
    // At rest, on its way, on its way back, at rest; never at rest where it is open.
    let kinds: Vec<i32> = paths.iter().map(|path| path.kind).collect();
    assert_eq!(kinds, [STATIONARY, 3, 3, STATIONARY], "{paths:?}");
    assert_eq!(paths[2].base - closed, Vec3::X * 122.0);
    let arrived = paths[1].time + paths[1].duration;
    assert!((0..50).contains(&(paths[2].time - arrived)), "{paths:?}");
}

/// The highest that a jump pad of the test room throws.
fn apex(settings: &[(&str, &str)]) -> f32 {
    let mut room = Room::new(1, settings);
    room.usercmd_msec = 8;
    room.command(0, "setviewpos -568 560 30 90");
    let mut highest: f32 = 0.0;
    for _ in 0..60 {
        room.play(50);
        highest = highest.max(room.player(0).origin.z);
    }
    highest
}

#[test]
fn a_pad_throws_as_high_as_on_both_originals() {
    let (base, openarena) = (apex(&[]), apex(&OPENARENA));
    assert!((base - 447.0).abs() <= 2.0, "{base}");
    assert!((openarena - 428.7).abs() <= 2.0, "{openarena}");
}

#[test]
fn falls_hurt_from_every_height_as_measured() {
    let rows = include_str!("../data/fall_damage.csv").lines().skip(1);
    let mut count = 0;
    for row in rows {
        let (server, cells) = row
            .trim_start_matches('"')
            .split_once("\",")
            .expect("a name");
        let cells: Vec<&str> = cells.split(',').collect();
        let number = |at: usize| cells[at].parse::<f32>().expect("a number");
        let settings = match server.starts_with("OpenArena") {
            true => &OPENARENA[..],
            false => &[],
        };
        let mut room = Room::new(1, settings);
        room.usercmd_msec = 8;
        room.command(0, "noclip");
        let height = number(1) + 24.125;
        room.command(0, &format!("setviewpos -600 -300 {height} 0"));
        room.play(1500);
        room.command(0, "give health");
        room.command(0, "noclip");
        room.play(2500);
        assert_eq!(100 - room.health(0), number(3) as i32, "{row}");
        count += 1;
    }
    assert!(count >= 50, "{count}");
}
