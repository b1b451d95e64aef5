//! The flat pictures over the world: numbers, texts, crosshair, weapon bar, scores.

mod canvas;
mod corner;
mod crosshair;
mod figures;
pub mod frag_feed;
mod goals;
mod lagometer;
mod match_info;
mod overlay;
mod score_boxes;
mod scoreboard;
mod statusbar;
mod team_chat;
mod texts;
mod tournament;
mod weapon_bar;

use super::settings::Settings;
use crate::cg::{
    media::roles::Media,
    predict::misses::PredictionStats,
    present::selection::Selection,
    timeline::{game_static::GameStatic, server_commands::Accuracies},
};
use crate::{
    assets::Assets,
    scene::{Draw2d, ShaderId, View},
};
use canvas::Canvas;
pub use goals::points_held;
use scoreboard::Scoreboard;
pub use scoreboard::{listed, place_text};
use shared::{
    base::time::{ClientTime, ServerTime},
    bg::numbers::{configstring as cs, pm_flags, pm_type, team},
    types::{playerstate::PlayerState, snapshot::Snapshot},
};
use std::collections::VecDeque;

/// What the HUD remembers from frame to frame.
#[derive(Debug, Default)]
pub struct Hud {
    centered: Option<Centered>,
    /// Since when a mine sticks to the player.
    mined_since: Option<ServerTime>,
    /// When the last item was taken; the crosshair swells.
    taken_at: Option<ServerTime>,
    /// Item number and since when it is shown.
    pickup: Option<(i32, ServerTime)>,
    /// Who killed the player last.
    pub killer_name: String,
    pub frags: frag_feed::FragFeed,
    /// When the player was hurt last.
    attacked_at: Option<ServerTime>,
    /// Whom the crosshair pointed at last, and when.
    aimed_at: Option<(i32, ServerTime)>,
    pub scores: Scoreboard,
    pub shows_scores: bool,
    pub accuracies: Accuracies,
    pub accuracies_requested_at: Option<ServerTime>,
    pub shows_accuracy: bool,
    /// What team-mates said last.
    pub team_chat: team_chat::TeamChat,
    /// How far the team-mates at the top reach to the left.
    pub mates_width: f32,
    head: figures::HeadMotion,
    /// Which powerup made itself noticed last, and when.
    powerup: Option<(usize, ServerTime)>,
    /// Frame times by the client's clock, for the frame counter.
    frame_times: VecDeque<ClientTime>,
}

/// A text in the middle of the screen.
#[derive(Clone, Debug)]
struct Centered {
    text: String,
    since: ServerTime,
    /// The middle of its lines, about.
    y: f32,
    /// Of a letter.
    width: f32,
}

/// What the HUD is drawn from.
#[derive(Debug)]
pub struct HudInput<'a> {
    pub now: ServerTime,
    pub client_now: ClientTime,
    pub screen: [f32; 2],
    pub settings: &'a Settings,
    pub level: &'a GameStatic,
    pub player: &'a PlayerState,
    pub snap: &'a Snapshot,
    pub selection: Selection,
    pub lagometer: &'a super::Lagometer,
    /// Number of the newest message, shown or not.
    pub newest_message: i32,
    pub ping_msec: Option<i32>,
    pub is_predicting: bool,
    pub is_third_person: bool,
    pub is_connection_interrupted: bool,
    pub prediction: &'a PredictionStats,
    /// What the ghosts are, in numbers.
    pub ghost_texts: &'a [String],
    pub ghost_labels: &'a [crate::cg::diagnose::ghosts::Label],
    pub announcer: &'a crate::cg::present::announcer::Announcer,
    pub team_info: &'a crate::cg::timeline::team_info::TeamInfo,
    pub players: &'a crate::cg::media::player_media::PlayerMediaSet,
}

impl Hud {
    /// Shows a text in the middle for a while.
    pub fn center_print(&mut self, text: &str, now: ServerTime) {
        self.centered = Some(Centered {
            text: text.to_owned(),
            since: now,
            y: 144.0,
            width: canvas::BIG[0],
        });
    }

    /// Tells of an own frag, in letters as large as the player wants.
    pub fn tell_frag(&mut self, text: &str, size: f32, now: ServerTime) {
        self.center_print(text, now);
        if let Some(centered) = &mut self.centered {
            centered.width *= size;
        }
    }

    /// Shows a word in very large letters.
    pub fn announce(&mut self, text: &str, now: ServerTime) {
        self.centered = Some(Centered {
            text: text.to_owned(),
            since: now,
            y: 120.0,
            width: canvas::GIANT[0] * 2.0,
        });
    }

    /// Someone has hurt the player, from this side: −1 left to 1 right.
    pub fn note_attack(&mut self, now: ServerTime, side: f32) {
        self.attacked_at = Some(now);
        self.head.hurt(now, side);
    }

    /// A powerup of the player did something.
    pub fn note_powerup(&mut self, number: usize, now: ServerTime) {
        self.powerup = Some((number, now));
    }

    /// The crosshair points at a player.
    pub fn note_aim(&mut self, client: i32, now: ServerTime) {
        self.aimed_at = Some((client, now));
    }

    /// The client that the crosshair points at or has just left.
    pub fn aimed_at(&self, now: ServerTime) -> Option<i32> {
        const REMEMBERED_MSEC: i32 = 1000;
        self.aimed_at
            .filter(|(_, at)| now.is_within(*at, REMEMBERED_MSEC + 1))
            .map(|(client, _)| client)
    }

    pub fn was_attacked(&self) -> bool {
        self.attacked_at.is_some()
    }

    /// Shows which item was taken.
    pub fn note_pickup(&mut self, item: i32, now: ServerTime) {
        self.pickup = Some((item, now));
        self.taken_at = Some(now);
    }

    /// A restarted match begins with nothing to tell.
    pub fn restart(&mut self) {
        self.centered = None;
        self.pickup = None;
        self.taken_at = None;
        self.killer_name.clear();
        self.frags = frag_feed::FragFeed::default();
        self.attacked_at = None;
        self.aimed_at = None;
        self.team_chat = team_chat::TeamChat::default();
        self.powerup = None;
        self.scores = Scoreboard::default();
    }

    pub fn draw(
        &mut self,
        input: &HudInput<'_>,
        media: &mut Media,
        assets: &mut Assets,
    ) -> (Vec<Draw2d>, Vec<View>) {
        self.count_frame(input.client_now);
        self.watch_mine(input);
        self.mates_width = 0.0;
        let mut canvas = Canvas::new(input.screen, media);
        if !input.settings.draw_2d {
            return canvas.finish();
        }
        let is_over = matches!(
            input.player.pm_type,
            pm_type::INTERMISSION | pm_type::SPINTERMISSION
        );
        if is_over {
            scoreboard::draw(&mut canvas, self, input, media, assets);
        } else if input.player.pm_flags & pm_flags::SCOREBOARD != 0 {
            tournament::draw(&mut canvas, &self.scores, input);
        } else {
            self.draw_match(&mut canvas, input, media, assets);
        }
        canvas.finish()
    }

    /// Everything that is told while the match goes on.
    fn draw_match(
        &mut self,
        canvas: &mut Canvas,
        input: &HudInput<'_>,
        media: &mut Media,
        assets: &mut Assets,
    ) {
        let is_dead = input.player.stats[input.level.stats.health] <= 0;
        let is_spectator = input.player.persistant[3] == team::SPECTATOR;
        let is_following = input.player.pm_flags & pm_flags::FOLLOW != 0;
        let is_alive = !is_dead && (!is_spectator || is_following);
        if is_spectator && !is_following {
            texts::spectator(canvas, input);
        } else if is_alive && !self.shows_scores {
            self.draw_alive(canvas, input, media, assets);
        }
        let overlay = match_info::draw(canvas, self, input, media, assets);
        let lift_of = |mode: i32| match input.settings.draw_team_overlay == mode {
            true => overlay,
            false => 0.0,
        };
        let bottom = score_boxes::draw(canvas, lift_of(2), input, media);
        if is_alive {
            self.draw_pickup(canvas, lift_of(3), input, media, assets);
            statusbar::powerups(canvas, bottom, self.powerup, input, media, assets);
        }
        if input.level.is_team_game() {
            self.team_chat.draw(canvas, input);
        }
        self.mates_width = corner::draw(canvas, self, input, media, assets);
        texts::vote(canvas, input);
        self.frags.draw(canvas, input, media, assets);
        lagometer::draw(canvas, input, media);
        // Who is out of a round has no health, but he watches: only the dead are shown the scores unasked.
        let lies_dead = input.player.pm_type == pm_type::DEAD && input.level.warmup == 0;
        let shows_board = self.shows_scores || lies_dead;
        if shows_board {
            scoreboard::draw(canvas, self, input, media, assets);
        }
        if self.shows_accuracy {
            texts::accuracies(canvas, &self.accuracies, media, assets);
        }
        if is_following && !shows_board {
            texts::following(canvas, input);
        }
        if !shows_board {
            if !is_following {
                texts::warmup(canvas, input);
            }
            self.draw_centered(canvas, input);
        }
    }

    /// What only who lives and does not look at the scores sees.
    fn draw_alive(
        &mut self,
        canvas: &mut Canvas,
        input: &HudInput<'_>,
        media: &mut Media,
        assets: &mut Assets,
    ) {
        statusbar::draw(canvas, &mut self.head, input, media, assets);
        statusbar::held(canvas, input, media, assets);
        weapon_bar::draw(canvas, input, media, assets);
        if weapon_bar::is_fresh(input) {
            self.pickup = None;
        }
        crosshair::draw(canvas, self.taken_at, input, media);
        match_info::draw_alive(canvas, input);
    }

    fn draw_centered(&self, canvas: &mut Canvas, input: &HudInput<'_>) {
        let Some(Centered {
            text,
            since,
            y,
            width,
        }) = &self.centered
        else {
            return;
        };
        let alpha = canvas::fade(
            input.now - *since,
            (input.settings.center_time_sec * 1000.0) as i32,
        );
        if alpha <= 0.0 {
            return;
        }
        let lines: Vec<&str> = text.trim_end().lines().collect();
        let height = width * 1.5;
        let mut y = y - lines.len() as f32 * 8.0;
        for line in lines {
            canvas.centered(y, line, [*width, height], alpha);
            y += height;
        }
    }

    fn draw_pickup(
        &self,
        canvas: &mut Canvas,
        lift: f32,
        input: &HudInput<'_>,
        media: &mut Media,
        assets: &mut Assets,
    ) {
        const PICKUP_MSEC: i32 = 3000;
        let top = 384.0 - lift;
        let Some((number, since)) = self.pickup else {
            return;
        };
        let alpha = canvas::fade(input.now - since, PICKUP_MSEC);
        let (Some(item), Some(look)) =
            (shared::bg::items::item(number), media.item(number, assets))
        else {
            return;
        };
        if alpha > 0.0 {
            canvas.picture(
                [8.0, top, 48.0, 48.0],
                look.icon,
                [1.0, 1.0, 1.0, alpha],
                canvas::Anchor::Left,
            );
            canvas.text(
                64.0,
                top + 16.0,
                item.name,
                canvas::BIG,
                [1.0, 1.0, 1.0, alpha],
                canvas::Anchor::Left,
            );
        }
    }

    fn count_frame(&mut self, now: ClientTime) {
        if self.frame_times.len() == 32 {
            self.frame_times.pop_front();
        }
        self.frame_times.push_back(now);
    }

    fn frames_per_second(&self) -> Option<i32> {
        let (first, last) = (self.frame_times.front()?, self.frame_times.back()?);
        let span = *last - *first;
        (span > 0)
            .then(|| ((self.frame_times.len() as f32 - 1.0) * 1000.0 / span as f32).round() as i32)
    }
}

/// Score of a team or place as the configstrings tell it.
fn score_text(level: &GameStatic, index: usize) -> Option<i32> {
    const ABSENT: i32 = -9999;
    debug_assert!(matches!(index, cs::SCORES1 | cs::SCORES2));
    let score = shared::base::text::number(level.strings.get(index));
    (score != ABSENT && !level.strings.get(index).is_empty()).then_some(score)
}
/// The tiles around a view that does not fill the screen.
pub fn surround(
    [width, height]: [f32; 2],
    [x, y, w, h]: [f32; 4],
    shader: ShaderId,
) -> impl Iterator<Item = Draw2d> {
    const TILE: f32 = 64.0;
    let (right, bottom) = (x + w, y + h);
    [
        [0.0, 0.0, width, y],
        [0.0, bottom, width, height - bottom],
        [0.0, y, x, h],
        [right, y, width - right, h],
    ]
    .into_iter()
    .filter(|&[_, _, w, h]| w > 0.0 && h > 0.0)
    .map(move |rect| {
        let [x, y, w, h] = rect;
        Draw2d {
            rect,
            tex: [x, y, x + w, y + h].map(|side| side / TILE),
            color: canvas::WHITE,
            shader,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_and_the_view_cover_the_screen_once() {
        let around = |view| surround([640.0, 480.0], view, ShaderId(7));
        assert_eq!(around([0.0, 0.0, 640.0, 480.0]).count(), 0);
        let area = |[_, _, w, h]: [f32; 4]| w * h;
        let view = [64.0, 48.0, 512.0, 384.0];
        let covered: f32 = around(view).map(|tile| area(tile.rect)).sum();
        assert_eq!(covered + area(view), 640.0 * 480.0);
        for Draw2d {
            rect: [x, y, w, h],
            tex,
            ..
        } in around(view)
        {
            assert_eq!(tex.map(|side| side * 64.0), [x, y, x + w, y + h]);
        }
    }
}
