//! Texts of reliable commands by number: both ends keep them, because they key the scrambling.

use crate::base::text;

/// How many commands may be unacknowledged in each direction.
pub const MAX_RELIABLE_COMMANDS: usize = 64;
/// Longest text of a command.
pub const MAX_COMMAND_CHARS: usize = 1023;

/// How many texts are kept: more than can be unacknowledged, so that the acknowledged one is still
/// here when all others are outstanding.
const KEPT: usize = 2 * MAX_RELIABLE_COMMANDS;

/// The newest commands of one direction; the first has number 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandTexts {
    /// By number modulo [`KEPT`].
    kept: Vec<(i32, String)>,
    newest: i32,
}

impl CommandTexts {
    /// No commands yet.
    pub fn new() -> Self {
        Self {
            kept: vec![(0, String::new()); KEPT],
            newest: 0,
        }
    }

    /// Number of the newest command; 0 before the first.
    pub fn newest(&self) -> i32 {
        self.newest
    }

    /// Adds a command and gives its number. What the wire cannot carry becomes dots here, so that
    /// both ends hold the same text.
    pub fn push(&mut self, command: &str) -> i32 {
        let number = self.newest.wrapping_add(1);
        self.insert(number, command);
        number
    }

    /// Adds a command under a number of the other end, which becomes the newest.
    pub fn insert(&mut self, number: i32, command: &str) {
        self.newest = number;
        self.kept[slot(number)] = (number, text::wire_text(command));
    }

    /// Goes on from another newest number, as a gamestate demands; texts stay.
    pub fn set_newest(&mut self, number: i32) {
        self.newest = number;
    }

    /// The text of a command; empty if it is not here (any more).
    pub fn get(&self, number: i32) -> &str {
        let (kept_number, text) = &self.kept[slot(number)];
        if *kept_number == number { text } else { "" }
    }

    /// The commands above a number, ascending.
    pub fn after(&self, number: i32) -> impl Iterator<Item = (i32, &str)> {
        let count = self.newest.wrapping_sub(number).clamp(0, KEPT as i32);
        (0..count).rev().map(|back| {
            let number = self.newest.wrapping_sub(back);
            (number, self.get(number))
        })
    }
}

fn slot(number: i32) -> usize {
    number.rem_euclid(KEPT as i32) as usize
}

impl Default for CommandTexts {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::CommandTexts;

    #[test]
    fn texts_are_kept_as_the_wire_carries_them() {
        let mut texts = CommandTexts::new();
        assert_eq!(texts.push("say 100%"), 1);
        assert_eq!(texts.get(1), "say 100.");
        assert_eq!((texts.get(0), texts.get(2), texts.get(129)), ("", "", ""));
        for _ in 0..128 {
            texts.push("x");
        }
        assert_eq!((texts.get(1), texts.get(2)), ("", "x"));
        let after: Vec<_> = texts.after(127).collect();
        assert_eq!(after, [(128, "x"), (129, "x")]);
        assert_eq!(texts.after(200).count(), 0);
    }
}
