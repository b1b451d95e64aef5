//! Whole runs of commands: after each, the player's state must be the recorded one.

use super::{
    Report,
    json::{from_float, from_vec3, integer, integers, list, text, vec3},
};
use glam::Vec3;
use serde_json::{Map, Value, json};
use shared::{
    base::time::ServerTime,
    bg::{
        World,
        numbers::entity_type,
        numeric::{LengthRounding, Numeric, Profile},
        pickup::PickupRules,
        pmove::{self, Contact, Settings},
        ruleset::{ID_132, IOQUAKE3, OPENARENA_088, OPENARENA_MASTER, RuleSet},
        triggers::{Trigger, TriggerSettings, touch_triggers},
    },
    cm::{ClipMap, Solid, SolidEntity, Sweep},
    types::{entitystate::EntityState, playerstate::PlayerState, trace::Trace, usercmd::Usercmd},
};

pub fn check(clip: &ClipMap, text: &str, report: &mut Report) {
    for run in runs(text) {
        let mut expected = Map::new();
        let mut player = Player::new(clip, &run);
        for (step, (command, changes)) in run.steps().enumerate() {
            if step == 0 {
                expected = player.describe();
            }
            let changes = changes.as_object().expect("changed fields");
            expected.extend(
                changes
                    .iter()
                    .map(|(key, value)| (key.clone(), value.clone())),
            );
            player.run(command);
            let found = player.describe();
            report.expect(found == expected, || {
                let differing: Vec<String> = expected
                    .iter()
                    .filter(|&(key, value)| found.get(key) != Some(value))
                    .map(|(key, value)| {
                        format!("{key}: wanted {value}, found {:?}", found.get(key))
                    })
                    .collect();
                let name = &run.sequence["name"];
                format!("{name} {} step {step}: {differing:?}", run.sequence["seq"])
            });
            if found != expected {
                break;
            }
        }
    }
}

/// One recorded run of commands.
pub struct Run {
    rules: &'static RuleSet,
    numeric: Numeric,
    /// Entities that all runs of the file share.
    environment: Value,
    sequence: Value,
}

pub fn runs(text: &str) -> impl Iterator<Item = Run> {
    let mut lines = text
        .lines()
        .map(|line| -> Value { serde_json::from_str(line).expect("the golden data is JSON") });
    let header = lines.next().expect("a header");
    lines.map(move |sequence| Run::new(&header, sequence))
}

impl Run {
    fn new(header: &Value, sequence: Value) -> Self {
        let (rules, length) = match text(&header["rules"]) {
            "id132" => (&ID_132, LengthRounding::Root),
            "ioq3" => (&IOQUAKE3, LengthRounding::ScaledSquare),
            "oa088" => (&OPENARENA_088, LengthRounding::Root),
            "oa" => (&OPENARENA_MASTER, LengthRounding::Root),
            other => panic!("unknown rules {other}"),
        };
        let profile = match text(&header["numeric"]) {
            "native" => Profile::Native,
            "qvm" => Profile::Bytecode,
            other => panic!("unknown profile {other}"),
        };
        Self {
            rules,
            numeric: Numeric { profile, length },
            environment: header["env"].clone(),
            sequence,
        }
    }

    /// Commands, each with the fields that it changes.
    pub fn steps(&self) -> impl Iterator<Item = (&Value, &Value)> {
        list(&self.sequence["cmds"])
            .iter()
            .zip(list(&self.sequence["states"]))
    }

    /// Runs all commands without looking at the results.
    pub fn play(&self, clip: &ClipMap) {
        let mut player = Player::new(clip, self);
        for (command, _) in self.steps() {
            player.run(command);
        }
    }

    fn number(&self, key: &str) -> i32 {
        integer(&self.sequence[key])
    }
}

/// The player of a run, and the world around.
struct Player<'a> {
    run: &'a Run,
    world: RecordedWorld<'a>,
    triggers: Vec<Trigger>,
    state: PlayerState,
    contact: Contact,
    ran: bool,
    hyperspace: bool,
}

impl<'a> Player<'a> {
    fn new(clip: &'a ClipMap, run: &'a Run) -> Self {
        let mut solids = Vec::new();
        let mut triggers = Vec::new();
        let own = list(&run.sequence["solids"]);
        for entity in own.iter().chain(list(&run.environment)) {
            let fields = list(entity);
            let (origin, angles) = (vec3(&fields[6]), vec3(&fields[7]));
            let state = trigger_state(fields);
            match Trigger::from_entity(&state) {
                Some(trigger) => triggers.push(trigger),
                None => solids.push(SolidEntity {
                    number: i32::from(state.number),
                    solid: Solid::from_entity(state.solid, state.model_index)
                        .expect("a recorded solid is solid"),
                    trace_origin: origin,
                    origin,
                    angles,
                }),
            }
        }
        Self {
            run,
            world: RecordedWorld {
                clip,
                solids,
                added_surface_flags: run.number("orSurf") as u32,
            },
            triggers,
            state: initial_state(&run.sequence["init"]),
            contact: Contact::default(),
            ran: false,
            hyperspace: false,
        }
    }

    /// Does with one command what the recording program did.
    fn run(&mut self, command: &Value) {
        let fields = list(command);
        let run = self.run;
        let fixed = (run.number("pmove_fixed") != 0).then(|| run.number("pmove_msec"));
        let settings = Settings {
            rules: run.rules,
            numeric: run.numeric,
            trace_mask: run.number("tracemask") as u32,
            no_footsteps: run.number("noFootsteps") != 0,
            gauntlet_hit: integer(&fields[9]) != 0,
            fixed_msec: fixed,
            float_velocity: run.number("pmove_float") != 0,
            dmflags: run.number("pmove_flags"),
            rat: None,
        };
        let mut usercmd = usercmd(fields);
        if fixed.is_some() {
            pmove::update_view_angles(&mut self.state, &usercmd);
        }
        self.hyperspace = false;
        self.ran = usercmd.server_time.0 > self.state.command_time;
        if !self.ran {
            return;
        }
        if let Some(msec) = fixed {
            usercmd.server_time = pmove::round_up_time(usercmd.server_time, msec);
        }
        pmove::pmove(
            &self.world,
            &mut self.state,
            usercmd,
            &settings,
            &mut self.contact,
        );
        let triggers = TriggerSettings {
            rules: run.rules,
            profile: run.numeric.profile,
            pickup: PickupRules {
                gametype: run.number("gametype"),
                ..PickupRules::default()
            },
            predict_items: true,
            now: ServerTime(integer(&fields[8])),
            rat: None,
        };
        let clip = self.world.clip;
        let is_inside = |model, origin, [mins, maxs]: [Vec3; 2]| {
            let sweep = Sweep {
                start: origin,
                end: origin,
                mins,
                maxs,
                mask: u32::MAX,
            };
            clip.trace_model(&sweep, model as usize).start_solid
        };
        self.hyperspace = touch_triggers(
            &mut self.state,
            &self.contact,
            &mut self.triggers,
            &triggers,
            &is_inside,
        )
        .hyperspace;
    }

    /// The state under the names of the golden data.
    fn describe(&self) -> Map<String, Value> {
        let Self { state, contact, .. } = self;
        let value = json!({
            "t": state.command_time, "pt": state.pm_type, "b": state.bob_cycle,
            "f": state.pm_flags, "T": state.pm_time,
            "o": from_vec3(state.origin), "v": from_vec3(state.velocity),
            "w": state.weapon_time, "d": state.delta_angles, "g": state.ground_entity_num,
            "lt": state.legs_timer, "la": state.legs_anim,
            "tt": state.torso_timer, "ta": state.torso_anim,
            "md": state.movement_dir, "e": state.e_flags, "es": state.event_sequence,
            "ev": state.events, "ep": state.event_parms,
            "W": state.weapon, "ws": state.weapon_state, "a": from_vec3(state.view_angles),
            "h": state.view_height, "s": state.stats, "am": state.ammo,
            "je": state.jumppad_ent, "jf": state.jumppad_frame, "fc": state.pmove_framecount,
            "r": i32::from(self.ran), "wl": contact.water_level, "wt": contact.water_type as i32,
            "mn": from_vec3(contact.mins), "mx": from_vec3(contact.maxs),
            "xs": from_float(contact.xy_speed), "to": contact.touched,
            "hy": i32::from(self.hyperspace),
        });
        match value {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

/// The map with the entities of a run.
struct RecordedWorld<'a> {
    clip: &'a ClipMap,
    solids: Vec<SolidEntity>,
    /// The maps have no slick floors; these flags are added to everything hit.
    added_surface_flags: u32,
}

impl World for RecordedWorld<'_> {
    fn trace(&self, sweep: &Sweep, pass_entity: i32) -> Trace {
        let mut trace = self.clip.trace_all(sweep, &self.solids, pass_entity);
        if trace.fraction < 1.0 {
            trace.surface_flags |= self.added_surface_flags;
        }
        trace
    }

    fn point_contents(&self, point: Vec3, pass_entity: i32) -> u32 {
        self.clip.contents_all(point, &self.solids, pass_entity)
    }
}

/// An entity of the golden data as the server would have sent it.
fn trigger_state(fields: &[Value]) -> EntityState {
    let e_type = match integer(&fields[1]) {
        2 => entity_type::ITEM,
        3 => entity_type::PUSH_TRIGGER,
        4 => entity_type::TELEPORT_TRIGGER,
        _ => entity_type::GENERAL,
    };
    let mut state = EntityState {
        number: integer(&fields[0]) as u16,
        e_type,
        solid: integer(&fields[2]),
        model_index: integer(&fields[3]),
        model_index2: integer(&fields[4]),
        generic1: integer(&fields[5]),
        origin2: vec3(&fields[8]),
        ..EntityState::default()
    };
    state.pos.base = vec3(&fields[6]);
    state
}

fn usercmd(fields: &[Value]) -> Usercmd {
    let number = |index: usize| integer(&fields[index]);
    Usercmd {
        server_time: ServerTime(number(0)),
        angles: [number(1) as u16, number(2) as u16, 0],
        buttons: number(3) as u16,
        weapon: number(4) as u8,
        forward_move: number(5) as i8,
        right_move: number(6) as i8,
        up_move: number(7) as i8,
    }
}

fn initial_state(init: &Value) -> PlayerState {
    let number = |key: &str| integer(&init[key]);
    PlayerState {
        command_time: number("t"),
        pm_type: number("pt"),
        bob_cycle: number("b"),
        pm_flags: number("f"),
        pm_time: number("T"),
        origin: vec3(&init["o"]),
        velocity: vec3(&init["v"]),
        weapon_time: number("w"),
        gravity: number("gr"),
        speed: number("sp"),
        delta_angles: integers(&init["d"]),
        ground_entity_num: number("g"),
        legs_timer: number("lt"),
        legs_anim: number("la"),
        torso_timer: number("tt"),
        torso_anim: number("ta"),
        movement_dir: number("md"),
        grapple_point: vec3(&init["gp"]),
        e_flags: number("e"),
        event_sequence: number("es"),
        events: integers(&init["ev"]),
        event_parms: integers(&init["ep"]),
        client_num: number("cn"),
        weapon: number("W"),
        weapon_state: number("ws"),
        view_angles: vec3(&init["a"]),
        view_height: number("h"),
        stats: integers(&init["s"]),
        persistant: integers(&init["pe"]),
        powerups: integers(&init["pw"]),
        ammo: integers(&init["am"]),
        jumppad_ent: number("je"),
        jumppad_frame: number("jf"),
        pmove_framecount: number("fc"),
        ..PlayerState::default()
    }
}
