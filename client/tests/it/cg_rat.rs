//! RatMod without its module: boards fill, its events are its own, its missiles burst where it says, its items are there.

use super::stage::{Game, Stage, missile, sounds, still};
use client::{
    cg::FrameOutput,
    scene::{RefEntity, RefEntityKind},
};
use glam::Vec3;
use shared::{
    bg::{
        items::{ITEMS, OPENARENA_ITEM_COUNT},
        numbers::{entity_type, event as ev, rat_event, weapon},
    },
    types::entitystate::EntityState,
};

fn drawn(output: &FrameOutput) -> impl Iterator<Item = &RefEntity> {
    output.scene.views.iter().flat_map(|view| &view.entities)
}

#[test]
fn a_board_of_ratmod_is_filled() {
    let mut stage = Stage::new(Game::RatMod, 0);
    stage.frame();
    assert!(stage.cgame.listed_scores().is_empty());
    let row = |client: &str, score: &str| {
        let rest = "48 61 0 0 33 0 0 0 0 0 0 0 0 30 2";
        format!("{client} {score} {rest}")
    };
    let told = format!(
        "ratscores1 2 2 0 0 0 0 0 {} {}",
        row("1", "30"),
        row("0", "25")
    );
    stage.say(&told.split(' ').collect::<Vec<_>>());
    stage.say(&["ratscores2", "2", "1", "2", "0", "0", "0", "0", "0", "0"]);
    let printed = stage.frame().printed;
    assert!(printed.is_empty(), "{printed:?}");
    assert_eq!(stage.cgame.listed_scores(), [(1, 30), (0, 25)]);
}

#[test]
fn every_command_of_ratmod_is_known() {
    for words in [
        &["ratscores", "0", "0", "0", "0"][..],
        &["ratscores3", "0"],
        &["ratscores4", "0"],
        &["ratscores5", "0"],
        &["tinfo", "1", "1", "0", "100", "50", "5", "0", "0"],
        &["printChat", "hello\n"],
        &["helpmotdclear", "Welcome to "],
        &["helpprint", "hello\n"],
        &["motdprint", "hello\n"],
        &["timeout", "1000"],
        &["overtime", "60000"],
        &["elimination", "1", "2", "3000", "100", "50"],
        &["tplayerCounts", "1", "1", "2", "2", "0"],
        &["readyMask", "3"],
        &["award", "7", "1"],
        &["taunt", "1", "x"],
        &["spawnPoints", "0"],
        &["treasureHunt", "0", "0", "0", "0", "0", "0"],
        &["specgroup", "1"],
        &["qjoin"],
        &["vresult", "p"],
        &["duelstats", "0"],
        &["nextmapvote", "1000", "oa_dm1"],
        &["nextmapvotes", "1"],
        &["mappagel", "0", "oa_dm1"],
    ] {
        let mut stage = Stage::new(Game::RatMod, 4);
        stage.say(words);
        let printed = stage.frame().printed.concat();
        assert!(!printed.contains("no game knows"), "{words:?}: {printed}");
    }
}

#[test]
fn events_from_83_on_are_ratmods() {
    for number in rat_event::MISSILE_TELEPORT..=rat_event::ANNOUNCE {
        assert!(rat_event::name(number).is_some(), "{number}");
        let steps = |game: Game| {
            let mut stage = Stage::new(game, 4);
            let mut event = stage.event(number, 0);
            (event.other_entity_num, event.other_entity_num2) = (0, 1);
            event.time = 75;
            let output = stage.show(event);
            let heard = sounds(&output, &stage.assets);
            heard.iter().any(|name| name.contains("footsteps/step"))
        };
        assert!(!steps(Game::RatMod), "{number}");
        assert_eq!(
            steps(Game::OpenArena),
            number <= ev::FOOTSTEP_GLASS,
            "{number}"
        );
    }
    let mut stage = Stage::new(Game::RatMod, 4);
    stage.settings.debug_events = true;
    let ping = EntityState {
        other_entity_num: 1,
        generic1: 2,
        ..stage.event(rat_event::PING_LOCATION, 0)
    };
    let output = stage.show(ping);
    let printed = output.printed.concat();
    assert!(printed.contains("PING_LOCATION"), "{printed}");
    assert!(printed.contains("Ayumi^7 points at an enemy"), "{printed}");
    let foe = stage.assets.register_shader("sprites/foe");
    assert!(drawn(&output).any(|part| part.custom_shader == Some(foe)));
    let plum = EntityState {
        other_entity_num: 0,
        time: 75,
        ..stage.event(rat_event::DAMAGEPLUM, 0)
    };
    let sprites = |output: &FrameOutput| {
        let is_digit = |part: &&RefEntity| matches!(part.kind, RefEntityKind::Sprite { radius, .. } if radius == 4.0);
        drawn(output).filter(is_digit).count()
    };
    assert_eq!(sprites(&stage.show(plum)), "75".len());
}

#[test]
fn a_missile_that_has_burst_is_gone_and_bursts_where_it_hit() {
    let place = Vec3::new(300.0, 40.0, 0.0);
    let show = |game: Game, time2: i32| {
        let mut stage = Stage::new(game, 0);
        let mut rocket = missile(weapon::ROCKET, stage.time);
        (rocket.time2, rocket.origin2) = (time2, place);
        rocket.event = ev::MISSILE_MISS;
        let output = stage.show(rocket);
        let model = stage.assets.register_model("models/ammo/rocket/rocket.md3");
        let flies = drawn(&output).any(|part| part.kind == RefEntityKind::Model(model));
        let lights = &output.scene.views[0].lights;
        let bursts_there = lights
            .iter()
            .any(|light| light.origin.distance(place) < 40.0)
            || drawn(&output).any(|part| part.origin.distance(place) < 40.0);
        (flies, bursts_there)
    };
    assert_eq!(show(Game::RatMod, 9000), (false, true));
    assert_eq!(show(Game::RatMod, 0), (true, false));
    assert_eq!(show(Game::OpenArena, 9000), (true, false));
}

#[test]
fn items_of_ratmod_are_drawn() {
    for number in OPENARENA_ITEM_COUNT as i32..=ITEMS.len() as i32 {
        let mut stage = Stage::new(Game::RatMod, 0);
        let item = EntityState {
            number: 95,
            e_type: entity_type::ITEM,
            model_index: number,
            ..still()
        };
        let count = |output: FrameOutput| drawn(&output).count();
        let without = count(stage.frame());
        assert_eq!(count(stage.show(item)), without + 1, "{number}");
    }
}
