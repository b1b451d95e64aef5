//! Events to sounds and effects: what happened, told by a number and a parameter.

use super::{
    effects::Puff,
    frame::{Frame, channel},
    voices::voice,
    weapons,
};
use crate::cg::{
    CGame,
    hud::{
        self,
        frag_feed::{self, Frag},
    },
    io::FiredEvent,
    media::{player_media::VOICES, roles},
    timeline::game_static::ClientInfo,
};
use glam::Vec3;
use shared::{
    base::time::ServerTime,
    bg::{
        items::{self, ItemKind},
        numbers::{entity_flags, entity_type, event as ev, persistant, powerup},
        trajectory,
    },
    types::entitystate::EntityState,
};

impl CGame {
    /// Fires the event of an entity if it has a new one.
    pub(in crate::cg) fn check_events(
        &mut self,
        number: i32,
        snap_time: ServerTime,
        frame: &mut Frame<'_>,
    ) {
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
    pub(in crate::cg) fn fire_event(
        &mut self,
        state: &EntityState,
        event: i32,
        parm: i32,
        at: Vec3,
        frame: &mut Frame<'_>,
    ) {
        if !self.was_foretold(state, event, frame) {
            self.note_and_show(state, event, parm, at, frame);
        }
    }

    /// Shows an event and writes down what came of it.
    pub(in crate::cg) fn note_and_show(
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
        if frame.settings.debug_events {
            let name = ev::name(event).unwrap_or("UNKNOWN");
            let text = format!("ent:{number:3}  event:{event:3} {name}\n");
            frame.output.printed.push(text);
        }
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
                // The cry stands for the pain.
                let faller = if is_viewed {
                    Some(&mut self.prediction.entity)
                } else {
                    self.entities.get_mut(number)
                };
                if let Some(entity) = faller {
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
            ev::TAUNT if frame.settings.taunts => self.voice(state, voice::TAUNT, frame),
            ev::TAUNT => {}
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
            ev::POWERUP_QUAD | ev::POWERUP_BATTLESUIT | ev::POWERUP_REGEN => {
                let (sound, power) = match event {
                    ev::POWERUP_QUAD => (sounds.quad_fire, powerup::QUAD),
                    ev::POWERUP_BATTLESUIT => (sounds.protect, powerup::BATTLESUIT),
                    _ => (sounds.regen, powerup::REGEN),
                };
                frame.start_on(number, channel::ITEM, sound);
                if is_viewed {
                    self.hud.note_powerup(power, frame.now);
                }
            }
            ev::STOPLOOPINGSOUND => {
                if let Some(entity) = self.entities.get_mut(number) {
                    entity.current.loop_sound = 0;
                }
            }
            _ => self.fire_hit_event(state, event, parm, at, frame),
        }
    }

    fn land(&mut self, is_viewed: bool, change: f32, frame: &Frame<'_>) {
        if is_viewed {
            self.motion.add_landing(change, frame.now);
        }
    }

    fn pick_up(&mut self, state: &EntityState, number: i32, frame: &mut Frame<'_>) {
        let (Some(item), Some(look)) = (items::item(number), self.media.item(number, frame.assets))
        else {
            return;
        };
        if !roles::is_known_item(number, !self.level.profile.is_open_arena()) {
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
        let is_team_round = self.level.has_rounds() && self.level.is_team_game();
        if is_team_round && frame.now.is_before(self.team_info.round_start) {
            return;
        }
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
        let sound = match VOICES.iter().position(|voice| *voice == name) {
            Some(voice) => self
                .players
                .get(state.client_num)
                .map(|looks| looks.voices[voice]),
            None => self.media.level_sound(parm),
        };
        let Some(sound) = sound else { return };
        if is_global {
            frame.start_local(channel, sound);
        } else {
            frame.start_on(i32::from(state.number), channel, sound);
        }
    }

    /// Tells the player whom he fragged, and the place that this brought him to.
    fn tell_frag(&mut self, state: &EntityState, victim: &str, frame: &Frame<'_>) {
        let is_mate = self.level.profile.is_open_arena() && state.generic1 != 0;
        let whom = if is_mate { "your TEAMMATE " } else { "" };
        let mut text = format!("You fragged {whom}{victim}^7");
        if let (false, Some(snap)) = (self.level.is_team_game(), &self.snapshots.snap) {
            let [rank, score] =
                [persistant::RANK, persistant::SCORE].map(|index| snap.player.persistant[index]);
            text = format!("{text}\n{}", hud::place_text(rank, score));
        }
        let size = match self.level.profile.is_open_arena() {
            true => frame.settings.frag_text_size,
            false => 1.0,
        };
        self.hud.tell_frag(&text, size, frame.now);
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
        let is_mate = is_open_arena && state.generic1 != 0;
        let killer_told = killer_name.as_ref().map(|name| match is_mate {
            true => format!("^1TEAMMATE^7 {name}"),
            false => name.clone(),
        });
        let looks = self.players.get(victim);
        let sex = looks
            .and_then(|looks| frame.assets.animation(looks.animation))
            .map(|config| config.sex)
            .unwrap_or_default();
        let text = super::obituary::text(
            &victim_name,
            sex,
            killer_told.as_deref(),
            victim == killer,
            state.event_parm,
            is_open_arena,
        );
        // The console keeps every death, wherever else it is told.
        let quiet = match frame.settings.obituary_output {
            1 => "",
            _ => crate::cg::timeline::server_commands::QUIET,
        };
        frame.output.printed.push(format!("{quiet}{text}\n"));
        self.hud.frags.add(Frag {
            at: frame.now,
            text,
            killer: killer_name.clone(),
            victim: victim_name.clone(),
            weapon: frag_feed::weapon_of(state.event_parm, &self.level),
        });
        if killer == frame.viewed_client && killer != victim {
            self.tell_frag(state, &victim_name, frame);
        }
        if victim == frame.viewed_client {
            self.hud.killer_name = killer_name.unwrap_or_default();
        }
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
