//! Splits the text of a command into its tokens.

/// Most tokens of one command; what follows is ignored.
pub const MAX_TOKENS: usize = 1024;

/// A command taken apart; token 0 is its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    tokens: Vec<String>,
}

impl Tokens {
    /// Splits at blanks and control characters, keeps quoted parts together (there are no escapes)
    /// and leaves out `//` and `/* */` comments.
    pub fn new(text: &str) -> Self {
        let mut tokens = Vec::new();
        let mut rest = text;
        while tokens.len() < MAX_TOKENS {
            rest = rest.trim_start_matches(is_blank);
            let Some(first) = rest.chars().next() else {
                break;
            };
            if rest.starts_with("//") {
                break;
            } else if let Some(comment) = rest.strip_prefix("/*") {
                let Some(end) = comment.find("*/") else {
                    break;
                };
                rest = &comment[end + 2..];
            } else if first == '"' {
                let quoted = &rest[1..];
                let (token, after) = quoted.split_once('"').unwrap_or((quoted, ""));
                tokens.push(token.to_owned());
                rest = after;
            } else {
                let (token, after) = rest.split_at(word_len(rest));
                tokens.push(token.to_owned());
                rest = after;
            }
        }
        Self { tokens }
    }

    /// How many tokens there are.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// One token; empty if there are not so many.
    pub fn get(&self, index: usize) -> &str {
        self.tokens.get(index).map_or("", String::as_str)
    }

    /// All tokens from one on, joined by single blanks.
    pub fn rest(&self, from: usize) -> String {
        self.tokens.get(from..).unwrap_or_default().join(" ")
    }

    /// All tokens in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.tokens.iter().map(String::as_str)
    }
}

fn is_blank(c: char) -> bool {
    c <= ' '
}

fn word_len(text: &str) -> usize {
    let is_end = |at: usize, c: char| {
        is_blank(c) || c == '"' || text[at..].starts_with("//") || text[at..].starts_with("/*")
    };
    text.char_indices()
        .find(|&(at, c)| is_end(at, c))
        .map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::Tokens;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(
            Tokens::new(text).iter().collect::<Vec<_>>(),
            expected,
            "{text:?}"
        );
    }

    #[test]
    fn splits_as_the_field_does() {
        check("", &[]);
        check(" cs 5 \"a b\"\n", &["cs", "5", "a b"]);
        check("cp \"", &["cp", ""]);
        check("word\"quoted\"after", &["word", "quoted", "after"]);
        check("a /* b */ c // d", &["a", "c"]);
        check("a/* open", &["a"]);
        check("say\u{19}hello\u{1}", &["say", "hello"]);
        check("\"\" x", &["", "x"]);
        check("http://host", &["http:"]);
    }

    #[test]
    fn rest_joins_with_single_blanks() {
        let tokens = Tokens::new("say  one   \"two  three\"");
        assert_eq!(tokens.rest(1), "one two  three");
        assert_eq!((tokens.rest(9), tokens.get(9)), (String::new(), ""));
    }

    #[test]
    fn there_are_at_most_1024() {
        assert_eq!(Tokens::new(&"x ".repeat(3000)).len(), super::MAX_TOKENS);
    }
}
