//! Numbers of the game that travel in states: entity types, flags, events, powerups, statistics.

/// `numbers!` for `i32`, with a function that gives the name of a number.
macro_rules! named_numbers {
    ($($name:ident = $value:literal, $meaning:literal;)+) => {
        numbers! { i32: $($name = $value, $meaning;)+ }

        /// Name of an event number without its counter; `None` for numbers that no game sends.
        pub fn name(number: i32) -> Option<&'static str> {
            match number {
                $($value => Some(stringify!($name)),)+
                _ => None,
            }
        }
    };
}

/// Values of `EntityState::e_type`.
pub mod entity_type {
    numbers! { i32:
        GENERAL = 0, "A model without special rules.";
        PLAYER = 1, "A player, alive or dead.";
        ITEM = 2, "Something to pick up.";
        MISSILE = 3, "A rocket, grenade, ball of plasma and the like.";
        MOVER = 4, "A door, lift, train or other part of the map that moves.";
        BEAM = 5, "A beam from `pos` to `origin2`.";
        PORTAL = 6, "A camera of a portal surface.";
        SPEAKER = 7, "A sound at a place.";
        PUSH_TRIGGER = 8, "A jump pad.";
        TELEPORT_TRIGGER = 9, "A teleporter's entrance.";
        INVISIBLE = 10, "Nothing to draw.";
        GRAPPLE = 11, "A grappling hook that holds.";
        TEAM = 12, "Something of a team, drawn by the game type.";
        EVENTS = 13, "From here on the entity is nothing but an event, `e_type - EVENTS`.";
    }
}

/// Bits of `e_flags`.
pub mod entity_flags {
    numbers! { i32:
        DEAD = 0x1, "No longer alive.";
        TICKING = 0x2, "A proximity mine that ticks.";
        TELEPORT_BIT = 0x4, "Flips when the entity is moved at once: it must not be drawn between the two places.";
        AWARD_EXCELLENT = 0x8, "Shows the award \"excellent\" above the head.";
        PLAYER_EVENT = 0x10, "Its event came from the player's own move.";
        BOUNCE_HALF = 0x20, "Bounces and loses speed; missiles that bounce and keep it have `PLAYER_EVENT`'s bit.";
        AWARD_GAUNTLET = 0x40, "Shows the award \"humiliation\".";
        NODRAW = 0x80, "Not drawn: it may still make sounds and events.";
        FIRING = 0x100, "Fires; for lightning and the chaingun.";
        KAMIKAZE = 0x200, "Carries a kamikaze.";
        MOVER_STOP = 0x400, "A mover that stays when it is blocked.";
        AWARD_CAP = 0x800, "Shows the award \"capture\".";
        TALK = 0x1000, "Shows a balloon: the player writes.";
        CONNECTION = 0x2000, "Shows a broken line: the player is not heard.";
        VOTED = 0x4000, "Has voted.";
        AWARD_IMPRESSIVE = 0x8000, "Shows the award \"impressive\".";
        AWARD_DEFEND = 0x10000, "Shows the award \"defence\".";
        AWARD_ASSIST = 0x20000, "Shows the award \"assist\".";
        AWARD_DENIED = 0x40000, "Shows the award \"denied\".";
        TEAM_VOTED = 0x80000, "Has voted in the team.";
    }
}

/// Event numbers; on the wire bits 0x300 are a counter that makes repeats visible.
pub mod event {
    /// Leaves the number without the counter.
    pub const NUMBER_MASK: i32 = !0x300;

    named_numbers! {
        NONE = 0, "Nothing happened.";
        FOOTSTEP = 1, "A step.";
        FOOTSTEP_METAL = 2, "A step on metal.";
        FOOTSPLASH = 3, "A step in shallow water.";
        FOOTWADE = 4, "A step in water up to the waist.";
        SWIM = 5, "A stroke under water.";
        STEP_4 = 6, "Went up a stair of at most 4 units, for the view to follow smoothly.";
        STEP_8 = 7, "Of at most 8.";
        STEP_12 = 8, "Of at most 12.";
        STEP_16 = 9, "Of at most 16.";
        FALL_SHORT = 10, "Landed softly.";
        FALL_MEDIUM = 11, "Landed hard enough to be hurt a little.";
        FALL_FAR = 12, "Landed hard enough to be hurt much.";
        JUMP_PAD = 13, "Was thrown by a jump pad.";
        JUMP = 14, "Jumped.";
        WATER_TOUCH = 15, "Feet came into water.";
        WATER_LEAVE = 16, "Feet came out of it.";
        WATER_UNDER = 17, "The head came under water.";
        WATER_CLEAR = 18, "The head came out of it.";
        ITEM_PICKUP = 19, "Took an item; its number is the parameter.";
        GLOBAL_ITEM_PICKUP = 20, "Somebody took an item that all hear.";
        NOAMMO = 21, "Pulled the trigger without a round.";
        CHANGE_WEAPON = 22, "Changed the weapon.";
        FIRE_WEAPON = 23, "Fired.";
        USE_ITEM0 = 24, "Used the holdable of number 0, which is nothing.";
        USE_ITEM1 = 25, "Used the personal teleporter.";
        USE_ITEM2 = 26, "Used the medkit.";
        USE_ITEM3 = 27, "Used the kamikaze.";
        USE_ITEM4 = 28, "Used the portal.";
        USE_ITEM5 = 29, "Used the invulnerability.";
        USE_ITEM6 = 30, "Used a holdable that no game has, as up to number 15.";
        USE_ITEM7 = 31, "See `USE_ITEM6`.";
        USE_ITEM8 = 32, "See `USE_ITEM6`.";
        USE_ITEM9 = 33, "See `USE_ITEM6`.";
        USE_ITEM10 = 34, "See `USE_ITEM6`.";
        USE_ITEM11 = 35, "See `USE_ITEM6`.";
        USE_ITEM12 = 36, "See `USE_ITEM6`.";
        USE_ITEM13 = 37, "See `USE_ITEM6`.";
        USE_ITEM14 = 38, "See `USE_ITEM6`.";
        USE_ITEM15 = 39, "See `USE_ITEM6`.";
        ITEM_RESPAWN = 40, "An item is back.";
        ITEM_POP = 41, "An item vanished.";
        PLAYER_TELEPORT_IN = 42, "A player appeared.";
        PLAYER_TELEPORT_OUT = 43, "A player vanished.";
        GRENADE_BOUNCE = 44, "A grenade bounced.";
        GENERAL_SOUND = 45, "A sound here; its configstring is the parameter.";
        GLOBAL_SOUND = 46, "A sound that all hear alike.";
        GLOBAL_TEAM_SOUND = 47, "A sound about flags and scores of a team.";
        BULLET_HIT_FLESH = 48, "A bullet hit a player.";
        BULLET_HIT_WALL = 49, "A bullet hit a wall; the parameter is its direction.";
        MISSILE_HIT = 50, "A missile hit a player.";
        MISSILE_MISS = 51, "A missile hit a wall; the parameter is its direction.";
        MISSILE_MISS_METAL = 52, "A missile hit metal.";
        RAILTRAIL = 53, "A shot of the railgun, from `origin2` to `pos`.";
        SHOTGUN = 54, "A shot of the shotgun; the parameter seeds its pellets.";
        BULLET = 55, "No game sends it.";
        PAIN = 56, "A player was hurt; the parameter is his health.";
        DEATH1 = 57, "A player died, first of three sounds.";
        DEATH2 = 58, "Second.";
        DEATH3 = 59, "Third.";
        OBITUARY = 60, "Who killed whom and how: the parameter is a [`means_of_death`](super::means_of_death).";
        POWERUP_QUAD = 61, "A quad damage is at work.";
        POWERUP_BATTLESUIT = 62, "A battle suit is at work.";
        POWERUP_REGEN = 63, "A regeneration is at work.";
        GIB_PLAYER = 64, "A player burst.";
        SCOREPLUM = 65, "Points rise from a place; `time` holds them.";
        PROXIMITY_MINE_STICK = 66, "A mine stuck to something.";
        PROXIMITY_MINE_TRIGGER = 67, "A mine noticed somebody.";
        KAMIKAZE = 68, "A kamikaze exploded.";
        OBELISKEXPLODE = 69, "An obelisk exploded.";
        OBELISKPAIN = 70, "An obelisk was hurt.";
        INVUL_IMPACT = 71, "Something hit a sphere of invulnerability.";
        JUICED = 72, "A sphere of invulnerability crushed somebody.";
        LIGHTNINGBOLT = 73, "A bolt of lightning was turned away by a sphere.";
        DEBUG_LINE = 74, "A line for authors of maps and mods.";
        STOPLOOPINGSOUND = 75, "The entity's sound ends.";
        TAUNT = 76, "A taunt.";
        TAUNT_YES = 77, "The sign \"yes\".";
        TAUNT_NO = 78, "The sign \"no\".";
        TAUNT_FOLLOWME = 79, "The sign \"follow me\".";
        TAUNT_GETFLAG = 80, "The sign \"get the flag\".";
        TAUNT_GUARDBASE = 81, "The sign \"guard the base\".";
        TAUNT_PATROL = 82, "The sign \"patrol\".";
        FOOTSTEP_SNOW = 83, "A step on snow; this and all that follow are OpenArena's.";
        FOOTSTEP_WOOD = 84, "A step on wood.";
        FOOTSTEP_SAND = 85, "A step on sand.";
        FOOTSTEP_GRAVEL = 86, "A step on gravel.";
        FOOTSTEP_FOILAGE = 87, "A step on leaves.";
        FOOTSTEP_ICE = 88, "A step on ice.";
        FOOTSTEP_GLASS = 89, "A step on glass.";
        BULLET_HIT_WOOD = 90, "A bullet hit wood.";
        BULLET_HIT_SAND = 91, "A bullet hit sand.";
        BULLET_HIT_SNOW = 92, "A bullet hit snow.";
        BULLET_HIT_GLASS = 93, "A bullet hit glass.";
    }
}

/// Event numbers of RatMod, which gives those from 83 on its own meanings.
pub mod rat_event {
    named_numbers! {
        MISSILE_TELEPORT = 83, "A missile went into or came out of a teleporter.";
        PING_LOCATION = 84, "A player points at a place; `generic1` says as what.";
        COIN_BOUNCE = 85, "A coin bounced.";
        FREEZE = 86, "A player turned to ice.";
        FOOTSLIDE = 87, "A player slides over the ground.";
        DAMAGEPLUM = 88, "Damage rises from a place; `time` holds it.";
        PUSH_NOTIFY = 89, "Somebody was pushed to death by `other_entity_num2`.";
        ANNOUNCE = 90, "Told to one player: 0 he wins, 1 he loses.";
    }
}

/// Powerups: indices of `PlayerState::powerups`, bits of `EntityState::powerups`.
pub mod powerup {
    numbers! { usize:
        QUAD = 1, "Quad damage.";
        BATTLESUIT = 2, "Battle suit: falls and splashes do not hurt.";
        HASTE = 3, "Faster feet and shots.";
        INVIS = 4, "Hardly visible.";
        REGEN = 5, "Health grows.";
        FLIGHT = 6, "Flying.";
        REDFLAG = 7, "Carries the red flag.";
        BLUEFLAG = 8, "Carries the blue flag.";
        NEUTRALFLAG = 9, "Carries the white flag.";
        SCOUT = 10, "A rune: faster, without armor.";
        GUARD = 11, "A rune: twice the health.";
        DOUBLER = 12, "A rune: twice the damage.";
        AMMOREGEN = 13, "A rune: rounds grow.";
        INVULNERABILITY = 14, "In a sphere of invulnerability.";
    }
}

/// Indices of `PlayerState::persistant`.
pub mod persistant {
    numbers! { usize:
        SCORE = 0, "Points.";
        HITS = 1, "Counts hits; down where a team mate was hit.";
        RANK = 2, "Place in the list, from 0; bit 0x4000 where it is shared.";
        TEAM = 3, "One of [`team`](super::team).";
        SPAWN_COUNT = 4, "Counts up with each spawn.";
        PLAYEREVENTS = 5, "Bits that flip with a \"denied\", \"holy shit\" and the like.";
        ATTACKER = 6, "Number of the last attacker.";
        ATTACKEE_ARMOR = 7, "Health in the high byte and armor in the low byte of the player who was hit last.";
        KILLED = 8, "How often the player was killed.";
        IMPRESSIVE_COUNT = 9, "Awards for two shots of the railgun in a row.";
        EXCELLENT_COUNT = 10, "Awards for two kills within two seconds.";
        DEFEND_COUNT = 11, "Awards for defending.";
        ASSIST_COUNT = 12, "Awards for helping with a capture.";
        GAUNTLET_FRAG_COUNT = 13, "Kills with the gauntlet.";
        CAPTURES = 14, "Flags captured.";
    }
}

/// Weapon numbers.
pub mod weapon {
    numbers! { i32:
        NONE = 0, "No weapon.";
        GAUNTLET = 1, "Gauntlet.";
        MACHINEGUN = 2, "Machine gun.";
        SHOTGUN = 3, "Shotgun.";
        GRENADE = 4, "Grenade launcher.";
        ROCKET = 5, "Rocket launcher.";
        LIGHTNING = 6, "Lightning gun.";
        RAIL = 7, "Railgun.";
        PLASMA = 8, "Plasma gun.";
        BFG = 9, "BFG.";
        HOOK = 10, "Grappling hook.";
        NAILGUN = 11, "Nailgun.";
        PROX = 12, "Proximity mine launcher.";
        CHAINGUN = 13, "Chaingun.";
    }

    /// First number above all of them.
    pub const COUNT: usize = 14;
}

/// What killed a player, as obituaries tell it; the base game's numbers.
pub mod means_of_death {
    numbers! { i32:
        UNKNOWN = 0, "Not known.";
        SHOTGUN = 1, "Pellets.";
        GAUNTLET = 2, "Gauntlet.";
        MACHINEGUN = 3, "Bullets.";
        GRENADE = 4, "A grenade that hit.";
        GRENADE_SPLASH = 5, "A grenade nearby.";
        ROCKET = 6, "A rocket that hit.";
        ROCKET_SPLASH = 7, "A rocket nearby.";
        PLASMA = 8, "A ball of plasma that hit.";
        PLASMA_SPLASH = 9, "A ball of plasma nearby.";
        RAILGUN = 10, "Railgun.";
        LIGHTNING = 11, "Lightning.";
        BFG = 12, "A ball of the BFG that hit.";
        BFG_SPLASH = 13, "A ball of the BFG nearby.";
        WATER = 14, "Drowned.";
        SLIME = 15, "Melted in slime.";
        LAVA = 16, "Burnt in lava.";
        CRUSH = 17, "Crushed by a mover.";
        TELEFRAG = 18, "Somebody appeared in the same place.";
        FALLING = 19, "Fell.";
        SUICIDE = 20, "By his own command.";
        TARGET_LASER = 21, "A laser of the map.";
        TRIGGER_HURT = 22, "A place of the map that kills.";
        GRAPPLE = 23, "The grappling hook.";
    }
}

/// Values of `g_gametype`; from 8 on only OpenArena has them.
pub mod gametype {
    numbers! { i32:
        TOURNAMENT = 1, "One against one.";
        TEAM = 3, "Team deathmatch.";
        CTF = 4, "Capture the flag.";
        ONE_FLAG_CTF = 5, "One flag between two bases.";
        OVERLOAD = 6, "An obelisk in each base to destroy.";
        HARVESTER = 7, "Skulls to carry to the other base.";
        ELIMINATION = 8, "Rounds between teams, one life each.";
        CTF_ELIMINATION = 9, "The same with flags.";
        LAST_MAN_STANDING = 10, "Everybody for himself, one life a round.";
        DOUBLE_DOMINATION = 11, "Two points to hold together.";
        DOMINATION = 12, "Points to hold.";
        POSSESSION = 13, "One flag to keep.";
    }

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
    numbers! { i32:
        NORMAL = 0, "Walks, jumps and falls.";
        NOCLIP = 1, "Flies through walls.";
        SPECTATOR = 2, "Flies, but not through walls.";
        DEAD = 3, "Only falls.";
        FREEZE = 4, "Stays and cannot turn.";
        INTERMISSION = 5, "Stays; the level is over.";
        SPINTERMISSION = 6, "The same in single player.";
    }
}

/// Bits of `PlayerState::pm_flags`.
pub mod pm_flags {
    numbers! { i32:
        DUCKED = 1, "Crouches.";
        JUMP_HELD = 2, "The jump key has not been let go since the last jump.";
        BACKWARDS_JUMP = 8, "The last jump went backwards.";
        BACKWARDS_RUN = 16, "Runs backwards.";
        TIME_LAND = 32, "`pm_time` is the time until the next jump after landing.";
        TIME_KNOCKBACK = 64, "`pm_time` is the time without control after a blow.";
        TIME_WATERJUMP = 256, "`pm_time` is the time without control on the way out of water.";
        RESPAWNED = 512, "The keys held at the spawn are still held.";
        USE_ITEM_HELD = 1024, "The key for the holdable is still held.";
        GRAPPLE_PULL = 2048, "A grappling hook pulls.";
        FOLLOW = 4096, "Sees through the eyes of another player.";
        SCOREBOARD = 8192, "The list of scores is shown.";
        INVULEXPAND = 16384, "A sphere of invulnerability grows around the player.";
        ELIMWARMUP = 32768, "OpenArena: a round has not begun, so weapons wait.";
    }
}

/// Team numbers.
pub mod team {
    numbers! { i32:
        FREE = 0, "No team.";
        RED = 1, "Red.";
        BLUE = 2, "Blue.";
        SPECTATOR = 3, "Only watches.";
    }
}

/// Numbers of configstrings that the game gives a meaning to.
pub mod configstring {
    numbers! { usize:
        MUSIC = 2, "Music of the level: intro and loop.";
        MESSAGE = 3, "Name of the level.";
        MOTD = 4, "The server's message of the day.";
        WARMUP = 5, "Server time at which the match begins; negative while players are missing.";
        SCORES1 = 6, "Points of the leader, or of the red team.";
        SCORES2 = 7, "Points of the second, or of the blue team.";
        VOTE_TIME = 8, "Server time at which a vote was called; empty without one.";
        VOTE_STRING = 9, "What the vote is about.";
        VOTE_YES = 10, "Votes for it.";
        VOTE_NO = 11, "Votes against it.";
        TEAM_VOTE_TIME = 12, "The first of two, for red and blue; so are the next three.";
        TEAM_VOTE_STRING = 14, "What a team's vote is about.";
        TEAM_VOTE_YES = 16, "Votes for it.";
        TEAM_VOTE_NO = 18, "Votes against it.";
        GAME_VERSION = 20, "Which game it is: `baseq3-1` of the base game.";
        LEVEL_START_TIME = 21, "Server time at which the level began.";
        INTERMISSION = 22, "`1` once the level is over.";
        FLAG_STATUS = 23, "Where the flags are, a digit each.";
        SHADER_STATE = 24, "Materials that the map exchanges for others.";
        ITEMS = 27, "A `1` for each item that the level has.";
        MODELS = 32, "The first model; `model_index` counts from here.";
        SOUNDS = 288, "The first sound; 0 is not used.";
        PLAYERS = 544, "The first player's name, model and team, by client number.";
        LOCATIONS = 608, "The first name of a place.";
        END = 736, "First number that no game uses.";
    }
}
