//! Collision and movement keep their promises for any state and any command.

use crate::gamedata;
use glam::Vec3;
use proptest::prelude::*;
use shared::{
    base::time::ServerTime,
    bg::{
        World,
        numbers::persistant,
        numeric::{LengthRounding, Numeric, Profile},
        pickup::PickupRules,
        pmove::{Contact, Settings, pmove, trace_mask},
        ratmod::{Movement, RatRules},
        ruleset::{ID_132, IOQUAKE3, OPENARENA_088, OPENARENA_MASTER, RATMOD, RuleSet, TEAM_ARENA},
        triggers::{RatTriggers, Trigger, TriggerSettings, touch_triggers},
    },
    cm::{ClipMap, Sweep},
    formats::bsp::Bsp,
    types::{entitystate::EntityState, playerstate::PlayerState, trace::Trace, usercmd::Usercmd},
};
use std::sync::LazyLock;

const RULES: [&RuleSet; 6] = [
    &ID_132,
    &IOQUAKE3,
    &TEAM_ARENA,
    &OPENARENA_088,
    &OPENARENA_MASTER,
    &RATMOD,
];

/// A small map with water and curves.
static MAP: LazyLock<ClipMap> = LazyLock::new(|| {
    let bytes = gamedata::file("maps/aggressor.bsp");
    let bsp = Bsp::parse(&bytes).expect("an installed map is valid");
    ClipMap::new(&bsp).expect("an installed map is valid")
});

struct MapAlone;

impl World for MapAlone {
    fn trace(&self, sweep: &Sweep, _: i32) -> Trace {
        MAP.trace(sweep)
    }

    fn point_contents(&self, point: Vec3, _: i32) -> u32 {
        MAP.point_contents(point)
    }
}

/// Numbers as the wire can bring them, senseless ones included.
fn player() -> impl Strategy<Value = PlayerState> {
    let short = i32::from(i16::MIN)..=i32::from(i16::MAX);
    let byte = 0..=255;
    (
        (
            any::<i32>(),
            byte.clone(),
            byte.clone(),
            0..=65535,
            short.clone(),
        ),
        (any::<[f32; 3]>(), place(), any::<bool>(), vector()),
        (short.clone(), short.clone(), short.clone(), 0..1024),
        (byte.clone(), byte.clone(), 0..4096, byte.clone(), 0..16),
        (any::<i32>(), 0..32, 0..16, -128..=127),
        (
            prop::array::uniform16(short.clone()),
            prop::array::uniform16(short.clone()),
            prop::array::uniform16(any::<i32>()),
            prop::array::uniform16(short),
        ),
    )
        .prop_map(|(a, b, c, d, e, f)| PlayerState {
            command_time: a.0,
            pm_type: a.1 % 9,
            bob_cycle: a.2,
            pm_flags: a.3,
            pm_time: a.4,
            origin: if b.2 { b.1 } else { Vec3::from_array(b.0) },
            velocity: b.3,
            weapon_time: c.0,
            gravity: c.1,
            speed: c.2,
            ground_entity_num: c.3,
            legs_timer: d.0,
            legs_anim: d.1,
            torso_timer: d.2,
            torso_anim: d.3,
            movement_dir: d.4,
            event_sequence: e.0 & 65535,
            weapon: e.1,
            weapon_state: e.2,
            view_height: e.3,
            stats: f.0,
            persistant: f.1,
            powerups: f.2,
            ammo: f.3,
            ..PlayerState::default()
        })
}

fn place() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-2000.0_f32..2000.0).prop_map(Vec3::from_array)
}

fn vector() -> impl Strategy<Value = Vec3> {
    prop_oneof![
        place(),
        any::<[f32; 3]>().prop_map(Vec3::from_array),
        Just(Vec3::NAN),
        Just(Vec3::INFINITY),
        Just(Vec3::ZERO),
    ]
}

fn command() -> impl Strategy<Value = (i32, Usercmd)> {
    let later = prop_oneof![0..300, any::<i32>()];
    (
        later,
        any::<[u16; 3]>(),
        any::<[i8; 3]>(),
        any::<u16>(),
        any::<u8>(),
    )
        .prop_map(|(later, angles, moves, buttons, weapon)| {
            let command = Usercmd {
                server_time: ServerTime(0),
                angles,
                forward_move: moves[0],
                right_move: moves[1],
                up_move: moves[2],
                buttons,
                weapon,
            };
            (later, command)
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_move_ends(
        mut player in player(),
        commands in prop::collection::vec(command(), 1..4),
        rules in 0..RULES.len(),
        bytecode in any::<bool>(),
        dmflags in 0..8192,
        rat_flags in any::<i32>(),
        item in -5..70,
    ) {
        let rules = RULES[rules];
        let profile = if bytecode { Profile::Bytecode } else { Profile::Native };
        let rat = rules.ratmod.then(|| RatRules {
            flags: rat_flags,
            movement: Movement::of(dmflags % 4),
        });
        let settings = Settings {
            rules,
            numeric: Numeric { profile, length: LengthRounding::Root },
            trace_mask: trace_mask(player.pm_type, player.persistant[persistant::TEAM]),
            no_footsteps: false,
            gauntlet_hit: false,
            fixed_msec: (dmflags & 1 != 0).then_some(dmflags % 40),
            float_velocity: dmflags & 2 != 0,
            dmflags,
            rat,
        };
        let triggers = TriggerSettings {
            rules,
            profile,
            pickup: PickupRules { gametype: dmflags % 15, ..PickupRules::default() },
            predict_items: true,
            now: ServerTime(1),
            rat: rat.map(|rules| RatTriggers { rules, ..RatTriggers::default() }),
        };
        let mut contact = Contact::default();
        for (later, mut command) in commands {
            command.server_time = ServerTime(player.command_time.wrapping_add(later));
            pmove(&MapAlone, &mut player, command, &settings, &mut contact);
            let mut entity = EntityState { e_type: 2, model_index: item, ..EntityState::default() };
            entity.pos.base = player.origin;
            let mut around = [Trigger { entity, taken_at: ServerTime(0) }];
            touch_triggers(&mut player, &contact, &mut around, &triggers, &|_, _, _| true);
            prop_assert!(contact.touched.len() <= 32);
            prop_assert!((0..=3).contains(&contact.water_level));
        }
    }

    #[test]
    fn any_trace_is_sound(start in vector(), end in vector(), half in 0.0_f32..64.0, mask in any::<u32>()) {
        let size = Vec3::splat(half);
        let sweep = Sweep { start, end, mins: -size, maxs: size, mask };
        let trace = MAP.trace(&sweep);
        prop_assert!((0.0..=1.0).contains(&trace.fraction));
        prop_assert!(!trace.all_solid || (trace.start_solid && trace.fraction == 0.0));
        // Nothing of one trace may leak into the next; NaN makes a plain comparison fail.
        prop_assert_eq!(format!("{:?}", MAP.trace(&sweep)), format!("{trace:?}"));
    }
}
