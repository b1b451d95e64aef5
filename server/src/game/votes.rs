//! Votes: what players decide about the server, and teams about their leaders.

use super::{Effect, Game, commands::plain};
use shared::{
    base::tokens::Tokens,
    bg::numbers::{configstring as cs, entity_flags, team},
};

/// A vote is open for so long.
const VOTE_MSEC: i32 = 30_000;
/// What was decided happens after so long.
const DELAY_MSEC: i32 = 3000;
/// Votes that one player may call in a level.
const MAX_CALLS: i32 = 3;
/// What one can vote about.
const SUBJECTS: [&str; 9] = [
    "map_restart",
    "nextmap",
    "map",
    "g_gametype",
    "kick",
    "clientkick",
    "g_doWarmup",
    "timelimit",
    "fraglimit",
];
const GAME_TYPES: i32 = 5;

/// A vote that is open: of everybody (0), or of a team by its number.
#[derive(Clone, Debug)]
pub(super) struct Vote {
    began_at: i32,
    /// The console's line, or the number of the new leader.
    action: String,
    yes: i32,
    no: i32,
}

impl Game {
    pub(super) fn call_vote(&mut self, client: usize, tokens: &Tokens) {
        let player = &self.players[client];
        let refusal = if !self.settings.allows_votes {
            "Voting not allowed here."
        } else if self.votes[0].is_some() {
            "A vote is already in progress."
        } else if player.vote_count >= MAX_CALLS {
            "You have called the maximum number of votes."
        } else if player.is_spectator() {
            "Not allowed to call a vote as spectator."
        } else {
            ""
        };
        if !refusal.is_empty() {
            return self.tell(client, &format!("print \"{refusal}\n\""));
        }
        let has_break = |text: &str| text.contains([';', '\n', '\r']);
        let subject = SUBJECTS
            .into_iter()
            .find(|subject| subject.eq_ignore_ascii_case(tokens.get(1)));
        let argument = plain(tokens.get(2));
        let Some(subject) = subject.filter(|_| !has_break(tokens.get(1)) && !has_break(&argument))
        else {
            self.tell(client, "print \"Invalid vote string.\n\"");
            let list = "map_restart, nextmap, map <mapname>, g_gametype <n>, kick <player>, \
                        clientkick <clientnum>, g_doWarmup, timelimit <time>, fraglimit <frags>";
            return self.tell(client, &format!("print \"Vote commands are: {list}.\n\""));
        };
        let Some((action, display)) = self.vote_action(client, subject, &argument) else {
            return;
        };
        let name = self.name(client).to_owned();
        self.tell_all(&format!("print \"{name} called a vote.\n\""));
        self.players[client].vote_count += 1;
        self.open_vote(0, client, action, &display);
    }

    /// The line that a vote runs, and how it is shown; none if it makes no sense.
    fn vote_action(
        &mut self,
        client: usize,
        subject: &str,
        argument: &str,
    ) -> Option<(String, String)> {
        let both = |text: String| Some((text.clone(), text));
        match subject {
            "map_restart" => both("map_restart".to_owned()),
            "nextmap" => both("vstr nextmap".to_owned()),
            "g_gametype" => {
                let is_known = argument
                    .parse()
                    .is_ok_and(|kind: i32| (0..GAME_TYPES).contains(&kind) && kind != 2);
                if !is_known {
                    self.tell(client, "print \"Invalid gametype.\n\"");
                    return None;
                }
                both(format!("g_gametype {argument}"))
            }
            "map" => {
                let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                if argument.is_empty() || !argument.chars().all(is_name) {
                    self.tell(client, "print \"Invalid vote string.\n\"");
                    return None;
                }
                both(format!("map {argument}"))
            }
            "kick" | "clientkick" => {
                let whom = self.find_client(client, argument)?;
                let name = self.name(whom).to_owned();
                Some((format!("clientkick {whom}"), format!("kick {name}")))
            }
            _ => both(format!("{subject} \"{argument}\"")),
        }
    }

    fn open_vote(&mut self, which: usize, client: usize, action: String, display: &str) {
        for player in &mut self.players {
            player.state.e_flags &= !voted_flag(which);
        }
        self.players[client].state.e_flags |= voted_flag(which);
        self.votes[which] = Some(Vote {
            began_at: self.time,
            action,
            yes: 1,
            no: 0,
        });
        let [time, text, ..] = configstrings(which);
        self.set_configstring(time, self.time.to_string());
        self.set_configstring(text, display.to_owned());
        self.tell_counts(which);
    }

    fn tell_counts(&mut self, which: usize) {
        let Some(vote) = &self.votes[which] else {
            return;
        };
        let (yes_count, no_count) = (vote.yes.to_string(), vote.no.to_string());
        let [.., yes, no] = configstrings(which);
        self.set_configstring(yes, yes_count);
        self.set_configstring(no, no_count);
    }

    pub(super) fn cast_vote(&mut self, client: usize, word: &str) {
        self.cast(0, client, word);
    }

    pub(super) fn cast_team_vote(&mut self, client: usize, word: &str) {
        match self.players[client].team() {
            own @ (team::RED | team::BLUE) => self.cast(own as usize, client, word),
            _ => self.tell(client, "print \"No team vote in progress.\n\""),
        }
    }

    fn cast(&mut self, which: usize, client: usize, word: &str) {
        let player = &self.players[client];
        let kind = if which == 0 { "vote" } else { "team vote" };
        let refusal = if self.votes[which].is_none() {
            format!("No {kind} in progress.")
        } else if player.state.e_flags & voted_flag(which) != 0 {
            "Vote already cast.".to_owned()
        } else if player.is_spectator() {
            "Not allowed to vote as spectator.".to_owned()
        } else {
            String::new()
        };
        if !refusal.is_empty() {
            return self.tell(client, &format!("print \"{refusal}\n\""));
        }
        self.tell(client, "print \"Vote cast.\n\"");
        self.players[client].state.e_flags |= voted_flag(which);
        if let Some(vote) = &mut self.votes[which] {
            if word.starts_with(['y', 'Y', '1']) {
                vote.yes += 1;
            } else {
                vote.no += 1;
            }
        }
        self.tell_counts(which);
    }

    /// A team votes on its leader.
    pub(super) fn call_team_vote(&mut self, client: usize, tokens: &Tokens) {
        let player = &self.players[client];
        let own = player.team();
        let refusal = if !self.settings.allows_votes {
            "Voting not allowed here."
        } else if !matches!(own, team::RED | team::BLUE) {
            "Not allowed to call a vote as spectator."
        } else if self.votes[own as usize].is_some() {
            "A team vote is already in progress."
        } else if player.team_vote_count >= MAX_CALLS {
            "You have called the maximum number of team votes."
        } else if !tokens.get(1).eq_ignore_ascii_case("leader") {
            "Invalid vote string. Team vote commands are: leader <player>."
        } else {
            ""
        };
        if !refusal.is_empty() {
            return self.tell(client, &format!("print \"{refusal}\n\""));
        }
        let whom = match tokens.get(2) {
            "" => Some(client),
            word => self.find_client(client, word),
        };
        let Some(whom) = whom.filter(|&at| self.players[at].team() == own) else {
            return;
        };
        let name = self.name(client).to_owned();
        for mate in 0..self.players.len() {
            if self.players[mate].team() == own {
                self.tell(mate, &format!("print \"{name} called a team vote.\n\""));
            }
        }
        self.players[client].team_vote_count += 1;
        let display = format!("leader {}", self.name(whom));
        self.open_vote(own as usize, client, whom.to_string(), &display);
    }

    /// Ends votes that are decided, and does what was decided.
    pub(super) fn check_votes(&mut self) {
        if let Some((at, line)) = self.passed_vote.take_if(|(at, _)| *at < self.time) {
            debug_assert!(at < self.time);
            self.effects.push(Effect::Console(line));
        }
        for which in 0..self.votes.len() {
            let Some(vote) = &self.votes[which] else {
                continue;
            };
            let team = (which > 0).then_some(which as i32);
            let voters = self.voters(team);
            let has_passed = vote.yes > voters / 2;
            let has_failed = vote.no >= (voters / 2).max(1) || self.is_over(vote);
            if !has_passed && !has_failed {
                continue;
            }
            let kind = if which == 0 { "Vote" } else { "Team vote" };
            let outcome = if has_passed { "passed" } else { "failed" };
            let action = vote.action.clone();
            self.votes[which] = None;
            self.tell_voters(team, &format!("print \"{kind} {outcome}.\n\""));
            if has_passed && which == 0 {
                self.passed_vote = Some((self.time + DELAY_MSEC, action));
            } else if has_passed {
                self.set_leader(which as i32, &action);
            }
            self.set_configstring(configstrings(which)[0], String::new());
        }
    }

    fn is_over(&self, vote: &Vote) -> bool {
        self.time - vote.began_at >= VOTE_MSEC
    }

    fn tell_voters(&mut self, which: Option<i32>, text: &str) {
        let Some(which) = which else {
            return self.tell_all(text);
        };
        for client in 0..self.players.len() {
            if self.players[client].team() == which {
                self.tell(client, text);
            }
        }
    }

    fn set_leader(&mut self, which: i32, number: &str) {
        let leader = number.parse::<usize>().ok();
        for client in 0..self.players.len() {
            let player = &mut self.players[client];
            if player.team() == which {
                player.session.is_leader = leader == Some(client);
                self.tell_player_info(client);
            }
        }
    }
}

fn voted_flag(which: usize) -> i32 {
    match which {
        0 => entity_flags::VOTED,
        _ => entity_flags::TEAM_VOTED,
    }
}

/// Time, text, yes and no of a vote.
fn configstrings(which: usize) -> [usize; 4] {
    match which {
        0 => [cs::VOTE_TIME, cs::VOTE_STRING, cs::VOTE_YES, cs::VOTE_NO],
        team => [
            cs::TEAM_VOTE_TIME,
            cs::TEAM_VOTE_STRING,
            cs::TEAM_VOTE_YES,
            cs::TEAM_VOTE_NO,
        ]
        .map(|first| first + team - 1),
    }
}
