//! Snapshots: when each client gets one, which entities it may know of, and what they are told against.

use crate::{
    cvars::Cvars,
    entity::{Entity, sv_flags},
    io::Peer,
    messages::start_message,
    server::{Level, Server},
    slot::{SentFrame, Slot, SlotState},
    world::World,
};
use glam::Vec3;
use shared::net::svc::PageDeltas;
use shared::types::{
    entitystate::EntityState,
    limits::{MAX_MAP_AREA_BYTES, MAX_SNAPSHOT_ENTITIES},
    packet_entities::PacketEntities,
    playerstate::PlayerState,
    snapshot::{Snapshot, flags},
};
use std::sync::Arc;

/// Bytes that a datagram costs beside its content.
const DATAGRAM_HEADER: i32 = 28;

/// What `sv_minRate` and `sv_maxRate` make of a client's rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RateLimits {
    least: i32,
    most: i32,
}

impl RateLimits {
    pub(crate) fn new(cvars: &Cvars) -> Self {
        /// Less is no limit to play with.
        const LOWEST: i32 = 1000;
        let value = |name| match cvars.integer(name) {
            0 => None,
            rate => Some(rate.max(LOWEST)),
        };
        Self {
            least: value("sv_minRate").unwrap_or(0),
            most: value("sv_maxRate").unwrap_or(i32::MAX),
        }
    }

    /// Where the two contradict each other, the least counts.
    fn apply(self, rate: i32) -> i32 {
        rate.min(self.most).max(self.least)
    }
}

impl Slot {
    /// Notes that the line is busy with what was sent.
    pub(crate) fn occupy_line(
        &mut self,
        now: i32,
        limits: RateLimits,
        bytes: usize,
        datagrams: usize,
    ) {
        let bytes = bytes as i32 + datagrams as i32 * DATAGRAM_HEADER;
        let msec = bytes.saturating_mul(1000) / limits.apply(self.rate).max(1);
        self.line_free_at = now.wrapping_add(msec);
    }
}

impl Server {
    /// Sends a snapshot to each client whose turn it is.
    pub(crate) fn send_snapshots(&mut self) {
        let mut told = None;
        for client in 0..self.slots.len() {
            let Some(slot) = &mut self.slots[client] else {
                continue;
            };
            if !slot.is_wire_known || slot.download.is_some() {
                continue;
            }
            let is_due = slot
                .last_snapshot_at
                .is_none_or(|at| self.now.wrapping_sub(at) >= slot.snapshot_msec);
            if !is_due {
                continue;
            }
            let is_busy = slot.line_free_at.wrapping_sub(self.now) > 0;
            if is_busy && slot.peer != Peer::Local {
                slot.is_rate_delayed = true;
                continue;
            }
            self.send_snapshot(client, &mut told);
        }
    }

    /// Sends a snapshot now. `told` lasts until an entity changes.
    pub(crate) fn send_snapshot(&mut self, client: usize, told: &mut Option<ToldEntities>) {
        let (Some(level), Some(slot)) = (&self.level, &mut self.slots[client]) else {
            return;
        };
        let message_num = slot.netchan.outgoing();
        let told = told.get_or_insert_with(|| ToldEntities::new(level.game.world()));
        let snapshot = Arc::new(build(level, slot, client, told));
        let base = slot.base();
        let mut writer = start_message(slot);
        writer.snapshot_of_many(
            &snapshot,
            base.as_deref(),
            &level.gamestate,
            &mut told.deltas,
        );
        *slot.frame_mut(message_num) = SentFrame {
            snapshot: Some(snapshot),
            sent_at: self.now,
            acked_at: None,
        };
        slot.last_snapshot_at = Some(self.now);
        slot.is_rate_delayed = false;
        self.send_message(client, writer);
    }
}

/// What clients may be told of at one time: the snapshots of all of them share it.
pub(crate) struct ToldEntities {
    states: Arc<[EntityState]>,
    /// Whose states they are: indices into the world's entities.
    of: Vec<usize>,
    deltas: PageDeltas,
}

impl ToldEntities {
    fn new(world: &World) -> Self {
        let is_told =
            |entity: &Entity| entity.is_linked() && entity.sv_flags & sv_flags::NO_CLIENT == 0;
        let told = world.entities.iter().enumerate();
        let told = told.filter(|(_, entity)| is_told(entity));
        let of: Vec<usize> = told.map(|(at, _)| at).collect();
        Self {
            states: of.iter().map(|&at| world.entities[at].state).collect(),
            of,
            deltas: PageDeltas::default(),
        }
    }
}

fn build(level: &Level, slot: &Slot, client: usize, told: &ToldEntities) -> Snapshot {
    let mut snapshot = Snapshot {
        message_num: slot.netchan.outgoing(),
        server_time: slot.told_time(level.time),
        flags: level.snapshot_flag,
        ..Snapshot::default()
    };
    if slot.is_rate_delayed {
        snapshot.flags |= flags::RATE_DELAYED;
    }
    if slot.state != SlotState::Active {
        snapshot.flags |= flags::NOT_ACTIVE;
    }
    let world = level.game.world();
    snapshot.area_len = (world.areas.count().div_ceil(8)).min(MAX_MAP_AREA_BYTES) as u8;
    let player = level
        .game
        .told_player(client)
        .filter(|_| slot.state == SlotState::Active);
    let Some(player) = player else {
        return snapshot;
    };
    let mut view = View::new(world, told, &player);
    let eye = player.origin + Vec3::Z * player.view_height as f32;
    view.add_visible(eye);
    snapshot.player = player;
    let seen = (0..).zip(view.seen);
    let seen = seen.filter_map(|(at, is_seen)| is_seen.then_some(at));
    snapshot.entities = PacketEntities::of_page(&told.states, seen.take(MAX_SNAPSHOT_ENTITIES));
    snapshot.area_mask = view.area_mask.map(|byte| !byte);
    let len = usize::from(snapshot.area_len);
    snapshot.area_mask[len..].fill(0);
    snapshot
}

/// What one client sees.
struct View<'a> {
    world: &'a World,
    viewer: i32,
    told: &'a ToldEntities,
    /// For each entity that may be told of.
    seen: Vec<bool>,
    /// A set bit marks an area that is connected.
    area_mask: [u8; MAX_MAP_AREA_BYTES],
}

impl<'a> View<'a> {
    fn new(world: &'a World, told: &'a ToldEntities, player: &PlayerState) -> Self {
        Self {
            world,
            viewer: player.client_num,
            told,
            seen: vec![false; told.of.len()],
            area_mask: [0; MAX_MAP_AREA_BYTES],
        }
    }

    /// Adds what is seen from a point, and from the other ends of portals that are seen there.
    fn add_visible(&mut self, from: Vec3) {
        let world = self.world;
        let leaf = world.map.leaf_of(from);
        for area in 0..world.areas.count().min(8 * MAX_MAP_AREA_BYTES) {
            if world.areas.are_connected(leaf.area, area as i32) {
                self.area_mask[area / 8] |= 1 << (area % 8);
            }
        }
        let mut portals = Vec::new();
        for (at, &number) in self.told.of.iter().enumerate() {
            let entity = &world.entities[number];
            let is_viewer = number as i32 == self.viewer;
            if is_viewer || self.seen[at] || !self.may_know(entity) {
                continue;
            }
            let is_broadcast = entity.sv_flags & sv_flags::BROADCAST != 0;
            if !is_broadcast && !is_visible(world, entity, leaf.cluster, leaf.area) {
                continue;
            }
            self.seen[at] = true;
            if !is_broadcast && entity.sv_flags & sv_flags::PORTAL != 0 {
                let range = entity.state.generic1 as f32;
                if range == 0.0 || entity.origin.distance(from) <= range {
                    portals.push(entity.state.origin2);
                }
            }
        }
        for portal in portals {
            self.add_visible(portal);
        }
    }

    fn may_know(&self, entity: &Entity) -> bool {
        let has = |flag| entity.sv_flags & flag != 0;
        match entity.single_client == self.viewer {
            true => !has(sv_flags::NOT_SINGLE_CLIENT),
            false => !has(sv_flags::SINGLE_CLIENT),
        }
    }
}

fn is_visible(world: &World, entity: &Entity, cluster: i32, area: i32) -> bool {
    let Some(link) = &entity.link else {
        return false;
    };
    let is_connected = |other| world.areas.are_connected(area, other);
    if !link.areas.into_iter().any(is_connected) || link.clusters.is_empty() {
        return false;
    }
    let sees = |to: &i32| world.map.cluster_sees(cluster, *to);
    if link.clusters.iter().any(sees) {
        return true;
    }
    // Those between the last that was kept and the last of all were not kept.
    let last_kept = link.clusters[link.clusters.len() - 1];
    link.last_cluster
        .is_some_and(|last| (last_kept..last).any(|cluster| sees(&cluster)))
}
