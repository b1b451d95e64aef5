//! Characters: names and looks of bots.

/// How a bot looks to others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Character {
    pub name: &'static str,
    pub model: &'static str,
    pub color: u8,
}

const fn character(name: &'static str, model: &'static str, color: u8) -> Character {
    Character { name, model, color }
}

/// Models of which OpenArena has every part; clients of the base game show their first instead of those that they lack.
///
/// ioquake3's client keeps three times a model's file in a memory of 128 MB, and ends where that is full: five of
/// OpenArena's largest models fill it. All of these together take 75 MB.
pub(super) const CHARACTERS: &[Character] = &[
    character("Rill", "sarge", 4),
    character("Tarn", "smarine", 2),
    character("Moss", "major", 3),
    character("Fell", "sarge/classic", 1),
    character("Brae", "neko", 5),
    character("Holm", "beret", 6),
    character("Skerry", "liz", 2),
    character("Cairn", "skelebot/metal", 7),
    character("Gorse", "smarine/orange", 3),
    character("Linn", "major/leth", 5),
    character("Strath", "penguin", 4),
    character("Wynd", "assassin/ghost", 6),
    character("Burn", "skelebot", 1),
    character("Firth", "tony", 2),
    character("Corrie", "assassin", 3),
    character("Machair", "beret/macho", 7),
];

/// The character of a name.
pub(super) fn find(name: &str) -> Option<&'static Character> {
    let mut all = CHARACTERS.iter();
    all.find(|one| one.name.eq_ignore_ascii_case(name))
}
