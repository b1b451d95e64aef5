//! An action that keys hold down: who holds it, and for how much of a frame.

use shared::base::time::ClientTime;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KButtonSource {
    Key(u16),
    Typed,
}

impl From<Option<u16>> for KButtonSource {
    fn from(key: Option<u16>) -> Self {
        key.map_or(Self::Typed, Self::Key)
    }
}

/// One action: who holds it and for how long.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct KButton {
    holders: [Option<KButtonSource>; 2],
    pub(super) is_active: bool,
    pub(super) was_pressed: bool,
    down_at: Option<ClientTime>,
    held_msec: i32,
}

impl KButton {
    pub(super) fn press(&mut self, holder: KButtonSource, at: Option<ClientTime>) -> bool {
        if self.holders.contains(&Some(holder)) {
            return true;
        }
        let Some(free) = self.holders.iter_mut().find(|slot| slot.is_none()) else {
            return false;
        };
        *free = Some(holder);
        if !self.is_active {
            self.down_at = at;
            self.is_active = true;
            self.was_pressed = true;
        }
        true
    }

    pub(super) fn release(&mut self, key: Option<u16>, at: Option<ClientTime>, frame_msec: i32) {
        let Some(key) = key else {
            self.holders = [None; 2];
            self.is_active = false;
            return;
        };
        let Some(slot) = self
            .holders
            .iter_mut()
            .find(|slot| **slot == Some(KButtonSource::Key(key)))
        else {
            return;
        };
        *slot = None;
        if self.holders.iter().any(Option::is_some) || !self.is_active {
            return;
        }
        self.is_active = false;
        self.held_msec += match (at, self.down_at) {
            (Some(up), Some(down)) => up - down,
            _ => frame_msec / 2,
        };
    }

    /// The share of the frame that the action was held, 0 to 1.
    pub(super) fn fraction(&mut self, now: ClientTime, frame_msec: i32) -> f32 {
        let mut msec = std::mem::take(&mut self.held_msec);
        if self.is_active {
            msec = match self.down_at {
                Some(down) => msec + (now - down),
                // Pressed without a time: held for the whole frame.
                None => frame_msec,
            };
            self.down_at = Some(now);
        }
        (msec as f32 / frame_msec as f32).clamp(0.0, 1.0)
    }
}
