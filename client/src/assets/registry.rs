//! Registered names: one slot each, with what became of it.

use std::{collections::HashMap, sync::Arc};

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

/// Things of one kind by number and by name; the same name always gets the same number.
#[derive(Clone, Debug)]
pub(super) struct Registry<T> {
    slots: Vec<(String, Slot<T>)>,
    by_name: HashMap<String, u32>,
    max: usize,
}

impl<T> Registry<T> {
    /// A registry for at most so many things.
    pub fn new(max: usize) -> Self {
        Self {
            slots: Vec::new(),
            by_name: HashMap::new(),
            max,
        }
    }

    /// The number of a name, and whether it is new; `None` if there are too many.
    pub fn register(&mut self, name: String) -> Option<(u32, bool)> {
        if let Some(id) = self.find(&name) {
            return Some((id, false));
        }
        if self.slots.len() >= self.max {
            return None;
        }
        let id = self.slots.len() as u32;
        self.slots.push((name.clone(), Slot::Wanted));
        self.by_name.insert(name, id);
        Some((id, true))
    }

    /// Whether half of all numbers are given.
    pub fn is_crowded(&self) -> bool {
        self.slots.len() > self.max / 2
    }

    pub fn find(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    /// Empty for numbers that never were registered.
    pub fn name(&self, id: u32) -> &str {
        self.slots.get(id as usize).map_or("", |(name, _)| name)
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

    /// All by name, those that are still on their way or missing without value.
    pub fn all(&self) -> impl Iterator<Item = (&str, Option<&Arc<T>>)> {
        self.slots.iter().map(|(name, slot)| match slot {
            Slot::Ready(value) => (name.as_str(), Some(value)),
            Slot::Wanted | Slot::Missing => (name.as_str(), None),
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
