//! Client: the whole game without window, GPU, socket or clock.
//!
//! A frame goes: events → keys and commands → connection → level → screens over it → output.
//! State is grouped by how long it lives: the client as long as the program, a `Session` as
//! long as one is on a server (or in a demo), its level as long as a gamestate.

pub(crate) mod browsing;
mod cdkey;
mod command_actions;
mod demos;
mod events;
mod execs;
mod frame_graphs;
pub mod hearing;
mod inspector;
mod key_dispatch;
mod lab;
mod local_server;
mod menus;
mod modules;
mod notify;
mod passwords;
mod report;
mod server_query;
mod toggles;
mod touch;
mod waiting_lines;
mod welcome;

use crate::{
    assets::{Assets, source::OWN_GAME},
    cg,
    cl::{State, input::Input},
    commands,
    con::{
        bind::Binds, cmd::CommandBuffer, config, cvar::Cvars, cvars, edit::History,
        scrollback::Scrollback,
    },
    event::{Event, InputDelay},
    inspector::Inspector,
    jobs::InFlight,
    lab::{Lab, LabStatus},
    output::{Output, Request},
    qvm::{self, Engine},
    scene::{Scene, ShaderId, text::Charset},
    session::{FrameContext, Session},
    settings,
    sound::{Mixer, Order},
    ui::{
        chat::ChatLine,
        connect::ConnectScreen,
        console::{Console, ConsoleLook},
        font::PROPORTIONAL,
        menu::pages::PageId,
        meter::Meter,
    },
};
use hearing::Attention;
use serde::{Deserialize, Serialize};
use shared::base::{sort::sort_by_key, text::SKIP_NOTIFY, time::ClientTime};
use std::sync::Arc;

/// What the platform knows before the first frame.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ClientSetup {
    /// Of the system's generator, for this run's qport and challenges.
    pub seed: u64,
    /// The stored config, if there is one.
    pub config: Option<String>,
    /// What the player wants to run at each start, after the stored config.
    pub autoexec: Option<String>,
    /// The stored console history.
    pub history: Option<String>,
    /// 32 hexadecimal digits that stay the same for this player.
    pub guid: String,
    /// The stored passwords of servers.
    pub passwords: Option<String>,
    /// The stored key of Quake III.
    pub cdkey: Option<String>,
    /// What the system calls the player; empty if nobody knows.
    pub guessed_name: String,
    /// Whether servers can be asked from here; else a relay tells of them.
    pub can_ask: bool,
    /// Console commands of the command line or the page's address.
    pub commands: Vec<String>,
    /// From the wish to see the page until the program's start; 0 where there is no page.
    pub before_start_msec: f64,
    /// Whether the menus open where nothing else is to be seen; a page has a first screen of its own.
    pub opens_menus: bool,
    /// Whether the device itself shows keys to touch where text is wanted.
    pub shows_keyboard: bool,
    /// Whether anybody does what `Output::sounds` says.
    pub has_speaker: bool,
    /// Seconds since the beginning of 1970.
    pub unix_seconds: i64,
}

/// The names under which texts are stored for the next start.
pub const HISTORY_NAME: &str = "history.txt";
pub const CDKEY_NAME: &str = "cdkey.txt";
pub const PASSWORDS_NAME: &str = "passwords.txt";

/// The whole client.
#[derive(Clone)]
pub struct Client {
    pub(crate) cvars: Cvars,
    pub(crate) binds: Binds,
    pub(crate) buffer: CommandBuffer,
    pub(crate) scrollback: Scrollback,
    console: Console,
    chat: Option<ChatLine>,
    menus: menus::Menus,
    input: Input,
    assets: Assets,
    session: Option<Session>,
    /// The server of a match of the player's own, and what it is to be played by.
    local_server: Option<local_server::LocalServer>,
    server_settings: local_server::ServerSettings,
    /// While the lab is open, the match is its side A.
    lab: Option<Box<Lab>>,
    inspector: Option<Box<Inspector>>,
    /// The server of the last `connect`, for `reconnect`.
    last_server: String,
    /// Why the last session ended.
    error: Option<String>,
    charset: Charset,
    /// The letters of the lab's titles.
    title_letters: ShaderId,
    screen: [f32; 2],
    attention: Attention,
    now: ClientTime,
    frame_msec: i32,
    seed: u64,
    qport: u16,
    actions: Vec<cg::Action>,
    requests: Vec<Request>,
    /// Game folders that exist here.
    games: Vec<String>,
    /// Which life of `assets` the charset belongs to.
    assets_epoch: u32,
    printed: Vec<String>,
    farewell: Vec<Vec<u8>>,
    execs: Vec<execs::Exec>,
    stored_archive: (u64, u64),
    demo_search: Option<demos::DemoSearch>,
    server_query: Option<server_query::ServerQuery>,
    browsing: browsing::Browsing,
    touch: touch::Touch,
    waiting_lines: waiting_lines::WaitingLines,
    toggles: toggles::Toggles,
    guessed_name: String,
    passwords: passwords::Passwords,
    cdkey: cdkey::CdKey,
    /// The player's own demos, once they were listed.
    demos: Vec<String>,
    frame_graphs: frame_graphs::FrameGraphs,
    /// What runs mods' modules, if anything does here.
    module_engine: Option<Arc<dyn Engine>>,
    /// What the player did that is a module's business.
    module_inputs: Vec<qvm::Input>,
    sound_meter: Meter,
    /// From input to picture, as measured last.
    input_delay: Option<InputDelay>,
    has_speaker: bool,
    started_at: ClientTime,
    started_unix_seconds: i64,
    mixer: Mixer,
    /// What commands have the speaker do.
    sound_orders: InFlight<Vec<Order>>,
    before_start_msec: f64,
}

/// What the outside may want to know: pages, tests, the headless run.
#[derive(Clone, Debug)]
pub struct Status {
    pub state: State,
    pub map: String,
    pub error: Option<String>,
    pub session: Option<crate::session::SessionStatus>,
    /// While the lab is open.
    pub lab: Option<LabStatus>,
}

impl Client {
    /// A copy to come back to. There is none while something is under way that cannot be copied: files, a mod's module.
    pub fn keyframe(&self) -> Option<Self> {
        let is_settled = self.assets.is_idle() && self.sound_orders.is_empty();
        (is_settled && !self.holds_module()).then(|| self.clone())
    }

    pub fn new(setup: ClientSetup, now: ClientTime) -> Self {
        let cvars = Cvars::new(cvars::TABLE);
        let mut assets = Assets::new(settings::assets());
        let charset = register_charset(&mut assets);
        let title_letters = assets.register_shader_urgent(PROPORTIONAL.image);
        let mut client = Self {
            cvars,
            binds: Binds::default(),
            buffer: CommandBuffer::default(),
            scrollback: Scrollback::default(),
            console: Console::default(),
            chat: None,
            menus: menus::Menus::new(setup.opens_menus, setup.shows_keyboard),
            input: Input::new(now),
            assets,
            session: None,
            local_server: None,
            server_settings: local_server::ServerSettings::default(),
            lab: None,
            inspector: None,
            last_server: String::new(),
            error: None,
            charset,
            title_letters,
            screen: [640.0, 480.0],
            attention: Attention {
                has_focus: true,
                is_hidden: false,
            },
            now,
            frame_msec: 0,
            seed: setup.seed,
            qport: (setup.seed >> 16) as u16 | 1,
            actions: Vec::new(),
            requests: Vec::new(),
            games: Vec::new(),
            assets_epoch: 0,
            printed: Vec::new(),
            farewell: Vec::new(),
            execs: Vec::new(),
            demo_search: None,
            server_query: None,
            browsing: browsing::Browsing::new(setup.seed ^ 0x5345_5256, setup.can_ask),
            passwords: passwords::Passwords::read(setup.passwords.as_deref().unwrap_or("")),
            cdkey: cdkey::CdKey::default(),
            demos: Vec::new(),
            touch: touch::Touch::default(),
            waiting_lines: waiting_lines::WaitingLines::default(),
            toggles: toggles::Toggles::default(),
            guessed_name: setup.guessed_name,
            frame_graphs: frame_graphs::FrameGraphs::default(),
            module_engine: None,
            module_inputs: Vec::new(),
            sound_meter: Meter::default(),
            input_delay: None,
            has_speaker: setup.has_speaker,
            started_at: now,
            started_unix_seconds: setup.unix_seconds,
            mixer: Mixer::default(),
            sound_orders: InFlight::default(),
            before_start_msec: setup.before_start_msec,
            stored_archive: (0, 0),
        };
        client.cvars.force("cl_guid", &setup.guid);
        client.load_cdkey(setup.cdkey.as_deref());
        client.console.history = History::from_text(setup.history.as_deref().unwrap_or(""));
        client.run_all(config::DEFAULT_CONFIG);
        client.run_all(config::PAD_CONFIG);
        if let Some(config) = &setup.config {
            client.run_all(config);
        }
        if let Some(autoexec) = &setup.autoexec {
            client.run_all(autoexec);
        }
        client.stored_archive = client.archive_generation();
        client.keep_pad_keys();
        client.print(concat!("Strafe ", env!("CARGO_PKG_VERSION"), "\n"));
        for command in setup.commands {
            client.buffer.append(&command);
        }
        client
    }

    /// Goes on to `now` with what has happened since the last frame.
    pub fn frame(&mut self, now: ClientTime, events: Vec<Event>) -> Output {
        self.frame_msec = (now - self.now).clamp(0, 5000);
        self.now = now;
        for event in events {
            self.handle(event);
        }
        self.buffer.begin_frame();
        self.run_waiting_execs();
        self.run_demo_search();
        self.run_commands();
        self.follow_waiting_lines();
        self.follow_team_overlay();
        self.watch_server_query();
        self.follow_menus();
        self.follow_servers();
        self.follow_password();
        self.follow_cdkey();
        // Where the frame's own thread decodes, more is done between frames instead.
        let hurries = self.assets.streams() && self.assets.decodes_beside();
        let shares = if hurries { 3 } else { 1 };
        self.assets.poll(WORK_PER_POLL * shares);
        self.tell_about_assets();
        let mut output = Output::default();
        self.run_local_server();
        let second = self.run_session(&mut output);
        self.send_to_local_server(&mut output.datagrams);
        if let Some((input, context)) = second {
            self.run_second_session(input, &context, &mut output);
        }
        self.record_frame();
        output.scene.time_msec = self.now.0;
        self.draw_screens(&mut output.scene);
        self.hear(&output.scene.sound, &mut output.sounds);
        self.store_config();
        while let Some(read) = self.assets.next_read() {
            self.requests.push(Request::Read(read));
        }
        output.spoken = self.speak();
        // The farewell of a session goes out before `CloseLink` is served.
        output.datagrams.append(&mut self.farewell);
        output.requests.append(&mut self.requests);
        output.printed.append(&mut self.printed);
        output.grabs_mouse = self.grabs_mouse();
        output.uses_touch = self.uses_touch();
        output.wants_text = self.wants_text();
        output
    }

    /// Takes what file reads brought without running a frame, so that loading is not bound to
    /// the display; returns what is needed next, and whether more has arrived than was prepared.
    pub fn pump_files(&mut self, events: Vec<Event>) -> (Vec<Request>, bool) {
        for event in events {
            self.handle(event);
        }
        self.assets.set_hears(self.cvars.is_on("s_initSound"));
        let has_more = self.assets.poll(WORK_PER_POLL);
        let requests = std::iter::from_fn(|| self.assets.next_read())
            .map(Request::Read)
            .collect();
        (requests, has_more)
    }

    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    pub fn assets_mut(&mut self) -> &mut Assets {
        &mut self.assets
    }

    pub fn cvars(&self) -> &Cvars {
        &self.cvars
    }

    pub fn state(&self) -> State {
        let session = self.session.as_ref();
        session.map_or(State::Disconnected, Session::state)
    }

    pub fn status(&self) -> Status {
        let session = self.session.as_ref().map(Session::status);
        Status {
            state: self.state(),
            map: session.as_ref().map_or_else(String::new, |s| s.map.clone()),
            error: self.error.clone(),
            session,
            lab: self.lab.as_ref().map(|lab| lab.status(self.screen)),
        }
    }

    /// Frames shown since a timedemo began; 0 while there is none.
    pub fn timedemo_frames(&self) -> i32 {
        self.session.as_ref().map_or(0, Session::timedemo_frames)
    }

    fn run_commands(&mut self) {
        // A command can add more; a loop of aliases must not hang the frame.
        const MAX_PER_FRAME: usize = 10_000;
        for _ in 0..MAX_PER_FRAME {
            if self.awaits_config() {
                return;
            }
            let Some(line) = self.buffer.next_command() else {
                return;
            };
            commands::execute(self, &line);
        }
        self.print("^3too many commands in one frame; the rest runs in the next\n");
    }

    fn run_all(&mut self, text: &str) {
        self.buffer.append(text);
        self.run_commands();
    }

    /// Runs the session; gives what side B of the lab is to be run with.
    fn run_session(&mut self, output: &mut Output) -> Option<(Input, FrameContext)> {
        let mut session = self.session.take()?;
        let mut second_input = None;
        if let Some(lab) = &mut self.lab {
            lab.begin_frame(self.now, &self.cvars, &mut self.input);
            second_input = Some(self.input.clone());
        }
        let context = FrameContext {
            now: self.now,
            frame_msec: self.frame_msec,
            is_hidden: self.attention.is_hidden,
            screen: match self.lab {
                Some(_) => Lab::view_size(self.screen),
                None => self.screen,
            },
            is_captured: self.captures_keys() || !(self.attention.has_focus || self.lab.is_some()),
            any_key_is_down: self.binds.is_any_down(),
            input_delay: self.input_delay,
            actions: std::mem::take(&mut self.actions),
            modules: self.module_context(),
        };
        let cvars = match &mut self.lab {
            Some(lab) => &mut lab.sides[0].cvars,
            None => &mut self.cvars,
        };
        session.frame(&context, &mut self.input, cvars, &mut self.assets, output);
        let restarts = session.take_restart();
        for text in session.take_printed() {
            self.print(&text);
        }
        self.take_module_commands(&mut session);
        if restarts {
            self.scrollback.clear_notify();
            self.cvars.force("cg_thirdPerson", "0");
        }
        if session.is_in_game() {
            self.run_active_action();
            if self.cvars.is_on("cl_autoRecordDemo")
                && let Some(name) = session.record_automatically()
            {
                self.print(&format!("{SKIP_NOTIFY}recording to {name}\n"));
            }
        }
        for recorded in session.take_recorded() {
            self.store_recording(Some(recorded));
        }
        match session.take_end() {
            Some(reason) => self.end_session(session, &reason),
            None => self.session = Some(session),
        }
        Some((second_input?, context))
    }

    /// Servers tell how team-mates fare only to those who want to see it.
    fn follow_team_overlay(&mut self) {
        let wanted = match self.cvars.is_on("cg_drawTeamOverlay") {
            true => "1",
            false => "0",
        };
        if self.cvars.text("teamoverlay") != wanted {
            self.cvars.force("teamoverlay", wanted);
        }
    }

    /// What was left to do until the game is entered (`activeAction`).
    fn run_active_action(&mut self) {
        let action = self.cvars.text("activeAction").to_owned();
        if !action.is_empty() {
            self.cvars.force("activeAction", "");
            self.buffer.append(&action);
        }
    }

    fn end_session(&mut self, mut session: Session, reason: &str) {
        // What was recorded is kept, whoever ended the match.
        self.store_recording(session.stop_recording());
        session.end_level(&mut self.assets, &mut self.cvars);
        let report = session.timedemo_report();
        let was_demo = session.is_demo();
        match session.is_own() {
            true => {
                self.local_server = None;
                self.lab = None;
            }
            false => self.farewell.extend(session.leave(self.now)),
        }
        // What a server has handed out is for that server only.
        self.assets.use_own_paks(settings::assets());
        self.request(Request::CloseLink);
        self.cvars.set_cheats(true);
        self.cvars.force("com_errorMessage", reason);
        if !reason.is_empty() {
            self.print(&format!("^3{reason}\n"));
            self.error = Some(reason.to_owned());
        }
        if was_demo {
            self.demo_ended(report.as_deref());
        }
    }

    /// Without a server any installed game will do, for letters and menus; so it will until a server has told its own.
    fn choose_own_games(&mut self) {
        if !self.session.as_ref().is_some_and(Session::has_level) {
            let rank = |game: &String| match game.as_str() {
                "baseq3" => 0,
                "baseoa" => 1,
                // What everybody has comes last.
                OWN_GAME => 3,
                _ => 2,
            };
            let mut games = self.games.clone();
            sort_by_key(&mut games, rank);
            self.assets.vfs_mut().set_games(&games);
        }
    }

    /// Whether all there is to see is how far a level has come.
    pub fn shows_loading(&self) -> bool {
        let is_loading = self.session.as_ref().is_some_and(|one| !one.is_in_game());
        is_loading && !self.menus.is_open() && !self.console.is_visible()
    }

    /// Whether somebody looks at how loud the game is.
    pub fn shows_sound_meter(&self) -> bool {
        self.cvars.is_on("s_meter") || self.menus.page() == Some(PageId::Sound)
    }

    fn draw_screens(&mut self, scene: &mut Scene) {
        if self.assets_epoch != self.assets.epoch() {
            self.assets_epoch = self.assets.epoch();
            self.charset = register_charset(&mut self.assets);
            self.title_letters = self.assets.register_shader_urgent(PROPORTIONAL.image);
        }
        let is_in_game = self.is_in_match();
        if !is_in_game {
            let session = self.session.as_ref();
            match session.and_then(|session| session.loading_screen(&self.assets)) {
                Some(loading) => loading.draw(&mut scene.draw2d, self.charset, self.screen),
                None => {
                    let screen = self.connect_screen();
                    screen.draw(&mut scene.draw2d, self.charset, self.screen);
                }
            }
        }
        let speed = self.cvars.number("scr_conspeed");
        let is_full = self.session.is_none() && !self.menus.is_open();
        self.console.slide(self.frame_msec, speed, is_full);
        if is_in_game && !self.console.is_visible() && self.lab.is_none() {
            self.draw_notify(&mut scene.draw2d);
        }
        if is_in_game && self.lab.is_none() {
            self.draw_silence(&mut scene.draw2d);
        }
        self.draw_graph(&mut scene.draw2d);
        self.draw_inspector(&mut scene.draw2d);
        self.draw_touch(&mut scene.draw2d);
        self.draw_menus(&mut scene.draw2d);
        if self.shows_sound_meter() {
            let out = &mut scene.draw2d;
            self.sound_meter.draw(out, self.charset, self.screen);
        }
        let look = ConsoleLook {
            charset: self.charset,
            screen: self.screen,
            scale: self.text_scale() * self.cvars.number("con_scale"),
            cursor_is_on: (self.now.0 >> 8) & 1 == 0,
        };
        self.console.draw(&mut scene.draw2d, look, &self.scrollback);
    }

    fn connect_screen(&self) -> ConnectScreen {
        match &self.session {
            Some(session) => session.connect_screen(&self.assets),
            None => ConnectScreen {
                title: "Strafe".to_owned(),
                lines: vec![
                    "` opens the console; there, connect HOST enters a server,".to_owned(),
                    "and skirmish begins a match against bots".to_owned(),
                ],
                progress: None,
                error: self.error.clone(),
            },
        }
    }

    /// Letters keep their size on dense displays.
    fn text_scale(&self) -> f32 {
        (self.screen[1] / 720.0).round().clamp(1.0, 4.0)
    }

    fn archive_generation(&self) -> (u64, u64) {
        (self.cvars.archive_generation(), self.binds.generation())
    }

    fn store_config(&mut self) {
        let generation = self.archive_generation();
        if generation != self.stored_archive {
            self.stored_archive = generation;
            let text = config::write(&self.cvars, &self.binds, config::Extent::Changed);
            self.request(Request::Store {
                name: config::CONFIG_NAME.to_owned(),
                text,
            });
        }
    }
}

fn register_charset(assets: &mut Assets) -> Charset {
    Charset {
        shader: assets.register_shader_urgent("gfx/2d/bigchars"),
        white: assets.register_shader_urgent("white"),
    }
}

/// About as many bytes are prepared between two looks at the clock; that takes a millisecond or two.
const WORK_PER_POLL: usize = 128 << 10;
