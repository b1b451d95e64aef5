//! Moving: who stands on plats, trains and what turns or swings is taken along; hooks, lasers and portals of maps.

use crate::{
    client::{Client, commands, map_read, openarena_map, play_together},
    room::Room,
};
use glam::Vec3;
use server::{Server, entity::sv_flags};
use shared::{
    base::math::{Axes, rotate},
    bg::numbers::{entity_type, pm_flags},
    types::usercmd::buttons,
};
use std::sync::Arc;

/// The only mover of a room.
fn mover(room: &Room) -> usize {
    let mut movers = room.of_type(entity_type::MOVER);
    let mover = movers.next().expect("a mover");
    assert!(movers.next().is_none());
    usize::from(mover.state.number)
}

fn stands_on(room: &Room, client: usize, mover: usize) -> bool {
    room.player(client).ground_entity_num == mover as i32
}

/// Where a player is, as the mover sees it.
fn place_on(room: &Room, client: usize, mover: usize) -> Vec3 {
    let entity = room.entity(mover);
    let arm = room.player(client).origin - entity.origin;
    rotate(&Axes::from_angles(entity.angles).rows(), arm)
}

#[test]
fn a_plat_takes_its_rider_up_and_comes_down_without_him() {
    let mut room = Room::with_entities(1, &["\"classname\" \"func_plat\" \"model\" \"*8\""]);
    let plat = mover(&room);
    assert_eq!(room.entity(plat).origin.z, -122.0);
    room.command(0, "setviewpos -1327 -236 30 0");
    let mut highest: f32 = 0.0;
    for _ in 0..60 {
        room.play(50);
        highest = highest.max(room.player(0).origin.z);
        if stands_on(&room, 0, plat) {
            // Feet and plat never part.
            let above = room.player(0).origin.z - 24.0 - (room.entity(plat).origin.z + 128.0);
            assert!((0.0..1.0).contains(&above), "{above}");
        }
    }
    assert!((highest - 152.125).abs() < 0.5, "{highest}");
    assert!(stands_on(&room, 0, plat));
    // It stays up while he is on it.
    room.play(3000);
    assert_eq!(room.entity(plat).origin.z, 0.0);
    room.put(0, "-600 -236 30", 0.0);
    room.play(1500);
    assert_eq!(room.entity(plat).origin.z, -122.0);
}

/// A train by three corners, which waits at the first for five seconds and at the second for one.
const TRAIN: [&str; 4] = [
    "\"classname\" \"func_train\" \"model\" \"*10\" \"target\" \"a\" \"speed\" \"150\"",
    "\"classname\" \"path_corner\" \"targetname\" \"a\" \"target\" \"b\" \"origin\" \"1336 -564 0\" \"wait\" \"5\"",
    "\"classname\" \"path_corner\" \"targetname\" \"b\" \"target\" \"c\" \"origin\" \"1636 -564 0\" \"wait\" \"1\"",
    "\"classname\" \"path_corner\" \"targetname\" \"c\" \"target\" \"a\" \"origin\" \"1636 -264 100\" \"speed\" \"300\"",
];

#[test]
fn a_train_takes_its_rider_from_corner_to_corner() {
    let mut room = Room::with_entities(1, &TRAIN);
    let train = mover(&room);
    assert_eq!(room.entity(train).origin, Vec3::new(1336.0, -564.0, 0.0));
    room.put(0, "-91 0 242", 0.0);
    assert!(stands_on(&room, 0, train), "{:?}", room.player(0).origin);
    let place = place_on(&room, 0, train);
    let mut corners = Vec::new();
    let mut last = room.entity(train).origin;
    for _ in 0..240 {
        room.play(50);
        assert!(stands_on(&room, 0, train), "lost at {} ms", room.time);
        let (now, off) = (room.entity(train).origin, place_on(&room, 0, train) - place);
        assert!(off.length() < 1.5, "he is {off} off at {} ms", room.time);
        if now == last && corners.last() != Some(&now) {
            corners.push(now);
        }
        last = now;
    }
    let expected = [
        [1336.0, -564.0, 0.0],
        [1636.0, -564.0, 0.0],
        [1336.0, -564.0, 0.0],
    ];
    assert_eq!(
        corners,
        expected.map(Vec3::from),
        "it waits where it is told to"
    );
}

#[test]
fn a_train_waits_for_who_is_in_its_way() {
    let mut room = Room::with_entities(
        1,
        &[
            "\"classname\" \"func_train\" \"model\" \"*10\" \"target\" \"a\" \"speed\" \"100\"",
            "\"classname\" \"path_corner\" \"targetname\" \"a\" \"target\" \"b\" \"origin\" \"1336 -964 0\" \"wait\" \"4\"",
            "\"classname\" \"path_corner\" \"targetname\" \"b\" \"target\" \"a\" \"origin\" \"1336 -964 -198\" \"wait\" \"20\"",
        ],
    );
    let train = mover(&room);
    room.put(0, "-91 -400 30", 0.0);
    let health = room.health(0);
    room.play(6000);
    // Its underside is 200 above its origin, his head 32 above his.
    let gap = room.entity(train).origin.z + 200.0 - (room.player(0).origin.z + 32.0);
    assert!((0.0..8.0).contains(&gap), "{gap}");
    assert!(health - room.health(0) <= 7, "he only grows no healthier");
    room.put(0, "0 -700 30", 0.0);
    room.play(1500);
    assert_eq!(room.entity(train).origin.z, -198.0);
}

#[test]
fn what_turns_turns_its_rider_with_it() {
    let mut room = Room::with_entities(
        1,
        &[
            "\"classname\" \"func_rotating\" \"model\" \"*10\" \"origin\" \"1336 -564 0\" \"speed\" \"4\"",
        ],
    );
    let plate = mover(&room);
    // It has turned for three seconds when he lands.
    room.put(0, "-141 -138 242", 0.0);
    assert!(stands_on(&room, 0, plate), "{:?}", room.player(0).origin);
    let (place, yaw) = (place_on(&room, 0, plate), room.player(0).view_angles.y);
    let (from, angle) = (room.player(0).origin, room.entity(plate).angles.y);
    let deltas = room.player(0).delta_angles[1];
    for _ in 0..30 {
        room.play(50);
        assert!(stands_on(&room, 0, plate), "lost at {} ms", room.time);
        let off = place_on(&room, 0, plate) - place;
        assert!(off.length() < 2.0, "he is {off} off");
    }
    let turned = room.entity(plate).angles.y - angle;
    assert!((turned - 6.0).abs() < 0.01, "{turned}");
    assert!(room.player(0).origin.distance(from) > 140.0);
    // The room's players look where they want to, so the turn shows in what is added to that.
    assert!((room.player(0).view_angles.y - yaw).abs() < 1.0);
    let added = (room.player(0).delta_angles[1] - deltas) as f32 * 360.0 / 65_536.0;
    assert!((added - turned).abs() < 0.2, "{added} for {turned}");
}

#[test]
fn what_swings_takes_its_rider_along_and_kills_who_is_in_its_way() {
    let pendulum = "\"classname\" \"func_pendulum\" \"model\" \"*10\" \"origin\" \"1336 -564 300\" \"speed\" \"8\" \"phase\" \"0.25\"";
    let mut room = Room::with_entities(1, &[pendulum]);
    let swing = mover(&room);
    room.put(0, "-91 0 542", 0.0);
    let mut ridden = 0;
    let mut ways = [f32::MAX, f32::MIN];
    for _ in 0..100 {
        room.play(50);
        if stands_on(&room, 0, swing) {
            ridden += 1;
            let height = room.player(0).origin.z;
            ways = [ways[0].min(height), ways[1].max(height)];
        }
    }
    assert!(ridden > 80, "he stood on it for {ridden} frames");
    assert!(ways[1] - ways[0] > 60.0, "{ways:?}");
    // Its bounds are a unit wider: 2 pi sqrt(3 * 199 / 800) seconds under the gravity of 800.
    assert_eq!(room.entity(swing).state.apos.duration, 5427);
    // Hung so low that it sweeps the floor.
    let low = pendulum
        .replace("-564 300", "-564 -180")
        .replace("\"8\"", "\"2\"");
    let mut room = Room::with_entities(1, &[&low]);
    room.command(0, "setviewpos -91 0 1 0");
    for _ in 0..120 {
        room.play(50);
        if room.health(0) <= 0 {
            break;
        }
    }
    assert!(room.health(0) <= 0, "nothing stops what swings");
}

#[test]
fn a_hook_pulls_as_long_as_one_holds_it() {
    let mut room = Room::with_entities(
        1,
        &["\"classname\" \"weapon_grapplinghook\" \"origin\" \"-1000 -800 30\""],
    );
    room.put(0, "-1000 -891 30", 90.0);
    room.play(500);
    room.keys[0].weapon = 10;
    room.play(600);
    assert_eq!(room.player(0).weapon, 10);
    room.keys[0].view = [-60.0, 180.0];
    room.keys[0].buttons = buttons::ATTACK;
    let flying = |room: &Room| {
        let entities = room.game.world().entities.iter();
        let hooks = entities.filter(|one| {
            matches!(
                one.state.e_type,
                entity_type::MISSILE | entity_type::GRAPPLE
            )
        });
        hooks.map(|one| one.state.e_type).collect::<Vec<_>>()
    };
    room.play(200);
    assert_eq!(flying(&room), [entity_type::MISSILE]);
    assert_eq!(room.player(0).pm_flags & pm_flags::GRAPPLE_PULL, 0);
    let from = room.player(0).origin;
    room.play(2500);
    assert_eq!(flying(&room), [entity_type::GRAPPLE]);
    let state = room.player(0);
    assert_ne!(state.pm_flags & pm_flags::GRAPPLE_PULL, 0);
    assert!(state.origin.z > from.z + 300.0, "{:?}", state.origin);
    assert!(state.grapple_point.z > 800.0, "{:?}", state.grapple_point);
    let held = state.origin.z;
    room.keys[0].buttons = 0;
    room.play(1000);
    assert!(flying(&room).is_empty());
    assert_eq!(room.player(0).pm_flags & pm_flags::GRAPPLE_PULL, 0);
    assert!(room.player(0).origin.z < held - 100.0, "he falls again");
}

#[test]
fn a_laser_hurts_who_stands_in_it_ten_times_a_second() {
    let mut room = Room::with_entities(
        2,
        &[
            "\"classname\" \"target_laser\" \"origin\" \"-500 -700 30\" \"target\" \"end\" \"dmg\" \"5\" \
             \"targetname\" \"beam\" \"spawnflags\" \"1\"",
            "\"classname\" \"info_notnull\" \"origin\" \"500 -700 30\" \"targetname\" \"end\"",
            "\"classname\" \"trigger_multiple\" \"model\" \"*11\" \"target\" \"beam\" \"wait\" \"60\"",
        ],
    );
    let beam = |room: &Room| {
        let beam = room.of_type(entity_type::BEAM).next().expect("a beam");
        (beam.is_linked(), beam.state.origin2)
    };
    // Through its target to the wall behind it.
    let (is_on, end) = beam(&room);
    assert!(is_on && (end.x - 1200.0).abs() < 1.0, "{end}");
    let health = room.health(1);
    room.command(1, "setviewpos -91 -700 10 0");
    room.play(1000);
    let lost = health - room.health(1);
    assert!((40..=56).contains(&lost), "{lost}");
    assert!(beam(&room).1.x < 100.0, "it ends at him");
    // The trigger turns it off.
    room.put(1, "0 -300 30", 0.0);
    room.put(0, "-359 -868 10", 0.0);
    assert!(!beam(&room).0);
    let health = room.health(1);
    room.put(1, "-91 -700 30", 0.0);
    assert!(health - room.health(1) <= 2);
}

#[test]
fn a_portal_says_where_its_camera_is_and_a_mirror_is_its_own() {
    let room = Room::with_entities(
        0,
        &[
            "\"classname\" \"misc_portal_surface\" \"origin\" \"0 -500 60\" \"target\" \"view\"",
            "\"classname\" \"misc_portal_camera\" \"origin\" \"900 300 70\" \"targetname\" \"view\" \
             \"target\" \"there\" \"roll\" \"90\"",
            "\"classname\" \"info_notnull\" \"origin\" \"900 800 70\" \"targetname\" \"there\"",
            "\"classname\" \"misc_portal_surface\" \"origin\" \"300 -500 60\"",
            "\"classname\" \"misc_portal_surface\" \"origin\" \"600 -500 60\" \"target\" \"nothing\"",
        ],
    );
    let portals: Vec<_> = room.of_type(entity_type::PORTAL).collect();
    let [portal, mirror] = portals[..] else {
        panic!(
            "{} portals: the one without a camera is left out",
            portals.len()
        );
    };
    assert_eq!(portal.state.origin2, Vec3::new(900.0, 300.0, 70.0));
    assert_eq!(portal.state.client_num, 64, "a quarter turn in 256 parts");
    let towards = shared::bg::directions::direction_from_byte(portal.state.event_parm);
    assert!((towards - Vec3::Y).length() < 0.01, "{towards}");
    assert_ne!(portal.sv_flags & sv_flags::PORTAL, 0);
    assert_eq!(mirror.state.origin2, mirror.state.origin);
}

/// Whether a player before a portal of a map is told of players where its camera is.
fn sees_through(portal: &str) -> bool {
    let mut bsp = (*openarena_map("oa_spirit3")).clone();
    bsp.entities = bsp.entities.replace("misc_portal_surface", portal);
    let mut server = Server::new(1);
    server.frame(0, commands(&["devmap oa_spirit3"]));
    server.frame(0, vec![map_read("oa_spirit3", Arc::new(bsp))]);
    let mut clients = [1001, 1002].map(|port| Client::new(port, 71));
    play_together(&mut server, &mut clients, 2000);
    for client in &mut clients {
        client.say("noclip");
    }
    play_together(&mut server, &mut clients, 1500);
    clients[0].say("setviewpos 640 2560 -40 0");
    clients[1].say("setviewpos 32 3232 430 0");
    play_together(&mut server, &mut clients, 500);
    let seen = &clients[0].seen().entities;
    seen.iter().any(|state| state.number == 1)
}

#[test]
fn who_sees_a_portal_is_told_of_what_is_at_its_other_end() {
    assert!(!sees_through("info_null"), "walls are between");
    assert!(sees_through("misc_portal_surface"));
}
