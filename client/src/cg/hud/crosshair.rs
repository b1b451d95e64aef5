//! The crosshair: its picture, its size after a pickup, its color by health.

use super::{
    HudInput,
    canvas::{Anchor, Canvas},
};
use crate::scene::text::{COLORS, Color};

const PULSE_MSEC: i32 = 200;

pub fn draw(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    let settings = input.settings;
    if settings.draw_crosshair <= 0 || input.is_third_person {
        return;
    }
    let color = if settings.crosshair_health {
        health_color(input)
    } else {
        let color = COLORS[settings.crosshair_color.rem_euclid(COLORS.len() as i32) as usize];
        let tint = settings.crosshair_tint();
        let [r, g, b]: [f32; 3] = std::array::from_fn(|i| color[i] * tint[i]);
        [r, g, b, 1.0]
    };
    let (number, mut size) = look(input);
    let elapsed = input
        .notices
        .taken_at
        .map_or(PULSE_MSEC, |since| input.now - since);
    if settings.crosshair_pulses && (0..PULSE_MSEC).contains(&elapsed) {
        size *= 1.0 + elapsed as f32 / PULSE_MSEC as f32;
    }
    let (x, y) = (settings.crosshair_x, settings.crosshair_y);
    let shader = canvas.media.crosshairs[number.rem_euclid(10) as usize];
    canvas.picture(
        [320.0 + x - size / 2.0, 240.0 + y - size / 2.0, size, size],
        shader,
        color,
        Anchor::Center,
    );
}

/// Number of the picture and size: the same for all weapons, or the own of the one in hand.
fn look(input: &HudInput<'_>) -> (i32, f32) {
    let settings = input.settings;
    let of_weapon = settings.weapon_crosshair(input.player.weapon);
    of_weapon.unwrap_or((settings.draw_crosshair, settings.crosshair_size))
}

/// From red over yellow to white, by how much damage can be taken.
fn health_color(input: &HudInput<'_>) -> Color {
    let health = input.player.stats[input.level.stats.health];
    let armor = input.player.stats[input.level.stats.armor];
    color_by_health(health, armor)
}

/// The same for any player.
pub fn color_by_health(health: i32, armor: i32) -> Color {
    if health <= 0 {
        return [0.0, 0.0, 0.0, 1.0];
    }
    // Armor takes two thirds of the damage as long as it lasts.
    let protected = (health as f32 * 0.66 / 0.34) as i32;
    let strength = (health + armor.min(protected)) as f32;
    let green = ((strength - 30.0) / 30.0).clamp(0.0, 1.0);
    let blue = if strength >= 100.0 {
        1.0
    } else {
        ((strength - 66.0) / 33.0).clamp(0.0, 1.0)
    };
    [1.0, green, blue, 1.0]
}
