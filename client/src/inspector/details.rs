//! What a message says, in lines: its parts with their bits, down to the fields that changed.

use crate::cl::wire_log::{Entry, Said, ServerSaid, command_bits};
use shared::net::{clc::ClientMessage, cost::Cost};

/// A line, and whether it heads others.
pub struct DetailLine {
    pub text: String,
    pub is_head: bool,
}

/// All lines about a message.
pub fn lines(entry: &Entry) -> Vec<DetailLine> {
    let mut lines = Vec::new();
    let mut add = |is_head: bool, text: String| lines.push(DetailLine { text, is_head });
    let datagrams = match entry.datagrams.len() {
        0 | 1 => String::new(),
        count => format!(" in {count} datagrams"),
    };
    let bytes = entry.bytes();
    match &entry.said {
        Said::Dropped(reason) => {
            add(true, format!("{bytes} bytes were not taken"));
            add(false, reason.clone());
        }
        Said::Client { sequence, message } => {
            add(
                true,
                format!("to the server: message {sequence}, {bytes} bytes{datagrams}"),
            );
            of_client(message, &mut add);
        }
        Said::Server(said) => {
            let sequence = said.sequence;
            add(
                true,
                format!("from the server: message {sequence}, {bytes} bytes{datagrams}"),
            );
            of_server(said, &mut add);
        }
    }
    lines
}

fn of_client(message: &ClientMessage, add: &mut impl FnMut(bool, String)) {
    let (read, command) = (message.message_ack, message.command_ack);
    add(
        false,
        format!("has read message {read} and command {command}"),
    );
    let usercmds = &message.movement.usercmds;
    let times: Vec<String> = usercmds
        .iter()
        .map(|usercmd| usercmd.server_time.0.to_string())
        .collect();
    match times.as_slice() {
        [] => add(false, "no usercmds".to_owned()),
        times => add(
            false,
            format!("{} usercmds: {}", times.len(), times.join(" ")),
        ),
    }
    if !message.movement.allows_delta && !usercmds.is_empty() {
        add(false, "asks for a snapshot in full".to_owned());
    }
    for command in &message.commands {
        add(
            false,
            format!("command {}: {}", command.number, command.text),
        );
    }
}

fn of_server(said: &ServerSaid, add: &mut impl FnMut(bool, String)) {
    if said.lost > 0 {
        add(
            false,
            format!("{} messages before it did not come", said.lost),
        );
    }
    add(false, format!("has executed command {}", said.rel_ack));
    if let Some(snapshot) = &said.snapshot {
        let base = match snapshot.delta_num {
            Some(base) => format!("against {base}"),
            None => "in full".to_owned(),
        };
        let cost = said.cost();
        let (time, bits) = (snapshot.server_time.0, cost.bits);
        add(
            false,
            format!("snapshot of {time} ms, told {base}: {bits} bits"),
        );
        if snapshot.flags & shared::types::snapshot::flags::RATE_DELAYED != 0 {
            add(
                false,
                "the rate kept the server from sending it earlier".to_owned(),
            );
        }
        if cost.player.bits > 0 {
            of_state("playerstate", &cost.player, add);
        }
        for (number, cost) in &cost.entities {
            of_state(&format!("entity {number}"), cost, add);
        }
    }
    for command in &said.commands {
        let bits = command_bits(command);
        add(true, format!("command {}, {bits} bits", command.number));
        add(false, command.text.clone());
    }
    for other in &said.others {
        add(true, (*other).to_owned());
    }
}

fn of_state(name: &str, cost: &Cost, add: &mut impl FnMut(bool, String)) {
    add(true, format!("{name}, {} bits", cost.bits));
    let fields = cost.fields.iter();
    let fields: Vec<String> = fields
        .map(|(name, bits)| format!("{name} {bits}"))
        .collect();
    if !fields.is_empty() {
        add(false, fields.join("  "));
    }
}

/// Whether a message has something of that name: a number, a field, words of a command.
pub fn holds(entry: &Entry, wanted: &str) -> bool {
    let wanted = wanted.to_lowercase();
    let lines = lines(entry);
    lines
        .iter()
        .any(|line| line.text.to_lowercase().contains(&wanted))
}
