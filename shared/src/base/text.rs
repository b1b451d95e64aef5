//! Bytes and characters of game texts: what the wire can carry, color codes, numbers, and what may be shown.

use std::borrow::Cow;

/// A line that begins with it goes to the console alone and is not shown over the game.
pub const SKIP_NOTIFY: &str = "[skipnotify]";

/// What becomes of a byte of a text on the wire, in both directions.
///
/// Percent signs once reached format strings, and bytes above 127 differ between machines.
#[inline]
pub const fn wire_byte(byte: u8) -> u8 {
    if byte > 127 || byte == b'%' {
        b'.'
    } else {
        byte
    }
}

/// A text as the other side will see it.
pub fn wire_text(text: &str) -> String {
    text.bytes()
        .map(|byte| char::from(wire_byte(byte)))
        .collect()
}

/// Letters that the wire does not carry, and how they are spelled with those that it does.
const SPELLINGS: [(&str, &str); 48] = [
    ("ÀÁÂÃÄÅĀĂĄ", "A"),
    ("àáâãäåāăąª", "a"),
    ("Æ", "AE"),
    ("æ", "ae"),
    ("ÇĆĈĊČ", "C"),
    ("çćĉċč", "c"),
    ("ÐĎĐ", "D"),
    ("ðďđ", "d"),
    ("ÈÉÊËĒĔĖĘĚ", "E"),
    ("èéêëēĕėęě", "e"),
    ("ĜĞĠĢ", "G"),
    ("ĝğġģ", "g"),
    ("ĤĦ", "H"),
    ("ĥħ", "h"),
    ("ÌÍÎÏĨĪĬĮİ", "I"),
    ("ìíîïĩīĭįı", "i"),
    ("Ĵ", "J"),
    ("ĵ", "j"),
    ("Ķ", "K"),
    ("ķĸ", "k"),
    ("ĹĻĽĿŁ", "L"),
    ("ĺļľŀł", "l"),
    ("ÑŃŅŇŊ", "N"),
    ("ñńņňŋ", "n"),
    ("ÒÓÔÕÖØŌŎŐ", "O"),
    ("òóôõöøōŏőº", "o"),
    ("Œ", "OE"),
    ("œ", "oe"),
    ("ŔŖŘ", "R"),
    ("ŕŗř", "r"),
    ("ŚŜŞŠȘ", "S"),
    ("śŝşšș", "s"),
    ("ß", "ss"),
    ("ŢŤŦȚ", "T"),
    ("ţťŧț", "t"),
    ("Þ", "Th"),
    ("þ", "th"),
    ("ÙÚÛÜŨŪŬŮŰŲ", "U"),
    ("ùúûüũūŭůűų", "u"),
    ("Ŵ", "W"),
    ("ŵ", "w"),
    ("ÝŶŸ", "Y"),
    ("ýÿŷ", "y"),
    ("ŹŻŽ", "Z"),
    ("źżž", "z"),
    ("‘’‚‹›´", "'"),
    ("“”„«»", "\""),
    ("‐‑‒–—−", "-"),
];

/// A typed text as it can be said to a server and drawn with the field's letters: accents go, what input methods write
/// in full width becomes plain, and what has no spelling is a question mark.
pub fn ascii_spelling(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let mut spelled = String::with_capacity(text.len());
    for letter in text.chars() {
        let known = SPELLINGS
            .iter()
            .find(|(letters, _)| letters.contains(letter));
        match letter {
            _ if letter.is_ascii() => spelled.push(letter),
            // Full-width forms stand in the order of ASCII.
            '\u{ff01}'..='\u{ff5e}' => {
                spelled.push(char::from((u32::from(letter) - 0xff01) as u8 + b'!'));
            }
            '\u{a0}' | '\u{3000}' => spelled.push(' '),
            '…' => spelled.push_str("..."),
            _ => spelled.push_str(known.map_or("?", |(_, spelling)| spelling)),
        }
    }
    Cow::Owned(spelled)
}

/// A text from outside that need not be UTF-8: then each byte is taken as one Latin-1 character.
pub fn from_bytes(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes.iter().copied().map(char::from).collect(),
    }
}

/// The 32-character hash that keys usercmds to the last server command.
pub fn hash(text: &[u8]) -> u32 {
    let sum = text
        .iter()
        .take(32)
        .zip(119..)
        .fold(0, |sum: u32, (&byte, factor)| {
            sum.wrapping_add(u32::from(wire_byte(byte)).wrapping_mul(factor))
        });
    sum ^ sum >> 10 ^ sum >> 20
}

/// A decimal number read as the field reads it: blanks, a sign, digits; what follows is ignored and
/// no digits give 0. Too large a number wraps.
pub fn number(text: &str) -> i32 {
    let text = text.trim_start_matches(|c: char| c <= ' ');
    let (is_negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let size = digits
        .bytes()
        .map_while(|byte| byte.is_ascii_digit().then(|| i32::from(byte - b'0')))
        .fold(0_i32, |size, digit| {
            size.wrapping_mul(10).wrapping_add(digit)
        });
    if is_negative {
        size.wrapping_neg()
    } else {
        size
    }
}

/// The color of text before any color code: white.
pub const DEFAULT_COLOR: u8 = 7;

/// The pieces between color codes, each with its color index 0 to 7; empty pieces are left out.
pub fn color_spans(text: &str) -> impl Iterator<Item = (u8, &str)> {
    let mut rest = text;
    let mut color = DEFAULT_COLOR;
    std::iter::from_fn(move || {
        loop {
            if rest.is_empty() {
                return None;
            }
            let (span, code, after) = split_at_color_code(rest);
            let span_color = color;
            color = code.unwrap_or(color);
            rest = after;
            if !span.is_empty() {
                return Some((span_color, span));
            }
        }
    })
}

/// The text without color codes.
pub fn without_colors(text: &str) -> String {
    color_spans(text).map(|(_, span)| span).collect()
}

/// The text for lists and comparisons: no color codes, nothing but printable ASCII.
pub fn clean(text: &str) -> String {
    without_colors(text)
        .chars()
        .filter(|c| matches!(c, ' '..='~'))
        .collect()
}

/// Whether a terminal, a log or a window's title would obey this character instead of showing it: controls of both
/// tables, and what turns the direction of writing or breaks lines by Unicode's rules.
pub fn is_control(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// A text that a terminal or a log can only show: line breaks and tabs stay, all other controls are left out.
pub fn printable(text: &str) -> Cow<'_, str> {
    without(text, |c| is_control(c) && !matches!(c, '\n' | '\t'))
}

/// The same for one entry of a log: what breaks lines inside it becomes a blank, so that no entry looks like two.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    let breaks = |c| matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if text.contains(breaks) {
        let joined = text.replace(breaks, " ");
        return Cow::Owned(printable(&joined).into_owned());
    }
    printable(text)
}

fn without(text: &str, is_left_out: impl Fn(char) -> bool) -> Cow<'_, str> {
    if text.contains(&is_left_out) {
        Cow::Owned(text.chars().filter(|&c| !is_left_out(c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// JSON text whose strings hold no control in the raw, only as an escape; who reads it gets the same values.
pub fn printable_json(json: &str) -> Cow<'_, str> {
    if !json.contains(is_control) {
        return Cow::Borrowed(json);
    }
    let mut escaped = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        if is_control(c) && !matches!(c, '\n' | '\t' | '\r') {
            for unit in c.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

fn split_at_color_code(text: &str) -> (&str, Option<u8>, &str) {
    let bytes = text.as_bytes();
    let code = bytes
        .windows(2)
        .position(|pair| pair[0] == b'^' && pair[1].is_ascii_alphanumeric());
    match code {
        Some(at) => (
            &text[..at],
            Some(bytes[at + 1].wrapping_sub(b'0') & 7),
            &text[at + 2..],
        ),
        None => (text, None, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_leniently() {
        let read = |text, expected| assert_eq!(number(text), expected, "{text:?}");
        read("", 0);
        read("  -12abc", -12);
        read("+7", 7);
        read("x1", 0);
        read("4294967295", -1);
        read("-2147483648", i32::MIN);
    }

    #[test]
    fn letters_that_the_wire_lacks_are_spelled_with_those_it_has() {
        let spelled = |text, expected| assert_eq!(ascii_spelling(text), expected);
        spelled("plain ^1text", "plain ^1text");
        spelled("Ærøskøbing, Łódź, Straße", "AEroskobing, Lodz, Strasse");
        spelled("“naïve” – ‘él’…", "\"naive\" - 'el'...");
        spelled("ｇｇ　！～", "gg !~");
        spelled("日本", "??");
        for (letters, spelling) in SPELLINGS {
            assert!(spelling.is_ascii() && letters.chars().all(|letter| !letter.is_ascii()));
        }
    }

    #[test]
    fn color_codes_split_text() {
        let spans: Vec<_> = color_spans("^1red^^2green^").collect();
        assert_eq!(spans, [(1, "red^"), (2, "green^")]);
        assert_eq!(
            color_spans("a^xb").collect::<Vec<_>>(),
            [(7, "a"), (0, "b")]
        );
        assert_eq!(clean("^3Sarge\u{19}\u{e9}"), "Sarge");
        assert_eq!(without_colors("^é^"), "^é^");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_is_printable() {
        let hostile = [
            ("\u{1b}]52;c;cXVpdA==\u{7}tail", "]52;c;cXVpdA==tail"),
            ("a\rb\u{8}c\u{7f}", "abc"),
            ("\u{9b}2J one\ttab\n", "2J one\ttab\n"),
            ("exe.\u{202e}gpj\u{2066}x\u{2069}", "exe.gpjx"),
            ("\u{e0041}\u{feff}plain é 日", "plain é 日"),
        ];
        for (text, expected) in hostile {
            assert_eq!(printable(text), expected);
            assert!(!printable_line(text).contains('\n'));
        }
        assert_eq!(printable_line("one\r\ntwo\u{2028}three"), "one  two three");
        for c in (0..=0x2_0000).filter_map(char::from_u32) {
            let is_ours = is_control(c);
            assert!(is_ours || !c.is_control(), "{c:?}");
            assert_eq!(
                printable(&c.to_string()).is_empty(),
                is_ours && !matches!(c, '\n' | '\t')
            );
        }
    }

    #[test]
    fn controls_in_json_are_escapes() {
        let json = "{\"name\":\"a\u{9b}b\u{7f}\u{e0041}é\"}";
        let expected = r#"{"name":"a\u009bb\u007f\udb40\udc41é"}"#;
        assert_eq!(printable_json(json), expected);
        assert_eq!(printable_json(expected), expected);
    }

    #[test]
    fn bytes_become_text_in_one_of_two_ways() {
        assert_eq!(from_bytes("né".as_bytes()), "né");
        assert_eq!(from_bytes(b"n\xe9"), "né");
    }
}
