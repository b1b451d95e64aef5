//! Lists of servers, as master servers send them.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Most addresses of one datagram.
const MAX_RECORDS: usize = 256;

/// Reads the records behind the word. A cut record ends the list; addresses that no server can have
/// are left out.
pub fn read(bytes: &[u8], is_extended: bool) -> Vec<SocketAddr> {
    let is_mark = |byte: u8| byte == b'\\' || is_extended && byte == b'/';
    let start = bytes.iter().position(|&byte| is_mark(byte));
    let mut rest = &bytes[start.unwrap_or(bytes.len())..];
    let mut addresses = Vec::new();
    for _ in 0..MAX_RECORDS {
        let Some((record, after)) = split_record(rest) else {
            break;
        };
        // A record is complete only if another one, or the end mark, follows.
        if !after.first().is_some_and(|&byte| is_mark(byte)) {
            break;
        }
        if is_usable(&record) && !addresses.contains(&record) {
            addresses.push(record);
        }
        rest = after;
    }
    addresses
}

fn split_record(bytes: &[u8]) -> Option<(SocketAddr, &[u8])> {
    let (&mark, rest) = bytes.split_first()?;
    let (ip, rest) = if mark == b'/' {
        let (&octets, rest) = rest.split_first_chunk::<16>()?;
        (IpAddr::V6(Ipv6Addr::from(octets)), rest)
    } else {
        let (&octets, rest) = rest.split_first_chunk::<4>()?;
        (IpAddr::V4(Ipv4Addr::from(octets)), rest)
    };
    let (&port, rest) = rest.split_first_chunk()?;
    Some((SocketAddr::new(ip, u16::from_be_bytes(port)), rest))
}

fn is_usable(address: &SocketAddr) -> bool {
    let ip = address.ip();
    let is_broadcast = ip == IpAddr::V4(Ipv4Addr::BROADCAST);
    address.port() != 0 && !ip.is_unspecified() && !ip.is_multicast() && !is_broadcast
}

/// Writes one datagram of a list without its mark; the extended form if there is any IPv6 address.
pub fn write(addresses: &[SocketAddr]) -> Vec<u8> {
    let mut bytes = match addresses.iter().any(SocketAddr::is_ipv6) {
        true => b"getserversExtResponse".to_vec(),
        false => b"getserversResponse".to_vec(),
    };
    for address in addresses.iter().take(MAX_RECORDS) {
        match address.ip() {
            IpAddr::V4(ip) => {
                bytes.push(b'\\');
                bytes.extend(ip.octets());
            }
            IpAddr::V6(ip) => {
                bytes.push(b'/');
                bytes.extend(ip.octets());
            }
        }
        bytes.extend(address.port().to_be_bytes());
    }
    bytes.extend(b"\\EOT\0\0\0");
    bytes
}
