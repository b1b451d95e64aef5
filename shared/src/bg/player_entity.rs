//! The entity that others would see of a player.

use super::{
    numbers::{entity_flags, entity_type, pm_type},
    numeric,
};
use crate::bg::ruleset::STAT_HEALTH;
use crate::types::{entitystate::EntityState, playerstate::PlayerState, trajectory::kind};
use glam::Vec3;

/// Health from which on there is no body left.
const GIB_HEALTH: i32 = -40;

/// How a server sends a player's path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Path {
    /// As places to go between.
    Interpolated,
    /// With its velocity, from this time on for 50 ms (`g_smoothClients`).
    ExtrapolatedFrom(i32),
}

/// Writes a player's state into the entity of that player (`bg_misc.c`, `BG_PlayerStateToEntityState`).
///
/// `events_shown` counts the player's events that the entity has shown; one more is shown by each call.
/// Servers `snap` places and angles to whole numbers, clients do not.
pub fn player_to_entity(
    player: &PlayerState,
    entity: &mut EntityState,
    events_shown: &mut i32,
    path: Path,
    snap: bool,
) {
    let snapped = |vector: Vec3| {
        if snap {
            vector.map(numeric::truncate_to_integer)
        } else {
            vector
        }
    };
    let health = player.stats[STAT_HEALTH];
    let mode = player.pm_type;
    let hidden = matches!(mode, pm_type::INTERMISSION | pm_type::SPECTATOR) || health <= GIB_HEALTH;
    entity.e_type = if hidden {
        entity_type::INVISIBLE
    } else {
        entity_type::PLAYER
    };
    // Client numbers are small; others would be the sender's mistake and name no entity.
    entity.number = u16::try_from(player.client_num).unwrap_or(0);
    entity.client_num = player.client_num;
    entity.pos.base = snapped(player.origin);
    entity.pos.delta = player.velocity;
    match path {
        Path::Interpolated => entity.pos.kind = kind::INTERPOLATE,
        Path::ExtrapolatedFrom(time) => {
            entity.pos.kind = kind::LINEAR_STOP;
            entity.pos.time = time;
            entity.pos.duration = 50;
        }
    }
    entity.apos.kind = kind::INTERPOLATE;
    entity.apos.base = snapped(player.view_angles);
    entity.angles2.y = player.movement_dir as f32;
    entity.legs_anim = player.legs_anim;
    entity.torso_anim = player.torso_anim;
    entity.weapon = player.weapon;
    entity.ground_entity_num = player.ground_entity_num;
    entity.loop_sound = player.loop_sound;
    entity.generic1 = player.generic1;
    entity.e_flags = player.e_flags & !entity_flags::DEAD;
    if health <= 0 {
        entity.e_flags |= entity_flags::DEAD;
    }
    show_event(player, entity, events_shown);
    entity.powerups = (0..16)
        .filter(|&powerup| player.powerups[powerup] != 0)
        .fold(0, |bits, powerup| bits | 1 << powerup);
}

fn show_event(player: &PlayerState, entity: &mut EntityState, events_shown: &mut i32) {
    if player.external_event != 0 {
        entity.event = player.external_event;
        entity.event_parm = player.external_event_parm;
    } else if *events_shown < player.event_sequence {
        // Only the last two events are kept.
        *events_shown = (*events_shown).max(player.event_sequence - 2);
        let slot = (*events_shown & 1) as usize;
        entity.event = player.events[slot] | (*events_shown & 3) << 8;
        entity.event_parm = player.event_parms[slot];
        *events_shown += 1;
    }
}
