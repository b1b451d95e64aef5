//! Which map comes next, as far as the server tells; while the line has room, it is loaded ahead.

use super::Session;
use crate::{assets::Assets, cl::Feed};
use shared::{
    base::{info::Info, text::without_colors, time::ClientTime},
    bg::numbers::configstring as cs,
    types::configstring::{Configstrings, index},
};

/// After a loss the line is left to the game for so long.
const LOSS_MSEC: i32 = 5000;
/// Votes on further maps load nothing ahead in the same level.
const MAX_MAPS: usize = 3;

/// What a level knows of the next one.
#[derive(Clone, Debug, Default)]
pub(super) struct NextMap {
    /// The newest last.
    maps: Vec<String>,
    /// What had been voted on before the player came.
    old_vote: Option<String>,
    lost: u32,
    lost_at: Option<ClientTime>,
}

impl Session {
    /// Goes on loading the map that comes next.
    pub(super) fn load_next_map(&mut self, now: ClientTime, assets: &mut Assets) {
        let (Some(level), Some(Feed::Server(connection))) = (&mut self.level, &self.feed) else {
            return;
        };
        let next = &mut level.next_map;
        let lost = connection.stats().messages_lost;
        if lost != next.lost {
            next.lost = lost;
            next.lost_at = Some(now);
        }
        if next.lost_at.is_some_and(|at| now - at < LOSS_MSEC) {
            return;
        }
        let exists =
            |map: &str| map != level.map && assets.vfs().exists(&format!("maps/{map}.bsp"));
        let Some(strings) = connection.configstrings() else {
            return;
        };
        let old_vote = (next.old_vote).get_or_insert_with(|| match is_voting(strings) {
            true => String::new(),
            false => strings.get(cs::VOTE_STRING).to_owned(),
        });
        let told = told_map(strings, old_vote, exists);
        if let Some(map) = told
            && next.maps.last() != Some(&map)
            && next.maps.len() < MAX_MAPS
        {
            next.maps.push(map);
        }
        if let Some(map) = next.maps.last() {
            assets.load_next_map(map);
        }
    }
}

fn number(strings: &Configstrings, at: usize) -> i64 {
    strings.get(at).trim().parse().unwrap_or(0)
}

fn is_voting(strings: &Configstrings) -> bool {
    number(strings, cs::VOTE_TIME) != 0
}

/// The map of the vote that is going on, or that ended since the old one, unless more are against it; else the one that
/// the server tells in advance. A vote of whoever is alone ends at once, and is carried out three seconds later.
fn told_map(
    strings: &Configstrings,
    old_vote: &str,
    exists: impl Fn(&str) -> bool,
) -> Option<String> {
    let vote = strings.get(cs::VOTE_STRING);
    let is_wanted = number(strings, cs::VOTE_YES) >= number(strings, cs::VOTE_NO);
    let voted = (is_wanted && (is_voting(strings) || vote != old_vote))
        .then(|| map_in(vote, &exists))
        .flatten();
    voted.or_else(|| {
        let serverinfo = Info::parse(strings.get(index::SERVERINFO));
        map_in(serverinfo.get("nextmap"), &exists)
    })
}

/// The first word that is the name of a map: servers write `map oa_dm3; set nextmap …` or a sentence.
fn map_in(text: &str, exists: impl Fn(&str) -> bool) -> Option<String> {
    let text = without_colors(text).to_ascii_lowercase();
    let is_of_name = |letter: char| letter.is_alphanumeric() || "_-+.'!()[]{}~".contains(letter);
    let words = text.split(|letter: char| !is_of_name(letter));
    words
        .map(|word| word.trim_end_matches('.'))
        .filter(|word| !word.is_empty() && word.len() < 64)
        .find(|word| exists(word))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(vote: &str, [time, yes, no]: [&str; 3], serverinfo: &str) -> Option<String> {
        let mut strings = Configstrings::default();
        for (at, text) in [
            (index::SERVERINFO, serverinfo),
            (cs::VOTE_TIME, time),
            (cs::VOTE_STRING, vote),
            (cs::VOTE_YES, yes),
            (cs::VOTE_NO, no),
        ] {
            strings.set(at, text).unwrap();
        }
        told_map(&strings, "map oa_dm3", |map| {
            ["oa_dm2", "oa_dm3"].contains(&map)
        })
    }

    #[test]
    fn a_vote_tells_the_next_map_unless_most_are_against_it() {
        let one = ["5000", "1", "0"];
        let tells = |vote| told(vote, one, "");
        assert_eq!(tells("map oa_dm3").as_deref(), Some("oa_dm3"));
        assert_eq!(
            tells("map OA_DM3; set nextmap \"vstr d2\"").as_deref(),
            Some("oa_dm3")
        );
        assert_eq!(
            tells("^3Change map to: ^7oa_dm2?").as_deref(),
            Some("oa_dm2")
        );
        assert_eq!(tells("map oa_dm9"), None);
        assert_eq!(tells("kick Sarge"), None);
        let vote = "map oa_dm3";
        assert_eq!(
            told(vote, ["5000", "1", "1"], "").as_deref(),
            Some("oa_dm3")
        );
        assert_eq!(told(vote, ["5000", "1", "2"], ""), None);
        assert_eq!(told(vote, ["", "1", "0"], ""), None);
        // One that passed at once.
        let passed = told("map oa_dm2", ["", "1", "0"], "");
        assert_eq!(passed.as_deref(), Some("oa_dm2"));
        assert_eq!(told("map oa_dm2", ["", "1", "2"], ""), None);
        assert_eq!(
            told(vote, ["", "", ""], "\\nextmap\\map oa_dm2").as_deref(),
            Some("oa_dm2")
        );
    }
}
