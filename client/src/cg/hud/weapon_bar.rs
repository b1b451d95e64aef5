//! The owned weapons, for a while after each change or always, in the styles of `cg_weaponBarStyle`.

use super::{
    HudInput,
    canvas::{self, Anchor, Canvas, SMALL},
};
use crate::{
    cg::present::selection,
    scene::{ShaderId, text::Color},
};
use shared::bg::numbers::weapon;

const SHOWN_MSEC: i32 = 1400;
const YELLOW: [f32; 3] = [1.0, 1.0, 0.0];
const BLUE: [f32; 3] = [0.0, 0.0, 1.0];
const RED: [f32; 3] = [1.0, 0.0, 0.0];

/// One weapon in the bar.
struct Cell {
    number: i32,
    ammo: i32,
    /// Of a full load, 0 to 1; weapons without ammunition are always full.
    fraction: f32,
    is_selected: bool,
}

/// Whether the bar is shown because of a change: then nothing is told of pickups.
pub fn is_fresh(input: &HudInput<'_>) -> bool {
    input.now.is_within(input.selection.changed_at, SHOWN_MSEC)
}

pub fn draw(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    let elapsed = input.now - input.selection.changed_at;
    let alpha = if input.settings.always_weapon_bar {
        1.0
    } else {
        canvas::fade(elapsed, SHOWN_MSEC)
    };
    if alpha <= 0.0 {
        return;
    }
    let mut cells: Vec<Cell> = (1..16)
        .filter(|&number| selection::owns(input.player, input.level, number))
        .map(|number| cell(number, input))
        .collect();
    let style = input.settings.weapon_bar_style;
    let is_open_arena = input.level.profile.is_open_arena();
    let hook = cells.iter().position(|cell| cell.number == weapon::HOOK);
    if let Some(place) = hook.filter(|_| is_open_arena) {
        cells[..=place].rotate_right(1);
    }
    let count = cells.len() as f32;
    for (place, cell) in cells.iter().enumerate() {
        let place = place as f32;
        let icon = canvas.weapon_icon(cell.number);
        let mut painter = Painter {
            canvas: &mut *canvas,
            alpha,
        };
        match style {
            2..=4 => {
                let y = 200.0 + 12.0 * count - 24.0 * (place + 1.0);
                let shape = BoxShape {
                    rect: [0.0, y, 50.0, 24.0],
                    icon_at: [4.0, 4.0],
                    text_at: [22.0, 4.0],
                    anchor: Anchor::Left,
                };
                painter.boxed(&shape, style - 2, cell, icon);
            }
            5.. => {
                let x = 320.0 - 15.0 * count + 30.0 * place;
                let shape = BoxShape {
                    rect: [x, 380.0, 30.0, 38.0],
                    icon_at: [7.0, 2.0],
                    text_at: [3.0, 20.0],
                    anchor: Anchor::Center,
                };
                painter.boxed(&shape, style - 5, cell, icon);
            }
            _ => {
                let x = 320.0 - 20.0 * count + 40.0 * place;
                painter.plain(x, style == 1, cell, icon);
                if cell.is_selected && !is_open_arena {
                    painter.name(cell.number);
                }
            }
        }
    }
}

fn cell(number: i32, input: &HudInput<'_>) -> Cell {
    let ammo = input.player.ammo[number as usize];
    let full = match number {
        weapon::MACHINEGUN | weapon::LIGHTNING | weapon::CHAINGUN => 100.0,
        weapon::PLASMA => 50.0,
        weapon::PROX => 5.0,
        _ => 10.0,
    };
    let fraction = if ammo < 0 { 1.0 } else { ammo as f32 / full };
    Cell {
        number,
        ammo,
        fraction: fraction.clamp(0.0, 1.0),
        is_selected: number == i32::from(input.selection.weapon),
    }
}

/// Where the parts of a box are, its icon and number from the corner.
struct BoxShape {
    rect: [f32; 4],
    icon_at: [f32; 2],
    text_at: [f32; 2],
    anchor: Anchor,
}

struct Painter<'a, 'b> {
    canvas: &'a mut Canvas<'b>,
    alpha: f32,
}

impl Painter<'_, '_> {
    fn color(&self, [r, g, b]: [f32; 3], strength: f32) -> Color {
        [r, g, b, self.alpha * strength]
    }

    /// An icon in a row, as in the base game.
    fn plain(&mut self, x: f32, has_bar: bool, cell: &Cell, icon: Option<ShaderId>) {
        let white = self.color([1.0; 3], 1.0);
        let rect = [x, 380.0, 32.0, 32.0];
        if let Some(icon) = icon {
            self.canvas.picture(rect, icon, white, Anchor::Center);
        }
        if cell.is_selected {
            let frame = [x - 4.0, 376.0, 40.0, 40.0];
            let select = self.canvas.media.pictures.select;
            self.canvas.picture(frame, select, white, Anchor::Center);
        }
        if cell.ammo == 0 {
            let cross = self.canvas.media.pictures.no_ammo;
            self.canvas.picture(rect, cross, white, Anchor::Center);
        }
        if has_bar {
            let color = self.color(bar_color(cell.fraction), 1.0);
            let bar = [x, 414.0, 32.0 * cell.fraction, 4.0];
            self.canvas.fill(bar, color, Anchor::Center);
        }
    }

    fn name(&mut self, number: i32) {
        if let Some((_, item)) = shared::bg::items::weapon_item(number) {
            let size = canvas::BIG;
            self.canvas.centered(358.0, item.name, size, self.alpha);
        }
    }

    /// A box with icon and number; `look` 0 blue or red, 1 with a bar, 2 colored by what is left.
    fn boxed(&mut self, shape: &BoxShape, look: i32, cell: &Cell, icon: Option<ShaderId>) {
        let BoxShape {
            rect,
            icon_at,
            text_at,
            anchor,
        } = *shape;
        let [x, y, width, height] = rect;
        let back = match (look, cell.ammo) {
            (2, _) => [1.0 - cell.fraction, 0.0, cell.fraction],
            (_, 0) => RED,
            _ => BLUE,
        };
        let back = self.color(back, 0.4);
        self.canvas.fill(rect, back, anchor);
        if look == 1 {
            let filled = (height - 2.0) * cell.fraction;
            let bar = [x + width - 5.0, y + height - 1.0 - filled, 4.0, filled];
            let color = self.color(bar_color(cell.fraction), 1.0);
            self.canvas.fill(bar, color, anchor);
        }
        if cell.is_selected {
            let color = self.color(YELLOW, 1.0);
            for side in [
                [x, y, width, 1.0],
                [x, y + height - 1.0, width, 1.0],
                [x, y, 1.0, height],
                [x + width - 1.0, y, 1.0, height],
            ] {
                self.canvas.fill(side, color, anchor);
            }
        }
        let white = self.color([1.0; 3], 1.0);
        if let Some(icon) = icon {
            let at = [x + icon_at[0], y + icon_at[1], 16.0, 16.0];
            self.canvas.picture(at, icon, white, anchor);
        }
        // Negative is a weapon that needs none.
        if cell.ammo >= 0 {
            let (x, y) = (x + text_at[0], y + text_at[1]);
            let text = cell.ammo.to_string();
            self.canvas.text(x, y, &text, SMALL, white, anchor);
        }
    }
}

fn bar_color(fraction: f32) -> [f32; 3] {
    if fraction > 0.5 {
        [0.0, 1.0, 0.0]
    } else if fraction > 0.2 {
        [1.0, 0.5, 0.0]
    } else {
        RED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_warn_as_ammunition_runs_out() {
        assert_eq!(bar_color(0.51), [0.0, 1.0, 0.0]);
        assert_eq!(bar_color(0.5), [1.0, 0.5, 0.0]);
        assert_eq!(bar_color(0.2), RED);
    }
}
