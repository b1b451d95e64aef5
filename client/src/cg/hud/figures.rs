//! Models in the HUD: the player's head that looks around, flags, ammunition and armor.

use super::{
    HudInput,
    canvas::{Anchor, Canvas, Figure, WHITE},
    team_signs::{self, FlagPlace},
};
use crate::{
    assets::Assets,
    cg::{
        media::{player_media::PlayerMedia, roles::Media},
        present::frame,
    },
    scene::ModelId,
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
pub fn own_head(
    canvas: &mut Canvas,
    motion: &mut HeadMotion,
    input: &HudInput<'_>,
    assets: &Assets,
) {
    const SIZE: f32 = 60.0;
    let Some(looks) = input.players.get(input.player.client_num) else {
        return;
    };
    let ([pitch, yaw], size, shift) = motion.look(input.now, SIZE);
    let rect = [285.0 - shift, 480.0 - size, size, size];
    head(
        canvas,
        rect,
        looks,
        Vec3::new(pitch, yaw, 0.0),
        input,
        assets,
    );
}

/// A player's head, as a model if these are wanted and here.
pub fn head(
    canvas: &mut Canvas,
    rect: [f32; 4],
    looks: &PlayerMedia,
    angles: Vec3,
    input: &HudInput<'_>,
    assets: &Assets,
) {
    head_at(canvas, (rect, Anchor::Center), looks, angles, input, assets);
}

/// The same at an edge of the screen.
pub fn head_at(
    canvas: &mut Canvas,
    (rect, anchor): ([f32; 4], Anchor),
    looks: &PlayerMedia,
    angles: Vec3,
    input: &HudInput<'_>,
    assets: &Assets,
) {
    let bounds =
        frame::bounds(assets, looks.head).filter(|_| input.settings.draw_3d_icons && looks.is_here);
    let Some((mins, maxs)) = bounds else {
        if input.settings.draw_icons && assets.is_settled(looks.icon) {
            canvas.picture(rect, looks.icon, WHITE, anchor);
        }
        return;
    };
    let height = maxs.z - mins.z;
    let middle = (mins + maxs) * 0.5;
    let offset = assets
        .animation(looks.animation)
        .map_or(Vec3::ZERO, |config| config.head_offset);
    let figure = Figure {
        model: looks.head,
        skin: looks.head_skin,
        origin: Vec3::new(0.7 * height / FILLING, middle.y, -middle.z) + offset,
        angles,
    };
    canvas.figure(rect, &figure, input.now.0, anchor);
}

/// The flag of this powerup number, waving to both sides; its icon where models are not wanted.
pub fn flag(
    canvas: &mut Canvas,
    rect: [f32; 4],
    number: usize,
    input: &HudInput<'_>,
    media: &mut Media,
    assets: &mut Assets,
) {
    let (model, item) = match number {
        powerup::REDFLAG => (media.models.red_flag, 34),
        powerup::BLUEFLAG => (media.models.blue_flag, 35),
        powerup::NEUTRALFLAG => (media.models.neutral_flag, 46),
        _ => return,
    };
    if let Some(color) = team_signs::color_of_flag(input, number) {
        team_signs::flag(canvas, rect, color, FlagPlace::Taken, Anchor::Center);
        return;
    }
    if let (true, Some((mins, maxs))) =
        (is_shown(input, model, assets), frame::bounds(assets, model))
    {
        let middle = (mins + maxs) * 0.5;
        let distance = 0.5 * (maxs.z - mins.z) / FILLING;
        let yaw = 60.0 * libm::sinf(input.now.0 as f32 / 2000.0);
        let origin = Vec3::new(distance, middle.y, -middle.z);
        canvas.figure(
            rect,
            &turned(model, origin, yaw),
            input.now.0,
            Anchor::Center,
        );
    } else if let (true, Some(look)) = (input.settings.draw_icons, media.item(item, assets)) {
        canvas.picture(rect, look.icon, WHITE, Anchor::Center);
    }
}

/// The ammunition of a weapon, swaying; the weapon's icon where models are not wanted.
pub fn ammunition(
    canvas: &mut Canvas,
    rect: [f32; 4],
    weapon: i32,
    input: &HudInput<'_>,
    media: &mut Media,
    assets: &mut Assets,
) {
    let number = ITEMS
        .iter()
        .position(|item| item.kind == ItemKind::Ammo && i32::from(item.tag) == weapon);
    let look = number.and_then(|index| media.item(index as i32 + 1, assets));
    if let Some(look) = look
        && is_shown(input, look.model, assets)
    {
        let yaw = 90.0 + 20.0 * libm::sinf(input.now.0 as f32 / 1000.0);
        let origin = Vec3::new(70.0, 0.0, 0.0);
        canvas.figure(
            rect,
            &turned(look.model, origin, yaw),
            input.now.0,
            Anchor::Left,
        );
    } else if input.settings.draw_icons
        && let Some(icon) = media.weapon(weapon, assets).and_then(|look| look.icon)
    {
        canvas.picture(rect, icon, WHITE, Anchor::Left);
    }
}

/// The yellow armor, turning.
pub fn armor(
    canvas: &mut Canvas,
    rect: [f32; 4],
    input: &HudInput<'_>,
    media: &mut Media,
    assets: &mut Assets,
) {
    const YELLOW_ARMOR: i32 = 2;
    let look = media.item(YELLOW_ARMOR, assets);
    if let Some(look) = look
        && is_shown(input, look.model, assets)
    {
        let yaw = (input.now.0 & 2047) as f32 * 360.0 / 2048.0;
        let origin = Vec3::new(90.0, 0.0, -10.0);
        canvas.figure(
            rect,
            &turned(look.model, origin, yaw),
            input.now.0,
            Anchor::Center,
        );
    } else if input.settings.draw_icons {
        canvas.picture(rect, media.pictures.armor, WHITE, Anchor::Center);
    }
}

/// A cube of harvester, turning; the skull where models are not wanted.
pub fn token(
    canvas: &mut Canvas,
    rect: [f32; 4],
    is_red: bool,
    input: &HudInput<'_>,
    media: &Media,
    assets: &Assets,
) {
    let (model, icon) = if is_red {
        (media.models.red_cube, media.pictures.red_skull)
    } else {
        (media.models.blue_cube, media.pictures.blue_skull)
    };
    let side = if is_red { team::RED } else { team::BLUE };
    if let Some(color) = team_signs::color(input, side) {
        team_signs::cube(canvas, rect, color, Anchor::Center);
    } else if is_shown(input, model, assets) {
        let yaw = (input.now.0 & 2047) as f32 * 360.0 / 2048.0;
        let origin = Vec3::new(90.0, 0.0, -10.0);
        canvas.figure(
            rect,
            &turned(model, origin, yaw),
            input.now.0,
            Anchor::Center,
        );
    } else if input.settings.draw_icons {
        canvas.picture(rect, icon, WHITE, Anchor::Center);
    }
}

/// Whether a model is drawn instead of its icon: where models are wanted, once all of it is here.
fn is_shown(input: &HudInput<'_>, model: ModelId, assets: &Assets) -> bool {
    input.settings.draw_3d_icons && assets.model(model).is_some() && !assets.is_coming(model)
}

fn turned(model: ModelId, origin: Vec3, yaw: f32) -> Figure {
    Figure {
        model,
        skin: None,
        origin,
        angles: Vec3::new(0.0, yaw, 0.0),
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
