//! What a weapon is seen and heard by.

use super::tables::{items::ITEM_LOOKS, weapons::WeaponLook};
use crate::{
    assets::Assets,
    scene::{ModelId, ShaderId, SoundId},
};
use shared::bg::items;

/// A weapon's parts.
#[derive(Clone, Debug)]
pub struct WeaponMedia {
    pub look: &'static WeaponLook,
    pub model: ModelId,
    pub flash: ModelId,
    pub barrel: Option<ModelId>,
    pub hand: ModelId,
    pub icon: Option<ShaderId>,
    pub missile: Option<ModelId>,
    pub missile_sound: Option<SoundId>,
    pub fire_sounds: Vec<SoundId>,
    pub firing_loop: Option<SoundId>,
    pub ready_loop: Option<SoundId>,
    pub trail: Option<ShaderId>,
    pub impact_model: Option<ModelId>,
    pub impact_shader: Option<ShaderId>,
    pub impact_sounds: Vec<SoundId>,
    pub metal_sound: Option<SoundId>,
    pub flesh_sound: Option<SoundId>,
    pub impact_mark: Option<ShaderId>,
}

impl WeaponMedia {
    pub(super) fn register(number: i32, look: &'static WeaponLook, assets: &mut Assets) -> Self {
        let part = |suffix: &str| look.model.replace(".md3", &format!("_{suffix}.md3"));
        let item = items::weapon_item(number);
        Self {
            look,
            model: assets.register_model(look.model),
            flash: assets.register_model(&part("flash")),
            barrel: look
                .has_barrel
                .then(|| assets.register_model(&part("barrel"))),
            hand: assets.register_model(&part("hand")),
            icon: item.map(|(number, _)| {
                assets.register_shader_no_mip(ITEM_LOOKS[number as usize - 1].icon)
            }),
            missile: named(look.missile_model).map(|name| assets.register_model(name)),
            missile_sound: named(look.missile_sound).map(|name| assets.register_sound(name)),
            fire_sounds: look
                .fire_sounds
                .iter()
                .map(|name| assets.register_sound(name))
                .collect(),
            firing_loop: named(look.firing_loop).map(|name| assets.register_sound(name)),
            ready_loop: named(look.ready_loop).map(|name| assets.register_sound(name)),
            trail: look.trail.map(|trail| assets.register_shader(trail.shader)),
            impact_model: named(look.impact.model).map(|name| assets.register_model(name)),
            impact_shader: named(look.impact.shader).map(|name| assets.register_shader(name)),
            impact_sounds: look
                .impact
                .sounds
                .iter()
                .map(|&name| {
                    // OpenArena lacks the sound of nails in stone.
                    let is_here = look.impact.metal_sound.is_empty() || assets.vfs().exists(name);
                    let name = if is_here {
                        name
                    } else {
                        look.impact.metal_sound
                    };
                    assets.register_sound(name)
                })
                .collect(),
            metal_sound: named(look.impact.metal_sound).map(|name| assets.register_sound(name)),
            flesh_sound: named(look.impact.flesh_sound).map(|name| assets.register_sound(name)),
            impact_mark: named(look.impact.mark).map(|name| assets.register_shader(name)),
        }
    }
}

fn named(name: &'static str) -> Option<&'static str> {
    (!name.is_empty()).then_some(name)
}
