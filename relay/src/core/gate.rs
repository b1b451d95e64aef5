//! Decides for each datagram of a session whether a Quake 3 client or server would send it now.
//!
//! The relay must be useless as a port scanner, a flooder or an amplifier. So a session goes
//! through stages, and each lets only that pass which the game needs there: small questions first;
//! `connect` once the target has shown by an answer that it is a Quake 3 server; the channel once
//! that server has let the player in. A target that no operator named must first answer a question
//! of the relay's own, with a secret in it that the player cannot know; until then it gets no byte
//! more than the player has sent.
//!
//! A server tells players of one address apart by their qport. All players here may share the
//! relay's address, so each gets a qport of their own on the way to the server.

use std::borrow::Cow;

use shared::base::adaptive;

/// The largest datagram that a browser may send. The channel stops at 1,400 bytes and userinfo at
/// 1,023; `connect` can need more than its text because its compression is adaptive.
pub(crate) const MAX_FROM_PLAYER: usize = 2048;
/// The largest datagram that a client of Quake 3 accepts.
pub const MAX_FROM_SERVER: usize = 16384;

const MAX_CHANNEL: usize = 1400;
const MAX_QUESTION: usize = 4 + "getchallenge".len() + 2 + 128;
const MAX_RCON: usize = 4 + 1024;
const MAX_USERINFO: usize = 2048;
const OUT_OF_BAND: [u8; 4] = [0xff; 4];
/// Here the compressed part of `connect` begins.
const USERINFO_AT: usize = 4 + "connect ".len();

/// How far a session has come with its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Nothing is known of the target.
    Asking,
    /// The target answered as a Quake 3 server.
    Proven,
    /// The player asked to be let in.
    Connecting,
    /// The server let the player in.
    Connected,
}

/// Why a datagram is dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Refusal {
    #[error("no datagram of Quake 3 has this size")]
    Size,
    #[error("no client sends this command")]
    Command,
    #[error("no server sends this command to a client")]
    Answer,
    #[error("the server has not answered a question yet")]
    Unproven,
    #[error("the server has not let the player in")]
    NotConnected,
    #[error("the qport changed")]
    Qport,
}

/// How much is known of a target beforehand.
#[derive(Clone, Debug)]
pub enum Trust {
    /// The operator named it.
    Listed,
    /// A stranger named it: it must echo this secret before anything else passes.
    Stranger { secret: String },
}

/// What becomes of a datagram from the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    ToPlayer,
    /// It proved the server and is none of the player's; what the player asked meanwhile is due.
    Proof {
        due: Option<Vec<u8>>,
    },
}

/// The gate of one session.
#[derive(Debug)]
pub struct Gate {
    stage: Stage,
    trust: Trust,
    /// The qport that the server sees.
    qport: u16,
    /// The qport that the player uses.
    players_qport: Option<u16>,
    /// Bytes that the player sent to a target which is not proven, less those sent to it.
    credit: usize,
    held: Option<Vec<u8>>,
}

impl Gate {
    pub fn new(trust: Trust, qport: u16) -> Self {
        Self {
            stage: Stage::Asking,
            trust,
            qport,
            players_qport: None,
            credit: 0,
            held: None,
        }
    }

    /// The gate of a player whom the server has let in during an earlier run of the relay.
    pub fn restored(qport: u16, players_qport: Option<u16>) -> Self {
        Self {
            stage: Stage::Connected,
            players_qport,
            ..Self::new(Trust::Listed, qport)
        }
    }

    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// The qport that the player uses, once they have asked to be let in.
    pub fn players_qport(&self) -> Option<u16> {
        self.players_qport
    }

    /// What goes to the server for a datagram of the player.
    pub fn pass_to_server<'a>(&mut self, datagram: &'a [u8]) -> Result<Cow<'a, [u8]>, Refusal> {
        let Some(text) = datagram.strip_prefix(&OUT_OF_BAND) else {
            return self.channel_to_server(datagram);
        };
        match command(text).as_slice() {
            b"getinfo" | b"getstatus" | b"getchallenge" => {
                within(datagram, MAX_QUESTION)?;
                self.question_to_server(datagram)
            }
            b"connect" if self.stage == Stage::Asking => Err(Refusal::Unproven),
            b"connect" => {
                within(datagram, MAX_FROM_PLAYER)?;
                self.stage = self.stage.max(Stage::Connecting);
                Ok(self.connect_to_server(datagram))
            }
            b"rcon" if self.stage != Stage::Connected => Err(Refusal::NotConnected),
            b"rcon" => within(datagram, MAX_RCON).map(|()| Cow::Borrowed(datagram)),
            _ => Err(Refusal::Command),
        }
    }

    /// May this datagram go from the server to the player?
    pub fn pass_to_player(&mut self, datagram: &[u8]) -> Result<Answer, Refusal> {
        within(datagram, MAX_FROM_SERVER)?;
        let Some(text) = datagram.strip_prefix(&OUT_OF_BAND) else {
            return match (self.stage, datagram.len()) {
                (Stage::Connected, 4..) => Ok(Answer::ToPlayer),
                (Stage::Connected, _) => Err(Refusal::Size),
                _ => Err(Refusal::NotConnected),
            };
        };
        let command = command(text);
        if let (Trust::Stranger { secret }, Stage::Asking) = (&self.trust, self.stage) {
            let is_echo = command == b"inforesponse" && has_challenge(text, secret);
            if !is_echo {
                return Err(Refusal::Unproven);
            }
            self.stage = Stage::Proven;
            return Ok(Answer::Proof {
                due: self.held.take(),
            });
        }
        match command.as_slice() {
            b"challengeresponse" | b"inforesponse" | b"statusresponse" => {
                self.stage = self.stage.max(Stage::Proven);
                Ok(Answer::ToPlayer)
            }
            b"connectresponse" if self.stage >= Stage::Connecting => {
                self.stage = Stage::Connected;
                Ok(Answer::ToPlayer)
            }
            b"connectresponse" => Err(Refusal::NotConnected),
            b"print" | b"disconnect" => Ok(Answer::ToPlayer),
            _ => Err(Refusal::Answer),
        }
    }

    /// Asks our own question first where the target is a stranger's.
    fn question_to_server<'a>(&mut self, datagram: &'a [u8]) -> Result<Cow<'a, [u8]>, Refusal> {
        let (Trust::Stranger { secret }, Stage::Asking) = (&self.trust, self.stage) else {
            return Ok(Cow::Borrowed(datagram));
        };
        let probe = [&OUT_OF_BAND, &b"getinfo "[..], secret.as_bytes()].concat();
        self.credit += datagram.len();
        self.held = Some(datagram.to_vec());
        self.credit = self
            .credit
            .checked_sub(probe.len())
            .ok_or(Refusal::Unproven)?;
        Ok(Cow::Owned(probe))
    }

    /// Replaces the qport in the userinfo.
    fn connect_to_server<'a>(&mut self, datagram: &'a [u8]) -> Cow<'a, [u8]> {
        self.players_qport = None;
        let block = datagram.get(USERINFO_AT..).unwrap_or_default();
        let userinfo = adaptive::decompress(block, MAX_USERINFO);
        let Some((start, end, qport)) = find_qport(&userinfo) else {
            return Cow::Borrowed(datagram);
        };
        self.players_qport = Some(qport);
        let qport = self.qport.to_string();
        let userinfo = [&userinfo[..start], qport.as_bytes(), &userinfo[end..]].concat();
        Cow::Owned([&datagram[..USERINFO_AT], &adaptive::compress(&userinfo)].concat())
    }

    fn channel_to_server<'a>(&mut self, datagram: &'a [u8]) -> Result<Cow<'a, [u8]>, Refusal> {
        within(datagram, MAX_CHANNEL)?;
        let [_, _, _, _, low, high, ..] = *datagram else {
            return Err(Refusal::Size);
        };
        if self.stage != Stage::Connected {
            return Err(Refusal::NotConnected);
        }
        if self.players_qport != Some(u16::from_le_bytes([low, high])) {
            return Err(Refusal::Qport);
        }
        let mut datagram = datagram.to_vec();
        datagram[4..6].copy_from_slice(&self.qport.to_le_bytes());
        Ok(Cow::Owned(datagram))
    }
}

/// Where the value of qport stands in a userinfo, and the value.
fn find_qport(userinfo: &[u8]) -> Option<(usize, usize, u16)> {
    const KEY: &[u8] = b"\\qport\\";
    let at = userinfo
        .windows(KEY.len())
        .position(|bytes| bytes.eq_ignore_ascii_case(KEY))?;
    let start = at + KEY.len();
    let digits = userinfo[start..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .count();
    let end = start + digits;
    let value = std::str::from_utf8(&userinfo[start..end]).ok()?;
    Some((start, end, value.parse().ok()?))
}

fn has_challenge(text: &[u8], secret: &str) -> bool {
    let pair = format!("\\challenge\\{secret}");
    text.windows(pair.len())
        .any(|bytes| bytes == pair.as_bytes())
}

fn within(datagram: &[u8], max: usize) -> Result<(), Refusal> {
    if datagram.len() <= max {
        Ok(())
    } else {
        Err(Refusal::Size)
    }
}

/// The command word in lower case: commands are compared without regard to case.
fn command(text: &[u8]) -> Vec<u8> {
    text.iter()
        .take(32)
        .take_while(|byte| byte.is_ascii_alphanumeric())
        .map(u8::to_ascii_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "0123456789abcdef";

    /// A datagram for a line: `#n` is one of the channel with n bytes and qport 257, all else is
    /// out of band, with the userinfo of `connect` packed.
    fn datagram(line: &str) -> Vec<u8> {
        if let Some(size) = line.strip_prefix('#') {
            return vec![1; size.parse().unwrap()];
        }
        match line.strip_prefix("connect ") {
            Some(userinfo) => [
                &OUT_OF_BAND,
                &b"connect "[..],
                &adaptive::compress(userinfo.as_bytes()),
            ]
            .concat(),
            None => [&OUT_OF_BAND, line.as_bytes()].concat(),
        }
    }

    /// Runs lines `> text` (from the player) and `< text` (from the server) and compares with what
    /// happens to each.
    fn check(trust: Trust, story: &[(&str, Result<(), Refusal>)]) -> Gate {
        let mut gate = Gate::new(trust, 257);
        for (line, expected) in story {
            let (side, text) = line.split_at(2);
            let datagram = datagram(text);
            let verdict = match side {
                "> " => gate.pass_to_server(&datagram).map(|_| ()),
                _ => gate.pass_to_player(&datagram).map(|_| ()),
            };
            assert_eq!(verdict, *expected, "{line} in {:?}", gate.stage());
        }
        gate
    }

    #[test]
    fn a_join_passes() {
        let story = [
            ("> getinfo xxx", Ok(())),
            ("< infoResponse\n\\protocol\\71", Ok(())),
            ("> getchallenge 1 Quake3Arena", Ok(())),
            ("< challengeResponse 5 1 71", Ok(())),
            ("> connect \"\\challenge\\5\\qport\\257\"", Ok(())),
            ("< print\nServer is full.", Ok(())),
            ("> connect \"\\challenge\\5\\qport\\257\"", Ok(())),
            ("< connectResponse 5", Ok(())),
            ("> #100", Ok(())),
            ("< #1400", Ok(())),
            ("> #1400", Ok(())),
            ("> rcon secret status", Ok(())),
        ];
        check(Trust::Listed, &story);
    }

    #[test]
    fn nothing_but_questions_reaches_a_server_that_has_not_answered() {
        let story = [
            ("> connect \"\"", Err(Refusal::Unproven)),
            ("> #100", Err(Refusal::NotConnected)),
            ("> rcon x status", Err(Refusal::NotConnected)),
            ("< #100", Err(Refusal::NotConnected)),
            ("< connectResponse", Err(Refusal::NotConnected)),
            ("< challengeResponse 5", Ok(())),
            ("< connectResponse", Err(Refusal::NotConnected)),
            ("> #100", Err(Refusal::NotConnected)),
        ];
        check(Trust::Listed, &story);
    }

    #[test]
    fn foreign_commands_and_sizes_are_refused() {
        let story = [
            ("> heartbeat QuakeArena-1", Err(Refusal::Command)),
            ("> getservers 68", Err(Refusal::Command)),
            ("> echo hello", Err(Refusal::Command)),
            ("> ", Err(Refusal::Command)),
            (
                &format!("> getinfo {}", "x".repeat(200)),
                Err(Refusal::Size),
            ),
            ("< echo hello", Err(Refusal::Answer)),
            ("< getstatus", Err(Refusal::Answer)),
            ("> #5", Err(Refusal::Size)),
            ("> #1401", Err(Refusal::Size)),
            ("< #16385", Err(Refusal::Size)),
        ];
        check(Trust::Listed, &story);
    }

    #[test]
    fn a_stranger_must_echo_the_secret() {
        let secret = SECRET.to_owned();
        let mut gate = check(
            Trust::Stranger { secret },
            &[
                ("> connect \"\"", Err(Refusal::Unproven)),
                ("> getinfo x", Err(Refusal::Unproven)),
                ("< challengeResponse 5", Err(Refusal::Unproven)),
                ("< print\nhello", Err(Refusal::Unproven)),
                ("< infoResponse\n\\challenge\\0123", Err(Refusal::Unproven)),
            ],
        );
        let question = datagram("getchallenge 1 Quake3Arena");
        assert_eq!(
            gate.pass_to_server(&question).unwrap(),
            datagram(&format!("getinfo {SECRET}"))
        );
        let proof = gate.pass_to_player(&datagram(&format!(
            "infoResponse\n\\challenge\\{SECRET}\\protocol\\71"
        )));
        assert_eq!(
            proof,
            Ok(Answer::Proof {
                due: Some(question)
            })
        );
        assert_eq!(
            gate.pass_to_player(&datagram("challengeResponse 5")),
            Ok(Answer::ToPlayer)
        );
    }

    #[test]
    fn a_stranger_gets_no_byte_more_than_the_player_sent() {
        let secret = SECRET.to_owned();
        let mut gate = Gate::new(Trust::Stranger { secret }, 1);
        let (mut sent, mut passed) = (0, 0);
        for round in 0..1000 {
            let question = datagram(&format!("getinfo {}", "x".repeat(round % 30)));
            sent += question.len();
            passed += gate
                .pass_to_server(&question)
                .map_or(0, |probe| probe.len());
            assert!(passed <= sent);
        }
        assert!(passed > 0);
    }

    #[test]
    fn the_server_sees_the_qport_of_the_relay() {
        let mut gate = Gate::new(Trust::Listed, 4711);
        gate.stage = Stage::Proven;
        let connect = datagram("connect \"\\qport\\12345\\name\\Sarge\"");
        let passed = gate.pass_to_server(&connect).unwrap();
        assert_eq!(passed, datagram("connect \"\\qport\\4711\\name\\Sarge\""));
        gate.stage = Stage::Connected;
        let [low, high] = 12345_u16.to_le_bytes();
        let [our_low, our_high] = 4711_u16.to_le_bytes();
        let theirs = [1, 0, 0, 0, low, high, 9];
        let passed = gate.pass_to_server(&theirs).unwrap();
        assert_eq!(passed, &[1, 0, 0, 0, our_low, our_high, 9][..]);
        assert_eq!(
            gate.pass_to_server(&[1, 0, 0, 0, 0, 0, 9]),
            Err(Refusal::Qport)
        );
    }
}
