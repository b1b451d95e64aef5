//! One server as the list shows it: what it says of itself, in texts that are short and safe to show.

use core::net::SocketAddr;
use shared::{
    base::{
        info::Info,
        text::{is_control, without_colors},
    },
    net::{oob::Status, protocol::GAMENAME},
};

/// A server, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// How it is joined: an address or a name, with the port.
    pub address: String,
    /// None where a relay asks it for us.
    pub at: Option<SocketAddr>,
    /// Bits of [`super::lists`].
    pub lists: u8,
    /// From question to answer; none until it has answered.
    pub ping_msec: Option<i32>,
    /// With color codes.
    pub name: String,
    pub map: String,
    /// Empty for the game itself.
    pub mod_name: String,
    pub game_type: i32,
    pub players: u16,
    pub max_players: u16,
    pub needs_password: bool,
    pub protocol: i32,
    /// Who plays there, without colors.
    pub names: Vec<String>,
    /// What a relay has told in full.
    pub told: Option<Details>,
}

/// What a server says in full.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    pub rules: Vec<(String, String)>,
    pub players: Vec<DetailPlayer>,
}

/// A player as a server tells of him.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DetailPlayer {
    pub score: i32,
    pub ping: i32,
    /// With color codes.
    pub name: String,
}

/// Letters of names, and of all else, that are kept.
const MAX_NAME: usize = 40;
const MAX_WORD: usize = 24;
const MAX_VALUE: usize = 96;
const MAX_RULES: usize = 96;
const MAX_PLAYERS: usize = 64;

impl Server {
    pub fn new(address: String, lists: u8) -> Self {
        Self {
            address,
            lists,
            ..Self::default()
        }
    }

    pub fn is_full(&self) -> bool {
        self.players >= self.max_players
    }

    /// What is shown as its name.
    pub fn title(&self) -> &str {
        match self.name.is_empty() {
            true => &self.address,
            false => &self.name,
        }
    }

    /// A short word for its rules.
    pub fn game_type_name(&self) -> &'static str {
        game_type_name(self.game_type)
    }

    /// Takes the short answer.
    pub fn take_info(&mut self, info: &Info, ping_msec: Option<i32>) {
        let count = |key| u16::try_from(info.number(key).clamp(0, 1024)).unwrap_or(0);
        self.ping_msec = ping_msec;
        self.name = shown(info.get("hostname"), MAX_NAME);
        self.map = plain(info.get("mapname"));
        self.mod_name = plain(info.get("game"));
        self.game_type = info.number("gametype");
        self.players = count("clients");
        self.max_players = count("sv_maxclients");
        self.needs_password = info.number("g_needpass") != 0;
        self.protocol = info.number("protocol");
    }
}

/// A short word for a game type, as servers number them.
pub fn game_type_name(number: i32) -> &'static str {
    const NAMES: [&str; 13] = [
        "FFA", "1v1", "SP", "TDM", "CTF", "1FCTF", "OBEL", "HARV", "ELIM", "CTFE", "LMS", "DD",
        "DOM",
    ];
    let known = usize::try_from(number).ok();
    known.and_then(|number| NAMES.get(number)).unwrap_or(&"?")
}

/// Whether a server plays our game: others may answer the same words.
pub fn is_of_family(info: &Info) -> bool {
    let name = info.get("gamename");
    name.is_empty() || name.eq_ignore_ascii_case(GAMENAME)
}

impl Details {
    /// The long answer, cut to what can be shown.
    pub fn of(status: &Status) -> Self {
        let players = status.players.iter();
        let players = players.map(|told| player(told.score, told.ping, &told.name));
        Self {
            rules: rules(status.info.iter()),
            players: players.take(MAX_PLAYERS).collect(),
        }
    }

    /// Who plays, without colors.
    pub fn names(&self) -> Vec<String> {
        let names = self.players.iter();
        names.map(|player| without_colors(&player.name)).collect()
    }
}

/// Rules as they are shown.
pub fn rules<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Vec<(String, String)> {
    pairs
        .filter(|(key, _)| *key != "challenge")
        .map(|(key, value)| (plain(key), shown(value, MAX_VALUE)))
        .take(MAX_RULES)
        .collect()
}

/// A player as told by somebody else.
pub fn player(score: i32, ping: i32, name: &str) -> DetailPlayer {
    DetailPlayer {
        score,
        ping: ping.clamp(0, 999),
        name: shown(name, MAX_NAME),
    }
}

fn plain(text: &str) -> String {
    shown(&without_colors(text), MAX_WORD)
}

/// A text without controls and line breaks, of so many letters; color codes are no letters, but not without end either.
fn shown(text: &str, max: usize) -> String {
    let mut letters = 0;
    let mut chars = text
        .chars()
        .filter(|c| !is_control(*c))
        .take(4 * max)
        .peekable();
    let mut kept = String::new();
    while let Some(c) = chars.next() {
        match chars.peek() {
            Some(code) if c == '^' && code.is_ascii_alphanumeric() => {
                kept.extend([c, *code]);
                chars.next();
            }
            _ if letters == max => break,
            _ => {
                letters += 1;
                kept.push(c);
            }
        }
    }
    kept.trim().to_owned()
}
