//! Lag compensation: where players were, so that shots hit what the shooter saw (`g_unlagged`).

use super::Game;
use glam::Vec3;
use std::collections::VecDeque;

/// Places that are kept of each player, one for each frame.
const MAX_PLACES: usize = 17;

/// Where a player was at the end of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct PastPosition {
    pub at: i32,
    pub origin: Vec3,
    pub mins: Vec3,
    pub maxs: Vec3,
}

impl Game {
    /// Keeps where a player is now.
    pub(super) fn remember_place(&mut self, client: usize) {
        if !self.settings.has_lag_compensation {
            return;
        }
        let entity = &self.world.entities[client];
        let place = PastPosition {
            at: self.time,
            origin: entity.state.pos.base,
            mins: entity.mins,
            maxs: entity.maxs,
        };
        let places = &mut self.history[client];
        if places.back().is_some_and(|last| last.at == place.at) {
            places.pop_back();
        }
        places.push_back(place);
        if places.len() > MAX_PLACES {
            places.pop_front();
        }
    }

    /// Whoever has come here abruptly was nowhere on the way.
    pub(super) fn reset_history(&mut self, client: usize) {
        self.history[client].clear();
    }

    /// The time at which a player drew what he shoots at.
    pub(super) fn attack_time(&self, client: usize) -> i32 {
        self.players[client].last_usercmd.server_time.0
    }

    /// Moves everybody else to where the shooter saw them; what was moved, with its true place.
    pub(super) fn rewind_players(&mut self, shooter: usize) -> Vec<(usize, PastPosition)> {
        if !self.settings.has_lag_compensation {
            return Vec::new();
        }
        let seen_at = self.attack_time(shooter);
        let mut moved = Vec::new();
        for client in 0..self.players.len() {
            let is_there = self.world.entities[client].is_linked();
            if client == shooter || !is_there {
                continue;
            }
            let Some(seen) = place_at(&self.history[client], seen_at) else {
                continue;
            };
            let entity = &mut self.world.entities[client];
            let true_place = PastPosition {
                at: self.time,
                origin: entity.origin,
                mins: entity.mins,
                maxs: entity.maxs,
            };
            entity.origin = seen.origin;
            (entity.mins, entity.maxs) = (seen.mins, seen.maxs);
            self.world.link(client);
            moved.push((client, true_place));
        }
        moved
    }

    /// Puts players back to where they are; who died meanwhile keeps a dead player's box.
    pub(super) fn restore_players(&mut self, moved: Vec<(usize, PastPosition)>) {
        for (client, place) in moved {
            let is_dead = self.players[client].health() <= 0;
            let entity = &mut self.world.entities[client];
            if !entity.is_in_use {
                continue;
            }
            entity.origin = place.origin;
            if !is_dead {
                (entity.mins, entity.maxs) = (place.mins, place.maxs);
            }
            self.world.link(client);
        }
    }
}

/// Where someone was at a time, between two remembered places; none if he has not moved since.
fn place_at(places: &VecDeque<PastPosition>, at: i32) -> Option<PastPosition> {
    let (oldest, newest) = (places.front()?, places.back()?);
    if at >= newest.at {
        return None;
    }
    if at <= oldest.at {
        return Some(*oldest);
    }
    let after = places.iter().position(|place| place.at > at)?;
    let (before, after) = (places[after - 1], places[after]);
    let part = (at - before.at) as f32 / (after.at - before.at) as f32;
    Some(PastPosition {
        at,
        origin: before.origin.lerp(after.origin, part),
        mins: before.mins.lerp(after.mins, part),
        maxs: before.maxs.lerp(after.maxs, part),
    })
}
