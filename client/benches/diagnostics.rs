//! What looking on costs: the journal of a run and the inspector, beside a frame of the client without drawing.

#[path = "../tests/it/cl_sim.rs"]
#[expect(dead_code, reason = "tests need more")]
mod cl_sim;
#[path = "../tests/it/disk.rs"]
#[expect(dead_code, reason = "tests need more")]
mod disk;
#[path = "../tests/it/recorded.rs"]
#[expect(dead_code, reason = "tests need more")]
mod recorded;
#[path = "../tests/it/rig.rs"]
#[expect(dead_code, reason = "tests need more")]
mod rig;

use client::event::Event;
use recorded::FrameTimes;
use rig::Rig;
use std::time::Duration;

/// Turns of each kind, so that a slow minute falls on all.
const TURNS: usize = 5;
/// Frames of 10 ms in each.
const FRAMES: usize = 600;

fn main() {
    let mut rig = Rig::on_arena([1280, 720], &["skirmish strafe1 7"]);
    rig.run_until(3000, |rig| {
        let session = rig.client.status().session;
        session.is_some_and(|session| session.stats.snapshots > 200)
    });
    // Each is typed when the one before it is over.
    let looks = [
        ("closed", "inspector off"),
        ("open", "inspector"),
        ("held", "inspector hold"),
    ];
    let mut spent = looks.map(|_| Vec::new());
    for _ in 0..TURNS {
        for ((_, line), spent) in looks.iter().zip(&mut spent) {
            rig.frame(vec![Event::Command(format!("{line}\n"))]);
            rig.client.spent.clear();
            for frame in 0..FRAMES {
                rig.frame(vec![Event::MouseMotion {
                    dx: (frame % 7) as f32,
                    dy: 0.0,
                    at: rig.now(),
                }]);
            }
            spent.append(&mut rig.client.spent);
        }
    }
    for ((name, _), spent) in looks.iter().zip(&spent) {
        let mut frames: Vec<Duration> = spent.iter().map(|spent| spent.frame).collect();
        frames.sort_unstable();
        let at =
            |part: f64| frames[((frames.len() - 1) as f64 * part) as usize].as_secs_f64() * 1e6;
        println!(
            "inspector {name:6}: a frame p50 {:.0} µs, p99 {:.0} µs, mean {:.0} µs",
            at(0.5),
            at(0.99),
            sum(spent, |spent| spent.frame) / spent.len() as f64 * 1e6,
        );
    }
    let closed = &spent[0];
    let (frame, journal) = (
        sum(closed, |spent| spent.frame),
        sum(closed, |spent| spent.journal),
    );
    println!(
        "journal: {:.1} µs a frame with the inspector closed, {:.2} % of it; {:.0} bytes a minute",
        journal / closed.len() as f64 * 1e6,
        journal / frame * 100.0,
        rig.journal().len() as f64 / f64::from(rig.now().0) * 60_000.0,
    );
}

fn sum(spent: &[FrameTimes], part: impl Fn(&FrameTimes) -> Duration) -> f64 {
    spent.iter().map(part).sum::<Duration>().as_secs_f64()
}
