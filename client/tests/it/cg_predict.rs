//! Prediction against a simulated server that runs the same movement: no miss without a lost command.

use super::practice::{Line, Practice, map};
use client::cg::{correct::PredictionStats, solid::SolidWorld};
use glam::Vec3;
use shared::{
    bg::{World, numbers::entity_type, numeric::Profile, triggers::SOLID_BMODEL},
    cm::ClipMap,
    types::{entitystate::EntityState, snapshot::Snapshot, trace::contents},
};
use std::sync::Arc;

/// Moves a player through 20 seconds of random input on one map.
fn simulate(
    clip: &Arc<ClipMap>,
    start: [f32; 3],
    strings: &[(usize, &str)],
    line: Line,
    seed: u32,
) -> PredictionStats {
    let practice = Practice::record(clip, start, strings, line, seed);
    let mut predictor = practice.predictor();
    practice.play(&mut predictor, |input, kept| {
        if input.now.0 % 97 != 0 {
            return;
        }
        let whole = practice
            .predictor()
            .run(input)
            .expect("no command is missing");
        assert_eq!(
            kept.player.origin, whole.player.origin,
            "a whole replay at {:?} leads elsewhere",
            input.now
        );
        assert_eq!(kept.player.velocity, whole.player.velocity);
        assert_eq!(kept.player.events, whole.player.events);
    });
    predictor.stats
}

const OPENARENA: &[(usize, &str)] = &[(20, "baseoa-1")];
const BASEQ3: &[(usize, &str)] = &[(20, "baseq3-1")];
const FIXED: &[(usize, &str)] = &[
    (20, "baseoa-1"),
    (1, "\\pmove_fixed\\1\\pmove_msec\\11\\pmove_float\\0"),
];

#[test]
fn without_loss_every_command_is_foretold_to_the_last_bit() {
    let (clip, start) = map("oa_dm4");
    for strings in [OPENARENA, BASEQ3, FIXED] {
        for (delay, command_msec) in [(0, 8), (50, 8), (200, 2), (100, 16)] {
            let line = Line {
                delay,
                loses_one_in: 0,
                command_msec,
            };
            let stats = simulate(&clip, start, strings, line, 7 + delay as u32);
            assert!(stats.predicted > 300, "{line:?}: {stats:?}");
            assert_eq!(
                (stats.exact, stats.missed, stats.frozen),
                (stats.predicted, 0, 0),
                "{line:?}: {stats:?}"
            );
            // What was foretold right is not run again.
            let steps = 20_000 / command_msec as u64;
            assert!(
                stats.steps_run <= steps + steps / 20 + 400,
                "{line:?}: {stats:?}"
            );
        }
    }
}

#[test]
fn a_lost_command_is_the_only_cause_of_a_miss() {
    let (clip, start) = map("oa_dm4");
    let line = Line {
        delay: 50,
        loses_one_in: 20,
        command_msec: 8,
    };
    let stats = simulate(&clip, start, OPENARENA, line, 3);
    let lost = stats.causes.get("lost usercmd").copied().unwrap_or(0);
    assert!(stats.missed > 0, "{stats:?}");
    assert_eq!(lost, stats.missed, "{stats:?}");
    assert!(stats.max_error < 64.0, "{stats:?}");
}

/// Who swims toward oa_spirit3's teleporter under water jumps out of the water before it.
#[test]
fn at_a_point_a_server_finds_triggers_and_boxes_too() {
    let (clip, _) = map("oa_spirit3");
    let thing = |number, e_type, solid, model_index, base: [f32; 3]| {
        let mut state = EntityState {
            number,
            e_type,
            solid,
            model_index,
            ..EntityState::default()
        };
        state.pos.base = base.into();
        state
    };
    let mut world = SolidWorld::default();
    world.clip = Some(clip);
    let (in_teleporter, above_it) = (
        Vec3::new(570.0, 1580.0, -156.1),
        Vec3::new(570.0, 1580.0, -140.1),
    );
    let (in_item, beside_item) = (
        Vec3::new(490.0, 1536.0, -226.0),
        Vec3::new(496.0, 1536.0, -226.0),
    );
    let at = |world: &SolidWorld, point| world.point_contents(point, 0);
    let before = [in_teleporter, above_it, in_item, beside_item].map(|point| at(&world, point));
    let teleporter = entity_type::TELEPORT_TRIGGER;
    let snapshot = Snapshot {
        entities: vec![
            thing(70, teleporter, SOLID_BMODEL, 10, [0.0; 3]),
            thing(71, entity_type::ITEM, 0, 1, [480.0, 1536.0, -240.0]),
        ],
        ..Snapshot::default()
    };
    world.rebuild(&snapshot, Profile::default());
    let after = [in_teleporter, above_it, in_item, beside_item].map(|point| at(&world, point));
    let added: Vec<u32> = std::iter::zip(before, after).map(|(a, b)| b & !a).collect();
    assert_eq!(added, [contents::SOLID, 0, contents::BODY, 0]);
}
