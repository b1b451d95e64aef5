//! Push: movers take along what stands on them or in their way, all or nothing.

use super::{
    Game, STATS,
    combat::{Hit, means_of_death},
};
use glam::Vec3;
use shared::{
    base::math::{Axes, rotate, transpose},
    bg::{numbers::entity_type, numeric::angle_to_short},
    cm::Sweep,
    types::{
        limits::ENTITYNUM_NONE,
        trace::contents,
        trajectory::{Trajectory, kind},
    },
};

/// What was pushed, as it was before.
struct Pushed {
    at: usize,
    origin: Vec3,
    path: Trajectory,
    turn: Trajectory,
    player_origin: Vec3,
    delta_yaw: i32,
}

impl Game {
    /// Moves a team of movers to where it is now, then lets its master think.
    pub(super) fn run_mover(&mut self, at: usize) {
        if self.gentities[at]
            .team_master
            .is_some_and(|master| master != at)
        {
            return;
        }
        let state = &self.world.entities[at].state;
        if state.pos.kind != kind::STATIONARY || state.apos.kind != kind::STATIONARY {
            self.move_team(at);
        }
        self.run_think(at);
    }

    fn move_team(&mut self, master: usize) {
        let team = self.team_members(master);
        let mut pushed = Vec::new();
        for &part in &team {
            let (place, angles) = self.pose_of(part);
            let entity = &self.world.entities[part];
            let (way, turn) = (place - entity.origin, angles - entity.angles);
            if let Err(obstacle) = self.push_entities(part, way, turn, &mut pushed) {
                self.go_back(&team, pushed);
                return self.mover_blocked(master, obstacle);
            }
        }
        for part in team {
            let path = &self.world.entities[part].state.pos;
            let has_ended = self.time >= path.time.wrapping_add(path.duration);
            if path.kind == kind::LINEAR_STOP && has_ended {
                self.mover_reached(part);
            }
        }
    }

    /// The team stays where it was, and its way takes longer.
    fn go_back(&mut self, team: &[usize], pushed: Vec<Pushed>) {
        for one in pushed.into_iter().rev() {
            self.put_back(&one);
        }
        let lost = self.time - self.previous_time;
        for &part in team {
            let state = &mut self.world.entities[part].state;
            state.pos.time = state.pos.time.wrapping_add(lost);
            state.apos.time = state.apos.time.wrapping_add(lost);
            let (place, angles) = self.pose_of(part);
            let entity = &mut self.world.entities[part];
            (entity.origin, entity.angles) = (place, angles);
            self.world.link(part);
        }
    }

    fn put_back(&mut self, one: &Pushed) {
        let entity = &mut self.world.entities[one.at];
        (entity.state.pos, entity.state.apos) = (one.path, one.turn);
        entity.origin = one.origin;
        if let Some(player) = self.players.get_mut(one.at) {
            player.state.origin = one.player_origin;
            player.state.delta_angles[1] = one.delta_yaw;
        }
        self.world.link(one.at);
    }

    /// Moves one mover and what it pushes; the entity that is in the way otherwise.
    fn push_entities(
        &mut self,
        pusher: usize,
        way: Vec3,
        turn: Vec3,
        pushed: &mut Vec<Pushed>,
    ) -> Result<(), usize> {
        if way == Vec3::ZERO && turn == Vec3::ZERO {
            return Ok(());
        }
        let entity = &self.world.entities[pusher];
        let is_turned = entity.angles != Vec3::ZERO || turn != Vec3::ZERO;
        let [low, high] = if is_turned {
            let radius = entity.mins.abs().max(entity.maxs.abs()).length();
            [entity.origin + way - radius, entity.origin + way + radius]
        } else {
            let bounds = entity.link.as_ref().map(|link| link.bounds);
            let Some([low, high]) = bounds else {
                return Ok(());
            };
            [low + way, high + way]
        };
        let (whole_low, whole_high) = (low.min(low - way), high.max(high - way));
        self.world.unlink(pusher);
        let found = self.world.entities_in_box(whole_low, whole_high);
        let entity = &mut self.world.entities[pusher];
        entity.origin += way;
        entity.angles += turn;
        let is_sine = entity.state.pos.kind == kind::SINE || entity.state.apos.kind == kind::SINE;
        self.world.link(pusher);
        for at in found {
            if !self.is_pushable(at, pusher, [low, high]) {
                continue;
            }
            if self.try_push(at, pusher, [way, turn], pushed) {
                continue;
            }
            // Nothing stops what swings.
            if is_sine {
                self.damage(at, &Hit::by(pusher, 99_999, means_of_death::CRUSH));
                continue;
            }
            return Err(at);
        }
        Ok(())
    }

    /// Whether something rides a mover or is where that is now.
    fn is_pushable(&self, at: usize, pusher: usize, [low, high]: [Vec3; 2]) -> bool {
        let entity = &self.world.entities[at];
        let is_loose = matches!(entity.state.e_type, entity_type::ITEM | entity_type::PLAYER)
            || self.gentities[at].is_physical;
        if !is_loose || !entity.is_in_use {
            return false;
        }
        if entity.state.ground_entity_num == pusher as i32 {
            return true;
        }
        let Some(link) = &entity.link else {
            return false;
        };
        let [own_low, own_high] = link.bounds;
        own_low.cmplt(high).all() && own_high.cmpgt(low).all() && self.is_stuck(at)
    }

    /// Whether something is inside of something solid.
    fn is_stuck(&self, at: usize) -> bool {
        let entity = &self.world.entities[at];
        let (origin, mask) = match self.players.get(at) {
            Some(player) if player.state.stats[STATS.health] <= 0 => {
                (player.state.origin, contents::MASK_DEADSOLID)
            }
            Some(player) => (player.state.origin, contents::MASK_PLAYERSOLID),
            None => match self.gentities[at].clip_mask {
                0 => (entity.state.pos.base, contents::MASK_SOLID),
                mask => (entity.state.pos.base, mask),
            },
        };
        let sweep = Sweep {
            start: origin,
            end: origin,
            mins: entity.mins,
            maxs: entity.maxs,
            mask,
        };
        self.world.trace(&sweep, at as i32).start_solid
    }

    fn try_push(
        &mut self,
        at: usize,
        pusher: usize,
        [way, turn]: [Vec3; 2],
        pushed: &mut Vec<Pushed>,
    ) -> bool {
        let middle = self.world.entities[pusher].origin;
        let entity = &mut self.world.entities[at];
        let player = self.players.get_mut(at);
        let before = Pushed {
            at,
            origin: entity.origin,
            path: entity.state.pos,
            turn: entity.state.apos,
            player_origin: player.as_ref().map_or(Vec3::ZERO, |one| one.state.origin),
            delta_yaw: player.as_ref().map_or(0, |one| one.state.delta_angles[1]),
        };
        let from = player
            .as_ref()
            .map_or(entity.state.pos.base, |one| one.state.origin);
        let arm = from - middle;
        let turned = rotate(&transpose(&Axes::from_angles(turn).rows()), arm);
        let moved = way + (turned - arm);
        entity.state.pos.base += moved;
        let is_riding = entity.state.ground_entity_num == pusher as i32;
        if let Some(player) = player {
            player.state.origin += moved;
            let yaw = i32::from(angle_to_short(turn.y));
            player.state.delta_angles[1] = player.state.delta_angles[1].wrapping_add(yaw);
        }
        if !is_riding {
            self.world.entities[at].state.ground_entity_num = ENTITYNUM_NONE;
        }
        if !self.is_stuck(at) {
            let entity = &mut self.world.entities[at];
            entity.origin = match self.players.get(at) {
                Some(player) => player.state.origin,
                None => entity.state.pos.base,
            };
            self.world.link(at);
            pushed.push(before);
            return true;
        }
        // What rides may stay behind where it was.
        self.put_back(&before);
        if self.is_stuck(at) {
            return false;
        }
        self.world.entities[at].state.ground_entity_num = ENTITYNUM_NONE;
        true
    }
}
