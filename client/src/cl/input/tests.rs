//! Keys, mouse, sticks and thumbs, and the usercmds that come of them.

use super::*;

const KEY: Option<u16> = Some(7);

fn settings() -> InputSettings {
    let axis = |number, factor| PadAxis { number, factor };
    InputSettings {
        sensitivity: 5.0,
        mouse_accel: 0.0,
        mouse_accel_style: MouseAccelStyle::Linear,
        m_pitch: 0.022,
        m_yaw: 0.022,
        m_forward: 0.25,
        m_side: 0.25,
        filters_mouse: false,
        free_look: true,
        always_run: true,
        yaw_speed: 140.0,
        pitch_speed: 140.0,
        angle_speed_key: 1.5,
        pad: PadSettings {
            pitch: axis(3, 0.022),
            yaw: axis(2, -0.022),
            forward: axis(1, -0.25),
            side: axis(0, 0.25),
            up: axis(4, 0.0),
        },
        command_rate: 0,
    }
}

fn at(msec: i32) -> Option<ClientTime> {
    Some(ClientTime(msec))
}

fn build(input: &mut Input, now: i32) -> Usercmd {
    let scaled_msec = now - input.last_usercmd_at.0;
    let frame = UsercmdFrame {
        now: ClientTime(now),
        scaled_msec,
        server_time: ServerTime(now),
        weapon: 2,
        sensitivity_scale: 1.0,
        is_captured: false,
        any_key_is_down: false,
    };
    input.build_usercmd(&frame, &settings())
}

#[test]
fn a_tap_shorter_than_a_frame_fires_once() {
    let mut input = Input::new(ClientTime(0));
    input.press(Action::Button(0), KEY, at(2));
    input.release(Action::Button(0), KEY, at(5));
    let fired: Vec<u16> = (1..4)
        .map(|frame| build(&mut input, frame * 8).buttons)
        .collect();
    assert_eq!(fired, [buttons::ATTACK, 0, 0]);
}

#[test]
fn one_of_two_keys_keeps_moving() {
    let mut input = Input::new(ClientTime(0));
    assert!(input.press(Action::Forward, Some(1), at(0)));
    assert!(input.press(Action::Forward, Some(2), at(0)));
    assert!(!input.press(Action::Forward, Some(3), at(0)));
    build(&mut input, 8);
    input.release(Action::Forward, Some(1), at(10));
    assert_eq!(build(&mut input, 16).forward_move, 127);
    input.release(Action::Forward, Some(2), at(20));
    assert_eq!(build(&mut input, 24).forward_move, 63);
    assert_eq!(build(&mut input, 32).forward_move, 0);
}

#[test]
fn a_press_within_the_frame_moves_by_its_share() {
    let mut input = Input::new(ClientTime(0));
    input.press(Action::Forward, KEY, at(25));
    assert_eq!(build(&mut input, 100).forward_move, 95);
    assert_eq!(build(&mut input, 200).forward_move, 127);
}

#[test]
fn typed_actions_hold_whole_frames() {
    let mut input = Input::new(ClientTime(0));
    input.press(Action::MoveUp, None, None);
    assert_eq!(build(&mut input, 8).up_move, 127);
    assert_eq!(build(&mut input, 16).up_move, 127);
    input.release(Action::MoveUp, None, None);
    assert_eq!(build(&mut input, 24).up_move, 0);
}

#[test]
fn walking_is_slow_and_says_so() {
    let mut input = Input::new(ClientTime(0));
    input.press(Action::Speed, Some(1), at(0));
    input.press(Action::Back, Some(2), at(0));
    let usercmd = build(&mut input, 8);
    assert_eq!(
        (usercmd.forward_move, usercmd.buttons),
        (-64, buttons::WALKING)
    );
}

#[test]
fn the_mouse_turns_by_sensitivity_and_yaw() {
    let mut input = Input::new(ClientTime(0));
    input.move_mouse(-100.0, 50.0, None);
    let usercmd = build(&mut input, 8);
    // 100 × 5 × 0.022 = 11 degrees to the left, 5.5 down.
    assert_eq!(usercmd.angles, [1001, 2002, 0]);
    assert_eq!(build(&mut input, 16).angles, [1001, 2002, 0]);
    input.start_level();
    assert_eq!(build(&mut input, 24).angles, [0, 0, 0]);
}

#[test]
fn pitch_changes_by_a_quarter_turn_at_most() {
    let mut input = Input::new(ClientTime(0));
    input.move_mouse(0.0, -10_000.0, None);
    build(&mut input, 8);
    assert_eq!(input.view_angles().x, -90.0);
}

#[test]
fn acceleration_grows_with_the_rate() {
    let with = |style| {
        let settings = InputSettings {
            mouse_accel: 2.0,
            mouse_accel_style: style,
            ..settings()
        };
        accelerated((16.0, 0.0), 8.0, &settings)
    };
    assert_eq!(
        with(MouseAccelStyle::Linear),
        (16.0 * (5.0 + 2.0 * 2.0), 0.0)
    );
    assert_eq!(
        with(MouseAccelStyle::Power { offset: 4.0 }),
        (5.0 * (16.0 + 0.25 * 4.0), 0.0)
    );
}

#[test]
fn a_full_stick_runs_and_turns() {
    let mut input = Input::new(ClientTime(0));
    input.set_axis(1, -1.0);
    input.set_axis(2, -1.0);
    let usercmd = build(&mut input, 100);
    assert_eq!(usercmd.forward_move, 127);
    assert!(
        (input.view_angles().y - 72.0).abs() < 0.2,
        "{}",
        input.view_angles()
    );
}

#[test]
fn a_thumb_walks_as_far_as_it_pushes_and_turns_once() {
    let mut input = Input::new(ClientTime(0));
    input.push(0.5, 2.0);
    input.turn(90.0, 10.0);
    let cmd = build(&mut input, 10);
    assert_eq!((cmd.right_move, cmd.forward_move), (63, 127));
    let turned = cmd.angles;
    assert_eq!(turned[1], 16384);
    let cmd = build(&mut input, 20);
    assert_eq!((cmd.right_move, cmd.angles), (63, turned));
    input.push(0.0, 0.0);
    assert_eq!(build(&mut input, 30).forward_move, 0);
}

#[test]
fn a_captured_frame_talks() {
    let mut input = Input::new(ClientTime(0));
    let mut frame = UsercmdFrame {
        now: ClientTime(8),
        scaled_msec: 8,
        server_time: ServerTime(0),
        weapon: 0,
        sensitivity_scale: 1.0,
        is_captured: true,
        any_key_is_down: true,
    };
    assert_eq!(
        input.build_usercmd(&frame, &settings()).buttons,
        buttons::TALK
    );
    frame.is_captured = false;
    assert_eq!(
        input.build_usercmd(&frame, &settings()).buttons,
        buttons::ANY
    );
}
