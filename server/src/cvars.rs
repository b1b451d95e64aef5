//! The server's settings: one row each, with what clients are told of them.

use shared::base::{
    info::{Info, MAX_BIG_INFO, MAX_INFO},
    text,
};
use std::collections::BTreeMap;

/// Who is told of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    Nobody,
    /// Whoever asks, in the serverinfo.
    Server,
    /// All clients, which must play by it.
    System,
}

/// A row of [`CVARS`].
#[derive(Clone, Copy, Debug)]
pub struct CvarDef {
    pub name: &'static str,
    pub default: &'static str,
    pub told: Told,
    pub help: &'static str,
}

const fn row(name: &'static str, default: &'static str, told: Told, help: &'static str) -> CvarDef {
    CvarDef {
        name,
        default,
        told,
        help,
    }
}

/// All settings.
#[rustfmt::skip]
pub const CVARS: &[CvarDef] = &[
    row("sv_hostname", "noname", Told::Server, "The server's name."),
    row("sv_maxclients", "8", Told::Server, "How many can play; from the next map on."),
    row("sv_fps", "20", Told::Nobody, "Frames of the game in a second."),
    row("sv_timeout", "200", Told::Nobody, "Seconds of silence after which a client is dropped."),
    row("sv_zombietime", "2", Told::Nobody, "Seconds for which the place of a player who left is kept."),
    row("sv_reconnectlimit", "3", Told::Nobody, "Seconds before one address may connect again."),
    row("sv_minRate", "0", Told::Server, "Lowest rate of a client in bytes per second; 0 for no limit."),
    row("sv_maxRate", "0", Told::Server, "Highest rate of a client in bytes per second; 0 for no limit."),
    row("sv_minPing", "0", Told::Server, "Lowest ping that may join; the local network always may. 0 for no limit."),
    row("sv_maxPing", "0", Told::Server, "Highest ping that may join; the local network always may. 0 for no limit."),
    row("sv_floodProtect", "1", Told::Server, "One chat line or other command a second for each client."),
    row("sv_privateClients", "0", Told::Server, "Places kept for those who know sv_privatePassword."),
    row("sv_privatePassword", "", Told::Nobody, "Opens the private places."),
    row("sv_pure", "0", Told::System, "Clients may use the server's paks only; from the next map on."),
    row("sv_allowDownload", "0", Told::Server, "Bits: 1 hands out paks that clients lack, 2 not by sv_dlURL, 4 not over the connection."),
    row("sv_dlURL", "", Told::Server, "Where clients find the paks on the web."),
    row("sv_dlRate", "100", Told::Server, "Most KiB of paks in a second, to all clients together; 0 for no limit."),
    row("sv_serverid", "0", Told::System, "The number of the level."),
    row("sv_cheats", "0", Told::System, "Allows cheats."),
    row("timescale", "1", Told::System, "How fast time passes."),
    row("pmove_fixed", "0", Told::System, "Moves in steps of pmove_msec."),
    row("pmove_msec", "8", Told::System, "Length of the steps in milliseconds, 8 to 33."),
    row("pmove_float", "1", Told::System, "Velocities keep their fractions (baseoa)."),
    row("g_synchronousClients", "0", Told::System, "Moves players in the game's frames only."),
    row("rconPassword", "", Told::Nobody, "Opens the remote console; empty closes it."),
    row("mapname", "nomap", Told::Server, "The map that is played."),
    row("gamename", "baseq3", Told::Server, "The game whose clients are served: baseq3 or baseoa; from the next map on."),
    row("protocol", "68", Told::Server, "The classic number of the protocol."),
    row("version", "Strafe", Told::Server, "The program."),
    row("g_gametype", "0", Told::Server, "0 free for all, 1 tournament, 3 team deathmatch, 4 capture the flag; from the next map on."),
    row("g_maxGameClients", "0", Told::Server, "How many play at once; the others watch. 0 for all."),
    row("g_needpass", "0", Told::Server, "Whether players need g_password."),
    row("g_password", "", Told::Nobody, "Players must know it to join."),
    row("g_gravity", "800", Told::Nobody, "How fast players fall, in units a second squared."),
    row("g_knockback", "1000", Told::Nobody, "How far hits push, in thousandths."),
    row("g_quadfactor", "3", Told::Nobody, "How many times the damage with quad damage."),
    row("g_weaponrespawn", "5", Told::Nobody, "Seconds until a weapon that was taken comes back."),
    row("g_weaponTeamRespawn", "30", Told::Nobody, "The same in team deathmatch."),
    row("g_forcerespawn", "20", Told::Nobody, "Seconds after which the dead come back unasked; 0 for never."),
    row("g_inactivity", "0", Told::Nobody, "Seconds after which idle players are dropped; 0 for never."),
    row("g_friendlyFire", "0", Told::Nobody, "Whether players can hurt their own team."),
    row("g_teamAutoJoin", "0", Told::Nobody, "Newcomers play at once in team games."),
    row("g_teamForceBalance", "0", Told::Nobody, "No joining of a team that has two more."),
    row("g_warmup", "20", Told::Nobody, "Seconds from the last player's arrival to the match."),
    row("g_doWarmup", "0", Told::Nobody, "Whether games other than tournaments have a warm-up."),
    row("g_allowVote", "1", Told::Nobody, "Whether players may vote."),
    row("g_smoothClients", "1", Told::Nobody, "Others are told players with their velocity."),
    row("g_unlagged", "0", Told::Server, "Shots hit what the shooter saw."),
    row("com_blood", "1", Told::Nobody, "0 for no gibs."),
    row("nextmap", "map_restart 0", Told::Nobody, "The command that ends an intermission."),
    row("vm_game", "2", Told::Server, "Rounds as the game does in bytecode (2) or as a native library (0); from the next map on."),
    row("g_speed", "320", Told::Nobody, "How fast players run, in units a second."),
    row("g_motd", "", Told::Nobody, "Shown while the level loads."),
    row("fraglimit", "20", Told::Server, "Frags that end a match; 0 for none."),
    row("timelimit", "0", Told::Server, "Minutes that end a match; 0 for none."),
    row("capturelimit", "8", Told::Server, "Captures that end a match; 0 for none."),
    row("bot_enable", "1", Told::Nobody, "Whether there may be bots; 0 sends all away."),
    row("bot_minplayers", "0", Told::Nobody, "Bots fill the server up to so many players, in team games so many a team."),
    row("g_spSkill", "2", Told::Nobody, "Skill of bots that are added without one: 1 to 5."),
    row("dmflags", "0", Told::Server, "Bits of rules: 8 no falling damage, 16 fixed view, 32 no footsteps."),
];

/// Values of all settings.
#[derive(Clone, Debug)]
pub struct Cvars {
    values: Vec<String>,
    /// What `set` made besides: rotations of maps, items that are left out.
    others: BTreeMap<String, String>,
    /// What was changed since [`Cvars::take_changes`].
    changed: Vec<&'static str>,
    /// Rises with each change.
    revision: u64,
}

/// Settings of the operator's own; more are not kept.
const MAX_OTHERS: usize = 512;
/// Longest value in characters.
const MAX_VALUE: usize = 256;

impl Default for Cvars {
    fn default() -> Self {
        Self {
            values: CVARS.iter().map(|row| row.default.to_owned()).collect(),
            others: BTreeMap::new(),
            changed: Vec::new(),
            revision: 1,
        }
    }
}

impl Cvars {
    /// A value; empty for names that do not exist.
    pub fn get(&self, name: &str) -> &str {
        match index(name) {
            Some(at) => &self.values[at],
            None => self
                .others
                .get(&name.to_ascii_lowercase())
                .map_or("", String::as_str),
        }
    }

    /// Whether there is a setting of that name.
    pub fn is_known(&self, name: &str) -> bool {
        index(name).is_some() || self.others.contains_key(&name.to_ascii_lowercase())
    }

    /// A number that is another after each change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    pub fn float(&self, name: &str) -> f32 {
        self.get(name).trim().parse().unwrap_or(0.0)
    }

    pub fn integer(&self, name: &str) -> i32 {
        text::number(self.get(name))
    }

    pub fn is_on(&self, name: &str) -> bool {
        self.integer(name) != 0
    }

    /// Sets a value; false if there is no such setting. What an info string cannot hold is left out.
    pub fn set(&mut self, name: &str, value: &str) -> bool {
        let Some(at) = index(name) else {
            return false;
        };
        let is_told = CVARS[at].told != Told::Nobody;
        let is_plain = |c: &char| match c {
            '\\' | ';' => !is_told,
            '"' => false,
            c => *c >= ' ',
        };
        let value: String = value.chars().filter(is_plain).take(MAX_VALUE).collect();
        if self.values[at] != value {
            self.values[at] = value;
            self.changed.push(CVARS[at].name);
            self.revision += 1;
        }
        true
    }

    /// Sets a value, also of a name that is the operator's own; false if there are too many of those.
    pub fn set_any(&mut self, name: &str, value: &str) -> bool {
        if self.set(name, value) {
            return true;
        }
        let name = name.to_ascii_lowercase();
        let has_room = self.others.len() < MAX_OTHERS || self.others.contains_key(&name);
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || name.len() > MAX_VALUE || !name.chars().all(is_name) || !has_room {
            return false;
        }
        let is_plain = |c: &char| *c != '"' && *c >= ' ';
        let value = value.chars().filter(is_plain).take(MAX_VALUE).collect();
        self.others.insert(name, value);
        self.revision += 1;
        true
    }

    /// Whether something was changed that these are told of.
    pub fn take_changes(&mut self) -> Vec<Told> {
        let changed = std::mem::take(&mut self.changed);
        let told = |told: Told| {
            let is_one = |row: &&CvarDef| row.told == told && changed.contains(&row.name);
            CVARS.iter().any(|row| is_one(&row)).then_some(told)
        };
        [Told::Server, Told::System]
            .into_iter()
            .filter_map(told)
            .collect()
    }

    /// The text of the serverinfo.
    pub fn serverinfo(&self) -> String {
        self.info(Told::Server, MAX_INFO)
    }

    /// The text of the systeminfo.
    pub fn systeminfo(&self) -> String {
        self.info(Told::System, MAX_BIG_INFO)
    }

    fn info(&self, told: Told, limit: usize) -> String {
        let mut info = Info::new();
        for (row, value) in CVARS.iter().zip(&self.values) {
            if row.told == told {
                // What has no room is left out.
                let _ = info.set(row.name, value, limit);
            }
        }
        info.to_string()
    }
}

fn index(name: &str) -> Option<usize> {
    CVARS
        .iter()
        .position(|row| row.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_reach_who_is_told_of_them() {
        let mut cvars = Cvars::default();
        assert!(cvars.set("SV_HOSTNAME", "a;b\\c"));
        assert!(!cvars.set("sv_nothing", "1"));
        assert_eq!(cvars.get("sv_hostname"), "abc");
        assert_eq!(cvars.take_changes(), [Told::Server]);
        assert!(cvars.serverinfo().contains("\\sv_hostname\\abc\\"));
        cvars.set("sv_cheats", "1");
        cvars.set("rconPassword", "secret");
        assert_eq!(cvars.take_changes(), [Told::System]);
        assert!(cvars.take_changes().is_empty());
        assert!(cvars.systeminfo().contains("\\sv_cheats\\1"));
        assert!(!cvars.serverinfo().contains("secret"));
        assert!(cvars.set_any("disable_weapon_bfg", "1") && cvars.is_on("DISABLE_weapon_bfg"));
        assert!(cvars.set_any("d1", "map a; set nextmap vstr d2"));
        assert_eq!(cvars.get("d1"), "map a; set nextmap vstr d2");
        assert!(!cvars.set_any("a b", "1"));
    }
}
