//! The snapshots that a decoder keeps: bases of later ones, and one to read the next into.

use crate::types::snapshot::Snapshot;
use std::{mem, ops::Deref, sync::Arc};

/// How many snapshots are kept as bases.
pub(super) const PACKET_BACKUP: usize = 32;

/// A snapshot that is the decoder's own until somebody wants a share in it.
///
/// To ask whether others hold a share takes as long as a tenth of reading a snapshot.
#[derive(Clone, Debug)]
enum Kept {
    Own(Box<Snapshot>),
    Shared(Arc<Snapshot>),
}

impl Default for Kept {
    fn default() -> Self {
        Self::Own(Box::default())
    }
}

impl Deref for Kept {
    type Target = Snapshot;

    #[inline]
    fn deref(&self) -> &Snapshot {
        match self {
            Self::Own(snapshot) => snapshot,
            Self::Shared(snapshot) => snapshot,
        }
    }
}

impl Kept {
    /// The snapshot to be written anew; another one where others hold a share in this.
    #[inline]
    fn for_writing(&mut self) -> &mut Snapshot {
        if self.is_held_by_others() {
            *self = Self::default();
        }
        match self {
            Self::Own(snapshot) => snapshot,
            Self::Shared(snapshot) => Arc::make_mut(snapshot),
        }
    }

    fn is_held_by_others(&self) -> bool {
        matches!(self, Self::Shared(snapshot) if Arc::strong_count(snapshot) > 1)
    }

    fn share(&mut self) -> Arc<Snapshot> {
        let shared = match self {
            Self::Shared(snapshot) => snapshot.clone(),
            Self::Own(snapshot) => Arc::new(mem::take(&mut **snapshot)),
        };
        *self = Self::Shared(shared.clone());
        shared
    }
}

/// The newest snapshots, by message number modulo [`PACKET_BACKUP`].
#[derive(Clone, Debug, Default)]
pub(super) struct SnapshotRing {
    kept: [Option<Kept>; PACKET_BACKUP],
    /// Which of them are approximate, a bit each.
    approximate: u32,
    /// No base any more: its memory is used for the next one.
    draft: Kept,
}

/// What a snapshot of this origin can be told against.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BaseRule {
    /// The one that is named.
    Exact,
    /// Another one where the one that is named is missing or approximate.
    StandIns,
}

impl SnapshotRing {
    /// The snapshot that message brought.
    #[inline]
    pub(super) fn find(&self, message_num: i32) -> Option<&Snapshot> {
        find(&self.kept, message_num)
    }

    /// The next snapshot, to be written anew, and what it is told against.
    #[inline]
    pub(super) fn draft(
        &mut self,
        delta_num: Option<i32>,
        bases: BaseRule,
    ) -> (&mut Snapshot, Option<&Snapshot>) {
        let base = delta_num.and_then(|number| match bases {
            BaseRule::Exact => find(&self.kept, number),
            BaseRule::StandIns => stand_in(&self.kept, self.approximate, number),
        });
        (self.draft.for_writing(), base)
    }

    /// Lets the next snapshot be one that can be shared without moving it.
    pub(super) fn share_draft(&mut self) {
        if matches!(self.draft, Kept::Own(_)) || self.draft.is_held_by_others() {
            self.draft = Kept::Shared(Arc::default());
        }
    }

    /// A share in the snapshot that message brought.
    pub(super) fn share(&mut self, message_num: i32) -> Option<Arc<Snapshot>> {
        self.kept[slot(message_num)].as_mut().map(Kept::share)
    }

    /// Whether the snapshot that message brought is approximate.
    pub(super) fn is_approximate(&self, message_num: i32) -> bool {
        is_approximate(self.approximate, message_num)
    }

    /// Makes the draft a base.
    #[inline]
    pub(super) fn keep_draft(&mut self, is_approximate: bool) {
        let slot = slot(self.draft.message_num);
        self.approximate &= !(1 << slot);
        self.approximate |= u32::from(is_approximate) << slot;
        match &mut self.kept[slot] {
            Some(kept) => mem::swap(kept, &mut self.draft),
            empty => *empty = Some(mem::take(&mut self.draft)),
        }
    }

    /// Forgets all bases.
    pub(super) fn clear(&mut self) {
        self.kept = Default::default();
    }
}

fn find(kept: &[Option<Kept>; PACKET_BACKUP], message_num: i32) -> Option<&Snapshot> {
    kept[slot(message_num)]
        .as_deref()
        .filter(|snapshot| snapshot.message_num == message_num)
}

/// The snapshot of a demo to read one against that was told against `base_num`: the base itself, if it is sure.
#[inline]
fn stand_in(
    kept: &[Option<Kept>; PACKET_BACKUP],
    approximate: u32,
    base_num: i32,
) -> Option<&Snapshot> {
    let base = find(kept, base_num).filter(|_| !is_approximate(approximate, base_num));
    base.or_else(|| unsure_stand_in(kept, approximate, base_num))
}

/// A later one that is sure: what has changed since the base and is not the same there is told. Else the base as far as
/// it is known, else the newest there is.
#[cold]
fn unsure_stand_in(
    kept: &[Option<Kept>; PACKET_BACKUP],
    approximate: u32,
    base_num: i32,
) -> Option<&Snapshot> {
    let is_sure = |number: &i32| !is_approximate(approximate, *number);
    let known = |number: i32| find(kept, number);
    let later = (1..PACKET_BACKUP as i32).map(|ahead| base_num.wrapping_add(ahead));
    later
        .filter(is_sure)
        .find_map(known)
        .or_else(|| known(base_num))
        .or_else(|| {
            let here = kept.iter().flatten().map(|kept| &**kept);
            here.max_by_key(|snapshot| snapshot.message_num)
        })
}

fn is_approximate(approximate: u32, message_num: i32) -> bool {
    approximate & 1 << slot(message_num) != 0
}

fn slot(message_num: i32) -> usize {
    message_num.rem_euclid(PACKET_BACKUP as i32) as usize
}
