//! Room for as many open sockets and files as the options allow.

use crate::core::config::Config;

/// Sockets and files that are nobody's in particular: the log, listeners, questions to servers, paks
/// that are fetched.
const OWN: usize = 128;
/// How many may be open at once. A download of a pak takes a connection and a file, a player a connection and a
/// socket to the server.
fn wanted(config: &Config) -> u64 {
    2 * config.max_connections as u64 + reserve(config)
}

/// What the game keeps for itself, whoever fetches what.
fn reserve(config: &Config) -> u64 {
    (2 * config.max_sessions + OWN) as u64
}

/// Lifts the limit of the process to what is needed, and makes room in the kernel's table.
///
/// Shells begin with 1,024. The table doubles whenever it is full, and with more than one thread
/// each time waits until all processors have passed through the scheduler: players felt those
/// 10 ms. So it grows before there are any.
///
/// Yields how many connections there may be: where the system allows too few open files, players
/// come before those who only connect.
#[cfg(unix)]
pub(super) fn make_room(config: &Config, any: &impl std::os::fd::AsFd) -> usize {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    /// Fewer would serve nobody, whatever the system allows.
    const LEAST_CONNECTIONS: usize = 16;
    let wanted = wanted(config);
    let limit = getrlimit(Resource::Nofile);
    let max = limit.maximum.unwrap_or(u64::MAX);
    let mut allowed = limit.current.unwrap_or(u64::MAX);
    if allowed < wanted {
        let current = wanted.min(max);
        match setrlimit(
            Resource::Nofile,
            Rlimit {
                current: Some(current),
                maximum: limit.maximum,
            },
        ) {
            Ok(()) => allowed = current,
            Err(error) => tracing::warn!(%error, "cannot lift the limit of open files"),
        }
    }
    if allowed < wanted {
        tracing::warn!(
            allowed,
            wanted,
            "the system allows too few open files for --max-connections and --max-sessions; \
             lower them, or raise the limit (LimitNOFILE in relay/deploy/strafe-relay.service)"
        );
    }
    let last = i32::try_from(wanted.min(allowed)).unwrap_or(i32::MAX) - 1;
    if let Err(error) = rustix::io::fcntl_dupfd_cloexec(any, last) {
        tracing::debug!(%error, "no room for descriptors beforehand");
    }
    let left = allowed.saturating_sub(reserve(config)) / 2;
    let left = usize::try_from(left).unwrap_or(usize::MAX);
    left.max(LEAST_CONNECTIONS).min(config.max_connections)
}

/// Other systems neither limit nor resize so.
#[cfg(not(unix))]
pub(super) fn make_room<T>(config: &Config, _any: &T) -> usize {
    tracing::debug!(wanted = wanted(config), "open files");
    config.max_connections
}
