//! Goals: what is worth going for: items by what they give and how far they are, flags, and places not seen
//! for long.

use super::{
    bot::{Around, Bot, SpotMemory},
    graph::Spot,
    path::Ways,
};
use crate::game::Situation;
use shared::bg::{
    items::{ItemKind, item},
    numbers::{gametype, powerup, team, weapon},
};

/// Where a bot goes, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// An item, by number among the spots.
    Spot(usize),
    /// A place, to have a look.
    Place,
    /// Where an enemy was last seen.
    Enemy(usize),
    /// What opens a gate, by the gate's number.
    Gate(usize),
}

/// What was not visited for so long is worth a look, whether something lies there or not.
const LONG_MSEC: i32 = 240_000;
/// A goal that is not reached in so long is given up.
pub(super) const GOAL_MSEC: i32 = 30_000;

impl SpotMemory {
    fn unseen_msec(&self, time: i32) -> i32 {
        time.wrapping_sub(self.visited_at).max(0)
    }

    /// Whether it was not visited for long.
    pub(crate) fn is_due(&self, time: i32) -> bool {
        self.unseen_msec(time) >= LONG_MSEC
    }
}

impl Bot {
    /// Chooses the next goal, with the place where it is.
    pub(crate) fn choose_goal(
        &mut self,
        around: &Around<'_>,
        ways: &Ways,
    ) -> Option<(Goal, usize)> {
        let own = around.game.situation(self.client)?;
        let graph = &around.map.graph;
        if let Some(enemy) = self.enemy.filter(|enemy| !enemy.is_seen)
            && self.aggression_now >= 50
        {
            let near = graph.near(enemy.place, 60.0);
            let near = near.into_iter().find(|&node| ways.msec[node] < 8000);
            if let Some(node) = near {
                return Some((Goal::Enemy(enemy.client), node));
            }
        }
        let mut best: Option<(f32, usize, usize)> = None;
        for (number, spot) in graph.spots.iter().enumerate() {
            let Some(node) = spot.node.filter(|&node| ways.msec[node] != u32::MAX) else {
                continue;
            };
            let arrives = around.time.saturating_add(ways.msec[node] as i32);
            let is_away = self.spots[number].absent_until > arrives;
            let tried = self.spots[number].shunned_until > around.time;
            if tried || is_away && !self.spots[number].is_due(around.time) {
                continue;
            }
            let value = match is_away {
                true => self.novelty(around, number),
                false => self.value(around, &own, number, spot),
            };
            if value <= 0.0 {
                continue;
            }
            let seconds = ways.msec[node] as f32 / 1000.0;
            let score = value / (seconds + 3.0) * (0.8 + 0.4 * self.rng.fraction());
            if best.is_none_or(|(most, ..)| score > most) {
                best = Some((score, number, node));
            }
        }
        if let Some(gate) = self.choose_gate(around, ways, best.map_or(0.0, |best| best.0)) {
            return Some(gate);
        }
        if let Some((_, number, node)) = best {
            return Some((Goal::Spot(number), node));
        }
        self.some_place(around, ways)
            .map(|node| (Goal::Place, node))
    }

    /// A gate that is worth more than something else, for there are items behind gates only.
    fn choose_gate(&self, around: &Around<'_>, ways: &Ways, least: f32) -> Option<(Goal, usize)> {
        const VALUE: f32 = 0.6;
        let graph = &around.map.graph;
        if !graph.spots.iter().any(|spot| spot.is_hidden) {
            return None;
        }
        let mut best = None;
        let mut most = least;
        for (number, gate) in around.map.landmarks().gates.iter().enumerate() {
            let is_shunned = self
                .gates_shunned_until
                .get(number)
                .is_some_and(|&at| at > around.time);
            if is_shunned || around.game.is_gate_open(gate) {
                continue;
            }
            for &(node, _) in graph.presses.get(number).into_iter().flatten() {
                let score = VALUE / (ways.msec[node] as f32 / 1000.0 + 3.0);
                if ways.msec[node] != u32::MAX && score > most {
                    most = score;
                    best = Some((Goal::Gate(number), node));
                }
            }
        }
        best
    }

    fn some_place(&mut self, around: &Around<'_>, ways: &Ways) -> Option<usize> {
        let count = around.map.graph.nodes.len();
        (0..40)
            .map(|_| self.rng.below(count))
            .find(|&node| (800..20_000).contains(&ways.msec[node]))
    }

    fn value(&self, around: &Around<'_>, own: &Situation<'_>, number: usize, spot: &Spot) -> f32 {
        let Some(item) = item(spot.item) else {
            return 0.0;
        };
        let tag = usize::from(item.tag);
        let missing = |now: i32, full: i32| (full - now).max(0) as f32 / full as f32;
        let can = around.game.can_take(spot.entity, self.client);
        let need = match item.kind {
            ItemKind::Weapon => {
                let worth = match i32::from(item.tag) {
                    weapon::BFG => 1.3,
                    weapon::ROCKET | weapon::RAIL => 1.0,
                    weapon::LIGHTNING => 0.95,
                    weapon::PLASMA => 0.85,
                    weapon::SHOTGUN => 0.8,
                    weapon::GRENADE => 0.5,
                    _ => 0.1,
                };
                match own.has_weapon(i32::from(item.tag)) {
                    false => worth,
                    true if own.state.ammo[tag] < 8 => worth * 0.4,
                    true => 0.05,
                }
            }
            ItemKind::Ammo if own.has_weapon(i32::from(item.tag)) => {
                0.35 * missing(own.state.ammo[tag], 60)
            }
            ItemKind::Ammo => 0.04,
            ItemKind::Health if item.quantity == 100 => 1.1,
            ItemKind::Health if item.quantity == 5 => 0.12,
            ItemKind::Health => item.quantity as f32 / 25.0 * 1.5 * missing(own.health(), 100),
            ItemKind::Armor => (item.quantity as f32 / 60.0) * missing(own.armor(), 160),
            ItemKind::Powerup => 1.7,
            ItemKind::Holdable => 0.5,
            ItemKind::Team => return self.flag_value(around, own, tag),
            ItemKind::Persistent | ItemKind::Coin => 0.0,
        };
        let fear = if self.aggression_now == 0 { 1.5 } else { 1.0 };
        let need = if can { need * fear } else { 0.0 };
        // What is seldom within reach is taken while it is.
        let rare = if spot.is_hidden { 3.0 } else { 1.0 };
        (need + self.novelty(around, number)) * rare
    }

    /// Now and then one goes where one has not been for long.
    fn novelty(&self, around: &Around<'_>, spot: usize) -> f32 {
        const MAX_AFTER_MSEC: i32 = 600_000;
        let unseen_msec = self.spots[spot].unseen_msec(around.time);
        1.5 * unseen_msec.min(MAX_AFTER_MSEC) as f32 / MAX_AFTER_MSEC as f32
    }

    fn flag_value(&self, around: &Around<'_>, own: &Situation<'_>, flag: usize) -> f32 {
        if around.game.game_type() != gametype::CTF {
            return 0.0;
        }
        let own_team = around.game.team_of(self.client);
        let own_flag = match own_team {
            team::RED => powerup::REDFLAG,
            _ => powerup::BLUEFLAG,
        };
        let carries =
            own.state.powerups[powerup::REDFLAG] != 0 || own.state.powerups[powerup::BLUEFLAG] != 0;
        match (flag == own_flag, carries) {
            // Home with it.
            (true, true) => 200.0,
            (true, false) if self.defends => 1.5,
            (false, false) if self.defends => 0.8,
            (false, false) => 8.0,
            _ => 0.0,
        }
    }

    /// Notes what lies and what is missing where the bot can see it.
    pub(crate) fn note_items(&mut self, around: &Around<'_>) {
        /// Seen well enough from so near.
        const NEAR: f32 = 400.0;
        let Some(own) = around.game.situation(self.client) else {
            return;
        };
        let origin = own.state.origin;
        for (number, spot) in around.map.graph.spots.iter().enumerate() {
            let away = spot.place.distance(origin);
            if away > NEAR {
                continue;
            }
            let is_touched = shared::bg::pickup::touches_item(origin, spot.place);
            let memory = &mut self.spots[number];
            if is_touched {
                memory.visited_at = around.time;
                memory.was_visited = true;
            }
            let is_there = around.game.is_item_there(spot.entity);
            if is_there {
                memory.absent_until = 0;
                if is_touched && !around.game.can_take(spot.entity, self.client) {
                    memory.shunned_until = around.time + 10_000;
                }
            } else if memory.absent_until <= around.time {
                // One knows how long things take, and guesses when it was taken.
                let kind = item(spot.item).map(|item| item.kind);
                let back_msec = match kind {
                    Some(ItemKind::Weapon) => 5000,
                    Some(ItemKind::Powerup) => 60_000,
                    Some(ItemKind::Armor) => 20_000,
                    Some(ItemKind::Team) => 3000,
                    _ => 30_000,
                };
                memory.absent_until = around.time + back_msec;
            }
        }
    }
}
