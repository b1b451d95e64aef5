//! Networks like 10.0.0.0/8: who is in one, which addresses are public, and a pool to send from.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use parking_lot::Mutex;

use ipnet::IpNet;

/// Reads an address or a network.
///
/// # Errors
/// What is wanted instead.
pub fn parse(text: &str) -> Result<IpNet, String> {
    let address = text.parse::<IpAddr>().map(IpNet::from);
    let network = address.or_else(|_| text.parse());
    network.map_err(|_| {
        format!("{text:?} is neither an address nor a network like 10.0.0.0/8 or 2001:db8::/32")
    })
}

/// Is an address in one of them?
pub fn any_contains(networks: &[IpNet], address: IpAddr) -> bool {
    let address = address.to_canonical();
    networks.iter().any(|network| network.contains(&address))
}

/// The first address of a network that a player may get.
pub fn first(network: &IpNet) -> IpAddr {
    nth(network, u128::from(host_bits(network) > 0))
}

fn host_bits(network: &IpNet) -> u8 {
    network.max_prefix_len() - network.prefix_len()
}

/// The address at a place in the network, which must be inside.
fn nth(network: &IpNet, place: u128) -> IpAddr {
    match network {
        IpNet::V4(v4) => Ipv4Addr::from(u32::from(v4.network()) | place as u32).into(),
        IpNet::V6(v6) => Ipv6Addr::from(u128::from(v6.network()) | place).into(),
    }
}

/// Any address of this machine that reaches another.
pub fn any_address(other: SocketAddr) -> IpAddr {
    match other {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    }
}

/// May a stranger choose this address as a target? Only such that are routed in the internet.
pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

/// Everything but what RFC 6890 and its successors set aside.
fn is_public_v4(v4: Ipv4Addr) -> bool {
    let [a, b, c, _] = v4.octets();
    let is_special = v4.is_private()
        || v4.is_loopback()
        || v4.is_link_local()
        || v4.is_documentation()
        || a == 0
        || (a == 100 && b & 0xc0 == 64)
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && b & 0xfe == 18)
        || a >= 224;
    !is_special
}

/// Only global unicast, without the parts that stand for IPv4 addresses or for nothing real.
fn is_public_v6(v6: Ipv6Addr) -> bool {
    let [first, second, ..] = v6.segments();
    let is_global = first & 0xe000 == 0x2000;
    let is_teredo_or_special = first == 0x2001 && second < 0x200;
    let is_documentation =
        (first == 0x2001 && second == 0xdb8) || (first == 0x3fff && second < 0x1000);
    let is_6to4 = first == 0x2002;
    is_global && !is_teredo_or_special && !is_documentation && !is_6to4
}

/// Hands out addresses of a network, each to one player as long as there are enough.
#[derive(Debug)]
pub struct SourcePool {
    network: IpNet,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    next: u128,
    used: HashMap<IpAddr, usize>,
}

/// An address in use.
#[derive(Debug)]
pub struct Source {
    pool: Arc<SourcePool>,
    pub address: IpAddr,
}

impl SourcePool {
    pub fn new(network: IpNet) -> Arc<Self> {
        Arc::new(Self {
            network,
            inner: Mutex::default(),
        })
    }

    pub fn is_ipv4(&self) -> bool {
        self.network.addr().is_ipv4()
    }

    pub fn take(self: &Arc<Self>) -> Source {
        let mut inner = self.inner.lock();
        // One more try than there are addresses in use finds a free one, if there is any.
        let mut address = self.next(&mut inner);
        for _ in 0..inner.used.len() {
            if !inner.used.contains_key(&address) {
                break;
            }
            address = self.next(&mut inner);
        }
        *inner.used.entry(address).or_default() += 1;
        Source {
            pool: self.clone(),
            address,
        }
    }

    /// An address of this network that somebody had before; nothing if it is of another one.
    pub fn claim(self: &Arc<Self>, address: IpAddr) -> Option<Source> {
        if !self.network.contains(&address) {
            return None;
        }
        *self.inner.lock().used.entry(address).or_default() += 1;
        Some(Source {
            pool: self.clone(),
            address,
        })
    }

    /// Goes round the network; its first and last address name the network and everybody in IPv4.
    fn next(&self, inner: &mut Inner) -> IpAddr {
        let host_bits = host_bits(&self.network);
        if host_bits < 2 {
            inner.next = (inner.next + 1) % (1 << host_bits);
        } else {
            let last = u128::MAX >> (128 - host_bits);
            inner.next = inner.next % (last - 1) + 1;
        }
        nth(&self.network, inner.next)
    }
}

impl Drop for Source {
    fn drop(&mut self) {
        let mut inner = self.pool.inner.lock();
        if let Some(users) = inner.used.get_mut(&self.address) {
            *users -= 1;
            if *users == 0 {
                inner.used.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_hold_their_addresses() {
        let check = |network: &str, address: &str| {
            let network = parse(network).unwrap();
            any_contains(&[network], address.parse().unwrap())
        };
        assert!(check("10.0.0.0/8", "10.255.1.2"));
        assert!(!check("10.0.0.0/8", "11.0.0.0"));
        assert!(check("1.2.3.4", "1.2.3.4"));
        assert!(!check("1.2.3.4", "1.2.3.5"));
        assert!(check("0.0.0.0/0", "255.1.1.1"));
        assert!(!check("0.0.0.0/0", "::1"));
        assert!(check("::/0", "ffff::1"));
        assert!(check("2001:db8::/32", "2001:db8:1::1"));
        for wrong in ["10.0.0.0/33", "10.0.0/8", "x", "::/129", "1.2.3.4/-1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_routed_addresses_are_public() {
        for public in [
            "8.8.8.8",
            "172.32.0.1",
            "100.128.0.1",
            "198.20.0.1",
            "2606:4700::1",
            "2001:4860:4860::8888",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        let special = [
            "0.0.0.0",
            "0.1.2.3",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.9.9.9",
            "169.254.169.254",
            "172.16.0.1",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::7f00:1",
            "64:ff9b::7f00:1",
            "fe80::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "2001::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "3fff::1",
            "100::1",
        ];
        for special in special {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
    }

    #[test]
    fn a_pool_gives_each_player_an_address() {
        let pool = SourcePool::new(parse("127.1.0.0/29").unwrap());
        let taken: Vec<Source> = (0..6).map(|_| pool.take()).collect();
        let addresses: Vec<String> = taken
            .iter()
            .map(|source| source.address.to_string())
            .collect();
        assert_eq!(
            addresses,
            [
                "127.1.0.1",
                "127.1.0.2",
                "127.1.0.3",
                "127.1.0.4",
                "127.1.0.5",
                "127.1.0.6"
            ]
        );
        let shared = pool.take();
        assert!(addresses.contains(&shared.address.to_string()));
        drop(shared);
        drop(taken);
        assert!(pool.inner.lock().used.is_empty());
        let single = SourcePool::new(parse("127.1.2.3").unwrap());
        assert_eq!(single.take().address.to_string(), "127.1.2.3");
    }
}
