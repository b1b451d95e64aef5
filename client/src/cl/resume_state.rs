//! What must outlive a page that reloads, so that its connection to the server goes on as if nothing had happened.

use super::{
    Connection, Phase, Seeds, State, Stats, Update, client_active::ClientActive,
    open_connection::OpenConnection,
};
use crate::cl::reliable::Outgoing;
use serde::{Deserialize, Serialize};
use shared::{
    base::{info::Info, time::ClientTime},
    net::{
        netchan::{Netchan, Side},
        protocol::WireForm,
        reliable::CommandTexts,
        svc::{Decoder, Origin, ServerOp, Writer},
    },
};
use std::collections::VecDeque;

/// The state of a channel and its level, without what the next full snapshot brings again.
#[derive(Debug, Serialize, Deserialize)]
pub struct ResumeState {
    server: String,
    protocol: i32,
    is_modern: bool,
    is_quake3e: bool,
    challenge: i32,
    qport: u16,
    outgoing: i32,
    incoming: i32,
    keep_alive_msec: i32,
    userinfo: String,
    server_commands: Texts,
    own_commands: Texts,
    acknowledged: i32,
    /// A message that holds the level as it is now.
    gamestate: Vec<u8>,
}

/// The newest commands of one direction, oldest first.
#[derive(Debug, Serialize, Deserialize)]
struct Texts {
    newest: i32,
    texts: Vec<String>,
}

/// So many messages may have been sent and not been noted.
const LEAD: i32 = 16;
/// More commands than a server still refers to.
const MAX_TEXTS: i32 = 128;

impl Texts {
    fn of(kept: &CommandTexts) -> Self {
        let newest = kept.newest();
        let texts = kept.after(newest.saturating_sub(MAX_TEXTS).max(0));
        Self {
            newest,
            texts: texts.map(|(_, text)| text.to_owned()).collect(),
        }
    }

    fn restored(&self) -> CommandTexts {
        let mut kept = CommandTexts::new();
        let first = self.newest.wrapping_sub(self.texts.len() as i32);
        kept.set_newest(first);
        for text in &self.texts {
            kept.push(text);
        }
        kept
    }
}

impl OpenConnection {
    /// Nothing before the level is known, or while paks are fetched: a new start loses nothing then.
    fn resume_state(&self, server: &str, protocol: i32, qport: u16) -> Option<ResumeState> {
        let level = self.level.as_ref()?;
        let wire = self.wire()?;
        if self.downloads.is_running() {
            return None;
        }
        let mut gamestate = self.decoder.gamestate().as_ref().clone();
        gamestate.configstrings = level.configstrings.clone();
        gamestate.server_command_num = self.server_commands.newest();
        let mut writer = Writer::new(self.commands.newest_number());
        writer.gamestate(&gamestate);
        Some(ResumeState {
            server: server.to_owned(),
            protocol,
            is_modern: wire == WireForm::Modern,
            is_quake3e: self.is_quake3e,
            challenge: self.netchan.challenge(),
            qport,
            outgoing: self.netchan.outgoing(),
            incoming: self.netchan.incoming(),
            keep_alive_msec: self.keep_alive_msec,
            userinfo: self.userinfo.info.to_string(),
            server_commands: Texts::of(&self.server_commands),
            own_commands: Texts::of(self.commands.texts()),
            acknowledged: self.commands.acknowledged(),
            gamestate: writer.finish().ok()?,
        })
    }

    fn restored(resume_state: &ResumeState, now: ClientTime) -> Option<(Self, Update)> {
        let wire = match resume_state.is_modern {
            true => WireForm::Modern,
            false => WireForm::Legacy,
        };
        let mut netchan = Netchan::new(
            Side::Client {
                qport: resume_state.qport,
            },
            wire,
            resume_state.challenge,
        );
        netchan.go_on(resume_state.outgoing, resume_state.incoming);
        netchan.skip(LEAD);
        let mut decoder = Decoder::new(Origin::Connection(wire));
        let newest_own = resume_state.own_commands.newest;
        let message = decoder
            .read(resume_state.incoming, &resume_state.gamestate, newest_own)
            .ok()?;
        let gamestate = message.ops.into_iter().find_map(|op| match op {
            ServerOp::Gamestate(gamestate) => Some(gamestate),
            _ => None,
        })?;
        let own = resume_state.own_commands.restored();
        let mut session = Self::open(now, netchan, decoder, Info::parse(&resume_state.userinfo));
        session.server_commands = resume_state.server_commands.restored();
        session.commands = Outgoing::restored(own, resume_state.acknowledged);
        session.message_ack = resume_state.incoming;
        session.keep_alive_msec = resume_state.keep_alive_msec;
        session.is_quake3e = resume_state.is_quake3e;
        session.level = Some(ClientActive::new(&gamestate));
        Some((session, Update::Gamestate(gamestate)))
    }
}

impl Connection {
    /// What a later run needs to go on with this connection from the same place, as text.
    pub fn resume_state(&self) -> Option<String> {
        let Phase::OpenConnection(session) = &self.phase else {
            return None;
        };
        let resume_state = session.resume_state(&self.server, self.protocol, self.seeds.qport)?;
        serde_json::to_string(&resume_state).ok()
    }

    /// Goes on where an earlier run stopped, provided that the server still hears the same address.
    /// `None` if the text is no resume_state of a connection to this server.
    pub fn restored(server: &str, resume_state: &str, now: ClientTime) -> Option<Self> {
        let resume_state: ResumeState = serde_json::from_str(resume_state).ok()?;
        if resume_state.server != server {
            return None;
        }
        let (session, gamestate) = OpenConnection::restored(&resume_state, now)?;
        let mut connection = Self {
            server: resume_state.server,
            seeds: Seeds {
                qport: resume_state.qport,
                challenge: 0,
            },
            phase: Phase::OpenConnection(Box::new(session)),
            state: State::Disconnected,
            transmits: VecDeque::new(),
            updates: VecDeque::new(),
            stats: Stats::default(),
            protocol: resume_state.protocol,
        };
        connection.tell_state();
        connection.updates.push_back(gamestate);
        Some(connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::types::gamestate::Gamestate;

    fn resume_state() -> ResumeState {
        let mut gamestate = Gamestate {
            client_num: 3,
            checksum_feed: 77,
            server_command_num: 200,
            ..Gamestate::default()
        };
        let serverinfo = r"\mapname\oa_dm1";
        gamestate
            .configstrings
            .set(0, serverinfo)
            .expect("there is room for one");
        let mut writer = Writer::new(5);
        writer.gamestate(&gamestate);
        let texts = |newest: i32, count: i32| Texts {
            newest,
            texts: (newest - count + 1..=newest)
                .map(|number| format!("text {number}"))
                .collect(),
        };
        ResumeState {
            server: "quake.example:27960".to_owned(),
            protocol: 71,
            is_modern: false,
            is_quake3e: true,
            challenge: -9,
            qport: 4242,
            outgoing: 900,
            incoming: 1200,
            keep_alive_msec: 1000,
            userinfo: r"\name\Sarge".to_owned(),
            server_commands: texts(200, 128),
            own_commands: texts(5, 5),
            acknowledged: 4,
            gamestate: writer.finish().expect("a small message"),
        }
    }

    #[test]
    fn a_restored_connection_says_the_same_again() {
        let before = resume_state();
        let text = serde_json::to_string(&before).expect("plain values");
        let mut connection = Connection::restored(&before.server, &text, ClientTime(0))
            .expect("a connection that goes on");
        assert_eq!(connection.state(), State::Loading);
        let mut updates = std::iter::from_fn(|| connection.poll_update());
        let gamestate = updates.find_map(|update| match update {
            Update::Gamestate(gamestate) => Some(gamestate),
            _ => None,
        });
        let gamestate = gamestate.expect("the level is told anew");
        assert_eq!((gamestate.client_num, gamestate.checksum_feed), (3, 77));
        let expected = ResumeState {
            outgoing: before.outgoing + LEAD,
            ..before
        };
        assert_eq!(
            connection.resume_state(),
            Some(serde_json::to_string(&expected).expect("plain values"))
        );
    }

    #[test]
    fn what_is_no_keepsake_of_this_server_is_refused() {
        let text = serde_json::to_string(&resume_state()).expect("plain values");
        assert!(Connection::restored("other.example:27960", &text, ClientTime(0)).is_none());
        for defective in ["", "{}", &text[..text.len() / 2]] {
            let restored = Connection::restored("quake.example:27960", defective, ClientTime(0));
            assert!(restored.is_none(), "{defective}");
        }
        let mut cut = resume_state();
        cut.gamestate.truncate(6);
        let text = serde_json::to_string(&cut).expect("plain values");
        assert!(Connection::restored(&cut.server, &text, ClientTime(0)).is_none());
    }
}
