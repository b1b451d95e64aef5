//! Sorting with one copy of the code for all types, for lists that are sorted now and then: each type that the standard
//! library sorts by itself adds some seven kilobytes to the page. What is sorted many times a frame stays with the
//! standard library.

use std::cmp::Ordering;

/// As [`slice::sort`].
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// As [`slice::sort_by_key`].
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// As [`slice::sort_by`].
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut sources = sorted_places(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    for first in 0..sources.len() {
        // Goes round the circle of places in which each takes what the next one holds.
        let mut place = first;
        loop {
            let source = std::mem::replace(&mut sources[place], place);
            if source == first {
                break;
            }
            items.swap(place, source);
            place = source;
        }
    }
}

/// From which place each one takes its item.
fn sorted_places(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    places.sort_by(|&a, &b| compare(a, b));
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::rng::Rng;

    #[test]
    fn sorts_as_the_standard_library_does() {
        let mut random = Rng::new(1);
        for count in (0..40).chain([1000]) {
            let pairs: Vec<_> = (0..count).map(|at| (random.below(10), at)).collect();
            let (mut ours, mut theirs) = (pairs.clone(), pairs.clone());
            // Equal keys stay in their order.
            sort_by_key(&mut ours, |pair| pair.0);
            theirs.sort_by_key(|pair| pair.0);
            assert_eq!(ours, theirs);
            sort_by(&mut ours, |a, b| b.cmp(a));
            assert!(ours.is_sorted_by(|a, b| a > b));
            sort(&mut ours);
            assert!(ours.is_sorted());
        }
    }
}
