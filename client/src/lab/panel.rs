//! The lab's panel: the page of the experiment, the sliders of both sides, and what keys and mouse do to them.

use super::{
    Lab,
    layout::{BUTTONS, Layout, PanelButton},
    rows::{PanelTable, ROWS, of},
    timeline,
};
use crate::{
    con::keys,
    scene::text::Color,
    ui::{
        holds,
        painter::{NORMAL, Painter, SMALL},
    },
};

/// The colors of the sides.
pub const SIDES: [Color; 2] = [[0.25, 0.78, 0.95, 1.0], [1.0, 0.62, 0.18, 1.0]];
const BACK: Color = [0.07, 0.08, 0.11, 1.0];
const PAGE: Color = [0.10, 0.12, 0.16, 1.0];
const SLIDER: Color = [0.16, 0.18, 0.23, 1.0];
const HEAD: Color = [0.55, 0.60, 0.68, 1.0];
const WORDS: Color = [0.82, 0.85, 0.90, 1.0];
const BRIGHT: Color = [1.0, 1.0, 1.0, 1.0];
const ACCENT: Color = [0.95, 0.42, 0.16, 1.0];

/// What the player does with the panel.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Keys and mouse belong to the panel, not to the game.
    pub has_focus: bool,
    /// In pixels.
    pub cursor: [f32; 2],
    /// The row among all, and the side.
    selected: (usize, usize),
    is_dragging: bool,
    /// What is done to the line of one side is done to the other's.
    pub is_linked: bool,
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelKey {
    /// The game may have it.
    Ignored,
    Handled,
    Close,
    Page(i32),
    Press(PanelButton),
    /// The place of a slider changes.
    Slide {
        row: usize,
        side: usize,
        place: usize,
    },
}

impl Lab {
    /// A key goes down; the panel has those that it needs.
    pub fn handle_key(&mut self, key: u16, layout: &Layout) -> PanelKey {
        match key {
            keys::ESCAPE => return PanelKey::Close,
            keys::TAB => {
                self.panel.has_focus = !self.panel.has_focus;
                self.panel.is_dragging = false;
                let [x, y, width, height] = layout.panel;
                self.panel.cursor = [x + width * 0.5, y + height * 0.5];
                return PanelKey::Handled;
            }
            keys::PGUP => return PanelKey::Page(-1),
            keys::PGDN => return PanelKey::Page(1),
            _ if !self.panel.has_focus => return PanelKey::Ignored,
            _ => {}
        }
        let (row, side) = self.panel.selected;
        let rows = ROWS.len();
        match key {
            keys::UPARROW | keys::MWHEELUP => self.panel.selected.0 = (row + rows - 1) % rows,
            keys::DOWNARROW | keys::MWHEELDOWN => self.panel.selected.0 = (row + 1) % rows,
            keys::ENTER | keys::SPACE => self.panel.selected.1 = 1 - side,
            keys::LEFTARROW => {
                return self.slid_to(row, side, self.place(row, side).wrapping_sub(1));
            }
            keys::RIGHTARROW => return self.slid_to(row, side, self.place(row, side) + 1),
            keys::MOUSE1 => return self.press_mouse(layout),
            _ => {}
        }
        PanelKey::Handled
    }

    fn slid_to(&self, row: usize, side: usize, place: usize) -> PanelKey {
        match place < ROWS[row].values.all.len() {
            true => PanelKey::Slide { row, side, place },
            false => PanelKey::Handled,
        }
    }

    fn press_mouse(&mut self, layout: &Layout) -> PanelKey {
        let cursor = self.panel.cursor;
        let mut buttons = BUTTONS.into_iter().zip(layout.buttons);
        if let Some((button, _)) = buttons.find(|(_, rect)| holds(*rect, cursor)) {
            return PanelKey::Press(button);
        }
        let hit = layout.cells().find(|(.., rect)| holds(*rect, cursor));
        let Some((row, side, _)) = hit else {
            return PanelKey::Handled;
        };
        self.panel.selected = (row, side);
        self.panel.is_dragging = true;
        self.drag(layout)
    }

    /// The mouse moves over the panel; a slider that is held follows.
    pub fn move_cursor(&mut self, dx: f32, dy: f32, screen: [f32; 2]) -> PanelKey {
        let cursor = &mut self.panel.cursor;
        cursor[0] = (cursor[0] + dx).clamp(0.0, (screen[0] - 1.0).max(0.0));
        cursor[1] = (cursor[1] + dy).clamp(0.0, (screen[1] - 1.0).max(0.0));
        match self.panel.is_dragging {
            true => self.drag(&Layout::new(screen)),
            false => PanelKey::Handled,
        }
    }

    /// The mouse button goes up.
    pub fn release_mouse(&mut self) {
        self.panel.is_dragging = false;
    }

    fn drag(&self, layout: &Layout) -> PanelKey {
        let (row, side) = self.panel.selected;
        let mut cells = layout.cells();
        let Some((.., [x, _, width, _])) = cells.find(|(r, s, _)| (*r, *s) == (row, side)) else {
            return PanelKey::Handled;
        };
        let count = ROWS[row].values.all.len();
        let share = ((self.panel.cursor[0] - x) / width).clamp(0.0, 0.999);
        // The share is finite and below one.
        let place = (share * count as f32) as usize;
        match place == self.place(row, side) {
            true => PanelKey::Handled,
            false => PanelKey::Slide { row, side, place },
        }
    }

    /// Draws all of the panel.
    pub fn draw_panel(&self, painter: &mut Painter<'_>, layout: &Layout) {
        painter.fill(layout.panel, BACK);
        let [x, y, width, _] = layout.panel;
        painter.fill([x, y, width, painter.unit.max(1.0)], ACCENT);
        self.draw_page(painter, layout);
        self.draw_table(painter, layout, PanelTable::Line, "the line");
        self.draw_table(painter, layout, PanelTable::Netcode, "the netcode");
        self.draw_buttons(painter, layout);
        if self.panel.has_focus {
            draw_cursor(painter, self.panel.cursor);
        }
    }

    fn draw_page(&self, painter: &mut Painter<'_>, layout: &Layout) {
        let unit = painter.unit;
        let [x, y, width, height] = layout.text;
        let experiment = self.experiment();
        painter.fill([x, y, width, height], PAGE);
        painter.fill([x, y, 4.0 * unit, height], ACCENT);
        let inner = x + 14.0 * unit;
        let room = width - 24.0 * unit;
        let number = format!("{}", self.page() + 1);
        let line = y + 8.0 * unit;
        painter.title([inner, line], &number, 22.0, ACCENT);
        let behind = inner + 24.0 * unit;
        painter.title([behind, line], experiment.title, 22.0, BRIGHT);
        let foot = y + height - 18.0 * unit;
        let mut top = y + 40.0 * unit;
        for (head, text) in [("TRY", experiment.try_this), ("SEE", experiment.one_sees)] {
            painter.text([inner, top], head, SMALL, ACCENT);
            let indent = 34.0 * unit;
            let rect = [inner + indent, top, room - indent, foot - top];
            top = painter.paragraph(rect, text, SMALL, WORDS) + 5.0 * unit;
        }
        let keys = match self.panel.has_focus {
            true => "^3TAB^7 play   ^3arrows, mouse^7 change   ^3PGUP PGDN^7 page   ^3ESC^7 end",
            false => "^3TAB^7 sliders   ^3PGUP PGDN^7 other experiments   ^3ESC^7 end",
        };
        painter.text([inner, foot], keys, SMALL, HEAD);
    }

    fn draw_table(
        &self,
        painter: &mut Painter<'_>,
        layout: &Layout,
        table: PanelTable,
        head: &str,
    ) {
        let unit = painter.unit;
        let [x, y, ..] = layout.tables[table as usize];
        painter.text([x, y + 3.0 * unit], head, SMALL, ACCENT);
        for (place, (row, def)) in of(table).enumerate() {
            let rect = layout.row(table, place);
            if place == 0 {
                for (side, name) in ["A", "B"].into_iter().enumerate() {
                    let cell = layout.cell(table, place, side);
                    let middle = [cell[0] + cell[2] / 2.0, y + 3.0 * unit];
                    painter.centered(middle, name, NORMAL, SIDES[side]);
                }
            }
            let differs = self.place(row, 0) != self.place(row, 1);
            let color = if differs { BRIGHT } else { HEAD };
            let baseline = rect[1] + (rect[3] - SMALL[1] * unit) / 2.0;
            painter.text([rect[0], baseline], def.label, SMALL, color);
            for side in [0, 1] {
                self.draw_cell(painter, layout.cell(table, place, side), row, side);
            }
        }
    }

    fn draw_cell(&self, painter: &mut Painter<'_>, rect: [f32; 4], row: usize, side: usize) {
        let [x, y, width, height] = rect;
        let def = &ROWS[row];
        let place = self.place(row, side);
        let last = def.values.all.len().saturating_sub(1).max(1);
        let share = place as f32 / last as f32;
        painter.fill(rect, SLIDER);
        let [r, g, b, _] = SIDES[side];
        let edge = 3.0 * painter.unit;
        let filled = share * (width - edge);
        painter.fill([x, y, filled + edge, height], [r, g, b, 0.30]);
        painter.fill([x + filled, y, edge, height], SIDES[side]);
        let top = y + (height - SMALL[1] * painter.unit) / 2.0;
        painter.centered([x + width / 2.0, top], &def.shown(place), SMALL, BRIGHT);
        if self.panel.has_focus && self.panel.selected == (row, side) {
            painter.frame(rect, BRIGHT);
        }
    }

    fn draw_buttons(&self, painter: &mut Painter<'_>, layout: &Layout) {
        for (button, rect) in BUTTONS.into_iter().zip(layout.buttons) {
            let (text, is_on) = match button {
                PanelButton::Walk if self.is_walking() => ("walks by itself", true),
                PanelButton::Walk => ("you walk", false),
                PanelButton::Link if self.panel.is_linked => ("one line", true),
                PanelButton::Link => ("two lines", false),
                PanelButton::Again => ("begin again", false),
            };
            let back = match is_on {
                true => [0.95, 0.42, 0.16, 0.55],
                false => SLIDER,
            };
            painter.fill(rect, back);
            let is_under = self.panel.has_focus && holds(rect, self.panel.cursor);
            if is_under {
                painter.frame(rect, BRIGHT);
            }
            let middle = rect[0] + rect[2] / 2.0;
            let top = rect[1] + (rect[3] - SMALL[1] * painter.unit) / 2.0;
            painter.centered([middle, top], text, SMALL, BRIGHT);
        }
    }

    /// What stands over and under the view of a side.
    pub fn draw_side(&self, painter: &mut Painter<'_>, layout: &Layout, side: usize) {
        let unit = painter.unit;
        let [x, y, width, height] = layout.titles[side];
        painter.fill([x, y, width, height], PAGE);
        painter.fill([x, y, height, height], SIDES[side]);
        let name = ["A", "B"][side];
        let dark = [0.05, 0.06, 0.08, 1.0];
        let top = y + (height - 16.0 * unit) / 2.0;
        painter.centered([x + height / 2.0, top], name, [14.0, 16.0], dark);
        let differences = self.differences(side);
        let top = y + (height - NORMAL[1] * unit) / 2.0;
        let at = [x + height + 10.0 * unit, top];
        painter.text(at, &differences, NORMAL, BRIGHT);
        self.draw_figures(painter, layout.figures[side], side);
        let trace = &self.sides[side].trace;
        timeline::draw(painter, layout.timelines[side], self.now(), trace);
        // Not below the view: that is the lowest row of the lagometer.
        let [x, y, width, _] = layout.views[side];
        painter.fill([x, y, width, unit.max(1.0)], SIDES[side]);
    }

    fn draw_figures(
        &self,
        painter: &mut Painter<'_>,
        [x, y, width, height]: [f32; 4],
        side: usize,
    ) {
        let unit = painter.unit;
        painter.fill([x, y, width, height], PAGE);
        let place = self.place(self.prediction_row(), side);
        let predicts = ROWS[self.prediction_row()].value(place) == "0";
        let texts = self.sides[side].figures.texts(predicts);
        for (row, texts) in texts.iter().enumerate() {
            let top = y + (4.0 + 15.0 * row as f32) * unit;
            for (column, (name, value)) in texts.iter().enumerate() {
                let left = x + 8.0 * unit + column as f32 * (width - 12.0 * unit) / 5.0;
                let end = painter.text([left, top], name, SMALL, HEAD);
                painter.text([end + 6.0 * unit, top], value, SMALL, BRIGHT);
            }
        }
    }

    /// What the colors of the time lines mean, over the right end of the left one.
    pub fn draw_legend(&self, painter: &mut Painter<'_>, layout: &Layout) {
        let unit = painter.unit;
        let [x, y, width, height] = layout.timelines[1];
        let lengths = timeline::LEGEND.iter().map(|(name, _)| name.len() + 3);
        let letters: usize = lengths.sum();
        let mut at = x + width - letters as f32 * SMALL[0] * unit;
        let top = y + height - 12.0 * unit;
        let edge = 6.0 * unit;
        let back = [at - edge, top - unit, x + width - at + edge, 13.0 * unit];
        painter.fill(back, BACK);
        for (name, color) in timeline::LEGEND {
            painter.fill([at, top + 3.0 * unit, 6.0 * unit, 6.0 * unit], color);
            at = painter.text([at + 9.0 * unit, top], name, SMALL, HEAD) + 12.0 * unit;
        }
    }
}

/// An arrow of bars.
fn draw_cursor(painter: &mut Painter<'_>, [x, y]: [f32; 2]) {
    let unit = painter.unit.max(1.0);
    for (grow, color) in [(1.0, [0.0, 0.0, 0.0, 0.9]), (0.0, BRIGHT)] {
        for row in 0..12 {
            let length = (row as f32 * 0.75 + 2.0) * unit;
            let rect = [
                x - grow * unit,
                y + (row as f32 - grow) * unit,
                length + 2.0 * grow * unit,
                (1.0 + 2.0 * grow) * unit,
            ];
            painter.fill(rect, color);
        }
    }
}
