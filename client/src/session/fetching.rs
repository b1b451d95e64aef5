//! Paks that a server has and we lack: what was tried on this connection, and what came of it.

use crate::{
    assets::source::{FoundSource, file_name, is_folder_name, store_name},
    cl::{Pak, Progress, is_safe_name},
};
use shared::{base::time::ClientTime, formats::pk3};
use std::collections::{BTreeMap, BTreeSet};

/// How long a server may take to tell the level anew after a download.
const GAMESTATE_MSEC: i32 = 10_000;
/// So many rounds of downloads in a row lead into a level, or none will: each may name other paks.
const MAX_ROUNDS: u32 = 3;

/// The downloads of one connection, each tried once.
#[derive(Clone, Debug, Default)]
pub(super) struct Fetching {
    /// By checksum.
    fates: BTreeMap<i32, Fate>,
    /// Complete paks that were given to the disk, by their files.
    files: BTreeMap<String, Pak>,
    /// Those of them that are still on their way.
    storing: BTreeSet<String>,
    /// The pak under way and since when, to tell its speed.
    begun: Option<(String, ClientTime)>,
    is_under_way: bool,
    /// The level is told anew by then.
    awaited_until: Option<ClientTime>,
    rounds: u32,
    /// Told already.
    told: BTreeSet<i32>,
    /// The level was entered before the page was loaded anew: nothing is fetched for it.
    was_entered: bool,
}

#[derive(Clone, Debug)]
enum Fate {
    Asked,
    Kept,
    Failed(String),
    /// Part of the game itself, which nobody hands out.
    Commercial,
}

/// A verified pak and where to keep it.
#[derive(Clone, Debug)]
pub(super) struct Verified {
    pub store: String,
    pub game: String,
    pub file: String,
}

/// A missing pak that will not come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure {
    /// For people to read.
    pub text: String,
    pub is_commercial: bool,
}

impl Fetching {
    /// What a connection begins with that an earlier run of the page has made.
    pub fn resumed() -> Self {
        Self {
            was_entered: true,
            ..Self::default()
        }
    }

    /// Those of the missing paks that were not tried yet; they count as tried from now on.
    pub fn choose(&mut self, missing: &[Pak]) -> Vec<Pak> {
        let mut chosen = Vec::new();
        for pak in missing {
            if self.fates.contains_key(&pak.checksum) {
                continue;
            }
            let (game, name) = pak.name.split_once('/').unwrap_or_default();
            let fate = if pk3::is_commercial(game, name) {
                Fate::Commercial
            } else if self.was_entered {
                self.told.insert(pak.checksum);
                Fate::Failed("it was not there before".to_owned())
            } else if !is_safe_name(&pak.name) || !is_folder_name(game) {
                Fate::Failed("its name is not that of a pak in a game folder".to_owned())
            } else if self.rounds >= MAX_ROUNDS {
                Fate::Failed(format!(
                    "the server named others {MAX_ROUNDS} times in a row"
                ))
            } else {
                chosen.push(pak.clone());
                Fate::Asked
            };
            self.fates.insert(pak.checksum, fate);
        }
        self.was_entered = false;
        self.is_under_way = !chosen.is_empty();
        self.rounds += u32::from(self.is_under_way);
        chosen
    }

    /// Names of missing paks that the player does not want fetched; each told once.
    pub fn not_allowed(&mut self, missing: &[Pak]) -> Vec<String> {
        let missing = missing.iter();
        let untold = missing.filter(|pak| self.told.insert(pak.checksum));
        untold.map(|pak| pak.name.clone()).collect()
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
        let file = file_name(name, pak.checksum);
        self.files.insert(file.to_ascii_lowercase(), pak.clone());
        self.storing.insert(file.to_ascii_lowercase());
        Ok(Verified {
            store: store_name(server),
            game: game.to_owned(),
            file,
        })
    }

    /// A download ended badly.
    pub fn fail(&mut self, pak: &Pak, reason: &str) {
        let fate = Fate::Failed(reason.to_owned());
        self.fates.insert(pak.checksum, fate);
    }

    /// The player wants none of what is missing. The server tells the level anew.
    pub fn cancel(&mut self, missing: &[Pak]) {
        for pak in missing {
            self.fail(pak, "you stopped it");
        }
    }

    /// A source has come; it may be what was on its way.
    pub fn stored(&mut self, source: &FoundSource) {
        let file = source.name.to_ascii_lowercase();
        if source.store.is_some()
            && self.storing.remove(&file)
            && let Some(pak) = self.files.get(&file)
        {
            self.fates.insert(pak.checksum, Fate::Kept);
        }
    }

    /// A pak could not be kept.
    pub fn not_stored(&mut self, file: &str, reason: &str) {
        let file = file.to_ascii_lowercase();
        // In a page it may be there all the same, for this time.
        if self.storing.remove(&file)
            && let Some(pak) = self.files.remove(&file)
        {
            self.fail(&pak, reason);
        }
    }

    /// Whether the level has to wait: for a file on its way to the disk, or to be told anew.
    pub fn must_wait(&mut self, now: ClientTime) -> bool {
        if std::mem::take(&mut self.is_under_way) {
            self.awaited_until = Some(now + GAMESTATE_MSEC);
        }
        self.awaited_until = self.awaited_until.filter(|until| *until - now > 0);
        self.awaited_until.is_some() || !self.storing.is_empty()
    }

    /// Whether anything is on its way.
    pub fn is_busy(&self) -> bool {
        self.is_under_way || self.awaited_until.is_some() || !self.storing.is_empty()
    }

    /// The level is told anew.
    pub fn start_level(&mut self) {
        self.is_under_way = false;
        self.awaited_until = None;
    }

    /// The level is complete.
    pub fn level_loaded(&mut self) {
        self.rounds = 0;
    }

    /// Which of the missing paks will not come, and why; each told once.
    pub fn failures(&mut self, missing: &[Pak]) -> Vec<Failure> {
        let mut failures = Vec::new();
        for pak in missing {
            let Some(fate) = self.fates.get(&pak.checksum) else {
                continue;
            };
            let is_commercial = matches!(fate, Fate::Commercial);
            if self.told.insert(pak.checksum) {
                failures.push(Failure {
                    text: self.account(pak),
                    is_commercial,
                });
            }
        }
        failures
    }

    /// A missing pak and what came of it.
    pub fn account(&self, pak: &Pak) -> String {
        let reason = match self.fates.get(&pak.checksum) {
            None => return format!("{}.pk3", pak.name),
            Some(Fate::Asked) => "it did not come",
            Some(Fate::Kept) => "it was kept but cannot be read",
            Some(Fate::Failed(reason)) => reason.trim_end_matches('.'),
            Some(Fate::Commercial) => "it belongs to the game itself, which nobody hands out",
        };
        format!("{}.pk3 ({reason})", pak.name)
    }

    /// How far a download is, as two lines for the player.
    pub fn line(&mut self, progress: &Progress, now: ClientTime) -> String {
        let is_same = |(name, _): &(String, ClientTime)| name == progress.name;
        if !self.begun.as_ref().is_some_and(is_same) {
            self.begun = Some((progress.name.to_owned(), now));
        }
        let since = self.begun.as_ref().map_or(now, |(_, since)| *since);
        let msec = u64::try_from(now - since).unwrap_or(0).max(1);
        let rest = match progress.waiting {
            0 => String::new(),
            waiting => format!(" {waiting} more follow."),
        };
        format!(
            "Fetching {}.pk3 from the server\n{} of {} kB, {} kB/s.{rest} Escape stops it.",
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
    use crate::assets::source::{SourceId, SourceKind};

    fn pak(name: &str, checksum: i32) -> Pak {
        Pak {
            name: name.to_owned(),
            checksum,
        }
    }

    fn source(file: &str, store: Option<&str>) -> FoundSource {
        FoundSource {
            id: SourceId(1),
            game: "baseoa".to_owned(),
            root: 255,
            name: file.to_owned(),
            store: store.map(str::to_owned),
            kind: SourceKind::Pak { size: 22 },
        }
    }

    fn texts(failures: &[Failure]) -> Vec<&str> {
        failures.iter().map(|one| one.text.as_str()).collect()
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
            pak("../x", 4),
            pak("base:oa/x", 5),
        ];
        assert_eq!(fetching.choose(&missing), missing[..2]);
        fetching.fail(&missing[0], "refused.");
        assert!(fetching.choose(&missing).is_empty());
        let failures = fetching.failures(&missing);
        assert_eq!(
            texts(&failures),
            [
                "baseoa/a.pk3 (refused)",
                "baseoa/b.pk3 (it did not come)",
                "baseq3/pak0.pk3 (it belongs to the game itself, which nobody hands out)",
                "../x.pk3 (its name is not that of a pak in a game folder)",
                "base:oa/x.pk3 (its name is not that of a pak in a game folder)",
            ]
        );
        let commercial: Vec<bool> = failures.iter().map(|one| one.is_commercial).collect();
        assert_eq!(commercial, [false, false, true, false, false]);
        assert!(fetching.failures(&missing).is_empty());
    }

    #[test]
    fn a_server_that_names_ever_other_paks_is_not_followed_for_ever() {
        let mut fetching = Fetching::default();
        for round in 0..MAX_ROUNDS as i32 {
            assert_eq!(fetching.choose(&[pak("baseoa/a", round)]).len(), 1);
        }
        let other = [pak("baseoa/a", 99)];
        assert!(fetching.choose(&other).is_empty());
        assert!(fetching.failures(&other)[0].text.contains("in a row"));
        fetching.level_loaded();
        assert_eq!(fetching.choose(&[pak("baseoa/a", 100)]).len(), 1);
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
        let right = pak("baseoa/A#ä", checksum);
        let kept = fetching
            .take("host:1", &right, &EMPTY)
            .expect("the right pak");
        assert_eq!(kept.file, format!("A__.{checksum:08x}.pk3"));
        assert_eq!(
            (kept.game.as_str(), kept.store.as_str()),
            ("baseoa", "host_3a1")
        );
        let now = ClientTime::default();
        assert!(fetching.must_wait(now));
        fetching.stored(&source(&kept.file, None));
        assert!(fetching.must_wait(now), "that one is the player's own");
        fetching.stored(&source(&kept.file.to_lowercase(), Some("host_3a1")));
        assert!(!fetching.must_wait(now));
        let gone = fetching.failures(std::slice::from_ref(&right));
        assert!(gone[0].text.contains("cannot be read"), "{gone:?}");
    }

    #[test]
    fn a_pak_that_cannot_be_stored_is_not_waited_for() {
        let mut fetching = Fetching::default();
        let checksum = pk3::checksum(&EMPTY).expect("a pak");
        let pak = pak("baseoa/a", checksum);
        fetching.choose(std::slice::from_ref(&pak));
        let kept = fetching.take("host:1", &pak, &EMPTY).expect("a pak");
        fetching.start_level();
        assert!(fetching.must_wait(ClientTime(1)));
        fetching.not_stored("other.pk3", "x");
        assert!(fetching.must_wait(ClientTime(1)));
        fetching.not_stored(&kept.file, "the disk is full");
        assert!(!fetching.must_wait(ClientTime(1)));
        assert!(fetching.choose(std::slice::from_ref(&pak)).is_empty());
        let failures = fetching.failures(std::slice::from_ref(&pak));
        assert_eq!(texts(&failures), ["baseoa/a.pk3 (the disk is full)"]);
    }

    #[test]
    fn the_level_waits_to_be_told_anew_but_not_for_ever() {
        let mut fetching = Fetching::default();
        let now = ClientTime::default();
        let missing = [pak("baseoa/a", 1)];
        fetching.choose(&missing);
        assert!(fetching.is_busy());
        fetching.cancel(&missing);
        assert!(fetching.must_wait(now) && fetching.is_busy());
        assert!(!fetching.must_wait(now + GAMESTATE_MSEC));
        assert!(!fetching.is_busy());
        assert!(fetching.choose(&missing).is_empty());
        let failures = fetching.failures(&missing);
        assert_eq!(texts(&failures), ["baseoa/a.pk3 (you stopped it)"]);
    }

    #[test]
    fn a_resumed_level_goes_on_with_what_it_had() {
        let mut fetching = Fetching::resumed();
        let first = [pak("baseoa/a", 1)];
        assert!(fetching.choose(&first).is_empty());
        assert!(fetching.failures(&first).is_empty());
        assert!(!fetching.must_wait(ClientTime(1)));
        let next = [pak("baseoa/a", 1), pak("baseoa/b", 2)];
        assert_eq!(fetching.choose(&next), next[1..]);
    }
}
