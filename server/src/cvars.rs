//! The server's settings: one row each, with what clients are told of them.

use shared::base::{
    info::{Info, MAX_BIG_INFO, MAX_INFO},
    text,
};
use std::collections::BTreeMap;

/// Who is told of a setting, and by which info string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Published {
    No,
    /// To whoever asks.
    Serverinfo,
    /// To all clients, which must play by it.
    Systeminfo,
}

/// A row of [`CVARS`].
#[derive(Clone, Copy, Debug)]
pub struct CvarDef {
    pub name: &'static str,
    pub default: &'static str,
    pub published: Published,
    pub help: &'static str,
}

const fn row(
    name: &'static str,
    default: &'static str,
    published: Published,
    help: &'static str,
) -> CvarDef {
    CvarDef {
        name,
        default,
        published,
        help,
    }
}

/// All settings.
#[rustfmt::skip]
pub const CVARS: &[CvarDef] = &[
    row("sv_hostname", "noname", Published::Serverinfo, "The server's name."),
    row("sv_maxclients", "8", Published::Serverinfo, "How many can play; from the next map on."),
    row("sv_fps", "20", Published::No, "Frames of the game in a second."),
    row("sv_timeout", "200", Published::No, "Seconds of silence after which a client is dropped."),
    row("sv_zombietime", "2", Published::No, "Seconds for which the place of a player who left is kept."),
    row("sv_reconnectlimit", "3", Published::No, "Seconds before one address may connect again."),
    row("sv_minRate", "0", Published::Serverinfo, "Lowest rate of a client in bytes per second; 0 for no limit."),
    row("sv_maxRate", "0", Published::Serverinfo, "Highest rate of a client in bytes per second; 0 for no limit."),
    row("sv_minPing", "0", Published::Serverinfo, "Lowest ping that may join; the local network always may. 0 for no limit."),
    row("sv_maxPing", "0", Published::Serverinfo, "Highest ping that may join; the local network always may. 0 for no limit."),
    row("sv_floodProtect", "1", Published::Serverinfo, "One chat line or other command a second for each client."),
    row("sv_privateClients", "0", Published::Serverinfo, "Places kept for those who know sv_privatePassword."),
    row("sv_privatePassword", "", Published::No, "Opens the private places."),
    row("sv_pure", "0", Published::Systeminfo, "Clients may use the server's paks only; from the next map on."),
    row("sv_allowDownload", "0", Published::Serverinfo, "Bits: 1 hands out paks that clients lack, 2 not by sv_dlURL, 4 not over the connection."),
    row("sv_dlURL", "", Published::Serverinfo, "Where clients find the paks on the web."),
    row("sv_dlRate", "100", Published::Serverinfo, "Most KiB of paks in a second, to all clients together; 0 for no limit."),
    row("sv_serverid", "0", Published::Systeminfo, "The number of the level."),
    row("sv_cheats", "0", Published::Systeminfo, "Allows cheats."),
    row("timescale", "1", Published::Systeminfo, "How fast time passes."),
    row("pmove_fixed", "0", Published::Systeminfo, "Moves in steps of pmove_msec."),
    row("pmove_msec", "8", Published::Systeminfo, "Length of the steps in milliseconds, 8 to 33."),
    row("pmove_float", "1", Published::Systeminfo, "Velocities keep their fractions (baseoa)."),
    row("g_synchronousClients", "0", Published::Systeminfo, "Moves players in the game's frames only."),
    row("rconPassword", "", Published::No, "Opens the remote console; empty closes it."),
    row("mapname", "nomap", Published::Serverinfo, "The map that is played."),
    row("gamename", "baseq3", Published::Serverinfo, "The game whose clients are served: baseq3 or baseoa; from the next map on."),
    row("protocol", "68", Published::Serverinfo, "The classic number of the protocol."),
    row("version", "Strafe", Published::Serverinfo, "The program."),
    row("g_gametype", "0", Published::Serverinfo, "0 free for all, 1 tournament, 3 team deathmatch, 4 capture the flag; from the next map on."),
    row("g_maxGameClients", "0", Published::Serverinfo, "How many play at once; the others watch. 0 for all."),
    row("g_needpass", "0", Published::Serverinfo, "Whether players need g_password."),
    row("g_password", "", Published::No, "Players must know it to join."),
    row("g_gravity", "800", Published::No, "How fast players fall, in units a second squared."),
    row("g_knockback", "1000", Published::No, "How far hits push, in thousandths."),
    row("g_quadfactor", "3", Published::No, "How many times the damage with quad damage."),
    row("g_weaponrespawn", "5", Published::No, "Seconds until a weapon that was taken comes back."),
    row("g_weaponTeamRespawn", "30", Published::No, "The same in team deathmatch."),
    row("g_forcerespawn", "20", Published::No, "Seconds after which the dead come back unasked; 0 for never."),
    row("g_inactivity", "0", Published::No, "Seconds after which idle players are dropped; 0 for never."),
    row("g_friendlyFire", "0", Published::No, "Whether players can hurt their own team."),
    row("g_teamAutoJoin", "0", Published::No, "Newcomers play at once in team games."),
    row("g_teamForceBalance", "0", Published::No, "No joining of a team that has two more."),
    row("g_warmup", "20", Published::No, "Seconds from the last player's arrival to the match."),
    row("g_doWarmup", "0", Published::No, "Whether games other than tournaments have a warm-up."),
    row("g_allowVote", "1", Published::No, "Whether players may vote."),
    row("g_smoothClients", "1", Published::No, "Others are told players with their velocity."),
    row("g_unlagged", "0", Published::Serverinfo, "Shots hit what the shooter saw."),
    row("com_blood", "1", Published::No, "0 for no gibs."),
    row("nextmap", "map_restart 0", Published::No, "The command that ends an intermission."),
    row("vm_game", "2", Published::Serverinfo, "Rounds as the game does in bytecode (2) or as a native library (0); from the next map on."),
    row("g_speed", "320", Published::No, "How fast players run, in units a second."),
    row("g_motd", "", Published::No, "Shown while the level loads."),
    row("fraglimit", "20", Published::Serverinfo, "Frags that end a match; 0 for none."),
    row("timelimit", "0", Published::Serverinfo, "Minutes that end a match; 0 for none."),
    row("capturelimit", "8", Published::Serverinfo, "Captures that end a match; 0 for none."),
    row("bot_enable", "1", Published::No, "Whether there may be bots; 0 sends all away."),
    row("bot_minplayers", "0", Published::No, "Bots fill the server up to so many players, in team games so many a team."),
    row("g_spSkill", "2", Published::No, "Skill of bots that are added without one: 1 to 5."),
    row("dmflags", "0", Published::Serverinfo, "Bits of rules: 8 no falling damage, 16 fixed view, 32 no footsteps."),
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
        let is_published = CVARS[at].published != Published::No;
        let is_plain = |c: &char| match c {
            '\\' | ';' => !is_published,
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
    pub fn take_changes(&mut self) -> Vec<Published> {
        let changed = std::mem::take(&mut self.changed);
        let changed_of = |info: Published| {
            let is_one = |row: &&CvarDef| row.published == info && changed.contains(&row.name);
            CVARS.iter().any(|row| is_one(&row)).then_some(info)
        };
        [Published::Serverinfo, Published::Systeminfo]
            .into_iter()
            .filter_map(changed_of)
            .collect()
    }

    /// The text of the serverinfo.
    pub fn serverinfo(&self) -> String {
        self.info(Published::Serverinfo, MAX_INFO)
    }

    /// The text of the systeminfo.
    pub fn systeminfo(&self) -> String {
        self.info(Published::Systeminfo, MAX_BIG_INFO)
    }

    fn info(&self, published: Published, limit: usize) -> String {
        let mut info = Info::new();
        for (row, value) in CVARS.iter().zip(&self.values) {
            if row.published == published {
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
        assert_eq!(cvars.take_changes(), [Published::Serverinfo]);
        assert!(cvars.serverinfo().contains("\\sv_hostname\\abc\\"));
        cvars.set("sv_cheats", "1");
        cvars.set("rconPassword", "secret");
        assert_eq!(cvars.take_changes(), [Published::Systeminfo]);
        assert!(cvars.take_changes().is_empty());
        assert!(cvars.systeminfo().contains("\\sv_cheats\\1"));
        assert!(!cvars.serverinfo().contains("secret"));
        assert!(cvars.set_any("disable_weapon_bfg", "1") && cvars.is_on("DISABLE_weapon_bfg"));
        assert!(cvars.set_any("d1", "map a; set nextmap vstr d2"));
        assert_eq!(cvars.get("d1"), "map a; set nextmap vstr d2");
        assert!(!cvars.set_any("a b", "1"));
    }
}
