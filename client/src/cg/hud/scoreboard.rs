//! The scoreboard: as the server's `scores` command lists the players.

use super::{
    Hud, HudInput,
    canvas::{Anchor, BIG, Canvas, SMALL, WHITE},
};
use crate::cg::level::Level;
use shared::{base::text::number, bg::numbers::team, types::limits::MAX_CLIENTS};

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
    pub accuracy: i32,
}

/// The last `scores` command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scoreboard {
    pub team_scores: [i32; 2],
    /// Server time of the round's beginning, where the game has rounds.
    pub round_start: Option<i32>,
    /// In the server's order.
    pub rows: Vec<Score>,
    /// When it was last asked for.
    pub requested_at: Option<i32>,
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
        self.round_start = (header == 4).then(|| value(3));
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
                }
            })
            .collect();
    }
}

pub fn draw(canvas: &mut Canvas, hud: &Hud, input: &HudInput<'_>) {
    if !hud.killer_name.is_empty() && input.player.stats[input.level.stats.health] <= 0 {
        canvas.centered(40.0, &format!("Fragged by {}", hud.killer_name), BIG, 1.0);
    }
    canvas.centered(60.0, &headline(hud, input), BIG, 1.0);
    canvas.text(
        160.0,
        96.0,
        "score ping time name",
        BIG,
        [1.0, 1.0, 0.5, 1.0],
        Anchor::Center,
    );
    let many = hud.scores.rows.len() > 7;
    let (step, size) = if many { (16.0, SMALL) } else { (40.0, BIG) };
    let mut y = 118.0;
    for (group, background) in groups(&hud.scores, input.level) {
        if group.is_empty() {
            continue;
        }
        if let Some(color) = background {
            canvas.fill(
                [0.0, y - 2.0, 640.0, group.len() as f32 * step],
                color,
                Anchor::Center,
            );
        }
        for score in group {
            if y > 440.0 {
                return;
            }
            row(canvas, y, &score, size, input);
            y += step;
        }
        y += 16.0;
    }
}

type Group = (Vec<Score>, Option<[f32; 4]>);

/// Players in the order they are listed: the leading team first, spectators last.
fn groups(board: &Scoreboard, level: &Level) -> Vec<Group> {
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

fn row(canvas: &mut Canvas, y: f32, score: &Score, size: [f32; 2], input: &HudInput<'_>) {
    let Some(info) = input.level.client(score.client) else {
        return;
    };
    let name = &info.name;
    if score.client == input.snap.player.client_num {
        canvas.fill(
            [160.0, y - 1.0, 480.0, size[1] + 2.0],
            [0.7, 0.7, 0.7, 0.4],
            Anchor::Center,
        );
    }
    let text = if score.ping == -1 {
        format!(" connecting    {name}")
    } else if info.team == team::SPECTATOR {
        format!(" SPECT {:3} {:4} {name}", score.ping, score.time)
    } else {
        format!("{:5} {:4} {:4} {name}", score.score, score.ping, score.time)
    };
    canvas.text(160.0, y, &text, size, WHITE, Anchor::Center);
    if let Some(looks) = input.players.get(score.client) {
        let side = size[1].max(16.0);
        canvas.picture([138.0, y, side, side], looks.icon, WHITE, Anchor::Center);
    }
    let mark = match (info.bot_skill, info.handicap) {
        (1.., _) => format!("bot {}", info.bot_skill),
        (_, 1..=99) => format!("{}", info.handicap),
        _ => String::new(),
    };
    canvas.text(88.0, y, &mark, SMALL, [0.7, 0.7, 0.7, 1.0], Anchor::Center);
}

fn headline(hud: &Hud, input: &HudInput<'_>) -> String {
    let [red, blue] = hud.scores.team_scores;
    if input.level.is_team_game() {
        return match red.cmp(&blue) {
            std::cmp::Ordering::Equal => format!("Teams are tied at {red}"),
            std::cmp::Ordering::Greater => format!("Red leads {red} to {blue}"),
            std::cmp::Ordering::Less => format!("Blue leads {blue} to {red}"),
        };
    }
    if input.player.persistant[3] == team::SPECTATOR {
        return String::new();
    }
    const TIED: i32 = 0x4000;
    let rank = input.player.persistant[2];
    let tied = if rank & TIED != 0 { "Tied for " } else { "" };
    format!(
        "{tied}{} place with {}",
        ordinal((rank & !TIED) + 1),
        input.player.persistant[0]
    )
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
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 13, 21].map(ordinal),
            ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st"]
        );
    }
}
