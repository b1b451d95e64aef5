//! How items look: models, icons and pickup sounds by item number.

use shared::bg::items::ITEMS;

/// Media of one row of [`ITEMS`].
#[derive(Clone, Copy, Debug)]
pub struct ItemLook {
    pub model: &'static str,
    /// The ring or sphere around it; empty if there is none.
    pub second_model: &'static str,
    pub icon: &'static str,
    /// Empty for flags.
    pub pickup_sound: &'static str,
}

macro_rules! looks {
    ($(
        $folder:literal: $model:literal $(+ $second:literal)?,
        $icon:literal $(, $sound:literal)?;
    )+) => {
        [$(ItemLook {
            model: concat!("models/", $folder, "/", $model, ".md3"),
            second_model: concat!($("models/", $folder, "/", $second, ".md3")?),
            icon: concat!("icons/", $icon),
            pickup_sound: concat!($("sound/", $sound)?),
        }),+]
    };
}

/// In the order of [`ITEMS`]: item number 1 comes first.
///
/// Each row: folder of its models, model and what is around it, icon, pickup sound.
pub const ITEM_LOOKS: [ItemLook; ITEMS.len()] = looks! {
    "powerups/armor": "shard" + "shard_sphere", "iconr_shard", "misc/ar1_pkup.wav";
    "powerups/armor": "armor_yel", "iconr_yellow", "misc/ar2_pkup.wav";
    "powerups/armor": "armor_red", "iconr_red", "misc/ar2_pkup.wav";
    "powerups/health": "small_cross" + "small_sphere", "iconh_green", "items/s_health.wav";
    "powerups/health": "medium_cross" + "medium_sphere", "iconh_yellow", "items/n_health.wav";
    "powerups/health": "large_cross" + "large_sphere", "iconh_red", "items/l_health.wav";
    "powerups/health": "mega_cross" + "mega_sphere", "iconh_mega", "items/m_health.wav";
    "weapons2/gauntlet": "gauntlet", "iconw_gauntlet", "misc/w_pkup.wav";
    "weapons2/shotgun": "shotgun", "iconw_shotgun", "misc/w_pkup.wav";
    "weapons2/machinegun": "machinegun", "iconw_machinegun", "misc/w_pkup.wav";
    "weapons2/grenadel": "grenadel", "iconw_grenade", "misc/w_pkup.wav";
    "weapons2/rocketl": "rocketl", "iconw_rocket", "misc/w_pkup.wav";
    "weapons2/lightning": "lightning", "iconw_lightning", "misc/w_pkup.wav";
    "weapons2/railgun": "railgun", "iconw_railgun", "misc/w_pkup.wav";
    "weapons2/plasma": "plasma", "iconw_plasma", "misc/w_pkup.wav";
    "weapons2/bfg": "bfg", "iconw_bfg", "misc/w_pkup.wav";
    "weapons2/grapple": "grapple", "iconw_grapple", "misc/w_pkup.wav";
    "powerups/ammo": "shotgunam", "icona_shotgun", "misc/am_pkup.wav";
    "powerups/ammo": "machinegunam", "icona_machinegun", "misc/am_pkup.wav";
    "powerups/ammo": "grenadeam", "icona_grenade", "misc/am_pkup.wav";
    "powerups/ammo": "plasmaam", "icona_plasma", "misc/am_pkup.wav";
    "powerups/ammo": "lightningam", "icona_lightning", "misc/am_pkup.wav";
    "powerups/ammo": "rocketam", "icona_rocket", "misc/am_pkup.wav";
    "powerups/ammo": "railgunam", "icona_railgun", "misc/am_pkup.wav";
    "powerups/ammo": "bfgam", "icona_bfg", "misc/am_pkup.wav";
    "powerups/holdable": "teleporter", "teleporter", "items/holdable.wav";
    "powerups/holdable": "medkit" + "medkit_sphere", "medkit", "items/holdable.wav";
    "powerups/instant": "quad" + "quad_ring", "quad", "items/quaddamage.wav";
    "powerups/instant": "enviro" + "enviro_ring", "envirosuit", "items/protect.wav";
    "powerups/instant": "haste" + "haste_ring", "haste", "items/haste.wav";
    "powerups/instant": "invis" + "invis_ring", "invis", "items/invisibility.wav";
    "powerups/instant": "regen" + "regen_ring", "regen", "items/regeneration.wav";
    "powerups/instant": "flight" + "flight_ring", "flight", "items/flight.wav";
    "flags": "r_flag", "iconf_red1";
    "flags": "b_flag", "iconf_blu1";
    "powerups": "kamikazi", "kamikaze", "items/holdable.wav";
    "powerups/holdable": "porter", "portal", "items/holdable.wav";
    "powerups/holdable": "invulnerability", "invulnerability", "items/holdable.wav";
    "powerups/ammo": "nailgunam", "icona_nailgun", "misc/am_pkup.wav";
    "powerups/ammo": "proxmineam", "icona_proxlauncher", "misc/am_pkup.wav";
    "powerups/ammo": "chaingunam", "icona_chaingun", "misc/am_pkup.wav";
    "powerups": "scout", "scout", "items/scout.wav";
    "powerups": "guard", "guard", "items/guard.wav";
    "powerups": "doubler", "doubler", "items/doubler.wav";
    "powerups": "ammo", "ammo_regen", "items/ammoregen.wav";
    "flags": "n_flag", "iconf_neutral1";
    "powerups/orb": "r_orb", "iconh_rorb", "misc/am_pkup.wav";
    "powerups/orb": "b_orb", "iconh_borb", "misc/am_pkup.wav";
    "weapons/nailgun": "nailgun", "iconw_nailgun", "misc/w_pkup.wav";
    "weapons/proxmine": "proxmine", "iconw_proxlauncher", "misc/w_pkup.wav";
    "weapons/vulcan": "vulcan", "iconw_chaingun", "misc/w_pkup.wav";
    "dpoints": "a_blue", "icona_blue";
    "dpoints": "b_blue", "iconb_blue";
    "dpoints": "a_red", "icona_red";
    "dpoints": "b_red", "iconb_red";
    "dpoints": "a_white", "icona_white";
    "dpoints": "b_white", "iconb_white";
    "flags": "n_flag", "iconf_neutral1";
    "flags": "r_flag", "iconf_red1";
    "flags": "b_flag", "iconf_blu1";
    "powerups/armor": "armor_green", "iconr_green", "misc/ar2_pkup.wav";
    "rat": "ratcoin", "iconc_coingold", "ratoa/coin/coin-collect-b.ogg";
    "rat": "ratcoin", "iconc_coinsilver", "ratoa/coin/coin-collect-b.ogg";
    "rat": "ratcoin", "iconc_coinbronze", "ratoa/coin/coin-collect-b.ogg";
    "rat": "ratcoin", "iconc_coinb", "ratoa/coin/coin-collect-b.ogg";
    "rat": "ratcoin", "iconc_coinr", "ratoa/coin/coin-collect-b.ogg";
};
