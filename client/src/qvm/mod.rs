//! Runs a mod's own cgame: its module is compiled while the map loads, called once a frame, and answered by the
//! client's own parts.
//!
//! A module asks for files in the middle of its first call and cannot wait. So whatever it is likely to read is loaded
//! before, and where it asks for another file, that call is given up and made anew, with fresh memory, once the file is
//! here; so it is once more where it has measured models that are still on their way. What runs the module is an
//! [`Engine`]; nothing else here depends on the platform.

mod arithmetic;
mod calendar;
mod choice;
mod engine;
mod files;
mod game_feed;
mod host;
mod layout;
mod noise;
mod picture;
mod scripts;
mod variables;
mod world;

pub use choice::{CgamePreference, Choice, MODULE_NAME, choose};
pub use engine::{Engine, Program};
pub use host::{Host, Keys};
pub use variables::is_protected;

use crate::{
    assets::{AssetState, Assets, RawId},
    cg::{Listener, SnapshotArrival, predict::rules::rounding_of},
    con::cvar::Cvars,
    jobs::JobHandle,
    scene::Scene,
};
use files::Files;
use game_feed::GameFeed;
use host::{ClientAccess, Out, Surroundings};
use shared::{
    base::{
        info::Info,
        time::{ClientTime, ServerTime},
    },
    types::{
        configstring::index, gamestate::Gamestate, servercmd::ServerCommand, usercmd::UsercmdRing,
    },
};
use std::sync::Arc;
use vm::{Machine, Trap};

/// What one call may cost: a second or two, some thousand times what a frame takes.
const CALL_BUDGET: i32 = 1 << 28;
/// So often a first call is made anew because of a file.
const MAX_STARTS: u32 = 64;
/// Bit of the module in who gets the keys.
const CATCHES: i32 = 8;

/// The calls that every cgame answers, by number.
mod entry {
    pub(super) const INIT: i32 = 0;
    pub(super) const SHUTDOWN: i32 = 1;
    pub(super) const CONSOLE_COMMAND: i32 = 2;
    pub(super) const DRAW_ACTIVE_FRAME: i32 = 3;
    pub(super) const CROSSHAIR_PLAYER: i32 = 4;
    pub(super) const LAST_ATTACKER: i32 = 5;
    pub(super) const KEY_EVENT: i32 = 6;
    pub(super) const MOUSE_EVENT: i32 = 7;
    pub(super) const EVENT_HANDLING: i32 = 8;
}

/// What the player did that is the module's business.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// A console command that the program does not know.
    Line(String),
    Key {
        key: u16,
        is_down: bool,
    },
    Mouse {
        dx: i32,
        dy: i32,
    },
    /// The player wants the keys back.
    Escape,
}

/// Everything that one frame needs to know.
#[derive(Clone, Debug)]
pub struct Frame<'a> {
    pub now: ClientTime,
    /// The server time to show.
    pub time: ServerTime,
    pub snapshots: &'a [SnapshotArrival],
    pub commands: &'a [ServerCommand],
    pub usercmds: &'a UsercmdRing,
    pub inputs: &'a [Input],
    pub screen: [f32; 2],
    /// Since the beginning of 1970.
    pub unix_seconds: i64,
}

/// What a frame gives back.
#[derive(Debug, Default)]
pub struct Output {
    pub scene: Scene,
    /// The world was drawn.
    pub is_in_game: bool,
    pub weapon: u8,
    pub sensitivity: f32,
    pub printed: String,
    pub server_commands: Vec<String>,
    /// For the player's own console.
    pub console_commands: Vec<String>,
    /// Lines that the module does not know either.
    pub unknown_lines: Vec<String>,
    pub shader_remaps: Vec<(String, String, f32)>,
    /// Files that it has written.
    pub files: Vec<(String, Vec<u8>)>,
    /// The match began again.
    pub restarts: bool,
}

/// One level as a mod's own cgame shows it.
pub struct ModGame {
    engine: Arc<dyn Engine>,
    gamestate: Arc<Gamestate>,
    is_demo: bool,
    stage: Stage,
    /// The platform has said that the module is compiled.
    may_start: bool,
    starts: u32,
    catches_keys: bool,
}

enum Stage {
    /// The module's file is on its way.
    File(RawId),
    Compiling(JobHandle<Result<Box<dyn Program>, String>>),
    /// What it needs for its first call is on its way.
    Compiled(Result<Box<dyn Program>, String>),
    Running(Box<dyn Machine<Host>>),
    /// Given up; the reason was told.
    Ended,
}

/// What a job has made of the module's file.
fn compiled(job: JobHandle<Result<Box<dyn Program>, String>>) -> Stage {
    let compiled = job.wait();
    Stage::Compiled(compiled.unwrap_or_else(|| Err("it was given up".to_owned())))
}

impl ModGame {
    /// Asks for the module and for what it is likely to read in its first call.
    pub fn new(
        engine: Arc<dyn Engine>,
        gamestate: Arc<Gamestate>,
        is_demo: bool,
        assets: &mut Assets,
    ) -> Self {
        let id = assets.register_file(MODULE_NAME);
        for name in assets.vfs().list("models/players", "/animation.cfg") {
            assets.register_file(&format!("models/players/{name}"));
        }
        Self {
            engine,
            gamestate,
            is_demo,
            stage: Stage::File(id),
            may_start: false,
            starts: 0,
            catches_keys: false,
        }
    }

    pub fn is_running(&self) -> bool {
        matches!(self.stage, Stage::Running(_))
    }

    /// Whether keys are the module's, not the player's binds'.
    pub fn catches_keys(&self) -> bool {
        self.catches_keys
    }

    /// Whether the module is compiled, or cannot be, and waits for [`ModGame::go_on`].
    pub fn poll_compiled(&mut self) -> bool {
        if self.may_start {
            return false;
        }
        self.stage = match std::mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Compiling(mut job) => match job.is_done() {
                true => compiled(job),
                false => Stage::Compiling(job),
            },
            other => other,
        };
        match &self.stage {
            Stage::Compiled(Ok(program)) => program.is_ready().unwrap_or(true),
            Stage::Compiled(Err(_)) => true,
            _ => false,
        }
    }

    /// Lets the module begin, as soon as all it needs is here.
    pub fn go_on(&mut self) {
        self.may_start = true;
        self.stage = match std::mem::replace(&mut self.stage, Stage::Ended) {
            Stage::Compiling(job) => compiled(job),
            other => other,
        };
    }

    /// Goes on with loading; true once the module has made its first call.
    ///
    /// # Errors
    /// Why the module cannot run.
    pub fn load(
        &mut self,
        now: ClientTime,
        unix_seconds: i64,
        screen: [f32; 2],
        assets: &mut Assets,
        cvars: &mut Cvars,
    ) -> Result<bool, String> {
        self.stage = match std::mem::replace(&mut self.stage, Stage::Ended) {
            Stage::File(id) => match (assets.file(id).cloned(), assets.state(id)) {
                (Some(file), _) => {
                    let engine = self.engine.clone();
                    let job = assets.jobs().submit(move || engine.compile(&file));
                    if !assets.jobs().is_there() {
                        job.run_here();
                    }
                    Stage::Compiling(job)
                }
                (None, AssetState::Wanted) => Stage::File(id),
                (None, _) => return Err(format!("{MODULE_NAME} cannot be read")),
            },
            Stage::Compiled(Err(reason)) if self.may_start => return Err(reason),
            Stage::Compiled(Ok(program))
                if self.may_start && program.is_ready()? && assets.progress().wanted == 0 =>
            {
                let surroundings = self.surroundings(now, unix_seconds, screen);
                self.start(program, surroundings, assets, cvars)
                    .map_err(|trap| trap.to_string())?
            }
            other => other,
        };
        Ok(self.is_running())
    }

    fn surroundings(&self, now: ClientTime, unix_seconds: i64, screen: [f32; 2]) -> Surroundings {
        let server = Info::parse(self.gamestate.configstrings.get(index::SERVERINFO));
        Surroundings {
            now_msec: now.0,
            unix_seconds,
            screen,
            rounding: Some(rounding_of(server.get("version"))),
            is_starting: true,
        }
    }

    /// Makes the first call, or finds out which file it needs.
    fn start(
        &mut self,
        program: Box<dyn Program>,
        surroundings: Surroundings,
        assets: &mut Assets,
        cvars: &mut Cvars,
    ) -> Result<Stage, Trap> {
        let feed = GameFeed::new(&self.gamestate);
        let executed = feed.executed();
        let mut host = Host::new(feed, Files::default(), surroundings);
        host.picture.shadow =
            (cvars.integer("cg_shadows") == 3).then(|| assets.register_shader("projectionShadow"));
        let mut machine = program.start(host, CALL_BUDGET)?;
        let arguments = [entry::INIT, 0, executed, self.gamestate.client_num];
        let before = cvars.clone();
        let result = call(&mut *machine, &arguments, assets, cvars);
        let host = machine.host();
        host.surroundings.is_starting = false;
        match (result, host.awaits.take()) {
            // What it keeps of its models would be wrong for ever. What it has set it sets again.
            (Ok(_), _) if host.lacks_model && self.starts < MAX_STARTS => {
                *cvars = before;
                self.starts += 1;
                Ok(Stage::Compiled(Ok(program)))
            }
            (Ok(_), _) => {
                // What was drawn while it loaded is not shown.
                host.picture.take();
                Ok(Stage::Running(machine))
            }
            (Err(_), Some(_)) if self.starts < MAX_STARTS => {
                *cvars = before;
                self.starts += 1;
                Ok(Stage::Compiled(Ok(program)))
            }
            (Err(trap), _) => Err(trap),
        }
    }

    /// One picture of the level. After an error the module is gone.
    ///
    /// # Errors
    /// Why the module has ended.
    pub fn frame(
        &mut self,
        frame: &Frame<'_>,
        keys: &Keys,
        assets: &mut Assets,
        cvars: &mut Cvars,
    ) -> Result<Output, String> {
        let is_demo = self.is_demo;
        let Stage::Running(machine) = &mut self.stage else {
            return Ok(Output::default());
        };
        let host = machine.host();
        host.surroundings.now_msec = frame.now.0;
        host.surroundings.unix_seconds = frame.unix_seconds;
        host.keys = Keys {
            catcher: host.keys.catcher & CATCHES | keys.catcher & !CATCHES,
            ..keys.clone()
        };
        host.feed.take_in(frame.snapshots, frame.commands);
        if is_demo {
            let weapon = host.out.weapon;
            host.feed.make_usercmd(frame.time, weapon);
        } else {
            host.feed.take_usercmds(frame.usercmds);
        }
        let run = run_frame(&mut **machine, frame, is_demo, assets, cvars);
        let host = machine.host();
        self.catches_keys = host.keys.catcher & CATCHES != 0;
        let mut output = take_output(host);
        match run {
            Ok(unknown_lines) => {
                output.unknown_lines = unknown_lines;
                Ok(output)
            }
            Err(trap) => {
                self.stage = Stage::Ended;
                Err(trap.to_string())
            }
        }
    }

    /// Whom the player means; `None` if that is nobody.
    pub fn listener(
        &mut self,
        listener: Listener,
        assets: &mut Assets,
        cvars: &mut Cvars,
    ) -> Option<i32> {
        let number = match listener {
            Listener::Target => entry::CROSSHAIR_PLAYER,
            Listener::Attacker => entry::LAST_ATTACKER,
        };
        let Stage::Running(machine) = &mut self.stage else {
            return None;
        };
        let answer = call(&mut **machine, &[number], assets, cvars);
        if answer.is_err() {
            self.stage = Stage::Ended;
        }
        answer.ok().filter(|client| *client >= 0)
    }

    /// The level is over: the module may say goodbye. What it still prints nobody hears.
    pub fn shut_down(&mut self, assets: &mut Assets, cvars: &mut Cvars) {
        if let Stage::Running(mut machine) = std::mem::replace(&mut self.stage, Stage::Ended) {
            // It ends either way.
            let _ = call(&mut *machine, &[entry::SHUTDOWN], assets, cvars);
        }
    }
}

/// What the player did, then the picture; gives the lines that the module does not know.
fn run_frame(
    machine: &mut dyn Machine<Host>,
    frame: &Frame<'_>,
    is_demo: bool,
    assets: &mut Assets,
    cvars: &mut Cvars,
) -> Result<Vec<String>, Trap> {
    let mut unknown = Vec::new();
    for input in frame.inputs {
        match input {
            Input::Line(line) => {
                machine.host().feed.set_line(line);
                if call(machine, &[entry::CONSOLE_COMMAND], assets, cvars)? == 0 {
                    unknown.push(line.clone());
                }
            }
            Input::Key { key, is_down } => {
                let arguments = [entry::KEY_EVENT, i32::from(*key), i32::from(*is_down)];
                call(machine, &arguments, assets, cvars)?;
            }
            Input::Mouse { dx, dy } => {
                call(machine, &[entry::MOUSE_EVENT, *dx, *dy], assets, cvars)?;
            }
            Input::Escape => {
                machine.host().keys.catcher &= !CATCHES;
                call(machine, &[entry::EVENT_HANDLING, 0], assets, cvars)?;
            }
        }
    }
    let arguments = [
        entry::DRAW_ACTIVE_FRAME,
        frame.time.0,
        0,
        i32::from(is_demo),
    ];
    call(machine, &arguments, assets, cvars)?;
    Ok(unknown)
}

fn take_output(host: &mut Host) -> Output {
    let (weapon, sensitivity) = (host.out.weapon, host.out.sensitivity);
    let out = std::mem::replace(
        &mut host.out,
        Out {
            weapon,
            sensitivity,
            ..Out::default()
        },
    );
    let mut scene = host.picture.take();
    scene.sound = host.noise.take();
    Output {
        is_in_game: scene.views.iter().any(|view| view.has_world),
        scene,
        weapon,
        sensitivity,
        printed: out.printed,
        server_commands: out.server_commands,
        console_commands: out.console_commands,
        unknown_lines: Vec::new(),
        shader_remaps: out.shader_remaps,
        files: host.files.take_finished(),
        restarts: std::mem::take(&mut host.feed.restarts),
    }
}

/// Calls a module that reaches assets and cvars for so long.
fn call(
    machine: &mut dyn Machine<Host>,
    arguments: &[i32],
    assets: &mut Assets,
    cvars: &mut Cvars,
) -> Result<i32, Trap> {
    machine.host().access = Some(ClientAccess {
        assets: assets.lend(),
        cvars: std::mem::replace(cvars, Cvars::new(&[])),
    });
    let result = machine.call(arguments);
    if let Some(access) = machine.host().access.take() {
        *assets = access.assets;
        *cvars = access.cvars;
    }
    result
}
