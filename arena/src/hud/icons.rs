//! Icons of weapons, items and players, drawn from their models.

use crate::{
    PakFile,
    canvas::{Canvas, rgb},
    image_file::targa,
    mesh::{Model, pitch, yaw},
    models::{self, WEAPONS},
    player,
    raster::{Paint, View, render},
    strokes::Pen,
    textures::{AMBER, CYAN, KIT, SUITS, kit_canvas},
};
use glam::Mat3;

const SIZE: usize = 64;

/// Icon, model below `models/powerups/`, and how far it is turned to the left.
const ITEMS: [(&str, &str, f32); 23] = [
    ("icona_shotgun", "ammo/shotgunam", 155.0),
    ("icona_machinegun", "ammo/machinegunam", 155.0),
    ("icona_grenade", "ammo/grenadeam", 155.0),
    ("icona_plasma", "ammo/plasmaam", 155.0),
    ("icona_lightning", "ammo/lightningam", 155.0),
    ("icona_rocket", "ammo/rocketam", 155.0),
    ("icona_railgun", "ammo/railgunam", 155.0),
    ("icona_bfg", "ammo/bfgam", 155.0),
    ("iconr_shard", "armor/shard", 165.0),
    ("iconr_yellow", "armor/armor_yel", 155.0),
    ("iconr_red", "armor/armor_red", 155.0),
    ("iconh_green", "health/small_cross", 165.0),
    ("iconh_yellow", "health/medium_cross", 165.0),
    ("iconh_red", "health/large_cross", 165.0),
    ("iconh_mega", "health/mega_cross", 165.0),
    ("teleporter", "holdable/teleporter", 160.0),
    ("medkit", "holdable/medkit", 155.0),
    ("quad", "instant/quad", 165.0),
    ("envirosuit", "instant/enviro", 165.0),
    ("haste", "instant/haste", 165.0),
    ("invis", "instant/invis", 165.0),
    ("regen", "instant/regen", 165.0),
    ("flight", "instant/flight", 165.0),
];

/// Flags at home, taken, and lying about.
const FLAGS: [(&str, &str); 2] = [
    ("iconf_red", "models/flags/r_flag"),
    ("iconf_blu", "models/flags/b_flag"),
];

/// The pictures that models wear.
pub(crate) struct Wardrobe {
    kit: Canvas,
    suit: Canvas,
    white: Canvas,
}

impl Wardrobe {
    /// With the suit of a number in [`SUITS`].
    pub(crate) fn new(suit: usize) -> Self {
        Self {
            kit: kit_canvas(KIT, 64),
            suit: kit_canvas(SUITS[suit].1, 32),
            white: Canvas::filled(1, 1, [1.0; 4]),
        }
    }

    fn paint(&self, shader: &str) -> Option<Paint<'_>> {
        let paint = |canvas, tint, is_lit| {
            Some(Paint {
                canvas,
                is_lit,
                tint,
            })
        };
        let solid = |canvas, is_lit| paint(canvas, [1.0; 3], is_lit);
        let plain = |color, is_lit| paint(&self.white, rgb(color), is_lit);
        match shader {
            models::KIT => solid(&self.kit, true),
            models::KIT_GLOW => solid(&self.kit, false),
            "models/strafe/suit_default" => solid(&self.suit, true),
            "models/strafe/suit_default_glow" => solid(&self.suit, false),
            "models/strafe/glow_entity" => plain(AMBER, false),
            "models/strafe/portal" => plain(CYAN, false),
            "models/strafe/flag_red" => plain(0xd8_34_2a, true),
            "models/strafe/flag_blue" => plain(0x2c_62_e0, true),
            "models/strafe/flag_white" => plain(0xe2_e8_ec, true),
            _ => None,
        }
    }

    /// A picture of models, `size` pixels wide and high.
    pub(crate) fn draw(&self, models: &[&Model], turn: Mat3, size: usize, frame: usize) -> Canvas {
        let view = View { turn, size, frame };
        render(models, view, |shader| self.paint(shader))
    }
}

/// A rim for contrast, and fewer levels, which the pak packs better.
fn finished(canvas: &Canvas) -> Canvas {
    let mut canvas = canvas.outlined(2, [0.02, 0.03, 0.04], 0.75);
    canvas.map(|[r, g, b, a]| {
        let level = |value: f32| (value * 31.0).round() / 31.0;
        if a < 0.02 {
            [0.0; 4]
        } else {
            [level(r), level(g), level(b), (a * 15.0).round() / 15.0]
        }
    });
    canvas
}

pub(crate) fn files() -> Vec<PakFile> {
    let wardrobe = Wardrobe::new(0);
    let mut files = Vec::new();
    for weapon in &WEAPONS {
        let (body, barrel) = (weapon.world(), weapon.placed_barrel());
        let parts: Vec<&Model> = [Some(&body), barrel.as_ref()]
            .into_iter()
            .flatten()
            .collect();
        let turn = pitch(-20.0) * yaw(-68.0);
        let icon = finished(&wardrobe.draw(&parts, turn, SIZE, 0));
        files.push(targa(&format!("icons/iconw_{}", weapon.icon), &icon));
    }
    for (icon, name, degrees) in ITEMS {
        let Some(model) = models::recipe(&format!("models/powerups/{name}")) else {
            continue;
        };
        let turn = pitch(-16.0) * yaw(degrees);
        let picture = finished(&wardrobe.draw(&[&model], turn, SIZE, 0));
        files.push(targa(&format!("icons/{icon}"), &picture));
    }
    files.extend(flag_icons(&wardrobe));
    files.extend(player_icons());
    files
}

fn flag_icons(wardrobe: &Wardrobe) -> Vec<PakFile> {
    let mut files = Vec::new();
    for (icon, name) in FLAGS {
        let Some(model) = models::recipe(name) else {
            continue;
        };
        for (number, sign) in [(1, ' '), (2, '!'), (3, '?')] {
            let mut picture = wardrobe.draw(&[&model], yaw(72.0), SIZE, 0);
            let pen = Pen::new([8.0, 30.0], [14.0, 22.0], 5.0);
            pen.draw(&mut picture, sign, rgb(AMBER), 1.0);
            files.push(targa(&format!("icons/{icon}{number}"), &finished(&picture)));
        }
    }
    files
}

/// The head in each suit, for scoreboards and loading screens.
fn player_icons() -> Vec<PakFile> {
    let head = player::head();
    let mut files = Vec::new();
    for (index, (suit, _)) in SUITS.iter().enumerate() {
        let wardrobe = Wardrobe::new(index);
        let picture = wardrobe.draw(&[&head], pitch(-8.0) * yaw(152.0), SIZE, 0);
        for name in player::NAMES {
            files.push(targa(
                &format!("models/players/{name}/icon_{suit}"),
                &finished(&picture),
            ));
        }
    }
    files
}
