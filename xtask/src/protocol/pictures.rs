//! The pictures of the pages on the protocol, each drawn from captures of real servers.

mod costs;
mod heads;
mod losses;
mod sequences;

use super::{capture::Capture, picture::Picture};
use anyhow::Result;
use costs::{fields, messages};
use heads::datagrams;
use losses::{deltas, interpolation, prediction, usercmds};
use sequences::{commands, join};
use std::path::Path;

/// What the pictures are drawn from.
pub(super) struct Captures {
    /// Our client on OpenArena's server over a bad line.
    line: Capture,
    /// The legacy and the modern wire on good lines.
    legacy: Capture,
    modern: Capture,
}

impl Captures {
    /// Reads them from `shared/tests/data/wire`.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let read = |name: &str| Capture::read(&folder.join(name));
        Ok(Self {
            line: read("oa088_bad_line_30s.jsonl.gz")?,
            legacy: read("oa088_legacy71_24s.jsonl.gz")?,
            modern: read("ioq3_modern71_22s.jsonl.gz")?,
        })
    }
}

/// Draws one.
type Draw = fn(&Captures) -> Result<Picture>;

/// All, by the names of their files.
pub(super) const ALL: [(&str, Draw); 9] = [
    ("join", join),
    ("datagrams", datagrams),
    ("messages", messages),
    ("fields", fields),
    ("deltas", deltas),
    ("commands", commands),
    ("usercmds", usercmds),
    ("prediction", prediction),
    ("interpolation", interpolation),
];
