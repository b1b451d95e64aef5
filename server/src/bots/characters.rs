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
pub(super) const CHARACTERS: &[Character] = &[
    character("Rill", "sarge", 4),
    character("Tarn", "smarine", 2),
    character("Moss", "major", 3),
    character("Fell", "sarge/default", 1),
    character("Brae", "neko", 5),
    character("Holm", "kyonshi", 6),
    character("Skerry", "liz", 2),
    character("Cairn", "merman", 7),
    character("Gorse", "gargoyle", 3),
    character("Linn", "arachna", 5),
    character("Strath", "penguin", 4),
    character("Wynd", "angelyss", 6),
    character("Burn", "skelebot", 1),
    character("Firth", "tony", 2),
    character("Corrie", "assassin", 3),
    character("Machair", "sergei", 7),
];

/// The character of a name.
pub(super) fn find(name: &str) -> Option<&'static Character> {
    let mut all = CHARACTERS.iter();
    all.find(|one| one.name.eq_ignore_ascii_case(name))
}
