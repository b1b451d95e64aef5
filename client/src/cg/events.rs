//! Events to sounds and effects: what happened, told by a number and a parameter.

use super::{
    CGame,
    effects::{self, Effect, EffectKind, Puff},
    frame::{Frame, channel},
    io::FiredEvent,
    level::ClientInfo,
    marks::Stamp,
    media,
    player_media::VOICES,
    players, weapons,
};
use glam::Vec3;
use shared::{
    bg::{
        directions::direction_from_byte,
        items::{self, ItemKind},
        numbers::{entity_flags, entity_type, event as ev, weapon},
        random::Random,
        trajectory,
    },
    formats::animcfg::Footsteps as FootstepKind,
    types::{
        entitystate::EntityState,
        trace::{contents, surface},
    },
};

/// The own sounds of a player, by their place in [`VOICES`].
mod voice {
    pub const DEATH1: usize = 0;
    pub const JUMP: usize = 3;
    pub const PAIN25: usize = 4;
    pub const PAIN50: usize = 5;
    pub const PAIN75: usize = 6;
    pub const PAIN100: usize = 7;
    pub const GASP: usize = 9;
    pub const DROWN: usize = 10;
    pub const FALL: usize = 11;
    pub const TAUNT: usize = 12;
}

/// Pain is heard at most this often from one player.
const PAIN_MSEC: i32 = 500;

impl CGame {
    /// Fires the event of an entity if it has a new one.
    pub(super) fn check_events(&mut self, number: i32, snap_time: i32, frame: &mut Frame<'_>) {
        let Some(entity) = self.entities.get_mut(number) else {
            return;
        };
        let mut state = entity.current;
        let event = if state.e_type >= entity_type::EVENTS {
            if entity.previous_event != 0 {
                return;
            }
            entity.previous_event = 1;
            if state.e_flags & entity_flags::PLAYER_EVENT != 0 {
                state.number = u16::try_from(state.other_entity_num).unwrap_or(0);
            }
            state.e_type - entity_type::EVENTS
        } else {
            if state.event == entity.previous_event {
                return;
            }
            entity.previous_event = state.event;
            state.event & ev::NUMBER_MASK
        };
        if event == ev::NONE {
            return;
        }
        let at = trajectory::position_at(&state.pos, snap_time);
        entity.origin = at;
        self.fire_event(&state, event, state.event_parm, at, frame);
    }

    /// Shows and sounds one event, and notes what it did; `state` is the entity that it happened to.
    pub(super) fn fire_event(
        &mut self,
        state: &EntityState,
        event: i32,
        parm: i32,
        at: Vec3,
        frame: &mut Frame<'_>,
    ) {
        let sounds = frame.sound.starts.len();
        let printed = frame.output.printed.len();
        self.effects.begun.clear();
        let fragments = self.fragments.begun;
        self.show_event(state, event, parm, at, frame);
        let mut effects = std::mem::take(&mut self.effects.begun);
        let pieces = self.fragments.begun.wrapping_sub(fragments);
        effects.extend(std::iter::repeat_n("fragment", pieces as usize));
        frame.output.events.push(FiredEvent {
            time: frame.now,
            entity_num: i32::from(state.number),
            event,
            parm,
            sounds: sounds..frame.sound.starts.len(),
            effects,
            printed: printed..frame.output.printed.len(),
        });
    }

    fn show_event(
        &mut self,
        state: &EntityState,
        event: i32,
        parm: i32,
        at: Vec3,
        frame: &mut Frame<'_>,
    ) {
        let number = i32::from(state.number);
        let is_viewed = number == frame.viewed_client;
        self.event_counts.note(event);
        let sounds = &self.media.sounds;
        match event {
            ev::FOOTSTEP
            | ev::FOOTSTEP_METAL
            | ev::FOOTSPLASH
            | ev::FOOTWADE
            | ev::SWIM
            | ev::FOOTSTEP_SNOW..=ev::FOOTSTEP_GLASS => self.step_sound(state, event, frame),
            ev::STEP_4..=ev::STEP_16 if is_viewed && self.predicts(frame) => {
                self.motion
                    .add_step(((event - ev::STEP_4 + 1) * 4) as f32, frame.now);
            }
            ev::FALL_SHORT => {
                frame.start_on(number, channel::AUTO, sounds.land);
                self.land(is_viewed, -8.0, frame);
            }
            ev::FALL_MEDIUM => {
                self.voice(state, voice::PAIN100, frame);
                self.land(is_viewed, -16.0, frame);
            }
            ev::FALL_FAR => {
                self.voice(state, voice::FALL, frame);
                if let Some(entity) = self.entities.get_mut(number) {
                    entity.body.pain_time = Some(frame.now);
                }
                self.land(is_viewed, -24.0, frame);
            }
            ev::JUMP_PAD => {
                frame.start_at(at, -1, channel::VOICE, sounds.jump_pad);
                self.effects.add_puff(&Puff {
                    at,
                    velocity: Vec3::Z,
                    radius: 32.0,
                    start: frame.now,
                    life_msec: 1000,
                    shader: self.media.shaders.smoke_puff,
                    keeps_size: true,
                });
                self.voice(state, voice::JUMP, frame);
            }
            ev::JUMP => self.voice(state, voice::JUMP, frame),
            ev::TAUNT => self.voice(state, voice::TAUNT, frame),
            ev::WATER_TOUCH => frame.start_on(number, channel::AUTO, sounds.water_in),
            ev::WATER_LEAVE => frame.start_on(number, channel::AUTO, sounds.water_out),
            ev::WATER_UNDER => frame.start_on(number, channel::AUTO, sounds.water_under),
            ev::WATER_CLEAR => self.voice(state, voice::GASP, frame),
            ev::ITEM_PICKUP => self.pick_up(state, parm, frame),
            ev::GLOBAL_ITEM_PICKUP => {
                if let Some(sound) = self
                    .media
                    .item(parm, frame.assets)
                    .and_then(|item| item.pickup_sound)
                {
                    frame.start_local(channel::AUTO, sound);
                }
            }
            ev::NOAMMO if is_viewed => {
                let player = self.prediction.player.clone();
                if frame.settings.switches_on_empty {
                    self.selection.out_of_ammo(&player, &self.level, frame.now);
                }
            }
            ev::CHANGE_WEAPON => frame.start_on(number, channel::AUTO, sounds.change),
            ev::FIRE_WEAPON => self.fire_weapon(state, frame),
            ev::USE_ITEM0..=ev::USE_ITEM15 => self.use_item(state, event - ev::USE_ITEM0, frame),
            ev::ITEM_RESPAWN => {
                frame.start_on(number, channel::AUTO, sounds.respawn);
                if let Some(entity) = self.entities.get_mut(number) {
                    entity.misc_time = frame.now;
                }
            }
            ev::ITEM_POP => frame.start_on(number, channel::AUTO, sounds.respawn),
            ev::PLAYER_TELEPORT_IN | ev::PLAYER_TELEPORT_OUT => {
                let sound = if event == ev::PLAYER_TELEPORT_IN {
                    sounds.teleport_in
                } else {
                    sounds.teleport_out
                };
                frame.start_at(at, number, channel::AUTO, sound);
                self.effects.add_teleport(at, &self.media, frame.now);
            }
            ev::GRENADE_BOUNCE => {
                let sound = if frame.random.below(2) == 0 {
                    sounds.grenade_bounce1
                } else {
                    sounds.grenade_bounce2
                };
                frame.start_on(number, channel::AUTO, sound);
            }
            ev::GENERAL_SOUND => self.level_sound(state, parm, channel::VOICE, false, frame),
            ev::GLOBAL_SOUND => self.level_sound(state, parm, channel::AUTO, true, frame),
            ev::PAIN if !is_viewed => self.pain(state, parm, frame),
            ev::DEATH1..=ev::DEATH3 if self.is_drowning(number, at) => {
                self.voice(state, voice::DROWN, frame)
            }
            ev::DEATH1..=ev::DEATH3 => {
                self.voice(state, voice::DEATH1 + (event - ev::DEATH1) as usize, frame)
            }
            ev::OBITUARY => self.obituary(state, frame),
            ev::POWERUP_QUAD => frame.start_on(number, channel::ITEM, sounds.quad_fire),
            ev::POWERUP_BATTLESUIT => frame.start_on(number, channel::ITEM, sounds.protect),
            ev::POWERUP_REGEN => frame.start_on(number, channel::ITEM, sounds.regen),
            ev::STOPLOOPINGSOUND => {
                if let Some(entity) = self.entities.get_mut(number) {
                    entity.current.loop_sound = 0;
                }
            }
            _ => self.fire_hit_event(state, event, parm, at, frame),
        }
    }

    /// Events of shots that end somewhere; any other number is counted and ignored.
    fn fire_hit_event(
        &mut self,
        state: &EntityState,
        event: i32,
        parm: i32,
        at: Vec3,
        frame: &mut Frame<'_>,
    ) {
        let normal = direction_from_byte(parm);
        match event {
            ev::MISSILE_HIT => {
                self.effects
                    .add_blood(at, state.other_entity_num, &self.media, frame);
                if matches!(
                    state.weapon,
                    weapon::GRENADE
                        | weapon::ROCKET
                        | weapon::NAILGUN
                        | weapon::PROX
                        | weapon::CHAINGUN
                ) {
                    self.impact(state.weapon, at, normal, None, frame);
                }
            }
            ev::MISSILE_MISS | ev::MISSILE_MISS_METAL => {
                self.impact(state.weapon, at, normal, None, frame)
            }
            ev::BULLET_HIT_WALL | ev::BULLET_HIT_WOOD..=ev::BULLET_HIT_GLASS => {
                self.bullet_way(state.other_entity_num, at, frame);
                self.impact(weapon::MACHINEGUN, at, normal, None, frame);
            }
            ev::BULLET_HIT_FLESH => {
                self.bullet_way(state.other_entity_num, at, frame);
                self.effects.add_blood(at, parm, &self.media, frame);
            }
            ev::RAILTRAIL => {
                let color = self
                    .level
                    .client(state.client_num)
                    .map_or(Vec3::ONE, |info| info.colors[0]);
                self.add_rail(state.origin2, at, state.client_num, frame);
                if parm != 255 {
                    self.impact(weapon::RAIL, at, normal, Some(color), frame);
                }
            }
            ev::SHOTGUN => self.shotgun(state, parm, frame),
            ev::OBELISKEXPLODE => {
                let kind = EffectKind::SpriteExplosion { rotation_deg: 0.0 };
                let mut effect = Effect::new(kind, at + Vec3::Z * 64.0, frame.now, 600);
                effect.light = 300.0;
                effect.light_color = [1.0, 0.75, 0.0];
                effect.shader = self
                    .media
                    .weapon(weapon::ROCKET, frame.assets)
                    .and_then(|look| look.impact_shader);
                self.effects.add(effect);
            }
            _ => self.fire_special_event(state, event, parm, at, frame),
        }
    }

    fn impact(
        &mut self,
        number: i32,
        at: Vec3,
        normal: Vec3,
        tint: Option<Vec3>,
        frame: &mut Frame<'_>,
    ) {
        effects::add_impact(
            &mut self.effects,
            &mut self.media,
            frame,
            number,
            at,
            normal,
            tint,
        );
        self.mark(number, at, normal, tint, frame);
    }

    /// The hole or burn of a shot.
    fn mark(
        &mut self,
        number: i32,
        at: Vec3,
        normal: Vec3,
        tint: Option<Vec3>,
        frame: &mut Frame<'_>,
    ) {
        // The lightning gun's own hits come without a weapon.
        let number = if number == 0 {
            weapon::LIGHTNING
        } else {
            number
        };
        let Some((shader, impact)) = self
            .media
            .weapon(number, frame.assets)
            .and_then(|look| Some((look.impact_mark?, &look.look.impact)))
        else {
            return;
        };
        if frame.settings.marks {
            let stamp = Stamp {
                shader,
                at,
                normal,
                turn_deg: frame.chance() * 360.0,
                radius: impact.mark_radius,
                color: tint.unwrap_or(Vec3::ONE),
                is_energy: impact.mark_fades_alpha,
            };
            self.marks.add(stamp, frame.now);
        }
    }

    fn land(&mut self, is_viewed: bool, change: f32, frame: &Frame<'_>) {
        if is_viewed {
            self.motion.add_landing(change, frame.now);
        }
    }

    /// One of a player's own sounds.
    fn voice(&mut self, state: &EntityState, index: usize, frame: &mut Frame<'_>) {
        if let Some(looks) = self.players.get(state.client_num) {
            frame.start_on(i32::from(state.number), channel::VOICE, looks.voices[index]);
        }
    }

    fn pain(&mut self, state: &EntityState, health: i32, frame: &mut Frame<'_>) {
        let Some(entity) = self.entities.get_mut(i32::from(state.number)) else {
            return;
        };
        let body = &mut entity.body;
        if body
            .pain_time
            .is_some_and(|since| (0..PAIN_MSEC).contains(&(frame.now - since)))
        {
            return;
        }
        body.pain_time = Some(frame.now);
        body.pain_is_left = !body.pain_is_left;
        self.cry(state, health, frame);
    }

    /// Pain by how much health is left, or what is heard of it under water.
    fn cry(&mut self, state: &EntityState, health: i32, frame: &mut Frame<'_>) {
        let number = i32::from(state.number);
        let at = if number == frame.viewed_client {
            self.prediction.player.origin
        } else {
            self.entities
                .get(number)
                .map_or(Vec3::ZERO, |entity| entity.origin)
        };
        if !self.is_drowning(number, at) {
            return self.voice(state, pain_voice(health), frame);
        }
        let sounds = &self.media.sounds;
        let sound = if frame.random.below(2) == 0 {
            sounds.gurp1
        } else {
            sounds.gurp2
        };
        frame.start_on(number, channel::VOICE, sound);
    }

    /// Whether a player is all under water; OpenArena looks at the eyes alone.
    fn is_drowning(&self, number: i32, at: Vec3) -> bool {
        let height = self
            .entities
            .get(number)
            .map_or(26.0, |entity| players::eye_height(&entity.current));
        let heights: &[f32] = if self.level.profile.is_open_arena() {
            &[height]
        } else {
            &[-23.0, (height + 24.0) / 2.0 - 24.0, height]
        };
        heights
            .iter()
            .all(|&z| self.contents_at(at + Vec3::Z * z) & contents::MASK_WATER != 0)
    }

    /// The own pain comes from the own health, not from an event.
    pub(super) fn own_pain(&mut self, state: &EntityState, health: i32, frame: &mut Frame<'_>) {
        let body = &mut self.prediction.entity.body;
        if body
            .pain_time
            .is_some_and(|since| (0..PAIN_MSEC).contains(&(frame.now - since)))
        {
            return;
        }
        body.pain_time = Some(frame.now);
        self.cry(state, health, frame);
    }

    fn step_sound(&mut self, state: &EntityState, event: i32, frame: &mut Frame<'_>) {
        if !frame.settings.footsteps {
            return;
        }
        let steps = &self.media.footsteps;
        let four = match event {
            ev::FOOTSTEP_METAL => &steps.metal,
            // The newer game tells the ground too; its samples are not in the paks.
            ev::FOOTSTEP | ev::FOOTSTEP_SNOW..=ev::FOOTSTEP_GLASS => {
                let looks = self.players.get(state.client_num);
                let kind = looks
                    .and_then(|looks| frame.assets.animation(looks.animation))
                    .map(|config| config.footsteps);
                match kind.unwrap_or_default() {
                    FootstepKind::Normal => &steps.normal,
                    FootstepKind::Boot => &steps.boot,
                    FootstepKind::Flesh => &steps.flesh,
                    FootstepKind::Mech => &steps.mech,
                    FootstepKind::Energy => &steps.energy,
                }
            }
            _ => &steps.splash,
        };
        let sound = four[frame.random.below(4)];
        frame.start_on(i32::from(state.number), channel::BODY, sound);
    }

    fn pick_up(&mut self, state: &EntityState, number: i32, frame: &mut Frame<'_>) {
        let (Some(item), Some(look)) = (items::item(number), self.media.item(number, frame.assets))
        else {
            return;
        };
        if !media::is_known_item(number, !self.level.profile.is_open_arena()) {
            return;
        }
        let entity_num = i32::from(state.number);
        let sound = match item.kind {
            ItemKind::Powerup | ItemKind::Team => Some(self.media.sounds.powerup_pickup),
            ItemKind::Persistent => None,
            _ => look.pickup_sound,
        };
        if let Some(sound) = sound {
            frame.start_on(entity_num, channel::AUTO, sound);
        }
        if entity_num != frame.viewed_client {
            return;
        }
        self.hud.note_pickup(number, frame.now);
        if item.kind == ItemKind::Weapon {
            // The prediction has it already; what the server told last has not.
            let weapon = i32::from(item.tag);
            let snap = self.snapshots.snap.as_ref();
            let is_new =
                snap.is_none_or(|snap| !super::selection::owns(&snap.player, &self.level, weapon));
            self.selection
                .picked_up(weapon, is_new, frame.settings, frame.now);
        }
    }

    fn fire_weapon(&mut self, state: &EntityState, frame: &mut Frame<'_>) {
        let number = i32::from(state.number);
        let media = &mut self.media;
        // The own weapon hangs on the predicted body, everybody else's on his entity.
        let shooter = if number == frame.viewed_client {
            weapons::fire(frame, media, &mut self.prediction.entity);
            Some(self.prediction.entity.clone())
        } else {
            self.entities.get_mut(number).map(|entity| {
                weapons::fire(frame, media, entity);
                entity.clone()
            })
        };
        if let Some(shooter) = shooter {
            self.eject_brass(&shooter, frame);
        }
    }

    fn use_item(&mut self, state: &EntityState, holdable: i32, frame: &mut Frame<'_>) {
        let number = i32::from(state.number);
        match holdable {
            0 => frame.start_on(number, channel::BODY, self.media.sounds.use_nothing),
            2 => frame.start_on(number, channel::BODY, self.media.sounds.medkit),
            5 => frame.start_on(number, channel::BODY, self.media.oa_sounds.shield),
            _ => {}
        }
        if number == frame.viewed_client {
            let used = items::ITEMS
                .iter()
                .find(|item| item.kind == ItemKind::Holdable && i32::from(item.tag) == holdable);
            let text = used.map_or_else(
                || "No item to use".to_owned(),
                |item| format!("Use {}", item.name),
            );
            self.hud.center_print(&text, frame.now);
        }
    }

    /// A sound of the map or server; names with a star are the player's own.
    fn level_sound(
        &mut self,
        state: &EntityState,
        parm: i32,
        channel: u8,
        is_global: bool,
        frame: &mut Frame<'_>,
    ) {
        let name = self.level.sound_name(parm);
        if let Some(index) = VOICES.iter().position(|voice| *voice == name) {
            self.voice(state, index, frame);
            return;
        }
        let Some(sound) = self.media.level_sound(parm) else {
            return;
        };
        if is_global {
            frame.start_local(channel, sound);
        } else {
            frame.start_on(i32::from(state.number), channel, sound);
        }
    }

    /// Eleven pellets from a seed, as the server computed them.
    fn shotgun(&mut self, state: &EntityState, seed: i32, frame: &mut Frame<'_>) {
        const PELLETS: usize = 11;
        const SPREAD: f32 = 700.0 * 16.0;
        let from = state.pos.base;
        let Some(forward) = state.origin2.try_normalize() else {
            return;
        };
        let shader = self.media.shaders.shotgun_puff;
        self.effects.add_puff(&Puff {
            at: from,
            velocity: forward * 32.0 + Vec3::Z * 8.0,
            radius: 32.0,
            start: frame.now,
            life_msec: 900,
            shader,
            keeps_size: true,
        });
        let right = super::angles::perpendicular(forward);
        let up = forward.cross(right);
        let mut random = Random(seed);
        for _ in 0..PELLETS {
            let across = random.centred() * SPREAD;
            let upward = random.centred() * SPREAD;
            let end = from + forward * 131_072.0 + right * across + up * upward;
            let hit = self.trace(from, end, state.other_entity_num, contents::MASK_SHOT);
            self.shot_bubbles(from, hit.end, frame);
            if hit.surface_flags & surface::NOIMPACT != 0 || hit.fraction == 1.0 {
                continue;
            }
            let is_player = self.entities.get(hit.entity_num).is_some_and(|entity| {
                hit.entity_num < 1022 && entity.current.e_type == entity_type::PLAYER
            });
            if is_player {
                self.effects
                    .add_blood(hit.end, hit.entity_num, &self.media, frame);
            } else {
                self.impact(weapon::SHOTGUN, hit.end, hit.plane.normal, None, frame);
            }
        }
    }

    fn obituary(&mut self, state: &EntityState, frame: &mut Frame<'_>) {
        let names = |client: i32| {
            self.level
                .client(client)
                .map(|info: &ClientInfo| info.name.clone())
        };
        let (victim, killer) = (state.other_entity_num, state.other_entity_num2);
        let Some(victim_name) = names(victim) else {
            return;
        };
        let killer_name = names(killer).filter(|_| killer != victim);
        let is_open_arena = self.level.profile.is_open_arena();
        let text = super::obituary::text(
            &victim_name,
            killer_name.as_deref(),
            victim == killer,
            state.event_parm,
            is_open_arena,
        );
        frame.output.printed.push(format!("{text}\n"));
        if killer == frame.viewed_client && killer != victim {
            self.hud
                .center_print(&format!("You fragged {victim_name}^7"), frame.now);
        }
        if victim == frame.viewed_client
            && let Some(killer_name) = killer_name
        {
            self.hud.killer_name = killer_name;
        }
    }
}

fn pain_voice(health: i32) -> usize {
    match health {
        ..25 => voice::PAIN25,
        25..50 => voice::PAIN50,
        50..75 => voice::PAIN75,
        _ => voice::PAIN100,
    }
}

/// How often each event was seen, and numbers that no game sends.
#[derive(Clone, Debug, Default)]
pub struct EventCounts {
    pub fired: u64,
    pub unknown: u64,
}

impl EventCounts {
    fn note(&mut self, event: i32) {
        self.fired += 1;
        if ev::name(event).is_none() {
            self.unknown += 1;
        }
    }
}
