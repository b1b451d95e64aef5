//! Session: 52 recorded seconds with ioquake3's and with OpenArena's server, played again on ours usercmd by usercmd.

use crate::client::svtest;
use flate2::read::GzDecoder;
use serde_json::Value;
use server::{
    cvars::Cvars,
    entity::sv_flags,
    game::{Effect, Game, Start},
};
use shared::{
    base::{info::Info, time::ServerTime, tokens::Tokens},
    cm::ClipMap,
    types::{
        entitystate::EntityState, playerstate::PlayerState, trajectory::Trajectory,
        usercmd::Usercmd,
    },
};
use std::{
    collections::{BTreeMap, VecDeque},
    io::{BufRead, BufReader},
};

/// Powerups come at a random time; what shows them is left out of the comparison.
const RANDOM: core::ops::RangeInclusive<i64> = 28..=33;
const GLOBAL_SOUND: i64 = 13 + 46;
const SHOTGUN: i64 = 13 + 54;
const SCORE_PLUM: i64 = 13 + 65;

enum Input {
    Usercmd(Usercmd),
    Command(String),
}

fn usercmd(value: &Value) -> Usercmd {
    let number = |at: usize| value[at].as_i64().expect("a number");
    Usercmd {
        server_time: ServerTime(number(0) as i32),
        angles: [1, 2, 3].map(|at| number(at) as u16),
        forward_move: number(4) as i8,
        right_move: number(5) as i8,
        up_move: number(6) as i8,
        buttons: number(7) as u16,
        weapon: number(8) as u8,
    }
}

fn vector(value: glam::Vec3) -> Value {
    // As the file has them: f32 in the digits of an f64.
    value.to_array().map(f64::from).to_vec().into()
}

fn path(path: &Trajectory) -> Value {
    let (base, delta) = (vector(path.base), vector(path.delta));
    vec![
        path.kind.into(),
        path.time.into(),
        path.duration.into(),
        base,
        delta,
    ]
    .into()
}

fn entity(state: &EntityState) -> BTreeMap<&'static str, Value> {
    BTreeMap::from([
        ("n", state.number.into()),
        ("ty", state.e_type.into()),
        ("fl", state.e_flags.into()),
        ("p", path(&state.pos)),
        ("a", path(&state.apos)),
        ("tm", state.time.into()),
        ("o", vector(state.origin)),
        ("o2", vector(state.origin2)),
        ("an", vector(state.angles)),
        ("oe", state.other_entity_num.into()),
        ("oe2", state.other_entity_num2.into()),
        ("gr", state.ground_entity_num.into()),
        ("mi", state.model_index.into()),
        ("mi2", state.model_index2.into()),
        ("cn", state.client_num.into()),
        ("so", state.solid.into()),
        ("ev", state.event.into()),
        ("ep", (state.event_parm & 255).into()),
        ("w", state.weapon.into()),
        ("g1", state.generic1.into()),
        ("pu", state.powerups.into()),
        ("fr", state.frame.into()),
        ("ls", state.loop_sound.into()),
        ("la", state.legs_anim.into()),
        ("ta", state.torso_anim.into()),
    ])
}

fn player(state: &PlayerState) -> BTreeMap<&'static str, Value> {
    let list = |values: &[i32]| -> Value { values.to_vec().into() };
    BTreeMap::from([
        ("ct", state.command_time.into()),
        ("pm", state.pm_type.into()),
        ("pf", state.pm_flags.into()),
        ("pmt", state.pm_time.into()),
        ("o", vector(state.origin)),
        ("v", vector(state.velocity)),
        ("wt", state.weapon_time.into()),
        ("w", state.weapon.into()),
        ("ws", state.weapon_state.into()),
        ("es", (state.event_sequence & 0xFFFF).into()),
        ("ev", list(&state.events)),
        ("ep", list(&state.event_parms.map(|parm| parm & 255))),
        ("xe", state.external_event.into()),
        ("xp", (state.external_event_parm & 255).into()),
        ("va", vector(state.view_angles)),
        ("vh", state.view_height.into()),
        ("st", list(&state.stats.map(|stat| i32::from(stat as i16)))),
        (
            "pe",
            list(&state.persistant.map(|one| i32::from(one as i16))),
        ),
        ("am", list(&state.ammo)),
        ("ef", state.e_flags.into()),
        ("gr", state.ground_entity_num.into()),
        ("da", list(&state.delta_angles.map(|angle| angle & 0xFFFF))),
        ("ls", state.loop_sound.into()),
        ("jp", state.jumppad_ent.into()),
        ("sp", state.speed.into()),
        ("grav", state.gravity.into()),
        ("la", state.legs_anim.into()),
        ("ta", state.torso_anim.into()),
        (
            "de",
            list(&[
                state.damage_event & 255,
                state.damage_yaw & 255,
                state.damage_pitch & 255,
                state.damage_count,
            ]),
        ),
    ])
}

/// The entities of a map, with the first two places where players begin the other way round.
fn with_second_spot_first(entities: &str) -> String {
    let mut blocks: Vec<&str> = entities.split_inclusive('}').collect();
    let is_spot = |block: &&str| block.contains("info_player_deathmatch");
    let first = blocks.iter().position(is_spot).expect("a place");
    assert!(is_spot(&blocks[first + 1]));
    blocks.swap(first, first + 1);
    blocks.concat()
}

/// Equal as far as the wire can tell: to 32 bits, give or take a part of the number.
fn is_equal(one: &Value, other: &Value, tolerance: f32) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| is_equal(one, other, tolerance))
        }
        _ => match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => {
                let (one, other) = (one as f32, other as f32);
                (one - other).abs() <= tolerance * one.abs().max(1.0)
            }
            _ => one == other,
        },
    }
}

/// What was recorded, and how that server played.
struct Recording {
    bytes: &'static [u8],
    game: &'static str,
    /// When the player had connected.
    joined_at: i32,
    /// Which of the places he began at.
    first_spot: usize,
    /// Whether who kills himself loses a point, also one that he does not have.
    takes_points: bool,
    /// How far numbers may be off, as a part of them.
    tolerance: f32,
}

const IOQUAKE3: Recording = Recording {
    bytes: include_bytes!("../data/session_baseq3_svtest.jsonl.gz"),
    game: "baseq3",
    joined_at: 800,
    first_spot: 0,
    takes_points: true,
    tolerance: 0.0,
};

/// OpenArena 0.8.8 draws the first place by chance. It was compiled so that sums come out in other orders (`-ffast-math`):
/// the last bit of some speeds is another.
const OPENARENA: Recording = Recording {
    bytes: include_bytes!("../data/session_oa088_svtest.jsonl.gz"),
    game: "baseoa",
    joined_at: 850,
    first_spot: 1,
    takes_points: false,
    tolerance: 1e-5,
};

/// A replay, and what of it was other than recorded.
struct Replay {
    takes_points: bool,
    tolerance: f32,
    cvars: Cvars,
    game: Game,
    inputs: VecDeque<Input>,
    is_in_game: bool,
    /// Texts of reliable commands.
    said: Vec<String>,
    differences: Vec<String>,
}

impl Replay {
    fn new(recording: &Recording) -> Self {
        let mut cvars = Cvars::default();
        for (name, value) in [
            ("gamename", recording.game),
            ("vm_game", "0"),
            ("sv_cheats", "1"),
            ("g_forcerespawn", "0"),
        ] {
            assert!(cvars.set(name, value));
        }
        let mut bsp = (*svtest()).clone();
        if recording.first_spot == 1 {
            bsp.entities = with_second_spot_first(&bsp.entities);
        }
        let map = ClipMap::new(&bsp).expect("a map");
        let mut game = Game::new(map, &bsp, Start::default(), &cvars).expect("entities");
        let userinfo =
            Info::parse("\\name\\golden\\model\\sarge\\cg_predictItems\\1\\ip\\localhost");
        for time in [0, 100, 200, 300]
            .into_iter()
            .chain((450..=recording.joined_at).step_by(50))
        {
            game.frame(time, &cvars);
        }
        game.connect(0, &userinfo, true, &cvars).expect("he may");
        Self {
            takes_points: recording.takes_points,
            tolerance: recording.tolerance,
            cvars,
            game,
            inputs: VecDeque::new(),
            is_in_game: false,
            said: Vec::new(),
            differences: Vec::new(),
        }
    }

    fn listen(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Command { text, .. } => self.said.push(text),
                Effect::Configstring { index, text } => {
                    self.said.push(format!("cs {index} \"{text}\"\n"));
                }
                _ => {}
            }
        }
    }

    /// Executes what was sent up to a usercmd of this time.
    fn execute_until(&mut self, time: i32) {
        loop {
            let is_late = match self.inputs.front() {
                Some(Input::Usercmd(usercmd)) => usercmd.server_time.0 > time,
                Some(Input::Command(_)) => false,
                None => true,
            };
            if is_late {
                return;
            }
            let effects = match self.inputs.pop_front() {
                Some(Input::Usercmd(usercmd)) if !self.is_in_game => {
                    self.is_in_game = true;
                    self.game.begin(0, Some(usercmd), &self.cvars)
                }
                Some(Input::Usercmd(usercmd)) => self.game.think(0, usercmd, &self.cvars),
                Some(Input::Command(text)) => {
                    self.game.command(0, &Tokens::new(&text), &self.cvars)
                }
                None => return,
            };
            self.listen(effects);
        }
    }

    fn compare(
        &mut self,
        at: i64,
        what: &str,
        ours: &BTreeMap<&'static str, Value>,
        theirs: &Value,
    ) {
        for (field, own) in ours {
            let their = &theirs[*field];
            if !is_equal(own, their, self.tolerance) {
                self.differences
                    .push(format!("{at} {what} {field}: {own} for {their}"));
            }
        }
    }

    fn check_snapshot(&mut self, snapshot: &Value) {
        let at = snapshot["t"].as_i64().expect("a time");
        let state = self.game.told_player(0).expect("a player");
        let mut own = player(&state);
        if !self.takes_points {
            let persistants = own.get_mut("pe").and_then(Value::as_array_mut);
            persistants.expect("a list")[0] = snapshot["pe"][0].clone();
        }
        self.compare(at, "player", &own, snapshot);
        let is_random = |kind: &Value, model: &Value, event: &Value| {
            let model = model.as_i64().unwrap_or(0);
            kind.as_i64() == Some(2) && RANDOM.contains(&model)
                || kind.as_i64() == Some(GLOBAL_SOUND)
                || event.as_i64() == Some(-1)
        };
        let seen = self.game.world().entities.iter().skip(1);
        let seen = seen.filter(|one| one.is_linked() && one.sv_flags & sv_flags::NO_CLIENT == 0);
        // What only others are told of is not for the one who watches.
        let seen = seen.filter(|one| {
            one.sv_flags & sv_flags::NOT_SINGLE_CLIENT == 0 || one.single_client != 0
        });
        let mut ours: Vec<_> = seen
            .map(|one| entity(&one.state))
            .filter(|one| !is_random(&one["ty"], &one["mi"], &one["ev"]))
            .filter(|one| self.takes_points || one["ty"] != SCORE_PLUM)
            .collect();
        let theirs: Vec<Value> = snapshot["e"]
            .as_array()
            .expect("entities")
            .iter()
            .filter(|one| !is_random(&one["ty"], &one["mi"], &one["ev"]))
            .cloned()
            .collect();
        for their in &theirs {
            let own = ours.iter().position(|own| is_same_thing(own, their));
            let Some(own) = own else {
                self.differences.push(format!(
                    "{at} entity {} of type {} is missing: {their}",
                    their["n"], their["ty"]
                ));
                continue;
            };
            let mut own = ours.swap_remove(own);
            if is_passing(&own["n"]) {
                own.remove("n");
            }
            // Drawn by chance: the seed of the shotgun, how high a dropped item flies.
            if own["ty"] == SHOTGUN {
                own.remove("ep");
            }
            if own["ty"] == 2 && own["mi2"] == 1 {
                own.remove("p");
                own.remove("gr");
            }
            let what = format!("entity {}", their["n"]);
            self.compare(at, &what, &own, their);
        }
        for own in &ours {
            let text = format!("{at} entity {} of type {} is too much", own["n"], own["ty"]);
            self.differences.push(text);
        }
    }
}

/// Entities that come and go take the numbers that are free, which the powerups' sounds decide.
fn is_passing(number: &Value) -> bool {
    const FIRST: i64 = 115;
    number.as_i64() >= Some(FIRST)
}

fn is_same_thing(own: &BTreeMap<&'static str, Value>, their: &Value) -> bool {
    let is_same = |field: &str| is_equal(&own[field], &their[field], 0.0);
    if is_passing(&own["n"]) && is_passing(&their["n"]) {
        let is_item = own["ty"] == 2;
        return is_same("ty") && is_same("mi") && (is_item || is_same("p"));
    }
    is_same("n")
}

#[test]
fn a_recorded_session_goes_the_same_way() {
    let (replay, heard) = play(&IOQUAKE3);
    let said: Vec<String> = replay.said.iter().map(|text| without_ping(text)).collect();
    for text in heard {
        let is_said = said.contains(&without_ping(&text));
        assert!(is_said, "not said: {text:?}\n{said:?}");
    }
}

/// What its server says besides is OpenArena's own.
#[test]
fn a_session_with_openarena_goes_the_same_way() {
    play(&OPENARENA);
}

/// Plays a recording and demands that each snapshot comes out as recorded; gives also what the server said.
#[track_caller]
fn play(recording: &Recording) -> (Replay, Vec<String>) {
    let lines = BufReader::new(GzDecoder::new(recording.bytes)).lines();
    let mut replay = Replay::new(recording);
    let mut heard = Vec::new();
    let mut snapshots = 0;
    let lines: Vec<Value> = lines
        .skip(1)
        .map(|line| serde_json::from_str(&line.expect("a line")).expect("JSON"))
        .collect();
    for line in &lines {
        if !line["u"].is_null() {
            replay.inputs.push_back(Input::Usercmd(usercmd(&line["u"])));
        } else if let Some(text) = line["say"].as_str() {
            replay.inputs.push_back(Input::Command(text.to_owned()));
        } else if let Some(text) = line["text"].as_str() {
            heard.push(text.to_owned());
        } else if line["ct"].as_i64() > Some(0) {
            let time = line["t"].as_i64().expect("a time") as i32;
            replay.execute_until(line["ct"].as_i64().expect("a time") as i32);
            let effects = replay.game.frame(time, &replay.cvars);
            replay.listen(effects);
            replay.check_snapshot(line);
            snapshots += 1;
        }
    }
    assert!(snapshots > 1000);
    let count = replay.differences.len();
    // The first of each field is enough to begin with.
    let mut known = std::collections::BTreeSet::new();
    let kind = |text: &String| {
        text.split(' ')
            .skip(1)
            .take(3)
            .collect::<Vec<_>>()
            .join(" ")
    };
    replay.differences.retain(|text| known.insert(kind(text)));
    replay.differences.truncate(60);
    assert!(
        count == 0,
        "{count} differences:\n{}",
        replay.differences.join("\n")
    );
    (replay, heard)
}

/// A list of scores without how long the way to the client was.
fn without_ping(text: &str) -> String {
    const PING: usize = 6;
    if !text.starts_with("scores") {
        return text.to_owned();
    }
    let words = text.split(' ').enumerate().filter(|(at, _)| *at != PING);
    words.map(|(_, word)| format!("{word} ")).collect()
}
