//! Scores: points, ranks, and the lists that clients' scoreboards read.

use super::Game;
use crate::entity::sv_flags;
use glam::Vec3;
use shared::base::sort::sort_by_key;
use shared::bg::numbers::{configstring as cs, event, persistant};

/// Said of a place that nobody has.
const NO_SCORE: i32 = -9999;
/// Bit of a rank that others share.
const TIED: i32 = 0x4000;
/// Longest list of scores in characters.
const MAX_LIST: usize = 1000;

/// What OpenArena's lists have besides of each player.
const NOT_ELIMINATED: &str = " 0";

impl Game {
    /// Gives points, unless the match has not begun.
    pub(super) fn add_score(&mut self, client: usize, place: Vec3, points: i32) {
        if self.warmup_until != 0 {
            return;
        }
        if let Some(entity) = self.temp_entity(place, event::SCOREPLUM) {
            entity.sv_flags |= sv_flags::SINGLE_CLIENT;
            entity.single_client = client as i32;
            entity.state.other_entity_num = client as i32;
            entity.state.time = points;
        }
        let is_team_deathmatch = self.settings.is_team_deathmatch();
        let player = &mut self.players[client];
        if !player.is_connected {
            return;
        }
        let score = &mut player.state.persistant[persistant::SCORE];
        *score = score.saturating_add(points);
        let own_team = player.team();
        if is_team_deathmatch {
            self.add_team_score(own_team, points);
        }
        self.rank_players();
    }

    pub(super) fn add_team_score(&mut self, which: i32, points: i32) {
        if let Some(score) = usize::try_from(which)
            .ok()
            .and_then(|at| self.team_scores.get_mut(at))
        {
            *score = score.saturating_add(points);
        }
    }

    /// Who is connected, best first: players before those who watch, and those before who only connects.
    pub(super) fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..self.players.len())
            .filter(|&at| self.is_connected(at))
            .collect();
        let key = |at: &usize| {
            let player = &self.players[*at];
            let score = player.state.persistant[persistant::SCORE];
            match (player.is_in_game, player.is_spectator()) {
                (false, _) => (2, 0, 0),
                (_, true) => (1, player.session.spectator_at, 0),
                _ => (0, score.saturating_neg(), 0),
            }
        };
        sort_by_key(&mut ranking, |at| (key(at), *at));
        ranking
    }

    /// Who plays, best first.
    pub(super) fn playing(&self) -> Vec<usize> {
        let is_playing = |at: &usize| {
            let player = &self.players[*at];
            player.is_in_game && !player.is_spectator()
        };
        self.ranking().into_iter().filter(is_playing).collect()
    }

    pub(super) fn team_count(&self, which: i32) -> usize {
        let players = self.players.iter();
        players.filter(|player| player.team() == which).count()
    }

    /// Orders players by their scores, and tells them.
    pub(super) fn rank_players(&mut self) {
        let playing = self.playing();
        let score = |at: usize| self.score(at);
        let scores: Vec<i32> = playing.iter().map(|&at| score(at)).collect();
        let told = if self.settings.is_team_game() {
            let [_, red, blue] = self.team_scores;
            let rank = match red.cmp(&blue) {
                std::cmp::Ordering::Greater => 0,
                std::cmp::Ordering::Less => 1,
                std::cmp::Ordering::Equal => 2,
            };
            for &at in &playing {
                self.set_rank(at, rank);
            }
            [red, blue]
        } else {
            for (place, &at) in playing.iter().enumerate() {
                let own = scores[place];
                let first = scores
                    .iter()
                    .position(|other| *other == own)
                    .unwrap_or(place);
                let is_tied = scores.iter().filter(|other| **other == own).count() > 1;
                self.set_rank(at, first as i32 | if is_tied { TIED } else { 0 });
            }
            let of = |place: usize| scores.get(place).copied().unwrap_or(NO_SCORE);
            [of(0), of(1)]
        };
        for (index, score) in [cs::SCORES1, cs::SCORES2].into_iter().zip(told) {
            self.set_configstring(index, score.to_string());
        }
        self.check_exit_rules();
        if self.intermission_at.is_some() {
            self.tell_scores_to_all();
        }
    }

    fn set_rank(&mut self, client: usize, rank: i32) {
        self.players[client].state.persistant[persistant::RANK] = rank;
    }

    pub(super) fn tell_scores_to_all(&mut self) {
        for client in 0..self.players.len() {
            if self.players[client].is_in_game {
                self.tell_scores(client);
            }
        }
    }

    /// To who died, and to those who see through his eyes.
    pub(super) fn tell_scores_of_death(&mut self, client: usize) {
        self.tell_scores(client);
        for other in 0..self.players.len() {
            if self.players[other].follows(client) {
                self.tell_scores(other);
            }
        }
    }

    /// Lists everybody, best first, as clients' scoreboards read it.
    pub(super) fn tell_scores(&mut self, client: usize) {
        let mut rows = String::new();
        let mut count = 0;
        for at in self.ranking() {
            let player = &self.players[at];
            let persistants = &player.state.persistant;
            let accuracy = match player.accuracy_shots {
                0 => 0,
                shots => player.accuracy_hits * 100 / shots,
            };
            let is_perfect = persistants[persistant::RANK] == 0
                && persistants[persistant::KILLED] == 0
                && !self.settings.is_team_game();
            let powerups = self.world.entities[at].state.powerups;
            let values = [
                at as i32,
                persistants[persistant::SCORE],
                if player.is_in_game { player.ping } else { -1 },
                (self.time - player.entered_at) / 60_000,
                0,
                powerups,
                accuracy,
                persistants[persistant::IMPRESSIVE_COUNT],
                persistants[persistant::EXCELLENT_COUNT],
                persistants[persistant::GAUNTLET_FRAG_COUNT],
                persistants[persistant::DEFEND_COUNT],
                persistants[persistant::ASSIST_COUNT],
                i32::from(is_perfect),
                persistants[persistant::CAPTURES],
            ];
            let mut row: String = values.iter().map(|value| format!(" {value}")).collect();
            if self.settings.is_openarena {
                row += NOT_ELIMINATED;
            }
            if rows.len() + row.len() >= MAX_LIST {
                break;
            }
            rows += &row;
            count += 1;
        }
        let [_, red, blue] = self.team_scores;
        // When the round began; there are no rounds in the games that are played here.
        let round = if self.settings.is_openarena { " 0" } else { "" };
        self.tell(client, &format!("scores {count} {red} {blue}{round}{rows}"));
    }
}
