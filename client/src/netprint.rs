//! Lines about datagrams and messages for the console: `showpackets`, `showdrop`, `cl_showSend`, `cl_shownet`.

use crate::{cl::Stats, con::cvar::Cvars};
use shared::{
    net::fields::{self, DeltaState, FieldKind},
    types::{entitystate::EntityState, servercmd::ServerCommand, snapshot::Snapshot},
};

/// Which of these lines are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownLines {
    /// Every datagram in both directions.
    pub packets: bool,
    /// Datagrams that came late or never.
    pub drops: bool,
    /// The size of each datagram for the server.
    pub sends: bool,
    /// 1 sizes, 2 sections, 3 the names of changed fields as well, 4 their values; -1 the values of entities' fields alone,
    /// -2 those of the player's.
    pub messages: i32,
}

impl ShownLines {
    pub fn of(cvars: &Cvars) -> Self {
        Self {
            packets: cvars.is_on("showpackets"),
            drops: cvars.is_on("showdrop"),
            sends: cvars.is_on("cl_showSend"),
            messages: cvars.integer("cl_shownet"),
        }
    }

    pub fn received(self, bytes: &[u8], printed: &mut Vec<String>) {
        if self.packets {
            printed.push(format!("recv {}\n", datagram(bytes)));
        }
        if self.messages > 0 {
            printed.push(format!("server: {} bytes\n", bytes.len()));
        }
    }

    pub fn sent(self, bytes: &[u8], printed: &mut Vec<String>) {
        if self.packets {
            printed.push(format!("send {}\n", datagram(bytes)));
        }
        if self.sends {
            printed.push(format!("client: {} bytes\n", bytes.len()));
        }
    }

    pub fn dropped(self, before: &Stats, after: &Stats, printed: &mut Vec<String>) {
        if !self.drops {
            return;
        }
        let lost = after.messages_lost.saturating_sub(before.messages_lost);
        if lost > 0 {
            printed.push(format!("dropped {lost} messages of the server\n"));
        }
        let late = after.packets_late.saturating_sub(before.packets_late);
        if late > 0 {
            printed.push(format!("{late} datagrams came twice or too late\n"));
        }
    }

    pub fn snapshot(self, snapshot: &Snapshot, ping_msec: i32, printed: &mut Vec<String>) {
        if self.messages < 2 {
            return;
        }
        printed.push(format!(
            "  snapshot {} of time {}: usercmd time {}, {} entities, ping {ping_msec}\n",
            snapshot.message_num,
            snapshot.server_time.0,
            snapshot.player.command_time,
            snapshot.entities.len(),
        ));
        if self.messages > 2 {
            let numbers: Vec<String> = snapshot
                .entities
                .iter()
                .map(|entity| entity.number.to_string())
                .collect();
            printed.push(format!("    entities {}\n", numbers.join(" ")));
        }
    }

    /// Whether snapshots are compared with the one before.
    pub fn tells_changes(self) -> bool {
        self.messages < 0 || self.messages > 2
    }

    /// What has changed from one snapshot to the next, field by field.
    pub fn changes(self, before: &Snapshot, now: &Snapshot, printed: &mut Vec<String>) {
        let has_values = self.messages != 3;
        if self.messages != -1 {
            let mut fields = changed(&before.player, &now.player, has_values);
            let arrays = fields::arrays(&before.player)
                .into_iter()
                .zip(fields::arrays(&now.player));
            for (kind, (old, new)) in fields::ARRAYS.iter().zip(arrays) {
                for (index, value) in new
                    .iter()
                    .enumerate()
                    .filter(|(index, value)| old[*index] != **value)
                {
                    fields.push_str(&field(
                        &format!("{}[{index}]", kind.name),
                        *value,
                        has_values,
                    ));
                }
            }
            if !fields.is_empty() {
                printed.push(format!("    playerstate{fields}\n"));
            }
        }
        if self.messages != -2 {
            let nothing = EntityState::default();
            for entity in now.entities.iter() {
                let known = before
                    .entities
                    .iter()
                    .find(|known| known.number == entity.number);
                let fields = changed(known.unwrap_or(&nothing), entity, has_values);
                if !fields.is_empty() {
                    printed.push(format!("    #{}{fields}\n", entity.number));
                }
            }
            for gone in before.entities.iter() {
                if !now
                    .entities
                    .iter()
                    .any(|entity| entity.number == gone.number)
                {
                    printed.push(format!("    #{} removed\n", gone.number));
                }
            }
        }
    }

    pub fn server_command(self, command: &ServerCommand, printed: &mut Vec<String>) {
        if self.messages > 1 {
            let (number, body) = (command.number, &command.body);
            printed.push(format!("  command {number}: {body:?}\n"));
        }
    }
}

/// The fields that differ, each behind a blank.
fn changed<S: DeltaState>(before: &S, now: &S, has_values: bool) -> String {
    let rows = S::FIELDS.iter().zip(S::NAMES).enumerate();
    let differing = rows.filter(|(index, _)| before.field(*index) != now.field(*index));
    differing
        .map(|(index, (kind, name))| {
            let word = now.field(index);
            match kind {
                FieldKind::Float => field(name, f32::from_bits(word), has_values),
                // The pattern of a number with its sign.
                FieldKind::Unsigned(_) | FieldKind::Signed(_) => {
                    field(name, word as i32, has_values)
                }
            }
        })
        .collect()
}

fn field(name: &str, value: impl std::fmt::Display, has_values: bool) -> String {
    match has_values {
        true => format!(" {name}:{value}"),
        false => format!(" {name}"),
    }
}

/// What the first bytes of a datagram say.
fn datagram(bytes: &[u8]) -> String {
    let length = bytes.len();
    let Some(first) = bytes.first_chunk::<4>() else {
        return format!("{length} bytes, too short for a sequence number");
    };
    match u32::from_le_bytes(*first) {
        u32::MAX => format!("{length} bytes, connectionless"),
        sequence if sequence >> 31 != 0 => {
            format!(
                "{length} bytes, a fragment of sequence {}",
                sequence & 0x7FFF_FFFF
            )
        }
        sequence => format!("{length} bytes, sequence {sequence}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn datagrams_are_told_by_their_first_bytes() {
        assert_eq!(datagram(&[7, 0, 0, 0, 9]), "5 bytes, sequence 7");
        assert_eq!(
            datagram(&[7, 0, 0, 0x80]),
            "4 bytes, a fragment of sequence 7"
        );
        assert_eq!(datagram(&[0xFF; 8]), "8 bytes, connectionless");
        assert_eq!(datagram(&[1]), "1 bytes, too short for a sequence number");
    }

    #[test]
    fn changed_fields_are_told_as_deep_as_wanted() {
        let before = Snapshot::default();
        let mut now = Snapshot::default();
        now.player.origin.x = 12.5;
        now.player.ammo[3] = 7;
        let told = |messages| {
            let lines = ShownLines {
                messages,
                ..ShownLines::default()
            };
            let mut printed = Vec::new();
            if lines.tells_changes() {
                lines.changes(&before, &now, &mut printed);
            }
            printed.concat()
        };
        assert_eq!(told(2), "");
        assert_eq!(told(3), "    playerstate origin.x ammo[3]\n");
        assert_eq!(told(4), "    playerstate origin.x:12.5 ammo[3]:7\n");
        assert_eq!(told(-2), told(4));
        assert_eq!(told(-1), "");
        assert!(ShownLines::default().messages == 0 && !ShownLines::default().tells_changes());
    }

    #[test]
    fn nothing_is_printed_unless_wanted() {
        let mut printed = Vec::new();
        let nothing = ShownLines::default();
        let lossy = Stats {
            messages_lost: 2,
            ..Stats::default()
        };
        nothing.received(&[1, 0, 0, 0], &mut printed);
        nothing.sent(&[1, 0, 0, 0], &mut printed);
        nothing.dropped(&Stats::default(), &lossy, &mut printed);
        nothing.snapshot(&Snapshot::default(), 5, &mut printed);
        assert!(printed.is_empty());
        let drops = ShownLines {
            drops: true,
            ..nothing
        };
        drops.dropped(&Stats::default(), &lossy, &mut printed);
        assert_eq!(printed, ["dropped 2 messages of the server\n"]);
    }
}
