//! The numbered strings of a level, within the limit that every server keeps.

use super::limits::{MAX_CONFIGSTRINGS, MAX_GAMESTATE_CHARS};

/// All configstrings of a level; those never set are empty.
#[derive(Clone)]
pub struct Configstrings {
    /// Up to the highest that was ever set.
    texts: Vec<String>,
    /// Sum of (length + 1) over the texts that are not empty, plus 1.
    chars: usize,
}

/// Indices of the configstrings that the engine itself reads.
pub mod index {
    /// Info string of cvars that queries tell as well.
    pub const SERVERINFO: usize = 0;
    /// Info string of what the engine needs: paks, cheats, `sv_serverid`.
    pub const SYSTEMINFO: usize = 1;
}

/// Why a configstring was not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigstringRefusal {
    /// The index is not one of the 1024.
    Index(usize),
    /// The level's strings would pass 16,000 characters together.
    TooLong(usize),
}

impl Configstrings {
    /// The text of this index; empty where none was set or could be.
    pub fn get(&self, index: usize) -> &str {
        self.texts.get(index).map_or("", String::as_str)
    }

    /// Stores a text and tells whether it differs from the one before.
    ///
    /// # Errors
    /// A bad index or a full pool leaves everything as it was.
    pub fn set(&mut self, index: usize, text: &str) -> Result<bool, ConfigstringRefusal> {
        if index >= MAX_CONFIGSTRINGS {
            return Err(ConfigstringRefusal::Index(index));
        }
        let old = self.get(index);
        if old == text {
            return Ok(false);
        }
        let chars = self.chars - pool_size(old) + pool_size(text);
        if chars > MAX_GAMESTATE_CHARS {
            return Err(ConfigstringRefusal::TooLong(index));
        }
        self.chars = chars;
        if index >= self.texts.len() {
            self.texts.resize(index + 1, String::new());
        }
        self.texts[index] = text.to_owned();
        Ok(true)
    }

    /// The strings that are not empty, ascending by index.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &str)> {
        self.texts
            .iter()
            .enumerate()
            .filter(|(_, text)| !text.is_empty())
            .map(|(index, text)| (index, text.as_str()))
    }
}

fn pool_size(text: &str) -> usize {
    if text.is_empty() { 0 } else { text.len() + 1 }
}

impl Default for Configstrings {
    fn default() -> Self {
        Self {
            texts: Vec::new(),
            chars: 1,
        }
    }
}

impl PartialEq for Configstrings {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Configstrings {}

impl std::fmt::Debug for Configstrings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl std::fmt::Display for ConfigstringRefusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Index(index) => write!(
                f,
                "configstring {index} does not exist; there are {MAX_CONFIGSTRINGS}"
            ),
            Self::TooLong(index) => {
                write!(
                    f,
                    "configstring {index} would bring the level above {MAX_GAMESTATE_CHARS} characters"
                )
            }
        }
    }
}

impl std::error::Error for ConfigstringRefusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_pool_refuses_and_keeps_what_it_has() {
        let mut strings = Configstrings::default();
        assert_eq!(strings.set(5, &"x".repeat(8000)), Ok(true));
        assert_eq!(strings.set(5, &"x".repeat(8000)), Ok(false));
        assert_eq!(strings.set(6, &"y".repeat(7997)), Ok(true));
        assert_eq!(strings.set(7, "z"), Err(ConfigstringRefusal::TooLong(7)));
        let before = strings.clone();
        assert_eq!(strings.set(900, ""), Ok(false));
        assert_eq!(strings.set(6, ""), Ok(true));
        assert_ne!(strings, before);
        assert_eq!(strings.get(6), strings.get(900));
        assert_eq!(strings.set(7, "z"), Ok(true));
        assert_eq!(
            strings.set(1024, "z"),
            Err(ConfigstringRefusal::Index(1024))
        );
        assert_eq!(
            strings.iter().map(|(index, _)| index).collect::<Vec<_>>(),
            [5, 7]
        );
    }
}
