//! Keys and letters: who gets them, and what they do.

use super::{Client, HISTORY_NAME};
use crate::{
    commands,
    con::{cvar::flag, keys, secrets::holds_secret},
    output::Request,
    qvm::Input,
    ui::{
        chat::ChatKey,
        console::{ConsoleKey, Modifiers},
    },
};
use shared::base::{time::ClientTime, tokens::Tokens};

impl Client {
    pub(super) fn handle_key(&mut self, key: u16, is_down: bool, is_repeat: bool, at: ClientTime) {
        let has_lab_focus = self.lab.as_ref().is_some_and(|lab| lab.has_focus());
        if is_repeat && !self.captures_keys() && !has_lab_focus && !self.inspector_is_held() {
            return;
        }
        self.tell_key(key, is_down);
        self.binds.note(key, is_down);
        if !is_down {
            if self.module_catches_keys() {
                self.module_inputs.push(Input::Key { key, is_down });
            }
            if key == keys::MOUSE1
                && let Some(lab) = &mut self.lab
            {
                lab.release_mouse();
            }
            let text = self.binds.release(key, at);
            if !text.is_empty() {
                self.buffer.append(&text);
            }
            return;
        }
        if (keys::MOUSE1..=keys::MOUSE5).contains(&key) {
            self.end_touches();
        }
        let modifiers = Modifiers {
            ctrl: self.binds.is_down(keys::CTRL),
            shift: self.binds.is_down(keys::SHIFT),
        };
        let fills_screen = key == keys::ENTER && self.binds.is_down(keys::ALT);
        let opens_console = self.is_console_key(key) || (key == keys::ESCAPE && modifiers.shift);
        if fills_screen {
            if !is_repeat {
                self.buffer.append("toggle r_fullscreen\n");
            }
        } else if opens_console {
            if !is_repeat {
                self.toggle_console();
            }
        } else if self.console.is_open() {
            self.handle_console_key(key, modifiers);
        } else if self.menus.is_open() {
            self.handle_menu_key(key, modifiers);
        } else if let Some(chat) = &mut self.chat {
            match chat.handle_key(key, modifiers) {
                ChatKey::Handled => {}
                ChatKey::Closed => self.chat = None,
                ChatKey::Send(command) => {
                    self.chat = None;
                    self.send_to_server(&command);
                }
            }
        } else if self.handle_inspector_key(key) || self.handle_lab_key(key) {
        } else if self.module_catches_keys() {
            self.module_inputs.push(match key {
                keys::ESCAPE => Input::Escape,
                key => Input::Key { key, is_down },
            });
        } else if key == keys::ESCAPE {
            self.handle_escape();
        } else if key >= keys::PAD0_A && self.session.is_none() && self.local_server.is_none() {
            // A pad has nothing else here: a page's form is for keys, pointers and fingers.
            self.open_menus();
        } else {
            let text = self.binds.press(key, at);
            if !text.is_empty() {
                self.take_over_in_lab(&text);
                self.buffer.append(&text);
            }
        }
    }

    fn handle_escape(&mut self) {
        match &mut self.session {
            Some(session) if session.is_fetching() => {
                session.stop_fetching(self.now, &self.assets);
            }
            // Leaving a match by accident would hurt; leaving a connection attempt is wanted.
            Some(session) if !session.is_in_game() => self.disconnect(""),
            _ => self.open_menus(),
        }
    }

    fn handle_console_key(&mut self, key: u16, modifiers: Modifiers) {
        if key == keys::ESCAPE {
            self.toggle_console();
            return;
        }
        match self.console.handle_key(key, modifiers) {
            ConsoleKey::Enter(line) => self.run_console_line(&line),
            ConsoleKey::Complete => self.complete_console_line(),
            ConsoleKey::Clear => self.scrollback.clear(),
            ConsoleKey::Handled | ConsoleKey::Ignored => {}
        }
    }

    fn run_console_line(&mut self, line: &str) {
        self.print(&echo(line));
        let history = self.console.history.to_text();
        self.request(Request::Store {
            name: HISTORY_NAME.to_owned(),
            text: history,
        });
        let is_active = self.is_in_match();
        match line.strip_prefix(['\\', '/']) {
            Some(command) => {
                self.buffer.append(command);
            }
            None if line.is_empty() => {}
            None if is_active
                && self.cvars.is_on("con_autochat")
                && !commands::is_known(self, Tokens::new(line).get(0)) =>
            {
                let text: String = line.chars().filter(|&c| c != '"').collect();
                self.send_to_server(&format!("say \"{text}\""));
            }
            None => {
                self.buffer.append(line);
            }
        }
    }

    fn complete_console_line(&mut self) {
        let (line, candidates) = commands::complete(self, self.console.edit.text());
        if !candidates.is_empty() {
            self.print(&echo(self.console.edit.text()));
        }
        for name in candidates {
            let text = match self.cvars.get(&name) {
                Some(cvar) if cvar.has(flag::SECRET) => format!("    {name} (secret)\n"),
                Some(cvar) => format!("    {name} = \"{}^7\"\n", cvar.value()),
                None => format!("    {name}\n"),
            };
            self.print(&text);
        }
        self.console.edit.set(&line);
    }

    pub(super) fn handle_char(&mut self, c: char) {
        if self.console.is_open() {
            // The key that opened the console also types itself.
            if !matches!(c, '`' | '~' | '^' | '°') || !self.console.edit.text().is_empty() {
                self.console.handle_char(c);
            }
        } else if self.menus.is_open() {
            self.menus.handle_char(c);
        } else if let Some(chat) = &mut self.chat {
            chat.handle_char(c);
        } else if let Some(inspector) = &mut self.inspector {
            inspector.handle_char(c);
        }
    }

    fn is_console_key(&self, key: u16) -> bool {
        let names = self.cvars.text("cl_consoleKeys");
        names
            .split_ascii_whitespace()
            .any(|name| keys::number(name) == Some(key))
    }

    pub(super) fn captures_keys(&self) -> bool {
        self.console.is_open() || self.menus.is_open() || self.chat.is_some()
    }

    pub(super) fn grabs_mouse(&self) -> bool {
        let is_playing = self.is_in_match();
        self.attention.has_focus
            && is_playing
            && !self.captures_keys()
            && self.cvars.is_on("in_mouse")
    }

    pub(super) fn release_keys(&mut self) {
        for key in self.binds.release_all() {
            let text = self.binds.release(key, self.now);
            if !text.is_empty() {
                self.buffer.append(&text);
            }
        }
    }
}

/// A typed line as the console, the terminal and the log repeat it.
fn echo(line: &str) -> String {
    if holds_secret(line) {
        "](a line with a secret)\n".to_owned()
    } else {
        format!("]{line}\n")
    }
}
