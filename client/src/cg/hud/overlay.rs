//! Names, places, health, armor and weapons of the own team, in a corner.

use super::{
    HudInput, TEAM_ALPHA,
    canvas::{self, Anchor, Canvas, WHITE},
    crosshair,
    team_signs::{self, FlagPlace},
};
use crate::cg::timeline::{game_static::GameStatic, team_info::Mate};
use shared::bg::numbers::{persistant, powerup};

const TINY: [f32; 2] = [8.0, 8.0];
const MAX_ROWS: usize = 8;
const LONGEST_NAME: usize = 12;
const LONGEST_PLACE: usize = 16;
/// Where the corners begin from which the other two kinds grow upwards.
const BOTTOM: f32 = 432.0;

/// Draws it in the corner that is chosen; returns its width and height, 0 if there is none.
pub fn draw(canvas: &mut Canvas<'_>) -> [f32; 2] {
    const ABSENT: [f32; 2] = [0.0; 2];
    let input = canvas.input;
    let own = input.player.persistant[persistant::TEAM];
    let Some(background) = input.team_color(own, TEAM_ALPHA) else {
        return ABSENT;
    };
    let mode = input.settings.draw_team_overlay;
    if mode == 0 || !input.level.is_team_game() {
        return ABSENT;
    }
    let shown = mates_in(&input.team_info.mates, input.level, own);
    if shown.is_empty() {
        return ABSENT;
    }
    let names = shown.iter().map(|mate| input.level.name(mate.client));
    let name_length = longest(names, LONGEST_NAME);
    // A map that names no places leaves no room for them.
    let place_length = longest(input.level.locations(), LONGEST_PLACE);
    let width = (name_length + place_length + 4 + 7) as f32 * TINY[0];
    let height = shown.len() as f32 * TINY[1];
    let (x, y, anchor) = match mode {
        1 => (640.0 - width, 0.0, Anchor::Right),
        2 => (640.0 - width, BOTTOM - height, Anchor::Right),
        _ => (0.0, BOTTOM - height, Anchor::Left),
    };
    canvas.fill([x, y, width, height], background, anchor);
    for (number, mate) in shown.iter().enumerate() {
        let columns = Columns {
            x,
            y: y + number as f32 * TINY[1],
            width,
            lengths: [name_length, place_length],
            anchor,
        };
        row(canvas, &columns, mate);
    }
    [width, height]
}

/// Who is listed: of the old team, where the player has just changed sides, nobody.
fn mates_in<'a>(told: &'a [Mate], level: &GameStatic, own: i32) -> Vec<&'a Mate> {
    let is_in = |mate: &&Mate| {
        let info = level.client(mate.client);
        info.is_some_and(|info| info.team == own)
    };
    told.iter().filter(is_in).take(MAX_ROWS).collect()
}

/// Letters of the longest of these texts.
fn longest<'a>(texts: impl Iterator<Item = &'a str>, max: usize) -> usize {
    let letters = |text: &str| (canvas::width(text, TINY) / TINY[0]) as usize;
    texts.map(letters).max().unwrap_or(0).min(max)
}

/// Where the parts of a row stand.
struct Columns {
    x: f32,
    y: f32,
    width: f32,
    /// Letters of names and of places.
    lengths: [usize; 2],
    anchor: Anchor,
}

fn row(canvas: &mut Canvas<'_>, columns: &Columns, mate: &Mate) {
    let input = canvas.input;
    let &Columns {
        x,
        y,
        width,
        lengths: [name_length, place_length],
        anchor,
    } = columns;
    let name = cut(input.level.name(mate.client), name_length);
    canvas.text(x + 8.0, y, &name, TINY, WHITE, anchor);
    if place_length > 0 {
        let at = x + 16.0 + TINY[0] * name_length as f32;
        let place = cut(place(input, mate), place_length);
        canvas.text(at, y, &place, TINY, WHITE, anchor);
    }
    let at = x + 24.0 + TINY[0] * (name_length + place_length) as f32;
    let numbers = format!("{:3} {:3}", mate.health, mate.armor);
    let color = crosshair::color_by_health(mate.health, mate.armor);
    canvas.text(at, y, &numbers, TINY, color, anchor);
    let icon = canvas.weapon_icon(mate.weapon);
    let icon = icon.unwrap_or(canvas.media.pictures.defer);
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
        if let (true, Some(color)) = (has, team_signs::color_of_flag(input, number)) {
            let rect = [at, y, 8.0, 8.0];
            team_signs::flag(canvas, rect, color, FlagPlace::Taken, anchor);
            at += step;
        } else if let (true, Some(look)) = (has, canvas.item(item)) {
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
fn cut(text: &str, max: usize) -> String {
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
        if seen == max {
            break;
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::{
        bg::numbers::{configstring as cs, team},
        types::gamestate::Gamestate,
    };

    fn level(strings: &[(usize, &str)]) -> GameStatic {
        let mut gamestate = Gamestate::default();
        for (index, text) in strings {
            assert_eq!(gamestate.configstrings.set(*index, text), Ok(true));
        }
        GameStatic::new(&gamestate)
    }

    #[test]
    fn only_mates_of_the_shown_team_are_listed() {
        let level = level(&[
            (cs::PLAYERS + 1, "n\\Ayumi\\t\\1"),
            (cs::PLAYERS + 2, "n\\Grism\\t\\2"),
        ]);
        let told = [1, 2, 3].map(|client| Mate {
            client,
            ..Mate::default()
        });
        assert_eq!(mates_in(&told, &level, team::BLUE), [&told[1]]);
    }

    #[test]
    fn places_take_no_room_on_a_map_that_names_none() {
        let length = |level: GameStatic| longest(level.locations(), LONGEST_PLACE);
        assert_eq!(length(level(&[])), 0);
        assert_eq!(length(level(&[(cs::LOCATIONS + 3, "^1Quad")])), 4);
    }

    #[test]
    fn names_are_cut_by_what_is_seen() {
        assert_eq!(cut("^1Sar^7ge", 3), "^1Sar");
        assert_eq!(cut("Ayumi", 12), "Ayumi");
    }
}
