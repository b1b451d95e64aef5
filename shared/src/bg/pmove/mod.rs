//! Moves a player by one usercmd: the order of all steps.
//!
//! Server and client run the same move from the same state and must come to the same state, or the client's
//! prediction jumps. So the order of steps, of sums and of roundings is the reference's (`bg_pmove.c`,
//! `PmoveSingle`); [`Settings`] says what differs between servers. The world is asked through
//! [`World`] alone.

mod air;
pub mod animation;
mod ground;
mod posture;
mod rat;
pub mod slide;
mod water;
pub mod weapon;

use super::{
    numbers::{entity_flags, persistant, pm_flags, pm_type, powerup, team},
    numeric::{self, Numeric},
    ratmod::{RatRules, rat_flags},
    ruleset::RuleSet,
    world::World,
};
use crate::bg::ruleset::STAT_HEALTH;
use crate::{
    base::{math::Axes, time::ServerTime},
    types::{
        limits::ENTITYNUM_WORLD,
        playerstate::PlayerState,
        trace::{Sweep, Trace, contents},
        usercmd::{Usercmd, buttons},
    },
};
use glam::Vec3;

/// What the move needs to know about the server and the situation.
#[derive(Clone, Copy, Debug)]
pub struct Settings<'a> {
    /// The game's rules.
    pub rules: &'a RuleSet,
    /// How the server rounds.
    pub numeric: Numeric,
    /// Contents bits that stop the player; see [`trace_mask`].
    pub trace_mask: u32,
    /// Steps are not heard.
    pub no_footsteps: bool,
    /// The gauntlet has something in front of it; never so in prediction.
    pub gauntlet_hit: bool,
    /// `pmove_fixed`: the length of all steps, the value of `pmove_msec`.
    pub fixed_msec: Option<i32>,
    /// OpenArena's `pmove_float`: velocity is not rounded.
    pub float_velocity: bool,
    /// OpenArena's `dmflags`.
    pub dmflags: i32,
    /// RatMod's rules, where the server runs that.
    pub rat: Option<RatRules>,
}

/// What the move found around the player. Kept from move to move: some kinds of move leave parts as they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contact {
    /// Entities bumped into, in order, each once.
    pub touched: Vec<i32>,
    /// Lowest corner of the player's box, relative to his origin.
    pub mins: Vec3,
    /// Highest corner.
    pub maxs: Vec3,
    /// 0 dry, 1 feet, 2 waist, 3 head.
    pub water_level: i32,
    /// Contents bits of the liquid.
    pub water_type: u32,
    /// Horizontal speed in units per second.
    pub xy_speed: f32,
}

/// Which contents stop a player of this mode and team.
pub fn trace_mask(pm_type: i32, team: i32) -> u32 {
    if matches!(pm_type, pm_type::DEAD | pm_type::SPECTATOR) || team == team::SPECTATOR {
        contents::MASK_DEADSOLID
    } else {
        contents::MASK_PLAYERSOLID
    }
}

/// The time of a command as `pmove_fixed` has it: a multiple of the step.
pub fn round_up_time(time: ServerTime, msec: i32) -> ServerTime {
    let msec = msec.max(1);
    ServerTime((time.0.wrapping_add(msec - 1) / msec).wrapping_mul(msec))
}

/// Moves the player by one command (`bg_pmove.c`, `Pmove`).
///
/// Long commands run as several steps. A command from before the player's time does nothing, and of one
/// that is more than a second later only the last second counts.
pub fn pmove(
    world: &dyn World,
    player: &mut PlayerState,
    mut command: Usercmd,
    settings: &Settings<'_>,
    contact: &mut Contact,
) {
    const MAX_STEP_MSEC: i32 = 66;
    let last = command.server_time.0;
    // As a difference, so that no time is too near the end of the clock.
    let behind_msec = command.server_time - ServerTime(player.command_time);
    if behind_msec < 0 {
        return;
    }
    if behind_msec > 1000 {
        player.command_time = last.wrapping_sub(1000);
    }
    if settings.rat.is_some() {
        rat::note_keys(player, &command);
    }
    player.pmove_framecount = player.pmove_framecount.wrapping_add(1) & 63;
    let limit = settings.fixed_msec.unwrap_or(MAX_STEP_MSEC).max(1);
    let mut mask = settings.trace_mask;
    while player.command_time != last {
        let msec = last.wrapping_sub(player.command_time).min(limit);
        command.server_time = ServerTime(player.command_time.wrapping_add(msec));
        let mut step = Move::new(world, player, command, settings, contact, mask);
        step.run();
        (command, mask) = (step.command, step.mask);
        if player.pm_flags & pm_flags::JUMP_HELD != 0 {
            command.up_move = 20;
        }
    }
}

/// Turns the view as the command says (`bg_pmove.c`, `PM_UpdateViewAngles`).
pub fn update_view_angles(player: &mut PlayerState, command: &Usercmd) {
    /// Almost straight up or down.
    const MAX_PITCH: i32 = 16_000;
    let mode = player.pm_type;
    if matches!(mode, pm_type::INTERMISSION | pm_type::SPINTERMISSION)
        || (mode != pm_type::SPECTATOR && player.stats[STAT_HEALTH] <= 0)
    {
        return;
    }
    for (axis, &sent) in command.angles.iter().enumerate() {
        let sent = i32::from(sent);
        let mut angle = sent.wrapping_add(player.delta_angles[axis]) as i16;
        if axis == 0 && i32::from(angle).abs() > MAX_PITCH {
            let limit = MAX_PITCH * i32::from(angle.signum());
            player.delta_angles[axis] = limit - sent;
            angle = limit as i16;
        }
        player.view_angles[axis] = numeric::short_to_angle(angle);
    }
}

/// Adds an event that the client can predict (`bg_misc.c`, `BG_AddPredictableEventToPlayerstate`).
pub fn add_predictable_event(player: &mut PlayerState, event: i32, parameter: i32) {
    let slot = (player.event_sequence & 1) as usize;
    player.events[slot] = event;
    player.event_parms[slot] = parameter;
    player.event_sequence = player.event_sequence.wrapping_add(1);
}

/// One step of at most 66 ms, or of the fixed length.
struct Move<'a> {
    world: &'a dyn World,
    player: &'a mut PlayerState,
    command: Usercmd,
    settings: &'a Settings<'a>,
    contact: &'a mut Contact,
    mask: u32,
    msec: i32,
    /// Length of the step in seconds.
    seconds: f32,
    /// Directions of the view; some moves flatten them for those that follow.
    axes: Axes,
    walking: bool,
    /// There is ground, perhaps too steep to walk on.
    on_plane: bool,
    /// The latest look at the ground.
    ground: Trace,
    start_origin: Vec3,
    start_velocity: Vec3,
    start_water_level: i32,
}

impl<'a> Move<'a> {
    fn new(
        world: &'a dyn World,
        player: &'a mut PlayerState,
        command: Usercmd,
        settings: &'a Settings<'a>,
        contact: &'a mut Contact,
        mask: u32,
    ) -> Self {
        Self {
            world,
            command,
            settings,
            contact,
            mask,
            msec: 0,
            seconds: 0.0,
            axes: Axes {
                forward: Vec3::ZERO,
                right: Vec3::ZERO,
                up: Vec3::ZERO,
            },
            walking: false,
            on_plane: false,
            ground: Trace::default(),
            start_origin: player.origin,
            start_velocity: player.velocity,
            start_water_level: 0,
            player,
        }
    }

    fn run(&mut self) {
        self.contact.touched.clear();
        self.contact.water_level = 0;
        self.contact.water_type = 0;
        self.prepare_command();
        self.begin();
        match self.player.pm_type {
            pm_type::SPECTATOR => {
                self.check_duck();
                self.fly_move();
                self.drop_timers();
            }
            pm_type::NOCLIP => {
                self.noclip_move();
                self.drop_timers();
            }
            pm_type::FREEZE | pm_type::INTERMISSION | pm_type::SPINTERMISSION => {}
            _ => self.run_body(),
        }
    }

    /// A body in the world: everyone who plays or lies dead.
    fn run_body(&mut self) {
        self.sample_water();
        self.start_water_level = self.contact.water_level;
        self.check_duck();
        self.ground_trace();
        self.clip_overbounce();
        if self.player.pm_type == pm_type::DEAD {
            self.dead_move();
        }
        self.drop_timers();
        if let Some(rat) = self.settings.rat {
            self.drop_rat_timers(rat);
        }
        self.move_by_situation();
        self.gestures();
        self.ground_trace();
        self.sample_water();
        let rules = self.settings.rules;
        // With RatMod weapons change while a round waits to begin.
        let waits = rules.openarena && self.has_flag(pm_flags::ELIMWARMUP);
        if !waits || self.settings.rat.is_some() {
            self.weapon();
        }
        if rules.openarena_master {
            self.footsteps();
            self.torso_of_master();
        } else {
            self.torso_idle();
            self.footsteps();
        }
        self.water_events();
        self.snap_velocity();
    }

    fn move_by_situation(&mut self) {
        let powerups = &self.player.powerups;
        if self.settings.rules.team_arena && powerups[powerup::INVULNERABILITY] != 0 {
            self.stop_command();
            self.player.velocity = Vec3::ZERO;
        } else if powerups[powerup::FLIGHT] != 0 {
            self.fly_move();
        } else if self.has_flag(pm_flags::GRAPPLE_PULL) {
            self.move_by_grapple();
        } else if self.has_flag(pm_flags::TIME_WATERJUMP) {
            self.water_jump_move();
        } else if self.contact.water_level > 1 {
            self.water_move();
        } else if self.walking {
            self.walk_move();
        } else {
            self.air_move();
        }
    }

    fn move_by_grapple(&mut self) {
        if !self.has_rat(rat_flags::SWING_GRAPPLE) {
            self.grapple_move();
            return self.air_move();
        }
        self.swing_move();
        if self.on_plane {
            self.walk_move();
        } else {
            self.air_move();
        }
    }

    /// What the command's buttons mean for the whole step.
    fn prepare_command(&mut self) {
        let health = self.player.stats[STAT_HEALTH];
        if health <= 0 && !self.is_frozen() {
            self.mask &= !contents::BODY;
        }
        let command = &mut self.command;
        let fast = |amount: i8| i32::from(amount).abs() > 64;
        if fast(command.forward_move) || fast(command.right_move) {
            command.buttons &= !buttons::WALKING;
        }
        let talking = command.buttons & buttons::TALK != 0;
        let attacking = command.buttons & buttons::ATTACK != 0;
        let player = &mut self.player;
        set(&mut player.e_flags, entity_flags::TALK, talking);
        let mode = player.pm_type;
        let may_fire = player.pm_flags & pm_flags::RESPAWNED == 0
            && mode != pm_type::INTERMISSION
            && (mode != pm_type::NOCLIP || self.settings.rules.fires_in_noclip);
        let firing = may_fire && attacking && ammo(player) != 0;
        set(&mut player.e_flags, entity_flags::FIRING, firing);
        if health > 0 && command.buttons & (buttons::ATTACK | buttons::USE_HOLDABLE) == 0 {
            player.pm_flags &= !pm_flags::RESPAWNED;
        }
        if talking {
            command.buttons = buttons::TALK;
            self.stop_command();
        }
    }

    /// Time, view and what the movement keys say about running backwards.
    fn begin(&mut self) {
        let time = self.command.server_time.0;
        self.msec = time.wrapping_sub(self.player.command_time).clamp(1, 200);
        self.player.command_time = time;
        self.seconds = self.settings.numeric.profile.seconds(self.msec);
        update_view_angles(self.player, &self.command);
        self.axes = self.settings.numeric.profile.axes(self.player.view_angles);
        if self.command.up_move < 10 {
            self.player.pm_flags &= !pm_flags::JUMP_HELD;
        }
        let (forward, right) = (self.command.forward_move, self.command.right_move);
        if forward < 0 {
            self.player.pm_flags |= pm_flags::BACKWARDS_RUN;
        } else if forward > 0 || right != 0 {
            self.player.pm_flags &= !pm_flags::BACKWARDS_RUN;
        }
        if self.player.pm_type >= pm_type::DEAD {
            self.stop_command();
        }
    }

    fn stop_command(&mut self) {
        self.command.forward_move = 0;
        self.command.right_move = 0;
        self.command.up_move = 0;
    }

    fn has_flag(&self, flag: i32) -> bool {
        self.player.pm_flags & flag != 0
    }

    fn has_button(&self, button: u16) -> bool {
        self.command.buttons & button != 0
    }

    fn is_spectator_team(&self) -> bool {
        self.player.persistant[persistant::TEAM] == team::SPECTATOR
    }

    fn normalize(&self, vector: Vec3) -> (Vec3, f32) {
        self.settings.numeric.normalize(vector)
    }

    fn trace(&self, start: Vec3, end: Vec3) -> Trace {
        let Contact { mins, maxs, .. } = *self.contact;
        let own = self.player.client_num;
        let sweep = Sweep {
            start,
            end,
            mins,
            maxs,
            mask: self.mask,
        };
        self.world.trace(&sweep, own)
    }

    fn contents(&self, point: Vec3) -> u32 {
        self.world.point_contents(point, self.player.client_num)
    }

    fn event(&mut self, event: i32) {
        add_predictable_event(self.player, event, 0);
    }

    /// Notes an entity that was bumped into; the world is none.
    fn touch(&mut self, entity: i32) {
        const MAX_TOUCHED: usize = 32;
        let touched = &mut self.contact.touched;
        if entity != ENTITYNUM_WORLD && touched.len() < MAX_TOUCHED && !touched.contains(&entity) {
            touched.push(entity);
        }
    }

    /// Counts down what lasts a while (`bg_pmove.c`, `PM_DropTimers`).
    fn drop_timers(&mut self) {
        let player = &mut self.player;
        if player.pm_time != 0 {
            if self.msec >= player.pm_time {
                player.pm_flags &= !ALL_TIMES;
                player.pm_time = 0;
            } else {
                player.pm_time -= self.msec;
            }
        }
        for timer in [&mut player.legs_timer, &mut player.torso_timer] {
            if *timer > 0 {
                *timer = (*timer - self.msec).max(0);
            }
        }
    }

    /// Rounds the velocity for the wire, unless the server sends it whole.
    fn snap_velocity(&mut self) {
        let rules = self.settings.rules;
        if rules.openarena && self.settings.float_velocity {
            let slick = self.ground.surface_flags & crate::types::trace::surface::SLICK != 0;
            let snaps_on_slick = rules.openarena_master || self.settings.rat.is_some();
            if !(snaps_on_slick && slick || self.is_sliding()) {
                self.player.velocity = self.settings.numeric.profile.flushed(self.player.velocity);
                return;
            }
        }
        self.player.velocity = self.player.velocity.map(numeric::snap_to_integer);
    }
}

/// The flags that `pm_time` counts down for.
const ALL_TIMES: i32 = pm_flags::TIME_WATERJUMP | pm_flags::TIME_LAND | pm_flags::TIME_KNOCKBACK;

/// Ammo of the weapon in hand.
fn ammo(player: &PlayerState) -> i32 {
    usize::try_from(player.weapon)
        .ok()
        .and_then(|weapon| player.ammo.get(weapon))
        .copied()
        .unwrap_or(0)
}

fn set(flags: &mut i32, flag: i32, on: bool) {
    if on {
        *flags |= flag;
    } else {
        *flags &= !flag;
    }
}
