//! Lines of text: counters, clock, votes, warm-up, spectating.

use super::{
    HudInput,
    canvas::{self, Anchor, BIG, Canvas, GIANT, SMALL, WHITE},
};
use crate::{
    assets::Assets,
    cg::{
        media::Media,
        told::{Accuracies, FIRST_WEAPON},
    },
};
use shared::{
    base::text::number,
    bg::numbers::{configstring as cs, gametype},
};

const VOTE_MSEC: i32 = 30_000;

/// Everything in the right upper corner, and the vote.
pub fn draw(canvas: &mut Canvas, input: &HudInput<'_>, frames_per_second: Option<i32>) {
    let mut y = 2.0;
    let mut line = |canvas: &mut Canvas, text: String| {
        canvas.right(y, &text, BIG, WHITE);
        y += 20.0;
    };
    let settings = input.settings;
    if settings.draw_snapshot {
        let (time, message) = (input.snap.server_time.0, input.snap.message_num);
        line(
            canvas,
            format!(
                "time:{time} snap:{message} cmd:{}",
                input.snap.server_command_num
            ),
        );
    }
    if let (Some(fps), true) = (frames_per_second, settings.draw_fps) {
        line(canvas, format!("{fps}fps"));
    }
    if settings.draw_timer {
        let played = (input.now - input.level.start_time).max(0) / 1000;
        let limit = input.level.time_limit * 60;
        let seconds = if settings.timer_counts_down && limit > 0 {
            (limit - played).max(0)
        } else {
            played
        };
        line(canvas, format!("{}:{:02}", seconds / 60, seconds % 60));
    }
    if let (Some(ping), true) = (input.ping_msec, settings.draw_ping) {
        let text = format!("{ping}ms {}", settings.transport);
        line(canvas, text.trim_end().to_owned());
        if let (Some(hops), true) = (settings.hops, settings.draw_hops) {
            let server = hops
                .server_msec
                .map_or_else(|| "?".to_owned(), |msec| format!("{msec:.0}"));
            let (frames, relay) = (hops.waiting_msec(ping), hops.relay_msec);
            line(
                canvas,
                format!("browser {frames} relay {relay:.0} server {server}"),
            );
        }
    }
    if settings.draw_speed != 0 {
        line(
            canvas,
            format!("{}ups", input.player.velocity.truncate().length() as i32),
        );
    }
    if settings.show_miss != 0 {
        let stats = input.prediction;
        line(
            canvas,
            format!(
                "miss {}/{} exact {}",
                stats.missed, stats.predicted, stats.exact
            ),
        );
    }
    for text in input.ghost_texts {
        line(canvas, text.clone());
    }
    vote(canvas, input);
}

fn vote(canvas: &mut Canvas, input: &HudInput<'_>) {
    let strings = &input.level.strings;
    let since = number(strings.get(cs::VOTE_TIME));
    if since == 0 {
        return;
    }
    let seconds = ((VOTE_MSEC - (input.now - since)) / 1000).max(0);
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
        [1.0, 1.0, 0.0, 1.0],
        Anchor::Left,
    );
}

pub fn warmup(canvas: &mut Canvas, input: &HudInput<'_>) {
    let level = input.level;
    match level.warmup {
        0 => {}
        ..0 => canvas.centered(24.0, "Waiting for players", BIG, 1.0),
        begins => {
            let name = gametype::name(level.game_type).unwrap_or("");
            canvas.centered(25.0, name, [16.0, 24.0], 1.0);
            let seconds = ((begins - input.now) / 1000).max(0);
            let width = match seconds {
                0 => 28.0,
                1 => 24.0,
                2 => 20.0,
                _ => 16.0,
            };
            canvas.centered(
                70.0,
                &format!("Starts in: {}", seconds + 1),
                [width, width * 1.5],
                1.0,
            );
        }
    }
}

/// Hits of hundred shots with each weapon that has fired.
pub fn accuracies(
    canvas: &mut Canvas,
    accuracies: &Accuracies,
    media: &mut Media,
    assets: &mut Assets,
) {
    const ROW: f32 = 20.0;
    let mut y = 150.0;
    for (weapon, &[shots, hits]) in (FIRST_WEAPON..).zip(accuracies) {
        let Some(icon) = media.weapon(weapon, assets).and_then(|look| look.icon) else {
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

pub fn spectator(canvas: &mut Canvas, input: &HudInput<'_>) {
    canvas.text(248.0, 440.0, "SPECTATOR", BIG, WHITE, Anchor::Center);
    if input.level.game_type == 1 {
        canvas.centered(460.0, "waiting to play", BIG, 1.0);
    } else {
        let teams = match input.level.is_team_game() {
            true => "team red or team blue",
            false => "team free",
        };
        let text = format!("{teams} in the console (Escape) lets you play");
        canvas.centered(460.0, &text, SMALL, 1.0);
    }
}

pub fn following(canvas: &mut Canvas, input: &HudInput<'_>) {
    canvas.centered(24.0, "following", BIG, 1.0);
    let name = input.level.name(input.player.client_num);
    let size = if canvas::width(name, GIANT) > 620.0 {
        BIG
    } else {
        GIANT
    };
    canvas.centered(40.0, name, size, 1.0);
}
