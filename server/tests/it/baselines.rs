//! Baselines: what maps are filled with, against what ioquake3's server sends of the same maps.
#![allow(
    clippy::disallowed_methods,
    reason = "what measures is no part of a frame"
)]

use crate::client::{openarena_map, svtest};
use flate2::read::GzDecoder;
use server::{
    cvars::Cvars,
    game::{Game, Start},
};
use shared::{
    cm::ClipMap,
    formats::bsp::Bsp,
    types::{entitystate::EntityState, trajectory::Trajectory},
};
use std::{collections::BTreeMap, io::Read};

fn gunzip(bytes: &[u8]) -> String {
    let mut text = String::new();
    let read = GzDecoder::new(bytes).read_to_string(&mut text);
    assert!(read.is_ok_and(|length| length > 0));
    text
}

/// The baselines of one map, by entity number.
fn expected(map: &str) -> BTreeMap<u16, String> {
    let text = gunzip(include_bytes!("../data/map_baselines.csv.gz"));
    let rows = text.lines().skip(1).map(|line| {
        let mut parts = line.splitn(4, ',');
        let mut next = || parts.next().expect("a column").to_owned();
        (next(), next(), next(), next())
    });
    rows.filter(|row| row.0 == map)
        .map(|row| (row.2.parse().expect("a number"), row.3.trim().to_owned()))
        .collect()
}

/// A number as C prints it with six significant digits.
fn short(value: f32) -> String {
    let exact = f64::from(value);
    if exact == 0.0 {
        return "0".to_owned();
    }
    let exponent = exact.abs().log10().floor() as i32;
    if exponent < -4 {
        let scientific = format!("{exact:.5e}");
        let (mantissa, exponent) = scientific.split_once('e').expect("an exponent");
        let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
        let exponent: i32 = exponent.parse().expect("a number");
        return format!("{mantissa}e-{:02}", -exponent);
    }
    let digits = usize::try_from(5 - exponent).unwrap_or(0);
    let fixed = format!("{exact:.digits$}");
    match fixed.contains('.') {
        true => fixed.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => fixed,
    }
}

fn vector(value: glam::Vec3) -> String {
    value.to_array().map(short).join(" ")
}

fn path(path: &Trajectory) -> String {
    format!(
        "{};{};{};{};{}",
        path.kind,
        path.time,
        path.duration,
        vector(path.base),
        vector(path.delta)
    )
}

fn text(state: &EntityState) -> String {
    let mut fields = Vec::new();
    let mut whole = |name: &str, value: i32| {
        if value != 0 {
            fields.push(format!("{name}={value}"));
        }
    };
    whole("eType", state.e_type);
    whole("eFlags", state.e_flags);
    whole("modelindex", state.model_index);
    whole("modelindex2", state.model_index2);
    whole("clientNum", state.client_num);
    whole("solid", state.solid);
    whole("groundEntityNum", state.ground_entity_num);
    whole("loopSound", state.loop_sound);
    whole("constantLight", state.constant_light);
    whole("eventParm", state.event_parm);
    whole("weapon", state.weapon);
    whole("powerups", state.powerups);
    whole("frame", state.frame);
    whole("generic1", state.generic1);
    for (name, value) in [("pos", &state.pos), ("apos", &state.apos)] {
        if *value != Trajectory::default() {
            fields.push(format!("{name}={}", path(value)));
        }
    }
    for (name, value) in [
        ("origin", state.origin),
        ("origin2", state.origin2),
        ("angles", state.angles),
    ] {
        if value != glam::Vec3::ZERO {
            fields.push(format!("{name}={}", vector(value)));
        }
    }
    fields.sort();
    fields.join(" | ")
}

#[track_caller]
fn check(name: &str, bsp: &Bsp, game_type: &str) {
    let mut cvars = Cvars::default();
    cvars.set("g_gametype", game_type);
    cvars.set("vm_game", "0");
    let map = ClipMap::new(bsp).expect("a map");
    let mut game = Game::new(map, bsp, Start::default(), &cvars).expect("entities");
    for time in [0, 100, 200] {
        game.frame(time, &cvars);
    }
    let ours: BTreeMap<u16, String> = game
        .baselines()
        .iter()
        .map(|state| (state.number, text(state)))
        .collect();
    let mut differences = Vec::new();
    let theirs = expected(name);
    assert!(!theirs.is_empty());
    for number in 1..1022 {
        let sort = |text: &String| {
            let mut fields: Vec<&str> = text.split(" | ").filter(|one| !one.is_empty()).collect();
            fields.sort_unstable();
            fields.join(" | ")
        };
        let (own, their) = (ours.get(&number), theirs.get(&number).map(sort));
        if own != their.as_ref() {
            differences.push(format!("{number}:\n  ours   {own:?}\n  theirs {their:?}"));
        }
    }
    assert!(differences.is_empty(), "{name}: {}", differences.join("\n"));
}

#[test]
fn a_room_of_everything_is_filled_as_by_the_original() {
    check("svtest", &svtest(), "0");
}

#[test]
fn real_maps_are_filled_as_by_the_original() {
    for (name, game_type) in [
        ("oa_spirit3", "0"),
        ("fan", "0"),
        ("oa_dm2", "0"),
        ("oa_ctf4ish", "4"),
    ] {
        check(name, &openarena_map(name), game_type);
    }
}
