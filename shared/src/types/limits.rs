//! Limits and reserved numbers of the protocol.

/// Most clients of a server.
pub const MAX_CLIENTS: usize = 64;
/// How many configstrings there are.
pub const MAX_CONFIGSTRINGS: usize = 1024;
/// Sum over all configstrings of (length + 1), plus 1.
pub const MAX_GAMESTATE_CHARS: usize = 16_000;
/// How many entity numbers there are.
pub const MAX_GENTITIES: usize = 1024;
/// The entity number that stands for "none".
pub const ENTITYNUM_NONE: i32 = 1023;
/// The entity number that stands for the map itself.
pub const ENTITYNUM_WORLD: i32 = 1022;
/// Longest areamask in bytes.
pub const MAX_MAP_AREA_BYTES: usize = 32;
/// Most entities of a snapshot that servers send.
pub const MAX_SNAPSHOT_ENTITIES: usize = 256;
