//! Writes a demo: what the server said, from a state made up for the start.

use shared::{
    net::demo,
    net::svc::{ServerMessage, ServerOp, Writer},
    types::gamestate::Gamestate,
};

/// A demo under way. Its bytes are taken out piece by piece, to be appended to a file.
#[derive(Debug)]
pub struct Recorder {
    bytes: Vec<u8>,
    /// Nothing is written until a snapshot comes that needs no earlier one.
    is_waiting: bool,
}

impl Recorder {
    /// Starts with the level as it is now; `sequence` is that of the message before the next one.
    pub fn new(sequence: i32, own_command: i32, gamestate: &Gamestate) -> Self {
        let mut recorder = Self {
            bytes: Vec::new(),
            is_waiting: true,
        };
        let mut writer = Writer::new(own_command);
        writer.gamestate(gamestate);
        // It came from the server in a message of this size, or grew within the same limits.
        if let Ok(message) = writer.finish() {
            recorder.push(sequence, &message);
        }
        recorder
    }

    /// The next snapshot must be asked for in full.
    pub fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    /// Appends a message that was read without error.
    pub fn add(&mut self, message: &ServerMessage, bytes: &[u8]) {
        let is_start = |op: &ServerOp| match op {
            ServerOp::Snapshot(snapshot) => snapshot.delta_num.is_none(),
            ServerOp::Gamestate(_) => true,
            _ => false,
        };
        if self.is_waiting && message.ops.iter().any(is_start) {
            self.is_waiting = false;
        }
        if !self.is_waiting {
            self.push(message.sequence, bytes);
        }
    }

    /// Ends the demo; what is still to be written comes back.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(&demo::END_MARK);
        self.bytes
    }

    /// What was added since the last time.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.bytes)
    }

    fn push(&mut self, sequence: i32, message: &[u8]) {
        self.bytes
            .extend_from_slice(&demo::write_record(sequence, message));
    }
}
