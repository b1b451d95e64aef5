//! What a player sets off by being somewhere: items, jump pads, teleporters.

use super::{
    items::{ItemKind, item},
    numbers::{entity_type, event, pm_type, powerup},
    numeric::Profile,
    pickup::{self, PickupRules},
    pmove::{Contact, add_predictable_event},
    ruleset::RuleSet,
    trajectory,
};
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
    /// When its item was foreseen to be taken.
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
    /// What keeps pickups from being foreseen.
    pub pickup: PickupRules,
    /// Pickups are foreseen at all (`cg_predictItems`).
    pub predict_items: bool,
    /// The time that the client shows.
    pub now: ServerTime,
}

/// What was set off besides changes to the player's state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The player stands in a teleporter and will be gone soon; where to, only the server knows.
    pub hyperspace: bool,
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
    if player.stats[0] <= 0 || !matches!(mode, pm_type::NORMAL | pm_type::SPECTATOR) {
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
            entity_type::TELEPORT_TRIGGER => touched.hyperspace = true,
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

/// Takes the item if that can be foreseen (`cg_predict.c`, `CG_TouchItem`).
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
    if !pickup::touches_item(player.origin, place)
        || trigger.taken_at == settings.now
        || !pickup::can_grab(settings.rules, pickup.gametype, entity, player)
        || !pickup::is_foreseeable(settings.rules, pickup, item, player)
    {
        return false;
    }
    add_predictable_event(player, event::ITEM_PICKUP, entity.model_index);
    if item.kind == ItemKind::Weapon {
        player.stats[settings.rules.stats.weapons] |= 1 << item.tag;
        let ammo = &mut player.ammo[usize::from(item.tag)];
        if *ammo == 0 {
            *ammo = 1;
        }
    }
    trigger.taken_at = settings.now;
    true
}
