//! The time budget of `pump_files`: how much of each frame may go into handing arrived files to the client.

/// Of the time of a frame, however often something arrives meanwhile: what draws may want the same processor.
const PART: f64 = 0.2;
/// The least and the most of it, in milliseconds.
const LEAST_MSEC: f64 = 3.0;
const MAX_MSEC: f64 = 16.0;
/// While a level loads, a smooth picture matters less than an early one.
const LOADING_MSEC: f64 = 40.0;

/// What is left of it in this frame.
#[derive(Debug, Default)]
pub struct PumpBudget {
    began_at: f64,
    /// How long the frame before took.
    frame_msec: f64,
    spent_msec: f64,
}

impl PumpBudget {
    /// Until when files may be handed over from `now` on, in milliseconds; `None` if the frame has to come first.
    pub fn end(&self, now: f64, is_playing: bool) -> Option<f64> {
        if !is_playing {
            return Some(now + LOADING_MSEC);
        }
        let whole = (self.frame_msec * PART).clamp(LEAST_MSEC, MAX_MSEC);
        (self.spent_msec < whole).then_some(now + whole - self.spent_msec)
    }

    /// Files were handed over for so long.
    pub fn note(&mut self, msec: f64) {
        self.spent_msec += msec;
    }

    pub fn begin_frame(&mut self, now: f64) {
        self.frame_msec = now - self.began_at;
        self.began_at = now;
        self.spent_msec = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After two frames that began so far apart.
    fn after(frame_msec: f64) -> PumpBudget {
        let mut budget = PumpBudget::default();
        budget.begin_frame(1000.0);
        budget.begin_frame(1000.0 + frame_msec);
        budget
    }

    #[test]
    fn all_that_arrives_within_a_frame_shares_a_fifth_of_it() {
        let mut budget = after(50.0);
        assert_eq!(budget.end(1060.0, true), Some(1070.0));
        budget.note(6.0);
        assert_eq!(budget.end(1080.0, true), Some(1084.0));
        // One file takes as long as it takes.
        budget.note(14.0);
        assert_eq!(budget.end(1099.0, true), None);
        budget.begin_frame(1100.0);
        assert_eq!(budget.end(1100.0, true), Some(1110.0));
    }

    #[test]
    fn quick_frames_leave_some_time_and_slow_ones_not_too_much() {
        assert_eq!(after(4.0).end(2000.0, true), Some(2003.0));
        assert_eq!(after(900.0).end(2000.0, true), Some(2016.0));
    }

    #[test]
    fn a_loading_level_waits_for_no_frame() {
        let mut budget = after(16.0);
        budget.note(500.0);
        assert_eq!(budget.end(2000.0, false), Some(2040.0));
    }
}
