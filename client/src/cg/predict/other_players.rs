//! Others predicted: where the other players are on the server by now, for `cg_predictOthers`.
//!
//! A snapshot tells of others where they were, how fast, which way they looked and which way their legs went. That is
//! as good as their last usercmd: it is run through the same pmove as one's own, as long as the snapshot is old. How old
//! it is follows from the measured round trip. Half of that is what it took to get here. Nobody knows when they will
//! turn, so each turn is a miss, which the smoothing of others takes back.

use super::{predictor::Predictor, solid::SolidWorld};
use crate::cg::angles;
use crate::cg::timeline::{Timeline, entities::CEntity};
use glam::{Vec2, Vec3};
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{entity_flags, entity_type, pm_flags, pm_type, team},
        pmove::{Contact, Settings as MoveSettings, animation::anim, pmove},
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
    pub velocity: Vec3,
}

/// How far the picture is behind the server, measured and evened out.
#[derive(Clone, Copy, Debug, Default)]
pub struct LatencyEstimate {
    /// The round trip.
    ping_msec: Option<f32>,
    /// How far a snapshot is ahead of the picture when it arrives.
    gap_msec: Option<f32>,
    newest: ServerTime,
}

impl LatencyEstimate {
    /// Takes in the ping of the newest snapshot, if it is known, and that snapshot's time.
    pub fn note(&mut self, ping_msec: Option<i32>, newest: ServerTime, shown: ServerTime) {
        const UNKNOWN: i32 = 999;
        if newest == self.newest {
            return;
        }
        self.newest = newest;
        follow(&mut self.gap_msec, (newest - shown).max(0) as f32);
        if let Some(ping) = ping_msec.filter(|ping| (0..UNKNOWN).contains(ping)) {
            follow(&mut self.ping_msec, ping as f32);
        }
    }

    /// How far the server is ahead of what is shown: by the gap, and by what a snapshot takes to get here, which is half
    /// the round trip. A usercmd waits half a frame on the server until it is answered, on average.
    pub fn lead_msec(self, server_frame_msec: i32) -> i32 {
        /// Further ahead nothing can be predicted of anybody.
        const LONGEST_MSEC: f32 = 250.0;
        let ping = self.ping_msec.unwrap_or(0.0);
        let way = (ping - server_frame_msec as f32 / 2.0).max(0.0) / 2.0;
        let lead = self.gap_msec.unwrap_or(0.0) + way;
        lead.min(ping).clamp(0.0, LONGEST_MSEC) as i32
    }
}

/// Goes a part of the way to a newer value.
fn follow(value: &mut Option<f32>, newer: f32) {
    const SHARE: f32 = 0.1;
    let before = value.unwrap_or(newer);
    *value = Some(before + (newer - before) * SHARE);
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
        .map(|(number, state)| {
            let player = go_on(predictor, state, base.server_time, now + lead_msec);
            LedPlayer {
                number,
                origin: player.origin,
                velocity: player.velocity,
            }
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
    let has_jumped = (entity.current.e_flags ^ state.e_flags) & entity_flags::TELEPORT_BIT != 0;
    // Whoever is only in one of both snapshots has come or goes.
    let is_known = is_there(state) && !has_jumped && entity.interpolate == is_next;
    is_known.then_some(state)
}

/// Runs a player on from a snapshot to a time.
fn go_on(
    predictor: &Predictor,
    state: &EntityState,
    from: ServerTime,
    to: ServerTime,
) -> PlayerState {
    /// Beyond that the line is broken, and he is left where he ran to.
    const LONGEST_MSEC: i32 = 400;
    let mut player = player_of(state, from, predictor);
    let msec = (to - from).clamp(0, LONGEST_MSEC);
    let variant = predictor.choice.chosen();
    let settings = MoveSettings {
        rules: variant.rules,
        numeric: variant.numeric,
        trace_mask: predictor.rules.trace_mask(pm_type::NORMAL, team::FREE),
        no_footsteps: true,
        gauntlet_hit: false,
        // To the millisecond, or he would be shown in steps.
        fixed_msec: None,
        float_velocity: predictor.rules.float_velocity,
        dmflags: predictor.rules.dm_flags,
        rat: predictor.rules.rat,
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
    player
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
    matches!(
        anim::shown_legs(state.legs_anim) & !anim::TOGGLE_BIT,
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
    let (forward, right) = direction(state, player);
    // Degrees to a circle of 65536 steps; the angles are finite, and the casts wrap around it.
    let angles = state.apos.base.to_array();
    Usercmd {
        server_time: until,
        angles: angles.map(|degrees| (degrees * 65536.0 / 360.0) as i32 as u16),
        forward_move: (forward * f32::from(push)) as i8,
        right_move: (right * f32::from(push)) as i8,
        up_move: if is_crouched(state) { -FULL } else { 0 },
        buttons: if is_walking { buttons::WALKING } else { 0 },
        weapon: state.weapon as u8,
    }
}

/// Which way he pushes, forward and to the right, the larger of both being 1.
fn direction(state: &EntityState, player: &PlayerState) -> (f32, f32) {
    /// Legs tell eighths of a turn; who runs about that way runs as he pushes.
    const ABOUT: f32 = 0.7;
    let legs = match player.movement_dir {
        0 => (1.0, 0.0),
        1 => (1.0, -1.0),
        2 => (0.0, -1.0),
        3 => (-1.0, -1.0),
        4 => (-1.0, 0.0),
        5 => (-1.0, 1.0),
        6 => (0.0, 1.0),
        7 => (1.0, 1.0),
        _ => return (0.0, 0.0),
    };
    let [forward, left, _] = angles::axis_from_angles(Vec3::Y * state.apos.base.y);
    let way = state.pos.delta.with_z(0.0).normalize_or_zero();
    let run = Vec2::new(way.dot(forward), -way.dot(left));
    let pushed = Vec2::from(legs);
    // Whoever does not is about to turn: then the legs know better.
    let pushed = if run.dot(pushed.normalize()) > ABOUT {
        run
    } else {
        pushed
    };
    let most = pushed.abs().max_element().max(f32::MIN_POSITIVE);
    (pushed.x / most, pushed.y / most)
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
        // He turns: the legs go another way than he still does.
        assert_eq!(keys(Vec3::X * 320.0, anim::LEGS_RUN, 3.0), (-127, -127, 0));
        let between = Vec3::new(300.0, 100.0, 0.0);
        assert_eq!(keys(between, anim::LEGS_RUN, 0.0), (127, -42, 0));
        assert_eq!(keys(Vec3::X * 80.0, anim::LEGS_WALKCR, 6.0), (0, 127, -127));
        assert_eq!(keys(Vec3::ZERO, anim::LEGS_IDLE, 0.0), (0, 0, 0));
    }

    #[test]
    fn the_lead_is_the_gap_and_half_the_round_trip_and_bounded() {
        let mut latency = LatencyEstimate::default();
        assert_eq!(latency.lead_msec(50), 0);
        let mut time = 0;
        let mut note = |ping, times: i32| {
            for _ in 0..times {
                time += 50;
                latency.note(Some(ping), ServerTime(time), ServerTime(time - 40));
            }
            latency.lead_msec(50)
        };
        assert_eq!(note(999, 1), 0, "unknown");
        assert_eq!(note(125, 1), 90);
        // Not further than the line is long.
        assert_eq!(note(30, 200), 30);
        assert_eq!(note(900, 200), 250);
    }
}
