//! The scores of a tournament, large, for those who wait for their turn.

use super::canvas::{self, Anchor, Canvas, GIANT, WHITE};
use shared::bg::numbers::{configstring as cs, team};

pub fn draw(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    let level = input.level;
    canvas.backdrop(0.0, 480.0, [0.0, 0.0, 0.0, 1.0]);
    let motd = level.strings.get(cs::MOTD);
    let title = if motd.is_empty() { "Scoreboard" } else { motd };
    canvas.title(8.0, title);
    let seconds = input.team_info.played_msec(level, input.now) / 1000;
    let clock = format!("{}:{:02}", seconds / 60, seconds % 60);
    canvas.centered(64.0, &clock, GIANT, 1.0);
    let team_of = |client| level.client(client).map_or(team::FREE, |info| info.team);
    let rows = input
        .scores
        .rows
        .iter()
        .filter(|row| team_of(row.client) != team::SPECTATOR);
    for (place, row) in rows.take(5).enumerate() {
        let y = 160.0 + place as f32 * 64.0;
        let name: String = level.name(row.client).to_owned();
        canvas.text(8.0, y, &name, GIANT, WHITE, Anchor::Left);
        let score = row.score.to_string();
        let x = 632.0 - canvas::width(&score, GIANT);
        canvas.text(x, y, &score, GIANT, WHITE, Anchor::Right);
    }
}
