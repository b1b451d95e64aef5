//! Runs are had again from their journals, frame by frame; what is not as it was is found.

use crate::{
    cl_sim::{IOQUAKE3, SimServer},
    disk::Disk,
    recorded,
    rig::Rig,
};
use client::{
    app::rerun::Rerun,
    cl::State,
    client::Client,
    con::keys,
    event::Event,
    journal::{Replay, ReplayError},
};
use shared::base::{rng::Rng, time::ClientTime};
use std::cell::Cell;

/// A match against bots on the arena over a bad line, with somebody who presses keys without plan.
fn played(commands: &[&str], frames: usize) -> Rig {
    let mut rig = Rig::on_arena([640, 480], commands);
    let rng = &mut Rng::new(5);
    for _ in 0..frames {
        let at = rig.now();
        let events = match rng.below(12) {
            0 => {
                let keys = [b'w', b'a', b's', b'd', b' ', b'2', b't'];
                let key = u16::from(keys[rng.below(keys.len())]);
                let is_down = rng.below(2) == 0;
                vec![Event::Key {
                    key,
                    is_down,
                    is_repeat: false,
                    at,
                }]
            }
            1..4 => vec![Event::MouseMotion {
                dx: rng.below(200) as f32 - 100.0,
                dy: rng.below(20) as f32 - 10.0,
                at,
            }],
            4 => vec![Event::Command("+attack\n".to_owned())],
            5 => vec![Event::Command("-attack; cmd score\n".to_owned())],
            _ => Vec::new(),
        };
        rig.frame(events);
    }
    rig
}

/// Replays a journal of a rig on the arena.
fn replay(journal: &[u8], meddle: impl FnMut(&Replay, &mut Client)) -> Result<u64, ReplayError> {
    let mut disk = Disk::arena().0;
    recorded::replay(journal, |part| disk.read(&part.request), meddle)
}

#[test]
fn a_match_is_had_again_from_its_journal() {
    let rig = played(&["skirmish strafe1 3"], 1500);
    let frames = replay(rig.journal(), |_, _| {});
    // The first frame is that of the rig's start.
    assert_eq!(frames, Ok(1501));
    let seconds = f64::from(rig.now() - ClientTime(0)) / 1000.0;
    let bytes_a_minute = rig.journal().len() as f64 / seconds * 60.0;
    assert!(bytes_a_minute < 1e6, "{bytes_a_minute} bytes a minute");
}

#[test]
fn a_bad_line_map_changes_and_restarts_are_had_again() {
    let lines = ["set net_delay 40", "set net_jitter 20", "set net_loss 10"];
    let mut rig = played(&[&lines[..], &["skirmish strafe1 2"]].concat(), 500);
    for line in ["map_restart", "lab", "disconnect", "skirmish strafe1 1"] {
        rig.command(line);
        rig.run(300);
    }
    assert_eq!(replay(rig.journal(), |_, _| {}), Ok(500 + 1 + 4 * 301));
}

/// A run that is watched, with what it reads.
struct Watched {
    rerun: Rerun,
    client: Client,
    disk: Disk,
    at: f64,
}

impl Watched {
    fn open(journal: &[u8]) -> Self {
        let (rerun, client) = Rerun::open(journal.into()).expect("a journal");
        let (disk, found) = Disk::arena();
        let mut watched = Self {
            rerun,
            client,
            disk,
            at: 0.0,
        };
        for source in found {
            watched.rerun.take(Event::SourceFound(source));
        }
        watched
    }

    fn press(&mut self, key: u16) {
        let pressed = Event::Key {
            key,
            is_down: true,
            is_repeat: false,
            at: ClientTime(0),
        };
        self.obey(pressed);
    }

    fn obey(&mut self, event: Event) {
        if (self.rerun).obey(&mut self.client, vec![event], &mut Vec::new()) {
            self.client = self.rerun.begin();
        }
    }

    /// One picture; a frame of the run takes a millisecond. True if more is to come.
    fn picture(&mut self) -> bool {
        let at = Cell::new(self.at);
        let (_, reads) = self.rerun.frame(&mut self.client, || {
            at.set(at.get() + 1.0);
            at.get()
        });
        self.at = at.get();
        let is_coming = !reads.is_empty() || !self.rerun.is_paused();
        for read in reads {
            let result = self.disk.read(&read);
            self.rerun.take(Event::FileRead {
                id: read.id,
                result,
            });
        }
        is_coming
    }

    /// Makes pictures until what was wanted is shown; gives how many it took.
    fn come_to_rest(&mut self) -> usize {
        1 + (0..10_000).take_while(|_| self.picture()).count()
    }

    fn state(&self) -> Vec<String> {
        self.client.state_lines()
    }
}

#[test]
fn a_watched_run_goes_back_soon_and_is_what_it_was() {
    let rig = played(
        &["set net_delay 30; set net_jitter 10", "skirmish strafe1 3"],
        3600,
    );
    let mut watched = Watched::open(rig.journal());
    watched.press(keys::SPACE);
    let mut seen = Vec::new();
    for _ in 0..3 {
        watched.press(keys::PGDN);
        watched.come_to_rest();
        seen.push(watched.state());
    }
    assert!(seen[0].len() > 5, "{:?}", seen[0]);
    assert_ne!(seen[0], seen[1]);
    watched.press(b'.'.into());
    watched.come_to_rest();
    assert_ne!(watched.state(), seen[2]);
    watched.press(b','.into());
    // Some seconds of play from the keyframe before it, a millisecond a frame and thirty in a picture; from the
    // beginning it would be a hundred pictures.
    let pictures = watched.come_to_rest();
    assert!(pictures < 30, "{pictures} pictures for one snapshot back");
    assert_eq!(watched.state(), seen[2]);
    for before in [&seen[1], &seen[0]] {
        watched.press(keys::PGUP);
        watched.come_to_rest();
        assert_eq!(&watched.state(), before);
    }
    watched.press(b'n'.into());
    // A setting that is kept: that it is stored is no difference.
    watched.obey(Event::Command("set cg_crosshairSize 30\n".to_owned()));
    watched.press(keys::LEFTARROW);
    watched.come_to_rest();
    assert!(
        watched.client.cvars().is_on("cg_nopredict"),
        "the change is lost on the way back"
    );
    watched.press(keys::UPARROW);
    watched.press(keys::SPACE);
    for _ in 0..3000 {
        watched.at += 100.0;
        watched.picture();
    }
    assert_eq!(
        watched.rerun.end(),
        Some("The run ends here; all was the same.")
    );
}

#[test]
fn what_comes_from_elsewhere_is_found() {
    let rig = played(&["skirmish strafe1 1"], 600);
    let mut is_done = false;
    let found = replay(rig.journal(), |replay, client| {
        if replay.frames() == 400 && !is_done {
            is_done = true;
            // As if something looked at a clock of its own.
            client.pump_files(vec![Event::Command("set cg_fov 91\n".to_owned())]);
        }
    });
    let Err(ReplayError::Differs { frame, msec, parts }) = found else {
        panic!("{found:?}");
    };
    assert_eq!((frame, msec), (401, 4010));
    assert!(parts.contains(&"camera"), "{parts:?}");
}

#[test]
fn damaged_journals_are_refused_with_the_place() {
    let rig = played(&["skirmish strafe1 1"], 100);
    let journal = rig.journal();
    assert_eq!(replay(b"PK", |_, _| {}), Err(ReplayError::NoJournal));
    let cut = replay(&journal[..journal.len() - 1], |_, _| {});
    assert!(
        matches!(cut, Err(ReplayError::Damaged { at, .. }) if at > journal.len() / 2),
        "{cut:?}"
    );
    let rng = &mut Rng::new(3);
    let mut refused = 0;
    for _ in 0..40 {
        let mut damaged = journal.to_vec();
        let at = 200 + rng.below(damaged.len() - 200);
        damaged[at] ^= 1 << rng.below(8);
        refused += usize::from(replay(&damaged, |_, _| {}).is_err());
    }
    // A bit of a pointer that nobody looks at changes nothing.
    assert!(refused > 30, "{refused} of 40");
}

#[test]
fn a_map_that_changes_while_pieces_get_lost_is_had_again() {
    let mut rig = played(&["set net_delay 30", "skirmish strafe1 2"], 400);
    rig.command("set net_loss 40\nmap strafe_field");
    rig.run(600);
    rig.command("set net_loss 0");
    rig.run_until(2000, |rig| {
        let status = rig.client.status();
        status
            .session
            .is_some_and(|session| session.map == "strafe_field")
            && rig.client.state() == State::Active
    });
    let outcome = replay(rig.journal(), |_, _| {});
    assert!(outcome.is_ok(), "{outcome:?}");
}

#[test]
fn a_clock_that_turns_over_is_had_again() {
    let start = ClientTime(i32::MAX - 5000);
    let mut rig = Rig::on_arena_at(start, [320, 180], &["skirmish strafe1 1"]);
    let snapshots = |rig: &Rig| {
        let session = rig.client.status().session;
        session.map_or(0, |session| session.stats.snapshots)
    };
    rig.run(600);
    assert!(rig.now().0 < 0, "the clock has not turned over yet");
    let before = snapshots(&rig);
    rig.run(400);
    assert!(
        snapshots(&rig) >= before + 60,
        "{before}, {}",
        snapshots(&rig)
    );
    assert_eq!(replay(rig.journal(), |_, _| {}), Ok(1001));
}

#[test]
fn a_connection_that_goes_on_in_another_run_is_had_again() {
    let mut server = SimServer::new(IOQUAKE3);
    server.load_map("strafe1");
    let connect = ["connect sim:27960"];
    let mut first = Rig::on_arena([320, 180], &connect);
    first.server = Some(server);
    first.run_until(2000, |rig| rig.client.state() == State::Active);
    let resume_state = first.client.resume_state();
    let mut second = Rig::on_arena_at(first.now(), [320, 180], &[]);
    second.server = first.server.take();
    second.resume_state = resume_state;
    assert!(second.resume_state.is_some());
    second.command(connect[0]);
    second.run_until(2000, |rig| rig.client.state() == State::Active);
    let connects = second.server.as_ref().map(|server| server.connects.len());
    assert_eq!(connects, Some(1), "it has joined anew");
    for rig in [&first, &second] {
        let outcome = replay(rig.journal(), |_, _| {});
        assert!(outcome.is_ok(), "{outcome:?}");
    }
}
