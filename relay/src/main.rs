//! The relay's entrance: reads the options, serves, and stops on a signal.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use anyhow::Context;
use clap::Parser;
use relay::config::Config;
use shared::base::log_entries::{EntryForm, PrintableEntries};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let config = Config::parse();
    start_log(config.log_json);
    let done = run(config);
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(config: Config) -> anyhow::Result<()> {
    #[cfg(feature = "light")]
    if let Some(relay::config::Command::Prepare(options)) = &config.command {
        return relay::prepare::prepare(options);
    }
    let runtime = relay::core::runtime().context("cannot start")?;
    runtime.block_on(serve(config))
}

async fn serve(config: Config) -> anyhow::Result<()> {
    let servers = config.core.servers.join(", ");
    let scheme = if config.core.tls_certificate.is_some() {
        "https"
    } else {
        "http"
    };
    if config.core.servers.is_empty() {
        tracing::warn!("no --server is given: nobody can play");
    }
    let relay = relay::start(config).await?;
    tracing::info!(address = %relay.address(), servers, "listening on {scheme}://{}/", relay.address());
    wait_for_signal().await?;
    tracing::info!("stopping");
    relay
        .stop("The relay stops; please join again in a moment.")
        .await;
    Ok(())
}

fn start_log(is_json: bool) {
    let wanted = std::env::var(EnvFilter::DEFAULT_ENV).unwrap_or_default();
    let wanted = if wanted.is_empty() { "info" } else { &wanted };
    // That library warns of each connection that breaks off, and of what a stranger says behind its request.
    let filter = EnvFilter::builder().parse_lossy(format!("{wanted},web_transport_quinn=error"));
    let form = if is_json {
        EntryForm::Json
    } else {
        EntryForm::Text
    };
    // Reasons, names and addresses in it come from players and servers.
    let log = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(move || PrintableEntries {
            form,
            to: std::io::stderr(),
        });
    if is_json {
        log.json().init();
    } else {
        log.with_target(false).init();
    }
}

#[cfg(unix)]
async fn wait_for_signal() -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        interrupt = tokio::signal::ctrl_c() => interrupt?,
        _ = terminate.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn wait_for_signal() -> anyhow::Result<()> {
    Ok(tokio::signal::ctrl_c().await?)
}
