//! Makes the files of Strafe's own arena: the same bytes on every machine.
//!
//! Nothing here reads a file or a clock, and sine, cosine and powers come from `libm`, so that
//! the pak that one machine makes is the pak that all make.

#![forbid(unsafe_code)]

pub mod materials;

/// One file of the pak: its name as the game asks for it, and its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PakFile {
    pub name: String,
    pub bytes: Vec<u8>,
}
