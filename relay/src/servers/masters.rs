//! Asks master servers which game servers there are.

use std::net::SocketAddr;
use std::time::Duration;

use shared::net::oob::{ClientPacket, ServerPacket, ServersRequest};
use shared::net::protocol::{CLASSIC, CURRENT, GAMENAME};
use tokio::net::UdpSocket;
use tokio::time::{Instant, timeout_at};

use crate::core::network::{any_address, is_public};
use crate::core::{LOWEST_PORT, MAX_FROM_SERVER, Resolver};

/// A list comes in many datagrams at once, and nothing tells which is the last.
const PATIENCE: Duration = Duration::from_millis(1500);
/// More servers are asked for their state by nobody.
pub(super) const MAX_SERVERS: usize = 512;

/// The servers that all these masters know, each once; a master that is silent knows none.
pub(super) async fn ask_all(masters: &[String], resolver: &Resolver) -> Vec<SocketAddr> {
    let mut all = Vec::new();
    for master in masters {
        match ask(master, resolver).await {
            Ok(servers) => {
                tracing::debug!(master, count = servers.len(), "master");
                all.extend(servers);
            }
            Err(error) => tracing::warn!(master, %error, "cannot ask the master"),
        }
    }
    all.sort();
    all.dedup();
    all.truncate(MAX_SERVERS);
    all
}

async fn ask(master: &str, resolver: &Resolver) -> anyhow::Result<Vec<SocketAddr>> {
    let address = resolver.own(master).await?;
    let socket = UdpSocket::bind((any_address(address), 0)).await?;
    // Only the master's answers are heard.
    socket.connect(address).await?;
    for (protocol, is_extended) in [
        (CURRENT, true),
        (CLASSIC, true),
        (CURRENT, false),
        (CLASSIC, false),
    ] {
        let filters = match is_extended {
            true => ["ipv4", "ipv6", "full", "empty"].as_slice(),
            false => &["full", "empty"],
        };
        let request = ServersRequest {
            gamename: GAMENAME.to_owned(),
            protocol,
            is_extended,
            filters: filters.iter().map(|filter| (*filter).to_owned()).collect(),
        };
        socket
            .send(&ClientPacket::GetServers(request).write()?)
            .await?;
    }
    let deadline = Instant::now() + PATIENCE;
    let mut servers = Vec::new();
    let mut buffer = vec![0; MAX_FROM_SERVER];
    while let Ok(size) = timeout_at(deadline, socket.recv(&mut buffer)).await {
        if let Some(ServerPacket::Servers(some)) = ServerPacket::read(&buffer[..size?]) {
            let usable = some.into_iter().filter(|server| may_ask(*server, address));
            servers.extend(usable.take(MAX_SERVERS - servers.len().min(MAX_SERVERS)));
        }
    }
    Ok(servers)
}

/// A public master must not send us into private networks; one of our own network may.
fn may_ask(server: SocketAddr, master: SocketAddr) -> bool {
    let is_own = !is_public(master.ip());
    server.port() >= LOWEST_PORT && (is_own || is_public(server.ip()))
}

#[cfg(test)]
mod tests {
    use super::may_ask;

    #[test]
    fn public_masters_name_public_servers() {
        let check =
            |server: &str, master: &str| may_ask(server.parse().unwrap(), master.parse().unwrap());
        assert!(check("8.8.8.8:27960", "9.9.9.9:27950"));
        assert!(!check("8.8.8.8:53", "9.9.9.9:27950"));
        assert!(!check("192.168.1.1:27960", "9.9.9.9:27950"));
        assert!(!check("[::ffff:127.0.0.1]:27960", "9.9.9.9:27950"));
        assert!(check("192.168.1.1:27960", "192.168.1.2:27950"));
    }
}
