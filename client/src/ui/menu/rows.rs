//! The rows of a page as they are now: what each shows, and what a key or click on it does.

use super::{
    pages::{self, PageId, RowDef},
    servers::{ServerRows, is_favourite},
};
use crate::{
    con::{
        bind::Binds,
        cvar::{Cvars, Domain, flag, leading_number},
        keys,
    },
    scene::text::plain,
};

/// What the rows are made from.
#[derive(Clone, Copy)]
pub struct MenuInput<'a> {
    pub cvars: &'a Cvars,
    pub binds: &'a Binds,
    /// Names of maps that can be played here.
    pub maps: &'a [String],
    /// Numbers and names of the other players in the match.
    pub players: &'a [(usize, String)],
    /// A bit for each of them who is muted.
    pub muted: u64,
    /// Names of demos that can be played here.
    pub demos: &'a [String],
    pub servers: ServerRows<'a>,
    /// Whether the device itself shows keys to touch where text is wanted.
    pub shows_keyboard: bool,
}

/// One line of a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub label: String,
    pub kind: RowKind,
}

/// What a line is for.
#[derive(Clone, Debug, PartialEq)]
pub enum RowKind {
    Heading,
    Page(PageId),
    /// Runs console commands and closes the menus.
    Run(String),
    /// Runs console commands and leaves the menus open.
    Do(String),
    /// Something to be read: its value.
    Fact(String),
    /// A server of the list, by its place there.
    Server(usize),
    /// Sets a cvar and goes back.
    Pick(&'static str, String),
    Setting(String, ValueKind),
    Key(&'static str),
    /// Begins to search all settings.
    Search,
    /// Hides or shows what a player says.
    Mute {
        number: usize,
        is_muted: bool,
    },
}

/// How a value is chosen.
#[derive(Clone, Debug, PartialEq)]
pub enum ValueKind {
    Switch,
    /// Least, most, step.
    Range([f32; 3]),
    /// `auto`, or a whole number from least to most.
    AutoOr([i32; 2]),
    Choice(&'static [(&'static str, &'static str)]),
    Text,
}

/// What the client is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MenuAction {
    Run(String),
    /// The same, with the menus left open.
    Do(String),
    /// Shows a server of the list in full.
    Watch(usize),
    Set {
        name: String,
        value: String,
    },
    Bind {
        key: u16,
        command: String,
    },
    /// Takes all its keys from a command.
    Unbind {
        command: String,
    },
}

/// Whole numbers between these are stepped through; others are typed.
const MAX_STEPS: i32 = 40;
/// How many of what a search finds are shown.
const MAX_FOUND: usize = 40;

/// The rows of a page.
pub fn of_page(page: PageId, input: MenuInput<'_>) -> Vec<Row> {
    let items = page.items().iter();
    items.flat_map(|item| rows_of(item, input)).collect()
}

/// All settings, keys and pages whose label, name or help has this text; those in menus come first.
pub fn found(text: &str, input: MenuInput<'_>) -> Vec<Row> {
    let wanted = text.to_lowercase();
    let mut rows: Vec<Row> = Vec::new();
    for &page in pages::ALL {
        for row in of_page(page, input) {
            let is_kind = matches!(
                row.kind,
                RowKind::Setting(..) | RowKind::Key(_) | RowKind::Page(_)
            );
            if is_kind && row.matches(&wanted, input) && !rows.contains(&row) {
                rows.push(row);
            }
        }
    }
    let others = (input.cvars.iter()).filter(|cvar| !cvar.has(flag::READ_ONLY));
    for cvar in others {
        let name = cvar.name();
        let is_there = rows
            .iter()
            .any(|row| matches!(&row.kind, RowKind::Setting(known, _) if known == name));
        let row = setting(name, name, input);
        if !is_there && row.matches(&wanted, input) {
            rows.push(row);
        }
    }
    // Whoever types a whole name wants that one.
    let (mut rows, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| {
        let is_named =
            matches!(&row.kind, RowKind::Setting(name, _) if name.eq_ignore_ascii_case(&wanted));
        is_named || row.label.to_lowercase() == wanted
    });
    rows.extend(others);
    rows.truncate(MAX_FOUND);
    rows
}

fn row(label: &str, kind: RowKind) -> Row {
    Row {
        label: label.to_owned(),
        kind,
    }
}

fn rows_of(item: &RowDef, input: MenuInput<'_>) -> Vec<Row> {
    let run = |label: &str, command: String| row(label, RowKind::Run(command));
    match *item {
        RowDef::Heading(label) => vec![row(label, RowKind::Heading)],
        RowDef::Page(page) => vec![row(page.title(), RowKind::Page(page))],
        RowDef::Run(label, command) => vec![run(label, command.to_owned())],
        RowDef::Do(label, command) => vec![row(label, RowKind::Do(command.to_owned()))],
        RowDef::Setting(label, name) => vec![setting(label, name, input)],
        RowDef::Range(label, name, range) => {
            let control = ValueKind::Range(range);
            vec![row(label, RowKind::Setting(name.to_owned(), control))]
        }
        RowDef::Choice(label, name, choices) => {
            let control = ValueKind::Choice(choices);
            vec![row(label, RowKind::Setting(name.to_owned(), control))]
        }
        RowDef::Key(label, command) => vec![row(label, RowKind::Key(command))],
        RowDef::StartMatch => vec![run("Begin", match_commands(input.cvars))],
        RowDef::Maps => (input.maps.iter())
            .map(|map| row(map, RowKind::Pick("menu_map", map.clone())))
            .collect(),
        RowDef::Players => (input.players.iter())
            .map(|(number, name)| run(name, format!("callvote clientkick {number}")))
            .collect(),
        RowDef::Search => vec![row("Search", RowKind::Search)],
        RowDef::Mutes if input.players.is_empty() => {
            vec![row("Nobody else is here", RowKind::Heading)]
        }
        RowDef::Mutes => (input.players.iter())
            .map(|(number, name)| {
                let is_muted = input.muted >> (number & 63) & 1 != 0;
                let number = *number;
                row(name, RowKind::Mute { number, is_muted })
            })
            .collect(),
        RowDef::Join => vec![run(
            "Join",
            format!("connect {}", quoted(input.cvars.text("menu_address"))),
        )],
        RowDef::Servers => server_list(input),
        RowDef::ServerFacts => server_facts(input),
        RowDef::Demos if input.demos.is_empty() => vec![row(
            "None here: record NAME makes one, and pages play those that are dropped on them",
            RowKind::Heading,
        )],
        RowDef::Demos => (input.demos.iter())
            .map(|demo| run(demo, format!("demo {}", quoted(demo))))
            .collect(),
        RowDef::Recent => (input.cvars.text("menu_recent").split_ascii_whitespace())
            .map(|server| run(server, format!("connect {}", quoted(server))))
            .collect(),
    }
}

/// How far the list is, and a row for each server; their texts are made where they are drawn.
fn server_list(input: MenuInput<'_>) -> Vec<Row> {
    let heading = row(input.servers.state, RowKind::Heading);
    let servers = (0..input.servers.view.len()).map(|place| row("", RowKind::Server(place)));
    std::iter::once(heading).chain(servers).collect()
}

/// The server that is watched: what can be done with it, who plays, its rules.
fn server_facts(input: MenuInput<'_>) -> Vec<Row> {
    let heading = |label: &str| row(label, RowKind::Heading);
    let fact = |label: &str, value: String| row(label, RowKind::Fact(value));
    let does = |label: &str, command: String| row(label, RowKind::Do(command));
    let Some(server) = input.servers.watched else {
        return vec![heading("This server is not in the list any more")];
    };
    let name = quoted(&server.address);
    let mut rows = vec![row("Join", RowKind::Run(format!("connect {name}")))];
    if server.needs_password {
        rows.push(setting("Password", "password", input));
    }
    let keep = match is_favourite(server) {
        true => "Forget this favourite",
        false => "Keep among the favourites",
    };
    let ping = server
        .ping_msec
        .map_or("no answer".to_owned(), |msec| format!("{msec} ms"));
    let players = format!("Players: {} of {}", server.players, server.max_players);
    rows.extend([
        does(keep, format!("favourite {name}")),
        does("Copy a link to it", format!("copylink {name}")),
        fact("Name", server.title().to_owned()),
        fact("Address", server.address.clone()),
        fact("Ping", ping),
        fact("Map", server.map.clone()),
        fact("Rules", server.game_type_name().to_owned()),
        heading(&players),
    ]);
    let details = input.servers.details;
    for player in details.into_iter().flat_map(|details| &details.players) {
        let value = format!("{} frags {:>4} ms", player.score, player.ping);
        rows.push(fact(&plain(&player.name), value));
    }
    rows.push(heading("What it is set to"));
    for (key, value) in details.into_iter().flat_map(|details| &details.rules) {
        rows.push(fact(key, value.clone()));
    }
    rows
}

/// What begins the match that is chosen.
pub fn match_commands(cvars: &Cvars) -> String {
    let chosen = |name| cvars.integer(name);
    format!(
        "killserver; g_gametype {}; fraglimit {}; timelimit {}; g_spSkill {}; bot_minplayers {}; map {}",
        chosen("menu_gametype"),
        chosen("menu_fraglimit"),
        chosen("menu_timelimit"),
        chosen("menu_skill"),
        chosen("menu_bots") + 1,
        quoted(cvars.text("menu_map")),
    )
}

/// One word of a command, whatever it holds: names of maps come from paks that anybody may have made.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace(['"', '\n'], ""))
}

/// A row for a cvar by what it may be.
fn setting(label: &str, name: &str, input: MenuInput<'_>) -> Row {
    let cvar = input.cvars.get(name);
    let domain = cvar.map_or(Domain::Text, |cvar| cvar.domain());
    let control = match domain {
        Domain::Integer { min: 0, max: 1 } => ValueKind::Switch,
        Domain::Integer { min, max } if max.saturating_sub(min) <= MAX_STEPS => {
            ValueKind::Range([min as f32, max as f32, 1.0])
        }
        Domain::AutoOrInteger { min, max } => ValueKind::AutoOr([min, max]),
        _ => ValueKind::Text,
    };
    row(label, RowKind::Setting(name.to_owned(), control))
}

impl Row {
    /// Whether it can be chosen.
    pub fn is_choosable(&self) -> bool {
        self.kind != RowKind::Heading
    }

    /// What stands at its right.
    pub fn value(&self, input: MenuInput<'_>) -> String {
        match &self.kind {
            RowKind::Setting(name, control) => {
                let value = input.cvars.text(name);
                match control {
                    ValueKind::Switch => if value.trim() == "0" { "Off" } else { "On" }.to_owned(),
                    ValueKind::Choice(choices) => choices
                        .iter()
                        .find(|(known, _)| is_same(known, value))
                        .map_or(value.to_owned(), |(_, label)| (*label).to_owned()),
                    _ if is_secret(input.cvars, name) => "*".repeat(value.chars().count()),
                    _ => value.to_owned(),
                }
            }
            RowKind::Key(command) => {
                let names: Vec<String> = keys_of(input.binds, command).map(keys::name).collect();
                names.join(" or ")
            }
            RowKind::Fact(value) => value.clone(),
            RowKind::Mute { is_muted: true, .. } => "Muted".to_owned(),
            RowKind::Mute { .. } => "Heard".to_owned(),
            RowKind::Server(place) => input.servers.spoken(*place),
            RowKind::Page(PageId::Maps) => input.cvars.text("menu_map").to_owned(),
            _ => String::new(),
        }
    }

    /// A sentence about it, with the console's name of it.
    pub fn help(&self, input: MenuInput<'_>) -> String {
        match &self.kind {
            RowKind::Setting(name, _) => {
                let Some(cvar) = input.cvars.get(name) else {
                    return String::new();
                };
                let default = cvar.default_value();
                format!("{} ({name}, by itself \"{default}\")", cvar.help())
            }
            RowKind::Key(command) => {
                format!("Enter, then a key: it runs \"{command}\". DEL takes its keys away.")
            }
            RowKind::Run(command) | RowKind::Do(command) if !command.is_empty() => {
                format!("({command})")
            }
            RowKind::Search => {
                "Finds every setting by a part of its name, of what it does, or of its name in the console.".to_owned()
            }
            RowKind::Mute { number, is_muted } => match is_muted {
                true => format!("Shows again what this player says, and his taunts. (unmute {number})"),
                false => format!("Hides what this player says, and his taunts. (mute {number})"),
            },
            RowKind::Server(place) => input.servers.help(*place),
            _ => String::new(),
        }
    }

    fn matches(&self, wanted: &str, input: MenuInput<'_>) -> bool {
        self.label.to_lowercase().contains(wanted)
            || self.help(input).to_lowercase().contains(wanted)
    }

    /// What one step to the left (−1) or right (1) does; `wraps` goes on at the other end.
    pub fn step(&self, input: MenuInput<'_>, by: i32, wraps: bool) -> Option<MenuAction> {
        let RowKind::Setting(name, control) = &self.kind else {
            return None;
        };
        let value = input.cvars.text(name);
        let next = match control {
            ValueKind::Switch => if value.trim() == "0" { "1" } else { "0" }.to_owned(),
            ValueKind::Range([min, max, step]) => {
                let at = ((leading_number(value) - min) / step).round() as i32;
                let last = ((max - min) / step).round() as i32;
                written(min + moved(at, by, last, wraps) as f32 * step)
            }
            ValueKind::AutoOr([min, max]) => {
                // `auto` stands before the least.
                let at = value.parse::<i32>().map_or(0, |number| number - min + 1);
                match moved(at, by, max - min + 1, wraps) {
                    0 => "auto".to_owned(),
                    at => (min + at - 1).to_string(),
                }
            }
            ValueKind::Choice(choices) => {
                let at = choices.iter().position(|(known, _)| is_same(known, value));
                let last = choices.len() as i32 - 1;
                let at = moved(at.map_or(-by, |at| at as i32), by, last, wraps);
                choices.get(at as usize)?.0.to_owned()
            }
            ValueKind::Text => return None,
        };
        Some(MenuAction::Set {
            name: name.clone(),
            value: next,
        })
    }

    /// The share of its range that the value is at, for rows that have one.
    pub fn share(&self, input: MenuInput<'_>) -> Option<f32> {
        match &self.kind {
            RowKind::Setting(name, ValueKind::Range([min, max, _])) => {
                let value = leading_number(input.cvars.text(name));
                Some(((value - min) / (max - min)).clamp(0.0, 1.0))
            }
            _ => None,
        }
    }

    /// The value at a share of its range.
    pub fn at_share(&self, share: f32) -> Option<MenuAction> {
        match &self.kind {
            RowKind::Setting(name, ValueKind::Range([min, max, step])) => {
                let steps = (share.clamp(0.0, 1.0) * (max - min) / step).round();
                Some(MenuAction::Set {
                    name: name.clone(),
                    value: written((min + steps * step).min(*max)),
                })
            }
            _ => None,
        }
    }
}

/// The keys that run a command.
pub fn keys_of<'a>(binds: &'a Binds, command: &'a str) -> impl Iterator<Item = u16> + 'a {
    binds
        .iter()
        .filter(move |(_, bound)| bound.eq_ignore_ascii_case(command))
        .map(|(key, _)| key)
}

fn is_secret(cvars: &Cvars, name: &str) -> bool {
    cvars.get(name).is_some_and(|cvar| cvar.has(flag::SECRET))
}

fn moved(at: i32, by: i32, last: i32, wraps: bool) -> i32 {
    match at + by {
        next if wraps && next > last => 0,
        next if wraps && next < 0 => last,
        next => next.clamp(0, last),
    }
}

fn is_same(a: &str, b: &str) -> bool {
    let is_same_number = leading_number(a) == leading_number(b) && a.parse::<f32>().is_ok();
    a.eq_ignore_ascii_case(b) || is_same_number
}

/// A number with no more digits than steps have.
fn written(value: f32) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}
