//! Timedemo: what every frame of a demo cost while it was played as fast as possible.

use crate::{client::Client, render::RenderStats};
use shared::base::sort::sort_by;
use shared::base::text::SKIP_NOTIFY;

/// One frame as the outside saw it, in milliseconds of the program's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameCost {
    pub ended_at: f64,
    /// Events, demo, game.
    pub client_msec: f64,
    /// From the scene to the commands that the GPU was given.
    pub render_msec: f64,
    pub stats: RenderStats,
}

impl FrameCost {
    /// What was drawn, for `r_speeds`.
    pub fn picture_text(&self) -> String {
        let stats = &self.stats;
        format!(
            "{SKIP_NOTIFY}draws:{} triangles:{} passes:{} pipelines:{}\n",
            stats.draws, stats.triangles, stats.passes, stats.pipelines
        )
    }

    /// One line about this frame, numbered, for `com_speeds`.
    pub fn text(&self, number: u64, ended_before: f64) -> String {
        let all = self.ended_at - ended_before;
        let (client, render, draws) = (self.client_msec, self.render_msec, self.stats.draws);
        format!(
            "{SKIP_NOTIFY}frame:{number} all:{all:.2} client:{client:.2} renderer:{render:.2} draws:{draws}\n"
        )
    }
}

/// Collects frames from a timedemo's first to its last.
#[derive(Debug, Default)]
pub struct Timedemo {
    frames_seen: i32,
    map: String,
    began_at: f64,
    frames: Vec<FrameCost>,
    gpu_msec: Vec<f64>,
}

impl Timedemo {
    /// Takes a frame; gives the report once the demo is over.
    pub fn note(
        &mut self,
        client: &Client,
        cost: FrameCost,
        gpu_msec: Vec<f64>,
    ) -> Option<TimedemoReport> {
        let seen = client.timedemo_frames();
        if seen == self.frames_seen {
            return None;
        }
        self.frames_seen = seen;
        if seen == 0 {
            return TimedemoReport::new(std::mem::take(self));
        }
        if self.map.is_empty() {
            self.map = client.status().map;
            // The clock starts with the first picture, as the original's does.
            self.began_at = cost.ended_at;
            return None;
        }
        self.frames.push(cost);
        self.gpu_msec.extend(gpu_msec);
        None
    }
}

/// What a timedemo came to. Times are milliseconds per frame.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct TimedemoReport {
    pub map: String,
    pub frames: usize,
    pub seconds: f64,
    pub fps: f64,
    pub mean_ms: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
    pub worst_ms: f64,
    /// Events, demo and game.
    pub client_ms: f64,
    pub client_p50_ms: f64,
    pub client_p99_ms: f64,
    /// From the scene to the commands that the GPU was given.
    pub render_ms: f64,
    /// Mean by the GPU's own clock; none where it has none.
    pub gpu_ms: Option<f64>,
    pub draws_mean: f64,
    pub draws_max: u32,
    pub triangles_mean: f64,
    pub pipelines: u32,
    /// From the program's start to the demo's first picture.
    pub first_frame_ms: f64,
    /// Milliseconds of every frame in order, for `cl_timedemoLog`.
    #[serde(skip)]
    pub frames_ms: Vec<f64>,
}

impl TimedemoReport {
    /// None if there was no frame after the first.
    fn new(run: Timedemo) -> Option<Self> {
        let last = run.frames.last()?;
        let ends = run.frames.iter().map(|frame| frame.ended_at);
        let begins = std::iter::once(run.began_at).chain(ends.clone());
        let mut times: Vec<f64> = ends.zip(begins).map(|(end, begin)| end - begin).collect();
        let frames_ms = times.clone();
        sort_by(&mut times, f64::total_cmp);
        let count = run.frames.len();
        let mut client_times: Vec<f64> = run.frames.iter().map(|frame| frame.client_msec).collect();
        sort_by(&mut client_times, f64::total_cmp);
        let mean =
            |value: fn(&FrameCost) -> f64| run.frames.iter().map(value).sum::<f64>() / count as f64;
        let seconds = (last.ended_at - run.began_at) / 1000.0;
        let gpu_sum: f64 = run.gpu_msec.iter().sum();
        Some(Self {
            frames: count,
            seconds,
            fps: count as f64 / seconds.max(1e-6),
            mean_ms: seconds * 1000.0 / count as f64,
            p50_ms: percentile(&times, 0.5),
            p99_ms: percentile(&times, 0.99),
            worst_ms: percentile(&times, 1.0),
            client_ms: mean(|frame| frame.client_msec),
            client_p50_ms: percentile(&client_times, 0.5),
            client_p99_ms: percentile(&client_times, 0.99),
            render_ms: mean(|frame| frame.render_msec),
            gpu_ms: (!run.gpu_msec.is_empty()).then(|| gpu_sum / run.gpu_msec.len() as f64),
            draws_mean: mean(|frame| f64::from(frame.stats.draws)),
            draws_max: run.frames.iter().map(|frame| frame.stats.draws).max()?,
            triangles_mean: mean(|frame| f64::from(frame.stats.triangles)),
            pipelines: last.stats.pipelines,
            first_frame_ms: run.began_at,
            map: run.map,
            frames_ms,
        })
    }

    /// One line per frame.
    pub fn log(&self) -> String {
        let line = |msec: &f64| format!("{msec:.3}\n");
        self.frames_ms.iter().map(line).collect()
    }

    /// For people; the line with frames, seconds and fps was printed before.
    pub fn text(&self) -> String {
        let gpu = self
            .gpu_ms
            .map_or_else(|| "not told".to_owned(), |msec| format!("{msec:.2} ms"));
        format!(
            "frame: mean {:.2} ms, p50 {:.2}, p99 {:.2}, worst {:.2}\n\
             game {:.2} ms, p50 {:.3}, p99 {:.3}; renderer {:.2} ms, GPU {gpu}; draws: mean {:.0}, max {}; {:.0} triangles\n",
            self.mean_ms,
            self.p50_ms,
            self.p99_ms,
            self.worst_ms,
            self.client_ms,
            self.client_p50_ms,
            self.client_p99_ms,
            self.render_ms,
            self.draws_mean,
            self.draws_max,
            self.triangles_mean,
        )
    }
}

/// The smallest value that this share of all values does not exceed.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (share * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_counts_from_picture_to_picture() {
        let frame = |ended_at, draws| FrameCost {
            ended_at,
            client_msec: 1.0,
            render_msec: 2.0,
            stats: RenderStats {
                draws,
                ..RenderStats::default()
            },
        };
        let run = Timedemo {
            began_at: 100.0,
            frames: vec![frame(110.0, 50), frame(130.0, 150), frame(140.0, 100)],
            gpu_msec: vec![3.0, 5.0],
            ..Timedemo::default()
        };
        let report = TimedemoReport::new(run).expect("there are frames");
        assert_eq!((report.frames, report.seconds), (3, 0.04));
        assert_eq!((report.p50_ms, report.worst_ms), (10.0, 20.0));
        assert_eq!((report.draws_mean, report.draws_max), (100.0, 150));
        assert_eq!((report.gpu_ms, report.first_frame_ms), (Some(4.0), 100.0));
        assert_eq!(TimedemoReport::new(Timedemo::default()), None);
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let values: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!(percentile(&values, 0.5), 100.0);
        assert_eq!(percentile(&values, 0.99), 198.0);
        assert_eq!(percentile(&[7.0], 0.99), 7.0);
    }
}
