//! How a page of the menus looks: a dark panel, its title, rows with their values, and a sentence about the chosen one.

use super::{
    Entry, Menu,
    pages::PageId,
    rows::{MenuInput, Row, RowKind},
    servers::{COLUMNS, COLUMNS_WIDTH, cells, marks},
};
use crate::{
    scene::{
        Draw2d, ShaderId,
        text::{Charset, Color, Piece, TextStyle, pieces, wrap},
    },
    ui::font::{Align, Font},
};

/// What the menus are drawn with.
#[derive(Clone, Copy, Debug)]
pub struct MenuLook<'a> {
    pub charset: Charset,
    /// Until it is here, all is written in the character set.
    pub font: Option<Font>,
    pub screen: [f32; 2],
    /// Pixels for each unit; a row is 24 units high.
    pub scale: f32,
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
const ROW: f32 = 24.0;
const TOP: f32 = 76.0;
const BOTTOM: f32 = 78.0;
const EDGE: f32 = 28.0;
/// Height of the proportional letters of a row, and of the title, for 27 in their picture.
const LABEL: f32 = 0.58;
const TITLE: f32 = 1.05;

impl Zone {
    pub fn holds(&self, at: [f32; 2]) -> bool {
        holds(self.rect, at)
    }

    /// The share of the range that is pointed at.
    pub fn share(&self, at: [f32; 2]) -> Option<f32> {
        let [left, top, width, height] = self.slider?;
        holds([left - height, top, width + 2.0 * height, height], at)
            .then(|| ((at[0] - left) / width).clamp(0.0, 1.0))
    }
}

fn holds([left, top, width, height]: [f32; 4], at: [f32; 2]) -> bool {
    (left..left + width).contains(&at[0]) && (top..top + height).contains(&at[1])
}

/// Draws the page and remembers where its rows lie.
pub fn draw(menu: &mut Menu, out: &mut Vec<Draw2d>, look: MenuLook<'_>, input: MenuInput<'_>) {
    let rows = menu.rows(input);
    let chosen = menu.chosen(&rows);
    let canvas = Canvas::new(look, width_of(menu.page()));
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
    let count = canvas.rows_that_fit();
    let top = menu.scroll(chosen, rows.len(), count);
    menu.zones.clear();
    let visible = rows.iter().enumerate().skip(top).take(count);
    for (place, (number, row)) in visible.enumerate() {
        let y = (TOP + place as f32 * ROW) * unit;
        let is_chosen = chosen == Some(number);
        let entry = if is_chosen { &menu.entry } else { &Entry::None };
        let zone = canvas.row(
            out,
            y,
            Line {
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
    if rows.len() > count {
        let track = (height - (TOP + BOTTOM) * unit).max(1.0);
        let share = count as f32 / rows.len() as f32;
        let at = TOP * unit + track * top as f32 / rows.len() as f32;
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
    if let Some((shader, size)) = look.crosshair {
        canvas.crosshair(out, shader, size);
    }
}

/// A list of servers has more to show beside each other.
fn width_of(page: PageId) -> f32 {
    match page {
        PageId::Servers => 860.0,
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
struct Line<'a> {
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
    panel: [f32; 4],
}

impl<'a> Canvas<'a> {
    fn new(look: MenuLook<'a>, full_width: f32) -> Self {
        let [width, height] = look.screen;
        // On narrow screens all becomes smaller rather than cut off.
        let unit = look
            .scale
            .min(width / full_width)
            .min(height / (TOP + BOTTOM + 3.0 * ROW));
        let left = ((width - full_width * unit) * 0.16).max(0.0).round();
        Self {
            look,
            unit,
            panel: [left, 0.0, (full_width * unit).min(width), height],
        }
    }

    /// The color of what matters less.
    fn dim(&self) -> Color {
        if self.look.has_contrast { BRIGHT } else { DIM }
    }

    fn rows_that_fit(&self) -> usize {
        let room = self.look.screen[1] / self.unit - TOP - BOTTOM;
        // Small and positive; the cast cuts off what is no whole row.
        ((room / ROW) as usize).max(1)
    }

    /// For those who have neither Escape nor a second button.
    fn back_zone(&self) -> Zone {
        let [left, _, width, _] = self.panel;
        Zone {
            row: 0,
            rect: [left, 0.0, width, (TOP - 12.0) * self.unit],
            slider: None,
        }
    }

    fn title(&self, out: &mut Vec<Draw2d>, text: &str) {
        let at = [self.panel[0] + EDGE * self.unit, 24.0 * self.unit];
        self.write(out, at, TITLE, text, BRIGHT);
        let [left, _, width, _] = self.panel;
        let line = [
            left + EDGE * self.unit,
            62.0 * self.unit,
            width - 2.0 * EDGE * self.unit,
            self.unit,
        ];
        self.look.charset.fill(out, line, [0.3, 0.32, 0.36, 1.0]);
    }

    fn row(&self, out: &mut Vec<Draw2d>, y: f32, line: Line<'_>, input: MenuInput<'_>) -> Zone {
        let unit = self.unit;
        let [left, _, width, _] = self.panel;
        let rect = [left + 3.0 * unit, y, width - 12.0 * unit, ROW * unit];
        if line.is_chosen {
            self.look
                .charset
                .fill(out, rect, [ACCENT[0], ACCENT[1], ACCENT[2], 0.28]);
        }
        if let RowKind::Server(place) = line.row.kind {
            self.server(out, y, place, line.is_chosen, input);
            return Zone {
                row: line.number,
                rect,
                slider: None,
            };
        }
        let text_y = y + (ROW - 27.0 * LABEL) / 2.0 * unit;
        let label_at = [left + EDGE * unit, text_y];
        let color = match (&line.row.kind, line.is_chosen) {
            (RowKind::Heading, _) => ACCENT,
            (_, true) => BRIGHT,
            (_, false) if self.look.has_contrast => BRIGHT,
            (_, false) => PLAIN,
        };
        self.write(out, label_at, LABEL, &line.row.label, color);
        if line.row.kind == RowKind::Heading && line.page == PageId::Servers {
            self.columns(out, y);
        }
        let right = left + width - EDGE * unit;
        let mut slider = None;
        let value_color = if line.is_chosen { BRIGHT } else { self.dim() };
        match line.entry {
            Entry::Text(field) => {
                let cursor = if self.look.cursor_is_on { "_" } else { " " };
                let (before, after) = field
                    .text()
                    .split_at(field.cursor().min(field.text().len()));
                self.value(out, [right, y], &format!("{before}{cursor}{after}"), NOTICE);
            }
            Entry::Key => self.value(out, [right, y], "...", NOTICE),
            Entry::None => {
                let value = line.row.value(input);
                self.value(out, [right, y], &value, value_color);
                if let Some(share) = line.row.share(input) {
                    slider = Some(self.slider(out, right, y, share, line.is_chosen));
                }
                if let RowKind::Page(_) = line.row.kind
                    && value.is_empty()
                {
                    self.value(out, [right, y], ">", value_color);
                }
            }
        }
        Zone {
            row: line.number,
            rect,
            slider,
        }
    }

    /// The names of the columns.
    fn columns(&self, out: &mut Vec<Draw2d>, y: f32) {
        let style = self.small(self.dim());
        let [left, _, width, _] = self.panel;
        let right = left + width - EDGE * self.unit;
        let y = (y + (ROW * self.unit - style.size[1]) / 2.0).round();
        for (name, from_right, _) in COLUMNS {
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
        let [left, _, width, _] = self.panel;
        let letter = style.size[0];
        let y = (y + (ROW * self.unit - style.size[1]) / 2.0).round();
        let (left, right) = (left + EDGE * self.unit, left + width - EDGE * self.unit);
        let marks = marks(server, input.servers.friends);
        let charset = self.look.charset;
        charset.line(out, left, y, &marks, style);
        // What fits is small and positive; the cast cuts off the rest.
        let room = ((right - left) / letter) as usize;
        let name = beginning(server.title(), room.saturating_sub(COLUMNS_WIDTH + 4));
        charset.line(out, left + 4.0 * letter, y, &name, style);
        for ((_, from_right, longest), cell) in COLUMNS.iter().zip(cells(server)) {
            let cell = beginning(&cell, *longest);
            let count = cell.chars().count() + from_right;
            charset.line(out, right - count as f32 * letter, y, &cell, style);
        }
    }

    /// A bar that is filled up to the value, left of it; returns where it takes clicks.
    fn slider(
        &self,
        out: &mut Vec<Draw2d>,
        right: f32,
        y: f32,
        share: f32,
        is_chosen: bool,
    ) -> [f32; 4] {
        const LENGTH: f32 = 150.0;
        const ROOM_FOR_VALUE: f32 = 76.0;
        let unit = self.unit;
        let left = right - (ROOM_FOR_VALUE + LENGTH) * unit;
        let bar = [left, y + 10.0 * unit, LENGTH * unit, 4.0 * unit];
        self.look.charset.fill(out, bar, [0.25, 0.27, 0.31, 1.0]);
        let color = if is_chosen { ACCENT } else { DIM };
        let filled = [bar[0], bar[1], bar[2] * share, bar[3]];
        self.look.charset.fill(out, filled, color);
        let knob = [
            left + bar[2] * share - 2.0 * unit,
            y + 6.0 * unit,
            4.0 * unit,
            12.0 * unit,
        ];
        self.look.charset.fill(out, knob, color);
        [left, y, LENGTH * unit, ROW * unit]
    }

    /// A value, as it would stand in a config: small and capital letters differ.
    fn value(&self, out: &mut Vec<Draw2d>, [right, y]: [f32; 2], text: &str, color: Color) {
        const LONGEST: usize = 40;
        let style = self.small(color);
        let count = crate::scene::text::visible_len(text);
        let shown: String = match count > LONGEST {
            true => crate::scene::text::plain(text)
                .chars()
                .skip(count - LONGEST)
                .collect(),
            false => text.to_owned(),
        };
        let x = right - count.min(LONGEST) as f32 * style.size[0];
        let y = y + (ROW * self.unit - style.size[1]) / 2.0;
        self.look
            .charset
            .line(out, x.round(), y.round(), &shown, style);
    }

    fn small(&self, color: Color) -> TextStyle {
        TextStyle {
            size: [8.0 * self.unit, 14.0 * self.unit],
            color,
            has_shadow: false,
            ignores_codes: false,
        }
    }

    /// The sentence at the bottom, in up to three lines.
    fn foot(&self, out: &mut Vec<Draw2d>, text: &str, color: Color) {
        const LINES: usize = 3;
        let style = self.small(color);
        let [left, _, width, height] = self.panel;
        let length = ((width - 2.0 * EDGE * self.unit) / style.size[0]).max(8.0) as usize;
        for (row, part) in wrap(text, length, LINES).iter().enumerate() {
            let y = height - (BOTTOM - 16.0) * self.unit + row as f32 * 18.0 * self.unit;
            self.look
                .charset
                .line(out, left + EDGE * self.unit, y, part, style);
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
