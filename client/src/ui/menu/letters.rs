//! Letters on the screen, for those who type with a mouse or a pad alone.

use crate::ui::holds;

/// What a key of it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterKey {
    Char(char),
    /// Changes between small letters with digits and capitals with signs.
    Shift,
    Delete,
    /// The text is complete.
    Done,
}

/// The keys, and which one is chosen.
#[derive(Clone, Debug, Default)]
pub struct Letters {
    is_shifted: bool,
    row: usize,
    column: usize,
    /// Where they lay when they were drawn last.
    zones: Vec<([usize; 2], [f32; 4])>,
}

const PLAIN: [&str; 4] = ["1234567890", "qwertyuiop", "asdfghjkl_", "zxcvbnm-.:"];
const SHIFTED: [&str; 4] = ["!#$%&*()+=", "QWERTYUIOP", "ASDFGHJKL^", "ZXCVBNM/?@"];
const LAST_ROW: [LetterKey; 4] = [
    LetterKey::Shift,
    LetterKey::Char(' '),
    LetterKey::Delete,
    LetterKey::Done,
];
/// A key, its row and place there, and where it lies on the screen.
pub type KeyPlace = (LetterKey, [usize; 2], [f32; 4]);

/// Rows of keys.
pub const ROWS: usize = PLAIN.len() + 1;

impl LetterKey {
    /// What stands on it.
    pub fn label(self) -> String {
        match self {
            Self::Char(' ') => "Space".to_owned(),
            Self::Char(c) => c.to_string(),
            Self::Shift => "Shift".to_owned(),
            Self::Delete => "Delete".to_owned(),
            Self::Done => "Done".to_owned(),
        }
    }
}

impl Letters {
    /// The keys of a row.
    pub fn row(&self, row: usize) -> Vec<LetterKey> {
        let rows = if self.is_shifted { SHIFTED } else { PLAIN };
        match rows.get(row) {
            Some(letters) => letters.chars().map(LetterKey::Char).collect(),
            None => LAST_ROW.to_vec(),
        }
    }

    /// The chosen key's row and its place there.
    pub fn place(&self) -> [usize; 2] {
        [self.row, self.column]
    }

    pub fn chosen(&self) -> LetterKey {
        let row = self.row(self.row);
        row.get(self.column).copied().unwrap_or(LetterKey::Done)
    }

    /// Goes to the next key, round the ends of rows and columns.
    pub fn go(&mut self, right: isize, down: isize) {
        let before = self.row(self.row).len();
        self.row = around(self.row, down, ROWS);
        let count = self.row(self.row).len();
        // The last row's keys are wider.
        self.column = around(self.column * count / before.max(1), right, count);
    }

    /// Presses the chosen key.
    pub fn press(&mut self) -> LetterKey {
        let key = self.chosen();
        if key == LetterKey::Shift {
            self.is_shifted = !self.is_shifted;
        }
        key
    }

    /// Chooses the key under the pointer; false if there is none.
    pub fn point(&mut self, at: [f32; 2]) -> bool {
        let found = self.zones.iter().find(|(_, rect)| holds(*rect, at));
        if let Some(([row, column], _)) = found {
            (self.row, self.column) = (*row, *column);
        }
        found.is_some()
    }

    /// Divides this place among the keys and remembers it; yields each with its own.
    pub fn lay_out(&mut self, [left, top, width, height]: [f32; 4]) -> Vec<KeyPlace> {
        self.zones.clear();
        let mut keys = Vec::new();
        let row_height = height / ROWS as f32;
        for row in 0..ROWS {
            let in_row = self.row(row);
            let key_width = width / in_row.len().max(1) as f32;
            for (column, key) in in_row.into_iter().enumerate() {
                let x = left + column as f32 * key_width;
                let rect = [x, top + row as f32 * row_height, key_width, row_height];
                self.zones.push(([row, column], rect));
                keys.push((key, [row, column], rect));
            }
        }
        keys
    }
}

fn around(at: usize, by: isize, count: usize) -> usize {
    (at as isize + by).rem_euclid(count.max(1) as isize) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_is_reached_in_few_steps() {
        let mut letters = Letters::default();
        assert_eq!(letters.chosen(), LetterKey::Char('1'));
        letters.go(-1, 0);
        assert_eq!(letters.chosen(), LetterKey::Char('0'));
        letters.go(0, -1);
        assert_eq!(letters.chosen(), LetterKey::Done);
        letters.go(1, 0);
        assert_eq!(letters.press(), LetterKey::Shift);
        letters.go(0, -3);
        assert_eq!(letters.chosen(), LetterKey::Char('Q'));
        letters.go(0, 2);
        assert_eq!(letters.chosen(), LetterKey::Char('Z'));
    }

    #[test]
    fn what_names_and_addresses_need_is_there() {
        let letters = |is_shifted| {
            let letters = Letters {
                is_shifted,
                ..Letters::default()
            };
            (0..ROWS)
                .flat_map(|row| letters.row(row))
                .collect::<Vec<_>>()
        };
        let all: Vec<LetterKey> = [letters(false), letters(true)].concat();
        let wanted = ('a'..='z').chain('A'..='Z').chain('0'..='9');
        for c in wanted.chain(" .:-_^".chars()) {
            assert!(all.contains(&LetterKey::Char(c)), "{c}");
        }
    }

    #[test]
    fn the_pointer_finds_what_is_drawn() {
        let mut letters = Letters::default();
        let keys = letters.lay_out([100.0, 50.0, 400.0, 100.0]);
        for (key, _, [x, y, width, height]) in keys {
            assert!(letters.point([x + width / 2.0, y + height / 2.0]));
            assert_eq!(letters.chosen(), key);
        }
        assert!(!letters.point([99.0, 60.0]));
    }
}
