//! A demo through the whole client: asked for in the console, loaded, shown, and over.

use crate::{cl_captures::unpacked, rig::Rig};
use client::{cl::State, event::Event};

#[test]
fn a_demo_is_asked_for_played_and_over() {
    let mut rig = Rig::new(&[
        "set timedemo 1",
        "set nextdemo \"echo next one\"",
        "demo four",
    ]);
    rig.run_until(10, |rig| rig.asked_for == ["four"]);
    rig.frame(vec![Event::DemoRead {
        name: "four".into(),
        bytes: Some(unpacked("demos/suspended-play.dm_71.gz")),
    }]);
    rig.run_until(5000, |rig| rig.client.state() == State::Active);
    let status = rig.client.status();
    assert_eq!(status.map, "oa_ctf2");
    assert!(status.error.is_none(), "{status:?}");
    rig.run_until(5000, |rig| rig.client.state() == State::Disconnected);
    assert!(rig.printed.contains("The demo is over."), "{}", rig.printed);
    assert!(rig.printed.contains(" fps"), "{}", rig.printed);
    rig.run_until(3, |rig| rig.printed.contains("next one"));
}

#[test]
fn a_demo_that_nobody_has_is_named() {
    let mut rig = Rig::new(&["demo nosuch"]);
    rig.run_until(10, |rig| !rig.asked_for.is_empty());
    rig.frame(vec![Event::DemoRead {
        name: "nosuch".into(),
        bytes: None,
    }]);
    rig.run_until(1000, |rig| rig.printed.contains("demo nosuch: there is no"));
}
