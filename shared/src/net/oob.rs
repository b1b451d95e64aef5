//! Packets outside any connection: queries, the handshake, remote console, lists of servers.
//!
//! Each begins with four bytes FF and a word; what follows is text, but for two: "connect" is packed
//! and lists of servers are binary.
//!
//! ```
//! use shared::net::oob::{ClientPacket, ServerPacket};
//!
//! let question = ClientPacket::GetStatus { token: "x".to_owned() }.write()?;
//! assert_eq!(question, b"\xff\xff\xff\xffgetstatus x");
//!
//! let answer = b"\xff\xff\xff\xffstatusResponse\n\
//!     \\challenge\\x\\mapname\\q3dm17\n\
//!     12 48 \"Sarge\"\n";
//! let Some(ServerPacket::Status(status)) = ServerPacket::read(answer) else {
//!     return Err("no status".into());
//! };
//! assert_eq!(status.info.get("mapname"), "q3dm17");
//! assert_eq!((status.players[0].score, &*status.players[0].name), (12, "Sarge"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod servers;

use crate::base::{
    adaptive,
    info::{Info, MAX_BIG_INFO, MAX_INFO},
    text::{self, number},
    tokens::Tokens,
};
use core::net::SocketAddr;
use std::fmt;

/// What every packet outside a connection begins with.
pub const MARK: [u8; 4] = [0xFF; 4];

/// What a client, or a query tool, sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientPacket {
    /// The token comes back with the answer.
    GetInfo {
        /// Comes back in the answer's `challenge`.
        token: String,
    },
    /// Asks for settings and players.
    GetStatus {
        /// Comes back in the answer's `challenge`.
        token: String,
    },
    /// `own` is a random number that comes back with the answer. Without it, and without a gamename,
    /// only servers of the classic protocol answer.
    GetChallenge {
        /// Comes back with the answer.
        own: Option<i32>,
        /// Servers of other games do not answer.
        gamename: String,
    },
    /// Asks to be let in.
    Connect {
        /// The client's settings, its challenge, qport and protocol among them.
        userinfo: Info,
    },
    /// The password goes over the line in clear.
    Rcon {
        /// The server's `rconPassword`.
        password: String,
        /// What is to be executed there.
        command: String,
    },
    /// Asks a master for addresses.
    GetServers(ServersRequest),
    /// Shows the key of Quake III to the authorize server, and to nobody else.
    KeyAuthorize {
        /// Asks not to be listed by name.
        is_anonymous: bool,
        /// As printed on the box; dashes and blanks do not count.
        key: String,
    },
}

/// A question to a master server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServersRequest {
    /// Left out for the classic game by the classic form.
    pub gamename: String,
    /// The number that servers speak.
    pub protocol: i32,
    /// The form that masters with IPv6 know.
    pub is_extended: bool,
    /// Further words such as `full`, `empty`, `ipv6`.
    pub filters: Vec<String>,
}

/// What a client may receive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ServerPacket {
    /// The number to connect with.
    Challenge(Challenge),
    /// The connection is accepted.
    Connected {
        /// The challenge of the connection, if the server repeats it.
        challenge: Option<i32>,
        /// Tells which wire form the server will use.
        protocol: Option<i32>,
    },
    /// The short answer about a server.
    Info(Info),
    /// The long answer about a server.
    Status(Status),
    /// A text for the player.
    Print(String),
    /// The connection is over.
    Disconnect,
    /// Addresses of one datagram of a list; there can be many datagrams.
    Servers(Vec<SocketAddr>),
    /// The message of the day of a master.
    Motd(Info),
    /// A word that is of no concern for a client, `echo` among them.
    Other(String),
}

/// The answer to a request for a challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// What to send back in `connect`.
    pub challenge: i32,
    /// The client's own number, if the server knows the custom.
    pub own: Option<i32>,
    /// The highest protocol of the server.
    pub protocol: Option<i32>,
}

/// The long answer about a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Status {
    /// The server's settings.
    pub info: Info,
    /// Who plays there.
    pub players: Vec<StatusPlayer>,
}

/// A player as a server tells of him to anybody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusPlayer {
    /// Points.
    pub score: i32,
    /// In milliseconds.
    pub ping: i32,
    /// With color codes.
    pub name: String,
}

/// Why a packet cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PacketRefusal {
    /// Of `getinfo` or `getstatus`.
    #[error("the token of a query has at most 128 characters and no blanks")]
    Token,
    /// Of `connect`.
    #[error("the userinfo is longer than 980 characters, or has a quote in it")]
    Userinfo,
    #[error(
        "the remote console command is longer than 1023 characters, or the password has blanks"
    )]
    /// Of `rcon`.
    Rcon,
    /// Of `getKeyAuthorize`.
    #[error("a key of Quake III has 16 letters and digits")]
    Key,
}

/// Servers do not answer to longer ones.
const MAX_TOKEN: usize = 128;
/// Leaves room for the address that the server adds.
const MAX_USERINFO: usize = 980;
/// Most characters of a line of text.
const MAX_LINE: usize = 1023;

impl ClientPacket {
    /// The datagram.
    ///
    /// # Errors
    /// Servers would refuse or misread it.
    pub fn write(&self) -> Result<Vec<u8>, PacketRefusal> {
        let text = match self {
            Self::GetInfo { token } => format!("getinfo {}", checked_token(token)?),
            Self::GetStatus { token } => format!("getstatus {}", checked_token(token)?),
            Self::GetChallenge { own, gamename } => match own {
                Some(own) => format!("getchallenge {own} {gamename}"),
                None => "getchallenge".to_owned(),
            },
            Self::Connect { userinfo } => return write_connect(userinfo),
            Self::Rcon { password, command } => rcon_text(password, command)?,
            Self::GetServers(request) => request.to_string(),
            Self::KeyAuthorize { is_anonymous, key } => key_text(*is_anonymous, key)?,
        };
        Ok(packet(text.as_bytes()))
    }

    /// Reads a datagram, as a server does. `None` for what is no such packet.
    pub fn read(datagram: &[u8]) -> Option<Self> {
        let body = datagram.strip_prefix(&MARK)?;
        if let Some(block) = strip_word(body, "connect ") {
            let plain = adaptive::decompress(block, MAX_INFO + 3);
            let tokens = Tokens::new(&text::from_bytes(&plain));
            return Some(Self::Connect {
                userinfo: Info::parse(tokens.get(0)),
            });
        }
        let (line, _) = first_line(body);
        let tokens = Tokens::new(&text::from_bytes(line));
        let token = tokens.get(1).to_owned();
        Some(match tokens.get(0).to_ascii_lowercase().as_str() {
            "getinfo" if token.len() <= MAX_TOKEN => Self::GetInfo { token },
            "getstatus" if token.len() <= MAX_TOKEN => Self::GetStatus { token },
            "getchallenge" => Self::GetChallenge {
                own: (!token.is_empty()).then(|| number(&token)),
                gamename: tokens.get(2).to_owned(),
            },
            "rcon" => Self::Rcon {
                password: token,
                command: tokens.rest(2).trim_end_matches('\0').to_owned(),
            },
            "getkeyauthorize" => Self::KeyAuthorize {
                is_anonymous: number(&token) != 0,
                key: tokens.get(2).to_owned(),
            },
            "getservers" => Self::GetServers(ServersRequest::read(&tokens, false)?),
            "getserversext" => Self::GetServers(ServersRequest::read(&tokens, true)?),
            _ => return None,
        })
    }
}

fn key_text(is_anonymous: bool, key: &str) -> Result<String, PacketRefusal> {
    const LENGTH: usize = 16;
    let is_separator = |c: char| matches!(c, '-' | ' ');
    let plain: String = key.chars().filter(|c| !is_separator(*c)).collect();
    let is_key = plain.len() == LENGTH && plain.chars().all(|c| c.is_ascii_alphanumeric());
    match is_key {
        true => Ok(format!(
            "getKeyAuthorize {} {plain}",
            i32::from(is_anonymous)
        )),
        false => Err(PacketRefusal::Key),
    }
}

impl ServerPacket {
    /// Reads a datagram. `None` if it is no packet of this kind, or one of the handshake that is
    /// longer than those can be.
    pub fn read(datagram: &[u8]) -> Option<Self> {
        let body = datagram.strip_prefix(&MARK)?;
        if let Some(records) = strip_word(body, "getserversExtResponse") {
            return Some(Self::Servers(servers::read(records, true)));
        }
        if let Some(records) = strip_word(body, "getserversResponse") {
            return Some(Self::Servers(servers::read(records, false)));
        }
        let (line, rest) = first_line(body);
        let tokens = Tokens::new(&text::from_bytes(&line[..line.len().min(MAX_LINE)]));
        let argument = |index| (tokens.len() > index).then(|| number(tokens.get(index)));
        let is_cut = line.len() > MAX_LINE;
        Some(match tokens.get(0).to_ascii_lowercase().as_str() {
            "challengeresponse" if !is_cut => Self::Challenge(Challenge {
                challenge: argument(1)?,
                own: argument(2),
                protocol: argument(3),
            }),
            "connectresponse" if !is_cut => Self::Connected {
                challenge: argument(1),
                protocol: argument(2),
            },
            "challengeresponse" | "connectresponse" => return None,
            "inforesponse" => Self::Info(read_info(first_line(rest).0)),
            "statusresponse" => Self::Status(read_status(rest)),
            "print" => Self::Print(read_text(rest)),
            "disconnect" => Self::Disconnect,
            "motd" => Self::Motd(Info::parse(tokens.get(1))),
            other => Self::Other(other.to_owned()),
        })
    }

    /// The datagram, as a server sends it.
    pub fn write(&self) -> Vec<u8> {
        let text = match self {
            Self::Challenge(answer) => words(
                "challengeResponse",
                &[Some(answer.challenge), answer.own, answer.protocol],
            ),
            Self::Connected {
                challenge,
                protocol,
            } => words("connectResponse", &[*challenge, *protocol]),
            Self::Info(info) => format!("infoResponse\n{info}"),
            Self::Status(status) => format!("statusResponse\n{status}"),
            Self::Print(text) => format!("print\n{text}"),
            Self::Disconnect => "disconnect".to_owned(),
            Self::Servers(addresses) => return packet(&servers::write(addresses)),
            Self::Motd(info) => format!("motd \"{info}\""),
            Self::Other(text) => text.clone(),
        };
        packet(text.as_bytes())
    }
}

impl ServersRequest {
    fn read(tokens: &Tokens, is_extended: bool) -> Option<Self> {
        let has_gamename = is_extended || number(tokens.get(1)) == 0;
        let protocol_at = if has_gamename { 2 } else { 1 };
        if tokens.len() <= protocol_at {
            return None;
        }
        Some(Self {
            gamename: match has_gamename {
                true => tokens.get(1).to_owned(),
                false => super::protocol::GAMENAME.to_owned(),
            },
            protocol: number(tokens.get(protocol_at)),
            is_extended,
            filters: tokens
                .iter()
                .skip(protocol_at + 1)
                .map(str::to_owned)
                .collect(),
        })
    }
}

impl fmt::Display for ServersRequest {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_extended {
            true => write!(out, "getserversExt {} ", self.gamename)?,
            false if self.gamename == super::protocol::GAMENAME => out.write_str("getservers ")?,
            false => write!(out, "getservers {} ", self.gamename)?,
        }
        write!(out, "{}", self.protocol)?;
        self.filters
            .iter()
            .try_for_each(|filter| write!(out, " {filter}"))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "{}", self.info)?;
        self.players.iter().try_for_each(|player| {
            writeln!(out, "{} {} \"{}\"", player.score, player.ping, player.name)
        })
    }
}

fn packet(body: &[u8]) -> Vec<u8> {
    [&MARK, body].concat()
}

fn checked_token(token: &str) -> Result<&str, PacketRefusal> {
    let is_good = token.len() <= MAX_TOKEN && token.bytes().all(|byte| byte.is_ascii_graphic());
    is_good.then_some(token).ok_or(PacketRefusal::Token)
}

fn write_connect(userinfo: &Info) -> Result<Vec<u8>, PacketRefusal> {
    let userinfo = userinfo.to_string();
    if userinfo.len() > MAX_USERINFO || userinfo.contains('"') {
        return Err(PacketRefusal::Userinfo);
    }
    let block = adaptive::compress(format!("\"{userinfo}\"").as_bytes());
    Ok(packet(&[b"connect ", &block[..]].concat()))
}

fn rcon_text(password: &str, command: &str) -> Result<String, PacketRefusal> {
    let text = format!("rcon {password} {command}");
    let is_good = text.len() <= MAX_LINE && !password.contains(|c: char| c <= ' ' || c == '"');
    is_good.then_some(text).ok_or(PacketRefusal::Rcon)
}

/// What follows a word at the beginning, compared without case.
fn strip_word<'a>(body: &'a [u8], word: &str) -> Option<&'a [u8]> {
    let (start, rest) = body.split_at_checked(word.len())?;
    start.eq_ignore_ascii_case(word.as_bytes()).then_some(rest)
}

/// The first line and what follows its newline.
fn first_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match bytes.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&bytes[..end], &bytes[end + 1..]),
        None => (bytes, &[]),
    }
}

fn read_info(line: &[u8]) -> Info {
    Info::parse(&text::from_bytes(&line[..line.len().min(MAX_BIG_INFO)]))
}

fn read_text(bytes: &[u8]) -> String {
    let end = bytes
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(bytes.len());
    text::from_bytes(&bytes[..end.min(MAX_LINE)])
}

fn read_status(bytes: &[u8]) -> Status {
    let (info, rest) = first_line(bytes);
    let players = rest
        .split(|&byte| byte == b'\n')
        .take_while(|line| !line.is_empty())
        .take(crate::types::limits::MAX_CLIENTS)
        .map(|line| {
            let tokens = Tokens::new(&text::from_bytes(line));
            StatusPlayer {
                score: number(tokens.get(0)),
                ping: number(tokens.get(1)),
                name: tokens.get(2).to_owned(),
            }
        });
    Status {
        info: read_info(info),
        players: players.collect(),
    }
}

/// A word and the numbers that are known, up to the first unknown one.
fn words(word: &str, numbers: &[Option<i32>]) -> String {
    let known = numbers.iter().map_while(|number| number.as_ref());
    known.fold(word.to_owned(), |text, number| format!("{text} {number}"))
}
