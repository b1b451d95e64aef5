//! The numbers of what RatMod adds to the move, on a floor without end.

use super::*;
use crate::{
    base::time::ServerTime,
    bg::{
        World,
        numbers::{event, weapon},
        numeric::{LengthRounding, Numeric, Profile},
        pmove::{Contact, Settings, pmove, trace_mask, weapon::weapon_state},
        ruleset::{OPENARENA_088, RATMOD},
    },
    types::{
        limits::{ENTITYNUM_NONE, ENTITYNUM_WORLD},
        trace::{Plane, Sweep, Trace, contents},
        usercmd::buttons,
    },
};

/// What RatMod's servers say as they come.
const USUAL: i32 = 23_969_595;

/// A floor without end at height 0, and perhaps water everywhere above it.
#[derive(Default)]
struct Floor {
    slope: f32,
    is_wet: bool,
    is_slick: bool,
}

impl World for Floor {
    fn trace(&self, sweep: &Sweep, _: i32) -> Trace {
        const EPSILON: f32 = 0.125;
        let normal = Vec3::new(-self.slope, 0.0, 1.0).normalize();
        let corner = Vec3::new(
            if self.slope > 0.0 {
                sweep.maxs.x
            } else {
                sweep.mins.x
            },
            0.0,
            sweep.mins.z,
        );
        let [above, below] = [sweep.start, sweep.end].map(|at| (at + corner).dot(normal));
        let open = Trace {
            end: sweep.end,
            ..Trace::default()
        };
        if below >= above || below >= EPSILON {
            return open;
        }
        let fraction = ((above - EPSILON) / (above - below)).clamp(0.0, 1.0);
        Trace {
            fraction,
            end: sweep.start.lerp(sweep.end, fraction),
            plane: Plane { normal, dist: 0.0 },
            surface_flags: if self.is_slick { surface::SLICK } else { 0 },
            entity_num: ENTITYNUM_WORLD,
            ..open
        }
    }

    fn point_contents(&self, _: Vec3, _: i32) -> u32 {
        if self.is_wet { contents::WATER } else { 0 }
    }
}

fn rat(flags: i32, movement: i32) -> Option<RatRules> {
    Some(RatRules {
        flags,
        movement: Movement::of(movement),
    })
}

/// Stands on the floor, or hangs in the air.
fn player(height: f32) -> PlayerState {
    let mut player = PlayerState {
        gravity: 752,
        speed: 320,
        view_height: 26,
        weapon: weapon::MACHINEGUN,
        origin: Vec3::new(0.0, 0.0, 24.125 + height),
        ground_entity_num: if height > 0.0 {
            ENTITYNUM_NONE
        } else {
            ENTITYNUM_WORLD
        },
        ..PlayerState::default()
    };
    player.stats[0] = 100;
    player.stats[OPENARENA_088.stats.max_health] = 100;
    player.stats[OPENARENA_088.stats.weapons] = 0xff;
    player.ammo = [100; 16];
    player
}

fn keys(forward_move: i8, right_move: i8, up_move: i8) -> Usercmd {
    Usercmd {
        forward_move,
        right_move,
        up_move,
        weapon: weapon::MACHINEGUN as u8,
        ..Usercmd::default()
    }
}

/// Runs commands of 8 ms.
fn run(
    world: &Floor,
    rat: Option<RatRules>,
    player: &mut PlayerState,
    command: Usercmd,
    count: i32,
) {
    let settings = Settings {
        rules: &RATMOD,
        numeric: Numeric {
            profile: Profile::Bytecode,
            length: LengthRounding::Root,
        },
        trace_mask: trace_mask(player.pm_type, 0),
        no_footsteps: false,
        gauntlet_hit: false,
        fixed_msec: None,
        float_velocity: true,
        dmflags: 0,
        rat,
    };
    let mut contact = Contact::default();
    for _ in 0..count {
        let command = Usercmd {
            server_time: ServerTime(player.command_time + 8),
            ..command
        };
        pmove(world, player, command, &settings, &mut contact);
    }
}

#[track_caller]
fn check(seen: f32, expected: f32) {
    assert!((seen - expected).abs() < 0.01, "{seen} for {expected}");
}

/// The speed upward after a jump, before gravity has had its part of the step.
fn jump(flags: i32, upward: f32, jump_msec: i32) -> f32 {
    let mut jumper = player(0.0);
    jumper.velocity.z = upward;
    jumper.stats[JUMP_TIME] = jump_msec;
    run(
        &Floor::default(),
        rat(flags, 0),
        &mut jumper,
        keys(0, 0, 127),
        1,
    );
    assert_eq!(jumper.stats[JUMP_TIME], 400);
    jumper.velocity.z + 752.0 * 0.008
}

#[test]
fn jumps_add_to_what_the_ground_has_left_of_the_speed() {
    check(jump(0, 5.0, 0), 270.0);
    check(jump(rat_flags::ADDITIVE_JUMP, 5.0, 0), 275.0);
    check(jump(rat_flags::RAMP_JUMP, 5.0, 0), 275.0);
    check(jump(rat_flags::RAMP_JUMP, 5.0, 300), 375.0);
    check(jump(rat_flags::ADDITIVE_JUMP, 5.0, 300), 275.0);
    // A fall of 300 is taken away before the jump, with a thousandth more.
    check(jump(USUAL, -300.0, 0), 270.3);
    check(jump(USUAL & !rat_flags::ADDITIVE_JUMP, -300.0, 0), 270.0);
}

#[test]
fn the_ground_does_not_throw_back() {
    let fall = |flags| {
        let mut faller = player(0.0);
        faller.velocity.z = -300.0;
        run(
            &Floor::default(),
            rat(flags, 0),
            &mut faller,
            keys(0, 0, 0),
            1,
        );
        faller.velocity.z
    };
    check(fall(rat_flags::NO_OVERBOUNCE), 0.3);
    // Quake III turns the speed of a fall along the ground, with the same length.
    assert!(fall(0).abs() > 100.0);
}

#[test]
fn each_movement_gains_speed_in_its_way() {
    let gain = |height, movement, command| {
        let mut mover = player(height);
        run(&Floor::default(), rat(0, movement), &mut mover, command, 1);
        let flat = Vec3::new(mover.velocity.x, mover.velocity.y, 0.0);
        flat.length()
    };
    for (movement, ground, forward, sideward) in [
        (0, 25.6, 2.56, 2.56),
        (1, 38.4, 2.56, 16.8),
        (2, 35.84, 6.144, 13.44),
        (3, 38.4, 2.56, 16.8),
        (9, 25.6, 2.56, 2.56),
    ] {
        check(gain(0.0, movement, keys(127, 0, 0)), ground);
        check(gain(100.0, movement, keys(127, 0, 0)), forward);
        check(gain(100.0, movement, keys(0, 127, 0)), sideward);
    }
}

#[test]
fn cpm_turns_and_brakes_in_the_air() {
    let fly = |movement, yaw: f32, command| {
        let mut flyer = player(100.0);
        flyer.velocity.x = 400.0;
        flyer.delta_angles[1] = (yaw * 65536.0 / 360.0) as i32;
        run(&Floor::default(), rat(0, movement), &mut flyer, command, 1);
        flyer.velocity
    };
    for movement in [1, 3] {
        let turned = fly(movement, 20.0, keys(127, 0, 0));
        // 400 ahead and 32 * cos² 20° * 0.008 s * 150 = 33.9 to the side, shortened to 400.
        check(turned.y, 10.736);
        check(turned.truncate().length(), 400.0);
        check(
            fly(movement, 180.0, keys(127, 0, 0)).x,
            400.0 - 2.5 * 0.008 * 320.0,
        );
    }
    for movement in [0, 2] {
        check(fly(movement, 20.0, keys(127, 0, 0)).y, 0.0);
    }
    check(fly(0, 180.0, keys(127, 0, 0)).x, 400.0 - 0.008 * 320.0);
}

#[test]
fn who_rises_slowly_steps_up_with_the_faster_movements() {
    for (movement, limit) in [(0, 0.0), (1, 150.4), (2, 150.4), (3, 150.4)] {
        let world = Floor::default();
        let mut stepper = player(0.0);
        let settings = Settings {
            rules: &RATMOD,
            numeric: Numeric::default(),
            trace_mask: 0,
            no_footsteps: false,
            gauntlet_hit: false,
            fixed_msec: None,
            float_velocity: true,
            dmflags: 0,
            rat: rat(0, movement),
        };
        let mut contact = Contact::default();
        let mut step = Move::new(
            &world,
            &mut stepper,
            Usercmd::default(),
            &settings,
            &mut contact,
            0,
        );
        step.seconds = 0.008;
        check(step.max_rise_on_stairs(), limit);
    }
}

#[test]
fn weapons_come_and_go_and_reload_faster() {
    let change = |flags, state| {
        let mut changer = player(0.0);
        changer.weapon_state = state;
        let command = Usercmd {
            weapon: weapon::RAIL as u8,
            ..keys(0, 0, 0)
        };
        run(&Floor::default(), rat(flags, 0), &mut changer, command, 1);
        changer.weapon_time
    };
    let shoot = |flags| {
        let mut shooter = player(0.0);
        shooter.weapon = weapon::RAIL;
        let command = Usercmd {
            weapon: weapon::RAIL as u8,
            buttons: buttons::ATTACK,
            ..keys(0, 0, 0)
        };
        run(&Floor::default(), rat(flags, 0), &mut shooter, command, 1);
        shooter.weapon_time
    };
    let (ready, dropping) = (weapon_state::READY, weapon_state::DROPPING);
    assert_eq!([change(USUAL, ready), change(USUAL, dropping)], [100, 200]);
    assert_eq!([change(0, ready), change(0, dropping)], [200, 250]);
    assert_eq!([shoot(USUAL), shoot(0)], [1250, 1500]);
}

#[test]
fn steps_do_not_depend_on_the_length_of_commands() {
    let walk = |flags| {
        let mut walker = player(0.0);
        run(
            &Floor::default(),
            rat(flags, 0),
            &mut walker,
            keys(127, 0, 0),
            5,
        );
        (walker.bob_cycle, walker.stats[BOB_REST])
    };
    // Five times 3.2.
    let (units, rest) = walk(rat_flags::REGULAR_FOOTSTEPS);
    assert!(
        units == 16 || (units == 15 && rest >= 995),
        "{units} {rest}"
    );
    assert_eq!(walk(0), (15, 0));
}

#[test]
fn swimmers_are_faster() {
    let swim = |flags| {
        let world = Floor {
            is_wet: true,
            ..Floor::default()
        };
        let mut swimmer = player(100.0);
        run(&world, rat(flags, 0), &mut swimmer, keys(127, 0, 0), 500);
        swimmer.velocity.x
    };
    let [fast, slow] = [swim(rat_flags::FAST_SWIM), swim(0)];
    check(fast / slow, 1.5);
}

#[test]
fn who_lands_crouched_slides_on() {
    let land = |flags, is_slick| {
        let world = Floor {
            is_slick,
            ..Floor::default()
        };
        let mut slider = player(0.05);
        slider.velocity = Vec3::new(400.0, 0.0, -300.0);
        run(&world, rat(flags, 0), &mut slider, keys(127, 0, -127), 1);
        slider
    };
    let slider = land(USUAL | rat_flags::CROUCH_SLIDE, false);
    assert_eq!(slider.stats[STATE], SLIDING);
    assert_eq!(slider.stats[KEYS], 33);
    assert_eq!(
        slider.velocity.z,
        slider.velocity.z.round(),
        "a slide is whole"
    );
    assert!(slider.velocity.x > 390.0, "{}", slider.velocity);
    let walker = land(USUAL, false);
    assert_eq!(walker.stats[STATE], 0);
    assert!(walker.velocity.x < 390.0, "{}", walker.velocity);
    // A fall of 300 is twice as hard crouched: nine times two; not so where it is slippery, nine.
    let events = |player: &PlayerState| player.events[0];
    assert_eq!(events(&walker), event::FALL_SHORT);
    let mut slow = player(0.05);
    slow.velocity.z = -200.0;
    for (is_slick, expected) in [(false, event::FALL_SHORT), (true, event::FOOTSTEP)] {
        let world = Floor {
            is_slick,
            ..Floor::default()
        };
        let mut lander = slow.clone();
        run(&world, rat(USUAL, 0), &mut lander, keys(0, 0, -127), 1);
        assert_eq!(events(&lander), expected);
    }
}

#[test]
fn without_ratmod_nothing_of_it_is_written() {
    let mut runner = player(0.0);
    run(&Floor::default(), None, &mut runner, keys(127, 0, 127), 20);
    assert_eq!(runner.stats[8..], [0; 8]);
}
