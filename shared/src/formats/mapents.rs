//! The entity text of a map as entities with keys and values.

use crate::base::error::DecodeError;
use glam::Vec3;

/// One `{ "key" "value" … }` block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MapEntity {
    /// Keys and values in the order of the text; keys may repeat.
    pub pairs: Vec<(String, String)>,
}

impl MapEntity {
    /// The first value of a key; keys match in any case.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.pairs
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(key))
            .map(|(_, value)| value.as_str())
    }

    /// A value of three numbers.
    pub fn vector(&self, key: &str) -> Option<Vec3> {
        let mut numbers = self.get(key)?.split_ascii_whitespace();
        let mut next = || {
            numbers
                .next()?
                .parse::<f32>()
                .ok()
                .filter(|n| n.is_finite())
        };
        Some(Vec3::new(next()?, next()?, next()?))
    }
}

/// Takes the entity text apart; the first entity is the `worldspawn`.
///
/// # Errors
/// Names the byte of the text at which a brace is missing or misplaced.
pub fn parse(text: &str) -> Result<Vec<MapEntity>, DecodeError> {
    let mut tokens = Tokens { text, at: 0 };
    let mut entities = Vec::new();
    while let Some(token) = tokens.next() {
        if token != "{" {
            return Err(tokens.error(format!("found {token:?} where an entity begins with {{")));
        }
        let mut entity = MapEntity::default();
        loop {
            let Some(key) = tokens.next() else {
                return Err(tokens.error("the text ends inside an entity".into()));
            };
            if key == "}" {
                break;
            }
            let Some(value) = tokens.next() else {
                return Err(tokens.error(format!("the key {key:?} has no value")));
            };
            entity.pairs.push((key.to_owned(), value.to_owned()));
        }
        entities.push(entity);
    }
    Ok(entities)
}

/// Words and quoted texts between white space and comments.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<&'a str> {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start_matches(|c: char| c <= ' ');
            self.at += rest.len() - trimmed.len();
            let skipped = if trimmed.starts_with("//") {
                trimmed.find('\n').unwrap_or(trimmed.len())
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                comment.find("*/").map_or(trimmed.len(), |end| end + 4)
            } else if let Some(quoted) = trimmed.strip_prefix('"') {
                let end = quoted.find('"').unwrap_or(quoted.len());
                self.at += (end + 2).min(trimmed.len());
                return Some(&quoted[..end]);
            } else if trimmed.is_empty() {
                return None;
            } else {
                let end = trimmed.find(|c: char| c <= ' ').unwrap_or(trimmed.len());
                self.at += end;
                return Some(&trimmed[..end]);
            };
            self.at += skipped;
        }
    }

    fn error(&self, problem: String) -> DecodeError {
        DecodeError::new("entity text", self.at, problem)
    }
}

#[cfg(test)]
mod tests {
    use super::parse;
    use glam::Vec3;

    #[test]
    fn entities_have_keys_and_values() {
        let text = "// map\n{\n\"classname\" \"worldspawn\"\n}\n{ \"Origin\" \"1 -2 3.5\" /* here */ \"a\" \"\" }\n";
        let entities = parse(text).unwrap();
        assert_eq!(entities.len(), 2);
        assert_eq!(entities[0].get("classname"), Some("worldspawn"));
        assert_eq!(
            entities[1].vector("origin"),
            Some(Vec3::new(1.0, -2.0, 3.5))
        );
        assert_eq!(entities[1].get("a"), Some(""));
        assert_eq!(entities[1].get("b"), None);
    }

    #[test]
    fn broken_texts_are_errors() {
        for text in [
            "x",
            "{",
            "{ \"key\"",
            "{ \"key\" \"value\"",
            "{ } }",
            "{ /*",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
