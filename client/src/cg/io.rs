//! What goes into the game's view each frame, and what comes out of it: values only.

use super::settings::Settings;
use crate::{
    event::{Hops, InputDelay},
    scene::Scene,
};
use shared::{
    base::time::{ClientTime, ServerTime},
    types::{
        gamestate::Gamestate,
        servercmd::ServerCommand,
        snapshot::Snapshot,
        usercmd::{Usercmd, UsercmdRing},
    },
};
use std::{ops::Range, sync::Arc};

/// What a level starts with.
#[derive(Clone, Copy, Debug)]
pub struct LevelStart<'a> {
    pub gamestate: &'a Gamestate,
    /// Nothing is predicted while a demo plays.
    pub is_demo: bool,
}

/// A snapshot as it came from the server, with the round trip measured on it.
#[derive(Clone, Debug)]
pub struct SnapshotArrival {
    pub snapshot: Arc<Snapshot>,
    pub ping_msec: i32,
}

/// Something the player asked for by a key or console command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    NextWeapon,
    PreviousWeapon,
    SelectWeapon(u8),
    Zoom(bool),
    ShowScores(bool),
    /// OpenArena's table of hits by weapon.
    ShowAccuracy(bool),
    /// The best weapon that can fire, in the player's own order.
    BestWeapon,
    /// Says something to one player only.
    Tell(Listener, String),
    /// A sign for the player at the crosshair (`gc`), by its number.
    Signal(i32),
    /// Prints where the eye is and where it looks.
    TellPlace,
    /// Puts a model in front of the player or into his hand; an empty name takes it away.
    TestModel {
        name: String,
        is_held: bool,
    },
    StepTestModel(TestModelStep),
}

/// To whom something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listener {
    /// Who is at the crosshair.
    Target,
    /// Who hurt the player last.
    Attacker,
}

/// How a model that is being tested changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestModelStep {
    Frame(i32),
    Skin(i32),
}

/// Everything that one frame needs to know.
#[derive(Clone, Debug)]
pub struct FrameInput<'a> {
    /// The client's own clock, for the frame counter and the lagometer.
    pub now: ClientTime,
    /// The server time to show.
    pub time: ServerTime,
    /// Snapshots that arrived since the last frame, in the order of their message numbers.
    pub snapshots: &'a [SnapshotArrival],
    /// Server commands that arrived since the last frame, in order.
    pub commands: &'a [ServerCommand],
    /// The own usercmds, this frame's included.
    pub usercmds: &'a UsercmdRing,
    /// What the player did since the newest usercmd, where these have a rate of their own.
    pub provisional: Option<Usercmd>,
    /// What the player asked for since the last frame.
    pub actions: &'a [Action],
    /// Width and height of the frame in pixels.
    pub screen: [f32; 2],
    /// Nothing has come from the server for a while.
    pub is_connection_interrupted: bool,
    pub link: LinkState,
    pub settings: &'a Settings,
    /// A bit for each client whose words and taunts are not wanted.
    pub muted: u64,
}

impl FrameInput<'_> {
    /// Whether the words and taunts of a client are not wanted.
    pub fn is_muted(&self, client: i32) -> bool {
        (0..64).contains(&client) && self.muted >> client & 1 != 0
    }
}

/// How datagrams travel and how fast input is shown, told beside the ping.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkState {
    pub transport: &'static str,
    pub hops: Option<Hops>,
    pub input_delay: Option<InputDelay>,
    /// The last time without anything new.
    pub gap: Option<GapNote>,
}

/// A time without anything new from the server, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GapNote {
    pub ended_at: ClientTime,
    pub msec: i32,
    pub cause: &'static str,
}

/// An event of the game and what it made seen and heard.
#[derive(Clone, Debug, PartialEq)]
pub struct FiredEvent {
    /// Server time at which it was shown.
    pub time: ServerTime,
    pub entity_num: i32,
    pub event: i32,
    pub parm: i32,
    /// Which of the frame's sounds it started.
    pub sounds: Range<usize>,
    /// Kinds of the effects it began.
    pub effects: Vec<&'static str>,
    /// Which of the frame's lines it printed.
    pub printed: Range<usize>,
}

/// What one frame gives back, beside what it keeps.
#[derive(Clone, Debug, Default)]
pub struct FrameOutput {
    pub scene: Scene,
    /// False until the first snapshot of the level can be shown.
    pub is_in_game: bool,
    /// Goes into the coming usercmds.
    pub weapon: u8,
    /// Multiplies the mouse sensitivity; below 1 while zoomed.
    pub sensitivity: f32,
    /// What happened in this frame, in order; for tests and for those who study a match.
    pub events: Vec<FiredEvent>,
    /// Lines for the console, with color codes and their own line ends.
    pub printed: Vec<String>,
    /// Commands to send to the server, such as `score`.
    pub server_commands: Vec<String>,
    /// The match began again: nothing of before is to be read, and the view is the own one.
    pub restarts: bool,
    /// Models, skins or shaders that the level remaps: old, new, time offset in seconds.
    pub shader_remaps: Vec<(String, String, f32)>,
}
