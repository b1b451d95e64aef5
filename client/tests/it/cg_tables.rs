//! Every row of the game's tables does something: events, deaths, items, weapons, powerups, game types, commands.

use super::{
    stage::{Game, LEVEL_SOUND, Stage, missile, player, sounds, still},
    table::{Row, rows},
};
use client::{
    assets::Assets,
    cg::FrameOutput,
    con::{cvars, unsupported},
    scene::{RefEntity, RefEntityKind, sound::SoundOrigin},
};
use glam::Vec3;
use shared::{
    bg::numbers::{
        configstring, entity_flags, entity_type, event as ev, persistant, powerup, team, weapon,
    },
    types::{entitystate::EntityState, trace::surface},
};

/// Events that neither sound nor show anything by themselves: they move the view or choose a weapon.
const SILENT: [&str; 10] = [
    "NONE",
    "STEP_4",
    "STEP_8",
    "STEP_12",
    "STEP_16",
    "NOAMMO",
    "USE_ITEM1",
    "USE_ITEM3",
    "USE_ITEM4",
    "STOPLOOPINGSOUND",
];

/// What an event needs beside its number to mean something.
fn event_of(stage: &Stage, row: &Row) -> EntityState {
    let number = row.number("number");
    let parm = match number {
        // A powerup, whose sound the table names; armor.
        ev::ITEM_PICKUP => 28,
        ev::GLOBAL_ITEM_PICKUP => 2,
        ev::PROXIMITY_MINE_STICK => surface::FLESH as i32,
        ev::GENERAL_SOUND | ev::GLOBAL_SOUND => 1,
        ev::BULLET_HIT_FLESH => 1,
        ev::PAIN => 60,
        ev::OBITUARY => 7,
        _ => 0,
    };
    let mut state = stage.event(number, parm);
    state.weapon = 5;
    state.origin2 = Vec3::new(300.0, 0.0, 0.0);
    state.client_num = 1;
    (state.other_entity_num, state.other_entity_num2) = (1, 2);
    if number == ev::SCOREPLUM {
        (state.other_entity_num, state.time) = (0, 5);
    }
    if row.get("carrier").contains("player") {
        let event = state;
        state = player(1);
        (state.event, state.event_parm) = (number, event.event_parm);
        state.weapon = 5;
    }
    state
}

/// Files that a row names, as far as its names have no choices in them.
fn named_sounds(row: &Row) -> Vec<String> {
    let words = row.get("sound").split([' ', ';']);
    let names = words.filter_map(|word| match word.strip_prefix('*') {
        Some(own) => Some(own),
        None => word.starts_with("sound/").then_some(word),
    });
    names
        .map(|name| name.split(['{', '(']).next().unwrap_or(name).to_owned())
        .collect()
}

/// Which of several like sounds is played, is chance.
fn without_digits(name: &str) -> String {
    name.chars().filter(|c| !c.is_ascii_digit()).collect()
}

#[test]
fn every_event_is_heard_or_seen() {
    for row in rows("entity_events") {
        let name = row.get("name");
        // A stage of its own: nothing of one event hides the next.
        let mut stage = Stage::new(Game::OpenArena, 0);
        if row.get("carrier").contains("player") {
            stage.entities.push(player(1));
            stage.frame();
            stage.entities.clear();
        }
        let state = event_of(&stage, &row);
        let output = stage.show(state);
        assert_eq!(stage.cgame.event_counts().unknown, 0, "{name}");
        let heard = sounds(&output, &stage.assets);
        let is_shown = output
            .events
            .iter()
            .any(|fired| !fired.effects.is_empty() || !fired.printed.is_empty());
        let is_wanted = row.get("tier") != "3" && !SILENT.contains(&name);
        if is_wanted {
            assert!(!heard.is_empty() || is_shown, "{name} does nothing");
        }
        let named = named_sounds(&row);
        let is_named = named.iter().any(|wanted| {
            let mut heard = heard.iter().map(|name| without_digits(name));
            heard.any(|name| name.contains(&without_digits(wanted)))
        });
        let is_right = is_named || named.is_empty() || !is_wanted;
        assert!(is_right, "{name}: none of {named:?} is among {heard:?}");
        if matches!(name, "GENERAL_SOUND" | "GLOBAL_SOUND") {
            assert_eq!(heard, [LEVEL_SOUND], "{name}");
        }
    }
}

#[test]
fn every_death_is_told_in_its_words() {
    for game in [Game::Baseq3, Game::OpenArena, Game::RatMod] {
        let mut stage = Stage::new(game, 0);
        let column = match game {
            Game::Baseq3 => "number_baseq3",
            Game::OpenArena | Game::RatMod => "number_openarena",
        };
        for row in rows("means_of_death") {
            let Ok(means) = row.get(column).parse::<i32>() else {
                continue;
            };
            let mut tell = |killer: i32| {
                let mut state = stage.event(ev::OBITUARY, means);
                (state.other_entity_num, state.other_entity_num2) = (1, killer);
                let output = stage.show(state);
                let text = output.printed.concat();
                text.trim_start_matches("[skipnotify]")
                    .trim_end()
                    .to_owned()
            };
            let expected = |column: &str| {
                let text = row.get(column).trim_start_matches("OA: ");
                let text = text.split(" (sense").next().unwrap_or(text);
                text.replace("{refl}", "himself")
                    .replace("{poss}", "his")
                    .replace("{victim}", "Ayumi^7")
                    .replace("{killer}", "Grism^7")
            };
            let name = row.get("name");
            // The table has no word of its own for whoever is crushed by a door that he opened.
            let own = match name {
                "CRUSH" => "Ayumi^7 was crushed by a trap of his own.".to_owned(),
                _ => expected("template_self"),
            };
            assert_eq!(tell(1), own, "{game:?} {name}");
            let alone = expected("template_no_killer");
            if !alone.is_empty() {
                assert_eq!(tell(1022), alone, "{game:?} {name}");
            }
            let is_worlds = game == Game::Baseq3 && !alone.is_empty();
            let killed = if is_worlds {
                alone
            } else {
                expected("template_killer")
            };
            assert_eq!(tell(2), killed, "{game:?} {name}");
        }
    }
}

fn has_model(output: &FrameOutput, assets: &mut Assets, name: &str) -> bool {
    let kind = RefEntityKind::Model(assets.register_model(name));
    drawn(output).any(|entity| entity.kind == kind)
}

fn drawn(output: &FrameOutput) -> impl Iterator<Item = &RefEntity> {
    let view = output.scene.views.first();
    view.into_iter().flat_map(|view| &view.entities)
}

#[test]
fn every_item_lies_there_and_is_taken() {
    for row in rows("items").iter().filter(|row| row.number("index") > 0) {
        let (index, class) = (row.number("index"), row.get("classname"));
        let mut stage = Stage::new(Game::OpenArena, 0);
        let mut item = still();
        (item.number, item.e_type, item.model_index) = (90, entity_type::ITEM, index);
        let output = stage.show(item);
        let model = row.get("world_model");
        assert!(
            has_model(&output, &mut stage.assets, model),
            "{class}: {model}"
        );
        let second = row.get("second_model");
        if !second.is_empty() && matches!(row.get("type"), "health" | "powerup") {
            assert!(
                has_model(&output, &mut stage.assets, second),
                "{class}: {second}"
            );
        }
        stage.settings.simple_items = true;
        let output = stage.show(item);
        let icon = stage.assets.register_shader_no_mip(row.get("icon_shader"));
        if row.get("type") != "team" {
            let is_flat = drawn(&output).any(|entity| entity.custom_shader == Some(icon));
            assert!(is_flat, "{class} has no icon");
        }
        stage.time += 2000;
        stage.player.events[0] = ev::ITEM_PICKUP;
        stage.player.event_parms[0] = index;
        stage.player.event_sequence += 1;
        stage.settings.autoswitch = 0;
        let output = stage.frame();
        let heard = sounds(&output, &stage.assets);
        let expected = match row.get("type") {
            "powerup" | "team" => "sound/items/n_health.wav",
            "persistent_powerup" => "",
            _ => row.get("pickup_sound"),
        };
        let is_right = if expected.is_empty() {
            heard.is_empty()
        } else {
            heard.contains(&expected)
        };
        assert!(is_right, "{class}: {heard:?} is not {expected}");
        let is_told = output.scene.draw2d.iter().any(|flat| flat.shader == icon);
        assert!(is_told, "{class} is taken without a word");
    }
}

#[test]
fn every_weapon_is_held_fired_and_hits() {
    for row in rows("weapons")
        .iter()
        .filter(|row| row.number("number") > 0)
    {
        let (number, name) = (row.number("number"), row.get("name"));
        let mut stage = Stage::new(Game::OpenArena, 0);
        stage.player.weapon = number;
        let mut other = player(1);
        other.weapon = number;
        stage.entities.push(other);
        let output = stage.frame();
        let model = row.get("world_model");
        let kind = RefEntityKind::Model(stage.assets.register_model(model));
        let guns = drawn(&output).filter(|entity| entity.kind == kind).count();
        assert_eq!(
            guns, 3,
            "{name}: in the own hand, on the own body, on another's"
        );
        stage.entities[0].event = ev::FIRE_WEAPON;
        let output = stage.frame();
        let heard = sounds(&output, &stage.assets);
        let fire = row.get("flash_sounds");
        let fire = fire.split("OA: ").last().unwrap_or(fire);
        let is_fire = heard.iter().any(|name| fire.contains(name));
        assert!(is_fire, "{name}: {heard:?} is not of {fire}");
        let mut hit = stage.event(ev::MISSILE_MISS, 5);
        hit.weapon = number;
        let output = stage.show(hit);
        let mark = row.get("impact_mark");
        if row.get("impact_sound").starts_with("sound/") {
            let heard = sounds(&output, &stage.assets);
            // The paks lack the nail's own sound; its name is still asked for.
            assert_eq!(heard.len(), 1, "{name}: {heard:?}");
        }
        let explodes = !row.get("impact_model").is_empty() && number != 6;
        let is_seen = output.events.iter().any(|fired| !fired.effects.is_empty());
        assert_eq!(is_seen, explodes, "{name} at a wall, with {mark}");
        fly(&mut stage, row);
    }
}

/// What the weapon shoots is seen on its way.
fn fly(stage: &mut Stage, row: &Row) {
    let model = row.get("missile_model");
    let model = model.split("OA: ").last().unwrap_or(model);
    let output = stage.show(missile(row.number("number"), stage.time));
    let is_sprite = model.starts_with("(sprite");
    let path = model.split(' ').next().unwrap_or("");
    if path.ends_with(".md3") {
        assert!(
            has_model(&output, &mut stage.assets, path),
            "{path} is not drawn"
        );
    } else if is_sprite {
        let is_ball = |entity: &RefEntity| matches!(entity.kind, RefEntityKind::Sprite { radius, .. } if radius == 16.0);
        assert!(drawn(&output).any(is_ball), "{model}");
    }
}

/// Numbers of one kind in the table of OpenArena 0.8.8.
fn numbers(group: &str) -> Vec<(i32, String)> {
    let all = rows("stats_persistant_powerups").into_iter();
    all.filter(|row| row.get("group") == group)
        .filter_map(|row| {
            let value = row.get("value_oa_088").to_owned();
            Some((value.parse().ok()?, row.get("name").to_owned()))
        })
        .collect()
}

#[test]
fn every_powerup_is_seen_on_others() {
    let look = |powerups: i32| {
        let mut stage = Stage::new(Game::OpenArena, 4);
        let mut other = player(1);
        other.powerups = powerups;
        other.legs_anim = 15;
        stage.entities.push(other);
        // The shell of regeneration comes and goes; the frame must be one that shows it.
        stage.time = 10_050;
        let output = stage.frame();
        let view = output.scene.views.first().expect("the level is shown");
        let lights = view.lights.len();
        let loops = output.scene.sound.loops.len();
        let parts = view.entities.iter();
        let shaders: Vec<_> = parts.map(|part| part.custom_shader).collect();
        (lights, loops, shaders)
    };
    let plain = look(0);
    for (number, name) in numbers("powerup") {
        assert_ne!(look(1 << number), plain, "{name} looks like nothing");
    }
    assert_eq!(numbers("powerup").len(), powerup::INVULNERABILITY);
}

#[test]
fn every_team_sound_is_spoken_to_somebody() {
    for (code, name) in numbers("global_team_sound") {
        let spoken = [team::RED, team::BLUE].map(|side| {
            let mut stage = Stage::new(Game::OpenArena, 4);
            stage.player.persistant[persistant::TEAM] = side;
            let event = stage.event(ev::GLOBAL_TEAM_SOUND, code);
            let output = stage.show(event);
            !sounds(&output, &stage.assets).is_empty()
        });
        assert!(spoken.contains(&true), "{name} is silent");
    }
}

#[test]
fn every_entity_type_is_drawn_heard_or_known_to_be_neither() {
    for (number, name) in numbers("entity_type") {
        let mut stage = Stage::new(Game::OpenArena, 4);
        stage.set(configstring::MODELS + 1, "models/flags/r_flag.md3");
        let before = stage.frame().scene.views[0].entities.len();
        let mut state = match number {
            entity_type::PLAYER => player(1),
            _ => still(),
        };
        (state.number, state.e_type) = (if number == 1 { 1 } else { 90 }, number);
        state.model_index = 1;
        state.weapon = 5;
        state.origin2 = Vec3::splat(64.0);
        (state.event_parm, state.client_num) = (1, 1);
        let output = stage.show(state);
        let is_drawn = output.scene.views[0].entities.len() > before;
        let is_heard = !output.scene.sound.starts.is_empty();
        let is_hidden = matches!(number, 8..=10 | 13);
        assert_eq!(is_drawn || is_heard, !is_hidden, "{name}");
    }
}

#[test]
fn every_game_type_has_its_own_hud() {
    let flat = |game_type: i32| {
        let mut stage = Stage::new(Game::OpenArena, game_type);
        // Cubes that were taken, where there are any.
        stage.player.generic1 = 3;
        for words in [
            &["elimination", "2", "1", "20000"][..],
            &["attackingteam", "1"],
            &[
                "dompointnames",
                "2",
                "Lava                Bridge              ",
            ],
            &["domStatus", "2", "1", "2"],
            &["oh", "70", "100"],
            &["ddtaken", "9000"],
        ] {
            stage.say(words);
        }
        stage.set(configstring::FLAG_STATUS, "22");
        stage.frame();
        let output = stage.frame();
        assert!(
            output.printed.is_empty(),
            "{game_type}: {:?}",
            output.printed
        );
        output.scene.draw2d.len()
    };
    let team_game = flat(3);
    for (number, name) in numbers("gametype") {
        let pictures = flat(number);
        // Plain team games and those without teams have scores alone.
        let tells_more = (4..=12).contains(&number);
        assert_eq!(
            pictures > team_game,
            tells_more,
            "{name}: {pictures} and {team_game}"
        );
    }
}

#[test]
fn a_mine_that_sticks_is_told() {
    let mut stage = Stage::new(Game::OpenArena, 0);
    let mut letters = |flag: i32| {
        stage.player.e_flags = flag;
        stage.frame().scene.draw2d.len()
    };
    let [before, mined, after] = [0, entity_flags::TICKING, 0].map(&mut letters);
    // Each letter has a shadow.
    let told = 2 * "YOUHAVEBEENMINED".len();
    assert!(
        mined >= before.min(after) + told,
        "{before} {mined} {after}"
    );
}

#[test]
fn a_mine_stands_on_its_wall() {
    let mut stage = Stage::new(Game::OpenArena, 0);
    let mut mine = still();
    (mine.number, mine.e_type, mine.weapon) = (95, entity_type::MISSILE, weapon::PROX);
    // A wall that faces along x.
    mine.angles = Vec3::X * 90.0;
    let output = stage.show(mine);
    let kind = RefEntityKind::Model(stage.assets.register_model("models/weaphits/proxmine.md3"));
    let mine = drawn(&output).find(|part| part.kind == kind);
    let up = mine.expect("the mine is drawn").axis[2];
    assert!(up.distance(Vec3::X) < 1e-5, "{up}");
}

#[test]
fn every_command_of_servers_is_known() {
    for words in [
        &["cp", "hello"][..],
        &["print", "hello\n"],
        &["chat", "Ayumi^7\x19: ^2hello"],
        &["tchat", "\x19(Ayumi^7\x19)\x19: ^5hello"],
        &[
            "scores", "1", "3", "4", "1", "17", "40", "5", "0", "0", "33", "0", "0", "0", "0", "0",
            "0", "0",
        ],
        &["tinfo", "1", "1", "0", "100", "50", "5", "0"],
        &["map_restart"],
        &["remapShader", "a", "b", "0"],
        &["remapshader", "a", "b", "0"],
        &["loaddefered"],
        &["clientLevelShot"],
        &["vchat", "0", "1", "50", "yes"],
        &["vtchat", "0", "1", "50", "yes"],
        &["vtell", "0", "1", "50", "yes"],
        &["accs", "10", "5"],
        &["elimination", "1", "2", "3000"],
        &["attackingteam", "1"],
        &["ddtaken", "3000"],
        &["ddTakeAt", "13000"],
        &["dompointnames", "1", "Lava                "],
        &["domStatus", "1", "1"],
        &["oh", "70", "100"],
        &["respawn", "3000"],
        &["team", "all"],
        &["customvotes", "instagib"],
        &["mappage", "0", "oa_dm1"],
        &["ch", "5"],
    ] {
        let mut stage = Stage::new(Game::OpenArena, 4);
        stage.say(words);
        let printed = stage.frame().printed.concat();
        assert!(!printed.contains("no game knows"), "{words:?}: {printed}");
    }
    let mut stage = Stage::new(Game::OpenArena, 4);
    stage.say(&["mystery"]);
    assert!(stage.frame().printed.concat().contains("no game knows"));
}

#[test]
fn every_setting_is_there_or_says_why_not() {
    let absent: Vec<String> = unsupported::names().map(str::to_ascii_lowercase).collect();
    let known: Vec<String> = cvars::TABLE
        .iter()
        .map(|def| def.name.to_ascii_lowercase())
        .chain(absent)
        .collect();
    let unknown: Vec<String> = rows("cvars")
        .iter()
        .map(|row| row.get("name").to_owned())
        .filter(|name| !known.contains(&name.to_ascii_lowercase()))
        .collect();
    assert_eq!(unknown, Vec::<String>::new());
}

#[test]
fn a_hook_is_what_its_game_makes_of_it() {
    for game in [Game::Baseq3, Game::OpenArena] {
        let is_old = game == Game::Baseq3;
        let mut stage = Stage::new(game, 0);
        let mut hook = still();
        (hook.number, hook.e_type, hook.weapon) = (95, entity_type::MISSILE, weapon::HOOK);
        let output = stage.show(hook);
        let model = match game {
            Game::Baseq3 => "models/ammo/rocket/rocket.md3",
            Game::OpenArena | Game::RatMod => "models/ammo/hook/hook.md3",
        };
        assert!(has_model(&output, &mut stage.assets, model), "{game:?}");
        assert_eq!(output.scene.views[0].lights.len(), usize::from(is_old));
        assert_eq!(output.scene.sound.loops.is_empty(), is_old, "{game:?}");
        let (kind, shader) = match game {
            Game::Baseq3 => (RefEntityKind::Lightning, "lightningBoltNew"),
            Game::OpenArena | Game::RatMod => {
                (RefEntityKind::RailCore { width: 6.0 }, "grappleRope")
            }
        };
        let shader = stage.assets.register_shader(shader);
        let rope = |part: &RefEntity| part.kind == kind && part.custom_shader == Some(shader);
        assert!(drawn(&output).any(rope), "{game:?}");
    }
}

#[test]
fn nails_sound_by_what_they_hit() {
    let mut stage = Stage::new(Game::OpenArena, 0);
    for (event, sound) in [
        (ev::MISSILE_HIT, "wnalimpl"),
        (ev::MISSILE_MISS_METAL, "wnalimpm"),
        // The paks have none for stone.
        (ev::MISSILE_MISS, "wnalimpm"),
    ] {
        let mut hit = stage.event(event, 5);
        hit.weapon = weapon::NAILGUN;
        let output = stage.show(hit);
        let heard = sounds(&output, &stage.assets);
        assert_eq!(heard, [format!("sound/weapons/nailgun/{sound}.wav")]);
    }
}

#[test]
fn quad_damage_is_red_around_the_red_team() {
    let mut stage = Stage::new(Game::OpenArena, 4);
    for client in [1, 2] {
        let mut other = player(client);
        other.powerups = 1 << powerup::QUAD;
        let output = stage.show(other);
        let [red, blue] =
            ["powerups/blueflag", "powerups/quad"].map(|name| stage.assets.register_shader(name));
        assert!(stage.assets.shader(red).is_some(), "no pak has it");
        let shells = |shader| {
            let shells = drawn(&output).filter(|part| part.custom_shader == Some(shader));
            shells.count()
        };
        let expected = if client == 1 { (0, 3) } else { (3, 0) };
        assert_eq!((shells(red), shells(blue)), expected, "{client}");
    }
}

#[test]
fn cries_for_all_are_as_loud_everywhere() {
    let mut stage = Stage::new(Game::OpenArena, 0);
    let sound = configstring::SOUNDS + 2;
    stage.set(sound, "*taunt.wav");
    stage.frame();
    for (event, place) in [
        (ev::GENERAL_SOUND, SoundOrigin::Entity),
        (ev::GLOBAL_SOUND, SoundOrigin::Local),
    ] {
        let mut state = stage.event(event, 2);
        state.client_num = 1;
        let output = stage.show(state);
        assert_eq!(
            sounds(&output, &stage.assets),
            ["sound/player/sarge/taunt.wav"]
        );
        assert_eq!(output.scene.sound.starts[0].place, place);
    }
}

#[test]
fn models_for_teams_wait_for_their_switch() {
    let worn = |force_model: bool, enemy_model: &str| {
        let mut stage = Stage::new(Game::OpenArena, 0);
        let ayumi = configstring::PLAYERS + 1;
        stage.set(
            ayumi,
            "n\\Ayumi\\t\\0\\model\\major\\hmodel\\major\\hc\\100",
        );
        stage.settings.force_model = force_model;
        enemy_model.clone_into(&mut stage.settings.enemy_model);
        stage.settings.own_model = "sarge".to_owned();
        stage.settings.own_head_model = "sarge".to_owned();
        stage.frame();
        stage.frame();
        let output = stage.show(player(1));
        let models = ["major", "sarge", "penguin"];
        let is_worn = |model: &&str| {
            let name = format!("models/players/{model}/upper.md3");
            let kind = RefEntityKind::Model(stage.assets.register_model(&name));
            let is_other = |part: &RefEntity| part.kind == kind && !part.flags.third_person;
            drawn(&output).any(is_other)
        };
        models.into_iter().find(is_worn)
    };
    assert_eq!(worn(false, ""), Some("major"));
    assert_eq!(worn(true, ""), Some("sarge"));
    assert_eq!(worn(false, "penguin"), Some("major"));
    assert_eq!(worn(true, "penguin"), Some("penguin"));
}

#[test]
fn who_wears_another_model_cries_as_it_does() {
    let mut stage = Stage::new(Game::OpenArena, 0);
    let ayumi = configstring::PLAYERS + 1;
    // It has no skin outside of team games, but a voice.
    stage.set(
        ayumi,
        "n\\Ayumi\\t\\0\\model\\sorceress\\hmodel\\sorceress\\hc\\100",
    );
    stage.frame();
    let mut state = stage.event(ev::TAUNT, 0);
    state.client_num = 1;
    let output = stage.show(state);
    assert_eq!(
        sounds(&output, &stage.assets),
        ["sound/player/sarge/taunt.wav"]
    );
}

#[test]
fn shots_leave_smoke_in_air_and_bubbles_under_water() {
    let mut stage = Stage::new(Game::OpenArena, 0);
    stage.enter("oa_spirit3");
    let lake = Vec3::new(0.0, 1536.0, -230.0);
    let sky = Vec3::new(0.0, 1536.0, -60.0);
    stage.player.origin = lake - Vec3::X * 200.0;
    let mut left_at = |at: Vec3, is_shotgun: bool| {
        // What earlier shots left is gone by then.
        stage.time += 3000;
        let mut state = missile(weapon::ROCKET, stage.time);
        if is_shotgun {
            state = stage.event(ev::SHOTGUN, 7);
            state.origin2 = Vec3::X * 4096.0;
        }
        state.pos.base = at;
        stage.show(state);
        let output = stage.show(state);
        ["smokePuff", "shotgunSmokePuff", "waterBubble"].map(|name| {
            let shader = stage.assets.register_shader(name);
            drawn(&output).any(|entity| entity.custom_shader == Some(shader))
        })
    };
    assert_eq!(left_at(sky, false), [true, false, false]);
    assert_eq!(left_at(lake, false), [false, false, true]);
    assert_eq!(left_at(sky, true)[1..], [true, false]);
    assert_eq!(left_at(lake, true), [false, false, true]);
}
