//! Who sends what when: client and server at the sides, time downwards.

use super::Captures;
use crate::protocol::{
    capture::{Content, Datagram},
    picture::Picture,
};
use anyhow::{Context, Result};
use shared::net::{clc::ClientMessage, svc::ServerOp};

/// Client at the left, server at the right, time downwards.
struct Sequence {
    picture: Picture,
    began_at: i32,
    pixels_a_msec: f64,
    /// Where the last words stand, at the client's side and at the server's.
    words: [f64; 2],
}

const CLIENT_X: f64 = 250.0;
const SERVER_X: f64 = 510.0;

impl Sequence {
    fn new(began_at: i32, ended_at: i32, pixels_a_msec: f64) -> Self {
        let height = 60.0 + f64::from(ended_at - began_at) * pixels_a_msec;
        let mut picture = Picture::new([760.0, height]);
        for (x, name) in [(CLIENT_X, "client"), (SERVER_X, "server")] {
            picture.text("middle strong", [x, 20.0], name);
            picture.line("", [x, 28.0], [x, height - 6.0]);
        }
        let mut sequence = Self {
            picture,
            began_at,
            pixels_a_msec,
            words: [f64::MIN; 2],
        };
        for msec in (0..=ended_at - began_at).step_by(100) {
            let y = sequence.y(began_at + msec);
            sequence
                .picture
                .text("small faint", [4.0, y + 4.0], format!("{msec} ms"));
        }
        sequence
    }

    fn y(&self, at: i32) -> f64 {
        38.0 + f64::from(at - self.began_at) * self.pixels_a_msec
    }

    /// Words stand where they are sent, if there is room.
    fn add(&mut self, datagram: &Datagram, words: &str) {
        const ROOM: f64 = 13.0;
        let (from, to) = match datagram.is_for_server {
            true => (CLIENT_X, SERVER_X),
            false => (SERVER_X, CLIENT_X),
        };
        let class = side(datagram);
        let begin = [from, self.y(datagram.sent)];
        match datagram.arrives {
            Some(arrives) => {
                let end = [to, self.y(arrives)];
                self.picture.arrow(class, begin, end);
            }
            None => self
                .picture
                .lost(begin, [to, begin[1] + 60.0 * self.pixels_a_msec]),
        }
        let place = &mut self.words[usize::from(!datagram.is_for_server)];
        if begin[1] - *place < ROOM {
            return;
        }
        *place = begin[1];
        let (class, x) = match datagram.is_for_server {
            true => ("end", from - 8.0),
            false => ("", from + 8.0),
        };
        self.picture.text(class, [x, begin[1] + 4.0], words);
    }
}

fn side(datagram: &Datagram) -> &'static str {
    match datagram.is_for_server {
        true => "client",
        false => "server",
    }
}

/// From the first question to the end of the gamestate.
pub(super) fn join(captures: &Captures) -> Result<Picture> {
    let all = &captures.line.datagrams;
    let first = all
        .iter()
        .position(|datagram| datagram.word() == "getchallenge" && datagram.is_for_server);
    let first = first.context("the capture has no getchallenge")?;
    let has_gamestate = |datagram: &Datagram| match &datagram.content {
        Content::Server(message) => message
            .ops
            .iter()
            .any(|op| matches!(op, ServerOp::Gamestate(_))),
        _ => false,
    };
    let last = all.iter().position(has_gamestate);
    let last = last.context("the capture has no gamestate")?;
    let end = all[last].arrives.context("the gamestate's end got lost")?;
    let mut sequence = Sequence::new(all[first].sent, end + 20, 0.8);
    let fragments = all[first..=last]
        .iter()
        .filter(|datagram| datagram.is_fragment())
        .count();
    for datagram in &all[first..=last] {
        let words = match &datagram.content {
            Content::OutOfBand => datagram.word(),
            Content::Client(_) => format!("message {}", datagram.sequence()),
            _ if datagram.is_fragment() => format!(
                "message {}: gamestate, {fragments} pieces",
                datagram.sequence()
            ),
            _ => format!("message {}", datagram.sequence()),
        };
        sequence.add(datagram, &words);
    }
    Ok(sequence.picture)
}

/// A command of the client until the server has said that it has it.
pub(super) fn commands(captures: &Captures) -> Result<Picture> {
    let messages: Vec<_> = captures.line.client_messages().collect();
    let is_chat = |message: &ClientMessage| {
        message
            .commands
            .iter()
            .any(|command| command.text.starts_with("say "))
    };
    let first = messages.iter().position(|(_, message)| is_chat(message));
    let first = first.context("nobody says anything in the capture")?;
    let count = messages[first..]
        .iter()
        .take_while(|(_, message)| is_chat(message))
        .count();
    let number = messages[first]
        .1
        .commands
        .last()
        .map_or(0, |command| command.number);
    let began_at = messages[first].0.sent - 30;
    let after = messages
        .get(first + count)
        .context("the capture ends within a command")?;
    let ended_at = after.0.sent + 40;
    let mut sequence = Sequence::new(began_at, ended_at, 1.6);
    let within = |datagram: &&Datagram| (began_at..ended_at - 20).contains(&datagram.sent);
    for datagram in captures.line.datagrams.iter().filter(within) {
        let words = match &datagram.content {
            Content::Client(message) => match message.commands.last() {
                Some(command) => format!(
                    "{}: command {}, “{}”",
                    datagram.sequence(),
                    command.number,
                    command.text
                ),
                None => format!("{}: no command", datagram.sequence()),
            },
            Content::Server(message) if message.rel_ack >= number => {
                format!("{}: has command {}", datagram.sequence(), message.rel_ack)
            }
            Content::Server(message) => format!("{}: has {}", datagram.sequence(), message.rel_ack),
            _ => continue,
        };
        sequence.add(datagram, &words);
    }
    Ok(sequence.picture)
}
