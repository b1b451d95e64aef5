//! Lines of text: votes, warm-up, spectating, following, accuracies.

use super::canvas::{self, Anchor, BIG, Canvas, GIANT, SMALL, WHITE};
use crate::cg::timeline::{
    game_static::GameStatic,
    scores::{Accuracies, FIRST_WEAPON},
};
use shared::{
    base::{text::number, time::ServerTime},
    bg::numbers::{configstring as cs, gametype, pm_flags, team},
};

/// How much longer a vote that began at a time can be joined, in seconds.
pub fn seconds_to_vote(now: ServerTime, since: ServerTime) -> i32 {
    const VOTE_MSEC: i32 = 30_000;
    VOTE_MSEC.saturating_sub(now - since).max(0) / 1000
}

/// The vote that is going on.
pub fn vote(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    let strings = &input.level.strings;
    let since = number(strings.get(cs::VOTE_TIME));
    if since == 0 {
        return;
    }
    let seconds = seconds_to_vote(input.now, ServerTime(since));
    let (text, yes, no) = (
        strings.get(cs::VOTE_STRING),
        strings.get(cs::VOTE_YES),
        strings.get(cs::VOTE_NO),
    );
    canvas.text(
        0.0,
        58.0,
        &format!("VOTE({seconds}):{text} yes:{yes} no:{no}"),
        SMALL,
        WHITE,
        Anchor::Left,
    );
}

pub fn warmup(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    let level = input.level;
    match level.warmup {
        0 => {}
        ..0 => canvas.centered(24.0, "Waiting for players", BIG, 1.0),
        begins => {
            let (y, title) = match level.game_type {
                gametype::TOURNAMENT => (20.0, opponents(level)),
                kind => (25.0, gametype::name(kind).unwrap_or("").to_owned()),
            };
            let letters = canvas::width(&title, [1.0, 1.0]).max(1.0);
            let width = (640.0 / letters).floor().min(GIANT[0]);
            canvas.centered(y, &title, [width, (width * 1.1).floor()], 1.0);
            count_down(canvas, "Starts in:", ServerTime(begins) - input.now);
        }
    }
}

/// The two who play against each other.
fn opponents(level: &GameStatic) -> String {
    let playing = level.clients.iter().flatten();
    let mut names = playing
        .filter(|info| info.team == team::FREE)
        .map(|info| info.name.as_str());
    match (names.next(), names.next()) {
        (Some(one), Some(other)) => format!("{one}^7 vs {other}"),
        _ => String::new(),
    }
}

/// Where the seconds before a match or a round stand, and where they do below the name of whoever is followed.
const COUNT_DOWN_Y: f32 = 70.0;
const COUNT_DOWN_BELOW_NAME_Y: f32 = FOLLOWED_Y + GIANT[1] + 4.0;
/// Where the name of whoever is followed stands.
const FOLLOWED_Y: f32 = 40.0;

/// A number of seconds that grows while it becomes less.
pub fn count_down(canvas: &mut Canvas<'_>, text: &str, left_msec: i32) {
    let seconds = (left_msec / 1000).max(0);
    let width = match seconds {
        0 => 28.0,
        1 => 24.0,
        2 => 20.0,
        _ => 16.0,
    };
    let text = format!("{text} {}", seconds + 1);
    let y = match canvas.input.player.pm_flags & pm_flags::FOLLOW != 0 {
        true => COUNT_DOWN_BELOW_NAME_Y,
        false => COUNT_DOWN_Y,
    };
    canvas.centered(y, &text, [width, width * 1.5], 1.0);
}

/// Hits of hundred shots with each weapon that has fired.
pub fn accuracies(canvas: &mut Canvas<'_>, accuracies: &Accuracies) {
    const ROW: f32 = 20.0;
    let mut y = 150.0;
    for (weapon, &[shots, hits]) in (FIRST_WEAPON..).zip(accuracies) {
        let Some(icon) = canvas.weapon_icon(weapon) else {
            continue;
        };
        canvas.fill([500.0, y, 75.0, ROW], [0.0, 0.0, 0.0, 0.33], Anchor::Right);
        canvas.picture([502.0, y + 2.0, 16.0, 16.0], icon, WHITE, Anchor::Right);
        let text = match shots {
            1.. => format!("{:4.0}%", f64::from(hits) * 100.0 / f64::from(shots)),
            _ => "   - ".to_owned(),
        };
        canvas.text(524.0, y + 2.0, &text, SMALL, WHITE, Anchor::Right);
        y += ROW;
    }
}

pub fn spectator(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    canvas.text(248.0, 440.0, "SPECTATOR", BIG, WHITE, Anchor::Center);
    if input.level.game_type == gametype::TOURNAMENT {
        canvas.centered(460.0, "waiting to play", BIG, 1.0);
    } else {
        let teams = match input.level.is_team_game() {
            true => "/team red or /team blue",
            false => "/team free",
        };
        let text = format!("{teams} in the console (the key left of 1) lets you play");
        canvas.centered(460.0, &text, SMALL, 1.0);
    }
}

pub fn following(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    canvas.centered(24.0, "following", BIG, 1.0);
    let name = input.level.name(input.player.client_num);
    canvas.title(FOLLOWED_Y, name);
}
