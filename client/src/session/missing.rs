//! What a level lacks: fetched from the server if that can be, else told with what helps.

use super::{Session, fetching::Failure};
use crate::{
    assets::{Assets, source::FoundSource},
    cl::{Feed, Pak},
    con::cvar::Cvars,
    settings,
};
use shared::base::time::ClientTime;

impl Session {
    /// Fetches what the server refers to and we lack. True while the level cannot be loaded yet, or not at all.
    pub(super) fn fetch_missing(
        &mut self,
        now: ClientTime,
        cvars: &Cvars,
        assets: &Assets,
    ) -> bool {
        let Some(feed) = &mut self.feed else {
            return true;
        };
        let missing = missing_paks(feed, assets);
        let is_pure = feed.systeminfo().is_some_and(|info| info.is_pure);
        let Some(connection) = feed.server_mut() else {
            return false;
        };
        if !settings::may_fetch(cvars) {
            for pak in self.fetching.not_allowed(&missing) {
                self.printed.push(format!(
                    "^3You lack {pak}.pk3; \"cl_allowDownload 1\" and \"reconnect\" fetch it.\n"
                ));
            }
            return false;
        }
        let wanted = self.fetching.choose(&missing);
        if !wanted.is_empty() {
            connection.download(now, &wanted);
            return true;
        }
        let failures = self.fetching.failures(&missing);
        // Without a pak of the game itself one may still get in; the server decides.
        let is_needed = |failure: &Failure| is_pure && !failure.is_commercial;
        if failures.iter().any(is_needed) {
            self.end = Some(cannot_be_had(&failures));
            return true;
        }
        for failure in failures {
            let text = failure.text;
            self.printed.push(format!("^3You play without {text}.\n"));
        }
        false
    }

    /// Whether a pak is being fetched from the server.
    pub fn is_fetching(&self) -> bool {
        let server = self.connection();
        server.is_some_and(|server| server.download_progress().is_some())
    }

    /// Gives up what is being fetched, and all else that is missing.
    pub fn stop_fetching(&mut self, now: ClientTime, assets: &Assets) {
        let Some(feed) = &mut self.feed else { return };
        let missing = missing_paks(feed, assets);
        if let Some(connection) = feed.server_mut() {
            connection.stop_downloads(now);
            self.fetching.cancel(&missing);
        }
    }

    /// A source has come; it may be a pak that was to be kept.
    pub fn source_found(&mut self, source: &FoundSource) {
        self.fetching.stored(source);
    }

    /// A pak could not be kept.
    pub fn pak_not_stored(&mut self, file: &str, reason: &str) {
        self.fetching.not_stored(file, reason);
    }
}

/// The paks that the server refers to and we lack.
pub(super) fn missing_paks(feed: &Feed, assets: &Assets) -> Vec<Pak> {
    let Some(info) = feed.systeminfo() else {
        return Vec::new();
    };
    let checksums: Vec<i32> = info
        .referenced_paks
        .iter()
        .map(|pak| pak.checksum)
        .collect();
    let missing = assets.vfs().missing_paks(&checksums);
    info.referenced_paks
        .iter()
        // What has no name cannot be asked for; some old servers send checksums alone.
        .filter(|pak| missing.contains(&pak.checksum) && !pak.name.is_empty())
        .cloned()
        .collect()
}

/// Why a pure server cannot be joined, and what helps.
fn cannot_be_had(failures: &[Failure]) -> String {
    let texts: Vec<&str> = failures.iter().map(|one| one.text.as_str()).collect();
    format!(
        "This server is pure and plays with files that you lack and that could not be fetched: {}. \
         {WHAT_HELPS}",
        texts.join(", ")
    )
}

const WHAT_HELPS: &str = "Get them elsewhere, put them among your game files (in a browser: drop them onto the page), \
                          and join again.";

pub(super) fn missing_map(map: &str, missing: &[String]) -> String {
    if missing.is_empty() {
        format!("The map {map} is in none of the paks here.")
    } else {
        format!(
            "The map {map} is in none of the paks here. The server also uses: {}. {WHAT_HELPS}",
            missing.join(", ")
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_map_names_the_paks() {
        let pak = "baseoa/extra.pk3 (refused)".to_owned();
        assert!(missing_map("q3dm6", &[pak]).contains("uses: baseoa/extra.pk3 (refused). Get"));
    }
}
