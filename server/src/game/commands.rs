//! Commands of players: chat, scores, and what the game does not know.

use super::Game;
use crate::{cvars::Cvars, messages::argument};
use shared::base::tokens::Tokens;

/// Longest chat text in characters.
const MAX_CHAT: usize = 149;
/// Separates the name from what is said, for those who filter chat.
const ESCAPE: char = '\u{19}';

impl Game {
    pub(super) fn run_command(&mut self, client: usize, tokens: &Tokens, cvars: &Cvars) {
        match tokens.get(0).to_ascii_lowercase().as_str() {
            "say" | "say_team" => self.say(client, &tokens.rest(1)),
            "tell" => {
                let target = argument(tokens, 1);
                self.say_to(client, target, &tokens.rest(2));
            }
            "score" => self.tell_scores(client),
            "kill" => self.spawn_player(client, cvars),
            name => {
                let text = format!("print \"unknown cmd {}\n\"", name.replace('"', "'"));
                self.tell(client, &text);
            }
        }
    }

    fn say(&mut self, client: usize, text: &str) {
        let (name, text) = (self.name(client).to_owned(), chat_text(text));
        self.tell_all(&format!("chat \"{name}^7{ESCAPE}: ^2{text}\"\n"));
    }

    fn say_to(&mut self, client: usize, target: i32, text: &str) {
        let target = usize::try_from(target).ok();
        let Some(target) = target.filter(|&target| self.player(target).is_some()) else {
            return;
        };
        let (name, text) = (self.name(client).to_owned(), chat_text(text));
        let line = format!("chat \"{ESCAPE}[{name}^7{ESCAPE}]{ESCAPE}: ^6{text}\"\n");
        self.tell(target, &line);
        if target != client {
            self.tell(client, &line);
        }
    }

    /// Lists all players, best first, as clients' scoreboards read them.
    fn tell_scores(&mut self, client: usize) {
        let mut players: Vec<usize> = (0..self.players.len())
            .filter(|&one| self.player(one).is_some())
            .collect();
        players.sort_by_key(|&one| std::cmp::Reverse(self.score(one)));
        let rows: String = players
            .iter()
            .map(|&one| format!(" {one} {} 0 0 0 0 0 0 0 0 0 0 0 0", self.score(one)))
            .collect();
        self.tell(client, &format!("scores {} 0 0{rows}", players.len()));
    }
}

fn chat_text(text: &str) -> String {
    let plain = |c: char| match c {
        '"' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    text.chars().map(plain).take(MAX_CHAT).collect()
}
