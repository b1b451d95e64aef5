//! Scripts: files in the language of Team Arena's menus, word by word, with their includes and defines.

use std::{collections::BTreeMap, sync::Arc};

/// Modules have so many open at once; number 0 is none.
const MAX_OPEN: usize = 63;
/// Includes within includes.
const MAX_DEPTH: usize = 16;
const MAX_DEFINES: usize = 4096;
/// Defines within defines.
const MAX_EXPANSIONS: usize = 1024;
/// Words that defines have become and that wait to be read.
const MAX_AHEAD: usize = 1 << 16;
/// Longest word that a module has room for.
const MAX_WORD: usize = 1023;

/// Signs by their numbers, from 1 on.
const SIGNS: [&str; 52] = [
    ">>=", "<<=", "...", "##", "&&", "||", ">=", "<=", "==", "!=", "*=", "/=", "%=", "+=", "-=",
    "++", "--", "&=", "|=", "^=", ">>", "<<", "->", "::", ".*", "*", "/", "%", "+", "-", "=", "&",
    "|", "^", "~", "!", ">", "<", ".", ",", ";", ":", "?", "(", ")", "{", "}", "[", "]", "\\", "#",
    "$",
];

/// What a word is, by the number that modules know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Kind {
    Text = 1,
    Letter = 2,
    Number = 3,
    Name = 4,
    Sign = 5,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Word {
    pub kind: Kind,
    /// Its length, letter, form of number, or the number of its sign.
    pub subtype: i32,
    pub text: Vec<u8>,
    pub value: f64,
}

/// Reads an included file; `None` if there is none of this name, an error if it is still on its way.
pub type Include<'a, E> = &'a mut dyn FnMut(&str) -> Result<Option<Arc<Vec<u8>>>, E>;

/// The scripts that a module has open.
#[derive(Debug, Default)]
pub struct Scripts {
    open: Vec<Option<Script>>,
    /// What all later scripts begin with.
    defines: BTreeMap<Vec<u8>, Vec<Word>>,
}

#[derive(Debug)]
struct Script {
    texts: Vec<Text>,
    defines: BTreeMap<Vec<u8>, Vec<Word>>,
    /// Words of a define, the next one last.
    ahead: Vec<Word>,
    expansions: usize,
    /// For each open condition whether it holds.
    conditions: Vec<bool>,
}

#[derive(Debug)]
struct Text {
    name: String,
    bytes: Arc<Vec<u8>>,
    at: usize,
    line: i32,
}

impl Scripts {
    /// Opens a script; gives its number, 0 if there are too many.
    pub fn open(&mut self, name: &str, bytes: Arc<Vec<u8>>) -> i32 {
        let free = self.open.iter().position(Option::is_none);
        let index = free.unwrap_or(self.open.len());
        if index >= MAX_OPEN {
            return 0;
        }
        if index == self.open.len() {
            self.open.push(None);
        }
        self.open[index] = Some(Script {
            texts: vec![Text::new(name, bytes)],
            defines: self.defines.clone(),
            ahead: Vec::new(),
            expansions: 0,
            conditions: Vec::new(),
        });
        index as i32 + 1
    }

    pub fn close(&mut self, number: i32) -> bool {
        let slot = index_of(number).and_then(|index| self.open.get_mut(index));
        slot.and_then(Option::take).is_some()
    }

    /// Adds a define to all later scripts: a name, and what stands for it.
    pub fn define(&mut self, text: &str) -> bool {
        let mut text = Text::new("", Arc::new(super::layout::bytes_of(text)));
        let name = text.next_word();
        let words = std::iter::from_fn(|| text.next_word()).collect();
        match name.filter(|name| name.kind == Kind::Name && self.defines.len() < MAX_DEFINES) {
            Some(name) => {
                self.defines.insert(name.text, words);
                true
            }
            None => false,
        }
    }

    /// The file and line that a script is at.
    pub fn place(&self, number: i32) -> Option<(&str, i32)> {
        let script = self.open.get(index_of(number)?)?.as_ref()?;
        let text = script.texts.last()?;
        Some((&text.name, text.line))
    }

    /// The next word of a script; `None` at its end.
    ///
    /// # Errors
    /// If an included file is still on its way.
    pub fn next<E>(&mut self, number: i32, include: Include<'_, E>) -> Result<Option<Word>, E> {
        let script = index_of(number).and_then(|index| self.open.get_mut(index));
        match script.and_then(Option::as_mut) {
            Some(script) => script.next(include),
            None => Ok(None),
        }
    }
}

fn index_of(number: i32) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

impl Script {
    /// Adjacent texts are one.
    fn next<E>(&mut self, include: Include<'_, E>) -> Result<Option<Word>, E> {
        let Some(mut word) = self.next_single(include)? else {
            return Ok(None);
        };
        while word.kind == Kind::Text {
            let Some(next) = self.next_single(include)? else {
                break;
            };
            if next.kind != Kind::Text {
                self.ahead.push(next);
                break;
            }
            word.text.extend(next.text);
            word.text.truncate(MAX_WORD);
            word.subtype = word.text.len() as i32;
        }
        Ok(Some(word))
    }

    fn next_single<E>(&mut self, include: Include<'_, E>) -> Result<Option<Word>, E> {
        loop {
            let is_ahead = !self.ahead.is_empty();
            let Some(word) = self.ahead.pop().or_else(|| self.read_word()) else {
                return Ok(None);
            };
            if !is_ahead && word.text == b"#" && word.kind == Kind::Sign {
                self.obey(include)?;
                continue;
            }
            if self.conditions.contains(&false) {
                continue;
            }
            let defined = self.defines.get(&word.text);
            match defined.filter(|_| word.kind == Kind::Name) {
                Some(words)
                    if self.expansions < MAX_EXPANSIONS
                        && self.ahead.len() + words.len() <= MAX_AHEAD =>
                {
                    self.expansions += 1;
                    self.ahead.extend(words.iter().rev().cloned());
                }
                _ => {
                    if !is_ahead {
                        self.expansions = 0;
                    }
                    return Ok(Some(word));
                }
            }
        }
    }

    fn read_word(&mut self) -> Option<Word> {
        while let Some(text) = self.texts.last_mut() {
            if let Some(word) = text.next_word() {
                return Some(word);
            }
            self.texts.pop();
        }
        None
    }

    /// Does what stands behind a `#`.
    fn obey<E>(&mut self, include: Include<'_, E>) -> Result<(), E> {
        let Some(text) = self.texts.last_mut() else {
            return Ok(());
        };
        let mut line = text.rest_of_line();
        let Some(order) = line.next_word() else {
            return Ok(());
        };
        let is_skipping = self.conditions.contains(&false);
        let mut name = || line.next_word().map(|word| word.text).unwrap_or_default();
        match order.text.as_slice() {
            b"ifdef" | b"ifndef" => {
                let is_defined = self.defines.contains_key(&name());
                self.conditions.push(is_defined == (order.text == b"ifdef"));
            }
            b"else" => {
                if let Some(condition) = self.conditions.last_mut() {
                    *condition = !*condition;
                }
            }
            b"endif" => {
                self.conditions.pop();
            }
            _ if is_skipping => {}
            b"undef" => {
                self.defines.remove(&name());
            }
            b"define" if self.defines.len() < MAX_DEFINES => {
                let name = name();
                let words = std::iter::from_fn(|| line.next_word()).collect();
                self.defines.insert(name, words);
            }
            b"include" => {
                let path = line.included_path();
                if self.texts.len() < MAX_DEPTH
                    && let Some(bytes) = include(&path)?
                {
                    self.texts.push(Text::new(&path, bytes));
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Text {
    fn new(name: &str, bytes: Arc<Vec<u8>>) -> Self {
        Self {
            name: name.to_owned(),
            bytes,
            at: 0,
            line: 1,
        }
    }

    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn is_over(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn step(&mut self) -> u8 {
        let byte = self.peek(0);
        self.line += i32::from(byte == b'\n');
        self.at += 1;
        byte
    }

    /// Up to the end of the line, which a backslash puts off.
    fn rest_of_line(&mut self) -> Text {
        let mut rest = Vec::new();
        while !self.is_over() {
            match self.step() {
                b'\n' => break,
                b'\\' if matches!(self.peek(0), b'\n' | b'\r') => {
                    while matches!(self.peek(0), b'\r') {
                        self.step();
                    }
                    self.step();
                    rest.push(b' ');
                }
                byte => rest.push(byte),
            }
        }
        Text::new(&self.name, Arc::new(rest))
    }

    fn included_path(&mut self) -> String {
        let rest = &self.bytes[self.at.min(self.bytes.len())..];
        let quoted = rest
            .iter()
            .copied()
            .skip_while(|byte| !matches!(byte, b'"' | b'<'));
        let path = quoted
            .skip(1)
            .take_while(|byte| !matches!(byte, b'"' | b'>'));
        path.map(char::from).collect()
    }

    fn skip_blanks(&mut self) {
        while !self.is_over() {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'/') => {
                    while !self.is_over() && self.peek(0) != b'\n' {
                        self.step();
                    }
                }
                (b'/', b'*') => {
                    while !self.is_over() && (self.peek(0), self.peek(1)) != (b'*', b'/') {
                        self.step();
                    }
                    self.at += 2;
                }
                (0..=b' ', _) => {
                    self.step();
                }
                _ => return,
            }
        }
    }

    fn next_word(&mut self) -> Option<Word> {
        self.skip_blanks();
        if self.is_over() {
            return None;
        }
        Some(match self.peek(0) {
            quote @ (b'"' | b'\'') => self.quoted(quote),
            b'0'..=b'9' => self.number(),
            b'.' if self.peek(1).is_ascii_digit() => self.number(),
            letter if letter.is_ascii_alphabetic() || letter == b'_' || letter > 127 => {
                let text = self
                    .take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte > 127);
                Word {
                    kind: Kind::Name,
                    subtype: text.len() as i32,
                    text,
                    value: 0.0,
                }
            }
            _ => self.sign(),
        })
    }

    fn take_while(&mut self, belongs: impl Fn(u8) -> bool) -> Vec<u8> {
        let mut text = Vec::new();
        while !self.is_over() && belongs(self.peek(0)) {
            let byte = self.step();
            if text.len() < MAX_WORD {
                text.push(byte);
            }
        }
        text
    }

    fn quoted(&mut self, quote: u8) -> Word {
        self.step();
        let mut text = Vec::new();
        while !self.is_over() && self.peek(0) != quote {
            let byte = match self.step() {
                b'\\' => match self.step() {
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'r' => b'\r',
                    other => other,
                },
                byte => byte,
            };
            if text.len() < MAX_WORD {
                text.push(byte);
            }
        }
        self.step();
        let (kind, subtype) = match quote {
            b'"' => (Kind::Text, text.len() as i32),
            _ => (Kind::Letter, text.first().copied().map_or(0, i32::from)),
        };
        Word {
            kind,
            subtype,
            text,
            value: 0.0,
        }
    }

    fn number(&mut self) -> Word {
        const DECIMAL: i32 = 8;
        const HEX: i32 = 0x100;
        const FLOAT: i32 = 0x800;
        const INTEGER: i32 = 0x1000;
        let text = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'.');
        let digits = String::from_utf8_lossy(&text).to_ascii_lowercase();
        let (subtype, value) = match digits.strip_prefix("0x") {
            Some(digits) => {
                let value = i64::from_str_radix(digits, 16).unwrap_or(0);
                (HEX | INTEGER, value as f64)
            }
            None => {
                let digits = digits.trim_end_matches(|letter: char| letter.is_alphabetic());
                let form = if digits.contains('.') { FLOAT } else { INTEGER };
                (DECIMAL | form, digits.parse().unwrap_or(0.0))
            }
        };
        Word {
            kind: Kind::Number,
            subtype,
            text,
            value,
        }
    }

    fn sign(&mut self) -> Word {
        let rest = &self.bytes[self.at..];
        let found = SIGNS
            .iter()
            .position(|sign| rest.starts_with(sign.as_bytes()));
        let length = found.map_or(1, |index| SIGNS[index].len());
        let text = rest[..length].to_vec();
        self.at += length;
        Word {
            kind: Kind::Sign,
            subtype: found.map_or(0, |index| index as i32 + 1),
            text,
            value: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        let mut scripts = Scripts::default();
        assert!(scripts.define("EARLY 7") && !scripts.define("7 EARLY"));
        let number = scripts.open("ui/a.menu", Arc::new(text.as_bytes().to_vec()));
        let mut include = |path: &str| {
            let is_there = path == "ui/b.h";
            Ok::<_, ()>(is_there.then(|| Arc::new(b"#define B \"b\" // it\nin".to_vec())))
        };
        let mut words = Vec::new();
        while let Ok(Some(word)) = scripts.next(number, &mut include) {
            let text = String::from_utf8_lossy(&word.text).into_owned();
            words.push(format!("{}:{text}", word.kind as i32));
        }
        assert_eq!(words.join(" "), expected, "{text}");
        assert!(scripts.close(number) && !scripts.close(number));
    }

    #[test]
    fn words_have_their_kinds() {
        check("name 1.5 -0x1F 'c' {", "4:name 3:1.5 5:- 3:0x1F 2:c 5:{");
        check("a>>=b /* c */ // d\ne", "4:a 5:>>= 4:b 4:e");
        check("\"one\" \" two\\n\" x", "1:one two\n 4:x");
        check("\"never closed", "1:never closed");
    }

    #[test]
    fn orders_are_obeyed() {
        check("#include \"ui/b.h\"\nB B", "4:in 1:bb");
        check("#include <missing>\nEARLY", "3:7");
        check("#define X 1 + \\\n 2\nX", "3:1 5:+ 3:2");
        check(
            "#ifdef EARLY\na\n#else\nb\n#endif\n#ifndef EARLY\nc\n#endif",
            "4:a",
        );
        check("#undef EARLY\nEARLY", "4:EARLY");
        check("#define LOOP LOOP LOOP\nx", "4:x");
    }

    #[test]
    fn a_define_of_itself_ends() {
        let mut scripts = Scripts::default();
        let number = scripts.open("a", Arc::new(b"#define X X X\nX".to_vec()));
        let mut none = |_: &str| Ok::<_, ()>(None);
        let mut count = 0;
        while let Ok(Some(_)) = scripts.next(number, &mut none) {
            count += 1;
        }
        assert!(count <= MAX_EXPANSIONS * 2 + 2, "{count}");
    }

    #[test]
    fn numbers_tell_their_value_and_form() {
        let mut text = Text::new("", Arc::new(b"12 1.5f 0x1f".to_vec()));
        let mut next = || text.next_word().map(|word| (word.value, word.subtype));
        assert_eq!(next(), Some((12.0, 0x1008)));
        assert_eq!(next(), Some((1.5, 0x808)));
        assert_eq!(next(), Some((31.0, 0x1100)));
    }
}
