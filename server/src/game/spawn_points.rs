//! Spawn points: where players come into the level, and where the camera stands between matches.

use super::{
    Game,
    gentity::Class,
    player::{MAXS, MINS},
};
use glam::Vec3;
use shared::base::sort::sort_by;
use shared::bg::numbers::team;

/// Where one comes into the level.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpawnPoint {
    /// The spot itself, whose targets are used.
    pub entity: Option<usize>,
    pub origin: Vec3,
    pub angles: Vec3,
}

impl Game {
    pub(super) fn spawn_point_for(&mut self, client: usize) -> Option<SpawnPoint> {
        let player = &self.players[client];
        let (own_team, from) = (player.team(), player.state.origin);
        let wants_initial = !player.had_first_spawn && player.is_local;
        let has_spawned = player.has_spawned_in_team;
        if own_team == team::SPECTATOR {
            return Some(self.intermission_point());
        }
        if self.settings.is_ctf() {
            let class = match (own_team, has_spawned) {
                (team::RED, false) => "team_ctf_redplayer",
                (team::RED, true) => "team_ctf_redspawn",
                (_, false) => "team_ctf_blueplayer",
                (_, true) => "team_ctf_bluespawn",
            };
            return self
                .team_spawn_point(class, client)
                .or_else(|| self.furthest_spawn_point(Vec3::ZERO, client));
        }
        if wants_initial {
            let is_initial = |at: &usize| self.gentities[*at].keys.has_flag(1);
            let initial = self.spots().into_iter().find(is_initial);
            if let Some(at) = initial.filter(|at| self.is_spot_free(*at, client)) {
                return Some(self.point_at(at));
            }
        }
        self.furthest_spawn_point(from, client)
    }

    fn point_at(&self, at: usize) -> SpawnPoint {
        SpawnPoint {
            entity: Some(at),
            origin: self.gentities[at].keys.origin,
            angles: self.gentities[at].keys.angles,
        }
    }

    fn spots(&self) -> Vec<usize> {
        let is_spot = |at: &usize| {
            let gentity = &self.gentities[*at];
            gentity.class == Class::Place
                && matches!(
                    gentity.keys.class_name.as_str(),
                    "info_player_deathmatch" | "info_player_start"
                )
        };
        self.in_use(0).filter(is_spot).collect()
    }

    /// Whether nobody stands there, dead or alive.
    fn is_spot_free(&self, at: usize, client: usize) -> bool {
        let origin = self.gentities[at].keys.origin;
        let found = self.world.entities_in_box(origin + MINS, origin + MAXS);
        !found
            .into_iter()
            .any(|other| self.is_client(other) && other != client)
    }

    fn team_spawn_point(&mut self, class: &str, client: usize) -> Option<SpawnPoint> {
        const MAX_CHOICES: usize = 32;
        let is_own = |at: &usize| self.gentities[*at].keys.class_name == class;
        let all: Vec<usize> = self.in_use(0).filter(is_own).collect();
        let mut free: Vec<usize> = all
            .iter()
            .copied()
            .filter(|at| self.is_spot_free(*at, client))
            .collect();
        free.truncate(MAX_CHOICES);
        let chosen = free.get(self.rng.below(free.len())).or(all.first());
        chosen.map(|at| self.point_at(*at))
    }

    /// One of those spots that are free and in the further half from a place.
    pub(super) fn furthest_spawn_point(&mut self, from: Vec3, client: usize) -> Option<SpawnPoint> {
        let all = self.spots();
        const NO_HUMANS: i32 = 4;
        let is_good = |at: &usize| {
            !self.gentities[*at].keys.has_flag(NO_HUMANS) && self.is_spot_free(*at, client)
        };
        let mut free: Vec<usize> = all.iter().copied().filter(is_good).collect();
        let distance = |at: &usize| self.gentities[*at].keys.origin.distance(from);
        sort_by(&mut free, |a, b| {
            distance(b).total_cmp(&distance(a)).then(a.cmp(b))
        });
        let chosen = free.get(self.rng.below(free.len() / 2)).or(all.first());
        chosen.map(|at| self.point_at(*at))
    }

    /// Where the camera stands between matches.
    pub(super) fn intermission_point(&mut self) -> SpawnPoint {
        let is_point =
            |at: &usize| self.gentities[*at].keys.class_name == "info_player_intermission";
        let found = self.in_use(0).find(is_point);
        let Some(at) = found else {
            let point = self.furthest_spawn_point(Vec3::ZERO, usize::MAX);
            return point.unwrap_or(SpawnPoint {
                entity: None,
                origin: Vec3::ZERO,
                angles: Vec3::ZERO,
            });
        };
        let mut point = self.point_at(at);
        let target = self.gentities[at].keys.target.clone();
        if let Some(target) = self.pick_named(&target) {
            let way = self.gentities[target].keys.origin - point.origin;
            point.angles = self.settings.numeric.profile.angles_of(way);
        }
        point.entity = None;
        point
    }
}
