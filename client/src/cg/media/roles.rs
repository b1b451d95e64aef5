//! All media the game needs, by role; most are asked for when the level begins.

use super::{
    tables::{
        items::ITEM_LOOKS,
        weapons::{self, WEAPON_COUNT},
    },
    weapon_media::WeaponMedia,
};
use crate::cg::timeline::game_static::GameStatic;
use crate::{
    assets::{Assets, Later},
    scene::{ModelId, ShaderId, SkinId, SoundId},
};
use shared::bg::{
    items::{self, BASEQ3_ITEM_COUNT, ItemKind},
    numbers::{configstring as cs, gametype, weapon},
};

macro_rules! roles {
    ($name:ident, $id:ty, $register:ident, { $($role:ident: $path:expr),* $(,)? }) => {
        /// One id per role.
        #[derive(Clone, Debug)]
        pub struct $name {
            $(pub $role: $id),*
        }

        impl $name {
            fn register(assets: &mut Assets) -> Self {
                Self { $($role: assets.$register($path)),* }
            }
        }
    };
}

roles!(Shaders, ShaderId, register_shader, {
    plasma_ball: "sprites/plasma1",
    connection: "disconnected",
    balloon: "sprites/balloon3",
    friend: "sprites/foe",
    medal_impressive: "medal_impressive",
    medal_excellent: "medal_excellent",
    medal_gauntlet: "medal_gauntlet",
    medal_defend: "medal_defend",
    medal_assist: "medal_assist",
    medal_capture: "medal_capture",
    invisible: "powerups/invisibility",
    quad: "powerups/quad",
    red_quad: "powerups/blueflag",
    team_shell: "strafe/teamShell",
    quad_weapon: "powerups/quadWeapon",
    regen: "powerups/regen",
    battle_suit: "powerups/battleSuit",
    battle_weapon: "powerups/battleWeapon",
    smoke_puff: "smokePuff",
    shotgun_puff: "shotgunSmokePuff",
    lightning: "lightningBoltNew",
    rail_core: "railCore",
    blood_spray: "bloodExplosion",
    blood_view: "viewBloodBlend",
    bubble: "waterBubble",
    blood_trail: "bloodTrail",
    blood_mark: "bloodMark",
    tracer: "gfx/misc/tracer",
    rail_disc: "railDisc",
    shadow: "markShadow",
    flat_shadow: "projectionShadow",
    teleport: "teleportEffect",
    haste_puff: "hasteSmokePuff",
    wake: "wake",
    back_tile: "gfx/2d/backtile",
    grapple_rope: "grappleRope",
});

roles!(Pictures, ShaderId, register_shader_no_mip, {
    charset: "gfx/2d/bigchars",
    white: "white",
    lagometer: "lagometer",
    net: "gfx/2d/net.tga",
    select: "gfx/2d/select",
    no_ammo: "icons/noammo",
    armor: "icons/iconr_yellow",
    digit_minus: "gfx/2d/numbers/minus_32b",
    defer: "gfx/2d/defer.tga",
    red_flag_base: "icons/iconf_red1",
    red_flag_taken: "icons/iconf_red2",
    red_flag_dropped: "icons/iconf_red3",
    blue_flag_base: "icons/iconf_blu1",
    blue_flag_taken: "icons/iconf_blu2",
    blue_flag_dropped: "icons/iconf_blu3",
    red_skull: "icons/skull_red",
    blue_skull: "icons/skull_blue",
    color_bar: "gfx/2d/colorbar.tga",
    score_head: "menu/tab/score.tga",
    ping_head: "menu/tab/ping.tga",
    time_head: "menu/tab/time.tga",
    name_head: "menu/tab/name.tga",
});

// What only OpenArena's game types show.
roles!(OaPictures, ShaderId, register_shader_no_mip, {
    neutral_flag_base: "icons/iconf_neutral1",
    neutral_flag_dropped: "icons/iconf_neutral3",
    point_a_free: "icons/icona_white",
    point_a_red: "icons/icona_red",
    point_a_blue: "icons/icona_blue",
    point_b_free: "icons/iconb_white",
    point_b_red: "icons/iconb_red",
    point_b_blue: "icons/iconb_blue",
});

roles!(Models, ModelId, register_model, {
    teleport: "models/misc/telep.md3",
    shotgun_hand: "models/weapons2/shotgun/shotgun_hand.md3",
    crackle: "models/weaphits/crackle.md3",
    red_flag: "models/flags/r_flag.md3",
    blue_flag: "models/flags/b_flag.md3",
    neutral_flag: "models/flags/n_flag.md3",
    blue_mine: "models/weaphits/proxmineb.md3",
    red_base: "models/mapobjects/flagbase/red_base.md3",
    blue_base: "models/mapobjects/flagbase/blue_base.md3",
    neutral_base: "models/mapobjects/flagbase/ntrl_base.md3",
    bullet_case: "models/weapons2/shells/m_shell.md3",
    shell: "models/weapons2/shells/s_shell.md3",
    shield_impact: "models/powerups/shield/impact.md3",
    juicer: "models/powerups/shield/juicer.md3",
    kamikaze_wave: "models/weaphits/kamwave.md3",
    kamikaze_ball: "models/weaphits/kamboom2.md3",
    shield: "models/powerups/shield/shield.md3",
    kamikaze_skull: "models/powerups/kamikazi.md3",
    guard: "models/powerups/guard_player.md3",
    scout: "models/powerups/scout_player.md3",
    doubler: "models/powerups/doubler_player.md3",
    ammo_regen: "models/powerups/ammo_player.md3",
    red_cube: "models/powerups/orb/r_orb.md3",
    blue_cube: "models/powerups/orb/b_orb.md3",
});

roles!(GoalModels, ModelId, register_model, {
    obelisk_base: "models/powerups/overload_base.md3",
    obelisk_lights: "models/powerups/overload_lights.md3",
    obelisk_target: "models/powerups/overload_target.md3",
    obelisk_energy: "models/powerups/overload_energy.md3",
    harvester: "models/powerups/harvester/harvester.md3",
    neutral_obelisk: "models/powerups/obelisk/obelisk.md3",
});

roles!(Sounds, SoundId, register_sound, {
    hit: "sound/feedback/hit.wav",
    hit_team: "sound/feedback/hit_teammate.wav",
    talk: "sound/player/talk.wav",
    change: "sound/weapons/change.wav",
    land: "sound/player/land1.wav",
    jump_pad: "sound/world/jumppad.wav",
    teleport_in: "sound/world/telein.wav",
    teleport_out: "sound/world/teleout.wav",
    respawn: "sound/items/respawn1.wav",
    water_in: "sound/player/watr_in.wav",
    water_out: "sound/player/watr_out.wav",
    water_under: "sound/player/watr_un.wav",
    quad_fire: "sound/items/damage3.wav",
    protect: "sound/items/protect3.wav",
    regen: "sound/items/regen.wav",
    powerup_pickup: "sound/items/n_health.wav",
    use_nothing: "sound/items/use_nothing.wav",
    medkit: "sound/items/use_medkit.wav",
    gib: "sound/player/gibsplt1.wav",
    flight: "sound/items/flight.wav",
    grenade_bounce1: "sound/weapons/grenade/hgrenb1a.wav",
    grenade_bounce2: "sound/weapons/grenade/hgrenb2a.wav",
    gib_impact1: "sound/player/gibimp1.wav",
    gib_impact2: "sound/player/gibimp2.wav",
    gib_impact3: "sound/player/gibimp3.wav",
    gurp1: "sound/player/gurp1.wav",
    gurp2: "sound/player/gurp2.wav",
    tracer: "sound/weapons/machinegun/buletby1.wav",
    wear_off: "sound/items/wearoff.wav",
    no_ammo: "sound/weapons/noammo.wav",
});

roles!(Feedback, SoundId, register_sound, {
    capture: "sound/teamplay/flagcapture_yourteam.wav",
    impressive: "sound/feedback/impressive.wav",
    excellent: "sound/feedback/excellent.wav",
    humiliation: "sound/feedback/humiliation.wav",
    defend: "sound/feedback/defense.wav",
    assist: "sound/feedback/assist.wav",
    taken_lead: "sound/feedback/takenlead.wav",
    tied_lead: "sound/feedback/tiedlead.wav",
    lost_lead: "sound/feedback/lostlead.wav",
    prepare: "sound/feedback/prepare.wav",
    fight: "sound/feedback/fight.wav",
    one: "sound/feedback/one.wav",
    two: "sound/feedback/two.wav",
    three: "sound/feedback/three.wav",
    denied: "sound/feedback/denied.wav",
    holy_shit: "sound/feedback/voc_holyshit.wav",
    you_flag: "sound/teamplay/voc_you_flag.wav",
    sudden_death: "sound/feedback/sudden_death.wav",
    one_minute: "sound/feedback/1_minute.wav",
    five_minutes: "sound/feedback/5_minute.wav",
    one_frag: "sound/feedback/1_frag.wav",
    two_frags: "sound/feedback/2_frags.wav",
    three_frags: "sound/feedback/3_frags.wav",
});

roles!(TeamSounds, SoundId, register_sound, {
    capture_own: "sound/teamplay/flagcapture_yourteam.wav",
    capture_other: "sound/teamplay/flagcapture_opponent.wav",
    return_own: "sound/teamplay/flagreturn_yourteam.wav",
    return_other: "sound/teamplay/flagreturn_opponent.wav",
    red_returned: "sound/teamplay/voc_red_returned.wav",
    blue_returned: "sound/teamplay/voc_blue_returned.wav",
    enemy_flag: "sound/teamplay/voc_enemy_flag.wav",
    team_flag: "sound/teamplay/voc_team_flag.wav",
    enemy_one_flag: "sound/teamplay/voc_enemy_1flag.wav",
    team_one_flag: "sound/teamplay/voc_team_1flag.wav",
    base_attack: "sound/teamplay/voc_base_attack.wav",
    red_scores: "sound/teamplay/voc_red_scores.wav",
    blue_scores: "sound/teamplay/voc_blue_scores.wav",
    red_leads: "sound/feedback/redleads.wav",
    blue_leads: "sound/feedback/blueleads.wav",
    teams_tied: "sound/feedback/teamstied.wav",
    kamikaze_far: "sound/items/kam_explode_far.wav",
});

// What only OpenArena's servers make happen.
roles!(OaSounds, SoundId, register_sound, {
    mine_flesh: "sound/weapons/proxmine/wstbimpl.wav",
    mine_metal: "sound/weapons/proxmine/wstbimpm.wav",
    mine_stone: "sound/weapons/proxmine/wstbimpd.wav",
    mine_trigger: "sound/weapons/proxmine/wstbactv.wav",
    kamikaze_explode: "sound/items/kam_explode.wav",
    kamikaze_implode: "sound/items/kam_implode.wav",
    obelisk_hit1: "sound/items/obelisk_hit_01.wav",
    obelisk_hit2: "sound/items/obelisk_hit_02.wav",
    obelisk_hit3: "sound/items/obelisk_hit_03.wav",
    shield_hit1: "sound/items/invul_impact_01.wav",
    shield_hit2: "sound/items/invul_impact_02.wav",
    shield_hit3: "sound/items/invul_impact_03.wav",
    juiced: "sound/items/invul_juiced.wav",
    shield: "sound/items/invul_activate.wav",
    weapon_hover: "sound/weapons/weapon_hover.wav",
    chaingun_stops: "sound/weapons/vulcan/wvulwind.wav",
    obelisk_returns: "sound/items/obelisk_respawn.wav",
});

macro_rules! optional_sounds {
    ($name:ident, { $($role:ident: $path:expr),* $(,)? }) => {
        /// One sound per role, where the paks have it.
        #[derive(Clone, Debug, Default)]
        pub struct $name {
            $(pub $role: Option<SoundId>),*
        }

        impl $name {
            fn register(assets: &mut Assets) -> Self {
                let mut known = |path| {
                    let is_here = assets.vfs().exists(path);
                    is_here.then(|| assets.register_sound(path))
                };
                Self { $($role: known($path)),* }
            }
        }
    };
}

// What only RatMod's servers make happen; most of it lies in RatMod's own paks.
optional_sounds!(RatSounds, {
    missile_teleport: "sound/world/teleshot.wav",
    coin_bounce: "sound/ratoa/coin/coin-hit-b.ogg",
    freeze: "sound/player/freeze.ogg",
    slide1: "sound/player/footsteps/slide1.wav",
    slide2: "sound/player/footsteps/slide2.wav",
    slide3: "sound/player/footsteps/slide3.wav",
    slide4: "sound/player/footsteps/slide4.wav",
    ping: "sound/teamplay/ping-info.ogg",
    joins: "sound/teamplay/qjoin.ogg",
    flag_dropped: "sound/teamplay/flag_dropped.wav",
    you_win: "sound/feedback/voc_youwin.wav",
    you_lose: "sound/feedback/voc_youlose.wav",
    vote_passed: "sound/feedback/vote_passed.wav",
    vote_failed: "sound/feedback/vote_failed.wav",
    hit0: "sound/feedback/hit0.wav",
    hit1: "sound/feedback/hit1.wav",
    hit2: "sound/feedback/hit2.wav",
    hit3: "sound/feedback/hit3.wav",
    hit4: "sound/feedback/hit4.wav",
});

impl OaSounds {
    pub fn obelisk_hits(&self) -> [SoundId; 3] {
        [self.obelisk_hit1, self.obelisk_hit2, self.obelisk_hit3]
    }

    pub fn shield_hits(&self) -> [SoundId; 3] {
        [self.shield_hit1, self.shield_hit2, self.shield_hit3]
    }
}

/// An item's parts.
#[derive(Clone, Copy, Debug)]
pub struct ItemMedia {
    pub model: ModelId,
    pub second_model: Option<ModelId>,
    pub icon: ShaderId,
    pub pickup_sound: Option<SoundId>,
}

/// Everything by role; weapons and items that the map did not announce are asked for when they appear.
#[derive(Clone, Debug)]
pub struct Media {
    pub shaders: Shaders,
    pub pictures: Pictures,
    pub oa_pictures: OaPictures,
    pub models: Models,
    /// Only where the game type has such goals: they are many pictures.
    pub goals: Option<GoalModels>,
    pub sounds: Sounds,
    pub feedback: Feedback,
    pub team_sounds: TeamSounds,
    pub oa_sounds: OaSounds,
    pub rat_sounds: RatSounds,
    /// Only where the paks have them.
    pub flag: Option<FlagMedia>,
    /// Skull and brain, of which one flies, then all other parts of a body.
    pub gibs: [ModelId; 11],
    pub digits: [ShaderId; 10],
    pub crosshairs: [ShaderId; 10],
    /// Faces of bots from the weakest to the strongest.
    pub skills: [ShaderId; 5],
    pub footsteps: Footsteps,
    level_models: Vec<Option<ModelId>>,
    level_sounds: Vec<Option<SoundId>>,
    brush_models: Vec<Option<ModelId>>,
    weapons: [Option<Box<WeaponMedia>>; WEAPON_COUNT],
    is_open_arena: bool,
    items: [Option<ItemMedia>; ITEM_LOOKS.len()],
}

/// A flag in two parts, for backs that can carry it.
#[derive(Clone, Copy, Debug)]
pub struct FlagMedia {
    pub pole: ModelId,
    pub cloth: ModelId,
    pub red: SkinId,
    pub blue: SkinId,
    pub neutral: SkinId,
}

impl FlagMedia {
    fn register(assets: &mut Assets) -> Option<Self> {
        let names = ["models/flag2/flagpole.md3", "models/flag2/flagflap3.md3"];
        if !names.iter().all(|name| assets.vfs().exists(name)) {
            return None;
        }
        let [pole, cloth] = names.map(|name| assets.register_model(name));
        let mut skin = |color| assets.register_skin(&format!("models/flag2/{color}.skin"));
        Some(Self {
            pole,
            cloth,
            red: skin("red"),
            blue: skin("blue"),
            neutral: skin("white"),
        })
    }
}

/// Four sounds for each kind of step.
#[derive(Clone, Debug)]
pub struct Footsteps {
    pub normal: [SoundId; 4],
    pub boot: [SoundId; 4],
    pub flesh: [SoundId; 4],
    pub mech: [SoundId; 4],
    pub energy: [SoundId; 4],
    pub metal: [SoundId; 4],
    pub splash: [SoundId; 4],
}

const DIGIT_NAMES: [&str; 10] = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
];

/// Two legs, one of everything else.
const GIB_NAMES: [&str; 11] = [
    "skull",
    "brain",
    "abdomen",
    "arm",
    "chest",
    "fist",
    "foot",
    "forearm",
    "intestine",
    "leg",
    "leg",
];

impl Media {
    /// Asks for all that the level will need for sure.
    pub fn register(level: &GameStatic, assets: &mut Assets) -> Self {
        let mut media = Self {
            shaders: Shaders::register(assets),
            pictures: Pictures::register(assets),
            oa_pictures: OaPictures::register(assets),
            models: assets.later(Later::Others, Models::register),
            goals: matches!(level.game_type, gametype::OVERLOAD | gametype::HARVESTER)
                .then(|| GoalModels::register(assets)),
            sounds: Sounds::register(assets),
            feedback: Feedback::register(assets),
            team_sounds: TeamSounds::register(assets),
            oa_sounds: OaSounds::register(assets),
            rat_sounds: match level.rat {
                Some(_) => RatSounds::register(assets),
                None => RatSounds::default(),
            },
            flag: assets.later(Later::Others, FlagMedia::register),
            gibs: assets.later(Later::Others, |assets| {
                GIB_NAMES.map(|name| assets.register_model(&format!("models/gibs/{name}.md3")))
            }),
            digits: DIGIT_NAMES
                .map(|name| assets.register_shader_no_mip(&format!("gfx/2d/numbers/{name}_32b"))),
            crosshairs: std::array::from_fn(|number| {
                assets.register_shader_no_mip(&crosshair_name(number as i32))
            }),
            skills: [1, 2, 3, 4, 5]
                .map(|skill| assets.register_shader_no_mip(&format!("menu/art/skill{skill}.tga"))),
            footsteps: Footsteps::register(assets),
            level_models: vec![None; 256],
            level_sounds: vec![None; 256],
            brush_models: Vec::new(),
            weapons: Default::default(),
            is_open_arena: level.profile.is_open_arena(),
            items: [None; ITEM_LOOKS.len()],
        };
        for number in 1..256 {
            media.register_level_model(number, level, assets);
            media.register_level_sound(number, level, assets);
        }
        for (number, flag) in level.strings.get(cs::ITEMS).bytes().enumerate() {
            let number = number as i32;
            match flag {
                b'1' if is_first_weapon(number) => {
                    media.item(number, assets);
                }
                b'1' => {
                    assets.later(Later::Items, |assets| media.item(number, assets));
                }
                _ => {}
            }
        }
        // What everybody spawns with is never announced.
        for weapon in [1, 2] {
            media.weapon(weapon, assets);
        }
        media
    }

    /// Reads a model's configstring again.
    pub fn register_level_model(&mut self, number: usize, level: &GameStatic, assets: &mut Assets) {
        let name = level.strings.get(cs::MODELS + number);
        if let (Some(place), false) = (self.level_models.get_mut(number), name.is_empty()) {
            *place = Some(assets.register_model(name));
        }
    }

    /// Reads a sound's configstring again; `*` names belong to players.
    pub fn register_level_sound(&mut self, number: usize, level: &GameStatic, assets: &mut Assets) {
        let name = level.strings.get(cs::SOUNDS + number);
        if let (Some(place), false) = (
            self.level_sounds.get_mut(number),
            name.is_empty() || name.starts_with('*'),
        ) {
            *place = Some(assets.register_sound(name));
        }
    }

    pub fn level_model(&self, number: i32) -> Option<ModelId> {
        usize::try_from(number)
            .ok()
            .and_then(|number| *self.level_models.get(number)?)
    }

    pub fn level_sound(&self, number: i32) -> Option<SoundId> {
        usize::try_from(number)
            .ok()
            .and_then(|number| *self.level_sounds.get(number)?)
    }

    /// A part of the map that moves, by its number in the map.
    pub fn brush_model(&mut self, number: i32, assets: &mut Assets) -> Option<ModelId> {
        /// The format allows 1024 models in a map.
        const MAX_BRUSH_MODELS: usize = 1024;
        let number = usize::try_from(number)
            .ok()
            .filter(|number| (1..MAX_BRUSH_MODELS).contains(number))?;
        if self.brush_models.len() <= number {
            self.brush_models.resize(number + 1, None);
        }
        Some(
            *self.brush_models[number]
                .get_or_insert_with(|| assets.register_model(&format!("*{number}"))),
        )
    }

    /// A weapon's media; `None` for no or an unknown weapon.
    pub fn weapon(&mut self, number: i32, assets: &mut Assets) -> Option<&WeaponMedia> {
        let look = weapons::weapon_look(number, self.is_open_arena)?;
        let place = &mut self.weapons[usize::try_from(number).ok()?];
        let media =
            place.get_or_insert_with(|| Box::new(WeaponMedia::register(number, look, assets)));
        Some(media)
    }

    /// Of all items that were asked for so far.
    pub fn item_icons(&self) -> Vec<ShaderId> {
        let looks = self.items.iter().flatten();
        looks.map(|look| look.icon).collect()
    }

    /// An item's media; `None` for no or an unknown item.
    pub fn item(&mut self, number: i32, assets: &mut Assets) -> Option<ItemMedia> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let look = ITEM_LOOKS.get(index)?;
        if let Some(media) = self.items[index] {
            return Some(media);
        }
        let media = ItemMedia {
            model: assets.register_model(look.model),
            second_model: (!look.second_model.is_empty())
                .then(|| assets.register_model(look.second_model)),
            icon: assets.register_shader_no_mip(look.icon),
            pickup_sound: (!look.pickup_sound.is_empty())
                .then(|| assets.register_sound(look.pickup_sound)),
        };
        self.items[index] = Some(media);
        if let Some(item) = items::item(number)
            && item.kind == ItemKind::Weapon
        {
            self.weapon(i32::from(item.tag), assets);
        }
        Some(media)
    }
}

impl Footsteps {
    fn register(assets: &mut Assets) -> Self {
        let mut four = |name: &str| {
            [1, 2, 3, 4].map(|number| {
                assets.register_sound(&format!("sound/player/footsteps/{name}{number}.wav"))
            })
        };
        Self {
            normal: four("step"),
            boot: four("boot"),
            flesh: four("flesh"),
            mech: four("mech"),
            energy: four("energy"),
            metal: four("clank"),
            splash: four("splash"),
        }
    }
}

/// Whether an item number belongs to the game the server runs.
pub fn is_known_item(number: i32, is_baseq3: bool) -> bool {
    let end = if is_baseq3 {
        BASEQ3_ITEM_COUNT as i32
    } else {
        ITEM_LOOKS.len() as i32 + 1
    };
    (1..end).contains(&number)
}

/// Whether an item is what most hold in their first frame.
fn is_first_weapon(number: i32) -> bool {
    items::item(number).is_some_and(|item| {
        item.kind == ItemKind::Weapon && i32::from(item.tag) == weapon::MACHINEGUN
    })
}

/// The picture of a crosshair by its number; they repeat after ten.
pub fn crosshair_name(number: i32) -> String {
    const LETTERS: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    format!(
        "gfx/2d/crosshair{}",
        LETTERS[number.rem_euclid(10) as usize]
    )
}
