//! Bots: players without a client; each frame of the server they answer with a usercmd each.
//!
//! ```text
//! build → graph          once a level, in pieces: where one can go
//! senses                 whom a bot sees and hears ─┐
//! goals → path → steer   where it goes              ├→ bot → usercmd
//! fight → aim            whom it shoots at          │
//! safety                 where it had better not be ┘
//! ```
//!
//! They know the map, and of the others what a player could know. Their chance is their own.

mod aim;
mod bot;
mod build;
mod characters;
mod fight;
mod goals;
mod graph;
mod hire;
mod path;
mod probe;
mod safety;
mod senses;
mod skill;
mod steer;
#[cfg(test)]
mod tests;

use crate::game::Game;
use bot::{Around, Bot};
use build::Builder;
use shared::types::usercmd::Usercmd;

/// Work on the graph when the first bot of a level wants to go, and in each frame after it, in sweeps of a
/// box through the map.
const FIRST_SWEEPS: u32 = 600_000;
const FRAME_SWEEPS: u32 = 400;

/// All bots of a server, and what they know of its map.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bots {
    pub all: Vec<Bot>,
    map: Option<Builder>,
    /// When the number of players is looked at again.
    pub(crate) look_at: i32,
}

/// What became of the bots' knowledge of a level: for whoever measures them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BotReport {
    pub nodes: usize,
    pub edges: usize,
    pub is_complete: bool,
    /// Sweeps through the map that the graph has cost.
    pub sweeps: u64,
    /// Class, place, whether players can get there, whether a bot was there.
    pub items: Vec<(&'static str, [f32; 3], bool, bool)>,
}

impl Bots {
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    pub(crate) fn remove(&mut self, client: usize) {
        self.all.retain(|bot| bot.client != client);
    }

    pub(crate) fn clear(&mut self) {
        self.all.clear();
        self.map = None;
    }

    /// Another map is played.
    pub(crate) fn forget_level(&mut self) {
        self.map = None;
        self.look_at = 0;
        self.forget_round();
    }

    /// The same map begins anew; its clock goes on.
    pub(crate) fn forget_round(&mut self) {
        for bot in &mut self.all {
            bot.forget();
        }
    }

    /// What the bots do in the frame that ends at a time.
    pub(crate) fn think(&mut self, game: &Game, time: i32, msec: i32) -> Vec<(usize, Usercmd)> {
        if self.all.is_empty() {
            return Vec::new();
        }
        let sweeps = match self.map {
            None => FIRST_SWEEPS,
            Some(_) => FRAME_SWEEPS,
        };
        let map = self.map.get_or_insert_with(|| Builder::new(game));
        if !map.is_done {
            map.step(game, sweeps);
        }
        let mut around = Around {
            game,
            map,
            time,
            msec,
            searches: 1,
        };
        let bots = self.all.iter_mut();
        bots.map(|bot| (bot.client, bot.act(&mut around))).collect()
    }

    pub(crate) fn report(&self) -> BotReport {
        let Some(map) = &self.map else {
            return BotReport::default();
        };
        let reachable = map.graph.reachable(|_| true);
        let spots = map.graph.spots.iter().enumerate();
        let item = |(number, spot): (usize, &graph::Spot)| {
            let name = shared::bg::items::item(spot.item).map_or("", |item| item.class_name);
            let is_reachable = spot.node.is_some_and(|node| reachable[node]);
            let visited = self.all.iter().any(|bot| bot.has_visited(number));
            (name, spot.place.to_array(), is_reachable, visited)
        };
        BotReport {
            nodes: map.graph.nodes.len(),
            edges: map.graph.edge_count(),
            is_complete: map.is_done,
            sweeps: map.cost,
            items: spots.map(item).collect(),
        }
    }
}
