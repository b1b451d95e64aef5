//! How a page of the menus looks: a dark panel, its title, rows with their values, and a sentence about the chosen one.

use super::{
    Entry, Menu,
    letters::{self, Letters},
    pages::PageId,
    rows::{MenuInput, Row, RowKind},
    servers::{cells, columns, marks},
};
use crate::{
    scene::{
        Draw2d, ShaderId,
        text::{Charset, Color, Piece, TextStyle, pieces, plain, visible_len, wrap},
    },
    ui::{
        font::{Align, Font},
        holds,
    },
};

/// What the menus are drawn with.
#[derive(Clone, Copy, Debug)]
pub struct MenuLook<'a> {
    pub charset: Charset,
    /// Until it is here, all is written in the character set.
    pub font: Option<Font>,
    pub screen: [f32; 2],
    /// Pixels for each unit; letters of values are 14 units high.
    pub scale: f32,
    /// Whether fingers choose: they need higher rows.
    pub is_touch: bool,
    pub cursor_is_on: bool,
    /// The chosen crosshair, to be looked at beside its settings.
    pub crosshair: Option<(ShaderId, f32)>,
    /// Whether a game is to be seen behind.
    pub is_over_game: bool,
    /// Black and white, with nothing dim.
    pub has_contrast: bool,
    /// Why the last match ended.
    pub error: Option<&'a str>,
}

/// Where a row lies on the screen.
#[derive(Clone, Copy, Debug)]
pub struct Zone {
    pub row: usize,
    rect: [f32; 4],
    /// The part that stands for the value's range.
    slider: Option<[f32; 4]>,
}

const ACCENT: Color = [0.92, 0.36, 0.12, 1.0];
const BRIGHT: Color = [1.0, 1.0, 1.0, 1.0];
const PLAIN: Color = [0.78, 0.8, 0.84, 1.0];
const DIM: Color = [0.52, 0.55, 0.6, 1.0];
const NOTICE: Color = [1.0, 0.8, 0.3, 1.0];
const BLACK: Color = [0.0, 0.0, 0.0, 1.0];
const PANEL: Color = [0.03, 0.04, 0.06, 0.86];

const WIDTH: f32 = 620.0;
/// The panel has at least so many units: on narrow screens all becomes smaller.
const NARROWEST: f32 = 500.0;
const EDGE: f32 = 28.0;
/// Height of the proportional letters of a row, and of the title, for 27 in their picture.
const LABEL: f32 = 0.58;
const TITLE: f32 = 1.05;
/// Share of the title's height that a long one has at least.
const SMALLEST_TITLE: f32 = 0.5;
/// Height of a row of letters on the screen.
const KEY: f32 = 26.0;

/// Heights in units.
#[derive(Clone, Copy)]
struct Heights {
    row: f32,
    top: f32,
    bottom: f32,
}

const OF_POINTERS: Heights = Heights {
    row: 24.0,
    top: 76.0,
    bottom: 78.0,
};
/// Of a phone's 400 units a row is a ninth: as high as a thumb is wide.
const OF_FINGERS: Heights = Heights {
    row: 44.0,
    top: 62.0,
    bottom: 58.0,
};

impl Zone {
    #[cfg(test)]
    pub(super) fn rect(&self) -> [f32; 4] {
        self.rect
    }

    pub fn holds(&self, at: [f32; 2]) -> bool {
        holds(self.rect, at)
    }

    /// In pixels.
    pub fn height(&self) -> f32 {
        self.rect[3]
    }

    /// The share of the range that is pointed at.
    pub fn share(&self, at: [f32; 2]) -> Option<f32> {
        let [left, top, width, height] = self.slider?;
        holds([left - height, top, width + 2.0 * height, height], at)
            .then(|| ((at[0] - left) / width).clamp(0.0, 1.0))
    }
}

/// Draws the page and remembers where its rows lie.
pub fn draw(menu: &mut Menu, out: &mut Vec<Draw2d>, look: MenuLook<'_>, input: MenuInput<'_>) {
    let rows = menu.rows(input);
    let chosen = menu.chosen(&rows);
    let canvas = Canvas::new(look, width_of(menu.page(), look.is_touch));
    let Heights { top: head, .. } = canvas.heights;
    let [left, _, width, height] = canvas.panel;
    let unit = canvas.unit;
    if !look.is_over_game {
        let [screen_width, screen_height] = look.screen;
        let all = [0.0, 0.0, screen_width, screen_height];
        look.charset.fill(out, all, [0.05, 0.06, 0.09, 1.0]);
    }
    let panel = if look.has_contrast { BLACK } else { PANEL };
    look.charset.fill(out, canvas.panel, panel);
    let stripe = [left, 0.0, 3.0 * unit, height];
    look.charset.fill(out, stripe, ACCENT);
    menu.back_zone = menu.leads_back().then(|| canvas.back_zone());
    let title = match menu.back_zone {
        Some(_) => format!("< {}", menu.title()),
        None => menu.title(),
    };
    canvas.title(out, &title);
    let keys = menu.letters.is_some().then(|| canvas.room_for_letters());
    let count = canvas.rows_above(keys.map_or(canvas.foot_top(), |[_, top, ..]| top));
    let top = menu.scroll(chosen, rows.len(), count);
    menu.zones.clear();
    let visible = rows.iter().enumerate().skip(top).take(count);
    for (place, (number, row)) in visible.enumerate() {
        let y = (head + place as f32 * canvas.heights.row) * unit;
        let is_chosen = chosen == Some(number);
        let entry = if is_chosen { &menu.entry } else { &Entry::None };
        let zone = canvas.row(
            out,
            y,
            RowView {
                number,
                row,
                is_chosen,
                entry,
                page: menu.page(),
            },
            input,
        );
        if row.is_choosable() {
            menu.zones.push(zone);
        }
    }
    if std::mem::take(&mut menu.has_slid) {
        menu.choose_pointed();
    }
    if rows.len() > count {
        let track = count as f32 * canvas.heights.row * unit;
        let share = count as f32 / rows.len() as f32;
        let at = head * unit + track * top as f32 / rows.len() as f32;
        let bar = [left + width - 6.0 * unit, at, 3.0 * unit, track * share];
        look.charset.fill(out, bar, DIM);
    }
    let help = chosen.map_or(String::new(), |row| rows[row].help(input));
    let error = look.error.unwrap_or("");
    let (text, color) = match (&menu.notice, &menu.entry, menu.page()) {
        (notice, ..) if !notice.is_empty() => (notice.as_str(), NOTICE),
        (_, Entry::Key, _) => (
            "Press the key that is to do this; Escape keeps it as it is.",
            NOTICE,
        ),
        (_, _, PageId::Start) if !error.is_empty() => (error, NOTICE),
        _ => (help.as_str(), canvas.dim()),
    };
    canvas.foot(out, text, color);
    if let (Some(letters), Some(place)) = (&mut menu.letters, keys) {
        canvas.letters(out, letters, place);
    }
    if let Some((shader, size)) = look.crosshair {
        canvas.crosshair(out, shader, size);
    }
}

/// A list of servers has more to show beside each other.
fn width_of(page: PageId, is_touch: bool) -> f32 {
    match page {
        PageId::Servers => 860.0,
        // The sentence at the foot has less height there.
        _ if is_touch => 760.0,
        _ => WIDTH,
    }
}

/// The first letters of a text, with its color codes.
fn beginning(text: &str, letters: usize) -> String {
    let mut count = 0;
    let mut kept = String::new();
    for piece in pieces(text) {
        match piece {
            Piece::Color(index) => kept.extend(['^', char::from(b'0' + (index & 7))]),
            Piece::Char(c) => {
                count += 1;
                if count > letters {
                    break;
                }
                kept.push(c);
            }
        }
    }
    kept
}

/// One row, and how it stands.
#[derive(Clone, Copy)]
struct RowView<'a> {
    number: usize,
    row: &'a Row,
    is_chosen: bool,
    entry: &'a Entry,
    page: PageId,
}

#[derive(Clone, Copy)]
struct Canvas<'a> {
    look: MenuLook<'a>,
    unit: f32,
    heights: Heights,
    panel: [f32; 4],
}

impl<'a> Canvas<'a> {
    fn new(look: MenuLook<'a>, full_width: f32) -> Self {
        let [width, height] = look.screen;
        let heights = match look.is_touch {
            true => OF_FINGERS,
            false => OF_POINTERS,
        };
        // On small screens all becomes smaller rather than cut off.
        let unit = look
            .scale
            .min(width / NARROWEST)
            .min(height / (heights.top + heights.bottom + 3.0 * heights.row));
        let left = ((width - full_width * unit) * 0.16).max(0.0).round();
        Self {
            look,
            unit,
            heights,
            panel: [left, 0.0, (full_width * unit).min(width), height],
        }
    }

    /// Where what is written begins and ends, and the room between.
    fn inside(&self) -> [f32; 3] {
        let [left, _, width, _] = self.panel;
        let edge = EDGE * self.unit;
        [left + edge, left + width - edge, width - 2.0 * edge]
    }

    /// Where letters stand in a row, so that as much lies above as below them.
    fn middle(&self, y: f32, style: TextStyle) -> f32 {
        (y + (self.heights.row * self.unit - style.size[1]) / 2.0).round()
    }

    /// The color of what matters less.
    fn dim(&self) -> Color {
        if self.look.has_contrast { BRIGHT } else { DIM }
    }

    /// Where the sentence at the foot begins.
    fn foot_top(&self) -> f32 {
        self.look.screen[1] - self.heights.bottom * self.unit
    }

    /// How many rows end above this height.
    fn rows_above(&self, y: f32) -> usize {
        let room = y / self.unit - self.heights.top;
        // Small and positive; the cast cuts off what is no whole row.
        ((room / self.heights.row) as usize).max(1)
    }

    /// Where letters lie, above the foot; a row stays free above them.
    fn room_for_letters(&self) -> [f32; 4] {
        let [left, _, width] = self.inside();
        let bottom = self.foot_top();
        let highest = (self.heights.top + self.heights.row) * self.unit;
        let height = (letters::ROWS as f32 * KEY * self.unit).min(bottom - highest);
        [left, bottom - height, width, height]
    }

    fn letters(&self, out: &mut Vec<Draw2d>, letters: &mut Letters, place: [f32; 4]) {
        let chosen = letters.place();
        let charset = self.look.charset;
        let gap = self.unit;
        let back = if self.look.has_contrast {
            BLACK
        } else {
            [0.12, 0.13, 0.16, 1.0]
        };
        for (key, at, [x, y, width, height]) in letters.lay_out(place) {
            let is_chosen = at == chosen;
            let inner = [x + gap, y + gap, width - 2.0 * gap, height - 2.0 * gap];
            charset.fill(out, inner, if is_chosen { ACCENT } else { back });
            let style = self.small(if is_chosen { BRIGHT } else { self.dim() });
            let style = TextStyle {
                ignores_codes: true,
                ..style
            };
            let label = key.label();
            let x = x + (width - label.chars().count() as f32 * style.size[0]) / 2.0;
            let y = y + (height - style.size[1]) / 2.0;
            charset.line(out, x.round(), y.round(), &label, style);
        }
    }

    /// For those who have neither Escape nor a second button.
    fn back_zone(&self) -> Zone {
        let [left, _, width, _] = self.panel;
        Zone {
            row: 0,
            rect: [left, 0.0, width, (self.heights.top - 12.0) * self.unit],
            slider: None,
        }
    }

    fn title(&self, out: &mut Vec<Draw2d>, text: &str) {
        let line_at = self.heights.top - 14.0;
        let [left, _, room] = self.inside();
        // A long search becomes smaller, then loses its beginning: its end is what is being typed.
        let wide = |text: &str| match self.look.font {
            Some(font) => font.face.width(text) * TITLE * self.unit,
            None => 14.0 * text.chars().count() as f32 * TITLE * self.unit,
        };
        let mut text = text;
        while !text.is_empty() && wide(text) * SMALLEST_TITLE > room {
            let mut letters = text.chars();
            letters.next();
            text = letters.as_str();
        }
        let size = TITLE * (room / wide(text).max(1.0)).min(1.0);
        let at = [left, (line_at - 38.0) * self.unit];
        self.write(out, at, size, text, BRIGHT);
        let line = [left, line_at * self.unit, room, self.unit];
        self.look.charset.fill(out, line, [0.3, 0.32, 0.36, 1.0]);
    }

    fn row(&self, out: &mut Vec<Draw2d>, y: f32, view: RowView<'_>, input: MenuInput<'_>) -> Zone {
        let unit = self.unit;
        let [left, _, width, _] = self.panel;
        let row_height = self.heights.row;
        let rect = [left + 3.0 * unit, y, width - 12.0 * unit, row_height * unit];
        let mut zone = Zone {
            row: view.number,
            rect,
            slider: None,
        };
        if view.is_chosen {
            let [red, green, blue, _] = ACCENT;
            let charset = self.look.charset;
            charset.fill(out, rect, [red, green, blue, 0.28]);
        }
        if let RowKind::Server(place) = view.row.kind {
            self.server(out, y, place, view.is_chosen, input);
            return zone;
        }
        let [left, right, _] = self.inside();
        let label_at = [left, y + (row_height - 27.0 * LABEL) / 2.0 * unit];
        let color = match (&view.row.kind, view.is_chosen) {
            (RowKind::Heading, _) => ACCENT,
            (_, true) => BRIGHT,
            (_, false) if self.look.has_contrast => BRIGHT,
            (_, false) => PLAIN,
        };
        self.write(out, label_at, LABEL, &view.row.label, color);
        // What the label leaves free.
        let after = label_at[0] + self.length(LABEL, &view.row.label) + 8.0 * unit;
        if view.row.kind == RowKind::Heading && view.page == PageId::Servers {
            self.columns(out, y);
        }
        let span = [after, right, y];
        let value_color = if view.is_chosen { BRIGHT } else { self.dim() };
        match view.entry {
            Entry::Text(field) => {
                let cursor = if self.look.cursor_is_on { "_" } else { " " };
                let (before, behind) = field.text().split_at(field.cursor());
                self.value(out, span, &format!("{before}{cursor}{behind}"), NOTICE);
            }
            Entry::Search | Entry::Key => self.value(out, span, "...", NOTICE),
            Entry::None => {
                let value = view.row.value(input);
                self.value(out, span, &value, value_color);
                if let Some(share) = view.row.share(input) {
                    zone.slider = self.slider(out, span, share, view.is_chosen);
                }
                if matches!(view.row.kind, RowKind::Page(_)) && value.is_empty() {
                    self.value(out, span, ">", value_color);
                }
            }
        }
        zone
    }

    /// The names of the columns.
    fn columns(&self, out: &mut Vec<Draw2d>, y: f32) {
        let style = self.small(self.dim());
        let [_, right, _] = self.inside();
        let y = self.middle(y, style);
        for (name, from_right, _) in columns(self.letters_across()).0 {
            let count = name.len() + from_right;
            let x = right - count as f32 * style.size[0];
            self.look.charset.line(out, x, y, name, style);
        }
    }

    /// A server: its marks and name, and the columns beside.
    fn server(
        &self,
        out: &mut Vec<Draw2d>,
        y: f32,
        place: usize,
        is_chosen: bool,
        input: MenuInput<'_>,
    ) {
        let Some(server) = input.servers.at(place) else {
            return;
        };
        let style = self.small(if is_chosen { BRIGHT } else { PLAIN });
        let [left, right, _] = self.inside();
        let letter = style.size[0];
        let y = self.middle(y, style);
        let marks = marks(server, input.servers.friends);
        let charset = self.look.charset;
        charset.line(out, left, y, &marks, style);
        let (columns, room) = columns(self.letters_across());
        let name = beginning(server.title(), room.saturating_sub(4));
        charset.line(out, left + 4.0 * letter, y, &name, style);
        for ((_, from_right, longest), cell) in columns.iter().zip(cells(server)) {
            let cell = beginning(&cell, *longest);
            let count = cell.chars().count() + from_right;
            charset.line(out, right - count as f32 * letter, y, &cell, style);
        }
    }

    /// How many small letters stand side by side.
    fn letters_across(&self) -> usize {
        // What fits is small and positive; the cast cuts off the rest.
        ((self.panel[2] / self.unit - 2.0 * EDGE) / 8.0) as usize
    }

    /// A bar that is filled up to the value, left of it; returns where it takes clicks, if there is room for it.
    fn slider(
        &self,
        out: &mut Vec<Draw2d>,
        [after, right, y]: [f32; 3],
        share: f32,
        is_chosen: bool,
    ) -> Option<[f32; 4]> {
        const LENGTH: f32 = 150.0;
        const SHORTEST: f32 = 30.0;
        const ROOM_FOR_VALUE: f32 = 76.0;
        let unit = self.unit;
        let right = right - ROOM_FOR_VALUE * unit;
        let length = ((right - after) / unit).min(LENGTH);
        if length < SHORTEST {
            return None;
        }
        let left = right - length * unit;
        let middle = y + self.heights.row / 2.0 * unit;
        let bar = [left, middle - 2.0 * unit, length * unit, 4.0 * unit];
        self.look.charset.fill(out, bar, [0.25, 0.27, 0.31, 1.0]);
        let color = if is_chosen { ACCENT } else { DIM };
        let filled = [bar[0], bar[1], bar[2] * share, bar[3]];
        self.look.charset.fill(out, filled, color);
        let knob = [
            left + bar[2] * share - 2.0 * unit,
            middle - 6.0 * unit,
            4.0 * unit,
            12.0 * unit,
        ];
        self.look.charset.fill(out, knob, color);
        Some([left, y, length * unit, self.heights.row * unit])
    }

    /// A value, as it would stand in a config: small and capital letters differ.
    fn value(&self, out: &mut Vec<Draw2d>, [after, right, y]: [f32; 3], text: &str, color: Color) {
        const LONGEST: usize = 40;
        let style = self.small(color);
        let count = visible_len(text);
        // The cast cuts off what is no whole letter.
        let longest = (((right - after) / style.size[0]).max(1.0) as usize).min(LONGEST);
        let shown: String = match count > longest {
            true => plain(text).chars().skip(count - longest).collect(),
            false => text.to_owned(),
        };
        let x = right - count.min(longest) as f32 * style.size[0];
        let y = self.middle(y, style);
        self.look.charset.line(out, x.round(), y, &shown, style);
    }

    fn small(&self, color: Color) -> TextStyle {
        TextStyle {
            size: [8.0 * self.unit, 14.0 * self.unit],
            color,
            has_shadow: false,
            ignores_codes: false,
        }
    }

    /// The sentence at the bottom, in as many lines as there is room for.
    fn foot(&self, out: &mut Vec<Draw2d>, text: &str, color: Color) {
        const LINE: f32 = 18.0;
        let first = if self.look.is_touch { 8.0 } else { 16.0 };
        // Small and positive; the cast cuts off what is no whole line.
        let lines = ((self.heights.bottom - first) / LINE) as usize;
        let style = self.small(color);
        let [left, _, room] = self.inside();
        let length = (room / style.size[0]).max(8.0) as usize;
        for (row, part) in wrap(text, length, lines).iter().enumerate() {
            let up = (self.heights.bottom - first - row as f32 * LINE) * self.unit;
            let y = self.look.screen[1] - up;
            self.look.charset.line(out, left, y, part, style);
        }
    }

    /// The crosshair as large as in the game, in the middle of what the panel leaves free.
    fn crosshair(&self, out: &mut Vec<Draw2d>, shader: ShaderId, size: f32) {
        let [left, _, width, height] = self.panel;
        let free = self.look.screen[0] - left - width;
        let side = size * self.look.screen[1] / 480.0;
        let middle = match free > side * 2.0 {
            true => left + width + free / 2.0,
            false => left + width - 60.0 * self.unit,
        };
        out.push(Draw2d {
            rect: [middle - side / 2.0, (height - side) / 2.0, side, side],
            tex: [0.0, 0.0, 1.0, 1.0],
            color: BRIGHT,
            shader,
        });
    }

    /// How long `write` makes a line, in pixels.
    fn length(&self, size: f32, text: &str) -> f32 {
        let scale = size * self.unit;
        match self.look.font {
            Some(font) => font.face.width(text) * scale,
            None => visible_len(text) as f32 * 14.0 * scale,
        }
    }

    /// A line in the proportional letters, or in the character set until they are here.
    fn write(&self, out: &mut Vec<Draw2d>, at: [f32; 2], size: f32, text: &str, color: Color) {
        let scale = size * self.unit;
        match self.look.font {
            Some(font) => font.line(out, at, [scale, scale], Align::Left, text, color),
            None => {
                let style = TextStyle {
                    size: [14.0 * scale, 27.0 * scale],
                    ..self.small(color)
                };
                self.look.charset.line(out, at[0], at[1], text, style);
            }
        }
    }
}
