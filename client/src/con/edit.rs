//! A line of text being typed, with a cursor and a history.

use super::secrets::holds_secret;
use shared::base::text::ascii_spelling;

/// At most this many bytes can be typed.
const MAX_TEXT: usize = 254;
/// Lines that the history remembers.
const MAX_HISTORY: usize = 32;

/// One editable line.
#[derive(Clone, Debug, Default)]
pub struct EditField {
    text: String,
    /// Byte offset, always at a character's start.
    cursor: usize,
    overstrikes: bool,
}

impl EditField {
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Byte offset of the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    pub fn set(&mut self, text: &str) {
        self.text.clear();
        self.cursor = 0;
        self.insert(text);
    }

    pub fn take(&mut self) -> String {
        self.cursor = 0;
        std::mem::take(&mut self.text)
    }

    /// Types or pastes, in the letters that servers and other players can read.
    pub fn insert_text(&mut self, text: &str) {
        self.insert(&ascii_spelling(text));
    }

    /// Control characters are dropped.
    fn insert(&mut self, text: &str) {
        for c in text.chars().filter(|c| !c.is_control()) {
            if self.overstrikes && self.cursor < self.text.len() {
                self.text.remove(self.cursor);
            }
            if self.text.len() + c.len_utf8() > MAX_TEXT {
                return;
            }
            self.text.insert(self.cursor, c);
            self.cursor += c.len_utf8();
        }
    }

    pub fn backspace(&mut self) {
        if let Some(c) = self.text[..self.cursor].chars().next_back() {
            self.cursor -= c.len_utf8();
            self.text.remove(self.cursor);
        }
    }

    pub fn delete(&mut self) {
        if self.cursor < self.text.len() {
            self.text.remove(self.cursor);
        }
    }

    pub fn left(&mut self) {
        if let Some(c) = self.text[..self.cursor].chars().next_back() {
            self.cursor -= c.len_utf8();
        }
    }

    pub fn right(&mut self) {
        if let Some(c) = self.text[self.cursor..].chars().next() {
            self.cursor += c.len_utf8();
        }
    }

    /// To the start of the word before the cursor.
    pub fn word_left(&mut self) {
        let before = self.text[..self.cursor].trim_end();
        self.cursor = before.rfind(' ').map_or(0, |space| space + 1);
    }

    /// Behind the word after the cursor.
    pub fn word_right(&mut self) {
        let rest = &self.text[self.cursor..];
        let skipped = rest.len() - rest.trim_start().len();
        let word = rest[skipped..].find(' ').unwrap_or(rest.len() - skipped);
        self.cursor += skipped + word;
    }

    pub fn home(&mut self) {
        self.cursor = 0;
    }

    pub fn end(&mut self) {
        self.cursor = self.text.len();
    }

    pub fn toggle_overstrike(&mut self) {
        self.overstrikes = !self.overstrikes;
    }
}

/// Lines typed before; newest last.
#[derive(Clone, Debug, Default)]
pub struct History {
    lines: Vec<String>,
    /// Which line is shown; `lines.len()` is the one being typed.
    position: usize,
}

impl History {
    /// Reads the stored form: one line per entry, newest last.
    pub fn from_text(text: &str) -> Self {
        let mut history = Self::default();
        let is_done = |line: &&str| !line.is_empty() && !holds_secret(line);
        for line in text.lines().filter(is_done) {
            history.push(line);
        }
        history
    }

    /// The form to store. What holds a secret stays in memory, for this run alone.
    pub fn to_text(&self) -> String {
        let kept: Vec<&str> = self
            .lines
            .iter()
            .map(String::as_str)
            .filter(|line| !holds_secret(line))
            .collect();
        kept.join("\n")
    }

    pub fn push(&mut self, line: &str) {
        if self.lines.last().is_none_or(|last| last != line) {
            self.lines.push(line.chars().take(MAX_TEXT).collect());
        }
        if self.lines.len() > MAX_HISTORY {
            self.lines.remove(0);
        }
        self.position = self.lines.len();
    }

    /// One line back in time.
    pub fn previous(&mut self) -> Option<&str> {
        self.position = self.position.saturating_sub(1);
        self.lines.get(self.position).map(String::as_str)
    }

    /// One line forward; empty behind the newest.
    pub fn next_line(&mut self) -> &str {
        self.position = (self.position + 1).min(self.lines.len());
        self.lines.get(self.position).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editing_moves_by_characters_and_words() {
        let mut field = EditField::default();
        field.set("say héllo\n");
        field.left();
        field.left();
        field.left();
        field.left();
        field.backspace();
        assert_eq!(field.text(), "say éllo");
        field.word_left();
        field.word_left();
        assert_eq!(field.cursor(), 0);
        field.word_right();
        field.delete();
        assert_eq!(field.text(), "sayéllo");
        field.toggle_overstrike();
        field.insert_text("_");
        assert_eq!(field.text(), "say_llo");
        field.insert_text(&"x".repeat(1000));
        assert!(field.text().len() <= MAX_TEXT);
    }

    #[test]
    fn what_is_typed_can_be_said() {
        let mut field = EditField::default();
        field.insert_text("Søren naïve ");
        field.insert_text("日本 ＡＢ！");
        assert_eq!(field.text(), "Soren naive ?? AB!");
    }

    #[test]
    fn history_goes_back_and_forth() {
        let mut history = History::from_text("one\ntwo\n\nthree");
        assert_eq!(history.previous(), Some("three"));
        assert_eq!(history.previous(), Some("two"));
        assert_eq!(history.next_line(), "three");
        assert_eq!(history.next_line(), "");
        assert_eq!(history.to_text(), "one\ntwo\nthree");
        history.push("set rconPassword hush");
        assert!(!history.to_text().contains("hush"));
        assert_eq!(history.previous(), Some("set rconPassword hush"));
        let stored_before = History::from_text("one\nset rconPassword hush");
        assert_eq!(stored_before.to_text(), "one");
        for i in 0..100 {
            history.push(&i.to_string());
        }
        assert_eq!(history.to_text().lines().count(), MAX_HISTORY);
    }
}
