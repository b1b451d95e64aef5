//! Console: the lines that operators, rotations of maps and votes run.

use crate::{io::Request, server::Server, slot::SlotState};
use shared::base::tokens::Tokens;
use std::collections::VecDeque;

/// Settings that run each other (`vstr`) end after so many.
const MAX_DEPTH: u32 = 32;

/// Names of files that are run, their lengths, and how many that run each other.
const MAX_NAME: usize = 64;
const MAX_CONFIG: usize = 1 << 16;
const MAX_FILES: usize = 16;
/// Lines that wait for a file.
const MAX_HELD: usize = 4096;

/// The lines that wait for a file to be read.
#[derive(Clone, Debug)]
pub(crate) struct WaitingLines {
    name: String,
    lines: VecDeque<String>,
    /// Files that were read one by the other, this one included.
    files: usize,
}

impl WaitingLines {
    fn hold(&mut self, line: &str) {
        if self.lines.len() < MAX_HELD {
            self.lines.push_back(line.to_owned());
        }
    }
}

impl Server {
    /// Runs a line of the server's console: commands with semicolons between them.
    pub(crate) fn run_command(&mut self, line: &str) {
        self.run_line(line, 0);
    }

    pub(crate) fn run_waiting_lines(&mut self) {
        for line in std::mem::take(&mut self.waiting_lines) {
            self.run_command(&line);
        }
    }

    fn run_line(&mut self, line: &str, depth: u32) {
        if depth > MAX_DEPTH {
            return self.print("The settings of the rotation run each other without end");
        }
        for command in split(line) {
            if let Some(held) = &mut self.held {
                held.hold(command);
                continue;
            }
            self.run_one(&Tokens::new(command), depth);
        }
    }

    fn run_one(&mut self, tokens: &Tokens, depth: u32) {
        match tokens.get(0).to_ascii_lowercase().as_str() {
            "" => {}
            word @ ("map" | "devmap") => {
                let name = tokens.get(1).to_owned();
                self.cvars
                    .set("sv_cheats", if word == "devmap" { "1" } else { "0" });
                self.awaited_map = Some(name.clone());
                self.output.requests.push(Request::ReadMap { name });
            }
            "map_restart" => self.map_restart(tokens.get(1)),
            "vstr" => {
                let line = self.cvars.get(tokens.get(1)).to_owned();
                self.run_line(&line, depth + 1);
            }
            "set" | "seta" | "sets" | "setu" => self.set_cvar(tokens.get(1), &tokens.rest(2)),
            "exec" => self.exec(tokens.get(1)),
            "echo" => self.print(tokens.rest(1)),
            "status" => self.print_status(),
            "dumpuser" => self.dump_user(tokens.get(1)),
            "serverinfo" => self.print(self.cvars.serverinfo()),
            "systeminfo" => self.print(self.systeminfo()),
            "addbot" => self.command_addbot(tokens),
            "kickall" => self.kick_all(),
            "kick" if tokens.get(1).eq_ignore_ascii_case("all") => self.kick_all(),
            "kickbots" => self.remove_all_bots(),
            "removebot" | "kick" if tokens.get(1).eq_ignore_ascii_case("allbots") => {
                self.remove_all_bots();
            }
            "botlist" => self.print_bots(),
            "kick" | "kicknum" | "clientkick" | "removebot" => self.kick(tokens.get(1)),
            "say" => {
                let text = tokens.rest(1).replace('"', "'");
                self.send_command_to_all(&format!("chat \"console: {text}\n\""));
            }
            "quit" => {
                self.stop("Server quit");
                self.output.requests.push(Request::Quit);
            }
            "killserver" => self.stop("Server was killed"),
            _ if self.run_ban_command(tokens) => {}
            name if tokens.len() > 1 && self.cvars.is_known(name) => {
                self.set_cvar(name, &tokens.rest(1));
            }
            name => {
                let text = match self.cvars.is_known(name) {
                    true => format!("{name} is \"{}\"", self.cvars.get(name)),
                    false => format!("{name} is no command or setting"),
                };
                self.print(text);
            }
        }
    }

    /// Runs the lines of a file; what follows waits until it is read.
    fn exec(&mut self, name: &str) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let is_safe = name.chars().all(is_plain) && !name.starts_with('.');
        if name.is_empty() || name.len() > MAX_NAME || !is_safe {
            let text = format!("\"{name}\" is no name of a file beside the paks: exec server.cfg");
            return self.print(text);
        }
        let name = match name.contains('.') {
            true => name.to_owned(),
            false => format!("{name}.cfg"),
        };
        self.held = Some(WaitingLines {
            name: name.clone(),
            lines: VecDeque::new(),
            files: 1,
        });
        self.output.requests.push(Request::ReadConfig { name });
    }

    /// Runs what was read, then what waited for it.
    pub(crate) fn config_read(&mut self, name: &str, result: Result<String, String>) {
        let Some(held) = self.held.take_if(|held| held.name == name) else {
            return;
        };
        let text = match result {
            Ok(text) if text.len() <= MAX_CONFIG => text,
            Ok(_) => self.config_problem(name, "it is too long"),
            Err(problem) => self.config_problem(name, &problem),
        };
        let own = text.lines().map(|line| without_comment(line).to_owned());
        for line in own.chain(held.lines) {
            self.run_line(&line, 0);
        }
        let Some(next) = &mut self.held else { return };
        next.files += held.files;
        if next.files > MAX_FILES {
            self.held = None;
            self.print("The files run each other without end");
        }
    }

    fn config_problem(&mut self, name: &str, problem: &str) -> String {
        self.print(format!("{name} cannot be run: {problem}"));
        String::new()
    }

    fn set_cvar(&mut self, name: &str, value: &str) {
        if !self.cvars.set_any(name, value) {
            let text = format!("{name} cannot be a setting: use letters, digits and _");
            self.print(text);
        }
    }

    fn print_status(&mut self) {
        let header = format!("map: {}", self.cvars.get("mapname"));
        let rows = self.clients().map(|(client, slot)| {
            let score = self.score_of(client);
            format!(
                "{client:>2} {score:>5} {:>4} {:<9} {:<15} {}",
                slot.ping,
                format!("{:?}", slot.state),
                slot.name(),
                slot.peer.text()
            )
        });
        let lines: Vec<String> = std::iter::once(header).chain(rows).collect();
        self.output.printed.extend(lines);
    }

    /// The client of a number or name.
    fn find_client(&mut self, who: &str) -> Option<usize> {
        let by_number = who
            .parse()
            .ok()
            .filter(|client| self.slot_state(*client) > SlotState::Zombie);
        let wanted = shared::base::text::clean(who);
        let by_name = || {
            let mut clients = self.clients();
            let is_named =
                |name: &str| shared::base::text::clean(name).eq_ignore_ascii_case(&wanted);
            clients
                .find(|(_, slot)| is_named(slot.name()))
                .map(|(client, _)| client)
        };
        let found = by_number.or_else(by_name);
        if found.is_none() {
            self.print(format!("Player {who} is not on the server"));
        }
        found
    }

    fn dump_user(&mut self, who: &str) {
        let found = self.find_client(who);
        if let Some(Some(slot)) = found.map(|client| &self.slots[client]) {
            let row = |(key, value): (&str, &str)| format!("{key:<20} {value}");
            let rows: Vec<String> = slot.userinfo.iter().map(row).collect();
            self.output.printed.extend(rows);
        }
    }

    fn kick_all(&mut self) {
        for client in 0..self.slots.len() {
            let is_local = |slot: &crate::slot::Slot| slot.peer == crate::io::Peer::Local;
            if !self.slots[client].as_ref().is_some_and(is_local) {
                self.drop_client(client, "was kicked");
            }
        }
    }

    fn kick(&mut self, who: &str) {
        if let Some(client) = self.find_client(who) {
            self.drop_client(client, "was kicked");
        }
    }
}

/// A line up to two slashes outside of quotes.
fn without_comment(line: &str) -> &str {
    let mut is_quoted = false;
    let found = line.char_indices().find(|&(at, c)| {
        is_quoted ^= c == '"';
        !is_quoted && line[at..].starts_with("//")
    });
    found.map_or(line, |(at, _)| &line[..at])
}

/// The commands of a line; semicolons in quotes separate nothing.
fn split(line: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    line.split(move |c: char| {
        is_quoted ^= c == '"';
        c == '\n' || c == ';' && !is_quoted
    })
}

#[cfg(test)]
mod tests {
    use super::{split, without_comment};

    #[test]
    fn comments_end_lines_outside_of_quotes() {
        let check = |line: &str, rest: &str| assert_eq!(without_comment(line), rest);
        check("set a b // c", "set a b ");
        check(
            "set sv_dlURL \"http://example.org\" // d",
            "set sv_dlURL \"http://example.org\" ",
        );
        check("// all", "");
        check("set a /b", "set a /b");
    }

    #[test]
    fn semicolons_separate_commands() {
        let commands: Vec<&str> = split("set a \"b; c\"; map d\nquit").collect();
        assert_eq!(commands, ["set a \"b; c\"", " map d", "quit"]);
    }
}
