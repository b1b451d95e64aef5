//! Who may play where: the servers on the list, the pages' origins, the addresses behind proxies.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::http::{HeaderMap, header};
use ipnet::IpNet;

use crate::core::config::Config;
use crate::core::network::{any_contains, is_public};
use crate::core::resolve::{ResolveError, Resolver};

/// The operator's rules.
#[derive(Debug)]
pub struct Policy {
    servers: Vec<String>,
    origins: Vec<String>,
    proxies: Vec<IpNet>,
    bans: Vec<IpNet>,
    is_open: bool,
    /// Names of this relay, in lower case; none where a certificate speaks for it.
    hosts: Option<Vec<String>>,
    resolver: Arc<Resolver>,
}

/// Why a target is refused, as a sentence for the player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("This relay has no game server to offer.")]
    NoServer,
    #[error("This relay does not forward to {0}.")]
    NotListed(String),
    #[error("{0} is not the address of a public game server.")]
    NotPublic(String),
    #[error("{0} should be host:port.")]
    Malformed(String),
    #[error("The name {0} does not resolve.")]
    Unresolved(String),
    #[error("This relay looks up too many names just now; please try again in a moment.")]
    Busy,
}

/// A server that may be joined, and its address now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As the operator wrote it.
    pub name: String,
    pub address: SocketAddr,
    /// Did the operator name it?
    pub is_listed: bool,
}

/// Ports below belong to services of the system, never to games.
pub const LOWEST_PORT: u16 = 1024;

impl Policy {
    pub fn new(config: &Config, resolver: Arc<Resolver>) -> Self {
        Self {
            servers: config.servers.clone(),
            origins: config
                .origins
                .iter()
                .map(|one| one.trim_end_matches('/').to_owned())
                .collect(),
            proxies: config.proxies.clone(),
            bans: config.bans.clone(),
            is_open: config.open,
            // Browsers themselves refuse a name that the certificate does not hold.
            hosts: config.tls_certificate.is_none().then(|| own_names(config)),
            resolver,
        }
    }

    /// The server that a page asked for, or the default one, if it may be joined.
    pub async fn target(&self, asked: Option<&str>) -> Result<Target, TargetError> {
        let name = match asked.filter(|name| !name.is_empty()) {
            None => self.servers.first().ok_or(TargetError::NoServer)?,
            Some(asked) => {
                let listed = self
                    .servers
                    .iter()
                    .find(|name| name.eq_ignore_ascii_case(asked));
                match listed {
                    Some(listed) => listed,
                    None if self.is_open => return self.public_target(asked).await,
                    None => return Err(TargetError::NotListed(shortened(asked))),
                }
            }
        };
        Ok(Target {
            name: name.clone(),
            address: self
                .resolver
                .own(name)
                .await
                .map_err(|error| unresolved(name, error))?,
            is_listed: true,
        })
    }

    /// A stranger's choice. The address that was checked is the one that is used, so a name cannot
    /// turn to another one in between.
    async fn public_target(&self, asked: &str) -> Result<Target, TargetError> {
        let name = shortened(asked);
        let (_, port) = name
            .rsplit_once(':')
            .ok_or_else(|| TargetError::Malformed(name.clone()))?;
        let port: u16 = port
            .parse()
            .map_err(|_| TargetError::Malformed(name.clone()))?;
        if port < LOWEST_PORT {
            return Err(TargetError::NotPublic(name));
        }
        let address = self.resolver.strangers(&name).await;
        let address = address.map_err(|error| unresolved(&name, error))?;
        let address = SocketAddr::new(address.ip().to_canonical(), address.port());
        if !is_public(address.ip()) {
            return Err(TargetError::NotPublic(name));
        }
        Ok(Target {
            name,
            address,
            is_listed: false,
        })
    }

    /// The server of a session of an earlier run, by the name and address that were checked then, if
    /// it may still be joined.
    pub fn restored_target(&self, name: &str, address: SocketAddr) -> Option<Target> {
        let is_listed = self.servers.iter().any(|listed| listed == name);
        (is_listed || self.is_open).then(|| Target {
            name: name.to_owned(),
            address,
            is_listed,
        })
    }

    pub fn is_banned(&self, user: IpAddr) -> bool {
        any_contains(&self.bans, user)
    }

    /// May a page with these request headers play? Programs send no origin and may.
    pub fn is_welcome(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(header::ORIGIN) else {
            return true;
        };
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let Ok(origin) = origin.to_str() else {
            return false;
        };
        let own = authority(origin)
            .zip(host)
            .is_some_and(|(own, host)| own.eq_ignore_ascii_case(host));
        own || self.is_named(origin)
    }

    /// The same for WebTransport, whose port differs from that of the page that it serves.
    pub fn is_welcome_over_quic(&self, origin: Option<&str>, host: &str) -> bool {
        let Some(origin) = origin else { return true };
        let page = authority(origin).map(without_port).unwrap_or_default();
        let is_own = self.knows_host(host);
        let host = without_port(host);
        let are_here = is_loopback(page) && is_loopback(host);
        let is_same = page.eq_ignore_ascii_case(host) && !page.is_empty();
        are_here || is_own && is_same || self.is_named(origin)
    }

    /// Is this relay meant by the host of a request? A page of another site whose name was turned to
    /// our address afterwards (DNS rebinding) names itself; addresses cannot be turned.
    pub fn knows_host(&self, host: &str) -> bool {
        let Some(names) = &self.hosts else {
            return true;
        };
        let name = without_port(host)
            .trim_end_matches('.')
            .to_ascii_lowercase();
        let literal = name.trim_start_matches('[').trim_end_matches(']');
        literal.parse::<IpAddr>().is_ok()
            || name == "localhost"
            || name.ends_with(".localhost")
            || names.contains(&name)
    }

    fn is_named(&self, origin: &str) -> bool {
        let mut named = self.origins.iter();
        named.any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(origin))
    }

    /// Whose request this is: the last address in X-Forwarded-For that is not one of our proxies,
    /// if a proxy of ours sent it, else the peer.
    pub fn user(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        self.follow(peer, headers).0
    }

    /// The same; nothing if a proxy of ours sent it and did not say for whom.
    pub fn certain_user(&self, peer: IpAddr, headers: &HeaderMap) -> Option<IpAddr> {
        let (user, is_certain) = self.follow(peer, headers);
        is_certain.then_some(user)
    }

    pub fn is_proxy(&self, address: IpAddr) -> bool {
        any_contains(&self.proxies, address)
    }

    /// How far the header leads back, and whether all that was needed of it could be read.
    fn follow(&self, peer: IpAddr, headers: &HeaderMap) -> (IpAddr, bool) {
        let mut user = peer.to_canonical();
        let lines = headers.get_all("x-forwarded-for").iter().rev();
        let hops = lines.flat_map(|line| line.to_str().unwrap_or("?").rsplit(','));
        let mut is_certain = !self.is_proxy(user);
        for hop in hops {
            if !self.is_proxy(user) {
                break;
            }
            let Ok(address) = hop.trim().parse::<IpAddr>() else {
                return (user, false);
            };
            user = address.to_canonical();
            is_certain = true;
        }
        (user, is_certain)
    }
}

fn unresolved(name: &str, error: ResolveError) -> TargetError {
    match error {
        ResolveError::Unresolved => TargetError::Unresolved(name.to_owned()),
        ResolveError::Busy => TargetError::Busy,
    }
}

/// What the operator calls this relay, and what the machine calls itself.
fn own_names(config: &Config) -> Vec<String> {
    let mut names = config.hosts.clone();
    if let Some(machine) = machine_name() {
        names.push(format!("{machine}.local"));
        names.push(machine);
    }
    names
}

#[cfg(unix)]
fn machine_name() -> Option<String> {
    let system = rustix::system::uname();
    let name = system.nodename().to_str().ok()?.to_ascii_lowercase();
    (!name.is_empty()).then_some(name)
}

#[cfg(not(unix))]
fn machine_name() -> Option<String> {
    Some(std::env::var("COMPUTERNAME").ok()?.to_ascii_lowercase())
}

/// `host:port` of an origin.
fn authority(origin: &str) -> Option<&str> {
    Some(origin.split_once("://")?.1)
}

fn without_port(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host == "[::1]"
        || host.parse::<Ipv4Addr>().is_ok_and(|v4| v4.is_loopback())
}

/// What a stranger wrote, fit for a log line and a close reason.
pub(super) fn shortened(text: &str) -> String {
    text.chars()
        .filter(|one| !one.is_control())
        .take(60)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[tokio::test]
    async fn an_open_relay_still_reaches_no_private_address() {
        let policy = policy(&["--open", "--server", "127.0.0.1:27960"]);
        let private = [
            "127.0.0.1:27961",
            "localhost:27960",
            "10.0.0.1:27960",
            "169.254.169.254:8080",
            "[::1]:27960",
            "[::ffff:127.0.0.1]:27960",
            "[::ffff:7f00:1]:27960",
            "[64:ff9b::7f00:1]:27960",
            "0:27960",
            "2130706433:27960",
            "0x7f.1:27960",
            "8.8.8.8:53",
        ];
        for target in private {
            let refused = policy.target(Some(target)).await;
            assert!(
                matches!(
                    refused,
                    Err(TargetError::NotPublic(_) | TargetError::Unresolved(_))
                ),
                "{target}: {refused:?}"
            );
        }
        for malformed in ["8.8.8.8", "8.8.8.8:x", "8.8.8.8:70000"] {
            let refused = policy.target(Some(malformed)).await;
            assert!(
                matches!(refused, Err(TargetError::Malformed(_))),
                "{malformed}: {refused:?}"
            );
        }
        let public = policy.target(Some("8.8.8.8:27960")).await.unwrap();
        assert!(!public.is_listed);
        assert!(policy.target(None).await.unwrap().is_listed);
    }

    #[test]
    fn banned_networks_are_known() {
        let policy = policy(&["--ban", "10.1.0.0/16", "--ban", "2001:db8::/32"]);
        assert!(policy.is_banned("10.1.2.3".parse().unwrap()));
        assert!(policy.is_banned("2001:db8::1".parse().unwrap()));
        assert!(!policy.is_banned("10.2.2.3".parse().unwrap()));
    }

    fn policy(arguments: &[&str]) -> Policy {
        let arguments = std::iter::once("strafe-relay").chain(arguments.iter().copied());
        let config = crate::config::Config::parse_from(arguments).core;
        Policy::new(&config, Resolver::start().unwrap())
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect()
    }

    #[test]
    fn only_own_and_named_origins_are_welcome() {
        let policy = policy(&["--origin", "https://friend.example/"]);
        let check = |origin: &str, host: &str| {
            policy.is_welcome(&headers(&[("origin", origin), ("host", host)]))
        };
        assert!(check("http://relay.example:8080", "relay.example:8080"));
        assert!(check("https://friend.example", "relay.example"));
        assert!(!check("http://relay.example:81", "relay.example:8080"));
        assert!(!check("https://evil.example", "relay.example"));
        assert!(!check("null", "null.example"));
        assert!(policy.is_welcome(&HeaderMap::new()));
    }

    #[test]
    fn over_quic_the_port_of_the_page_does_not_matter() {
        let policy = policy(&[
            "--origin",
            "https://friend.example",
            "--host",
            "relay.example",
        ]);
        let check = |origin: &str, host: &str| policy.is_welcome_over_quic(Some(origin), host);
        assert!(check("http://relay.example:8080", "relay.example:443"));
        assert!(check("http://localhost:8080", "127.0.0.1:8081"));
        assert!(check("https://friend.example", "relay.example"));
        assert!(!check("https://evil.example", "relay.example"));
        assert!(!check("https://evil.example", "127.0.0.1:8081"));
        assert!(!check("http://evil.example:8080", "evil.example:8080"));
        assert!(!check("null", ""));
    }

    #[test]
    fn forwarded_addresses_count_only_from_own_proxies() {
        let policy = policy(&["--proxy", "10.0.0.1", "--proxy", "10.0.0.2"]);
        let check = |peer: &str, line: &str| {
            let user = policy.user(
                peer.parse().unwrap(),
                &headers(&[("x-forwarded-for", line)]),
            );
            user.to_string()
        };
        assert_eq!(check("9.9.9.9", "1.2.3.4"), "9.9.9.9");
        assert_eq!(check("10.0.0.1", "6.6.6.6, 1.2.3.4"), "1.2.3.4");
        assert_eq!(check("10.0.0.1", "1.2.3.4, 10.0.0.2"), "1.2.3.4");
        assert_eq!(check("::ffff:10.0.0.1", "1.2.3.4"), "1.2.3.4");
        assert_eq!(check("10.0.0.1", "rubbish"), "10.0.0.1");
    }

    #[test]
    fn what_a_proxy_does_not_say_is_not_guessed() {
        let policy = policy(&["--proxy", "127.0.0.1", "--proxy", "10.0.0.2"]);
        let check = |peer: &str, lines: &[&str]| {
            let lines: Vec<_> = lines
                .iter()
                .map(|line| ("x-forwarded-for", *line))
                .collect();
            policy
                .certain_user(peer.parse().unwrap(), &headers(&lines))
                .map(|user| user.to_string())
        };
        assert_eq!(check("127.0.0.1", &["1.2.3.4"]).as_deref(), Some("1.2.3.4"));
        assert_eq!(check("9.9.9.9", &[]).as_deref(), Some("9.9.9.9"));
        assert_eq!(check("9.9.9.9", &["rubbish"]).as_deref(), Some("9.9.9.9"));
        for odd in [
            &[][..],
            &[""],
            &["unknown"],
            &["1.2.3.4:80"],
            &["_hidden"],
            &["1.2.3.4,"],
            &["\u{e9}"],
        ] {
            assert_eq!(check("127.0.0.1", odd), None, "{odd:?}");
        }
    }

    #[test]
    fn only_own_names_are_known() {
        let plain = policy(&["--host", "Play.Example.org"]);
        for own in [
            "play.example.org",
            "PLAY.example.org:8080",
            "play.example.org.",
            "localhost:1",
            "a.localhost",
            "127.0.0.1:8080",
            "[::1]:8080",
            "192.168.1.5",
            "[2001:db8::1]",
        ] {
            assert!(plain.knows_host(own), "{own}");
        }
        for foreign in [
            "evil.example",
            "evil.example:8080",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "xlocalhost",
            "",
            "[evil]",
            "play.example.org.evil.example",
        ] {
            assert!(!plain.knows_host(foreign), "{foreign}");
        }
    }

    #[tokio::test]
    async fn only_listed_servers_are_targets() {
        let policy = policy(&["--server", "127.0.0.1:27960", "--server", "localhost:27961"]);
        let check = async |asked| {
            policy
                .target(asked)
                .await
                .map(|target| target.address.to_string())
        };
        assert_eq!(check(None).await.unwrap(), "127.0.0.1:27960");
        assert_eq!(
            check(Some("LOCALHOST:27961")).await.unwrap(),
            "127.0.0.1:27961"
        );
        let refused = Err(TargetError::NotListed("127.0.0.1:22".to_owned()));
        assert_eq!(check(Some("127.0.0.1:22")).await, refused);
    }
}
