//! Words of a game text with the lines they stand in: quotes kept together, comments left out.

/// Longest token in bytes; the rest of a longer one is dropped.
const MAX_TOKEN: usize = 1023;

/// Walks over a text token by token.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Lexer<'a> {
    /// Starts at the first line.
    pub fn new(text: &'a str) -> Self {
        Self::at(text, 0, 1)
    }

    /// Starts at a byte of the text which stands in this line.
    pub fn at(text: &'a str, at: usize, line: usize) -> Self {
        Self { text, at, line }
    }

    /// Line of the place after the last token, counted from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Byte after the last token.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The next token, in whatever line.
    pub fn token(&mut self) -> Option<&'a str> {
        self.skip_blank();
        let rest = &self.text[self.at..];
        let first = *rest.as_bytes().first()?;
        let (token, used) = if first == b'"' {
            match rest[1..].split_once('"') {
                Some((token, _)) => (token, token.len() + 2),
                None => (&rest[1..], rest.len()),
            }
        } else {
            let end = rest
                .bytes()
                .position(|byte| byte <= b' ')
                .unwrap_or(rest.len());
            (&rest[..end], end)
        };
        self.line += token.bytes().filter(|&byte| byte == b'\n').count();
        self.at += used;
        Some(cut(token))
    }

    /// The next token of this line. `None` if a line break comes first; the next call then
    /// continues behind the break.
    pub fn token_on_line(&mut self) -> Option<&'a str> {
        let line = self.line;
        self.skip_blank();
        if self.line == line {
            self.token()
        } else {
            None
        }
    }

    /// Drops everything up to and including the next line break.
    pub fn skip_line(&mut self) {
        let rest = &self.text[self.at..];
        match rest.find('\n') {
            Some(end) => {
                self.at += end + 1;
                self.line += 1;
            }
            None => self.at = self.text.len(),
        }
    }

    /// Steps behind the `}` that closes `depth` open braces; false if the text ends before.
    pub fn skip_braces(&mut self, mut depth: usize) -> bool {
        loop {
            match self.token() {
                Some("{") => depth += 1,
                Some("}") => depth = depth.saturating_sub(1),
                Some(_) => {}
                None => return false,
            }
            if depth == 0 {
                return true;
            }
        }
    }

    fn skip_blank(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at..) {
                Some([b'\n', ..]) => {
                    self.line += 1;
                    self.at += 1;
                }
                Some([0..=b' ', ..]) => self.at += 1,
                // The break itself is a blank that must be counted.
                Some([b'/', b'/', ..]) => {
                    self.at = self.text[self.at..]
                        .find('\n')
                        .map_or(bytes.len(), |end| self.at + end);
                }
                Some([b'/', b'*', ..]) => {
                    let comment = &self.text[self.at + 2..];
                    let length = comment.find("*/").map_or(comment.len(), |end| end + 2);
                    self.line += comment[..length]
                        .bytes()
                        .filter(|&byte| byte == b'\n')
                        .count();
                    self.at += 2 + length;
                }
                _ => return,
            }
        }
    }
}

/// Bytes of a game text as characters; a NUL ends it.
pub fn text_from_bytes(bytes: &[u8]) -> String {
    bytes
        .iter()
        .take_while(|&&byte| byte != 0)
        .map(|&byte| char::from(byte))
        .collect()
}

/// A number as C's `atof` reads it: the longest valid start of the text, else 0.
pub fn number(text: &str) -> f32 {
    let text = text.trim_start_matches(|c: char| c <= ' ');
    let bytes = text.as_bytes();
    let mut end = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let digits = |from: usize| {
        bytes[from..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count()
    };
    let whole = digits(end);
    end += whole;
    if bytes.get(end) == Some(&b'.') {
        let fraction = digits(end + 1);
        if whole + fraction == 0 {
            return 0.0;
        }
        end += 1 + fraction;
    } else if whole == 0 {
        return 0.0;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits((end + 1 + sign).min(bytes.len()));
        if exponent > 0 {
            end += 1 + sign + exponent;
        }
    }
    let value: f32 = text[..end].parse().unwrap_or(0.0);
    value.clamp(f32::MIN, f32::MAX)
}

fn cut(token: &str) -> &str {
    &token[..token.floor_char_boundary(MAX_TOKEN)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut lexer = Lexer::new(text);
        let mut tokens = Vec::new();
        while let Some(token) = lexer.token() {
            tokens.push(token);
        }
        assert_eq!(tokens, expected, "{text:?}");
    }

    #[test]
    fn splits_into_words_quotes_and_comments() {
        check("a{b ( 1 2 )", &["a{b", "(", "1", "2", ")"]);
        check("\"two words\" x\"y z\"", &["two words", "x\"y", "z\""]);
        check("a // b\nc /* d\n e */ f", &["a", "c", "f"]);
        check("textures//x /*", &["textures//x"]);
        check("\"open", &["open"]);
        check("\"\" //", &[""]);
    }

    #[test]
    fn lines_are_counted_and_respected() {
        let mut lexer = Lexer::new("map a.tga // comment\n blendFunc add\n\n}");
        assert_eq!(lexer.token(), Some("map"));
        assert_eq!(lexer.token_on_line(), Some("a.tga"));
        assert_eq!(lexer.token_on_line(), None);
        assert_eq!(
            (lexer.token_on_line(), lexer.line()),
            (Some("blendFunc"), 2)
        );
        lexer.skip_line();
        assert_eq!((lexer.token(), lexer.line()), (Some("}"), 4));
    }

    #[test]
    fn numbers_are_read_like_atof() {
        let cases = [
            ("1", 1.0),
            ("-.5x", -0.5),
            ("+2.", 2.0),
            ("1e2", 100.0),
            ("1e", 1.0),
            ("1e+", 1.0),
            ("3.5.2", 3.5),
        ];
        for (text, expected) in cases {
            assert_eq!(number(text), expected, "{text}");
        }
        for text in ["", "x", ".", "-", "nan", "inf", "e5"] {
            assert_eq!(number(text), 0.0, "{text}");
        }
        assert_eq!(number("1e99"), f32::MAX);
    }
}
