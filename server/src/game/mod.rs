//! Game: one level by the rules of the base game: its entities, its players, and what happens to them.
//!
//! Usercmds move players at once, between two frames of the game; all else moves in frames.

mod commands;
mod player;
mod spawn;
mod triggers;

use crate::{cvars::Cvars, world::World};
use player::Player;
use shared::{
    base::{info::Info, rng::Rng, tokens::Tokens},
    bg::numbers::{configstring as cs, team},
    cm::ClipMap,
    formats::{bsp::Bsp, mapents},
    types::{
        entitystate::EntityState, limits::MAX_CLIENTS, playerstate::PlayerState, usercmd::Usercmd,
    },
};
use spawn::Places;

/// What the game wants of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A reliable command, to everybody or to one client.
    Command {
        client: Option<usize>,
        text: String,
    },
    Configstring {
        index: usize,
        text: String,
    },
    /// A line for the console.
    Print(String),
    Drop {
        client: usize,
        reason: String,
    },
}

/// A level that is played.
#[derive(Debug)]
pub struct Game {
    world: World,
    /// By client number.
    players: Vec<Option<Player>>,
    places: Places,
    /// Server time of this frame and the one before.
    time: i32,
    previous_time: i32,
    rng: Rng,
    effects: Vec<Effect>,
}

impl Game {
    /// Fills a map with what its text names.
    ///
    /// # Errors
    /// The text of the map's entities is broken.
    pub fn new(
        map: ClipMap,
        bsp: &Bsp,
        seed: u64,
        cvars: &Cvars,
    ) -> Result<Self, shared::base::error::DecodeError> {
        let entities = mapents::parse(&bsp.entities)?;
        let mut game = Self {
            world: World::new(map),
            players: (0..MAX_CLIENTS).map(|_| None).collect(),
            places: Places::default(),
            time: 0,
            previous_time: 0,
            rng: Rng::new(seed),
            effects: Vec::new(),
        };
        game.spawn_entities(&entities, cvars);
        Ok(game)
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    /// The state of a player that is in the game.
    pub fn player(&self, client: usize) -> Option<&PlayerState> {
        let player = self.players.get(client)?.as_ref()?;
        player.is_in_game.then_some(&player.state)
    }

    pub fn score(&self, client: usize) -> i32 {
        self.player(client).map_or(0, |player| {
            player.persistant[shared::bg::numbers::persistant::SCORE]
        })
    }

    /// The states that entities are first told against.
    pub fn baselines(&self) -> Vec<EntityState> {
        let entities = self.world.entities.iter().skip(1);
        entities
            .filter(|entity| entity.is_linked())
            .map(|entity| entity.state)
            .collect()
    }

    /// Moves the level on to a time.
    pub fn frame(&mut self, time: i32, cvars: &Cvars) -> Vec<Effect> {
        self.previous_time = self.time;
        self.time = time;
        self.aim_jump_pads(cvars);
        for client in 0..self.players.len() {
            self.end_player_frame(client);
        }
        self.take_effects()
    }

    /// Lets a client in; or says why not.
    pub fn connect(
        &mut self,
        client: usize,
        userinfo: &Info,
        is_first_time: bool,
        cvars: &Cvars,
    ) -> Result<Vec<Effect>, String> {
        let password = cvars.get("g_password");
        let is_local = userinfo.get("ip") == "localhost";
        let needs = !password.is_empty() && !password.eq_ignore_ascii_case("none");
        if needs && !is_local && userinfo.get("password") != password {
            return Err("Invalid password".to_owned());
        }
        self.players[client] = Some(Player::new(client));
        self.set_player_info(client, userinfo);
        if is_first_time {
            let name = self.name(client).to_owned();
            self.tell_all(&format!("print \"{name}^7 connected\n\""));
        }
        Ok(self.take_effects())
    }

    /// A client's settings changed.
    pub fn userinfo_changed(&mut self, client: usize, userinfo: &Info) -> Vec<Effect> {
        let before = self.name(client).to_owned();
        self.set_player_info(client, userinfo);
        let name = self.name(client).to_owned();
        if before != name && self.player(client).is_some() {
            self.tell_all(&format!("print \"{before}^7 renamed to {name}\n\""));
        }
        self.take_effects()
    }

    /// Brings a client into the game.
    pub fn begin(&mut self, client: usize, usercmd: Usercmd, cvars: &Cvars) -> Vec<Effect> {
        if let Some(player) = &mut self.players[client] {
            player.is_in_game = true;
            player.last_usercmd = usercmd;
            player.last_command_at = self.time;
            let name = player.name.clone();
            self.spawn_player(client, cvars);
            self.tell_all(&format!("print \"{name}^7 entered the game\n\""));
        }
        self.take_effects()
    }

    /// Executes a usercmd of a player.
    pub fn think(&mut self, client: usize, usercmd: Usercmd, cvars: &Cvars) -> Vec<Effect> {
        self.think_player(client, usercmd, cvars);
        self.take_effects()
    }

    /// A client is gone.
    pub fn disconnect(&mut self, client: usize) -> Vec<Effect> {
        if self.players[client].take().is_some() {
            self.world.unlink(client);
            self.world.entities[client].is_in_use = false;
            self.set_configstring(cs::PLAYERS + client, String::new());
        }
        self.take_effects()
    }

    /// Runs a command of a client.
    pub fn command(&mut self, client: usize, tokens: &Tokens, cvars: &Cvars) -> Vec<Effect> {
        self.run_command(client, tokens, cvars);
        self.take_effects()
    }

    fn name(&self, client: usize) -> &str {
        self.players[client]
            .as_ref()
            .map_or("", |player| player.name.as_str())
    }

    fn tell_all(&mut self, text: &str) {
        self.effects.push(Effect::Command {
            client: None,
            text: text.to_owned(),
        });
    }

    fn tell(&mut self, client: usize, text: &str) {
        self.effects.push(Effect::Command {
            client: Some(client),
            text: text.to_owned(),
        });
    }

    fn set_configstring(&mut self, index: usize, text: String) {
        self.effects.push(Effect::Configstring { index, text });
    }

    fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    fn set_player_info(&mut self, client: usize, userinfo: &Info) {
        let Some(player) = &mut self.players[client] else {
            return;
        };
        player.set_userinfo(userinfo);
        let value = |key: &str, default: &'static str| match userinfo.get(key) {
            "" => default.to_owned(),
            value => value.to_owned(),
        };
        let text = format!(
            "n\\{}\\t\\{}\\model\\{}\\hmodel\\{}\\g_redteam\\\\g_blueteam\\\\c1\\{}\\c2\\{}\\hc\\{}\\w\\0\\l\\0\\tt\\0\\tl\\0",
            player.name,
            team::FREE,
            value("model", "sarge"),
            value("headmodel", "sarge"),
            value("color1", "4"),
            value("color2", "5"),
            player.handicap,
        );
        self.set_configstring(cs::PLAYERS + client, text);
    }
}
