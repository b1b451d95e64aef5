//! Steer: the direction of the feet along a path, and what to do when it does not go on.

use super::{
    bot::{Around, Bot},
    goals::Goal,
    graph::{Edge, Leg, Link},
    path::{Ways, is_walk},
    probe::Walk,
};
use crate::game::Situation;
use glam::{Vec2, Vec3};

/// Whoever does not come nearer for so long tries something else.
const STUCK_MSEC: i32 = 1200;
/// Where one has to wait: lifts, doors.
const PATIENCE_MSEC: i32 = 6000;
/// A way that did not work is not tried for so long.
const SHUT_MSEC: i32 = 25_000;
/// What is right here and was not taken is left alone for so long.
const HERE_MSEC: i32 = 8000;
const NEAR: f32 = 24.0;
/// Whoever is so fast needs no run to jump far.
const FAST: f32 = 280.0;

/// What the feet are to do.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Step {
    pub direction: Vec2,
    /// −1 down, 1 up.
    pub up: f32,
    pub waits: bool,
}

/// Whether it goes on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Progress {
    leg: usize,
    nearest: f32,
    pub at: i32,
}

impl Bot {
    /// Searches for ways and takes a goal, if a search is to be had in this frame.
    pub(crate) fn plan(&mut self, around: &mut Around<'_>, own: &Situation<'_>) {
        if around.searches == 0 || own.is_flying() {
            return;
        }
        let Some(start) = self.locate(around, own) else {
            return;
        };
        around.searches -= 1;
        let time = around.time;
        self.shut.retain(|(.., until)| *until > time);
        let shut = &self.shut;
        let graph = &around.map.graph;
        let gates = around.map.landmarks().gates.iter();
        let is_open: Vec<bool> = gates.map(|gate| around.game.is_gate_open(gate)).collect();
        let ways = Ways::search(graph, start, |from, edge| {
            let gate = graph.nodes[from].edges[edge].gate;
            gate.is_some_and(|gate| !is_open[gate])
                || shut
                    .iter()
                    .any(|&(one, other, _)| (one, other) == (from, edge))
        });
        let Some((goal, node)) = self.choose_goal(around, &ways) else {
            return;
        };
        self.goal = Some(goal);
        self.goal_at = time;
        self.path = ways.path(node);
        if let Goal::Spot(spot) = goal {
            match graph.spots[spot].via {
                Some(edge) => self.path.push(Leg { from: node, edge }),
                // It is here and does not get it, or has to jump for it.
                None if self.path.is_empty() => self.spots[spot].shunned_until = time + HERE_MSEC,
                None => {}
            }
        }
        self.begin_leg(around, 0);
    }

    /// The place of the graph where the bot is.
    fn locate(&self, around: &Around<'_>, own: &Situation<'_>) -> Option<usize> {
        let graph = &around.map.graph;
        let here = own.state.origin;
        let near = graph.near(here, 50.0);
        let ground = around.map.ground(around.game);
        let swims = own.water_level > 1;
        let walks = |node: &usize| {
            let node = &graph.nodes[*node];
            !node.edges.is_empty()
                && (node.swims == swims || swims)
                && (swims && ground.body(here, node.at).fraction == 1.0
                    || matches!(ground.walk(here, node.at, true), Walk::Arrived(_)))
        };
        let direct = near.iter().copied().take(6).find(walks);
        direct.or_else(|| {
            near.into_iter()
                .find(|&node| !graph.nodes[node].edges.is_empty())
        })
    }

    pub(crate) fn begin_leg(&mut self, around: &Around<'_>, leg: usize) {
        self.leg = leg;
        self.has_run_up = false;
        self.has_jumped = false;
        self.was_in_air = false;
        self.progress = Progress {
            leg,
            nearest: f32::MAX,
            at: around.time,
        };
    }

    pub(crate) fn give_up(&mut self) {
        self.path.clear();
        self.goal = None;
    }

    /// The next step along the path.
    pub(crate) fn steer(&mut self, around: &Around<'_>, own: &Situation<'_>) -> Step {
        /// Legs that may end in one frame.
        const MAX_ENDS: usize = 4;
        let here = own.state.origin;
        if here.distance(self.last_origin) > 150.0 && self.last_origin != Vec3::ZERO {
            self.after_teleport(around, here);
        }
        self.moved = here.distance(self.last_origin);
        self.last_origin = here;
        for _ in 0..MAX_ENDS {
            let Some(leg) = self.path.get(self.leg).copied() else {
                return match self.goal {
                    Some(Goal::Gate(gate)) => self.press(around, here, gate),
                    _ => self.wander(around, own),
                };
            };
            let graph = &around.map.graph;
            let edge = graph.edge(leg);
            let target = graph.nodes[edge.to].at;
            if self.has_slipped(around, own, leg) {
                self.give_up();
                return Step::default();
            }
            if !self.is_leg_over(around, own, edge, target) {
                let mut step = self.follow(around, own, edge, target);
                self.check_progress(around, here, target, &mut step);
                return step;
            }
            self.begin_leg(around, self.leg + 1);
            self.cut_corner(around, here);
        }
        Step::default()
    }

    /// Walks against what opens a gate.
    fn press(&mut self, around: &Around<'_>, here: Vec3, number: usize) -> Step {
        const PATIENCE_MSEC: i32 = 2000;
        /// Then it has had the time to go through and come back.
        const AGAIN_MSEC: i32 = 40_000;
        let gates = &around.map.landmarks().gates;
        let is_open = gates
            .get(number)
            .is_some_and(|gate| around.game.is_gate_open(gate));
        if is_open || around.time - self.progress.at > PATIENCE_MSEC {
            self.gates_shunned_until.resize(gates.len(), 0);
            if let Some(until) = self.gates_shunned_until.get_mut(number) {
                *until = around.time + AGAIN_MSEC;
            }
            self.give_up();
            return Step::default();
        }
        let presses = around.map.graph.presses.get(number).into_iter().flatten();
        let away = |place: &Vec3| place.distance_squared(here);
        let nearest = presses
            .map(|press| press.1)
            .min_by(|a, b| away(a).total_cmp(&away(b)));
        let way = nearest.map_or(Vec2::ZERO, |place| (place - here).truncate());
        Step {
            direction: way.normalize_or_zero(),
            ..Step::default()
        }
    }

    fn after_teleport(&mut self, around: &Around<'_>, here: Vec3) {
        let graph = &around.map.graph;
        let arrives = |at: &usize| graph.end_of(self.path[*at]).at.distance(here) < 100.0;
        match (self.leg..self.path.len().min(self.leg + 3)).find(arrives) {
            Some(leg) => self.begin_leg(around, leg + 1),
            None => self.give_up(),
        }
    }

    /// Whether it fell where it did not mean to, so that the way it was on leads nowhere.
    fn has_slipped(&self, around: &Around<'_>, own: &Situation<'_>, leg: Leg) -> bool {
        const ASIDE: f32 = 40.0;
        let leaves_now = own.is_flying() && !self.was_in_air;
        let graph = &around.map.graph;
        let from = match graph.edge(leg).link {
            Link::Drop => graph.nodes[leg.from].at,
            Link::Jump { at, .. } if !self.has_jumped => at,
            _ => return false,
        };
        let way = (graph.end_of(leg).at - from).truncate().normalize_or_zero();
        let gone = (own.state.origin - from).truncate();
        leaves_now && gone.reject_from_normalized(way).length() > ASIDE
    }

    fn is_leg_over(
        &mut self,
        around: &Around<'_>,
        own: &Situation<'_>,
        edge: Edge,
        target: Vec3,
    ) -> bool {
        let here = own.state.origin;
        let flat = (target - here).truncate().length();
        let height = (target.z - here.z).abs();
        let on_ground = own.is_on_ground();
        let thrown = own.state.jumppad_ent != 0;
        let is_passage = around.map.graph.nodes[edge.to].is_passage;
        self.was_in_air |= !on_ground;
        match edge.link {
            Link::Walk if is_passage => thrown || self.was_in_air && own.state.velocity.z > 280.0,
            Link::Walk => flat < NEAR && height < 48.0,
            Link::Drop => on_ground && flat < 48.0 && height < 40.0,
            Link::Jump { .. } => {
                on_ground && self.has_jumped && self.was_in_air && flat < 56.0 && height < 40.0
            }
            Link::Pad => on_ground && self.was_in_air && flat < 160.0 && height < 60.0,
            Link::Teleport => flat < 64.0 && height < 64.0,
            Link::Lift(_) => height < 14.0,
            Link::Swim => flat < 40.0 && height < 40.0,
            Link::Climb => on_ground && own.water_level < 2 && flat < 64.0 && height < 48.0,
        }
    }

    fn follow(
        &mut self,
        around: &Around<'_>,
        own: &Situation<'_>,
        edge: Edge,
        target: Vec3,
    ) -> Step {
        let here = own.state.origin;
        let on_ground = own.is_on_ground();
        let way = (target - here).truncate();
        let from = around.map.graph.nodes[self.path[self.leg].from].at;
        let mut step = Step {
            direction: way.normalize_or_zero(),
            ..Step::default()
        };
        match edge.link {
            Link::Jump { run_from, at } => {
                if self.has_jumped && self.was_in_air && on_ground {
                    // It landed somewhere else.
                    self.shut_leg(around);
                    self.give_up();
                    return step;
                }
                if !self.has_jumped {
                    let to_jump = (at - here).truncate();
                    let ahead = (target - at).truncate().normalize_or_zero();
                    let to_start = (run_from - here).truncate();
                    let speed = own.state.velocity.truncate().dot(ahead);
                    self.has_run_up |= run_from == at
                        || to_start.length() < NEAR / 2.0
                        || to_jump.dot(ahead) >= (at - run_from).truncate().dot(ahead)
                        || speed > FAST;
                    let is_there = to_jump.length() < 14.0
                        || to_jump.dot(ahead) < 0.0
                        || to_jump.length() < 2.0 * NEAR && leaves_floor(around, own);
                    if !self.has_run_up {
                        step.direction = to_start.normalize_or_zero();
                    } else if is_there {
                        step.direction = ahead;
                        if on_ground {
                            step.up = 1.0;
                            self.has_jumped = true;
                        }
                    } else {
                        step.direction = to_jump.normalize_or_zero();
                    }
                }
            }
            Link::Lift(_) => {
                let middle = (from - here).truncate();
                let is_below = here.z < from.z - 20.0;
                step.direction = if middle.length() > 10.0 && !is_below {
                    middle.normalize_or_zero()
                } else {
                    Vec2::ZERO
                };
                step.waits = true;
            }
            Link::Swim | Link::Climb => {
                step.up = match edge.link {
                    Link::Climb => 1.0,
                    _ => ((target.z - here.z) / 24.0).clamp(-1.0, 1.0),
                };
                if way.length() < 8.0 {
                    step.direction = Vec2::ZERO;
                }
            }
            Link::Pad if self.was_in_air || !on_ground => {}
            Link::Pad | Link::Teleport => {
                step.direction = (from - here).truncate().normalize_or_zero();
            }
            Link::Walk => {
                if own.water_level > 1 && target.z > here.z + 8.0 {
                    step.up = 1.0;
                }
                if self.waits_for_lift(around, here) {
                    step.direction = Vec2::ZERO;
                    step.waits = true;
                }
            }
            _ => {}
        }
        step
    }

    /// A lift that is not down is waited for, not walked under.
    fn waits_for_lift(&self, around: &Around<'_>, here: Vec3) -> bool {
        let graph = &around.map.graph;
        let next = self.path.get(self.leg + 1);
        let link = next.map(|leg| (leg.from, graph.edge(*leg).link));
        let Some((from, Link::Lift(number))) = link else {
            return false;
        };
        let low = graph.nodes[from].at;
        let lift = &around.map.landmarks().lifts[number];
        !around.game.is_lift_down(lift) && low.distance(here) < 160.0 && here.z < low.z + 40.0
    }

    /// Goes straight to a later place where nothing is between.
    fn cut_corner(&mut self, around: &Around<'_>, here: Vec3) {
        const MAX_AHEAD: usize = 4;
        const MAX_WAY: f32 = 320.0;
        let graph = &around.map.graph;
        let ground = around.map.ground(around.game);
        let mut furthest = self.leg;
        for ahead in self.leg..self.path.len().min(self.leg + MAX_AHEAD) {
            let leg = self.path[ahead];
            let node = graph.end_of(leg);
            let reaches = ahead == self.leg
                || node.at.distance(here) < MAX_WAY
                    && matches!(ground.walk(here, node.at, false), Walk::Arrived(end)
                        if (end.z - node.at.z).abs() < 12.0);
            if !is_walk(graph, leg) || node.is_passage || !reaches {
                break;
            }
            furthest = ahead;
        }
        if furthest > self.leg {
            self.begin_leg(around, furthest);
        }
    }

    fn check_progress(&mut self, around: &Around<'_>, here: Vec3, target: Vec3, step: &mut Step) {
        let away = here.distance(target);
        if self.progress.leg != self.leg || away < self.progress.nearest - 6.0 {
            self.progress.leg = self.leg;
            self.progress.nearest = away;
            self.progress.at = around.time;
            return;
        }
        let patience = if step.waits {
            PATIENCE_MSEC
        } else {
            STUCK_MSEC
        };
        let waited = around.time - self.progress.at;
        if waited > patience {
            self.shut_leg(around);
            self.give_up();
            self.shake_until = around.time + 350 + self.rng.below(400) as i32;
            self.wander_direction = self.any_direction();
        } else if waited > STUCK_MSEC / 2 && !step.waits && step.up == 0.0 {
            // A little ledge, or another player.
            step.up = f32::from((around.time / 200) % 3 == 0);
        }
    }

    /// The way on which it fell into lava it does not take again soon.
    pub(crate) fn shun_leg(&mut self, around: &Around<'_>) {
        const SHUN_MSEC: i32 = 240_000;
        self.shut_leg_until(around.time + SHUN_MSEC);
    }

    fn shut_leg_until(&mut self, until: i32) {
        const MAX_SHUT: usize = 32;
        if let Some(leg) = self.path.get(self.leg) {
            if self.shut.len() >= MAX_SHUT {
                self.shut.remove(0);
            }
            self.shut.push((leg.from, leg.edge, until));
        }
    }

    fn shut_leg(&mut self, around: &Around<'_>) {
        self.shut_leg_until(around.time + SHUT_MSEC);
        if let Some(Goal::Spot(spot)) = self.goal {
            self.spots[spot].shunned_until = around.time + SHUT_MSEC / 2;
        }
    }

    fn any_direction(&mut self) -> Vec2 {
        let angle = self.rng.fraction() * core::f32::consts::TAU;
        Vec2::new(libm::cosf(angle), libm::sinf(angle))
    }

    /// Without a path it walks ahead, and turns where it is dangerous or does not go on.
    pub(crate) fn wander(&mut self, around: &Around<'_>, own: &Situation<'_>) -> Step {
        let here = own.state.origin;
        let speed = own.state.velocity.truncate().length();
        // Wedged between slopes one keeps a speed and does not move.
        let is_slow = (speed < 60.0 || self.moved < 1.0) && around.time >= self.shake_until;
        if self.wander_direction == Vec2::ZERO
            || is_slow
            || self.is_dangerous(around, here, self.wander_direction)
        {
            for _ in 0..8 {
                self.wander_direction = self.any_direction();
                if !self.is_dangerous(around, here, self.wander_direction) {
                    break;
                }
            }
            self.shake_until = around.time + 400;
        }
        Step {
            direction: self.wander_direction,
            up: if own.water_level > 1 || is_slow && self.rng.percent(30.0) {
                1.0
            } else {
                0.0
            },
            waits: false,
        }
    }
}

/// Whether it runs over the end of its floor or down a step within a frame: who falls cannot jump.
fn leaves_floor(around: &Around<'_>, own: &Situation<'_>) -> bool {
    let seconds = around.msec as f32 / 1000.0;
    let next = own.state.origin + own.state.velocity.with_z(0.0) * seconds;
    let ground = around.map.ground(around.game);
    ground.body(next, next - Vec3::Z * 2.0).fraction == 1.0
}
