//! Practice: a player on a simulated server, recorded frame by frame as prediction meets it.

use super::disk::Disk;
use client::cg::{
    predict::predictor::{PredictInput, Predicted, Predictor},
    predict::rules::{MoveRules, VariantChoice},
    predict::solid::SolidWorld,
    timeline::game_static::GameStatic,
};
use shared::{
    base::{ring::Ring, time::ServerTime},
    bg::{
        numbers::{persistant, pm_type, weapon},
        pmove::{self, Contact, pmove},
    },
    cm::ClipMap,
    types::{
        gamestate::Gamestate,
        playerstate::PlayerState,
        snapshot::Snapshot,
        usercmd::{USERCMD_BACKUP, Usercmd, UsercmdRing},
    },
};
use std::{collections::VecDeque, sync::Arc};

/// How usercmds are made, and what becomes of them on their way.
#[derive(Clone, Copy, Debug)]
pub struct Conditions {
    /// Milliseconds one way.
    pub delay: i32,
    /// One in so many commands is lost; 0 loses none.
    pub loses_one_in: u32,
    /// Milliseconds from command to command.
    pub command_msec: i32,
}

struct Noise(u32);

impl Noise {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        self.0 >> 8
    }
}

/// 20 seconds of random input on one map, and the snapshots that came of it.
pub struct Practice {
    clip: Arc<ClipMap>,
    level: GameStatic,
    frames: Vec<Frame>,
    /// Misses come with what it takes to look for their causes.
    pub explains: bool,
}

/// What the client knows in one frame.
struct Frame {
    now: i32,
    command: Usercmd,
    base: Option<Arc<Snapshot>>,
}

impl Practice {
    pub fn record(
        clip: &Arc<ClipMap>,
        start: [f32; 3],
        strings: &[(usize, &str)],
        conditions: Conditions,
        seed: u32,
    ) -> Self {
        let mut gamestate = Gamestate::default();
        for (index, text) in strings {
            gamestate
                .configstrings
                .set(*index, text)
                .expect("the strings fit");
        }
        let level = GameStatic::new(&gamestate);
        let mut server = Server::new(clip, &level, start);
        let mut noise = Noise(seed);
        let mut upstream: VecDeque<(i32, Usercmd)> = VecDeque::new();
        let mut downstream: VecDeque<(i32, Arc<Snapshot>)> = VecDeque::new();
        let mut base: Option<Arc<Snapshot>> = None;
        let mut command = Usercmd::default();
        let mut yaw = 0_u16;
        let mut frames = Vec::new();
        for now in 1001..21_000 {
            while let Some((_, arrived)) = upstream.pop_front_if(|(at, _)| *at <= now) {
                server.execute(arrived);
            }
            if now % 50 == 0 {
                downstream.push_back((now + conditions.delay, Arc::new(server.snapshot(now))));
            }
            while let Some((_, snapshot)) = downstream.pop_front_if(|(at, _)| *at <= now) {
                base = Some(snapshot);
            }
            if now % conditions.command_msec != 0 {
                continue;
            }
            yaw = yaw.wrapping_add((noise.next() % 600) as u16);
            if noise.next().is_multiple_of(20) {
                command.forward_move = [127, 127, 0, -127][(noise.next() % 4) as usize];
                command.right_move = [0, 127, -127][(noise.next() % 3) as usize];
                command.up_move = [0, 127, 0, -127][(noise.next() % 4) as usize];
            }
            command.angles = [0, yaw, 0];
            command.server_time = ServerTime(now);
            command.weapon = 2;
            let loses_one_in = conditions.loses_one_in;
            if loses_one_in == 0 || !noise.next().is_multiple_of(loses_one_in) {
                upstream.push_back((now + conditions.delay, command));
            }
            let base = base.clone();
            frames.push(Frame { now, command, base });
        }
        Self {
            clip: clip.clone(),
            level,
            frames,
            explains: false,
        }
    }

    /// How many frames there are.
    #[allow(dead_code, reason = "only the benchmark counts them")]
    pub fn frames(&self) -> usize {
        self.frames.len()
    }

    pub fn predictor(&self) -> Predictor {
        let rules = MoveRules::new(&self.level);
        let mut predictor = Predictor::new(rules, VariantChoice::new(&self.level));
        predictor.world.clip = Some(self.clip.clone());
        predictor
    }

    /// Predicts every frame as a client would; `look` sees what came of it.
    pub fn play(
        &self,
        predictor: &mut Predictor,
        mut look: impl FnMut(&PredictInput<'_>, &Predicted),
    ) {
        self.inputs(|input| {
            let predicted = predictor.run(input).expect("no command is missing");
            look(input, &predicted);
        });
    }

    /// Predicts every frame as if it were the first.
    #[allow(dead_code, reason = "only the benchmark replays everything")]
    pub fn play_afresh(&self, predictor: &mut Predictor) {
        self.inputs(|input| {
            predictor.reset();
            predictor.run(input).expect("no command is missing");
        });
    }

    fn inputs(&self, mut use_input: impl FnMut(&PredictInput<'_>)) {
        let mut ring: UsercmdRing = Ring::new(USERCMD_BACKUP);
        for frame in &self.frames {
            ring.push(frame.command);
            let Some(base) = &frame.base else { continue };
            let now = ServerTime(frame.now);
            use_input(&predict_input(base, &ring, now, self.explains));
        }
    }
}

/// What is asked of prediction at a time, with the usual settings.
pub fn predict_input<'a>(
    base: &'a Arc<Snapshot>,
    usercmds: &'a UsercmdRing,
    now: ServerTime,
    explains: bool,
) -> PredictInput<'a> {
    PredictInput {
        base,
        passed: &[],
        usercmds,
        provisional: None,
        now,
        is_abrupt: false,
        predict_items: true,
        latency_msec: 0,
        waits_for_round: false,
        keeps_results: true,
        error_decay_msec: 100.0,
        explains,
    }
}

/// The server's side of the movement.
pub struct Server {
    world: SolidWorld,
    rules: MoveRules,
    choice: VariantChoice,
    pub player: PlayerState,
    contact: Contact,
}

impl Server {
    pub fn new(clip: &Arc<ClipMap>, level: &GameStatic, start: [f32; 3]) -> Self {
        let mut world = SolidWorld::default();
        world.clip = Some(clip.clone());
        let mut player = PlayerState {
            origin: start.into(),
            gravity: 800,
            speed: 320,
            weapon: weapon::MACHINEGUN,
            pm_type: pm_type::NORMAL,
            view_height: 26,
            command_time: 1000,
            ..PlayerState::default()
        };
        player.stats[level.stats.health] = 100;
        player.stats[level.stats.max_health] = 100;
        player.ammo[2] = 100;
        player.persistant[persistant::TEAM] = 0;
        Self {
            world,
            rules: MoveRules::new(level),
            choice: VariantChoice::new(level),
            player,
            contact: Contact::default(),
        }
    }

    pub fn execute(&mut self, mut command: Usercmd) {
        let variant = self.choice.chosen();
        if let Some(msec) = self.rules.fixed_msec {
            command.server_time = pmove::round_up_time(command.server_time, msec);
        }
        let settings = pmove::Settings {
            rules: variant.rules,
            numeric: variant.numeric,
            trace_mask: pmove::trace_mask(self.player.pm_type, 0),
            no_footsteps: false,
            gauntlet_hit: false,
            fixed_msec: self.rules.fixed_msec,
            float_velocity: self.rules.float_velocity,
            dmflags: 0,
            rat: self.rules.rat,
        };
        let (player, contact) = (&mut self.player, &mut self.contact);
        pmove(&self.world, player, command, &settings, contact);
    }

    pub fn snapshot(&self, now: i32) -> Snapshot {
        let mut player = self.player.clone();
        (player.jumppad_frame, player.pmove_framecount) = (0, 0);
        Snapshot {
            message_num: now / 50,
            server_time: ServerTime(now),
            player,
            ..Snapshot::default()
        }
    }
}

/// The solid side of a map, and a place where players begin.
pub fn map(name: &str) -> (Arc<ClipMap>, [f32; 3]) {
    let (mut disk, mut assets) = Disk::assets();
    disk.serve(&mut assets);
    assets.load_world(name);
    while assets.world().is_none() {
        assets.poll(1);
        while let Some(request) = assets.next_read() {
            let result = disk.read(&request);
            assets.handle_read(request.id, result);
        }
    }
    let bsp = assets.world().expect("the map was just read");
    let entities = shared::formats::mapents::parse(&bsp.entities).expect("the entities are sound");
    let spot = entities
        .iter()
        .find(|entity| entity.get("classname") == Some("info_player_deathmatch"))
        .expect("a map has places to begin");
    let mut origin = spot
        .vector("origin")
        .expect("an origin is three numbers")
        .to_array();
    origin[2] += 9.0;
    (
        Arc::new(ClipMap::new(bsp).expect("the map is sound")),
        origin,
    )
}
