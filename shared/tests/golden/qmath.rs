//! Single functions: angles, vectors, trajectories, entities of players, rights to take.

use super::{
    Report,
    json::{float, floats, from_float, from_vec3, integer, integers, list, text, vec3},
};
use glam::Vec3;
use serde_json::{Value, json};
use shared::{
    base::{math::Axes, time::ServerTime},
    bg::{
        numbers::persistant,
        numeric::{self, LengthRounding, Numeric, Profile},
        pickup,
        player_entity::{Path, player_to_entity},
        pmove::slide::clip_with,
        ruleset::{IOQUAKE3, OPENARENA_088},
        trajectory,
    },
    types::{entitystate::EntityState, playerstate::PlayerState, trajectory::Trajectory},
};

pub fn check(text: &str, report: &mut Report) {
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).expect("the golden data is JSON");
        let found = answer(self::text(&row[0]), self::text(&row[1]), &row[2]);
        report.expect(found == row[3], || format!("{line}\n  found {found}"));
    }
}

fn answer(function: &str, variant: &str, input: &Value) -> Value {
    let profile = if variant == "qvm" {
        Profile::Bytecode
    } else {
        Profile::Native
    };
    match function {
        "AngleVectors" => axes_bits(&profile.axes(vec3(input))).into(),
        "VectorNormalize" => {
            let length = if variant == "oa" {
                LengthRounding::Root
            } else {
                LengthRounding::ScaledSquare
            };
            let (vector, length) = Numeric { profile, length }.normalize(vec3(input));
            let mut answer = vector.to_array().map(f32::to_bits).to_vec();
            answer.push(length.to_bits());
            answer.into()
        }
        "ClipVelocity" => {
            let numbers = floats(input);
            let [velocity, normal] = [0, 3].map(|at| Vec3::from_slice(&numbers[at..]));
            from_vec3(clip_with(velocity, normal, numbers[6]))
        }
        "VecToAngles" => from_vec3(profile.angles_of(vec3(input))),
        "SnapVelocity" => from_float(numeric::snap_to_integer(float(input))),
        "SnapTruncate" => from_float(numeric::truncate_to_integer(float(input))),
        "AngleMod" => from_float(profile.angle_mod(float(input))),
        "AngleNormalize180" => from_float(profile.angle_normalize_180(float(input))),
        "LerpAngle" => {
            let numbers = floats(input);
            from_float(numeric::lerp_angle(numbers[0], numbers[1], numbers[2]))
        }
        "AngleSubtract" => {
            let numbers = floats(input);
            from_float(numeric::angle_subtract(numbers[0], numbers[1]))
        }
        "crc_short2angle" => checksum(input, |angle| vec![angle.to_bits()]),
        "crc_anglevectors_yaw" => checksum(input, |yaw| {
            axes_bits(&profile.axes(Vec3::new(0.0, yaw, 0.0)))
        }),
        "crc_anglevectors_pitch" => checksum(input, |pitch| {
            axes_bits(&profile.axes(Vec3::new(pitch, 0.0, 0.0)))
        }),
        "Trajectory" => path(input, profile),
        "PlayerToEntity" => entity(input),
        "CanGrab" => can_grab(variant, input),
        other => panic!("nothing can check {other}"),
    }
}

fn axes_bits(axes: &Axes) -> Vec<u32> {
    [axes.forward, axes.right, axes.up]
        .iter()
        .flat_map(|axis| axis.to_array().map(f32::to_bits))
        .collect()
}

/// CRC-32 over what a function makes of all angles of a range of 16-bit numbers.
fn checksum(range: &Value, function: impl Fn(f32) -> Vec<u32>) -> Value {
    let [first, last] = integers(range);
    let mut sum = flate2::Crc::new();
    for short in first..=last {
        for bits in function(numeric::short_to_angle(short as i16)) {
            sum.update(&bits.to_le_bytes());
        }
    }
    sum.sum().into()
}

fn path(input: &Value, profile: Profile) -> Value {
    let fields = list(input);
    let vector = |at: usize| Vec3::from_array([0, 1, 2].map(|axis| float(&fields[at + axis])));
    let path = Trajectory {
        kind: integer(&fields[0]),
        time: integer(&fields[1]),
        duration: integer(&fields[2]),
        base: vector(3),
        delta: vector(6),
    };
    let at = ServerTime(integer(&fields[9]));
    let position = trajectory::position(&path, at, profile);
    let velocity = trajectory::velocity(&path, at, profile);
    let bits = |vector: Vec3| vector.to_array().map(f32::to_bits);
    [bits(position), bits(velocity)].concat().into()
}

fn entity(input: &Value) -> Value {
    let number = |key: &str| integer(&input[key]);
    let mut player = PlayerState {
        pm_type: number("pm_type"),
        client_num: number("clientNum"),
        origin: vec3(&input["origin"]),
        velocity: vec3(&input["velocity"]),
        view_angles: vec3(&input["viewangles"]),
        movement_dir: number("movementDir"),
        legs_anim: number("legsAnim"),
        torso_anim: number("torsoAnim"),
        e_flags: number("eFlags"),
        event_sequence: number("eventSequence"),
        events: integers(&input["events"]),
        event_parms: integers(&input["eventParms"]),
        external_event: number("externalEvent"),
        external_event_parm: number("externalEventParm"),
        weapon: number("weapon"),
        ground_entity_num: number("groundEntityNum"),
        powerups: integers(&input["powerups"]),
        loop_sound: number("loopSound"),
        generic1: number("generic1"),
        ..PlayerState::default()
    };
    player.stats[0] = number("health");
    let mut entity = EntityState {
        event: number("prevEvent"),
        event_parm: number("prevEventParm"),
        ..EntityState::default()
    };
    let mut events_shown = number("entityEventSequence");
    let path = if number("extrapolate") != 0 {
        Path::ExtrapolatedFrom(number("time"))
    } else {
        Path::Interpolated
    };
    player_to_entity(
        &player,
        &mut entity,
        &mut events_shown,
        path,
        number("snap") != 0,
    );
    json!({
        "number": entity.number, "eType": entity.e_type, "eFlags": entity.e_flags,
        "posType": entity.pos.kind, "posTime": entity.pos.time,
        "posDuration": entity.pos.duration, "posBase": from_vec3(entity.pos.base),
        "posDelta": from_vec3(entity.pos.delta), "aposType": entity.apos.kind,
        "aposBase": from_vec3(entity.apos.base), "angles2": from_vec3(entity.angles2),
        "legsAnim": entity.legs_anim, "torsoAnim": entity.torso_anim,
        "clientNum": entity.client_num, "event": entity.event, "eventParm": entity.event_parm,
        "weapon": entity.weapon, "groundEntityNum": entity.ground_entity_num,
        "powerups": entity.powerups, "loopSound": entity.loop_sound,
        "generic1": entity.generic1, "entityEventSequenceAfter": events_shown,
    })
}

fn can_grab(rules: &str, input: &Value) -> Value {
    let fields = list(input);
    let rules = match rules {
        "oa088" => &OPENARENA_088,
        _ => &IOQUAKE3,
    };
    let mut player = PlayerState {
        ammo: integers(&fields[5]),
        powerups: integers(&fields[6]),
        ..PlayerState::default()
    };
    player.stats[..8].copy_from_slice(&integers::<8>(&fields[4]));
    player.persistant[persistant::TEAM] = integer(&fields[7]);
    let entity = EntityState {
        model_index: integer(&fields[1]),
        model_index2: integer(&fields[2]),
        generic1: integer(&fields[3]),
        ..EntityState::default()
    };
    i32::from(pickup::can_grab(
        rules,
        integer(&fields[0]),
        &entity,
        &player,
    ))
    .into()
}
