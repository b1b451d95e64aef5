//! The menus of the whole client, by keys: into a match, through the settings, and out again.

use crate::rig::Rig;
use client::{cl::State, con::keys, event::Event};
use shared::base::time::ClientTime;

/// Goes down to the row that is read so, and takes it.
fn take(rig: &mut Rig, row: &str) {
    let label = format!(". {row} ");
    for _ in 0..60 {
        if rig.spoken.contains(&label) {
            rig.press(keys::ENTER);
            return rig.frame(Vec::new());
        }
        rig.press(keys::DOWNARROW);
    }
    panic!("{row} is on no row; the last was {}", rig.spoken);
}

#[test]
fn one_gets_into_a_match_and_out_again_without_a_command() {
    let mut rig = Rig::new(&["set menu_map oa_dm1", "menu"]);
    rig.run_until(100, |rig| rig.spoken.starts_with("Strafe. Play"));
    take(&mut rig, "Play");
    take(&mut rig, "Match against bots");
    take(&mut rig, "Begin");
    rig.run_until_active();
    assert_eq!(rig.spoken, "", "the menus have gone");
    assert!(rig.grabs_mouse);
    rig.run_until(3000, |rig| {
        rig.printed.matches("entered the game").count() >= 3
    });

    rig.press(keys::ESCAPE);
    assert!(
        rig.spoken.starts_with("In the match. Resume"),
        "{}",
        rig.spoken
    );
    assert!(!rig.grabs_mouse, "the pointer is free for the menus");
    take(&mut rig, "Settings");
    take(&mut rig, "Network");
    take(&mut rig, "Without prediction");
    assert_eq!(rig.client.cvars().text("cg_nopredict"), "1");
    for _ in 0..3 {
        rig.press(keys::ESCAPE);
    }
    assert!(rig.grabs_mouse, "the game goes on: {}", rig.spoken);

    rig.press(keys::ESCAPE);
    take(&mut rig, "Leave the match");
    rig.run_until(10, |rig| rig.client.state() == State::Disconnected);
}

#[test]
fn a_key_that_was_chosen_moves_the_player_and_lasts() {
    let mut rig = Rig::new(&["map oa_dm1"]);
    rig.run_until_active();
    rig.press(keys::ESCAPE);
    take(&mut rig, "Settings");
    take(&mut rig, "Keys");
    take(&mut rig, "Forward");
    rig.press(u16::from(b'k'));
    let config = rig.stored.last().expect("the config is stored");
    assert!(config.contains("bind k \"+forward\""), "{config}");
    rig.press(keys::ESCAPE);
    rig.press(keys::ESCAPE);
    rig.press(keys::ESCAPE);
    rig.run(100);
    let origin = |rig: &Rig| rig.client.status().session.map(|session| session.origin);
    let before = origin(&rig);
    rig.frame(vec![Event::Key {
        key: u16::from(b'k'),
        is_down: true,
        is_repeat: false,
        at: ClientTime(0),
    }]);
    rig.run(50);
    assert_ne!(before, origin(&rig));
}
