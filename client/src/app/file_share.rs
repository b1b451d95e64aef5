//! The share of each frame's time in which arrived files are handed to the client.

/// Of each frame, however often something arrives meanwhile: what draws may want the same processor.
const PLAYING_MSEC: f64 = 3.0;
/// While a level loads, a smooth picture matters less than an early one.
const LOADING_MSEC: f64 = 40.0;

/// What has been spent of it since the last frame began.
#[derive(Debug, Default)]
pub struct FileShare {
    spent_msec: f64,
}

impl FileShare {
    /// Until when files may be handed over from `now` on, in milliseconds; `None` if the frame has to come first.
    pub fn end(&self, now: f64, is_playing: bool) -> Option<f64> {
        if !is_playing {
            return Some(now + LOADING_MSEC);
        }
        (self.spent_msec < PLAYING_MSEC).then_some(now + PLAYING_MSEC - self.spent_msec)
    }

    /// Files were handed over for so long.
    pub fn note(&mut self, msec: f64) {
        self.spent_msec += msec;
    }

    pub fn begin_frame(&mut self) {
        self.spent_msec = 0.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_arrives_within_a_frame_shares_three_milliseconds() {
        let mut share = FileShare::default();
        assert_eq!(share.end(100.0, true), Some(103.0));
        share.note(2.0);
        assert_eq!(share.end(110.0, true), Some(111.0));
        // One file takes as long as it takes.
        share.note(14.0);
        assert_eq!(share.end(125.0, true), None);
        share.begin_frame();
        assert_eq!(share.end(130.0, true), Some(133.0));
    }

    #[test]
    fn a_loading_level_waits_for_no_frame() {
        let mut share = FileShare::default();
        share.note(500.0);
        assert_eq!(share.end(100.0, false), Some(140.0));
    }
}
