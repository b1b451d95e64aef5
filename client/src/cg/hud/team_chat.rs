//! What team-mates say, in an area of its own above the status bar.

use super::{
    HudInput,
    canvas::{Anchor, Canvas, WHITE},
};
use crate::scene::text::{Piece, pieces};
use shared::bg::numbers::{persistant, team};
use std::collections::VecDeque;

/// As many lines as the area may have.
const MOST_LINES: usize = 8;
/// Visible letters of a line.
const LINE_LENGTH: usize = 80;

/// The last lines, oldest first, each with the time at which it came.
#[derive(Clone, Debug, Default)]
pub struct TeamChat {
    lines: VecDeque<(String, i32)>,
}

impl TeamChat {
    pub fn add(&mut self, text: &str, now: i32) {
        for line in wrap(text) {
            if self.lines.len() == MOST_LINES {
                self.lines.pop_front();
            }
            self.lines.push_back((line, now));
        }
    }

    pub fn draw(&self, canvas: &mut Canvas, input: &HudInput<'_>) {
        const BOTTOM: f32 = 420.0;
        const TINY: [f32; 2] = [8.0, 8.0];
        let settings = input.settings;
        let most = usize::try_from(settings.team_chat_height).unwrap_or(0);
        let shown: Vec<&str> = self
            .lines
            .iter()
            .rev()
            .take(most)
            .take_while(|(_, since)| input.now - since <= settings.team_chat_time_msec)
            .map(|(line, _)| line.as_str())
            .collect();
        if shown.is_empty() {
            return;
        }
        let color = match input.player.persistant[persistant::TEAM] {
            team::RED => [1.0, 0.0, 0.0, 0.33],
            team::BLUE => [0.0, 0.0, 1.0, 0.33],
            _ => [0.0, 1.0, 0.0, 0.33],
        };
        let height = shown.len() as f32 * TINY[1];
        canvas.fill([0.0, BOTTOM - height, 640.0, height], color, Anchor::Left);
        for (row, line) in shown.into_iter().enumerate() {
            let y = BOTTOM - (row + 1) as f32 * TINY[1];
            canvas.text(8.0, y, line, TINY, WHITE, Anchor::Left);
        }
    }
}

/// Breaks a text at blanks into lines that fit; each goes on in the last color.
fn wrap(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let (mut line, mut length) = (String::new(), 0);
    // Where the line was blank last: how long it was in bytes, and the color there.
    let (mut color, mut blank): (Option<u8>, Option<(usize, Option<u8>)>) = (None, None);
    for piece in pieces(text) {
        match piece {
            Piece::Color(code) => {
                color = Some(code);
                line.push_str(&format!("^{code}"));
                continue;
            }
            Piece::Char(letter) => {
                if letter == ' ' {
                    blank = Some((line.len(), color));
                }
                line.push(letter);
                length += 1;
            }
        }
        if length <= LINE_LENGTH {
            continue;
        }
        let (end, last_color) = blank.take().unwrap_or((line.len(), color));
        let rest = line.split_off(end);
        lines.push(std::mem::take(&mut line));
        if lines.len() == MOST_LINES {
            return lines;
        }
        let rest = rest.trim_start();
        line = last_color.map_or(String::new(), |code| format!("^{code}"));
        line.push_str(rest);
        length = pieces(rest)
            .filter(|piece| matches!(piece, Piece::Char(_)))
            .count();
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_break_at_blanks_and_keep_their_color() {
        assert_eq!(wrap("^5hello"), ["^5hello"]);
        assert_eq!(wrap(""), Vec::<String>::new());
        let text = format!("{} ^5{} end", "a".repeat(60), "b".repeat(30));
        let expected = ["a".repeat(60), format!("^5{} end", "b".repeat(30))];
        assert_eq!(wrap(&text), expected);
        let long = wrap(&"x".repeat(10_000));
        assert_eq!(long.len(), MOST_LINES);
        assert!(long.iter().all(|line| line.len() <= LINE_LENGTH + 1));
    }
}
