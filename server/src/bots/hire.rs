//! Hire: how bots come to the server and go: console commands, and filling up.

use super::{
    bot::Bot,
    characters::{self, CHARACTERS},
};
use crate::{
    game::BOT_ADDRESS,
    io::Peer,
    server::Server,
    slot::{Handshake, Slot, SlotState},
};
use shared::{
    base::{
        info::{Info, MAX_INFO},
        rng::Rng,
        tokens::Tokens,
    },
    bg::numbers::{gametype, team},
};

/// The number of players is looked at so often.
const LOOK_MSEC: i32 = 10_000;
/// At first, until the server is full enough.
const FIRST_LOOK_MSEC: i32 = 2000;
const NEXT_MSEC: i32 = 1500;

/// A bot to come.
#[derive(Clone, Debug)]
struct BotRequest {
    name: String,
    skill: f32,
    team: String,
}

impl Server {
    /// What is known of the bots, for whoever measures them.
    pub fn bot_report(&self) -> crate::BotReport {
        self.bots.report()
    }

    /// `addbot NAME [SKILL] [TEAM] [DELAY]`
    pub(crate) fn command_addbot(&mut self, tokens: &Tokens) {
        if tokens.get(1).is_empty() {
            return self.print("addbot NAME [SKILL 1-5] [red|blue] [MSEC]");
        }
        let skill: f32 = match tokens.get(2).parse() {
            Ok(skill) if f32::is_finite(skill) => skill,
            _ => self.cvars.float("g_spSkill"),
        };
        let request = BotRequest {
            name: tokens.get(1).to_owned(),
            skill,
            team: tokens.get(3).to_owned(),
        };
        let delay_msec = shared::base::text::number(tokens.get(4)).clamp(0, 60_000);
        self.add_bot(&request, delay_msec);
    }

    fn add_bot(&mut self, request: &BotRequest, delay_msec: i32) {
        if !self.cvars.is_on("bot_enable") {
            return self.print("There may be no bots: bot_enable is 0");
        }
        let client = (0..self.slots.len()).find(|&at| self.slots[at].is_none());
        let (Some(client), Some(level)) = (client, &mut self.level) else {
            return self.print("There is no place for a bot");
        };
        let known = characters::find(&request.name);
        let look = known.unwrap_or(&CHARACTERS[client % CHARACTERS.len()]);
        let skill = request.skill.clamp(1.0, 5.0);
        let (color, skill_text) = (look.color.to_string(), format!("{skill:.1}"));
        let pairs = [
            ("name", known.map_or(request.name.as_str(), |one| one.name)),
            ("model", look.model),
            ("headmodel", look.model),
            ("team_model", look.model),
            ("team_headmodel", look.model),
            ("color1", color.as_str()),
            ("color2", color.as_str()),
            ("skill", skill_text.as_str()),
            ("teampref", request.team.as_str()),
            ("rate", "16384"),
            ("ip", BOT_ADDRESS),
        ];
        let mut userinfo = Info::new();
        for (key, value) in pairs {
            if userinfo.set(key, value, MAX_INFO).is_err() {
                let text = format!("\"{value}\" cannot be said of a bot");
                return self.print(text);
            }
        }
        let effects = match level.game.connect(client, &userinfo, true, &self.cvars) {
            Ok(effects) => effects,
            Err(reason) => return self.print(reason),
        };
        let handshake = Handshake {
            peer: Peer::Bot,
            qport: 0,
            challenge: 0,
            wire: None,
        };
        self.slots[client] = Some(Slot::new(handshake, userinfo, self.now));
        let seed = self.rng.next_u64();
        let starts_at = self.level.as_ref().map_or(0, |level| level.time) + delay_msec;
        self.bots
            .all
            .push(Bot::new(client, skill, Rng::new(seed), starts_at));
        self.apply(effects);
        self.begin_bot(client);
    }

    /// Brings a bot into the level; it needs no gamestate.
    pub(crate) fn begin_bot(&mut self, client: usize) {
        let (Some(Some(slot)), Some(level)) = (self.slots.get_mut(client), &mut self.level) else {
            return;
        };
        slot.state = SlotState::Active;
        let effects = level.game.begin(client, None, &self.cvars);
        self.apply(effects);
    }

    pub(crate) fn remove_all_bots(&mut self) {
        let clients: Vec<usize> = self.bots.all.iter().map(|bot| bot.client).collect();
        for client in clients {
            self.drop_client(client, "was kicked");
        }
    }

    /// Removes the bot with the fewest points, of the larger team in team games.
    pub(crate) fn remove_least_bot(&mut self, reason: &str) {
        let Some(level) = &self.level else { return };
        let game = &level.game;
        let size = |client: usize| {
            let own = game.team_of(client);
            let others = (0..self.slots.len()).filter(|&at| self.slots[at].is_some());
            match game.game_type() >= gametype::TEAM {
                true => others.filter(|&at| game.team_of(at) == own).count(),
                false => 0,
            }
        };
        let bots = self.bots.all.iter().map(|bot| bot.client);
        let least = bots.min_by_key(|&client| {
            let watches = game.team_of(client) == team::SPECTATOR;
            (
                !watches,
                std::cmp::Reverse(size(client)),
                game.score(client),
            )
        });
        if let Some(client) = least {
            self.drop_client(client, reason);
        }
    }

    pub(crate) fn print_bots(&mut self) {
        let row = |one: &characters::Character| format!("{:<10} {}", one.name, one.model);
        self.output.printed.extend(CHARACTERS.iter().map(row));
    }

    /// Looks now and then whether bots are missing, or too many.
    pub(crate) fn fill_with_bots(&mut self) {
        let Some(level) = &self.level else { return };
        let time = level.time;
        if !self.cvars.is_on("bot_enable") {
            return self.remove_all_bots();
        }
        let wanted = usize::try_from(self.cvars.integer("bot_minplayers")).unwrap_or(0);
        if wanted == 0 {
            return;
        }
        if self.bots.look_at == 0 {
            self.bots.look_at = time + FIRST_LOOK_MSEC;
        }
        if time < self.bots.look_at {
            return;
        }
        self.bots.look_at = time + LOOK_MSEC;
        let is_team_game = level.game.game_type() >= gametype::TEAM;
        let is_tournament = level.game.game_type() == gametype::TOURNAMENT;
        let wanted = if is_team_game { wanted * 2 } else { wanted };
        let wanted = wanted.min(self.slots.len().saturating_sub(1));
        let plays = |(client, slot): &(usize, &Slot)| {
            slot.state >= SlotState::Connected
                && (is_tournament || level.game.team_of(*client) != team::SPECTATOR)
        };
        let playing = self.clients().filter(plays).count();
        if playing < wanted {
            let request = BotRequest {
                name: self.free_name(),
                skill: self.cvars.float("g_spSkill"),
                team: String::new(),
            };
            let before = self.bots.count();
            self.add_bot(&request, 0);
            if self.bots.count() > before {
                self.bots.look_at = time + NEXT_MSEC;
            }
        } else if playing > wanted && self.bots.count() > 0 {
            self.remove_least_bot("left");
            self.bots.look_at = time + NEXT_MSEC;
        }
    }

    /// A character that does not play yet.
    fn free_name(&mut self) -> String {
        let is_free =
            |one: &&characters::Character| !self.clients().any(|(_, slot)| slot.name() == one.name);
        let free: Vec<&str> = CHARACTERS
            .iter()
            .filter(is_free)
            .map(|one| one.name)
            .collect();
        match free.len() {
            0 => "Bot".to_owned(),
            count => free[self.rng.below(count)].to_owned(),
        }
    }
}
