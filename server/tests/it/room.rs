//! Room: a game in the test room without a network, for players whom tests move by usercmds.

use crate::client::svtest;
use server::{
    cvars::Cvars,
    entity::Entity,
    game::{Effect, Game, Start},
};
use shared::{
    base::{info::Info, time::ServerTime, tokens::Tokens},
    bg::numeric::angle_to_short,
    cm::ClipMap,
    formats::bsp::Bsp,
    types::{
        entitystate::EntityState,
        playerstate::PlayerState,
        usercmd::{Usercmd, buttons},
    },
};

/// Frames of the game are so long, in milliseconds.
const FRAME_MSEC: i32 = 50;

/// What a player does until a test says otherwise.
#[derive(Clone, Copy, Default)]
pub struct Keys {
    pub buttons: u16,
    pub weapon: u8,
    pub forward: i8,
    pub up: i8,
    /// Pitch and yaw that he wants to look along.
    pub view: [f32; 2],
    /// Sends nothing at all.
    pub is_silent: bool,
    /// His usercmds come so late.
    pub late_msec: i32,
}

pub struct Room {
    pub game: Game,
    cvars: Cvars,
    pub time: i32,
    /// Usercmds are so long, in milliseconds.
    pub usercmd_msec: i32,
    usercmds_until: i32,
    pub keys: Vec<Keys>,
    /// Texts of reliable commands and configstrings, with whom they are for.
    pub said: Vec<(Option<usize>, String)>,
    /// Lines that the game gave the console.
    pub console: Vec<String>,
    /// How many died.
    pub kills: usize,
}

impl Room {
    /// A room with so many players, who have just spawned.
    pub fn new(players: usize, settings: &[(&str, &str)]) -> Self {
        Self::on_map(&svtest(), players, settings)
    }

    /// Two players face to face, the first with a weapon in hand.
    pub fn duel(held: i32, distance: i32) -> Self {
        let mut room = Self::new(2, &[]);
        room.put(0, "-400 -300 30", 0.0);
        room.put(1, &format!("{} -300 30", -309 + distance + 91), 180.0);
        room.arm(0, held as u8);
        room.command(1, "give health");
        // Whoever says nothing keeps the speed of a hit.
        room.keys[1].is_silent = true;
        room
    }

    /// The test room, in which stands what a test wants: classes and their keys.
    pub fn with_entities(players: usize, entities: &[&str]) -> Self {
        const FIRST: &str = "\"classname\" \"worldspawn\"";
        const SPOT: &str = "\"classname\" \"info_player_deathmatch\" \"origin\" \"-1000 -900 30\"";
        let other = SPOT.replace("-1000", "-1200");
        let mut bsp = (*svtest()).clone();
        let all = [FIRST, SPOT, &other]
            .into_iter()
            .chain(entities.iter().copied());
        bsp.entities = all.map(|keys| format!("{{ {keys} }}\n")).collect();
        Self::on_map(&bsp, players, &[])
    }

    fn on_map(bsp: &Bsp, players: usize, settings: &[(&str, &str)]) -> Self {
        let mut cvars = Cvars::default();
        for (name, value) in [("sv_cheats", "1")].iter().chain(settings) {
            assert!(cvars.set(name, value), "{name}");
        }
        let map = ClipMap::new(bsp).expect("a map");
        let game = Game::new(map, bsp, Start::default(), &cvars).expect("entities");
        let mut room = Self::with_game(game, cvars);
        for _ in 0..players {
            room.join("");
        }
        room.play(300);
        room
    }

    /// A room of a game's own, in which the first second has passed.
    pub fn with_game(game: Game, cvars: Cvars) -> Self {
        let mut room = Self {
            game,
            cvars,
            time: 0,
            usercmd_msec: 10,
            usercmds_until: 0,
            keys: Vec::new(),
            said: Vec::new(),
            console: Vec::new(),
            kills: 0,
        };
        for _ in 0..20 {
            room.frame();
        }
        room
    }

    pub fn join(&mut self, more: &str) -> usize {
        let client = self.keys.len();
        let text = format!("\\name\\p{client}\\cg_predictItems\\1\\ip\\127.0.0.1{more}");
        let userinfo = Info::parse(&text);
        let connected = self.game.connect(client, &userinfo, true, &self.cvars);
        self.keys.push(Keys {
            weapon: 2,
            ..Keys::default()
        });
        self.take(connected.expect("he may"));
        let begun = self.game.begin(client, None, &self.cvars);
        self.take(begun);
        client
    }

    fn take(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Command { client, text } => self.said.push((client, text)),
                Effect::Configstring { index, text } => {
                    self.said.push((None, format!("cs {index} \"{text}\"")));
                }
                Effect::Console(line) => self.console.push(line),
                Effect::RestartAfterWarmup => self.console.push("after warmup".to_owned()),
                Effect::Print(text) => self.kills += usize::from(text.starts_with("Kill:")),
                Effect::Drop { .. } | Effect::Setting { .. } => {}
            }
        }
    }

    pub fn has_said(&self, text: &str) -> bool {
        self.said.iter().any(|(_, line)| line.contains(text))
    }

    fn frame(&mut self) {
        self.time += FRAME_MSEC;
        let effects = self.game.frame(self.time, &self.cvars);
        self.take(effects);
    }

    /// Lets time pass in whole frames.
    pub fn play(&mut self, msec: i32) {
        for _ in 0..msec / FRAME_MSEC {
            self.usercmds_until = self.usercmds_until.max(self.time);
            while self.usercmds_until + self.usercmd_msec <= self.time + FRAME_MSEC {
                self.usercmds_until += self.usercmd_msec;
                for client in 0..self.keys.len() {
                    self.send(client, self.usercmds_until);
                }
            }
            self.frame();
        }
    }

    fn send(&mut self, client: usize, time: i32) {
        let keys = self.keys[client];
        if keys.is_silent {
            return;
        }
        let Some(player) = self.game.player(client) else {
            return;
        };
        let angle = |axis: usize| {
            let wanted = i32::from(angle_to_short(keys.view[axis]));
            (wanted - player.delta_angles[axis]) as u16
        };
        let usercmd = Usercmd {
            server_time: ServerTime(time - keys.late_msec),
            angles: [angle(0), angle(1), 0],
            forward_move: keys.forward,
            up_move: keys.up,
            buttons: keys.buttons,
            weapon: keys.weapon,
            ..Usercmd::default()
        };
        let effects = self.game.think(client, usercmd, &self.cvars);
        self.take(effects);
    }

    pub fn command(&mut self, client: usize, text: &str) {
        let effects = self.game.command(client, &Tokens::new(text), &self.cvars);
        self.take(effects);
    }

    /// Puts a player at a place and lets him come to rest.
    pub fn put(&mut self, client: usize, place: &str, yaw: f32) {
        self.keys[client].view = [0.0, yaw];
        self.command(client, &format!("setviewpos {place} {yaw}"));
        self.play(1500);
    }

    /// Gives a player all weapons and takes one in hand.
    pub fn arm(&mut self, client: usize, weapon: u8) {
        self.command(client, "give weapons");
        self.command(client, "give ammo 50");
        self.keys[client].weapon = weapon;
        self.play(600);
    }

    /// Pulls the trigger for one shot.
    pub fn shoot(&mut self, client: usize) {
        self.keys[client].buttons = buttons::ATTACK;
        self.play(FRAME_MSEC);
        self.keys[client].buttons = 0;
        self.play(FRAME_MSEC);
    }

    pub fn player(&self, client: usize) -> &PlayerState {
        self.game.player(client).expect("a player")
    }

    pub fn health(&self, client: usize) -> i32 {
        self.player(client).stats[0]
    }

    /// The entities that are nothing but this event.
    pub fn events(&self, number: i32) -> Vec<EntityState> {
        let entities = self.of_type(13 + number);
        let linked = entities.filter(|one| one.is_linked());
        linked.map(|one| one.state).collect()
    }

    /// The entities of a type.
    pub fn of_type(&self, e_type: i32) -> impl Iterator<Item = &Entity> {
        let entities = self.game.world().entities.iter();
        entities.filter(move |one| one.state.e_type == e_type)
    }

    pub fn entity(&self, number: usize) -> &Entity {
        &self.game.world().entities[number]
    }
}
