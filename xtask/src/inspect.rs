//! Tells the messages that go over a line, both ways: as lines for people, or as JSON.

use serde_json::Value;
use shared::{
    base::{
        log_entries::{EntryForm, PrintableEntries},
        time::ClientTime,
    },
    net::tap::Tap,
};
use std::{
    io::{self, Write},
    net::SocketAddr,
};

/// Reads along in one client's session.
#[derive(Debug)]
pub(crate) struct Inspector {
    client: SocketAddr,
    form: EntryForm,
    tap: Tap,
}

impl Inspector {
    pub(crate) fn new(client: SocketAddr, form: EntryForm) -> Self {
        Self {
            client,
            form,
            tap: Tap::default(),
        }
    }

    /// A datagram arrives at the server or at the client: tells what it says, if it completes a message.
    pub(crate) fn hear(
        &mut self,
        now: ClientTime,
        is_for_server: bool,
        datagram: &[u8],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let heard = match is_for_server {
            true => self.tap.hear_client(now, datagram),
            false => self.tap.hear_server(now, datagram),
        };
        let Some(heard) = heard else { return Ok(()) };
        let mut line = self.tap.json(&heard);
        line["at_msec"] = now.0.into();
        line["client"] = self.client.to_string().into();
        let mut out = PrintableEntries {
            form: self.form,
            to: out,
        };
        match self.form {
            EntryForm::Json => out.write_all(line.to_string().as_bytes()),
            EntryForm::Text => readable(&line)
                .iter()
                .try_for_each(|text| out.write_all(text.as_bytes())),
        }
    }
}

/// One line for the message, and one for each of its parts below it.
fn readable(line: &Value) -> Vec<String> {
    let seconds = line["at_msec"].as_f64().unwrap_or(0.0) / 1000.0;
    let word = |name: &str| line[name].as_str().unwrap_or("").to_owned();
    let beginning = format!("{seconds:9.3} {} {:6}", word("client"), word("from"));
    if let Some(word) = line["out_of_band"].as_str() {
        return vec![format!("{beginning} {word}, {} bytes", line["bytes"])];
    }
    let datagrams = match line["datagrams"].as_u64() {
        Some(1) | None => String::new(),
        Some(count) => format!(" in {count} datagrams"),
    };
    let head = format!(
        "{beginning} #{}, {} bytes{datagrams}",
        line["sequence"], line["bytes"]
    );
    if let Some(error) = line["error"].as_str() {
        return vec![format!("{head}: {error}")];
    }
    let acknowledged = |name: &str| format!("{name} {}", line[format!("acknowledged_{name}")]);
    let mut lines = Vec::new();
    if let Some(usercmds) = line["usercmds"].as_array() {
        let times: Vec<String> = usercmds.iter().map(Value::to_string).collect();
        let read = [acknowledged("message"), acknowledged("command")].join(", ");
        let usercmds = match times.as_slice() {
            [] => "no usercmds".to_owned(),
            times => format!("usercmds {}", times.join(" ")),
        };
        lines.push(format!("{head}: {usercmds}; has {read}"));
    } else {
        lines.push(format!("{head}: has {}", acknowledged("command")));
    }
    let parts = [&line["commands"], &line["ops"]].into_iter();
    let parts = parts.filter_map(Value::as_array).flatten();
    lines.extend(parts.map(|part| format!("            {}", of_part(part))));
    lines
}

fn of_part(part: &Value) -> String {
    let bits = match part["bits"].as_u64() {
        Some(bits) => format!(" ({bits} bits)"),
        None => String::new(),
    };
    match part["op"].as_str() {
        Some("gamestate") => format!(
            "gamestate: {} configstrings, {} baselines{bits}",
            part["configstrings"], part["baselines"]
        ),
        Some("snapshot") if !part["missing_base"].is_null() => {
            format!("snapshot on {}, which is not known", part["missing_base"])
        }
        Some("snapshot") => {
            let base = match &part["base"] {
                Value::Null => "in full".to_owned(),
                base => format!("on {base}"),
            };
            let entities = part["entities"].as_array().into_iter().flatten();
            let entities = entities
                .map(|entity| format!("; #{}{}", entity["number"], fields(entity)))
                .collect::<String>();
            let player = fields(&part["player"]);
            let time = &part["server_time"];
            format!("snapshot {time} {base}{bits}: player{player}{entities}")
        }
        Some(op) if op != "command" => format!("{op}{bits}"),
        // Commands of clients are nothing else, and so have no word for it.
        _ => format!("command {} {}{bits}", part["number"], part["text"]),
    }
}

/// The names of the fields that changed.
fn fields(state: &Value) -> String {
    let names = state["fields"].as_object().into_iter().flatten();
    names.map(|(name, _)| format!(" {name}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn messages_are_told_part_by_part() {
        let line = json!({
            "at_msec": 1250, "client": "127.0.0.1:9", "from": "server", "sequence": 12, "datagrams": 2, "bytes": 1500,
            "acknowledged_command": 3,
            "ops": [
                { "op": "command", "bits": 96, "number": 7, "text": "cs 5 \"x\"" },
                { "op": "snapshot", "bits": 40, "server_time": 900, "base": 11,
                  "player": { "bits": 9, "fields": { "origin.x": 8 } },
                  "entities": [{ "number": 64, "bits": 3, "fields": { "pos.base.z": 2 } }] },
            ],
        });
        assert_eq!(
            readable(&line),
            [
                "    1.250 127.0.0.1:9 server #12, 1500 bytes in 2 datagrams: has command 3",
                "            command 7 \"cs 5 \\\"x\\\"\" (96 bits)",
                "            snapshot 900 on 11 (40 bits): player origin.x; #64 pos.base.z",
            ]
        );
        let line = json!({
            "at_msec": 0, "client": "c", "from": "player", "sequence": 1, "datagrams": 1, "bytes": 60,
            "acknowledged_message": 2, "acknowledged_command": 1, "usercmds": [5, 13],
            "commands": [{ "number": 4, "text": "say hi" }],
        });
        assert_eq!(
            readable(&line),
            [
                "    0.000 c player #1, 60 bytes: usercmds 5 13; has message 2, command 1",
                "            command 4 \"say hi\"",
            ]
        );
    }

    #[test]
    fn what_is_told_of_a_datagram_is_one_line_without_its_secrets() {
        let client = "127.0.0.1:9".parse().unwrap();
        let datagram = b"\xff\xff\xff\xffrcon hush status\x1b[2J";
        for (form, expected) in [
            (
                EntryForm::Text,
                "    0.007 127.0.0.1:9 player rcon, 24 bytes\n",
            ),
            (
                EntryForm::Json,
                "{\"at_msec\":7,\"bytes\":24,\"client\":\"127.0.0.1:9\",\"from\":\"player\",\"out_of_band\":\"rcon\"}\n",
            ),
        ] {
            let mut out = Vec::new();
            let mut inspector = Inspector::new(client, form);
            inspector
                .hear(ClientTime(7), true, datagram, &mut out)
                .unwrap();
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}
