//! The scoreboard: as the server's `scores` command lists the players.

use super::{
    Hud, HudInput,
    canvas::{Anchor, BIG, Canvas, SMALL, WHITE},
    figures,
};
use crate::{
    assets::Assets,
    cg::{
        media::roles::Media,
        timeline::game_static::{ClientInfo, GameStatic},
    },
    scene::text::Color,
};
use glam::Vec3;
use shared::{
    base::{text::number, time::ServerTime},
    bg::numbers::{persistant, powerup, team},
    types::limits::MAX_CLIENTS,
};

const TOURNAMENT: i32 = 1;
const LAST_MAN_STANDING: i32 = 10;
/// Marks a rank that is shared.
const TIED: i32 = 0x4000;

/// One player's row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    pub client: i32,
    pub score: i32,
    /// −1 while connecting.
    pub ping: i32,
    /// Minutes.
    pub time: i32,
    pub powerups: i32,
    /// Percent.
    pub accuracy: i32,
    /// Impressive, excellent, gauntlet, defence, assists, captures: how many of each.
    pub medals: [i32; 6],
    /// Leads without having died.
    pub is_perfect: bool,
    /// Out until the next round, or the lives that are left; told by OpenArena alone.
    pub lives: i32,
}

/// The last `scores` command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scoreboard {
    pub team_scores: [i32; 2],
    /// Server time of the round's beginning, where the game has rounds.
    pub round_start: Option<ServerTime>,
    /// In the server's order.
    pub rows: Vec<Score>,
    /// When it was last asked for.
    pub requested_at: Option<ServerTime>,
}

impl Scoreboard {
    /// Takes the words of a `scores` command; which of the two layouts it has, its length tells.
    pub fn read(&mut self, words: &[String]) {
        let values: Vec<i32> = words.iter().skip(1).map(|word| number(word)).collect();
        let count = values.first().map_or(0, |&count| {
            usize::try_from(count).unwrap_or(0).min(MAX_CLIENTS)
        });
        let value = |index: usize| values.get(index).copied().unwrap_or(0);
        self.team_scores = [value(1), value(2)];
        let (header, stride) = if count > 0 && values.len() >= 4 + 15 * count {
            (4, 15)
        } else {
            (3, 14)
        };
        self.round_start = (header == 4).then(|| ServerTime(value(3)));
        let present = values.len().saturating_sub(header) / stride;
        self.rows = (0..count.min(present))
            .map(|row| {
                let field = |index: usize| value(header + row * stride + index);
                let client = if (0..MAX_CLIENTS as i32).contains(&field(0)) {
                    field(0)
                } else {
                    0
                };
                Score {
                    client,
                    score: field(1),
                    ping: field(2),
                    time: field(3),
                    powerups: field(5),
                    accuracy: field(6),
                    medals: [7, 8, 9, 10, 11, 13].map(field),
                    is_perfect: field(12) != 0,
                    lives: if stride == 15 { field(14) } else { 0 },
                }
            })
            .collect();
    }
}

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

pub fn draw(
    canvas: &mut Canvas,
    hud: &Hud,
    input: &HudInput<'_>,
    media: &mut Media,
    assets: &mut Assets,
) {
    if !hud.killer_name.is_empty() && input.player.stats[input.level.stats.health] <= 0 {
        canvas.centered(40.0, &format!("Fragged by {}", hud.killer_name), BIG, 1.0);
    }
    canvas.centered(60.0, &headline(hud, input), BIG, 1.0);
    let pictures = &media.pictures;
    let heads = [
        (176.0, pictures.score_head),
        (264.0, pictures.ping_head),
        (344.0, pictures.time_head),
        (416.0, pictures.name_head),
    ];
    for (x, shader) in heads {
        canvas.picture([x, 86.0, 64.0, 32.0], shader, WHITE, Anchor::Center);
    }
    let is_long = hud.scores.rows.len() > WIDE.max;
    let layout = if is_long { NARROW } else { WIDE };
    let mut y = 118.0;
    let mut left = layout.max;
    let mut own_is_seen = false;
    let is_own = |score: &Score| score.client == input.snap.player.client_num;
    for (group, background) in groups(&hud.scores, input.level) {
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
            row(canvas, y, score, layout, input, media, assets);
            y += layout.step;
        }
        y += 16.0;
    }
    // The own place is always told.
    if let (false, Some(own)) = (own_is_seen, hud.scores.rows.iter().find(|row| is_own(row))) {
        row(canvas, y.min(440.0), own, layout, input, media, assets);
    }
}

/// Client and score of all rows from top to bottom.
pub fn listed(board: &Scoreboard, level: &GameStatic) -> Vec<(i32, i32)> {
    let rows = groups(board, level).into_iter().flat_map(|(rows, _)| rows);
    rows.map(|row| (row.client, row.score)).collect()
}

type Group = (Vec<Score>, Option<[f32; 4]>);

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
    let red = (of_team(team::RED), Some([1.0, 0.0, 0.0, 0.33]));
    let blue = (of_team(team::BLUE), Some([0.0, 0.0, 1.0, 0.33]));
    if board.team_scores[0] >= board.team_scores[1] {
        vec![red, blue, spectators]
    } else {
        vec![blue, red, spectators]
    }
}

fn row(
    canvas: &mut Canvas,
    y: f32,
    score: &Score,
    layout: Layout,
    input: &HudInput<'_>,
    media: &mut Media,
    assets: &mut Assets,
) {
    let Some(info) = input.level.client(score.client) else {
        return;
    };
    if score.client == input.snap.player.client_num {
        let color = highlight(input);
        canvas.fill([176.0, y, 464.0, 17.0], color, Anchor::Center);
    }
    mark(canvas, y, score, info, layout, input, media, assets);
    if let Some(looks) = input.players.get(score.client) {
        let rect = [160.0 - layout.head, y - (layout.head - 16.0) / 2.0];
        let rect = [rect[0], rect[1], layout.head, layout.head];
        figures::head(
            canvas,
            rect,
            looks,
            Vec3::new(0.0, 180.0, 0.0),
            input,
            assets,
        );
    }
    let name = &info.name;
    let text = if score.ping == -1 {
        format!(" connecting    {name}")
    } else if info.team == team::SPECTATOR {
        format!(" SPECT {:3} {:4} {name}", score.ping, score.time)
    } else {
        format!("{:5} {:4} {:4} {name}", score.score, score.ping, score.time)
    };
    canvas.text(176.0, y, &text, BIG, WHITE, Anchor::Center);
    if layout.step >= WIDE.step && info.team != team::SPECTATOR {
        medals(canvas, y + 18.0, score, media);
    }
    lives(canvas, y, score, input);
}

/// What stands left of the head: a flag, readiness, a bot's skill, a handicap, or won and lost matches.
#[expect(clippy::too_many_arguments, reason = "a row is made of all of these")]
fn mark(
    canvas: &mut Canvas,
    y: f32,
    score: &Score,
    info: &ClientInfo,
    layout: Layout,
    input: &HudInput<'_>,
    media: &mut Media,
    assets: &mut Assets,
) {
    const X: f32 = 80.0;
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
        _ if input.level.game_type == TOURNAMENT => wins_and_losses,
        _ => String::new(),
    };
    if let (Some(flag), false) = (carried, is_ready) {
        let rect = [X, y, layout.icon, layout.icon];
        figures::flag(canvas, rect, flag, input, media, assets);
        return;
    }
    let skill = usize::try_from(info.bot_skill - 1).ok();
    if let (Some(&icon), false) = (skill.and_then(|skill| media.skills.get(skill)), is_ready) {
        let rect = [X, y, layout.icon, layout.icon];
        return canvas.picture(rect, icon, WHITE, Anchor::Center);
    }
    let color = if is_ready {
        [0.2, 1.0, 0.2, 1.0]
    } else {
        [0.7, 0.7, 0.7, 1.0]
    };
    let x = 160.0 - layout.head - 4.0 - text.len() as f32 * SMALL[0];
    canvas.text(x, y, &text, SMALL, color, Anchor::Center);
}

/// Accuracy and earned medals, below the name.
fn medals(canvas: &mut Canvas, y: f32, score: &Score, media: &Media) {
    const SIDE: f32 = 16.0;
    let icons = &media.shaders;
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
fn lives(canvas: &mut Canvas, y: f32, score: &Score, input: &HudInput<'_>) {
    if score.lives == 0 {
        return;
    }
    let (x, text) = if input.level.game_type == LAST_MAN_STANDING {
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

fn headline(hud: &Hud, input: &HudInput<'_>) -> String {
    let [red, blue] = hud.scores.team_scores;
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

/// A place by its rank, which may be shared, and the score it was reached with.
pub fn place_text(rank: i32, score: i32) -> String {
    let tied = if rank & TIED != 0 { "Tied for " } else { "" };
    let place = (rank & !TIED) + 1;
    let color = match place {
        1 => "^4",
        2 => "^1",
        3 => "^3",
        _ => "",
    };
    format!("{tied}{color}{}^7 place with {score}", ordinal(place))
}

fn ordinal(number: i32) -> String {
    let suffix = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &[(i32, i32)]) {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let mut board = Scoreboard::default();
        board.read(&words);
        let seen: Vec<_> = board
            .rows
            .iter()
            .map(|row| (row.client, row.score))
            .collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn both_layouts_are_read_by_their_length() {
        check("scores 1 3 4 2 17 40 5 0 0 33 0 0 0 0 0 0 0", &[(2, 17)]);
        check(
            "scores 1 3 4 9000 2 17 40 5 0 0 33 0 0 0 0 0 0 0 0",
            &[(2, 17)],
        );
        check("scores 2 0 0 0 5 1 1 1 0 0 0 0 0 0 0 0 0 0", &[(0, 5)]);
        check("scores 99999999", &[]);
        check("scores", &[]);
    }

    #[test]
    fn places_have_their_endings() {
        assert_eq!(place_text(0x4000, 7), "Tied for ^41st^7 place with 7");
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 13, 21].map(ordinal),
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st"]
        );
    }
}
