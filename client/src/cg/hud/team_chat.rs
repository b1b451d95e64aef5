//! What team-mates say, in an area of its own above the status bar.

use super::{
    TEAM_ALPHA,
    canvas::{Anchor, Canvas, WHITE},
};
use shared::bg::numbers::persistant;

pub fn draw(canvas: &mut Canvas<'_>) {
    const BOTTOM: f32 = 420.0;
    const TINY: [f32; 2] = [8.0, 8.0];
    let input = canvas.input;
    let settings = input.settings;
    let max = usize::try_from(settings.team_chat_height).unwrap_or(0);
    let shown: Vec<&str> = input
        .notices
        .team_chat
        .lines
        .iter()
        .rev()
        .take(max)
        .take_while(|(_, since)| {
            input
                .now
                .is_within(*since, settings.team_chat_time_msec.saturating_add(1))
        })
        .map(|(line, _)| line.as_str())
        .collect();
    if shown.is_empty() {
        return;
    }
    let own_team = input.player.persistant[persistant::TEAM];
    let color = input.team_color(own_team, TEAM_ALPHA);
    let color = color.unwrap_or([0.0, 1.0, 0.0, TEAM_ALPHA]);
    let height = shown.len() as f32 * TINY[1];
    canvas.fill([0.0, BOTTOM - height, 640.0, height], color, Anchor::Left);
    for (row, line) in shown.into_iter().enumerate() {
        let y = BOTTOM - (row + 1) as f32 * TINY[1];
        canvas.text(8.0, y, line, TINY, WHITE, Anchor::Left);
    }
}
