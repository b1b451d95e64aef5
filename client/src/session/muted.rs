//! Players whose words and taunts are not wanted.

use super::{Session, status::plain_name};
use std::collections::BTreeMap;

/// Their names by client number.
#[derive(Clone, Debug, Default)]
pub(super) struct Muted(BTreeMap<usize, String>);

impl Muted {
    /// A bit for each of them, by the players who are there now.
    ///
    /// Within a level whoever changes the name stays muted; in a new one the number may be somebody else's.
    pub fn follow(&mut self, is_new_level: bool, name: impl Fn(usize) -> Option<String>) -> u64 {
        self.0.retain(|&number, known| match name(number) {
            Some(name) if !is_new_level || name == *known => {
                *known = name;
                true
            }
            _ => false,
        });
        self.bits()
    }

    fn bits(&self) -> u64 {
        self.0.keys().fold(0, |bits, number| bits | 1 << number)
    }
}

impl Session {
    /// A bit for each player who is muted, by client number.
    pub fn muted(&self) -> u64 {
        self.muted.bits()
    }

    /// Mutes another player by name or number, or hears him again; gives the name, or `None` if nobody else is meant.
    pub fn mute(&mut self, who: &str, is_muted: bool) -> Option<String> {
        let players = self.other_players();
        // A number first: names are chosen by those who are to be muted.
        let is_there = |number: &usize| players.iter().any(|(known, _)| known == number);
        let number = who.parse().ok().filter(is_there);
        let wanted = plain_name(who);
        let is_meant = |(known, name): &(usize, String)| match number {
            Some(number) => *known == number,
            None => plain_name(name) == wanted,
        };
        let (number, name) = players.iter().find(|one| is_meant(one))?.clone();
        match is_muted {
            true => self.muted.0.insert(number, name.clone()),
            false => self.muted.0.remove(&number),
        };
        Some(name)
    }

    pub fn muted_names(&self) -> Vec<&str> {
        self.muted.0.values().map(String::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_name_does_not_help_and_a_newcomer_is_heard() {
        let mut muted = Muted(BTreeMap::from([(3, "Grism".to_owned())]));
        let named = |name: &'static str| move |number| (number == 3).then(|| name.to_owned());
        assert_eq!(muted.follow(true, named("Grism")), 8);
        assert_eq!(muted.follow(false, named("Merlin")), 8);
        assert_eq!(muted.follow(true, named("Merlin")), 8);
        assert_eq!(muted.clone().follow(true, named("Ayumi")), 0);
        assert_eq!(muted.follow(false, |_| None), 0);
        assert_eq!(muted.follow(false, named("Ayumi")), 0);
    }
}
