//! Damage against tables that were measured on other servers.

use super::{
    Game, STATS, Start,
    combat::{self, Blast, Hit, means_of_death},
};
use crate::cvars::Cvars;
use glam::Vec3;
use shared::{
    base::info::Info,
    bg::numbers::powerup,
    cm::ClipMap,
    formats::{
        bsp::Bsp,
        pk3::{self, Directory},
    },
};
use std::collections::HashMap;

/// The map of the test room.
pub(crate) fn svtest() -> Bsp {
    let pak: &[u8] = include_bytes!("../../tests/data/svtest.pk3");
    let size = pak.len() as u64;
    let tail = &pak[pk3::tail_range(size).start as usize..];
    let place = pk3::find_directory(size, tail).expect("a directory");
    let range = place.range.start as usize..place.range.end as usize;
    let directory = Directory::parse(&place, &pak[range]).expect("a directory");
    let entry = directory.find("maps/svtest.bsp").expect("the map");
    let range = entry.range();
    let packed = &pak[range.start as usize..range.end as usize];
    Bsp::parse(&entry.extract(packed).expect("the map")).expect("a map")
}

/// Two players in the test room.
fn game() -> Game {
    let mut cvars = Cvars::default();
    cvars.set("vm_game", "0");
    let bsp = svtest();
    let map = ClipMap::new(&bsp).expect("a map");
    let mut game = Game::new(map, &bsp, Start::default(), &cvars).expect("entities");
    game.frame(1000, &cvars);
    for client in 0..2 {
        let userinfo = Info::parse("\\name\\one\\ip\\localhost");
        let connected = game.connect(client, &userinfo, true, &cvars);
        assert!(connected.is_ok());
        game.begin(client, None, &cvars);
    }
    game
}

/// Puts a player at rest at a place, with a health from which no hit kills.
fn put(game: &mut Game, client: usize, origin: Vec3) {
    let player = &mut game.players[client];
    player.state.origin = origin;
    player.state.velocity = Vec3::ZERO;
    player.state.pm_time = 0;
    player.state.stats[STATS.health] = 500;
    player.state.stats[STATS.armor] = 0;
    game.update_player_entity(client);
}

fn rows(text: &str) -> Vec<HashMap<String, String>> {
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let row = |line: &str| {
        // Only the first cell may be in quotes.
        let (first, rest) = match line.strip_prefix('"') {
            Some(quoted) => quoted.split_once("\",").expect("a quoted cell"),
            None => line.split_once(',').expect("cells"),
        };
        let cells = std::iter::once(first).chain(rest.split(','));
        let cells = cells.map(str::to_owned);
        header
            .iter()
            .map(|&name| name.to_owned())
            .zip(cells)
            .collect()
    };
    lines.map(row).collect()
}

#[test]
fn explosions_hurt_and_push_as_measured() {
    let mut game = game();
    let rows = rows(include_str!("../../tests/data/splash_cases.csv"));
    assert_eq!(rows.len(), 28);
    for row in rows {
        let number = |name: &str| row[name].parse::<f32>().expect("a number");
        let vector = |name: &str| {
            Vec3::from_array(["x", "y", "z"].map(|axis| number(&format!("{name}_{axis}"))))
        };
        put(&mut game, 0, vector("victim"));
        let blast = Blast {
            origin: vector("explosion"),
            inflictor: 1,
            attacker: Some(1),
            damage: number("splash_damage"),
            radius: number("splash_radius"),
            ignored: None,
            cause: means_of_death::ROCKET_SPLASH,
        };
        game.radius_damage(&blast);
        let player = &game.players[0];
        let lost = 500 - player.health();
        assert_eq!(lost as f32, number("damage_measured"), "{row:?}");
        let pushed =
            Vec3::from_array(["vx", "vy", "vz"].map(|name| number(&format!("{name}_measured"))));
        let off = (player.state.velocity - pushed).length();
        assert!(off < 0.01, "{off}: {row:?}");
    }
}

#[test]
fn hits_take_and_push_as_measured() {
    let mut game = game();
    let rows = rows(include_str!("../../tests/data/damage_cases.csv"));
    assert_eq!(rows.len(), 64);
    for row in rows {
        let number = |name: &str| row[name].parse::<i32>().expect("a number");
        put(&mut game, 0, Vec3::new(0.0, 0.0, 24.125));
        let attacker = &mut game.players[1];
        attacker.state.stats[STATS.max_health] = number("attacker_handicap");
        let victim = &mut game.players[0];
        victim.state.stats[STATS.armor] = number("armor_before");
        victim.state.powerups[powerup::BATTLESUIT] = number("battle_suit") * 99_999;
        let who = if number("self") == 1 { 0 } else { 1 };
        let hit = Hit {
            inflictor: Some(who),
            attacker: Some(who),
            direction: (number("knockback_points") != 0).then_some(Vec3::X),
            amount: number("points") * number("quad_factor"),
            flags: match row["case"].as_str() {
                case if case.contains("drowning") => combat::NO_ARMOR,
                _ if number("radius") == 1 => combat::RADIUS,
                _ => 0,
            },
            cause: means_of_death::ROCKET,
        };
        game.damage(0, &hit);
        let victim = &game.players[0];
        let state = &victim.state;
        assert_eq!(500 - victim.health(), number("health_lost"), "{row:?}");
        assert_eq!(state.stats[STATS.armor], number("armor_after"), "{row:?}");
        assert_eq!(
            state.velocity.x as i32,
            number("speed_added_ups"),
            "{row:?}"
        );
        let pm_time = row["pm_time_if_zero_before_ms"].parse::<i32>().unwrap_or(0);
        assert_eq!(state.pm_time, pm_time, "{row:?}");
    }
}
