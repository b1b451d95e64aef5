//! Events to sounds and effects: what happened, told by a number and a parameter.

use super::{
    Present,
    bodies::Figure,
    frame::{Frame, channel},
    hitscan::was_predicted,
    local_entities::Puff,
    notices::{Frag, weapon_of},
    selection,
    voices::{is_drowning, voice},
    weapons,
};
use crate::cg::{
    io::FiredEvent,
    media::{player_media::VOICES, roles},
    timeline::{GameEvent, game_static::ClientInfo, scores::place_text},
};
use glam::Vec3;
use shared::{
    base::text::SKIP_NOTIFY,
    bg::{
        items::{self, ItemKind},
        numbers::{event as ev, persistant, powerup, rat_event},
    },
    types::entitystate::EntityState,
};

impl Present {
    /// Shows and sounds one event, and notes what it did.
    pub(super) fn fire_event(&mut self, happened: &GameEvent, frame: &mut Frame<'_>) {
        if !was_predicted(happened, frame) {
            self.note_and_show(happened, frame);
        }
    }

    /// Shows an event and writes down what came of it.
    pub(super) fn note_and_show(&mut self, happened: &GameEvent, frame: &mut Frame<'_>) {
        let sounds = frame.sound.starts.len();
        let printed = frame.output.printed.len();
        self.local_entities.begun.clear();
        let fragments = self.fragments.begun;
        self.show_event(happened, frame);
        let mut effects = std::mem::take(&mut self.local_entities.begun);
        let pieces = self.fragments.begun.wrapping_sub(fragments);
        effects.extend(std::iter::repeat_n("fragment", pieces as usize));
        frame.output.events.push(FiredEvent {
            time: frame.now,
            entity_num: i32::from(happened.state.number),
            event: happened.event,
            parm: happened.parm,
            sounds: sounds..frame.sound.starts.len(),
            effects,
            printed: printed..frame.output.printed.len(),
        });
    }

    fn show_event(&mut self, happened: &GameEvent, frame: &mut Frame<'_>) {
        let GameEvent { state, .. } = happened;
        let (event, parm, at) = (happened.event, happened.parm, happened.at);
        let number = i32::from(state.number);
        let is_viewed = number == frame.viewed_client;
        self.event_counts.note(event);
        if frame.settings.debug_events {
            let name = event_name(event, frame).unwrap_or("UNKNOWN");
            let text = format!("ent:{number:3}  event:{event:3} {name}\n");
            frame.output.printed.push(text);
        }
        if frame.level.rat.is_some() && rat_event::name(event).is_some() {
            return self.rat_event(happened, frame);
        }
        let sounds = &self.media.sounds;
        match event {
            ev::FOOTSTEP
            | ev::FOOTSTEP_METAL
            | ev::FOOTSPLASH
            | ev::FOOTWADE
            | ev::SWIM
            | ev::FOOTSTEP_SNOW..=ev::FOOTSTEP_GLASS => self.step_sound(state, event, frame),
            ev::STEP_4..=ev::STEP_16 if is_viewed && frame.predicts => {
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
                if let Some(body) = self.bodies.of(number, frame.viewed_client) {
                    body.pain_time = Some(frame.now);
                }
                self.land(is_viewed, -24.0, frame);
            }
            ev::JUMP_PAD => {
                frame.start_at(at, -1, channel::VOICE, sounds.jump_pad);
                self.local_entities.add_puff(&Puff {
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
            ev::TAUNT if !frame.settings.no_taunt && !frame.input.is_muted(state.client_num) => {
                self.voice(state, voice::TAUNT, frame)
            }
            ev::TAUNT => {}
            ev::WATER_TOUCH => frame.start_on(number, channel::AUTO, sounds.water_in),
            ev::WATER_LEAVE => frame.start_on(number, channel::AUTO, sounds.water_out),
            ev::WATER_UNDER => frame.start_on(number, channel::AUTO, sounds.water_under),
            ev::WATER_CLEAR => self.voice(state, voice::GASP, frame),
            ev::ITEM_PICKUP => self.pick_up(state, parm, frame),
            ev::GLOBAL_ITEM_PICKUP => {
                let item = self.media.item(parm, frame.assets);
                frame.start_local(channel::AUTO, item.and_then(|item| item.pickup_sound));
            }
            ev::NOAMMO if is_viewed => {
                if frame.settings.switches_on_empty {
                    let player = &frame.predicted.player;
                    self.selection.out_of_ammo(player, frame.level, frame.now);
                }
            }
            ev::CHANGE_WEAPON => frame.start_on(number, channel::AUTO, sounds.change),
            ev::FIRE_WEAPON => self.fire_weapon(state, frame),
            ev::USE_ITEM0..=ev::USE_ITEM15 => self.use_item(state, event - ev::USE_ITEM0, frame),
            ev::ITEM_RESPAWN => {
                frame.start_on(number, channel::AUTO, sounds.respawn);
                if let Some(body) = self.bodies.get_mut(number) {
                    body.misc_time = frame.now;
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
                self.local_entities.add_teleport(at, &self.media, frame.now);
            }
            ev::GRENADE_BOUNCE => {
                let sound = frame.one_of([sounds.grenade_bounce1, sounds.grenade_bounce2]);
                frame.start_on(number, channel::AUTO, sound);
            }
            ev::GENERAL_SOUND => self.level_sound(state, parm, channel::VOICE, false, frame),
            ev::GLOBAL_SOUND => self.level_sound(state, parm, channel::AUTO, true, frame),
            ev::PAIN if !is_viewed => self.pain(state, parm, frame),
            ev::DEATH1..=ev::DEATH3 if is_drowning(frame, number, at) => {
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
                    self.notices.note_powerup(power, frame.now);
                }
            }
            // The timeline has dealt with it.
            ev::STOPLOOPINGSOUND => {}
            _ => self.fire_hit_event(happened, frame),
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
        if !roles::is_known_item(number, !frame.level.profile.is_open_arena()) {
            return;
        }
        let entity_num = i32::from(state.number);
        let sound = match item.kind {
            ItemKind::Powerup | ItemKind::Team => Some(self.media.sounds.powerup_pickup),
            ItemKind::Persistent => None,
            _ => look.pickup_sound,
        };
        frame.start_on(entity_num, channel::AUTO, sound);
        if entity_num != frame.viewed_client {
            return;
        }
        self.notices.note_pickup(number, frame.now);
        if item.kind == ItemKind::Weapon {
            // The prediction has it already; what the server told last has not.
            let weapon = i32::from(item.tag);
            let snap = frame.timeline.snap();
            let is_new =
                snap.is_none_or(|snap| !selection::owns(&snap.player, frame.level, weapon));
            self.selection
                .picked_up(weapon, is_new, frame.settings, frame.now);
        }
    }

    fn fire_weapon(&mut self, state: &EntityState, frame: &mut Frame<'_>) {
        let is_team_round = frame.level.has_rounds() && frame.level.is_team_game();
        if is_team_round && frame.now.is_before(frame.timeline.team_info().round_start) {
            return;
        }
        let number = i32::from(state.number);
        // The own weapon hangs on the predicted body, everybody else's on his entity.
        let Some(entity) = frame.entity(number) else {
            return;
        };
        if let Some(body) = self.bodies.of(number, frame.viewed_client) {
            weapons::fire(frame, &mut self.media, &mut Figure { entity, body });
            self.eject_brass(entity, frame);
        }
    }

    fn use_item(&mut self, state: &EntityState, holdable: i32, frame: &mut Frame<'_>) {
        let number = i32::from(state.number);
        let sound = match holdable {
            0 => Some(self.media.sounds.use_nothing),
            2 => Some(self.media.sounds.medkit),
            5 => Some(self.media.oa_sounds.shield),
            _ => None,
        };
        frame.start_on(number, channel::BODY, sound);
        if number == frame.viewed_client {
            let used = items::ITEMS
                .iter()
                .find(|item| item.kind == ItemKind::Holdable && i32::from(item.tag) == holdable);
            let text = used.map_or_else(
                || "No item to use".to_owned(),
                |item| format!("Use {}", item.name),
            );
            self.notices.center_print(&text, frame.now);
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
        let name = frame.level.sound_name(parm);
        let sound = match VOICES.iter().position(|voice| *voice == name) {
            Some(voice) => self
                .players
                .get(state.client_num)
                .map(|looks| looks.voices[voice]),
            None => self.media.level_sound(parm),
        };
        if is_global {
            frame.start_local(channel, sound);
        } else {
            frame.start_on(i32::from(state.number), channel, sound);
        }
    }

    /// Tells the player whom he fragged, and the place that this brought him to.
    fn tell_frag(&mut self, state: &EntityState, victim: &str, frame: &Frame<'_>) {
        let is_mate = frame.level.profile.is_open_arena() && state.generic1 != 0;
        let whom = if is_mate { "your TEAMMATE " } else { "" };
        let mut text = format!("You fragged {whom}{victim}^7");
        if let (false, Some(snap)) = (frame.level.is_team_game(), frame.timeline.snap()) {
            let [rank, score] =
                [persistant::RANK, persistant::SCORE].map(|index| snap.player.persistant[index]);
            text = format!("{text}\n{}", place_text(rank, score));
        }
        let size = match frame.level.profile.is_open_arena() {
            true => frame.settings.frag_text_size,
            false => 1.0,
        };
        self.notices.tell_frag(&text, size, frame.now);
    }

    fn obituary(&mut self, state: &EntityState, frame: &mut Frame<'_>) {
        let names = |client: i32| {
            frame
                .level
                .client(client)
                .map(|info: &ClientInfo| info.name.clone())
        };
        let (victim, killer) = (state.other_entity_num, state.other_entity_num2);
        let Some(victim_name) = names(victim) else {
            return;
        };
        let killer_name = names(killer).filter(|_| killer != victim);
        let is_open_arena = frame.level.profile.is_open_arena();
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
            _ => SKIP_NOTIFY,
        };
        frame.output.printed.push(format!("{quiet}{text}\n"));
        self.notices.frags.add(Frag {
            at: frame.now,
            text,
            killer: killer_name.clone(),
            victim: victim_name.clone(),
            weapon: weapon_of(state.event_parm, frame.level),
        });
        if killer == frame.viewed_client && killer != victim {
            self.tell_frag(state, &victim_name, frame);
        }
        if victim == frame.viewed_client {
            self.notices.killer_name = killer_name.unwrap_or_default();
        }
    }
}

/// What the server's game calls an event.
fn event_name(event: i32, frame: &Frame<'_>) -> Option<&'static str> {
    let own = frame.level.rat.and_then(|_| rat_event::name(event));
    own.or_else(|| ev::name(event))
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
