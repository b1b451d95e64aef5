//! Client: the whole game without window, GPU, socket or clock.
//!
//! A frame goes: events → keys and commands → connection → level → screens over it → output.
//! State is grouped by how long it lives: the client as long as the program, a [`Session`] as
//! long as one is on a server (or in a demo), its level as long as a gamestate.

mod demos;
mod inquiry;
mod study;

use crate::{
    assets::{Assets, Listed, RawId},
    cg,
    cl::{
        State,
        input::{Action, Input},
    },
    commands,
    con::{
        absent, bind::Binds, cmd::CommandBuffer, config, cvar::Cvars, cvars, edit::History, keys,
        scrollback::Scrollback,
    },
    event::Event,
    output::{Output, Request},
    scene::{
        Draw2d, Scene,
        text::{Charset, TextStyle},
    },
    session::{FrameContext, Session},
    settings,
    ui::{
        chat::{Audience, ChatKey, ChatLine},
        connect::ConnectScreen,
        console::{Console, ConsoleKey, ConsoleLook, Modifiers},
    },
};
use shared::base::{info::Info, time::ClientTime, tokens::Tokens};

/// What the platform knows before the first frame.
#[derive(Clone, Debug, Default)]
pub struct ClientSetup {
    /// The dice of this run: qport, challenges, cosmetic chance.
    pub seed: u64,
    /// The stored config, if there is one.
    pub config: Option<String>,
    /// The stored console history.
    pub history: Option<String>,
    /// 32 hexadecimal digits that stay the same for this player.
    pub guid: String,
    /// Console commands of the command line or the page's address.
    pub commands: Vec<String>,
}

/// The names under which texts are stored for the next start.
pub const HISTORY_NAME: &str = "history.txt";

/// The whole client.
pub struct Client {
    pub(crate) cvars: Cvars,
    pub(crate) binds: Binds,
    pub(crate) buffer: CommandBuffer,
    pub(crate) scrollback: Scrollback,
    console: Console,
    chat: Option<ChatLine>,
    input: Input,
    assets: Assets,
    session: Option<Session>,
    /// The server of the last `connect`, for `reconnect`.
    last_server: String,
    /// Why the last session ended.
    error: Option<String>,
    charset: Charset,
    screen: [f32; 2],
    has_focus: bool,
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
    execs: Vec<Exec>,
    stored_archive: (u64, u64),
    demo_search: Option<demos::DemoSearch>,
    inquiry: Option<inquiry::Inquiry>,
    study: study::Study,
}

/// A config that was asked for and may still be on its way.
struct Exec {
    name: String,
    file: RawId,
    is_quiet: bool,
}

/// What the outside may want to know: pages, tests, the headless run.
#[derive(Clone, Debug)]
pub struct Status {
    pub state: State,
    pub map: String,
    pub error: Option<String>,
    pub session: Option<crate::session::SessionStatus>,
}

impl Client {
    pub fn new(setup: ClientSetup, now: ClientTime) -> Self {
        let cvars = Cvars::new(cvars::TABLE);
        let mut assets = Assets::new(settings::assets());
        let charset = register_charset(&mut assets);
        let mut client = Self {
            cvars,
            binds: Binds::default(),
            buffer: CommandBuffer::default(),
            scrollback: Scrollback::default(),
            console: Console::default(),
            chat: None,
            input: Input::new(now),
            assets,
            session: None,
            last_server: String::new(),
            error: None,
            charset,
            screen: [640.0, 480.0],
            has_focus: true,
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
            inquiry: None,
            study: study::Study::default(),
            stored_archive: (0, 0),
        };
        client.cvars.force("cl_guid", &setup.guid);
        client.console.history = History::from_text(setup.history.as_deref().unwrap_or(""));
        client.run_all(config::DEFAULT_CONFIG);
        if let Some(config) = &setup.config {
            client.run_all(config);
        }
        client.stored_archive = client.archive_generation();
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
        self.follow_team_overlay();
        self.watch_inquiry();
        self.assets.poll(WORK_PER_POLL);
        self.tell_about_assets();
        let mut output = Output::default();
        self.run_session(&mut output);
        self.study_frame();
        output.scene.time_msec = self.now.0;
        self.draw_screens(&mut output.scene);
        self.store_config();
        while let Some(read) = self.assets.next_read() {
            self.requests.push(Request::Read(read));
        }
        // The farewell of a session goes out before `CloseLink` is served.
        output.datagrams.append(&mut self.farewell);
        output.requests.append(&mut self.requests);
        output.printed.append(&mut self.printed);
        output.grabs_mouse = self.grabs_mouse();
        output
    }

    /// Takes what file reads brought without running a frame, so that loading is not bound to
    /// the display; returns what is needed next, and whether more has arrived than was prepared.
    pub fn pump_files(&mut self, events: Vec<Event>) -> (Vec<Request>, bool) {
        for event in events {
            self.handle(event);
        }
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
        self.session
            .as_ref()
            .map_or(State::Disconnected, Session::state)
    }

    pub fn status(&self) -> Status {
        let session = self.session.as_ref().map(Session::status);
        Status {
            state: self.state(),
            map: session.as_ref().map_or_else(String::new, |s| s.map.clone()),
            error: self.error.clone(),
            session,
        }
    }

    /// Frames shown since a timedemo began; 0 while there is none.
    pub fn timedemo_frames(&self) -> i32 {
        self.session.as_ref().map_or(0, Session::timedemo_frames)
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Key {
                key,
                is_down,
                is_repeat,
                at,
            } => self.handle_key(key, is_down, is_repeat, at),
            Event::Char(c) => self.handle_char(c),
            Event::MouseMotion { dx, dy, at } => {
                if self.grabs_mouse() {
                    self.input.move_mouse(dx, dy, Some(at));
                }
            }
            Event::PadAxis { axis, value, .. } => self.input.set_axis(axis, value),
            Event::Focus(has_focus) => {
                self.has_focus = has_focus;
                if !has_focus {
                    self.release_keys();
                }
            }
            Event::Resized { width, height } => self.screen = [width as f32, height as f32],
            Event::Command(line) => {
                self.buffer.append(&line);
            }
            Event::DemoRead { name, bytes } => self.demo_read(name, bytes),
            Event::LinkOpened { transport, .. } => {
                if let Some(session) = &mut self.session {
                    session.link_opened(self.now, transport);
                }
            }
            Event::LinkResumed {
                transport,
                keepsake,
            } => {
                let session = self.session.as_mut();
                if session
                    .is_some_and(|session| !session.link_resumed(self.now, transport, &keepsake))
                {
                    self.buffer.append("reconnect\n");
                }
            }
            Event::LinkMoved { transport } => {
                if let Some(session) = &mut self.session {
                    session.link_moved(transport);
                }
            }
            Event::LinkTimed(hops) => {
                if let Some(session) = &mut self.session {
                    session.link_timed(hops);
                }
            }
            Event::LinkClosed { reason } => {
                if self.session.is_some() {
                    self.disconnect(&reason);
                }
            }
            Event::Asked { at } => self.was_asked(at),
            Event::Answer { bytes, at } => self.take_answer(&bytes, at),
            Event::CannotAsk { reason } => self.cannot_ask(&reason),
            Event::Packet { bytes, at } => {
                if let Some(session) = &mut self.session {
                    session.handle_packet(at, bytes);
                }
            }
            Event::SourceFound(source) => {
                if !self.games.contains(&source.game) {
                    self.games.push(source.game.clone());
                    self.choose_own_games();
                }
                self.assets.add_source(source);
            }
            Event::SourcesComplete => self.assets.set_sources_complete(),
            Event::FileRead { id, result } => self.assets.handle_read(id, result),
        }
    }

    fn handle_key(&mut self, key: u16, is_down: bool, is_repeat: bool, at: ClientTime) {
        if is_repeat && !self.captures_keys() {
            return;
        }
        self.tell_key(key, is_down);
        self.binds.note(key, is_down);
        if !is_down {
            let text = self.binds.release(key, at);
            if !text.is_empty() {
                self.buffer.append(&text);
            }
            return;
        }
        let modifiers = Modifiers {
            ctrl: self.binds.is_down(keys::CTRL),
            shift: self.binds.is_down(keys::SHIFT),
        };
        let opens_console = self.is_console_key(key) || (key == keys::ESCAPE && modifiers.shift);
        if opens_console {
            if !is_repeat {
                self.toggle_console();
            }
        } else if self.console.is_open() {
            self.handle_console_key(key, modifiers);
        } else if let Some(chat) = &mut self.chat {
            match chat.handle_key(key, modifiers) {
                ChatKey::Handled => {}
                ChatKey::Closed => self.chat = None,
                ChatKey::Send(command) => {
                    self.chat = None;
                    self.send_to_server(&command);
                }
            }
        } else if key == keys::ESCAPE {
            self.handle_escape();
        } else {
            let text = self.binds.press(key, at);
            if !text.is_empty() {
                self.buffer.append(&text);
            }
        }
    }

    fn handle_escape(&mut self) {
        // Leaving a match by accident would hurt; leaving a connection attempt is wanted.
        if self
            .session
            .as_ref()
            .is_some_and(|session| !session.is_in_game())
        {
            self.disconnect("");
        } else {
            self.toggle_console();
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
        self.print(&format!("]{line}\n"));
        let history = self.console.history.to_text();
        self.request(Request::Store {
            name: HISTORY_NAME.to_owned(),
            text: history,
        });
        let is_active = self.session.as_ref().is_some_and(Session::is_in_game);
        match line.strip_prefix(['\\', '/']) {
            Some(command) => {
                self.buffer.append(command);
            }
            None if line.is_empty() => {}
            None if is_active && self.cvars.is_on("con_autochat") => {
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
            let typed = self.console.edit.text().to_owned();
            self.print(&format!("]{typed}\n"));
        }
        for name in candidates {
            let text = match self.cvars.get(&name) {
                Some(cvar) => format!("    {name} = \"{}^7\"\n", cvar.value()),
                None => format!("    {name}\n"),
            };
            self.print(&text);
        }
        self.console.edit.set(&line);
    }

    fn handle_char(&mut self, c: char) {
        if self.console.is_open() {
            // The key that opened the console also types itself.
            if !matches!(c, '`' | '~' | '^' | '°') || !self.console.edit.text().is_empty() {
                self.console.handle_char(c);
            }
        } else if let Some(chat) = &mut self.chat {
            chat.handle_char(c);
        }
    }

    fn is_console_key(&self, key: u16) -> bool {
        let names = self.cvars.text("cl_consoleKeys");
        names
            .split_ascii_whitespace()
            .any(|name| keys::number(name) == Some(key))
    }

    fn captures_keys(&self) -> bool {
        self.console.is_open() || self.chat.is_some()
    }

    fn grabs_mouse(&self) -> bool {
        let is_playing = self.session.as_ref().is_some_and(Session::is_in_game);
        self.has_focus && is_playing && !self.captures_keys() && self.cvars.is_on("in_mouse")
    }

    fn release_keys(&mut self) {
        for key in self.binds.release_all() {
            let text = self.binds.release(key, self.now);
            if !text.is_empty() {
                self.buffer.append(&text);
            }
        }
    }

    fn run_commands(&mut self) {
        // A command can add more; a loop of aliases must not hang the frame.
        const MAX_PER_FRAME: usize = 10_000;
        for _ in 0..MAX_PER_FRAME {
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

    fn run_waiting_execs(&mut self) {
        for exec in std::mem::take(&mut self.execs) {
            if let Some(bytes) = self.assets.file(exec.file).cloned() {
                if !exec.is_quiet {
                    self.print(&format!("execing {}\n", exec.name));
                }
                if !self.buffer.insert(&String::from_utf8_lossy(&bytes)) {
                    self.print(&format!("exec {}: the file is too long\n", exec.name));
                }
            } else if self.assets.is_missing(exec.file) {
                self.print(&format!("exec {}: there is no such file\n", exec.name));
            } else {
                self.execs.push(exec);
            }
        }
    }

    fn run_session(&mut self, output: &mut Output) {
        let Some(mut session) = self.session.take() else {
            return;
        };
        let context = FrameContext {
            now: self.now,
            frame_msec: self.frame_msec,
            screen: self.screen,
            is_captured: self.captures_keys() || !self.has_focus,
            any_key_is_down: self.binds.is_any_down(),
            actions: std::mem::take(&mut self.actions),
        };
        session.frame(
            &context,
            &mut self.input,
            &mut self.cvars,
            &mut self.assets,
            output,
        );
        for text in session.take_printed() {
            self.print(&text);
        }
        if session.is_in_game() {
            self.run_active_action();
            if self.cvars.is_on("cl_autoRecordDemo")
                && let Some(name) = session.record_automatically()
            {
                self.print(&format!("[skipnotify]recording to {name}\n"));
            }
        }
        for recorded in session.take_recorded() {
            self.store_recording(Some(recorded));
        }
        match session.take_end() {
            Some(reason) => self.end_session(session, &reason),
            None => self.session = Some(session),
        }
    }

    /// Servers tell how team-mates fare only to those who want to see it.
    fn follow_team_overlay(&mut self) {
        let wanted = if self.cvars.is_on("cg_drawTeamOverlay") {
            "1"
        } else {
            "0"
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
        let report = session.timedemo_report();
        let was_demo = session.is_demo();
        self.farewell.extend(session.leave(self.now));
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

    /// Without a server any installed game will do, for letters and menus.
    fn choose_own_games(&mut self) {
        if self.session.is_none() {
            let known = ["baseq3", "baseoa"].map(str::to_owned);
            let (mut games, others): (Vec<_>, Vec<_>) = self
                .games
                .iter()
                .cloned()
                .partition(|game| known.contains(game));
            games.sort_unstable_by(|a, b| b.cmp(a));
            games.extend(others);
            self.assets.vfs_mut().set_games(&games);
        }
    }

    fn draw_screens(&mut self, scene: &mut Scene) {
        if self.assets_epoch != self.assets.epoch() {
            self.assets_epoch = self.assets.epoch();
            self.charset = register_charset(&mut self.assets);
        }
        let is_in_game = self.session.as_ref().is_some_and(Session::is_in_game);
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
        self.console
            .slide(self.frame_msec, speed, self.session.is_none());
        if is_in_game && !self.console.is_visible() {
            self.draw_notify(&mut scene.draw2d);
        }
        self.draw_graph(&mut scene.draw2d);
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
                lines: vec!["connect HOST enters a server; ` opens the console".to_owned()],
                progress: None,
                error: self.error.clone(),
            },
        }
    }

    fn draw_notify(&self, out: &mut Vec<Draw2d>) {
        let scale = self.text_scale();
        let style = TextStyle {
            size: [8.0 * scale, 16.0 * scale],
            color: [1.0; 4],
            has_shadow: true,
            ignores_codes: false,
        };
        let max_age = (self.cvars.number("con_notifytime") * 1000.0) as i32;
        let count = usize::try_from(self.cvars.integer("con_notifylines")).unwrap_or(0);
        let mut y = 0.0;
        for line in self.scrollback.notify(self.now, max_age, count) {
            let x = 8.0 + self.cvars.number("cl_conXOffset");
            self.charset.line(out, x, y, &line.text, style);
            y += style.size[1];
        }
        if let Some(chat) = &self.chat {
            chat.draw(out, self.charset, [8.0, y], style);
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
            let text = config::write(&self.cvars, &self.binds);
            self.request(Request::Store {
                name: config::CONFIG_NAME.to_owned(),
                text,
            });
        }
    }
}

fn register_charset(assets: &mut Assets) -> Charset {
    Charset {
        shader: assets.register_shader_no_mip("gfx/2d/bigchars"),
        white: assets.register_shader_no_mip("white"),
    }
}

/// About as many bytes are prepared between two looks at the clock; that takes a millisecond or two.
const WORK_PER_POLL: usize = 128 << 10;

/// What console commands do to the client.
impl Client {
    /// Prints to the console; color codes allowed, a line ends at `\n`.
    pub(crate) fn print(&mut self, text: &str) {
        if self.cvars.is_on("cl_noprint") {
            return;
        }
        self.scrollback.print(self.now, text);
        let plain = text.strip_prefix("[skipnotify]").unwrap_or(text);
        self.printed.push(plain.to_owned());
    }

    pub(crate) fn request(&mut self, request: Request) {
        self.requests.push(request);
    }

    pub(crate) fn act(&mut self, action: cg::Action) {
        self.actions.push(action);
    }

    pub(crate) fn toggle_console(&mut self) {
        self.release_keys();
        self.chat = None;
        let clears = self.cvars.is_on("con_autoclear");
        self.console.toggle(clears);
        self.scrollback.clear_notify();
    }

    pub(crate) fn open_chat(&mut self, audience: Audience) {
        if self.session.as_ref().is_some_and(Session::is_in_game) {
            self.release_keys();
            self.chat = Some(ChatLine::new(audience));
        }
    }

    pub(crate) fn center_view(&mut self) {
        if let Some(session) = &self.session {
            session.center_view(&mut self.input);
        }
    }

    /// Runs `+name` or `-name`, if it is a continuous action.
    pub(crate) fn run_input_action(&mut self, tokens: &Tokens) -> bool {
        let name = tokens.get(0);
        let Some(action) = name.get(1..).and_then(Action::from_name) else {
            return false;
        };
        let key = tokens.get(1).parse().ok();
        let at = commands::key_time(tokens);
        match name.as_bytes()[0] {
            b'+' => {
                if !self.input.press(action, key, at) {
                    self.print(&format!("three keys hold {name}; release one first\n"));
                }
            }
            b'-' => {
                self.input.release(action, key, at);
                let recentres = action == Action::MouseLook && !self.cvars.is_on("cl_freelook");
                if recentres {
                    self.center_view();
                }
            }
            _ => return false,
        }
        true
    }

    /// Sends what no local command knows to the server, as the game there may.
    pub(crate) fn forward(&mut self, name: &str, line: &str) {
        if name.starts_with('-') {
            return;
        }
        if let Some(reason) = absent::reason(name) {
            return self.print(&format!("{name} has no use here. {reason}\n"));
        }
        let can_forward = self.session.as_ref().is_some_and(Session::takes_commands);
        if !can_forward || name.starts_with('+') || name.eq_ignore_ascii_case("userinfo") {
            self.print(&format!(
                "unknown command \"{name}^7\"; cmdlist lists all\n"
            ));
            return;
        }
        self.send_to_server(line.trim());
    }

    pub(crate) fn send_to_server(&mut self, command: &str) {
        match &mut self.session {
            Some(session) if session.takes_commands() => {
                if let Err(reason) = session.send_command(command) {
                    self.print(&format!("{reason}\n"));
                }
            }
            _ => self.print("not on a server\n"),
        }
    }

    pub(crate) fn connect(&mut self, server: &str) {
        self.disconnect("");
        self.last_server = server.to_owned();
        self.error = None;
        self.console.set_open(false, true);
        self.cvars.force("cl_currentServerAddress", server);
        self.seed = self
            .seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        self.session = Some(Session::connect(server, self.seed, self.qport, &self.cvars));
        self.request(Request::OpenLink {
            server: server.to_owned(),
            own: settings::own_address(&self.cvars),
        });
    }

    pub(crate) fn reconnect(&mut self) {
        if self.last_server.is_empty() {
            return self.print("there is no server to go back to; use connect\n");
        }
        let server = self.last_server.clone();
        self.connect(&server);
    }

    /// Leaves the server or demo; a reason is shown.
    /// What a later run of the page needs to go on with the connection to the server.
    pub fn keepsake(&self) -> Option<String> {
        self.session.as_ref()?.keepsake()
    }

    pub(crate) fn disconnect(&mut self, reason: &str) {
        if let Some(session) = self.session.take() {
            self.end_session(session, reason);
        }
    }

    pub(crate) fn rcon(&mut self, command: &str) {
        let password = self.cvars.text("rconPassword").to_owned();
        if password.is_empty() {
            return self.print("set rconPassword first\n");
        }
        let sent = match &mut self.session {
            Some(session) => session.rcon(&password, command),
            None => {
                let server = self.cvars.text("rconAddress").to_owned();
                return self.ask_rcon(&server, &password, command);
            }
        };
        if let Err(reason) = sent {
            self.print(&format!("{reason}\n"));
        }
    }

    pub(crate) fn exec_file(&mut self, name: &str, is_quiet: bool) {
        let file = self.assets.register_file(name);
        self.execs.push(Exec {
            name: name.to_owned(),
            file,
            is_quiet,
        });
        self.run_waiting_execs();
    }

    pub(crate) fn print_info(&mut self, number: usize) {
        let Some(configstrings) = self.session.as_ref().and_then(Session::configstrings) else {
            return self.print("not on a server\n");
        };
        let info = Info::parse(configstrings.get(number));
        let lines: String = info
            .iter()
            .map(|(key, value)| format!("{key:<24} {value}\n"))
            .collect();
        self.print(&lines);
    }

    /// Prints what the session has to tell.
    pub(crate) fn print_of_session(&mut self, tell: impl Fn(&Session) -> String) {
        let text = self.session.as_ref().map(tell);
        self.print(&text.unwrap_or_else(|| "not on a server\n".to_owned()));
    }

    pub(crate) fn print_configstrings(&mut self) {
        let Some(configstrings) = self.session.as_ref().and_then(Session::configstrings) else {
            return self.print("not on a server\n");
        };
        let lines: String = configstrings
            .iter()
            .map(|(number, text)| format!("{number:>4}: {text}\n"))
            .collect();
        self.print(&lines);
    }

    pub(crate) fn print_clientinfo(&mut self) {
        let state = self.status().state;
        let (info, _) = settings::userinfo(&self.cvars, &self.last_server);
        let lines: String = info
            .iter()
            .filter(|(key, _)| *key != "password")
            .map(|(key, value)| format!("{key:<24} {value}\n"))
            .collect();
        let server = self.last_server.clone();
        self.print(&format!("state: {state}\nserver: {server}\n{lines}"));
    }

    /// Lists assets of a kind, those that are still missing too.
    pub(crate) fn print_assets(&mut self, kind: Listed) {
        let lines = self.assets.listed(kind);
        self.print_names(&lines);
    }

    /// The paks that files were taken from.
    pub(crate) fn print_used_paks(&mut self) {
        let names = self.assets.vfs().used_paks();
        self.print_names(&names);
    }

    pub(crate) fn print_names(&mut self, names: &[String]) {
        let lines: String = names.iter().map(|name| format!("{name}\n")).collect();
        self.print(&format!("{lines}{} in all\n", names.len()));
    }

    /// The number of a player by his name, without regard to colors and case.
    pub(crate) fn find_player(&self, name: &str) -> Option<usize> {
        self.session.as_ref()?.find_player(name)
    }

    pub(crate) fn print_path(&mut self) {
        let paks = self.assets.vfs().paks();
        let lines: String = paks
            .map(|(name, checksum)| format!("{name} ({checksum})\n"))
            .collect();
        self.print(&lines);
    }
}
