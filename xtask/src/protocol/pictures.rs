//! The pictures of the pages on the protocol, each drawn from captures of real servers.

use super::{
    capture::{Capture, Content, Datagram},
    picture::{Picture, Point},
};
use anyhow::{Context, Result, bail};
use shared::{
    net::{
        clc::ClientMessage,
        cost::{self, SnapshotCost},
        svc::{self, ServerOp},
    },
    types::{snapshot::Snapshot, trajectory},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// What the pictures are drawn from.
pub(super) struct Captures {
    /// Our client on OpenArena's server over a bad line.
    line: Capture,
    /// The legacy and the modern wire on good lines.
    legacy: Capture,
    modern: Capture,
}

impl Captures {
    /// Reads them from `shared/tests/data/wire`.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        let read = |name: &str| Capture::read(&folder.join(name));
        Ok(Self {
            line: read("oa088_bad_line_30s.jsonl.gz")?,
            legacy: read("oa088_legacy71_24s.jsonl.gz")?,
            modern: read("ioq3_modern71_22s.jsonl.gz")?,
        })
    }
}

/// Draws one.
type Draw = fn(&Captures) -> Result<Picture>;

/// All, by the names of their files.
pub(super) const ALL: [(&str, Draw); 9] = [
    ("join", join),
    ("datagrams", datagrams),
    ("messages", messages),
    ("fields", fields),
    ("deltas", deltas),
    ("commands", commands),
    ("usercmds", usercmds),
    ("prediction", prediction),
    ("interpolation", interpolation),
];

// Sequences

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
fn join(captures: &Captures) -> Result<Picture> {
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
fn commands(captures: &Captures) -> Result<Picture> {
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

// Layouts

/// The heads of real datagrams, byte by byte.
fn datagrams(captures: &Captures) -> Result<Picture> {
    let find = |capture: &'_ Capture, is_wanted: &dyn Fn(&Datagram) -> bool| {
        let found = capture
            .datagrams
            .iter()
            .find(|datagram| is_wanted(datagram));
        let bytes = found.map(|datagram| datagram.bytes.clone());
        bytes.context("the capture lacks a kind of datagram")
    };
    let client = |datagram: &Datagram| {
        matches!(datagram.content, Content::Client(_)) && !datagram.is_fragment()
    };
    let server = |datagram: &Datagram| {
        matches!(datagram.content, Content::Server(_)) && !datagram.is_fragment()
    };
    let (legacy, modern) = (&captures.legacy, &captures.modern);
    /// What it is, its bytes, and the names and lengths of its head's parts.
    type Row = (&'static str, Vec<u8>, &'static [(&'static str, usize)]);
    let rows: [Row; 6] = [
        (
            "outside the channel",
            find(legacy, &|datagram| datagram.word() == "getchallenge")?,
            &[("mark", 4)],
        ),
        (
            "client, legacy wire",
            find(legacy, &client)?,
            &[("sequence", 4), ("qport", 2)],
        ),
        (
            "client, modern wire",
            find(modern, &client)?,
            &[("sequence", 4), ("qport", 2), ("checksum", 4)],
        ),
        (
            "server, legacy wire",
            find(legacy, &server)?,
            &[("sequence", 4)],
        ),
        (
            "server, modern wire",
            find(modern, &server)?,
            &[("sequence", 4), ("checksum", 4)],
        ),
        (
            "server, a piece of a long message",
            find(legacy, &|datagram| {
                datagram.is_fragment() && !datagram.is_for_server
            })?,
            &[("sequence, bit 31 set", 4), ("start", 2), ("length", 2)],
        ),
    ];
    let mut picture = Picture::new([760.0, 20.0 + 62.0 * rows.len() as f64]);
    for (number, (what, bytes, parts)) in rows.iter().enumerate() {
        let y = 20.0 + 62.0 * number as f64;
        layout(&mut picture, y, what, bytes, parts);
    }
    Ok(picture)
}

fn layout(picture: &mut Picture, y: f64, what: &str, bytes: &[u8], parts: &[(&str, usize)]) {
    const BYTE: f64 = 28.0;
    const SHOWN: usize = 20;
    /// About as wide as a small letter is.
    const LETTER: f64 = 6.0;
    picture.text("strong", [4.0, y], format!("{what}, {} bytes", bytes.len()));
    let head: usize = parts.iter().map(|(_, length)| length).sum();
    let mut x = 4.0;
    let rest = (
        if head == 4 && bytes.starts_with(&[0xff; 4]) {
            "text"
        } else {
            "message"
        },
        SHOWN.min(bytes.len()) - head,
    );
    let mut place = 0;
    let mut last_end = 0.0;
    for (number, (name, length)) in parts.iter().chain([&rest]).enumerate() {
        let width = BYTE * *length as f64 - 2.0;
        let class = if number < parts.len() { "head" } else { "" };
        let value = &bytes[place..place + length];
        picture.rect(class, [x, y + 6.0], [width, 22.0], name);
        for (at, byte) in value.iter().enumerate() {
            let middle = [x + BYTE * (at as f64 + 0.5) - 1.0, y + 21.0];
            picture.text("mono middle", middle, format!("{byte:02x}"));
        }
        let meaning = match *length {
            _ if number == parts.len() => (*name).to_owned(),
            4 if *name == "mark" => (*name).to_owned(),
            2 => format!("{name} {}", u16::from_le_bytes([value[0], value[1]])),
            4 if name.starts_with("sequence") => {
                let number = u32::from_le_bytes([value[0], value[1], value[2], value[3]]);
                format!("{name}: {}", number & !(1 << 31))
            }
            _ => (*name).to_owned(),
        };
        // What does not fit beside its neighbour stands below it.
        let row = if x < last_end { 51.0 } else { 40.0 };
        last_end = if x < last_end {
            0.0
        } else {
            x + LETTER * meaning.len() as f64
        };
        picture.text("small", [x, y + row], meaning);
        x += width + 2.0;
        place += length;
    }
    if bytes.len() > SHOWN {
        picture.text(
            "faint",
            [x + 2.0, y + 21.0],
            format!("… {} more", bytes.len() - SHOWN),
        );
    }
}

// Bits

/// A snapshot with what its parts cost.
struct Costs<'c> {
    datagram: &'c Datagram,
    snapshot: &'c Snapshot,
    cost: SnapshotCost,
    command_bits: usize,
}

/// Some snapshots in a row, well after the match has begun.
fn costs(captures: &Captures) -> Result<Vec<Costs<'_>>> {
    const SKIPPED: usize = 200;
    const COUNT: usize = 20;
    let capture = &captures.line;
    let known: BTreeMap<i32, &Snapshot> = (capture.snapshots())
        .map(|(_, snapshot)| (snapshot.message_num, snapshot))
        .collect();
    let costs: Vec<_> = (capture.snapshots())
        .skip(SKIPPED)
        .take(COUNT)
        .map(|(datagram, snapshot)| {
            let base = snapshot
                .delta_num
                .and_then(|number| known.get(&number).copied());
            let mut writer = svc::Writer::new(0);
            let before = writer.bit_len();
            if let Content::Server(message) = &datagram.content {
                for op in message.ops.iter() {
                    if let ServerOp::Command(command) = op {
                        writer.command(command.number, &command.text);
                    }
                }
            }
            Costs {
                datagram,
                snapshot,
                cost: cost::of_snapshot(snapshot, base, &capture.gamestate),
                command_bits: writer.bit_len() - before,
            }
        })
        .collect();
    match costs.len() {
        COUNT => Ok(costs),
        found => bail!("the capture has {found} of {COUNT} snapshots in a row"),
    }
}

/// The server's messages, each as long as its bits.
fn messages(captures: &Captures) -> Result<Picture> {
    const ROW: f64 = 17.0;
    /// What every message begins and ends with.
    const FRAME_BITS: usize = 48;
    let costs = costs(captures)?;
    let bits = |costs: &Costs<'_>| costs.cost.bits + costs.command_bits + FRAME_BITS;
    let most = costs.iter().map(bits).max().unwrap_or(1);
    let mut picture = Picture::new([760.0, 46.0 + ROW * costs.len() as f64]);
    let scale = (picture.width() - 150.0) / most as f64;
    let mut x = 90.0;
    for (class, name) in [
        ("head", "heads"),
        ("player", "playerstate"),
        ("entities", "entities, one by one"),
        ("commands", "commands"),
    ] {
        picture.rect(class, [x, 8.0], [12.0, 12.0], name);
        picture.text("small", [x + 16.0, 18.0], name);
        x += 40.0 + 6.5 * name.len() as f64;
    }
    for (number, costs) in costs.iter().enumerate() {
        let y = 30.0 + ROW * number as f64;
        picture.text(
            "small end",
            [82.0, y + 11.0],
            format!("message {}", costs.datagram.sequence()),
        );
        let told = costs.cost.player.bits
            + costs
                .cost
                .entities
                .iter()
                .map(|(_, cost)| cost.bits)
                .sum::<usize>();
        let heads = bits(costs) - told - costs.command_bits;
        let entities = costs.cost.entities.iter();
        let entities =
            entities.map(|(number, cost)| ("entities", format!("entity {number}"), cost.bits));
        let parts = [
            ("head", "heads".to_owned(), heads),
            ("player", "playerstate".to_owned(), costs.cost.player.bits),
        ];
        let commands = ("commands", "commands".to_owned(), costs.command_bits);
        let mut x = 90.0;
        for (class, name, bits) in parts.into_iter().chain(entities).chain([commands]) {
            let width = bits as f64 * scale;
            picture.rect(
                class,
                [x, y],
                [(width - 1.0).max(0.0), ROW - 4.0],
                &format!("{name}: {bits} bits"),
            );
            x += width;
        }
        picture.text(
            "small faint",
            [x + 5.0, y + 11.0],
            format!("{} bytes", bits(costs).div_ceil(8)),
        );
    }
    Ok(picture)
}

/// One snapshot, field by field.
fn fields(captures: &Captures) -> Result<Picture> {
    const ROW: f64 = 15.0;
    const MAX_ROWS: usize = 30;
    let mut costs = costs(captures)?;
    costs.sort_by_key(|costs| costs.cost.bits);
    let middle = costs.len() / 2;
    let Costs { snapshot, cost, .. } = &costs[middle];
    let mut rows = vec![("player", "playerstate".to_owned(), cost.player.bits, true)];
    let of = |class, cost: &cost::Cost| -> Vec<_> {
        let fields = cost.fields.iter();
        fields
            .map(|(name, bits)| (class, name.clone(), *bits, false))
            .collect()
    };
    rows.extend(of("player", &cost.player));
    for (number, entity) in &cost.entities {
        rows.push(("entities", format!("entity {number}"), entity.bits, true));
        rows.extend(of("entities", entity));
    }
    let left_out = rows.len().saturating_sub(MAX_ROWS);
    rows.truncate(MAX_ROWS);
    let most = rows.iter().map(|(_, _, bits, _)| *bits).max().unwrap_or(1);
    let mut picture = Picture::new([
        760.0,
        44.0 + ROW * (rows.len() + usize::from(left_out > 0)) as f64,
    ]);
    let base = snapshot
        .delta_num
        .map_or_else(|| "in full".to_owned(), |base| format!("against {base}"));
    let head = format!(
        "snapshot {}, told {base}: {} bits",
        snapshot.message_num, cost.bits
    );
    picture.text("strong", [4.0, 20.0], head);
    let scale = (picture.width() - 270.0) / most as f64;
    for (number, (class, name, bits, is_whole)) in rows.iter().enumerate() {
        let y = 34.0 + ROW * number as f64;
        let (weight, x) = if *is_whole {
            ("strong", 4.0)
        } else {
            ("mono", 20.0)
        };
        picture.text(weight, [x, y + 10.0], name.as_str());
        picture.rect(
            class,
            [190.0, y + 1.0],
            [*bits as f64 * scale, ROW - 4.0],
            &format!("{bits} bits"),
        );
        picture.text(
            "small faint",
            [196.0 + *bits as f64 * scale, y + 10.0],
            format!("{bits}"),
        );
    }
    if left_out > 0 {
        let y = 44.0 + ROW * MAX_ROWS as f64;
        picture.text("small faint", [20.0, y], format!("and {left_out} more"));
    }
    Ok(picture)
}

// Threads between messages

/// The part of the line's capture around a datagram that got lost well after the match has begun.
fn around_loss<'c>(
    datagrams: impl Iterator<Item = &'c Datagram>,
    is_for_server: bool,
) -> Result<i32> {
    const BEGUN_MSEC: i32 = 8000;
    let mut lost = datagrams
        .filter(|datagram| datagram.is_for_server == is_for_server && datagram.arrives.is_none());
    let found = lost.find(|datagram| datagram.sent > BEGUN_MSEC);
    Ok(found.context("the capture loses nothing")?.sent)
}

/// Snapshots with what they are told against, and the acknowledgements that allowed it.
fn deltas(captures: &Captures) -> Result<Picture> {
    const WINDOW_MSEC: i32 = 620;
    const TOP: f64 = 150.0;
    const BOTTOM: f64 = 300.0;
    let capture = &captures.line;
    let lost_at = around_loss(capture.snapshots().map(|(datagram, _)| datagram), false)?;
    let began_at = lost_at - 240;
    let mut picture = Picture::new([760.0, 340.0]);
    let scale = (picture.width() - 70.0) / f64::from(WINDOW_MSEC);
    let x = |at: i32| 60.0 + f64::from(at - began_at) * scale;
    let within = |at: i32| (began_at..began_at + WINDOW_MSEC).contains(&at);
    for (y, name) in [(TOP, "server"), (BOTTOM, "client")] {
        picture.text("strong", [4.0, y + 4.0], name);
        picture.line("", [55.0, y], [picture.width() - 6.0, y]);
    }
    let places: BTreeMap<i32, i32> = (capture.snapshots())
        .map(|(datagram, snapshot)| (snapshot.message_num, datagram.sent))
        .collect();
    for (datagram, snapshot) in capture
        .snapshots()
        .filter(|(datagram, _)| within(datagram.sent))
    {
        let begin = [x(datagram.sent), TOP];
        match datagram.arrives {
            Some(arrives) if within(arrives) => {
                picture.arrow("server", begin, [x(arrives), BOTTOM])
            }
            Some(_) => {}
            None => picture.lost(begin, [x(datagram.sent + 70), BOTTOM]),
        }
        picture.text(
            "small middle",
            [begin[0], TOP + 14.0],
            snapshot.message_num.to_string(),
        );
        let base = snapshot.delta_num.and_then(|base| places.get(&base));
        if let Some(&sent) = base.filter(|sent| within(**sent)) {
            let height = 16.0 + f64::from(datagram.sent - sent) * 0.32;
            picture.bow("base", begin, [x(sent), TOP], height);
        }
    }
    let mut told = None;
    let mut last_label = f64::MIN;
    for (datagram, message) in capture.client_messages() {
        let is_news = told.replace(message.message_ack) != Some(message.message_ack);
        if !is_news || !within(datagram.sent) {
            continue;
        }
        let begin = [x(datagram.sent), BOTTOM];
        match datagram.arrives {
            Some(arrives) if within(arrives) => picture.arrow("client", begin, [x(arrives), TOP]),
            Some(_) => {}
            None => picture.lost(begin, [x(datagram.sent + 70), TOP]),
        }
        /// A label's width: the next one stands below it if it is nearer.
        const LABEL: f64 = 48.0;
        let row = if begin[0] - last_label < LABEL {
            28.0
        } else {
            16.0
        };
        last_label = if row > 16.0 { f64::MIN } else { begin[0] };
        picture.text(
            "small middle",
            [begin[0], BOTTOM + row],
            format!("has {}", message.message_ack),
        );
    }
    Ok(picture)
}

/// Which usercmds each message carries, when one of them gets lost.
fn usercmds(captures: &Captures) -> Result<Picture> {
    const ROWS: usize = 14;
    const ROW: f64 = 18.0;
    let capture = &captures.line;
    let messages: Vec<_> = capture.client_messages().collect();
    let lost_at = around_loss(messages.iter().map(|(datagram, _)| *datagram), true)?;
    let lost = messages
        .iter()
        .position(|(datagram, _)| datagram.sent == lost_at);
    let first = lost.unwrap_or_default().saturating_sub(5);
    let rows = &messages[first..(first + ROWS).min(messages.len())];
    let times = |message: &ClientMessage| -> Vec<i32> {
        let usercmds = message.movement.usercmds.iter();
        usercmds.map(|usercmd| usercmd.server_time.0).collect()
    };
    let all: BTreeSet<i32> = rows
        .iter()
        .flat_map(|(_, message)| times(message))
        .collect();
    let columns: BTreeMap<i32, usize> = all.iter().copied().zip(0..).collect();
    let mut picture = Picture::new([760.0, 60.0 + ROW * (rows.len() + 1) as f64]);
    let cell = ((picture.width() - 190.0) / columns.len().max(1) as f64).min(ROW);
    let column = |time: i32| 100.0 + cell * columns[&time] as f64;
    let mut arrived = BTreeSet::new();
    let mut sent: BTreeSet<i32> = match first {
        0 => BTreeSet::new(),
        _ => times(messages[first - 1].1).into_iter().collect(),
    };
    for (number, (datagram, message)) in rows.iter().enumerate() {
        let y = 30.0 + ROW * number as f64;
        picture.text(
            "small end",
            [92.0, y + 12.0],
            format!("message {}", datagram.sequence()),
        );
        for time in times(message) {
            let is_first = sent.insert(time);
            let class = match (datagram.arrives, is_first) {
                (None, _) => "gone",
                (Some(_), true) => "first",
                (Some(_), false) => "again",
            };
            picture.rect(
                class,
                [column(time), y],
                [cell - 2.0, ROW - 3.0],
                &format!("usercmd {time}"),
            );
            if datagram.arrives.is_some() {
                arrived.insert(time);
            }
        }
        if datagram.arrives.is_none() {
            picture.text("lost small", [picture.width() - 80.0, y + 12.0], "lost");
        }
    }
    let y = 36.0 + ROW * rows.len() as f64;
    picture.text("small end", [92.0, y + 12.0], "the server has");
    for time in &all {
        let class = if arrived.contains(time) {
            "first"
        } else {
            "gone"
        };
        picture.rect(
            class,
            [column(*time), y],
            [cell - 2.0, ROW - 3.0],
            &format!("usercmd {time}"),
        );
    }
    let mut x = 100.0;
    for (class, name) in [
        ("first", "for the first time"),
        ("again", "again"),
        ("gone", "lost with its datagram"),
    ] {
        picture.rect(class, [x, 8.0], [12.0, 12.0], name);
        picture.text("small", [x + 16.0, 18.0], name);
        x += 40.0 + 6.0 * name.len() as f64;
    }
    Ok(picture)
}

/// What is replayed on top of each snapshot.
fn prediction(captures: &Captures) -> Result<Picture> {
    const ROWS: usize = 10;
    const ROW: f64 = 22.0;
    let capture = &captures.line;
    let lost_at = around_loss(capture.snapshots().map(|(datagram, _)| datagram), false)?;
    let rows: Vec<_> = (capture.snapshots())
        .filter(|(datagram, _)| datagram.sent > lost_at - 200)
        .filter_map(|(datagram, snapshot)| Some((datagram.arrives?, snapshot)))
        .take(ROWS)
        .collect();
    let sent: Vec<(i32, i32)> = (capture.client_messages())
        .flat_map(|(datagram, message)| {
            let usercmds = message.movement.usercmds.iter();
            usercmds.map(|usercmd| (usercmd.server_time.0, datagram.sent))
        })
        .collect();
    let mut first_sent = BTreeMap::new();
    for (time, at) in sent {
        first_sent.entry(time).or_insert(at);
    }
    let replayed = |arrives: i32, executed: i32| -> Vec<i32> {
        let later = first_sent.range(executed + 1..);
        later
            .filter(|(_, at)| **at <= arrives)
            .map(|(time, _)| *time)
            .collect()
    };
    let Some((_, first)) = rows.first() else {
        bail!("the capture has no snapshots");
    };
    let began = first.player.command_time;
    let end = rows
        .iter()
        .flat_map(|(arrives, snapshot)| replayed(*arrives, snapshot.player.command_time))
        .max();
    let end = end.context("nothing is replayed in the capture")?;
    let mut picture = Picture::new([760.0, 50.0 + ROW * rows.len() as f64]);
    let scale = (picture.width() - 260.0) / f64::from((end - began).max(1));
    let x = |time: i32| 120.0 + f64::from(time - began) * scale;
    picture.text(
        "small faint",
        [120.0, 18.0],
        "server time of the usercmds →",
    );
    for (number, (arrives, snapshot)) in rows.iter().enumerate() {
        let y = 30.0 + ROW * number as f64;
        let executed = snapshot.player.command_time;
        let usercmds = replayed(*arrives, executed);
        picture.text(
            "small end",
            [112.0, y + 13.0],
            format!("snapshot {}", snapshot.message_num),
        );
        let newest = usercmds.last().copied().unwrap_or(executed);
        let size = [(x(newest) - x(executed)).max(1.0), ROW - 6.0];
        picture.rect(
            "replay",
            [x(executed), y],
            size,
            &format!("{} usercmds", usercmds.len()),
        );
        for time in &usercmds {
            picture.line("client", [x(*time), y + 2.0], [x(*time), y + ROW - 8.0]);
        }
        picture.line(
            "server",
            [x(executed), y - 2.0],
            [x(executed), y + ROW - 4.0],
        );
        let words = format!("{} usercmds, {} ms", usercmds.len(), newest - executed);
        picture.text("small faint", [x(newest) + 6.0, y + 12.0], words);
    }
    Ok(picture)
}

/// Where another player is shown while one snapshot does not come.
fn interpolation(captures: &Captures) -> Result<Picture> {
    const WINDOW_MSEC: i32 = 900;
    const HEIGHT: f64 = 300.0;
    let capture = &captures.line;
    let (began_at, number) = runner(capture, WINDOW_MSEC)?;
    let ended_at = began_at + WINDOW_MSEC;
    let way =
        |datagram: &Datagram, snapshot: &Snapshot| Some(datagram.arrives? - snapshot.server_time.0);
    let mut ways: Vec<i32> = (capture.snapshots())
        .filter(|(datagram, _)| (began_at - 2000..ended_at).contains(&datagram.sent))
        .filter_map(|(datagram, snapshot)| way(datagram, snapshot))
        .collect();
    ways.sort_unstable();
    let usual_way = *ways
        .get(ways.len() / 2)
        .context("nothing arrives in the capture")?;
    let at = |snapshot: &Snapshot| Some(snapshot.entities.find(number)?.pos.base);
    let known: Vec<_> = (capture.snapshots())
        .filter(|(datagram, _)| (began_at - 300..ended_at).contains(&datagram.sent))
        .filter_map(|(datagram, snapshot)| Some((datagram, snapshot.server_time.0, at(snapshot)?)))
        .collect();
    let axis = widest_axis(&known.iter().map(|(_, _, at)| *at).collect::<Vec<_>>());
    let values = known.iter().map(|(_, _, at)| at[axis]);
    let (least, most) = values.fold((f32::MAX, f32::MIN), |(least, most), value| {
        (least.min(value), most.max(value))
    });
    let mut picture = Picture::new([760.0, HEIGHT + 50.0]);
    let scale = (picture.width() - 70.0) / f64::from(WINDOW_MSEC);
    let x = |at: i32| 50.0 + f64::from(at - began_at) * scale;
    let y =
        |value: f32| 30.0 + f64::from((most - value) / (most - least).max(1.0)) * (HEIGHT - 40.0);
    for msec in (0..=WINDOW_MSEC).step_by(100) {
        picture.line(
            "grid",
            [x(began_at + msec), 24.0],
            [x(began_at + msec), HEIGHT],
        );
        picture.text(
            "small faint middle",
            [x(began_at + msec), HEIGHT + 16.0],
            format!("{msec} ms"),
        );
    }
    let name = ["x", "y", "z"][axis];
    picture.text(
        "small faint",
        [4.0, 14.0],
        format!(
            "{name} of entity {number}; {:.0} units from top to bottom",
            most - least
        ),
    );
    for (datagram, time, at) in &known {
        let arrives = datagram.arrives.unwrap_or(time + usual_way);
        if !(began_at..ended_at).contains(&arrives) {
            continue;
        }
        let place = [x(arrives), y(at[axis])];
        match datagram.arrives {
            Some(_) => picture.dot(place, &format!("the snapshot of {time} ms arrives")),
            None => picture.text("lost middle", [place[0], place[1] + 4.0], "×"),
        }
    }
    // What is shown lies one interval behind what has come, so that there is something to go to.
    const INTERVAL_MSEC: i32 = 50;
    let shown = (began_at..ended_at).step_by(4).filter_map(|now| {
        let time = now - usual_way - INTERVAL_MSEC;
        let here = known
            .iter()
            .filter(|(datagram, _, _)| datagram.arrives.is_some_and(|arrives| arrives <= now));
        let (mut before, mut after) = (None, None);
        for (_, made, at) in here {
            if *made <= time {
                before = Some((*made, at[axis]));
            } else if after.is_none() {
                after = Some((*made, at[axis]));
            }
        }
        let (made, value) = before?;
        let value = match after {
            Some((next, to)) => value + (to - value) * (time - made) as f32 / (next - made) as f32,
            None => value,
        };
        Some([x(now), y(value)])
    });
    let shown: Vec<Point> = shown.collect();
    picture.path("server", &shown);
    picture.text("small faint", [50.0, HEIGHT + 38.0], "dots: where the newest snapshot has him, when it arrives; line: where he is shown; ×: lost");
    Ok(picture)
}

/// Who moves most around a lost snapshot, and when that begins.
fn runner(capture: &Capture, window_msec: i32) -> Result<(i32, u16)> {
    const BEGUN_MSEC: i32 = 8000;
    let lost = capture
        .snapshots()
        .filter(|(datagram, _)| datagram.arrives.is_none() && datagram.sent > BEGUN_MSEC);
    let mut best: Option<(f32, i32, u16)> = None;
    for (datagram, _) in lost {
        let began_at = datagram.sent - window_msec / 2;
        let mut ways: BTreeMap<u16, (Option<glam::Vec3>, f32, usize)> = BTreeMap::new();
        let mut count = 0;
        let within = |at: i32| (began_at - 300..began_at + window_msec).contains(&at);
        for (_, snapshot) in capture
            .snapshots()
            .filter(|(datagram, _)| within(datagram.sent))
        {
            count += 1;
            let moving = snapshot
                .entities
                .iter()
                .filter(|entity| entity.pos.kind == trajectory::kind::INTERPOLATE);
            for entity in moving {
                let way = ways.entry(entity.number).or_default();
                let step = way.0.map_or(0.0, |before| before.distance(entity.pos.base));
                // Who appears elsewhere did not run there.
                let is_run = step < 40.0;
                *way = (
                    Some(entity.pos.base),
                    way.1 + step,
                    way.2 + usize::from(is_run),
                );
            }
        }
        for (number, (_, length, seen)) in ways {
            if seen == count && best.is_none_or(|(most, _, _)| length > most) {
                best = Some((length, began_at, number));
            }
        }
    }
    let (_, began_at, number) = best.context("nobody runs while a snapshot gets lost")?;
    Ok((began_at, number))
}

fn widest_axis(places: &[glam::Vec3]) -> usize {
    let extent = |axis: usize| {
        let values = places.iter().map(|at| at[axis]);
        let (least, most) = values.fold((f32::MAX, f32::MIN), |(least, most), value| {
            (least.min(value), most.max(value))
        });
        most - least
    };
    if extent(0) >= extent(1) { 0 } else { 1 }
}
