//! Others predicted: where the other players are on the server by now, for `cg_predictOthers`.
//!
//! A snapshot tells of others where they were, how fast, which way they looked and which way their legs went. That is
//! as good as their last usercmd: it is run through the same pmove as one's own, as long as the snapshot is old. How old
//! it is follows from the measured round trip. Half of that is what it took to get here. Nobody knows when they will
//! turn, so each turn is a miss, which the smoothing of others takes back.

use super::{predictor::Predictor, solid::SolidWorld};
use crate::cg::timeline::{Timeline, entities::CEntity, snapshots::EF_TELEPORT_BIT};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{entity_flags, entity_type, pm_flags, pm_type, team},
        pmove::{self, Contact, Settings as MoveSettings, animation::anim, pmove},
        trajectory::position_at,
    },
    types::{
        entitystate::EntityState,
        playerstate::PlayerState,
        usercmd::{Usercmd, buttons},
    },
};

/// Where another player is shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LedPlayer {
    pub number: i32,
    pub origin: Vec3,
}

/// The measured round trip, evened out.
#[derive(Clone, Copy, Debug, Default)]
pub struct Latency {
    msec: Option<f32>,
}

impl Latency {
    /// Takes in the ping of the newest snapshot; those that are not known do not count.
    pub fn note(&mut self, ping_msec: Option<i32>) {
        /// One of about as many frames.
        const SHARE: f32 = 0.02;
        const UNKNOWN: i32 = 999;
        let Some(ping) = ping_msec.filter(|ping| (0..UNKNOWN).contains(ping)) else {
            return;
        };
        let ping = ping as f32;
        let before = self.msec.unwrap_or(ping);
        self.msec = Some(before + (ping - before) * SHARE);
    }

    /// How far the server is ahead of what is shown.
    pub fn lead_msec(self) -> i32 {
        /// Further ahead nothing can be foretold of anybody.
        const LONGEST_MSEC: f32 = 250.0;
        let half = self.msec.unwrap_or(0.0) / 2.0;
        half.min(LONGEST_MSEC) as i32
    }
}

/// All other players that can be continued by so much from the shown time.
pub fn lead_players(
    timeline: &Timeline,
    predictor: &Predictor,
    now: ServerTime,
    lead_msec: i32,
) -> Vec<LedPlayer> {
    let snapshots = timeline.snapshots();
    let (Some(snap), Some(base)) = (timeline.snap(), snapshots.base()) else {
        return Vec::new();
    };
    let is_next = base.server_time != snap.server_time;
    let shown = timeline.entities().shown(snap).into_iter();
    let known = shown.filter_map(|number| {
        let state = newest_state(timeline.entity(number)?, is_next)?;
        (number != timeline.viewed_client()).then_some((number, state))
    });
    known
        .map(|(number, state)| LedPlayer {
            number,
            origin: go_on(predictor, state, base.server_time, now + lead_msec),
        })
        .collect()
}

/// What is known last of a player who is alive and has not been elsewhere since.
fn newest_state(entity: &CEntity, is_next: bool) -> Option<&EntityState> {
    let is_there = |state: &EntityState| {
        state.e_type == entity_type::PLAYER && state.e_flags & entity_flags::DEAD == 0
    };
    let state = match is_next && entity.interpolate {
        true => &entity.next,
        false => &entity.current,
    };
    let has_jumped = (entity.current.e_flags ^ state.e_flags) & EF_TELEPORT_BIT != 0;
    // Who is only in one of both snapshots has come or goes.
    let is_known = is_there(state) && !has_jumped && entity.interpolate == is_next;
    is_known.then_some(state)
}

/// Runs a player on from a snapshot to a time.
fn go_on(predictor: &Predictor, state: &EntityState, from: ServerTime, to: ServerTime) -> Vec3 {
    /// Beyond that the line is broken, and he is left where he ran to.
    const LONGEST_MSEC: i32 = 400;
    let mut player = player_of(state, from, predictor);
    let msec = (to - from).clamp(0, LONGEST_MSEC);
    let variant = predictor.choice.chosen();
    let settings = MoveSettings {
        rules: variant.rules,
        numeric: variant.numeric,
        trace_mask: pmove::trace_mask(pm_type::NORMAL, team::FREE),
        no_footsteps: true,
        gauntlet_hit: false,
        // To the millisecond, or he would be shown in steps.
        fixed_msec: None,
        float_velocity: predictor.rules.float_velocity,
        dmflags: predictor.rules.dm_flags,
    };
    let usercmd = last_usercmd(state, &player, from + msec);
    let world: &SolidWorld = &predictor.world;
    pmove(
        world,
        &mut player,
        usercmd,
        &settings,
        &mut Contact::default(),
    );
    player.origin
}

/// The playerstate that a player's entity shows, as far as movement goes.
fn player_of(state: &EntityState, time: ServerTime, predictor: &Predictor) -> PlayerState {
    /// What players run and fall with, unless the game is told otherwise; the own ones are those of all.
    const HEALTH: i32 = 100;
    const VIEW_HEIGHT: i32 = 26;
    let rules = predictor.choice.chosen().rules;
    let (speed, gravity) = predictor.speed_and_gravity();
    let mut player = PlayerState {
        command_time: time.0,
        pm_type: pm_type::NORMAL,
        origin: position_at(&state.pos, time),
        velocity: state.pos.delta,
        speed,
        gravity,
        ground_entity_num: state.ground_entity_num,
        client_num: i32::from(state.number),
        view_angles: state.apos.base,
        view_height: VIEW_HEIGHT,
        weapon: state.weapon,
        // His weapon is none of our business.
        weapon_time: i32::from(i16::MAX),
        movement_dir: state.angles2.y as i32,
        legs_anim: state.legs_anim,
        ..PlayerState::default()
    };
    player.stats[rules.stats.health] = HEALTH;
    for (number, powerup) in player.powerups.iter_mut().enumerate() {
        if state.powerups & 1 << number != 0 {
            *powerup = i32::MAX;
        }
    }
    if is_crouched(state) {
        player.pm_flags |= pm_flags::DUCKED;
    }
    player
}

fn is_crouched(state: &EntityState) -> bool {
    let legs = state.legs_anim & !anim::TOGGLE_BIT;
    matches!(
        legs,
        anim::LEGS_WALKCR | anim::LEGS_IDLECR | anim::LEGS_BACKCR
    )
}

/// The keys that the legs' direction and the speed tell of.
fn last_usercmd(state: &EntityState, player: &PlayerState, until: ServerTime) -> Usercmd {
    /// Slower ones are about to stand.
    const STANDS: f32 = 40.0;
    const FULL: i8 = 127;
    const WALK: i8 = 64;
    let speed = state.pos.delta.truncate().length();
    let is_walking = speed < player.speed as f32 * 0.6 && !is_crouched(state);
    let push = match speed < STANDS {
        true => 0,
        false if is_walking => WALK,
        false => FULL,
    };
    let (forward, right) = match player.movement_dir {
        0 => (1, 0),
        1 => (1, -1),
        2 => (0, -1),
        3 => (-1, -1),
        4 => (-1, 0),
        5 => (-1, 1),
        6 => (0, 1),
        7 => (1, 1),
        _ => (0, 0),
    };
    // Degrees to a circle of 65536 steps; the angles are finite, and the casts wrap around it.
    let angles = state.apos.base.to_array();
    Usercmd {
        server_time: until,
        angles: angles.map(|degrees| (degrees * 65536.0 / 360.0) as i32 as u16),
        forward_move: forward * push,
        right_move: right * push,
        up_move: if is_crouched(state) { -FULL } else { 0 },
        buttons: if is_walking { buttons::WALKING } else { 0 },
        weapon: state.weapon as u8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner(velocity: Vec3, legs: i32, direction: f32) -> (EntityState, PlayerState) {
        let mut state = EntityState {
            e_type: entity_type::PLAYER,
            legs_anim: legs,
            ..EntityState::default()
        };
        state.pos.delta = velocity;
        state.angles2.y = direction;
        let player = PlayerState {
            speed: 320,
            movement_dir: direction as i32,
            ..PlayerState::default()
        };
        (state, player)
    }

    #[test]
    fn legs_and_speed_tell_the_last_keys() {
        let keys = |velocity, legs, direction| {
            let (state, player) = runner(velocity, legs, direction);
            let usercmd = last_usercmd(&state, &player, ServerTime(50));
            (usercmd.forward_move, usercmd.right_move, usercmd.up_move)
        };
        assert_eq!(keys(Vec3::X * 320.0, anim::LEGS_RUN, 0.0), (127, 0, 0));
        assert_eq!(keys(Vec3::X * 160.0, anim::LEGS_WALK, 0.0), (64, 0, 0));
        assert_eq!(keys(Vec3::X * 320.0, anim::LEGS_RUN, 3.0), (-127, -127, 0));
        assert_eq!(keys(Vec3::X * 80.0, anim::LEGS_WALKCR, 6.0), (0, 127, -127));
        assert_eq!(keys(Vec3::ZERO, anim::LEGS_IDLE, 0.0), (0, 0, 0));
    }

    #[test]
    fn the_lead_is_half_the_round_trip_and_bounded() {
        let mut latency = Latency::default();
        assert_eq!(latency.lead_msec(), 0);
        latency.note(Some(999));
        assert_eq!(latency.lead_msec(), 0);
        latency.note(Some(120));
        assert_eq!(latency.lead_msec(), 60);
        (0..500).for_each(|_| latency.note(Some(60)));
        assert!((29..=31).contains(&latency.lead_msec()));
        (0..1000).for_each(|_| latency.note(Some(900)));
        assert_eq!(latency.lead_msec(), 250);
    }
}
