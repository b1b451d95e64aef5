//! Why a connection ended, in words for the player.

use std::fmt;

/// Every way in which a connection ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The player left.
    Left,
    /// Nothing came back during the whole handshake.
    NoAnswer,
    /// The server did not want this client.
    Refused(Refusal),
    /// The server said goodbye, with its own words.
    Server(String),
    /// The server found files in use that it does not have.
    Pure(String),
    /// No valid packet for this many seconds.
    TimedOut { seconds: i32 },
    /// The server no longer knows this client.
    Forgotten,
    /// Messages could not be read; the first fault.
    BadMessages(String),
    /// The level cannot be entered.
    ClientActive(String),
    /// The player's own settings cannot be sent.
    Userinfo(String),
    /// Nothing of the demo can be played.
    BadDemo(String),
    /// The demo is over.
    DemoEnded,
}

/// A server's refusal during the handshake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    Full(String),
    Password(String),
    Protocol(String),
    Banned(String),
    Identity(String),
    /// The server waits until the authorize server knows the player's key.
    Key(String),
    /// Cured by asking for a new one.
    Challenge(String),
    Other(String),
}

impl Refusal {
    /// Sorts a server's text; the words are those of the engines and games in the field.
    pub fn from_text(text: &str) -> Self {
        let lower = text.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
        let text = text.to_owned();
        if has(&["server is full"]) {
            Self::Full(text)
        } else if has(&["cd key", "cdkey", "cd_key", "client_unknown_to_auth"]) {
            Self::Key(text)
        } else if has(&["password"]) {
            Self::Password(text)
        } else if has(&["protocol version", "game mismatch", "missing protocol"]) {
            Self::Protocol(text)
        } else if has(&["banned"]) {
            Self::Banned(text)
        } else if has(&["guid"]) {
            Self::Identity(text)
        } else if has(&["challenge"]) {
            Self::Challenge(text)
        } else {
            Self::Other(text)
        }
    }

    /// Trying again would bring the same answer.
    pub fn is_final(&self) -> bool {
        matches!(
            self,
            Self::Password(_) | Self::Protocol(_) | Self::Banned(_) | Self::Identity(_)
        )
    }

    pub fn text(&self) -> &str {
        match self {
            Self::Full(text)
            | Self::Password(text)
            | Self::Protocol(text)
            | Self::Banned(text)
            | Self::Identity(text)
            | Self::Key(text)
            | Self::Challenge(text)
            | Self::Other(text) => text,
        }
    }
}

impl Reason {
    /// Sorts the text of a server's `disconnect` command.
    pub fn from_disconnect(text: &str) -> Self {
        let lower = text.to_ascii_lowercase();
        if lower.contains("unpure") || lower.contains("pure client") {
            Self::Pure(text.to_owned())
        } else {
            Self::Server(text.to_owned())
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Left => write!(f, "Disconnected."),
            Self::NoAnswer => write!(f, "The server does not answer. Is the address right?"),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::Server(text) if text.is_empty() => write!(f, "The server disconnected."),
            Self::Server(text) => write!(f, "The server disconnected: {text}"),
            Self::Pure(text) => write!(
                f,
                "The server is pure and does not accept this client's files: {text} \
                 Remove changed paks, or get the server's."
            ),
            Self::TimedOut { seconds } => {
                write!(
                    f,
                    "Connection timed out: nothing came for {seconds} seconds."
                )
            }
            Self::Forgotten => write!(f, "The server no longer knows this client. Try reconnect."),
            Self::BadMessages(fault) => {
                write!(f, "The server's messages cannot be read: {fault}.")
            }
            Self::ClientActive(fault) => {
                write!(f, "The server's level cannot be entered: {fault}.")
            }
            Self::Userinfo(fault) => write!(
                f,
                "The player settings cannot be sent: {fault}. Shorten name, model or password."
            ),
            Self::BadDemo(fault) => write!(f, "The demo cannot be played: {fault}."),
            Self::DemoEnded => write!(f, "The demo is over."),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text();
        match self {
            Self::Full(_) => write!(f, "The server is full ({text})."),
            Self::Password(_) => {
                write!(
                    f,
                    "The server needs the right password ({text}). Set it with: password WORD"
                )
            }
            Self::Protocol(_) => write!(f, "The server speaks another protocol. {text}"),
            Self::Banned(_) => write!(f, "Banned from the server ({text})."),
            Self::Identity(_) => write!(f, "The server does not accept the player's id ({text})."),
            Self::Key(_) => write!(f, "The server wants a key of Quake III ({text})."),
            Self::Challenge(_) => write!(f, "The server did not accept the challenge ({text})."),
            Self::Other(_) => write!(f, "The server refused: {text}"),
        }
    }
}
