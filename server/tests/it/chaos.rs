//! Chaos: players who do anything, and maps that ask for anything, harm nobody.

use crate::{
    client::svtest,
    room::{Keys, Room},
};
use server::{
    cvars::Cvars,
    game::{Game, Start},
};
use shared::{base::rng::Rng, cm::ClipMap, formats::bsp::Bsp};

const COMMANDS: &[&str] = &[
    "kill",
    "team red",
    "team blue",
    "team s",
    "team free",
    "follow 0",
    "follow p1",
    "follownext",
    "followprev",
    "give all",
    "give weapons",
    "give Quad Damage",
    "give item_invis",
    "give Medkit",
    "give Personal Teleporter",
    "god",
    "noclip",
    "setviewpos 600 700 30 0",
    "setviewpos -568 632 30 0",
    "setviewpos -1236 -236 200 0",
    "setviewpos 1e38 -1e38 nan 1e38",
    "callvote map_restart",
    "vote yes",
    "vote no",
    "callteamvote leader",
    "teamvote y",
    "score",
    "say x",
    "say_team x",
    "tell 1 x",
    "gc 1 3",
    "where",
    "callvote kick p0",
    "callvote map a;b",
];

fn anything(rng: &mut Rng) -> Keys {
    Keys {
        buttons: rng.next_u64() as u16,
        weapon: if rng.percent(90.0) {
            1 + rng.below(10) as u8
        } else {
            rng.next_u64() as u8
        },
        forward: rng.next_u64() as i8,
        up: rng.next_u64() as i8,
        view: [rng.fraction() * 180.0 - 90.0, rng.fraction() * 360.0],
        is_silent: rng.percent(5.0),
        late_msec: rng.below(400) as i32 - 100,
    }
}

#[test]
fn players_who_do_anything_harm_no_game_type() {
    for (seed, game_type) in [(1, "0"), (2, "1"), (3, "3"), (4, "4")] {
        let mut rng = Rng::new(seed);
        let settings = [
            ("g_gametype", game_type),
            ("g_teamAutoJoin", "1"),
            ("g_unlagged", if seed % 2 == 0 { "1" } else { "0" }),
            ("g_inactivity", "2147483647"),
            ("fraglimit", "0"),
        ];
        let mut room = Room::new(8, &settings);
        for _ in 0..600 {
            for client in 0..8 {
                if rng.percent(20.0) {
                    room.keys[client] = anything(&mut rng);
                }
                if rng.percent(3.0) {
                    // Most watch otherwise, after a while.
                    room.command(client, "team free");
                } else if rng.percent(4.0) {
                    room.command(client, COMMANDS[rng.below(COMMANDS.len())]);
                }
            }
            room.play(100);
        }
        assert!(room.kills > 3, "{game_type}: {}", room.kills);
        assert!(room.game.world().entities.len() < 1000);
    }
}

/// Every class of entity, with keys that no editor would write.
fn hostile_entities(rng: &mut Rng) -> String {
    const CLASSES: &[&str] = &[
        "func_door",
        "func_plat",
        "func_button",
        "func_train",
        "func_static",
        "func_rotating",
        "func_bobbing",
        "func_pendulum",
        "func_timer",
        "trigger_multiple",
        "trigger_push",
        "trigger_teleport",
        "trigger_hurt",
        "trigger_always",
        "target_give",
        "target_remove_powerups",
        "target_delay",
        "target_print",
        "target_speaker",
        "target_laser",
        "target_score",
        "target_teleporter",
        "target_relay",
        "target_kill",
        "target_push",
        "target_location",
        "shooter_rocket",
        "shooter_grenade",
        "misc_portal_surface",
        "misc_portal_camera",
        "path_corner",
        "item_quad",
        "weapon_bfg",
        "ammo_bfg",
        "item_health_mega",
        "team_CTF_redflag",
        "info_player_deathmatch",
        "misc_teleporter_dest",
        "info_player_intermission",
        "nonsense",
    ];
    const KEYS: &[&str] = &[
        "spawnflags",
        "speed",
        "wait",
        "random",
        "count",
        "health",
        "dmg",
        "lip",
        "height",
        "phase",
        "angle",
        "delay",
        "light",
        "roll",
        "notfree",
    ];
    const VALUES: &[&str] = &[
        "0",
        "-1",
        "1",
        "2147483647",
        "-2147483648",
        "1e38",
        "-1e38",
        "0.0001",
        "x",
        "3",
    ];
    let mut text = "{ \"classname\" \"worldspawn\" \"gravity\" \"800\" }\n".to_owned();
    for _ in 0..200 {
        let class = CLASSES[rng.below(CLASSES.len())];
        let model = 1 + rng.below(14);
        let (name, target, team) = (rng.below(12), rng.below(12), rng.below(4));
        let x = rng.below(2000) as i32 - 1000;
        text += &format!(
            "{{ \"classname\" \"{class}\" \"model\" \"*{model}\" \"origin\" \"{x} 0 30\" \
             \"targetname\" \"t{name}\" \"target\" \"t{target}\""
        );
        if team == 0 {
            text += " \"team\" \"a\"";
        }
        for _ in 0..3 {
            let (key, value) = (KEYS[rng.below(KEYS.len())], VALUES[rng.below(VALUES.len())]);
            text += &format!(" \"{key}\" \"{value}\"");
        }
        text += " }\n";
    }
    text
}

#[test]
fn maps_that_ask_for_anything_end_nothing() {
    for seed in 0..4 {
        let mut rng = Rng::new(seed);
        let mut bsp: Bsp = (*svtest()).clone();
        bsp.entities = hostile_entities(&mut rng);
        let cvars = Cvars::default();
        let map = ClipMap::new(&bsp).expect("a map");
        let game = Game::new(map, &bsp, Start::default(), &cvars).expect("entities");
        let mut room = Room::with_game(game, cvars);
        for _ in 0..4 {
            room.join("");
        }
        for _ in 0..40 {
            for client in 0..4 {
                room.keys[client] = anything(&mut rng);
            }
            room.play(100);
        }
        assert!(room.time > 4000);
    }
}
