//! Passwords of servers: each is sent to the server that it let in before, and to no other.

use super::{Client, PASSWORDS_NAME};
use crate::{output::Request, session::Session};

/// Servers and their passwords, the one used last first.
#[derive(Clone, Debug, Default)]
pub(super) struct Passwords {
    known: Vec<(String, String)>,
    /// What was put into `password` from here; anything else there the player has typed.
    filled_in: String,
    /// The server that the newest connection goes to, until its password is kept.
    pending: Option<String>,
}

/// More are forgotten, the oldest first.
const MAX_KNOWN: usize = 64;
/// A longer one fits into no userinfo.
const MAX_PASSWORD: usize = 128;

impl Passwords {
    /// Lines of a server, a tab and its password.
    pub fn read(text: &str) -> Self {
        let pairs = text.lines().filter_map(|line| line.split_once('\t'));
        let is_usable = |(server, password): &(&str, &str)| {
            super::browsing::is_address(server) && (1..=MAX_PASSWORD).contains(&password.len())
        };
        let known = pairs
            .filter(is_usable)
            .map(|(server, password)| (server.to_owned(), password.to_owned()))
            .take(MAX_KNOWN)
            .collect();
        Self {
            known,
            ..Self::default()
        }
    }

    fn write(&self) -> String {
        let lines = self.known.iter();
        lines
            .map(|(server, password)| format!("{server}\t{password}\n"))
            .collect()
    }

    fn of(&self, server: &str) -> Option<&str> {
        let mut known = self.known.iter();
        let found = known.find(|(name, _)| name.eq_ignore_ascii_case(server));
        found.map(|(_, password)| password.as_str())
    }

    /// Keeps a password; false if it is known already, or cannot be kept.
    fn keep(&mut self, server: &str, password: &str) -> bool {
        let is_plain = !password.contains(['\t', '\n', '\r']) && password.len() <= MAX_PASSWORD;
        let is_usable = super::browsing::is_address(server) && is_plain && !password.is_empty();
        if !is_usable || self.of(server) == Some(password) {
            return false;
        }
        self.known
            .retain(|(name, _)| !name.eq_ignore_ascii_case(server));
        self.known
            .insert(0, (server.to_owned(), password.to_owned()));
        self.known.truncate(MAX_KNOWN);
        true
    }
}

impl Client {
    /// Before a connection: fills in what let the player in before, and takes back what is for another server.
    pub(super) fn use_password(&mut self, server: &str) {
        self.passwords.pending = Some(server.to_owned());
        match self.passwords.of(server).map(str::to_owned) {
            // What the player has just typed is meant.
            _ if self.has_typed_password() => {}
            known => {
                let password = known.unwrap_or_default();
                self.cvars.force("password", &password);
                self.passwords.filled_in = password;
            }
        }
    }

    fn has_typed_password(&self) -> bool {
        let password = self.cvars.text("password");
        !password.is_empty() && password != self.passwords.filled_in
    }

    /// Keeps the password that has let the player in.
    pub(super) fn follow_password(&mut self) {
        let is_on_server =
            |session: &Session| session.is_in_game() && !session.is_demo() && !session.is_own();
        if !self.session.as_ref().is_some_and(is_on_server) {
            return;
        }
        let Some(server) = self.passwords.pending.take() else {
            return;
        };
        let password = self.cvars.text("password").to_owned();
        let wants_one = (self.session.as_ref()).is_some_and(Session::needs_password);
        if wants_one && self.passwords.keep(&server, &password) {
            self.request(Request::Store {
                name: PASSWORDS_NAME.to_owned(),
                text: self.passwords.write(),
            });
        }
        if wants_one {
            // From now on it is this server's, and no other gets it.
            self.passwords.filled_in = password;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_kept_each_for_its_server() {
        let mut passwords =
            Passwords::read("a.example:1\tone\nnonsense\nb;quit\tx\nc.example:2\t\n");
        assert_eq!(passwords.known.len(), 1);
        assert!(passwords.keep("B.example:1", "two words"));
        assert!(!passwords.keep("b.example:1", "two words"));
        assert!(!passwords.keep("b.example:1", "with\ttab"));
        assert!(!passwords.keep("b.example:1", ""));
        let again = Passwords::read(&passwords.write());
        assert_eq!(again.of("b.EXAMPLE:1"), Some("two words"));
        assert_eq!(again.of("a.example:1"), Some("one"));
        for number in 0..100 {
            passwords.keep(&format!("x{number}:1"), "y");
        }
        assert_eq!(passwords.known.len(), MAX_KNOWN);
        assert_eq!(passwords.of("a.example:1"), None);
    }
}
