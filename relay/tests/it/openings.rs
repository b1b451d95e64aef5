//! First datagrams of QUIC handshakes as browsers write them, for whoever never goes on.

use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use tokio::net::UdpSocket;
use tokio::time::timeout;
use tokio_rustls::rustls::RootCertStore;
use wtransport::quinn::crypto::rustls::QuicClientConfig;
use wtransport::quinn::{ClientConfig, Endpoint};
use wtransport::tls::client::build_default_tls_config;

/// More at once, and the ends of those before, would not fit the socket that hears them.
const BATCH: usize = 20;
const PATIENCE: Duration = Duration::from_secs(10);

/// So many of them, each with keys of its own.
pub async fn openings(count: usize) -> anyhow::Result<Vec<Vec<u8>>> {
    let tls = build_default_tls_config(Arc::new(RootCertStore::empty()), None);
    let config = ClientConfig::new(Arc::new(QuicClientConfig::try_from(tls)?));
    let ear = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    let address = ear.local_addr()?;
    let endpoint = Endpoint::client((Ipv4Addr::LOCALHOST, 0).into())?;
    let mut openings: HashMap<Vec<u8>, Vec<u8>> = HashMap::new();
    let mut buffer = [0; 2048];
    while openings.len() < count {
        let connect = || endpoint.connect_with(config.clone(), address, "localhost");
        let begun = (0..BATCH)
            .map(|_| connect())
            .collect::<Result<Vec<_>, _>>()?;
        let goal = openings.len() + begun.len();
        while openings.len() < goal {
            let size = timeout(PATIENCE, ear.recv(&mut buffer)).await??;
            let datagram = &buffer[..size];
            // A form, a version, and then the size of the connection's id and the id.
            let id_size = usize::from(*datagram.get(5).context("too short for QUIC")?);
            let id = datagram.get(6..6 + id_size).context("too short for QUIC")?;
            // What else comes of this connection is a repetition or its end.
            openings
                .entry(id.to_vec())
                .or_insert_with(|| datagram.to_vec());
        }
    }
    Ok(openings.into_values().collect())
}
