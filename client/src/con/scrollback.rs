//! What the console has printed: lines with the time of their arrival.

use shared::base::{
    text::{SKIP_NOTIFY, is_control},
    time::ClientTime,
};
use std::collections::VecDeque;

/// Older lines are forgotten.
const MAX_LINES: usize = 2000;
/// A line is broken here at the latest, so that one print cannot fill memory.
const MAX_LINE_BYTES: usize = 1024;

/// One printed line; color codes are still in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsoleLine {
    pub text: String,
    pub at: ClientTime,
    /// Only in the console, not at the top of the screen.
    pub is_quiet: bool,
}

/// The console's memory.
#[derive(Clone, Debug, Default)]
pub struct Scrollback {
    lines: VecDeque<ConsoleLine>,
    is_open: bool,
    total: u64,
    notify_from: u64,
}

impl Scrollback {
    /// Prints text; a line ends at `\n`, and the next print goes on behind an unended one.
    pub fn print(&mut self, at: ClientTime, text: &str) {
        let (text, is_quiet) = match text.strip_prefix(SKIP_NOTIFY) {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        for piece in text.split_inclusive('\n') {
            let ends = piece.ends_with('\n');
            let clean: String = piece.chars().filter(|&c| !is_control(c)).collect();
            self.add(at, &clean, is_quiet);
            self.is_open = !ends;
        }
    }

    /// Newest last.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &ConsoleLine> + ExactSizeIterator {
        self.lines.iter()
    }

    /// How many lines were ever begun; tells a reader where it stopped.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The lines for the top of the screen: younger than `max_age` milliseconds, at most `count`.
    pub fn notify(&self, now: ClientTime, max_age: i32, count: usize) -> Vec<&ConsoleLine> {
        let fresh = usize::try_from(self.total - self.notify_from).unwrap_or(usize::MAX);
        let mut lines: Vec<&ConsoleLine> = self
            .lines
            .iter()
            .rev()
            .take(fresh)
            .filter(|line| !line.is_quiet && now - line.at < max_age)
            .take(count)
            .collect();
        lines.reverse();
        lines
    }

    /// Takes the lines off the top of the screen.
    pub fn clear_notify(&mut self) {
        self.notify_from = self.total;
    }

    pub fn clear(&mut self) {
        self.lines.clear();
        self.is_open = false;
        self.clear_notify();
    }

    fn add(&mut self, at: ClientTime, text: &str, is_quiet: bool) {
        let mut rest = text;
        if self.is_open
            && let Some(last) = self.lines.back_mut()
            && last.text.len() + rest.len() <= MAX_LINE_BYTES
        {
            last.text.push_str(rest);
            return;
        }
        loop {
            let cut = rest.floor_char_boundary(MAX_LINE_BYTES);
            self.lines.push_back(ConsoleLine {
                text: rest[..cut].to_owned(),
                at,
                is_quiet,
            });
            self.total += 1;
            if self.lines.len() > MAX_LINES {
                self.lines.pop_front();
            }
            rest = &rest[cut..];
            if rest.is_empty() {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scrollback: &Scrollback) -> Vec<&str> {
        scrollback.lines().map(|line| line.text.as_str()).collect()
    }

    #[test]
    fn lines_end_where_the_text_says() {
        let mut scrollback = Scrollback::default();
        scrollback.print(ClientTime(0), "a\nb");
        scrollback.print(ClientTime(1), "c\n");
        scrollback.print(ClientTime(2), "\u{19}d\u{1}\n");
        assert_eq!(texts(&scrollback), ["a", "bc", "d"]);
    }

    #[test]
    fn memory_is_bounded() {
        let mut scrollback = Scrollback::default();
        scrollback.print(ClientTime(0), &"x".repeat(5000));
        assert_eq!(scrollback.lines().len(), 5);
        for _ in 0..3000 {
            scrollback.print(ClientTime(0), "y\n");
        }
        assert_eq!(scrollback.lines().len(), MAX_LINES);
    }

    #[test]
    fn notify_shows_young_lines_until_cleared() {
        let mut scrollback = Scrollback::default();
        scrollback.print(ClientTime(0), "old\n");
        scrollback.print(ClientTime(5000), "[skipnotify]quiet\n");
        scrollback.print(ClientTime(5000), "new\n");
        let shown = scrollback.notify(ClientTime(5100), 3000, 3);
        assert_eq!(
            shown.iter().map(|l| l.text.as_str()).collect::<Vec<_>>(),
            ["new"]
        );
        scrollback.clear_notify();
        assert!(scrollback.notify(ClientTime(5100), 3000, 3).is_empty());
    }
}
