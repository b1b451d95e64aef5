//! Pure: what clients are told of the server's paks, and whether a client proves that it plays with them.

use crate::server::Server;
use shared::{
    base::{
        info::{Info, MAX_BIG_INFO},
        tokens::Tokens,
    },
    formats::pk3::{Directory, is_commercial},
    net::pure::{pak_checksum, pure_checksum},
};

/// A pak that the server's files come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pak {
    /// Its folder, as `baseoa`.
    pub game: String,
    /// Its name without the ending, as `pak0`.
    pub name: String,
    /// Bytes of the file.
    pub size: u64,
    /// CRC-32 of its files that are not empty, in the order of its directory.
    pub crcs: Vec<u32>,
    /// Whether it has the game's code for clients and for their menus.
    pub has_cgame: bool,
    pub has_ui: bool,
    /// Clients need it: the map is in it, or it belongs to a mod.
    pub is_referenced: bool,
}

impl Pak {
    /// A pak by its directory; `is_referenced` is left to the caller.
    pub fn new(game: &str, name: &str, size: u64, directory: &Directory) -> Self {
        let full = directory.entries().iter().filter(|entry| entry.size > 0);
        let has = |path: &str| directory.find(path).is_some();
        Self {
            game: game.to_owned(),
            name: name.to_owned(),
            size,
            crcs: full.map(|entry| entry.crc).collect(),
            has_cgame: has("vm/cgame.qvm"),
            has_ui: has("vm/ui.qvm"),
            is_referenced: false,
        }
    }

    /// Its name as clients ask for it.
    pub fn path(&self) -> String {
        format!("{}/{}.pk3", self.game, self.name)
    }

    /// Whether players must have bought it, so that nobody hands it out.
    pub fn is_commercial(&self) -> bool {
        is_commercial(&self.game, &self.name)
    }
}

/// The paks of a level, in the order in which files are looked for.
#[derive(Clone, Debug, Default)]
pub(crate) struct LevelPaks {
    pub all: Vec<Pak>,
    /// Clients must prove that they use these paks and no others.
    pub is_pure: bool,
    /// As clients prove them; they differ from level to level.
    pure_sums: Vec<i32>,
}

/// What a client's `cp` command proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PureCheck {
    /// It speaks of a level before this one.
    Outdated,
    Pure,
    Unpure,
}

impl LevelPaks {
    pub(crate) fn new(all: Vec<Pak>, is_pure: bool, checksum_feed: i32) -> Self {
        let sums = all
            .iter()
            .map(|pak| pure_checksum(&pak.crcs, checksum_feed));
        Self {
            pure_sums: sums.collect(),
            is_pure,
            all,
        }
    }

    /// Whether clients could prove anything: they must name the paks with the game's code.
    pub(crate) fn can_be_pure(all: &[Pak]) -> bool {
        all.iter().any(|pak| pak.has_cgame) && all.iter().any(|pak| pak.has_ui)
    }

    /// Keys of the systeminfo.
    fn info(&self) -> [(&'static str, String); 5] {
        let sum = |pak: &Pak| pak_checksum(&pak.crcs).to_string();
        let needed = || self.all.iter().filter(|pak| pak.is_referenced);
        let known = || self.all.iter().filter(|_| self.is_pure);
        let join = |words: Vec<String>| words.join(" ");
        let path = |pak: &Pak| format!("{}/{}", pak.game, pak.name);
        [
            ("sv_pure", i32::from(self.is_pure).to_string()),
            ("sv_paks", join(known().map(sum).collect())),
            (
                "sv_pakNames",
                join(known().map(|pak| pak.name.clone()).collect()),
            ),
            ("sv_referencedPaks", join(needed().map(sum).collect())),
            ("sv_referencedPakNames", join(needed().map(path).collect())),
        ]
    }

    fn sum_of(&self, has_code: fn(&Pak) -> bool) -> Option<i32> {
        let first = self.all.iter().position(has_code)?;
        Some(self.pure_sums[first])
    }

    /// Judges `cp SERVERID CGAME UI @ REFERENCE… ENCODED`.
    pub(crate) fn judge(&self, tokens: &Tokens, first_id: i32, checksum_feed: i32) -> PureCheck {
        const FIRST_REFERENCE: usize = 5;
        let number = |at: usize| tokens.get(at).parse::<i32>().ok();
        if number(1).is_some_and(|id| id < first_id) {
            return PureCheck::Outdated;
        }
        let (count, last) = (tokens.len(), tokens.len().saturating_sub(1));
        if count < FIRST_REFERENCE + 1 || tokens.get(4) != "@" {
            return PureCheck::Unpure;
        }
        let references: Option<Vec<i32>> = (FIRST_REFERENCE..last).map(number).collect();
        let Some(references) = references else {
            return PureCheck::Unpure;
        };
        let mut once = references.clone();
        once.sort_unstable();
        once.dedup();
        let encoded = references.iter().fold(checksum_feed, |sum, one| sum ^ one);
        let is_good = number(2).is_some_and(|sum| Some(sum) == self.sum_of(|pak| pak.has_cgame))
            && number(3).is_some_and(|sum| Some(sum) == self.sum_of(|pak| pak.has_ui))
            && once.len() == references.len()
            && references.iter().all(|sum| self.pure_sums.contains(sum))
            && number(last) == Some(encoded ^ references.len() as i32);
        match is_good {
            true => PureCheck::Pure,
            false => PureCheck::Unpure,
        }
    }
}

impl Server {
    /// The paks that the next level is played with.
    pub(crate) fn level_paks(&mut self, checksum_feed: i32) -> LevelPaks {
        let mut is_pure = self.cvars.is_on("sv_pure");
        if is_pure && !LevelPaks::can_be_pure(&self.paks) {
            is_pure = false;
            let text = "No pak has vm/cgame.qvm and vm/ui.qvm, so clients cannot prove what they play with: \
                        sv_pure is off for this map";
            self.print(text);
        }
        LevelPaks::new(self.paks.clone(), is_pure, checksum_feed)
    }

    /// What all clients must play by.
    pub(crate) fn systeminfo(&self) -> String {
        let mut info = Info::parse(&self.cvars.systeminfo());
        if let Some(level) = &self.level {
            for (key, value) in level.paks.info() {
                // What has no room is left out.
                let _ = info.set(key, &value, MAX_BIG_INFO);
            }
        }
        info.to_string()
    }

    /// A client says what it plays with.
    pub(crate) fn check_purity(&mut self, client: usize, tokens: &Tokens) {
        let (Some(level), Some(slot)) = (&self.level, &mut self.slots[client]) else {
            return;
        };
        let feed = level.gamestate.checksum_feed;
        if !level.paks.is_pure {
            return;
        }
        match level.paks.judge(tokens, level.restarted_server_id, feed) {
            PureCheck::Outdated => {}
            PureCheck::Pure => slot.is_pure = Some(true),
            PureCheck::Unpure => {
                slot.is_pure = Some(false);
                let text = "Unpure client detected. Invalid .PK3 files referenced!";
                self.drop_client(client, text);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::net::pure::PureProof;

    const FEED: i32 = 77;

    fn paks() -> LevelPaks {
        let pak = |name: &str, crcs: &[u32], has_code| Pak {
            game: "baseoa".to_owned(),
            name: name.to_owned(),
            crcs: crcs.to_vec(),
            has_cgame: has_code,
            has_ui: has_code,
            is_referenced: name == "maps",
            ..Pak::default()
        };
        let all = vec![pak("maps", &[1, 2], false), pak("pak0", &[3, 4, 5], true)];
        assert!(LevelPaks::can_be_pure(&all) && !LevelPaks::can_be_pure(&all[..1]));
        LevelPaks::new(all, true, FEED)
    }

    fn check(change: impl Fn(&mut PureProof), server_id: i32, feed: i32, expected: PureCheck) {
        let [maps, code] = [&[1, 2][..], &[3, 4, 5]].map(|crcs| pure_checksum(crcs, FEED));
        let mut proof = PureProof {
            cgame: code,
            ui: code,
            referenced: vec![maps, code],
        };
        change(&mut proof);
        let command = proof.command(server_id, feed);
        let verdict = paks().judge(&Tokens::new(&command), 500, FEED);
        assert_eq!(verdict, expected, "{command}");
    }

    #[test]
    fn only_what_the_server_has_is_pure() {
        check(|_| {}, 500, FEED, PureCheck::Pure);
        check(|proof| proof.referenced.clear(), 501, FEED, PureCheck::Pure);
        check(|proof| proof.cgame += 1, 500, FEED, PureCheck::Unpure);
        check(|proof| proof.ui += 1, 500, FEED, PureCheck::Unpure);
        check(
            |proof| proof.referenced.push(9),
            500,
            FEED,
            PureCheck::Unpure,
        );
        let twice = |proof: &mut PureProof| proof.referenced.push(proof.cgame);
        check(twice, 500, FEED, PureCheck::Unpure);
        check(|_| {}, 500, FEED + 1, PureCheck::Unpure);
        check(|_| {}, 499, FEED + 1, PureCheck::Outdated);
        for text in [
            "cp",
            "cp x",
            "cp 500 1 2",
            "cp 500 1 2 3 4 5",
            "cp 500 1 2 @ x 5",
        ] {
            let verdict = paks().judge(&Tokens::new(text), 500, FEED);
            assert_eq!(verdict, PureCheck::Unpure, "{text}");
        }
    }

    #[test]
    fn clients_are_told_of_the_paks_in_order() {
        let paks = paks();
        let info = paks.info().map(|(_, value)| value);
        let sums = [&[1, 2][..], &[3, 4, 5]].map(|crcs| pak_checksum(crcs).to_string());
        let both = sums.join(" ");
        assert_eq!(info, ["1", &both, "maps pak0", &sums[0], "baseoa/maps"]);
        let open = LevelPaks::new(paks.all, false, FEED);
        let info = open.info().map(|(_, value)| value);
        assert_eq!(info, ["0", "", "", &sums[0], "baseoa/maps"]);
    }
}
