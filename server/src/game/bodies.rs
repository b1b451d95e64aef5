//! Bodies: what stays of the dead when they come back.

use super::{
    Game,
    combat::GIB_HEALTH,
    gentity::{BODIES, Class, Gentity, Think},
};
use crate::entity::Entity;
use glam::Vec3;
use shared::{
    bg::{
        numbers::{entity_flags, entity_type, event},
        pmove::animation::anim,
    },
    types::{limits::ENTITYNUM_NONE, trace::contents, trajectory::kind},
};

/// A body lies for so long, then sinks.
const LIE_MSEC: i32 = 5000;
/// It sinks a unit in so many milliseconds.
const SINK_MSEC: i32 = 100;
/// When it is gone.
const GONE_MSEC: i32 = 6500;

impl Game {
    /// Leaves a copy of a dead player where he lies.
    pub(super) fn leave_body(&mut self, client: usize) {
        self.world.unlink(client);
        let origin = self.world.entities[client].origin;
        if self.world.point_contents(origin, -1) & contents::NODROP != 0 {
            return;
        }
        let player = &self.players[client];
        let (health, velocity) = (player.health(), player.state.velocity);
        let number = BODIES.start + self.next_body;
        self.next_body = (self.next_body + 1) % BODIES.len();
        self.world.unlink(number);
        let dead = &self.world.entities[client];
        let mut state = dead.state;
        state.number = number as u16;
        state.e_flags = entity_flags::DEAD;
        state.powerups = 0;
        state.loop_sound = 0;
        state.event = 0;
        // The last frame of how he fell.
        let lying = match state.legs_anim & !anim::TOGGLE_BIT {
            0 | 1 => 1,
            2 | 3 => 3,
            _ => 5,
        };
        (state.torso_anim, state.legs_anim) = (lying, lying);
        if state.ground_entity_num == ENTITYNUM_NONE {
            state.pos.kind = kind::GRAVITY;
            state.pos.time = self.time;
            state.pos.delta = velocity;
        } else {
            state.pos.kind = kind::STATIONARY;
        }
        self.world.entities[number] = Entity {
            is_in_use: true,
            state,
            sv_flags: dead.sv_flags,
            mins: dead.mins,
            maxs: dead.maxs,
            contents: contents::CORPSE,
            origin: state.pos.base,
            owner: client as i32,
            ..Entity::free(number as u16)
        };
        self.gentities[number] = Gentity {
            class: Class::Body,
            is_kept: true,
            is_physical: true,
            clip_mask: contents::MASK_DEADSOLID,
            takes_damage: health > GIB_HEALTH,
            timestamp: self.time,
            ..Gentity::default()
        };
        self.think_in(number, Think::SinkBody, LIE_MSEC);
        self.world.link(number);
    }

    pub(super) fn sink_body(&mut self, at: usize) {
        if self.time - self.gentities[at].timestamp > GONE_MSEC {
            self.world.unlink(at);
            self.gentities[at].is_physical = false;
            return;
        }
        self.think_in(at, Think::SinkBody, SINK_MSEC);
        self.world.entities[at].state.pos.base -= Vec3::Z;
    }

    pub(super) fn gib_body(&mut self, at: usize) {
        self.add_event(at, event::GIB_PLAYER, 0);
        self.gentities[at].takes_damage = false;
        let entity = &mut self.world.entities[at];
        entity.state.e_type = entity_type::INVISIBLE;
        entity.contents = 0;
        self.world.link(at);
    }
}
