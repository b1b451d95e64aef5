//! What a server can do to the view with its clock and with places: nothing that lasts, nothing without bound.

use super::latency::Range;
use client::{
    cg::{CGame, FrameInput, FrameOutput, LevelStart, LinkState, Settings, SnapshotArrival},
    scene::Refdef,
};
use glam::Vec3;
use shared::{
    base::{
        ring::Ring,
        time::{ClientTime, ServerTime},
    },
    bg::numbers::{entity_type, event, weapon},
    types::{
        entitystate::EntityState,
        snapshot::Snapshot,
        trajectory::{Trajectory, kind},
        usercmd::{USERCMD_BACKUP, Usercmd, UsercmdRing},
    },
};
use std::sync::Arc;

const SNAPSHOT_MSEC: i32 = 50;
const FRAME_MSEC: i32 = 25;
/// Effects, fragments and marks have pools of 512, 256 and 256; bodies have a handful of parts each.
const MAX_ENTITIES: usize = 2000;
const MAX_POLYS: usize = 2000;
/// A few for each event and each entity of a snapshot.
const MAX_SOUNDS: usize = 4000;
/// All numbers that an event on the wire can have, without the two bits that count.
const EVENTS: i32 = 256;

/// A view of a level whose server sends what a test makes up.
struct Hostile {
    range: Range,
    cgame: CGame,
    settings: Settings,
    usercmds: UsercmdRing,
    frames: i32,
    message: i32,
}

/// What a frame shows, in numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    entities: usize,
    polys: usize,
    lights: usize,
}

impl Hostile {
    fn new(settings: Settings) -> Self {
        let mut range = Range::new();
        let player = "n\\one\\t\\0\\model\\sarge\\hmodel\\sarge\\c1\\4\\c2\\5";
        for client in 0..4 {
            let stored = range.gamestate.configstrings.set(544 + client, player);
            assert_eq!(stored, Ok(true));
        }
        let start = LevelStart {
            gamestate: &range.gamestate,
            is_demo: false,
        };
        let cgame = CGame::new(&start, &settings, &mut range.assets);
        Self {
            range,
            cgame,
            settings,
            usercmds: Ring::new(USERCMD_BACKUP),
            frames: 0,
            message: 0,
        }
    }

    /// A snapshot as a server of good will sends it, with these entities.
    fn snapshot(&self, time: ServerTime, entities: Vec<EntityState>) -> Snapshot {
        let mut snapshot = Snapshot {
            server_time: time,
            entities: entities.into(),
            ..Snapshot::default()
        };
        let player = &mut snapshot.player;
        player.origin = Vec3::from(self.range.start);
        player.command_time = time.0;
        player.speed = 320;
        player.gravity = 800;
        player.stats[0] = 100;
        player.view_height = 26;
        player.weapon = weapon::MACHINEGUN;
        snapshot
    }

    /// One frame at a time, with a snapshot or without.
    fn frame(&mut self, time: ServerTime, snapshot: Option<Snapshot>) -> FrameOutput {
        let arrived: Vec<SnapshotArrival> = snapshot
            .into_iter()
            .map(|mut snapshot| {
                self.message += 1;
                snapshot.message_num = self.message;
                SnapshotArrival {
                    snapshot: Arc::new(snapshot),
                    ping_msec: 20,
                }
            })
            .collect();
        self.frames += 1;
        self.usercmds.push(Usercmd {
            server_time: time,
            forward_move: 127,
            ..Usercmd::default()
        });
        let input = FrameInput {
            muted: 0,
            now: ClientTime(1000 + self.frames * FRAME_MSEC),
            time,
            snapshots: &arrived,
            commands: &[],
            usercmds: &self.usercmds,
            provisional: None,
            actions: &[],
            screen: [640.0, 480.0],
            is_connection_interrupted: false,
            link: LinkState::default(),
            settings: &self.settings,
        };
        let output = self.cgame.frame(&input, &mut self.range.assets);
        let counts = counts(&output);
        assert!(
            counts.entities <= MAX_ENTITIES && counts.polys <= MAX_POLYS,
            "{counts:?} at {time:?}"
        );
        assert!(output.scene.sound.starts.len() <= MAX_SOUNDS);
        assert!(output.events.len() <= MAX_SOUNDS);
        output
    }
}

fn counts(output: &FrameOutput) -> Counts {
    let world = |view: &&Refdef| view.has_world;
    let view = output.scene.views.iter().find(world);
    view.map_or_else(Counts::default, |view| Counts {
        entities: view.entities.len(),
        polys: view.polys.iter().len(),
        lights: view.lights.len(),
    })
}

/// An event as an entity of its own, before the player and high enough to fly for long.
fn told(number: u16, event: i32, at: Vec3) -> EntityState {
    let mut state = EntityState {
        number,
        e_type: entity_type::EVENTS + event,
        event_parm: event % 5,
        other_entity_num: 1,
        other_entity_num2: 2,
        weapon: 1 + event % 9,
        origin2: at + Vec3::new(200.0, 10.0, 30.0),
        ..EntityState::default()
    };
    state.pos.base = at + Vec3::new(100.0, 0.0, 20.0);
    state
}

/// A rocket that was fired at a time, with its smoke behind it.
fn rocket(at: Vec3, fired: ServerTime) -> EntityState {
    EntityState {
        number: 60,
        e_type: entity_type::MISSILE,
        weapon: weapon::ROCKET,
        pos: Trajectory {
            kind: kind::LINEAR,
            time: fired.0,
            base: at,
            delta: Vec3::X * 900.0,
            ..Trajectory::default()
        },
        ..EntityState::default()
    }
}

/// A match from a time on: all events over and over, rockets, then silence. What each frame showed.
fn play(from: ServerTime) -> Vec<Counts> {
    const EVENTS_MSEC: i32 = 6000;
    const SILENCE_MSEC: i32 = 12_000;
    let mut hostile = Hostile::new(Settings::default());
    let at = Vec3::from(hostile.range.start);
    let mut shown = Vec::new();
    for elapsed in (0..EVENTS_MSEC + SILENCE_MSEC).step_by(FRAME_MSEC as usize) {
        let snapshot = (elapsed % SNAPSHOT_MSEC == 0).then(|| {
            let step = elapsed / SNAPSHOT_MSEC;
            let mut entities = vec![];
            if elapsed < EVENTS_MSEC {
                entities.push(rocket(at, from + elapsed / 1000 * 1000));
                entities.extend((0..8).map(|place| {
                    let number = 64 + (step * 8 + place) % 900;
                    told(number as u16, (step * 8 + place) % EVENTS, at)
                }));
            }
            hostile.snapshot(from + elapsed, entities)
        });
        shown.push(counts(
            &hostile.frame(from + elapsed - SNAPSHOT_MSEC, snapshot),
        ));
    }
    shown
}

#[test]
fn a_match_is_the_same_at_the_end_of_the_clock_as_at_its_beginning() {
    let peak = |shown: &[Counts]| shown.iter().map(|counts| counts.entities).max();
    let usual = play(ServerTime(1_000_000));
    let usual_peak = peak(&usual).expect("there are frames");
    assert!(usual_peak > 20, "events show something: {usual_peak}");
    for before_end in [3000, 9000] {
        let at_end = play(ServerTime(i32::MAX - before_end));
        let at_end_peak = peak(&at_end).expect("there are frames");
        assert!(
            at_end_peak.abs_diff(usual_peak) <= usual_peak / 5,
            "{at_end_peak} instead of {usual_peak}"
        );
        assert_eq!(at_end.last(), usual.last(), "all is over in the end");
    }
}

#[test]
fn jumps_of_the_clock_leave_nothing_behind() {
    let mut hostile = Hostile::new(Settings::default());
    let at = Vec3::from(hostile.range.start);
    let mut time = ServerTime(1000);
    let jumps = [
        i32::MAX,
        50,
        -1,
        i32::MIN,
        600,
        -600,
        1 << 30,
        1 << 30,
        -(1 << 30),
        100_000,
        i32::MAX,
        2,
    ];
    for round in 0..EVENTS {
        let entities = (0..8)
            .map(|place| told(64 + place, (round + i32::from(place) * 32) % EVENTS, at))
            .chain([rocket(at, time)])
            .collect();
        let snapshot = hostile.snapshot(time, entities);
        hostile.frame(time, Some(snapshot));
        hostile.frame(time + FRAME_MSEC, None);
        time = time + jumps[round as usize % jumps.len()];
    }
    // Half a minute later nothing is left of it, wherever the clock stands.
    for step in 0..1200 {
        let now = time + step * FRAME_MSEC;
        let snapshot = hostile.snapshot(now, Vec::new());
        hostile.frame(now, Some(snapshot));
    }
    let now = time + 1200 * FRAME_MSEC;
    let left = counts(&hostile.frame(now, None));
    assert!(left.entities < 20, "{left:?}");
}

/// States of one entity with all the odd numbers that the wire can carry.
fn odd_states(round: i32, now: ServerTime) -> Vec<EntityState> {
    const PLACES: [f32; 10] = [
        0.0,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        1e30,
        -1e9,
        1e-40,
        65_536.0,
    ];
    const TIMES: [i32; 7] = [i32::MIN, -1, 0, 1, i32::MAX, i32::MAX - 50, 1 << 30];
    let place = |step: i32| PLACES[step.rem_euclid(PLACES.len() as i32) as usize];
    let time = |step: i32| TIMES[step.rem_euclid(TIMES.len() as i32) as usize];
    let vector = |step: i32| Vec3::new(place(step), place(step * 3 + 1), place(step * 7 + 2));
    let path = |step: i32| Trajectory {
        kind: step % 8,
        time: if step % 3 == 0 { now.0 } else { time(step) },
        duration: time(step / 2),
        base: vector(step),
        delta: vector(step / 5 + 1),
    };
    (0..48)
        .map(|number: i32| {
            let step = round * 31 + number * 7;
            EntityState {
                number: number as u16,
                e_type: (round + number) % (entity_type::EVENTS + event::TAUNT_PATROL + 4),
                e_flags: (step * 0x3779) & 0x7_ffff,
                pos: path(step),
                apos: path(step + 1),
                time: time(step + 2),
                time2: time(step + 3),
                origin: vector(step + 4),
                origin2: vector(step + 5),
                angles: vector(step + 6),
                angles2: vector(step + 7),
                other_entity_num: step % 1024,
                other_entity_num2: (step + 1) % 64,
                ground_entity_num: (step + 2) % 1024,
                constant_light: time(step),
                client_num: step % 4,
                frame: step % 65_536,
                solid: if step % 4 == 0 { 0xff_ffff } else { step },
                event: step % 1024,
                event_parm: step % 256,
                powerups: step % 65_536,
                weapon: step % 14,
                legs_anim: step % 256,
                torso_anim: (step + 9) % 256,
                generic1: step % 256,
                model_index: step % 256,
                model_index2: (step + 1) % 256,
                loop_sound: step % 256,
            }
        })
        .collect()
}

#[test]
fn odd_places_and_paths_are_drawn_in_bounded_pieces() {
    let settings = Settings {
        draw_ghosts: true,
        old_rail: 0,
        show_miss: 2,
        smooth_others_msec: 100.0,
        ..Settings::default()
    };
    let mut hostile = Hostile::new(settings);
    for (start, rounds) in [(1000, 200), (i32::MAX - 3000, 200)] {
        for round in 0..rounds {
            let time = ServerTime(start) + round * SNAPSHOT_MSEC;
            let states = odd_states(round, time);
            let odd = states[round as usize % 48].pos;
            let mut snapshot = hostile.snapshot(time, states);
            let player = &mut snapshot.player;
            if round % 3 != 0 {
                (player.origin, player.velocity) = (odd.base, odd.delta);
                player.view_angles = odd.delta;
            }
            player.event_sequence = (round * 2) & 0xffff;
            player.events = [round % 1024, (round * 5) % 1024];
            player.event_parms = [round % 256, 255 - round % 256];
            player.e_flags = round % 4 * 4;
            player.ground_entity_num = round % 1024;
            hostile.frame(time, Some(snapshot));
            hostile.frame(time + FRAME_MSEC, None);
        }
    }
    assert!(hostile.cgame.event_counts().fired > 1000);
}
