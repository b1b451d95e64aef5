//! Flags and cubes of the teams in the colors that the player chose for them, which no picture has.

use super::{
    HudInput,
    canvas::{Anchor, Canvas},
};
use crate::scene::text::Color;
use shared::bg::numbers::{powerup, team};

/// Where a flag is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagPlace {
    Base,
    Taken,
    Dropped,
}

impl FlagPlace {
    /// By the number that servers tell.
    pub fn of(number: usize) -> Option<Self> {
        [Self::Base, Self::Taken, Self::Dropped]
            .get(number)
            .copied()
    }
}

/// The color of what belongs to a team, where the player chose one.
pub fn color(input: &HudInput<'_>, side: i32) -> Option<Color> {
    let [r, g, b] = input.settings.chosen_team_color(side)?;
    Some([r, g, b, 1.0])
}

/// The same of the flag with this powerup number.
pub fn color_of_flag(input: &HudInput<'_>, number: usize) -> Option<Color> {
    match number {
        powerup::REDFLAG => color(input, team::RED),
        powerup::BLUEFLAG => color(input, team::BLUE),
        _ => None,
    }
}

/// A flag: it stands on its foot, flies without one, or lies. Its shape tells where it is, whatever its color.
pub fn flag(
    canvas: &mut Canvas<'_>,
    rect: [f32; 4],
    color: Color,
    place: FlagPlace,
    anchor: Anchor,
) {
    const POLE: Color = [0.9, 0.9, 0.9, 1.0];
    /// Of pole, cloth and foot: left, top, width and height in shares of the picture.
    const UPRIGHT: [[f32; 4]; 3] = [
        [0.16, 0.06, 0.08, 0.82],
        [0.24, 0.1, 0.6, 0.44],
        [0.06, 0.86, 0.28, 0.08],
    ];
    const FLYING: [[f32; 4]; 3] = [
        [0.16, 0.06, 0.08, 0.88],
        [0.24, 0.1, 0.46, 0.44],
        [0.7, 0.2, 0.2, 0.24],
    ];
    const LYING: [[f32; 4]; 3] = [
        [0.06, 0.82, 0.88, 0.08],
        [0.46, 0.38, 0.4, 0.44],
        [0.06, 0.82, 0.0, 0.08],
    ];
    let [pole, cloth, third] = match place {
        FlagPlace::Base => UPRIGHT,
        FlagPlace::Taken => FLYING,
        FlagPlace::Dropped => LYING,
    };
    let third_color = if place == FlagPlace::Taken {
        color
    } else {
        POLE
    };
    for (part, color) in [(pole, POLE), (cloth, color), (third, third_color)] {
        canvas.fill(within(rect, part), color, anchor);
    }
}

/// A cube.
pub fn cube(canvas: &mut Canvas<'_>, rect: [f32; 4], color: Color, anchor: Anchor) {
    canvas.fill(within(rect, [0.2, 0.2, 0.6, 0.6]), color, anchor);
}

fn within([x, y, width, height]: [f32; 4], [left, top, across, down]: [f32; 4]) -> [f32; 4] {
    [
        x + left * width,
        y + top * height,
        across * width,
        down * height,
    ]
}
