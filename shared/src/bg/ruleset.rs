//! How baseq3, OpenArena and friends differ, as data.

/// Where a game keeps what in `PlayerState::stats`; health is always first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatLayout {
    /// Health points.
    pub health: usize,
    /// Number of the item held.
    pub holdable_item: usize,
    /// Number of the rune carried, where the game has runes.
    pub persistent_powerup: Option<usize>,
    /// A bit for each weapon owned.
    pub weapons: usize,
    /// Armor points.
    pub armor: usize,
    /// Where a dead player looks, in degrees.
    pub dead_yaw: usize,
    /// A bit for each client that is ready for the next level.
    pub clients_ready: usize,
    /// Health that items do not pass.
    pub max_health: usize,
}

/// Where all layouts have health.
pub const STAT_HEALTH: usize = 0;

/// The base game's layout, and that of newer OpenArena.
const PLAIN_STATS: StatLayout = StatLayout {
    health: STAT_HEALTH,
    holdable_item: 1,
    persistent_powerup: None,
    weapons: 2,
    armor: 3,
    dead_yaw: 4,
    clients_ready: 5,
    max_health: 6,
};

/// Team Arena's layout, and that of OpenArena 0.8.8.
const TEAM_ARENA_STATS: StatLayout = StatLayout {
    health: STAT_HEALTH,
    holdable_item: 1,
    persistent_powerup: Some(2),
    weapons: 3,
    armor: 4,
    dead_yaw: 5,
    clients_ready: 6,
    max_health: 7,
};

/// The rules of movement and items of one game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleSet {
    /// What logs call it.
    pub name: &'static str,
    /// Where the statistics stand.
    pub stats: StatLayout,
    /// First number above all weapons.
    pub weapon_count: i32,
    /// Runes, holdables and gestures of Team Arena; its invulnerability stops all movement.
    pub team_arena: bool,
    /// Ammo without end, unsnapped velocity and `dmflags` of OpenArena.
    pub openarena: bool,
    /// OpenArena after 0.8.8: more animations and footsteps.
    pub openarena_master: bool,
    /// RatMod: light armor and coins, no runes; teleporters are predicted.
    pub ratmod: bool,
    /// The firing flag is also shown in noclip.
    pub fires_in_noclip: bool,
    /// Anything at all above an edge keeps a player from jumping out of water.
    pub water_jump_needs_empty: bool,
}

/// The original game code, version 1.32.
pub const ID_132: RuleSet = RuleSet {
    name: "id 1.32",
    stats: PLAIN_STATS,
    weapon_count: 11,
    team_arena: false,
    openarena: false,
    openarena_master: false,
    ratmod: false,
    fires_in_noclip: true,
    water_jump_needs_empty: true,
};

/// ioquake3's game code.
pub const IOQUAKE3: RuleSet = RuleSet {
    name: "ioquake3",
    fires_in_noclip: false,
    water_jump_needs_empty: false,
    ..ID_132
};

/// Team Arena on ioquake3.
pub const TEAM_ARENA: RuleSet = RuleSet {
    name: "Team Arena",
    stats: TEAM_ARENA_STATS,
    weapon_count: 14,
    team_arena: true,
    ..IOQUAKE3
};

/// OpenArena 0.8.8, which is also what Debian has.
pub const OPENARENA_088: RuleSet = RuleSet {
    name: "OpenArena 0.8.8",
    openarena: true,
    ..TEAM_ARENA
};

/// RatMod on OpenArena 0.8.8; what its servers choose themselves is in [`super::ratmod::RatRules`].
pub const RATMOD: RuleSet = RuleSet {
    name: "RatMod",
    ratmod: true,
    ..OPENARENA_088
};

/// OpenArena's game code after 0.8.8.
pub const OPENARENA_MASTER: RuleSet = RuleSet {
    name: "OpenArena after 0.8.8",
    stats: StatLayout {
        persistent_powerup: Some(7),
        ..PLAIN_STATS
    },
    openarena_master: true,
    ..OPENARENA_088
};

/// Bits of OpenArena's and the base game's `dmflags`.
pub mod dmflags {
    numbers! { i32:
        NO_FALLING = 8, "Falls do not hurt.";
        FIXED_FOV = 16, "The field of view cannot be chosen.";
        NO_FOOTSTEPS = 32, "Steps are not heard.";
        INSTANT_WEAPON_CHANGE = 64, "Weapons change at once (OpenArena).";
        NO_BUNNY = 128, "Jumps in a row do not gain speed (OpenArena).";
        INVISIBLE = 256, "Players cannot be seen (OpenArena).";
        LIGHT_VOTING = 512, "Votes need fewer players (OpenArena).";
        NO_SELF_DAMAGE = 1024, "Nobody hurts himself (OpenArena).";
        FAST_WATER = 4096, "Players swim faster (OpenArena).";
    }
}
