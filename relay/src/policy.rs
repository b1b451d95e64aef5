//! Who may play where: the servers on the list, the pages' origins, the addresses behind proxies.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, header};
use tokio::net::lookup_host;

use crate::config::Config;

/// The operator's rules.
#[derive(Debug)]
pub struct Policy {
    servers: Vec<String>,
    origins: Vec<String>,
    proxies: Vec<IpAddr>,
}

/// Why a target is refused, as a sentence for the player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("This relay has no game server to offer.")]
    NoServer,
    #[error("This relay does not forward to {0}.")]
    NotListed(String),
    #[error("The name {0} does not resolve.")]
    Unresolved(String),
}

/// A server that may be joined, and its address now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// As the operator wrote it.
    pub name: String,
    pub address: SocketAddr,
}

impl Policy {
    pub fn new(config: &Config) -> Self {
        Self {
            servers: config.servers.clone(),
            origins: config
                .origins
                .iter()
                .map(|one| one.trim_end_matches('/').to_owned())
                .collect(),
            proxies: config.proxies.clone(),
        }
    }

    pub fn servers(&self) -> &[String] {
        &self.servers
    }

    /// The server that a page asked for, or the default one, if it may be joined.
    pub async fn target(&self, asked: Option<&str>) -> Result<Target, TargetError> {
        let name = match asked.filter(|name| !name.is_empty()) {
            None => self.servers.first().ok_or(TargetError::NoServer)?,
            Some(asked) => self
                .servers
                .iter()
                .find(|name| name.eq_ignore_ascii_case(asked))
                .ok_or_else(|| TargetError::NotListed(shortened(asked)))?,
        };
        let address = resolve(name).await?;
        Ok(Target {
            name: name.clone(),
            address,
        })
    }

    /// May a page with these request headers play? Programs send no origin and may.
    pub fn is_welcome(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(header::ORIGIN) else {
            return true;
        };
        let Ok(origin) = origin.to_str() else {
            return false;
        };
        let host = headers
            .get(header::HOST)
            .and_then(|host| host.to_str().ok());
        let own = origin.split_once("://").is_some_and(|(_, authority)| {
            host.is_some_and(|host| host.eq_ignore_ascii_case(authority))
        });
        own || self
            .origins
            .iter()
            .any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(origin))
    }

    /// Whose request this is: the last address in X-Forwarded-For that is not one of our proxies,
    /// if a proxy of ours sent it, else the peer.
    pub fn user(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let mut user = peer.to_canonical();
        let forwarded = headers.get_all("x-forwarded-for").iter().rev();
        let hops = forwarded
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.rsplit(','));
        for hop in hops {
            if !self.proxies.contains(&user) {
                break;
            }
            let Ok(address) = hop.trim().parse::<IpAddr>() else {
                break;
            };
            user = address.to_canonical();
        }
        user
    }
}

/// The first address of a name, IPv4 before IPv6 as most game servers listen there.
pub async fn resolve(name: &str) -> Result<SocketAddr, TargetError> {
    let unresolved = || TargetError::Unresolved(name.to_owned());
    let addresses: Vec<SocketAddr> = lookup_host(name).await.map_err(|_| unresolved())?.collect();
    let first_v4 = addresses.iter().find(|address| address.is_ipv4());
    first_v4
        .or(addresses.first())
        .copied()
        .ok_or_else(unresolved)
}

/// What a stranger wrote, fit for a log line and a close reason.
fn shortened(text: &str) -> String {
    text.chars()
        .filter(|one| !one.is_control())
        .take(60)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn policy(arguments: &[&str]) -> Policy {
        let arguments = std::iter::once("strafe-relay").chain(arguments.iter().copied());
        Policy::new(&Config::parse_from(arguments))
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
