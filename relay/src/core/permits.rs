//! One ledger of places for all that costs a descriptor or memory: so many in all, fewer for one
//! address, and quotas for the networks around it.
//!
//! Whoever has one address of IPv6 has at least a network of 64 bits, and may have one of 48 or 32:
//! counted by address or by network alone, they would take everybody's places.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use ipnet::IpNet;
use parking_lot::Mutex;
use tokio::sync::oneshot;

/// How many there are, and who has one.
#[derive(Debug)]
pub struct Permits {
    max: usize,
    max_per_address: usize,
    is_for_players: bool,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    count: usize,
    by_network: HashMap<IpNet, usize>,
    /// Places that can be taken back, in the order in which they were given.
    loans: BTreeMap<u64, Loan>,
    last_loan: u64,
}

/// A place that gives way to those of whose networks fewer are here.
#[derive(Debug)]
struct Loan {
    address: IpAddr,
    /// Dropped when the place is needed.
    _held: oneshot::Sender<()>,
}

/// One of the places, given back when it is dropped.
#[derive(Debug)]
pub struct Permit {
    permits: Arc<Permits>,
    address: IpAddr,
    /// The number of its loan.
    loan: Option<u64>,
    /// Tells when the loan is over.
    over: Option<oneshot::Receiver<()>>,
}

/// Whom an address stands for: in IPv6 everybody has at least a network of 64 bits.
pub(super) fn rate_limit_key(address: IpAddr) -> IpAddr {
    own(address).network()
}

/// The networks that an address counts for, from its own to the widest. Whoever has much of IPv4 paid for it, so
/// there only the nearest neighbours count.
pub(super) fn networks(address: IpAddr) -> impl DoubleEndedIterator<Item = IpNet> {
    let address = address.to_canonical();
    let lengths: &[u8] = match address {
        IpAddr::V4(_) => &[32, 24],
        IpAddr::V6(_) => &[64, 56, 48, 32],
    };
    lengths.iter().map(move |&bits| network(address, bits))
}

/// The address itself, or what stands for it, as in [`networks`].
fn own(address: IpAddr) -> IpNet {
    let address = address.to_canonical();
    network(address, if address.is_ipv4() { 32 } else { 64 })
}

fn network(address: IpAddr, bits: u8) -> IpNet {
    IpNet::new_assert(address, bits).trunc()
}

impl Permits {
    pub fn new(max: usize, max_per_address: usize) -> Arc<Self> {
        Self::with(max, max_per_address, false)
    }

    /// Those of players, whom a server has let in one by one: all may come from one network of IPv4,
    /// as at a LAN party. In IPv6 a LAN is one network of 64 bits, so those around it have quotas.
    pub fn of_players(max: usize, max_per_address: usize) -> Arc<Self> {
        Self::with(max, max_per_address, true)
    }

    fn with(max: usize, max_per_address: usize, is_for_players: bool) -> Arc<Self> {
        Arc::new(Self {
            max,
            max_per_address,
            is_for_players,
            taken: Mutex::default(),
        })
    }

    /// A place, if there is one. An address that stands for many users may have all of them.
    pub fn take(self: &Arc<Self>, address: IpAddr, is_many: bool) -> Option<Permit> {
        let mut taken = self.taken.lock();
        if taken.count >= self.max || !is_many && self.is_full_for(&taken, address) {
            return None;
        }
        taken.add(address);
        Some(self.permit(address))
    }

    /// A place that is given back when it is needed. Where none is left, the oldest of the network
    /// that has most of them is taken back for somebody of a network that has fewer: so a few who
    /// take all that they may have lock nobody out.
    pub fn borrow(self: &Arc<Self>, address: IpAddr) -> Option<Permit> {
        let mut taken = self.taken.lock();
        if self.is_full_for(&taken, address) {
            return None;
        }
        if taken.count >= self.max {
            let oldest = taken.oldest_of_most()?;
            let other = taken.loans.get(&oldest)?.address;
            if taken.weight(other) <= taken.weight_with_one_more(address) {
                return None;
            }
            // Its owner hears of it and gives the place back.
            taken.loans.remove(&oldest);
        }
        taken.add(address);
        let (held, over) = oneshot::channel();
        taken.last_loan += 1;
        let number = taken.last_loan;
        taken.loans.insert(
            number,
            Loan {
                address,
                _held: held,
            },
        );
        let mut permit = self.permit(address);
        (permit.loan, permit.over) = (Some(number), Some(over));
        Some(permit)
    }

    fn permit(self: &Arc<Self>, address: IpAddr) -> Permit {
        Permit {
            permits: self.clone(),
            address,
            loan: None,
            over: None,
        }
    }

    pub fn count(&self) -> usize {
        self.taken.lock().count
    }

    pub fn is_full(&self) -> bool {
        self.count() >= self.max
    }

    /// Has an address itself, whatever networks it is in, all that it may have?
    pub fn is_full_for_address(&self, address: IpAddr) -> bool {
        let here = self.taken.lock().by_network.get(&own(address)).copied();
        here.unwrap_or(0) >= self.max_per_address
    }

    fn is_full_for(&self, taken: &Taken, address: IpAddr) -> bool {
        networks(address).any(|network| {
            let here = taken.by_network.get(&network).copied().unwrap_or(0);
            here >= self.quota(network)
        })
    }

    /// What a network may have: one address as much as the operator says, those around it some times
    /// as much, and the widest half of all.
    fn quota(&self, network: IpNet) -> usize {
        let one = self.max_per_address;
        let widest = one.max(self.max / 2);
        match (network, network.prefix_len()) {
            (IpNet::V4(_), 32) | (IpNet::V6(_), 64) => one,
            (IpNet::V4(_), _) if self.is_for_players => usize::MAX,
            (IpNet::V6(_), 56) => one.saturating_mul(2).min(widest),
            (IpNet::V6(_), 48) => one.saturating_mul(4).min(widest),
            _ => widest,
        }
    }
}

impl Taken {
    fn add(&mut self, address: IpAddr) {
        self.count += 1;
        for network in networks(address) {
            *self.by_network.entry(network).or_default() += 1;
        }
    }

    /// How many places the widest network of an address has, and how many the address itself.
    fn weight(&self, address: IpAddr) -> (usize, usize) {
        let count = |network| self.by_network.get(&network).copied().unwrap_or(0);
        let widest = networks(address).next_back();
        (widest.map_or(0, count), count(own(address)))
    }

    fn weight_with_one_more(&self, address: IpAddr) -> (usize, usize) {
        let (widest, own) = self.weight(address);
        (widest + 1, own + 1)
    }

    fn oldest_of_most(&self) -> Option<u64> {
        let loans = self.loans.iter();
        let heaviest =
            loans.max_by_key(|(number, loan)| (self.weight(loan.address), Reverse(**number)));
        Some(*heaviest?.0)
    }
}

impl Permit {
    /// Ready when the place is needed by others.
    pub fn poll_over(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(over) = &mut self.over else {
            // What was over stays over.
            return match self.loan {
                Some(_) => Poll::Ready(()),
                None => Poll::Pending,
            };
        };
        let over = Pin::new(over).poll(context).map(drop);
        if over.is_ready() {
            self.over = None;
        }
        over
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut taken = self.permits.taken.lock();
        if let Some(number) = self.loan {
            taken.loans.remove(&number);
        }
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
        let permits = Permits::new(3, 2);
        let mut taken: Vec<Permit> = (0..2).filter_map(|_| permits.take(one, false)).collect();
        assert!(permits.take(one, false).is_none(), "one address has two");
        taken.extend(permits.take(other, false));
        assert!(permits.take(one, true).is_none(), "there are three");
        assert_eq!((taken.len(), permits.count()), (3, 3));
        taken.pop();
        taken.extend(permits.take(one, true));
        assert_eq!(taken.len(), 3, "a proxy may have more");
        drop(taken);
        assert_eq!(permits.count(), 0);
        assert!(permits.taken.lock().by_network.is_empty());
    }

    /// Takes what `addresses` get, one after the other.
    fn fill(permits: &Arc<Permits>, addresses: impl Iterator<Item = String>) -> Vec<Permit> {
        addresses
            .filter_map(|one| permits.take(address(&one), false))
            .collect()
    }

    #[test]
    fn a_network_takes_no_more_than_its_quota() {
        let permits = Permits::new(1000, 100);
        let of_64 = fill(&permits, (0..1000).map(|n| format!("2001:db8:1:2::{n:x}")));
        assert_eq!(of_64.len(), 100);
        let of_56 = fill(
            &permits,
            (0..1000).map(|n| format!("2001:db8:1:{:x}::1", n % 256)),
        );
        assert_eq!(of_56.len(), 200 - 100);
        let of_48 = fill(&permits, (0..1000).map(|n| format!("2001:db8:1:{n:x}::1")));
        assert_eq!(of_48.len(), 400 - 200);
        let of_32 = fill(&permits, (0..1000).map(|n| format!("2001:db8:{n:x}::1")));
        assert_eq!(of_32.len(), 500 - 400);
        let others = fill(
            &permits,
            (0..500).map(|n| format!("2001:{:x}::1", n + 0xdb9)),
        );
        assert_eq!(others.len(), 500, "everybody else has the other half");
        drop((of_64, of_56, of_48, of_32, others));
        let of_24 = fill(&permits, (0..2000).map(|n| format!("9.9.9.{}", n % 256)));
        assert_eq!(of_24.len(), 500);
        assert!(permits.take(address("9.9.8.1"), false).is_some());
        let players = Permits::of_players(1000, 100);
        let of_24 = fill(
            &players,
            (0..2000).map(|n| format!("192.168.1.{}", n % 256)),
        );
        assert_eq!(of_24.len(), 1000, "a LAN party has all");
        drop(of_24);
        let of_48 = fill(&players, (0..2000).map(|n| format!("2001:db8:1:{n:x}::1")));
        assert_eq!(of_48.len(), 400, "a network of IPv6 has not");
    }

    #[test]
    fn whoever_has_most_gives_way_and_the_oldest_of_them_first() {
        let mut context = Context::from_waker(std::task::Waker::noop());
        let permits = Permits::new(8, 4);
        let borrow = |text: &str| permits.borrow(address(text));
        let mut few = borrow("1.1.1.1").unwrap();
        let mut many: Vec<Permit> = (0..4).map(|_| borrow("2.2.2.2").unwrap()).collect();
        let mut three: Vec<Permit> = (0..3).map(|_| borrow("3.3.3.3").unwrap()).collect();
        let mut over = |permit: &mut Permit| permit.poll_over(&mut context).is_ready();
        assert!(borrow("2.2.2.2").is_none(), "it has all that it may have");
        assert!(borrow("3.3.3.3").is_none(), "it would have as many");
        let newcomer = borrow("4.4.4.4");
        assert!(newcomer.is_some());
        assert!(over(&mut many[0]), "the oldest of those who have most");
        assert!(
            many[1..]
                .iter_mut()
                .chain(&mut three)
                .all(|permit| !over(permit))
        );
        assert!(!over(&mut few));
        drop((few, many, three, newcomer));
        assert_eq!(permits.count(), 0);
        assert!(permits.taken.lock().loans.is_empty());
        // One household after the other of one network.
        let permits = Permits::new(100, 50);
        let spread: Vec<_> = (0..100)
            .filter_map(|n| permits.borrow(address(&format!("2001:db8:{n:x}::1"))))
            .collect();
        let others: Vec<_> = (0..50)
            .filter_map(|n| permits.borrow(address(&format!("2a00:{n:x}::1"))))
            .collect();
        assert_eq!((spread.len(), others.len()), (50, 50));
        assert!(permits.borrow(address("2b00::1")).is_some());
    }

    #[test]
    fn what_the_operator_gives_one_address_holds() {
        let permits = Permits::new(4, 4);
        assert_eq!(
            fill(&permits, (0..9).map(|_| "1.2.3.4".to_owned())).len(),
            4
        );
        assert_eq!(
            rate_limit_key(address("::ffff:1.2.3.4")),
            address("1.2.3.4")
        );
        assert_eq!(
            rate_limit_key(address("2001:db8:1:2:3::4")),
            rate_limit_key(address("2001:db8:1:2:ffff::5"))
        );
    }
}
