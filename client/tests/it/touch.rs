//! The whole client by fingers alone: walking, looking, firing, menus, and typing.
#![allow(
    clippy::disallowed_methods,
    reason = "what measures is no part of a frame"
)]

use crate::rig::Rig;
use client::event::{Event, TouchPhase};

const SCREEN: [u32; 2] = [844, 390];

fn touch(rig: &mut Rig, id: u64, phase: TouchPhase, [x, y]: [f32; 2]) {
    let at = rig.now();
    rig.frame(vec![Event::Touch {
        id,
        phase,
        x,
        y,
        at,
    }]);
}

fn tap(rig: &mut Rig, at: [f32; 2]) {
    touch(rig, 9, TouchPhase::Began, at);
    touch(rig, 9, TouchPhase::Ended, at);
    rig.run(5);
}

/// The middle of what a cvar places.
fn button(rig: &Rig, cvar: &str) -> [f32; 2] {
    let numbers: Vec<f32> = (rig.client.cvars().text(cvar).split(' '))
        .map(|number| number.parse().expect("a number"))
        .collect();
    [numbers[0] * 8.44, numbers[1] * 3.9]
}

fn playing() -> Rig {
    let mut rig = Rig::on_arena(SCREEN, &["map strafe_field"]);
    rig.run_until_active();
    rig.run(100);
    rig
}

fn origin(rig: &Rig) -> [f32; 3] {
    let session = rig.client.status().session.expect("a match");
    session.origin
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

#[test]
fn the_left_thumb_walks_and_stops() {
    let mut rig = playing();
    let before = origin(&rig);
    touch(&mut rig, 1, TouchPhase::Began, [150.0, 250.0]);
    touch(&mut rig, 1, TouchPhase::Moved, [150.0, 100.0]);
    rig.run(100);
    let walked = distance(origin(&rig), before);
    assert!(walked > 150.0, "{walked}");
    touch(&mut rig, 1, TouchPhase::Ended, [150.0, 100.0]);
    rig.run(100);
    let stopped = origin(&rig);
    rig.run(50);
    assert!(distance(origin(&rig), stopped) < 1.0);
}

#[test]
fn the_right_thumb_looks_and_buttons_act() {
    let mut rig = playing();
    let forward = |rig: &Rig| rig.scene.views.first().map(|view| view.axis[0]);
    let before = forward(&rig).expect("a view");
    touch(&mut rig, 2, TouchPhase::Began, [600.0, 120.0]);
    touch(&mut rig, 2, TouchPhase::Moved, [680.0, 120.0]);
    rig.run(5);
    let after = forward(&rig).expect("a view");
    let turned = before.dot(after).clamp(-1.0, 1.0).acos().to_degrees();
    // 80 pixels of 390, at 220 degrees for the height.
    assert!((40.0..50.0).contains(&turned), "{turned}");
    touch(&mut rig, 2, TouchPhase::Ended, [680.0, 120.0]);
    let up = origin(&rig)[2];
    let jump = button(&rig, "touch_jump");
    touch(&mut rig, 3, TouchPhase::Began, jump);
    let mut highest = up;
    for _ in 0..40 {
        rig.frame(Vec::new());
        highest = highest.max(origin(&rig)[2]);
    }
    touch(&mut rig, 3, TouchPhase::Ended, jump);
    assert!(highest > up + 20.0, "{highest} from {up}");
    rig.frame(vec![Event::Turned {
        yaw: 45.0,
        pitch: f32::NAN,
    }]);
}

#[test]
fn menus_go_by_taps_and_slides() {
    let mut rig = playing();
    let menu = button(&rig, "touch_menu");
    tap(&mut rig, menu);
    assert!(rig.spoken.starts_with("In the match."), "{}", rig.spoken);
    // Settings is the fifth row below the title, and each as high as a thumb is wide.
    let unit = SCREEN[1] as f32 / 400.0;
    tap(&mut rig, [200.0, (62.0 + 44.0 * 4.5) * unit]);
    assert!(rig.spoken.starts_with("Settings."), "{}", rig.spoken);
    let before = rig.spoken.clone();
    touch(&mut rig, 1, TouchPhase::Began, [200.0, 250.0]);
    touch(&mut rig, 1, TouchPhase::Moved, [200.0, 150.0]);
    touch(&mut rig, 1, TouchPhase::Ended, [200.0, 150.0]);
    assert_ne!(rig.spoken, before, "a slide goes on, and is no tap");
    assert!(rig.spoken.starts_with("Settings."), "{}", rig.spoken);
    // The title leads back, and out.
    tap(&mut rig, [200.0, 30.0]);
    assert!(rig.spoken.starts_with("In the match."), "{}", rig.spoken);
    tap(&mut rig, [200.0, 30.0]);
    assert_eq!(rig.spoken, "");
}

#[test]
fn what_the_system_takes_away_is_no_tap() {
    let mut rig = playing();
    let menu = button(&rig, "touch_menu");
    tap(&mut rig, menu);
    let before = rig.spoken.clone();
    touch(&mut rig, 1, TouchPhase::Began, [200.0, 30.0]);
    touch(&mut rig, 1, TouchPhase::Cancelled, [200.0, 30.0]);
    rig.frame(Vec::new());
    assert_eq!(rig.spoken, before, "the title leads nowhere");
    tap(&mut rig, [200.0, 30.0]);
    assert_eq!(rig.spoken, "");
    // A button is let go.
    let jump = button(&rig, "touch_jump");
    touch(&mut rig, 2, TouchPhase::Began, jump);
    touch(&mut rig, 2, TouchPhase::Cancelled, jump);
    rig.run(100);
    let up = origin(&rig)[2];
    rig.run(50);
    assert!((origin(&rig)[2] - up).abs() < 1.0, "no more jumps");
}

#[test]
fn chat_asks_for_letters_and_is_left_by_a_touch() {
    let mut rig = playing();
    let chat = button(&rig, "touch_chat");
    tap(&mut rig, chat);
    assert!(rig.wants_text);
    tap(&mut rig, [420.0, 200.0]);
    assert!(!rig.wants_text);
}
