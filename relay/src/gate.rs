//! Decides for each datagram of a session whether a Quake 3 client or server would send it now.
//!
//! The relay must be useless as a port scanner, a flooder or an amplifier. So a session goes
//! through stages, and each lets only that pass which the game needs there: small questions first;
//! `connect` once the target has shown by an answer that it is a Quake 3 server; the channel once
//! that server has let the player in. Every byte to the target is one which the player sent.

/// The largest datagram that a browser may send. The channel stops at 1,400 bytes and userinfo at
/// 1,023; `connect` can need more than its text because its compression is adaptive.
pub const MAX_FROM_PLAYER: usize = 2048;
/// The largest datagram that a client of Quake 3 accepts.
pub const MAX_FROM_SERVER: usize = 16384;

const MAX_CHANNEL: usize = 1400;
const MAX_QUESTION: usize = 4 + "getchallenge".len() + 2 + 128;
const MAX_RCON: usize = 4 + 1024;
const OUT_OF_BAND: [u8; 4] = [0xff; 4];

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

/// The gate of one session.
#[derive(Debug)]
pub struct Gate {
    stage: Stage,
    qport: Option<u16>,
}

impl Gate {
    pub fn new() -> Self {
        Self {
            stage: Stage::Asking,
            qport: None,
        }
    }

    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// May this datagram go from the player to the server?
    pub fn check_player(&mut self, datagram: &[u8]) -> Result<(), Refusal> {
        let Some(text) = datagram.strip_prefix(&OUT_OF_BAND) else {
            return self.channel_from_player(datagram);
        };
        match command(text).as_slice() {
            b"getinfo" | b"getstatus" | b"getchallenge" => within(datagram, MAX_QUESTION),
            b"connect" if self.stage == Stage::Asking => Err(Refusal::Unproven),
            b"connect" => {
                within(datagram, MAX_FROM_PLAYER)?;
                self.stage = self.stage.max(Stage::Connecting);
                self.qport = None;
                Ok(())
            }
            b"rcon" if self.stage != Stage::Connected => Err(Refusal::NotConnected),
            b"rcon" => within(datagram, MAX_RCON),
            _ => Err(Refusal::Command),
        }
    }

    /// May this datagram go from the server to the player?
    pub fn check_server(&mut self, datagram: &[u8]) -> Result<(), Refusal> {
        within(datagram, MAX_FROM_SERVER)?;
        let Some(text) = datagram.strip_prefix(&OUT_OF_BAND) else {
            return match (self.stage, datagram.len()) {
                (Stage::Connected, 4..) => Ok(()),
                (Stage::Connected, _) => Err(Refusal::Size),
                _ => Err(Refusal::NotConnected),
            };
        };
        match command(text).as_slice() {
            b"challengeresponse" | b"inforesponse" | b"statusresponse" => {
                self.stage = self.stage.max(Stage::Proven);
                Ok(())
            }
            b"connectresponse" if self.stage >= Stage::Connecting => {
                self.stage = Stage::Connected;
                Ok(())
            }
            b"connectresponse" => Err(Refusal::NotConnected),
            b"print" | b"disconnect" => Ok(()),
            _ => Err(Refusal::Answer),
        }
    }

    fn channel_from_player(&mut self, datagram: &[u8]) -> Result<(), Refusal> {
        within(datagram, MAX_CHANNEL)?;
        let [_, _, _, _, low, high, ..] = *datagram else {
            return Err(Refusal::Size);
        };
        if self.stage != Stage::Connected {
            return Err(Refusal::NotConnected);
        }
        let qport = u16::from_le_bytes([low, high]);
        if *self.qport.get_or_insert(qport) != qport {
            return Err(Refusal::Qport);
        }
        Ok(())
    }
}

fn within(datagram: &[u8], most: usize) -> Result<(), Refusal> {
    if datagram.len() <= most {
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

    fn oob(text: &str) -> Vec<u8> {
        [&OUT_OF_BAND, text.as_bytes()].concat()
    }

    /// Runs lines `> text` (from the player) and `< text` (from the server); `#n` is a channel
    /// datagram of n bytes. Compares with what happens to each.
    fn check(story: &[(&str, Result<(), Refusal>)]) {
        let mut gate = Gate::new();
        for (line, expected) in story {
            let (side, text) = line.split_at(2);
            let datagram = match text.strip_prefix('#') {
                Some(size) => vec![1; size.parse().unwrap()],
                None => oob(text),
            };
            let verdict = match side {
                "> " => gate.check_player(&datagram),
                _ => gate.check_server(&datagram),
            };
            assert_eq!(verdict, *expected, "{line} in {:?}", gate.stage());
        }
    }

    #[test]
    fn a_join_passes() {
        check(&[
            ("> getinfo xxx", Ok(())),
            ("< infoResponse\n\\protocol\\71", Ok(())),
            ("> getchallenge 1 Quake3Arena", Ok(())),
            ("< challengeResponse 5 1 71", Ok(())),
            ("> connect \"\\challenge\\5\"", Ok(())),
            ("< print\nServer is full.", Ok(())),
            ("> connect \"\\challenge\\5\"", Ok(())),
            ("< connectResponse 5", Ok(())),
            ("> #100", Ok(())),
            ("< #1400", Ok(())),
            ("> #1400", Ok(())),
            ("> rcon secret status", Ok(())),
        ]);
    }

    #[test]
    fn nothing_but_questions_reaches_a_stranger() {
        check(&[
            ("> connect \"\"", Err(Refusal::Unproven)),
            ("> #100", Err(Refusal::NotConnected)),
            ("> rcon x status", Err(Refusal::NotConnected)),
            ("< #100", Err(Refusal::NotConnected)),
            ("< connectResponse", Err(Refusal::NotConnected)),
            ("< challengeResponse 5", Ok(())),
            ("< connectResponse", Err(Refusal::NotConnected)),
            ("> #100", Err(Refusal::NotConnected)),
        ]);
    }

    #[test]
    fn foreign_commands_and_sizes_are_refused() {
        check(&[
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
        ]);
    }

    #[test]
    fn the_qport_stays() {
        let mut gate = Gate {
            stage: Stage::Connected,
            qport: None,
        };
        assert_eq!(gate.check_player(&[1, 0, 0, 0, 7, 8, 9]), Ok(()));
        assert_eq!(gate.check_player(&[2, 0, 0, 0, 7, 8, 9]), Ok(()));
        assert_eq!(
            gate.check_player(&[3, 0, 0, 0, 7, 9, 9]),
            Err(Refusal::Qport)
        );
    }
}
