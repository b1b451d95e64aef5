//! How many packets repeat each usercmd: as many as the measured loss needs.
//!
//! A server does not tell which packets of the client it missed. But its own messages are numbered, so what is lost on
//! their way is known, and lines that lose packets mostly do so both ways. A usercmd is lost if all packets with it are,
//! which is to happen less than once in some hours; losses that come in bursts need more repeats than those that do not.

/// What is known of the loss on a line.
#[derive(Clone, Copy, Debug, Default)]
pub struct LossMeter {
    /// Messages that were sent to us, the newer the more they count.
    messages: f32,
    lost: f32,
    /// Those of the lost ones that followed upon another.
    lost_in_row: f32,
}

/// After so many messages what was measured counts half: half a minute of snapshots.
const HALF_LIFE: f32 = 700.0;
/// What is assumed before anything is measured: half a message lost of ten.
const ASSUMED: (f32, f32) = (0.5, 10.0);
/// As many losses are assumed to be followed by others as often as any message.
const ASSUMED_FOLLOWED: f32 = 4.0;
/// Longer gaps are interruptions, which no repeats fill.
const LONGEST_BURST: i32 = 8;
/// How many usercmds may be lost in this time.
const TOLERATED: f32 = 0.05;
const TOLERATED_SECONDS: f32 = 600.0;
/// As players know it: one repeat costs little, more than five are never sent.
const MIN_REPEATS: i32 = 1;
const MAX_REPEATS: i32 = 5;

impl LossMeter {
    /// Takes note of a message before which so many are missing.
    pub fn note(&mut self, missing: i32) {
        let missing = if missing > LONGEST_BURST {
            0
        } else {
            missing.max(0)
        };
        let sent = missing as f32 + 1.0;
        let kept = libm::powf(0.5, sent / HALF_LIFE);
        self.messages = self.messages * kept + sent;
        self.lost = self.lost * kept + missing as f32;
        self.lost_in_row = self.lost_in_row * kept + (missing - 1).max(0) as f32;
    }

    /// How many later packets are to repeat a usercmd where so many go out in a second.
    pub fn repeats(&self, packets_per_second: i32) -> i32 {
        let lost = (self.lost + ASSUMED.0) / (self.messages + ASSUMED.1);
        let lost_after_loss =
            (self.lost_in_row + ASSUMED_FOLLOWED * lost) / (self.lost + ASSUMED_FOLLOWED);
        let packets = packets_per_second as f32 * TOLERATED_SECONDS;
        let is_enough =
            |repeats: &i32| lost * lost_after_loss.powi(*repeats) * packets <= TOLERATED;
        (MIN_REPEATS..MAX_REPEATS)
            .find(is_enough)
            .unwrap_or(MAX_REPEATS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cl::send::Usercmds;
    use shared::{
        base::{rng::Rng, time::ClientTime},
        types::usercmd::Usercmd,
    };

    const PACKETS_PER_SECOND: i32 = 125;

    /// Plays so many seconds with 125 packets up and 20 messages down; `is_lost` is asked for each. Gives how many
    /// usercmds never arrived and how many repeats there are at the end.
    fn play(seconds: i32, mut is_lost: impl FnMut() -> bool) -> (i32, i32) {
        let mut meter = LossMeter::default();
        let mut usercmds = Usercmds::default();
        let (mut arrived, mut never_arrived, mut missing) = (0, 0, 0);
        for packet in 1..=seconds * PACKETS_PER_SECOND {
            usercmds.push(Usercmd::default());
            let sequence = packet as u32;
            let sent = usercmds
                .due(sequence, meter.repeats(PACKETS_PER_SECOND))
                .len() as i32;
            usercmds.record(sequence, ClientTime(packet * 8), 1);
            if !is_lost() {
                never_arrived += (packet - sent - arrived).max(0);
                arrived = packet;
            }
            if packet % 6 == 0 {
                match is_lost() {
                    true => missing += 1,
                    false => meter.note(std::mem::take(&mut missing)),
                }
            }
        }
        (never_arrived, meter.repeats(PACKETS_PER_SECOND))
    }

    #[test]
    fn a_clean_line_is_soon_trusted() {
        assert_eq!(LossMeter::default().repeats(PACKETS_PER_SECOND), 4);
        assert_eq!(play(60, || false), (0, 1));
    }

    #[test]
    fn nothing_is_lost_in_ten_minutes_at_five_percent() {
        for seed in 0..20 {
            let mut rng = Rng::new(seed);
            let (never_arrived, repeats) = play(600, || rng.percent(5.0));
            assert_eq!(never_arrived, 0, "seed {seed}");
            assert!((3..=5).contains(&repeats), "{repeats}");
        }
    }

    #[test]
    fn no_more_is_sent_than_the_loss_needs() {
        let repeats = |percent| {
            let mut rng = Rng::new(7);
            play(600, || rng.percent(percent)).1
        };
        assert_eq!([0.0, 1.0, 20.0].map(repeats), [1, 2, 5]);
    }

    #[test]
    fn bursts_need_more_than_single_losses() {
        let mut meter = [LossMeter::default(); 2];
        for _ in 0..300 {
            // One in twenty each.
            for _ in 0..2 {
                meter[0].note(1);
                (0..18).for_each(|_| meter[0].note(0));
            }
            meter[1].note(2);
            (0..37).for_each(|_| meter[1].note(0));
        }
        let [single, bursts] = meter.map(|meter| meter.repeats(PACKETS_PER_SECOND));
        assert!(single < bursts, "{single} {bursts}");
    }

    #[test]
    fn an_interruption_is_no_loss() {
        let mut meter = LossMeter::default();
        (0..1000).for_each(|_| meter.note(0));
        meter.note(300);
        assert_eq!(meter.repeats(PACKETS_PER_SECOND), 1);
        meter.note(i32::MAX);
        meter.note(-1);
        assert_eq!(meter.repeats(PACKETS_PER_SECOND), 1);
    }
}
