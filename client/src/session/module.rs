//! A level as a mod's own cgame shows it: chosen, loaded, run, and replaced by Strafe's own where it fails.

use super::{FrameContext, LevelState, LoadStage, Session};
use crate::{
    assets::Assets,
    cg::{self, CGame, LevelStart},
    cl::State,
    con::cvar::Cvars,
    jobs::InFlight,
    output::{Output, Request},
    qvm::{self, CgamePreference, Engine, ModGame},
};
use shared::types::gamestate::Gamestate;
use std::sync::Arc;

/// What mods' modules get in a frame.
#[derive(Default)]
pub struct ModuleContext {
    /// What runs them, if anything does here.
    pub engine: Option<Arc<dyn Engine>>,
    pub unix_seconds: i64,
    pub inputs: Vec<qvm::Input>,
    pub keys: qvm::Keys,
}

impl Session {
    /// Whether a mod's own cgame shows the level.
    pub fn runs_module(&self) -> bool {
        self.module().is_some_and(ModGame::is_running)
    }

    /// Whether there is a mod's own cgame, even if it does not run yet.
    pub fn holds_module(&self) -> bool {
        self.module().is_some()
    }

    fn module(&self) -> Option<&ModGame> {
        self.level.as_ref()?.module.as_ref()
    }

    fn module_mut(&mut self) -> Option<&mut ModGame> {
        self.level.as_mut()?.module.as_mut()
    }

    /// Whether a module waits to hear that it is compiled, and is.
    pub fn poll_module(&mut self) -> bool {
        self.module_mut().is_some_and(ModGame::poll_compiled)
    }

    /// The module that was told of goes on.
    pub fn module_compiled(&mut self) {
        if let Some(module) = self.module_mut() {
            module.go_on();
        }
    }

    /// Whether keys are a module's, not the player's binds'.
    pub fn module_catches_keys(&self) -> bool {
        self.module().is_some_and(ModGame::catches_keys)
    }

    /// What modules have sent to the player's own console.
    pub fn take_console_commands(&mut self) -> Vec<String> {
        std::mem::take(&mut self.console_commands)
    }

    /// Begins to show a level whose paks are known: by Strafe itself, or by the mod's module.
    pub(super) fn choose_cgame(
        &mut self,
        engine: Option<&Arc<dyn Engine>>,
        cvars: &Cvars,
        assets: &mut Assets,
    ) {
        let (Some(level), Some(feed)) = (&mut self.level, &self.feed) else {
            return;
        };
        let is_demo = feed.demo().is_some();
        let folder = feed.systeminfo().map_or("", |info| info.game.as_str());
        let preference = CgamePreference::of(cvars.chosen_integer("vm_cgame"));
        let gamestate = &level.gamestate;
        let choice = qvm::choose(
            preference,
            engine.is_some(),
            gamestate,
            folder,
            assets.vfs(),
        );
        match engine.filter(|_| choice.runs_module) {
            Some(engine) => {
                let gamestate = gamestate.clone();
                level.module.0 = Some(ModGame::new(engine.clone(), gamestate, is_demo, assets));
            }
            None => {
                if cvars.is_on("com_streamFiles") && !is_demo {
                    assets.begin_with_the_map();
                }
                let start = LevelStart { gamestate, is_demo };
                level.cgame = Some(CGame::new(&start, &self.settings.game, assets));
            }
        }
        self.printed.push(choice.line);
    }

    /// Goes on with loading a module; true where there is none, or once it runs.
    pub(super) fn load_module(
        &mut self,
        context: &FrameContext,
        cvars: &mut Cvars,
        assets: &mut Assets,
    ) -> bool {
        let Some(module) = self.module_mut() else {
            return true;
        };
        let unix_seconds = context.modules.unix_seconds;
        match module.load(context.now, unix_seconds, context.screen, assets, cvars) {
            Ok(is_running) => is_running,
            Err(reason) => {
                self.replace_module(&reason, assets);
                false
            }
        }
    }

    /// The module has failed: Strafe's own cgame goes on from here.
    fn replace_module(&mut self, reason: &str, assets: &mut Assets) {
        let (Some(level), Some(feed)) = (&mut self.level, &self.feed) else {
            return;
        };
        level.module.0 = None;
        let configstrings = feed.configstrings().cloned();
        let gamestate = Gamestate {
            configstrings: configstrings.unwrap_or_default(),
            server_command_num: feed
                .newest_snapshot()
                .map_or(level.gamestate.server_command_num, |snapshot| {
                    snapshot.server_command_num
                }),
            ..(*level.gamestate).clone()
        };
        let start = LevelStart {
            gamestate: &gamestate,
            is_demo: feed.demo().is_some(),
        };
        level.cgame = Some(CGame::new(&start, &self.settings.game, assets));
        level.stage = LoadStage::Media;
        level.is_in_game = false;
        self.printed.push(format!(
            "^3The mod's module has ended, and Strafe's own cgame goes on: {}\n",
            reason.trim_end()
        ));
    }

    /// One frame of the module; false where there is none that runs.
    pub(super) fn run_module(
        &mut self,
        context: &FrameContext,
        cvars: &mut Cvars,
        assets: &mut Assets,
        output: &mut Output,
    ) -> bool {
        let (Some(level), Some(feed)) = (&mut self.level, &self.feed) else {
            return false;
        };
        let LevelState {
            module: InFlight(Some(module)),
            stage: LoadStage::Done,
            ..
        } = level
        else {
            return false;
        };
        let Some(usercmds) = feed
            .usercmd_ring()
            .filter(|_| feed.state() == State::Active)
        else {
            return true;
        };
        let frame = qvm::Frame {
            now: context.now,
            time: feed.server_time(),
            snapshots: &level.snapshots,
            commands: &level.commands,
            usercmds,
            inputs: &context.modules.inputs,
            screen: context.screen,
            unix_seconds: context.modules.unix_seconds,
        };
        match module.frame(&frame, &context.modules.keys, assets, cvars) {
            Ok(shown) => self.take_shown(shown, assets, output),
            Err(reason) => {
                // What it was told in this frame its successor has not heard yet.
                self.replace_module(&reason, assets);
            }
        }
        true
    }

    fn take_shown(&mut self, shown: qvm::Output, assets: &mut Assets, output: &mut Output) {
        let (Some(level), Some(feed)) = (&mut self.level, &self.feed) else {
            return;
        };
        level.snapshots.clear();
        level.commands.clear();
        level.is_in_game |= shown.is_in_game;
        level.weapon = shown.weapon;
        level.sensitivity = shown.sensitivity;
        output.scene = shown.scene;
        self.restarts |= shown.restarts;
        if !shown.printed.is_empty() {
            self.printed.push(shown.printed);
        }
        for (old, new, time_offset) in &shown.shader_remaps {
            assets.remap_shader(old, new, *time_offset);
        }
        self.console_commands.extend(shown.console_commands);
        let folder = feed.systeminfo().map_or("", |info| info.game.as_str());
        for (name, bytes) in shown.files {
            let folder = if folder.is_empty() { "base" } else { folder };
            output.requests.push(Request::StoreBytes {
                name: format!("mods/{folder}/{name}"),
                bytes,
            });
        }
        // What begins with a sign is a key's, and nobody's here.
        let unknown = shown.unknown_lines.into_iter();
        let forwarded = unknown.filter(|line| !line.starts_with(['+', '-']));
        self.send_commands(shown.server_commands.into_iter().chain(forwarded));
    }

    /// The level is over: a module may say so.
    pub fn end_level(&mut self, assets: &mut Assets, cvars: &mut Cvars) {
        if let Some(module) = self.module_mut() {
            module.shut_down(assets, cvars);
        }
        assets.load_rest();
    }

    /// The client number of whom the player means; `None` if there is nobody.
    pub fn listener(
        &mut self,
        listener: cg::Listener,
        assets: &mut Assets,
        cvars: &mut Cvars,
    ) -> Option<i32> {
        let level = self.level.as_mut()?;
        match &mut level.module.0 {
            Some(module) => module.listener(listener, assets, cvars),
            None => level.cgame.as_ref()?.listener(listener),
        }
    }
}
