//! Models in the HUD: the player's head that looks around, flags, ammunition and armor.

use super::{
    canvas::{Anchor, Canvas, Figure, WHITE},
    team_signs::{self, FlagPlace},
};
use crate::{
    cg::{media::player_media::PlayerMedia, present::frame},
    scene::{ModelId, ShaderId},
};
use glam::Vec3;
use shared::base::time::ServerTime;
use shared::bg::{
    items::{ITEMS, ItemKind},
    numbers::{powerup, team},
    random::Random,
};
use std::f32::consts::PI;

/// Height of a thing over its distance that fills a picture.
const FILLING: f32 = 0.268;
const HURT_MSEC: i32 = 500;

/// How the head in the status bar looks around.
#[derive(Clone, Debug, Default)]
pub struct HeadMotion {
    start: ServerTime,
    end: ServerTime,
    /// Pitch and yaw.
    from: [f32; 2],
    to: [f32; 2],
    /// When it was hurt last, and how far to which side that came from.
    hurt: Option<(ServerTime, f32)>,
    random: Random,
}

impl HeadMotion {
    /// When the player was hurt last, and from which side: −1 left to 1 right.
    pub fn set_hurt(&mut self, hurt: Option<(ServerTime, f32)>) {
        self.hurt = hurt;
    }

    /// Pitch and yaw at this time, and the picture's size and shift.
    fn look(&mut self, now: ServerTime, size: f32) -> ([f32; 2], f32, f32) {
        let hurt = self
            .hurt
            .filter(|(since, _)| now.is_within(*since, HURT_MSEC));
        let (mut large, mut shift) = (size, 0.0);
        if let Some((since, side)) = hurt {
            let calm = (now - since) as f32 / HURT_MSEC as f32;
            large = size * (1.5 - 0.5 * calm);
            let growth = large - size;
            shift = growth * 0.5 + side * growth * 0.5;
            if self.start != since {
                self.from = [0.0, 180.0 + side * 45.0];
                self.start = since;
                self.next_look(since);
            }
        } else if !now.is_within(self.start, self.end - self.start) {
            self.from = self.to;
            self.start = now;
            self.next_look(now);
        }
        let part = (now - self.start) as f32 / (self.end - self.start).max(1) as f32;
        let part = part.clamp(0.0, 1.0);
        let eased = part * part * (3.0 - 2.0 * part);
        let between = |axis: usize| self.from[axis] + (self.to[axis] - self.from[axis]) * eased;
        ([between(0), between(1)], large, shift)
    }

    fn next_look(&mut self, now: ServerTime) {
        let mut turn = |far: f32| far * libm::cosf(self.random.centred() * PI);
        let (yaw, pitch) = (180.0 + turn(20.0), turn(5.0));
        self.to = [pitch, yaw];
        self.end = now + 100 + (self.random.uniform() * 2000.0) as i32;
        if self.from == [0.0; 2] {
            self.from = self.to;
        }
    }
}

/// The head of the player one looks through, in the middle of the status bar.
pub fn own_head(canvas: &mut Canvas<'_>, motion: &mut HeadMotion) {
    const SIZE: f32 = 60.0;
    let input = canvas.input;
    let Some(looks) = input.players.get(input.player.client_num) else {
        return;
    };
    let ([pitch, yaw], size, shift) = motion.look(input.now, SIZE);
    let rect = [285.0 - shift, 480.0 - size, size, size];
    let angles = Vec3::new(pitch, yaw, 0.0);
    head(canvas, rect, Anchor::Center, looks, angles);
}

/// A player's head, as a model if these are wanted and here.
pub fn head(
    canvas: &mut Canvas<'_>,
    rect: [f32; 4],
    anchor: Anchor,
    looks: &PlayerMedia,
    angles: Vec3,
) {
    let settings = canvas.input.settings;
    let bounds = frame::bounds(canvas.assets, looks.head)
        .filter(|_| settings.draw_3d_icons && looks.is_here);
    let Some((mins, maxs)) = bounds else {
        if settings.draw_icons && canvas.assets.is_settled(looks.icon) {
            canvas.picture(rect, looks.icon, WHITE, anchor);
        }
        return;
    };
    let height = maxs.z - mins.z;
    let middle = (mins + maxs) * 0.5;
    let animation = canvas.assets.animation(looks.animation);
    let offset = animation.map_or(Vec3::ZERO, |config| config.head_offset);
    let figure = Figure {
        model: looks.head,
        skin: looks.head_skin,
        origin: Vec3::new(0.7 * height / FILLING, middle.y, -middle.z) + offset,
        angles,
    };
    canvas.figure(rect, &figure, anchor);
}

/// The flag of this powerup number, waving to both sides; its icon where models are not wanted.
pub fn flag(canvas: &mut Canvas<'_>, rect: [f32; 4], number: usize) {
    let models = &canvas.media.models;
    let (model, item) = match number {
        powerup::REDFLAG => (models.red_flag, 34),
        powerup::BLUEFLAG => (models.blue_flag, 35),
        powerup::NEUTRALFLAG => (models.neutral_flag, 46),
        _ => return,
    };
    if let Some(color) = team_signs::color_of_flag(canvas.input, number) {
        team_signs::flag(canvas, rect, color, FlagPlace::Taken, Anchor::Center);
        return;
    }
    let bounds = frame::bounds(canvas.assets, model);
    let (mins, maxs) = bounds.unwrap_or_default();
    let middle = (mins + maxs) * 0.5;
    let distance = 0.5 * (maxs.z - mins.z) / FILLING;
    let origin = Vec3::new(distance, middle.y, -middle.z);
    let yaw = 60.0 * libm::sinf(canvas.input.now.0 as f32 / 2000.0);
    let figure = bounds.map(|_| turned(model, origin, yaw));
    figure_or_icon(canvas, rect, Anchor::Center, figure, |canvas| {
        Some(canvas.item(item)?.icon)
    });
}

/// The ammunition of a weapon, swaying; the weapon's icon where models are not wanted.
pub fn ammunition(canvas: &mut Canvas<'_>, rect: [f32; 4], weapon: i32) {
    let number = ITEMS
        .iter()
        .position(|item| item.kind == ItemKind::Ammo && i32::from(item.tag) == weapon);
    let look = number.and_then(|index| canvas.item(index as i32 + 1));
    let origin = Vec3::new(70.0, 0.0, 0.0);
    let yaw = 90.0 + 20.0 * libm::sinf(canvas.input.now.0 as f32 / 1000.0);
    let figure = look.map(|look| turned(look.model, origin, yaw));
    figure_or_icon(canvas, rect, Anchor::Left, figure, |canvas| {
        canvas.weapon_icon(weapon)
    });
}

/// The yellow armor, turning.
pub fn armor(canvas: &mut Canvas<'_>, rect: [f32; 4]) {
    const YELLOW_ARMOR: i32 = 2;
    let look = canvas.item(YELLOW_ARMOR);
    let figure = look.map(|look| turning(canvas, look.model));
    figure_or_icon(canvas, rect, Anchor::Center, figure, |canvas| {
        Some(canvas.media.pictures.armor)
    });
}

/// A cube of harvester, turning; the skull where models are not wanted.
pub fn token(canvas: &mut Canvas<'_>, rect: [f32; 4], is_red: bool) {
    let (models, pictures) = (&canvas.media.models, &canvas.media.pictures);
    let (side, model, icon) = match is_red {
        true => (team::RED, models.red_cube, pictures.red_skull),
        false => (team::BLUE, models.blue_cube, pictures.blue_skull),
    };
    if let Some(color) = team_signs::color(canvas.input, side) {
        team_signs::cube(canvas, rect, color, Anchor::Center);
        return;
    }
    let figure = turning(canvas, model);
    figure_or_icon(canvas, rect, Anchor::Center, Some(figure), |_| Some(icon));
}

fn turning(canvas: &Canvas<'_>, model: ModelId) -> Figure {
    let yaw = (canvas.input.now.0 & 2047) as f32 * 360.0 / 2048.0;
    turned(model, Vec3::new(90.0, 0.0, -10.0), yaw)
}

fn turned(model: ModelId, origin: Vec3, yaw: f32) -> Figure {
    Figure {
        model,
        skin: None,
        origin,
        angles: Vec3::new(0.0, yaw, 0.0),
    }
}

/// A model where models are wanted, once all of it is here; else its icon where icons are wanted.
fn figure_or_icon(
    canvas: &mut Canvas<'_>,
    rect: [f32; 4],
    anchor: Anchor,
    figure: Option<Figure>,
    icon: impl FnOnce(&mut Canvas<'_>) -> Option<ShaderId>,
) {
    let (settings, assets) = (canvas.input.settings, &canvas.assets);
    let is_here = |model| assets.model(model).is_some() && !assets.is_coming(model);
    let is_shown = |figure: &Figure| settings.draw_3d_icons && is_here(figure.model);
    if let Some(figure) = figure.filter(is_shown) {
        canvas.figure(rect, &figure, anchor);
    } else if settings.draw_icons
        && let Some(icon) = icon(canvas)
    {
        canvas.picture(rect, icon, WHITE, anchor);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hurt_head_grows_and_calms_down() {
        let mut motion = HeadMotion::default();
        let ([_, yaw], size, shift) = motion.look(ServerTime(1000), 60.0);
        assert!((size, shift) == (60.0, 0.0) && (159.0..201.0).contains(&yaw));
        motion.set_hurt(Some((ServerTime(1100), 1.0)));
        let ([_, yaw], size, shift) = motion.look(ServerTime(1100), 60.0);
        assert_eq!((yaw, size, shift), (225.0, 90.0, 30.0));
        let (_, size, _) = motion.look(ServerTime(1100 + HURT_MSEC), 60.0);
        assert_eq!(size, 60.0);
    }
}
