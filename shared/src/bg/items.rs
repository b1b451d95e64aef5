//! The item list: what lies around in maps, by the number in an item entity's `model_index`.

/// What sort of thing an item is; its `tag` says which one of that sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// Tag: weapon number.
    Weapon,
    /// Tag: weapon number.
    Ammo,
    /// Armor; no tag.
    Armor,
    /// Health; no tag.
    Health,
    /// Tag: powerup number.
    Powerup,
    /// Tag: holdable number.
    Holdable,
    /// OpenArena's and Team Arena's runes. Tag: powerup number.
    Persistent,
    /// Flags and control points. Tag: powerup number, or which point.
    Team,
    /// RatMod's coins. Tag: which one.
    Coin,
}

use ItemKind::*;

/// One row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// What maps call it.
    pub class_name: &'static str,
    /// What players call it.
    pub name: &'static str,
    /// Its sort.
    pub kind: ItemKind,
    /// Which one of its sort; see [`ItemKind`].
    pub tag: u8,
    /// How much it gives: points, rounds or seconds.
    pub quantity: i32,
}

/// Rows that baseq3 knows; those after belong to OpenArena and Team Arena.
pub const BASEQ3_ITEM_COUNT: usize = 36;

/// Rows that OpenArena knows; those after belong to RatMod.
pub const OPENARENA_ITEM_COUNT: usize = 61;

/// The item of this number; `None` for 0 and for numbers beyond the list.
pub fn item(number: i32) -> Option<&'static Item> {
    usize::try_from(number.checked_sub(1)?)
        .ok()
        .and_then(|index| ITEMS.get(index))
}

/// The weapon item that gives this weapon.
pub fn weapon_item(weapon: i32) -> Option<(i32, &'static Item)> {
    (1..)
        .zip(ITEMS)
        .find(|(_, item)| item.kind == ItemKind::Weapon && i32::from(item.tag) == weapon)
}

/// Items 1 to 66; number 0 means none.
pub const ITEMS: &[Item] = &[
    row("item_armor_shard", "Armor Shard", Armor, 0, 5),
    row("item_armor_combat", "Armor", Armor, 0, 50),
    row("item_armor_body", "Heavy Armor", Armor, 0, 100),
    row("item_health_small", "5 Health", Health, 0, 5),
    row("item_health", "25 Health", Health, 0, 25),
    row("item_health_large", "50 Health", Health, 0, 50),
    row("item_health_mega", "Mega Health", Health, 0, 100),
    row("weapon_gauntlet", "Gauntlet", Weapon, 1, 0),
    row("weapon_shotgun", "Shotgun", Weapon, 3, 10),
    row("weapon_machinegun", "Machinegun", Weapon, 2, 40),
    row("weapon_grenadelauncher", "Grenade Launcher", Weapon, 4, 10),
    row("weapon_rocketlauncher", "Rocket Launcher", Weapon, 5, 10),
    row("weapon_lightning", "Lightning Gun", Weapon, 6, 100),
    row("weapon_railgun", "Railgun", Weapon, 7, 10),
    row("weapon_plasmagun", "Plasma Gun", Weapon, 8, 50),
    row("weapon_bfg", "BFG10K", Weapon, 9, 20),
    row("weapon_grapplinghook", "Grappling Hook", Weapon, 10, 0),
    row("ammo_shells", "Shells", Ammo, 3, 10),
    row("ammo_bullets", "Bullets", Ammo, 2, 50),
    row("ammo_grenades", "Grenades", Ammo, 4, 5),
    row("ammo_cells", "Cells", Ammo, 8, 30),
    row("ammo_lightning", "Lightning", Ammo, 6, 60),
    row("ammo_rockets", "Rockets", Ammo, 5, 5),
    row("ammo_slugs", "Slugs", Ammo, 7, 10),
    row("ammo_bfg", "Bfg Ammo", Ammo, 9, 15),
    row(
        "holdable_teleporter",
        "Personal Teleporter",
        Holdable,
        1,
        60,
    ),
    row("holdable_medkit", "Medkit", Holdable, 2, 60),
    row("item_quad", "Quad Damage", Powerup, 1, 30),
    row("item_enviro", "Battle Suit", Powerup, 2, 30),
    row("item_haste", "Speed", Powerup, 3, 30),
    row("item_invis", "Invisibility", Powerup, 4, 30),
    row("item_regen", "Regeneration", Powerup, 5, 30),
    row("item_flight", "Flight", Powerup, 6, 60),
    row("team_CTF_redflag", "Red Flag", Team, 7, 0),
    row("team_CTF_blueflag", "Blue Flag", Team, 8, 0),
    row("holdable_kamikaze", "Kamikaze", Holdable, 3, 60),
    row("holdable_portal", "Portal", Holdable, 4, 60),
    row(
        "holdable_invulnerability",
        "Invulnerability",
        Holdable,
        5,
        60,
    ),
    row("ammo_nails", "Nails", Ammo, 11, 20),
    row("ammo_mines", "Proximity Mines", Ammo, 12, 10),
    row("ammo_belt", "Chaingun Belt", Ammo, 13, 100),
    row("item_scout", "Scout", Persistent, 10, 30),
    row("item_guard", "Guard", Persistent, 11, 30),
    row("item_doubler", "Doubler", Persistent, 12, 30),
    row("item_ammoregen", "Ammo Regen", Persistent, 13, 30),
    row("team_CTF_neutralflag", "Neutral Flag", Team, 9, 0),
    row("item_redcube", "Red Cube", Team, 0, 0),
    row("item_bluecube", "Blue Cube", Team, 0, 0),
    row("weapon_nailgun", "Nailgun", Weapon, 11, 10),
    row("weapon_prox_launcher", "Prox Launcher", Weapon, 12, 5),
    row("weapon_chaingun", "Chaingun", Weapon, 13, 80),
    row("team_DD_pointAblue", "Point A (Blue)", Team, 2, 0),
    row("team_DD_pointBblue", "Point B (Blue)", Team, 5, 0),
    row("team_DD_pointAred", "Point A (Red)", Team, 1, 0),
    row("team_DD_pointBred", "Point B (Red)", Team, 4, 0),
    row("team_DD_pointAwhite", "Point A (White)", Team, 3, 0),
    row("team_DD_pointBwhite", "Point B (White)", Team, 6, 0),
    row(
        "team_dom_pointWhite",
        "Neutral domination point",
        Team,
        3,
        0,
    ),
    row("team_dom_pointRed", "Red domination point", Team, 1, 0),
    row("team_dom_pointBlue", "Blue domination point", Team, 2, 0),
    row("item_armor_jacket", "Light Armor", Armor, 0, 25),
    row("item_coingold", "Gold Coin", Coin, 0, 0),
    row("item_coinsilver", "Silver Coin", Coin, 1, 0),
    row("item_coinbronze", "Bronze Coin", Coin, 2, 0),
    row("item_coinb", "Blue Coin", Coin, 3, 0),
    row("item_coinr", "Red Coin", Coin, 4, 0),
];

const fn row(
    class_name: &'static str,
    name: &'static str,
    kind: ItemKind,
    tag: u8,
    quantity: i32,
) -> Item {
    Item {
        class_name,
        name,
        kind,
        tag,
        quantity,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_to_their_rows() {
        assert_eq!(item(0), None);
        assert_eq!(item(-1), None);
        assert_eq!(item(67), None);
        assert_eq!(
            item(12).map(|item| item.class_name),
            Some("weapon_rocketlauncher")
        );
        assert_eq!(
            item(60).map(|item| item.class_name),
            Some("team_dom_pointBlue")
        );
        assert_eq!(
            item(OPENARENA_ITEM_COUNT as i32).map(|item| item.name),
            Some("Light Armor")
        );
        assert_eq!(item(66).map(|item| item.class_name), Some("item_coinr"));
        assert_eq!(weapon_item(5).map(|(number, _)| number), Some(12));
        assert_eq!(ITEMS[BASEQ3_ITEM_COUNT - 2].class_name, "team_CTF_blueflag");
    }
}
