//! Writes a demo: what the server said, from a state made up for the start.

use shared::{
    net::demo,
    net::svc::{ServerMessage, ServerOp, Writer},
    types::gamestate::Gamestate,
};

/// A demo under way. Its bytes are taken out piece by piece, to be appended to a file.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    bytes: Vec<u8>,
    has_begun: bool,
}

impl Recorder {
    /// Nothing is written until a snapshot comes that needs no earlier one; it must be asked for.
    pub fn is_waiting(&self) -> bool {
        !self.has_begun
    }

    /// Whether the recording can begin with this message.
    pub fn can_begin_with(message: &ServerMessage) -> bool {
        message.ops.iter().any(|op| match op {
            ServerOp::Snapshot(snapshot) => snapshot.delta_num.is_none(),
            ServerOp::Gamestate(_) => true,
            _ => false,
        })
    }

    /// Begins with the level as it was before the message after `sequence`.
    pub fn begin(&mut self, sequence: i32, own_command: i32, gamestate: &Gamestate) {
        self.has_begun = true;
        let mut writer = Writer::new(own_command);
        writer.gamestate(gamestate);
        // It came from the server in a message of this size, or grew within the same limits.
        if let Ok(message) = writer.finish() {
            self.add(sequence, &message);
        }
    }

    /// Appends a message that was read without error.
    pub fn add(&mut self, sequence: i32, message: &[u8]) {
        if self.has_begun {
            self.bytes
                .extend_from_slice(&demo::write_record(sequence, message));
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
}
