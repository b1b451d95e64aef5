//! Flags: capture the flag's rules of taking, dropping, returning and capturing, and its bonuses.

use super::{Game, combat::HOLY_SHIT, gentity::Class, items::powerup_item};
use shared::bg::{
    items::{ItemKind, item},
    numbers::{configstring as cs, entity_flags, event, persistant, powerup, team},
};

/// Where a flag is, as configstrings tell it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum FlagStatus {
    #[default]
    Home,
    Taken,
    Dropped,
}

/// Sounds that all hear of a team, by their codes.
mod team_sound {
    pub(super) const RED_CAPTURED: i32 = 0;
    pub(super) const BLUE_CAPTURED: i32 = 1;
    pub(super) const RED_RETURNED: i32 = 2;
    pub(super) const BLUE_RETURNED: i32 = 3;
    pub(super) const RED_TAKEN: i32 = 4;
    pub(super) const BLUE_TAKEN: i32 = 5;
    pub(super) const RED_SCORED: i32 = 8;
    pub(super) const BLUE_SCORED: i32 = 9;
    pub(super) const RED_LEADS: i32 = 10;
    pub(super) const BLUE_LEADS: i32 = 11;
    pub(super) const TIED: i32 = 12;
}

const CAPTURE_POINTS: i32 = 5;
const RETURN_POINTS: i32 = 1;
const CARRIER_POINTS: i32 = 2;
const DANGER_POINTS: i32 = 2;
const DEFENSE_POINTS: i32 = 1;
const ASSIST_RETURN_POINTS: i32 = 1;
const ASSIST_CARRIER_POINTS: i32 = 2;
/// Whoever returned a flag or fragged its carrier not longer ago has helped with a capture.
const ASSIST_MSEC: i32 = 10_000;
/// Whoever hurt the carrier not longer ago was a danger.
const DANGER_MSEC: i32 = 8000;
/// The base is so large.
const BASE_RADIUS: f32 = 1000.0;
/// The taking of a flag is not announced again sooner.
const TAKEN_SOUND_MSEC: i32 = 10_000;

/// The name of a team as messages have it.
pub(super) fn team_name(which: i32) -> &'static str {
    match which {
        team::RED => "RED",
        team::BLUE => "BLUE",
        team::SPECTATOR => "SPECTATOR",
        _ => "FREE",
    }
}

/// The value of red, or of blue.
fn of_team<T>(which: i32, red: T, blue: T) -> T {
    if which == team::RED { red } else { blue }
}

fn other_team(which: i32) -> i32 {
    of_team(which, team::BLUE, team::RED)
}

fn flag_of(which: i32) -> usize {
    of_team(which, powerup::REDFLAG, powerup::BLUEFLAG)
}

fn team_of(flag: usize) -> i32 {
    match flag {
        powerup::REDFLAG => team::RED,
        _ => team::BLUE,
    }
}

/// The team of a flag, by its number in the list of items.
fn team_of_item(number: i32) -> i32 {
    match Some(number) == powerup_item(powerup::REDFLAG) {
        true => team::RED,
        false => team::BLUE,
    }
}

impl Game {
    pub(super) fn set_flag_status(&mut self, which: i32, status: FlagStatus) {
        if !self.settings.is_ctf() {
            return;
        }
        self.flags[usize::from(which == team::BLUE)] = status;
        self.tell_flag_status();
    }

    pub(super) fn tell_flag_status(&mut self) {
        let digit = |status: FlagStatus| match status {
            FlagStatus::Home => '0',
            FlagStatus::Taken => '1',
            FlagStatus::Dropped => '2',
        };
        let text = self.flags.into_iter().map(digit).collect();
        self.set_configstring(cs::FLAG_STATUS, text);
    }

    /// A player touches a flag; none if nothing is taken.
    pub(super) fn touch_flag(&mut self, at: usize, client: usize, flag: usize) -> Option<i32> {
        let own = self.players[client].team();
        if !self.settings.is_ctf() || !matches!(own, team::RED | team::BLUE) {
            return None;
        }
        if team_of(flag) == own {
            self.touch_own_flag(at, client, own);
            return None;
        }
        self.take_enemy_flag(client, own);
        // Nothing but the rules brings it back.
        Some(-1)
    }

    fn take_enemy_flag(&mut self, client: usize, own: i32) {
        let enemy = other_team(own);
        let name = self.name(client).to_owned();
        let text = format!("print \"{name}^7 got the {} flag!\n\"", team_name(enemy));
        self.tell_all(&text);
        self.players[client].state.powerups[flag_of(enemy)] = i32::MAX;
        self.announce_taking(client, enemy);
        self.set_flag_status(enemy, FlagStatus::Taken);
    }

    fn announce_taking(&mut self, client: usize, enemy: i32) {
        let side = usize::from(enemy == team::BLUE);
        let is_from_home = self.flags[side] == FlagStatus::Home;
        let is_recent =
            self.flag_taken_at[side].is_some_and(|at| self.time - at < TAKEN_SOUND_MSEC);
        if !is_from_home && is_recent {
            return;
        }
        self.flag_taken_at[side] = Some(self.time);
        // The code names the team that has lost its flag.
        let sound = of_team(enemy, team_sound::RED_TAKEN, team_sound::BLUE_TAKEN);
        self.team_sound(client, sound);
    }

    fn team_sound(&mut self, client: usize, code: i32) {
        let origin = self.world.entities[client].state.pos.base;
        self.broadcast(origin, event::GLOBAL_TEAM_SOUND, code);
    }

    fn touch_own_flag(&mut self, at: usize, client: usize, own: i32) {
        let name = self.name(client).to_owned();
        let is_dropped = self.world.entities[at].state.model_index2 != 0;
        if is_dropped {
            let text = format!("print \"{name}^7 returned the {} flag!\n\"", team_name(own));
            self.tell_all(&text);
            let place = self.world.entities[at].origin;
            self.add_score(client, place, RETURN_POINTS);
            self.players[client].flag_times.returned_flag_at = Some(self.time);
            return self.return_flag(own);
        }
        let enemy = other_team(own);
        let carries = self.has_powerup(client, flag_of(enemy));
        if carries {
            self.capture(at, client, own);
        }
    }

    fn capture(&mut self, at: usize, client: usize, own: i32) {
        let enemy = other_team(own);
        let name = self.name(client).to_owned();
        let text = format!(
            "print \"{name}^7 captured the {} flag!\n\"",
            team_name(enemy)
        );
        self.tell_all(&text);
        self.players[client].state.powerups[flag_of(enemy)] = 0;
        let place = self.world.entities[at].origin;
        self.score_team_capture(own, client);
        self.give_award(client, persistant::CAPTURES, entity_flags::AWARD_CAP);
        self.add_score(client, place, CAPTURE_POINTS);
        let sound = of_team(own, team_sound::RED_CAPTURED, team_sound::BLUE_CAPTURED);
        self.team_sound(client, sound);
        self.reward_helpers(client, own);
        self.reset_flag(team::RED);
        self.reset_flag(team::BLUE);
        self.rank_players();
    }

    fn score_team_capture(&mut self, own: i32, client: usize) {
        let [_, red, blue] = self.team_scores;
        let (mine, theirs) = of_team(own, (red, blue), (blue, red));
        let leads = of_team(own, team_sound::RED_LEADS, team_sound::BLUE_LEADS);
        let scored = of_team(own, team_sound::RED_SCORED, team_sound::BLUE_SCORED);
        let sound = match (mine + 1).cmp(&theirs) {
            std::cmp::Ordering::Equal => team_sound::TIED,
            std::cmp::Ordering::Greater if mine <= theirs => leads,
            _ => scored,
        };
        self.team_sound(client, sound);
        self.add_team_score(own, 1);
    }

    fn reward_helpers(&mut self, client: usize, own: i32) {
        let time = self.time;
        let is_recent = |at: Option<i32>| at.is_some_and(|at| time - at < ASSIST_MSEC);
        for other in 0..self.players.len() {
            let player = &self.players[other];
            if other == client || player.team() != own {
                continue;
            }
            let times = player.flag_times;
            let place = player.state.origin;
            let points = if is_recent(times.returned_flag_at) {
                ASSIST_RETURN_POINTS
            } else if is_recent(times.fragged_carrier_at) {
                ASSIST_CARRIER_POINTS
            } else {
                continue;
            };
            self.add_score(other, place, points);
            self.give_award(other, persistant::ASSIST_COUNT, entity_flags::AWARD_ASSIST);
        }
    }

    /// The flag of a team is back at its base, and all hear it.
    pub(super) fn return_flag(&mut self, which: i32) {
        self.reset_flag(which);
        let sound = of_team(which, team_sound::RED_RETURNED, team_sound::BLUE_RETURNED);
        let origin = self.flag_at_base(which);
        let origin = origin.map_or(glam::Vec3::ZERO, |at| self.world.entities[at].origin);
        self.broadcast(origin, event::GLOBAL_TEAM_SOUND, sound);
    }

    /// A flag that lies somewhere goes home by itself.
    pub(super) fn return_flag_item(&mut self, at: usize) {
        let Class::Item(number) = self.gentities[at].class else {
            return;
        };
        let which = team_of_item(number);
        let name = team_name(which);
        self.tell_all(&format!("print \"The {name} flag has returned!\n\""));
        self.return_flag(which);
    }

    pub(super) fn is_flag(&self, at: usize) -> bool {
        matches!(self.gentities[at].class, Class::Item(number)
            if item(number).is_some_and(|item| item.kind == ItemKind::Team))
    }

    fn flag_items(&self, which: i32) -> Vec<usize> {
        let flag = powerup_item(flag_of(which)).map(Class::Item);
        let is_flag = |at: &usize| Some(self.gentities[*at].class) == flag;
        self.in_use(0).filter(is_flag).collect()
    }

    fn flag_at_base(&self, which: i32) -> Option<usize> {
        let is_base = |at: &usize| self.world.entities[*at].state.model_index2 == 0;
        self.flag_items(which).into_iter().find(is_base)
    }

    /// Removes dropped ones and shows the one at the base.
    fn reset_flag(&mut self, which: i32) {
        for at in self.flag_items(which) {
            if self.world.entities[at].state.model_index2 != 0 {
                self.free(at);
            } else {
                self.respawn_item(at);
            }
        }
        self.set_flag_status(which, FlagStatus::Home);
    }

    /// A player loses the flags that he carries: they lie where he is.
    pub(super) fn drop_flags(&mut self, client: usize) {
        for flag in [powerup::REDFLAG, powerup::BLUEFLAG] {
            if !self.has_powerup(client, flag) {
                continue;
            }
            self.players[client].state.powerups[flag] = 0;
            if let Some(number) = powerup_item(flag) {
                self.drop_item(client, number, 0.0);
            }
        }
    }

    /// A flag lies where its carrier lost it.
    pub(super) fn flag_dropped(&mut self, number: i32) {
        self.set_flag_status(team_of_item(number), FlagStatus::Dropped);
    }

    pub(super) fn return_carried_flags(&mut self, client: usize) {
        for flag in [powerup::REDFLAG, powerup::BLUEFLAG] {
            if self.has_powerup(client, flag) {
                self.players[client].state.powerups[flag] = 0;
                self.return_flag(team_of(flag));
            }
        }
    }

    /// Whoever dies with the enemy's flag at his own base has made it exciting.
    pub(super) fn celebrate_near_capture(&mut self, client: usize) {
        const NEAR: f32 = 200.0;
        let own = self.players[client].team();
        if !self.settings.is_ctf() || !self.has_powerup(client, flag_of(other_team(own))) {
            return;
        }
        let is_home = self.flags[usize::from(own == team::BLUE)] == FlagStatus::Home;
        let place = self.world.entities[client].origin;
        let is_near = self
            .flag_at_base(own)
            .is_some_and(|at| self.world.entities[at].origin.distance(place) < NEAR);
        if !is_home || !is_near {
            return;
        }
        let attacker = self.players[client].life.last_hurt_client;
        for at in [Some(client), attacker.filter(|&at| at != client)]
            .into_iter()
            .flatten()
        {
            if let Some(player) = self.players.get_mut(at) {
                player.state.persistant[persistant::PLAYEREVENTS] ^= HOLY_SHIT;
            }
        }
    }

    /// Whoever hurts a carrier is noted.
    pub(super) fn note_hurt_carrier(&mut self, target: usize, attacker: Option<usize>) {
        let Some(attacker) = attacker.filter(|&at| self.is_connected(at)) else {
            return;
        };
        let own = self.players[attacker].team();
        let victim = self.players[target].team();
        if own == victim || !self.has_powerup(target, flag_of(own)) {
            return;
        }
        self.players[attacker].flag_times.hurt_carrier_at = Some(self.time);
    }

    /// What a frag is worth beside the point: only the first that fits.
    pub(super) fn give_frag_bonuses(&mut self, victim: usize, killer: Option<usize>) {
        let Some(killer) = killer.filter(|&at| at != victim && self.is_connected(at)) else {
            return;
        };
        let [own, theirs] = [killer, victim].map(|at| self.players[at].team());
        if own == theirs {
            return;
        }
        let place = self.world.entities[victim].origin;
        let time = self.time;
        if self.has_powerup(victim, flag_of(own)) {
            self.players[killer].flag_times.fragged_carrier_at = Some(time);
            self.add_score(killer, place, CARRIER_POINTS);
            let name = self.name(killer).to_owned();
            let text = format!(
                "print \"{name}^7 fragged {}'s flag carrier!\n\"",
                team_name(theirs)
            );
            self.tell_all(&text);
            self.forget_dangers(theirs);
            return;
        }
        let hurt_at = self.players[victim].flag_times.hurt_carrier_at;
        let carries = self.has_powerup(killer, flag_of(theirs));
        if hurt_at.is_some_and(|at| time - at < DANGER_MSEC) && !carries {
            self.players[victim].flag_times.hurt_carrier_at = None;
            self.add_score(killer, place, DANGER_POINTS);
            return self.give_defense(killer);
        }
        if self.is_defense(own, [victim, killer]) {
            self.add_score(killer, place, DEFENSE_POINTS);
            self.give_defense(killer);
        }
    }

    fn give_defense(&mut self, killer: usize) {
        self.give_award(killer, persistant::DEFEND_COUNT, entity_flags::AWARD_DEFEND);
    }

    fn forget_dangers(&mut self, which: i32) {
        for player in &mut self.players {
            if player.team() == which {
                player.flag_times.hurt_carrier_at = None;
            }
        }
    }

    /// Whether one of two was near the own flag or the own carrier.
    fn is_defense(&self, own: i32, [victim, killer]: [usize; 2]) -> bool {
        let carrier = (0..self.players.len()).find(|&at| {
            let is_own = self.players[at].team() == own;
            is_own && at != killer && self.has_powerup(at, flag_of(other_team(own)))
        });
        let places = [self.flag_at_base(own), carrier];
        let is_near = |at: usize, from: usize| {
            let (to, from) = (
                self.world.entities[at].origin,
                self.world.entities[from].origin,
            );
            to.distance(from) < BASE_RADIUS && self.is_in_pvs(to, from)
        };
        places
            .into_iter()
            .flatten()
            .any(|at| is_near(at, victim) || is_near(at, killer))
    }

    pub(super) fn is_in_pvs(&self, one: glam::Vec3, other: glam::Vec3) -> bool {
        let map = &self.world.map;
        let (one, other) = (map.leaf_of(one), map.leaf_of(other));
        map.cluster_sees(one.cluster, other.cluster)
            && self.world.areas.are_connected(one.area, other.area)
    }
}
