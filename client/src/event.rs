//! Event: everything that can happen to the client.

use crate::assets::{
    source::{FoundSource, SourceId},
    vfs::ReadId,
};
use core::net::SocketAddr;
use serde::{Deserialize, Serialize};
use shared::base::time::ClientTime;

/// The parts of the way to a server through a relay, there and back.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hops {
    pub relay_msec: f32,
    /// From the relay to the server, as far as the relay knows.
    pub server_msec: Option<f32>,
}

impl Hops {
    /// What of a ping is neither of both: waiting for frames in the browser and in the server.
    pub fn waiting_msec(&self, ping_msec: i32) -> i32 {
        let ways = self.relay_msec + self.server_msec.unwrap_or(0.0);
        (ping_msec - ways.round() as i32).max(0)
    }
}

/// How long it took from what the player did until the picture with it went to the display: the middle and the longest of
/// half a second's pictures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputDelay {
    pub typical_msec: f32,
    pub longest_msec: f32,
}

/// How datagrams get to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Transport {
    Udp,
    WebSocket,
    WebTransport,
}

impl Transport {
    pub fn name(self) -> &'static str {
        match self {
            Self::Udp => "UDP",
            Self::WebSocket => "WebSocket",
            Self::WebTransport => "WebTransport",
        }
    }
}

/// What a finger did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TouchPhase {
    Began,
    Moved,
    Ended,
    /// The system took it away, so that it was no tap.
    Cancelled,
}

/// The only way into the client.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Event {
    /// A key, mouse button, wheel step or pad button, by its number in `con::keys`.
    Key {
        key: u16,
        is_down: bool,
        is_repeat: bool,
        at: ClientTime,
    },
    /// A typed character.
    Char(char),
    /// Relative motion in counts, as raw as the platform gives it.
    MouseMotion {
        dx: f32,
        dy: f32,
        at: ClientTime,
    },
    /// Where the pointer is while the game does not hold the mouse, in pixels of the drawing area.
    Pointer {
        x: f32,
        y: f32,
    },
    /// A finger on the screen, in pixels of the drawing area.
    Touch {
        id: u64,
        phase: TouchPhase,
        x: f32,
        y: f32,
        at: ClientTime,
    },
    /// The device was turned by so many degrees, to the left and down.
    Turned {
        yaw: f32,
        pitch: f32,
    },
    /// Position of one analog axis, −1 to 1.
    PadAxis {
        axis: u8,
        value: f32,
        at: ClientTime,
    },
    Focus(bool),
    /// Whether nothing of the window or page can be seen.
    Hidden(bool),
    /// The loudest sample that was played since the last frame, while the meter is shown; 1 is the most.
    SoundPeak(f32),
    /// Told while the player wants to see it (`cg_drawPing 2`).
    InputShown(InputDelay),
    /// The size of the drawing area in pixels; zero while minimised.
    Resized {
        width: u32,
        height: u32,
    },
    /// A line of console text from outside: command line, page, terminal.
    Command(String),
    /// Lines for the console: what the platform and its devices have to say.
    Print(String),
    /// The program is to end at once, whatever commands still wait.
    Quit,
    /// The bytes of a demo that was asked for or dropped on us; none if the player's own files lack it.
    DemoRead {
        name: String,
        bytes: Option<Vec<u8>>,
    },
    /// A config that was asked for; none if the player has stored none of this name.
    ConfigRead {
        name: String,
        text: Option<String>,
    },
    /// The way to the server is open; datagrams can be sent.
    LinkOpened {
        server: String,
        transport: Transport,
    },
    /// The way that an earlier run of the page used is open again; the resume_state tells what was said on it.
    LinkResumed {
        transport: Transport,
        resume_state: String,
    },
    /// The way to the server broke and goes on over another connection, unseen by the server.
    LinkMoved {
        transport: Transport,
    },
    /// The way to the server could not be opened, or broke for good.
    LinkClosed {
        reason: String,
    },
    /// The question to another server has gone out.
    Asked {
        at: ClientTime,
    },
    /// Another server has answered.
    Answer {
        bytes: Vec<u8>,
        at: ClientTime,
    },
    /// No question can be asked.
    CannotAsk {
        reason: String,
    },
    /// Somebody has answered a question of `Request::Query`, or pretends to.
    QueryAnswer {
        from: SocketAddr,
        bytes: Vec<u8>,
        at: ClientTime,
    },
    /// The addresses of a name; none if it has none.
    LookedUp {
        name: String,
        addresses: Vec<SocketAddr>,
    },
    /// The relay's list of servers as it came, or why there is none.
    ServersFetched(Result<String, String>),
    /// The player's own demos.
    DemosListed(Vec<String>),
    /// How long both parts of the way take now.
    LinkTimed(Hops),
    /// A datagram from the server.
    Packet {
        bytes: Vec<u8>,
        at: ClientTime,
    },
    /// A folder or pak that files can be read from, in any order; the VFS sorts them.
    SourceFound(FoundSource),
    /// A pak of `Request::StorePak` could not be kept, and why.
    PakNotStored {
        file: String,
        reason: String,
    },
    /// A pak of `Request::RemovePak` is gone, or cannot be removed.
    SourceGone {
        id: SourceId,
        result: Result<(), String>,
    },
    /// So many more sources are being fetched; a level that is loading waits for them.
    SourcesComing(u32),
    /// All sources of the start are known.
    SourcesComplete,
    /// The module that [`Client::poll_module`](crate::client::Client::poll_module) told of can be started.
    ModuleCompiled,
    /// Bytes that `Request::Read` asked for, or why there are none.
    FileRead {
        id: ReadId,
        result: Result<Vec<u8>, String>,
    },
}
