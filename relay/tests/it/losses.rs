//! A path to a browser that loses packets: what repeats mend, and that there are none elsewhere.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use relay::Relay;
use tokio::time::sleep;

use crate::abuse::count;
use crate::transport::{Page, Quality};
use crate::world::{Seat, Server, listed, oob};

/// Enough for the relay to see what the path is like, and then those that count.
const FIRST: u32 = 80;
const COUNTED: u32 = 120;
/// No snapshot and its repeat are so far from each other.
const LOST_ONE_IN: u32 = 7;
const LARGE: usize = 1396;

/// A player in the match of one server, over a line that can be bad.
struct World {
    server: Server,
    relay: Relay,
    page: Page,
    seat: Seat,
    line: std::sync::Arc<Quality>,
}

impl World {
    async fn build(options: &[&str]) -> Self {
        let (server, relay) = listed(options).await;
        let (page, seat, line) = Page::enter_by_line(&relay, &server).await;
        Self {
            server,
            relay,
            page,
            seat,
            line,
        }
    }

    /// The server sends snapshots, every fifth of them a large one; yields how often each packet of
    /// those that count came, by the snapshot's number and by which half it is.
    async fn play(&self) -> BTreeMap<(u32, u8), u32> {
        let last = FIRST + COUNTED;
        let sending = async {
            for sequence in 1..=last {
                let size = if sequence % 5 == 0 { LARGE } else { 100 };
                let payload = vec![sequence as u8; size];
                let sent = self.server.send_channel(self.seat, sequence, &payload);
                sent.await;
                sleep(Duration::from_millis(20)).await;
            }
            // Whatever is under way arrives before this.
            sleep(Duration::from_millis(200)).await;
            self.line.lost_one_in.store(0, Ordering::Relaxed);
            self.server.send(&oob("disconnect"), self.seat.from).await;
        };
        let hearing = async {
            let mut came = BTreeMap::new();
            let mut large = BTreeMap::new();
            loop {
                let packet = self.page.receive().await;
                let (head, payload) = (packet[0], &packet[1..]);
                if payload == oob("disconnect") {
                    return came;
                }
                // A second half has no number of its own, but is full of it.
                let sequence = match head & 0x81 {
                    0x81 => *large.get(&(head & !1)).unwrap_or(&u32::from(payload[0])),
                    _ => u32::from_le_bytes(payload[..4].try_into().unwrap()),
                };
                if head & 0x81 == 0x80 {
                    large.insert(head, sequence);
                }
                if sequence > FIRST {
                    *came.entry((sequence, head & 1)).or_default() += 1;
                }
            }
        };
        tokio::join!(sending, hearing).1
    }
}

/// The packets that should come.
fn expected() -> BTreeSet<(u32, u8)> {
    let numbers = FIRST + 1..=FIRST + COUNTED;
    let seconds = numbers.clone().filter(|sequence| sequence % 5 == 0);
    let firsts = numbers.map(|sequence| (sequence, 0));
    firsts
        .chain(seconds.map(|sequence| (sequence, 1)))
        .collect()
}

#[tokio::test]
async fn a_path_that_loses_packets_loses_hardly_a_snapshot() {
    let world = World::build(&[]).await;
    world.line.lost_one_in.store(LOST_ONE_IN, Ordering::Relaxed);
    let came = world.play().await;
    // On a machine that stands still for a moment a repeat can come too late to be sent.
    let mut lost = expected();
    lost.retain(|packet| !came.contains_key(packet));
    assert!(lost.len() <= 2, "{lost:?}");
    assert!(came.values().all(|count| *count <= 2), "{came:?}");
    let repeated = count(&world.relay, "repeated_total").await;
    assert!(repeated >= u64::from(COUNTED), "{repeated} repeated");
    // The datagrams of the server are counted once.
    let accepted = count(&world.relay, "to_player_total").await;
    assert_eq!(accepted, u64::from(3 + FIRST + COUNTED));
}

#[tokio::test]
async fn a_good_path_and_an_operator_who_says_so_have_no_repeats() {
    let good = World::build(&[]).await;
    let never = World::build(&["--repeat", "never"]).await;
    never.line.lost_one_in.store(LOST_ONE_IN, Ordering::Relaxed);
    let (by_good, by_never) = tokio::join!(good.play(), never.play());
    assert_eq!(by_good.keys().copied().collect::<BTreeSet<_>>(), expected());
    let lost = expected().len() - by_never.len();
    assert!(lost > COUNTED as usize / 14, "{lost} lost");
    for (world, came) in [(&good, &by_good), (&never, &by_never)] {
        assert!(came.values().all(|count| *count == 1), "{came:?}");
        assert_eq!(count(&world.relay, "repeated_total").await, 0);
    }
}

#[tokio::test]
async fn only_the_channel_is_repeated() {
    let world = World::build(&["--repeat", "always"]).await;
    let came = world.play().await;
    assert!(came.values().all(|count| *count <= 2), "{came:?}");
    let twice = came.values().filter(|count| **count == 2).count();
    assert!(twice > expected().len() * 9 / 10, "{came:?}");
    // Neither the challenge nor the connectResponse came twice, or `enter` would have failed; and
    // nothing follows the disconnect.
    world.server.send_channel(world.seat, 999, b"last").await;
    assert_eq!(world.page.receive().await[1..5], 999_u32.to_le_bytes());
}

#[tokio::test]
async fn a_path_too_narrow_for_repeats_has_a_rest_of_them() {
    const SNAPSHOTS: u32 = 400;
    let world = World::build(&[]).await;
    world.line.lost_one_in.store(30, Ordering::Relaxed);
    // 46,000 of them are taken without repeats.
    world.line.rate.store(55_000, Ordering::Relaxed);
    let sent = RefCell::new(Vec::new());
    let sending = async {
        for sequence in 0..SNAPSHOTS {
            sent.borrow_mut().push(Instant::now());
            let sent = world.server.send_channel(world.seat, sequence, &[7; 900]);
            sent.await;
            sleep(Duration::from_millis(20)).await;
        }
    };
    let mut delays = Vec::new();
    let hearing = async {
        let mut newest = 0;
        loop {
            let packet = world.page.receive().await;
            let sequence = u32::from_le_bytes(packet[1..5].try_into().unwrap());
            if sequence > newest {
                newest = sequence;
                delays.push(sent.borrow()[sequence as usize].elapsed());
            }
        }
    };
    tokio::select! { () = sending => {}, () = hearing => {} }
    let repeated = count(&world.relay, "repeated_total").await;
    assert!((1..150).contains(&repeated), "{repeated} repeated");
    delays.sort();
    // Where the repeats went on it would be 380 ms.
    let half = delays[delays.len() / 2];
    assert!(half < Duration::from_millis(100), "{half:?}");
}
