//! The bad network: what it promises of each line.

use shared::{
    base::time::ClientTime,
    net::{
        netchan::{Netchan, Side},
        protocol::WireForm::{Legacy, Modern},
        reliable::CommandTexts,
    },
    sim::{BadNetwork, Line, LineQuality},
};

const SENT: u32 = 5000;

/// Sends numbered datagrams every 10 ms; gives the numbers as they arrive, with their travel times.
fn run(quality: LineQuality, seed: u64, start: i32) -> (Vec<(u32, i32)>, Line) {
    let mut line = Line::new(quality, seed);
    let mut arrived = Vec::new();
    let start = ClientTime(start);
    for msec in 0..SENT as i32 * 10 + 3000 {
        let now = start + msec;
        if msec % 10 == 0 && msec < SENT as i32 * 10 {
            line.send(now, (msec as u32 / 10).to_le_bytes().to_vec());
        }
        while let Some(bytes) = line.receive(now) {
            let number = u32::from_le_bytes(bytes.try_into().expect("a number"));
            arrived.push((number, msec - number as i32 * 10));
        }
    }
    assert_eq!(line.next_due(), None);
    (arrived, line)
}

fn numbers(arrived: &[(u32, i32)]) -> Vec<u32> {
    arrived.iter().map(|&(number, _)| number).collect()
}

#[test]
fn a_perfect_line_changes_nothing() {
    let (arrived, line) = run(LineQuality::PERFECT, 1, 0);
    assert!(line.quality().is_perfect());
    assert_eq!(numbers(&arrived), (0..SENT).collect::<Vec<_>>());
    assert!(arrived.iter().all(|&(_, msec)| msec == 0));
}

#[test]
fn delay_and_jitter_keep_the_order() {
    let quality = LineQuality {
        delay_msec: 100,
        jitter_msec: 60,
        ..LineQuality::PERFECT
    };
    // Also where the clock wraps.
    for start in [0, i32::MAX - 20_000] {
        let (arrived, _) = run(quality, 2, start);
        assert_eq!(numbers(&arrived), (0..SENT).collect::<Vec<_>>());
        assert!(arrived.iter().all(|&(_, msec)| (40..=160).contains(&msec)));
        let mean = arrived.iter().map(|&(_, msec)| msec).sum::<i32>() / SENT as i32;
        // Datagrams wait for the slow ones before them, so the mean is above the delay.
        assert!((100..150).contains(&mean), "{mean} ms");
    }
    let more_jitter_than_delay = LineQuality {
        delay_msec: 5,
        jitter_msec: 50,
        ..LineQuality::PERFECT
    };
    let (arrived, _) = run(more_jitter_than_delay, 2, 0);
    assert!(arrived.iter().all(|&(_, msec)| (0..=55).contains(&msec)));
}

#[test]
fn loss_reorder_and_duplicates_come_as_often_as_wanted() {
    let quality = LineQuality {
        delay_msec: 50,
        jitter_msec: 0,
        loss_percent: 10.0,
        reorder_percent: 5.0,
        duplicate_percent: 3.0,
        ..LineQuality::PERFECT
    };
    let (arrived, line) = run(quality, 3, 0);
    let stats = line.stats();
    assert_eq!(stats.sent, SENT);
    assert_eq!(stats.delivered, SENT - stats.lost + stats.duplicated);
    assert_eq!(stats.delivered as usize, arrived.len());
    assert!((400..600).contains(&stats.lost), "{stats:?}");
    assert!((180..280).contains(&stats.held_back), "{stats:?}");
    assert!((90..180).contains(&stats.duplicated), "{stats:?}");
    let overtaken = numbers(&arrived)
        .windows(2)
        .filter(|pair| pair[1] < pair[0])
        .count();
    assert!(overtaken > 100, "{overtaken}");
}

#[test]
fn the_same_seed_gives_the_same_line() {
    let quality = LineQuality {
        delay_msec: 30,
        jitter_msec: 20,
        loss_percent: 5.0,
        reorder_percent: 5.0,
        duplicate_percent: 5.0,
        ..LineQuality::PERFECT
    };
    assert_eq!(run(quality, 7, 0).0, run(quality, 7, 0).0);
    assert_ne!(run(quality, 7, 0).0, run(quality, 8, 0).0);
    // Another delay loses the same datagrams.
    let sorted = |quality| {
        let mut numbers = numbers(&run(quality, 7, 0).0);
        numbers.sort_unstable();
        numbers
    };
    assert_eq!(
        sorted(quality),
        sorted(LineQuality {
            delay_msec: 300,
            ..quality
        })
    );
}

#[test]
fn everything_lost_and_nothing_kept() {
    let quality = LineQuality {
        loss_percent: 100.0,
        ..LineQuality::PERFECT
    };
    assert_eq!(run(quality, 1, 0).0, []);
    let mut line = Line::new(
        LineQuality {
            delay_msec: i32::MAX,
            ..LineQuality::PERFECT
        },
        1,
    );
    for _ in 0..10_000 {
        line.send(ClientTime(0), vec![0; 4]);
    }
    assert_eq!(line.stats().lost, 10_000 - 8192);
}

/// Over every line the channel gives whole messages in order, and counts what is missing.
#[test]
fn the_channel_bears_a_matrix_of_lines() {
    let texts = CommandTexts::new();
    for (seed, wire) in [(1, Legacy), (2, Modern)] {
        for loss_percent in [0.0, 1.0, 5.0, 20.0] {
            for (delay_msec, jitter_msec) in [(0, 0), (50, 10), (200, 100)] {
                let quality = LineQuality {
                    delay_msec,
                    jitter_msec,
                    loss_percent,
                    reorder_percent: loss_percent / 2.0,
                    duplicate_percent: loss_percent / 2.0,
                    ..LineQuality::PERFECT
                };
                let mut network = BadNetwork::new(quality, quality, seed);
                let mut server = Netchan::new(Side::Server { qport: 9 }, wire, 77);
                let mut client = Netchan::new(Side::Client { qport: 9 }, wire, 77);
                let (mut newest, mut lost, mut count) = (0, 0, 0);
                for msec in 0..20_000 {
                    let now = ClientTime(msec);
                    if msec % 50 == 0 && msec < 18_000 {
                        let length = if msec % 1000 == 0 { 4000 } else { 200 };
                        for datagram in server.send(vec![0xAA; length], &texts).expect("short") {
                            network.to_client.send(now, datagram);
                        }
                    }
                    while let Some(datagram) = network.to_client.receive(now) {
                        let Ok(Some(received)) = client.receive(now, &datagram, &texts) else {
                            continue;
                        };
                        assert!(received.sequence > newest);
                        let expected = if (received.sequence - 1) % 20 == 0 {
                            4000
                        } else {
                            200
                        };
                        assert_eq!(received.bytes.len(), expected);
                        (newest, lost, count) =
                            (received.sequence, lost + received.lost, count + 1);
                    }
                }
                assert_eq!(newest, lost + count);
                assert_eq!(network.next_due(), None);
                match loss_percent {
                    0.0 => assert_eq!(count, 360),
                    _ => assert!(count > 180, "{count} at {loss_percent} %"),
                }
            }
        }
    }
}

#[test]
fn a_narrow_line_lets_one_datagram_through_after_the_other() {
    let quality = LineQuality {
        delay_msec: 10,
        bytes_per_second: 1000,
        ..LineQuality::PERFECT
    };
    let mut line = Line::new(quality, 1);
    // 72 bytes and their header take 100 ms.
    let mut send = |at| line.send(ClientTime(at), vec![0; 72]);
    let arrivals = [0, 0, 50, 1000].map(|at| send(at).map(|due| due.0));
    assert_eq!(arrivals, [Some(110), Some(210), Some(310), Some(1110)]);
}
