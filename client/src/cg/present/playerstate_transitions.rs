//! What changed from one playerstate to the next: respawn, damage, events, sounds.

use super::{
    announcer::Medal,
    frame::{Frame, channel},
};
use crate::cg::{CGame, timeline::entities::entity_of_player};
use shared::{
    bg::numbers::{configstring as cs, event as ev, persistant as pers, pm_type, powerup, team},
    types::playerstate::PlayerState,
};

impl CGame {
    /// Reacts to the difference between two states of the player, each once.
    pub(in crate::cg) fn player_transition(
        &mut self,
        old: &PlayerState,
        new: &PlayerState,
        frame: &mut Frame<'_>,
    ) {
        let mut old = old;
        if old.client_num != new.client_num {
            self.snapshots.this_teleport = true;
            // Nothing of one player is news about another.
            old = new;
        }
        let health = new.stats[self.level.stats.health];
        if new.damage_event != old.damage_event && new.damage_count != 0 {
            self.motion.add_damage(new, health, frame.now);
            self.hud.note_attack(frame.now, self.motion.damage_at[0]);
        }
        let respawned = new.persistant[pers::SPAWN_COUNT] != old.persistant[pers::SPAWN_COUNT];
        if respawned || self.prediction.must_respawn {
            self.respawn(new.weapon, frame);
            self.level.check_stats(&new.stats);
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
    pub(in crate::cg) fn respawn(&mut self, weapon: i32, frame: &Frame<'_>) {
        self.prediction.must_respawn = false;
        self.snapshots.this_teleport = true;
        self.selection.set(weapon, frame.now);
        self.motion.reset();
    }

    /// Sounds that tell the player about himself.
    fn feedback(&mut self, old: &PlayerState, new: &PlayerState, frame: &mut Frame<'_>) {
        let change = |index: usize| new.persistant[index] - old.persistant[index];
        match change(pers::HITS) {
            _ if !frame.settings.hit_sound => {}
            1.. => frame.start_local(channel::LOCAL_SOUND, self.media.sounds.hit),
            ..0 => frame.start_local(channel::LOCAL_SOUND, self.media.sounds.hit_team),
            0 => {}
        }
        let health = self.level.stats.health;
        if new.stats[health] < old.stats[health] - 1 && new.stats[health] > 0 {
            let state = entity_of_player(new, &self.prediction.entity.current);
            self.own_pain(&state, new.stats[health], frame);
        }
        if self.level.is_intermission {
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
            let is_told = index != pers::EXCELLENT_COUNT || self.level.has_excellent;
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
        if self.level.game_type > 3 && took_flag {
            frame.start_local(channel::ANNOUNCER, feedback.you_flag);
        }
        if !is_rewarded && self.level.warmup == 0 && !self.level.is_team_game() {
            self.lead_change(old.persistant[pers::RANK], new.persistant[pers::RANK]);
        }
    }

    fn lead_change(&mut self, old: i32, new: i32) {
        const TIED: i32 = 0x4000;
        if old == new || self.level.strings.get(cs::SCORES1).is_empty() {
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
        let mut state = entity_of_player(new, &self.prediction.entity.current);
        if new.external_event != 0 && new.external_event != old.external_event {
            let event = new.external_event & ev::NUMBER_MASK;
            state.event_parm = new.external_event_parm;
            self.fire_event(&state, event, new.external_event_parm, new.origin, frame);
        }
        for number in new.event_sequence.wrapping_sub(2)..new.event_sequence {
            let slot = (number & 1) as usize;
            let is_newer = number >= old.event_sequence;
            let is_other =
                number > old.event_sequence.wrapping_sub(2) && new.events[slot] != old.events[slot];
            if !is_newer && !is_other {
                continue;
            }
            let event = new.events[slot] & ev::NUMBER_MASK;
            if event != ev::NONE {
                state.event_parm = new.event_parms[slot];
                self.fire_event(&state, event, new.event_parms[slot], new.origin, frame);
                if event == ev::FIRE_WEAPON {
                    let shooter = self.predictor.at_event(number).unwrap_or(new).clone();
                    self.foretell_shot(&shooter, frame);
                }
            }
        }
    }
}
