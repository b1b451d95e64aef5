//! Commands of players: chat, scores, teams, and what the game does not know.

use super::{
    Game,
    combat::{Hit, means_of_death},
};
use crate::messages::argument;
use shared::{
    base::{text::clean, tokens::Tokens},
    bg::numbers::team,
};

/// Longest chat text in characters.
const MAX_CHAT: usize = 149;
/// Separates the name from what is said, for those who filter chat.
const ESCAPE: char = '\u{19}';
/// Orders that one team mate gives another.
const ORDERS: [&str; 7] = [
    "hold your position",
    "hold this position",
    "come here",
    "cover me",
    "guard location",
    "search and destroy",
    "report",
];

impl Game {
    pub(super) fn run_command(&mut self, client: usize, tokens: &Tokens) {
        let word = tokens.get(0).to_ascii_lowercase();
        if self.player(client).is_none() {
            return;
        }
        match word.as_str() {
            "say" => return self.say(client, &tokens.rest(1)),
            "say_team" => return self.say_to_team(client, &tokens.rest(1)),
            "tell" => return self.say_to(client, argument(tokens, 1), &tokens.rest(2)),
            "score" => return self.tell_scores(client),
            // Between matches everything else is talk.
            _ if self.intermission_at.is_some() => return self.say(client, &tokens.rest(0)),
            _ => {}
        }
        match word.as_str() {
            "give" | "god" | "notarget" | "noclip" | "setviewpos" => self.cheat(client, tokens),
            "kill" => self.command_kill(client),
            "team" => self.command_team(client, tokens.get(1)),
            "follow" => self.command_follow(client, tokens.get(1)),
            "follownext" => self.command_follow_next(client, 1),
            "followprev" => self.command_follow_next(client, -1),
            "callvote" => self.call_vote(client, tokens),
            "vote" => self.cast_vote(client, tokens.get(1)),
            "callteamvote" => self.call_team_vote(client, tokens),
            "teamvote" => self.cast_team_vote(client, tokens.get(1)),
            "gc" => self.give_order(client, argument(tokens, 1), argument(tokens, 2)),
            "where" => {
                let origin = self.world.entities[client].state.origin;
                let text = format!("print \"({} {} {})\n\"", origin.x, origin.y, origin.z);
                self.tell(client, &text);
            }
            // Nothing to tell or to do in the base game.
            "stats" | "teamtask" | "levelshot" | "notready" | "ready" => {}
            name => {
                let text = format!("print \"unknown cmd {}\n\"", name.replace('"', "'"));
                self.tell(client, &text);
            }
        }
    }

    fn command_kill(&mut self, client: usize) {
        let player = &self.players[client];
        if player.is_spectator() || player.health() <= 0 {
            return;
        }
        self.kill(client, &Hit::by(client, 100_000, means_of_death::SUICIDE));
    }

    fn command_follow_next(&mut self, client: usize, step: isize) {
        if !self.players[client].is_spectator() {
            self.set_team(client, "spectator");
        }
        self.follow_next(client, step);
    }

    /// The client of a number or name; who asks is told if there is none.
    pub(super) fn find_client(&mut self, asking: usize, word: &str) -> Option<usize> {
        let by_number = word
            .parse()
            .ok()
            .filter(|&client: &usize| self.player(client).is_some());
        let wanted = clean(word);
        let by_name = || {
            let is_named = |&client: &usize| {
                let name = clean(self.name(client));
                self.player(client).is_some() && name.eq_ignore_ascii_case(&wanted)
            };
            (0..self.players.len()).find(is_named)
        };
        let found = by_number.or_else(by_name);
        if found.is_none() {
            let text = format!("print \"User {} is not on the server\n\"", plain(word));
            self.tell(asking, &text);
        }
        found
    }

    /// Whether what one says is for another: who plays a tournament does not hear those who watch.
    fn hears(&self, listener: usize, speaker: usize) -> bool {
        let watches = |at: usize| self.players[at].is_spectator();
        self.player(listener).is_some()
            && !(self.settings.is_tournament() && !watches(listener) && watches(speaker))
    }

    fn say(&mut self, client: usize, text: &str) {
        let (name, text) = (self.name(client).to_owned(), plain(text));
        let line = format!("chat \"{name}^7{ESCAPE}: ^2{text}\"\n");
        self.print(format!("say: {name}: {text}"));
        if !self.settings.is_tournament() {
            return self.tell_all(&line);
        }
        for listener in 0..self.players.len() {
            if self.hears(listener, client) {
                self.tell(listener, &line);
            }
        }
    }

    /// The place of a player, as it stands in a message.
    fn place_text(&self, client: usize) -> String {
        match self.location_of(client) {
            Some(at) => format!(" ({}^7){ESCAPE}", self.gentities[at].keys.message),
            None => String::new(),
        }
    }

    fn say_to_team(&mut self, client: usize, text: &str) {
        if !self.settings.is_team_game() {
            return self.say(client, text);
        }
        let (name, text) = (self.name(client).to_owned(), plain(text));
        let place = self.place_text(client);
        let line = format!("tchat \"{ESCAPE}({name}^7{ESCAPE}){place}{ESCAPE}: ^5{text}\"\n");
        let own = self.players[client].team();
        for listener in 0..self.players.len() {
            if self.players[listener].team() == own && self.hears(listener, client) {
                self.tell(listener, &line);
            }
        }
    }

    fn say_to(&mut self, client: usize, target: i32, text: &str) {
        let target = usize::try_from(target).ok();
        let Some(target) = target.filter(|&target| self.player(target).is_some()) else {
            return;
        };
        let (name, text) = (self.name(client).to_owned(), plain(text));
        let place = match self.settings.is_team_game() {
            true => self.place_text(client),
            false => String::new(),
        };
        let line = format!("chat \"{ESCAPE}[{name}^7{ESCAPE}]{place}{ESCAPE}: ^6{text}\"\n");
        if self.hears(target, client) {
            self.tell(target, &line);
        }
        if target != client {
            self.tell(client, &line);
        }
    }

    fn give_order(&mut self, client: usize, target: i32, order: i32) {
        let order = usize::try_from(order).ok().and_then(|at| ORDERS.get(at));
        if let Some(order) = order {
            self.say_to(client, target, order);
        }
    }

    /// How many of those who may vote are in a team, or in all.
    pub(super) fn voters(&self, which: Option<i32>) -> i32 {
        let may_vote = |player: &&super::player::Player| {
            player.is_in_game
                && !player.is_bot
                && player.team() != team::SPECTATOR
                && which.is_none_or(|which| player.team() == which)
        };
        self.players.iter().filter(may_vote).count() as i32
    }
}

/// A text that cannot end the command it stands in.
pub(super) fn plain(text: &str) -> String {
    let plain = |c: char| match c {
        '"' => '\'',
        c if c.is_control() => ' ',
        c => c,
    };
    text.chars().map(plain).take(MAX_CHAT).collect()
}
