//! Inspector: a time line of what is said on a connection, both ways, to be held, searched and looked into.
//!
//! Live it only shows, and all keys go to the game. Held, it takes keys and mouse: arrows and wheel move and widen the
//! time line, a click or the arrows choose a message, letters search.

mod details;
mod draw;
mod export;

pub use export::{heads, json, pcapng};

use crate::{
    cl::{
        lag::LagWatch,
        wire_log::{Entry, Said, WireLog},
    },
    con::keys,
    ui::painter::Painter,
};
use draw::Mark;
use shared::base::time::ClientTime;

/// What the width of the time line stands for at first, at least and at most.
const SPAN_MSEC: i32 = 1500;
const MIN_SPAN_MSEC: i32 = 150;
const MAX_SPAN_MSEC: i32 = 24_000;

/// The inspector while it is open.
#[derive(Clone, Debug)]
pub struct Inspector {
    span_msec: i32,
    /// The right edge, where it stands still.
    held_at: Option<ClientTime>,
    /// The number of the entry that is looked into.
    chosen: Option<u64>,
    search: String,
    /// Where entries lie on the screen, from the last drawing.
    marks: Vec<Mark>,
    cursor: [f32; 2],
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InspectorKey {
    /// It is for the game.
    Ignored,
    Handled,
    /// The time line goes on.
    Release,
}

impl Default for Inspector {
    fn default() -> Self {
        Self {
            span_msec: SPAN_MSEC,
            held_at: None,
            chosen: None,
            search: String::new(),
            marks: Vec::new(),
            cursor: [0.0; 2],
        }
    }
}

impl Inspector {
    /// Draws it over the lower part of the screen.
    pub fn draw(
        &mut self,
        painter: &mut Painter<'_>,
        screen: [f32; 2],
        now: ClientTime,
        log: &WireLog,
        lag: Option<&LagWatch>,
    ) {
        draw::draw(self, painter, screen, now, log, lag);
    }

    /// Whether it has the keys.
    pub fn is_held(&self) -> bool {
        self.held_at.is_some()
    }

    /// Lets the time line stand still, with the newest message chosen.
    pub fn hold(&mut self, now: ClientTime, log: &WireLog, screen: [f32; 2]) {
        self.held_at = Some(now);
        self.chosen = log.newest().map(|entry| entry.number);
        self.cursor = [screen[0] * 0.5, screen[1] * 0.75];
    }

    /// Lets it go on.
    pub fn release(&mut self) {
        self.held_at = None;
        self.chosen = None;
        self.search.clear();
    }

    /// The message that is looked into.
    pub fn chosen<'l>(&self, log: &'l WireLog) -> Option<&'l Entry> {
        log.find(self.chosen?)
    }

    /// A key goes down.
    pub fn handle_key(&mut self, key: u16, log: &WireLog) -> InspectorKey {
        let Some(held_at) = self.held_at else {
            return InspectorKey::Ignored;
        };
        match key {
            keys::ESCAPE if self.search.is_empty() => return InspectorKey::Release,
            keys::ESCAPE => self.search.clear(),
            keys::LEFTARROW => self.step(log, false),
            keys::RIGHTARROW => self.step(log, true),
            keys::UPARROW | keys::MWHEELUP => self.widen(0.5),
            keys::DOWNARROW | keys::MWHEELDOWN => self.widen(2.0),
            keys::PGUP => self.held_at = Some(held_at + -self.span_msec / 2),
            keys::PGDN => self.held_at = Some(held_at + self.span_msec / 2),
            keys::TAB => self.follow(log),
            keys::ENTER => self.find_next(log),
            keys::BACKSPACE => {
                self.search.pop();
            }
            keys::MOUSE1 => self.choose_pointed(),
            _ => {}
        }
        InspectorKey::Handled
    }

    /// A letter was typed: it is searched for.
    pub fn handle_char(&mut self, c: char) -> bool {
        const MAX_CHARS: usize = 40;
        let takes = self.is_held() && !c.is_control();
        if takes && self.search.chars().count() < MAX_CHARS {
            self.search.push(c);
        }
        takes
    }

    /// The mouse moves; false if it is the game's.
    pub fn move_cursor(&mut self, dx: f32, dy: f32, screen: [f32; 2]) -> bool {
        if self.is_held() {
            let moved = [self.cursor[0] + dx, self.cursor[1] + dy];
            self.cursor = [
                moved[0].clamp(0.0, screen[0]),
                moved[1].clamp(0.0, screen[1]),
            ];
        }
        self.is_held()
    }

    fn widen(&mut self, factor: f32) {
        let span = self.span_msec as f32 * factor;
        self.span_msec = (span as i32).clamp(MIN_SPAN_MSEC, MAX_SPAN_MSEC);
    }

    /// Goes to the next message of the same direction.
    fn step(&mut self, log: &WireLog, is_forward: bool) {
        let Some(chosen) = self.chosen(log) else {
            self.choose(log.newest());
            return;
        };
        let is_alike = |entry: &&Entry| is_from_server(entry) == is_from_server(chosen);
        let entries = log.entries().filter(is_alike);
        let next = match is_forward {
            true => entries.clone().find(|entry| entry.number > chosen.number),
            false => entries.rev().find(|entry| entry.number < chosen.number),
        };
        self.choose(next);
    }

    /// Goes to what the chosen message builds on.
    fn follow(&mut self, log: &WireLog) {
        let base = self.chosen(log).and_then(|chosen| base(chosen, log));
        self.choose(base);
    }

    /// Goes to the next message that holds what is searched for, around the end.
    fn find_next(&mut self, log: &WireLog) {
        if self.search.is_empty() {
            return;
        }
        let after = self.chosen.unwrap_or(0);
        let holds = |entry: &&Entry| details::holds(entry, &self.search);
        let entries = || log.entries();
        let later = entries().filter(|entry| entry.number > after).find(holds);
        let found = later.or_else(|| entries().find(holds));
        self.choose(found);
    }

    fn choose_pointed(&mut self) {
        let [x, y] = self.cursor;
        let far = |mark: &&Mark| (mark.x - x).abs() + if mark.holds_height(y) { 0.0 } else { 1e6 };
        let nearest = self
            .marks
            .iter()
            .min_by(|one, other| far(one).total_cmp(&far(other)));
        if let Some(mark) = nearest {
            self.chosen = Some(mark.number);
        }
    }

    /// Chooses it, and moves the time line if it lies outside.
    fn choose(&mut self, entry: Option<&Entry>) {
        let (Some(entry), Some(held_at)) = (entry, self.held_at) else {
            return;
        };
        self.chosen = Some(entry.number);
        let age = held_at - entry.at;
        if !(0..self.span_msec).contains(&age) {
            self.held_at = Some(entry.at + self.span_msec / 2);
        }
    }
}

/// What a message builds on: a snapshot's base, the message that ours acknowledges.
fn base<'l>(entry: &Entry, log: &'l WireLog) -> Option<&'l Entry> {
    let wanted = match &entry.said {
        Said::Server(said) => said.snapshot.as_ref()?.delta_num?,
        Said::Client { message, .. } => message.message_ack,
        Said::Dropped(_) => return None,
    };
    let is_wanted =
        |entry: &&Entry| matches!(&entry.said, Said::Server(said) if said.sequence == wanted);
    log.entries().rev().find(is_wanted)
}

fn is_from_server(entry: &Entry) -> bool {
    !matches!(entry.said, Said::Client { .. })
}
