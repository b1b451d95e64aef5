//! Made faults, and what `whylag` says of them.

use crate::rig::Rig;
use client::event::{Event, Hops, Transport};

/// A match over a line of 40 ms each way, as it is most of the time.
fn playing(seed: u32) -> Rig {
    let seed = format!("set net_seed {seed}");
    let mut rig = Rig::on_arena(
        [320, 180],
        &[
            &seed,
            "set net_delay 40",
            "set net_jitter 4",
            "skirmish strafe1 2",
        ],
    );
    rig.run_until_snapshots(60);
    rig
}

/// The same in the lab, where the player comes over a network, so that the rate counts.
fn in_lab(seed: u32) -> Rig {
    let seed = format!("set net_seed {seed}");
    let mut rig = Rig::on_arena([320, 180], &[&seed, "lab 3"]);
    rig.run_until_snapshots(60);
    rig
}

/// Lets a fault happen and pass, and gives the causes of the gaps that came of it.
fn causes(rig: &mut Rig, fault: impl FnOnce(&mut Rig)) -> Vec<String> {
    rig.command("clear");
    let before = told(rig).len();
    fault(rig);
    rig.run(300);
    told(rig).split_off(before)
}

/// The cause of each gap so far.
fn told(rig: &mut Rig) -> Vec<String> {
    rig.printed.clear();
    rig.command("whylag");
    let gaps = rig
        .printed
        .lines()
        .filter_map(|line| line.split_once(" ms  "));
    gaps.map(|(_, rest)| {
        rest.split("  ")
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    })
    .collect()
}

/// Whether there were gaps, and each of this cause.
fn is_all(causes: &[String], name: &str) -> bool {
    !causes.is_empty() && causes.iter().all(|cause| cause == name)
}

/// Bad for so many frames, then as before.
fn spell(rig: &mut Rig, bad: &str, frames: usize, good: &str) {
    rig.command(bad);
    rig.run(frames);
    rig.command(good);
}

#[test]
fn made_faults_are_called_by_their_names() {
    for seed in 1..=3 {
        name_made_faults(seed);
    }
}

fn name_made_faults(seed: u32) {
    let mut rig = playing(seed);
    let quiet = causes(&mut rig, |_| {});
    assert!(quiet.is_empty(), "{quiet:?}");
    let of_spell = |rig: &mut Rig, bad: &str, frames: usize, good: &str| {
        causes(rig, |rig| spell(rig, bad, frames, good))
    };
    let lossy = "set net_loss 100; set net_lossUp 0";
    let burst = of_spell(&mut rig, lossy, 25, "set net_loss 0");
    assert_eq!(burst, ["burst of losses"]);
    let loss = of_spell(&mut rig, lossy, 5, "set net_loss 0");
    assert_eq!(loss, ["loss"]);
    let slow = "set net_delay 300; set net_delayUp 40";
    let late = of_spell(&mut rig, slow, 5, "set net_delay 40");
    assert_eq!(late, ["held up on the way"]);
    let deaf = of_spell(&mut rig, "set net_lossUp 100", 40, "set net_lossUp 0");
    assert_eq!(deaf, ["own upload"]);
    let narrow = "set net_rate 1500; set net_rateUp 0";
    let queue = of_spell(&mut rig, narrow, 300, "set net_rate 0");
    assert!(is_all(&queue, "queue on the line"), "{queue:?}");
    // The queue has filled the list of the newest gaps.
    let mut rig = playing(seed);
    let stuck = causes(&mut rig, |rig| rig.frame_of(400, Vec::new()));
    assert_eq!(stuck, ["own frame"]);
    let asleep = causes(&mut rig, |rig| {
        rig.frame(vec![Event::Hidden(true)]);
        rig.frame_of(1000, Vec::new());
        rig.frame(vec![Event::Hidden(false)]);
    });
    assert_eq!(asleep, ["hidden page"]);
    let moved = causes(&mut rig, |rig| {
        rig.command(lossy);
        for frame in 0..30 {
            let transport = Transport::WebSocket;
            let moves = (frame == 20).then_some(Event::LinkMoved { transport });
            rig.frame(moves.into_iter().collect());
        }
        rig.command("set net_loss 0");
    });
    assert_eq!(moved, ["change of path"]);
    let timed = |relay_msec| {
        Event::LinkTimed(Hops {
            relay_msec,
            server_msec: Some(1.0),
        })
    };
    let relay = causes(&mut rig, |rig| {
        for _ in 0..10 {
            rig.frame(vec![timed(8.0)]);
        }
        rig.command(slow);
        rig.frame(vec![timed(270.0)]);
        spell(rig, "", 4, "set net_delay 40");
        rig.run(40);
        rig.frame(vec![timed(8.0)]);
    });
    assert_eq!(relay, ["way to the relay"]);
    let stalled = of_spell(&mut rig, "set sv_fps 4", 100, "set sv_fps 20");
    assert!(is_all(&stalled, "server"), "{stalled:?}");
    let mut rig = in_lab(seed);
    let slow = "lab set rate 3000 a";
    let poor = of_spell(&mut rig, slow, 300, "lab set rate 25000 a");
    assert!(is_all(&poor, "rate"), "{poor:?}");
}
