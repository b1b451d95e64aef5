//! The search order of paks, and the pure-server check.

use std::ops::Range;

/// A pak or folder, numbered by the platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// Ties an answer to its question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ReadId(pub u32);

/// A part of a source that the VFS needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRequest {
    pub id: ReadId,
    pub source: SourceId,
    /// For folders: the path below the game folder; empty for paks.
    pub path: String,
    /// Bytes of the pak, or of the loose file.
    pub range: Range<u64>,
}
