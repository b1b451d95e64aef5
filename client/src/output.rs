//! Output: everything a frame asks of the outside.

use crate::{
    assets::{source::SourceId, vfs::ReadRequest},
    scene::Scene,
    sound::Order,
};
use core::net::SocketAddr;
use serde::Serialize;

/// The only way out of the client.
#[derive(Debug, Default)]
pub struct Output {
    pub scene: Scene,
    /// What the speaker is to do, in order.
    pub sounds: Vec<Order>,
    /// Datagrams for the server, in order; they are sent before the requests are served.
    pub datagrams: Vec<Vec<u8>>,
    /// What a relay is to send when the player leaves without a word; replaces the one before.
    pub deferred_disconnect: Option<Vec<Vec<u8>>>,
    pub requests: Vec<Request>,
    /// Lines that the console printed, for terminals and logs.
    pub printed: Vec<String>,
    /// Whether the mouse belongs to the game.
    pub grabs_mouse: bool,
    /// Whether fingers play, and the mouse can stay free.
    pub uses_touch: bool,
    /// The chosen row of the menus in words, for those who hear rather than see it; empty without menus.
    pub spoken: String,
    /// Whether typed letters go into a line.
    pub wants_text: bool,
}

/// Something only the platform can do.
#[derive(Clone, Debug, Serialize)]
pub enum Request {
    /// Opens the way to a server, `host:port`; answered by `LinkOpened` or `LinkClosed`.
    OpenLink {
        server: String,
        own: OwnAddress,
    },
    CloseLink,
    /// Sends one datagram to a server that one is not on; answered by `Asked` and `Answer`.
    Ask {
        server: String,
        own: OwnAddress,
        datagram: Vec<u8>,
    },
    /// No more answers are wanted.
    StopAsking,
    /// Sends datagrams to servers and masters that one is not on, from a socket of its own; answered by `QueryAnswer`.
    Query {
        own: OwnAddress,
        queries: Vec<Query>,
    },
    /// No more answers to `Query` are wanted.
    EndQueries,
    /// Looks a name up, `host:port`; answered by `LookedUp`.
    LookUp {
        name: String,
        own: OwnAddress,
    },
    /// Asks the relay of a page which servers there are; answered by `ServersFetched`.
    FetchServers {
        /// Further servers that are wanted, with commas between them.
        favourites: String,
    },
    /// Lists the player's own demos; answered by `DemosListed`.
    ListDemos,
    /// Puts a text where other programs can take it.
    Copy(String),
    /// Opens the graphics adapter, the sound or the pads anew.
    Restart(Device),
    Minimize,
    /// Prints what draws the picture.
    DescribeScreen,
    /// Reads a part of a source; answered by `FileRead`.
    Read(ReadRequest),
    /// Stores a small named text (config, history) for the next start.
    Store {
        name: String,
        text: String,
    },
    /// Looks for a text among those stored; answered by `ConfigRead`.
    ReadConfig {
        name: String,
    },
    /// Keeps a pak that came from a server beside all others, and announces it as a source; answered
    /// by `SourceFound` or `PakNotStored`.
    StorePak {
        /// The server's store, by its name.
        store: String,
        game: String,
        /// The file's name, with the pak's checksum in it.
        file: String,
        bytes: Vec<u8>,
    },
    /// Removes a pak that came from a server; answered by `SourceGone`.
    RemovePak(SourceId),
    /// Keeps the journal of this run, as far as it has come, for `--replay`.
    SaveJournal {
        /// A plain name without ending; none takes the next free one.
        name: Option<String>,
    },
    /// Looks for a demo among the player's own files; answered by `DemoRead`.
    ReadDemo {
        name: String,
    },
    /// Keeps a picture of the frame that comes out with this.
    Screenshot {
        /// A plain name without ending; none takes the next free one.
        name: Option<String>,
        is_jpeg: bool,
        is_silent: bool,
    },
    /// Stores bytes under a name, such as a demo or a screenshot.
    StoreBytes {
        name: String,
        bytes: Vec<u8>,
    },
    Quit,
}

/// A datagram to somebody that one is not connected with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Query {
    pub to: QueryTo,
    pub datagram: Vec<u8>,
}

/// Whom a question goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum QueryTo {
    Server(SocketAddr),
    /// Everybody in the own network, and this machine.
    Neighbours {
        port: u16,
    },
}

/// From where a program speaks to servers; pages have no choice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OwnAddress {
    /// Empty is any.
    pub ip: String,
    /// 0 is any.
    pub port: u16,
    pub uses_ipv4: bool,
    pub uses_ipv6: bool,
}

/// What can be opened anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Device {
    Screen,
    Sound,
    Pads,
}

/// What demos' names end in, by the protocol they speak.
pub const DEMO_ENDINGS: [&str; 6] = [".dm_71", ".dm_70", ".dm_69", ".dm_68", ".dm_67", ".dm_66"];

/// Whether a name ends as demos' names do, of whatever protocol.
pub fn has_demo_ending(name: &str) -> bool {
    name.rsplit_once(".dm_").is_some_and(|(_, number)| {
        !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}
