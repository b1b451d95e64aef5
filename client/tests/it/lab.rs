//! The lab: it opens, both sides play what the player does, and it ends without a trace.

use crate::rig::Rig;
use client::{
    cl::State,
    con::keys,
    event::Event,
    lab::{LabStatus, SideStatus},
    scene::Refdef,
};

/// The lab on a page, with both sides in the game.
fn opened(page: &str) -> Rig {
    let mut rig = Rig::on_arena([1280, 720], &[&format!("lab {page}")]);
    rig.run_until(6000, |rig| {
        rig.client.state() == State::Active && world_views(rig).len() == 2
    });
    rig
}

fn world_views(rig: &Rig) -> Vec<&Refdef> {
    let views = rig.scene.views.iter();
    views.filter(|view| view.has_world).collect()
}

fn status(rig: &Rig) -> LabStatus {
    rig.client.status().lab.expect("the lab is open")
}

fn sides(rig: &Rig) -> [SideStatus; 2] {
    status(rig).sides
}

/// How far the player of each side is shown to have moved since.
fn moved(rig: &Rig, since: &[SideStatus; 2]) -> [f32; 2] {
    let now = sides(rig);
    [0, 1].map(|side: usize| now[side].origin.distance(since[side].origin))
}

#[test]
fn both_sides_play_what_the_player_does() {
    let mut rig = opened("1");
    rig.command("lab walk");
    rig.run(100);
    let before = sides(&rig);
    rig.command("+forward");
    rig.run(10);
    let [predicted, unpredicted] = moved(&rig, &before);
    assert!(predicted > 5.0, "A moves at once: {predicted}");
    assert!(unpredicted < 1.0, "B waits 200 ms: {unpredicted}");
    rig.run(30);
    assert!(moved(&rig, &before)[1] > 20.0, "then it moves as well");
    rig.command("-forward");
    rig.run(200);
    let [a, b] = sides(&rig);
    assert!(a.origin.distance(b.origin) < 4.0, "{a:?} {b:?}");
    assert!(a.figures.own_age_msec < 15.0, "{a:?}");
    assert!((190.0..270.0).contains(&b.figures.own_age_msec), "{b:?}");
    assert_eq!([a.counts.lost_usercmds, b.counts.lost_usercmds], [0, 0]);
    assert_eq!(a.figures.missed, 0, "{a:?}");
}

#[test]
fn sides_with_equal_settings_give_equal_views() {
    let mut rig = opened("1");
    rig.command("lab set cg_nopredict 0");
    rig.command("lab set net_loss 5");
    rig.command("lab again");
    rig.run(400);
    let mut compared = 0;
    for _ in 0..300 {
        rig.frame(Vec::new());
        let views = world_views(&rig);
        let [a, b] = views[..] else {
            panic!("{} views", views.len());
        };
        assert_eq!((a.eye, a.axis, a.time_msec), (b.eye, b.axis, b.time_msec));
        assert_eq!(a.entities.len(), b.entities.len());
        compared += 1;
    }
    assert_eq!(compared, 300);
    let [a, b] = sides(&rig);
    assert_eq!(a.counts, b.counts);
    assert!(a.counts.lost_snapshots > 0, "{a:?}");
}

#[test]
fn repeats_save_what_single_packets_lose() {
    let mut rig = opened("6");
    rig.run(1500);
    let [once, repeated] = sides(&rig);
    assert!(once.counts.lost_usercmds > 10, "{once:?}");
    assert_eq!(repeated.counts.lost_usercmds, 0, "{repeated:?}");
    assert!(once.counts.lost_packets > 20 && repeated.counts.lost_packets > 20);
    assert!(repeated.figures.bytes[0] > once.figures.bytes[0]);
    assert!(repeated.figures.bytes[0] < 3 * once.figures.bytes[0]);
}

#[test]
fn what_is_traced_is_what_the_server_executes() {
    let mut rig = opened("6");
    rig.run(100);
    for _ in 0..600 {
        rig.frame(Vec::new());
        for side in sides(&rig) {
            assert_eq!(side.executed_until, side.server_command_time, "{side:?}");
        }
    }
}

#[test]
fn the_two_lines_of_the_second_page_differ() {
    let mut rig = opened("2");
    rig.run(1000);
    let [good, bad] = sides(&rig);
    assert!(good.figures.ping_msec < 70, "{good:?}");
    assert!(bad.figures.ping_msec > 145, "{bad:?}");
    assert_eq!(good.counts.lost_snapshots, 0);
    assert!(bad.counts.lost_snapshots > 0);
    assert!(bad.figures.bytes[1] < 4500, "the rate holds: {bad:?}");
}

#[test]
fn pages_turn_and_sliders_move_by_keys() {
    let mut rig = opened("1");
    rig.press(keys::PGUP);
    assert_eq!(status(&rig).page, 6);
    rig.press(keys::PGDN);
    assert_eq!(status(&rig).page, 1);
    rig.press(keys::RIGHTARROW);
    assert_eq!(
        status(&rig).values("net_delayUp"),
        ["100", "100"],
        "the game has the keys"
    );
    rig.press(keys::TAB);
    rig.press(keys::RIGHTARROW);
    assert_eq!(
        status(&rig).values("net_delayUp"),
        ["150", "150"],
        "one line"
    );
    rig.press(keys::UPARROW);
    rig.press(keys::RIGHTARROW);
    assert_eq!(
        status(&rig).values("cg_thirdPerson"),
        ["1", "1"],
        "it is at its end"
    );
    rig.press(keys::LEFTARROW);
    assert_eq!(status(&rig).values("cg_thirdPerson"), ["0", "1"]);
    rig.run(50);
    assert_eq!(rig.client.cvars().text("cg_thirdPerson"), "0");
    assert_eq!(
        rig.client.cvars().text("net_delayUp"),
        "",
        "the player's own are untouched"
    );
}

#[test]
fn sliders_follow_the_mouse() {
    let mut rig = opened("1");
    rig.press(keys::TAB);
    let at = rig.now();
    // Into the upper left corner, then onto the first slider's right end.
    let corner = Event::MouseMotion {
        dx: -9999.0,
        dy: -9999.0,
        at,
    };
    let [x, y, width, height] = status(&rig).first_slider;
    let there = Event::MouseMotion {
        dx: x + width - 2.0,
        dy: y + height / 2.0,
        at,
    };
    let key = |is_down| Event::Key {
        key: keys::MOUSE1,
        is_down,
        is_repeat: false,
        at,
    };
    rig.frame(vec![corner, there, key(true)]);
    assert_eq!(status(&rig).values("net_delayUp"), ["300", "300"]);
    let back = |dx| Event::MouseMotion { dx, dy: 0.0, at };
    rig.frame(vec![back(-9999.0), key(false), back(500.0)]);
    assert_eq!(status(&rig).values("net_delayUp"), ["0", "0"], "it let go");
}

#[test]
fn the_lab_ends_by_command_key_and_another_map() {
    let mut rig = opened("4");
    rig.command("lab off");
    rig.run_until(3, |rig| rig.client.state() == State::Disconnected);
    assert!(rig.client.status().lab.is_none());
    rig.command("lab 3");
    rig.run_until(3000, |rig| world_views(rig).len() == 2);
    assert_eq!(status(&rig).page, 3);
    rig.press(keys::ESCAPE);
    rig.run_until(3, |rig| rig.client.state() == State::Disconnected);
    rig.command("lab");
    rig.run_until(3000, |rig| world_views(rig).len() == 2);
    rig.command("map strafe1");
    rig.run_until_active();
    rig.run(20);
    assert!(rig.client.status().lab.is_none());
    assert_eq!(world_views(&rig).len(), 1);
    assert_eq!(rig.sent, 0, "nothing went to a network");
}

#[test]
fn predicted_others_are_nearer_to_where_they_are() {
    let mut rig = opened("4");
    rig.run(400);
    let mut sums = [0.0; 2];
    for _ in 0..2000 {
        rig.frame(Vec::new());
        for (sum, side) in sums.iter_mut().zip(sides(&rig)) {
            *sum += side.figures.others_off;
        }
    }
    let [shown_late, predicted] = sums.map(|sum| sum / 2000.0);
    assert!(predicted < shown_late * 0.7, "{shown_late} {predicted}");
}
