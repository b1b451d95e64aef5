//! Skins: which material each surface of a model wears.

use super::lexer::text_from_bytes;

/// More lines than this are ignored, as in the reference.
const MAX_SURFACES: usize = 256;

/// Surface names in lower case with their materials, in the order of the file.
pub fn parse(bytes: &[u8]) -> Vec<(String, String)> {
    let text = text_from_bytes(bytes);
    let mut rest = text.as_str();
    let mut surfaces = Vec::new();
    while surfaces.len() < MAX_SURFACES {
        let Some(surface) = token(&mut rest).filter(|surface| !surface.is_empty()) else {
            break;
        };
        skip_blank(&mut rest);
        rest = rest.strip_prefix(',').unwrap_or(rest);
        // The comma behind a tag's name is followed by nothing.
        if surface.contains("tag_") {
            continue;
        }
        let shader = token(&mut rest).unwrap_or_default();
        surfaces.push((surface.to_ascii_lowercase(), shader.to_owned()));
    }
    surfaces
}

/// The next word; commas end words here.
fn token<'a>(rest: &mut &'a str) -> Option<&'a str> {
    skip_blank(rest);
    let text = *rest;
    if text.is_empty() {
        return None;
    }
    if let Some(quoted) = text.strip_prefix('"') {
        let (token, after) = quoted.split_once('"').unwrap_or((quoted, ""));
        *rest = after;
        return Some(token);
    }
    let end = text
        .find(|c: char| c <= ' ' || c == ',')
        .unwrap_or(text.len());
    *rest = &text[end..];
    Some(&text[..end])
}

fn skip_blank(rest: &mut &str) {
    loop {
        *rest = rest.trim_start_matches(|c: char| c <= ' ');
        let comment_end = if rest.starts_with("//") {
            rest.find('\n')
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map(|end| end + 4)
        } else {
            return;
        };
        *rest = comment_end.map_or("", |end| &rest[end..]);
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let found = parse(text.as_bytes());
        let found: Vec<_> = found
            .iter()
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn pairs_and_tags() {
        check("", &[]);
        check(
            "H_Head,models/a.tga\nl_legs , \"models/b c\"",
            &[("h_head", "models/a.tga"), ("l_legs", "models/b c")],
        );
        check(
            "tag_head,\nu_torso,x // y\n/* z */ tag_weapon,\n",
            &[("u_torso", "x")],
        );
        check("alone", &[("alone", "")]);
        check(",", &[]);
    }
}
