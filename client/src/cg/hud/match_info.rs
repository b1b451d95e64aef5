//! Medals, warnings, the attacker, team-mates, and whom the crosshair points at.

use super::{
    Hud, HudInput,
    canvas::{self, Anchor, BIG, Canvas, SMALL, WHITE},
};
use crate::{
    assets::Assets,
    cg::{
        announcer::{Ammo, MEDAL_MSEC},
        media::Media,
        team_info::POINTS_HELD_MSEC,
    },
    scene::text::Color,
};
use shared::{
    base::text::number,
    bg::numbers::{configstring as cs, persistant, team},
};

const TINY: [f32; 2] = [8.0, 8.0];
const ATTACKER_MSEC: i32 = 10_000;
const NAME_MSEC: i32 = 1000;
const VOTE_MSEC: i32 = 30_000;
const RED: Color = [1.0, 0.0, 0.0, 0.33];
const BLUE: Color = [0.0, 0.0, 1.0, 0.33];

/// What only a living player sees.
pub fn draw_alive(canvas: &mut Canvas, hud: &Hud, input: &HudInput<'_>) {
    medal(canvas, input);
    if input.settings.draw_ammo_warning {
        match input.announcer.ammo {
            Ammo::Enough => {}
            Ammo::Low => canvas.centered(64.0, "LOW AMMO WARNING", BIG, 1.0),
            Ammo::Out => canvas.centered(64.0, "OUT OF AMMO", BIG, 1.0),
        }
    }
    attacker(canvas, hud, input);
}

/// What everybody sees, whether playing or watching.
pub fn draw(
    canvas: &mut Canvas,
    hud: &Hud,
    input: &HudInput<'_>,
    media: &mut Media,
    assets: &mut Assets,
) {
    aimed_at(canvas, hud, input);
    team_overlay(canvas, input, media, assets);
    team_vote(canvas, input);
    rounds(canvas, input);
}

fn medal(canvas: &mut Canvas, input: &HudInput<'_>) {
    const SIDE: f32 = 48.0;
    /// More of one kind are told by a number.
    const MOST_ICONS: i32 = 10;
    let Some((medal, since)) = input.announcer.medal() else {
        return;
    };
    let alpha = canvas::fade(input.now - since, MEDAL_MSEC);
    if !input.settings.draw_rewards || alpha <= 0.0 {
        return;
    }
    let color = [1.0, 1.0, 1.0, alpha];
    let count = medal.count.clamp(1, MOST_ICONS);
    let shown = if count < MOST_ICONS { count } else { 1 };
    let mut x = 320.0 - shown as f32 * SIDE / 2.0;
    for _ in 0..shown {
        let rect = [x, 56.0, SIDE - 4.0, SIDE - 4.0];
        canvas.picture(rect, medal.icon, color, Anchor::Center);
        x += SIDE;
    }
    if count == MOST_ICONS {
        canvas.centered(56.0 + SIDE, &medal.count.to_string(), SMALL, alpha);
    }
}

fn attacker(canvas: &mut Canvas, hud: &Hud, input: &HudInput<'_>) {
    let elapsed = hud
        .attacked_at
        .map_or(ATTACKER_MSEC, |since| input.now - since);
    let number = input.player.persistant[persistant::ATTACKER];
    let is_shown = input.settings.draw_attacker
        && (0..ATTACKER_MSEC).contains(&elapsed)
        && number != input.player.client_num;
    if let (true, Some(info), Some(looks)) = (
        is_shown,
        input.level.client(number),
        input.players.get(number),
    ) {
        canvas.picture([580.0, 44.0, 60.0, 60.0], looks.icon, WHITE, Anchor::Right);
        canvas.right(106.0, &info.name, BIG, [1.0, 1.0, 1.0, 0.5]);
    }
}

fn aimed_at(canvas: &mut Canvas, hud: &Hud, input: &HudInput<'_>) {
    let Some((client, since)) = hud.aimed_at else {
        return;
    };
    let alpha = canvas::fade(input.now - since, NAME_MSEC) * 0.5;
    let is_shown = input.settings.draw_crosshair_names
        && input.settings.draw_crosshair > 0
        && !input.is_third_person
        && alpha > 0.0;
    if is_shown {
        canvas.centered(170.0, input.level.name(client), BIG, alpha);
    }
}

/// Names, places, health and weapons of the own team.
fn team_overlay(canvas: &mut Canvas, input: &HudInput<'_>, media: &mut Media, assets: &mut Assets) {
    const MOST_ROWS: usize = 8;
    const LONGEST_NAME: usize = 12;
    const LONGEST_PLACE: usize = 16;
    let own = input.player.persistant[persistant::TEAM];
    let mode = input.settings.draw_team_overlay;
    let background = match own {
        team::RED => RED,
        team::BLUE => BLUE,
        _ => return,
    };
    let mates = &input.team_info.mates;
    if mode == 0 || mates.is_empty() || !input.level.is_team_game() {
        return;
    }
    let rows = mates.len().min(MOST_ROWS);
    let letters = (LONGEST_NAME + LONGEST_PLACE + 11) as f32;
    let (width, height) = (letters * 8.0, rows as f32 * 8.0);
    let (x, mut y, anchor) = match mode {
        1 => (640.0 - width, 44.0, Anchor::Right),
        2 => (640.0 - width, 372.0 - height, Anchor::Right),
        _ => (0.0, 376.0 - height, Anchor::Left),
    };
    canvas.fill([x, y, width, height], background, anchor);
    for mate in mates.iter().take(MOST_ROWS) {
        let place = usize::try_from(mate.location).map_or("", |index| input.level.location(index));
        let place = if place.is_empty() { "unknown" } else { place };
        let name = input.level.name(mate.client);
        canvas.text(x + 8.0, y, &cut(name, LONGEST_NAME), TINY, WHITE, anchor);
        let at = x + 16.0 + 8.0 * LONGEST_NAME as f32;
        canvas.text(at, y, &cut(place, LONGEST_PLACE), TINY, WHITE, anchor);
        let at = x + 24.0 + 8.0 * (LONGEST_NAME + LONGEST_PLACE) as f32;
        let numbers = format!("{:3} {:3}", mate.health, mate.armor);
        let color = super::crosshair::color_by_health(mate.health, mate.armor);
        canvas.text(at, y, &numbers, TINY, color, anchor);
        let icon = media.weapon(mate.weapon, assets).and_then(|look| look.icon);
        let icon = icon.unwrap_or(media.pictures.defer);
        canvas.picture([at + 24.0, y, 8.0, 8.0], icon, WHITE, anchor);
        y += 8.0;
    }
}

/// The beginning of a text, by letters that are seen.
fn cut(text: &str, most: usize) -> String {
    let mut seen = 0;
    let mut letters = text.chars().peekable();
    let mut short = String::new();
    while let Some(letter) = letters.next() {
        short.push(letter);
        if letter == '^' && letters.peek().is_some_and(char::is_ascii_alphanumeric) {
            short.extend(letters.next());
            continue;
        }
        seen += 1;
        if seen == most {
            break;
        }
    }
    short
}

fn team_vote(canvas: &mut Canvas, input: &HudInput<'_>) {
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
    let seconds = ((VOTE_MSEC - (input.now - since)) / 1000).max(0);
    let (what, yes, no) = (
        text(cs::TEAM_VOTE_STRING),
        text(cs::TEAM_VOTE_YES),
        text(cs::TEAM_VOTE_NO),
    );
    let line = format!("TEAMVOTE({seconds}):{what} yes:{yes} no:{no}");
    canvas.text(0.0, 90.0, &line, SMALL, [1.0, 1.0, 0.0, 1.0], Anchor::Left);
}

/// What OpenArena's game types tell: rounds, points that are held, obelisks, the own respawn.
fn rounds(canvas: &mut Canvas, input: &HudInput<'_>) {
    let (info, level) = (input.team_info, input.level);
    if !level.profile.is_open_arena() {
        return;
    }
    let until = |at: i32| (at - input.now).max(0) / 1000 + 1;
    match level.game_type {
        8..=10 if info.round_start > input.now => {
            let text = format!("Round in {}", until(info.round_start));
            canvas.centered(70.0, &text, BIG, 1.0);
        }
        5 => one_flag(canvas, input),
        11 if info.points_taken_at > 0 => {
            let left = until(info.points_taken_at + POINTS_HELD_MSEC);
            if left <= POINTS_HELD_MSEC / 1000
                && input.now < info.points_taken_at + POINTS_HELD_MSEC
            {
                canvas.centered(100.0, &format!("{left} seconds to score"), BIG, 1.0);
            }
        }
        12 => {
            for (row, (name, owner)) in info.point_names.iter().zip(&info.point_owners).enumerate()
            {
                let color = match *owner {
                    team::RED => [1.0, 0.2, 0.2, 1.0],
                    team::BLUE => [0.3, 0.3, 1.0, 1.0],
                    _ => WHITE,
                };
                canvas.right(120.0 + row as f32 * 20.0, name, SMALL, color);
            }
        }
        _ => {}
    }
    let is_dead = input.player.stats[level.stats.health] <= 0;
    let is_playing = input.player.persistant[persistant::TEAM] != team::SPECTATOR;
    if is_dead && is_playing && !matches!(level.game_type, 8..=10) && info.respawn_at > 0 {
        let text = if info.respawn_at > input.now {
            format!("^3Respawn in {}", until(info.respawn_at))
        } else {
            "^2Press fire to respawn".to_owned()
        };
        canvas.centered(400.0, &text, SMALL, 1.0);
    }
}

/// Who has the flag that both teams want.
fn one_flag(canvas: &mut Canvas, input: &HudInput<'_>) {
    let own = input.player.persistant[persistant::TEAM];
    let holder = match input.level.strings.get(cs::FLAG_STATUS).as_bytes().first() {
        Some(b'2') => team::RED,
        Some(b'3') => team::BLUE,
        _ => return,
    };
    let text = match own {
        team::RED | team::BLUE if own == holder => "Your team has the flag",
        team::RED | team::BLUE => "The enemy has the flag",
        _ if holder == team::RED => "Red has the flag",
        _ => "Blue has the flag",
    };
    canvas.centered(100.0, text, SMALL, 1.0);
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn names_are_cut_by_what_is_seen() {
        assert_eq!(cut("^1Sar^7ge", 3), "^1Sar");
        assert_eq!(cut("Ayumi", 12), "Ayumi");
    }
}
