//! A demo through the whole client: asked for in the console, loaded, shown, and over.

use crate::disk::Disk;
use client::{
    cl::State,
    client::{Client, ClientSetup},
    event::Event,
    output::Request,
};
use flate2::read::GzDecoder;
use shared::base::time::ClientTime;
use std::{fs, io::Read, path::Path};

fn demo() -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/tests/data/demos/suspended-play.dm_71.gz");
    let packed = fs::read(path).expect("a demo of the tests");
    let mut bytes = Vec::new();
    GzDecoder::new(&packed[..])
        .read_to_end(&mut bytes)
        .expect("it unpacks");
    bytes
}

struct Rig {
    client: Client,
    disk: Disk,
    now: i32,
    printed: String,
    asked_for: Vec<String>,
}

impl Rig {
    fn new(commands: &[&str]) -> Self {
        let setup = ClientSetup {
            seed: 1,
            config: None,
            history: None,
            autoexec: None,
            guid: "0123456789ABCDEF0123456789ABCDEF".into(),
            commands: commands.iter().map(|line| format!("{line}\n")).collect(),
            before_start_msec: 0.0,
        };
        let (disk, found) = Disk::openarena();
        let mut rig = Self {
            client: Client::new(setup, ClientTime(0)),
            disk,
            now: 0,
            printed: String::new(),
            asked_for: Vec::new(),
        };
        let mut events: Vec<Event> = found.into_iter().map(Event::SourceFound).collect();
        events.push(Event::SourcesComplete);
        events.push(Event::Resized {
            width: 640,
            height: 480,
        });
        rig.frame(events);
        rig
    }

    /// One frame of 10 ms; what it asks for is answered before the next.
    fn frame(&mut self, events: Vec<Event>) {
        self.now += 10;
        let output = self.client.frame(ClientTime(self.now), events);
        self.printed.push_str(&output.printed.concat());
        let mut requests = output.requests;
        while !requests.is_empty() {
            let mut answers = Vec::new();
            for request in requests {
                match request {
                    Request::Read(read) => answers.push(Event::FileRead {
                        id: read.id,
                        result: self.disk.read(&read),
                    }),
                    Request::ReadDemo { name } => self.asked_for.push(name),
                    _ => {}
                }
            }
            requests = self.client.pump_files(answers).0;
        }
    }

    fn run_until(&mut self, frames: usize, is_reached: impl Fn(&Self) -> bool) {
        for _ in 0..frames {
            if is_reached(self) {
                return;
            }
            self.frame(Vec::new());
        }
        panic!(
            "not reached in {frames} frames; it stands at {:?}\n{}",
            self.client.status(),
            self.printed
        );
    }
}

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
        bytes: Some(demo()),
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
