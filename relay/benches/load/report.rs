//! What one game measured, as a line of a table.

use std::time::Duration;

use crate::players::{Path, ProcessorTime};

/// Delays and work of one game.
pub struct Report {
    pub path: Path,
    pub sessions: usize,
    /// One way, in microseconds, sorted.
    pub up: Vec<u32>,
    pub down: Vec<u32>,
    pub sent: usize,
    pub time: Duration,
    /// Processor time of the relay.
    pub work: Option<ProcessorTime>,
    /// Processor time of servers and players.
    pub own_work: Duration,
}

impl Report {
    pub fn head() -> String {
        [
            "| players | path | datagrams/s | lost | up p50/p99/p999 ms | down p50/p99/p999 ms | added up | added down | relay CPU per 10,000/s | of it in the kernel | datagrams/s per core | the same without the kernel | cores busy: relay + generator |",
            "|---|---|---|---|---|---|---|---|---|---|---|---|---|",
        ]
        .join("\n")
    }

    /// How many times as long as in another game datagrams take up and down, of this part of them.
    pub fn ratios(&self, other: &Self, part: f64) -> [f64; 2] {
        [(&self.up, &other.up), (&self.down, &other.down)]
            .map(|(own, other)| at(own, part) / at(other, part))
    }

    pub fn line(&self, direct: Option<&Self>) -> String {
        let arrived = self.up.len() + self.down.len();
        let per_second = arrived as f64 / self.time.as_secs_f64();
        let lost = 1.0 - arrived as f64 / self.sent.max(1) as f64;
        let added = |own: &[u32], other: fn(&Self) -> &[u32]| match direct {
            Some(direct) => difference(own, other(direct)),
            None => "-".to_owned(),
        };
        let work = match self.work {
            Some(work) => {
                let share = |work: Duration| work.as_secs_f64() / self.time.as_secs_f64();
                format!(
                    "{:.1} % | {:.0} % | {:.0} | {:.0}",
                    100.0 * share(work.total()) / per_second * 10_000.0,
                    100.0 * share(work.system) / share(work.total()),
                    per_second / share(work.total()),
                    per_second / share(work.user),
                )
            }
            None => "- | - | - | -".to_owned(),
        };
        let cores = |work: Duration| work.as_secs_f64() / self.time.as_secs_f64();
        let (relays, own) = (
            self.work.map_or(0.0, |work| cores(work.total())),
            cores(self.own_work),
        );
        format!(
            "| {} | {} | {per_second:.0} | {:.2} % | {} | {} | {} | {} | {work} | {relays:.2} + {own:.2} |",
            self.sessions,
            self.path.name(),
            100.0 * lost,
            three(&self.up),
            three(&self.down),
            added(&self.up, |report| &report.up),
            added(&self.down, |report| &report.down),
        )
    }
}

const PARTS: [f64; 3] = [0.5, 0.99, 0.999];

fn three(sorted: &[u32]) -> String {
    PARTS
        .map(|part| format!("{:.2}", at(sorted, part) / 1000.0))
        .join("/")
}

fn difference(sorted: &[u32], other: &[u32]) -> String {
    PARTS
        .map(|part| format!("{:+.2}", (at(sorted, part) - at(other, part)) / 1000.0))
        .join("/")
}

fn at(sorted: &[u32], part: f64) -> f64 {
    let permit = (sorted.len() as f64 * part) as usize;
    sorted
        .get(permit.min(sorted.len().saturating_sub(1)))
        .copied()
        .map_or(f64::NAN, f64::from)
}
