//! Fetches a file from a web server that a game server named, without being led elsewhere.

use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use axum::body::Body;
use axum::http::{Request, Response, StatusCode, Uri, header};
use futures_util::StreamExt;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use wtransport::tls::build_native_cert_store;
use wtransport::tls::client::build_default_tls_config;

use crate::core::network::is_public;
use crate::core::{LOWEST_PORT, Resolver};

/// For a connection, an answer's head and each part of its body.
const PATIENCE: Duration = Duration::from_secs(15);
const MAX_REDIRECTS: usize = 3;
const SILENT: &str = "it does not answer";

/// Gets files over HTTP and HTTPS.
pub(super) struct Fetcher {
    tls: TlsConnector,
    resolver: Arc<Resolver>,
}

impl Fetcher {
    /// Trusts whom the system trusts, and the authorities of a PEM file.
    pub(super) fn new(authorities: Option<&Path>, resolver: Arc<Resolver>) -> anyhow::Result<Self> {
        let mut trusted = build_native_cert_store();
        if let Some(file) = authorities {
            let told = || format!("--download-authority {}", file.display());
            let found = CertificateDer::pem_file_iter(file).with_context(told)?;
            let found = found.collect::<Result<Vec<_>, _>>().with_context(told)?;
            ensure!(
                trusted.add_parsable_certificates(found).0 > 0,
                "{}: there is no certificate in it",
                told()
            );
        }
        let mut tls = build_default_tls_config(Arc::new(trusted), None);
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self {
            tls: Arc::new(tls).into(),
            resolver,
        })
    }

    /// Writes what stands at an address into a file of at most so many bytes.
    ///
    /// The address was told by the game server at `server`: it may lead into the internet, or to
    /// the machine that this server runs on, and nowhere else.
    pub(super) async fn fetch(
        &self,
        address: &str,
        server: IpAddr,
        max_bytes: u64,
        into: &Path,
    ) -> anyhow::Result<()> {
        let mut uri: Uri = address.parse().context("this is no address")?;
        // Where it was led elsewhere, the game server's own machine is out of reach.
        let mut own = Some(server);
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.ask(&uri, own).await?;
            if answer.status().is_redirection() {
                let target = answer.headers().get(header::LOCATION);
                let target = target.and_then(|line| line.to_str().ok());
                let target = target.context("it leads on, but not whereto")?;
                let next = onward(&uri, target)?;
                match is_same_origin(&uri, &next) {
                    true => ensure!(is_inside(&uri, &next), "it leads out of its folder"),
                    false => own = None,
                }
                uri = next;
                continue;
            }
            ensure!(
                answer.status() == StatusCode::OK,
                "it answers {}",
                answer.status()
            );
            return store(answer, max_bytes, into).await;
        }
        bail!("it leads on and on")
    }

    async fn ask(&self, uri: &Uri, server: Option<IpAddr>) -> anyhow::Result<Response<Incoming>> {
        let is_secure = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => bail!("only http and https are fetched"),
        };
        let host = uri.host().context("it names no host")?;
        let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
        let address = self.resolver.strangers(&format!("{host}:{port}")).await?;
        ensure!(
            may_reach(address, server),
            "its host is neither public nor the game server's"
        );
        if !is_public(address.ip()) {
            // A machine has more services than its web server: they are asked for paks, and nothing else.
            ensure!(
                uri.query().is_none(),
                "a private host is asked for files only"
            );
            ensure!(is_pak(uri), "a private host is asked for paks only");
        }
        let connecting = timeout(PATIENCE, TcpStream::connect(address)).await;
        let stream = connecting.context(SILENT)??;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let request = Request::get(path)
            .header(
                header::HOST,
                uri.authority().map_or(host, |authority| authority.as_str()),
            )
            .header(
                header::USER_AGENT,
                concat!("strafe-relay/", env!("CARGO_PKG_VERSION")),
            )
            .body(Body::empty())?;
        if !is_secure {
            return send(stream, request).await;
        }
        let name = host.trim_matches(['[', ']']).to_owned().try_into()?;
        let connecting = timeout(PATIENCE, self.tls.connect(name, stream)).await;
        let stream = connecting.context(SILENT)??;
        send(stream, request).await
    }
}

impl std::fmt::Debug for Fetcher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Fetcher").finish_non_exhaustive()
    }
}

/// The address that was checked is the one that is used, as for targets.
fn may_reach(address: SocketAddr, server: Option<IpAddr>) -> bool {
    let ip = address.ip().to_canonical();
    let is_web = [80, 443].contains(&address.port()) || address.port() >= LOWEST_PORT;
    is_web && (is_public(ip) || server.is_some_and(|server| ip == server.to_canonical()))
}

/// Where a redirect leads; only its scheme and host may be left out.
fn onward(from: &Uri, target: &str) -> anyhow::Result<Uri> {
    if !target.starts_with('/') {
        return target.parse().context("it leads to what is no address");
    }
    let mut parts = from.clone().into_parts();
    parts.path_and_query = Some(target.parse()?);
    Ok(Uri::from_parts(parts)?)
}

fn is_same_origin(one: &Uri, other: &Uri) -> bool {
    let host = |uri: &Uri| uri.host().map(str::to_ascii_lowercase);
    (one.scheme(), host(one), one.port_u16()) == (other.scheme(), host(other), other.port_u16())
}

/// Does a redirect stay in the folder of the file that was asked for, or below?
fn is_inside(from: &Uri, to: &Uri) -> bool {
    let folder = from
        .path()
        .rsplit_once('/')
        .map_or("", |(folder, _)| folder);
    let rest = to.path().strip_prefix(folder);
    rest.is_some_and(|rest| rest.starts_with('/')) && !climbs(to.path())
}

/// Does a path hold a step upwards, plain or escaped?
fn climbs(path: &str) -> bool {
    path.to_ascii_lowercase().replace("%2e", ".").contains("..")
}

fn is_pak(uri: &Uri) -> bool {
    uri.path().to_ascii_lowercase().ends_with(".pk3") && !climbs(uri.path())
}

async fn send(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Body>,
) -> anyhow::Result<Response<Incoming>> {
    let exchange = async {
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
        tokio::spawn(connection);
        Ok(sender.send_request(request).await?)
    };
    timeout(PATIENCE, exchange).await.context(SILENT)?
}

async fn store(answer: Response<Incoming>, max_bytes: u64, into: &Path) -> anyhow::Result<()> {
    let too_large = || format!("it has more than {max_bytes} bytes");
    let length = answer.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|line| line.to_str().ok()?.parse::<u64>().ok());
    ensure!(length.unwrap_or(0) <= max_bytes, too_large());
    let mut file = File::create(into)
        .await
        .with_context(|| format!("cannot write {}", into.display()))?;
    let mut body = Body::new(answer.into_body()).into_data_stream();
    let mut size = 0;
    while let Some(part) = timeout(PATIENCE, body.next())
        .await
        .context("it fell silent")?
    {
        let part = part?;
        size += part.len() as u64;
        ensure!(size <= max_bytes, too_large());
        file.write_all(&part).await?;
    }
    ensure!(
        length.is_none_or(|length| length == size),
        "it broke off after {size} bytes"
    );
    file.flush().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_lead_to_the_internet_or_to_themselves() {
        let check = |address: &str, server: &str| {
            may_reach(address.parse().unwrap(), Some(server.parse().unwrap()))
        };
        assert!(check("8.8.8.8:443", "9.9.9.9"));
        assert!(check("192.168.1.5:80", "192.168.1.5"));
        assert!(check("127.0.0.1:8000", "::ffff:127.0.0.1"));
        for forbidden in [
            "127.0.0.1:80",
            "169.254.169.254:80",
            "[::1]:80",
            "[::ffff:10.0.0.1]:80",
            "8.8.8.8:25",
            "9.9.9.9:22",
        ] {
            assert!(!check(forbidden, "9.9.9.9"), "{forbidden}");
        }
    }

    #[test]
    fn redirects_stay_in_their_folder_or_leave_the_machine() {
        let from: Uri = "http://127.0.0.1:8000/paks/baseoa/a.pk3".parse().unwrap();
        let check = |to: &str| {
            let to: Uri = to.parse().unwrap();
            is_same_origin(&from, &to) && is_inside(&from, &to)
        };
        assert!(check("http://127.0.0.1:8000/paks/baseoa/b.pk3"));
        assert!(check("http://127.0.0.1:8000/paks/baseoa/new/a.pk3"));
        for forbidden in [
            "http://127.0.0.1:8001/paks/baseoa/a.pk3",
            "https://127.0.0.1:8000/paks/baseoa/a.pk3",
            "http://127.0.0.1:8000/admin/a.pk3",
            "http://127.0.0.1:8000/paks/baseoa/../../admin",
            "http://127.0.0.1:8000/paks/baseoa/%2E%2e/admin",
            "http://127.0.0.1:8000/paks/baseoax/a.pk3",
        ] {
            assert!(!check(forbidden), "{forbidden}");
        }
        assert!(!may_reach("127.0.0.1:8001".parse().unwrap(), None));
        assert!(may_reach("8.8.8.8:443".parse().unwrap(), None));
    }

    #[test]
    fn redirects_are_followed_as_they_are_written() {
        let from: Uri = "http://files.example:8000/a/b.pk3".parse().unwrap();
        assert_eq!(
            onward(&from, "/c.pk3").unwrap(),
            "http://files.example:8000/c.pk3"
        );
        assert_eq!(
            onward(&from, "https://other.example/c").unwrap(),
            "https://other.example/c"
        );
        assert!(onward(&from, "http://[").is_err());
    }
}
