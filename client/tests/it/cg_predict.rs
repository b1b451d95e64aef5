//! Prediction against a simulated server that runs the same movement: no miss without a lost command.

use super::practice::{Conditions, Practice, Server, map, predict_input};
use client::cg::{
    diagnose::explain::explain,
    predict::misses::{MissCause, PredictionStats},
    predict::predictor::Predictor,
    predict::rules::{MoveRules, VariantChoice},
    predict::solid::SolidWorld,
    timeline::game_static::GameStatic,
};
use glam::Vec3;
use shared::{
    base::{ring::Ring, time::ServerTime},
    bg::{World, numbers::entity_type},
    cm::ClipMap,
    types::{
        entitystate::{EntityState, SOLID_BMODEL},
        gamestate::Gamestate,
        snapshot::Snapshot,
        trace::contents,
        trajectory::{Trajectory, kind},
        usercmd::{USERCMD_BACKUP, Usercmd, UsercmdRing},
    },
};
use std::sync::Arc;

/// Moves a player through 20 seconds of random input on one map.
fn simulate(
    clip: &Arc<ClipMap>,
    start: [f32; 3],
    strings: &[(usize, &str)],
    conditions: Conditions,
    seed: u32,
) -> PredictionStats {
    let mut practice = Practice::record(clip, start, strings, conditions, seed);
    practice.explains = true;
    let mut predictor = practice.predictor();
    let mut misses = Vec::new();
    practice.play(&mut predictor, |input, kept| {
        misses.extend(kept.misses.iter().cloned());
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
    for miss in &mut misses {
        explain(miss, &mut predictor.stats);
    }
    predictor.stats
}

const OPENARENA: &[(usize, &str)] = &[(20, "baseoa-1")];
const BASEQ3: &[(usize, &str)] = &[(20, "baseq3-1")];
/// RatMod as its servers come, with the movement that turns in the air.
const RATMOD: &[(usize, &str)] = &[
    (20, "baseoa-1"),
    (0, "\\g_ratFlags\\23969595\\g_movement\\1"),
];
const FIXED: &[(usize, &str)] = &[
    (20, "baseoa-1"),
    (1, "\\pmove_fixed\\1\\pmove_msec\\11\\pmove_float\\0"),
];

#[test]
fn without_loss_every_command_is_predicted_to_the_last_bit() {
    let (clip, start) = map("oa_dm4");
    for strings in [OPENARENA, BASEQ3, RATMOD, FIXED] {
        for (delay, command_msec) in [(0, 8), (50, 8), (200, 2), (100, 16)] {
            let conditions = Conditions {
                delay,
                loses_one_in: 0,
                command_msec,
            };
            let stats = simulate(&clip, start, strings, conditions, 7 + delay as u32);
            assert!(stats.predicted > 300, "{conditions:?}: {stats:?}");
            assert_eq!(
                (stats.exact, stats.missed, stats.frozen),
                (stats.predicted, 0, 0),
                "{conditions:?}: {stats:?}"
            );
            // What was predicted right is not run again.
            let steps = 20_000 / command_msec as u64;
            assert!(
                stats.steps_run <= steps + steps / 20 + 400,
                "{conditions:?}: {stats:?}"
            );
        }
    }
}

#[test]
fn a_lost_command_is_the_only_cause_of_a_miss() {
    let (clip, start) = map("oa_dm4");
    let conditions = Conditions {
        delay: 50,
        loses_one_in: 20,
        command_msec: 8,
    };
    let stats = simulate(&clip, start, OPENARENA, conditions, 3);
    let lost = stats
        .causes
        .get(&MissCause::LostUsercmd)
        .copied()
        .unwrap_or(0);
    assert!(stats.missed > 0, "{stats:?}");
    assert_eq!(lost, stats.missed, "{stats:?}");
    assert!(stats.max_error < 64.0, "{stats:?}");
}

/// What a miss is put down to: a client that sees `seen` lets a player fall and run, and the server, where nobody else
/// is, runs only the commands that end at times for which `arrives` is true.
fn causes_of_misses(seen: &[EntityState], arrives: impl Fn(i32) -> bool) -> Vec<(MissCause, u64)> {
    let (clip, [x, y, z]) = map("oa_dm4");
    let level = GameStatic::new(&Gamestate::default());
    let mut server = Server::new(&clip, &level, [x, y, z + 60.0]);
    let mut predictor = Predictor::new(MoveRules::new(&level), VariantChoice::new(&level));
    predictor.world.clip = Some(clip);
    let mut usercmds: UsercmdRing = Ring::new(USERCMD_BACKUP);
    let mut first = server.snapshot(1000);
    first.entities = seen.to_vec().into();
    for now in (1008..=1400).step_by(8) {
        let command = Usercmd {
            server_time: ServerTime(now),
            forward_move: 127,
            // The runner jumps now and then.
            up_move: if now % 64 < 16 { 127 } else { 0 },
            ..Usercmd::default()
        };
        usercmds.push(command);
        if arrives(now) {
            server.execute(command);
        }
    }
    for base in [first, server.snapshot(1400)] {
        let base = Arc::new(base);
        let input = predict_input(&base, &usercmds, ServerTime(1400), true);
        let predicted = predictor.run(&input).expect("no command is missing");
        for mut miss in predicted.misses {
            explain(&mut miss, &mut predictor.stats);
        }
    }
    predictor.stats.causes.into_iter().collect()
}

#[test]
fn the_cause_of_a_miss_is_found_by_trying() {
    assert_eq!(causes_of_misses(&[], |_| true), []);
    let row_is_lost = |now| !(1256..1350).contains(&now);
    assert_eq!(
        causes_of_misses(&[], row_is_lost),
        [(MissCause::LostUsercmd, 1)]
    );
    // A player under the falling one, who is gone when the server moves him.
    let (_, start) = map("oa_dm4");
    let mut other = EntityState {
        number: 3,
        e_type: entity_type::PLAYER,
        solid: 15 | 24 << 8 | 64 << 16,
        ..EntityState::default()
    };
    other.pos.base = start.into();
    assert_eq!(
        causes_of_misses(&[other], |_| true),
        [(MissCause::PlayerContact, 1)]
    );
}

/// Whoever swims toward oa_spirit3's teleporter under water jumps out of the water before it.
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
        ]
        .into(),
        ..Snapshot::default()
    };
    world.rebuild(&snapshot);
    let after = [in_teleporter, above_it, in_item, beside_item].map(|point| at(&world, point));
    let added: Vec<u32> = std::iter::zip(before, after).map(|(a, b)| b & !a).collect();
    assert_eq!(added, [contents::SOLID, 0, contents::BODY, 0]);
}

/// kaos2's lift ends 2 units above the ledge beside it, and a player who leans over it from there goes up with it;
/// in the snapshot after that it is at rest already.
#[test]
fn a_lift_that_has_just_come_to_rest_has_pushed() {
    let lift = |pos| EntityState {
        number: 80,
        e_type: entity_type::MOVER,
        solid: SOLID_BMODEL,
        model_index: 10,
        pos,
        ..EntityState::default()
    };
    let on_its_way = lift(Trajectory {
        kind: kind::LINEAR_STOP,
        time: 36_400,
        duration: 856,
        base: Vec3::ZERO,
        delta: Vec3::Z * (514.0 * (1000.0 / 856.0)),
    });
    let at_rest = lift(Trajectory {
        base: Vec3::Z * 514.0,
        ..Trajectory::default()
    });
    let snapshot = |server_time, state: EntityState| Snapshot {
        server_time: ServerTime(server_time),
        entities: vec![state].into(),
        ..Snapshot::default()
    };
    let (clip, _) = map("kaos2");
    let mut world = SolidWorld::default();
    world.clip = Some(clip);
    let (before, after) = (snapshot(37_250, on_its_way), snapshot(37_300, at_rest));
    world.rebuild(&after);
    let bounds = [Vec3::new(-15.0, -15.0, -24.0), Vec3::new(15.0, 15.0, 32.0)];
    // Where a server had him, and what it told.
    let told = |x: f32| {
        let place = Vec3::new(x, -185.775_31, 408.125);
        world.was_carried(place, bounds, 1022, &before, after.server_time)
    };
    assert_eq!(told(-1416.4272).z, 411.72778);
    assert_eq!(told(-1400.0).z, 408.125);
}
