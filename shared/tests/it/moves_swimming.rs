//! Steps of OpenArena's own prediction in deep water, to the last bit.

use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        World,
        numeric::{LengthRounding, Numeric, Profile},
        pmove::{Contact, Settings, pmove, trace_mask},
        ruleset::OPENARENA_088,
    },
    cm::Sweep,
    types::{
        playerstate::PlayerState,
        trace::{Trace, contents},
        usercmd::Usercmd,
    },
};

const STEPS: &str = include_str!("../data/movement/swimming_openarena.csv");

/// Water without end.
struct Sea;

impl World for Sea {
    fn trace(&self, sweep: &Sweep, _: i32) -> Trace {
        Trace {
            fraction: 1.0,
            end: sweep.end,
            ..Trace::default()
        }
    }

    fn point_contents(&self, _: Vec3, _: i32) -> u32 {
        contents::WATER
    }
}

fn exact_steps(profile: Profile) -> (usize, usize) {
    let settings = Settings {
        rules: &OPENARENA_088,
        numeric: Numeric {
            profile,
            length: LengthRounding::Root,
        },
        trace_mask: trace_mask(0, 0),
        no_footsteps: false,
        gauntlet_hit: false,
        fixed_msec: None,
        float_velocity: true,
        dmflags: 0,
        rat: None,
    };
    let rows = STEPS.lines().skip(1);
    let agrees = |row: &str| {
        let cells: Vec<&str> = row.split(',').collect();
        let whole = |at: usize| cells[at].parse::<i32>().expect("a whole number");
        let vector = |at: usize| {
            Vec3::from_array([0, 1, 2].map(|axis| cells[at + axis].parse().expect("a number")))
        };
        let mut player = PlayerState {
            command_time: 1000,
            pm_flags: whole(1),
            view_height: whole(2),
            origin: vector(3),
            velocity: vector(6),
            delta_angles: [whole(9), whole(10), 0],
            gravity: 800,
            speed: 320,
            ..PlayerState::default()
        };
        player.stats[0] = 100;
        let usercmd = Usercmd {
            server_time: ServerTime(1000 + whole(0)),
            angles: [whole(11) as u16, whole(12) as u16, 0],
            forward_move: whole(13) as i8,
            right_move: whole(14) as i8,
            up_move: whole(15) as i8,
            ..Usercmd::default()
        };
        pmove(
            &Sea,
            &mut player,
            usercmd,
            &settings,
            &mut Contact::default(),
        );
        (player.origin, player.velocity) == (vector(17), vector(20))
    };
    (rows.clone().filter(|row| agrees(row)).count(), rows.count())
}

#[test]
fn steps_in_deep_water_are_openarenas() {
    assert_eq!(exact_steps(Profile::Fast), (59, 59));
    let (exact, _) = exact_steps(Profile::Native);
    assert!(exact < 59, "the profiles differ in these steps");
}
