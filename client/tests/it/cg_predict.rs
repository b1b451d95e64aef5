//! Prediction against a simulated server that runs the same movement: no miss without a lost command.

use super::disk::Disk;
use client::cg::{
    correct::PredictionStats,
    level::Level,
    predict::{PredictInput, Predictor},
    rules::{MoveRules, VariantChoice},
    solid::SolidWorld,
};
use shared::{
    base::{ring::Ring, time::ServerTime},
    bg::{
        numbers::{persistant, pm_type, weapon},
        pmove::{self, Contact, pmove},
    },
    cm::ClipMap,
    types::{
        gamestate::Gamestate,
        playerstate::PlayerState,
        snapshot::Snapshot,
        usercmd::{USERCMD_BACKUP, Usercmd, UsercmdRing},
    },
};
use std::{collections::VecDeque, sync::Arc};

/// A line between the two ends.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Milliseconds one way.
    delay: i32,
    /// One in so many commands is lost; 0 loses none.
    loses_one_in: u32,
    /// Milliseconds from command to command.
    command_msec: i32,
}

struct Noise(u32);

impl Noise {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }
}

/// Moves a player through 20 seconds of random input on one map.
fn simulate(
    clip: &Arc<ClipMap>,
    start: [f32; 3],
    strings: &[(usize, &str)],
    line: Line,
    seed: u32,
) -> PredictionStats {
    let mut gamestate = Gamestate::default();
    for (index, text) in strings {
        gamestate
            .configstrings
            .set(*index, text)
            .expect("the strings fit");
    }
    let level = Level::new(&gamestate);
    let rules = MoveRules::new(&level);
    let choice = VariantChoice::new(&level);
    let variant = choice.chosen();
    let mut predictor = Predictor::new(rules, choice);
    predictor.world.clip = Some(clip.clone());
    let mut world = SolidWorld::default();
    world.clip = Some(clip.clone());

    let mut server = PlayerState {
        origin: start.into(),
        gravity: 800,
        speed: 320,
        weapon: weapon::MACHINEGUN,
        pm_type: pm_type::NORMAL,
        view_height: 26,
        command_time: 1000,
        ..PlayerState::default()
    };
    server.stats[level.stats.health] = 100;
    server.stats[level.stats.max_health] = 100;
    server.ammo[2] = 100;
    server.persistant[persistant::TEAM] = 0;
    let mut contact = Contact::default();
    let mut noise = Noise(seed);
    let mut ring: UsercmdRing = Ring::new(USERCMD_BACKUP);
    let mut upstream: VecDeque<(i32, Usercmd)> = VecDeque::new();
    let mut downstream: VecDeque<(i32, Arc<Snapshot>)> = VecDeque::new();
    let mut base: Option<Arc<Snapshot>> = None;
    let mut command = Usercmd::default();
    let mut yaw = 0_u16;
    for now in 1001..21_000 {
        while let Some((_, arrived)) = upstream.pop_front_if(|(at, _)| *at <= now) {
            let mut arrived = arrived;
            if let Some(msec) = rules.fixed_msec {
                arrived.server_time = pmove::round_up_time(arrived.server_time, msec);
            }
            let settings = pmove::Settings {
                rules: variant.rules,
                numeric: variant.numeric,
                trace_mask: pmove::trace_mask(server.pm_type, 0),
                no_footsteps: false,
                gauntlet_hit: false,
                fixed_msec: rules.fixed_msec,
                float_velocity: rules.float_velocity,
                dmflags: 0,
            };
            pmove(&world, &mut server, arrived, &settings, &mut contact);
        }
        if now % 50 == 0 {
            let mut player = server.clone();
            (player.jumppad_frame, player.pmove_framecount) = (0, 0);
            let snapshot = Snapshot {
                message_num: now / 50,
                server_time: ServerTime(now),
                player,
                ..Snapshot::default()
            };
            downstream.push_back((now + line.delay, Arc::new(snapshot)));
        }
        while let Some((_, snapshot)) = downstream.pop_front_if(|(at, _)| *at <= now) {
            base = Some(snapshot);
        }
        if now % line.command_msec != 0 {
            continue;
        }
        yaw = yaw.wrapping_add((noise.next() % 600) as u16);
        if noise.next().is_multiple_of(20) {
            command.forward_move = [127, 127, 0, -127][(noise.next() % 4) as usize];
            command.right_move = [0, 127, -127][(noise.next() % 3) as usize];
            command.up_move = [0, 127, 0, -127][(noise.next() % 4) as usize];
        }
        command.angles = [0, yaw, 0];
        command.server_time = ServerTime(now);
        command.weapon = 2;
        ring.push(command);
        if line.loses_one_in == 0 || !noise.next().is_multiple_of(line.loses_one_in) {
            upstream.push_back((now + line.delay, command));
        }
        let Some(base) = &base else { continue };
        let input = PredictInput {
            base,
            usercmds: &ring,
            provisional: None,
            now: ServerTime(now),
            is_abrupt: false,
            predict_items: true,
            error_decay_msec: 100.0,
        };
        let kept = predictor.run(&input).expect("no command is missing");
        if now % 97 == 0 {
            let mut fresh = Predictor::new(rules, VariantChoice::new(&level));
            fresh.world.clip = Some(clip.clone());
            let whole = fresh.run(&input).expect("no command is missing");
            assert_eq!(
                kept.player.origin, whole.player.origin,
                "a whole replay at {now} leads elsewhere"
            );
            assert_eq!(kept.player.velocity, whole.player.velocity);
            assert_eq!(kept.player.events, whole.player.events);
        }
    }
    predictor.stats
}

/// The solid side of a map, and a place where players begin.
pub fn map(name: &str) -> (Arc<ClipMap>, [f32; 3]) {
    let (mut disk, mut assets) = Disk::assets();
    disk.serve(&mut assets);
    assets.load_world(name);
    while assets.world().is_none() {
        assets.poll(1);
        while let Some(request) = assets.next_read() {
            let result = disk.read(&request);
            assets.handle_read(request.id, result);
        }
    }
    let bsp = assets.world().expect("the map was just read");
    let entities = shared::formats::mapents::parse(&bsp.entities).expect("the entities are sound");
    let spot = entities
        .iter()
        .find(|entity| entity.get("classname") == Some("info_player_deathmatch"))
        .expect("a map has places to begin");
    let mut origin = spot
        .vector("origin")
        .expect("an origin is three numbers")
        .to_array();
    origin[2] += 9.0;
    (
        Arc::new(ClipMap::new(bsp).expect("the map is sound")),
        origin,
    )
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
