//! How the inspector looks: a graph of what is shown, a lane for each end with the messages between them, and beside it
//! what the chosen message says.

use super::{Inspector, details};
use crate::{
    cl::{
        lag::LagWatch,
        wire_log::{Entry, GAMESTATE, Said, ServerSaid, WireLog},
    },
    scene::text::{Color, wrap},
    ui::painter::{NORMAL, Painter, SMALL},
};
use shared::base::sort::sort_by_key;
use shared::{base::time::ClientTime, types::snapshot::flags};

const BACK: Color = [0.03, 0.04, 0.06, 0.90];
const LANE: Color = [0.30, 0.34, 0.40, 1.0];
const GRID: Color = [0.16, 0.18, 0.22, 1.0];
const WORDS: Color = [0.62, 0.66, 0.72, 1.0];
const BRIGHT: Color = [1.0, 1.0, 1.0, 1.0];
const HEADS: Color = [0.55, 0.58, 0.64, 1.0];
const PLAYER: Color = [0.25, 0.60, 1.00, 1.0];
const ENTITIES: Color = [0.64, 0.45, 0.98, 1.0];
const COMMANDS: Color = [0.29, 0.76, 0.42, 1.0];
const CLIENT: Color = [0.45, 0.78, 0.52, 0.8];
const SERVER: Color = [1.0, 0.58, 0.20, 0.85];
const BASE: Color = [0.75, 0.55, 1.0, 1.0];
const LOST: Color = [1.0, 0.25, 0.22, 1.0];
const DELAYED: Color = [1.0, 0.85, 0.25, 1.0];
const SHOWN: Color = [0.25, 0.50, 0.95, 1.0];

/// What the bits of a server's message are for; their colors and names.
const PARTS: [(&str, Color); 4] = [
    ("heads", HEADS),
    ("playerstate", PLAYER),
    ("entities", ENTITIES),
    ("commands", COMMANDS),
];

/// Heights in units of a screen of 720.
const GRAPH: f32 = 44.0;
const BARS: f32 = 70.0;
const WAYS: f32 = 84.0;
const FOOT: f32 = 34.0;
/// Share of the width that the details have.
const DETAILS: f32 = 0.34;
/// Bits of a unit's height, and milliseconds.
const BITS: f32 = 40.0;
const MSEC: f32 = 4.0;

/// Where an entry lies.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub number: u64,
    pub x: f32,
    top: f32,
    bottom: f32,
}

impl Mark {
    pub fn holds_height(&self, y: f32) -> bool {
        (self.top..=self.bottom).contains(&y)
    }
}

/// The lanes on the screen.
struct Lanes {
    left: f32,
    right: f32,
    now: ClientTime,
    span_msec: i32,
    graph: f32,
    client: f32,
    server: f32,
    /// From our clock to the server's, over the fastest way, and half of the fastest round trip.
    clock: i32,
    half_way: i32,
}

impl Lanes {
    fn x(&self, at: ClientTime) -> f32 {
        let age = (self.now - at) as f32;
        self.right - age / self.span_msec as f32 * (self.right - self.left)
    }

    fn holds(&self, at: ClientTime) -> bool {
        (0..self.span_msec).contains(&(self.now - at))
    }

    fn begin(&self) -> ClientTime {
        self.now + -self.span_msec + 1
    }

    fn entries<'l>(&self, log: &'l WireLog) -> impl Iterator<Item = &'l Entry> + use<'l> {
        log.entries_between(self.begin(), self.now)
    }

    /// When a snapshot left, as far as that can be told: the fastest way is taken for the line's own.
    fn left_at(&self, said: &ServerSaid) -> Option<ClientTime> {
        let made = said.snapshot.as_ref()?.server_time.0;
        Some(ClientTime(
            made.wrapping_add(self.clock).wrapping_sub(self.half_way),
        ))
    }
}

/// Draws the inspector over the lower part of the screen.
pub fn draw(
    inspector: &mut Inspector,
    painter: &mut Painter<'_>,
    [width, height]: [f32; 2],
    now: ClientTime,
    log: &WireLog,
    lag: Option<&LagWatch>,
) {
    let unit = painter.unit;
    let total = (GRAPH + BARS + WAYS + FOOT + 24.0) * unit;
    let top = height - total;
    painter.fill([0.0, top, width, total], BACK);
    let (clock, half_way) = clocks(log);
    let graph = top + 10.0 * unit + GRAPH * 0.5 * unit;
    let client = top + (10.0 + GRAPH + BARS) * unit;
    let lanes = Lanes {
        left: 60.0 * unit,
        right: width * (1.0 - DETAILS) - 12.0 * unit,
        now: inspector.held_at.unwrap_or(now),
        span_msec: inspector.span_msec,
        graph,
        client,
        server: client + WAYS * unit,
        clock,
        half_way,
    };
    draw_grid(painter, &lanes);
    draw_frames(painter, &lanes, log);
    inspector.marks.clear();
    let chosen = inspector.chosen;
    for entry in lanes.entries(log) {
        let is_found = !inspector.search.is_empty() && details::holds(entry, &inspector.search);
        let mark = draw_entry(
            painter,
            &lanes,
            entry,
            chosen == Some(entry.number) || is_found,
        );
        inspector.marks.push(mark);
    }
    draw_foot(inspector, painter, &lanes, lag);
    let beside = [
        lanes.right + 12.0 * unit,
        top + 8.0 * unit,
        width * DETAILS - 12.0 * unit,
        total - 16.0 * unit,
    ];
    match inspector.chosen(log) {
        Some(entry) => {
            draw_base(painter, &lanes, entry, log);
            draw_details(painter, beside, entry);
        }
        None => draw_sums(painter, beside, &lanes, log),
    }
    if inspector.is_held() {
        let [x, y] = inspector.cursor;
        painter.fill([x - 6.0 * unit, y, 12.0 * unit, unit.max(1.0)], BRIGHT);
        painter.fill([x, y - 6.0 * unit, unit.max(1.0), 12.0 * unit], BRIGHT);
    }
}

/// From the server's clock to ours over the fastest way, and half of the fastest round trip.
fn clocks(log: &WireLog) -> (i32, i32) {
    const LOOKED_AT: usize = 400;
    // The clock of the level before is another one.
    let newest = (log.entries().rev().take(LOOKED_AT)).take_while(|entry| !begins_level(entry));
    let mut sent: Vec<(i32, ClientTime)> = Vec::new();
    for entry in newest.clone() {
        if let Said::Client { message, .. } = &entry.said {
            let usercmds = message.movement.usercmds.iter();
            sent.extend(usercmds.map(|usercmd| (usercmd.server_time.0, entry.at)));
        }
    }
    // Of those that were sent several times the first comes first.
    sort_by_key(&mut sent, |(time, at)| (*time, at.0));
    let (mut clock, mut round_trip) = (None::<i32>, None::<i32>);
    for entry in newest {
        let Said::Server(said) = &entry.said else {
            continue;
        };
        let Some(snapshot) = &said.snapshot else {
            continue;
        };
        let way = entry.at.0.wrapping_sub(snapshot.server_time.0);
        clock = Some(clock.map_or(way, |least| least.min(way)));
        let executed = snapshot.player.command_time;
        let place = sent.partition_point(|(time, _)| *time < executed);
        if let Some((_, at)) = sent.get(place).filter(|(time, _)| *time == executed) {
            let trip = entry.at - *at;
            // Whoever has just been put into the game has the server's time, which the player sends later by chance.
            if trip >= 0 {
                round_trip = Some(round_trip.map_or(trip, |least| least.min(trip)));
            }
        }
    }
    (clock.unwrap_or(0), round_trip.unwrap_or(0) / 2)
}

fn begins_level(entry: &Entry) -> bool {
    matches!(&entry.said, Said::Server(said) if said.others.contains(&GAMESTATE))
}

fn draw_grid(painter: &mut Painter<'_>, lanes: &Lanes) {
    let unit = painter.unit;
    let every = match lanes.span_msec {
        ..=400 => 50,
        401..=3000 => 250,
        _ => 2000,
    };
    let newest = lanes.now.0.div_euclid(every) * every;
    for back in 0..=lanes.span_msec / every {
        let at = ClientTime(newest.wrapping_sub(back * every));
        if lanes.holds(at) {
            let top = lanes.graph - GRAPH * 0.5 * unit;
            painter.fill([lanes.x(at), top, unit.max(1.0), lanes.server - top], GRID);
        }
    }
    for (y, name) in [
        (lanes.graph, "shown"),
        (lanes.client, "you"),
        (lanes.server, "server"),
    ] {
        painter.fill(
            [lanes.left, y, lanes.right - lanes.left, unit.max(1.0)],
            LANE,
        );
        painter.text([6.0 * unit, y - 6.0 * unit], name, SMALL, WORDS);
    }
}

/// Above the line how far there is a snapshot to go to, below how long there has been none.
fn draw_frames(painter: &mut Painter<'_>, lanes: &Lanes, log: &WireLog) {
    let unit = painter.unit;
    let most = GRAPH * 0.5;
    let mut last = f32::MIN;
    for frame in log.frames_between(lanes.begin(), lanes.now).rev() {
        let x = lanes.x(frame.at);
        if last - x < unit && last != f32::MIN {
            continue;
        }
        last = x;
        let bar = (frame.ahead_msec as f32 / MSEC).clamp(-most, most) * unit;
        let (top, color) = if bar >= 0.0 {
            (lanes.graph - bar, SHOWN)
        } else {
            (lanes.graph, DELAYED)
        };
        painter.fill([x, top, unit.max(1.0), bar.abs()], color);
    }
}

fn draw_entry(painter: &mut Painter<'_>, lanes: &Lanes, entry: &Entry, is_bright: bool) -> Mark {
    let unit = painter.unit;
    let x = lanes.x(entry.at);
    let wide = (3.0 * unit).max(1.0);
    let bars = [lanes.client - BARS * unit, lanes.client];
    let ways = [lanes.client, lanes.server + FOOT * 0.4 * unit];
    let [top, bottom] = match &entry.said {
        Said::Server(said) => {
            draw_server(painter, lanes, entry, said, is_bright);
            bars
        }
        Said::Client { .. } => {
            let color = if is_bright { BRIGHT } else { CLIENT };
            let arrives = entry.at + lanes.half_way;
            let to = lanes.x(arrives).min(lanes.right);
            painter.slant([x, lanes.client], [to, lanes.server], color);
            let size = (entry.bytes() as f32 * 8.0 / BITS * unit).min(BARS * 0.3 * unit);
            painter.fill([x, lanes.client + unit, wide * 0.6, size], color);
            ways
        }
        Said::Dropped(_) => {
            painter.fill([x, bars[0], wide, BARS * unit], LOST);
            bars
        }
    };
    Mark {
        number: entry.number,
        x,
        top,
        bottom,
    }
}

fn draw_server(
    painter: &mut Painter<'_>,
    lanes: &Lanes,
    entry: &Entry,
    said: &ServerSaid,
    is_bright: bool,
) {
    let unit = painter.unit;
    let x = lanes.x(entry.at);
    let wide = (4.0 * unit).max(1.0);
    let is_delayed = said
        .snapshot
        .as_ref()
        .is_some_and(|snapshot| snapshot.flags & flags::RATE_DELAYED != 0);
    let color = match (is_bright, is_delayed) {
        (true, _) => BRIGHT,
        (false, true) => DELAYED,
        (false, false) => SERVER,
    };
    if let Some(left_at) = lanes.left_at(said) {
        let from = lanes.x(left_at).max(lanes.left);
        painter.slant([from, lanes.server], [x, lanes.client], color);
    }
    let mut y = lanes.client;
    let least = lanes.client - BARS * unit;
    for (bits, (_, part)) in bits_of_parts(said).into_iter().zip(PARTS) {
        let part = if is_bright { BRIGHT } else { part };
        let bar = (bits as f32 / BITS * unit).min(y - least);
        y -= bar;
        painter.fill([x - wide * 0.5, y, wide, bar], part);
    }
    let side = 5.0 * unit;
    for number in 0..said.lost.min(12) {
        let back = 7.0 * unit * (number + 1) as f32;
        painter.fill([x - back, lanes.client - side, side, side], LOST);
    }
}

/// The bits of each of the [`PARTS`].
fn bits_of_parts(said: &ServerSaid) -> [usize; PARTS.len()] {
    let cost = said.cost();
    let player = cost.player.bits;
    let entities = cost.entities.iter().map(|(_, cost)| cost.bits).sum();
    let heads = cost.bits.saturating_sub(player + entities);
    [heads, player, entities, said.command_bits()]
}

/// From the chosen message to what it builds on.
fn draw_base(painter: &mut Painter<'_>, lanes: &Lanes, chosen: &Entry, log: &WireLog) {
    let unit = painter.unit;
    let Some(base) = super::base(chosen, log) else {
        return;
    };
    let y = match &chosen.said {
        Said::Client { .. } => lanes.client + 4.0 * unit,
        _ => lanes.client - BARS * unit,
    };
    let (from, to) = (
        lanes.x(base.at).max(lanes.left),
        lanes.x(chosen.at).max(lanes.left),
    );
    let thick = (1.5 * unit).max(1.0);
    painter.fill([from.min(to), y, (to - from).abs(), thick], BASE);
    for x in [from, to] {
        painter.fill([x, y, thick, 8.0 * unit], BASE);
    }
}

fn draw_details(painter: &mut Painter<'_>, [x, y, width, height]: [f32; 4], entry: &Entry) {
    let unit = painter.unit;
    let step = (SMALL[1] + 3.0) * unit;
    let letters = (width / (SMALL[0] * unit)) as usize;
    let mut top = y;
    for line in details::lines(entry) {
        let (indent, color) = if line.is_head {
            (0.0, BRIGHT)
        } else {
            (10.0 * unit, WORDS)
        };
        for part in wrap(&line.text, letters.saturating_sub(3).max(8), 12) {
            if top + step > y + height {
                return;
            }
            painter.text([x + indent, top], &part, SMALL, color);
            top += step;
        }
    }
}

/// What the visible time cost, while nothing is chosen.
fn draw_sums(
    painter: &mut Painter<'_>,
    [x, y, width, height]: [f32; 4],
    lanes: &Lanes,
    log: &WireLog,
) {
    let mut sums = Sums::default();
    for entry in lanes.entries(log) {
        sums.add(entry);
    }
    let seconds = lanes.span_msec as f32 / 1000.0;
    let rate = |bytes: usize| bytes as f32 / seconds;
    let unit = painter.unit;
    let step = (NORMAL[1] + 4.0) * unit;
    let mut top = y;
    let mut line = |painter: &mut Painter<'_>, text: String, color: Color| {
        if top + step <= y + height {
            painter.text([x, top], &text, NORMAL, color);
            top += step;
        }
    };
    line(
        painter,
        format!(
            "from the server  {:6.0} bytes/s, {} messages, {} lost",
            rate(sums.down),
            sums.messages,
            sums.lost
        ),
        BRIGHT,
    );
    for (bits, (name, color)) in sums.bits.into_iter().zip(PARTS) {
        let text = format!("  {name:12} {:6.0} bytes/s", rate(bits / 8));
        line(painter, text, color);
    }
    line(
        painter,
        format!(
            "to the server    {:6.0} bytes/s, {} messages",
            rate(sums.up),
            sums.sent
        ),
        BRIGHT,
    );
    line(
        painter,
        format!(
            "  usercmds       {:6.1} a message",
            sums.usercmds as f32 / sums.sent.max(1) as f32
        ),
        CLIENT,
    );
    let letters = (width / (NORMAL[0] * unit)) as usize;
    for part in wrap(
        "hold stops it: arrows, wheel, click, letters to search, TAB to what it builds on",
        letters.max(8),
        3,
    ) {
        line(painter, part, WORDS);
    }
}

#[derive(Default)]
struct Sums {
    up: usize,
    down: usize,
    messages: usize,
    sent: usize,
    lost: i32,
    usercmds: usize,
    bits: [usize; PARTS.len()],
}

impl Sums {
    fn add(&mut self, entry: &Entry) {
        match &entry.said {
            Said::Client { message, .. } => {
                self.up += entry.bytes();
                self.sent += 1;
                self.usercmds += message.movement.usercmds.len();
            }
            Said::Server(said) => {
                self.down += entry.bytes();
                self.messages += 1;
                self.lost += said.lost;
                for (sum, bits) in self.bits.iter_mut().zip(bits_of_parts(said)) {
                    *sum += bits;
                }
            }
            Said::Dropped(_) => self.down += entry.bytes(),
        }
    }
}

/// The causes of gaps in sight, the search, and what the width stands for.
fn draw_foot(
    inspector: &Inspector,
    painter: &mut Painter<'_>,
    lanes: &Lanes,
    lag: Option<&LagWatch>,
) {
    let unit = painter.unit;
    let y = lanes.server + 8.0 * unit;
    let mut free_from = lanes.left;
    for gap in lag
        .into_iter()
        .flat_map(LagWatch::gaps)
        .filter(|gap| lanes.holds(gap.at))
    {
        let x = lanes.x(gap.at);
        let share = gap.msec as f32 / lanes.span_msec as f32;
        let wide = (share * (lanes.right - lanes.left)).max(unit);
        painter.fill([x - wide, y, wide, 3.0 * unit], LOST);
        let from = (x - wide).max(lanes.left);
        if from >= free_from {
            let text = format!("{} {} ms", gap.cause.name(), gap.msec);
            free_from = painter.text([from, y + 5.0 * unit], &text, SMALL, LOST) + 10.0 * unit;
        }
    }
    let state = match (inspector.is_held(), inspector.search.as_str()) {
        (false, _) => format!("{} ms", lanes.span_msec),
        (true, "") => format!("{} ms, held", lanes.span_msec),
        (true, search) => format!("{} ms, held; search: {search}", lanes.span_msec),
    };
    painter.text([lanes.left, y + 18.0 * unit], &state, SMALL, WORDS);
}
