//! Actions that one press begins and the next one ends, for players who cannot hold a key.

use super::Client;
use crate::commands;
use shared::base::tokens::Tokens;

/// Actions, and the cvars that make keys switch them.
const ACTIONS: [(&str, &str); 4] = [
    ("movedown", "cl_toggleCrouch"),
    ("speed", "cl_toggleWalk"),
    ("zoom", "cl_toggleZoom"),
    ("scores", "cl_toggleScores"),
];

/// Which of them a press has begun.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Toggles([bool; ACTIONS.len()]);

impl Client {
    /// Carries out what a key does to an action that it switches; false if the line is to run as it is.
    pub(crate) fn run_toggle(&mut self, tokens: &Tokens) -> bool {
        let name = tokens.get(0);
        let is_of_key = !tokens.get(1).is_empty();
        let found = name.get(1..).and_then(|action| {
            (ACTIONS.iter()).position(|(known, _)| known.eq_ignore_ascii_case(action))
        });
        let Some(number) = found.filter(|_| is_of_key) else {
            return false;
        };
        let (action, cvar) = ACTIONS[number];
        let (is_switched, is_on) = (self.cvars.is_on(cvar), self.toggles.0[number]);
        match name.as_bytes()[0] {
            b'+' if is_switched || is_on => {
                self.toggles.0[number] = is_switched && !is_on;
                // Without a key: it holds until it is taken back so.
                let sign = if is_on { '-' } else { '+' };
                commands::execute(self, &format!("{sign}{action}"));
                // Keys that hold again also hold with the press that ends it.
                is_switched
            }
            b'-' => is_switched,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cl::input::Action, client::ClientSetup, event::Event};
    use shared::base::time::ClientTime;

    /// A client after a key was pressed and released so often, with the action held or not after each of both.
    fn held(client: &mut Client, key: u16, presses: usize) -> Vec<bool> {
        let mut held = Vec::new();
        for is_down in [true, false].repeat(presses) {
            let at = client.now;
            let event = Event::Key {
                key,
                is_down,
                is_repeat: false,
                at,
            };
            client.frame(at + 10, vec![event]);
            held.push(client.input.is_held(Action::MoveDown));
        }
        held
    }

    fn run(client: &mut Client, line: &str) {
        let at = client.now + 10;
        client.frame(at, vec![Event::Command(format!("{line}\n"))]);
    }

    #[test]
    fn a_press_begins_and_the_next_one_ends() {
        let mut client = Client::new(ClientSetup::default(), ClientTime(0));
        run(&mut client, "bind c +movedown; bind v +movedown");
        let (c, v) = (u16::from(b'c'), u16::from(b'v'));
        assert_eq!(held(&mut client, c, 2), [true, false, true, false]);
        run(&mut client, "cl_toggleCrouch 1");
        assert_eq!(held(&mut client, c, 2), [true, true, false, false]);
        // Another key of the action ends it as well.
        assert_eq!(held(&mut client, c, 1), [true, true]);
        assert_eq!(held(&mut client, v, 1), [false, false]);
        // Whoever holds again is not held by what was begun before.
        assert_eq!(held(&mut client, c, 1), [true, true]);
        run(&mut client, "cl_toggleCrouch 0");
        assert_eq!(held(&mut client, c, 1), [true, false]);
    }

    #[test]
    fn a_typed_line_holds_as_ever() {
        let mut client = Client::new(ClientSetup::default(), ClientTime(0));
        run(&mut client, "cl_toggleCrouch 1; +movedown");
        assert!(client.input.is_held(Action::MoveDown));
        run(&mut client, "-movedown");
        assert!(!client.input.is_held(Action::MoveDown));
    }
}
