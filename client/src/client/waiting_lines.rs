//! Lines for the game that were given before it runs, such as `+map oa_ctf1 +team red` on the command line.

use super::Client;

/// What waits for the game.
#[derive(Clone, Debug)]
pub(super) struct WaitingLines {
    lines: Vec<String>,
    /// What the program was started with is still being run, so the game may be named later.
    is_starting: bool,
}

/// More than anybody starts the program with.
const MAX_LINES: usize = 64;

impl Default for WaitingLines {
    fn default() -> Self {
        Self {
            lines: Vec::new(),
            is_starting: true,
        }
    }
}

impl Client {
    /// Keeps a line for the game that is about to begin; false if none is.
    pub(super) fn keep_for_the_game(&mut self, line: &str) -> bool {
        let is_wanted = self.waiting_lines.is_starting || self.is_game_coming();
        let fits = self.waiting_lines.lines.len() < MAX_LINES;
        if is_wanted && fits {
            self.waiting_lines.lines.push(line.to_owned());
        }
        is_wanted && fits
    }

    fn is_game_coming(&self) -> bool {
        let is_joining = self.session.as_ref().is_some_and(|one| !one.is_demo());
        is_joining || self.local_server.is_some()
    }

    /// Sends what has waited once the game runs; where none comes, says what was not understood.
    pub(super) fn follow_waiting_lines(&mut self) {
        self.waiting_lines.is_starting &= !self.buffer.is_empty();
        let is_in_game = self.is_in_match();
        let is_lost = !self.waiting_lines.is_starting && !self.is_game_coming();
        if is_in_game || is_lost {
            for line in std::mem::take(&mut self.waiting_lines.lines) {
                let name = line
                    .split_ascii_whitespace()
                    .next()
                    .unwrap_or("")
                    .to_owned();
                self.forward(&name, &line);
            }
        }
    }
}
