//! Who may take which item, and which takings a client predicts.

use super::{
    items::{Item, ItemKind, item},
    numbers::{gametype, persistant, powerup, team},
    ruleset::RuleSet,
};
use crate::types::{entitystate::EntityState, playerstate::PlayerState};
use glam::Vec3;

/// Most ammo of one sort.
const MAX_AMMO: i32 = 200;
const RED_FLAG: u8 = powerup::REDFLAG as u8;
const BLUE_FLAG: u8 = powerup::BLUEFLAG as u8;
const NEUTRAL_FLAG: u8 = powerup::NEUTRALFLAG as u8;

/// Whether the player may take the item entity (`bg_misc.c`, `BG_CanItemBeGrabbed`).
pub fn can_grab(
    rules: &RuleSet,
    gametype: i32,
    entity: &EntityState,
    player: &PlayerState,
) -> bool {
    let Some(item) = item(entity.model_index) else {
        return false;
    };
    let stats = &rules.stats;
    let max_health = player.stats[stats.max_health];
    let rune = rune(rules, player);
    match item.kind {
        ItemKind::Weapon | ItemKind::Powerup => true,
        ItemKind::Ammo => player.ammo[usize::from(item.tag)] < MAX_AMMO,
        ItemKind::Armor => {
            let limit = match rune {
                Some(powerup::SCOUT) => return false,
                Some(powerup::GUARD) => max_health,
                _ => max_health * 2,
            };
            player.stats[stats.armor] < limit
        }
        ItemKind::Health => {
            let large = matches!(item.quantity, 5 | 100) && rune != Some(powerup::GUARD);
            let limit = if large { max_health * 2 } else { max_health };
            player.stats[stats.health] < limit
        }
        ItemKind::Holdable => player.stats[stats.holdable_item] == 0,
        // All of RatMod's runes are for the server to give.
        ItemKind::Persistent if rules.ratmod => false,
        ItemKind::Coin => {
            let team = player.persistant[persistant::TEAM];
            match item.tag {
                3 => team == team::RED,
                4 => team == team::BLUE,
                _ => true,
            }
        }
        ItemKind::Persistent => can_grab_rune(rules, gametype, entity, player),
        ItemKind::Team => can_grab_team_item(rules, gametype, item, entity, player),
    }
}

/// The tag of the rune that the player carries, where runes keep one from taking things.
fn rune(rules: &RuleSet, player: &PlayerState) -> Option<usize> {
    let stat = (rules.stats.persistent_powerup).filter(|_| !rules.ratmod)?;
    item(player.stats[stat]).map(|item| usize::from(item.tag))
}

fn can_grab_rune(
    rules: &RuleSet,
    gametype: i32,
    entity: &EntityState,
    player: &PlayerState,
) -> bool {
    const RED_ONLY: i32 = 2;
    const BLUE_ONLY: i32 = 4;
    let Some(stat) = rules.stats.persistent_powerup else {
        return false;
    };
    let team = player.persistant[persistant::TEAM];
    player.stats[stat] == 0
        && (entity.generic1 & RED_ONLY == 0 || team == team::RED)
        && (entity.generic1 & BLUE_ONLY == 0 || team == team::BLUE)
        && !(rules.openarena && gametype == gametype::DOUBLE_DOMINATION)
}

fn can_grab_team_item(
    rules: &RuleSet,
    gametype: i32,
    item: &Item,
    entity: &EntityState,
    player: &PlayerState,
) -> bool {
    let team = player.persistant[persistant::TEAM];
    let carries = |powerup: usize| player.powerups[powerup] != 0;
    let dropped = entity.model_index2 != 0;
    let tag = item.tag;
    match gametype {
        gametype::CTF_ELIMINATION if !rules.openarena => false,
        gametype::CTF | gametype::CTF_ELIMINATION => match team {
            team::RED => {
                tag == BLUE_FLAG || (tag == RED_FLAG && (dropped || carries(powerup::BLUEFLAG)))
            }
            team::BLUE => {
                tag == RED_FLAG || (tag == BLUE_FLAG && (dropped || carries(powerup::REDFLAG)))
            }
            _ => false,
        },
        _ if !rules.team_arena => false,
        gametype::ONE_FLAG_CTF => {
            tag == NEUTRAL_FLAG
                || (carries(powerup::NEUTRALFLAG)
                    && matches!((team, tag), (team::RED, BLUE_FLAG) | (team::BLUE, RED_FLAG)))
        }
        gametype::HARVESTER => true,
        _ if !rules.openarena => false,
        gametype::DOUBLE_DOMINATION => matches!(tag, RED_FLAG | BLUE_FLAG),
        gametype::DOMINATION => tag == 3 || matches!((team, tag), (team::RED, 2) | (team::BLUE, 1)),
        // Treasure Hunter, as RatMod has it under this number.
        gametype::POSSESSION if rules.ratmod => {
            entity.generic1 != 0 && matches!((team, tag), (team::RED, 1) | (team::BLUE, 2))
        }
        gametype::POSSESSION => rules.openarena_master && tag == NEUTRAL_FLAG,
        _ => false,
    }
}

/// Whether a player here touches an item there (`bg_misc.c`, `BG_PlayerTouchesItem`).
pub fn touches_item(player_origin: Vec3, item_origin: Vec3) -> bool {
    touches_item_below(player_origin, item_origin, 36.0)
}

/// The same where the item may be farther below.
pub fn touches_item_below(player_origin: Vec3, item_origin: Vec3, max_above: f32) -> bool {
    let away = player_origin - item_origin;
    // The box is not symmetric, and neither is the server's.
    (-50.0..=44.0).contains(&away.x)
        && (-36.0..=36.0).contains(&away.y)
        && (-36.0..=max_above).contains(&away.z)
}

/// What keeps a client from predicting pickups, besides [`can_grab`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PickupRules {
    /// One of [`super::numbers::gametype`].
    pub gametype: i32,
    /// OpenArena's instant gib, all rockets and elimination: nothing lies around.
    pub no_pickup: bool,
    /// OpenArena's attack and defend: only the server knows who may take the flag.
    pub one_way: bool,
}

/// Whether the taking of this item can be predicted; if not, the server tells of it.
pub fn is_predictable(
    rules: &RuleSet,
    pickup: PickupRules,
    item: &Item,
    player: &PlayerState,
) -> bool {
    let team = player.persistant[persistant::TEAM];
    let flag = item.kind == ItemKind::Team;
    if rules.ratmod {
        return match pickup.gametype {
            gametype::CTF_ELIMINATION => !(flag && pickup.one_way),
            gametype::DOUBLE_DOMINATION => !(flag && matches!(item.tag, RED_FLAG | BLUE_FLAG)),
            _ => true,
        };
    }
    let own_flag = flag
        && matches!(
            (team, item.tag),
            (team::RED, RED_FLAG) | (team::BLUE, BLUE_FLAG)
        );
    let enemy_flag = flag
        && matches!(
            (team, item.tag),
            (team::RED, BLUE_FLAG) | (team::BLUE, RED_FLAG)
        );
    match pickup.gametype {
        gametype::ELIMINATION | gametype::LAST_MAN_STANDING if rules.openarena => false,
        _ if rules.openarena
            && (pickup.no_pickup || pickup.gametype == gametype::CTF_ELIMINATION) =>
        {
            enemy_flag && !pickup.one_way
        }
        gametype::CTF => !own_flag,
        gametype::ONE_FLAG_CTF => !flag || item.tag == NEUTRAL_FLAG,
        gametype::DOUBLE_DOMINATION if rules.openarena => {
            !(flag && matches!(item.tag, RED_FLAG | BLUE_FLAG))
        }
        _ => true,
    }
}
