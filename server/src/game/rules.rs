//! Rules of a match: warm-up, limits, intermission, and what comes after it.

use super::{Effect, Game, session::SpectatorState, spawn_points::SpawnPoint};
use shared::bg::numbers::{configstring as cs, entity_type, persistant, pm_type, team};

/// From the end of a match to the intermission.
const INTERMISSION_DELAY_MSEC: i32 = 1000;
/// An intermission lasts at least so long.
const MIN_INTERMISSION_MSEC: i32 = 5000;
/// Whoever is not ready gets so long after the first who is.
const EXIT_MSEC: i32 = 10_000;
/// `warmup_until` while players are missing.
const WAITING: i32 = -1;

impl Game {
    /// Ends the match where a limit is reached.
    pub(super) fn check_exit_rules(&mut self) {
        if self.intermission_at.is_some() {
            return;
        }
        if let Some(queued_at) = self.intermission_queued_at {
            if self.time - queued_at >= INTERMISSION_DELAY_MSEC {
                self.begin_intermission();
            }
            return;
        }
        let playing = self.playing();
        let [_, red, blue] = self.team_scores;
        let is_tied = if self.settings.is_team_game() {
            red == blue
        } else {
            playing.len() >= 2 && self.score(playing[0]) == self.score(playing[1])
        };
        // Sudden death.
        if playing.len() >= 2 && is_tied {
            return;
        }
        let minutes = self.settings.time_limit;
        let has_time_left = self.time - self.start_time < minutes.saturating_mul(60_000);
        if minutes > 0 && self.warmup_until == 0 && !has_time_left {
            return self.queue_intermission("Timelimit hit.");
        }
        if playing.len() < 2 {
            return;
        }
        let settings = &self.settings;
        let [limit, name] = match settings.is_ctf() {
            true => [settings.capture_limit, 0],
            false => [settings.frag_limit, 1],
        };
        if limit <= 0 {
            return;
        }
        let reached = ["the capturelimit", "the fraglimit"][name as usize];
        if self.settings.is_team_game() {
            for (score, name) in [(red, "Red"), (blue, "Blue")] {
                if score >= limit {
                    return self.queue_intermission(&format!("{name} hit {reached}."));
                }
            }
            return;
        }
        let winner = playing.into_iter().find(|&at| self.score(at) >= limit);
        if let Some(winner) = winner {
            let name = self.name(winner).to_owned();
            self.queue_intermission(&format!("{name}^7 hit {reached}."));
        }
    }

    fn queue_intermission(&mut self, why: &str) {
        self.tell_all(&format!("print \"{why}\n\""));
        self.print(format!("Exit: {why}"));
        self.intermission_queued_at = Some(self.time);
        self.set_configstring(cs::INTERMISSION, "1".to_owned());
    }

    pub(super) fn begin_intermission(&mut self) {
        if self.intermission_at.is_some() {
            return;
        }
        if self.settings.is_tournament() {
            self.count_tournament();
        }
        self.intermission_at = Some(self.time);
        self.intermission_view = Some(self.intermission_point());
        for client in 0..self.players.len() {
            let player = &mut self.players[client];
            if !player.is_in_game {
                continue;
            }
            player.is_ready_to_exit = false;
            if !player.is_spectator() && player.health() <= 0 {
                self.respawn_player(client);
            }
            self.move_to_intermission(client);
        }
        self.tell_scores_to_all();
    }

    pub(super) fn move_to_intermission(&mut self, client: usize) {
        if self.is_following(client) {
            self.stop_following(client);
        }
        let point = match self.intermission_view {
            Some(point) => point,
            None => self.intermission_point(),
        };
        self.world.unlink(client);
        let player = &mut self.players[client];
        let state = &mut player.state;
        let SpawnPoint { origin, angles, .. } = point;
        state.origin = origin;
        state.view_angles = angles;
        state.pm_type = pm_type::INTERMISSION;
        state.powerups = [0; 16];
        state.e_flags = 0;
        state.loop_sound = 0;
        let entity = &mut self.world.entities[client];
        let number = entity.state.number;
        entity.state.e_flags = 0;
        entity.state.e_type = entity_type::GENERAL;
        entity.state.model_index = 0;
        entity.state.loop_sound = 0;
        entity.state.event = 0;
        entity.contents = 0;
        entity.state.number = number;
        entity.origin = origin;
        entity.state.pos.base = origin;
    }

    fn count_tournament(&mut self) {
        let playing = self.playing();
        if let [winner, loser, ..] = playing[..] {
            self.players[winner].session.wins += 1;
            self.players[loser].session.losses += 1;
            self.tell_player_info(winner);
            self.tell_player_info(loser);
        }
    }

    /// Ends the intermission when everybody is ready, or long enough after the first.
    pub(super) fn check_intermission_exit(&mut self) {
        let Some(began_at) = self.intermission_at else {
            return;
        };
        let mut mask = 0;
        let (mut ready, mut waiting) = (0, 0);
        for (client, player) in self.players.iter().enumerate() {
            if !player.is_in_game || player.is_bot {
                continue;
            }
            if player.is_ready_to_exit {
                ready += 1;
                mask |= if client < 16 { 1 << client } else { 0 };
            } else {
                waiting += 1;
            }
        }
        for player in &mut self.players {
            player.state.stats[super::STATS.clients_ready] = mask;
        }
        if self.time < began_at + MIN_INTERMISSION_MSEC {
            return;
        }
        // Bots alone wait for nobody.
        if ready + waiting == 0 && self.players.iter().any(|one| one.is_bot) {
            return self.exit_level();
        }
        if ready == 0 {
            self.ready_since = None;
            return;
        }
        let since = *self.ready_since.get_or_insert(self.time);
        if waiting == 0 || self.time >= since + EXIT_MSEC {
            self.exit_level();
        }
    }

    fn exit_level(&mut self) {
        if self.has_exited {
            return;
        }
        self.has_exited = true;
        if self.settings.is_tournament() {
            if let Some(&loser) = self.playing().get(1) {
                let session = &mut self.players[loser].session;
                session.team = team::SPECTATOR;
                session.spectator_state = SpectatorState::Free;
                session.spectator_at = self.time;
            }
            self.effects
                .push(Effect::Console("map_restart 0".to_owned()));
            return;
        }
        self.effects
            .push(Effect::Console("vstr nextmap".to_owned()));
        self.team_scores = [0; 3];
        for player in &mut self.players {
            player.state.persistant[persistant::SCORE] = 0;
        }
    }

    /// Warm-up before a tournament, or before other games where the operator wants it.
    pub(super) fn check_warmup(&mut self) {
        if self.intermission_at.is_some() || self.has_exited {
            return;
        }
        let playing = self.playing();
        let has_enough = if self.settings.is_tournament() {
            if playing.len() < 2 {
                self.add_tournament_player();
            }
            self.playing().len() == 2
        } else if self.settings.is_team_game() {
            self.team_count(team::RED) >= 1 && self.team_count(team::BLUE) >= 1
        } else {
            playing.len() >= 2
        };
        if self.warmup_until == 0 {
            // A match that runs; a tournament without a second player waits for one.
            if self.settings.is_tournament() && !has_enough && !playing.is_empty() {
                self.set_warmup(WAITING);
            }
            return;
        }
        if !has_enough {
            if self.warmup_until != WAITING {
                self.set_warmup(WAITING);
            }
            return;
        }
        if self.warmup_until < 0 {
            let seconds = self.settings.warmup_sec.saturating_sub(1).max(0);
            let until = match seconds {
                0 => 0,
                seconds => self.time.saturating_add(seconds.saturating_mul(1000)),
            };
            self.set_warmup(until);
            if until != 0 {
                return;
            }
        }
        if self.time > self.warmup_until {
            self.has_exited = true;
            self.effects.push(Effect::RestartAfterWarmup);
        }
    }

    pub(super) fn set_warmup(&mut self, until: i32) {
        self.warmup_until = until;
        let text = match until {
            0 => String::new(),
            until => until.to_string(),
        };
        self.set_configstring(cs::WARMUP, text);
    }

    /// Whoever waits longest plays next.
    fn add_tournament_player(&mut self) {
        let waiting = |at: &usize| {
            let player = &self.players[*at];
            player.is_in_game
                && player.is_spectator()
                && player.session.spectator_state != SpectatorState::Scoreboard
        };
        let since = |at: &usize| self.players[*at].session.spectator_at;
        let next = (0..self.players.len()).filter(waiting).min_by_key(since);
        if let Some(next) = next {
            self.set_warmup(WAITING);
            self.set_team(next, "free");
        }
    }
}
