//! Where everything of the lab lies on the screen.

use super::rows::{PanelTable, of};

/// The rectangles of a screen, in pixels: left, top, width, height.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Pixels of a unit; the lab is laid out for 1280 × 720 of them.
    pub unit: f32,
    pub titles: [[f32; 4]; 2],
    pub views: [[f32; 4]; 2],
    pub figures: [[f32; 4]; 2],
    pub timelines: [[f32; 4]; 2],
    /// Everything below both sides.
    pub panel: [f32; 4],
    pub text: [f32; 4],
    pub tables: [[f32; 4]; 2],
    pub buttons: [[f32; 4]; BUTTONS.len()],
}

/// What the buttons under the line's table do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PanelButton {
    Walk,
    Link,
    Again,
}

pub const BUTTONS: [PanelButton; 3] = [PanelButton::Walk, PanelButton::Link, PanelButton::Again];

const MARGIN: f32 = 6.0;
const TITLE: f32 = 24.0;
const FIGURES: f32 = 34.0;
const TIMELINE: f32 = 84.0;
const PANEL: f32 = 236.0;
/// Of a table: its head, and each row.
const HEAD: f32 = 18.0;
const ROW: f32 = 19.0;
/// Of a table's width: what the labels take; the cells share the rest.
const LABELS: f32 = 0.36;

impl Layout {
    pub fn new([width, height]: [f32; 2]) -> Self {
        let unit = (width / 1280.0).min(height / 720.0).max(0.25);
        let u = |units: f32| (units * unit).round();
        let margin = u(MARGIN);
        let side = ((width - 3.0 * margin) / 2.0).max(1.0).floor();
        let left = [margin, 2.0 * margin + side];
        let column = |top: f32, height: f32| left.map(|x| [x, top, side, height.max(1.0)]);
        let panel = [0.0, height - u(PANEL), width, u(PANEL)];
        let timeline_top = panel[1] - margin - u(TIMELINE);
        let figures_top = timeline_top - u(FIGURES);
        let view_top = margin + u(TITLE);
        let inner = panel[1] + margin;
        let inner_height = panel[3] - 2.0 * margin;
        let text_width = (width * 0.40).floor();
        let table_left = margin + text_width + 2.0 * margin;
        let table_width = ((width - table_left - 2.0 * margin) / 2.0).floor();
        let table = |number: f32| {
            let x = table_left + number * (table_width + margin);
            [x, inner, table_width, inner_height]
        };
        let lines = of(PanelTable::Line).count() as f32;
        let buttons_top = inner + u(HEAD) + lines * u(ROW) + u(6.0);
        let button = (table_width - 2.0 * margin) / BUTTONS.len() as f32;
        let buttons = std::array::from_fn(|number| {
            let x = table_left + number as f32 * (button + margin);
            [x, buttons_top, button, u(ROW)]
        });
        Self {
            unit,
            titles: column(margin, u(TITLE)),
            views: column(view_top, figures_top - view_top),
            figures: column(figures_top, u(FIGURES)),
            timelines: column(timeline_top, u(TIMELINE)),
            panel,
            text: [2.0 * margin, inner, text_width, inner_height],
            tables: [table(0.0), table(1.0)],
            buttons,
        }
    }

    /// Where a row of a table lies, counted within the table.
    pub fn row(&self, table: PanelTable, number: usize) -> [f32; 4] {
        let [x, y, width, _] = self.tables[table as usize];
        let u = |units: f32| (units * self.unit).round();
        [x, y + u(HEAD) + number as f32 * u(ROW), width, u(ROW)]
    }

    /// The slider of a side in a row.
    pub fn cell(&self, table: PanelTable, number: usize, side: usize) -> [f32; 4] {
        let [x, y, width, height] = self.row(table, number);
        let gap = 4.0 * self.unit;
        let labels = width * LABELS;
        let cell = (width - labels) / 2.0;
        let inset = 2.0 * self.unit;
        [
            x + labels + side as f32 * cell,
            y + inset / 2.0,
            cell - gap,
            height - inset,
        ]
    }

    /// Each slider: its row's number among all rows, its side and its place.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize, [f32; 4])> + '_ {
        [PanelTable::Line, PanelTable::Netcode]
            .into_iter()
            .flat_map(move |table| {
                of(table).enumerate().flat_map(move |(place, (row, _))| {
                    [0, 1].map(|side| (row, side, self.cell(table, place, side)))
                })
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_lies_on_the_screen_and_nothing_on_anything_else() {
        for screen in [
            [1280.0, 720.0],
            [1920.0, 1080.0],
            [800.0, 600.0],
            [640.0, 480.0],
        ] {
            let layout = Layout::new(screen);
            let mut all: Vec<[f32; 4]> = layout.cells().map(|(.., rect)| rect).collect();
            all.extend(layout.titles);
            all.extend(layout.views);
            all.extend(layout.figures);
            all.extend(layout.timelines);
            all.extend(layout.buttons);
            all.push(layout.text);
            for (at, rect) in all.iter().enumerate() {
                let [x, y, width, height] = *rect;
                assert!(width >= 1.0 && height >= 1.0, "{screen:?} {rect:?}");
                let is_inside =
                    x >= 0.0 && y >= 0.0 && x + width <= screen[0] && y + height <= screen[1];
                assert!(is_inside, "{screen:?} {rect:?}");
                for other in &all[..at] {
                    let is_apart = x + width <= other[0] + 0.01
                        || other[0] + other[2] <= x + 0.01
                        || y + height <= other[1] + 0.01
                        || other[1] + other[3] <= y + 0.01;
                    assert!(is_apart, "{screen:?} {rect:?} {other:?}");
                }
            }
        }
    }
}
