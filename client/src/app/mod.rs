//! The frame as the outside sees it: gather events, run the client, serve its output.

mod input_delay;
mod keys;
mod pads;
mod pump_budget;
pub mod rerun;
pub mod screen;
pub mod screenshot;
pub mod timedemo;
pub mod wake;
pub mod window;

use crate::{
    assets::Limits,
    cl::State,
    client::{CDKEY_NAME, Client, ClientSetup, HISTORY_NAME, PASSWORDS_NAME},
    con::config::{AUTOEXEC_NAME, CONFIG_NAME},
    event::Event,
    jobs::JobQueue,
    journal::{Recorder, Start},
    link::Link,
    output::{Device, Output, OwnAddress, Request},
    platform::{
        clipboard::Clipboard,
        clock::{self, Clock},
        files::Files,
        modules,
        outside::Outside,
        queries::{self, Queries},
        replay,
        socket::CANNOT_ASK,
        store,
        workers::Helpers,
    },
};
use pump_budget::PumpBudget;
use rerun::Rerun;
use screenshot::ScreenshotRequest;
use shared::base::text::without_colors;
use std::{path::PathBuf, sync::Arc};
use timedemo::TimedemoReport;
use wake::Wake;

/// What the command line or the page's address says.
#[derive(Clone, Debug)]
pub struct StartOptions {
    /// Folders that hold game folders; empty means the usual places.
    pub data: Vec<PathBuf>,
    /// Console lines to run at the start.
    pub commands: Vec<String>,
    /// What assets may cost here.
    pub limits: Limits,
    /// Whether the menus open where nothing else is to be seen.
    pub opens_menus: bool,
    /// Whether the device itself shows keys to touch where text is wanted.
    pub shows_keyboard: bool,
    /// Whether anybody plays what is to be heard.
    pub has_speaker: bool,
    /// A journal, to watch its run again.
    pub rerun: Option<Arc<[u8]>>,
}

/// The client with its sockets, files and clock, but without a window.
pub struct App {
    pub client: Client,
    pub clock: Clock,
    link: Link,
    files: Files,
    workers: Helpers,
    outside: Outside,
    wake: Wake,
    events: Vec<Event>,
    /// Writes down all that happens to the client.
    recorder: Recorder,
    /// The run that is watched again.
    rerun: Option<Box<Rerun>>,
    wants_quit: bool,
    /// The journal of the whole run was kept.
    is_journal_kept: bool,
    /// A question to a server that one is not on, until it is sent, and the way to there.
    server_query: Option<(Link, Option<Vec<u8>>)>,
    /// Questions to many at once.
    queries: Queries,
    clipboard: Clipboard,
    /// What the window is to do; runs without one leave it.
    pub device_restarts: Vec<Device>,
    pub wants_minimize: bool,
    pub wants_description: bool,
    /// Pictures of the newest frame that the player wants.
    screenshots: Vec<ScreenshotRequest>,
    pump_budget: PumpBudget,
}

impl App {
    /// # Errors
    /// What is to be watched again is no journal.
    pub fn start(options: StartOptions, wake: Wake) -> Result<Self, String> {
        let clock = Clock::start();
        let setup = ClientSetup {
            seed: clock::seed(),
            config: store::load(CONFIG_NAME),
            autoexec: store::load(AUTOEXEC_NAME),
            history: store::load(HISTORY_NAME),
            guid: guid(),
            passwords: store::load(PASSWORDS_NAME),
            cdkey: store::load(CDKEY_NAME),
            can_ask: queries::CAN_ASK,
            guessed_name: store::user_name(),
            commands: options.commands,
            before_start_msec: clock.before_start_msec(),
            opens_menus: options.opens_menus,
            shows_keyboard: options.shows_keyboard,
            has_speaker: options.has_speaker,
            unix_seconds: clock::unix_seconds(),
        };
        let workers = Helpers::start();
        let start = Start {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            setup,
            limits: options.limits,
            now: clock.now(),
        };
        let (rerun, client) = match options.rerun.filter(|_| replay::HAS_WINDOW) {
            Some(journal) => {
                let opened = Rerun::open(journal).map_err(|error| error.to_string())?;
                (Some(Box::new(opened.0)), opened.1)
            }
            None => (None, start.client()),
        };
        let mut app = Self {
            client,
            clock,
            link: Link::None,
            files: Files::find(&options.data, wake.clone()),
            workers,
            outside: Outside::listen(wake.clone()),
            wake,
            events: Vec::new(),
            recorder: Recorder::new(&start),
            rerun,
            wants_quit: false,
            is_journal_kept: false,
            server_query: None,
            queries: Queries::default(),
            clipboard: Clipboard::default(),
            device_restarts: Vec::new(),
            wants_minimize: false,
            wants_description: false,
            screenshots: Vec::new(),
            pump_budget: PumpBudget::default(),
        };
        app.equip_client();
        Ok(app)
    }

    /// Gives the client threads for its jobs, and what runs modules.
    fn equip_client(&mut self) {
        self.client.assets_mut().set_beside(self.workers.jobs());
        self.client.set_module_engine(modules::engine());
    }

    /// One frame of a run that is watched again.
    fn frame_again(&mut self, mut rerun: Box<Rerun>) -> Output {
        while let Some(event) = self.files.poll() {
            rerun.take(event);
        }
        let mut requests = Vec::new();
        if rerun.obey(
            &mut self.client,
            std::mem::take(&mut self.events),
            &mut requests,
        ) {
            self.client = rerun.begin();
            self.equip_client();
        }
        let clock = self.clock;
        let (mut output, reads) = rerun.frame(&mut self.client, || clock.now_exact());
        self.rerun = Some(rerun);
        reads.into_iter().for_each(|read| self.files.read(read));
        self.serve(requests);
        self.print(&mut output);
        output
    }

    fn print(&mut self, output: &mut Output) {
        let log = self.client.cvars().integer("logfile");
        for line in output.printed.drain(..) {
            let line = plain(&line);
            self.outside.print(&line);
            self.outside.log(&line, log);
        }
    }

    /// Who does work that need not be done within a frame.
    pub fn jobs(&self) -> JobQueue {
        self.workers.jobs()
    }

    /// Ends the threads that do jobs, before the graphics device that jobs hold goes.
    pub fn end_helpers(&mut self) {
        self.workers.end();
    }

    /// Keeps an event for the next frame.
    pub fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Whether a run is watched again from its journal.
    pub fn watches_again(&self) -> bool {
        self.rerun.is_some()
    }

    /// Whether the client has asked to end the program.
    pub fn wants_quit(&self) -> bool {
        self.wants_quit
    }

    /// Pictures that the player wants of the frame that has just come out.
    pub fn take_screenshots(&mut self) -> Vec<ScreenshotRequest> {
        std::mem::take(&mut self.screenshots)
    }

    /// One frame: what has happened goes in, what is asked for is done, what is to be drawn comes out.
    pub fn frame(&mut self) -> Output {
        while let Some(event) = self.outside.poll() {
            self.events.push(event);
        }
        if let Some(rerun) = self.rerun.take().filter(|_| replay::HAS_WINDOW) {
            return self.frame_again(rerun);
        }
        self.pump_files();
        self.pump_budget.begin_frame(self.clock.now_exact());
        while let Some(event) = self.link.poll() {
            self.events.push(event);
        }
        self.poll_inquiry();
        self.queries.poll(&mut self.events);
        self.device_restarts.clear();
        if self.client.poll_module() {
            self.events.push(Event::ModuleCompiled);
        }
        let now = self.clock.now();
        self.recorder.begin_frame(now, &self.events);
        let mut output = self.client.frame(now, std::mem::take(&mut self.events));
        self.recorder.end_frame(&output);
        // A farewell must go out before the request that closes its way.
        for datagram in output.datagrams.drain(..) {
            self.link.send(&datagram);
        }
        if let Some(deferred_disconnect) = output.deferred_disconnect.take() {
            self.link.deposit(&deferred_disconnect);
        }
        self.serve(std::mem::take(&mut output.requests));
        self.print(&mut output);
        output
    }

    /// Sends a question to a server on a way of its own.
    fn ask(&mut self, server: &str, own: &OwnAddress, datagram: Vec<u8>) {
        if let Some(reason) = CANNOT_ASK {
            let reason = reason.to_owned();
            return self.events.push(Event::CannotAsk { reason });
        }
        let link = Link::open(server, own, self.clock, self.wake.clone());
        self.server_query = Some((link, Some(datagram)));
    }

    fn poll_inquiry(&mut self) {
        let Some((link, question)) = &mut self.server_query else {
            return;
        };
        while let Some(event) = link.poll() {
            self.events.push(match event {
                Event::LinkOpened { .. } => {
                    if let Some(datagram) = question.take() {
                        link.send(&datagram);
                    }
                    Event::Asked {
                        at: self.clock.now(),
                    }
                }
                Event::Packet { bytes, at } => Event::Answer { bytes, at },
                Event::LinkClosed { reason } => Event::CannotAsk { reason },
                _ => continue,
            });
        }
    }

    /// The program ends: the server must hear it, or the empty shell stands there until it times out.
    /// A page may be about to load again; where a relay keeps its place, the next run goes on.
    pub fn leave(&mut self) {
        self.end_journal();
        if let Some(resume_state) = self.client.resume_state()
            && self.link.set_aside(&resume_state)
        {
            self.link = Link::None;
        }
        self.disconnect();
    }

    /// Leaves the server for good.
    pub fn disconnect(&mut self) {
        self.push(Event::Command("disconnect\n".to_owned()));
        self.frame();
    }

    /// Stores what every frame of a timedemo took, where the player wants that.
    pub fn keep_timedemo_log(&mut self, report: &TimedemoReport) {
        let name = self.client.cvars().text("cl_timedemoLog").to_owned();
        if name.is_empty() {
            return;
        }
        if let Err(error) = store::store_bytes(&name, report.log().as_bytes()) {
            self.push(Event::Print(format!("cl_timedemoLog: {error}\n")));
        }
    }

    /// Hands arrived files to the client between two frames, so that loading does not wait for the display.
    pub fn pump_files(&mut self) {
        if self.watches_again() {
            return;
        }
        let began_at = self.clock.now_exact();
        let is_playing = self.client.state() == State::Active;
        let Some(end) = self.pump_budget.end(began_at, is_playing) else {
            return;
        };
        loop {
            let arrived: Vec<Event> = std::iter::from_fn(|| self.files.poll()).collect();
            self.recorder.begin_files(&arrived);
            let (requests, has_more) = self.client.pump_files(arrived);
            self.recorder.end_files(&requests);
            self.serve(requests);
            let now = self.clock.now_exact();
            if !has_more || now >= end {
                return self.pump_budget.note(now - began_at);
            }
        }
    }

    /// Keeps the journal of this run; without a name under the next that is free.
    fn save_journal(&mut self, name: Option<String>) {
        let name = match name {
            Some(name) => format!("journals/{name}.journal"),
            None => store::free_name("journals/run", ".journal"),
        };
        let packed = store::packed(self.recorder.bytes());
        let text = match store::store_bytes(&name, &packed) {
            Ok(()) => format!("Kept {name}; strafe --replay plays it again.\n"),
            Err(reason) => format!("^3{reason}\n"),
        };
        self.push(Event::Print(text));
    }

    /// The run is about to end, by whatever way: its journal is kept if the player wants those.
    fn end_journal(&mut self) {
        let is_wanted = self.rerun.is_none() && self.client.cvars().is_on("journal");
        if is_wanted && !std::mem::replace(&mut self.is_journal_kept, true) {
            self.save_journal(None);
        }
    }

    fn serve(&mut self, requests: Vec<Request>) {
        for request in requests {
            match request {
                Request::OpenLink { server, own } => {
                    self.link = Link::open(&server, &own, self.clock, self.wake.clone())
                }
                Request::Ask {
                    server,
                    own,
                    datagram,
                } => self.ask(&server, &own, datagram),
                Request::StopAsking => self.server_query = None,
                Request::Query { own, queries } => self.queries.send(&own, queries, self.clock),
                Request::EndQueries => self.queries.end(),
                Request::LookUp { name, own } => self.queries.look_up(name, &own),
                Request::FetchServers { favourites } => queries::fetch_servers(&favourites),
                Request::ListDemos => self.events.push(Event::DemosListed(store::list_demos())),
                Request::Copy(text) => self.clipboard.copy(&text),
                Request::Restart(device) => self.device_restarts.push(device),
                Request::Minimize => self.wants_minimize = true,
                Request::DescribeScreen => self.wants_description = true,
                Request::CloseLink => self.link = Link::None,
                Request::Read(read) => self.files.read(read),
                Request::Store { name, text } => {
                    if let Err(error) = store::store(&name, &text) {
                        self.outside.print(&error);
                    }
                }
                Request::ReadDemo { name } => {
                    let bytes = store::load_demo(&name);
                    self.events.push(Event::DemoRead { name, bytes });
                }
                Request::SaveJournal { name } => self.save_journal(name),
                Request::ReadConfig { name } => {
                    let text = store::load(&name).or_else(|| store::load_foreign(&name));
                    self.events.push(Event::ConfigRead { name, text });
                }
                Request::StorePak {
                    store,
                    game,
                    file,
                    bytes,
                } => self.files.keep_pak(&store, &game, &file, bytes),
                Request::RemovePak(id) => self.files.remove_pak(id),
                Request::StoreBytes { name, bytes } => {
                    if let Err(error) = store::store_bytes(&name, &bytes) {
                        self.outside.print(&error);
                    }
                }
                Request::Screenshot {
                    name,
                    is_jpeg,
                    is_silent,
                } => self.screenshots.push(ScreenshotRequest {
                    name,
                    is_jpeg,
                    is_silent,
                }),
                Request::Quit => {
                    self.end_journal();
                    self.wants_quit = true;
                }
            }
        }
    }
}

/// A console line as terminals want it: without colors and without its end.
fn plain(line: &str) -> String {
    without_colors(line.trim_end_matches('\n'))
}

/// 32 hexadecimal digits that tell servers that it is the same player again.
fn guid() -> String {
    const NAME: &str = "guid.txt";
    if let Some(guid) = store::load(NAME)
        && guid.len() == 32
        && guid.bytes().all(|digit| digit.is_ascii_hexdigit())
    {
        return guid;
    }
    let guid = format!("{:016X}{:016X}", clock::seed(), clock::seed());
    // A browser that keeps nothing makes a new player each time, which is what its owner wants.
    let _ = store::store(NAME, &guid);
    guid
}

#[cfg(test)]
mod tests {
    use super::plain;

    #[test]
    fn terminals_get_neither_colors_nor_empty_lines() {
        assert_eq!(
            plain("^1Sarge^7 entered the game\n"),
            "Sarge entered the game"
        );
        assert_eq!(plain("50^ of ^^2"), "50^ of ^");
    }
}
