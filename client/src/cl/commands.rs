//! What server commands mean to the connection itself.

use shared::base::{text::number, tokens::Tokens};

/// A server command, sorted by who has to act.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    Configstring {
        index: usize,
        text: String,
    },
    /// The level starts again; its words go to the game as well.
    MapRestart(Vec<String>),
    /// The server ends the connection, with its reason.
    Disconnect(String),
    /// Anything else is the game's: its words, the first being the name.
    Game(Vec<String>),
}

/// Sorts server commands and joins configstrings that come in pieces.
#[derive(Clone, Debug, Default)]
pub struct CommandReader {
    /// Index and text so far of a configstring in pieces.
    pieces: Option<(usize, String)>,
}

impl CommandReader {
    /// Sorts the next command; `None` if there is nothing to do (yet).
    pub fn read(&mut self, text: &str) -> Option<Command> {
        let words = Tokens::new(text);
        match words.get(0) {
            "" => None,
            "disconnect" => Some(Command::Disconnect(words.rest(1).trim().to_owned())),
            "cs" => Some(Command::Configstring {
                index: index(&words)?,
                text: words.rest(2),
            }),
            "bcs0" => {
                self.pieces = index(&words).map(|index| (index, String::new()));
                self.add_piece(&words)
            }
            "bcs1" => self.add_piece(&words),
            "bcs2" => {
                self.add_piece(&words);
                let (index, text) = self.pieces.take()?;
                Some(Command::Configstring { index, text })
            }
            // It would make a file on the player's disk.
            "clientLevelShot" => None,
            "map_restart" => Some(Command::MapRestart(owned(&words))),
            _ => Some(Command::Game(owned(&words))),
        }
    }

    fn add_piece(&mut self, words: &Tokens) -> Option<Command> {
        let (started, text) = self.pieces.as_mut()?;
        let piece = words.rest(2);
        let is_another = index(words) != Some(*started);
        if is_another || text.len() + piece.len() > MAX_BIG_CONFIGSTRING {
            self.pieces = None;
            return None;
        }
        text.push_str(&piece);
        None
    }
}

/// Indices below 0 never exist; those above the last one are refused where they are stored.
fn index(words: &Tokens) -> Option<usize> {
    usize::try_from(number(words.get(1))).ok()
}

fn owned(words: &Tokens) -> Vec<String> {
    words.iter().map(str::to_owned).collect()
}

const MAX_BIG_CONFIGSTRING: usize = 8191;

#[cfg(test)]
mod tests {
    use super::*;

    fn check(texts: &[&str], expected: Option<Command>) {
        let mut reader = CommandReader::default();
        let read = texts.iter().filter_map(|text| reader.read(text)).last();
        assert_eq!(read, expected, "{texts:?}");
    }

    fn configstring(index: usize, text: &str) -> Option<Command> {
        Some(Command::Configstring {
            index,
            text: text.to_owned(),
        })
    }

    #[test]
    fn sorts_by_who_has_to_act() {
        check(&["cs 5 \"a b\"\n"], configstring(5, "a b"));
        check(&["cs 5"], configstring(5, ""));
        check(&["cs -1 x"], None);
        check(
            &["disconnect \"was kicked\"\n"],
            Some(Command::Disconnect("was kicked".to_owned())),
        );
        check(&["clientLevelShot"], None);
        check(&[""], None);
        let game = ["quit", "now"].map(str::to_owned).to_vec();
        check(&["quit now"], Some(Command::Game(game)));
    }

    #[test]
    fn pieces_are_joined_whatever_they_hold() {
        let first = "x".repeat(999);
        let joined = format!("{first}//no comment{first}");
        check(
            &[
                &format!("bcs0 7 \"{first}//no\""),
                "print \"between\"",
                &format!("bcs1 7 \" comment{first}\""),
                "bcs2 7 \"\"",
            ],
            configstring(7, &joined),
        );
    }

    #[test]
    fn broken_pieces_are_forgotten() {
        check(&["bcs1 7 a", "bcs2 7 b"], None);
        check(&["bcs0 7 a", "bcs2 8 b"], None);
        check(&["bcs0 -7 a", "bcs2 -7 b"], None);
        let long = "x".repeat(999);
        let mut texts = vec![format!("bcs0 7 {long}")];
        texts.extend((0..8).map(|_| format!("bcs1 7 {long}")));
        texts.push("bcs2 7 end".to_owned());
        check(&texts.iter().map(String::as_str).collect::<Vec<_>>(), None);
    }
}
