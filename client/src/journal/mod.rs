//! Journal: all that went into a run of the client, so that the run can be had again, and what came out of each frame.
//!
//! `Event` is the only way into the client and `Output` the only way out, so a journal is the list of both calls that
//! the platform makes ([`Client::frame`](crate::client::Client::frame) and
//! [`Client::pump_files`](crate::client::Client::pump_files)) with their events, and after each a [`Fingerprint`] of
//! what it gave. Contents of files are not in it: they are named by length and sum, and found again.

mod fingerprint;
mod recorder;
mod replay;

pub use fingerprint::{Fingerprint, PARTS};
pub use recorder::Recorder;
pub use replay::{Position, Replay, ReplayError, Step, WantedPart};

use crate::{
    assets::{
        Limits,
        vfs::{ReadId, ReadRequest},
    },
    client::ClientSetup,
};
use serde::{Deserialize, Serialize};
use shared::base::time::ClientTime;

/// What a journal begins with; the number is that of the format.
const MAGIC: &[u8] = b"strafe journal 2\n";

/// What was known before the first frame.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Start {
    /// The version of the program that wrote the journal.
    pub version: String,
    pub setup: ClientSetup,
    pub limits: Limits,
    pub now: ClientTime,
}

/// One call of the client's; `E` is how its events are held.
#[derive(Debug, Serialize, Deserialize)]
enum Call<E> {
    Frame {
        /// Since the frame before.
        msec: i32,
        events: Vec<Logged<E>>,
    },
    Files {
        events: Vec<Logged<E>>,
    },
}

/// An event, without the contents of files.
#[derive(Debug, Serialize, Deserialize)]
enum Logged<E> {
    Event(E),
    FileRead { id: ReadId, content: Content },
}

/// What a part of a file held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    pub length: u64,
    /// CRC-32: it finds the wrong file, not one that somebody forged.
    pub sum: u32,
}

impl Content {
    /// Of what was asked for: what lies between its parts may be anything.
    fn of(request: &ReadRequest, bytes: &[u8]) -> Self {
        let mut hasher = crc32fast::Hasher::new();
        for part in &request.parts {
            let place = |at: u64| {
                let from_start = at.saturating_sub(request.range.start);
                usize::try_from(from_start).map_or(bytes.len(), |at| at.min(bytes.len()))
            };
            hasher.update(&bytes[place(part.start)..place(part.end).max(place(part.start))]);
        }
        Self {
            length: bytes.len() as u64,
            sum: hasher.finalize(),
        }
    }
}
