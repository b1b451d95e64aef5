//! Bot: one of them: what it remembers, and its usercmd for each frame.

use super::{
    aim::angles_of,
    build::Builder,
    goals::{GOAL_MSEC, Goal},
    graph::Leg,
    senses::Enemy,
    skill::Skill,
    steer::{Progress, Step},
};
use crate::game::{Game, Situation};
use glam::{Vec2, Vec3};
use shared::{
    base::{math::Axes, rng::Rng, time::ServerTime},
    bg::{numbers::weapon, numeric::angle_to_short},
    types::usercmd::{Usercmd, buttons},
};

/// It decides so often; moves and turns in each frame.
const THINK_MSEC: i32 = 100;
/// It halts before edges only if it has come nearer to its goal within this.
const BRAKE_MSEC: i32 = 600;
/// The dead ask to come back after this and up to a second more.
const RESPAWN_MSEC: i32 = 500;

/// What a bot acts on.
pub(crate) struct Around<'a> {
    pub game: &'a Game,
    pub map: &'a Builder,
    pub time: i32,
    pub msec: i32,
    /// Searches for ways that may still be made in this frame, by all bots together.
    pub searches: u32,
}

/// What it remembers of an item.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SpotMemory {
    pub absent_until: i32,
    pub shunned_until: i32,
    pub visited_at: i32,
    pub was_visited: bool,
}

/// A player whom the server plays.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bot {
    pub client: usize,
    pub skill: Skill,
    pub rng: Rng,
    /// It stands still before.
    starts_at: i32,
    pub view: Vec3,
    pub view_speed: Vec3,
    think_at: i32,
    pub enemy: Option<Enemy>,
    pub last_health: i32,
    pub aggression_now: i32,
    pub defends: bool,
    pub spots: Vec<SpotMemory>,
    pub goal: Option<Goal>,
    pub gates_shunned_until: Vec<i32>,
    pub goal_at: i32,
    pub path: Vec<Leg>,
    pub leg: usize,
    pub progress: Progress,
    /// Ways that did not work, until when.
    pub shut: Vec<(usize, usize, i32)>,
    pub has_run_up: bool,
    pub has_jumped: bool,
    pub was_in_air: bool,
    pub last_origin: Vec3,
    /// How far it came in the last frame.
    pub moved: f32,
    /// Where its feet were on the ground last.
    pub safe_place: Option<Vec3>,
    /// Since when its feet are in lava.
    in_lava_since: Option<i32>,
    /// The way to where hits do no more harm than they must, and when it is looked for again.
    pub safer: Option<Vec2>,
    pub exposed_look_at: i32,
    pub wander_direction: Vec2,
    pub shake_until: i32,
    pub weapon: i32,
    weapon_at: i32,
    pub error: Vec3,
    pub error_goal: Vec3,
    pub error_age: i32,
    pub burst_until: i32,
    pub pause_until: i32,
    pub strafe_until: i32,
    pub strafe_side: f32,
    respawn_msec: Option<i32>,
    jump_at: i32,
}

impl Bot {
    pub(crate) fn new(client: usize, level: f32, rng: Rng, starts_at: i32) -> Self {
        Self {
            client,
            skill: Skill::new(level),
            rng,
            starts_at,
            defends: client.is_multiple_of(3),
            weapon: weapon::MACHINEGUN,
            strafe_side: 1.0,
            ..Self::default()
        }
    }

    /// Another level begins, or the same anew.
    pub(crate) fn forget(&mut self) {
        let rng = self.rng.clone();
        *self = Self::new(self.client, self.skill.level, rng, 0);
    }

    pub(crate) fn has_visited(&self, spot: usize) -> bool {
        self.spots.get(spot).is_some_and(|one| one.was_visited)
    }

    /// Its usercmd for the frame.
    pub(crate) fn act(&mut self, around: &mut Around<'_>) -> Usercmd {
        let game = around.game;
        let Some(own) = game.situation(self.client) else {
            return Usercmd::default();
        };
        let count = around.map.graph.spots.len();
        self.spots.resize(count, SpotMemory::default());
        self.view = own.state.view_angles;
        if own.is_spectator || game.has_ended() || around.time < self.starts_at {
            return self.usercmd(around, &own, Step::default(), 0);
        }
        if own.health() <= 0 {
            return self.wait_to_respawn(around, &own);
        }
        self.respawn_msec = None;
        if around.time >= self.think_at {
            // Not all of them in the same frame.
            let late = match self.think_at {
                0 => self.client as i32 * 50 % THINK_MSEC,
                _ => 0,
            };
            self.think_at = around.time + THINK_MSEC - late;
            self.decide(around, &own);
        }
        let is_pressing = matches!(self.goal, Some(Goal::Gate(_)));
        let has_goal = is_pressing || self.goal.is_some() && self.leg < self.path.len();
        if !has_goal && around.time >= self.shake_until || around.time - self.goal_at > GOAL_MSEC {
            self.plan(around, &own);
        }
        let is_in_lava = around.map.ground(around.game).is_deadly(own.state.origin);
        if is_in_lava && self.in_lava_since.is_none() {
            self.shun_leg(around);
        }
        self.in_lava_since = is_in_lava.then_some(self.in_lava_since.unwrap_or(around.time));
        // Then there is no way back.
        const BACK_MSEC: i32 = 1500;
        let turns_back = self
            .in_lava_since
            .is_some_and(|since| around.time - since < BACK_MSEC);
        let mut step = self.steer(around, &own);
        let mut pressed = 0;
        let is_flying = own.is_flying();
        let mut dodges = false;
        match self.enemy {
            Some(enemy) if enemy.is_seen => {
                pressed |= self.fight(around, &own, &enemy);
                let stays = self.aggression_now >= 50 && !self.is_on_special_leg(around);
                dodges = stays && !is_flying;
                if dodges {
                    step = self.move_in_fight(around, &own, &enemy, step);
                }
            }
            _ => self.look_ahead(around, &own, step),
        }
        if turns_back {
            // Out of it again, the way it came.
            let way = self
                .safe_place
                .map(|safe| (safe - own.state.origin).truncate());
            step.direction = way.map_or(step.direction, Vec2::normalize_or_zero);
            step.up = 1.0;
        } else if is_in_lava {
            step.up = 1.0;
        } else if !is_flying {
            self.safe_place = Some(own.state.origin);
            // Where it does not come nearer anyway, halting would keep it there.
            let goes_on = around.time - self.progress.at < BRAKE_MSEC;
            let means_to_leave = !dodges && !self.walks(around);
            if goes_on && !means_to_leave && self.runs_over_edge(around, &own) {
                step.direction = -own.state.velocity.truncate().normalize_or_zero();
                step.up = 0.0;
            }
        } else if !self.is_on_special_leg(around)
            && own.state.jumppad_ent == 0
            && let Some(direction) = self.way_back(around, &own)
        {
            step.direction = direction;
        }
        if self.hops_for_item(around, &own) {
            step.up = 1.0;
        }
        let medkit = own.holdable() == MEDKIT_ITEM && own.health() < 40;
        if medkit {
            pressed |= buttons::USE_HOLDABLE;
        }
        self.usercmd(around, &own, step, pressed)
    }

    /// What takes time: whom it sees, what lies around, which weapon.
    fn decide(&mut self, around: &Around<'_>, own: &Situation<'_>) {
        self.look_around(around);
        self.note_items(around);
        let calm = Self::aggression(own) as f32 * (0.6 + 0.4 * self.skill.attack);
        self.aggression_now = calm as i32;
        let away = self
            .enemy
            .map_or(400.0, |enemy| enemy.place.distance(own.state.origin));
        const SETTLE_MSEC: i32 = 700;
        if around.time - self.weapon_at >= SETTLE_MSEC
            || own.state.ammo[own.state.weapon as usize & 15] == 0
        {
            let chosen = self.choose_weapon(own, away);
            if chosen != self.weapon {
                self.weapon = chosen;
                self.weapon_at = around.time;
            }
        }
        if let Some(Goal::Spot(spot)) = self.goal {
            let memory = self.spots[spot];
            let is_gone = memory.absent_until > around.time + 2500 && !memory.is_due(around.time);
            if is_gone || memory.shunned_until > around.time {
                self.give_up();
            }
        }
        if matches!(self.goal, Some(Goal::Enemy(_))) && self.enemy.is_none() {
            self.give_up();
        }
    }

    fn fight(&mut self, around: &Around<'_>, own: &Situation<'_>, enemy: &Enemy) -> u16 {
        let eye = own.eye();
        // Between two looks it goes on as it did.
        let seconds = (around.time - enemy.last_seen_at) as f32 / 1000.0;
        let now = Enemy {
            place: enemy.place + enemy.velocity * seconds.min(0.3),
            ..*enemy
        };
        let point = self.aim_point(around, &now, own.state.weapon, eye);
        self.turn_view(around, angles_of(point - eye), true);
        match self.wants_to_shoot(around, own, &now, point) {
            true => buttons::ATTACK,
            false => 0,
        }
    }

    fn move_in_fight(
        &mut self,
        around: &Around<'_>,
        own: &Situation<'_>,
        enemy: &Enemy,
        step: Step,
    ) -> Step {
        let here = own.state.origin;
        let mut direction = self.strafe(around, own, enemy);
        if self.is_dangerous(around, here, direction) {
            self.strafe_side = -self.strafe_side;
            direction = self.strafe(around, own, enemy);
            if self.is_dangerous(around, here, direction) {
                return step;
            }
        }
        if let Some(safer) = self.safer_direction(around, here, enemy, direction) {
            direction = safer;
        }
        // Walking on in the same fight would count as being stuck.
        self.progress.at = around.time;
        let mut up = 0.0;
        if around.time >= self.jump_at {
            self.jump_at = around.time + 1000;
            if self.rng.fraction() < self.skill.jumper {
                up = 1.0;
            }
        }
        Step {
            direction,
            up,
            waits: false,
        }
    }

    /// Whether its way goes over floors only: it means to leave none.
    fn walks(&self, around: &Around<'_>) -> bool {
        let leg = self.path.get(self.leg);
        leg.is_none_or(|leg| super::path::is_walk(&around.map.graph, *leg))
    }

    fn is_on_special_leg(&self, around: &Around<'_>) -> bool {
        let Some(leg) = self.path.get(self.leg) else {
            return false;
        };
        !super::path::is_walk(&around.map.graph, *leg) && (self.was_in_air || self.has_jumped)
    }

    /// Looks where it goes, now and then a little aside.
    fn look_ahead(&mut self, around: &Around<'_>, own: &Situation<'_>, step: Step) {
        let here = own.state.origin;
        let ahead = self.path.get(self.leg + 1).or(self.path.get(self.leg));
        let point = ahead.map(|leg| around.map.graph.end_of(*leg).at);
        let way = match self.enemy {
            Some(enemy) => enemy.place - here,
            None => point.map_or(step.direction.extend(0.0), |point| point - here),
        };
        if way.truncate().length() < 16.0 {
            return;
        }
        let mut wanted = angles_of(way);
        wanted.x = (wanted.x * 0.5).clamp(-30.0, 30.0);
        let sway = around.time as f32 / 1000.0 + self.client as f32;
        wanted.y += 6.0 * libm::sinf(sway * 1.3) + 4.0 * libm::sinf(sway * 0.47);
        self.turn_view(around, wanted, false);
    }

    fn hops_for_item(&self, around: &Around<'_>, own: &Situation<'_>) -> bool {
        let Some(Goal::Spot(spot)) = self.goal else {
            return false;
        };
        let spot = &around.map.graph.spots[spot];
        let near = (spot.place - own.state.origin).truncate().length() < 30.0;
        spot.needs_hop && near && own.is_on_ground()
    }

    fn wait_to_respawn(&mut self, around: &Around<'_>, own: &Situation<'_>) -> Usercmd {
        self.give_up();
        self.enemy = None;
        self.last_origin = Vec3::ZERO;
        self.safe_place = None;
        self.in_lava_since = None;
        let rng = &mut self.rng;
        let draw = || RESPAWN_MSEC + rng.below(1000) as i32;
        let more = *self.respawn_msec.get_or_insert_with(draw);
        let is_time = around.time > own.respawn_at + more;
        // Pressed anew, not held.
        let blinks = (around.time / 100) % 2 == 0;
        let pressed = match is_time && blinks {
            true => buttons::ATTACK,
            false => 0,
        };
        self.usercmd(around, own, Step::default(), pressed)
    }

    fn usercmd(
        &self,
        around: &Around<'_>,
        own: &Situation<'_>,
        step: Step,
        pressed: u16,
    ) -> Usercmd {
        let axes = Axes::from_angles(Vec3::new(0.0, self.view.y, 0.0));
        let way = step.direction.extend(0.0);
        let (forward, right) = (way.dot(axes.forward), way.dot(axes.right));
        let most = forward.abs().max(right.abs());
        let scale = if most > 0.01 { 127.0 / most } else { 0.0 };
        let angles = std::array::from_fn(|axis| {
            let delta = own.state.delta_angles[axis];
            (i32::from(angle_to_short(self.view[axis])) - delta) as u16
        });
        Usercmd {
            server_time: ServerTime(around.time),
            angles,
            forward_move: (forward * scale) as i8,
            right_move: (right * scale) as i8,
            up_move: (step.up * 127.0) as i8,
            buttons: pressed,
            weapon: self.weapon as u8,
        }
    }
}

/// The number of the medkit in the list of items.
const MEDKIT_ITEM: i32 = 27;
