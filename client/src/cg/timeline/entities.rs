//! Where each entity is at the shown time: interpolated between two snapshots, or run on from the older one.

use super::{
    even_motion::{JUMP, LONGEST_FRAME_MSEC, Shown},
    snapshots::Snapshots,
};
use crate::cg::{angles, settings::Settings};
use glam::Vec3;
use shared::bg::ruleset::STAT_HEALTH;
use shared::{
    base::time::ServerTime,
    bg::{
        numbers::{entity_flags, entity_type, event as ev, pm_type, powerup},
        trajectory,
    },
    types::{
        entitystate::EntityState,
        limits::{ENTITYNUM_WORLD, MAX_CLIENTS, MAX_GENTITIES},
        playerstate::PlayerState,
        snapshot::Snapshot,
        trajectory::kind,
    },
};

/// What is kept about one entity number from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct CEntity {
    /// As in the older snapshot.
    pub current: EntityState,
    /// As in the newer snapshot, if `interpolate`.
    pub next: EntityState,
    /// It is in the older snapshot, or shown early.
    pub is_valid: bool,
    pub interpolate: bool,
    /// The event field when it was last looked at.
    pub previous_event: i32,
    /// Server time of the last snapshot that had it.
    pub snapshot_time: ServerTime,
    /// When it was new, or changed abruptly, for the last time, and how often that happened.
    pub began: Beginning,
    /// How far ahead of the shown time a missile is drawn.
    pub lead_msec: i32,
    pub origin: Vec3,
    pub angles: Vec3,
    /// Where interpolation had a player last, and where he was drawn.
    shown: Option<Shown>,
    drawn: Option<Shown>,
    /// Where prediction had a player last, his velocity there, and when that was.
    led: Option<(Vec3, Vec3, ServerTime)>,
    /// How far from even motion a player was drawn in this frame.
    pub deviation: Option<f32>,
    /// What is left of the way back after a correction, and since when.
    smoothing: Option<(Vec3, ServerTime)>,
}

/// One event and the entity that it happened to.
#[derive(Clone, Debug)]
pub struct GameEvent {
    pub state: EntityState,
    pub event: i32,
    pub parm: i32,
    pub at: Vec3,
}

/// The beginning of an entity's stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beginning {
    pub count: u32,
    pub at: ServerTime,
}

/// Whether an entity is shown as soon as a newer snapshot tells of it. What has just burst is a general one.
pub fn is_early(state: &EntityState) -> bool {
    matches!(state.e_type, entity_type::MISSILE | entity_type::GENERAL)
}

/// All entities by number.
#[derive(Clone, Debug)]
pub struct Entities {
    all: Vec<CEntity>,
    /// What is shown early and not in the older snapshot.
    early: Vec<i32>,
}

impl Default for Entities {
    fn default() -> Self {
        Self {
            all: vec![CEntity::default(); MAX_GENTITIES],
            early: Vec::new(),
        }
    }
}

impl Entities {
    pub fn get(&self, number: i32) -> Option<&CEntity> {
        usize::try_from(number)
            .ok()
            .and_then(|number| self.all.get(number))
    }

    pub fn get_mut(&mut self, number: i32) -> Option<&mut CEntity> {
        usize::try_from(number)
            .ok()
            .and_then(|number| self.all.get_mut(number))
    }

    /// The first snapshot: everything is where it says.
    pub fn set_initial(&mut self, snap: &Snapshot) {
        for entity in &mut self.all {
            entity.is_valid = false;
            entity.interpolate = false;
        }
        self.take_all(snap);
        self.set_own_current(snap);
    }

    /// A newer snapshot: decides what can be interpolated towards it.
    pub fn set_next(&mut self, next: &Snapshot) {
        for state in &next.entities {
            let Some(entity) = self.all.get_mut(usize::from(state.number)) else {
                continue;
            };
            let jumped = (entity.current.e_flags ^ state.e_flags) & entity_flags::TELEPORT_BIT != 0;
            entity.interpolate = entity.is_valid && !jumped;
            entity.next = *state;
        }
        if let Some(own) = self.get_mut(next.player.client_num) {
            own.next = entity_of_player(&next.player, &own.next);
            own.interpolate = true;
        }
    }

    /// An entity of the newer snapshot that is shown without waiting for its time.
    pub fn set_early(&mut self, state: &EntityState, snap_time: ServerTime, next_time: ServerTime) {
        let Some(entity) = self.all.get_mut(usize::from(state.number)) else {
            return;
        };
        let is_new = !entity.is_valid;
        entity.take(state, next_time);
        if is_new {
            self.early.push(i32::from(state.number));
            // Its smoke begins where it is shown first.
            entity.began.at = snap_time;
        }
        // When its time comes it is not new any more.
        entity.interpolate = true;
    }

    /// Numbers of all that is shown, without the local player.
    pub fn shown(&self, snap: &Snapshot) -> Vec<i32> {
        let in_snap = snap.entities.iter().map(|state| i32::from(state.number));
        in_snap.chain(self.early.iter().copied()).collect()
    }

    /// The newer snapshot becomes the older one.
    pub fn transition(&mut self, previous: &Snapshot, snap: &Snapshot) {
        for state in &previous.entities {
            if let Some(entity) = self.all.get_mut(usize::from(state.number)) {
                entity.is_valid = false;
            }
        }
        self.set_own_current(snap);
        self.take_all(snap);
    }

    fn take_all(&mut self, snap: &Snapshot) {
        self.early.clear();
        for state in &snap.entities {
            if let Some(entity) = self.all.get_mut(usize::from(state.number)) {
                entity.take(state, snap.server_time);
                entity.interpolate = false;
            }
        }
    }

    fn set_own_current(&mut self, snap: &Snapshot) {
        if let Some(own) = self.get_mut(snap.player.client_num) {
            own.current = entity_of_player(&snap.player, &own.current);
            own.current.number = u16::try_from(snap.player.client_num).unwrap_or(0);
            own.interpolate = false;
            own.snapshot_time = snap.server_time;
        }
    }

    /// The event of an entity if it has a new one.
    pub fn take_event(&mut self, number: i32, snap_time: ServerTime) -> Option<GameEvent> {
        let entity = self.get_mut(number)?;
        let mut state = entity.current;
        let event = if state.e_type >= entity_type::EVENTS {
            if entity.previous_event != 0 {
                return None;
            }
            entity.previous_event = 1;
            if state.e_flags & entity_flags::PLAYER_EVENT != 0 {
                state.number = u16::try_from(state.other_entity_num).unwrap_or(0);
            }
            state.e_type - entity_type::EVENTS
        } else {
            if state.event == entity.previous_event {
                return None;
            }
            entity.previous_event = state.event;
            state.event & ev::NUMBER_MASK
        };
        if event == ev::NONE {
            return None;
        }
        let at = trajectory::position_at(&state.pos, snap_time);
        entity.origin = at;
        if event == ev::STOPLOOPINGSOUND
            && let Some(entity) = self.get_mut(i32::from(state.number))
        {
            entity.current.loop_sound = 0;
        }
        let parm = state.event_parm;
        Some(GameEvent {
            state,
            event,
            parm,
            at,
        })
    }

    /// Draws an item no more until a snapshot tells of it again.
    pub fn hide(&mut self, number: i32) {
        if let Some(entity) = self.get_mut(number) {
            entity.current.e_flags |= entity_flags::NODRAW;
        }
    }

    /// Moves everything of the shown snapshot to where it is at `time`.
    pub fn place_all(
        &mut self,
        snapshots: &Snapshots,
        time: ServerTime,
        settings: &Settings,
        extrapolation_msec: i32,
    ) {
        let Some(snap) = &snapshots.snap else { return };
        let numbers = self.shown(snap).into_iter();
        for number in numbers.chain([snap.player.client_num]) {
            let placed = self
                .get(number)
                .map(|entity| self.place(entity, snapshots, time, settings, extrapolation_msec));
            let Some((origin, angles)) = placed else {
                continue;
            };
            // Whoever is predicted is placed by `lead_player`.
            let is_other = number != snap.player.client_num && !settings.predict_others;
            let Some(entity) = self.get_mut(number) else {
                continue;
            };
            entity.angles = angles;
            entity.deviation = None;
            if !(is_other && entity.current.e_type == entity_type::PLAYER) {
                entity.origin = origin;
                continue;
            }
            let jump = Shown::follow(&mut entity.shown, origin, time);
            entity.origin = entity.smooth(origin, jump, time, settings.smooth_others_msec);
            let drawn = Shown::follow(&mut entity.drawn, entity.origin, time);
            entity.deviation = drawn.map(|jump| jump.length());
        }
    }

    /// Shows another player where prediction has him, with the velocity there; corrections glide.
    pub fn lead_player(
        &mut self,
        number: i32,
        [origin, velocity]: [Vec3; 2],
        time: ServerTime,
        smooth_msec: f32,
    ) {
        let Some(entity) = self.get_mut(number) else {
            return;
        };
        // Where he would be without the newest correction.
        let before = entity.led.replace((origin, velocity, time));
        let jump = before
            .filter(|(_, _, at)| time.is_within(*at, LONGEST_FRAME_MSEC))
            .map(|(from, velocity, at)| from + velocity * ((time - at) as f32 / 1000.0) - origin);
        entity.origin = entity.smooth(origin, jump, time, smooth_msec);
        let drawn = Shown::follow(&mut entity.drawn, entity.origin, time);
        entity.deviation = drawn.map(|jump| jump.length());
    }

    fn place(
        &self,
        entity: &CEntity,
        snapshots: &Snapshots,
        time: ServerTime,
        settings: &Settings,
        extrapolation_msec: i32,
    ) -> (Vec3, Vec3) {
        let snap_time = snapshots
            .snap
            .as_ref()
            .map_or(time, |snap| snap.server_time);
        let is_player = usize::from(entity.current.number) < MAX_CLIENTS;
        let (mut pos, apos) = (entity.current.pos, entity.current.apos);
        if is_player && !settings.smooth_clients {
            pos.kind = kind::INTERPOLATE;
        }
        if entity.interpolate
            && (pos.kind == kind::INTERPOLATE || (is_player && pos.kind == kind::LINEAR_STOP))
            && let Some(next) = &snapshots.next
        {
            let fraction = snapshots.fraction(time);
            let next_time = next.server_time;
            let mut next_pos = entity.next.pos;
            if is_player && !settings.smooth_clients {
                next_pos.kind = kind::INTERPOLATE;
            }
            let from = trajectory::position_at(&pos, snap_time);
            let to = trajectory::position_at(&next_pos, next_time);
            let from_angles = trajectory::position_at(&apos, snap_time);
            let to_angles = trajectory::position_at(&entity.next.apos, next_time);
            return (
                from.lerp(to, fraction),
                angles::lerp_angles(from_angles, to_angles, fraction),
            );
        }
        if is_player && extrapolation_msec > 0 && pos.kind == kind::INTERPOLATE {
            pos.kind = kind::LINEAR_STOP;
            pos.time = snap_time.0;
            pos.duration = extrapolation_msec;
        }
        let origin = trajectory::position_at(&pos, time);
        let angles = trajectory::position_at(&apos, time);
        self.ride(
            origin,
            angles,
            entity.current.ground_entity_num,
            entity.snapshot_time,
            time,
        )
    }

    /// Carries a point along with the mover it stands on.
    pub fn ride(
        &self,
        origin: Vec3,
        angles: Vec3,
        ground: i32,
        from: ServerTime,
        to: ServerTime,
    ) -> (Vec3, Vec3) {
        if ground <= 0 || ground >= ENTITYNUM_WORLD {
            return (origin, angles);
        }
        let Some(mover) = self
            .get(ground)
            .filter(|mover| mover.current.e_type == entity_type::MOVER)
        else {
            return (origin, angles);
        };
        let old_origin = trajectory::position_at(&mover.current.pos, from);
        let moved = trajectory::position_at(&mover.current.pos, to) - old_origin;
        let turned = trajectory::position_at(&mover.current.apos, to)
            - trajectory::position_at(&mover.current.apos, from);
        let arm = origin - old_origin;
        let turned_arm = angles::to_world(arm, &angles::axis_from_angles(turned));
        (origin + (moved + (turned_arm - arm)), angles + turned)
    }
}

impl CEntity {
    /// The player as shown, as an entity.
    pub fn follow_player(&mut self, player: &PlayerState) {
        self.current = entity_of_player(player, &self.current);
        self.origin = player.origin;
        self.angles = player.view_angles;
    }

    /// Becomes what a snapshot tells.
    fn take(&mut self, state: &EntityState, snap_time: ServerTime) {
        self.current = *state;
        self.is_valid = true;
        if !self.interpolate {
            self.reset(snap_time);
        }
        self.snapshot_time = snap_time;
    }

    /// Forgets what must not carry over an abrupt change.
    fn reset(&mut self, now: ServerTime) {
        if now - self.snapshot_time > 300 {
            self.previous_event = 0;
        }
        self.began = Beginning {
            count: self.began.count.wrapping_add(1),
            at: now,
        };
        self.origin = self.current.origin;
        self.angles = self.current.angles;
        self.smoothing = None;
        (self.shown, self.drawn, self.led) = (None, None, None);
        if self.current.e_type == entity_type::PLAYER {
            self.origin = trajectory::position_at(&self.current.pos, now);
            self.angles = trajectory::position_at(&self.current.apos, now);
        }
    }

    /// With smoothing on, a player who would jump by a little glides to his new place instead.
    fn smooth(
        &mut self,
        target: Vec3,
        jump: Option<Vec3>,
        time: ServerTime,
        smooth_msec: f32,
    ) -> Vec3 {
        /// A longer jump is a teleport, not a correction.
        const LONGEST: f32 = 64.0;
        if smooth_msec <= 0.0 {
            self.smoothing = None;
            return target;
        }
        let left = |(offset, since): (Vec3, ServerTime)| {
            offset * (1.0 - (time - since) as f32 / smooth_msec).clamp(0.0, 1.0)
        };
        let before = self.smoothing.map_or(Vec3::ZERO, left);
        match jump.filter(|jump| (JUMP..LONGEST).contains(&jump.length())) {
            Some(jump) => self.smoothing = Some((before + jump, time)),
            None if before == Vec3::ZERO => self.smoothing = None,
            None => {}
        }
        target + self.smoothing.map_or(Vec3::ZERO, left)
    }
}

/// The entity that a playerstate looks like from outside, without rounding; keeps events already seen.
pub fn entity_of_player(player: &PlayerState, before: &EntityState) -> EntityState {
    let health = player.stats[STAT_HEALTH];
    let is_hidden =
        matches!(player.pm_type, pm_type::INTERMISSION | pm_type::SPECTATOR) || health <= -40;
    let mut state = EntityState {
        number: u16::try_from(player.client_num).unwrap_or(0),
        e_type: if is_hidden {
            entity_type::INVISIBLE
        } else {
            entity_type::PLAYER
        },
        legs_anim: player.legs_anim,
        torso_anim: player.torso_anim,
        client_num: player.client_num,
        e_flags: player.e_flags & !entity_flags::DEAD
            | if health <= 0 { entity_flags::DEAD } else { 0 },
        weapon: player.weapon,
        ground_entity_num: player.ground_entity_num,
        loop_sound: player.loop_sound,
        generic1: player.generic1,
        event: before.event,
        event_parm: before.event_parm,
        origin: player.origin,
        angles: player.view_angles,
        ..EntityState::default()
    };
    state.pos.kind = kind::INTERPOLATE;
    state.pos.base = player.origin;
    state.pos.delta = player.velocity;
    state.apos.kind = kind::INTERPOLATE;
    state.apos.base = player.view_angles;
    state.angles2.y = player.movement_dir as f32;
    for number in powerup::QUAD..16 {
        if player.powerups[number] != 0 {
            state.powerups |= 1 << number;
        }
    }
    state
}
