//! Paks that a server has and we lack: what was tried on this connection, and what came of it.

use crate::{
    assets::source::store_name,
    cl::{Pak, Progress},
};
use shared::{base::time::ClientTime, formats::pk3};
use std::collections::{BTreeMap, BTreeSet};

/// How long a server may take to tell the level anew after a download.
const GAMESTATE_MSEC: i32 = 10_000;

/// The downloads of one connection, each tried once.
#[derive(Debug, Default)]
pub(super) struct Fetching {
    fates: BTreeMap<i32, Fate>,
    /// Files that are complete and on their way to the disk.
    storing: BTreeMap<String, Pak>,
    /// The pak under way and since when, to tell its speed.
    begun: Option<(String, ClientTime)>,
    is_under_way: bool,
    /// The level is told anew by then.
    awaited_until: Option<ClientTime>,
    /// Told already.
    told: BTreeSet<i32>,
}

#[derive(Debug)]
enum Fate {
    Asked,
    Kept,
    Failed(String),
}

/// A verified pak and where to keep it.
#[derive(Debug)]
pub(super) struct Verified {
    pub store: String,
    pub game: String,
    pub file: String,
}

impl Fetching {
    /// Those of the missing paks that were not tried yet; they count as tried from now on.
    pub fn choose(&mut self, missing: &[Pak]) -> Vec<Pak> {
        let mut chosen = Vec::new();
        for pak in missing {
            if self.fates.contains_key(&pak.checksum) {
                continue;
            }
            let (game, name) = pak.name.split_once('/').unwrap_or_default();
            if pk3::is_commercial(game, name) {
                let reason = "it belongs to the game itself, which nobody hands out";
                self.fates
                    .insert(pak.checksum, Fate::Failed(reason.to_owned()));
                continue;
            }
            self.fates.insert(pak.checksum, Fate::Asked);
            chosen.push(pak.clone());
        }
        self.is_under_way = !chosen.is_empty();
        chosen
    }

    /// A pak has come whole: where to keep it, if it is the one that the server named.
    pub fn take(&mut self, server: &str, pak: &Pak, bytes: &[u8]) -> Result<Verified, String> {
        let checked = match pk3::checksum(bytes) {
            Ok(checksum) if checksum == pak.checksum => Ok(()),
            Ok(checksum) => Err(format!(
                "it is another pak: its checksum is {checksum}, the server named {}",
                pak.checksum
            )),
            Err(error) => Err(error.to_string()),
        };
        if let Err(reason) = checked {
            self.fail(pak, &reason);
            return Err(reason);
        }
        let (game, name) = pak.name.split_once('/').unwrap_or(("baseq3", &pak.name));
        // As other clients name what they download: servers may use one name for different paks.
        let file = format!("{name}.{:08x}.pk3", pak.checksum);
        self.storing.insert(file.to_ascii_lowercase(), pak.clone());
        Ok(Verified {
            store: store_name(server),
            game: game.to_owned(),
            file,
        })
    }

    /// A download ended badly. Those that were to follow it may be tried again.
    pub fn fail(&mut self, pak: &Pak, reason: &str) {
        self.fates.retain(|_, fate| !matches!(fate, Fate::Asked));
        self.fates
            .insert(pak.checksum, Fate::Failed(reason.to_owned()));
    }

    /// Gives up all that is missing.
    pub fn cancel(&mut self, missing: &[Pak]) {
        for pak in missing {
            let fate = Fate::Failed("you stopped it".to_owned());
            self.fates.insert(pak.checksum, fate);
        }
        self.is_under_way = false;
        self.awaited_until = None;
    }

    pub fn stored(&mut self, file: &str) {
        if let Some(pak) = self.storing.remove(&file.to_ascii_lowercase()) {
            self.fates.insert(pak.checksum, Fate::Kept);
        }
    }

    /// The pak's name, if it is one of ours.
    pub fn not_stored(&mut self, file: &str, reason: &str) -> Option<String> {
        let pak = self.storing.remove(&file.to_ascii_lowercase())?;
        self.fates
            .insert(pak.checksum, Fate::Failed(reason.to_owned()));
        Some(pak.name)
    }

    /// Whether the level has to wait: for a file on its way to the disk, or to be told anew.
    pub fn must_wait(&mut self, now: ClientTime) -> bool {
        if std::mem::take(&mut self.is_under_way) {
            self.awaited_until = Some(now + GAMESTATE_MSEC);
        }
        self.awaited_until = self.awaited_until.filter(|until| *until - now > 0);
        self.awaited_until.is_some() || !self.storing.is_empty()
    }

    /// The level is told anew.
    pub fn start_level(&mut self) {
        self.is_under_way = false;
        self.awaited_until = None;
    }

    /// What of the missing paks cannot be had, and why; each told once.
    pub fn failures(&mut self, missing: &[Pak]) -> Vec<String> {
        let mut failures = Vec::new();
        for pak in missing {
            if let Some(Fate::Failed(reason)) = self.fates.get(&pak.checksum)
                && self.told.insert(pak.checksum)
            {
                failures.push(format!("{}.pk3 ({reason})", pak.name));
            }
        }
        failures
    }

    /// How far a download is, as a line for the player.
    pub fn line(&mut self, progress: &Progress, now: ClientTime) -> String {
        let is_same = |(name, _): &(String, ClientTime)| name == progress.name;
        if !self.begun.as_ref().is_some_and(is_same) {
            self.begun = Some((progress.name.to_owned(), now));
        }
        let since = self.begun.as_ref().map_or(now, |(_, since)| *since);
        let msec = u64::try_from(now - since).unwrap_or(0).max(1);
        format!(
            "Fetching {}.pk3 from the server: {} of {} kB, {} kB/s. Escape stops it.",
            progress.name,
            progress.received / 1024,
            progress.size / 1024,
            progress.received as u64 * 1000 / 1024 / msec
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pak(name: &str, checksum: i32) -> Pak {
        Pak {
            name: name.to_owned(),
            checksum,
        }
    }

    /// An empty zip archive.
    const EMPTY: [u8; 22] = {
        let mut bytes = [0; 22];
        (bytes[0], bytes[1], bytes[2], bytes[3]) = (b'P', b'K', 5, 6);
        bytes
    };

    #[test]
    fn each_pak_is_tried_once() {
        let mut fetching = Fetching::default();
        let missing = [
            pak("baseoa/a", 1),
            pak("baseoa/b", 2),
            pak("baseq3/pak0", 3),
        ];
        assert_eq!(fetching.choose(&missing), missing[..2]);
        assert!(fetching.choose(&missing).is_empty());
        fetching.fail(&missing[0], "refused");
        assert_eq!(
            fetching.choose(&missing),
            missing[1..2],
            "it was not asked for yet"
        );
        let failures = fetching.failures(&missing);
        assert_eq!(failures.len(), 2);
        assert!(failures[0].starts_with("baseoa/a.pk3 (refused"));
        assert!(failures[1].contains("belongs to the game itself"));
        assert!(fetching.failures(&missing).is_empty());
    }

    #[test]
    fn only_what_was_named_is_kept_and_apart() {
        let mut fetching = Fetching::default();
        let checksum = pk3::checksum(&EMPTY).expect("a pak");
        let wrong = fetching.take("host:1", &pak("baseoa/a", checksum ^ 1), &EMPTY);
        assert!(wrong.expect_err("another checksum").contains("another pak"));
        assert!(
            fetching
                .take("host:1", &pak("baseoa/a", 1), b"junk")
                .is_err()
        );
        let right = pak("baseoa/A", checksum);
        let kept = fetching
            .take("host:1", &right, &EMPTY)
            .expect("the right pak");
        assert_eq!(kept.file, format!("A.{checksum:08x}.pk3"));
        assert_eq!(
            (kept.game.as_str(), kept.store.as_str()),
            ("baseoa", "host_3a1")
        );
        let now = ClientTime::default();
        assert!(fetching.must_wait(now));
        fetching.stored(&kept.file.to_lowercase());
        assert!(!fetching.must_wait(now));
    }

    #[test]
    fn the_level_waits_to_be_told_anew_but_not_for_ever() {
        let mut fetching = Fetching::default();
        let now = ClientTime::default();
        let missing = [pak("baseoa/a", 1)];
        fetching.choose(&missing);
        assert!(fetching.must_wait(now));
        assert!(!fetching.must_wait(now + GAMESTATE_MSEC));
        fetching.cancel(&missing);
        assert!(!fetching.must_wait(now));
        assert!(fetching.choose(&missing).is_empty());
    }
}
