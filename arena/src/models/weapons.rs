//! The ten weapons: each with its own outline, so that it is known at a glance.

mod beams;
mod bullets;
mod launchers;

use super::{facing_sheet, file, finish, sheet};
use crate::{
    PakFile,
    mesh::{Model, Sculpt, Tag, extruded, hose, pitch, roll, yaw},
    textures::AtlasCell::*,
};
use beams::{lightning_gun, plasma_gun, railgun};
use bullets::{gauntlet, gauntlet_blades, machinegun, machinegun_barrels, shotgun};
use glam::{Mat3, Vec3, vec3};
use launchers::{bfg, bfg_claws, grapple, grapple_hook, grenade_launcher, rocket_launcher};

/// A weapon's models, and how it is held.
pub(crate) struct Weapon {
    /// Folder and name of its files.
    pub name: &'static str,
    pub icon: &'static str,
    pub body: fn() -> Sculpt,
    /// What turns in front of the body, and where it sits.
    pub barrel: Option<(fn() -> Sculpt, Vec3)>,
    /// Picture, length and half width of the flash, and where it sits.
    flash: (&'static str, f32, f32, Vec3),
    /// Where it is held in the first person's view.
    hand: Vec3,
    /// How far it kicks back.
    kick: f32,
}

const HAND: Vec3 = Vec3::new(12.5, -6.4, -9.8);

pub(crate) const WEAPONS: [Weapon; 10] = [
    Weapon {
        name: "gauntlet",
        icon: "gauntlet",
        body: gauntlet,
        barrel: Some((gauntlet_blades, Vec3::new(10.5, 0.0, 0.6))),
        flash: ("spark", 5.0, 4.0, Vec3::new(13.0, 0.0, 0.6)),
        hand: Vec3::new(11.0, -6.0, -8.6),
        kick: -4.0,
    },
    Weapon {
        name: "machinegun",
        icon: "machinegun",
        body: machinegun,
        barrel: Some((machinegun_barrels, Vec3::new(8.5, 0.0, 2.4))),
        flash: ("fire", 11.0, 5.0, Vec3::new(19.0, 0.0, 2.4)),
        hand: HAND,
        kick: 1.6,
    },
    Weapon {
        name: "shotgun",
        icon: "shotgun",
        body: shotgun,
        barrel: None,
        flash: ("fire", 14.0, 8.0, Vec3::new(18.5, 0.0, 2.6)),
        hand: HAND,
        kick: 4.0,
    },
    Weapon {
        name: "grenadel",
        icon: "grenade",
        body: grenade_launcher,
        barrel: None,
        flash: ("fire", 8.0, 6.0, Vec3::new(15.5, 0.0, 3.0)),
        hand: Vec3::new(13.0, -7.0, -10.8),
        kick: 3.0,
    },
    Weapon {
        name: "rocketl",
        icon: "rocket",
        body: rocket_launcher,
        barrel: None,
        flash: ("fire", 13.0, 8.0, Vec3::new(18.5, 0.0, 3.6)),
        hand: Vec3::new(16.0, -8.2, -13.0),
        kick: 3.4,
    },
    Weapon {
        name: "lightning",
        icon: "lightning",
        body: lightning_gun,
        barrel: None,
        flash: ("spark", 9.0, 6.0, Vec3::new(19.5, 0.0, 2.6)),
        hand: Vec3::new(13.0, -7.0, -10.8),
        kick: 0.6,
    },
    Weapon {
        name: "railgun",
        icon: "railgun",
        body: railgun,
        barrel: None,
        flash: ("rail", 12.0, 6.0, Vec3::new(24.0, 0.0, 2.8)),
        hand: Vec3::new(14.0, -6.8, -10.2),
        kick: 3.6,
    },
    Weapon {
        name: "plasma",
        icon: "plasma",
        body: plasma_gun,
        barrel: None,
        flash: ("plasma", 9.0, 6.0, Vec3::new(17.0, 0.0, 2.8)),
        hand: Vec3::new(13.0, -7.0, -10.8),
        kick: 1.0,
    },
    Weapon {
        name: "bfg",
        icon: "bfg",
        body: bfg,
        barrel: Some((bfg_claws, Vec3::new(13.0, 0.0, 3.0))),
        flash: ("green", 14.0, 10.0, Vec3::new(20.0, 0.0, 3.0)),
        hand: Vec3::new(15.0, -8.4, -13.4),
        kick: 4.4,
    },
    Weapon {
        name: "grapple",
        icon: "grapple",
        body: grapple,
        barrel: Some((grapple_hook, Vec3::new(11.0, 0.0, 2.4))),
        flash: ("spark", 5.0, 4.0, Vec3::new(16.0, 0.0, 2.4)),
        hand: HAND,
        kick: 2.0,
    },
];

impl Weapon {
    /// The model as it lies in the world, with the places of its parts.
    pub(crate) fn world(&self) -> Model {
        let mut sculpt = (self.body)();
        if let Some((_, at)) = self.barrel {
            sculpt.tag("tag_barrel", at);
        }
        sculpt.tag("tag_flash", self.flash.3);
        finish(sculpt)
    }

    /// The barrel where it sits on the weapon, for pictures.
    pub(crate) fn placed_barrel(&self) -> Option<Model> {
        let (make, at) = self.barrel?;
        let mut model = finish(make());
        for surface in &mut model.surfaces {
            for (position, _) in surface.frames.iter_mut().flatten() {
                *position += at;
            }
        }
        Some(model)
    }

    fn flash_model(&self) -> Model {
        let (picture, length, half, _) = self.flash;
        let shader = &format!("models/strafe/flash_{picture}");
        let mut sculpt = Sculpt::default();
        let blade = sheet([
            vec3(0.0, half * 0.8, 0.0),
            vec3(length, half * 0.8, 0.0),
            vec3(length, -half * 0.8, 0.0),
            vec3(0.0, -half * 0.8, 0.0),
        ]);
        sculpt.add_shaded(shader, blade.clone());
        sculpt.add_shaded(shader, blade.turned(roll(90.0)));
        let front = format!("{shader}_front");
        sculpt.add_shaded(&front, facing_sheet(0.8, half));
        finish(sculpt)
    }

    /// Where the weapon is held, through firing, lowering and raising.
    fn hand_model(&self) -> Model {
        let frames = (0..15)
            .map(|frame| match frame {
                // Fired: back at once, then slowly forward.
                1..=5 => {
                    let left = (6.0 - frame as f32) / 5.0;
                    let back = self.kick * left * left;
                    let offset = vec3(-back, 0.0, back * 0.18);
                    (self.hand + offset, pitch(-back * 1.3))
                }
                // Lowered from 6 to 10, raised from 11 to 14.
                7..=14 => {
                    let down = if frame <= 10 {
                        (frame - 6) as f32 / 4.0
                    } else {
                        (15 - frame) as f32 / 5.0
                    };
                    let offset = vec3(-3.0, 0.6, -9.0) * (down * down);
                    let turn = pitch(38.0 * down * down) * yaw(8.0 * down);
                    (self.hand + offset, turn)
                }
                _ => (self.hand, Mat3::IDENTITY),
            })
            .collect();
        Model {
            surfaces: Vec::new(),
            tags: vec![Tag {
                name: "tag_weapon",
                frames,
            }],
            grain: 1,
        }
    }
}

/// All files of all weapons.
pub(crate) fn files() -> Vec<PakFile> {
    let mut files = Vec::new();
    for weapon in &WEAPONS {
        let base = format!("models/weapons2/{0}/{0}", weapon.name);
        files.push(file(&base, &weapon.world()));
        if let Some((make, _)) = weapon.barrel {
            files.push(file(&format!("{base}_barrel"), &finish(make())));
        }
        files.push(file(&format!("{base}_flash"), &weapon.flash_model()));
        files.push(file(&format!("{base}_hand"), &weapon.hand_model()));
    }
    files
}

/// A slanted handle with a guard around the trigger.
fn add_grip(sculpt: &mut Sculpt, x: f32, top: f32) {
    sculpt.add(
        Grip,
        extruded(
            &[
                [x - 0.6, top],
                [x + 1.9, top],
                [x + 0.9, top - 4.6],
                [x - 2.1, top - 4.8],
            ],
            0.8,
            0.35,
        ),
    );
    let guard = [
        vec3(x + 1.4, 0.0, top - 1.8),
        vec3(x + 2.9, 0.0, top - 2.0),
        vec3(x + 3.6, 0.0, top - 1.2),
        vec3(x + 3.6, 0.0, top + 0.2),
    ];
    sculpt.add(PlainDark, hose(&guard, 0.22, 5));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All three first-person poses of a weapon leave from and come back to rest.
    #[test]
    fn hands_come_to_rest() {
        for weapon in &WEAPONS {
            let hand = weapon.hand_model();
            let [rest, fired, last] = [0, 1, 6].map(|frame| hand.tags[0].frames[frame].0);
            assert_eq!(rest, last, "{}", weapon.name);
            assert_ne!(rest, fired, "{}", weapon.name);
            assert_eq!(hand.frame_count(), 15);
        }
    }
}
