//! The own view answers in the frame that took the input; without prediction only after ping and interpolation.

use super::latency::Range;

/// Times within one snapshot interval, since the answer depends on when a key is pressed.
fn times() -> impl Iterator<Item = i32> {
    (0..8).map(|place| 3003 + place * 7)
}

#[test]
fn with_prediction_the_same_frame_answers() {
    let mut range = Range::new();
    for one_way_msec in [0, 50, 200] {
        for input_at in times() {
            let answer = range.measure(one_way_msec, true, input_at);
            assert_eq!(
                (answer.walk_msec, answer.turn_msec),
                (0, 0),
                "{one_way_msec} ms one way, input at {input_at}"
            );
        }
    }
}

#[test]
fn without_prediction_the_walk_waits_for_the_server() {
    let mut range = Range::new();
    for one_way_msec in [0, 50, 200] {
        let ping = 2 * one_way_msec;
        for input_at in times() {
            let answer = range.measure(one_way_msec, false, input_at);
            // The server's frame, then the way from the older snapshot to the newer one.
            assert!(
                (ping..=ping + 120).contains(&answer.walk_msec),
                "{one_way_msec} ms one way, input at {input_at}: {answer:?}"
            );
            // Only the place comes from the server; one turns at once.
            assert_eq!(answer.turn_msec, 0, "{one_way_msec} ms one way");
        }
    }
}
