//! What a player sets off by being somewhere: items, jump pads, teleporters.

use super::{
    items::{ItemKind, item},
    numbers::{entity_type, event, pm_flags, pm_type, powerup},
    numeric::{Profile, angle_to_short},
    pickup::{self, PickupRules},
    pmove::{Contact, add_predictable_event},
    ratmod::{RatRules, rat_flags, rat_stats},
    ruleset::RuleSet,
    trajectory,
};
use crate::bg::ruleset::STAT_HEALTH;
use crate::{
    base::time::ServerTime,
    types::{
        entitystate::{EntityState, SOLID_BMODEL},
        playerstate::PlayerState,
    },
};
use glam::Vec3;

/// An entity that players set off, and when one foresaw that its item was taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trigger {
    /// As the snapshot has it.
    pub entity: EntityState,
    /// When its item was predicted to be taken.
    pub taken_at: ServerTime,
}

impl Trigger {
    /// The entity as a trigger; None if it is solid or of no matter to movement.
    pub fn from_entity(entity: &EntityState) -> Option<Self> {
        matches!(
            entity.e_type,
            entity_type::ITEM | entity_type::PUSH_TRIGGER | entity_type::TELEPORT_TRIGGER
        )
        .then(|| Self {
            entity: *entity,
            taken_at: ServerTime::default(),
        })
    }
}

/// What touching triggers needs to know about the server and the situation.
#[derive(Clone, Copy, Debug)]
pub struct TriggerSettings<'a> {
    /// The game's rules.
    pub rules: &'a RuleSet,
    /// How the server rounds.
    pub profile: Profile,
    /// What keeps pickups from being predicted.
    pub pickup: PickupRules,
    /// Pickups are predicted at all (`cg_predictItems`).
    pub predict_items: bool,
    /// The time that the client shows.
    pub now: ServerTime,
    /// What triggers of RatMod go by, where the server runs that.
    pub rat: Option<RatTriggers>,
}

/// What touching triggers of RatMod needs to know besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RatTriggers {
    /// What the server says.
    pub rules: RatRules,
    /// The view of the usercmd that was just run.
    pub command_angles: [u16; 3],
    /// A teleporter has taken the player since the last snapshot.
    pub was_teleported: bool,
    /// What a usercmd takes to the server and back.
    pub latency_msec: i32,
    /// A round has not begun, so that nothing is taken.
    pub waits_for_round: bool,
}

/// What was set off besides changes to the player's state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The player stands in a teleporter and will be gone soon; where to, only the server knows.
    pub hyperspace: bool,
    /// A teleporter has taken the player to its destination.
    pub teleported: bool,
    /// Numbers of item entities taken, which need not be drawn any more.
    pub taken: Vec<i32>,
}

/// Sets off the triggers at the player, after a move (`cg_predict.c`, `CG_TouchTriggerPrediction`).
///
/// `is_inside` tells whether a box at a place (origin, mins, maxs) is inside an inline model where the map
/// has it, for any contents.
pub fn touch_triggers(
    player: &mut PlayerState,
    contact: &Contact,
    triggers: &mut [Trigger],
    settings: &TriggerSettings<'_>,
    is_inside: &dyn Fn(i32, Vec3, [Vec3; 2]) -> bool,
) -> Touched {
    let mut touched = Touched::default();
    let mode = player.pm_type;
    if player.stats[STAT_HEALTH] <= 0 || !matches!(mode, pm_type::NORMAL | pm_type::SPECTATOR) {
        return touched;
    }
    for trigger in triggers {
        let entity = &trigger.entity;
        if entity.e_type == entity_type::ITEM && mode != pm_type::SPECTATOR {
            if settings.predict_items && take_item(player, trigger, settings) {
                touched.taken.push(i32::from(trigger.entity.number));
            }
            continue;
        }
        let model = entity.model_index;
        let bounds = [contact.mins, contact.maxs];
        if entity.solid != SOLID_BMODEL || model == 0 || !is_inside(model, player.origin, bounds) {
            continue;
        }
        match entity.e_type {
            entity_type::TELEPORT_TRIGGER => match settings.rat {
                Some(rat) if entity.generic1 != 0 && !rat.was_teleported && !touched.teleported => {
                    teleport(player, entity, &rat, settings.profile);
                    touched.teleported = true;
                }
                _ => touched.hyperspace = true,
            },
            entity_type::PUSH_TRIGGER => touch_jump_pad(player, entity, settings.profile),
            _ => {}
        }
    }
    leave_jump_pad(player);
    touched
}

/// Forgets the pad that the player was thrown by, once a move has not touched it.
pub fn leave_jump_pad(player: &mut PlayerState) {
    if player.jumppad_frame != player.pmove_framecount {
        player.jumppad_frame = 0;
        player.jumppad_ent = 0;
    }
}

/// Throws the player as the pad says (`bg_misc.c`, `BG_TouchJumpPad`).
pub fn touch_jump_pad(player: &mut PlayerState, pad: &EntityState, profile: Profile) {
    if player.pm_type != pm_type::NORMAL || player.powerups[powerup::FLIGHT] != 0 {
        return;
    }
    let number = i32::from(pad.number);
    if player.jumppad_ent != number {
        let pitch = profile.angle_normalize_180(profile.angles_of(pad.origin2).x);
        let steep = i32::from(pitch.abs() >= 45.0);
        add_predictable_event(player, event::JUMP_PAD, steep);
    }
    player.jumppad_ent = number;
    player.jumppad_frame = player.pmove_framecount;
    player.velocity = pad.origin2;
}

/// Takes the player to where a teleporter of RatMod says that it leads to.
fn teleport(player: &mut PlayerState, entity: &EntityState, rat: &RatTriggers, profile: Profile) {
    /// A pitch above this: view and velocity stay.
    const KEEPS_VIEW: f32 = 999_999.0;
    player.origin = entity.origin2 + Vec3::Z;
    if !rat.rules.movement.is_cpm() {
        let stats = &mut player.stats;
        stats[rat_stats::JUMP_TIME] = 0;
        // As the server has it: what is kept is the slide.
        stats[rat_stats::STATE] &= rat_stats::SLIDING;
        stats[rat_stats::SLIDE_TIME] = 0;
    }
    let angles = entity.angles2;
    if angles.x > KEEPS_VIEW {
        return;
    }
    player.velocity = profile.axes(angles).forward * 400.0;
    player.pm_time = 160;
    player.pm_flags |= pm_flags::TIME_KNOCKBACK;
    for axis in 0..3 {
        let told = i32::from(rat.command_angles[axis]);
        player.delta_angles[axis] = i32::from(angle_to_short(angles[axis])) - told;
    }
    player.view_angles = angles;
}

/// Whether RatMod's client predicts that this item can be taken now.
fn is_there(entity: &EntityState, rat: &RatTriggers, now: ServerTime) -> bool {
    /// A little more than the way to the server.
    const MARGIN_MSEC: i32 = 10;
    let appears_later = entity.time != 0 && ServerTime(entity.time).is_after(now);
    let reaches_server = now + (rat.latency_msec + MARGIN_MSEC);
    let is_gone = entity.time2 > 0 && !ServerTime(entity.time2).is_after(reaches_server);
    !(rat.waits_for_round || appears_later || is_gone)
}

/// Takes the item if that can be predicted (`cg_predict.c`, `CG_TouchItem`).
fn take_item(
    player: &mut PlayerState,
    trigger: &mut Trigger,
    settings: &TriggerSettings<'_>,
) -> bool {
    let entity = &trigger.entity;
    let place = trajectory::position(&entity.pos, settings.now, settings.profile);
    let pickup = settings.pickup;
    let Some(item) = item(entity.model_index) else {
        return false;
    };
    let rat = settings.rat;
    let is_high = rat.is_some_and(|rat| rat.rules.has(rat_flags::HIGH_PICKUP));
    let max_above = if is_high { 60.0 } else { 36.0 };
    if !pickup::touches_item_below(player.origin, place, max_above)
        || rat.is_some_and(|rat| !is_there(entity, &rat, settings.now))
        || trigger.taken_at == settings.now
        || !pickup::can_grab(settings.rules, pickup.gametype, entity, player)
        || !pickup::is_predictable(settings.rules, pickup, item, player)
    {
        return false;
    }
    add_predictable_event(player, event::ITEM_PICKUP, entity.model_index);
    if item.kind == ItemKind::Weapon {
        player.stats[settings.rules.stats.weapons] |= 1 << item.tag;
        let ammo = &mut player.ammo[usize::from(item.tag)];
        if rat.is_some() {
            *ammo = item.quantity.max(*ammo);
        } else if *ammo == 0 {
            *ammo = 1;
        }
    }
    trigger.taken_at = settings.now;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bg::{
        pmove::Contact,
        ratmod::Movement,
        ruleset::{OPENARENA_088, RATMOD},
    };

    fn living() -> PlayerState {
        let mut player = PlayerState::default();
        player.stats[0] = 100;
        player.stats[RATMOD.stats.max_health] = 100;
        player
    }

    fn touch(player: &mut PlayerState, entity: EntityState, rat: Option<RatTriggers>) -> Touched {
        let settings = TriggerSettings {
            rules: if rat.is_some() {
                &RATMOD
            } else {
                &OPENARENA_088
            },
            profile: Profile::Bytecode,
            pickup: PickupRules::default(),
            predict_items: true,
            now: ServerTime(1000),
            rat,
        };
        let mut triggers = [Trigger {
            entity,
            taken_at: ServerTime::default(),
        }];
        let contact = Contact::default();
        touch_triggers(player, &contact, &mut triggers, &settings, &|_, _, _| true)
    }

    fn item_below(number: i32, units: f32) -> EntityState {
        let mut entity = EntityState {
            e_type: entity_type::ITEM,
            model_index: number,
            ..EntityState::default()
        };
        entity.pos.base.z = -units;
        entity
    }

    fn rat(flags: i32) -> RatTriggers {
        RatTriggers {
            rules: RatRules {
                flags,
                movement: Movement::Vq3,
            },
            ..RatTriggers::default()
        }
    }

    #[test]
    fn ratmod_takes_items_from_higher_up() {
        let takes = |units, rat| {
            let touched = touch(&mut living(), item_below(2, units), rat);
            !touched.taken.is_empty()
        };
        let high = Some(rat(rat_flags::HIGH_PICKUP));
        assert!(takes(60.0, high) && !takes(60.5, high) && !takes(-36.5, high));
        assert!(takes(36.0, Some(rat(0))) && !takes(36.5, Some(rat(0))));
        assert!(takes(36.0, None) && !takes(36.5, None));
    }

    #[test]
    fn ratmod_takes_what_is_there_and_whole_magazines() {
        let mut player = living();
        player.ammo[5] = 3;
        touch(&mut player, item_below(12, 0.0), Some(rat(0)));
        assert_eq!(player.ammo[5], 10);
        let takes = |entity, rat| !touch(&mut living(), entity, Some(rat)).taken.is_empty();
        let vanishes = |at| EntityState {
            time2: at,
            ..item_below(61, 0.0)
        };
        let late = RatTriggers {
            latency_msec: 50,
            ..rat(0)
        };
        assert!(takes(vanishes(1061), late) && !takes(vanishes(1060), late));
        let waits = RatTriggers {
            waits_for_round: true,
            ..rat(0)
        };
        assert!(takes(item_below(62, 0.0), late) && !takes(item_below(62, 0.0), waits));
        // Only the red team takes a blue coin, and nobody a rune.
        assert!(!takes(item_below(65, 0.0), late) && !takes(item_below(42, 0.0), late));
    }

    #[test]
    fn ratmod_teleports_ahead_of_the_server() {
        let entrance = EntityState {
            e_type: entity_type::TELEPORT_TRIGGER,
            solid: SOLID_BMODEL,
            model_index: 1,
            origin2: Vec3::new(100.0, 200.0, 300.0),
            angles2: Vec3::new(0.0, 90.0, 0.0),
            generic1: 1,
            ..EntityState::default()
        };
        let view = RatTriggers {
            command_angles: [0, 100, 0],
            ..rat(0)
        };
        let mut player = living();
        player.stats[rat_stats::JUMP_TIME] = 400;
        let touched = touch(&mut player, entrance, Some(view));
        assert!(touched.teleported && !touched.hyperspace);
        assert_eq!(player.origin, Vec3::new(100.0, 200.0, 301.0));
        assert!(player.velocity.distance(Vec3::Y * 400.0) < 0.001);
        assert_eq!((player.pm_time, player.delta_angles[1]), (160, 16384 - 100));
        assert_eq!(player.stats[rat_stats::JUMP_TIME], 0);
        // Once in a replay, only where there is one destination, and only with RatMod.
        let once = RatTriggers {
            was_teleported: true,
            ..view
        };
        let many = EntityState {
            generic1: 0,
            ..entrance
        };
        for (entity, rat) in [(entrance, Some(once)), (many, Some(view)), (entrance, None)] {
            let mut player = living();
            let touched = touch(&mut player, entity, rat);
            assert!(touched.hyperspace && !touched.teleported);
            assert_eq!(player.origin, Vec3::ZERO);
        }
        let keeps = EntityState {
            angles2: Vec3::new(1e6, 0.0, 0.0),
            ..entrance
        };
        let mut player = living();
        touch(&mut player, keeps, Some(view));
        assert_eq!((player.pm_time, player.velocity), (0, Vec3::ZERO));
        assert_eq!(player.origin.z, 301.0);
    }
}
