//! Medals, warnings, team votes, and whom the crosshair points at.

use super::{
    Hud,
    canvas::{self, Anchor, BIG, Canvas, SMALL, WHITE},
    figures, goals, overlay,
};
use crate::cg::present::announcer::{Ammo, MEDAL_MSEC};
use glam::Vec3;
use shared::{
    base::{text::number, time::ServerTime},
    bg::numbers::{configstring as cs, persistant, team},
};

const NAME_MSEC: i32 = 1000;

/// What only a living player sees.
pub fn draw_alive(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    medal(canvas);
    if input.settings.draw_ammo_warning {
        match input.announcer.ammo {
            Ammo::Enough => {}
            Ammo::Low => canvas.centered(64.0, "LOW AMMO WARNING", BIG, 1.0),
            Ammo::Out => canvas.centered(64.0, "OUT OF AMMO", BIG, 1.0),
        }
    }
}

/// What everybody sees, whether playing or watching; returns the height of the team-mates in a lower corner.
pub fn draw(canvas: &mut Canvas<'_>, hud: &Hud) -> f32 {
    aimed_at(canvas);
    team_vote(canvas);
    goals::draw(canvas, hud);
    match canvas.input.settings.draw_team_overlay {
        2.. => overlay::draw(canvas)[1],
        _ => 0.0,
    }
}

fn medal(canvas: &mut Canvas<'_>) {
    const SIDE: f32 = 48.0;
    /// More of one kind are told by a number.
    const MAX_ICONS: i32 = 10;
    let input = canvas.input;
    let Some((medal, since)) = input.announcer.medal() else {
        return;
    };
    let alpha = canvas::fade(input.now - since, MEDAL_MSEC);
    if !input.settings.draw_rewards || alpha <= 0.0 {
        return;
    }
    let color = [1.0, 1.0, 1.0, alpha];
    let count = medal.count.clamp(1, MAX_ICONS);
    let shown = if count < MAX_ICONS { count } else { 1 };
    let mut x = 320.0 - shown as f32 * SIDE / 2.0;
    for _ in 0..shown {
        let rect = [x, 56.0, SIDE - 4.0, SIDE - 4.0];
        canvas.picture(rect, medal.icon, color, Anchor::Center);
        x += SIDE;
    }
    if count == MAX_ICONS {
        canvas.centered(56.0 + SIDE, &medal.count.to_string(), SMALL, alpha);
    }
}

/// The name of the player under the crosshair, below his face if that is wanted.
fn aimed_at(canvas: &mut Canvas<'_>) {
    const FACE: f32 = 40.0;
    let input = canvas.input;
    let Some((client, since)) = input.notices.crosshair_target() else {
        return;
    };
    let alpha = canvas::fade(input.now - since, NAME_MSEC) * 0.5;
    let is_shown = input.settings.draw_crosshair_names
        && input.settings.draw_crosshair > 0
        && !input.is_third_person
        && alpha > 0.0;
    if !is_shown {
        return;
    }
    let looks = input.players.get(client);
    if let (true, Some(looks)) = (input.settings.draw_crosshair_face, looks) {
        let rect = [320.0 - FACE / 2.0, 166.0 - FACE, FACE, FACE];
        let ahead = Vec3::new(0.0, 180.0, 0.0);
        figures::head(canvas, rect, Anchor::Center, looks, ahead);
    }
    let name = input.level.name(client);
    let team = input
        .level
        .client(client)
        .map_or(team::FREE, |info| info.team);
    match input.settings.chosen_team_color(team) {
        Some([r, g, b]) if input.level.is_team_game() => {
            canvas.centered_plain(170.0, name, BIG, [r, g, b, alpha]);
        }
        _ => canvas.centered(170.0, name, BIG, alpha),
    }
}

fn team_vote(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    let own = match input.player.persistant[persistant::TEAM] {
        team::RED => 0,
        team::BLUE => 1,
        _ => return,
    };
    let text = |first: usize| input.level.strings.get(first + own);
    let since = number(text(cs::TEAM_VOTE_TIME));
    if since == 0 {
        return;
    }
    let seconds = super::texts::seconds_to_vote(input.now, ServerTime(since));
    let (what, yes, no) = (
        text(cs::TEAM_VOTE_STRING),
        text(cs::TEAM_VOTE_YES),
        text(cs::TEAM_VOTE_NO),
    );
    let line = format!("TEAMVOTE({seconds}):{what} yes:{yes} no:{no}");
    canvas.text(0.0, 90.0, &line, SMALL, WHITE, Anchor::Left);
}
