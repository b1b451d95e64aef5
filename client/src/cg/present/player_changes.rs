//! What changed from one playerstate to the next: respawn, damage, events, sounds.

use super::{
    Present,
    announcer::Medal,
    frame::{Frame, channel},
};
use crate::cg::timeline::{GameEvent, entities::entity_of_player, player_change::PlayerChange};
use shared::{
    bg::numbers::{configstring as cs, event as ev, persistant as pers, pm_type, powerup, team},
    types::{entitystate::EntityState, playerstate::PlayerState},
};

impl Present {
    /// Shows what is new about the player.
    pub fn show_change(&mut self, change: &PlayerChange<'_>, frame: &mut Frame<'_>) {
        let PlayerChange { old, new, .. } = *change;
        if change.was_hurt {
            self.motion.add_damage(new, change.health, frame.now);
            self.notices
                .note_attack(frame.now, self.motion.damage_at[0]);
        }
        if change.respawned {
            self.respawn(new.weapon, frame);
        }
        let is_watching = matches!(new.pm_type, pm_type::INTERMISSION | pm_type::SPINTERMISSION)
            || new.persistant[pers::TEAM] == team::SPECTATOR
            || new.persistant[pers::TEAM] != old.persistant[pers::TEAM];
        if !is_watching {
            self.feedback(old, new, frame);
        }
        self.player_events(old, new, frame);
        if new.view_height != old.view_height {
            self.motion
                .add_duck((new.view_height - old.view_height) as f32, frame.now);
        }
    }

    /// The player begins anew somewhere.
    pub(super) fn respawn(&mut self, weapon: i32, frame: &Frame<'_>) {
        self.selection.set(weapon, frame.now);
        self.motion.reset();
    }

    /// Sounds that tell the player about himself.
    fn feedback(&mut self, old: &PlayerState, new: &PlayerState, frame: &mut Frame<'_>) {
        let change = |index: usize| new.persistant[index] - old.persistant[index];
        match change(pers::HITS) {
            _ if !frame.settings.hit_sound => {}
            1.. if frame.level.rat.is_some() => {
                frame.start_local(channel::LOCAL_SOUND, self.hit_sound(old, new));
            }
            1.. => frame.start_local(channel::LOCAL_SOUND, self.media.sounds.hit),
            ..0 => frame.start_local(channel::LOCAL_SOUND, self.media.sounds.hit_team),
            0 => {}
        }
        let health = frame.level.stats.health;
        if new.stats[health] < old.stats[health] - 1 && new.stats[health] > 0 {
            let state = entity_of_player(new, &frame.predicted.entity.current);
            self.own_pain(&state, new.stats[health], frame);
        }
        if frame.level.is_intermission {
            return;
        }
        let (feedback, icons) = (&self.media.feedback, &self.media.shaders);
        let medals = [
            (pers::CAPTURES, feedback.capture, icons.medal_capture),
            (
                pers::IMPRESSIVE_COUNT,
                feedback.impressive,
                icons.medal_impressive,
            ),
            (
                pers::EXCELLENT_COUNT,
                feedback.excellent,
                icons.medal_excellent,
            ),
            (
                pers::GAUNTLET_FRAG_COUNT,
                feedback.humiliation,
                icons.medal_gauntlet,
            ),
            (pers::DEFEND_COUNT, feedback.defend, icons.medal_defend),
            (pers::ASSIST_COUNT, feedback.assist, icons.medal_assist),
        ];
        let mut is_rewarded = false;
        for (index, sound, icon) in medals {
            let is_told = index != pers::EXCELLENT_COUNT || frame.level.has_excellent;
            if is_told && change(index) != 0 {
                let count = new.persistant[index];
                self.announcer.award(Medal { sound, icon, count });
                is_rewarded = true;
            }
        }
        let toggled = new.persistant[pers::PLAYEREVENTS] ^ old.persistant[pers::PLAYEREVENTS];
        let told = [
            (1, feedback.denied),
            (2, feedback.humiliation),
            (4, feedback.holy_shit),
        ];
        if let Some((_, sound)) = told.into_iter().find(|(bit, _)| toggled & bit != 0) {
            frame.start_local(channel::ANNOUNCER, sound);
            is_rewarded = true;
        }
        let took_flag = (powerup::REDFLAG..=powerup::NEUTRALFLAG)
            .any(|flag| new.powerups[flag] != old.powerups[flag] && new.powerups[flag] != 0);
        if frame.level.game_type > 3 && took_flag {
            frame.start_local(channel::ANNOUNCER, feedback.you_flag);
        }
        if !is_rewarded && frame.level.warmup == 0 && !frame.level.is_team_game() {
            self.lead_change(
                old.persistant[pers::RANK],
                new.persistant[pers::RANK],
                frame,
            );
        }
    }

    fn lead_change(&mut self, old: i32, new: i32, frame: &Frame<'_>) {
        const TIED: i32 = 0x4000;
        if old == new || frame.level.strings.get(cs::SCORES1).is_empty() {
            return;
        }
        let sound = match new {
            0 => self.media.feedback.taken_lead,
            TIED => self.media.feedback.tied_lead,
            _ if old & !TIED == 0 => self.media.feedback.lost_lead,
            _ => return,
        };
        self.announcer.say(sound);
    }

    /// Events of the player himself: each of the two slots if it is newer than before, or another than before.
    fn player_events(&mut self, old: &PlayerState, new: &PlayerState, frame: &mut Frame<'_>) {
        let state = entity_of_player(new, &frame.predicted.entity.current);
        let happened = |event: i32, parm: i32| GameEvent {
            state: EntityState {
                event_parm: parm,
                ..state
            },
            event: event & ev::NUMBER_MASK,
            parm,
            at: new.origin,
        };
        if new.external_event != 0 && new.external_event != old.external_event {
            self.fire_event(
                &happened(new.external_event, new.external_event_parm),
                frame,
            );
        }
        for number in new.event_sequence.wrapping_sub(2)..new.event_sequence {
            let slot = (number & 1) as usize;
            let is_newer = number >= old.event_sequence;
            let is_other =
                number > old.event_sequence.wrapping_sub(2) && new.events[slot] != old.events[slot];
            if !is_newer && !is_other {
                continue;
            }
            let happened = happened(new.events[slot], new.event_parms[slot]);
            if happened.event != ev::NONE {
                self.fire_event(&happened, frame);
                if happened.event == ev::FIRE_WEAPON {
                    let shooter = frame.predict.at_event(number).unwrap_or(new);
                    self.predict_shot(shooter, frame);
                }
            }
        }
    }
}
