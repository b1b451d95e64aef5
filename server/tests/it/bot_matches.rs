//! Bot matches: bots play capture the flag and tournaments to their end and the next ones after it, and ride lifts.

use crate::client::{openarena_map, server_with_bots, svtest};
use server::{Output, Server};
use shared::{
    bg::numbers::{entity_type, persistant, powerup, team},
    types::{limits::ENTITYNUM_WORLD, playerstate::PlayerState},
};

const FRAME_MSEC: i32 = 50;

/// A server with bots in the test room.
fn room(settings: &[&str], bots: &[&str]) -> Server {
    server_with_bots(11, ("svtest", svtest()), settings, bots)
}

fn player(server: &Server, client: usize) -> Option<&PlayerState> {
    server.game()?.player(client)
}

/// A number of a player's state; 0 of whoever is not there.
fn count_of(server: &Server, client: usize, number: usize) -> i32 {
    player(server, client).map_or(0, |player| player.persistant[number])
}

/// Plays until something is so; milliseconds until then.
fn play_until(
    server: &mut Server,
    max_msec: i32,
    mut is_over: impl FnMut(&Server, &Output) -> bool,
) -> Option<i32> {
    (1..=max_msec / FRAME_MSEC).find_map(|frame| {
        let output = server.frame(FRAME_MSEC, Vec::new());
        is_over(server, &output).then_some(frame * FRAME_MSEC)
    })
}

fn is_over(server: &Server) -> bool {
    (0..8).any(|client| player(server, client).is_some_and(|player| player.pm_type == 5))
}

#[test]
fn bots_take_flags_bring_them_home_and_play_the_next_match() {
    let settings = ["set g_gametype 4", "set capturelimit 3", "set fraglimit 0"];
    let names = ["A", "B", "C", "D", "E", "F"];
    let bots: Vec<String> = names
        .iter()
        .enumerate()
        .map(|(at, name)| {
            let side = if at % 2 == 0 { "red" } else { "blue" };
            format!("addbot {name} 3 {side}")
        })
        .collect();
    let bots: Vec<&str> = bots.iter().map(String::as_str).collect();
    let mut server = room(&settings, &bots);
    let mut carriers = 0;
    let ended = play_until(&mut server, 900_000, |server, _| {
        carriers += (0..6)
            .filter_map(|client| player(server, client))
            .filter(|one| {
                one.powerups[powerup::REDFLAG] != 0 || one.powerups[powerup::BLUEFLAG] != 0
            })
            .count();
        is_over(server)
    });
    let ended = ended.expect("a team reaches the limit in fifteen minutes");
    assert!(
        ended > 20_000 && carriers > 100,
        "{ended} ms, {carriers} frames with a flag"
    );
    let captures: Vec<i32> = (0..6)
        .map(|one| count_of(&server, one, persistant::CAPTURES))
        .collect();
    assert!(captures.iter().sum::<i32>() >= 3, "{captures:?}");
    // The next match begins by itself, with the same teams and without a score.
    let again = play_until(&mut server, 60_000, |server, _| !is_over(server));
    assert!(again.is_some(), "the intermission ends");
    for client in 0..6 {
        assert_eq!(count_of(&server, client, persistant::CAPTURES), 0);
        let side = if client % 2 == 0 {
            team::RED
        } else {
            team::BLUE
        };
        assert_eq!(count_of(&server, client, persistant::TEAM), side);
    }
    let capture = play_until(&mut server, 600_000, |server, _| {
        (0..6).any(|client| count_of(server, client, persistant::CAPTURES) > 0)
    });
    assert!(capture.is_some(), "and is played");
}

#[test]
fn the_loser_of_a_duel_gives_his_place_to_who_waits() {
    let settings = ["set g_gametype 1", "set fraglimit 3", "set g_warmup 5"];
    let mut server = room(&settings, &["addbot A 4", "addbot B 1", "addbot C 2"]);
    let teams = |server: &Server| [0, 1, 2].map(|one| count_of(server, one, persistant::TEAM));
    let mut duels = Vec::new();
    for _ in 0..3 {
        let began = play_until(&mut server, 60_000, |server, _| {
            teams(server)
                .iter()
                .filter(|side| **side == team::FREE)
                .count()
                == 2
                && !is_over(server)
        });
        assert!(began.is_some(), "a duel begins: {:?}", teams(&server));
        let players = teams(&server);
        let ended = play_until(&mut server, 900_000, |server, _| is_over(server));
        assert!(ended.is_some(), "it ends");
        assert_eq!(teams(&server), players, "nobody comes or goes meanwhile");
        let scores = [0, 1, 2].map(|one| count_of(&server, one, persistant::SCORE));
        let playing = |one: &usize| players[*one] == team::FREE;
        let winner = (0..3)
            .filter(playing)
            .max_by_key(|one| scores[*one])
            .expect("two play");
        assert_eq!(scores[winner], 3, "{scores:?}");
        let waiting = (0..3).find(|one| !playing(one)).expect("one waits");
        duels.push((winner, waiting));
        let next = play_until(&mut server, 60_000, |server, _| {
            !is_over(server) && teams(server)[waiting] == team::FREE
        });
        assert!(
            next.is_some(),
            "who waited plays the next: {:?} {duels:?} {:?}",
            teams(&server),
            server.level_time()
        );
        assert_eq!(teams(&server)[winner], team::FREE, "with who has won");
    }
    assert_eq!(duels.len(), 3);
}

#[test]
fn bots_ride_lifts() {
    let settings = ["set gamename baseoa", "set fraglimit 0"];
    let bots = ["A", "B", "C", "D", "E", "F"].map(|name| format!("addbot {name} 3"));
    let bots: Vec<&str> = bots.iter().map(String::as_str).collect();
    let map = ("oa_dm2", openarena_map("oa_dm2"));
    let mut server = server_with_bots(11, map, &settings, &bots);
    // Where each has stepped on what he stands on.
    let mut rides = [(ENTITYNUM_WORLD, 0.0_f32); 6];
    let mut highest = [0.0_f32; 6];
    for _ in 0..300_000 / FRAME_MSEC {
        server.frame(FRAME_MSEC, Vec::new());
        let level = server.game().expect("a level");
        for (client, ride) in rides.iter_mut().enumerate() {
            let player = level.player(client).expect("a bot");
            let under = usize::try_from(player.ground_entity_num).ok();
            let under = under.and_then(|at| level.world().entities.get(at));
            let is_mover = under.is_some_and(|one| one.state.e_type == entity_type::MOVER);
            if !is_mover || ride.0 != player.ground_entity_num {
                *ride = (player.ground_entity_num, player.origin.z);
            } else {
                highest[client] = highest[client].max(player.origin.z - ride.1);
            }
        }
    }
    let riders = highest.iter().filter(|rise| **rise > 60.0).count();
    assert!(riders >= 2, "they rose by {highest:?} in five minutes");
}
