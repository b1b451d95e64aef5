//! One ledger of places for all that costs a descriptor or memory: so many in all, fewer for one
//! address, and quotas for the networks around it.
//!
//! Whoever has one address of IPv6 has at least a network of 64 bits, and may have one of 48 or 32:
//! counted by address or by network alone, they would take everybody's places.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard};

/// How many there are, and who has one.
#[derive(Debug)]
pub struct Places {
    most: usize,
    most_per_address: usize,
    has_wide_quotas: bool,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    count: usize,
    by_network: HashMap<(IpAddr, u8), usize>,
}

/// One of the places, given back when it is dropped.
#[derive(Debug)]
pub struct Place {
    places: Arc<Places>,
    address: IpAddr,
}

/// Whom an address stands for: in IPv6 everybody has at least a network of 64 bits.
pub fn household(address: IpAddr) -> IpAddr {
    networks(address)[0].0
}

/// The networks that an address counts for, from its own to the widest, by address and length. Who
/// has much of IPv4 paid for it, so there only the nearest neighbours count.
fn networks(address: IpAddr) -> Vec<(IpAddr, u8)> {
    match address.to_canonical() {
        IpAddr::V4(v4) => [32, 24]
            .map(|bits| {
                let mask = u32::MAX << (32 - bits);
                (Ipv4Addr::from(u32::from(v4) & mask).into(), bits)
            })
            .to_vec(),
        IpAddr::V6(v6) => [64, 56, 48, 32]
            .map(|bits| {
                let mask = u128::MAX << (128 - bits);
                (Ipv6Addr::from(u128::from(v6) & mask).into(), bits)
            })
            .to_vec(),
    }
}

impl Places {
    pub fn new(most: usize, most_per_address: usize) -> Arc<Self> {
        Self::with(most, most_per_address, true)
    }

    /// Those of players, whom a server has let in one by one: all may come from one network, as at a
    /// LAN party.
    pub fn of_players(most: usize, most_per_address: usize) -> Arc<Self> {
        Self::with(most, most_per_address, false)
    }

    fn with(most: usize, most_per_address: usize, has_wide_quotas: bool) -> Arc<Self> {
        Arc::new(Self {
            most,
            most_per_address,
            has_wide_quotas,
            taken: Mutex::default(),
        })
    }

    /// A place, if there is one. An address that stands for many users may have all of them.
    pub fn take(self: &Arc<Self>, address: IpAddr, is_many: bool) -> Option<Place> {
        let mut taken = self.lock();
        if taken.count >= self.most || !is_many && self.is_full_for(&taken, address) {
            return None;
        }
        taken.count += 1;
        for network in networks(address) {
            *taken.by_network.entry(network).or_default() += 1;
        }
        Some(Place {
            places: self.clone(),
            address,
        })
    }

    pub fn count(&self) -> usize {
        self.lock().count
    }

    pub fn is_full(&self) -> bool {
        self.count() >= self.most
    }

    /// Has an address itself, whatever networks it is in, all that it may have?
    pub fn is_full_for_address(&self, address: IpAddr) -> bool {
        let own = networks(address)[0];
        let here = self.lock().by_network.get(&own).copied();
        here.unwrap_or(0) >= self.most_per_address
    }

    fn is_full_for(&self, taken: &Taken, address: IpAddr) -> bool {
        networks(address).into_iter().any(|network| {
            let here = taken.by_network.get(&network).copied().unwrap_or(0);
            here >= self.quota(network)
        })
    }

    /// What a network may have: one address as much as the operator says, those around it some times
    /// as much, and the widest half of all.
    fn quota(&self, (address, bits): (IpAddr, u8)) -> usize {
        let one = self.most_per_address;
        let widest = one.saturating_mul(4).max(self.most / 2);
        match (address, bits) {
            (IpAddr::V4(_), 32) | (IpAddr::V6(_), 64) => one,
            _ if !self.has_wide_quotas => usize::MAX,
            (IpAddr::V6(_), 56) => one.saturating_mul(2),
            (IpAddr::V6(_), 48) => one.saturating_mul(4),
            _ => widest,
        }
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
        for network in networks(self.address) {
            if let Some(here) = taken.by_network.get_mut(&network) {
                *here -= 1;
                if *here == 0 {
                    taken.by_network.remove(&network);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn places_are_few_in_all_and_fewer_for_one_address() {
        let (one, other) = (address("1.1.1.1"), address("2.2.2.2"));
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
        assert!(places.lock().by_network.is_empty());
    }

    /// Takes what `addresses` get, one after the other.
    fn fill(places: &Arc<Places>, addresses: impl Iterator<Item = String>) -> Vec<Place> {
        addresses
            .filter_map(|one| places.take(address(&one), false))
            .collect()
    }

    #[test]
    fn a_network_takes_no_more_than_its_quota() {
        let places = Places::new(1000, 100);
        let of_64 = fill(&places, (0..1000).map(|n| format!("2001:db8:1:2::{n:x}")));
        assert_eq!(of_64.len(), 100);
        let of_56 = fill(
            &places,
            (0..1000).map(|n| format!("2001:db8:1:{:x}::1", n % 256)),
        );
        assert_eq!(of_56.len(), 200 - 100);
        let of_48 = fill(&places, (0..1000).map(|n| format!("2001:db8:1:{n:x}::1")));
        assert_eq!(of_48.len(), 400 - 200);
        let of_32 = fill(&places, (0..1000).map(|n| format!("2001:db8:{n:x}::1")));
        assert_eq!(of_32.len(), 500 - 400);
        let others = fill(
            &places,
            (0..500).map(|n| format!("2001:{:x}::1", n + 0xdb9)),
        );
        assert_eq!(others.len(), 500, "everybody else has the other half");
        drop((of_64, of_56, of_48, of_32, others));
        let of_24 = fill(&places, (0..2000).map(|n| format!("9.9.9.{}", n % 256)));
        assert_eq!(of_24.len(), 500);
        assert!(places.take(address("9.9.8.1"), false).is_some());
        let players = Places::of_players(1000, 100);
        let of_24 = fill(
            &players,
            (0..2000).map(|n| format!("192.168.1.{}", n % 256)),
        );
        assert_eq!(of_24.len(), 1000, "a LAN party has all");
    }

    #[test]
    fn what_the_operator_gives_one_address_holds() {
        let places = Places::new(4, 4);
        assert_eq!(fill(&places, (0..9).map(|_| "1.2.3.4".to_owned())).len(), 4);
        assert_eq!(household(address("::ffff:1.2.3.4")), address("1.2.3.4"));
        assert_eq!(
            household(address("2001:db8:1:2:3::4")),
            household(address("2001:db8:1:2:ffff::5"))
        );
    }
}
