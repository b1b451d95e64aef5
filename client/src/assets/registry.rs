//! Registered names: one slot each, with what became of it.

use std::{collections::HashMap, hash::Hash, sync::Arc};

/// What became of a registered asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssetState {
    /// Asked for, and still on its way.
    Wanted,
    Ready,
    /// It does not exist or is defective.
    Missing,
}

#[derive(Clone, Debug)]
pub(super) enum Slot<T> {
    Wanted,
    Ready(Arc<T>),
    Missing,
}

/// Things of one kind by number and by key; the same key always gets the same number.
#[derive(Clone, Debug)]
pub(super) struct Registry<K, T> {
    slots: Vec<(K, Slot<T>)>,
    by_key: HashMap<K, u32>,
    max: usize,
}

impl<K: Clone + Eq + Hash, T> Registry<K, T> {
    /// A registry for at most so many things.
    pub fn new(max: usize) -> Self {
        Self {
            slots: Vec::new(),
            by_key: HashMap::new(),
            max,
        }
    }

    /// The number of a key, and whether it is new; `None` if there are too many.
    pub fn register(&mut self, key: K) -> Option<(u32, bool)> {
        if let Some(&id) = self.by_key.get(&key) {
            return Some((id, false));
        }
        if self.slots.len() >= self.max {
            return None;
        }
        let id = self.slots.len() as u32;
        self.slots.push((key.clone(), Slot::Wanted));
        self.by_key.insert(key, id);
        Some((id, true))
    }

    /// Whether half of all numbers are given.
    pub fn is_crowded(&self) -> bool {
        self.slots.len() > self.max / 2
    }

    pub fn find(&self, key: &K) -> Option<u32> {
        self.by_key.get(key).copied()
    }

    pub fn key(&self, id: u32) -> Option<&K> {
        self.slots.get(id as usize).map(|(key, _)| key)
    }

    pub fn get(&self, id: u32) -> Option<&Arc<T>> {
        match self.slots.get(id as usize) {
            Some((_, Slot::Ready(value))) => Some(value),
            _ => None,
        }
    }

    /// Numbers that never were registered are missing.
    pub fn state(&self, id: u32) -> AssetState {
        match self.slots.get(id as usize) {
            Some((_, Slot::Wanted)) => AssetState::Wanted,
            Some((_, Slot::Ready(_))) => AssetState::Ready,
            Some((_, Slot::Missing)) | None => AssetState::Missing,
        }
    }

    pub fn set(&mut self, id: u32, value: Option<T>) {
        if let Some((_, slot)) = self.slots.get_mut(id as usize) {
            *slot = value.map_or(Slot::Missing, |value| Slot::Ready(Arc::new(value)));
        }
    }

    /// All by key, those that are still on their way or missing without value.
    pub fn all(&self) -> impl Iterator<Item = (&K, Option<&T>)> {
        self.slots.iter().map(|(key, slot)| match slot {
            Slot::Ready(value) => (key, Some(&**value)),
            Slot::Wanted | Slot::Missing => (key, None),
        })
    }

    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// How many are wanted, ready and missing.
    pub fn count(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for (_, slot) in &self.slots {
            let index = match slot {
                Slot::Wanted => 0,
                Slot::Ready(_) => 1,
                Slot::Missing => 2,
            };
            counts[index] += 1;
        }
        counts
    }
}
