//! Combat: damage by armour, powerups and knockback; explosions; death, gibs and obituaries.

use super::{
    Game, STATS,
    gentity::{Class, MoverState, snapped},
};
use glam::Vec3;
pub(super) use shared::bg::numbers::means_of_death;
use shared::{
    base::math::normalize,
    bg::{
        numbers::{entity_flags, entity_type, event, persistant, pm_flags, pm_type, powerup},
        pmove::animation::anim,
    },
    cm::Sweep,
    types::{
        limits::{ENTITYNUM_NONE, ENTITYNUM_WORLD},
        trace::{Trace, contents},
    },
};

/// Bits of [`Hit::flags`].
pub(super) const RADIUS: u32 = 1;
pub(super) const NO_ARMOR: u32 = 2;
pub(super) const NO_PROTECTION: u32 = 4;

/// Health from which on there is no body left.
pub(super) const GIB_HEALTH: i32 = -40;
/// Nobody gets lower than this.
const MIN_HEALTH: i32 = -999;
/// The dead cannot come back before so many milliseconds.
const MIN_DEAD_MSEC: i32 = 1700;
/// Two frags within so many milliseconds are excellent.
const EXCELLENT_MSEC: i32 = 3000;
/// So long an award is shown.
pub(super) const AWARD_MSEC: i32 = 2000;
/// Part of the damage that armour takes.
const ARMOR_PROTECTION: f64 = 0.66;
/// A player's mass.
const MASS: f32 = 200.0;
/// Maps can ask for more.
const MAX_DAMAGE: i32 = 1_000_000;
/// More damage pushes no further.
const MAX_KNOCKBACK: i32 = 200;

/// What hurts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// The missile, the player, the mover; none for the world.
    pub inflictor: Option<usize>,
    pub attacker: Option<usize>,
    /// Where it pushes; none for no push.
    pub direction: Option<Vec3>,
    pub amount: i32,
    pub flags: u32,
    pub cause: i32,
}

impl Hit {
    /// The world does it.
    pub(super) fn new(amount: i32, cause: i32) -> Self {
        Self {
            inflictor: None,
            attacker: None,
            direction: None,
            amount,
            flags: 0,
            cause,
        }
    }

    /// An entity does it by itself.
    pub(super) fn by(at: usize, amount: i32, cause: i32) -> Self {
        Self {
            inflictor: Some(at),
            attacker: Some(at),
            ..Self::new(amount, cause)
        }
    }
}

/// An explosion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blast {
    pub origin: Vec3,
    pub inflictor: usize,
    pub attacker: Option<usize>,
    pub damage: f32,
    pub radius: f32,
    /// Who was hit directly, and is not hurt twice.
    pub ignored: Option<usize>,
    pub cause: i32,
}

impl Game {
    pub(super) fn damage(&mut self, target: usize, hit: &Hit) {
        let gentity = &self.gentities[target];
        if !gentity.takes_damage || self.intermission_queued_at.is_some() {
            return;
        }
        if gentity.class.is_mover() {
            if gentity.mover.state == MoverState::At1 {
                self.use_entity(target, hit.attacker);
            }
            return;
        }
        let attacker = hit.attacker.filter(|&at| self.is_client(at));
        let by_other = attacker.filter(|&at| at != target);
        let mut amount = hit.amount.clamp(-MAX_DAMAGE, MAX_DAMAGE);
        // A missile outlasts a player who leaves.
        let strong = by_other.map(|at| &self.players[at]);
        if let Some(player) = strong.filter(|one| one.is_connected) {
            amount = amount.saturating_mul(player.state.stats[STATS.max_health]) / 100;
        }
        let is_player = self.is_client(target);
        if is_player && self.players[target].life.is_noclip {
            return;
        }
        let direction = hit.direction.map(|direction| normalize(direction).0);
        self.push(target, direction, amount);
        if hit.flags & NO_PROTECTION == 0 && self.is_protected(target, by_other) {
            return;
        }
        if self.has_powerup(target, powerup::BATTLESUIT) {
            self.add_event(target, event::POWERUP_BATTLESUIT, 0);
            if hit.flags & RADIUS != 0 || hit.cause == means_of_death::FALLING {
                return;
            }
            amount = (f64::from(amount) * 0.5) as i32;
        }
        if let Some(attacker) = by_other {
            self.note_hit(attacker, target);
        }
        if hit.attacker == Some(target) {
            amount = (f64::from(amount) * 0.5) as i32;
        }
        amount = amount.max(1);
        if is_player {
            self.hurt_player(target, hit, amount, direction);
        } else {
            self.hurt_thing(target, hit, amount);
        }
    }

    /// Knockback, which comes even where damage is refused.
    fn push(&mut self, target: usize, direction: Option<Vec3>, amount: i32) {
        let knockback = amount.min(MAX_KNOCKBACK);
        let scale = self.settings.knockback * knockback as f32 / MASS;
        let (Some(direction), Some(player)) = (direction, self.players.get_mut(target)) else {
            return;
        };
        if knockback == 0 || player.life.has_no_knockback {
            return;
        }
        let state = &mut player.state;
        state.velocity += direction * scale;
        if state.pm_time == 0 {
            state.pm_time = (knockback * 2).clamp(50, 200);
            state.pm_flags |= pm_flags::TIME_KNOCKBACK;
        }
    }

    fn is_protected(&self, target: usize, by_other: Option<usize>) -> bool {
        let is_friend = by_other.is_some_and(|at| self.is_same_team(at, target));
        let is_god = self.players.get(target).is_some_and(|one| one.life.is_god);
        is_friend && !self.settings.has_friendly_fire || is_god
    }

    pub(super) fn is_same_team(&self, one: usize, other: usize) -> bool {
        let team = |at: usize| self.players.get(at).map(|one| one.team());
        self.settings.is_team_game() && team(one).is_some() && team(one) == team(other)
    }

    pub(super) fn has_powerup(&self, at: usize, which: usize) -> bool {
        let player = self.players.get(at);
        player.is_some_and(|one| one.has_powerup(which))
    }

    /// Counts a hit for the shooter's feedback.
    fn note_hit(&mut self, attacker: usize, target: usize) {
        let is_friend = self.is_same_team(attacker, target);
        let e_type = self.world.entities[target].state.e_type;
        let Some(victim) = self.players.get(target) else {
            return;
        };
        let (health, armor) = (victim.health(), victim.state.stats[STATS.armor]);
        if health <= 0 || matches!(e_type, entity_type::MISSILE | entity_type::GENERAL) {
            return;
        }
        let persistants = &mut self.players[attacker].state.persistant;
        persistants[persistant::HITS] += if is_friend { -1 } else { 1 };
        persistants[persistant::ATTACKEE_ARMOR] = health << 8 | armor;
    }

    fn hurt_player(&mut self, target: usize, hit: &Hit, amount: i32, direction: Option<Vec3>) {
        let time = self.time;
        if self.settings.is_ctf() {
            self.note_hurt_carrier(target, hit.attacker);
        }
        let player = &mut self.players[target];
        let armor = &mut player.state.stats[STATS.armor];
        let saved = match hit.flags & NO_ARMOR {
            0 => ((f64::from(amount) * ARMOR_PROTECTION).ceil() as i32).min(*armor),
            _ => 0,
        };
        *armor -= saved;
        let taken = amount - saved;
        let attacker = hit.attacker.map_or(ENTITYNUM_WORLD, |at| at as i32);
        player.state.persistant[persistant::ATTACKER] = attacker;
        let life = &mut player.life;
        life.damage_armor += saved;
        life.damage_blood += taken;
        life.damage_from = direction;
        life.last_hurt_client = hit.attacker;
        life.last_hurt_cause = hit.cause;
        if taken == 0 {
            return;
        }
        let left = player.health() - taken;
        player.set_health(left.max(MIN_HEALTH));
        if left <= 0 {
            player.life.has_no_knockback = true;
            self.die(target, hit, time);
        }
    }

    fn hurt_thing(&mut self, target: usize, hit: &Hit, amount: i32) {
        let gentity = &mut self.gentities[target];
        gentity.health -= amount;
        if gentity.health > 0 {
            return;
        }
        gentity.health = gentity.health.max(MIN_HEALTH);
        match gentity.class {
            Class::Body if gentity.health <= GIB_HEALTH && self.settings.has_blood => {
                self.gib_body(target);
            }
            Class::Body => gentity.health = gentity.health.max(GIB_HEALTH + 1),
            _ => self.use_entity(target, hit.attacker),
        }
    }

    /// Hurts everything around; true if that includes a live enemy of the attacker.
    pub(super) fn radius_damage(&mut self, blast: &Blast) -> bool {
        let radius = blast.radius.max(1.0);
        let reach = Vec3::splat(radius);
        let found = self
            .world
            .entities_in_box(blast.origin - reach, blast.origin + reach);
        let mut has_hit = false;
        for at in found {
            if Some(at) == blast.ignored || !self.gentities[at].takes_damage {
                continue;
            }
            let Some(link) = &self.world.entities[at].link else {
                continue;
            };
            let [low, high] = link.bounds;
            let apart = (low - blast.origin)
                .max(blast.origin - high)
                .max(Vec3::ZERO);
            let distance = apart.length();
            if distance >= radius {
                continue;
            }
            let part = 1.0 - f64::from(distance / radius);
            let points = (f64::from(blast.damage) * part) as f32;
            if !self.can_damage(at, blast.origin) {
                continue;
            }
            has_hit |= self.is_accurate(at, blast.attacker);
            // A little upward, so that those hit come off the ground.
            let direction = self.world.entities[at].origin - blast.origin + Vec3::Z * 24.0;
            let hit = Hit {
                inflictor: Some(blast.inflictor),
                attacker: blast.attacker,
                direction: Some(direction),
                amount: points as i32,
                flags: RADIUS,
                cause: blast.cause,
            };
            self.damage(at, &hit);
        }
        has_hit
    }

    /// What of walls and movers is on a straight line.
    pub(super) fn trace_sight(&self, start: Vec3, end: Vec3) -> Trace {
        let sweep = Sweep {
            start,
            end,
            mins: Vec3::ZERO,
            maxs: Vec3::ZERO,
            mask: contents::MASK_SOLID,
        };
        self.world.trace(&sweep, ENTITYNUM_NONE)
    }

    /// Whether an explosion reaches an entity past walls.
    fn can_damage(&self, at: usize, origin: Vec3) -> bool {
        let Some(link) = &self.world.entities[at].link else {
            return false;
        };
        let middle = (link.bounds[0] + link.bounds[1]) * 0.5;
        let trace_to = |end: Vec3| self.trace_sight(origin, end);
        let direct = trace_to(middle);
        if direct.fraction == 1.0 || direct.entity_num == at as i32 {
            return true;
        }
        (0..8).any(|corner: u32| {
            let side = |bit: u32| if corner & bit == 0 { 15.0 } else { -15.0 };
            let offset = Vec3::new(side(1), side(2), side(4));
            trace_to(middle + offset).fraction == 1.0
        })
    }

    /// Whether a hit counts for the shooter's accuracy: a live enemy.
    pub(super) fn is_accurate(&self, target: usize, attacker: Option<usize>) -> bool {
        let Some(attacker) = attacker.filter(|&at| at != target && self.is_client(at)) else {
            return false;
        };
        let victim = self.players.get(target);
        victim.is_some_and(|victim| victim.health() > 0)
            && self.gentities[target].takes_damage
            && !self.is_same_team(attacker, target)
    }

    pub(super) fn die(&mut self, client: usize, hit: &Hit, time: i32) {
        let player = &mut self.players[client];
        if player.state.pm_type == pm_type::DEAD || self.intermission_at.is_some() {
            return;
        }
        player.state.pm_type = pm_type::DEAD;
        player.state.persistant[persistant::KILLED] += 1;
        self.celebrate_near_capture(client);
        self.free_hook(client);
        let killer = hit.attacker.filter(|&at| self.is_client(at));
        self.tell_obituary(client, killer, hit.cause);
        self.score_frag(client, killer, hit.cause);
        if self.settings.is_ctf() {
            self.give_frag_bonuses(client, killer);
        }
        if hit.cause == means_of_death::SUICIDE {
            self.return_carried_flags(client);
        }
        self.toss_items(client);
        self.tell_scores_of_death(client);
        let facing = self.facing_of_death(client, hit);
        let player = &mut self.players[client];
        let state = &mut player.state;
        state.view_angles.x = 0.0;
        state.view_angles.z = 0.0;
        state.stats[STATS.dead_yaw] = facing as i32;
        state.loop_sound = 0;
        state.powerups = [0; 16];
        player.life.respawn_at = time + MIN_DEAD_MSEC;
        player.life.has_no_knockback = true;
        let entity = &mut self.world.entities[client];
        entity.contents = contents::CORPSE;
        entity.maxs.z = -8.0;
        entity.state.weapon = 0;
        entity.state.powerups = 0;
        self.lie_down(client, killer, hit.cause);
        self.world.link(client);
    }

    /// The animation of death, or no body at all.
    fn lie_down(&mut self, client: usize, killer: Option<usize>, cause: i32) {
        let origin = self.world.entities[client].origin;
        let has_no_drop = self.world.point_contents(origin, client as i32) & contents::NODROP != 0;
        let killer = killer.map_or(ENTITYNUM_WORLD, |at| at as i32);
        let has_blood = self.settings.has_blood;
        let player = &mut self.players[client];
        let health = player.health();
        let is_suicide = cause == means_of_death::SUICIDE;
        if health <= GIB_HEALTH && !has_no_drop && has_blood || is_suicide {
            return self.gib_player(client, killer);
        }
        if !has_blood && health <= GIB_HEALTH {
            player.set_health(GIB_HEALTH + 1);
        }
        let turn = self.death_animation;
        self.death_animation = (turn + 1) % 3;
        let number = [DEATH_1, DEATH_2, DEATH_3][turn];
        let state = &mut player.state;
        state.legs_anim = (state.legs_anim & anim::TOGGLE_BIT ^ anim::TOGGLE_BIT) | number;
        state.torso_anim = (state.torso_anim & anim::TOGGLE_BIT ^ anim::TOGGLE_BIT) | number;
        self.add_event(client, event::DEATH1 + turn as i32, killer);
    }

    fn gib_player(&mut self, client: usize, killer: i32) {
        self.add_event(client, event::GIB_PLAYER, killer);
        self.gentities[client].takes_damage = false;
        let entity = &mut self.world.entities[client];
        entity.state.e_type = entity_type::INVISIBLE;
        entity.contents = 0;
    }

    /// The dead look at whoever killed them; the world is where the map's middle is.
    fn facing_of_death(&self, client: usize, hit: &Hit) -> f32 {
        let own = self.world.entities[client].state.pos.base;
        let other = match (hit.attacker, hit.inflictor) {
            (Some(at), _) if at != client => self.world.entities[at].state.pos.base,
            (_, Some(at)) if at != client => self.world.entities[at].state.pos.base,
            (None, _) | (_, None) => Vec3::ZERO,
            _ => return self.players[client].state.view_angles.y,
        };
        self.settings.numeric.profile.angles_of(other - own).y
    }

    fn tell_obituary(&mut self, client: usize, killer: Option<usize>, cause: i32) {
        let origin = snapped(self.world.entities[client].state.pos.base);
        if let Some(entity) = self.temp_entity(origin, event::OBITUARY) {
            entity.state.event_parm = cause;
            entity.state.other_entity_num = client as i32;
            entity.state.other_entity_num2 = killer.map_or(ENTITYNUM_WORLD, |at| at as i32);
            entity.sv_flags = crate::entity::sv_flags::BROADCAST;
        }
        let name = |at: usize| self.name(at).to_owned();
        let line = match killer {
            Some(killer) => format!("Kill: {} killed {} by {cause}", name(killer), name(client)),
            None => format!("Kill: the world killed {} by {cause}", name(client)),
        };
        self.effects.push(super::Effect::Print(line));
    }

    fn score_frag(&mut self, client: usize, killer: Option<usize>, cause: i32) {
        let place = self.world.entities[client].origin;
        let Some(killer) = killer else {
            return self.add_score(client, place, -1);
        };
        if killer == client || self.is_same_team(killer, client) {
            return self.add_score(killer, place, -1);
        }
        self.add_score(killer, place, 1);
        if cause == means_of_death::GAUNTLET {
            self.give_award(
                killer,
                persistant::GAUNTLET_FRAG_COUNT,
                entity_flags::AWARD_GAUNTLET,
            );
            self.players[client].state.persistant[persistant::PLAYEREVENTS] ^= GAUNTLET_REWARD;
        }
        let last = self.players[killer].life.last_kill_at.replace(self.time);
        if last.is_some_and(|at| self.time - at < EXCELLENT_MSEC) {
            let flag = entity_flags::AWARD_EXCELLENT;
            self.give_award(killer, persistant::EXCELLENT_COUNT, flag);
        }
    }

    /// Counts an award and shows it over the player's head.
    pub(super) fn give_award(&mut self, client: usize, counter: usize, flag: i32) {
        let player = &mut self.players[client];
        let state = &mut player.state;
        state.persistant[counter] += 1;
        state.e_flags &= !super::think::AWARDS;
        state.e_flags |= flag;
        player.life.reward_until = self.time + AWARD_MSEC;
    }
}

/// Bits of the persistant that makes an announcer speak.
pub(super) const DENIED_REWARD: i32 = 1;
const GAUNTLET_REWARD: i32 = 2;
pub(super) const HOLY_SHIT: i32 = 4;
const DEATH_1: i32 = 0;
const DEATH_2: i32 = 2;
const DEATH_3: i32 = 4;
