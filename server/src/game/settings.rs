//! Settings: the server's settings as the game uses them, read anew after each change.

use crate::cvars::Cvars;
use shared::bg::{
    numbers::{gametype, pm_type, team},
    numeric::{LengthRounding, Numeric, Profile},
    pmove,
    ruleset::{IOQUAKE3, OPENARENA_088, RuleSet, dmflags},
};

/// What the game takes from the server's settings.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    /// Of the settings that these were read from.
    revision: u64,
    pub game_type: i32,
    pub frag_limit: i32,
    pub time_limit: i32,
    pub capture_limit: i32,
    pub dm_flags: i32,
    pub max_game_clients: i32,
    pub has_friendly_fire: bool,
    pub joins_teams: bool,
    pub balances_teams: bool,
    pub warmup_sec: i32,
    pub has_warmup: bool,
    pub speed: i32,
    pub gravity: i32,
    pub knockback: f32,
    pub quad_factor: f32,
    pub weapon_respawn_sec: i32,
    pub forced_respawn_sec: i32,
    pub inactivity_sec: i32,
    pub allows_votes: bool,
    pub smooths_clients: bool,
    pub has_lag_compensation: bool,
    /// `pmove_fixed`: the length of all steps of pmove.
    pub fixed_msec: Option<i32>,
    pub is_synchronous: bool,
    pub has_blood: bool,
    pub has_cheats: bool,
    pub numeric: Numeric,
    /// Players move as in OpenArena, and are told to clients as there.
    pub is_openarena: bool,
    pub float_velocity: bool,
}

/// OpenArena's movement over the base game's layout of statistics.
static OPENARENA: RuleSet = RuleSet {
    stats: IOQUAKE3.stats,
    ..OPENARENA_088
};

impl Settings {
    /// Reads the settings if they were changed; the game type stays what the level began with.
    pub(super) fn follow(&mut self, cvars: &Cvars) {
        if self.revision == cvars.revision() {
            return;
        }
        let game_type = match self.revision {
            0 => cvars.integer("g_gametype").clamp(0, gametype::CTF),
            _ => self.game_type,
        };
        let is_openarena = match self.revision {
            0 => cvars.get("gamename").eq_ignore_ascii_case("baseoa"),
            _ => self.is_openarena,
        };
        let is_team_deathmatch = game_type == gametype::TEAM;
        let weapon_respawn = match is_team_deathmatch {
            true => "g_weaponTeamRespawn",
            false => "g_weaponrespawn",
        };
        *self = Self {
            revision: cvars.revision(),
            game_type,
            frag_limit: cvars.integer("fraglimit"),
            time_limit: cvars.integer("timelimit"),
            capture_limit: cvars.integer("capturelimit"),
            dm_flags: cvars.integer("dmflags"),
            max_game_clients: cvars.integer("g_maxGameClients"),
            has_friendly_fire: cvars.is_on("g_friendlyFire"),
            joins_teams: cvars.is_on("g_teamAutoJoin"),
            balances_teams: cvars.is_on("g_teamForceBalance"),
            warmup_sec: cvars.integer("g_warmup"),
            has_warmup: cvars.is_on("g_doWarmup"),
            speed: cvars.integer("g_speed"),
            gravity: cvars.integer("g_gravity"),
            knockback: cvars.float("g_knockback"),
            quad_factor: cvars.float("g_quadfactor"),
            weapon_respawn_sec: cvars.integer(weapon_respawn),
            forced_respawn_sec: cvars.integer("g_forcerespawn"),
            inactivity_sec: cvars.integer("g_inactivity"),
            allows_votes: cvars.is_on("g_allowVote"),
            smooths_clients: cvars.is_on("g_smoothClients") && !is_openarena,
            has_lag_compensation: cvars.is_on("g_unlagged"),
            fixed_msec: cvars
                .is_on("pmove_fixed")
                .then(|| cvars.integer("pmove_msec").clamp(8, 33)),
            is_synchronous: cvars.is_on("g_synchronousClients"),
            has_blood: cvars.is_on("com_blood"),
            has_cheats: cvars.is_on("sv_cheats"),
            numeric: Numeric {
                profile: match cvars.integer("vm_game") {
                    // OpenArena's libraries are those of Debian, compiled for speed.
                    0 if is_openarena => Profile::Fast,
                    0 => Profile::Native,
                    _ => Profile::Bytecode,
                },
                length: match is_openarena {
                    true => LengthRounding::Root,
                    false => LengthRounding::ScaledSquare,
                },
            },
            is_openarena,
            float_velocity: is_openarena && cvars.is_on("pmove_float"),
        };
    }

    /// How players move here: as bots try it out, so that others set what is different with them.
    pub(super) fn movement(&self) -> pmove::Settings<'static> {
        pmove::Settings {
            rules: self.rules(),
            numeric: self.numeric,
            trace_mask: pmove::trace_mask(pm_type::NORMAL, team::FREE),
            no_footsteps: true,
            gauntlet_hit: false,
            fixed_msec: None,
            float_velocity: self.float_velocity,
            dmflags: self.dm_flags,
            rat: None,
        }
    }

    /// The rules of movement and items.
    pub(super) fn rules(&self) -> &'static RuleSet {
        if self.is_openarena {
            &OPENARENA
        } else {
            &IOQUAKE3
        }
    }

    pub(super) fn is_team_game(&self) -> bool {
        self.game_type >= gametype::TEAM
    }

    pub(super) fn is_tournament(&self) -> bool {
        self.game_type == gametype::TOURNAMENT
    }

    pub(super) fn is_ctf(&self) -> bool {
        self.game_type == gametype::CTF
    }

    pub(super) fn is_team_deathmatch(&self) -> bool {
        self.game_type == gametype::TEAM
    }

    pub(super) fn has_falling_damage(&self) -> bool {
        self.dm_flags & dmflags::NO_FALLING == 0
    }
}
