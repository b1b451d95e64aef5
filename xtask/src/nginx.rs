//! nginx before a relay, set up as `relay/deploy/nginx.conf` says.

use crate::{
    servers::{self, Relay},
    shell::{self, Running},
};
use anyhow::{Context, Result};
use std::{fs, net::TcpStream, path::Path, time::Duration};

/// What a relay behind it is started with.
pub(crate) const RELAY_OPTIONS: [&str; 5] = [
    "--proxy",
    "127.0.0.1",
    "--no-webtransport",
    "--host",
    "localhost",
];

/// It ends with this value.
pub(crate) struct Nginx {
    _running: Running,
    pub port: u16,
}

impl Nginx {
    /// Serves the paks in this folder, and hands all else to the relay.
    pub(crate) fn start(relay: &Relay, content: &Path) -> Result<Self> {
        const PATIENCE: Duration = Duration::from_secs(10);
        let (port, claim) = servers::free_relay_port(8088)?;
        let deploy = shell::root().join("relay/deploy/nginx.conf");
        let site = fs::read_to_string(&deploy)
            .with_context(|| format!("{} cannot be read", deploy.display()))?
            .replace("listen 8088;", &format!("listen 127.0.0.1:{port};"))
            .replace(
                "http://127.0.0.1:8080",
                &format!("http://127.0.0.1:{}", relay.port),
            )
            .replace("/usr/share/games/openarena", &content.to_string_lossy());
        let folder = shell::target().join("servers").join("nginx");
        fs::create_dir_all(&folder)?;
        let work = folder.display();
        let main = format!(
            "daemon off; master_process off; pid {work}/pid; error_log stderr; events {{}}\n\
             http {{ access_log off; client_body_temp_path {work}/body; proxy_temp_path {work}/proxy;\n\
             fastcgi_temp_path {work}/fastcgi; uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;\n{site}}}\n"
        );
        fs::write(folder.join("main.conf"), main)?;
        let mut command = shell::program("/usr/sbin/nginx", &["-c", "main.conf", "-p"]);
        command.arg(&folder);
        let mut running = Running::start("nginx", &mut command)?;
        running.claim = Some(claim);
        servers::wait_until(PATIENCE, &mut running, || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        })
        .context("nginx does not listen")?;
        Ok(Self {
            _running: running,
            port,
        })
    }
}
