//! Events: what clients see and hear happen, as parts of entities and as entities of their own.

use super::{
    Game,
    gentity::{Think, snapped},
};
use crate::entity::{Entity, sv_flags};
use glam::Vec3;
use shared::bg::{
    numbers::{entity_flags, entity_type, event, event::NUMBER_MASK},
    player_entity::player_to_entity,
};

/// So long an event is told.
const EVENT_MSEC: i32 = 300;
/// The two bits that make repeats visible.
const COUNT_BITS: i32 = !NUMBER_MASK;
const COUNT_STEP: i32 = 0x100;

impl Game {
    /// Raises an event of an entity; of a player it is one that he did not predict.
    pub(super) fn add_event(&mut self, at: usize, number: i32, parm: i32) {
        let counted = |before: i32| ((before & COUNT_BITS) + COUNT_STEP) & COUNT_BITS | number;
        if number == event::NONE {
            return;
        }
        if let Some(player) = self.players.get_mut(at) {
            let state = &mut player.state;
            state.external_event = counted(state.external_event);
            state.external_event_parm = parm;
        } else {
            let state = &mut self.world.entities[at].state;
            state.event = counted(state.event);
            state.event_parm = parm;
        }
        self.gentities[at].event_at = self.time;
    }

    /// Makes an entity that is nothing but an event; None if there is no slot left.
    pub(super) fn temp_entity(&mut self, origin: Vec3, number: i32) -> Option<&mut Entity> {
        let at = self.spawn()?;
        self.gentities[at].event_at = self.time;
        self.gentities[at].is_freed_after_event = true;
        let entity = &mut self.world.entities[at];
        entity.state.e_type = entity_type::EVENTS + number;
        super::gentity::set_origin(entity, snapped(origin));
        self.world.link(at);
        Some(&mut self.world.entities[at])
    }

    /// An event that everybody hears, wherever it is.
    pub(super) fn broadcast(&mut self, origin: Vec3, number: i32, parm: i32) {
        if let Some(entity) = self.temp_entity(origin, number) {
            entity.state.event_parm = parm;
            entity.sv_flags |= sv_flags::BROADCAST;
        }
    }

    /// A sound at a place.
    pub(super) fn sound_at(&mut self, origin: Vec3, sound: i32) {
        if let Some(entity) = self.temp_entity(origin, event::GENERAL_SOUND) {
            entity.state.event_parm = sound;
        }
    }

    /// Ends events that were told long enough; false if the entity does nothing else in this frame.
    pub(super) fn age_event(&mut self, at: usize) -> bool {
        let gentity = &mut self.gentities[at];
        if self.time - gentity.event_at > EVENT_MSEC {
            let entity = &mut self.world.entities[at];
            if let Some(player) = self.players.get_mut(at) {
                player.state.external_event = 0;
            } else {
                entity.state.event = 0;
            }
            if gentity.is_freed_after_event {
                self.free(at);
                return false;
            }
            if gentity.is_unlinked_after_event {
                gentity.is_unlinked_after_event = false;
                self.world.unlink(at);
            }
        }
        let gentity = &self.gentities[at];
        let entity = &self.world.entities[at];
        !gentity.is_freed_after_event && (entity.is_linked() || !gentity.is_kept)
    }

    /// Tells others of a predicted event of a player that his entity has no room for.
    pub(super) fn send_pending_event(&mut self, client: usize) {
        let player = &mut self.players[client];
        if player.events_shown >= player.state.event_sequence {
            return;
        }
        let shown = player.events_shown;
        let number = player.state.events[(shown & 1) as usize] | (shown & 3) << 8;
        let mut told = player.state.clone();
        told.external_event = 0;
        let mut events_shown = player.events_shown;
        let path = self.path_of(client);
        let Some(entity) = self.temp_entity(told.origin, number) else {
            return;
        };
        let own_number = entity.state.number;
        player_to_entity(&told, &mut entity.state, &mut events_shown, path, true);
        entity.state.number = own_number;
        entity.state.e_type = entity_type::EVENTS + number;
        entity.state.e_flags |= entity_flags::PLAYER_EVENT;
        entity.state.other_entity_num = client as i32;
        entity.sv_flags |= sv_flags::NOT_SINGLE_CLIENT;
        entity.single_client = client as i32;
        self.players[client].events_shown = events_shown;
    }

    /// The number of a sound, the same for each use.
    pub(super) fn sound_index(&mut self, path: &str) -> i32 {
        self.media_index(shared::bg::numbers::configstring::SOUNDS, path)
    }

    /// The number of a model, the same for each use.
    pub(super) fn model_index(&mut self, path: &str) -> i32 {
        self.media_index(shared::bg::numbers::configstring::MODELS, path)
    }

    fn media_index(&mut self, first: usize, path: &str) -> i32 {
        /// Names of one sort.
        const MAX_NAMES: usize = 255;
        if path.is_empty() {
            return 0;
        }
        let names = self.media.entry(first).or_default();
        if let Some(found) = names.iter().position(|name| name == path) {
            return found as i32 + 1;
        }
        if names.len() >= MAX_NAMES {
            return 0;
        }
        names.push(path.to_owned());
        let number = names.len();
        self.set_configstring(first + number, path.to_owned());
        number as i32
    }

    /// Runs what an entity's time has come for.
    pub(super) fn run_think(&mut self, at: usize) {
        let gentity = &mut self.gentities[at];
        if gentity.think_at <= 0 || gentity.think_at > self.time {
            return;
        }
        gentity.think_at = 0;
        let think = gentity.think;
        match think {
            Think::Nothing | Think::EndWait => {}
            Think::Free => self.free(at),
            Think::FinishItem => self.finish_item(at),
            Think::RespawnItem => self.respawn_item(at),
            Think::ReturnFlag => self.return_flag_item(at),
            Think::Explode => self.explode_missile(at),
            Think::HookPull => self.pull_hook(at),
            Think::FreeHook => self.free_missile(at),
            Think::SinkBody => self.sink_body(at),
            Think::SetUpDoor => self.set_up_door(at),
            Think::ReturnMover => self.return_mover(at),
            Think::SetUpTrain => self.set_up_train(at),
            Think::BeginTrainLeg => self.begin_train_leg(at),
            Think::AimPad => self.aim_pad(at),
            Think::FireTargets => self.fire_delayed_targets(at),
            Think::TimerFires => self.fire_timer(at),
            Think::FireLaser => self.fire_laser(at),
            Think::StartLaser => self.start_laser(at),
            Think::LinkLocations => self.link_locations(),
            Think::SetUpPortal => self.set_up_portal(at),
            Think::AimShooter => self.aim_shooter(at),
        }
    }

    /// What waited to set off its targets; some do it only once.
    fn fire_delayed_targets(&mut self, at: usize) {
        let activator = self.gentities[at].activator.or(Some(at));
        self.use_targets(at, activator);
        if self.gentities[at].class == super::gentity::Class::Always {
            self.free(at);
        }
    }
}
