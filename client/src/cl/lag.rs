//! Why nothing new came for a while: each gap between snapshots gets a cause, with what speaks for it.
//!
//! What is known of a snapshot is when it came, its number, and when the server made it. A server that made nothing
//! leaves a gap in its own times; what was lost leaves one in the numbers; what was held up on the way leaves neither.
//! Beside that the length of the own frames is known, whether the page was seen, and which usercmds the server had.

use shared::base::sort::sort_by_key;
use shared::base::time::{ClientTime, ServerTime};
use std::{collections::VecDeque, fmt};

/// What a gap came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The browser slowed a page down that nobody saw.
    Asleep,
    /// A frame of ours took so long.
    OwnFrame,
    /// The server did not hear us.
    OwnUpload,
    /// The connection moved to another way.
    PathChange,
    /// A snapshot or two got lost.
    Loss,
    /// Several in a row got lost.
    LossBurst,
    /// They waited in a queue that is too long for the line.
    Queue,
    /// One was held up on the way.
    HeldUp,
    /// It was held up between page and relay.
    Relay,
    /// The server made none.
    ServerFrame,
    /// The server kept the rate that the player allows.
    RateLimit,
}

impl Cause {
    /// All of them in their order, as players call them.
    const NAMES: [(Self, &str); 11] = [
        (Self::Asleep, "hidden page"),
        (Self::OwnFrame, "own frame"),
        (Self::OwnUpload, "own upload"),
        (Self::PathChange, "change of path"),
        (Self::Loss, "loss"),
        (Self::LossBurst, "burst of losses"),
        (Self::Queue, "queue on the line"),
        (Self::HeldUp, "held up on the way"),
        (Self::Relay, "way to the relay"),
        (Self::ServerFrame, "server"),
        (Self::RateLimit, "rate"),
    ];

    /// For players.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].1
    }
}

/// A time without anything new.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// When it ended.
    pub at: ClientTime,
    pub msec: i32,
    pub cause: Cause,
    /// What speaks for this cause.
    pub evidence: String,
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            msec,
            cause,
            evidence,
            ..
        } = self;
        write!(f, "{msec:5} ms  {:18}  {evidence}", cause.name())
    }
}

/// A snapshot as it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub at: ClientTime,
    /// Number of its message.
    pub sequence: i32,
    /// When the server made it.
    pub server_time: ServerTime,
    pub is_rate_delayed: bool,
    /// The newest usercmd that the server had executed.
    pub executed: ServerTime,
    /// The newest usercmd that had been sent.
    pub sent: ServerTime,
}

/// So many gaps are remembered.
const MAX_GAPS: usize = 256;
/// So many arrivals tell what is usual.
const USUAL: usize = 32;
/// Nobody notices less.
const LEAST_EXCESS_MSEC: i32 = 20;
/// A way that takes so much longer than at best is a queue, if it stays so.
const QUEUE_MSEC: i32 = 80;
/// A usercmd that is so much older than usual has not got through.
const UPLOAD_MSEC: i32 = 120;
/// What lasts so long stays.
const LASTS_MSEC: i32 = 500;
/// Frames of the last seconds are remembered, even at a thousand a second.
const MAX_FRAMES: usize = 4096;

/// Watches one level's snapshots.
#[derive(Clone, Debug, Default)]
pub struct LagWatch {
    last: Option<Arrival>,
    /// How much longer its way took than at best.
    last_excess: i32,
    /// Milliseconds between the makings of snapshots that followed each other.
    intervals: VecDeque<i32>,
    /// Arrival less making, of the fastest.
    least_way: Option<i32>,
    /// Sent less executed.
    uploads: VecDeque<i32>,
    frames: VecDeque<OwnFrame>,
    moved_at: Option<ClientTime>,
    relay_msec: VecDeque<i32>,
    /// Since when the way has taken too long, and how long it took at most.
    queue: Option<(ClientTime, i32)>,
    /// Since when the server has not heard us, and by how much at most.
    upload: Option<(ClientTime, i32)>,
    gaps: VecDeque<Gap>,
    /// How many gaps there were of each cause, and milliseconds of them together.
    sums: [(u32, i64); Cause::NAMES.len()],
}

#[derive(Clone, Copy, Debug)]
struct OwnFrame {
    ended_at: ClientTime,
    msec: i32,
}

impl LagWatch {
    /// A frame of ours has ended. While it lasted nothing new could be shown, whatever came.
    pub fn note_frame(&mut self, ended_at: ClientTime, msec: i32, is_hidden: bool) {
        let usual = self.usual_interval();
        if self.last.is_some() && is_gap(msec, usual) {
            let took = format!("a frame took {msec} ms");
            let (cause, evidence) = match is_hidden {
                true => (Cause::Asleep, format!("{took} while nobody saw the page")),
                false => (Cause::OwnFrame, took),
            };
            self.add(ended_at, msec - usual, cause, evidence);
        }
        push(&mut self.frames, MAX_FRAMES, OwnFrame { ended_at, msec });
    }

    /// The connection goes on over another way.
    pub fn note_move(&mut self, at: ClientTime) {
        self.moved_at = Some(at);
    }

    /// How long the way to the relay takes now.
    pub fn note_relay(&mut self, msec: i32) {
        push(&mut self.relay_msec, USUAL, msec);
    }

    /// A snapshot has come.
    pub fn note_snapshot(&mut self, arrival: Arrival) {
        let Some(last) = self.last.replace(arrival) else {
            return;
        };
        let number = arrival.sequence.wrapping_sub(last.sequence);
        let made = arrival.server_time - last.server_time;
        if number <= 0 || made <= 0 {
            // The server begins anew.
            self.least_way = None;
            self.last_excess = 0;
            return;
        }
        let usual = self.usual_interval();
        let way = arrival.at.0.wrapping_sub(arrival.server_time.0);
        let least = self.least_way.map_or(way, |least| least.min(way));
        self.least_way = Some(least);
        let excess = way.wrapping_sub(least);
        let waited = arrival.at - last.at;
        let is_gap = is_gap(waited, usual);
        self.reconsider(&last, excess, usual);
        if is_gap && !self.has_slow_frame(last.at, arrival.at) {
            let (cause, evidence) = self.explain(&last, &arrival, excess);
            self.add(arrival.at, waited - usual, cause, evidence);
        }
        if number == 1 && !is_gap {
            push(&mut self.intervals, USUAL, made);
        }
        self.watch_queue(&arrival, excess, is_gap);
        self.last_excess = excess;
        self.watch_upload(&arrival, excess);
    }

    /// Why a snapshot came late, if not for a frame of ours.
    fn explain(&self, last: &Arrival, arrival: &Arrival, excess: i32) -> (Cause, String) {
        let usual = self.usual_interval();
        if let Some(moved_at) = self.moved_at
            && moved_at - last.at >= 0
            && arrival.at - moved_at >= 0
        {
            let evidence = "the connection went over to another path".to_owned();
            return (Cause::PathChange, evidence);
        }
        let lost = arrival.sequence.wrapping_sub(last.sequence) - 1;
        let made = arrival.server_time - last.server_time;
        if lost > 0 && excess > QUEUE_MSEC {
            let evidence = format!("{lost} lost, and the way took {excess} ms longer than at best");
            return (Cause::Queue, evidence);
        }
        if lost > 0 {
            let cause = match lost {
                ..=2 => Cause::Loss,
                _ => Cause::LossBurst,
            };
            return (cause, format!("{lost} snapshots lost in a row"));
        }
        if arrival.is_rate_delayed {
            let evidence = format!("the server kept the rate and made none for {made} ms");
            return (Cause::RateLimit, evidence);
        }
        if made > usual + usual / 2 {
            let evidence = format!("the server made none for {made} ms");
            return (Cause::ServerFrame, evidence);
        }
        let relay = self.relay_excess();
        if relay > excess / 2 && relay > LEAST_EXCESS_MSEC {
            let evidence = format!("the way to the relay took {relay} ms longer than usual");
            return (Cause::Relay, evidence);
        }
        if excess.min(self.last_excess) > QUEUE_MSEC {
            let evidence = format!("none lost, but each came up to {excess} ms late");
            return (Cause::Queue, evidence);
        }
        let evidence = format!("none lost, but one came {excess} ms late");
        (Cause::HeldUp, evidence)
    }

    /// What was held up comes in a heap. Where the next one is as late as the last, both waited in a queue.
    fn reconsider(&mut self, last: &Arrival, excess: i32, usual: i32) {
        let is_as_late = excess > QUEUE_MSEC && excess.wrapping_sub(self.last_excess) > -usual / 2;
        let Some(gap) = self.gaps.back_mut() else {
            return;
        };
        if is_as_late && gap.at == last.at && gap.cause == Cause::HeldUp {
            gap.cause = Cause::Queue;
            gap.evidence = format!("none lost, but each came up to {excess} ms late");
            let msec = i64::from(gap.msec);
            let held_up = &mut self.sums[Cause::HeldUp as usize];
            *held_up = (held_up.0.saturating_sub(1), held_up.1.saturating_sub(msec));
            let queue = &mut self.sums[Cause::Queue as usize];
            *queue = (queue.0.saturating_add(1), queue.1.saturating_add(msec));
        }
    }

    /// A queue shows in ways that stay long, even where no single snapshot comes late.
    fn watch_queue(&mut self, arrival: &Arrival, excess: i32, is_gap: bool) {
        match (self.queue, excess > QUEUE_MSEC) {
            (Some((since, most)), true) => self.queue = Some((since, most.max(excess))),
            // What comes in one heap after a gap is late without a queue.
            (None, true) if !is_gap => self.queue = Some((arrival.at, excess)),
            (None, _) => {}
            (Some((since, most)), false) => {
                self.queue = None;
                let lasted = arrival.at - since;
                if lasted >= LASTS_MSEC {
                    let evidence = format!("for {lasted} ms the way took up to {most} ms longer");
                    self.add(arrival.at, most, Cause::Queue, evidence);
                }
            }
        }
    }

    /// The server shows the usercmds that it had: what stays behind has not got through.
    /// What a snapshot lost on its own way, `excess`, is not the upload's.
    fn watch_upload(&mut self, arrival: &Arrival, excess: i32) {
        let behind = (arrival.sent - arrival.executed).wrapping_sub(excess);
        let usual = median(&self.uploads).unwrap_or(behind);
        let excess = behind.wrapping_sub(usual);
        match (self.upload, excess > UPLOAD_MSEC) {
            (None, true) => self.upload = Some((arrival.at, excess)),
            (Some((since, most)), true) => self.upload = Some((since, most.max(excess))),
            (Some((since, most)), false) => {
                self.upload = None;
                // A frame that lasted so long sent nothing, and is a gap of its own.
                let began_at = since - most - LASTS_MSEC;
                let has_slow_frame = self
                    .frames
                    .iter()
                    .any(|frame| frame.ended_at - began_at > 0 && frame.msec >= most / 2);
                if !has_slow_frame {
                    let evidence = format!("the server had no usercmds for {most} ms");
                    self.add(arrival.at, most, Cause::OwnUpload, evidence);
                }
            }
            (None, false) => push(&mut self.uploads, USUAL, behind),
        }
    }

    fn add(&mut self, at: ClientTime, msec: i32, cause: Cause, evidence: String) {
        let (count, sum) = &mut self.sums[cause as usize];
        *count = count.saturating_add(1);
        *sum = sum.saturating_add(i64::from(msec));
        let gap = Gap {
            at,
            msec,
            cause,
            evidence,
        };
        push(&mut self.gaps, MAX_GAPS, gap);
    }

    /// The newest gaps, oldest first.
    pub fn gaps(&self) -> &VecDeque<Gap> {
        &self.gaps
    }

    /// For each cause that there was how many gaps and milliseconds together, the worst first.
    pub fn sums(&self) -> Vec<(Cause, u32, i64)> {
        let all = Cause::NAMES.into_iter().zip(self.sums);
        let mut sums: Vec<_> = all
            .filter(|(_, (count, _))| *count > 0)
            .map(|((cause, _), (count, msec))| (cause, count, msec))
            .collect();
        sort_by_key(&mut sums, |&(cause, _, msec)| (-msec, cause));
        sums
    }

    fn usual_interval(&self) -> i32 {
        /// What most servers do.
        const FIRST: i32 = 50;
        median(&self.intervals).unwrap_or(FIRST)
    }

    /// Whether a frame of ours, which is a gap of its own, lasted for most of that time: a page hears nothing meanwhile.
    fn has_slow_frame(&self, from: ClientTime, to: ClientTime) -> bool {
        self.frames.iter().any(|frame| {
            let began_at = frame.ended_at - frame.msec;
            let overlaps = frame.ended_at - from > 0 && to - began_at > 0;
            overlaps && frame.msec >= (to - from) / 2
        })
    }

    /// How much longer the way to the relay takes now than usual.
    fn relay_excess(&self) -> i32 {
        let usual = median(&self.relay_msec).unwrap_or(0);
        self.relay_msec.back().map_or(0, |now| now - usual)
    }
}

/// Whether that is longer than the time between two snapshots, and not only a little.
fn is_gap(msec: i32, usual: i32) -> bool {
    msec > usual.saturating_add((usual / 2).max(LEAST_EXCESS_MSEC))
}

fn median(values: &VecDeque<i32>) -> Option<i32> {
    let mut sorted: Vec<i32> = values.iter().copied().collect();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied()
}

fn push<T>(list: &mut VecDeque<T>, max: usize, value: T) {
    if list.len() == max {
        list.pop_front();
    }
    list.push_back(value);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Snapshots every 50 ms of which `change` makes what it wants; those it gives no arrival are lost.
    fn watch(
        change: impl Fn(i32, &mut Arrival) -> bool,
        around: impl Fn(&mut LagWatch, i32),
    ) -> LagWatch {
        let mut watch = LagWatch::default();
        let mut under_way: Vec<Arrival> = Vec::new();
        for number in 0..200 {
            around(&mut watch, number);
            for frame in 0..5 {
                let ended_at = ClientTime(1000 + number * 50 + frame * 10);
                watch.note_frame(ended_at, 10, false);
                for arrival in under_way.extract_if(.., |arrival| ended_at - arrival.at >= 0) {
                    watch.note_snapshot(arrival);
                }
            }
            let mut arrival = Arrival {
                at: ClientTime(1030 + number * 50),
                sequence: number + 1,
                server_time: ServerTime(70_000 + number * 50),
                is_rate_delayed: false,
                executed: ServerTime(70_000 + number * 50 - 10),
                sent: ServerTime(70_000 + number * 50 + 50),
            };
            if change(number, &mut arrival) {
                under_way.push(arrival);
            }
        }
        watch
    }

    fn causes(watch: &LagWatch) -> Vec<Cause> {
        watch.gaps().iter().map(|gap| gap.cause).collect()
    }

    fn nothing(_: &mut LagWatch, _: i32) {}

    #[test]
    fn a_steady_line_has_no_gaps() {
        let steady = watch(
            |number, arrival| {
                arrival.at = arrival.at + (number * 7) % 12;
                true
            },
            nothing,
        );
        assert!(steady.gaps().is_empty(), "{:?}", steady.gaps());
    }

    #[test]
    fn what_got_lost_is_told_by_the_numbers() {
        let one = watch(|number, _| number != 100, nothing);
        assert_eq!(causes(&one), [Cause::Loss]);
        assert_eq!(one.gaps()[0].msec, 50);
        let burst = watch(|number, _| !(100..105).contains(&number), nothing);
        assert_eq!(causes(&burst), [Cause::LossBurst]);
        assert_eq!(burst.sums(), [(Cause::LossBurst, 1, 250)]);
    }

    #[test]
    fn a_server_that_stands_still_leaves_a_gap_in_its_own_time() {
        let stalls = |is_rate_delayed| {
            move |number: i32, arrival: &mut Arrival| {
                if number >= 100 {
                    arrival.sequence -= 4;
                    arrival.is_rate_delayed = is_rate_delayed && number == 104;
                }
                !(100..104).contains(&number)
            }
        };
        assert_eq!(causes(&watch(stalls(false), nothing)), [Cause::ServerFrame]);
        assert_eq!(causes(&watch(stalls(true), nothing)), [Cause::RateLimit]);
    }

    #[test]
    fn what_is_held_up_comes_in_a_heap() {
        let heap = |number: i32, arrival: &mut Arrival| {
            if (100..105).contains(&number) {
                arrival.at = ClientTime(1030 + 105 * 50);
            }
            true
        };
        assert_eq!(causes(&watch(heap, nothing)), [Cause::HeldUp]);
        let relay = watch(heap, |watch, number| {
            if number % 20 == 0 {
                watch.note_relay(if number == 100 { 260 } else { 12 });
            }
        });
        assert_eq!(causes(&relay), [Cause::Relay]);
        let moved = watch(heap, |watch, number| {
            if number == 101 {
                watch.note_move(ClientTime(1000 + 101 * 50));
            }
        });
        assert_eq!(causes(&moved), [Cause::PathChange]);
    }

    #[test]
    fn a_queue_makes_the_way_longer_for_long() {
        let queue = watch(
            |number, arrival| {
                let waits = match number {
                    100..140 => (number - 100) * 6,
                    140..160 => (160 - number) * 12,
                    _ => 0,
                };
                arrival.at = arrival.at + waits;
                true
            },
            nothing,
        );
        assert_eq!(causes(&queue), [Cause::Queue], "{:?}", queue.gaps());
        let full = watch(
            |number, arrival| {
                if (100..150).contains(&number) {
                    arrival.at = arrival.at + 150.min((number - 100) * 10);
                }
                !(number > 120 && number < 140 && number % 4 == 0)
            },
            nothing,
        );
        assert!(
            causes(&full).iter().all(|cause| *cause == Cause::Queue),
            "{:?}",
            full.gaps()
        );
    }

    #[test]
    fn own_frames_and_sleep_are_told_apart() {
        let heap = |number: i32, arrival: &mut Arrival| {
            if (100..106).contains(&number) {
                arrival.at = ClientTime(1030 + 106 * 50);
            }
            true
        };
        for (is_hidden, cause) in [(false, Cause::OwnFrame), (true, Cause::Asleep)] {
            let slow = watch(heap, |watch, number| {
                if number == 106 {
                    watch.note_frame(ClientTime(1000 + 106 * 50), 300, is_hidden);
                }
            });
            assert_eq!(causes(&slow), [cause]);
        }
    }

    #[test]
    fn what_the_server_does_not_hear_is_our_upload() {
        let deaf = watch(
            |number, arrival| {
                if (100..110).contains(&number) {
                    arrival.executed = ServerTime(70_000 + 99 * 50);
                }
                true
            },
            nothing,
        );
        assert_eq!(causes(&deaf), [Cause::OwnUpload]);
        assert!(
            (300..=500).contains(&deaf.gaps()[0].msec),
            "{:?}",
            deaf.gaps()
        );
    }

    #[test]
    fn clocks_that_jump_and_odd_numbers_harm_nothing() {
        let mut watch = LagWatch::default();
        for (at, sequence, server_time) in [
            (0, 1, i32::MAX),
            (i32::MIN, i32::MIN, i32::MIN),
            (5, i32::MAX, 7),
            (i32::MAX, i32::MIN + 1, i32::MIN + 9),
            (-1, i32::MIN + 2, 0),
        ] {
            watch.note_snapshot(Arrival {
                at: ClientTime(at),
                sequence,
                server_time: ServerTime(server_time),
                is_rate_delayed: true,
                executed: ServerTime(i32::MIN),
                sent: ServerTime(i32::MAX),
            });
            watch.note_frame(ClientTime(at), i32::MAX, true);
        }
        assert!(watch.gaps().len() < 20);
    }
}
