//! The correction after a wrong prediction: measured, kept, faded out.

use super::misses::MISS;
use glam::Vec3;
use shared::{base::time::ServerTime, types::playerstate::PlayerState};

/// The way from where the player is to where he was seen, which lets the view glide back.
#[derive(Clone, Debug, Default)]
pub struct Correction {
    error: Vec3,
    since: ServerTime,
    /// The player of the last frame, and its time.
    shown: Option<(PlayerState, ServerTime)>,
}

impl Correction {
    /// Nothing that was shown counts any more; what is left goes on fading.
    pub fn forget_shown(&mut self) {
        self.shown = None;
    }

    pub fn set_shown(&mut self, player: PlayerState, now: ServerTime) {
        self.shown = Some((player, now));
    }

    /// The player of the last frame, and its time.
    pub fn shown(&self) -> Option<&(PlayerState, ServerTime)> {
        self.shown.as_ref()
    }

    /// Takes note that the player shown in the last frame was at `place` instead.
    pub fn measure(&mut self, place: Vec3, now: ServerTime, decay_msec: f32) {
        if let Some((player, shown_at)) = &self.shown
            && player.origin.distance(place) > MISS
        {
            let (difference, shown_at) = (player.origin - place, *shown_at);
            self.error = self.left(now, decay_msec) + difference;
            self.since = shown_at;
        }
    }

    /// The player was moved abruptly: there is nothing to glide back from.
    pub fn clear(&mut self) {
        self.error = Vec3::ZERO;
    }

    /// What is left of it.
    pub fn left(&self, now: ServerTime, decay_msec: f32) -> Vec3 {
        if decay_msec <= 0.0 {
            return Vec3::ZERO;
        }
        let fraction = (decay_msec - (now - self.since) as f32) / decay_msec;
        if fraction > 0.0 && fraction < 1.0 {
            self.error * fraction
        } else {
            Vec3::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_fade_in_a_straight_line() {
        let mut correction = Correction::default();
        let mut miss = |shown_at, now| {
            correction.set_shown(PlayerState::default(), ServerTime(shown_at));
            correction.measure(Vec3::NEG_X * 8.0, ServerTime(now), 100.0);
            correction.clone()
        };
        let first = miss(990, 1000);
        assert_eq!(first.left(ServerTime(1040), 100.0), Vec3::X * 4.0);
        assert_eq!(first.left(ServerTime(1090), 100.0), Vec3::ZERO);
        let second = miss(1030, 1040);
        assert_eq!(second.left(ServerTime(1080), 100.0), Vec3::X * 6.0);
        assert_eq!(second.left(ServerTime(1040), 0.0), Vec3::ZERO);
    }
}
