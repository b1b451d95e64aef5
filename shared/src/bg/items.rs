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
    row("item_armor_shard", "Armor Shard", ItemKind::Armor, 0, 5),
    row("item_armor_combat", "Armor", ItemKind::Armor, 0, 50),
    row("item_armor_body", "Heavy Armor", ItemKind::Armor, 0, 100),
    row("item_health_small", "5 Health", ItemKind::Health, 0, 5),
    row("item_health", "25 Health", ItemKind::Health, 0, 25),
    row("item_health_large", "50 Health", ItemKind::Health, 0, 50),
    row("item_health_mega", "Mega Health", ItemKind::Health, 0, 100),
    row("weapon_gauntlet", "Gauntlet", ItemKind::Weapon, 1, 0),
    row("weapon_shotgun", "Shotgun", ItemKind::Weapon, 3, 10),
    row("weapon_machinegun", "Machinegun", ItemKind::Weapon, 2, 40),
    row(
        "weapon_grenadelauncher",
        "Grenade Launcher",
        ItemKind::Weapon,
        4,
        10,
    ),
    row(
        "weapon_rocketlauncher",
        "Rocket Launcher",
        ItemKind::Weapon,
        5,
        10,
    ),
    row(
        "weapon_lightning",
        "Lightning Gun",
        ItemKind::Weapon,
        6,
        100,
    ),
    row("weapon_railgun", "Railgun", ItemKind::Weapon, 7, 10),
    row("weapon_plasmagun", "Plasma Gun", ItemKind::Weapon, 8, 50),
    row("weapon_bfg", "BFG10K", ItemKind::Weapon, 9, 20),
    row(
        "weapon_grapplinghook",
        "Grappling Hook",
        ItemKind::Weapon,
        10,
        0,
    ),
    row("ammo_shells", "Shells", ItemKind::Ammo, 3, 10),
    row("ammo_bullets", "Bullets", ItemKind::Ammo, 2, 50),
    row("ammo_grenades", "Grenades", ItemKind::Ammo, 4, 5),
    row("ammo_cells", "Cells", ItemKind::Ammo, 8, 30),
    row("ammo_lightning", "Lightning", ItemKind::Ammo, 6, 60),
    row("ammo_rockets", "Rockets", ItemKind::Ammo, 5, 5),
    row("ammo_slugs", "Slugs", ItemKind::Ammo, 7, 10),
    row("ammo_bfg", "Bfg Ammo", ItemKind::Ammo, 9, 15),
    row(
        "holdable_teleporter",
        "Personal Teleporter",
        ItemKind::Holdable,
        1,
        60,
    ),
    row("holdable_medkit", "Medkit", ItemKind::Holdable, 2, 60),
    row("item_quad", "Quad Damage", ItemKind::Powerup, 1, 30),
    row("item_enviro", "Battle Suit", ItemKind::Powerup, 2, 30),
    row("item_haste", "Speed", ItemKind::Powerup, 3, 30),
    row("item_invis", "Invisibility", ItemKind::Powerup, 4, 30),
    row("item_regen", "Regeneration", ItemKind::Powerup, 5, 30),
    row("item_flight", "Flight", ItemKind::Powerup, 6, 60),
    row("team_CTF_redflag", "Red Flag", ItemKind::Team, 7, 0),
    row("team_CTF_blueflag", "Blue Flag", ItemKind::Team, 8, 0),
    row("holdable_kamikaze", "Kamikaze", ItemKind::Holdable, 3, 60),
    row("holdable_portal", "Portal", ItemKind::Holdable, 4, 60),
    row(
        "holdable_invulnerability",
        "Invulnerability",
        ItemKind::Holdable,
        5,
        60,
    ),
    row("ammo_nails", "Nails", ItemKind::Ammo, 11, 20),
    row("ammo_mines", "Proximity Mines", ItemKind::Ammo, 12, 10),
    row("ammo_belt", "Chaingun Belt", ItemKind::Ammo, 13, 100),
    row("item_scout", "Scout", ItemKind::Persistent, 10, 30),
    row("item_guard", "Guard", ItemKind::Persistent, 11, 30),
    row("item_doubler", "Doubler", ItemKind::Persistent, 12, 30),
    row("item_ammoregen", "Ammo Regen", ItemKind::Persistent, 13, 30),
    row("team_CTF_neutralflag", "Neutral Flag", ItemKind::Team, 9, 0),
    row("item_redcube", "Red Cube", ItemKind::Team, 0, 0),
    row("item_bluecube", "Blue Cube", ItemKind::Team, 0, 0),
    row("weapon_nailgun", "Nailgun", ItemKind::Weapon, 11, 10),
    row(
        "weapon_prox_launcher",
        "Prox Launcher",
        ItemKind::Weapon,
        12,
        5,
    ),
    row("weapon_chaingun", "Chaingun", ItemKind::Weapon, 13, 80),
    row("team_DD_pointAblue", "Point A (Blue)", ItemKind::Team, 2, 0),
    row("team_DD_pointBblue", "Point B (Blue)", ItemKind::Team, 5, 0),
    row("team_DD_pointAred", "Point A (Red)", ItemKind::Team, 1, 0),
    row("team_DD_pointBred", "Point B (Red)", ItemKind::Team, 4, 0),
    row(
        "team_DD_pointAwhite",
        "Point A (White)",
        ItemKind::Team,
        3,
        0,
    ),
    row(
        "team_DD_pointBwhite",
        "Point B (White)",
        ItemKind::Team,
        6,
        0,
    ),
    row(
        "team_dom_pointWhite",
        "Neutral domination point",
        ItemKind::Team,
        3,
        0,
    ),
    row(
        "team_dom_pointRed",
        "Red domination point",
        ItemKind::Team,
        1,
        0,
    ),
    row(
        "team_dom_pointBlue",
        "Blue domination point",
        ItemKind::Team,
        2,
        0,
    ),
    row("item_armor_jacket", "Light Armor", ItemKind::Armor, 0, 25),
    row("item_coingold", "Gold Coin", ItemKind::Coin, 0, 0),
    row("item_coinsilver", "Silver Coin", ItemKind::Coin, 1, 0),
    row("item_coinbronze", "Bronze Coin", ItemKind::Coin, 2, 0),
    row("item_coinb", "Blue Coin", ItemKind::Coin, 3, 0),
    row("item_coinr", "Red Coin", ItemKind::Coin, 4, 0),
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
