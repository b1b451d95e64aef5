//! The whole client on OpenArena's paks, or on the arena's, with a virtual clock: what it asks of the platform is answered before the next frame.

use crate::{cl_sim::SimServer, disk::Disk, recorded::Recorded};
use client::{
    assets::source::FoundSource,
    cl::State,
    client::ClientSetup,
    event::{Event, Transport},
    output::Request,
    scene::Scene,
};
use shared::base::time::ClientTime;
use std::collections::HashMap;

/// A client, and what its platform would do.
pub struct Rig {
    pub client: Recorded,
    disk: Disk,
    now: ClientTime,
    pub printed: String,
    /// Demos that were asked for.
    pub asked_for: Vec<String>,
    /// Datagrams for the network.
    pub sent: usize,
    /// What of the menus is chosen, in words.
    pub spoken: String,
    pub grabs_mouse: bool,
    pub wants_text: bool,
    /// Texts that were to be kept, such as configs.
    pub stored: Vec<String>,
    /// Files that were kept, by name.
    files: HashMap<String, Vec<u8>>,
    pub asks_for_journal: bool,
    /// Of the last frame.
    pub scene: Scene,
    /// Whom it plays with, if not with its own server.
    pub server: Option<SimServer>,
    /// What an earlier run has left of the connection.
    pub resume_state: Option<String>,
    /// What comes with the next frame.
    coming: Vec<Event>,
}

impl Rig {
    pub fn new(commands: &[&str]) -> Self {
        Self::on(Disk::openarena(), ClientTime(0), [640, 480], commands)
    }

    /// A client with nothing but its own arena, on a screen of this size.
    pub fn on_arena(size: [u32; 2], commands: &[&str]) -> Self {
        Self::on_arena_at(ClientTime(0), size, commands)
    }

    /// The same, begun at this time.
    pub fn on_arena_at(now: ClientTime, size: [u32; 2], commands: &[&str]) -> Self {
        Self::on(Disk::arena(), now, size, commands)
    }

    fn on(
        (disk, found): (Disk, Vec<FoundSource>),
        now: ClientTime,
        [width, height]: [u32; 2],
        commands: &[&str],
    ) -> Self {
        let setup = ClientSetup {
            seed: 1,
            guid: "0123456789ABCDEF0123456789ABCDEF".into(),
            commands: commands.iter().map(|line| format!("{line}\n")).collect(),
            has_speaker: true,
            unix_seconds: 1_000_000_000,
            can_ask: true,
            ..ClientSetup::default()
        };
        let mut rig = Self {
            client: Recorded::new(setup, now),
            disk,
            now,
            printed: String::new(),
            asked_for: Vec::new(),
            sent: 0,
            spoken: String::new(),
            grabs_mouse: false,
            wants_text: false,
            stored: Vec::new(),
            files: HashMap::new(),
            asks_for_journal: false,
            scene: Scene::default(),
            server: None,
            resume_state: None,
            coming: Vec::new(),
        };
        let mut events: Vec<Event> = found.into_iter().map(Event::SourceFound).collect();
        events.push(Event::SourcesComplete);
        events.push(Event::Resized { width, height });
        rig.frame(events);
        rig
    }

    /// One frame of 10 ms; what it asks for is answered before the next.
    pub fn frame(&mut self, events: Vec<Event>) {
        self.frame_of(10, events);
    }

    /// The same with a frame that takes so long.
    pub fn frame_of(&mut self, msec: i32, events: Vec<Event>) {
        self.now = self.now + msec;
        let mut events = events;
        events.append(&mut self.coming);
        if let Some(server) = &mut self.server {
            if self.now.0 % 50 == 0 {
                server.send_snapshot();
            }
            let at = self.now;
            let answers = std::mem::take(&mut server.answers);
            events.extend(answers.into_iter().map(|bytes| Event::Packet { bytes, at }));
        }
        if self.client.poll_module() {
            events.push(Event::ModuleCompiled);
        }
        let output = self.client.frame(self.now, events);
        self.printed.push_str(&output.printed.concat());
        self.sent += output.datagrams.len();
        self.spoken = output.spoken;
        self.grabs_mouse = output.grabs_mouse;
        self.wants_text = output.wants_text;
        self.scene = output.scene;
        if let Some(server) = &mut self.server {
            for datagram in &output.datagrams {
                server.handle(self.now.0, datagram);
            }
        }
        let mut requests = output.requests;
        while !requests.is_empty() {
            let mut answers = Vec::new();
            for request in requests {
                match request {
                    Request::Read(read) => answers.push(Event::FileRead {
                        id: read.id,
                        result: self.disk.read(&read),
                    }),
                    Request::OpenLink { server, .. } => self.open_link(server),
                    Request::ReadDemo { name } => self.asked_for.push(name),
                    Request::Store { text, .. } => self.stored.push(text),
                    Request::StoreBytes { name, bytes } => {
                        self.files.insert(name, bytes);
                    }
                    Request::SaveJournal { .. } => self.asks_for_journal = true,
                    _ => {}
                }
            }
            requests = self.client.pump_files(answers);
        }
    }

    fn open_link(&mut self, server: String) {
        let transport = Transport::WebSocket;
        self.coming.push(match self.resume_state.take() {
            Some(resume_state) => Event::LinkResumed {
                transport,
                resume_state,
            },
            None => Event::LinkOpened { server, transport },
        });
    }

    /// A file that the client wanted to be kept.
    pub fn stored_bytes(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(Vec::as_slice)
    }

    /// A file that was kept under a name that begins so.
    pub fn stored(&self, beginning: &str) -> Option<(&str, &[u8])> {
        let mut files = self.files.iter();
        let found = files.find(|(name, _)| name.starts_with(beginning));
        found.map(|(name, bytes)| (name.as_str(), bytes.as_slice()))
    }

    /// All that happened to the client so far.
    pub fn journal(&self) -> &[u8] {
        self.client.journal()
    }

    /// The time of the last frame.
    pub fn now(&self) -> ClientTime {
        self.now
    }

    /// What is typed into the console.
    pub fn command(&mut self, line: &str) {
        self.frame(vec![Event::Command(format!("{line}\n"))]);
    }

    /// A key that goes down and up again.
    pub fn press(&mut self, key: u16) {
        for is_down in [true, false] {
            self.frame(vec![Event::Key {
                key,
                is_down,
                is_repeat: false,
                at: self.now,
            }]);
        }
    }

    /// Frames in which nothing comes in.
    pub fn run(&mut self, frames: usize) {
        (0..frames).for_each(|_| self.frame(Vec::new()));
    }

    pub fn run_until_active(&mut self) {
        self.run_until(3000, |rig| rig.client.state() == State::Active);
    }

    /// Until more snapshots than this have come.
    pub fn run_until_snapshots(&mut self, count: u32) {
        self.run_until(1500, |rig| {
            let session = rig.client.status().session;
            session.is_some_and(|session| session.stats.snapshots > count)
        });
    }

    pub fn run_until(&mut self, frames: usize, is_reached: impl Fn(&Self) -> bool) {
        for _ in 0..frames {
            if is_reached(self) {
                return;
            }
            self.frame(Vec::new());
        }
        panic!(
            "not reached in {frames} frames; it stands at {:?}\n{}",
            self.client.status(),
            self.printed
        );
    }
}
