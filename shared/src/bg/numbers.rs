//! Numbers of the game that travel in states: entity types, flags, events, powerups, statistics.

/// Values of `EntityState::e_type`.
pub mod entity_type {
    pub const GENERAL: i32 = 0;
    pub const PLAYER: i32 = 1;
    pub const ITEM: i32 = 2;
    pub const MISSILE: i32 = 3;
    pub const MOVER: i32 = 4;
    pub const BEAM: i32 = 5;
    pub const PORTAL: i32 = 6;
    pub const SPEAKER: i32 = 7;
    pub const PUSH_TRIGGER: i32 = 8;
    pub const TELEPORT_TRIGGER: i32 = 9;
    pub const INVISIBLE: i32 = 10;
    pub const GRAPPLE: i32 = 11;
    pub const TEAM: i32 = 12;
    /// From here on the entity is nothing but an event, `e_type - EVENTS`.
    pub const EVENTS: i32 = 13;
}

/// Bits of `e_flags`.
pub mod entity_flags {
    pub const DEAD: i32 = 0x1;
    pub const TICKING: i32 = 0x2;
    pub const TELEPORT_BIT: i32 = 0x4;
    pub const AWARD_EXCELLENT: i32 = 0x8;
    pub const PLAYER_EVENT: i32 = 0x10;
    pub const BOUNCE_HALF: i32 = 0x20;
    pub const AWARD_GAUNTLET: i32 = 0x40;
    pub const NODRAW: i32 = 0x80;
    pub const FIRING: i32 = 0x100;
    pub const KAMIKAZE: i32 = 0x200;
    pub const MOVER_STOP: i32 = 0x400;
    pub const AWARD_CAP: i32 = 0x800;
    pub const TALK: i32 = 0x1000;
    pub const CONNECTION: i32 = 0x2000;
    pub const VOTED: i32 = 0x4000;
    pub const AWARD_IMPRESSIVE: i32 = 0x8000;
    pub const AWARD_DEFEND: i32 = 0x10000;
    pub const AWARD_ASSIST: i32 = 0x20000;
    pub const AWARD_DENIED: i32 = 0x40000;
    pub const TEAM_VOTED: i32 = 0x80000;
}

/// Event numbers; on the wire bits 0x300 are a counter that makes repeats visible.
pub mod event {
    pub const NUMBER_MASK: i32 = !0x300;
    pub const NONE: i32 = 0;
    pub const FOOTSTEP: i32 = 1;
    pub const FOOTSTEP_METAL: i32 = 2;
    pub const FOOTSPLASH: i32 = 3;
    pub const FOOTWADE: i32 = 4;
    pub const SWIM: i32 = 5;
    pub const STEP_4: i32 = 6;
    pub const STEP_8: i32 = 7;
    pub const STEP_12: i32 = 8;
    pub const STEP_16: i32 = 9;
    pub const FALL_SHORT: i32 = 10;
    pub const FALL_MEDIUM: i32 = 11;
    pub const FALL_FAR: i32 = 12;
    pub const JUMP_PAD: i32 = 13;
    pub const JUMP: i32 = 14;
    pub const WATER_TOUCH: i32 = 15;
    pub const WATER_LEAVE: i32 = 16;
    pub const WATER_UNDER: i32 = 17;
    pub const WATER_CLEAR: i32 = 18;
    pub const ITEM_PICKUP: i32 = 19;
    pub const GLOBAL_ITEM_PICKUP: i32 = 20;
    pub const NOAMMO: i32 = 21;
    pub const CHANGE_WEAPON: i32 = 22;
    pub const FIRE_WEAPON: i32 = 23;
    pub const USE_ITEM0: i32 = 24;
    pub const USE_ITEM15: i32 = 39;
    pub const ITEM_RESPAWN: i32 = 40;
    pub const ITEM_POP: i32 = 41;
    pub const PLAYER_TELEPORT_IN: i32 = 42;
    pub const PLAYER_TELEPORT_OUT: i32 = 43;
    pub const GRENADE_BOUNCE: i32 = 44;
    pub const GENERAL_SOUND: i32 = 45;
    pub const GLOBAL_SOUND: i32 = 46;
    pub const GLOBAL_TEAM_SOUND: i32 = 47;
    pub const BULLET_HIT_FLESH: i32 = 48;
    pub const BULLET_HIT_WALL: i32 = 49;
    pub const MISSILE_HIT: i32 = 50;
    pub const MISSILE_MISS: i32 = 51;
    pub const MISSILE_MISS_METAL: i32 = 52;
    pub const RAILTRAIL: i32 = 53;
    pub const SHOTGUN: i32 = 54;
    pub const BULLET: i32 = 55;
    pub const PAIN: i32 = 56;
    pub const DEATH1: i32 = 57;
    pub const DEATH2: i32 = 58;
    pub const DEATH3: i32 = 59;
    pub const OBITUARY: i32 = 60;
    pub const POWERUP_QUAD: i32 = 61;
    pub const POWERUP_BATTLESUIT: i32 = 62;
    pub const POWERUP_REGEN: i32 = 63;
    pub const GIB_PLAYER: i32 = 64;
    pub const SCOREPLUM: i32 = 65;
    pub const PROXIMITY_MINE_STICK: i32 = 66;
    pub const PROXIMITY_MINE_TRIGGER: i32 = 67;
    pub const KAMIKAZE: i32 = 68;
    pub const OBELISKEXPLODE: i32 = 69;
    pub const OBELISKPAIN: i32 = 70;
    pub const INVUL_IMPACT: i32 = 71;
    pub const JUICED: i32 = 72;
    pub const LIGHTNINGBOLT: i32 = 73;
    pub const DEBUG_LINE: i32 = 74;
    pub const STOPLOOPINGSOUND: i32 = 75;
    pub const TAUNT: i32 = 76;
    pub const TAUNT_YES: i32 = 77;
    pub const TAUNT_NO: i32 = 78;
    pub const TAUNT_FOLLOWME: i32 = 79;
    pub const TAUNT_GETFLAG: i32 = 80;
    pub const TAUNT_GUARDBASE: i32 = 81;
    pub const TAUNT_PATROL: i32 = 82;
    pub const FOOTSTEP_SNOW: i32 = 83;
    pub const FOOTSTEP_WOOD: i32 = 84;
    pub const FOOTSTEP_SAND: i32 = 85;
    pub const FOOTSTEP_GRAVEL: i32 = 86;
    pub const FOOTSTEP_FOILAGE: i32 = 87;
    pub const FOOTSTEP_ICE: i32 = 88;
    pub const FOOTSTEP_GLASS: i32 = 89;
    pub const BULLET_HIT_WOOD: i32 = 90;
    pub const BULLET_HIT_SAND: i32 = 91;
    pub const BULLET_HIT_SNOW: i32 = 92;
    pub const BULLET_HIT_GLASS: i32 = 93;

    /// Name of an event number without its counter; `None` for numbers that no game sends.
    pub fn name(number: i32) -> Option<&'static str> {
        usize::try_from(number)
            .ok()
            .and_then(|index| NAMES.get(index))
            .copied()
    }

    const NAMES: [&str; 94] = [
        "NONE",
        "FOOTSTEP",
        "FOOTSTEP_METAL",
        "FOOTSPLASH",
        "FOOTWADE",
        "SWIM",
        "STEP_4",
        "STEP_8",
        "STEP_12",
        "STEP_16",
        "FALL_SHORT",
        "FALL_MEDIUM",
        "FALL_FAR",
        "JUMP_PAD",
        "JUMP",
        "WATER_TOUCH",
        "WATER_LEAVE",
        "WATER_UNDER",
        "WATER_CLEAR",
        "ITEM_PICKUP",
        "GLOBAL_ITEM_PICKUP",
        "NOAMMO",
        "CHANGE_WEAPON",
        "FIRE_WEAPON",
        "USE_ITEM0",
        "USE_ITEM1",
        "USE_ITEM2",
        "USE_ITEM3",
        "USE_ITEM4",
        "USE_ITEM5",
        "USE_ITEM6",
        "USE_ITEM7",
        "USE_ITEM8",
        "USE_ITEM9",
        "USE_ITEM10",
        "USE_ITEM11",
        "USE_ITEM12",
        "USE_ITEM13",
        "USE_ITEM14",
        "USE_ITEM15",
        "ITEM_RESPAWN",
        "ITEM_POP",
        "PLAYER_TELEPORT_IN",
        "PLAYER_TELEPORT_OUT",
        "GRENADE_BOUNCE",
        "GENERAL_SOUND",
        "GLOBAL_SOUND",
        "GLOBAL_TEAM_SOUND",
        "BULLET_HIT_FLESH",
        "BULLET_HIT_WALL",
        "MISSILE_HIT",
        "MISSILE_MISS",
        "MISSILE_MISS_METAL",
        "RAILTRAIL",
        "SHOTGUN",
        "BULLET",
        "PAIN",
        "DEATH1",
        "DEATH2",
        "DEATH3",
        "OBITUARY",
        "POWERUP_QUAD",
        "POWERUP_BATTLESUIT",
        "POWERUP_REGEN",
        "GIB_PLAYER",
        "SCOREPLUM",
        "PROXIMITY_MINE_STICK",
        "PROXIMITY_MINE_TRIGGER",
        "KAMIKAZE",
        "OBELISKEXPLODE",
        "OBELISKPAIN",
        "INVUL_IMPACT",
        "JUICED",
        "LIGHTNINGBOLT",
        "DEBUG_LINE",
        "STOPLOOPINGSOUND",
        "TAUNT",
        "TAUNT_YES",
        "TAUNT_NO",
        "TAUNT_FOLLOWME",
        "TAUNT_GETFLAG",
        "TAUNT_GUARDBASE",
        "TAUNT_PATROL",
        "FOOTSTEP_SNOW",
        "FOOTSTEP_WOOD",
        "FOOTSTEP_SAND",
        "FOOTSTEP_GRAVEL",
        "FOOTSTEP_FOILAGE",
        "FOOTSTEP_ICE",
        "FOOTSTEP_GLASS",
        "BULLET_HIT_WOOD",
        "BULLET_HIT_SAND",
        "BULLET_HIT_SNOW",
        "BULLET_HIT_GLASS",
    ];
}

/// Powerups: indices of `PlayerState::powerups`, bits of `EntityState::powerups`.
pub mod powerup {
    pub const QUAD: usize = 1;
    pub const BATTLESUIT: usize = 2;
    pub const HASTE: usize = 3;
    pub const INVIS: usize = 4;
    pub const REGEN: usize = 5;
    pub const FLIGHT: usize = 6;
    pub const REDFLAG: usize = 7;
    pub const BLUEFLAG: usize = 8;
    pub const NEUTRALFLAG: usize = 9;
    pub const SCOUT: usize = 10;
    pub const GUARD: usize = 11;
    pub const DOUBLER: usize = 12;
    pub const AMMOREGEN: usize = 13;
    pub const INVULNERABILITY: usize = 14;
}

/// Indices of `PlayerState::persistant`.
pub mod persistant {
    pub const SCORE: usize = 0;
    pub const HITS: usize = 1;
    pub const RANK: usize = 2;
    pub const TEAM: usize = 3;
    pub const SPAWN_COUNT: usize = 4;
    pub const PLAYEREVENTS: usize = 5;
    pub const ATTACKER: usize = 6;
    pub const ATTACKEE_ARMOR: usize = 7;
    pub const KILLED: usize = 8;
    pub const IMPRESSIVE_COUNT: usize = 9;
    pub const EXCELLENT_COUNT: usize = 10;
    pub const DEFEND_COUNT: usize = 11;
    pub const ASSIST_COUNT: usize = 12;
    pub const GAUNTLET_FRAG_COUNT: usize = 13;
    pub const CAPTURES: usize = 14;
}

/// Weapon numbers.
pub mod weapon {
    pub const NONE: i32 = 0;
    pub const GAUNTLET: i32 = 1;
    pub const MACHINEGUN: i32 = 2;
    pub const SHOTGUN: i32 = 3;
    pub const GRENADE: i32 = 4;
    pub const ROCKET: i32 = 5;
    pub const LIGHTNING: i32 = 6;
    pub const RAIL: i32 = 7;
    pub const PLASMA: i32 = 8;
    pub const BFG: i32 = 9;
    pub const HOOK: i32 = 10;
    pub const NAILGUN: i32 = 11;
    pub const PROX: i32 = 12;
    pub const CHAINGUN: i32 = 13;
    pub const COUNT: usize = 14;
}

/// What killed a player, as obituaries tell it; the base game's numbers.
pub mod means_of_death {
    pub const UNKNOWN: i32 = 0;
    pub const SHOTGUN: i32 = 1;
    pub const GAUNTLET: i32 = 2;
    pub const MACHINEGUN: i32 = 3;
    pub const GRENADE: i32 = 4;
    pub const GRENADE_SPLASH: i32 = 5;
    pub const ROCKET: i32 = 6;
    pub const ROCKET_SPLASH: i32 = 7;
    pub const PLASMA: i32 = 8;
    pub const PLASMA_SPLASH: i32 = 9;
    pub const RAILGUN: i32 = 10;
    pub const LIGHTNING: i32 = 11;
    pub const BFG: i32 = 12;
    pub const BFG_SPLASH: i32 = 13;
    pub const WATER: i32 = 14;
    pub const SLIME: i32 = 15;
    pub const LAVA: i32 = 16;
    pub const CRUSH: i32 = 17;
    pub const TELEFRAG: i32 = 18;
    pub const FALLING: i32 = 19;
    pub const SUICIDE: i32 = 20;
    pub const TARGET_LASER: i32 = 21;
    pub const TRIGGER_HURT: i32 = 22;
    pub const GRAPPLE: i32 = 23;
}

/// Values of `g_gametype`; from 8 on only OpenArena has them.
pub mod gametype {
    pub const TOURNAMENT: i32 = 1;
    pub const TEAM: i32 = 3;
    pub const CTF: i32 = 4;
    pub const ONE_FLAG_CTF: i32 = 5;
    pub const OVERLOAD: i32 = 6;
    pub const HARVESTER: i32 = 7;
    pub const ELIMINATION: i32 = 8;
    pub const CTF_ELIMINATION: i32 = 9;
    pub const LAST_MAN_STANDING: i32 = 10;
    pub const DOUBLE_DOMINATION: i32 = 11;
    pub const DOMINATION: i32 = 12;
    pub const POSSESSION: i32 = 13;

    /// What players call it; `None` for numbers of no game.
    pub fn name(number: i32) -> Option<&'static str> {
        usize::try_from(number)
            .ok()
            .and_then(|index| NAMES.get(index))
            .copied()
    }

    const NAMES: [&str; 13] = [
        "Free For All",
        "Tournament",
        "Single Player",
        "Team Deathmatch",
        "Capture the Flag",
        "One Flag CTF",
        "Overload",
        "Harvester",
        "Elimination",
        "CTF Elimination",
        "Last Man Standing",
        "Double Domination",
        "Domination",
    ];
}

/// Values of `PlayerState::pm_type`.
pub mod pm_type {
    pub const NORMAL: i32 = 0;
    pub const NOCLIP: i32 = 1;
    pub const SPECTATOR: i32 = 2;
    pub const DEAD: i32 = 3;
    pub const FREEZE: i32 = 4;
    pub const INTERMISSION: i32 = 5;
    pub const SPINTERMISSION: i32 = 6;
}

/// Bits of `PlayerState::pm_flags`.
pub mod pm_flags {
    pub const DUCKED: i32 = 1;
    pub const JUMP_HELD: i32 = 2;
    pub const BACKWARDS_JUMP: i32 = 8;
    pub const BACKWARDS_RUN: i32 = 16;
    pub const TIME_LAND: i32 = 32;
    pub const TIME_KNOCKBACK: i32 = 64;
    pub const TIME_WATERJUMP: i32 = 256;
    pub const RESPAWNED: i32 = 512;
    pub const USE_ITEM_HELD: i32 = 1024;
    pub const GRAPPLE_PULL: i32 = 2048;
    pub const FOLLOW: i32 = 4096;
    pub const SCOREBOARD: i32 = 8192;
    pub const INVULEXPAND: i32 = 16384;
    pub const ELIMWARMUP: i32 = 32768;
}

/// Team numbers.
pub mod team {
    pub const FREE: i32 = 0;
    pub const RED: i32 = 1;
    pub const BLUE: i32 = 2;
    pub const SPECTATOR: i32 = 3;
}

/// Numbers of configstrings that the game gives a meaning to.
pub mod configstring {
    pub const MUSIC: usize = 2;
    pub const MESSAGE: usize = 3;
    pub const MOTD: usize = 4;
    pub const WARMUP: usize = 5;
    pub const SCORES1: usize = 6;
    pub const SCORES2: usize = 7;
    pub const VOTE_TIME: usize = 8;
    pub const VOTE_STRING: usize = 9;
    pub const VOTE_YES: usize = 10;
    pub const VOTE_NO: usize = 11;
    /// The first of two, for red and blue; so are the next three.
    pub const TEAM_VOTE_TIME: usize = 12;
    pub const TEAM_VOTE_STRING: usize = 14;
    pub const TEAM_VOTE_YES: usize = 16;
    pub const TEAM_VOTE_NO: usize = 18;
    pub const GAME_VERSION: usize = 20;
    pub const LEVEL_START_TIME: usize = 21;
    pub const INTERMISSION: usize = 22;
    pub const FLAG_STATUS: usize = 23;
    pub const SHADER_STATE: usize = 24;
    pub const ITEMS: usize = 27;
    pub const MODELS: usize = 32;
    pub const SOUNDS: usize = 288;
    pub const PLAYERS: usize = 544;
    pub const LOCATIONS: usize = 608;
    /// First number that no game uses.
    pub const END: usize = 736;
}
