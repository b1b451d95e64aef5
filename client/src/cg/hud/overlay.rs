//! Names, places, health, armor and weapons of the own team, in a corner.

use super::{
    HudInput,
    canvas::{self, Anchor, Canvas, WHITE},
    crosshair,
};
use crate::{
    assets::Assets,
    cg::{media::Media, team_info::Mate},
    scene::text::Color,
};
use shared::bg::numbers::{persistant, powerup, team};

const TINY: [f32; 2] = [8.0, 8.0];
const RED: Color = [1.0, 0.0, 0.0, 0.33];
const BLUE: Color = [0.0, 0.0, 1.0, 0.33];
const MOST_ROWS: usize = 8;
const LONGEST_NAME: usize = 12;
const LONGEST_PLACE: usize = 16;
/// Where the corners begin from which the other two kinds grow upwards.
const BOTTOM: f32 = 432.0;

/// Draws it in the corner that is chosen; returns its height, 0 if there is none.
pub fn draw(
    canvas: &mut Canvas,
    input: &HudInput<'_>,
    media: &mut Media,
    assets: &mut Assets,
) -> f32 {
    let own = input.player.persistant[persistant::TEAM];
    let background = match own {
        team::RED => RED,
        team::BLUE => BLUE,
        _ => return 0.0,
    };
    let mode = input.settings.draw_team_overlay;
    let mates = &input.team_info.mates;
    if mode == 0 || mates.is_empty() || !input.level.is_team_game() {
        return 0.0;
    }
    let shown = &mates[..mates.len().min(MOST_ROWS)];
    let longest = |of: &dyn Fn(&Mate) -> usize, most: usize| {
        shown.iter().map(of).max().unwrap_or(0).min(most)
    };
    let letters = |text: &str| (canvas::width(text, TINY) / TINY[0]) as usize;
    let name_length = longest(&|mate| letters(input.level.name(mate.client)), LONGEST_NAME);
    let place_length = longest(&|mate| letters(place(input, mate)), LONGEST_PLACE);
    let width = (name_length + place_length + 4 + 7) as f32 * TINY[0];
    let height = shown.len() as f32 * TINY[1];
    let (x, y, anchor) = match mode {
        1 => (640.0 - width, 0.0, Anchor::Right),
        2 => (640.0 - width, BOTTOM - height, Anchor::Right),
        _ => (0.0, BOTTOM - height, Anchor::Left),
    };
    canvas.fill([x, y, width, height], background, anchor);
    let columns = Columns {
        x,
        width,
        lengths: [name_length, place_length],
        anchor,
    };
    for (number, mate) in shown.iter().enumerate() {
        let y = y + number as f32 * TINY[1];
        row(canvas, &columns, y, mate, input, media, assets);
    }
    height
}

/// Where the parts of a row stand.
struct Columns {
    x: f32,
    width: f32,
    /// Letters of names and of places.
    lengths: [usize; 2],
    anchor: Anchor,
}

fn row(
    canvas: &mut Canvas,
    columns: &Columns,
    y: f32,
    mate: &Mate,
    input: &HudInput<'_>,
    media: &mut Media,
    assets: &mut Assets,
) {
    let &Columns {
        x,
        width,
        lengths: [name_length, place_length],
        anchor,
    } = columns;
    let name = cut(input.level.name(mate.client), name_length);
    canvas.text(x + 8.0, y, &name, TINY, WHITE, anchor);
    let at = x + 16.0 + TINY[0] * name_length as f32;
    let place = cut(place(input, mate), place_length);
    canvas.text(at, y, &place, TINY, WHITE, anchor);
    let at = x + 24.0 + TINY[0] * (name_length + place_length) as f32;
    let numbers = format!("{:3} {:3}", mate.health, mate.armor);
    let color = crosshair::color_by_health(mate.health, mate.armor);
    canvas.text(at, y, &numbers, TINY, color, anchor);
    let icon = media.weapon(mate.weapon, assets).and_then(|look| look.icon);
    let icon = icon.unwrap_or(media.pictures.defer);
    canvas.picture([at + 24.0, y, 8.0, 8.0], icon, WHITE, anchor);
    // What a mate has taken stands outwards of his row.
    let (mut at, step) = match anchor {
        Anchor::Right => (x, -TINY[0]),
        _ => (x + width - TINY[0], TINY[0]),
    };
    for number in powerup::QUAD..=powerup::NEUTRALFLAG {
        let item = match number {
            powerup::REDFLAG => 34,
            powerup::BLUEFLAG => 35,
            powerup::NEUTRALFLAG => 46,
            number => 27 + number as i32,
        };
        let has = mate.powerups & (1 << number) != 0;
        if let (true, Some(look)) = (has, media.item(item, assets)) {
            canvas.picture([at, y, 8.0, 8.0], look.icon, WHITE, anchor);
            at += step;
        }
    }
}

fn place<'a>(input: &'a HudInput<'_>, mate: &Mate) -> &'a str {
    let place = usize::try_from(mate.location).map_or("", |index| input.level.location(index));
    if place.is_empty() { "unknown" } else { place }
}

/// The beginning of a text, by letters that are seen.
fn cut(text: &str, most: usize) -> String {
    let mut seen = 0;
    let mut letters = text.chars().peekable();
    let mut short = String::new();
    while let Some(letter) = letters.next() {
        short.push(letter);
        if letter == '^' && letters.peek().is_some_and(char::is_ascii_alphanumeric) {
            short.extend(letters.next());
            continue;
        }
        seen += 1;
        if seen == most {
            break;
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn names_are_cut_by_what_is_seen() {
        assert_eq!(cut("^1Sar^7ge", 3), "^1Sar");
        assert_eq!(cut("Ayumi", 12), "Ayumi");
    }
}
