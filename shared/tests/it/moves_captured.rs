//! Movement agrees with real servers: between two recorded snapshots, the recorded usercmds lead from the
//! first player state to the second.
//!
//! The servers know more than a client: hits, other players on the move, doors. So nearly all moves must
//! agree, not all.

use crate::{
    capture::{self, Capture},
    data::int,
    gamedata,
};
use glam::Vec3;
use shared::{
    base::{
        info::Info,
        time::{ClientTime, ServerTime},
    },
    bg::{
        World,
        numbers::{entity_flags, persistant, pm_flags},
        numeric::{LengthRounding, Numeric, Profile},
        pickup::PickupRules,
        pmove::{self, Contact, Settings, pmove},
        ruleset::{OPENARENA_088, RuleSet},
        trajectory,
        triggers::{Trigger, TriggerSettings, touch_triggers},
    },
    cm::{ClipMap, Rounding, Solid, SolidEntity, Sweep},
    formats::bsp::Bsp,
    net::svc::ServerOp,
    types::{
        gamestate::Gamestate, playerstate::PlayerState, snapshot::Snapshot, trace::Trace,
        usercmd::Usercmd,
    },
};
use std::collections::BTreeMap;

#[test]
fn real_servers_move_as_predicted() {
    // All of them run OpenArena's game, on three engines.
    for name in [
        "oa088_legacy71_24s",
        "ioq3_modern71_22s",
        "ioq3_legacy68_22s",
        "quake3e_compat71_12s",
        "quake3e_modern71_14s",
    ] {
        check(name, &OPENARENA_088);
    }
}

#[track_caller]
fn check(name: &'static str, rules: &'static RuleSet) {
    let capture = Capture::load(name);
    let mut judge = Judge {
        rules,
        numeric: Numeric {
            profile: Profile::Fast,
            length: LengthRounding::Root,
        },
        map: None,
        last: None,
        usercmds: BTreeMap::new(),
        moves: 0,
        exact: 0,
        near: 0,
    };
    judge.replay(&capture);
    let Judge {
        moves, exact, near, ..
    } = judge;
    println!("{name}: of {moves} moves {near} agree, {exact} to the last bit");
    assert!(moves > 100, "{name}: only {moves} moves");
    assert!(near * 100 >= moves * 98, "{name}: {near} of {moves}");
    assert!(exact * 100 >= moves * 99, "{name}: {exact} of {moves}");
}

struct Judge {
    rules: &'static RuleSet,
    numeric: Numeric,
    map: Option<LoadedMap>,
    last: Option<Snapshot>,
    /// By server time; the recording repeats them as the wire does.
    usercmds: BTreeMap<i32, Usercmd>,
    moves: usize,
    exact: usize,
    near: usize,
}

struct LoadedMap {
    clip: ClipMap,
    gametype: i32,
    float_velocity: bool,
}

impl Judge {
    fn replay(&mut self, capture: &Capture) {
        let (mut netchan, mut decoder) = (capture.client(), capture.decoder());
        let commands = capture.commands("client_commands");
        for packet in &capture.packets {
            self.note_usercmds(&packet.line["usercmds"]);
            if packet.is_oob || packet.is_skipped || !packet.is_from_server {
                continue;
            }
            let newest = packet.line["decoded"]["relAck"].as_i64().unwrap_or(0) as i32 + 40;
            let texts = capture::texts(&commands, newest);
            let received = netchan.receive(ClientTime(packet.at_msec), &packet.bytes, &texts);
            let Some(received) = received.expect("a recorded packet") else {
                continue;
            };
            let message = decoder
                .read(received.sequence, &received.bytes, i32::MAX)
                .expect("a recorded message");
            for op in &message.ops {
                match op {
                    ServerOp::Gamestate(gamestate) => self.enter(gamestate),
                    ServerOp::Snapshot(snapshot) => self.compare(snapshot),
                    _ => {}
                }
            }
        }
    }

    fn note_usercmds(&mut self, list: &serde_json::Value) {
        for command in list.as_array().into_iter().flatten() {
            let number = |key: &str| int(&command[key]) as i32;
            let usercmd = Usercmd {
                server_time: ServerTime(number("t")),
                angles: ["a0", "a1", "a2"].map(|key| number(key) as u16),
                forward_move: number("f") as i8,
                right_move: number("r") as i8,
                up_move: number("u") as i8,
                buttons: number("b") as u16,
                weapon: number("w") as u8,
            };
            // The recording client sometimes said something else about a time later; it was not heard.
            self.usercmds.entry(number("t")).or_insert(usercmd);
        }
    }

    fn enter(&mut self, gamestate: &Gamestate) {
        let server = Info::parse(gamestate.configstrings.get(0));
        let system = Info::parse(gamestate.configstrings.get(1));
        let bytes = gamedata::file(&format!("maps/{}.bsp", server.get("mapname")));
        let bsp = Bsp::parse(&bytes).expect("an installed map is valid");
        let rounding = if server.get("version").contains("ioq3") {
            Rounding::Fast
        } else {
            Rounding::Written
        };
        let clip = ClipMap::with_rounding(&bsp, rounding);
        self.map = Some(LoadedMap {
            clip: clip.expect("an installed map is valid"),
            gametype: server.number("g_gametype"),
            float_velocity: system.number("pmove_float") != 0,
        });
        self.last = None;
        self.usercmds.clear();
    }

    fn compare(&mut self, snapshot: &Snapshot) {
        let last = self.last.replace(snapshot.clone());
        let (Some(last), Some(map)) = (last, &self.map) else {
            return;
        };
        let (before, after) = (&last.player, &snapshot.player);
        let abrupt = (before.e_flags ^ after.e_flags) & entity_flags::TELEPORT_BIT != 0
            || (last.flags ^ snapshot.flags) & shared::types::snapshot::flags::SERVER_COUNT != 0
            || before.client_num != after.client_num
            || before.pm_type != after.pm_type
            // Before the first command there is no view height.
            || before.view_height == 0;
        // No client predicts a hit.
        let hit =
            after.stats[0] < before.stats[0] && after.pm_flags & pm_flags::TIME_KNOCKBACK != 0;
        if abrupt || hit || after.command_time <= before.command_time {
            return;
        }
        let mut player = before.clone();
        self.run(map, &last, &mut player, after.command_time);
        if player.command_time != after.command_time {
            // The usercmds of a packet that was lost on its way to the server, or after it.
            return;
        }
        let (exact, near) = agreement(&player, after);
        self.moves += 1;
        self.exact += usize::from(exact);
        self.near += usize::from(near);
    }

    fn run(&self, map: &LoadedMap, last: &Snapshot, player: &mut PlayerState, until: i32) {
        let profile = self.numeric.profile;
        let world = SnapshotWorld {
            clip: &map.clip,
            solids: solids(last, profile),
        };
        let mut triggers: Vec<_> = last
            .entities
            .iter()
            .filter_map(Trigger::from_entity)
            .collect();
        let settings = Settings {
            rules: self.rules,
            numeric: self.numeric,
            trace_mask: pmove::trace_mask(player.pm_type, player.persistant[persistant::TEAM]),
            no_footsteps: false,
            gauntlet_hit: false,
            fixed_msec: None,
            float_velocity: map.float_velocity,
            dmflags: 0,
            rat: None,
        };
        let trigger_settings = TriggerSettings {
            rules: self.rules,
            profile,
            pickup: PickupRules {
                gametype: map.gametype,
                ..PickupRules::default()
            },
            predict_items: true,
            now: last.server_time,
            rat: None,
        };
        let mut contact = Contact::default();
        let is_inside = |model: i32, origin: Vec3, [mins, maxs]: [Vec3; 2]| {
            let sweep = Sweep {
                start: origin,
                end: origin,
                mins,
                maxs,
                mask: u32::MAX,
            };
            map.clip.trace_model(&sweep, model as usize).start_solid
        };
        let due = self.usercmds.range(player.command_time + 1..=until);
        for usercmd in due.map(|(_, usercmd)| *usercmd) {
            pmove(&world, player, usercmd, &settings, &mut contact);
            touch_triggers(
                player,
                &contact,
                &mut triggers,
                &trigger_settings,
                &is_inside,
            );
        }
    }
}

/// Whether the states are the same in all that moves, and whether they are as good as the same.
fn agreement(found: &PlayerState, wanted: &PlayerState) -> (bool, bool) {
    let far = |a: Vec3, b: Vec3| (a - b).length();
    let counters = |player: &PlayerState| {
        (
            player.weapon,
            player.weapon_state,
            player.weapon_time,
            player.ground_entity_num,
            player.legs_anim,
            player.torso_anim,
            player.view_height,
        )
    };
    let exact = found.origin == wanted.origin
        && found.velocity == wanted.velocity
        && found.view_angles == wanted.view_angles
        && counters(found) == counters(wanted);
    let near = far(found.origin, wanted.origin) < 0.1 && far(found.velocity, wanted.velocity) < 1.0;
    (exact, near)
}

fn solids(snapshot: &Snapshot, profile: Profile) -> Vec<SolidEntity> {
    let solid = |entity: &shared::types::entitystate::EntityState| {
        if Trigger::from_entity(entity).is_some() {
            return None;
        }
        let origin = trajectory::position(&entity.pos, snapshot.server_time, profile);
        Some(SolidEntity {
            number: i32::from(entity.number),
            solid: Solid::from_entity(entity.solid, entity.model_index)?,
            trace_origin: origin,
            origin,
            angles: trajectory::position(&entity.apos, snapshot.server_time, profile),
        })
    };
    snapshot.entities.iter().filter_map(solid).collect()
}

struct SnapshotWorld<'a> {
    clip: &'a ClipMap,
    solids: Vec<SolidEntity>,
}

impl World for SnapshotWorld<'_> {
    fn trace(&self, sweep: &Sweep, pass_entity: i32) -> Trace {
        self.clip.trace_all(sweep, &self.solids, pass_entity)
    }

    fn point_contents(&self, point: Vec3, pass_entity: i32) -> u32 {
        self.clip.contents_all(point, &self.solids, pass_entity)
    }
}
