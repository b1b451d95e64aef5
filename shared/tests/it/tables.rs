//! The numbers, items and weapons in the code are those of the specification's tables.

use shared::bg::{
    items::{ITEMS, ItemKind, OPENARENA_ITEM_COUNT},
    numbers::{
        configstring, entity_flags, entity_type, event, gametype, persistant, pm_flags, pm_type,
        powerup, weapon,
    },
    pmove::{
        animation::anim,
        weapon::{reload_msec, weapon_state},
    },
    ruleset::{ID_132, OPENARENA_088, OPENARENA_MASTER, StatLayout, dmflags},
};

const ITEM_ROWS: &str = include_str!("../data/tables/items.csv");
const WEAPON_ROWS: &str = include_str!("../data/tables/weapons.csv");
const EVENT_ROWS: &str = include_str!("../data/tables/entity_events.csv");
const ANIMATION_ROWS: &str = include_str!("../data/tables/animations.csv");
const NUMBER_ROWS: &str = include_str!("../data/tables/stats_persistant_powerups.csv");
const CONFIGSTRING_ROWS: &str = include_str!("../data/tables/configstring_indices.csv");

/// The first fields of every row after the heading; none of them is quoted.
fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    table.lines().skip(1).map(|line| {
        let mut fields = line.split(',');
        [(); N].map(|()| fields.next().expect("a row has all fields"))
    })
}

/// A number in decimal, or in hexadecimal after 0x; None if the field is empty.
fn number(field: &str) -> Option<i32> {
    match field.strip_prefix("0x") {
        Some(digits) => i32::from_str_radix(digits, 16).ok(),
        None => field.parse().ok(),
    }
}

macro_rules! constants {
    ($module:ident: $($name:ident)*) => {
        [$((stringify!($name), $module::$name as i32)),*]
    };
}

#[test]
fn items_are_those_of_the_table() {
    let mut count = 0;
    for [index, class, name, _, _, _, kind, tag, _, quantity] in rows(ITEM_ROWS) {
        let item = &ITEMS[number(index).expect("an index") as usize - 1];
        let kind_name = match item.kind {
            ItemKind::Weapon => "weapon",
            ItemKind::Ammo => "ammo",
            ItemKind::Armor => "armor",
            ItemKind::Health => "health",
            ItemKind::Powerup => "powerup",
            ItemKind::Holdable => "holdable",
            ItemKind::Persistent => "persistent_powerup",
            ItemKind::Team => "team",
            ItemKind::Coin => "coin",
        };
        assert_eq!((item.class_name, item.name, kind_name), (class, name, kind));
        assert_eq!(Some(i32::from(item.tag)), number(tag), "{class}");
        assert_eq!(Some(item.quantity), number(quantity), "{class}");
        count += 1;
    }
    assert_eq!(count, OPENARENA_ITEM_COUNT - 1);
}

#[test]
fn weapons_reload_as_in_the_table() {
    let mut count = 0;
    for [index, name, _, _, _, _, _, _, _, refire] in rows(WEAPON_ROWS) {
        let index = number(index).expect("a number");
        if let Some(msec) = number(refire) {
            assert_eq!(reload_msec(index), msec, "{name}");
            count += 1;
        }
    }
    assert_eq!(count, weapon::COUNT - 1);
}

#[test]
fn events_are_those_of_the_table() {
    for [index, name] in rows(EVENT_ROWS) {
        let index = number(index).expect("a number");
        assert_eq!(event::name(index), Some(name));
    }
}

#[test]
fn animations_are_those_of_the_table() {
    let constants = constants!(anim: TORSO_GESTURE TORSO_ATTACK TORSO_ATTACK2 TORSO_DROP TORSO_RAISE
        TORSO_STAND TORSO_STAND2 LEGS_WALKCR LEGS_WALK LEGS_RUN LEGS_BACK LEGS_SWIM LEGS_JUMP LEGS_LAND
        LEGS_JUMPB LEGS_LANDB LEGS_IDLE LEGS_IDLECR LEGS_TURN TORSO_GETFLAG TORSO_GUARDBASE TORSO_PATROL
        TORSO_FOLLOWME TORSO_AFFIRMATIVE TORSO_NEGATIVE LEGS_BACKCR LEGS_BACKWALK);
    let table: Vec<_> = rows(ANIMATION_ROWS)
        .filter_map(|[old, _, name]| Some((name, number(old)?)))
        .collect();
    for constant in &constants {
        assert!(table.contains(constant), "{constant:?}");
    }
}

/// Each constant must be in the table, under one of the games.
#[track_caller]
fn check_group(group: &str, constants: &[(&str, i32)]) {
    for (name, value) in constants {
        let found = rows(NUMBER_ROWS).any(|[row_group, base, oa, newer, row_name]| {
            row_group == group
                && row_name.split(' ').next() == Some(name)
                && [base, oa, newer].map(number).contains(&Some(*value))
        });
        assert!(found, "{group} {name} is not {value}");
    }
}

#[test]
fn numbers_are_those_of_the_table() {
    check_group(
        "persistant",
        &constants!(persistant: SCORE HITS RANK TEAM SPAWN_COUNT PLAYEREVENTS
        ATTACKER ATTACKEE_ARMOR KILLED IMPRESSIVE_COUNT EXCELLENT_COUNT DEFEND_COUNT ASSIST_COUNT
        GAUNTLET_FRAG_COUNT CAPTURES),
    );
    check_group(
        "powerup",
        &constants!(powerup: QUAD BATTLESUIT HASTE INVIS REGEN FLIGHT REDFLAG BLUEFLAG
        NEUTRALFLAG SCOUT GUARD DOUBLER AMMOREGEN INVULNERABILITY),
    );
    check_group(
        "pm_type",
        &constants!(pm_type: NORMAL NOCLIP SPECTATOR DEAD FREEZE INTERMISSION
        SPINTERMISSION),
    );
    check_group(
        "pm_flag",
        &constants!(pm_flags: DUCKED JUMP_HELD BACKWARDS_JUMP BACKWARDS_RUN TIME_LAND
        TIME_KNOCKBACK TIME_WATERJUMP RESPAWNED USE_ITEM_HELD GRAPPLE_PULL FOLLOW SCOREBOARD INVULEXPAND
        ELIMWARMUP),
    );
    check_group(
        "eflag",
        &constants!(entity_flags: DEAD TICKING TELEPORT_BIT AWARD_EXCELLENT PLAYER_EVENT
        BOUNCE_HALF AWARD_GAUNTLET NODRAW FIRING KAMIKAZE MOVER_STOP AWARD_CAP TALK CONNECTION VOTED
        AWARD_IMPRESSIVE AWARD_DEFEND AWARD_ASSIST AWARD_DENIED),
    );
    check_group(
        "weaponstate",
        &constants!(weapon_state: READY RAISING DROPPING FIRING),
    );
    check_group(
        "entity_type",
        &constants!(entity_type: GENERAL PLAYER ITEM MISSILE MOVER BEAM PORTAL
        SPEAKER PUSH_TRIGGER TELEPORT_TRIGGER INVISIBLE GRAPPLE TEAM EVENTS),
    );
    check_group(
        "gametype",
        &constants!(gametype: CTF HARVESTER ELIMINATION CTF_ELIMINATION DOMINATION
        POSSESSION),
    );
    check_group(
        "dmflag",
        &constants!(dmflags: NO_FALLING FIXED_FOV NO_FOOTSTEPS INSTANT_WEAPON_CHANGE
        NO_BUNNY LIGHT_VOTING NO_SELF_DAMAGE),
    );
}

#[test]
fn stats_lie_where_the_table_says() {
    for [group, base, oa, newer, name] in rows(NUMBER_ROWS) {
        if group != "stat" {
            continue;
        }
        let place = |layout: &StatLayout| match name {
            "HEALTH" => Some(layout.health),
            "HOLDABLE_ITEM" => Some(layout.holdable_item),
            "PERSISTENT_POWERUP" => layout.persistent_powerup,
            "WEAPONS" => Some(layout.weapons),
            "ARMOR" => Some(layout.armor),
            "DEAD_YAW" => Some(layout.dead_yaw),
            "CLIENTS_READY" => Some(layout.clients_ready),
            "MAX_HEALTH" => Some(layout.max_health),
            _ => panic!("{name} is in no layout"),
        };
        for (rules, value) in [
            (&ID_132, base),
            (&OPENARENA_088, oa),
            (&OPENARENA_MASTER, newer),
        ] {
            let place = place(&rules.stats).map(|place| place as i32);
            assert_eq!(place, number(value), "{name} of {}", rules.name);
        }
    }
}

#[test]
fn configstrings_are_those_of_the_table() {
    let constants = constants!(configstring: MUSIC MESSAGE MOTD WARMUP SCORES1 SCORES2 VOTE_TIME VOTE_STRING
        VOTE_YES VOTE_NO GAME_VERSION LEVEL_START_TIME INTERMISSION ITEMS MODELS SOUNDS PLAYERS LOCATIONS);
    for (name, value) in constants {
        let found = rows(CONFIGSTRING_ROWS).any(|[first, _, row_name]| {
            row_name.strip_prefix("CS_") == Some(name) && number(first) == Some(value)
        });
        assert!(found, "{name} is not {value}");
    }
}
