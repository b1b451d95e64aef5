//! Health, armor, ammunition and the weapons one has.

use super::{
    HudInput,
    canvas::{self, Anchor, Canvas, WHITE},
};
use crate::{
    assets::Assets,
    cg::{media::Media, selection},
    scene::text::Color,
};
use shared::bg::numbers::powerup;

const GREY: Color = [0.5, 0.5, 0.5, 1.0];
const YELLOW: Color = [1.0, 0.69, 0.0, 1.0];
const RED: Color = [1.0, 0.2, 0.2, 1.0];
const WEAPON_SELECT_MSEC: i32 = 1400;

pub fn draw(canvas: &mut Canvas, input: &HudInput<'_>, media: &mut Media, assets: &mut Assets) {
    let player = input.player;
    let stats = &input.level.stats;
    if !input.settings.draw_status {
        return;
    }
    let number = input.player.weapon;
    if let Some(index) = usize::try_from(number)
        .ok()
        .filter(|index| (1..16).contains(index))
    {
        let ammo = player.ammo[index];
        if ammo > -1 {
            // Grey while the weapon cannot fire.
            let is_reloading = player.weapon_state == 3 && player.weapon_time > 100;
            let color = if is_reloading {
                GREY
            } else if ammo == 0 {
                RED
            } else {
                YELLOW
            };
            field(canvas, 0.0, ammo, color, media, Anchor::Left);
            let icon = media.weapon(number, assets).and_then(|look| look.icon);
            if let (Some(icon), true) = (icon, input.settings.draw_icons) {
                canvas.picture([100.0, 432.0, 48.0, 48.0], icon, WHITE, Anchor::Left);
            }
        }
    }
    let health = player.stats[stats.health];
    let color = match health {
        101.. => WHITE,
        26..=100 => YELLOW,
        // Blinks when it is nearly over.
        1..=25 if input.now >> 8 & 1 != 0 => YELLOW,
        _ => RED,
    };
    field(canvas, 185.0, health, color, media, Anchor::Center);
    let armor = player.stats[stats.armor];
    if armor > 0 {
        field(
            canvas,
            370.0,
            armor,
            if armor > 100 { WHITE } else { YELLOW },
            media,
            Anchor::Center,
        );
        if input.settings.draw_icons {
            canvas.picture(
                [470.0, 432.0, 48.0, 48.0],
                media.pictures.armor,
                WHITE,
                Anchor::Center,
            );
        }
    }
    let holdable = player.stats[stats.holdable_item];
    if let Some(look) = media.item(holdable, assets) {
        canvas.picture([592.0, 216.0, 48.0, 48.0], look.icon, WHITE, Anchor::Right);
    }
    powerups(canvas, input, media, assets);
}

/// Up to three big digits ending 96 units to the right of `x`.
fn field(canvas: &mut Canvas, x: f32, value: i32, color: Color, media: &Media, anchor: Anchor) {
    const WIDTH: f32 = 32.0;
    let text = value.clamp(-99, 999).to_string();
    let mut at = x + 2.0 + WIDTH * (3 - text.len().min(3)) as f32;
    for digit in text.chars() {
        let shader = match digit.to_digit(10) {
            Some(digit) => media.digits[digit as usize],
            None => media.pictures.digit_minus,
        };
        canvas.picture([at, 432.0, WIDTH, 48.0], shader, color, anchor);
        at += WIDTH;
    }
}

/// Icons and seconds of what wears off, soonest lowest.
fn powerups(canvas: &mut Canvas, input: &HudInput<'_>, media: &mut Media, assets: &mut Assets) {
    /// Flags have no end.
    const LONGEST_MSEC: i32 = 999_000;
    let mut active: Vec<(i32, i32)> = (powerup::QUAD..=powerup::FLIGHT)
        .map(|number| {
            (
                input.player.powerups[number].wrapping_sub(input.now),
                number as i32,
            )
        })
        .filter(|(left, _)| (1..LONGEST_MSEC).contains(left))
        .collect();
    active.sort_unstable();
    let mut y = 380.0;
    for (left, number) in active {
        // Powerup items 28 to 33 are in the order of the powerups.
        if let Some(look) = media.item(27 + number, assets) {
            canvas.picture([592.0, y, 48.0, 48.0], look.icon, WHITE, Anchor::Right);
        }
        let seconds = (left / 1000 + 1).to_string();
        let x = 584.0 - canvas::width(&seconds, [24.0, 32.0]);
        canvas.text(x, y + 8.0, &seconds, [24.0, 32.0], YELLOW, Anchor::Right);
        y -= 52.0;
    }
}

/// The owned weapons, for a while after each change.
pub fn weapon_bar(
    canvas: &mut Canvas,
    input: &HudInput<'_>,
    media: &mut Media,
    assets: &mut Assets,
) {
    let elapsed = input.now - input.selection.changed_at;
    let alpha = if input.settings.always_weapon_bar {
        1.0
    } else {
        canvas::fade(elapsed, WEAPON_SELECT_MSEC)
    };
    if alpha <= 0.0 {
        return;
    }
    let owned: Vec<i32> = (1..16)
        .filter(|&number| selection::owns(input.player, input.level, number))
        .collect();
    let mut x = 320.0 - owned.len() as f32 * 20.0;
    let color = [1.0, 1.0, 1.0, alpha];
    for number in owned {
        if let Some(icon) = media.weapon(number, assets).and_then(|look| look.icon) {
            canvas.picture([x, 380.0, 32.0, 32.0], icon, color, Anchor::Center);
        }
        if number == i32::from(input.selection.weapon) {
            canvas.picture(
                [x - 4.0, 376.0, 40.0, 40.0],
                media.pictures.select,
                color,
                Anchor::Center,
            );
            if let Some((_, item)) = shared::bg::items::weapon_item(number) {
                canvas.centered(358.0, item.name, canvas::BIG, alpha);
            }
        }
        if input.player.ammo[number as usize] == 0 {
            canvas.picture(
                [x, 380.0, 32.0, 32.0],
                media.pictures.no_ammo,
                color,
                Anchor::Center,
            );
        }
        x += 40.0;
    }
}
