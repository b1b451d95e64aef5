//! Health, armor, ammunition and the weapons one has.

use super::{
    TEAM_ALPHA,
    canvas::{Anchor, Canvas, WHITE},
    figures::{self, HeadMotion},
};
use crate::scene::text::Color;
use shared::base::sort::sort;
use shared::base::time::ServerTime;
use shared::bg::numbers::{gametype, persistant, powerup, team};

const GREY: Color = [0.5, 0.5, 0.5, 1.0];
const YELLOW: Color = [1.0, 0.69, 0.0, 1.0];
const RED: Color = [1.0, 0.2, 0.2, 1.0];

pub fn draw(canvas: &mut Canvas<'_>, motion: &mut HeadMotion) {
    let input = canvas.input;
    let player = input.player;
    let stats = &input.level.stats;
    if !input.settings.draw_status {
        return;
    }
    let own_team = player.persistant[persistant::TEAM];
    if let Some(color) = input.team_color(own_team, TEAM_ALPHA) {
        canvas.backdrop(420.0, 60.0, color);
    }
    ammunition(canvas);
    let health = player.stats[stats.health];
    let color = match health {
        101.. => WHITE,
        26..=100 => YELLOW,
        // Blinks when it is nearly over.
        1..=25 if input.now.0 >> 8 & 1 == 0 => YELLOW,
        _ => RED,
    };
    field(canvas, 185.0, health, color, Anchor::Center);
    figures::own_head(canvas, motion);
    let carried =
        (powerup::REDFLAG..=powerup::NEUTRALFLAG).find(|&flag| player.powerups[flag] != 0);
    if let Some(flag) = carried {
        figures::flag(canvas, [333.0, 432.0, 48.0, 48.0], flag);
    }
    if input.level.game_type == gametype::HARVESTER && input.level.profile.is_open_arena() {
        let tokens = player.generic1;
        if tokens > 0 {
            field(canvas, 470.0, tokens, YELLOW, Anchor::Center);
        }
        let is_red = own_team == team::BLUE;
        let rect = [570.0, 432.0, 48.0, 48.0];
        figures::token(canvas, rect, is_red);
    }
    let armor = player.stats[stats.armor];
    if armor > 0 {
        field(canvas, 370.0, armor, YELLOW, Anchor::Center);
        figures::armor(canvas, [470.0, 432.0, 48.0, 48.0]);
    }
}

/// What is carried and works when it is used, or all the time.
pub fn held(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    let stats = &input.level.stats;
    let places = [
        (Some(stats.holdable_item), 216.0),
        (stats.persistent_powerup, 168.0),
    ];
    for (index, y) in places {
        let item = index.map(|index| input.player.stats[index]);
        if let Some(look) = item.and_then(|item| canvas.item(item)) {
            canvas.picture([592.0, y, 48.0, 48.0], look.icon, WHITE, Anchor::Right);
        }
    }
}

fn ammunition(canvas: &mut Canvas<'_>) {
    let player = canvas.input.player;
    let number = player.weapon;
    let ammo = usize::try_from(number)
        .ok()
        .filter(|index| (1..16).contains(index))
        .map(|index| player.ammo[index]);
    let Some(ammo) = ammo.filter(|&ammo| ammo > -1) else {
        return;
    };
    // Grey while the weapon cannot fire.
    let is_reloading = player.weapon_state == 3 && player.weapon_time > 100;
    let color = if is_reloading { GREY } else { YELLOW };
    field(canvas, 0.0, ammo, color, Anchor::Left);
    let rect = [100.0, 432.0, 48.0, 48.0];
    figures::ammunition(canvas, rect, number);
}

/// Up to three big digits ending 96 units to the right of `x`.
fn field(canvas: &mut Canvas<'_>, x: f32, value: i32, color: Color, anchor: Anchor) {
    digits(canvas, ([x, 432.0], anchor), value, 3, color);
}

/// A number that ends after the place of its last digit.
fn digits(
    canvas: &mut Canvas<'_>,
    ([x, y], anchor): ([f32; 2], Anchor),
    value: i32,
    places: usize,
    color: Color,
) {
    const WIDTH: f32 = 32.0;
    let max = 10_i32.pow(places as u32);
    let text = value.clamp(1 - max / 10, max - 1).to_string();
    let mut at = x + 2.0 + WIDTH * places.saturating_sub(text.len()) as f32;
    for digit in text.chars() {
        let shader = match digit.to_digit(10) {
            Some(digit) => canvas.media.digits[digit as usize],
            None => canvas.media.pictures.digit_minus,
        };
        canvas.picture([at, y, WIDTH, 48.0], shader, color, anchor);
        at += WIDTH;
    }
}

/// Icons and seconds of what wears off, soonest lowest; the lowest stands above `bottom`.
pub fn powerups(canvas: &mut Canvas<'_>, bottom: f32) {
    const SIDE: f32 = 48.0;
    /// Flags have no end.
    const LONGEST_MSEC: i32 = 999_000;
    const BLINKING_MSEC: i32 = 5000;
    const GROWN_MSEC: i32 = 200;
    let input = canvas.input;
    let mut active: Vec<(i32, usize)> = (powerup::QUAD..=powerup::FLIGHT)
        .chain([powerup::INVULNERABILITY])
        .map(|number| {
            (
                ServerTime(input.player.powerups[number]) - input.now,
                number,
            )
        })
        .filter(|(left, _)| (0..LONGEST_MSEC).contains(left))
        .collect();
    sort(&mut active);
    let mut y = bottom;
    for (left, number) in active {
        y -= SIDE;
        digits(canvas, ([528.0, y], Anchor::Right), left / 1000, 2, RED);
        // Powerup items 28 to 33 are in the order of the powerups.
        let item = match number {
            powerup::INVULNERABILITY => 38,
            number => 27 + number as i32,
        };
        let Some(look) = canvas.item(item) else {
            continue;
        };
        let bright = if left < BLINKING_MSEC {
            (left % 1000) as f32 / 1000.0
        } else {
            1.0
        };
        let elapsed = input
            .notices
            .powerup
            .filter(|(begun, _)| *begun == number)
            .map_or(GROWN_MSEC, |(_, since)| input.now - since);
        let grown = if (0..GROWN_MSEC).contains(&elapsed) {
            1.5 - 0.5 * elapsed as f32 / GROWN_MSEC as f32
        } else {
            1.0
        };
        let side = SIDE * grown;
        let rect = [640.0 - side, y + (SIDE - side) / 2.0, side, side];
        canvas.picture(rect, look.icon, [bright; 4], Anchor::Right);
    }
}
