//! Info strings: `\key\value` pairs in one text.

use std::fmt;

/// Longest userinfo or serverinfo in characters.
pub const MAX_INFO: usize = 1023;
/// Longest systeminfo and the like.
pub const MAX_BIG_INFO: usize = 8191;

/// The pairs of an info string in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Info {
    pairs: Vec<(String, String)>,
}

/// Why a pair cannot be part of an info string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InfoError {
    /// A character that cannot stand in a key or value.
    #[error("an info string cannot hold a backslash, semicolon, quote or control character")]
    Character,
    /// A key without characters.
    #[error("an info string cannot have an empty key")]
    EmptyKey,
    /// The text would pass its limit.
    #[error("the info string would be longer than {limit} characters")]
    TooLong {
        /// Most characters of the text.
        limit: usize,
    },
}

impl Info {
    /// No pairs.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads any text: it ends at an empty key, and a key without a value is left out.
    pub fn parse(text: &str) -> Self {
        let mut parts = text.strip_prefix('\\').unwrap_or(text).split('\\');
        let mut pairs = Vec::new();
        while let (Some(key), Some(value)) = (parts.next(), parts.next()) {
            if key.is_empty() {
                break;
            }
            pairs.push((key.to_owned(), value.to_owned()));
        }
        Self { pairs }
    }

    /// The value of a key, compared without case; empty if there is none. The first match wins.
    pub fn get(&self, key: &str) -> &str {
        self.pairs
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(key))
            .map_or("", |(_, value)| value)
    }

    /// The value of a key as a number, 0 if there is none.
    pub fn number(&self, key: &str) -> i32 {
        super::text::number(self.get(key))
    }

    /// Adds or replaces a pair if the whole then has at most `limit` characters; an empty value
    /// removes the key.
    ///
    /// # Errors
    /// A character or key cannot stand in an info string, or it would become too long; nothing changes.
    pub fn set(&mut self, key: &str, value: &str, limit: usize) -> Result<(), InfoError> {
        let is_forbidden = |c: char| matches!(c, '\\' | ';' | '"') || c < ' ';
        if key.contains(is_forbidden) || value.contains(is_forbidden) {
            return Err(InfoError::Character);
        }
        if key.is_empty() {
            return Err(InfoError::EmptyKey);
        }
        let is_other = |(name, _): &(String, String)| !name.eq_ignore_ascii_case(key);
        let others: usize = self
            .pairs
            .iter()
            .filter(|pair| is_other(pair))
            .map(pair_len)
            .sum();
        if !value.is_empty() && others + key.len() + value.len() + 2 > limit {
            return Err(InfoError::TooLong { limit });
        }
        self.pairs.retain(is_other);
        if !value.is_empty() {
            self.pairs.push((key.to_owned(), value.to_owned()));
        }
        Ok(())
    }

    /// All pairs in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        self.pairs
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

fn pair_len((key, value): &(String, String)) -> usize {
    key.len() + value.len() + 2
}

impl fmt::Display for Info {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter()
            .try_for_each(|(key, value)| write!(out, "\\{key}\\{value}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_leniently() {
        let info = Info::parse("\\Name\\Sarge\\sv_paks\\\\name\\second\\odd");
        assert_eq!(info.get("NAME"), "Sarge");
        assert_eq!(info.get("sv_paks"), "");
        assert_eq!(info.iter().count(), 3);
        assert_eq!(Info::parse("a\\1").number("a"), 1);
        assert_eq!(Info::parse("\\a\\1\\\\b\\c\\2").iter().count(), 1);
        assert_eq!(Info::parse("").iter().count(), 0);
    }

    #[test]
    fn refuses_what_would_break_it() {
        let mut info = Info::parse("\\name\\a");
        for (key, value) in [("a;b", "1"), ("a", "x\\y"), ("a", "\""), ("a", "1\n2")] {
            assert_eq!(info.set(key, value, MAX_INFO), Err(InfoError::Character));
        }
        assert_eq!(info.set("", "1", MAX_INFO), Err(InfoError::EmptyKey));
        let long = "x".repeat(MAX_INFO);
        assert_eq!(
            info.set("name", &long, MAX_INFO),
            Err(InfoError::TooLong { limit: MAX_INFO })
        );
        assert_eq!(info.to_string(), "\\name\\a");
        assert_eq!(info.set("NAME", "b", MAX_INFO), Ok(()));
        assert_eq!(info.to_string(), "\\NAME\\b");
        assert_eq!(info.set("name", "", MAX_INFO), Ok(()));
        assert_eq!(info.to_string(), "");
    }
}
