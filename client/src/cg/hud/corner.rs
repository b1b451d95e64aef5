//! The upper right corner: rows that grow downwards, from the team-mates to the speed.

use super::{
    Hud, HudInput,
    canvas::{self, Anchor, BIG, Canvas, SMALL, WHITE},
    figures, overlay,
};
use crate::{cg::timeline::game_static::GameStatic, scene::text::Color};
use glam::Vec3;
use shared::base::time::ServerTime;
use shared::bg::numbers::{gametype, persistant, pm_flags, team};

const ATTACKER_MSEC: i32 = 10_000;
const GREEN: Color = [0.0, 1.0, 0.0, 1.0];
const YELLOW: Color = [1.0, 1.0, 0.0, 1.0];
const RED: Color = [1.0, 0.0, 0.0, 1.0];
const MAGENTA: Color = [1.0, 0.0, 1.0, 1.0];

/// Where the next row begins.
struct Column {
    y: f32,
}

impl Column {
    fn row(&mut self, canvas: &mut Canvas<'_>, text: &str, size: [f32; 2], color: Color) {
        canvas.right(self.y + 2.0, text, size, color);
        self.y += size[1] + 4.0;
    }
}

/// Draws all rows that are wanted; returns how wide the team-mates at the top are.
pub fn draw(canvas: &mut Canvas<'_>, hud: &Hud) -> f32 {
    let input = canvas.input;
    let mut column = Column { y: 0.0 };
    let mut mates_width = 0.0;
    if input.settings.draw_team_overlay == 1 {
        let [width, height] = overlay::draw(canvas);
        column.y += height;
        mates_width = width;
    }
    rules(canvas, &mut column, hud);
    let settings = input.settings;
    if settings.draw_snapshot {
        let (time, message) = (input.snap.server_time.0, input.newest_message);
        let command = input.snap.server_command_num;
        let text = format!("time:{time} snap:{message} cmd:{command}");
        column.row(canvas, &text, BIG, WHITE);
    }
    if let (Some(fps), true) = (hud.frames_per_second(), settings.draw_fps) {
        column.row(canvas, &format!("{fps}fps"), BIG, WHITE);
    }
    round_clock(canvas, &mut column);
    let may_leave = !(input.level.has_rounds() && input.level.rules.binds_spectators);
    let is_following = input.player.pm_flags & pm_flags::FOLLOW != 0;
    if input.level.profile.is_open_arena() && is_following && may_leave {
        column.row(canvas, "USE_ITEM to stop following", SMALL, WHITE);
    }
    if settings.draw_timer {
        column.row(canvas, &clock(input), BIG, WHITE);
    }
    attacker(canvas, &mut column);
    measured(canvas, &mut column);
    mates_width
}

fn clock(input: &HudInput<'_>) -> String {
    let played = input.team_info.played_msec(input.level, input.now) / 1000;
    let limit = input.level.time_limit.saturating_mul(60);
    let seconds = if input.settings.timer_counts_down && limit > 0 {
        (limit - played).max(0)
    } else {
        played
    };
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

/// What a game type of OpenArena wants to be remembered all the time.
fn rules(canvas: &mut Canvas<'_>, column: &mut Column, hud: &Hud) {
    let input = canvas.input;
    let (info, level) = (input.team_info, input.level);
    if !level.profile.is_open_arena() {
        return;
    }
    match level.game_type {
        gametype::LAST_MAN_STANDING if hud.boards.shows_scores => {
            column.row(canvas, last_man_mode(level), SMALL, WHITE);
        }
        gametype::CTF_ELIMINATION if level.rules.is_one_way => {
            let text = match info.attacking_team {
                team::RED => "Red team on offence",
                team::BLUE => "Blue team on offence",
                _ => "Unknown team on offence",
            };
            let color = input.team_color(info.attacking_team, 1.0);
            column.row(canvas, text, SMALL, color.unwrap_or(WHITE));
        }
        gametype::DOMINATION => {
            for (place, name) in info.point_names.iter().enumerate() {
                let owner = info.point_owners.get(place);
                let color = owner.and_then(|owner| input.team_color(*owner, 1.0));
                column.row(canvas, name, SMALL, color.unwrap_or(WHITE));
            }
        }
        _ => {}
    }
}

fn last_man_mode(level: &GameStatic) -> &'static str {
    match level.rules.last_man_mode {
        0 => "LMS: a point for the round, with overtime",
        1 => "LMS: a point for the round, no overtime",
        2 => "LMS: a point for each kill, with overtime",
        _ => "LMS: a point for each kill, no overtime",
    }
}

/// What is left until a round begins, then until it ends.
fn round_clock(canvas: &mut Canvas<'_>, column: &mut Column) {
    let input = canvas.input;
    let (start, length) = (input.team_info.round_start, input.level.rules.round_sec);
    if !input.level.has_rounds() || length <= 0 || start == ServerTime::default() {
        return;
    }
    let (left, color) = if input.now.is_before(start) {
        ((start - input.now).saturating_add(1000), GREEN)
    } else {
        let left = length
            .saturating_mul(1000)
            .saturating_sub(input.now - start);
        let color = match left {
            ..=10_000 => RED,
            10_001..=30_000 => YELLOW,
            _ => WHITE,
        };
        (left, color)
    };
    let seconds = left / 1000;
    let text = match left {
        ..0 => "Overtime".to_owned(),
        _ => format!("{}:{:02}", seconds / 60, seconds % 60),
    };
    column.row(canvas, &text, BIG, color);
}

/// Who hurt the player last: his head and his name.
fn attacker(canvas: &mut Canvas<'_>, column: &mut Column) {
    const SIDE: f32 = 60.0;
    let input = canvas.input;
    let elapsed = input
        .notices
        .attacked_at
        .map_or(ATTACKER_MSEC, |since| input.now - since);
    let number = input.player.persistant[persistant::ATTACKER];
    let is_alive = input.player.stats[input.level.stats.health] > 0;
    let is_shown = input.settings.draw_attacker
        && is_alive
        && (0..ATTACKER_MSEC).contains(&elapsed)
        && number != input.player.client_num;
    let (true, Some(info), Some(looks)) = (
        is_shown,
        input.level.client(number),
        input.players.get(number),
    ) else {
        return;
    };
    let rect = [640.0 - SIDE, column.y, SIDE, SIDE];
    let ahead = Vec3::new(0.0, 180.0, 0.0);
    figures::head(canvas, rect, Anchor::Right, looks, ahead);
    column.y += SIDE;
    let x = 640.0 - canvas::width(&info.name, BIG);
    let color = [1.0, 1.0, 1.0, 0.5];
    canvas.text(x, column.y, &info.name, BIG, color, Anchor::Right);
    column.y += BIG[1] + 2.0;
}

/// Speed, and what this client measures beyond what the original did.
fn measured(canvas: &mut Canvas<'_>, column: &mut Column) {
    let input = canvas.input;
    let settings = input.settings;
    let mut line = |text: String| column.row(canvas, &text, BIG, WHITE);
    if settings.draw_speed == 1 {
        let speed = input.player.velocity.truncate().length() as i32;
        line(format!("{speed}ups"));
    }
    if let (Some(ping), true) = (input.ping_msec, settings.draw_ping != 0) {
        let text = format!("{ping}ms {}", input.link.transport);
        line(text.trim_end().to_owned());
        if let (Some(hops), true) = (input.link.hops, settings.draw_ping == 2) {
            let server = hops
                .server_msec
                .map_or_else(|| "?".to_owned(), |msec| format!("{msec:.0}"));
            let (frames, relay) = (hops.waiting_msec(ping), hops.relay_msec);
            line(format!("browser {frames} relay {relay:.0} server {server}"));
        }
        if let (Some(delay), true) = (input.link.input_delay, settings.draw_ping == 2) {
            let (typical, longest) = (delay.typical_msec, delay.longest_msec);
            line(format!("input {typical:.1} most {longest:.0}"));
        }
    }
    if settings.show_miss != 0 {
        let stats = input.prediction;
        let (missed, predicted, exact) = (stats.missed, stats.predicted, stats.exact);
        line(format!("miss {missed}/{predicted} exact {exact}"));
    }
    for text in input.measured_texts {
        line(text.clone());
    }
    let labels = input.labels.iter();
    canvas.labels(labels.map(|label| (label.at, &*label.text)), MAGENTA);
    if settings.draw_speed == 2 {
        let speed = input.player.velocity.truncate().length() as i32;
        canvas.centered(300.0, &format!("{speed}ups"), BIG, 1.0);
    }
}
