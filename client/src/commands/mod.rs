//! Console commands by name: a sentence and a function each.

/// Makes a table of commands: the name of each, what it runs, and its help.
macro_rules! commands {
    ($(#[$doc:meta])* $($name:literal = $run:expr, $help:literal;)*) => {
        $(#[$doc])*
        pub const TABLE: &[CommandDef] = &[$(CommandDef {
            name: $name,
            help: $help,
            run: $run,
        }),*];
    };
}

mod console;
mod game;
mod outside;
mod own_server;

use crate::{
    cl::input::Action,
    client::Client,
    con::{keys, unsupported},
};
use shared::base::sort::sort_by_key;
use shared::base::{time::ClientTime, tokens::Tokens};

pub use console::set_cvar;

/// One console command.
#[derive(Clone, Copy)]
pub struct CommandDef {
    pub name: &'static str,
    pub help: &'static str,
    run: fn(&mut Client, &Tokens, &str),
}

/// Every command of the program; `+` and `-` actions are in `cl::input`.
pub fn all() -> impl Iterator<Item = &'static CommandDef> {
    [
        console::TABLE,
        game::TABLE,
        outside::TABLE,
        own_server::TABLE,
    ]
    .into_iter()
    .flatten()
}

/// Runs one command line.
pub fn execute(client: &mut Client, line: &str) {
    let tokens = Tokens::new(line);
    let name = tokens.get(0);
    if name.is_empty() {
        return;
    }
    if client.run_toggle(&tokens) {
        return;
    }
    let is_called = |def: &&CommandDef| def.name.eq_ignore_ascii_case(name);
    if client.runs_module()
        && game::TABLE
            .iter()
            .any(|def| game::is_cgame(def) && is_called(&def))
    {
        client.give_to_module(line);
    } else if let Some(def) = all().find(is_called) {
        (def.run)(client, &tokens, line);
    } else if client.run_input_action(&tokens) {
    } else if client.server_setting(name).is_some() || client.cvars.get(name).is_some() {
        // One that `set` has made does nothing all the same.
        if let Some(reason) = unsupported::reason(name) {
            client.print(&format!("{name} has no use here. {reason}\n"));
        }
        if tokens.len() == 1 {
            console::print_one(client, name);
        } else {
            console::set_cvar(client, name, &tokens.rest(1));
        }
    } else if client.runs_module() {
        client.give_to_module(line);
    } else {
        client.forward(name, line);
    }
}

/// Words that every server of the family takes. Those that begin a sentence as well, such as `kill`, are not among them.
const SERVER_WORDS: &[&str] = &[
    "callteamvote",
    "callvote",
    "follownext",
    "followprev",
    "say",
    "say_team",
    "teamvote",
    "tell",
    "vote",
];

/// Whether a line that begins with this word does something, so that it need not be chat.
pub fn is_known(client: &Client, word: &str) -> bool {
    let is_action = word
        .strip_prefix(['+', '-'])
        .is_some_and(|name| Action::from_name(name).is_some());
    is_action
        || all().any(|def| def.name.eq_ignore_ascii_case(word))
        || client.server_setting(word).is_some()
        || client.cvars.get(word).is_some()
        || unsupported::reason(word).is_some()
        || (SERVER_WORDS.iter()).any(|known| known.eq_ignore_ascii_case(word))
}

/// How a line can go on: the longest common part, and the candidates if there are several.
pub fn complete(client: &Client, line: &str) -> (String, Vec<String>) {
    let (prefix, rest) = match line.strip_prefix(['\\', '/']) {
        Some(rest) => ("\\", rest),
        None => ("\\", line),
    };
    // Only the command behind the last separator is completed.
    let (before, current) = match rest.rfind(';') {
        Some(at) => rest.split_at(at + 1),
        None => ("", rest),
    };
    let tokens = Tokens::new(current);
    let starts_new = current.ends_with(' ') || tokens.is_empty();
    let position = if starts_new {
        tokens.len()
    } else {
        tokens.len() - 1
    };
    let word = if starts_new { "" } else { tokens.get(position) };
    let mut found: Vec<String> = candidates(client, tokens.get(0), position)
        .into_iter()
        .filter(|name| {
            name.len() >= word.len()
                && name.as_bytes()[..word.len()].eq_ignore_ascii_case(word.as_bytes())
        })
        .collect();
    sort_by_key(&mut found, |name| name.to_ascii_lowercase());
    found.dedup();
    if found.is_empty() {
        return (line.to_owned(), found);
    }
    let common = common_prefix(&found);
    let kept = &current[..current.len() - word.len()];
    let end = if found.len() == 1 { " " } else { "" };
    let completed = format!("{prefix}{before}{kept}{common}{end}");
    if found.len() == 1 {
        found.clear();
    }
    (completed, found)
}

fn candidates(client: &Client, command: &str, position: usize) -> Vec<String> {
    let commands = || all().map(|def| def.name.to_owned());
    let own = || server::cvars::CVARS.iter().map(|def| def.name.to_owned());
    let cvars = || (client.cvars.iter().map(|cvar| cvar.name().to_owned())).chain(own());
    let actions = || {
        crate::cl::input::ACTIONS
            .iter()
            .map(|(name, _)| format!("+{name}"))
    };
    match (position, command.to_ascii_lowercase().as_str()) {
        (0, _) => commands().chain(cvars()).chain(actions()).collect(),
        (1, "bind" | "unbind") => keys::names().collect(),
        (2, "bind") => commands().chain(cvars()).chain(actions()).collect(),
        (
            1,
            "vstr" | "set" | "seta" | "setu" | "sets" | "toggle" | "cycle" | "reset" | "unset"
            | "print",
        ) => cvars().collect(),
        (1, "map" | "devmap" | "skirmish") => client.maps(),
        (1, "help") => commands().chain(cvars()).collect(),
        _ => Vec::new(),
    }
}

fn common_prefix(names: &[String]) -> String {
    let Some(first) = names.first() else {
        return String::new();
    };
    let shared = names.iter().fold(first.len(), |len, name| {
        first
            .bytes()
            .zip(name.bytes())
            .take(len)
            .take_while(|(a, b)| a.eq_ignore_ascii_case(b))
            .count()
    });
    first.chars().take(shared).collect()
}

/// The time that a `+` or `-` command got from its key: argument 2.
pub fn key_time(tokens: &Tokens) -> Option<ClientTime> {
    tokens.get(2).parse().ok().map(ClientTime)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::con::{cvars, unsupported};
    use std::collections::BTreeSet;

    #[test]
    fn every_command_is_there_once_and_explained() {
        let names: BTreeSet<&str> = all().map(|def| def.name).collect();
        assert_eq!(names.len(), all().count());
        assert!(all().all(|def| def.help.ends_with('.')));
    }

    #[test]
    fn what_has_no_use_is_neither_command_nor_cvar() {
        for name in unsupported::names() {
            let is_cvar = cvars::TABLE
                .iter()
                .any(|def| def.name.eq_ignore_ascii_case(name));
            let is_command = all().any(|def| def.name.eq_ignore_ascii_case(name));
            assert!(!is_cvar && !is_command, "{name}");
        }
    }
}
