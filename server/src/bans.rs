//! Bans: ranges of addresses whose clients are not let in, and the exceptions from them.

use crate::{
    io::{Peer, Request},
    server::Server,
    slot::SlotState,
};
use core::net::{IpAddr, Ipv4Addr};
use shared::base::tokens::Tokens;

/// Ranges that are kept, bans and exceptions together.
const MAX_RANGES: usize = 1024;

/// Addresses that begin alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    address: IpAddr,
    /// Bits that all its addresses share.
    prefix: u8,
    is_exception: bool,
}

/// Who is not let in.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bans {
    ranges: Vec<Range>,
    /// Something was changed that is not written down yet.
    has_changed: bool,
}

impl Range {
    /// Reads `192.0.2.7`, `192.0.2.0/24`, `192.0.2`, `192.0.2.*` or the same of IPv6.
    fn parse(text: &str, prefix: Option<&str>, is_exception: bool) -> Option<Self> {
        let (address, own_prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, prefix),
        };
        let (address, implied) = match address.parse::<IpAddr>() {
            Ok(address) => (address.to_canonical(), bits(address.to_canonical())),
            Err(_) => beginning(address)?,
        };
        let prefix = match own_prefix {
            Some(prefix) => prefix.parse().ok().filter(|&one| one <= bits(address))?,
            None => implied,
        };
        Some(Self {
            address: masked(address, prefix),
            prefix,
            is_exception,
        })
    }

    fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        bits(address) == bits(self.address) && masked(address, self.prefix) == self.address
    }

    fn text(&self) -> String {
        format!("{}/{}", self.address, self.prefix)
    }

    fn kind(&self) -> &'static str {
        match self.is_exception {
            true => "Except",
            false => "Ban",
        }
    }
}

fn bits(address: IpAddr) -> u8 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

fn masked(address: IpAddr, prefix: u8) -> IpAddr {
    let shift = u32::from(bits(address) - prefix);
    match address {
        IpAddr::V4(address) => {
            let kept = u32::MAX.checked_shl(shift).unwrap_or(0);
            Ipv4Addr::from_bits(address.to_bits() & kept).into()
        }
        IpAddr::V6(address) => {
            let kept = u128::MAX.checked_shl(shift).unwrap_or(0);
            core::net::Ipv6Addr::from_bits(address.to_bits() & kept).into()
        }
    }
}

/// The first numbers of an IPv4 address, and how many bits they are.
fn beginning(text: &str) -> Option<(IpAddr, u8)> {
    let parts: Vec<&str> = text.split('.').collect();
    let known = parts.iter().take_while(|part| **part != "*").count();
    if !(1..=3).contains(&known)
        || parts.len() > 4
        || parts[known..].iter().any(|part| *part != "*")
    {
        return None;
    }
    let mut octets = [0; 4];
    for (octet, part) in octets.iter_mut().zip(&parts[..known]) {
        *octet = part.parse().ok()?;
    }
    Some((Ipv4Addr::from(octets).into(), 8 * known as u8))
}

impl Bans {
    pub(crate) fn is_banned(&self, peer: Peer) -> bool {
        let Peer::Net(address) = peer else {
            return false;
        };
        let mut matching = self
            .ranges
            .iter()
            .filter(|range| range.contains(address.ip()));
        let is_excepted = matching.clone().any(|range| range.is_exception);
        !is_excepted && matching.any(|range| !range.is_exception)
    }

    fn add(&mut self, range: Range) -> Result<String, String> {
        let covers = |known: &&Range| {
            known.is_exception == range.is_exception
                && known.prefix <= range.prefix
                && known.contains(range.address)
        };
        if let Some(known) = self.ranges.iter().find(covers) {
            return Err(format!(
                "{} is known already as {}",
                range.text(),
                known.text()
            ));
        }
        if self.ranges.len() >= MAX_RANGES {
            return Err(format!("There are {MAX_RANGES} ranges already"));
        }
        // Those within it say nothing more.
        self.ranges.retain(|known| {
            known.is_exception != range.is_exception
                || !range.contains(known.address)
                || known.prefix < range.prefix
        });
        self.ranges.push(range);
        self.has_changed = true;
        Ok(format!("{}: {}", range.kind(), range.text()))
    }

    /// Removes a range by its number in the list, or all that lie in one.
    fn remove(&mut self, text: &str, is_exception: bool) -> usize {
        let before = self.ranges.len();
        let number = text.parse::<usize>().ok();
        let within = Range::parse(text, None, is_exception);
        let mut at = 0;
        self.ranges.retain(|known| {
            if known.is_exception != is_exception {
                return true;
            }
            at += 1;
            let is_meant = match number {
                Some(number) => number == at,
                None => within.is_some_and(|range| {
                    range.prefix <= known.prefix && range.contains(known.address)
                }),
            };
            !is_meant
        });
        self.has_changed |= self.ranges.len() < before;
        before - self.ranges.len()
    }

    fn lines(&self) -> Vec<String> {
        let rows = |is_exception: bool| {
            let ranges = self.ranges.iter();
            let ranges = ranges.filter(move |range| range.is_exception == is_exception);
            ranges
                .enumerate()
                .map(|(at, range)| format!("{} #{}: {}", range.kind(), at + 1, range.text()))
        };
        rows(false).chain(rows(true)).collect()
    }

    /// As lines of the console that make the same bans again.
    fn script(&self) -> String {
        let line = |range: &Range| {
            let word = if range.is_exception {
                "exceptaddr"
            } else {
                "banaddr"
            };
            format!("{word} {}\n", range.text())
        };
        self.ranges.iter().map(line).collect()
    }
}

impl Server {
    /// Runs a command about bans; false if it is none.
    pub(crate) fn run_ban_command(&mut self, tokens: &Tokens) -> bool {
        let what = tokens.get(1);
        match tokens.get(0).to_ascii_lowercase().as_str() {
            "banaddr" | "addip" => self.ban(tokens, false),
            "exceptaddr" => self.ban(tokens, true),
            "bandel" | "removeip" => self.lift_ban(what, false),
            "exceptdel" => self.lift_ban(what, true),
            "listbans" | "listip" => {
                let mut lines = self.bans.lines();
                if lines.is_empty() {
                    lines.push("Nobody is banned".to_owned());
                }
                self.output.printed.extend(lines);
            }
            "flushbans" => {
                self.bans.has_changed |= !self.bans.ranges.is_empty();
                self.bans.ranges.clear();
                self.print("All bans are lifted");
            }
            _ => return false,
        }
        true
    }

    fn ban(&mut self, tokens: &Tokens, is_exception: bool) {
        let (who, prefix) = (tokens.get(1), tokens.get(2));
        let of_slot = who
            .parse::<usize>()
            .ok()
            .and_then(|client| self.slots.get(client));
        let of_slot = of_slot.and_then(Option::as_ref).map(|slot| slot.peer);
        let address = match of_slot {
            Some(Peer::Net(address)) => address.ip().to_string(),
            _ => who.to_owned(),
        };
        let is_client = who.parse::<usize>().is_ok();
        let range = Range::parse(
            &address,
            (!prefix.is_empty()).then_some(prefix),
            is_exception,
        );
        // A number alone means a client, not an eighth of all addresses.
        let range = range.filter(|_| !is_client || matches!(of_slot, Some(Peer::Net(_))));
        let text = match range.map(|range| self.bans.add(range)) {
            Some(Ok(text) | Err(text)) => text,
            None => format!("{who} is no address, range or client: banaddr 192.0.2.0/24"),
        };
        self.print(text);
        let is_gone = |bans: &Bans, peer| bans.is_banned(peer);
        let banned: Vec<usize> = self
            .clients()
            .filter(|(_, slot)| slot.state > SlotState::Zombie && is_gone(&self.bans, slot.peer))
            .map(|(client, _)| client)
            .collect();
        for client in banned {
            self.drop_client(client, "was banned");
        }
    }

    fn lift_ban(&mut self, what: &str, is_exception: bool) {
        let text = match self.bans.remove(what, is_exception) {
            0 => format!("{what} is not in the list"),
            count => format!("{count} removed"),
        };
        self.print(text);
    }

    /// Has the bans written down if they changed.
    pub(crate) fn keep_bans(&mut self) {
        if std::mem::take(&mut self.bans.has_changed) {
            let script = self.bans.script();
            self.output.requests.push(Request::KeepBans { script });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::net::SocketAddr;

    fn check(bans: &[&str], exceptions: &[&str], address: &str, is_banned: bool) {
        let mut list = Bans::default();
        for (texts, is_exception) in [(bans, false), (exceptions, true)] {
            for text in texts {
                let range = Range::parse(text, None, is_exception).expect("a range");
                list.add(range).expect("room");
            }
        }
        let address: IpAddr = address.parse().expect("an address");
        let peer = Peer::Net(SocketAddr::new(address, 27960));
        assert_eq!(list.is_banned(peer), is_banned, "{address}: {list:?}");
    }

    #[test]
    fn ranges_hold_the_addresses_that_begin_alike() {
        check(&["192.0.2.7"], &[], "192.0.2.7", true);
        check(&["192.0.2.7"], &[], "192.0.2.8", false);
        check(&["192.0.2.0/24"], &[], "192.0.2.8", true);
        check(&["192.0.2.0/24"], &["192.0.2.8"], "192.0.2.8", false);
        check(&["192.0.2.*"], &[], "192.0.2.255", true);
        check(&["192.0"], &[], "192.1.2.3", false);
        check(&["0.0.0.0/0"], &[], "203.0.113.9", true);
        check(&["0.0.0.0/0"], &[], "2001:db8::1", false);
        check(&["2001:db8::/32"], &[], "2001:db8::1", true);
        check(&["192.0.2.7"], &[], "::ffff:192.0.2.7", true);
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in [
            "",
            "x",
            "1.2.3.4.5",
            "1.*.3",
            "192.0.2.0/33",
            "*",
            "300.1",
            "1.2.3.4/x",
        ] {
            assert_eq!(Range::parse(text, None, false), None, "{text}");
        }
    }

    #[test]
    fn ranges_are_kept_once_and_removed_by_number_or_range() {
        let mut bans = Bans::default();
        let range = |text: &str| Range::parse(text, None, false).expect("a range");
        for text in ["192.0.2.1", "192.0.2.2", "198.51.100.0/24"] {
            bans.add(range(text)).expect("room");
        }
        assert!(bans.add(range("198.51.100.9")).is_err());
        bans.add(range("192.0.2.0/24")).expect("room");
        assert_eq!(
            bans.script(),
            "banaddr 198.51.100.0/24\nbanaddr 192.0.2.0/24\n"
        );
        assert_eq!(bans.remove("1", true), 0);
        assert_eq!(bans.remove("1", false), 1);
        assert_eq!(bans.remove("192.0.0.0/16", false), 1);
        assert!(bans.lines().is_empty());
        for at in 0..MAX_RANGES as u32 {
            bans.add(range(&Ipv4Addr::from_bits(at << 8).to_string()))
                .expect("room");
        }
        assert!(bans.add(range("203.0.113.1")).is_err());
    }
}
