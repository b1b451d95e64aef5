//! GameStatic: the configstrings, and what they say about the rules, the match and its players.

use glam::Vec3;
use shared::{
    base::{info::Info, time::ServerTime},
    bg::{
        numbers::{configstring as cs, entity_type, gametype, team},
        ratmod::{Movement, RatRules},
        ruleset::{self, StatLayout},
    },
    types::{
        configstring::{Configstrings, index},
        entitystate::EntityState,
        gamestate::Gamestate,
        limits::MAX_CLIENTS,
    },
};
use std::sync::Arc;

/// Which game's numbers the server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    Baseq3,
    OpenArena088,
    OpenArenaNew,
    TeamArena,
    /// Version 0.18 of OpenArena's mod.
    RatMod,
}

impl Profile {
    pub fn stats(self) -> StatLayout {
        match self {
            Self::Baseq3 => ruleset::IOQUAKE3.stats,
            Self::OpenArena088 => ruleset::OPENARENA_088.stats,
            Self::OpenArenaNew => ruleset::OPENARENA_MASTER.stats,
            Self::TeamArena => ruleset::TEAM_ARENA.stats,
            Self::RatMod => ruleset::RATMOD.stats,
        }
    }

    pub fn is_open_arena(self) -> bool {
        matches!(self, Self::OpenArena088 | Self::OpenArenaNew | Self::RatMod)
    }
}

/// The match and its rules; everything follows from the configstrings.
#[derive(Clone, Debug)]
pub struct GameStatic {
    pub strings: Configstrings,
    pub client_num: usize,
    pub profile: Profile,
    pub stats: StatLayout,
    pub game_type: i32,
    pub dm_flags: i32,
    /// What a server of RatMod says about movement and looks.
    pub rat: Option<RatRules>,
    /// Fields of view end at 140 degrees.
    pub limits_fov: bool,
    /// The counter of excellents is a reward.
    pub has_excellent: bool,
    pub frag_limit: i32,
    pub capture_limit: i32,
    pub time_limit: i32,
    /// What only OpenArena's game types know.
    pub rules: RoundRules,
    pub map: String,
    /// Server time of the beginning of the match.
    pub start_time: ServerTime,
    /// 0 none, negative: waits for players, else the server time at which the match begins.
    pub warmup: i32,
    pub is_intermission: bool,
    /// One or two files of music; the second is repeated.
    pub music: Arc<str>,
    pub is_synchronous: bool,
    pub server_fps: i32,
    /// The server moves other players back to what the shooter saw.
    pub has_lag_compensation: bool,
    /// It is cold: one sees one's breath.
    pub has_breath: bool,
    /// Landings raise dust where the ground is dry.
    pub has_dust: bool,
    pub clients: Vec<Option<ClientInfo>>,
}

/// Rules of rounds and goals, as the serverinfo tells them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoundRules {
    /// How long a round lasts; 0 is for ever.
    pub round_sec: i32,
    /// Only one team attacks in each round.
    pub is_one_way: bool,
    /// Whoever is out may not look around freely.
    pub binds_spectators: bool,
    /// Last man standing: 0 and 1 score by round, 2 and 3 by kill; even ones have an overtime.
    pub last_man_mode: i32,
    /// How long a burst obelisk is away.
    pub obelisk_msec: i32,
}

impl RoundRules {
    fn read(info: &Info) -> Self {
        let flags = info.number("elimflags");
        let obelisk_sec = match info.number("g_obeliskRespawnDelay") {
            0 => 10,
            seconds => seconds.clamp(1, 3600),
        };
        Self {
            round_sec: info.number("elimination_roundtime"),
            is_one_way: flags & 1 != 0,
            binds_spectators: flags & 2 != 0,
            last_man_mode: info.number("g_lms_mode"),
            obelisk_msec: obelisk_sec * 1000,
        }
    }
}

/// A player's public description.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientInfo {
    pub name: String,
    pub team: i32,
    pub model: String,
    pub skin: String,
    pub head_model: String,
    pub head_skin: String,
    /// Of the rail's core and rings; 0 to 1 each.
    pub colors: [Vec3; 2],
    pub handicap: i32,
    pub wins: i32,
    pub losses: i32,
    pub bot_skill: i32,
}

impl GameStatic {
    pub fn new(gamestate: &Gamestate) -> Self {
        let profile = detect_profile(&gamestate.configstrings);
        let mut level = Self {
            strings: gamestate.configstrings.clone(),
            client_num: usize::try_from(gamestate.client_num)
                .unwrap_or(0)
                .min(MAX_CLIENTS - 1),
            profile,
            stats: profile.stats(),
            game_type: 0,
            dm_flags: 0,
            rat: None,
            limits_fov: false,
            has_excellent: true,
            frag_limit: 0,
            capture_limit: 0,
            time_limit: 0,
            rules: RoundRules::default(),
            map: String::new(),
            start_time: ServerTime::default(),
            warmup: 0,
            is_intermission: false,
            music: gamestate.configstrings.get(cs::MUSIC).into(),
            is_synchronous: false,
            server_fps: 20,
            has_lag_compensation: false,
            has_breath: false,
            has_dust: false,
            clients: vec![None; MAX_CLIENTS],
        };
        level.read_serverinfo();
        level.read_systeminfo();
        for index in [cs::WARMUP, cs::LEVEL_START_TIME, cs::INTERMISSION] {
            level.read_number(index);
        }
        for client in 0..MAX_CLIENTS {
            level.read_client(client);
        }
        level
    }

    /// Stores one changed configstring and reads what it means; false if nothing changed.
    pub fn set(&mut self, number: usize, text: &str) -> bool {
        if !matches!(self.strings.set(number, text), Ok(true)) {
            return false;
        }
        match number {
            index::SERVERINFO => self.read_serverinfo(),
            index::SYSTEMINFO => self.read_systeminfo(),
            cs::MUSIC => self.music = text.into(),
            cs::PLAYERS..cs::LOCATIONS => self.read_client(number - cs::PLAYERS),
            _ => self.read_number(number),
        }
        true
    }

    /// How long a frame of the server lasts.
    pub fn server_frame_msec(&self) -> i32 {
        1000 / self.server_fps
    }

    pub fn is_team_game(&self) -> bool {
        let is_treasure_hunt = self.rat.is_some() && self.game_type == gametype::POSSESSION;
        matches!(self.game_type, 3..=9 | 11 | 12) || is_treasure_hunt
    }

    /// The match goes in rounds, each of which one lives through once (OpenArena).
    pub fn has_rounds(&self) -> bool {
        self.profile.is_open_arena() && matches!(self.game_type, 8..=10)
    }

    /// Team score limits are captures, not frags.
    pub fn counts_captures(&self) -> bool {
        self.is_team_game() && self.game_type >= 4
    }

    pub fn client(&self, number: i32) -> Option<&ClientInfo> {
        usize::try_from(number)
            .ok()
            .and_then(|number| self.clients.get(number)?.as_ref())
    }

    /// The server runs RatMod and has one of these flags set.
    pub fn has_rat(&self, flags: i32) -> bool {
        self.rat.is_some_and(|rat| rat.has(flags))
    }

    /// A missile of RatMod that has burst stays one for a while, and flies on in its states.
    pub fn has_burst(&self, state: &EntityState) -> bool {
        self.rat.is_some() && state.e_type == entity_type::MISSILE && state.time2 > 0
    }

    /// A player's name, or a word for nobody.
    pub fn name(&self, number: i32) -> &str {
        self.client(number).map_or("nobody", |info| &info.name)
    }

    /// The text behind a sound number of an entity or event.
    pub fn sound_name(&self, number: i32) -> &str {
        match usize::try_from(number) {
            Ok(number @ 1..256) => self.strings.get(cs::SOUNDS + number),
            _ => "",
        }
    }

    /// A place's name by its number, as team-mates tell it.
    pub fn location(&self, number: usize) -> &str {
        if number < cs::END - cs::LOCATIONS {
            self.strings.get(cs::LOCATIONS + number)
        } else {
            ""
        }
    }

    /// The names of all places of the map.
    pub fn locations(&self) -> impl Iterator<Item = &str> {
        (1..cs::END - cs::LOCATIONS).map(|number| self.location(number))
    }

    /// Trusts what the first living player shows over what the server's name promised; true if that changed anything.
    pub fn check_stats(&mut self, stats: &[i32; 16]) -> bool {
        let is_sane = |index: usize| (1..=200).contains(&stats[index]);
        let may_be_other = self.profile.is_open_arena() && self.profile != Profile::RatMod;
        if is_sane(self.stats.max_health) || !may_be_other {
            return false;
        }
        let other = match self.profile {
            Profile::OpenArena088 => Profile::OpenArenaNew,
            _ => Profile::OpenArena088,
        };
        if !is_sane(other.stats().max_health) {
            return false;
        }
        self.profile = other;
        self.stats = other.stats();
        true
    }

    fn read_serverinfo(&mut self) {
        let info = Info::parse(self.strings.get(index::SERVERINFO));
        self.game_type = info.number("g_gametype");
        self.dm_flags = info.number("dmflags");
        // Its rules change while it runs, by votes.
        self.rat = rat_rules(&info).filter(|_| self.profile.is_open_arena());
        if self.rat.is_some() {
            self.profile = Profile::RatMod;
            self.stats = self.profile.stats();
        }
        self.limits_fov = info.number("videoflags") & 1 != 0;
        self.has_excellent = info.number("g_altExcellent") == 0;
        self.frag_limit = info.number("fraglimit");
        self.capture_limit = info.number("capturelimit");
        self.time_limit = info.number("timelimit");
        self.rules = RoundRules::read(&info);
        self.map = info.get("mapname").to_owned();
        self.has_breath = info.number("g_enableBreath") != 0;
        self.has_dust = info.number("g_enableDust") != 0;
        // OpenArena's name for it, and ours.
        self.has_lag_compensation = ["g_delagHitscan", "g_unlagged"]
            .into_iter()
            .any(|key| info.number(key) != 0);
    }

    fn read_systeminfo(&mut self) {
        let info = Info::parse(self.strings.get(index::SYSTEMINFO));
        self.is_synchronous = info.number("g_synchronousClients") != 0;
        self.server_fps = match info.number("sv_fps") {
            0 => 20,
            fps => fps.clamp(1, 1000),
        };
    }

    fn read_number(&mut self, number: usize) {
        let value = shared::base::text::number(self.strings.get(number));
        match number {
            cs::WARMUP => self.warmup = value,
            cs::LEVEL_START_TIME => self.start_time = ServerTime(value),
            cs::INTERMISSION => self.is_intermission = value != 0,
            _ => {}
        }
    }

    fn read_client(&mut self, client: usize) {
        let text = self.strings.get(cs::PLAYERS + client);
        self.clients[client] = (!text.is_empty()).then(|| ClientInfo::parse(text));
    }
}

impl ClientInfo {
    fn parse(text: &str) -> Self {
        let info = Info::parse(text);
        let (model, skin) = split_model(info.get("model"));
        let (head_model, head_skin) = match info.get("hmodel") {
            "" => (model.clone(), skin.clone()),
            head => split_model(head),
        };
        Self {
            name: info.get("n").to_owned(),
            team: info.number("t").clamp(team::FREE, team::SPECTATOR),
            model,
            skin,
            head_model,
            head_skin,
            colors: [color(info.get("c1")), color(info.get("c2"))],
            handicap: info.number("hc"),
            wins: info.number("w"),
            losses: info.number("l"),
            bot_skill: info.number("skill"),
        }
    }
}

/// `model/skin`; an empty model becomes the one that every game has.
pub fn split_model(text: &str) -> (String, String) {
    let (model, skin) = text.split_once('/').unwrap_or((text, "default"));
    let model = if model.is_empty() { "sarge" } else { model };
    let skin = if skin.is_empty() { "default" } else { skin };
    (model.to_ascii_lowercase(), skin.to_ascii_lowercase())
}

/// Bits of blue, green and red; with RatMod also `H` and a hue in degrees.
fn color(text: &str) -> Vec3 {
    if let Some(degrees) = text.strip_prefix(['H', 'h']) {
        return hue(shared::base::text::number(degrees));
    }
    let number = shared::base::text::number(text);
    if !(1..=7).contains(&number) {
        return Vec3::ONE;
    }
    let bit = |mask: i32| if number & mask != 0 { 1.0 } else { 0.0 };
    Vec3::new(bit(4), bit(2), bit(1))
}

/// A full, bright color.
fn hue(degrees: i32) -> Vec3 {
    let sixths = degrees.rem_euclid(360) as f32 / 60.0;
    let part = |shift: f32| {
        let away = (sixths + shift).rem_euclid(6.0) - 3.0;
        (away.abs() - 1.0).clamp(0.0, 1.0)
    };
    Vec3::new(part(0.0), part(4.0), part(2.0))
}

/// What RatMod adds to the serverinfo; no other game has the first key.
fn rat_rules(info: &Info) -> Option<RatRules> {
    if info.get("g_ratFlags").is_empty() {
        return None;
    }
    Some(RatRules {
        flags: info.number("g_ratFlags"),
        movement: Movement::of(info.number("g_movement")),
    })
}

fn detect_profile(strings: &Configstrings) -> Profile {
    let info = Info::parse(strings.get(index::SERVERINFO));
    match strings.get(cs::GAME_VERSION) {
        "missionpack-1" => Profile::TeamArena,
        // ioquake3's Team Arena calls itself as its baseq3 does; what goes to servers' lists gives it away.
        "baseq3-1" if !info.get("g_obeliskRespawnDelay").is_empty() => Profile::TeamArena,
        version if version.starts_with("baseoa") || info.get("gamename") == "baseoa" => {
            if rat_rules(&info).is_some() {
                return Profile::RatMod;
            }
            let is_new = !info.get("g_enableFS").is_empty() || !info.get("g_enableQ").is_empty();
            if is_new {
                Profile::OpenArenaNew
            } else {
                Profile::OpenArena088
            }
        }
        _ => Profile::Baseq3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::bg::ratmod::rat_flags;

    fn check(version: &str, serverinfo: &str, expected: Profile) {
        let mut strings = Configstrings::default();
        for (index, text) in [(index::SERVERINFO, serverinfo), (cs::GAME_VERSION, version)] {
            assert_eq!(strings.set(index, text), Ok(true));
        }
        assert_eq!(detect_profile(&strings), expected, "{version} {serverinfo}");
    }

    #[test]
    fn the_game_is_known_by_its_version_and_what_it_lists() {
        check("baseq3-1", r"\gamename\baseq3", Profile::Baseq3);
        check(
            "missionpack-1",
            r"\gamename\missionpack",
            Profile::TeamArena,
        );
        // As ioquake3's missionpack says it.
        let listed = r"\gamename\baseq3\g_obeliskRespawnDelay\10\g_redteam\Stroggs\g_enableDust\0";
        check("baseq3-1", listed, Profile::TeamArena);
        let listed = r"\gamename\baseoa\g_obeliskRespawnDelay\10";
        check("baseoa-1", listed, Profile::OpenArena088);
        check("baseoa-1", r"\g_enableFS\0", Profile::OpenArenaNew);
        check("baseoa-1", r"\g_ratFlags\0", Profile::RatMod);
        check("baseq3-1", r"\g_ratFlags\0", Profile::Baseq3);
    }

    #[test]
    fn colors_are_bits_or_hues() {
        for (text, expected) in [
            ("4", Vec3::X),
            ("3", Vec3::new(0.0, 1.0, 1.0)),
            ("", Vec3::ONE),
            ("H0", Vec3::X),
            ("h120", Vec3::Y),
            ("H240", Vec3::Z),
            ("H60", Vec3::new(1.0, 1.0, 0.0)),
            ("H30", Vec3::new(1.0, 0.5, 0.0)),
        ] {
            assert_eq!(color(text), expected, "{text}");
        }
    }

    #[test]
    fn rules_of_ratmod_are_read_again_with_each_serverinfo() {
        let mut gamestate = Gamestate::default();
        for (index, text) in [
            (index::SERVERINFO, r"\g_ratFlags\0"),
            (cs::GAME_VERSION, "baseoa-1"),
        ] {
            assert_eq!(gamestate.configstrings.set(index, text), Ok(true));
        }
        let mut level = GameStatic::new(&gamestate);
        assert_eq!(level.rat, Some(RatRules::default()));
        assert!(!level.has_rat(rat_flags::NO_OVERBOUNCE));
        let told = r"\g_ratFlags\23969595\g_movement\3\g_gametype\13";
        assert!(level.set(index::SERVERINFO, told));
        assert!(level.has_rat(rat_flags::NO_OVERBOUNCE) && level.is_team_game());
        assert_eq!(level.rat.map(|rat| rat.movement), Some(Movement::Cpma));
        assert!(level.set(index::SERVERINFO, r"\g_ratFlags\1\g_movement\9"));
        assert_eq!(level.rat.map(|rat| rat.movement), Some(Movement::Vq3));
    }
}
