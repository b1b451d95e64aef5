//! What players who do not hear, or who see fewer colors, get to see of a match.

use super::stage::{Game, Stage, missile, player, still};
use client::{cg::FrameOutput, scene::Draw2d};
use glam::Vec3;
use shared::{
    bg::numbers::{configstring, entity_flags, entity_type, event as ev, team, weapon},
    types::entitystate::EntityState,
};

const CTF: i32 = 4;

/// A rocket to the left of the player, with this velocity.
fn rocket(velocity: Vec3, time: i32) -> EntityState {
    let mut state = missile(weapon::ROCKET, time);
    state.pos.base = Vec3::new(0.0, 400.0, 0.0);
    state.pos.delta = velocity;
    state
}

/// Black boxes with nothing but words on them: how many lines of captions there are.
fn captions(output: &FrameOutput) -> usize {
    let is_back = |picture: &&Draw2d| {
        let [r, g, b, alpha] = picture.color;
        [r, g, b] == [0.0; 3] && (alpha - 0.7).abs() < 1e-3
    };
    output.scene.draw2d.iter().filter(is_back).count()
}

#[test]
fn sounds_that_matter_are_told_in_words_if_wanted() {
    let mut stage = Stage::new(Game::Baseq3, 0);
    let at = stage.time;
    assert_eq!(captions(&stage.show(rocket(Vec3::NEG_Y * 100.0, at))), 0);
    stage.settings.caption_size = 1.0;
    let at = stage.time;
    assert_eq!(captions(&stage.show(rocket(Vec3::Y * 100.0, at))), 0);
    let at = stage.time;
    assert_eq!(captions(&stage.show(rocket(Vec3::NEG_Y * 100.0, at))), 1);
    // Steps of another player beside it.
    let mut walker = player(1);
    walker.event = ev::FOOTSTEP;
    assert_eq!(captions(&stage.show(walker)), 2);
    // A player's own steps are no news.
    for _ in 0..40 {
        stage.frame();
    }
    assert_eq!(captions(&stage.frame()), 0);
    stage.player.event_sequence = 1;
    stage.player.events[0] = ev::FOOTSTEP;
    assert_eq!(captions(&stage.frame()), 0);
}

#[test]
fn chosen_colors_are_on_players_and_over_the_view() {
    let mut stage = Stage::new(Game::Baseq3, CTF);
    let shader = stage.assets.register_shader("strafe/teamShell");
    let shells = |output: &FrameOutput| -> Vec<[u8; 4]> {
        let entities = output.scene.views.iter().flat_map(|view| &view.entities);
        let shells = entities.filter(|entity| {
            // The player's own body is there for mirrors alone.
            entity.custom_shader == Some(shader) && !entity.flags.third_person
        });
        shells.map(|entity| entity.color).collect()
    };
    let has_color = |output: &FrameOutput, [r, g, b]: [f32; 3]| {
        let all = output.scene.draw2d.iter();
        all.into_iter()
            .any(|picture| picture.color[..3] == [r, g, b] && picture.color[3] < 0.5)
    };
    // Ayumi is on the blue team.
    let output = stage.show(player(1));
    assert!(shells(&output).is_empty(), "skins have these colors");
    assert!(has_color(&output, [0.0, 0.0, 1.0]));
    stage.settings.team_palette = 2;
    let output = stage.show(player(1));
    let [r, g, b] = stage.settings.team_color(team::BLUE).expect("it is a team");
    let expected = [r, g, b].map(|part| (part * 255.0) as u8);
    let shells = shells(&output);
    assert_eq!(shells.len(), 3, "legs, torso and head");
    assert!(
        shells.iter().all(|shell| shell[..3] == expected),
        "{shells:?}"
    );
    assert!(has_color(&output, [r, g, b]));
    assert!(!has_color(&output, [0.0, 0.0, 1.0]));
}

#[test]
fn bright_players_have_the_color_of_their_side_as_light() {
    let mut stage = Stage::new(Game::Baseq3, CTF);
    let glows = |output: &FrameOutput| -> Vec<Vec3> {
        let entities = output.scene.views.iter().flat_map(|view| &view.entities);
        let others = entities.filter(|entity| !entity.flags.third_person);
        others.filter_map(|entity| entity.glow).collect()
    };
    assert!(glows(&stage.show(player(1))).is_empty());
    stage.settings.bright_skins = 2;
    let blue = stage.settings.team_color(team::BLUE).expect("it is a team");
    let shining = glows(&stage.show(player(1)));
    assert_eq!(shining, [Vec3::from_array(blue); 3], "legs, torso and head");
    let mut dead = player(1);
    dead.e_flags |= entity_flags::DEAD;
    assert!(glows(&stage.show(dead)).is_empty());
}

#[test]
fn flags_have_the_chosen_colors_too() {
    let mut stage = Stage::new(Game::Baseq3, CTF);
    let shell = stage.assets.register_shader("strafe/teamShell");
    let base = stage.assets.register_shader("icons/iconf_red1");
    let flag = EntityState {
        number: 90,
        e_type: entity_type::ITEM,
        model_index: 34,
        ..still()
    };
    stage.set(configstring::FLAG_STATUS, "00");
    let shells = |output: &FrameOutput| {
        let entities = output.scene.views.iter().flat_map(|view| &view.entities);
        let shells = entities.filter(|entity| entity.custom_shader == Some(shell));
        shells.map(|entity| entity.color).collect::<Vec<_>>()
    };
    let has_icon = |output: &FrameOutput| {
        let mut pictures = output.scene.draw2d.iter();
        pictures.any(|picture| picture.shader == base)
    };
    let output = stage.show(flag);
    assert!(shells(&output).is_empty(), "the game's own colors");
    assert!(has_icon(&output));
    stage.settings.team_palette = 1;
    let output = stage.show(flag);
    let red = stage.settings.team_color(team::RED).expect("it is a team");
    let expected = red.map(|part| (part * 255.0) as u8);
    assert!(
        shells(&output).iter().any(|color| color[..3] == expected),
        "the flag at its base: {:?}",
        shells(&output)
    );
    assert!(!has_icon(&output), "no picture has these colors");
    let is_sign = |picture: &Draw2d| picture.color == [red[0], red[1], red[2], 1.0];
    assert!(output.scene.draw2d.iter().any(is_sign));
}
