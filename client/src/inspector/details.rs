//! What a message says, in lines: its parts with their bits, down to the fields that changed.

use crate::cl::wire_log::{Entry, Said, ServerSaid, command_bits};
use shared::{
    net::{clc::ClientMessage, cost::Cost},
    types::snapshot::flags,
};

/// A line, and whether it heads others.
pub struct DetailLine {
    pub text: String,
    pub is_head: bool,
}

/// All lines about a message.
pub fn lines(entry: &Entry) -> Vec<DetailLine> {
    let mut lines = Lines::default();
    let datagrams = match entry.datagrams.len() {
        0 | 1 => String::new(),
        count => format!(" in {count} datagrams"),
    };
    let bytes = entry.bytes();
    match &entry.said {
        Said::Dropped(reason) => {
            lines.head(format!("{bytes} bytes were not taken"));
            lines.add(reason.clone());
        }
        Said::Client { sequence, message } => {
            let size = format!("{bytes} bytes{datagrams}");
            lines.head(format!("to the server: message {sequence}, {size}"));
            lines.add_client(message);
        }
        Said::Server(said) => {
            let size = format!("{bytes} bytes{datagrams}");
            let sequence = said.sequence;
            lines.head(format!("from the server: message {sequence}, {size}"));
            lines.add_server(said);
        }
    }
    lines.0
}

#[derive(Default)]
struct Lines(Vec<DetailLine>);

impl Lines {
    fn head(&mut self, text: String) {
        let is_head = true;
        self.0.push(DetailLine { text, is_head });
    }

    fn add(&mut self, text: String) {
        let is_head = false;
        self.0.push(DetailLine { text, is_head });
    }

    fn add_client(&mut self, message: &ClientMessage) {
        let (read, command) = (message.message_ack, message.command_ack);
        self.add(format!("has read message {read} and command {command}"));
        let usercmds = &message.movement.usercmds;
        let times = usercmds
            .iter()
            .map(|usercmd| usercmd.server_time.0.to_string());
        let times: Vec<String> = times.collect();
        match times.len() {
            0 => self.add("no usercmds".to_owned()),
            count => self.add(format!("{count} usercmds: {}", times.join(" "))),
        }
        if !message.movement.allows_delta && !usercmds.is_empty() {
            self.add("asks for a snapshot in full".to_owned());
        }
        for command in &message.commands {
            self.add(format!("command {}: {}", command.number, command.text));
        }
    }

    fn add_server(&mut self, said: &ServerSaid) {
        if said.lost > 0 {
            self.add(format!("{} messages before it did not come", said.lost));
        }
        self.add(format!("has executed command {}", said.rel_ack));
        if let Some(snapshot) = &said.snapshot {
            let base = match snapshot.delta_num {
                Some(base) => format!("against {base}"),
                None => "in full".to_owned(),
            };
            let cost = said.cost();
            let (time, bits) = (snapshot.server_time.0, cost.bits);
            self.add(format!("snapshot of {time} ms, told {base}: {bits} bits"));
            if snapshot.flags & flags::RATE_DELAYED != 0 {
                self.add("the rate kept the server from sending it earlier".to_owned());
            }
            if cost.player.bits > 0 {
                self.add_state("playerstate", &cost.player);
            }
            for (number, cost) in &cost.entities {
                self.add_state(&format!("entity {number}"), cost);
            }
        }
        for command in &said.commands {
            let bits = command_bits(command);
            self.head(format!("command {}, {bits} bits", command.number));
            self.add(command.text.clone());
        }
        for other in &said.others {
            self.head((*other).to_owned());
        }
    }

    fn add_state(&mut self, name: &str, cost: &Cost) {
        self.head(format!("{name}, {} bits", cost.bits));
        let fields = cost.fields.iter();
        let fields: Vec<String> = fields
            .map(|(name, bits)| format!("{name} {bits}"))
            .collect();
        if !fields.is_empty() {
            self.add(fields.join("  "));
        }
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
