//! Certificates: the operator's, or for WebTransport one of our own making.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use parking_lot::Mutex;
use tokio_rustls::TlsAcceptor;
use wtransport::Identity;
use wtransport::tls::self_signed::time::OffsetDateTime;
use wtransport::tls::server::build_default_tls_config;

use crate::core::config::Config;

const DAY: Duration = Duration::from_secs(24 * 3600);

/// The operator's certificate, or a new one and its hash for pages to pin.
pub(super) async fn identity(config: &Config) -> anyhow::Result<(Identity, Option<String>)> {
    if let (Some(certificate), Some(key)) = (&config.tls_certificate, &config.tls_key) {
        let loaded = Identity::load_pemfiles(certificate, key).await;
        let identity = loaded.with_context(|| {
            format!(
                "--tls-certificate {} with --tls-key {}: not a certificate chain and its private key, both in PEM",
                certificate.display(),
                key.display()
            )
        })?;
        return Ok((identity, None));
    }
    let identity = Identity::self_signed_builder()
        .subject_alt_names(["localhost", "127.0.0.1", "::1"])
        // Clocks differ; browsers pin no certificate of more than 14 days.
        .not_before(OffsetDateTime::now_utc() - DAY)
        .validity_days(13)
        .build()?;
    let certificate = identity.certificate_chain().as_slice().first();
    let hash = certificate.context("no certificate was made")?.hash();
    let hash: &[u8; 32] = hash.as_ref();
    Ok((identity, Some(shared::base::hex::encode(hash))))
}

/// How often certificates are read or made anew: tools that fetch certificates replace the files
/// weeks before their end, and ours last 12 days from now.
pub(super) fn renewal(config: &Config) -> Duration {
    if config.tls_certificate.is_some() {
        DAY / 2
    } else {
        6 * DAY
    }
}

/// HTTPS with the operator's certificate, as it is at present.
pub(super) struct Https {
    current: Mutex<TlsAcceptor>,
}

impl Https {
    /// Nothing if the operator gave no certificate: pages do not pin it for HTTPS.
    pub(super) async fn new(config: &Config) -> anyhow::Result<Option<Arc<Self>>> {
        if config.tls_certificate.is_none() {
            return Ok(None);
        }
        let current = Mutex::new(acceptor(config).await?);
        Ok(Some(Arc::new(Self { current })))
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        self.current.lock().clone()
    }

    /// Reads the files again; the old certificate stays if they are defective.
    pub(super) async fn renew(&self, config: &Config) -> anyhow::Result<()> {
        let renewed = acceptor(config).await?;
        *self.current.lock() = renewed;
        Ok(())
    }
}

async fn acceptor(config: &Config) -> anyhow::Result<TlsAcceptor> {
    let (identity, _) = identity(config).await?;
    let mut tls = build_default_tls_config(identity);
    tls.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(tls)))
}
