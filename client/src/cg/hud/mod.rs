//! The flat pictures over the world: numbers, texts, crosshair, weapon bar, scores.

mod boards;
mod canvas;
mod captions;
mod corner;
mod crosshair;
mod figures;
mod frag_feed;
mod goals;
mod lagometer;
mod match_info;
mod overlay;
mod score_boxes;
mod scoreboard;
mod statusbar;
mod team_chat;
mod team_signs;
mod texts;
mod tournament;
mod weapon_bar;

use super::{
    io::LinkState,
    media::{player_media::PlayerMediaSet, roles::Media},
    predict::misses::PredictionStats,
    present::{
        announcer::Announcer,
        notices::{Centered, Notices},
        selection::Selection,
    },
    settings::Settings,
    timeline::{
        game_static::GameStatic,
        lagometer::Lagometer,
        scores::{Accuracies, Scoreboard},
        team_info::TeamInfo,
    },
};
use crate::{
    assets::Assets,
    scene::{Draw2d, Refdef, ShaderId},
};
use canvas::{Anchor, BIG, Canvas};
pub use scoreboard::listed;
use shared::{
    base::time::{ClientTime, ServerTime},
    bg::{
        items::item,
        numbers::{configstring as cs, persistant, pm_flags, pm_type, team},
    },
    types::{playerstate::PlayerState, snapshot::Snapshot},
};
use std::collections::VecDeque;

/// What the HUD remembers from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct Hud {
    /// Since when a mine sticks to the player.
    mined_since: Option<ServerTime>,
    /// The pickup that is not shown any more, by its time.
    hidden_pickup: Option<ServerTime>,
    boards: boards::Boards,
    /// How far the team-mates at the top reach to the left.
    mates_width: f32,
    head: figures::HeadMotion,
    /// Frame times by the client's clock, for the frame counter.
    frame_times: VecDeque<ClientTime>,
}

/// What the HUD is drawn from.
#[derive(Debug)]
pub struct HudInput<'a> {
    pub now: ServerTime,
    pub client_now: ClientTime,
    pub screen: [f32; 2],
    /// The world's part of the screen.
    pub viewport: [f32; 4],
    pub settings: &'a Settings,
    pub level: &'a GameStatic,
    pub player: &'a PlayerState,
    pub snap: &'a Snapshot,
    pub selection: Selection,
    pub lagometer: &'a Lagometer,
    /// Number of the newest message, shown or not.
    pub newest_message: i32,
    pub ping_msec: Option<i32>,
    pub link: LinkState,
    pub is_predicting: bool,
    pub is_third_person: bool,
    pub is_connection_interrupted: bool,
    pub prediction: &'a PredictionStats,
    /// What is measured about this frame, one line after the other.
    pub measured_texts: &'a [String],
    pub labels: &'a [Label],
    pub notices: &'a Notices,
    pub scores: &'a Scoreboard,
    pub accuracies: &'a Accuracies,
    pub announcer: &'a Announcer,
    pub team_info: &'a TeamInfo,
    pub players: &'a PlayerMediaSet,
}

/// A text at a place in the picture.
#[derive(Clone, Debug)]
pub struct Label {
    /// The middle of its foot, in pixels of the screen.
    pub at: [f32; 2],
    pub text: String,
}

impl HudInput<'_> {
    /// The color of the red or blue team, as opaque as told.
    fn team_color(&self, team: i32, alpha: f32) -> Option<[f32; 4]> {
        let [r, g, b] = self.settings.team_color(team)?;
        Some([r, g, b, alpha])
    }
}

/// How opaque backgrounds in teams' colors are.
const TEAM_ALPHA: f32 = 0.33;

impl Hud {
    pub fn draw(
        &mut self,
        input: &HudInput<'_>,
        media: &mut Media,
        assets: &mut Assets,
    ) -> (Vec<Draw2d>, Vec<Refdef>) {
        self.head.set_hurt(input.notices.hurt);
        self.count_frame(input.client_now);
        self.watch_mine(input);
        self.mates_width = 0.0;
        let mut canvas = Canvas::new(input, media, assets);
        let tile = canvas.media.shaders.back_tile;
        canvas.extend(surround(input.screen, input.viewport, tile));
        if !input.settings.draw_2d {
            return canvas.finish();
        }
        let is_over = matches!(
            input.player.pm_type,
            pm_type::INTERMISSION | pm_type::SPINTERMISSION
        );
        if is_over {
            scoreboard::draw(&mut canvas);
        } else if input.player.pm_flags & pm_flags::SCOREBOARD != 0 {
            tournament::draw(&mut canvas);
        } else {
            self.draw_match(&mut canvas);
        }
        canvas.finish()
    }

    /// Everything that is told while the match goes on.
    fn draw_match(&mut self, canvas: &mut Canvas<'_>) {
        let input = canvas.input;
        let is_dead = input.player.stats[input.level.stats.health] <= 0;
        let is_spectator = input.player.persistant[persistant::TEAM] == team::SPECTATOR;
        let is_following = input.player.pm_flags & pm_flags::FOLLOW != 0;
        let is_alive = !is_dead && (!is_spectator || is_following);
        if is_spectator && !is_following {
            texts::spectator(canvas);
        } else if is_alive && !self.boards.shows_scores {
            self.draw_alive(canvas);
        }
        let overlay = match_info::draw(canvas, self);
        let lift_of = |mode: i32| match input.settings.draw_team_overlay == mode {
            true => overlay,
            false => 0.0,
        };
        let bottom = score_boxes::draw(canvas, lift_of(2));
        if is_alive {
            self.draw_pickup(canvas, lift_of(3));
            statusbar::powerups(canvas, bottom);
        }
        if input.level.is_team_game() {
            team_chat::draw(canvas);
        }
        self.mates_width = corner::draw(canvas, self);
        texts::vote(canvas);
        frag_feed::draw(canvas);
        captions::draw(canvas);
        lagometer::draw(canvas);
        // Whoever is out of a round has no health, but he watches: only the dead are shown the scores unasked.
        let lies_dead = input.player.pm_type == pm_type::DEAD && input.level.warmup == 0;
        let shows_board = self.boards.shows_scores || lies_dead;
        if shows_board {
            scoreboard::draw(canvas);
        }
        if self.boards.shows_accuracy {
            texts::accuracies(canvas, input.accuracies);
        }
        if is_following && !shows_board {
            texts::following(canvas);
        }
        if !shows_board {
            if !is_following {
                texts::warmup(canvas);
            }
            draw_centered(canvas);
        }
    }

    /// What only players see who live and do not look at the scores.
    fn draw_alive(&mut self, canvas: &mut Canvas<'_>) {
        let input = canvas.input;
        statusbar::draw(canvas, &mut self.head);
        statusbar::held(canvas);
        weapon_bar::draw(canvas);
        if weapon_bar::is_fresh(input) {
            self.hidden_pickup = input.notices.pickup.map(|(_, since)| since);
        }
        crosshair::draw(canvas);
        match_info::draw_alive(canvas);
    }

    fn draw_pickup(&self, canvas: &mut Canvas<'_>, lift: f32) {
        let input = canvas.input;
        const PICKUP_MSEC: i32 = 3000;
        let top = 384.0 - lift;
        let pickup = input.notices.pickup;
        let is_shown = |(_, since): &(i32, ServerTime)| self.hidden_pickup != Some(*since);
        let Some((number, since)) = pickup.filter(is_shown) else {
            return;
        };
        let alpha = canvas::fade(input.now - since, PICKUP_MSEC);
        if let (Some(item), Some(look)) = (item(number), canvas.item(number))
            && alpha > 0.0
        {
            let color = [1.0, 1.0, 1.0, alpha];
            let rect = [8.0, top, 48.0, 48.0];
            canvas.picture(rect, look.icon, color, Anchor::Left);
            canvas.text(64.0, top + 16.0, item.name, BIG, color, Anchor::Left);
        }
    }

    pub fn mates_width(&self) -> f32 {
        self.mates_width
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

/// The text in the middle.
fn draw_centered(canvas: &mut Canvas<'_>) {
    let input = canvas.input;
    let Some(Centered {
        text,
        since,
        y,
        width,
    }) = &input.notices.centered
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

/// Score of a team or place as the configstrings tell it.
fn score_text(level: &GameStatic, index: usize) -> Option<i32> {
    const ABSENT: i32 = -9999;
    debug_assert!(matches!(index, cs::SCORES1 | cs::SCORES2));
    let score = shared::base::text::number(level.strings.get(index));
    (score != ABSENT && !level.strings.get(index).is_empty()).then_some(score)
}

/// The tiles around a view that does not fill the screen.
fn surround(
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
