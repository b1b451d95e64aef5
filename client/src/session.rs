//! Session and LevelState: one stay on a server, and one map of it; values go between connection and game here.

mod commands;
mod fetching;
mod level;
mod load_times;
mod missing;
mod module;
mod muted;
mod next_map;
mod observe;
mod recording;
mod screens;
mod silence;
mod status;

use crate::{
    assets::Assets,
    cg::{self, CGame, SnapshotArrival},
    cl::{
        Connection, Feed, Notice, Playback, Refusal, Seeds, State, Update,
        cadence::Cadence,
        input::{Input, InputSettings, UsercmdFrame},
        lag::LagWatch,
    },
    con::cvar::Cvars,
    conditioner::{self, Conditioner},
    event::{Hops, InputDelay},
    netprint,
    output::{Output, Request},
    settings,
};
use fetching::Fetching;
pub use level::games;
use level::{LevelState, LoadStage, MAX_WAITING_COMMANDS, MAX_WAITING_SNAPSHOTS};
use load_times::LoadClock;
pub use load_times::LoadTimes;
pub use module::ModuleContext;
pub use observe::{Observation, ObservedUpTo};
use recording::Recording;
use shared::{
    base::time::ClientTime,
    types::{snapshot::Snapshot, usercmd::Usercmd},
};
use silence::Silence;
pub use status::SessionStatus;
use std::sync::Arc;

/// What a frame brings from the client to its session.
pub struct FrameContext {
    pub now: ClientTime,
    pub frame_msec: i32,
    /// Nobody sees the window or page.
    pub is_hidden: bool,
    pub screen: [f32; 2],
    /// Console, chat line or another window have the keys.
    pub is_captured: bool,
    pub any_key_is_down: bool,
    pub input_delay: Option<InputDelay>,
    pub actions: Vec<cg::Action>,
    pub modules: ModuleContext,
}

/// One stay on a server.
#[derive(Clone)]
pub struct Session {
    server: String,
    /// The server is in this program.
    is_own: bool,
    /// Another session loads the level.
    shares_assets: bool,
    transport: &'static str,
    hops: Option<Hops>,
    seeds: Seeds,
    /// `None` until the way to the server is open.
    feed: Option<Feed>,
    level: Option<LevelState>,
    muted: muted::Muted,
    /// Figures of levels that are over.
    past_prediction: cg::predict::misses::PredictionStats,
    settings: Chosen,
    /// What the server said outside the game; shown until the game begins.
    message: String,
    printed: Vec<String>,
    /// What modules have sent to the player's own console.
    console_commands: Vec<String>,
    /// The server waits until the authorize server knows the player's key.
    demands_key: bool,
    restarts: bool,
    end: Option<String>,
    fetching: Fetching,
    silence: Silence,
    recording: Option<Recording>,
    /// Recordings that have ended by themselves.
    recorded: Vec<(String, Vec<u8>)>,
    /// The clock of a demo, which `timescale` makes faster or slower.
    demo_at: ClientTime,
    timedemo_began_at: Option<ClientTime>,
    /// Frames and milliseconds so far.
    timedemo: Option<(i32, i32)>,
    conditioner: Conditioner,
    cadence: Cadence,
    load_clock: LoadClock,
    /// What the player did since the newest usercmd.
    provisional: Option<Usercmd>,
    /// The newest snapshot, where the next is compared with it (`cl_shownet`).
    compared: Option<Arc<Snapshot>>,
}

/// The cvars as plain settings, made anew when a cvar changes.
#[derive(Clone)]
struct Chosen {
    generation: u64,
    game: cg::Settings,
    input: InputSettings,
    connection: crate::cl::Settings,
    line: conditioner::LineSettings,
    netprint: netprint::ShownLines,
}

impl Session {
    /// A session that begins as soon as the way to the server is open.
    ///
    /// Servers tell players behind one address apart by the qport, which stays the same for a run
    /// of the program: who comes back after a lost line takes his old place.
    pub fn connect(server: &str, seed: u64, qport: u16, cvars: &Cvars) -> Self {
        Self {
            server: server.to_owned(),
            is_own: false,
            shares_assets: false,
            transport: "",
            hops: None,
            seeds: Seeds {
                qport: match cvars.integer("net_qport") {
                    0 => qport,
                    chosen => chosen as u16,
                },
                challenge: (seed >> 32) as i32,
            },
            feed: None,
            demo_at: ClientTime::default(),
            timedemo_began_at: None,
            timedemo: None,
            level: None,
            muted: muted::Muted::default(),
            past_prediction: cg::predict::misses::PredictionStats::default(),
            settings: Chosen::new(cvars, server),
            message: String::new(),
            printed: Vec::new(),
            console_commands: Vec::new(),
            demands_key: false,
            restarts: false,
            end: None,
            fetching: Fetching::default(),
            silence: Silence::default(),
            recording: None,
            recorded: Vec::new(),
            conditioner: Conditioner::new(
                conditioner::LineSettings::of(cvars),
                u64::try_from(cvars.integer("net_seed")).unwrap_or(1),
            ),
            cadence: Cadence::default(),
            load_clock: LoadClock::default(),
            provisional: None,
            compared: None,
        }
    }

    /// A session on the server in this program, to which the way is always open.
    pub fn on_own_server(seed: u64, qport: u16, cvars: &Cvars, now: ClientTime) -> Self {
        let mut session = Self::connect("localhost", seed, qport, cvars);
        session.is_own = true;
        session.link_opened(now, "loopback");
        session
    }

    /// A session that plays a demo from the bytes of its file.
    pub fn play(name: &str, bytes: Vec<u8>, now: ClientTime, cvars: &Cvars) -> Self {
        let mut session = Self::connect(name, 0, 0, cvars);
        session.demo_at = now;
        session.feed = Some(Feed::Demo(Box::new(Playback::new(bytes, now))));
        session
    }

    /// Whether the server is in this program.
    pub fn is_own(&self) -> bool {
        self.is_own
    }

    /// The server loads another map; what is shown of this one is over.
    pub fn await_level(&mut self) {
        self.level = None;
    }

    pub fn is_demo(&self) -> bool {
        self.feed.as_ref().is_some_and(|feed| feed.demo().is_some())
    }

    pub fn link_opened(&mut self, now: ClientTime, transport: &'static str) {
        self.transport = transport;
        let settings = &self.settings.connection;
        let connection = Connection::connect(&self.server, settings, self.seeds, now);
        self.feed = Some(Feed::Server(Box::new(connection)));
    }

    /// The way of an earlier run is open again. False if its connection cannot go on.
    pub fn link_resumed(
        &mut self,
        now: ClientTime,
        transport: &'static str,
        resume_state: &str,
    ) -> bool {
        let Some(connection) = Connection::restored(&self.server, resume_state, now) else {
            return false;
        };
        self.transport = transport;
        self.fetching = Fetching::resumed();
        self.feed = Some(Feed::Server(Box::new(connection)));
        true
    }

    /// What a later run needs to go on here.
    pub fn resume_state(&self) -> Option<String> {
        // While a pak is on its way, a new start loses nothing; the own server ends with the program.
        if self.fetching.is_busy() || self.is_own {
            return None;
        }
        self.connection()?.resume_state()
    }

    /// The way goes on over another connection.
    pub fn link_moved(&mut self, now: ClientTime, transport: &'static str) {
        self.transport = transport;
        if let Some(lag) = self.lag_mut() {
            lag.note_move(now);
        }
        self.printed
            .push(format!("The connection goes on over {transport}.\n"));
    }

    pub fn link_timed(&mut self, hops: Hops) {
        self.hops = Some(hops);
        if let Some(lag) = self.lag_mut() {
            lag.note_relay(hops.relay_msec.round() as i32);
        }
    }

    fn connection(&self) -> Option<&Connection> {
        self.feed.as_ref().and_then(Feed::server)
    }

    fn connection_mut(&mut self) -> Option<&mut Connection> {
        self.feed.as_mut().and_then(Feed::server_mut)
    }

    /// Strafe's own cgame, where it shows the level.
    fn cgame(&self) -> Option<&CGame> {
        self.level.as_ref()?.cgame.as_ref()
    }

    fn lag_mut(&mut self) -> Option<&mut LagWatch> {
        self.connection_mut()?.lag_mut()
    }

    /// Takes a datagram of the server; it counts from the next frame on, or later on a bad line.
    pub fn handle_packet(&mut self, at: ClientTime, bytes: Vec<u8>) {
        self.conditioner.arrive(at, bytes);
    }

    fn take_arrived(&mut self, now: ClientTime) {
        while let Some((at, bytes)) = self.conditioner.poll_arrived(now) {
            if let Some(connection) = self.feed.as_mut().and_then(Feed::server_mut) {
                let before = connection.stats().clone();
                connection.handle_packet(at, &bytes);
                let netprint = self.settings.netprint;
                netprint.received(&bytes, &mut self.printed);
                netprint.dropped(&before, connection.stats(), &mut self.printed);
            }
        }
    }

    /// One frame: usercmd → connection → what it brought → loading → the game's view.
    pub fn frame(
        &mut self,
        context: &FrameContext,
        input: &mut Input,
        cvars: &mut Cvars,
        assets: &mut Assets,
        output: &mut Output,
    ) {
        if self.settings.generation != cvars.generation() {
            self.settings = Chosen::new(cvars, &self.server);
            self.conditioner.set(self.settings.line);
        }
        if let Some(lag) = self.lag_mut() {
            lag.note_frame(context.now, context.frame_msec, context.is_hidden);
        }
        self.take_arrived(context.now);
        self.add_usercmd(context, input);
        self.advance(context, cvars);
        self.note_silence(context.now);
        let now = self.feed_time(context.now);
        self.apply_updates(now, input, cvars, assets, output);
        self.load(now, context, cvars, assets);
        if !self.run_module(context, cvars, assets, output) {
            self.run_game(context, assets, output);
        }
        self.note_load(context.now);
        if let Some(connection) = self.feed.as_mut().and_then(Feed::server_mut) {
            while let Some(datagram) = connection.poll_transmit() {
                self.settings.netprint.sent(&datagram, &mut self.printed);
                self.conditioner.send(context.now, datagram);
            }
            let due = std::iter::from_fn(|| self.conditioner.poll_transmit(context.now));
            output.datagrams.extend(due);
            output.deferred_disconnect = connection.poll_deferred_disconnect(context.now);
            if let Some(recording) = &mut self.recording {
                let recorded = connection.take_recorded();
                recording.bytes.extend(recorded.unwrap_or_default());
            }
        }
    }

    /// The clock of what feeds us: a demo has its own.
    fn feed_time(&self, now: ClientTime) -> ClientTime {
        if self.is_demo() { self.demo_at } else { now }
    }

    fn advance(&mut self, context: &FrameContext, cvars: &Cvars) {
        let pace = settings::demo_pace(cvars);
        if self.is_demo() {
            let scaled = match cvars.integer("fixedtime") {
                0 => context.frame_msec as f32 * cvars.number("timescale"),
                fixed => fixed as f32,
            };
            self.demo_at = self.demo_at + scaled as i32;
        }
        let now = self.feed_time(context.now);
        let Some(feed) = &mut self.feed else { return };
        feed.frame(now, &self.settings.connection, pace);
        let frames = feed.demo().map_or(0, Playback::timedemo_frames);
        if frames == 1 {
            self.timedemo_began_at = Some(context.now);
        }
        if frames > 0 {
            let began_at = self.timedemo_began_at;
            self.timedemo = began_at.map(|began_at| (frames, context.now - began_at));
        }
    }

    /// Says what is so when nothing comes any more, and how long that may last.
    fn note_silence(&mut self, now: ClientTime) {
        let timeout_msec = self.settings.connection.timeout_msec;
        if let Some(feed) = &self.feed
            && feed.state() != State::Disconnected
        {
            let news = self.silence.note(now, feed.silence_msec(now), timeout_msec);
            self.printed.extend(news);
        }
    }

    /// What is so of the server's silence; empty while it answers.
    pub fn silence_text(&self) -> &str {
        self.silence.text()
    }

    fn add_usercmd(&mut self, context: &FrameContext, input: &mut Input) {
        let connection = self.feed.as_mut().and_then(Feed::server_mut);
        let (Some(connection), Some(level)) = (connection, &self.level) else {
            return;
        };
        if connection.state() < State::Primed {
            input.catch_up(context.now);
            return;
        }
        let frame = UsercmdFrame {
            now: context.now,
            scaled_msec: context.frame_msec,
            server_time: connection.server_time(),
            weapon: level.weapon,
            sensitivity_scale: level.sensitivity,
            is_captured: context.is_captured,
            any_key_is_down: context.any_key_is_down,
        };
        let built = self.cadence.build(input, &frame, &self.settings.input);
        for usercmd in built.usercmds {
            // A usercmd that comes too early for the level is not wanted.
            let _number = connection.add_usercmd(usercmd);
        }
        self.provisional = built.provisional;
    }

    fn apply_updates(
        &mut self,
        now: ClientTime,
        input: &mut Input,
        cvars: &mut Cvars,
        assets: &mut Assets,
        output: &mut Output,
    ) {
        while let Some(update) = self.feed.as_mut().and_then(Feed::poll_update) {
            match update {
                Update::StateChanged(_) => {}
                Update::Print(text) => {
                    let is_demand = matches!(Refusal::from_text(&text), Refusal::Key(_));
                    let is_outside = self.state() < State::Connected;
                    let is_far = !settings::is_lan(&self.server);
                    self.demands_key |= is_outside && is_far && is_demand;
                    self.printed.push(format!("{text}\n"));
                    self.message = text;
                }
                Update::Notice(notice) => self.notice(&notice),
                Update::Gamestate(gamestate) => {
                    input.start_level();
                    self.start_level(gamestate, cvars, assets);
                }
                Update::Snapshot {
                    snapshot,
                    ping_msec,
                } => {
                    let netprint = self.settings.netprint;
                    netprint.snapshot(&snapshot, ping_msec, &mut self.printed);
                    if netprint.tells_changes()
                        && let Some(before) = self.compared.replace(snapshot.clone())
                    {
                        netprint.changes(&before, &snapshot, &mut self.printed);
                    }
                    if let Some(level) = &mut self.level {
                        if level.snapshots.len() >= MAX_WAITING_SNAPSHOTS {
                            level.snapshots.remove(0);
                        }
                        level.snapshots.push(SnapshotArrival {
                            snapshot,
                            ping_msec,
                        });
                    }
                }
                Update::ServerCommand(command) => {
                    let netprint = self.settings.netprint;
                    netprint.server_command(&command, &mut self.printed);
                    if let Some(level) = &mut self.level
                        && level.commands.len() < MAX_WAITING_COMMANDS
                    {
                        level.commands.push(command);
                    }
                    self.follow_systeminfo(cvars);
                }
                Update::PakFetched { pak, bytes } => {
                    match self.fetching.take(&self.server, &pak, &bytes) {
                        Ok(verified) => output.requests.push(Request::StorePak {
                            store: verified.store,
                            game: verified.game,
                            file: verified.file,
                            bytes,
                        }),
                        Err(reason) => {
                            let name = &pak.name;
                            self.printed
                                .push(format!("^3{name}.pk3 is not kept: {reason}.\n"));
                        }
                    }
                }
                Update::Disconnected(reason) => self.end = Some(reason.to_string()),
            }
        }
        let server = self.feed.as_ref().and_then(Feed::server);
        if let Some(progress) = server.and_then(Connection::download_progress) {
            self.message = self.fetching.line(&progress, now);
            for (name, value) in [
                ("cl_downloadName", progress.name.to_string()),
                ("cl_downloadSize", progress.size.to_string()),
                ("cl_downloadCount", progress.received.to_string()),
            ] {
                cvars.force(name, &value);
            }
        }
        if server.is_some_and(|server| server.silence_msec(now) < 0) {
            self.message.clear();
        }
    }

    fn notice(&mut self, notice: &Notice) {
        if let Notice::DownloadFailed { pak, fault } = notice {
            self.fetching.fail(pak, fault);
        }
        self.printed.push(format!("^3{notice}\n"));
    }

    /// The rules that the server sets, for the cvars that show them.
    fn follow_systeminfo(&mut self, cvars: &mut Cvars) {
        let Some(info) = self.feed.as_ref().and_then(Feed::systeminfo) else {
            return;
        };
        let switch = |on: bool| if on { "1" } else { "0" };
        cvars.force("sv_cheats", switch(info.has_cheats));
        cvars.force("g_synchronousClients", switch(info.synchronous_clients));
        cvars.force("pmove_fixed", switch(info.pmove_fixed));
        cvars.force("pmove_msec", &info.pmove_msec.to_string());
        cvars.force("pmove_float", switch(info.pmove_float));
        cvars.force("sv_fps", &info.server_fps.unwrap_or(20).to_string());
        cvars.force("fs_game", &info.game);
        cvars.set_cheats(info.has_cheats);
    }

    /// Says goodbye; gives the datagrams that do so.
    pub fn leave(mut self, now: ClientTime) -> Vec<Vec<u8>> {
        let Some(connection) = self.connection_mut() else {
            return Vec::new();
        };
        connection.disconnect(now);
        std::iter::from_fn(|| connection.poll_transmit()).collect()
    }

    /// Frames of the timedemo so far.
    pub fn timedemo_frames(&self) -> i32 {
        self.timedemo.map_or(0, |(frames, _)| frames)
    }

    /// What a timedemo has come to: frames, seconds, frames a second.
    pub fn timedemo_report(&self) -> Option<String> {
        let (frames, msec) = self.timedemo?;
        let seconds = f64::from(msec.max(1)) / 1000.0;
        let fps = f64::from(frames) / seconds;
        Some(format!(
            "{frames} frames, {seconds:.1} seconds: {fps:.1} fps\n"
        ))
    }

    /// Why the session is over, once it is.
    pub fn take_end(&mut self) -> Option<String> {
        self.end.take()
    }

    pub fn take_printed(&mut self) -> Vec<String> {
        std::mem::take(&mut self.printed)
    }

    /// The server, if it has asked for the player's key since this was asked last.
    pub fn take_key_demand(&mut self) -> Option<String> {
        std::mem::take(&mut self.demands_key).then(|| self.server.clone())
    }

    /// Whether the match began again since this was asked last.
    pub fn take_restart(&mut self) -> bool {
        std::mem::take(&mut self.restarts)
    }
}

impl Chosen {
    fn new(cvars: &Cvars, server: &str) -> Self {
        Self {
            generation: cvars.generation(),
            game: cg::Settings::read(cvars),
            input: settings::input(cvars),
            connection: settings::connection(cvars, server),
            line: conditioner::LineSettings::of(cvars),
            netprint: netprint::ShownLines::of(cvars),
        }
    }
}
