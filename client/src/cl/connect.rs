//! From "connect" to an open channel: questions, retries, refusals.
//!
//! `getinfo` and `getchallenge` go out together. The answers tell which protocol number to ask for:
//! the one offered with the challenge if it is above 68, else the one of the info. The number does
//! not tell the form of the packets (OpenArena says 71 and means the form of 68), so above 68 that
//! stays open here, unless the server says it in its `connectResponse`.

use super::reason::{Reason, Refusal};
use shared::base::{
    adaptive,
    info::Info,
    text::{self, number},
    time::ClientTime,
    tokens::Tokens,
};
use shared::net::protocol::{self, CLASSIC, GAMENAME, WireForm};

/// Chance, made by the platform.
#[derive(Clone, Copy, Debug)]
pub struct Seeds {
    /// Tells clients behind one address apart; the same for the whole process.
    pub qport: u16,
    /// Must come back with the server's challenge.
    pub challenge: i32,
}

/// Which of the two questions is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Challenge,
    Connect,
}

/// One attempt to enter a server.
#[derive(Debug)]
pub struct Handshake {
    seeds: Seeds,
    /// The player's own choice of protocol, if any.
    wanted_protocol: Option<i32>,
    stage: Stage,
    started_at: ClientTime,
    stage_entered_at: ClientTime,
    asked_at: Option<ClientTime>,
    attempts: u32,
    /// The server's answer to `getinfo`.
    info: Option<Info>,
    challenge: i32,
    /// The protocol named in the challenge's answer.
    offered_protocol: Option<i32>,
    last_refusal: Option<Refusal>,
    sent_userinfo: Info,
}

/// What an answer led to.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The server said something to the player.
    Print(String),
    Accepted(Accepted),
    Failed(Reason),
}

/// A channel can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub challenge: i32,
    /// The number that the client connected with.
    pub protocol: i32,
    /// The form of the packets, where it is certain.
    pub wire: Option<WireForm>,
    /// It has its own rules about floods.
    pub is_quake3e: bool,
    pub round_trip_msec: i32,
}

impl Handshake {
    pub fn new(seeds: Seeds, wanted_protocol: Option<i32>, now: ClientTime) -> Self {
        Self {
            seeds,
            wanted_protocol,
            stage: Stage::Challenge,
            started_at: now,
            stage_entered_at: now,
            asked_at: None,
            attempts: 0,
            info: None,
            challenge: 0,
            offered_protocol: None,
            last_refusal: None,
            sent_userinfo: Info::new(),
        }
    }

    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// How often the open question was asked.
    pub fn attempts(&self) -> u32 {
        self.attempts
    }

    /// What the server told about itself before the connection.
    pub fn info(&self) -> Option<&Info> {
        self.info.as_ref()
    }

    /// What the server knows of the player after the last `connect`.
    pub fn sent_userinfo(&self) -> &Info {
        &self.sent_userinfo
    }

    /// The texts to send now, without the four bytes in front.
    ///
    /// # Errors
    /// Gives up after 30 seconds, with the server's last refusal if there was one.
    pub fn frame(&mut self, now: ClientTime, userinfo: &Info) -> Result<Vec<Question>, Reason> {
        if now - self.started_at >= GIVE_UP_MSEC {
            return Err(match self.last_refusal.take() {
                Some(refusal) => Reason::Refused(refusal),
                None => Reason::NoAnswer,
            });
        }
        let is_stale = now - self.stage_entered_at >= CHALLENGE_AGE_MSEC;
        if self.stage == Stage::Connect && is_stale {
            self.enter(Stage::Challenge, now);
        }
        let is_due = self.asked_at.is_none_or(|at| now - at >= RETRY_MSEC);
        if !is_due {
            return Ok(Vec::new());
        }
        self.asked_at = Some(now);
        self.attempts += 1;
        match self.stage {
            Stage::Challenge => {
                let own = self.seeds.challenge;
                let getchallenge = Question::Plain(format!("getchallenge {own} {GAMENAME}"));
                Ok(match self.info {
                    Some(_) => vec![getchallenge],
                    None => vec![
                        Question::Plain(format!("getinfo {}", self.token())),
                        getchallenge,
                    ],
                })
            }
            Stage::Connect => {
                self.sent_userinfo = userinfo.clone();
                Ok(vec![Question::Connect(self.connect_userinfo(userinfo)?)])
            }
        }
    }

    fn connect_userinfo(&self, userinfo: &Info) -> Result<String, Reason> {
        let protocol = self.protocol()?.to_string();
        let mut info = userinfo.clone();
        for (key, value) in [
            ("protocol", protocol.as_str()),
            ("qport", &self.seeds.qport.to_string()),
            ("challenge", &self.challenge.to_string()),
            ("client", "Strafe"),
        ] {
            info.set(key, value, MAX_CONNECT_INFO)
                .map_err(|error| Reason::Userinfo(error.to_string()))?;
        }
        Ok(info.to_string())
    }

    /// The number to connect with.
    fn protocol(&self) -> Result<i32, Reason> {
        let info = self
            .info
            .as_ref()
            .map(|info| info.number("protocol"))
            .filter(|p| *p != 0);
        if let Some(wanted) = self.wanted_protocol {
            return Ok(wanted);
        }
        let is_playable = |number: &i32| protocol::find(*number).is_some_and(|row| row.is_playable);
        let offered = self
            .offered_protocol
            .filter(|number| *number > CLASSIC && is_playable(number));
        match offered.or(info) {
            None => Ok(CLASSIC),
            Some(number) if is_playable(&number) => Ok(number),
            Some(number) => Err(Reason::Refused(Refusal::Protocol(format!(
                "The server speaks protocol {number}; this client speaks 68 and 71."
            )))),
        }
    }

    /// The texts of the own challenge, so that an answer to somebody else is told apart.
    fn token(&self) -> String {
        format!("{:08x}", self.seeds.challenge as u32)
    }

    fn enter(&mut self, stage: Stage, now: ClientTime) {
        self.stage = stage;
        self.stage_entered_at = now;
        self.asked_at = None;
        self.attempts = 0;
    }

    /// Takes an answer: its first line as words, and the text behind it.
    pub fn handle_answer(&mut self, now: ClientTime, words: &Tokens, text: &str) -> Option<Step> {
        match words.get(0).to_ascii_lowercase().as_str() {
            "inforesponse" => self.handle_info(text),
            "challengeresponse" => self.handle_challenge(now, words),
            "connectresponse" => self.handle_connect(now, words),
            "print" => self.handle_print(now, text),
            _ => None,
        }
    }

    fn handle_info(&mut self, text: &str) -> Option<Step> {
        let info = Info::parse(text);
        if info.get("challenge") != self.token() {
            return None;
        }
        self.info = Some(info);
        // A protocol that nobody here speaks need not wait for the challenge.
        self.protocol().err().map(Step::Failed)
    }

    fn handle_challenge(&mut self, now: ClientTime, words: &Tokens) -> Option<Step> {
        let echo_is_wrong = words.len() > 2 && number(words.get(2)) != self.seeds.challenge;
        if self.stage != Stage::Challenge || words.len() < 2 || echo_is_wrong {
            return None;
        }
        self.challenge = number(words.get(1));
        self.offered_protocol = (words.len() > 3).then(|| number(words.get(3)));
        self.enter(Stage::Connect, now);
        None
    }

    fn handle_connect(&mut self, now: ClientTime, words: &Tokens) -> Option<Step> {
        let challenge_is_wrong = words.len() > 1 && number(words.get(1)) != self.challenge;
        if self.stage != Stage::Connect || challenge_is_wrong {
            return None;
        }
        let protocol = self.protocol().ok()?;
        let told = (words.len() > 2).then(|| number(words.get(2)));
        Some(Step::Accepted(Accepted {
            challenge: self.challenge,
            protocol,
            wire: WireForm::from_handshake(protocol, told),
            is_quake3e: told.is_some(),
            round_trip_msec: self.asked_at.map_or(0, |at| now - at),
        }))
    }

    fn handle_print(&mut self, now: ClientTime, text: &str) -> Option<Step> {
        let text = text.trim();
        if text.is_empty() {
            return None;
        }
        let refusal = Refusal::from_text(text);
        if refusal.is_final() {
            return Some(Step::Failed(Reason::Refused(refusal)));
        }
        if matches!(refusal, Refusal::Challenge(_)) {
            self.enter(Stage::Challenge, now);
            // Asking for another one at once would spend the server's patience.
            self.asked_at = Some(now);
        }
        self.last_refusal = Some(refusal);
        Some(Step::Print(text.to_owned()))
    }
}

/// Something to ask the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    Plain(String),
    /// `connect` with this userinfo, which is sent compressed.
    Connect(String),
}

impl Question {
    pub fn datagram(&self) -> Vec<u8> {
        let mut bytes = vec![0xFF; 4];
        match self {
            Self::Plain(text) => bytes.extend_from_slice(text.as_bytes()),
            Self::Connect(userinfo) => {
                bytes.extend_from_slice(b"connect ");
                let quoted = format!("\"{userinfo}\"");
                bytes.extend_from_slice(&adaptive::compress(quoted.as_bytes()));
            }
        }
        bytes
    }
}

/// Takes an answer apart: its first line as words, and the text behind it.
pub fn read_answer(bytes: &[u8]) -> Option<(Tokens, String)> {
    let text = text::from_bytes(bytes);
    let (line, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let is_sane = line.len() <= MAX_LINE && !line.is_empty();
    is_sane.then(|| (Tokens::new(line), rest.to_owned()))
}

const MAX_LINE: usize = 1023;
const RETRY_MSEC: i32 = 3000;
const GIVE_UP_MSEC: i32 = 30_000;
/// Some servers forget a challenge after 16 s.
const CHALLENGE_AGE_MSEC: i32 = 15_000;
/// The server adds its own keys to it.
const MAX_CONNECT_INFO: usize = 980;
