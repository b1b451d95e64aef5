//! Places for those who connect: so many in all, and so many of one address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};

/// How many there are, and who has one.
#[derive(Debug)]
pub struct Places {
    most: usize,
    most_per_address: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    count: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// One of the places, given back when it is dropped.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    address: IpAddr,
}

impl Places {
    pub fn new(most: usize, most_per_address: usize) -> Arc<Self> {
        Arc::new(Self {
            most,
            most_per_address,
            taken: Mutex::default(),
        })
    }

    /// A place, if there is one. An address that stands for many users may have all of them.
    pub fn take(self: &Arc<Self>, address: IpAddr, is_many: bool) -> Option<Place> {
        let mut taken = self.lock();
        let here = taken.by_address.get(&address).copied().unwrap_or(0);
        let is_full_here = here >= self.most_per_address && !is_many;
        if is_full_here || taken.count >= self.most {
            return None;
        }
        taken.count += 1;
        taken.by_address.insert(address, here + 1);
        Some(Place {
            places: self.clone(),
            address,
        })
    }

    pub fn count(&self) -> usize {
        self.lock().count
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.count -= 1;
        if let Some(here) = taken.by_address.get_mut(&self.address) {
            *here -= 1;
            if *here == 0 {
                taken.by_address.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_few_in_all_and_fewer_for_one_address() {
        let (one, other): (IpAddr, IpAddr) = ([1, 1, 1, 1].into(), [2, 2, 2, 2].into());
        let places = Places::new(3, 2);
        let mut taken: Vec<Place> = (0..2).filter_map(|_| places.take(one, false)).collect();
        assert!(places.take(one, false).is_none(), "one address has two");
        taken.extend(places.take(other, false));
        assert!(places.take(one, true).is_none(), "there are three");
        assert_eq!((taken.len(), places.count()), (3, 3));
        taken.pop();
        taken.extend(places.take(one, true));
        assert_eq!(taken.len(), 3, "a proxy may have more");
        drop(taken);
        assert_eq!(places.count(), 0);
        assert!(places.lock().by_address.is_empty());
    }
}
