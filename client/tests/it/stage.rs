//! A level without a server: what it tells is made up, what the view makes of it is real.

use super::disk::Disk;
use client::{
    assets::Assets,
    cg::{CGame, FrameInput, FrameOutput, LevelStart, LinkState, Settings, SnapshotArrival},
};
use shared::{
    base::{
        ring::Ring,
        time::{ClientTime, ServerTime},
    },
    bg::numbers::{configstring as cs, entity_type, persistant, weapon},
    types::{
        entitystate::EntityState,
        gamestate::Gamestate,
        playerstate::PlayerState,
        servercmd::{ServerCommand, ServerCommandBody},
        snapshot::Snapshot,
        trajectory::kind,
        usercmd::{USERCMD_BACKUP, UsercmdRing},
    },
};
use std::sync::Arc;

pub const STEP_MSEC: i32 = 50;
/// What the level's first sound is called.
pub const LEVEL_SOUND: &str = "sound/world/klaxon1.wav";

/// A level in which things are made to happen.
pub struct Stage {
    pub assets: Assets,
    disk: Disk,
    pub cgame: CGame,
    pub settings: Settings,
    /// Whom one looks through.
    pub player: PlayerState,
    /// Everything else, in the next snapshot.
    pub entities: Vec<EntityState>,
    usercmds: UsercmdRing,
    message: i32,
    pub time: i32,
    commands: Vec<ServerCommand>,
    command_num: i32,
    /// A bit for each client who is muted.
    pub muted: u64,
}

/// Which game's server it seems to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Game {
    Baseq3,
    OpenArena,
    RatMod,
}

impl Stage {
    pub fn new(game: Game, game_type: i32) -> Self {
        let (mut disk, mut assets) = Disk::assets();
        disk.serve(&mut assets);
        let gamestate = gamestate(game, game_type);
        let settings = Settings::default();
        let start = LevelStart {
            gamestate: &gamestate,
            is_demo: true,
        };
        let cgame = CGame::new(&start, &settings, &mut assets);
        disk.serve(&mut assets);
        let player = PlayerState {
            weapon: weapon::MACHINEGUN,
            view_height: 26,
            ..PlayerState::default()
        };
        let mut stage = Self {
            assets,
            disk,
            cgame,
            settings,
            player,
            entities: Vec::new(),
            usercmds: Ring::new(USERCMD_BACKUP),
            message: 0,
            time: 10_000,
            commands: Vec::new(),
            command_num: 0,
            muted: 0,
        };
        let stats = stage.cgame.level().stats;
        stage.player.stats[stats.health] = 100;
        stage.player.stats[stats.max_health] = 100;
        stage.player.persistant[persistant::TEAM] = i32::from(game_type >= 3);
        stage.frame();
        stage.frame();
        stage
    }

    /// Puts a map's walls and water around everything.
    pub fn enter(&mut self, map: &str) {
        self.assets.load_world(map);
        self.disk.serve(&mut self.assets);
        assert!(self.assets.world().is_some(), "{map} is not here");
        self.frame();
    }

    /// The server says something with the next snapshot.
    pub fn say(&mut self, words: &[&str]) {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        self.tell(ServerCommandBody::Words(words));
    }

    pub fn set(&mut self, index: usize, text: &str) {
        let text = text.to_owned();
        self.tell(ServerCommandBody::Configstring { index, text });
    }

    fn tell(&mut self, body: ServerCommandBody) {
        self.command_num += 1;
        let number = self.command_num;
        self.commands.push(ServerCommand { number, body });
    }

    /// The next snapshot comes and is shown at once.
    pub fn frame(&mut self) -> FrameOutput {
        self.time += STEP_MSEC;
        self.message += 1;
        self.entities.sort_by_key(|state| state.number);
        let snapshot = Snapshot {
            message_num: self.message,
            server_time: ServerTime(self.time),
            player: self.player.clone(),
            entities: self.entities.clone().into(),
            server_command_num: self.command_num,
            ..Snapshot::default()
        };
        let arrival = SnapshotArrival {
            snapshot: Arc::new(snapshot),
            ping_msec: 40,
        };
        let input = FrameInput {
            muted: self.muted,
            now: ClientTime(self.time),
            time: ServerTime(self.time),
            snapshots: &[arrival],
            commands: &self.commands,
            usercmds: &self.usercmds,
            provisional: None,
            actions: &[],
            screen: [640.0, 480.0],
            is_connection_interrupted: false,
            link: LinkState::default(),
            settings: &self.settings,
        };
        let output = self.cgame.frame(&input, &mut self.assets);
        self.commands.clear();
        self.disk.serve(&mut self.assets);
        output
    }

    /// Shows an entity for one snapshot, and what came of it.
    pub fn show(&mut self, state: EntityState) -> FrameOutput {
        let others = self.entities.clone();
        self.entities.push(state);
        let output = self.frame();
        self.entities = others;
        output
    }

    /// An entity that is nothing but an event, of a number not used for a while.
    pub fn event(&self, event: i32, parm: i32) -> EntityState {
        EntityState {
            number: 100 + (self.message % 800) as u16,
            e_type: entity_type::EVENTS + event,
            event_parm: parm,
            ..still()
        }
    }
}

/// Something that stays a hundred units before the player.
pub fn still() -> EntityState {
    let mut state = EntityState::default();
    state.pos.kind = kind::STATIONARY;
    state.pos.base = glam::Vec3::new(100.0, 0.0, 0.0);
    state.origin = state.pos.base;
    state
}

/// Another player, who stands before the own one.
pub fn player(client: u16) -> EntityState {
    EntityState {
        number: client,
        e_type: entity_type::PLAYER,
        client_num: i32::from(client),
        weapon: weapon::MACHINEGUN,
        legs_anim: 22,
        torso_anim: 11,
        ..still()
    }
}

/// A missile of this weapon that leaves that place at a time, away from the player.
pub fn missile(weapon: i32, time: i32) -> EntityState {
    let mut state = EntityState {
        number: 95,
        e_type: entity_type::MISSILE,
        weapon,
        ..still()
    };
    (state.pos.kind, state.pos.time) = (kind::LINEAR, time);
    state.pos.delta = glam::Vec3::X * 900.0;
    state
}

/// The names of the sounds that begin.
pub fn sounds<'a>(output: &FrameOutput, assets: &'a Assets) -> Vec<&'a str> {
    let starts = output.scene.sound.starts.iter();
    starts.map(|start| assets.sound_name(start.sound)).collect()
}

fn gamestate(game: Game, game_type: i32) -> Gamestate {
    let (name, version) = match game {
        Game::Baseq3 => ("baseq3", "baseq3-1"),
        Game::OpenArena => ("baseoa", "baseoa-1"),
        Game::RatMod => ("baseoa\\g_ratFlags\\23969595", "baseoa-1"),
    };
    let info = format!(
        "\\gamename\\{name}\\g_gametype\\{game_type}\\mapname\\none\\elimination_roundtime\\90\\elimflags\\1"
    );
    gamestate_of(&info, version, game_type)
}

/// What a server of this serverinfo and version tells first.
pub fn gamestate_of(info: &str, version: &str, game_type: i32) -> Gamestate {
    let mut gamestate = Gamestate::default();
    let mut set = |index: usize, text: &str| {
        let stored = gamestate.configstrings.set(index, text);
        assert_eq!(stored, Ok(true), "{index} {text}");
    };
    set(0, info);
    set(cs::GAME_VERSION, version);
    set(cs::SCORES1, "7");
    set(cs::SCORES2, "3");
    set(cs::SOUNDS + 1, LEVEL_SOUND);
    for (client, name) in ["Ranger", "Ayumi", "Grism"].iter().enumerate() {
        let team = if game_type >= 3 { 1 + client % 2 } else { 0 };
        let info = format!("n\\{name}\\t\\{team}\\model\\sarge\\hmodel\\sarge\\hc\\100");
        set(cs::PLAYERS + client, &info);
    }
    gamestate
}
