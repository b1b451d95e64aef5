//! What a pure server wants to know: checksums of paks, and the `cp` command that proves them.

use md4::{Digest, Md4};

/// Most characters of a command.
const MAX_COMMAND: usize = super::reliable::MAX_COMMAND_CHARS;

/// The checksum that names a pak, from the CRC-32 of its files in the order of its directory, those
/// of empty files left out.
pub fn pak_checksum(crcs: &[u32]) -> i32 {
    block_checksum(crcs.iter().copied())
}

/// The checksum that proves possession of a pak; the server's feed changes it with every level.
pub fn pure_checksum(crcs: &[u32], checksum_feed: i32) -> i32 {
    block_checksum(std::iter::once(checksum_feed as u32).chain(crcs.iter().copied()))
}

fn block_checksum(words: impl Iterator<Item = u32>) -> i32 {
    let mut hash = Md4::new();
    words.for_each(|word| hash.update(word.to_le_bytes()));
    let digest: [u8; 16] = hash.finalize().into();
    let (words, _) = digest.as_chunks::<4>();
    words
        .iter()
        .fold(0, |sum, &word| sum ^ i32::from_le_bytes(word))
}

/// What a client has used of its paks, as pure checksums in search order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PureProof {
    /// The first pak with `vm/cgame.qvm`.
    pub cgame: i32,
    /// The first pak with `vm/ui.qvm`.
    pub ui: i32,
    /// Paks that files were used from, each once.
    pub referenced: Vec<i32>,
}

impl PureProof {
    /// The `cp` command. References that do not fit into a command are left out, last first: servers
    /// accept any number.
    pub fn command(&self, server_id: i32, checksum_feed: i32) -> String {
        let mut references = &self.referenced[..];
        loop {
            let count = references.len();
            let encoded =
                references.iter().fold(checksum_feed, |sum, one| sum ^ one) ^ count as i32;
            let list: String = references.iter().map(|one| format!("{one} ")).collect();
            let (cgame, ui) = (self.cgame, self.ui);
            let command = format!("cp {server_id} {cgame} {ui} @ {list}{encoded} ");
            if command.len() <= MAX_COMMAND {
                return command;
            }
            references = &references[..count - 1];
        }
    }
}
