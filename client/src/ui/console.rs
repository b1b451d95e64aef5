//! The console: slides down, shows what was printed, takes a line.

use crate::{
    con::{
        edit::{EditField, History},
        keys,
        scrollback::Scrollback,
    },
    scene::{
        Draw2d,
        text::{Charset, TextStyle, visible_len},
    },
};

/// Keys that change what other keys mean.
#[derive(Clone, Copy, Debug, Default)]
pub struct Modifiers {
    pub ctrl: bool,
    pub shift: bool,
}

/// What a key did to the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsoleKey {
    Handled,
    /// The line is done.
    Enter(String),
    /// The player asks how the line goes on.
    Complete,
    Clear,
    Ignored,
}

/// The state of the console on the screen.
#[derive(Clone, Debug, Default)]
pub struct Console {
    pub edit: EditField,
    pub history: History,
    is_open: bool,
    /// How much of the screen it covers now, 0 to 1.
    height: f32,
    /// Lines scrolled back from the newest.
    scrolled: usize,
}

const LINES_PER_STEP: usize = 2;
const LINES_PER_LEAP: usize = 6;

impl Console {
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    pub fn is_visible(&self) -> bool {
        self.height > 0.0
    }

    pub fn toggle(&mut self, clears_line: bool) {
        self.set_open(!self.is_open, clears_line);
    }

    pub fn set_open(&mut self, is_open: bool, clears_line: bool) {
        if clears_line && is_open != self.is_open {
            self.edit.set("");
        }
        self.is_open = is_open;
        self.scrolled = 0;
    }

    /// Slides towards its place: `full` while nothing is behind it, else half the screen.
    pub fn slide(&mut self, frame_msec: i32, speed: f32, is_full: bool) {
        let target = match (self.is_open, is_full) {
            (false, _) => 0.0,
            (true, true) => 1.0,
            (true, false) => 0.5,
        };
        let step = speed * frame_msec as f32 / 1000.0;
        self.height += (target - self.height).clamp(-step, step);
    }

    pub fn handle_char(&mut self, c: char) {
        self.edit.insert_text(c.encode_utf8(&mut [0; 4]));
    }

    pub fn handle_key(&mut self, key: u16, modifiers: Modifiers) -> ConsoleKey {
        let line_step = if modifiers.ctrl {
            LINES_PER_LEAP
        } else {
            LINES_PER_STEP
        };
        match key {
            keys::ENTER | keys::KP_ENTER => {
                let line = self.edit.take();
                if !line.is_empty() {
                    self.history.push(&line);
                }
                self.scrolled = 0;
                return ConsoleKey::Enter(line);
            }
            keys::TAB => return ConsoleKey::Complete,
            keys::MWHEELUP if modifiers.shift => self.recall_previous(),
            keys::MWHEELDOWN if modifiers.shift => self.recall_next(),
            keys::PGUP | keys::MWHEELUP => self.scrolled += line_step,
            keys::PGDN | keys::MWHEELDOWN => {
                self.scrolled = self.scrolled.saturating_sub(line_step)
            }
            keys::HOME if modifiers.ctrl => self.scrolled = usize::MAX / 2,
            keys::END if modifiers.ctrl => self.scrolled = 0,
            keys::UPARROW | keys::KP_UPARROW => self.recall_previous(),
            keys::DOWNARROW | keys::KP_DOWNARROW => self.recall_next(),
            _ if modifiers.ctrl && key == u16::from(b'l') => return ConsoleKey::Clear,
            _ if modifiers.ctrl && key == u16::from(b'p') => self.recall_previous(),
            _ if modifiers.ctrl && key == u16::from(b'n') => self.recall_next(),
            _ => return handle_edit_key(&mut self.edit, key, modifiers),
        }
        ConsoleKey::Handled
    }

    fn recall_previous(&mut self) {
        if let Some(line) = self.history.previous() {
            let line = line.to_owned();
            self.edit.set(&line);
        }
    }

    fn recall_next(&mut self) {
        let line = self.history.next_line().to_owned();
        self.edit.set(&line);
    }

    /// Draws the console over the top of a frame of `screen` pixels.
    pub fn draw(&mut self, out: &mut Vec<Draw2d>, look: ConsoleLook, scrollback: &Scrollback) {
        if self.height <= 0.0 {
            return;
        }
        let [width, screen_height] = look.screen;
        let bottom = (self.height * screen_height).round();
        let charset = look.charset;
        charset.fill(out, [0.0, 0.0, width, bottom], [0.02, 0.02, 0.05, 0.88]);
        charset.fill(out, [0.0, bottom - 2.0, width, 2.0], [1.0, 0.0, 0.0, 1.0]);

        let size = [8.0 * look.scale, 16.0 * look.scale];
        let style = TextStyle {
            size,
            color: [1.0; 4],
            has_shadow: false,
            ignores_codes: false,
        };
        let red = TextStyle {
            color: [1.0, 0.2, 0.2, 1.0],
            ..style
        };
        let version = concat!("strafe ", env!("CARGO_PKG_VERSION"));
        let version_x = width - size[0] * (version.len() as f32 + 1.0);
        charset.line(out, version_x, bottom - 1.5 * size[1], version, red);

        let columns = ((width / size[0]) as usize).saturating_sub(2).max(8);
        let mut y = bottom - 2.5 * size[1];
        self.draw_input(out, [size[0], y], columns, style, look);
        y -= 1.25 * size[1];
        self.scrolled = self
            .scrolled
            .min(scrollback.lines().len().saturating_sub(1));
        if self.scrolled > 0 {
            let marks = "   ^".repeat(columns / 4);
            charset.line(out, size[0], y, &marks, red);
            y -= size[1];
        }
        for line in scrollback.lines().rev().skip(self.scrolled) {
            for row in wrap(&line.text, columns).iter().rev() {
                charset.line(out, size[0], y, row, style);
                y -= size[1];
            }
            if y < -size[1] {
                break;
            }
        }
    }

    fn draw_input(
        &self,
        out: &mut Vec<Draw2d>,
        [x, y]: [f32; 2],
        columns: usize,
        style: TextStyle,
        look: ConsoleLook,
    ) {
        let cursor = self.edit.text()[..self.edit.cursor()].chars().count();
        let skipped = cursor.saturating_sub(columns.saturating_sub(3));
        let text = self.edit.text().chars().skip(skipped);
        let shown = std::iter::once(']').chain(text.take(columns - 2));
        let plain = TextStyle {
            ignores_codes: true,
            ..style
        };
        // Codes are shown as typed, so the caret and its letter both stand there.
        let mut at = x;
        for c in shown {
            let mut letter = [0; 4];
            let letter = c.encode_utf8(&mut letter);
            at = look.charset.line(out, at, y, letter, plain);
        }
        if look.cursor_is_on {
            let left = x + style.size[0] * (cursor - skipped + 1) as f32;
            let [width, height] = style.size;
            let rect = [left, y + height * 0.8, width, height * 0.15];
            look.charset.fill(out, rect, [1.0; 4]);
        }
    }
}

/// How the console is to be drawn in this frame.
#[derive(Clone, Copy, Debug)]
pub struct ConsoleLook {
    pub charset: Charset,
    pub screen: [f32; 2],
    pub scale: f32,
    pub cursor_is_on: bool,
}

/// Keys that any line of text understands.
pub fn handle_edit_key(edit: &mut EditField, key: u16, modifiers: Modifiers) -> ConsoleKey {
    match key {
        keys::LEFTARROW | keys::KP_LEFTARROW if modifiers.ctrl => edit.word_left(),
        keys::RIGHTARROW | keys::KP_RIGHTARROW if modifiers.ctrl => edit.word_right(),
        keys::LEFTARROW | keys::KP_LEFTARROW => edit.left(),
        keys::RIGHTARROW | keys::KP_RIGHTARROW => edit.right(),
        keys::HOME | keys::KP_HOME => edit.home(),
        keys::END | keys::KP_END => edit.end(),
        keys::BACKSPACE => edit.backspace(),
        keys::DEL | keys::KP_DEL => edit.delete(),
        keys::INS | keys::KP_INS => edit.toggle_overstrike(),
        _ if modifiers.ctrl && key == u16::from(b'a') => edit.home(),
        _ if modifiers.ctrl && key == u16::from(b'e') => edit.end(),
        _ if modifiers.ctrl && key == u16::from(b'h') => edit.backspace(),
        _ if modifiers.ctrl && key == u16::from(b'c') => edit.set(""),
        _ => return ConsoleKey::Ignored,
    }
    ConsoleKey::Handled
}

/// Breaks a line at words so that each row has at most `columns` visible characters; a color
/// goes on in the next row.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let mut row = String::new();
    let mut color = String::new();
    for word in text.split_inclusive(' ') {
        let word_len = visible_len(word.trim_end());
        if visible_len(&row) + word_len > columns && visible_len(&row) > 0 {
            rows.push(std::mem::replace(&mut row, color.clone()));
        }
        let mut chars = word.chars().peekable();
        while let Some(c) = chars.next() {
            if visible_len(&row) >= columns && c != ' ' {
                rows.push(std::mem::replace(&mut row, color.clone()));
            }
            row.push(c);
            if c == '^'
                && let Some(code) = chars.next_if(char::is_ascii_alphanumeric)
            {
                row.push(code);
                color = format!("^{code}");
            }
        }
    }
    rows.push(row);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_wrap_at_words_and_keep_their_color() {
        assert_eq!(wrap("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrap("^1red words go on", 9), ["^1red words ", "^1go on"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn enter_gives_the_line_and_history_brings_it_back() {
        let mut console = Console::default();
        let none = Modifiers::default();
        "/map x".chars().for_each(|c| console.handle_char(c));
        assert_eq!(
            console.handle_key(keys::ENTER, none),
            ConsoleKey::Enter("/map x".into())
        );
        assert_eq!(console.edit.text(), "");
        console.handle_key(keys::UPARROW, none);
        assert_eq!(console.edit.text(), "/map x");
        console.handle_key(keys::DOWNARROW, none);
        assert_eq!(console.edit.text(), "");
        assert_eq!(console.handle_key(keys::TAB, none), ConsoleKey::Complete);
        assert_eq!(console.handle_key(keys::F1, none), ConsoleKey::Ignored);
    }

    #[test]
    fn it_slides_to_half_and_back() {
        let mut console = Console::default();
        console.toggle(true);
        console.slide(100, 3.0, false);
        assert!((console.height - 0.3).abs() < 1e-6);
        console.slide(1000, 3.0, false);
        assert_eq!(console.height, 0.5);
        console.toggle(true);
        console.slide(1000, 3.0, false);
        assert!(!console.is_visible());
    }
}
