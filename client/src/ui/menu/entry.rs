//! What is typed into a row or a search, and which key a row takes.

use super::{
    Entry, Menu, MenuKey, act,
    letters::{LetterKey, Letters},
    rows::{self, MenuAction, MenuInput, RowKind},
};
use crate::con::keys;

impl Menu {
    pub(super) fn begin_entry(&mut self, entry: Entry) {
        self.entry = entry;
        self.letters = self.needs_letters.then(Letters::default);
    }

    pub(super) fn end_entry(&mut self) {
        self.entry = Entry::None;
        self.letters = None;
    }

    /// Whether letters go into a value or a search that was begun.
    pub fn is_typing(&self) -> bool {
        matches!(self.entry, Entry::Text(_) | Entry::Search)
    }

    /// Takes a key that chooses among those on the screen, where these are shown.
    pub(super) fn handle_letters_key(&mut self, key: u16, input: MenuInput<'_>) -> Option<MenuKey> {
        let pointer = self.pointer;
        let letters = self.letters.as_mut()?;
        match key {
            keys::UPARROW => letters.go(0, -1),
            keys::DOWNARROW => letters.go(0, 1),
            keys::LEFTARROW => letters.go(-1, 0),
            keys::RIGHTARROW => letters.go(1, 0),
            keys::ENTER => return Some(self.press_letter(input)),
            keys::MOUSE1 if letters.point(pointer) => return Some(self.press_letter(input)),
            keys::DEL => self.delete_letter(),
            _ => return None,
        }
        Some(MenuKey::Handled)
    }

    fn press_letter(&mut self, input: MenuInput<'_>) -> MenuKey {
        match self.letters.as_mut().map(Letters::press) {
            Some(LetterKey::Char(c)) => self.type_letter(c),
            Some(LetterKey::Delete) => self.delete_letter(),
            Some(LetterKey::Done) => return self.finish_typing(input),
            Some(LetterKey::Shift) | None => {}
        }
        MenuKey::Handled
    }

    fn delete_letter(&mut self) {
        match &mut self.entry {
            Entry::Text(field) => field.backspace(),
            _ => self.search.backspace(),
        }
    }

    pub(super) fn finish_typing(&mut self, input: MenuInput<'_>) -> MenuKey {
        match self.entry {
            Entry::Text(_) => self.take_text(input),
            _ => {
                self.end_entry();
                MenuKey::Handled
            }
        }
    }

    /// Takes a typed letter: into the value that is being typed, else into the search.
    pub fn handle_char(&mut self, c: char) {
        if self.has_taken_key {
            return;
        }
        // Whoever has keys needs none on the screen.
        self.letters = None;
        self.type_letter(c);
    }

    fn type_letter(&mut self, c: char) {
        let text = c.encode_utf8(&mut [0; 4]).to_owned();
        let is_searching = self.is_searching();
        match &mut self.entry {
            Entry::Text(field) => field.insert_text(&text),
            Entry::Key => {}
            Entry::None | Entry::Search if c == ' ' && !is_searching => {}
            Entry::None | Entry::Search => {
                self.search.insert_text(&text);
                self.choose(self.first_found());
                self.show_head();
            }
        }
    }

    fn take_text(&mut self, input: MenuInput<'_>) -> MenuKey {
        let rows = self.rows(input);
        self.letters = None;
        let Entry::Text(field) = std::mem::take(&mut self.entry) else {
            return MenuKey::Handled;
        };
        let Some(RowKind::Setting(name, _)) = self.chosen(&rows).map(|row| &rows[row].kind) else {
            return MenuKey::Handled;
        };
        act(Some(MenuAction::Set {
            name: name.clone(),
            value: field.text().to_owned(),
        }))
    }

    pub(super) fn take_key(&mut self, key: u16, input: MenuInput<'_>) -> MenuKey {
        self.entry = Entry::None;
        let rows = self.rows(input);
        let Some(RowKind::Key(command)) = self.chosen(&rows).map(|row| &rows[row].kind) else {
            return MenuKey::Handled;
        };
        if key == keys::ESCAPE {
            return MenuKey::Handled;
        }
        let before = input.binds.get(key);
        if !before.is_empty() && !before.eq_ignore_ascii_case(command) {
            let is_last = rows::keys_of(input.binds, before).count() == 1;
            let lost = if is_last { "; that has no key now" } else { "" };
            self.notice = format!("{} was for \"{before}\"{lost}", keys::name(key));
        }
        act(Some(MenuAction::Bind {
            key,
            command: (*command).to_owned(),
        }))
    }
}
