//! Deaths at the right edge, in words or as killer, weapon and victim (`cg_obituaryOutput` 2 and 3).

use super::{
    HudInput,
    canvas::{self, Anchor, Canvas, SMALL},
};
use crate::{
    assets::Assets,
    cg::{media::roles::Media, timeline::game_static::GameStatic},
};
use shared::base::time::ServerTime;
use shared::bg::numbers::weapon;
use std::collections::VecDeque;

const MAX: usize = 5;
const SHOWN_MSEC: i32 = 5000;
const TOP: f32 = 150.0;

/// One death.
#[derive(Clone, Debug)]
pub struct Frag {
    pub at: ServerTime,
    /// Everything.
    pub text: String,
    /// Nobody if the world did it or the victim himself.
    pub killer: Option<String>,
    pub victim: String,
    pub weapon: Option<i32>,
}

/// The newest deaths, oldest first.
#[derive(Clone, Debug, Default)]
pub struct FragFeed {
    frags: VecDeque<Frag>,
}

impl FragFeed {
    pub fn add(&mut self, frag: Frag) {
        if self.frags.len() == MAX {
            self.frags.pop_front();
        }
        self.frags.push_back(frag);
    }

    pub fn draw(
        &self,
        canvas: &mut Canvas,
        input: &HudInput<'_>,
        media: &mut Media,
        assets: &mut Assets,
    ) {
        let mut y = TOP;
        for frag in &self.frags {
            let alpha = canvas::fade(input.now - frag.at, SHOWN_MSEC);
            if alpha <= 0.0 {
                continue;
            }
            let color = [1.0, 1.0, 1.0, alpha];
            match (input.settings.obituary_output, frag.weapon) {
                (..=1, _) => continue,
                (3.., Some(number)) => {
                    let icon = media.weapon(number, assets).and_then(|look| look.icon);
                    canvas.right(y, &frag.victim, SMALL, color);
                    let x = 635.0 - canvas::width(&frag.victim, SMALL) - 20.0;
                    if let Some(icon) = icon {
                        canvas.picture([x, y, 16.0, 16.0], icon, color, Anchor::Right);
                    }
                    let killer = frag.killer.as_deref().unwrap_or("");
                    let x = x - 4.0 - canvas::width(killer, SMALL);
                    canvas.text(x, y, killer, SMALL, color, Anchor::Right);
                }
                _ => canvas.right(y, &frag.text, SMALL, color),
            }
            y += 18.0;
        }
    }
}

/// The weapon of a means of death, if there was one.
pub fn weapon_of(means: i32, level: &GameStatic) -> Option<i32> {
    Some(match means {
        1 => weapon::SHOTGUN,
        2 => weapon::GAUNTLET,
        3 => weapon::MACHINEGUN,
        4 | 5 => weapon::GRENADE,
        6 | 7 => weapon::ROCKET,
        8 | 9 => weapon::PLASMA,
        10 => weapon::RAIL,
        11 => weapon::LIGHTNING,
        12 | 13 => weapon::BFG,
        23 if !level.profile.is_open_arena() => weapon::HOOK,
        23 => weapon::NAILGUN,
        24 => weapon::CHAINGUN,
        25 => weapon::PROX,
        28 => weapon::HOOK,
        _ => return None,
    })
}
