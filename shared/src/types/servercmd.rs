//! A reliable text command from the server.

/// One command, split up and ready to be carried out.
///
/// The connection has already done what is its own part (`cs`, the joined `bcs` pieces, the ids of
/// `map_restart`); the game does its part when it reaches the snapshot that came with the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerCommand {
    /// Counts up over the whole connection.
    pub number: i32,
    /// What it says.
    pub body: ServerCommandBody,
}

/// What a server command says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerCommandBody {
    /// A configstring got another text.
    Configstring {
        /// Which one.
        index: usize,
        /// The whole new text.
        text: String,
    },
    /// Any other command: its words, the first being the command's name.
    Words(Vec<String>),
}
