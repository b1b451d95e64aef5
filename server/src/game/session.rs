//! Session: what of a player outlives a level: the team he is in, and whom he watches.

use super::{
    Game,
    combat::{self, Hit, means_of_death},
};
use shared::{
    base::info::Info,
    bg::numbers::{entity_flags, persistant, pm_flags, team},
};

/// Between two changes of the team.
const TEAM_CHANGE_MSEC: i32 = 5000;

/// How a spectator watches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpectatorState {
    #[default]
    Free,
    /// Through this client's eyes.
    Follow(usize),
    Scoreboard,
}

/// What of a player outlives a level.
#[derive(Clone, Copy, Debug, Default)]
pub struct ClientSession {
    pub team: i32,
    pub spectator_state: SpectatorState,
    /// Since when he waits to play; who waits longest comes first.
    pub spectator_at: i32,
    pub wins: i32,
    pub losses: i32,
    pub is_leader: bool,
}

impl Game {
    /// What somebody new begins with.
    pub(super) fn first_session(&self, userinfo: &Info) -> ClientSession {
        let preferred = userinfo.get("teampref").to_ascii_lowercase();
        let settings = &self.settings;
        let players = self.players.iter();
        let playing = players.filter(|one| one.is_connected && !one.is_spectator());
        let count = playing.count();
        let is_full =
            usize::try_from(settings.max_game_clients).is_ok_and(|max| max > 0 && count >= max);
        let own_team = if preferred.starts_with('s') || is_full {
            team::SPECTATOR
        } else if settings.is_team_game() {
            match preferred.chars().next() {
                Some('r') => team::RED,
                Some('b') => team::BLUE,
                _ if settings.joins_teams || userinfo.get("ip") == super::BOT_ADDRESS => {
                    self.smaller_team()
                }
                _ => team::SPECTATOR,
            }
        } else if settings.is_tournament() && count >= 2 {
            team::SPECTATOR
        } else {
            team::FREE
        };
        ClientSession {
            team: own_team,
            spectator_at: self.time,
            ..ClientSession::default()
        }
    }

    /// The sessions of all clients, for the next level.
    pub fn sessions(&self) -> Vec<Option<ClientSession>> {
        let players = self.players.iter();
        players
            .map(|player| player.is_connected.then_some(player.session))
            .collect()
    }

    fn smaller_team(&self) -> i32 {
        let (red, blue) = (self.team_count(team::RED), self.team_count(team::BLUE));
        match red.cmp(&blue) {
            std::cmp::Ordering::Less => team::RED,
            std::cmp::Ordering::Greater => team::BLUE,
            std::cmp::Ordering::Equal => {
                let [_, red, blue] = self.team_scores;
                if red > blue { team::BLUE } else { team::RED }
            }
        }
    }

    /// The command `team`.
    pub(super) fn command_team(&mut self, client: usize, word: &str) {
        let player = &self.players[client];
        if word.is_empty() {
            let name = match player.team() {
                team::RED => "Red team",
                team::BLUE => "Blue team",
                team::SPECTATOR => "Spectator team",
                _ => "Free team",
            };
            return self.tell(client, &format!("print \"{name}\n\""));
        }
        if self.time < player.team_changed_at {
            return self.tell(
                client,
                "print \"May not switch teams more than once per 5 seconds.\n\"",
            );
        }
        // Whoever gives up a match in a tournament loses it.
        if self.settings.is_tournament() && player.team() == team::FREE && self.warmup_until == 0 {
            self.players[client].session.losses += 1;
        }
        self.set_team(client, word);
        self.players[client].team_changed_at = self.time + TEAM_CHANGE_MSEC;
    }

    fn wanted_team(&mut self, client: usize, word: &str) -> Option<(i32, SpectatorState)> {
        let word = word.to_ascii_lowercase();
        let watched = match word.as_str() {
            "scoreboard" | "score" => Some(SpectatorState::Scoreboard),
            "follow1" | "follow2" => {
                let place = usize::from(word == "follow2");
                let playing = self.playing();
                let whom = playing.get(place).copied();
                Some(whom.map_or(SpectatorState::Free, SpectatorState::Follow))
            }
            "spectator" | "s" => Some(SpectatorState::Free),
            _ => None,
        };
        if let Some(state) = watched {
            return Some((team::SPECTATOR, state));
        }
        if !self.settings.is_team_game() {
            return Some((team::FREE, SpectatorState::Free));
        }
        let wanted = match word.as_str() {
            "red" | "r" => team::RED,
            "blue" | "b" => team::BLUE,
            _ => self.smaller_team(),
        };
        if self.settings.balances_teams {
            let own = self.players[client].team();
            let count = |which: i32| self.team_count(which) - usize::from(own == which);
            let [mine, theirs, name] = match wanted {
                team::RED => [count(team::RED), count(team::BLUE), 0],
                _ => [count(team::BLUE), count(team::RED), 1],
            };
            if mine > theirs + 1 {
                let name = ["Red", "Blue"][name];
                let text = format!("cp \"{name} team has too many players.\n\"");
                self.tell(client, &text);
                return None;
            }
        }
        Some((wanted, SpectatorState::Free))
    }

    /// Puts a client into a team, or among those who watch.
    pub(super) fn set_team(&mut self, client: usize, word: &str) {
        let Some((mut wanted, mut state)) = self.wanted_team(client, word) else {
            return;
        };
        let player = &self.players[client];
        let (before, is_dead) = (player.team(), player.health() <= 0);
        let others = self
            .playing()
            .into_iter()
            .filter(|&at| at != client)
            .count();
        let max = usize::try_from(self.settings.max_game_clients).unwrap_or(0);
        let is_full = self.settings.is_tournament() && others >= 2 || max > 0 && others >= max;
        if wanted != team::SPECTATOR && is_full {
            (wanted, state) = (team::SPECTATOR, SpectatorState::Free);
        }
        if wanted == before && wanted != team::SPECTATOR {
            return;
        }
        if is_dead && before != team::SPECTATOR {
            self.leave_body(client);
        }
        if before != team::SPECTATOR {
            self.kill_for_team_change(client);
        }
        let time = self.time;
        let player = &mut self.players[client];
        player.session.team = wanted;
        player.session.spectator_state = state;
        if wanted == team::SPECTATOR && before != team::SPECTATOR {
            player.session.spectator_at = time;
        }
        player.has_spawned_in_team = false;
        self.tell_player_info(client);
        self.announce_team(client, wanted, before);
        self.begin_player(client);
    }

    fn kill_for_team_change(&mut self, client: usize) {
        let player = &mut self.players[client];
        player.life.is_god = false;
        player.set_health(0);
        player.state.powerups[0] = 0;
        let hit = Hit {
            flags: combat::NO_PROTECTION,
            ..Hit::by(client, 100_000, means_of_death::SUICIDE)
        };
        self.kill(client, &hit);
    }

    fn announce_team(&mut self, client: usize, wanted: i32, before: i32) {
        let name = self.name(client).to_owned();
        let text = match wanted {
            team::RED => format!("cp \"{name}^7 joined the red team.\n\""),
            team::BLUE => format!("cp \"{name}^7 joined the blue team.\n\""),
            team::SPECTATOR if before != team::SPECTATOR => {
                format!("cp \"{name}^7 joined the spectators.\n\"")
            }
            team::FREE => format!("cp \"{name}^7 joined the battle.\n\""),
            _ => return,
        };
        self.tell_all(&text);
    }

    /// The command `follow`.
    pub(super) fn command_follow(&mut self, client: usize, word: &str) {
        if word.is_empty() {
            if self.is_following(client) {
                self.stop_following(client);
            }
            return;
        }
        let Some(whom) = self.find_client(client, word) else {
            return;
        };
        let is_watchable = self.playing().contains(&whom) && whom != client;
        if is_watchable {
            self.follow(client, whom);
        }
    }

    fn follow(&mut self, client: usize, whom: usize) {
        if !self.players[client].is_spectator() {
            self.set_team(client, "spectator");
        }
        self.players[client].session.spectator_state = SpectatorState::Follow(whom);
    }

    /// The commands `follownext` and `followprev`.
    pub(super) fn follow_next(&mut self, client: usize, step: isize) {
        let count = self.players.len() as isize;
        let player = &self.players[client];
        let mut at = match player.session.spectator_state {
            SpectatorState::Follow(whom) => whom as isize,
            _ => client as isize,
        };
        let playing = self.playing();
        for _ in 0..count {
            at = (at + step).rem_euclid(count);
            if at as usize != client && playing.contains(&(at as usize)) {
                return self.follow(client, at as usize);
            }
        }
    }

    pub(super) fn stop_following(&mut self, client: usize) {
        let player = &mut self.players[client];
        player.session.spectator_state = SpectatorState::Free;
        player.state.persistant[persistant::TEAM] = team::SPECTATOR;
        player.state.pm_flags &= !pm_flags::FOLLOW;
        player.state.client_num = client as i32;
    }

    /// Lets nobody watch somebody who is gone.
    pub(super) fn free_followers(&mut self, whom: usize) {
        for client in 0..self.players.len() {
            if self.players[client].follows(whom) {
                self.stop_following(client);
            }
        }
    }

    /// Shows a spectator what the one he follows sees.
    pub(super) fn end_spectator_frame(&mut self, client: usize) {
        let player = &self.players[client];
        match player.session.spectator_state {
            SpectatorState::Follow(whom) => {
                let watched = &self.players[whom];
                if !watched.is_in_game || watched.is_spectator() {
                    self.stop_following(client);
                    return self.begin_player(client);
                }
                let seen = watched.state.clone();
                let player = &mut self.players[client];
                let votes = entity_flags::VOTED | entity_flags::TEAM_VOTED;
                let own_votes = player.state.e_flags & votes;
                player.state = seen;
                player.state.pm_flags |= pm_flags::FOLLOW;
                player.state.e_flags = player.state.e_flags & !votes | own_votes;
            }
            SpectatorState::Scoreboard => {
                self.players[client].state.pm_flags |= pm_flags::SCOREBOARD;
            }
            SpectatorState::Free => {
                self.players[client].state.pm_flags &= !pm_flags::SCOREBOARD;
            }
        }
    }
}
