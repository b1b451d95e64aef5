//! Budgets: how much memory and work the files of paks may cost, and the lines about what is left out for it.
//!
//! A pak of some kilobytes can unfold to gigabytes. So each step from file to memory asks here first, with figures that
//! are known before anything is allocated.

use serde::{Deserialize, Serialize};

/// What assets may cost together, between two calls of [`super::Assets::reset`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of finished images; when they run short, further images are made smaller.
    pub images: u64,
    /// Bytes that are unpacked, as a measure of time.
    pub unpacked: u64,
    /// Pixels that are decoded, as another one.
    pub pixels: u64,
    /// Bytes of samples.
    pub sounds: u64,
    /// Bytes of finished models.
    pub models: u64,
    /// Bytes of material scripts, unpacked.
    pub scripts: u64,
    /// Bytes of configs, music and demos, unpacked.
    pub files: u64,
    /// Bytes of a map's file, unpacked.
    pub world: u64,
}

const MB: u64 = 1 << 20;

impl Limits {
    /// A computer's own memory: several times what the largest levels need.
    pub const DESKTOP: Self = Self {
        images: 1024 * MB,
        unpacked: 8192 * MB,
        pixels: 2 << 30,
        sounds: 256 * MB,
        models: 256 * MB,
        scripts: 32 * MB,
        files: 512 * MB,
        world: 128 * MB,
    };
    /// A page has 4 GB at most, of which what was used once never comes back.
    pub const PAGE: Self = Self {
        images: 512 * MB,
        unpacked: 4096 * MB,
        pixels: 1 << 30,
        sounds: 128 * MB,
        models: 128 * MB,
        scripts: 16 * MB,
        files: 256 * MB,
        world: 96 * MB,
    };
    /// Nobody looks, so small images will do.
    pub const UNSEEN: Self = Self {
        images: 128 * MB,
        pixels: 1 << 29,
        ..Self::DESKTOP
    };

    fn of(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Images => self.images,
            Kind::Unpacked => self.unpacked,
            Kind::Pixels => self.pixels,
            Kind::Sounds => self.sounds,
            Kind::Models => self.models,
            Kind::Scripts => self.scripts,
            Kind::Files => self.files,
        }
    }
}

/// What is counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Images,
    Unpacked,
    Pixels,
    Sounds,
    Models,
    Scripts,
    Files,
}

const KINDS: usize = 7;

/// Bytes as people count them.
pub(super) fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(MB))
}

impl Kind {
    fn excess(self, limit: u64) -> String {
        let limit_mb = megabytes(limit);
        match self {
            Self::Images => format!("all images together would take more than {limit_mb}"),
            Self::Unpacked => format!("all files together unpack to more than {limit_mb}"),
            Self::Pixels => format!(
                "all images together have more than {} million pixels",
                limit / 1_000_000
            ),
            Self::Sounds => format!("all sounds together would take more than {limit_mb}"),
            Self::Models => format!("all models together would take more than {limit_mb}"),
            Self::Scripts => format!("all material scripts together have more than {limit_mb}"),
            Self::Files => {
                format!("all configs, music and demos together would take more than {limit_mb}")
            }
        }
    }
}

/// What has been spent of each limit.
#[derive(Clone, Debug)]
pub(super) struct Budgets {
    limits: Limits,
    spent: [u64; KINDS],
    is_told: [bool; KINDS],
}

impl Budgets {
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            spent: [0; KINDS],
            is_told: [false; KINDS],
        }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Takes what is to be spent, or nothing if that is more than what is left.
    pub fn spend(&mut self, kind: Kind, amount: u64) -> bool {
        let is_enough = amount <= self.left(kind);
        if is_enough {
            self.spent[kind as usize] += amount;
        }
        is_enough
    }

    /// Counts what is there already.
    pub fn count(&mut self, kind: Kind, amount: u64) {
        let spent = &mut self.spent[kind as usize];
        *spent = spent.saturating_add(amount);
    }

    pub fn left(&self, kind: Kind) -> u64 {
        self.limits
            .of(kind)
            .saturating_sub(self.spent[kind as usize])
    }

    /// The most bytes that the next image may take. Each gets a small share of what is left, so those that are prepared
    /// at once stay within it, and whatever comes there is room for another small one.
    pub fn image_bytes(&self) -> u64 {
        const SHARE: u64 = 16;
        const ALWAYS: u64 = 16 << 10;
        (self.left(Kind::Images) / SHARE).max(ALWAYS)
    }

    /// The line about what does not fit, the first time that something of its kind does not.
    pub fn excess(&mut self, kind: Kind, name: &str) -> Option<String> {
        if std::mem::replace(&mut self.is_told[kind as usize], true) {
            return None;
        }
        let reason = kind.excess(self.limits.of(kind));
        Some(match kind {
            Kind::Images => {
                format!("Made smaller: {name}, and what else does not fit, because {reason}")
            }
            _ => format!("Left out: {name}, and what else does not fit, because {reason}"),
        })
    }

    /// Whether so much is spent that the next level should begin anew.
    pub fn is_crowded(&self) -> bool {
        const ALL: [Kind; KINDS] = [
            Kind::Images,
            Kind::Unpacked,
            Kind::Pixels,
            Kind::Sounds,
            Kind::Models,
            Kind::Scripts,
            Kind::Files,
        ];
        ALL.iter()
            .any(|&kind| self.left(kind) < self.limits.of(kind) / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_takes_nothing_and_is_told_once() {
        let limits = Limits {
            sounds: 10 * MB,
            ..Limits::PAGE
        };
        let mut budgets = Budgets::new(limits);
        assert!(budgets.spend(Kind::Sounds, 4 * MB));
        assert!(!budgets.spend(Kind::Sounds, 7 * MB) && !budgets.is_crowded());
        assert!(budgets.spend(Kind::Sounds, 6 * MB) && budgets.is_crowded());
        assert!(!budgets.spend(Kind::Sounds, u64::MAX));
        assert_eq!(
            budgets.excess(Kind::Sounds, "a.wav").as_deref(),
            Some(
                "Left out: a.wav, and what else does not fit, because all sounds together would take more than 10 MB"
            )
        );
        assert_eq!(budgets.excess(Kind::Sounds, "b.wav"), None);
    }

    #[test]
    fn images_of_any_number_stay_within_their_budget() {
        let mut budgets = Budgets::new(Limits::PAGE);
        for _ in 0..1000 {
            // A dozen are prepared at once, before the first of them is counted.
            let max = budgets.image_bytes();
            (0..12).for_each(|_| budgets.count(Kind::Images, max));
        }
        let spent = budgets.spent[Kind::Images as usize];
        assert!(spent < Limits::PAGE.images * 3 / 2, "{spent}");
    }
}
