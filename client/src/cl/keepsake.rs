//! What must outlive a page that reloads, so that its connection to the server goes on as if nothing had happened.

use super::{Connection, Phase, Seeds, State, Stats, Update, level::Level, session::Session};
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
pub struct Keepsake {
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
const MOST_TEXTS: i32 = 128;

impl Texts {
    fn of(kept: &CommandTexts) -> Self {
        let newest = kept.newest();
        let texts = kept.after(newest.saturating_sub(MOST_TEXTS).max(0));
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

impl Session {
    /// Nothing before the level is known, or while paks are fetched: a new start loses nothing then.
    fn keepsake(&self, server: &str, protocol: i32, qport: u16) -> Option<Keepsake> {
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
        Some(Keepsake {
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

    fn restored(keepsake: &Keepsake, now: ClientTime) -> Option<(Self, Update)> {
        let wire = match keepsake.is_modern {
            true => WireForm::Modern,
            false => WireForm::Legacy,
        };
        let mut netchan = Netchan::new(
            Side::Client {
                qport: keepsake.qport,
            },
            wire,
            keepsake.challenge,
        );
        netchan.go_on(keepsake.outgoing, keepsake.incoming);
        netchan.skip(LEAD);
        let mut decoder = Decoder::new(Origin::Connection(wire));
        let newest_own = keepsake.own_commands.newest;
        let message = decoder
            .read(keepsake.incoming, &keepsake.gamestate, newest_own)
            .ok()?;
        let gamestate = message.ops.into_iter().find_map(|op| match op {
            ServerOp::Gamestate(gamestate) => Some(gamestate),
            _ => None,
        })?;
        let own = keepsake.own_commands.restored();
        let mut session = Self::open(now, netchan, decoder, Info::parse(&keepsake.userinfo));
        session.server_commands = keepsake.server_commands.restored();
        session.commands = Outgoing::restored(own, keepsake.acknowledged);
        session.message_ack = keepsake.incoming;
        session.keep_alive_msec = keepsake.keep_alive_msec;
        session.is_quake3e = keepsake.is_quake3e;
        session.level = Some(Level::new(&gamestate));
        Some((session, Update::Gamestate(gamestate)))
    }
}

impl Connection {
    /// What a later run needs to go on with this connection from the same place, as text.
    pub fn keepsake(&self) -> Option<String> {
        let Phase::Session(session) = &self.phase else {
            return None;
        };
        let keepsake = session.keepsake(&self.server, self.protocol, self.seeds.qport)?;
        serde_json::to_string(&keepsake).ok()
    }

    /// Goes on where an earlier run stopped, provided that the server still hears the same address.
    /// `None` if the text is no keepsake of a connection to this server.
    pub fn restored(server: &str, keepsake: &str, now: ClientTime) -> Option<Self> {
        let keepsake: Keepsake = serde_json::from_str(keepsake).ok()?;
        if keepsake.server != server {
            return None;
        }
        let (session, gamestate) = Session::restored(&keepsake, now)?;
        let mut connection = Self {
            server: keepsake.server,
            seeds: Seeds {
                qport: keepsake.qport,
                challenge: 0,
            },
            phase: Phase::Session(Box::new(session)),
            state: State::Disconnected,
            transmits: VecDeque::new(),
            updates: VecDeque::new(),
            stats: Stats::default(),
            protocol: keepsake.protocol,
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

    fn keepsake() -> Keepsake {
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
        Keepsake {
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
        let before = keepsake();
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
        let expected = Keepsake {
            outgoing: before.outgoing + LEAD,
            ..before
        };
        assert_eq!(
            connection.keepsake(),
            Some(serde_json::to_string(&expected).expect("plain values"))
        );
    }

    #[test]
    fn what_is_no_keepsake_of_this_server_is_refused() {
        let text = serde_json::to_string(&keepsake()).expect("plain values");
        assert!(Connection::restored("other.example:27960", &text, ClientTime(0)).is_none());
        for defective in ["", "{}", &text[..text.len() / 2]] {
            let restored = Connection::restored("quake.example:27960", defective, ClientTime(0));
            assert!(restored.is_none(), "{defective}");
        }
        let mut cut = keepsake();
        cut.gamestate.truncate(6);
        let text = serde_json::to_string(&cut).expect("plain values");
        assert!(Connection::restored(&cut.server, &text, ClientTime(0)).is_none());
    }
}
