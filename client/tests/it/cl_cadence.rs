//! Usercmds at a fixed rate: the same jump on every display, and nothing seen late.

use super::practice::map;
use client::{
    cl::{
        cadence::Cadence,
        input::{Action, Input, InputSettings, UsercmdFrame},
    },
    con::{cvar::Cvars, cvars},
};
use glam::Vec3;
use shared::{
    base::time::{ClientTime, ServerTime},
    bg::{
        World,
        numbers::pm_type,
        numeric::Numeric,
        pmove::{self, Contact, pmove},
        ruleset,
    },
    cm::{ClipMap, Sweep},
    types::{playerstate::PlayerState, trace::Trace, usercmd::Usercmd},
};
use std::sync::Arc;

/// A map without anything in it.
struct Empty(Arc<ClipMap>);

impl World for Empty {
    fn trace(&self, sweep: &Sweep, pass: i32) -> Trace {
        self.0.trace_all(sweep, &[], pass)
    }

    fn point_contents(&self, point: Vec3, pass: i32) -> u32 {
        self.0.contents_all(point, &[], pass)
    }
}

fn settings(command_rate: i32) -> InputSettings {
    InputSettings {
        command_rate,
        ..client::settings::input(&Cvars::new(cvars::TABLE))
    }
}

/// Stands, jumps at a certain millisecond, and lands: gives the peak above the ground.
fn jump(world: &Empty, start: [f32; 3], hz: i32, rate: i32) -> f32 {
    const KEY: Option<u16> = Some(32);
    let mut input = Input::new(ClientTime(1000));
    let mut cadence = Cadence::default();
    let settings = settings(rate);
    let mut player = PlayerState {
        origin: start.into(),
        gravity: 800,
        speed: 320,
        pm_type: pm_type::NORMAL,
        view_height: 26,
        command_time: -3000,
        ..PlayerState::default()
    };
    player.stats[0] = 100;
    let mut contact = Contact::default();
    let step = |player: &mut PlayerState, contact: &mut Contact, command: Usercmd| {
        let settings = pmove::Settings {
            rules: &ruleset::OPENARENA_088,
            numeric: Numeric::default(),
            trace_mask: pmove::trace_mask(player.pm_type, 0),
            no_footsteps: false,
            gauntlet_hit: false,
            fixed_msec: None,
            float_velocity: false,
            dmflags: 0,
            rat: None,
        };
        pmove(world, player, command, &settings, contact);
    };
    // The fall from the place where players begin ends before the display matters.
    for msec in (-3000..=1000).step_by(10) {
        let command = Usercmd {
            // Steps that are all alike can make a player bounce for ever.
            server_time: ServerTime(msec - msec / 10 % 3),
            ..Usercmd::default()
        };
        step(&mut player, &mut contact, command);
    }
    assert_eq!(player.ground_entity_num, 1022, "still in the air");
    let ground = player.origin.z;
    let mut peak = f32::MIN;
    let (mut is_down, mut is_up) = (false, false);
    let mut before = 1000;
    for number in 1.. {
        let now = 1000 + number * 1000 / hz;
        if now > 3000 {
            break;
        }
        if now >= 1803 && !is_down {
            is_down = input.press(Action::MoveUp, KEY, Some(ClientTime(1803)));
        }
        if now >= 1903 && !is_up {
            input.release(Action::MoveUp, KEY, Some(ClientTime(1903)));
            is_up = true;
        }
        let frame = UsercmdFrame {
            now: ClientTime(now),
            scaled_msec: now - before,
            server_time: ServerTime(now),
            weapon: 2,
            sensitivity_scale: 1.0,
            is_captured: false,
            any_key_is_down: false,
        };
        before = now;
        for command in cadence.build(&mut input, &frame, &settings).usercmds {
            step(&mut player, &mut contact, command);
            peak = peak.max(player.origin.z);
        }
    }
    assert!(is_down && is_up);
    peak - ground
}

#[test]
fn a_jump_is_as_high_on_every_display() {
    let (clip, start) = map("oa_dm1");
    let world = Empty(clip);
    for rate in [125, 250, 500] {
        let [slow, usual, fast, fastest] =
            [30, 60, 144, 360].map(|hz| jump(&world, start, hz, rate));
        // Velocity is rounded after each usercmd, so every rate has a height of its own.
        assert!((30.0..60.0).contains(&slow), "{slow} units");
        assert_eq!(
            [usual, fast, fastest],
            [slow; 3],
            "at {rate} usercmds per second"
        );
    }
    // One usercmd per frame, as the originals do, depends on the display; this is what the rate cures.
    let [slow, fast] = [30, 144].map(|hz| jump(&world, start, hz, 0));
    assert_ne!(slow, fast);
}

#[test]
fn the_view_follows_at_once_between_two_usercmds() {
    let mut input = Input::new(ClientTime(1000));
    let mut cadence = Cadence::default();
    let settings = settings(125);
    let mut build = |input: &mut Input, now: i32| {
        let frame = UsercmdFrame {
            now: ClientTime(now),
            scaled_msec: 2,
            server_time: ServerTime(now),
            weapon: 2,
            sensitivity_scale: 1.0,
            is_captured: false,
            any_key_is_down: false,
        };
        cadence.build(input, &frame, &settings)
    };
    let first = build(&mut input, 1000);
    assert_eq!(first.usercmds.len(), 1);
    input.move_mouse(-100.0, 0.0, Some(ClientTime(1002)));
    let between = build(&mut input, 1003);
    assert!(between.usercmds.is_empty());
    let turned = between.provisional.expect("the newest usercmd is 3 ms old");
    assert_eq!(
        turned.angles[1],
        (100.0 * 5.0 * 0.022 * 65536.0 / 360.0) as u16
    );
    // The motion goes into the next usercmd once, not twice.
    let next = build(&mut input, 1009);
    assert_eq!(next.usercmds.len(), 1);
    assert_eq!(next.usercmds[0].angles[1], turned.angles[1]);
    assert_eq!(
        build(&mut input, 1017).usercmds[0].angles[1],
        turned.angles[1]
    );
}
