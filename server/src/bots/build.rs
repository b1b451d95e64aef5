//! Build: finds the graph of a map by a flood over its floors, in pieces of bounded work.

use super::{
    graph::{Graph, Link, Spot, cell_middle, cell_of},
    probe::{Ground, Landing, MAXS, MINS, Trial, Walk, Zone, ZoneKind, zones},
};
use crate::game::{Game, Landmarks, OpenableDoor};
use glam::{Vec2, Vec3};
use shared::{
    bg::{pickup::touches_item, pmove},
    cm::{ClipMap, Solid, Sweep},
    types::{playerstate::PlayerState, trace::contents},
};
use std::collections::VecDeque;

/// Running speed, for what ways take.
const SPEED: f32 = 320.0;
const DIRECTIONS: [(i32, i32); 9] = [
    (0, 0),
    (1, 0),
    (0, 1),
    (-1, 0),
    (0, -1),
    (1, 1),
    (-1, 1),
    (-1, -1),
    (1, -1),
];
/// Places of one square at one height.
const MAX_IN_CELL: usize = 4;
/// So high one jumps.
const JUMP_HEIGHT: f32 = 60.0;
/// A fall that hurts.
const HARD_FALL: f32 = 230.0;

/// A graph in the making.
#[derive(Clone, Debug)]
pub(crate) struct Builder {
    pub graph: Graph,
    landmarks: Landmarks,
    zones: Vec<Zone>,
    /// The place of each zone.
    passages: Vec<Option<usize>>,
    settings: pmove::Settings<'static>,
    player: PlayerState,
    /// The next place to walk from.
    next: usize,
    /// Where walks ended that may go on through the air.
    trials: VecDeque<(usize, Vec2, Walk)>,
    passage: usize,
    /// The next place whose ways are looked at for gates.
    gated: usize,
    pub is_done: bool,
    /// All that was asked of the map, in sweeps.
    pub cost: u64,
}

impl Builder {
    pub(crate) fn new(game: &Game) -> Self {
        let landmarks = game.landmarks();
        let (settings, player) = game.movement();
        let mut builder = Self {
            graph: Graph::default(),
            zones: zones(&landmarks, game.world()),
            passages: Vec::new(),
            landmarks,
            settings,
            player,
            next: 0,
            trials: VecDeque::new(),
            passage: 0,
            gated: 0,
            is_done: false,
            cost: 0,
        };
        builder.seed(game);
        builder
    }

    pub(crate) fn landmarks(&self) -> &Landmarks {
        &self.landmarks
    }

    /// Where one may walk; for steering too.
    pub(crate) fn ground<'a>(&'a self, game: &'a Game) -> Ground<'a> {
        Ground {
            map: &game.world().map,
            obstacles: &self.landmarks.obstacles,
            lifts: &self.landmarks.lifts,
            zones: &self.zones,
            raised: None,
            settings: &self.settings,
            player: &self.player,
            cost: Default::default(),
        }
    }

    fn seed(&mut self, game: &Game) {
        const DEPTH: f32 = 200.0;
        for spawn in self.landmarks.spawns.clone() {
            let at = self.ground(game).drop(spawn + Vec3::Z * 9.0, DEPTH);
            if let Some(node) = at.and_then(|at| self.graph.add(at, false)) {
                self.graph.spawns.push(node);
            }
        }
        for (entity, item, place) in self.landmarks.items.clone() {
            let at = self.ground(game).drop(place + Vec3::Z * 10.0, 60.0);
            let at = at.filter(|at| touches_item(*at, place) && !self.ground(game).is_deadly(*at));
            let node = at.and_then(|at| self.graph.add(at, false));
            self.graph.spots.push(Spot {
                entity,
                item,
                place,
                node,
                needs_hop: false,
                via: None,
                is_hidden: false,
            });
        }
        for lift in 0..self.landmarks.lifts.len() {
            self.seed_lift(game, lift);
        }
        for zone in self.zones.clone() {
            let passage = (zone.kind != ZoneKind::Hazard)
                .then(|| {
                    let middle = (zone.mins + zone.maxs) * 0.5;
                    let on_floor = self.ground(game).drop(middle + Vec3::Z * 40.0, 256.0);
                    self.graph.add_apart(on_floor.unwrap_or(middle))
                })
                .flatten();
            if let Some(node) = passage {
                self.graph.nodes[node].is_passage = true;
            }
            self.passages.push(passage);
        }
    }

    fn seed_lift(&mut self, game: &Game, number: usize) {
        let lift = self.landmarks.lifts[number];
        let Some([mins, maxs]) = game.world().map.model_bounds(lift.model) else {
            return;
        };
        let top = ((mins + maxs) * 0.5).with_z(maxs.z + 40.0) + lift.places[0];
        let Some(low) = self.ground(game).drop(top, 64.0) else {
            return;
        };
        let high = low + lift.places[1] - lift.places[0];
        let nodes = (self.graph.add(low, false), self.graph.add_apart(high));
        if let (Some(low), Some(high)) = nodes {
            self.graph.nodes[high].raised = Some(number);
            let rise = lift.places[1].z - lift.places[0].z;
            let msec = 1000 + (rise * 5.0) as u32;
            self.graph.link(low, high, Link::Lift(number), msec);
        }
    }

    /// Goes on with the flood, for about so many sweeps.
    pub(crate) fn step(&mut self, game: &Game, sweeps: u32) {
        let mut used = 0;
        while used < sweeps && !self.is_done {
            used += 1 + self.step_once(game);
        }
        self.cost += u64::from(used);
    }

    fn step_once(&mut self, game: &Game) -> u32 {
        if self.next < self.graph.nodes.len() {
            self.next += 1;
            return self.expand(game, self.next - 1);
        }
        if let Some((from, direction, end)) = self.trials.pop_front() {
            return self.try_air(game, from, direction, end);
        }
        if self.passage < self.zones.len() {
            self.passage += 1;
            return self.open_passage(game, self.passage - 1);
        }
        if self.gated < self.graph.nodes.len() && !self.landmarks.gates.is_empty() {
            self.gated += 1;
            return self.find_gates(game, self.gated - 1);
        }
        self.find_spots();
        self.find_presses();
        self.is_done = true;
        0
    }

    /// Walks from a place into all directions.
    fn expand(&mut self, game: &Game, from: usize) -> u32 {
        let node = &self.graph.nodes[from];
        if node.is_passage {
            return 0;
        }
        let mut cost = 0;
        let (at, swims, raised) = (node.at, node.swims, node.raised);
        if swims {
            return self.expand_swim(game, from);
        }
        if self.ground(game).is_water(at) {
            cost += self.surface(game, from);
        }
        let (x, y) = cell_of(at);
        for (dx, dy) in DIRECTIONS {
            let cell = (x + dx, y + dy);
            let mut is_linked = false;
            for other in self.graph.in_cell(cell).to_vec() {
                let there = &self.graph.nodes[other];
                if other == from || there.swims || (there.at.z - at.z).abs() > 80.0 {
                    continue;
                }
                let there = there.at;
                let (walk, asked) = self.walk(game, at, there, raised);
                cost += asked;
                if matches!(walk, Walk::Arrived(end) if (end.z - there.z).abs() < STEP_MISS) {
                    self.graph.link(from, other, Link::Walk, msec(at, there));
                    is_linked = true;
                }
            }
            if is_linked || (dx, dy) == (0, 0) {
                continue;
            }
            let (walk, asked) = self.walk(game, at, cell_middle(cell, at.z), raised);
            cost += asked;
            self.take_walk(from, cell, walk);
        }
        cost
    }

    fn walk(&self, game: &Game, from: Vec3, to: Vec3, raised: Option<usize>) -> (Walk, u32) {
        let mut ground = self.ground(game);
        ground.raised = raised;
        let walk = ground.walk(from, to, true);
        (walk, ground.cost.get())
    }

    fn take_walk(&mut self, from: usize, cell: (i32, i32), walk: Walk) {
        let at = self.graph.nodes[from].at;
        let way = (cell_middle(cell, 0.0) - at).truncate().normalize_or_zero();
        match walk {
            Walk::Danger => {}
            Walk::Zone(zone) => {
                if let Some(passage) = self.passages[zone] {
                    let there = self.graph.nodes[passage].at;
                    self.graph.link(from, passage, Link::Walk, msec(at, there));
                }
            }
            Walk::Arrived(end) | Walk::Blocked(end) | Walk::Edge(end) => {
                if cell_of(end) == cell {
                    self.settle(from, end);
                }
                if !matches!(walk, Walk::Arrived(_)) {
                    self.trials.push_back((from, way, walk));
                }
            }
        }
    }

    /// Makes a place where a walk ended.
    fn settle(&mut self, from: usize, end: Vec3) {
        if !self.has_room(end) {
            return;
        }
        let at = self.graph.nodes[from].at;
        if let Some(to) = self.graph.add(end, false) {
            self.graph.link(from, to, Link::Walk, msec(at, end));
        }
    }

    /// Whether a place there would not be one too many, as on slopes where no two walks end alike.
    fn has_room(&self, at: Vec3) -> bool {
        const HEIGHT: f32 = 40.0;
        const APART: f32 = 16.0;
        let others = self.graph.in_cell(cell_of(at)).iter();
        let ways = others.map(|&other| self.graph.nodes[other].at - at);
        let near: Vec<Vec3> = ways.filter(|way| way.z.abs() < HEIGHT).collect();
        let is_known = near
            .iter()
            .any(|way| way.z.abs() < 24.0 && way.truncate().length() < APART);
        !is_known && near.len() < MAX_IN_CELL
    }

    /// The place where a fall or jump ended.
    fn settle_landing(&mut self, game: &Game, landing: &Landing) -> Option<usize> {
        if let Some(zone) = landing.zone {
            return self.passages[zone];
        }
        let ground = self.ground(game);
        let near = self.graph.near(landing.at, 24.0);
        let is_close = |node: &usize| {
            let node = &self.graph.nodes[*node];
            !node.swims
                && (node.at - landing.at).truncate().length() < 48.0
                && matches!(ground.walk(landing.at, node.at, false), Walk::Arrived(_))
        };
        let found = near.into_iter().take(4).find(is_close);
        if found.is_some() {
            return found;
        }
        if ground.is_deadly(landing.at) || !self.has_room(landing.at) {
            return None;
        }
        self.graph.add(landing.at, false)
    }

    /// Falls and jumps from where a walk ended.
    fn try_air(&mut self, game: &Game, from: usize, direction: Vec2, end: Walk) -> u32 {
        let raised = self.graph.nodes[from].raised;
        let mut ground = self.ground(game);
        ground.raised = raised;
        let forward = direction.extend(0.0);
        let mut found = Vec::new();
        match end {
            Walk::Edge(at) => {
                let fall = Trial {
                    from: at,
                    velocity: forward * SPEED,
                    direction: Some(direction),
                    jumps: false,
                };
                found.extend(ground.fly(&fall).map(|landing| (landing, Link::Drop)));
                let run_from = run_up(&ground, self.graph.nodes[from].at, at, direction);
                let jump = Trial {
                    jumps: true,
                    velocity: match run_from {
                        Some(_) => fall.velocity,
                        None => Vec3::ZERO,
                    },
                    ..fall
                };
                let landing = ground.fly(&jump);
                let link = Link::Jump {
                    run_from: run_from.unwrap_or(at),
                    at,
                };
                let is_far = |landing: &Landing| {
                    landing.at.z > at.z - 64.0 && landing.at.distance(at) > 64.0
                };
                let landing = landing.filter(is_far);
                found.extend(landing.map(|landing| (landing, link)));
            }
            Walk::Blocked(at) => {
                let up = ground.body(at, at + Vec3::Z * JUMP_HEIGHT).end;
                let ahead = ground.body(up, up + forward * 32.0);
                let ledge = match ahead.fraction * 32.0 > 12.0 {
                    true => ground.drop(ahead.end, JUMP_HEIGHT - 12.0),
                    false => None,
                };
                if ledge.is_some_and(|ledge| ledge.z > at.z + 12.0) {
                    let trial = Trial {
                        from: at,
                        velocity: Vec3::ZERO,
                        direction: Some(direction),
                        jumps: true,
                    };
                    let landing = ground.fly(&trial);
                    let landing = landing.filter(|landing| landing.at.z > at.z + 10.0);
                    let link = Link::Jump { run_from: at, at };
                    found.extend(landing.map(|landing| (landing, link)));
                }
            }
            _ => {}
        }
        let cost = ground.cost.get();
        for (landing, link) in found {
            self.take_landing(game, from, &landing, link);
        }
        cost
    }

    fn take_landing(&mut self, game: &Game, from: usize, landing: &Landing, link: Link) {
        // Whoever stands on a lift that is up keeps it from going down again.
        let on_lift = |lift: &crate::game::Lift| {
            let bounds = game.world().map.model_bounds(lift.model);
            bounds.is_some_and(|[mins, maxs]| {
                let at = landing.at - lift.places[0];
                at.cmpge(mins.with_z(maxs.z)).all() && at.cmple(maxs + Vec3::Z * 40.0).all()
            })
        };
        if link == Link::Drop && self.landmarks.lifts.iter().any(on_lift) {
            return;
        }
        let at = self.graph.nodes[from].at;
        let Some(to) = self.settle_landing(game, landing) else {
            return;
        };
        let fall = at.z - landing.at.z;
        let pain = if fall > HARD_FALL { 1500 } else { 0 };
        let extra = match link {
            Link::Jump { .. } => 500,
            Link::Drop => 250,
            _ => 0,
        };
        let msec = landing.msec as u32 + extra + pain + msec(at, at);
        let Some(edge) = self.graph.link(from, to, link, msec) else {
            return;
        };
        for spot in &mut self.graph.spots {
            let passes = |at: &Vec3| touches_item(*at, spot.place);
            if spot.node.is_none() && spot.via.is_none() && landing.way.iter().any(passes) {
                (spot.node, spot.via) = (Some(from), Some(edge));
            }
        }
    }

    /// Where a pad throws, or a teleporter leads.
    fn open_passage(&mut self, game: &Game, zone: usize) -> u32 {
        let Some(passage) = self.passages[zone] else {
            return 0;
        };
        let at = self.graph.nodes[passage].at;
        match self.zones[zone].kind {
            ZoneKind::Pad(_, throw) => {
                let ground = self.ground(game);
                let free = Trial {
                    from: at,
                    velocity: throw,
                    direction: None,
                    jumps: false,
                };
                let pushed = Trial {
                    direction: throw.truncate().try_normalize(),
                    ..free
                };
                let landing = ground.fly(&free).or_else(|| ground.fly(&pushed));
                let cost = ground.cost.get();
                if let Some(landing) = landing {
                    self.take_landing(game, passage, &landing, Link::Pad);
                }
                cost
            }
            ZoneKind::Teleporter(number) => {
                let ends = self.landmarks.teleporters[number].1.clone();
                for end in ends.into_iter().take(8) {
                    let place = self.ground(game).drop(end + Vec3::Z, 200.0);
                    if let Some(to) = place.and_then(|place| self.graph.add(place, false)) {
                        self.graph.link(passage, to, Link::Teleport, 200);
                    }
                }
                2
            }
            ZoneKind::Hazard => 0,
        }
    }

    /// The place at the surface over one under water.
    fn surface(&mut self, game: &Game, from: usize) -> u32 {
        const PACE: f32 = 16.0;
        let at = self.graph.nodes[from].at;
        let ground = self.ground(game);
        let mut top = at;
        for _ in 0..64 {
            let next = top + Vec3::Z * PACE;
            if !ground.is_water(next) || ground.body(top, next).fraction < 1.0 {
                break;
            }
            top = next;
        }
        let cost = ground.cost.get();
        let known = self.graph.near(top, 40.0).into_iter().find(|&node| {
            let node = &self.graph.nodes[node];
            node.swims && (node.at - top).truncate().length() < 48.0
        });
        let Some(to) = known.or_else(|| self.graph.add(top, true)) else {
            return cost;
        };
        let msec = 2 * msec(at, top);
        self.graph.link(from, to, Link::Swim, msec);
        self.graph.link(to, from, Link::Swim, msec);
        cost
    }

    fn expand_swim(&mut self, game: &Game, from: usize) -> u32 {
        let at = self.graph.nodes[from].at;
        let (x, y) = cell_of(at);
        let mut cost = 0;
        for (dx, dy) in &DIRECTIONS[1..] {
            let ground = self.ground(game);
            let cell = (x + dx, y + dy);
            let there = cell_middle(cell, at.z);
            let trace = ground.body(at, there);
            if trace.fraction == 1.0 && ground.is_water(there) {
                cost += 1;
                let known = self.graph.in_cell(cell).iter().copied().find(|&other| {
                    let other = &self.graph.nodes[other];
                    other.swims && (other.at.z - at.z).abs() < 40.0
                });
                if let Some(to) = known.or_else(|| self.graph.add(there, true)) {
                    self.graph.link(from, to, Link::Swim, 2 * msec(at, there));
                    self.graph.link(to, from, Link::Swim, 2 * msec(at, there));
                }
                continue;
            }
            let direction = (there - at).truncate().normalize_or_zero();
            let landing = ground.climb(at, direction);
            cost += ground.cost.get();
            if let Some(landing) = landing {
                self.take_landing(game, from, &landing, Link::Climb);
            }
        }
        cost
    }

    /// Notes which ways from a place lead through gates.
    fn find_gates(&mut self, game: &Game, from: usize) -> u32 {
        let map = &game.world().map;
        let at = self.graph.nodes[from].at;
        let mut cost = 0;
        for number in 0..self.graph.nodes[from].edges.len() {
            let to = self.graph.nodes[self.graph.nodes[from].edges[number].to].at;
            let mut gates = self.landmarks.gates.iter();
            let found = gates.position(|gate| {
                cost += 1;
                is_in_the_way(map, gate, at, to)
            });
            self.graph.nodes[from].edges[number].gate = found;
        }
        cost
    }

    /// From where one opens the gates, and what lies behind them.
    fn find_presses(&mut self) {
        const REACH: f32 = 100.0;
        let reachable = self.graph.reachable(|edge| edge.gate.is_none());
        for spot in &mut self.graph.spots {
            spot.is_hidden = spot.node.is_some_and(|node| !reachable[node]);
        }
        let graph = &self.graph;
        let near = |&place: &Vec3| {
            let stands = move |node: &usize| {
                let node = &graph.nodes[*node];
                (node.at - place).truncate().length() < REACH && !node.is_passage
            };
            let nodes = graph.near(place, 72.0).into_iter().filter(stands);
            nodes.take(2).map(move |node| (node, place))
        };
        let gates = self.landmarks.gates.iter();
        let presses = gates.map(|gate| gate.openers.iter().flat_map(near).collect());
        self.graph.presses = presses.collect();
    }

    /// From where the items are taken that lie nowhere near a place of their own.
    fn find_spots(&mut self) {
        /// A jump brings one so much nearer to what hangs above.
        const HOP: f32 = 40.0;
        for at in 0..self.graph.spots.len() {
            let spot = self.graph.spots[at];
            if spot.node.is_some() {
                continue;
            }
            let near = self.graph.near(spot.place, 36.0 + HOP);
            let place = |node: &usize| self.graph.nodes[*node].at;
            let touching = near
                .iter()
                .copied()
                .find(|node| touches_item(place(node), spot.place));
            let below = || {
                let hop = Vec3::Z * HOP;
                let mut near = near.iter().copied();
                near.find(|node| touches_item(place(node) + hop, spot.place))
            };
            let found = touching.or_else(below);
            self.graph.spots[at].needs_hop = touching.is_none() && found.is_some();
            self.graph.spots[at].node = found;
        }
    }
}

/// From where one can come to full speed before an edge.
fn run_up(ground: &Ground<'_>, node: Vec3, edge: Vec3, direction: Vec2) -> Option<Vec3> {
    const LENGTH: f32 = 48.0;
    if (edge - node).truncate().dot(direction) >= LENGTH * 0.75 {
        return Some(node);
    }
    let back = edge - direction.extend(0.0) * LENGTH;
    match ground.walk(edge, back, false) {
        Walk::Arrived(back) => Some(back),
        _ => None,
    }
}

/// Whether a door that is shut stops who goes straight from one place to another.
fn is_in_the_way(map: &ClipMap, gate: &OpenableDoor, from: Vec3, to: Vec3) -> bool {
    let Some([mins, maxs]) = map.model_bounds(gate.model) else {
        return false;
    };
    let (low, high) = (from.min(to) + MINS, from.max(to) + MAXS);
    if (mins + gate.shut_at).cmpgt(high).any() || (maxs + gate.shut_at).cmplt(low).any() {
        return false;
    }
    let sweep = Sweep {
        start: from,
        end: to,
        mins: MINS,
        maxs: MAXS,
        mask: contents::MASK_PLAYERSOLID,
    };
    let trace = map.trace_solid(&sweep, Solid::Model(gate.model), gate.shut_at, Vec3::ZERO);
    trace.start_solid || trace.fraction < 1.0
}

/// A walk that ends so far above or below a place has not come to it.
const STEP_MISS: f32 = 12.0;

fn msec(from: Vec3, to: Vec3) -> u32 {
    (from.distance(to) / SPEED * 1000.0) as u32 + 10
}
