//! A window of the last N numbered things.

use std::collections::VecDeque;

/// Keeps the newest `capacity` things; each has the number after the one before it.
#[derive(Clone, Debug)]
pub struct Ring<T> {
    kept: VecDeque<T>,
    capacity: usize,
    /// Number of the newest thing; 0 before the first one, which gets number 1.
    newest: i32,
}

impl<T> Ring<T> {
    /// An empty window for up to `capacity` things.
    pub fn new(capacity: usize) -> Self {
        assert!(capacity > 0, "a window must hold at least one thing");
        Self {
            kept: VecDeque::with_capacity(capacity),
            capacity,
            newest: 0,
        }
    }

    /// Adds a thing, forgets the oldest one if the window is full, and returns the new number.
    pub fn push(&mut self, thing: T) -> i32 {
        if self.kept.len() == self.capacity {
            self.kept.pop_front();
        }
        self.kept.push_back(thing);
        self.newest = self.newest.wrapping_add(1);
        self.newest
    }

    /// The number of the newest thing; 0 if there was none yet.
    pub fn newest_number(&self) -> i32 {
        self.newest
    }

    /// The number of the oldest thing still kept; one above the newest if nothing is kept.
    pub fn oldest_number(&self) -> i32 {
        self.newest.wrapping_sub(self.len_i32()).wrapping_add(1)
    }

    /// How many things are kept.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// The thing with this number, if it is still (or already) there.
    pub fn get(&self, number: i32) -> Option<&T> {
        let index = number.wrapping_sub(self.oldest_number());
        usize::try_from(index)
            .ok()
            .and_then(|index| self.kept.get(index))
    }

    /// The newest thing.
    pub fn newest(&self) -> Option<&T> {
        self.kept.back()
    }

    /// All kept things with their numbers, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (i32, &T)> + ExactSizeIterator {
        let oldest = self.oldest_number();
        self.kept
            .iter()
            .enumerate()
            .map(move |(index, thing)| (oldest.wrapping_add(index as i32), thing))
    }

    /// Changes all kept things in place; their numbers stay.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.kept.iter_mut()
    }

    fn len_i32(&self) -> i32 {
        i32::try_from(self.kept.len()).unwrap_or(i32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::Ring;

    #[test]
    fn keeps_the_newest_under_their_numbers() {
        let mut ring = Ring::new(3);
        assert_eq!(
            (ring.newest_number(), ring.oldest_number(), ring.get(0)),
            (0, 1, None)
        );
        for letter in ['a', 'b', 'c', 'd'] {
            ring.push(letter);
        }
        assert_eq!((ring.oldest_number(), ring.newest_number()), (2, 4));
        assert_eq!(
            [1, 2, 4, 5].map(|number| ring.get(number).copied()),
            [None, Some('b'), Some('d'), None]
        );
        assert_eq!(
            ring.iter().map(|(number, _)| number).collect::<Vec<_>>(),
            [2, 3, 4]
        );
    }
}
