//! Game: one level by the rules of the base game: its entities, its players, and what happens to them.
//!
//! Usercmds move players at once, between two frames of the game; all else moves in frames.

mod bodies;
mod cheats;
mod combat;
mod commands;
mod end_frame;
mod events;
mod flags;
mod gentity;
mod history;
mod items;
mod missiles;
mod movers;
mod player;
mod push;
mod rules;
mod score;
mod session;
mod settings;
mod sight;
mod spawn;
mod spawn_points;
mod targets;
#[cfg(test)]
pub(crate) mod tests;
mod think;
mod trains;
mod triggers;
mod votes;
mod weapons;

use crate::{cvars::Cvars, world::World};
use flags::FlagStatus;
use gentity::{BODIES, Class, Gentity};
use player::Player;
pub use session::ClientSession;
use settings::Settings;
use shared::{
    base::{info::Info, rng::Rng, sort::sort, tokens::Tokens},
    bg::{
        items::{BASEQ3_ITEM_COUNT, ITEMS},
        numbers::{configstring as cs, event, persistant, team},
        ruleset::{self, StatLayout},
    },
    cm::ClipMap,
    formats::{bsp::Bsp, mapents},
    types::{
        entitystate::EntityState, limits::MAX_CLIENTS, playerstate::PlayerState, usercmd::Usercmd,
    },
};
pub(crate) use sight::{Landmarks, Lift, Obstacle, OpenableDoor, Situation};
use spawn_points::SpawnPoint;
use std::collections::{BTreeMap, VecDeque};
use votes::Vote;

/// What stands as `ip` in a bot's userinfo; the engine writes that key itself.
pub(crate) const BOT_ADDRESS: &str = "bot";

/// Where players' states hold what.
const STATS: StatLayout = ruleset::IOQUAKE3.stats;

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
    /// A line to run on the server's console, after this frame.
    Console(String),
    Setting {
        name: &'static str,
        value: String,
    },
    /// The match begins; its restart has no warm-up.
    RestartAfterWarmup,
}

/// How a level begins.
#[derive(Clone, Debug, Default)]
pub struct Start {
    pub seed: u64,
    /// Level time at the start.
    pub time: i32,
    /// The warm-up is over.
    pub is_after_warmup: bool,
    /// Of those who were in the level before, by client number.
    pub sessions: Vec<Option<ClientSession>>,
}

/// A level that is played.
#[derive(Clone, Debug)]
pub struct Game {
    world: World,
    /// By entity number, as the world's.
    gentities: Vec<Gentity>,
    /// By client number, free slots too.
    players: Vec<Player>,
    /// Where players were, by client number.
    history: Vec<VecDeque<history::PastPosition>>,
    /// Of clients that connect again.
    sessions: Vec<Option<ClientSession>>,
    settings: Settings,
    /// Server time of this frame and the one before.
    time: i32,
    previous_time: i32,
    start_time: i32,
    rng: Rng,
    effects: Vec<Effect>,
    /// Names of sounds and models, by their first configstring.
    media: BTreeMap<usize, Vec<String>>,
    fry_sound: i32,
    /// By item number: whether clients need it.
    item_mask: [bool; BASEQ3_ITEM_COUNT],
    disabled_items: Vec<i32>,
    shader_remaps: Vec<(String, String, f32)>,
    use_depth: u32,
    has_locations: bool,
    next_body: usize,
    /// Which of three animations the next death has.
    death_animation: usize,
    /// By team number.
    team_scores: [i32; 3],
    /// Red and blue.
    flags: [FlagStatus; 2],
    flag_taken_at: [Option<i32>; 2],
    /// 0 for none, negative while players are missing.
    warmup_until: i32,
    intermission_queued_at: Option<i32>,
    intermission_at: Option<i32>,
    intermission_view: Option<SpawnPoint>,
    ready_since: Option<i32>,
    /// The level ends with this frame.
    has_exited: bool,
    votes: [Option<Vote>; 3],
    passed_vote: Option<(i32, String)>,
    team_told_at: i32,
}

impl Game {
    /// Fills a map with what its text names.
    ///
    /// # Errors
    /// The text of the map's entities is broken.
    pub fn new(
        map: ClipMap,
        bsp: &Bsp,
        start: Start,
        cvars: &Cvars,
    ) -> Result<Self, shared::base::error::DecodeError> {
        let entities = mapents::parse(&bsp.entities)?;
        let mut world = World::new(map);
        for at in BODIES {
            world.take_slot(at);
        }
        let mut gentities = vec![Gentity::default(); BODIES.end];
        for gentity in &mut gentities {
            gentity.is_kept = true;
        }
        let is_disabled = |number: &i32| {
            let item = shared::bg::items::item(*number);
            item.is_some_and(|item| cvars.is_on(&format!("disable_{}", item.class_name)))
        };
        let mut settings = Settings::default();
        settings.follow(cvars);
        let mut game = Self {
            world,
            gentities,
            players: vec![Player::default(); MAX_CLIENTS],
            history: vec![VecDeque::new(); MAX_CLIENTS],
            sessions: start.sessions,
            settings,
            time: start.time,
            previous_time: start.time,
            start_time: start.time,
            rng: Rng::new(start.seed),
            effects: Vec::new(),
            media: BTreeMap::new(),
            fry_sound: 0,
            item_mask: [false; BASEQ3_ITEM_COUNT],
            disabled_items: (1..=ITEMS.len() as i32).filter(is_disabled).collect(),
            shader_remaps: Vec::new(),
            use_depth: 0,
            has_locations: false,
            next_body: 0,
            death_animation: 0,
            team_scores: [0; 3],
            flags: [FlagStatus::Home; 2],
            flag_taken_at: [None; 2],
            warmup_until: 0,
            intermission_queued_at: None,
            intermission_at: None,
            intermission_view: None,
            ready_since: None,
            has_exited: false,
            votes: [None, None, None],
            passed_vote: None,
            team_told_at: 0,
        };
        game.spawn_entities(&entities, cvars);
        game.set_configstring(cs::INTERMISSION, String::new());
        let has_warmup = game.settings.is_tournament() || game.settings.has_warmup;
        let waits = has_warmup && !start.is_after_warmup;
        game.set_warmup(if waits { -1 } else { 0 });
        for index in [cs::VOTE_TIME, cs::TEAM_VOTE_TIME, cs::TEAM_VOTE_TIME + 1] {
            game.set_configstring(index, String::new());
        }
        Ok(game)
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    /// The map without what happened in it.
    pub fn into_map(self) -> ClipMap {
        self.world.map
    }

    /// The state of a player that is in the game.
    pub fn player(&self, client: usize) -> Option<&PlayerState> {
        let player = self.players.get(client)?;
        player.is_in_game.then_some(&player.state)
    }

    /// The state of a player as clients of this game read it.
    pub fn told_player(&self, client: usize) -> Option<PlayerState> {
        let mut told = self.player(client)?.clone();
        if self.settings.is_openarena {
            let stats = told.stats;
            let theirs = ruleset::OPENARENA_088.stats;
            told.stats = [0; 16];
            for (from, to) in [
                (STATS.health, theirs.health),
                (STATS.holdable_item, theirs.holdable_item),
                (STATS.weapons, theirs.weapons),
                (STATS.armor, theirs.armor),
                (STATS.dead_yaw, theirs.dead_yaw),
                (STATS.clients_ready, theirs.clients_ready),
                (STATS.max_health, theirs.max_health),
            ] {
                told.stats[to] = stats[from];
            }
        }
        Some(told)
    }

    pub fn score(&self, client: usize) -> i32 {
        let player = self.players.get(client);
        player.map_or(0, |player| player.state.persistant[persistant::SCORE])
    }

    /// The states that entities are first told against.
    pub fn baselines(&self) -> Vec<EntityState> {
        let entities = self.world.entities.iter().skip(1);
        entities
            .filter(|entity| entity.is_linked())
            .map(|entity| entity.state)
            .collect()
    }

    /// How long a client's answers take, for the lists of scores.
    pub fn set_ping(&mut self, client: usize, msec: i32) {
        if let Some(player) = self.players.get_mut(client) {
            player.ping = msec;
        }
    }

    /// Moves the level on to a time.
    pub fn frame(&mut self, time: i32, cvars: &Cvars) -> Vec<Effect> {
        self.settings.follow(cvars);
        if self.has_exited {
            self.time = time;
            return self.take_effects();
        }
        self.previous_time = self.time;
        self.time = time;
        for at in 0..self.world.entities.len() {
            if self.world.entities[at].is_in_use {
                self.run_entity(at);
            }
        }
        for client in 0..self.players.len() {
            self.end_player_frame(client);
        }
        self.check_warmup();
        self.check_exit_rules();
        self.check_intermission_exit();
        self.tell_teams();
        self.check_votes();
        self.follow_password(cvars);
        self.take_effects()
    }

    fn run_entity(&mut self, at: usize) {
        if !self.age_event(at) {
            return;
        }
        match self.gentities[at].class {
            Class::Missile | Class::Hook => self.run_missile(at),
            class if class.is_mover() => self.run_mover(at),
            _ if self.gentities[at].is_physical => self.run_physical(at),
            _ if self.is_client(at) => {
                if self.settings.is_synchronous || self.is_bot(at) {
                    self.run_usercmd(at);
                }
            }
            _ => self.run_think(at),
        }
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
        let is_local = matches!(userinfo.get("ip"), "localhost" | BOT_ADDRESS);
        let needs = !password.is_empty() && !password.eq_ignore_ascii_case("none");
        if needs && !is_local && userinfo.get("password") != password {
            return Err("Invalid password".to_owned());
        }
        let kept = self.sessions.get_mut(client).and_then(Option::take);
        let session = match kept.filter(|_| !is_first_time) {
            Some(session) => self.fitting_session(session, userinfo),
            None => self.first_session(userinfo),
        };
        let own_team = session.team;
        self.players[client] = Player::new(client, session);
        self.set_player_info(client, userinfo);
        if is_first_time {
            let name = self.name(client).to_owned();
            self.tell_all(&format!("print \"{name}^7 connected\n\""));
            if self.settings.is_team_game() && own_team != team::SPECTATOR {
                let word = if own_team == team::RED { "red" } else { "blue" };
                self.tell_all(&format!("cp \"{name}^7 joined the {word} team.\n\""));
            }
        }
        self.rank_players();
        Ok(self.take_effects())
    }

    /// A session of another level may name a team that this game has not.
    fn fitting_session(&self, mut session: ClientSession, userinfo: &Info) -> ClientSession {
        let is_team = matches!(session.team, team::RED | team::BLUE);
        let is_bot = userinfo.get("ip") == BOT_ADDRESS;
        let fits = is_team == self.settings.is_team_game();
        // Those who lost a tournament or wait in one do so as players do.
        let watches = session.team == team::SPECTATOR && !self.settings.is_tournament();
        if is_bot && (!fits || watches) {
            session.team = self.first_session(userinfo).team;
        } else if session.team != team::SPECTATOR && !fits {
            session.team = match self.settings.is_team_game() {
                true => team::SPECTATOR,
                false => team::FREE,
            };
        }
        if matches!(session.spectator_state, session::SpectatorState::Follow(_)) {
            session.spectator_state = session::SpectatorState::Free;
        }
        session
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
    pub fn begin(&mut self, client: usize, usercmd: Option<Usercmd>, cvars: &Cvars) -> Vec<Effect> {
        self.settings.follow(cvars);
        let player = &mut self.players[client];
        player.last_usercmd = usercmd.unwrap_or_default();
        player.last_command_at = self.time;
        if player.is_connected {
            self.begin_player(client);
        }
        self.take_effects()
    }

    /// Lets a player into the level anew, in the team that he is in.
    fn begin_player(&mut self, client: usize) {
        let (time, is_tournament) = (self.time, self.settings.is_tournament());
        self.world.unlink(client);
        let player = &mut self.players[client];
        player.is_in_game = true;
        player.entered_at = time;
        let e_flags = player.state.e_flags;
        player.events_shown = 0;
        player.state = PlayerState {
            client_num: client as i32,
            e_flags,
            ..PlayerState::default()
        };
        let is_spectator = player.is_spectator();
        let name = player.name.clone();
        self.spawn_player(client);
        if !is_spectator && !is_tournament {
            self.tell_all(&format!("print \"{name}^7 entered the game\n\""));
        }
        self.rank_players();
    }

    /// Executes a usercmd of a player.
    pub fn think(&mut self, client: usize, usercmd: Usercmd, cvars: &Cvars) -> Vec<Effect> {
        self.settings.follow(cvars);
        self.think_player(client, usercmd);
        self.take_effects()
    }

    /// A client is gone.
    pub fn disconnect(&mut self, client: usize) -> Vec<Effect> {
        if self.players[client].is_connected {
            self.free_followers(client);
            self.leave(client);
            self.players[client] = Player::default();
            self.history[client].clear();
            self.world.unlink(client);
            self.world.entities[client] = crate::entity::Entity::free(client as u16);
            self.gentities[client] = Gentity {
                is_kept: true,
                ..Gentity::default()
            };
            self.set_configstring(cs::PLAYERS + client, String::new());
            self.rank_players();
        }
        self.take_effects()
    }

    /// What stays of a player who goes.
    fn leave(&mut self, client: usize) {
        if !self.players[client].is_in_game {
            return;
        }
        self.free_hook(client);
        let player = &self.players[client];
        let origin = player.state.origin;
        if player.is_spectator() {
            return;
        }
        if self.intermission_at.is_none() {
            self.appear(client, event::PLAYER_TELEPORT_OUT, origin);
            self.return_carried_flags(client);
            self.toss_items(client);
        }
        if !self.settings.is_tournament() {
            return;
        }
        if self.intermission_at.is_some() {
            self.effects
                .push(Effect::Console("map_restart 0".to_owned()));
        } else if self.warmup_until == 0
            && let Some(&winner) = self.playing().iter().find(|&&at| at != client)
        {
            self.players[winner].session.wins += 1;
            self.tell_player_info(winner);
        }
    }

    /// Runs a command of a client.
    pub fn command(&mut self, client: usize, tokens: &Tokens, cvars: &Cvars) -> Vec<Effect> {
        self.settings.follow(cvars);
        self.run_command(client, tokens);
        self.take_effects()
    }

    /// The match is about to be restarted; clients count down.
    pub fn announce_restart(&mut self, at: i32) -> Vec<Effect> {
        self.set_configstring(cs::WARMUP, at.to_string());
        self.take_effects()
    }

    fn follow_password(&mut self, cvars: &Cvars) {
        let password = cvars.get("g_password");
        let needs = !password.is_empty() && !password.eq_ignore_ascii_case("none");
        if needs != cvars.is_on("g_needpass") {
            self.effects.push(Effect::Setting {
                name: "g_needpass",
                value: i32::from(needs).to_string(),
            });
        }
    }

    /// Each second: where players are, and to those who want it, how their team mates are.
    fn tell_teams(&mut self) {
        const AGAIN_MSEC: i32 = 1000;
        /// Team mates in one list.
        const MAX_LISTED: usize = 8;
        if !self.settings.is_team_game() || self.time - self.team_told_at < AGAIN_MSEC {
            return;
        }
        self.team_told_at = self.time;
        for client in self.playing() {
            let place = self.location_of(client);
            let number = place.map_or(0, |at| self.gentities[at].health);
            self.players[client].location = number;
        }
        for client in self.playing() {
            let player = &self.players[client];
            if !player.has_team_overlay {
                continue;
            }
            let own = player.team();
            let mut mates = self.playing();
            mates.retain(|&at| self.players[at].team() == own);
            mates.truncate(MAX_LISTED);
            sort(&mut mates);
            let row = |at: &usize| {
                let mate = &self.players[*at];
                let stats = &mate.state.stats;
                format!(
                    " {at} {} {} {} {} {}",
                    mate.location,
                    stats[STATS.health].max(0),
                    stats[STATS.armor].max(0),
                    mate.state.weapon,
                    self.world.entities[*at].state.powerups,
                )
            };
            let rows: String = mates.iter().map(row).collect();
            self.tell(client, &format!("tinfo {}{rows}", mates.len()));
        }
    }

    /// Kills a player who wants or has to die.
    fn kill(&mut self, client: usize, hit: &combat::Hit) {
        let player = &mut self.players[client];
        player.life.is_god = false;
        player.set_health(-999);
        self.die(client, hit, self.time);
    }

    fn drop(&mut self, client: usize, reason: &str) {
        self.effects.push(Effect::Drop {
            client,
            reason: reason.to_owned(),
        });
    }

    fn name(&self, client: usize) -> &str {
        &self.players[client].name
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
}
