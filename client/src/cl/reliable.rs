//! Reliable commands to the server.
//!
//! Each message repeats what the other side has not acknowledged yet. Servers let only one text
//! command per second reach the game (flood protection), throw a client out that has more than 64
//! outstanding, and scramble with the texts; so commands of the player wait here for their turn.

use shared::{base::time::ClientTime, net::reliable::CommandTexts};
use std::collections::VecDeque;

/// Why a command was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandRefused {
    #[error("an empty command cannot be sent")]
    Empty,
    #[error("the command is longer than {MAX_COMMAND} characters")]
    TooLong,
    #[error("not connected to a server")]
    NotConnected,
    #[error("too many commands wait for the server; this one was not sent")]
    Full,
}

/// How many game commands a server lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloodRule {
    /// So many at once …
    pub burst: u32,
    /// … then one per so many milliseconds. 0 is no limit.
    pub interval_msec: i32,
}

impl FloodRule {
    pub const NONE: Self = Self {
        burst: 1,
        interval_msec: 0,
    };
    /// One per second, and a little more for what the line does to the distance.
    pub const CLASSIC: Self = Self {
        burst: 1,
        interval_msec: 1100,
    };
    pub const QUAKE3E: Self = Self {
        burst: 8,
        interval_msec: 550,
    };
}

/// Commands to the server.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The commands that were given a number; sent, or to be sent with the next message.
    numbered: CommandTexts,
    acknowledged: i32,
    waiting: VecDeque<String>,
    allowance: u32,
    /// When the last command got its number; any kind counts against the game's.
    last_numbered_at: Option<ClientTime>,
}

impl Default for Outgoing {
    fn default() -> Self {
        Self {
            numbered: CommandTexts::new(),
            acknowledged: 0,
            waiting: VecDeque::new(),
            allowance: 1,
            last_numbered_at: None,
        }
    }
}

impl Outgoing {
    /// Goes on with the commands of an earlier run.
    pub fn restored(numbered: CommandTexts, acknowledged: i32) -> Self {
        Self {
            numbered,
            acknowledged,
            ..Self::default()
        }
    }

    /// The newest command that the server has executed.
    pub fn acknowledged(&self) -> i32 {
        self.acknowledged
    }

    /// Adds a command of the engine itself (`userinfo`, `cp`, `nextdl`, …), which no flood
    /// protection holds back.
    ///
    /// # Errors
    /// See [`CommandRefused`]; nothing is sent then.
    pub fn push_engine(&mut self, now: ClientTime, text: &str) -> Result<i32, CommandRefused> {
        let text = checked(text)?;
        if self.outstanding() >= MAX_OUTSTANDING || !self.has_room_for(&text) {
            return Err(CommandRefused::Full);
        }
        Ok(self.number(now, text))
    }

    /// Adds `disconnect`, for which one place more is always left.
    pub fn push_disconnect(&mut self, now: ClientTime) {
        self.waiting.clear();
        self.number(now, "disconnect".to_owned());
    }

    /// Adds a command for the game; it may wait for its turn.
    ///
    /// # Errors
    /// See [`CommandRefused`]; nothing is sent then.
    pub fn push_game(&mut self, text: &str) -> Result<(), CommandRefused> {
        let text = checked(text)?;
        if self.waiting.len() >= MAX_WAITING {
            return Err(CommandRefused::Full);
        }
        // Asking for the scores twice in a row gives the same scores.
        if text != "score" || !self.waiting.contains(&text) {
            self.waiting.push_back(text);
        }
        Ok(())
    }

    /// Lets waiting commands go, as far as the server will take them.
    pub fn release(&mut self, now: ClientTime, rule: FloodRule) {
        while let Some(text) = self.waiting.front() {
            if self.outstanding() >= MAX_ORDINARY || !self.has_room_for(text) {
                return;
            }
            if !self.spend_allowance(now, rule) {
                return;
            }
            if let Some(text) = self.waiting.pop_front() {
                self.number(now, text);
            }
        }
    }

    fn spend_allowance(&mut self, now: ClientTime, rule: FloodRule) -> bool {
        let Some(last) = self.last_numbered_at else {
            self.allowance = rule.burst.saturating_sub(1);
            return true;
        };
        if rule.interval_msec <= 0 {
            return true;
        }
        let earned = (now - last) / rule.interval_msec;
        let allowance = self.allowance.saturating_add(earned.max(0) as u32);
        self.allowance = allowance.min(rule.burst);
        if self.allowance == 0 {
            return false;
        }
        self.allowance -= 1;
        true
    }

    fn number(&mut self, now: ClientTime, text: String) -> i32 {
        self.last_numbered_at = Some(now);
        self.numbered.push(&text)
    }

    /// Takes note of what the server has executed; false if that was never sent.
    #[must_use]
    pub fn acknowledge(&mut self, number: i32) -> bool {
        if number > self.newest_number() {
            return false;
        }
        // A server this far behind has started over; it will not miss the old ones.
        let number = if self.newest_number() - number > 64 {
            self.newest_number()
        } else {
            number
        };
        self.acknowledged = self.acknowledged.max(number);
        true
    }

    /// What every message must repeat, in order.
    pub fn unacknowledged(&self) -> impl Iterator<Item = (i32, &str)> {
        self.numbered.after(self.acknowledged)
    }

    /// The texts by number, as the keys of scrambling.
    pub fn texts(&self) -> &CommandTexts {
        &self.numbered
    }

    pub fn newest_number(&self) -> i32 {
        self.numbered.newest()
    }

    pub fn outstanding(&self) -> usize {
        usize::try_from(self.newest_number() - self.acknowledged).unwrap_or(0)
    }

    fn has_room_for(&self, text: &str) -> bool {
        let size: usize = self.unacknowledged().map(|(_, text)| text.len() + 1).sum();
        size + text.len() < MAX_OUTSTANDING_CHARS
    }
}

fn checked(text: &str) -> Result<String, CommandRefused> {
    // Line ends would start another command on some servers.
    let is_bad = |c: char| c.is_control() && c != '\u{19}';
    let text = text.trim_end_matches(is_bad).replace(is_bad, " ");
    if text.trim().is_empty() {
        return Err(CommandRefused::Empty);
    }
    if text.len() > MAX_COMMAND {
        return Err(CommandRefused::TooLong);
    }
    Ok(text)
}

/// Longest command that every server takes.
pub const MAX_COMMAND: usize = 1022;
/// Servers drop a client above 64; one place is for `disconnect`.
const MAX_OUTSTANDING: usize = 60;
/// The player's own commands leave room for those of the engine.
const MAX_ORDINARY: usize = 32;
/// Keeps the message below 16,384 bytes whatever the texts are.
const MAX_OUTSTANDING_CHARS: usize = 8000;
const MAX_WAITING: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn released(commands: &mut Outgoing, now: i32, rule: FloodRule) -> i32 {
        commands.release(ClientTime(now), rule);
        commands.newest_number()
    }

    #[test]
    fn chat_is_spaced_and_kept_in_order() {
        let mut commands = Outgoing::default();
        for text in ["say a", "say b", "say c"] {
            assert_eq!(commands.push_game(text), Ok(()));
        }
        assert_eq!(released(&mut commands, 0, FloodRule::CLASSIC), 1);
        assert_eq!(released(&mut commands, 1099, FloodRule::CLASSIC), 1);
        assert_eq!(released(&mut commands, 1100, FloodRule::CLASSIC), 2);
        assert_eq!(released(&mut commands, 1101, FloodRule::NONE), 3);
        assert_eq!(
            commands.unacknowledged().collect::<Vec<_>>(),
            [(1, "say a"), (2, "say b"), (3, "say c")]
        );
        assert!(commands.acknowledge(2));
        assert_eq!(
            commands.unacknowledged().collect::<Vec<_>>(),
            [(3, "say c")]
        );
        assert!(!commands.acknowledge(4));
        assert!(commands.acknowledge(1));
        assert_eq!(commands.outstanding(), 1);
    }

    #[test]
    fn a_burst_is_used_up_first() {
        let mut commands = Outgoing::default();
        for number in 0..12 {
            assert_eq!(commands.push_game(&format!("say {number}")), Ok(()));
        }
        assert_eq!(released(&mut commands, 0, FloodRule::QUAKE3E), 8);
        assert_eq!(released(&mut commands, 550, FloodRule::QUAKE3E), 9);
    }

    #[test]
    fn engine_words_hold_chat_back_but_do_not_wait() {
        let mut commands = Outgoing::default();
        assert_eq!(commands.push_engine(ClientTime(0), "cp 1 2 3"), Ok(1));
        assert_eq!(commands.push_game("say a"), Ok(()));
        assert_eq!(commands.push_engine(ClientTime(5), "nextdl 0"), Ok(2));
    }

    #[test]
    fn never_more_outstanding_than_a_server_takes() {
        let mut commands = Outgoing::default();
        for number in 0..MAX_WAITING {
            assert_eq!(commands.push_game(&format!("say {number}")), Ok(()));
        }
        assert_eq!(commands.push_game("say"), Err(CommandRefused::Full));
        assert_eq!(released(&mut commands, 0, FloodRule::NONE), 32);
        for _ in 32..60 {
            assert!(commands.push_engine(ClientTime(0), "vdr").is_ok());
        }
        assert_eq!(
            commands.push_engine(ClientTime(0), "vdr"),
            Err(CommandRefused::Full)
        );
        commands.push_disconnect(ClientTime(0));
        assert_eq!(commands.outstanding(), 61);
        // A number far behind means that the server does not wait for any of them.
        assert!(commands.acknowledge(0));
        assert_eq!(commands.outstanding(), 61);
    }

    #[test]
    fn texts_are_what_the_wire_can_carry() {
        let mut commands = Outgoing::default();
        assert_eq!(commands.push_game("  "), Err(CommandRefused::Empty));
        assert_eq!(
            commands.push_game(&"x".repeat(1023)),
            Err(CommandRefused::TooLong)
        );
        assert_eq!(commands.push_engine(ClientTime(0), "say 50%\nquit"), Ok(1));
        assert_eq!(commands.texts().get(1), "say 50. quit");
    }
}
