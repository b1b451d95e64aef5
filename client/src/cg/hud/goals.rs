//! Texts in the middle that tell of OpenArena's goals: rounds, flags, points, mines, and the own respawn.

use super::{
    Hud, HudInput,
    canvas::{BIG, Canvas, SMALL, WHITE},
    texts,
};
use crate::cg::timeline::team_info::points_held;
use shared::bg::numbers::{configstring as cs, entity_flags, gametype, persistant, team};

/// A mine that sticks to the player is told for so long before its seconds are counted.
const MINE_NOTICE_MSEC: i32 = 5000;
const MINE_SECONDS: i32 = 5;

pub fn draw(canvas: &mut Canvas<'_>, hud: &Hud) {
    let input = canvas.input;
    let (info, level) = (input.team_info, input.level);
    if !level.profile.is_open_arena() {
        return;
    }
    if level.has_rounds() && info.round_start.is_after(input.now) {
        texts::count_down(canvas, "Round in:", info.round_start - input.now);
    }
    match level.game_type {
        gametype::ONE_FLAG_CTF => one_flag(canvas),
        gametype::DOUBLE_DOMINATION => {
            if let Some((owner, msec)) = points_held(level, info, input.now) {
                let name = if owner == team::RED { "Red" } else { "Blue" };
                let text = format!("{name} scores in {}", msec / 1000 + 1);
                in_team_color(canvas, &text, owner);
            }
        }
        _ => {}
    }
    respawn(canvas);
    mine(canvas, hud);
}

/// Who has the flag that both teams want.
fn one_flag(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
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
    in_team_color(canvas, text, holder);
}

fn in_team_color(canvas: &mut Canvas<'_>, text: &str, team: i32) {
    let color = canvas.input.team_color(team, 1.0).unwrap_or(WHITE);
    canvas.centered_plain(100.0, text, BIG, color);
}

fn respawn(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    let (level, at) = (input.level, input.team_info.respawn_at);
    let is_dead = input.player.stats[level.stats.health] <= 0;
    let is_playing = input.player.persistant[persistant::TEAM] != team::SPECTATOR;
    if !is_dead || !is_playing || level.has_rounds() || at.0 <= 0 {
        return;
    }
    let left = at - input.now;
    let text = if left > 0 {
        let (seconds, hundredths) = (left / 1000, left % 1000 / 10);
        format!("^3Respawn in: {seconds}.{hundredths:02}")
    } else {
        "^2Press fire to respawn".to_owned()
    };
    canvas.centered(400.0, &text, SMALL, 1.0);
}

/// A mine sticks to the player: first the news, then the seconds.
fn mine(canvas: &mut Canvas<'_>, hud: &Hud) {
    let input = canvas.input;
    let is_alive = input.player.stats[input.level.stats.health] > 0;
    let (Some(since), true) = (hud.mined_since, is_alive && !hud.boards.shows_scores) else {
        return;
    };
    canvas.centered(80.0, &mine_text(input.now - since), BIG, 1.0);
}

fn mine_text(elapsed: i32) -> String {
    if elapsed < MINE_NOTICE_MSEC {
        return "^1YOU HAVE BEEN MINED".to_owned();
    }
    let left = (MINE_SECONDS - (elapsed - MINE_NOTICE_MSEC) / 1000).max(0);
    format!("^1INTERNAL COMBUSTION IN: {left}")
}

impl Hud {
    /// Remembers since when a mine sticks to the player.
    pub(super) fn watch_mine(&mut self, input: &HudInput<'_>) {
        let is_mined = input.player.e_flags & entity_flags::TICKING != 0;
        let is_mined = is_mined && input.level.profile.is_open_arena();
        self.mined_since = is_mined.then(|| self.mined_since.unwrap_or(input.now));
    }
}

#[cfg(test)]
mod tests {
    use super::mine_text;

    #[test]
    fn a_mine_is_told_and_then_counted() {
        let told: Vec<_> = [0, 4999, 5000, 6000, 9999, 12_000].map(mine_text).to_vec();
        assert_eq!(told[0], told[1]);
        let counted = ["5", "4", "1", "0"];
        for (text, seconds) in told[2..].iter().zip(counted) {
            assert_eq!(*text, format!("^1INTERNAL COMBUSTION IN: {seconds}"));
        }
    }
}
