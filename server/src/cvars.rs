//! The server's settings: one row each, with what clients are told of them.

use shared::base::{
    info::{Info, MAX_BIG_INFO, MAX_INFO},
    text,
};

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
    row("sv_zombietime", "2", Told::Nobody, "Seconds for which the place of who left is kept."),
    row("sv_reconnectlimit", "3", Told::Nobody, "Seconds before one address may connect again."),
    row("sv_minRate", "0", Told::Server, "Least bytes in a second for one client; 0 for no limit."),
    row("sv_maxRate", "0", Told::Server, "Most bytes in a second for one client; 0 for no limit."),
    row("sv_floodProtect", "1", Told::Server, "One chat line or other command a second for each client."),
    row("sv_privateClients", "0", Told::Server, "Places kept for those who know sv_privatePassword."),
    row("sv_privatePassword", "", Told::Nobody, "Opens the private places."),
    row("sv_pure", "0", Told::System, "Clients may use the server's paks only."),
    row("sv_serverid", "0", Told::System, "The number of the level."),
    row("sv_cheats", "0", Told::System, "Allows cheats."),
    row("timescale", "1", Told::System, "How fast time passes."),
    row("pmove_fixed", "0", Told::System, "Moves in steps of pmove_msec."),
    row("pmove_msec", "8", Told::System, "Length of the steps in milliseconds, 8 to 33."),
    row("g_synchronousClients", "0", Told::System, "Moves players in the game's frames only."),
    row("rconPassword", "", Told::Nobody, "Opens the remote console; empty closes it."),
    row("mapname", "nomap", Told::Server, "The map that is played."),
    row("gamename", "baseq3", Told::Server, "The game's rules."),
    row("protocol", "68", Told::Server, "The classic number of the protocol."),
    row("version", "Strafe", Told::Server, "The program."),
    row("g_gametype", "0", Told::Server, "0 free for all, 1 tournament, 3 team deathmatch, 4 capture the flag."),
    row("g_needpass", "0", Told::Server, "Whether one needs g_password."),
    row("g_password", "", Told::Nobody, "Who wants to play must know it."),
    row("g_gravity", "800", Told::Nobody, "How fast things fall, in units a second squared."),
    row("g_speed", "320", Told::Nobody, "How fast players run, in units a second."),
    row("g_motd", "", Told::Nobody, "Shown while the level loads."),
    row("fraglimit", "20", Told::Server, "Frags that end a match; 0 for none."),
    row("timelimit", "0", Told::Server, "Minutes that end a match; 0 for none."),
    row("capturelimit", "8", Told::Server, "Captures that end a match; 0 for none."),
    row("dmflags", "0", Told::Server, "Bits of rules: 8 no falling damage, 16 fixed view, 32 no footsteps."),
];

/// Values of all settings.
#[derive(Clone, Debug)]
pub struct Cvars {
    values: Vec<String>,
    /// What was changed since [`Cvars::take_changes`].
    changed: Vec<&'static str>,
}

impl Default for Cvars {
    fn default() -> Self {
        Self {
            values: CVARS.iter().map(|row| row.default.to_owned()).collect(),
            changed: Vec::new(),
        }
    }
}

impl Cvars {
    /// A value; empty for names that do not exist.
    pub fn get(&self, name: &str) -> &str {
        index(name).map_or("", |at| &self.values[at])
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
        let is_plain = |c: &char| !matches!(c, '\\' | ';' | '"') && *c >= ' ';
        let value: String = value.chars().filter(is_plain).take(256).collect();
        if self.values[at] != value {
            self.values[at] = value;
            self.changed.push(CVARS[at].name);
        }
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
    }
}
