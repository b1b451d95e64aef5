//! What mods' modules get of the player, and what they do to the program.

use super::Client;
use crate::{
    con::cvar::flag,
    qvm::{self, Engine, Input},
    session::{ModuleContext, Session},
};
use shared::base::tokens::Tokens;
use std::sync::Arc;

/// What a mod has no business with: the program's end, other servers' consoles, and the player's files.
const REFUSED: &[&str] = &["condump", "exec", "quit", "rcon", "writeconfig"];
/// What they send to make the original take up what they have set; it has no use here.
const IGNORED: &[&str] = &["snd_restart", "vid_restart"];
/// Commands of the mod's own menus, which are not run, begin so.
const MENUS: &str = "ui_";

impl Client {
    /// Says what runs mods' modules; without, Strafe's own cgame shows every game.
    pub fn set_module_engine(&mut self, engine: Option<Arc<dyn Engine>>) {
        self.module_engine = engine;
    }

    /// Whether a module waits to hear that it is compiled, and is. That takes as long as it takes, so it is an event.
    pub fn poll_module(&mut self) -> bool {
        self.session.as_mut().is_some_and(Session::poll_module)
    }

    /// Whether a mod's own cgame shows the level.
    pub(crate) fn runs_module(&self) -> bool {
        self.session.as_ref().is_some_and(Session::runs_module)
    }

    /// Whether there is a module, running or not yet.
    pub(super) fn holds_module(&self) -> bool {
        self.session.as_ref().is_some_and(Session::holds_module)
    }

    /// A line that only the mod may know.
    pub(crate) fn give_to_module(&mut self, line: &str) {
        self.module_inputs.push(Input::Line(line.trim().to_owned()));
    }

    pub(super) fn module_context(&mut self) -> ModuleContext {
        let binds = match self.runs_module() {
            true => (self.binds.iter())
                .map(|(key, command)| (key, command.to_owned()))
                .collect(),
            false => Vec::new(),
        };
        ModuleContext {
            engine: self.module_engine.clone(),
            unix_seconds: self.unix_seconds(),
            inputs: std::mem::take(&mut self.module_inputs),
            keys: qvm::Keys {
                catcher: i32::from(self.console.is_open())
                    | i32::from(self.menus.is_open()) << 1
                    | i32::from(self.chat.is_some()) << 2,
                down: self.binds.down().collect(),
                binds,
            },
        }
    }

    /// Runs what a module has sent to the console.
    pub(super) fn take_module_commands(&mut self, session: &mut Session) {
        for text in session.take_console_commands() {
            for line in text
                .split(['\n', ';'])
                .filter(|line| !line.trim().is_empty())
            {
                let words = Tokens::new(line);
                let is = |list: &[&str]| {
                    list.iter()
                        .any(|one| words.get(0).eq_ignore_ascii_case(one))
                };
                let target = match words.get(0).to_ascii_lowercase().as_str() {
                    "set" | "seta" | "sets" | "setu" | "reset" | "toggle" | "unset" => words.get(1),
                    _ => words.get(0),
                };
                let is_secret = |cvar: &crate::con::cvar::Cvar| cvar.has(flag::SECRET | flag::INIT);
                let is_protected =
                    qvm::is_protected(target) || self.cvars.get(target).is_some_and(is_secret);
                if is(REFUSED) || is_protected {
                    self.print(&format!("^3The mod may not run \"{}\".\n", words.get(0)));
                } else if !is(IGNORED) && !words.get(0).starts_with(MENUS) {
                    self.buffer.append(line);
                }
            }
        }
    }

    /// Whether the mouse was a module's.
    pub(super) fn move_module_mouse(&mut self, dx: f32, dy: f32) -> bool {
        let is_caught = self.module_catches_keys();
        if is_caught {
            let [dx, dy] = [dx, dy].map(|count| count.round() as i32);
            self.module_inputs.push(Input::Mouse { dx, dy });
        }
        is_caught
    }

    pub(super) fn module_catches_keys(&self) -> bool {
        self.session
            .as_ref()
            .is_some_and(Session::module_catches_keys)
    }
}
