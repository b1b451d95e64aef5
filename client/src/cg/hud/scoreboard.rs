//! The scoreboard: as the server's `scores` command lists the players.

use super::{
    HudInput, TEAM_ALPHA,
    canvas::{Anchor, BIG, Canvas, SMALL, WHITE},
    figures,
};
use crate::{
    cg::timeline::{
        game_static::GameStatic,
        scores::{Score, Scoreboard, TIED, place_text},
    },
    scene::text::Color,
};
use glam::Vec3;
use shared::bg::numbers::{gametype, persistant, powerup, team};

/// How high rows are and how large what is in them.
#[derive(Clone, Copy, Debug)]
struct Layout {
    step: f32,
    head: f32,
    icon: f32,
    max: usize,
}

const WIDE: Layout = Layout {
    step: 40.0,
    head: 48.0,
    icon: 32.0,
    max: 7,
};
const NARROW: Layout = Layout {
    step: 16.0,
    head: 16.0,
    icon: 16.0,
    max: 17,
};

pub fn draw(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    if !input.notices.killer_name.is_empty() && input.player.stats[input.level.stats.health] <= 0 {
        let text = format!("Fragged by {}", input.notices.killer_name);
        canvas.centered(40.0, &text, BIG, 1.0);
    }
    let line = headline(input);
    let [red, blue] = input.scores.team_scores;
    let leader = if red > blue { team::RED } else { team::BLUE };
    match input.settings.chosen_team_color(leader) {
        Some([r, g, b]) if input.level.is_team_game() && red != blue => {
            canvas.centered_plain(60.0, &line, BIG, [r, g, b, 1.0]);
        }
        _ => canvas.centered(60.0, &line, BIG, 1.0),
    }
    let pictures = &canvas.media.pictures;
    let heads = [
        (176.0, pictures.score_head),
        (264.0, pictures.ping_head),
        (344.0, pictures.time_head),
        (416.0, pictures.name_head),
    ];
    for (x, shader) in heads {
        canvas.picture([x, 86.0, 64.0, 32.0], shader, WHITE, Anchor::Center);
    }
    let is_long = input.scores.rows.len() > WIDE.max;
    let layout = if is_long { NARROW } else { WIDE };
    let mut y = 118.0;
    let mut left = layout.max;
    let mut own_is_seen = false;
    let is_own = |score: &Score| score.client == input.snap.player.client_num;
    for (group, background) in groups(input.scores, input.level) {
        let background = background.and_then(|team| input.team_color(team, TEAM_ALPHA));
        let shown = group.len().min(left);
        if shown == 0 {
            continue;
        }
        left -= shown;
        if let Some(color) = background {
            canvas.backdrop(y - 2.0, shown as f32 * layout.step + 4.0, color);
        }
        for score in &group[..shown] {
            own_is_seen |= is_own(score);
            row(canvas, RowPlace { y, layout }, score);
            y += layout.step;
        }
        y += 16.0;
    }
    // The own place is always told.
    if let (false, Some(own)) = (
        own_is_seen,
        input.scores.rows.iter().find(|row| is_own(row)),
    ) {
        let y = y.min(440.0);
        row(canvas, RowPlace { y, layout }, own);
    }
}

/// Client and score of all rows from top to bottom.
pub fn listed(board: &Scoreboard, level: &GameStatic) -> Vec<(i32, i32)> {
    let rows = groups(board, level).into_iter().flat_map(|(rows, _)| rows);
    rows.map(|row| (row.client, row.score)).collect()
}

/// Rows, and the team that they are of.
type Group = (Vec<Score>, Option<i32>);

/// Players in the order they are listed: the leading team first, spectators last.
fn groups(board: &Scoreboard, level: &GameStatic) -> Vec<Group> {
    let of_team = |wanted: i32| -> Vec<Score> {
        let team_of = |score: &&Score| {
            level
                .client(score.client)
                .map_or(team::FREE, |info| info.team)
                == wanted
        };
        board.rows.iter().filter(team_of).copied().collect()
    };
    let spectators = (of_team(team::SPECTATOR), None);
    if !level.is_team_game() {
        return vec![(of_team(team::FREE), None), spectators];
    }
    let red = (of_team(team::RED), Some(team::RED));
    let blue = (of_team(team::BLUE), Some(team::BLUE));
    if board.team_scores[0] >= board.team_scores[1] {
        vec![red, blue, spectators]
    } else {
        vec![blue, red, spectators]
    }
}

/// Left end of the heads.
const HEAD_X: f32 = 112.0;

/// Where a row stands, and how large its parts are.
#[derive(Clone, Copy)]
struct RowPlace {
    y: f32,
    layout: Layout,
}

fn row(canvas: &mut Canvas<'_>, place: RowPlace, score: &Score) {
    let input = canvas.input;
    let Some(info) = input.level.client(score.client) else {
        return;
    };
    let RowPlace { y, layout } = place;
    if score.client == input.snap.player.client_num {
        let color = highlight(input);
        canvas.fill([176.0, y, 464.0, 17.0], color, Anchor::Center);
    }
    mark(canvas, place, score);
    if let Some(looks) = input.players.get(score.client) {
        let top = y - (layout.head - 16.0) / 2.0;
        let rect = [HEAD_X, top, layout.head, layout.head];
        let ahead = Vec3::new(0.0, 180.0, 0.0);
        figures::head(canvas, rect, Anchor::Center, looks, ahead);
    }
    let name = &info.name;
    let text = if score.ping == -1 {
        format!(" connecting    {name}")
    } else if info.team == team::SPECTATOR {
        format!(" SPECT {:3} {:4} {name}", score.ping, score.time)
    } else {
        format!("{:5} {:4} {:4} {name}", score.score, score.ping, score.time)
    };
    canvas.text(160.0, y, &text, BIG, WHITE, Anchor::Center);
    if layout.step >= WIDE.step && info.team != team::SPECTATOR {
        medals(canvas, y + 18.0, score);
    }
    lives(canvas, y, score);
}

/// What stands left of the head: a flag, readiness, a bot's skill, a handicap, or won and lost matches.
fn mark(canvas: &mut Canvas<'_>, RowPlace { y, layout }: RowPlace, score: &Score) {
    const X: f32 = 80.0;
    let input = canvas.input;
    let Some(info) = input.level.client(score.client) else {
        return;
    };
    let flags = powerup::REDFLAG..=powerup::NEUTRALFLAG;
    let carried = flags
        .into_iter()
        .find(|flag| score.powerups & (1 << flag) != 0);
    let ready = input.player.stats[input.level.stats.clients_ready];
    let is_ready = (0..16).contains(&score.client) && ready & (1 << score.client) != 0;
    let wins_and_losses = format!("{}/{}", info.wins, info.losses);
    let text = match (is_ready, info.handicap) {
        (true, _) => "READY".to_owned(),
        (_, handicap @ 1..=99) => handicap.to_string(),
        _ if input.level.game_type == gametype::TOURNAMENT => wins_and_losses,
        _ => String::new(),
    };
    if let (Some(flag), false) = (carried, is_ready) {
        let rect = [X, y, layout.icon, layout.icon];
        figures::flag(canvas, rect, flag);
        return;
    }
    let skill = usize::try_from(info.bot_skill - 1).ok();
    let face = skill.and_then(|skill| canvas.media.skills.get(skill));
    if let (Some(&icon), false) = (face, is_ready) {
        let rect = [X, y, layout.icon, layout.icon];
        return canvas.picture(rect, icon, WHITE, Anchor::Center);
    }
    let color = if is_ready {
        [0.2, 1.0, 0.2, 1.0]
    } else {
        [0.7, 0.7, 0.7, 1.0]
    };
    let x = HEAD_X - 4.0 - text.len() as f32 * SMALL[0];
    canvas.text(x, y, &text, SMALL, color, Anchor::Center);
}

/// Accuracy and earned medals, below the name.
fn medals(canvas: &mut Canvas<'_>, y: f32, score: &Score) {
    const SIDE: f32 = 16.0;
    let icons = &canvas.media.shaders;
    let icons = [
        icons.medal_impressive,
        icons.medal_excellent,
        icons.medal_gauntlet,
        icons.medal_defend,
        icons.medal_assist,
        icons.medal_capture,
    ];
    let grey = [0.8, 0.8, 0.8, 1.0];
    let accuracy = format!("{:3}%", score.accuracy);
    canvas.text(224.0, y, &accuracy, SMALL, grey, Anchor::Center);
    let mut x = 432.0;
    for (icon, count) in icons.into_iter().zip(score.medals) {
        if count <= 0 {
            continue;
        }
        canvas.picture([x, y, SIDE, SIDE], icon, WHITE, Anchor::Center);
        let text = count.to_string();
        canvas.text(x + SIDE + 1.0, y, &text, SMALL, grey, Anchor::Center);
        x += SIDE + (text.len() as f32 + 1.0) * SMALL[0];
    }
    if score.is_perfect {
        canvas.text(x, y, "perfect", SMALL, [1.0, 1.0, 0.5, 1.0], Anchor::Center);
    }
}

/// Who is out of this round, or how many lives are left.
fn lives(canvas: &mut Canvas<'_>, y: f32, score: &Score) {
    if score.lives == 0 {
        return;
    }
    let (x, text) = if canvas.input.level.game_type == gametype::LAST_MAN_STANDING {
        (30.0, format!("*{}*", score.lives))
    } else {
        (20.0, "OUT".to_owned())
    };
    canvas.text(x, y, &text, SMALL, [1.0, 0.2, 0.2, 1.0], Anchor::Center);
}

/// The own row is marked by the own place: first blue, second red, third yellow.
fn highlight(input: &HudInput<'_>) -> Color {
    let rank = input.snap.player.persistant[persistant::RANK] & !TIED;
    let is_ranked = !input.level.is_team_game()
        && input.snap.player.persistant[persistant::TEAM] != team::SPECTATOR;
    match rank {
        0 if is_ranked => [0.0, 0.0, 0.7, 0.7],
        1 if is_ranked => [0.7, 0.0, 0.0, 0.7],
        2 if is_ranked => [0.7, 0.7, 0.0, 0.7],
        _ => [0.7, 0.7, 0.7, 0.7],
    }
}

fn headline(input: &HudInput<'_>) -> String {
    let [red, blue] = input.scores.team_scores;
    if input.level.is_team_game() {
        return match red.cmp(&blue) {
            std::cmp::Ordering::Equal => format!("Teams are tied at {red}"),
            std::cmp::Ordering::Greater => format!("^1Red^7 leads {red} to {blue}"),
            std::cmp::Ordering::Less => format!("^4Blue^7 leads {blue} to {red}"),
        };
    }
    let player = &input.snap.player;
    if player.persistant[persistant::TEAM] == team::SPECTATOR {
        return String::new();
    }
    place_text(
        player.persistant[persistant::RANK],
        player.persistant[persistant::SCORE],
    )
}
