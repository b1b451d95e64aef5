//! The lower right corner: the scores, what is left to reach, and where flags and points stand above them.

use super::{
    HudInput, TEAM_ALPHA,
    canvas::{self, Anchor, BIG, Canvas, SMALL, WHITE},
    score_text,
    team_signs::{self, FlagPlace},
};
use crate::{
    cg::timeline::team_info::points_held,
    scene::{ShaderId, text::Color},
};
use shared::bg::numbers::{configstring as cs, gametype, persistant, team};

const RED: Color = [1.0, 0.0, 0.0, 0.33];
const BLUE: Color = [0.0, 0.0, 1.0, 0.33];
const GREY: Color = [0.5, 0.5, 0.5, 0.33];
const BOX_Y: f32 = 404.0;
const BOX_HEIGHT: f32 = 24.0;

/// One number with its background.
struct ScoreBox {
    score: i32,
    color: Color,
    is_own: bool,
    /// What stands above it, and how high that is.
    icon: Option<(Icon, f32)>,
    /// Words above it.
    note: Option<(String, Color)>,
}

/// A picture, or what stands for it in the colors that the player chose.
#[derive(Clone, Copy)]
enum Icon {
    Picture(ShaderId, Color),
    Flag(FlagPlace, Color),
}

/// Draws the corner, lifted by what stands below; returns where the next thing above it may end.
pub fn draw(canvas: &mut Canvas<'_>, lift: f32) -> f32 {
    let input = canvas.input;
    let boxes = if input.level.is_team_game() {
        teams(canvas)
    } else {
        players(input)
    };
    let has_icons = boxes
        .iter()
        .any(|score| score.icon.is_some() || score.note.is_some());
    let mut x = 640.0;
    for score in boxes {
        let text = format!("{:2}", score.score);
        let width = canvas::width(&text, BIG) + 8.0;
        x -= width;
        score.draw(canvas, [x, BOX_Y - lift, width, BOX_HEIGHT], &text);
    }
    let limit = match input.level.counts_captures() {
        true => input.level.capture_limit,
        false => input.level.frag_limit,
    };
    if limit > 0 {
        let text = format!("{limit:2}");
        x -= canvas::width(&text, BIG) + 8.0;
        canvas.text(x + 4.0, 408.0 - lift, &text, BIG, WHITE, Anchor::Right);
    }
    if let Some((_, msec)) = points_held(input.level, input.team_info, input.now) {
        let text = (msec / 1000 + 1).to_string();
        canvas.right(356.0 - lift, &text, BIG, WHITE);
    }
    if has_icons {
        376.0 - lift
    } else {
        400.0 - lift
    }
}

impl ScoreBox {
    /// Draws it in this place, with what stands above.
    fn draw(&self, canvas: &mut Canvas<'_>, rect: [f32; 4], text: &str) {
        let [x, y, width, _] = rect;
        canvas.fill(rect, self.color, Anchor::Right);
        if self.is_own {
            canvas.picture(rect, canvas.media.pictures.select, WHITE, Anchor::Right);
        }
        canvas.text(x + 4.0, y + 4.0, text, BIG, WHITE, Anchor::Right);
        if let Some((icon, height)) = self.icon {
            let rect = [x, y - height, width, height];
            match icon {
                Icon::Picture(picture, color) => {
                    canvas.picture(rect, picture, color, Anchor::Right);
                }
                Icon::Flag(place, color) => {
                    team_signs::flag(canvas, rect, color, place, Anchor::Right);
                }
            }
        }
        if let Some((note, color)) = &self.note {
            let x = x + width - 8.0 - canvas::width(note, SMALL);
            canvas.text(x, y - 24.0, note, SMALL, *color, Anchor::Right);
        }
    }
}

/// Blue, then red: from right to left.
fn teams(canvas: &Canvas<'_>) -> Vec<ScoreBox> {
    let input = canvas.input;
    let own = input.player.persistant[persistant::TEAM];
    let [red_icon, blue_icon] = icons(canvas);
    let icon_height = match input.level.game_type {
        gametype::DOUBLE_DOMINATION => 32.0,
        _ => BOX_HEIGHT,
    };
    let is_overload = input.level.game_type == gametype::OVERLOAD;
    let obelisks = input.team_info.obelisks.filter(|_| is_overload);
    let of_team = |wanted, index, icon: Option<Icon>| {
        Some(ScoreBox {
            score: score_text(input.level, index)?,
            color: input.team_color(wanted, TEAM_ALPHA)?,
            is_own: own == wanted,
            icon: icon.map(|icon| (icon, icon_height)),
            note: obelisks.and_then(|[red, blue]| {
                let percent = if wanted == team::RED { red } else { blue };
                Some((format!("{percent}%"), input.team_color(wanted, 1.0)?))
            }),
        })
    };
    [
        of_team(team::BLUE, cs::SCORES2, blue_icon),
        of_team(team::RED, cs::SCORES1, red_icon),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The best score and the own one, or the two best: from right to left.
fn players(input: &HudInput<'_>) -> Vec<ScoreBox> {
    let own = input.player.persistant[persistant::SCORE];
    let is_spectator = input.player.persistant[persistant::TEAM] == team::SPECTATOR;
    let best = score_text(input.level, cs::SCORES1);
    let second = match best {
        Some(score) if score == own => score_text(input.level, cs::SCORES2),
        _ if is_spectator => score_text(input.level, cs::SCORES2),
        _ => Some(own),
    };
    let boxed = |score: Option<i32>, is_own: bool, color: Color| {
        let is_own = is_own && !is_spectator;
        score.map(|score| ScoreBox {
            score,
            color: if is_own { color } else { GREY },
            is_own,
            icon: None,
            note: None,
        })
    };
    let leads = best == Some(own);
    [
        boxed(second, second == Some(own) && !leads, RED),
        boxed(best, leads, BLUE),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// What stands above red's and blue's scores.
fn icons(canvas: &Canvas<'_>) -> [Option<Icon>; 2] {
    let input = canvas.input;
    let status = input.level.strings.get(cs::FLAG_STATUS).as_bytes();
    let state = |index: usize| {
        let letter = status.get(index).copied()?;
        letter.checked_sub(b'0').map(usize::from)
    };
    let of = |icons: &[ShaderId], index: usize| {
        let picture = icons.get(state(index)?).copied()?;
        Some(Icon::Picture(picture, WHITE))
    };
    // Letter, color of its team, and what it shows where the player chose none.
    let flag = |index: usize, side: i32, pictures: &[ShaderId]| {
        let Some(color) = team_signs::color(input, side) else {
            return of(pictures, index);
        };
        Some(Icon::Flag(FlagPlace::of(state(index)?)?, color))
    };
    let point = |index: usize, icons: [ShaderId; 3]| {
        let holder = [team::FREE, team::RED, team::BLUE];
        let holder = holder.get(state(index)?).copied()?;
        match team_signs::color(input, holder) {
            Some(color) => Some(Icon::Picture(icons[0], color)),
            None => of(&icons, index),
        }
    };
    let (pictures, oa) = (&canvas.media.pictures, &canvas.media.oa_pictures);
    match input.level.game_type {
        gametype::CTF | gametype::CTF_ELIMINATION => {
            let red = [
                pictures.red_flag_base,
                pictures.red_flag_taken,
                pictures.red_flag_dropped,
            ];
            let blue = [
                pictures.blue_flag_base,
                pictures.blue_flag_taken,
                pictures.blue_flag_dropped,
            ];
            [flag(0, team::RED, &red), flag(1, team::BLUE, &blue)]
        }
        gametype::ONE_FLAG_CTF => {
            let pictures_of_one = [
                oa.neutral_flag_base,
                // Letter 1 is never sent: a carrier always has a team.
                oa.neutral_flag_base,
                pictures.red_flag_taken,
                pictures.blue_flag_taken,
                oa.neutral_flag_dropped,
            ];
            let holder = match state(0) {
                Some(2) => team::RED,
                Some(3) => team::BLUE,
                _ => team::FREE,
            };
            let taken = team_signs::color(input, holder);
            let taken = taken.map(|color| Icon::Flag(FlagPlace::Taken, color));
            [None, taken.or_else(|| of(&pictures_of_one, 0))]
        }
        gametype::DOUBLE_DOMINATION => {
            let a = [oa.point_a_free, oa.point_a_red, oa.point_a_blue];
            let b = [oa.point_b_free, oa.point_b_red, oa.point_b_blue];
            [point(0, a), point(1, b)]
        }
        _ => [None, None],
    }
}
