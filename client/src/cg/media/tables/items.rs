//! How items look: models, icons and pickup sounds by item number.

/// Media of one row of `shared::bg::items::ITEMS`.
#[derive(Clone, Copy, Debug)]
pub struct ItemLook {
    pub model: &'static str,
    /// The ring or sphere around it; empty if there is none.
    pub second_model: &'static str,
    pub icon: &'static str,
    /// Empty for flags.
    pub pickup_sound: &'static str,
}

/// In the order of `shared::bg::items::ITEMS`: item number 1 comes first.
pub const ITEM_LOOKS: [ItemLook; 60] = [
    look(
        "models/powerups/armor/shard.md3",
        "models/powerups/armor/shard_sphere.md3",
        "icons/iconr_shard",
        "sound/misc/ar1_pkup.wav",
    ),
    look(
        "models/powerups/armor/armor_yel.md3",
        "",
        "icons/iconr_yellow",
        "sound/misc/ar2_pkup.wav",
    ),
    look(
        "models/powerups/armor/armor_red.md3",
        "",
        "icons/iconr_red",
        "sound/misc/ar2_pkup.wav",
    ),
    look(
        "models/powerups/health/small_cross.md3",
        "models/powerups/health/small_sphere.md3",
        "icons/iconh_green",
        "sound/items/s_health.wav",
    ),
    look(
        "models/powerups/health/medium_cross.md3",
        "models/powerups/health/medium_sphere.md3",
        "icons/iconh_yellow",
        "sound/items/n_health.wav",
    ),
    look(
        "models/powerups/health/large_cross.md3",
        "models/powerups/health/large_sphere.md3",
        "icons/iconh_red",
        "sound/items/l_health.wav",
    ),
    look(
        "models/powerups/health/mega_cross.md3",
        "models/powerups/health/mega_sphere.md3",
        "icons/iconh_mega",
        "sound/items/m_health.wav",
    ),
    look(
        "models/weapons2/gauntlet/gauntlet.md3",
        "",
        "icons/iconw_gauntlet",
        "sound/misc/w_pkup.wav",
    ),
    look(
        "models/weapons2/shotgun/shotgun.md3",
        "",
        "icons/iconw_shotgun",
        "sound/misc/w_pkup.wav",
    ),
    look(
        "models/weapons2/machinegun/machinegun.md3",
        "",
        "icons/iconw_machinegun",
        "sound/misc/w_pkup.wav",
    ),
    look(
        "models/weapons2/grenadel/grenadel.md3",
        "",
        "icons/iconw_grenade",
        "sound/misc/w_pkup.wav",
    ),
    look(
        "models/weapons2/rocketl/rocketl.md3",
        "",
        "icons/iconw_rocket",
        "sound/misc/w_pkup.wav",
    ),
    look(
        "models/weapons2/lightning/lightning.md3",
        "",
        "icons/iconw_lightning",
        "sound/misc/w_pkup.wav",
    ),
    look(
        "models/weapons2/railgun/railgun.md3",
        "",
        "icons/iconw_railgun",
        "sound/misc/w_pkup.wav",
    ),
    look(
        "models/weapons2/plasma/plasma.md3",
        "",
        "icons/iconw_plasma",
        "sound/misc/w_pkup.wav",
    ),
    look(
        "models/weapons2/bfg/bfg.md3",
        "",
        "icons/iconw_bfg",
        "sound/misc/w_pkup.wav",
    ),
    look(
        "models/weapons2/grapple/grapple.md3",
        "",
        "icons/iconw_grapple",
        "sound/misc/w_pkup.wav",
    ),
    look(
        "models/powerups/ammo/shotgunam.md3",
        "",
        "icons/icona_shotgun",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/powerups/ammo/machinegunam.md3",
        "",
        "icons/icona_machinegun",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/powerups/ammo/grenadeam.md3",
        "",
        "icons/icona_grenade",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/powerups/ammo/plasmaam.md3",
        "",
        "icons/icona_plasma",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/powerups/ammo/lightningam.md3",
        "",
        "icons/icona_lightning",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/powerups/ammo/rocketam.md3",
        "",
        "icons/icona_rocket",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/powerups/ammo/railgunam.md3",
        "",
        "icons/icona_railgun",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/powerups/ammo/bfgam.md3",
        "",
        "icons/icona_bfg",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/powerups/holdable/teleporter.md3",
        "",
        "icons/teleporter",
        "sound/items/holdable.wav",
    ),
    look(
        "models/powerups/holdable/medkit.md3",
        "models/powerups/holdable/medkit_sphere.md3",
        "icons/medkit",
        "sound/items/holdable.wav",
    ),
    look(
        "models/powerups/instant/quad.md3",
        "models/powerups/instant/quad_ring.md3",
        "icons/quad",
        "sound/items/quaddamage.wav",
    ),
    look(
        "models/powerups/instant/enviro.md3",
        "models/powerups/instant/enviro_ring.md3",
        "icons/envirosuit",
        "sound/items/protect.wav",
    ),
    look(
        "models/powerups/instant/haste.md3",
        "models/powerups/instant/haste_ring.md3",
        "icons/haste",
        "sound/items/haste.wav",
    ),
    look(
        "models/powerups/instant/invis.md3",
        "models/powerups/instant/invis_ring.md3",
        "icons/invis",
        "sound/items/invisibility.wav",
    ),
    look(
        "models/powerups/instant/regen.md3",
        "models/powerups/instant/regen_ring.md3",
        "icons/regen",
        "sound/items/regeneration.wav",
    ),
    look(
        "models/powerups/instant/flight.md3",
        "models/powerups/instant/flight_ring.md3",
        "icons/flight",
        "sound/items/flight.wav",
    ),
    look("models/flags/r_flag.md3", "", "icons/iconf_red1", ""),
    look("models/flags/b_flag.md3", "", "icons/iconf_blu1", ""),
    look(
        "models/powerups/kamikazi.md3",
        "",
        "icons/kamikaze",
        "sound/items/holdable.wav",
    ),
    look(
        "models/powerups/holdable/porter.md3",
        "",
        "icons/portal",
        "sound/items/holdable.wav",
    ),
    look(
        "models/powerups/holdable/invulnerability.md3",
        "",
        "icons/invulnerability",
        "sound/items/holdable.wav",
    ),
    look(
        "models/powerups/ammo/nailgunam.md3",
        "",
        "icons/icona_nailgun",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/powerups/ammo/proxmineam.md3",
        "",
        "icons/icona_proxlauncher",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/powerups/ammo/chaingunam.md3",
        "",
        "icons/icona_chaingun",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/powerups/scout.md3",
        "",
        "icons/scout",
        "sound/items/scout.wav",
    ),
    look(
        "models/powerups/guard.md3",
        "",
        "icons/guard",
        "sound/items/guard.wav",
    ),
    look(
        "models/powerups/doubler.md3",
        "",
        "icons/doubler",
        "sound/items/doubler.wav",
    ),
    look(
        "models/powerups/ammo.md3",
        "",
        "icons/ammo_regen",
        "sound/items/ammoregen.wav",
    ),
    look("models/flags/n_flag.md3", "", "icons/iconf_neutral1", ""),
    look(
        "models/powerups/orb/r_orb.md3",
        "",
        "icons/iconh_rorb",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/powerups/orb/b_orb.md3",
        "",
        "icons/iconh_borb",
        "sound/misc/am_pkup.wav",
    ),
    look(
        "models/weapons/nailgun/nailgun.md3",
        "",
        "icons/iconw_nailgun",
        "sound/misc/w_pkup.wav",
    ),
    look(
        "models/weapons/proxmine/proxmine.md3",
        "",
        "icons/iconw_proxlauncher",
        "sound/misc/w_pkup.wav",
    ),
    look(
        "models/weapons/vulcan/vulcan.md3",
        "",
        "icons/iconw_chaingun",
        "sound/misc/w_pkup.wav",
    ),
    look("models/dpoints/a_blue.md3", "", "icons/icona_blue", ""),
    look("models/dpoints/b_blue.md3", "", "icons/iconb_blue", ""),
    look("models/dpoints/a_red.md3", "", "icons/icona_red", ""),
    look("models/dpoints/b_red.md3", "", "icons/iconb_red", ""),
    look("models/dpoints/a_white.md3", "", "icons/icona_white", ""),
    look("models/dpoints/b_white.md3", "", "icons/iconb_white", ""),
    look("models/flags/n_flag.md3", "", "icons/iconf_neutral1", ""),
    look("models/flags/r_flag.md3", "", "icons/iconf_red1", ""),
    look("models/flags/b_flag.md3", "", "icons/iconf_blu1", ""),
];

const fn look(
    model: &'static str,
    second_model: &'static str,
    icon: &'static str,
    pickup_sound: &'static str,
) -> ItemLook {
    ItemLook {
        model,
        second_model,
        icon,
        pickup_sound,
    }
}
