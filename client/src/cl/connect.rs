//! From "connect" to an open channel: questions, retries, refusals.
//!
//! `getinfo` and `getchallenge` go out together. The answers tell which protocol number to ask for:
//! the one offered with the challenge if it is above 68, else the one of the info. The number does
//! not tell the form of the packets (OpenArena says 71 and means the form of 68), so above 68 that
//! stays open here, unless the server says it in its `connectResponse`.

use super::reason::{Reason, Refusal};
use shared::{
    base::{info::Info, time::ClientTime},
    net::{
        oob::{Challenge, ClientPacket, ServerPacket},
        protocol::{self, CLASSIC, GAMENAME, WireForm},
    },
};

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
#[derive(Clone, Debug)]
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

    /// What the server knows of the player after the last `connect`.
    pub fn sent_userinfo(&self) -> &Info {
        &self.sent_userinfo
    }

    /// The packets to send now.
    ///
    /// # Errors
    /// Gives up after 30 seconds, with the server's last refusal if there was one.
    pub fn frame(&mut self, now: ClientTime, userinfo: &Info) -> Result<Vec<ClientPacket>, Reason> {
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
                let getchallenge = ClientPacket::GetChallenge {
                    own: Some(self.seeds.challenge),
                    gamename: GAMENAME.to_owned(),
                };
                let getinfo = ClientPacket::GetInfo {
                    token: self.token(),
                };
                Ok(match self.info {
                    Some(_) => vec![getchallenge],
                    None => vec![getinfo, getchallenge],
                })
            }
            Stage::Connect => {
                self.sent_userinfo = userinfo.clone();
                Ok(vec![ClientPacket::Connect {
                    userinfo: self.connect_userinfo(userinfo)?,
                }])
            }
        }
    }

    fn connect_userinfo(&self, userinfo: &Info) -> Result<Info, Reason> {
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
        Ok(info)
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

    /// Takes an answer of the server.
    pub fn handle_answer(&mut self, now: ClientTime, answer: ServerPacket) -> Option<Step> {
        match answer {
            ServerPacket::Info(info) => self.handle_info(info),
            ServerPacket::Challenge(challenge) => {
                self.handle_challenge(now, challenge);
                None
            }
            ServerPacket::Connected {
                challenge,
                protocol,
            } => self.handle_connected(now, challenge, protocol),
            ServerPacket::Print(text) => self.handle_print(now, &text),
            _ => None,
        }
    }

    fn handle_info(&mut self, info: Info) -> Option<Step> {
        if info.get("challenge") != self.token() {
            return None;
        }
        self.info = Some(info);
        // A protocol that nobody here speaks need not wait for the challenge.
        self.protocol().err().map(Step::Failed)
    }

    fn handle_challenge(&mut self, now: ClientTime, answer: Challenge) {
        let is_ours = answer.own.is_none_or(|own| own == self.seeds.challenge);
        if self.stage == Stage::Challenge && is_ours {
            self.challenge = answer.challenge;
            self.offered_protocol = answer.protocol;
            self.enter(Stage::Connect, now);
        }
    }

    fn handle_connected(
        &mut self,
        now: ClientTime,
        challenge: Option<i32>,
        told: Option<i32>,
    ) -> Option<Step> {
        let is_ours = challenge.is_none_or(|challenge| challenge == self.challenge);
        let asked_at = self
            .asked_at
            .filter(|_| self.stage == Stage::Connect && is_ours)?;
        let protocol = self.protocol().ok()?;
        Some(Step::Accepted(Accepted {
            challenge: self.challenge,
            protocol,
            wire: WireForm::from_handshake(protocol, told),
            is_quake3e: told.is_some(),
            round_trip_msec: now - asked_at,
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

const RETRY_MSEC: i32 = 3000;
const GIVE_UP_MSEC: i32 = 30_000;
/// Some servers forget a challenge after 16 s.
const CHALLENGE_AGE_MSEC: i32 = 15_000;
/// The server adds its own keys to it.
const MAX_CONNECT_INFO: usize = 980;
