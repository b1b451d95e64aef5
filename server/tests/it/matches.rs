//! Matches: items and their return, votes, teams and flags, limits, tournaments, watching.

use crate::room::Room;
use server::entity::Entity;
use shared::{
    bg::numbers::{persistant, pm_flags, powerup, team},
    types::usercmd::buttons,
};

/// When an entity is told to clients again, in milliseconds after it was not.
fn gone_for(room: &mut Room, entity: usize, max_msec: i32) -> i32 {
    let is_hidden = |room: &Room| room.entity(entity).sv_flags & 1 != 0;
    while !is_hidden(room) {
        room.play(50);
        assert!(room.time < 100_000);
    }
    let from = room.time;
    while is_hidden(room) {
        room.play(50);
        assert!(room.time - from <= max_msec, "not back in {max_msec}");
    }
    room.time - from
}

#[test]
fn items_give_and_come_back() {
    // The rocket launcher, the body armour and the mega health of the row.
    for (entity, x, after) in [(91, -500, 4950), (97, 100, 24_950), (95, -100, 34_950)] {
        let mut room = Room::new(1, &[]);
        let before = room.player(0).clone();
        room.command(0, &format!("setviewpos {} 400 30 0", x - 60));
        room.play(100);
        let msec = {
            while room.entity(entity).sv_flags & 1 == 0 {
                room.play(50);
                assert!(room.time < 10_000);
            }
            room.command(0, "setviewpos 800 -200 30 0");
            gone_for(&mut room, entity, 40_000)
        };
        assert!((msec - after).abs() <= 100, "{entity}: {msec}");
        let state = room.player(0);
        let has_more = state.stats[2] != before.stats[2]
            || state.stats[3] > before.stats[3]
            || state.stats[0] > 130;
        assert!(has_more, "{entity}");
    }
}

#[test]
fn one_voter_decides_at_once_and_after_three_seconds_it_happens() {
    let mut room = Room::new(1, &[]);
    room.command(0, "callvote g_gravity 100");
    assert!(room.has_said("Invalid vote string."));
    room.command(0, "callvote fraglimit 7");
    assert!(room.has_said("cs 9 \"fraglimit \"7\"\""));
    room.play(50);
    assert!(room.has_said("Vote passed."));
    room.play(2950);
    assert!(room.console.is_empty());
    room.play(150);
    assert_eq!(room.console, ["fraglimit \"7\""]);
}

#[test]
fn one_of_two_who_says_no_ends_a_vote() {
    let mut room = Room::new(2, &[]);
    room.command(0, "callvote map_restart");
    room.play(100);
    assert!(!room.has_said("Vote passed."));
    room.command(1, "vote no");
    room.play(50);
    assert!(room.has_said("Vote failed."));
}

#[test]
fn a_limit_ends_the_match_and_who_is_ready_ends_the_intermission() {
    let mut room = Room::new(2, &[("fraglimit", "1")]);
    room.command(1, "give health");
    room.put(0, "-400 -300 30", 0.0);
    room.put(1, "-100 -300 30", 180.0);
    room.arm(0, 7);
    room.shoot(0);
    assert!(room.has_said("hit the fraglimit."));
    assert!(room.has_said("cs 22 \"1\""));
    room.play(1100);
    assert_eq!(room.player(0).pm_type, 5);
    assert_eq!(room.player(0).origin, room.player(1).origin);
    room.play(3000);
    for client in 0..2 {
        room.keys[client].buttons = buttons::ATTACK;
    }
    room.play(1000);
    assert!(room.console.is_empty(), "not before five seconds");
    room.play(2000);
    assert_eq!(room.console, ["vstr nextmap"]);
}

#[test]
fn a_flag_is_taken_captured_and_back_home() {
    let mut room = Room::new(0, &[("g_gametype", "4")]);
    room.join("\\teampref\\red");
    room.join("\\teampref\\blue");
    room.play(300);
    assert_eq!(room.player(0).persistant[persistant::TEAM], team::RED);
    // Whoever just joined begins at his team's own point.
    assert!(room.player(0).origin.x < -1000.0);
    room.put(0, "1100 0 30", 0.0);
    room.play(500);
    assert!(
        room.has_said("got the BLUE flag!"),
        "{:?}",
        room.player(0).origin
    );
    assert_ne!(room.player(0).powerups[powerup::BLUEFLAG], 0);
    assert!(room.has_said("cs 23 \"01\""));
    room.put(0, "-1300 0 30", 0.0);
    room.play(500);
    assert!(room.has_said("captured the BLUE flag!"));
    assert_eq!(room.game.score(0), 5);
    assert!(room.has_said("cs 6 \"1\""));
    assert_eq!(room.player(0).powerups[powerup::BLUEFLAG], 0);
    assert_eq!(room.player(0).persistant[persistant::CAPTURES], 1);
    // Taken again and dropped by death, it lies; its own team brings it back.
    room.put(0, "1100 0 30", 0.0);
    room.put(0, "100 300 30", 0.0);
    room.command(1, "give health");
    room.put(1, "0 300 30", 0.0);
    room.arm(1, 7);
    for _ in 0..3 {
        room.shoot(1);
        room.play(1500);
    }
    assert!(room.health(0) <= 0);
    assert!(room.has_said("fragged BLUE's flag carrier!") || room.has_said("'s flag carrier!"));
    assert!(room.has_said("cs 23 \"02\""));
    let is_dropped = |one: &&Entity| one.state.model_index2 == 1 && one.state.model_index == 35;
    let flag = room.of_type(2).find(is_dropped).expect("a flag");
    let place = flag.state.pos.base;
    room.put(1, &format!("{} {} 30", place.x - 91.0, place.y), 0.0);
    assert!(room.has_said("returned the BLUE flag!"));
}

#[test]
fn a_tournament_waits_for_two_and_lets_the_third_watch() {
    let mut room = Room::new(1, &[("g_gametype", "1"), ("g_warmup", "5")]);
    assert!(room.has_said("cs 5 \"-1\""));
    room.join("");
    room.join("");
    room.play(100);
    assert_eq!(room.player(2).persistant[persistant::TEAM], team::SPECTATOR);
    room.play(4200);
    assert_eq!(room.console, ["after warmup"]);
}

#[test]
fn who_watches_sees_through_anothers_eyes() {
    let mut room = Room::new(2, &[]);
    room.command(1, "team spectator");
    room.play(200);
    assert_eq!(room.player(1).persistant[persistant::TEAM], team::SPECTATOR);
    assert!(!room.entity(1).is_linked());
    room.command(1, "follow p0");
    room.play(100);
    assert_eq!(room.player(1).client_num, 0);
    assert_eq!(room.player(1).origin, room.player(0).origin);
    assert_ne!(room.player(1).pm_flags & pm_flags::FOLLOW, 0);
    room.command(1, "team free");
    assert!(room.has_said("May not switch teams more than once per 5 seconds."));
    room.play(5000);
    room.command(1, "team free");
    room.play(200);
    assert_eq!(room.player(1).client_num, 1);
    assert!(room.health(1) > 0);
}

#[test]
fn cheats_need_a_server_that_allows_them() {
    let mut room = Room::new(1, &[]);
    room.command(0, "god");
    assert!(room.has_said("godmode ON"));
    let mut room = Room::new(1, &[("sv_cheats", "0")]);
    room.command(0, "give all");
    assert!(room.has_said("Cheats are not enabled on this server."));
    assert_eq!(room.player(0).stats[2], 6);
}

#[test]
fn lag_compensation_hits_where_the_shooter_saw_him() {
    let hits = |unlagged: &str| {
        let mut room = Room::new(2, &[("g_unlagged", unlagged)]);
        room.put(0, "-400 -300 30", 0.0);
        room.put(1, "-100 -500 30", 90.0);
        room.arm(0, 7);
        room.command(1, "give health");
        // He runs across; the shooter's usercmds come 150 ms late.
        room.keys[0].late_msec = 150;
        room.play(500);
        room.keys[1].forward = 127;
        let mut taken = 0;
        let before = room.health(1);
        for _ in 0..20 {
            room.play(50);
            if room.player(1).origin.y > -262.0 {
                room.shoot(0);
                taken = before - room.health(1);
                break;
            }
        }
        taken
    };
    assert_eq!(hits("0"), 0);
    assert!(hits("1") >= 100);
}

#[test]
fn a_team_votes_on_its_leader_and_the_other_has_no_say() {
    let mut room = Room::new(0, &[("g_gametype", "3")]);
    for side in ["red", "red", "red", "blue"] {
        room.join(&format!("\\teampref\\{side}"));
    }
    room.play(300);
    room.command(3, "teamvote yes");
    assert!(room.has_said("No team vote in progress."));
    room.command(0, "callteamvote flag");
    assert!(room.has_said("Invalid vote string. Team vote commands are: leader"));
    room.command(0, "callteamvote leader p3");
    assert!(!room.has_said("called a team vote"), "of the other team");
    room.command(0, "callteamvote leader p2");
    // Those who are asked hear of it, the other team does not.
    let hears = |room: &Room, client| {
        let mut said = room.said.iter();
        said.any(|(to, text)| *to == Some(client) && text.contains("called a team vote"))
    };
    assert_eq!(
        [0, 1, 2, 3].map(|client| hears(&room, client)),
        [true, true, true, false]
    );
    assert!(room.has_said("cs 14 \"leader p2\""));
    assert!(room.has_said("cs 16 \"1\""));
    room.command(3, "teamvote yes");
    room.command(0, "teamvote yes");
    assert!(room.has_said("Vote already cast."));
    room.play(100);
    assert!(!room.has_said("Team vote passed."));
    room.command(1, "callteamvote leader");
    assert!(room.has_said("A team vote is already in progress."));
    room.command(2, "teamvote yes");
    room.play(100);
    assert!(room.has_said("Team vote passed."));
    let leads = |room: &Room, client: usize| {
        let index = format!("cs {} ", 544 + client);
        let mut said = room.said.iter().rev();
        let info = said
            .find(|(_, text)| text.starts_with(&index))
            .expect("an info");
        info.1.contains("\\tl\\1")
    };
    assert_eq!(
        [0, 1, 2].map(|client| leads(&room, client)),
        [false, false, true]
    );
    // Blue votes on its own, by the strings of its own.
    room.command(3, "callteamvote leader");
    room.play(100);
    assert!(room.has_said("cs 15 \"leader p3\""));
    assert!(leads(&room, 3));
}
