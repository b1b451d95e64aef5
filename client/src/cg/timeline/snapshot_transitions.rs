//! Snapshot transitions: server commands first, then entities, then what happened to the player.

use super::{snapshots::Step, team_info::TeamInfo};
use crate::cg::{
    CGame,
    predict::{missile_lead, rules::MoveRules},
    present::{
        announcer::Announcer,
        frame::{Frame, channel},
    },
};
use shared::{
    bg::numbers::{configstring as cs, persistant, team},
    types::{
        servercmd::{ServerCommand, ServerCommandBody},
        snapshot::Snapshot,
    },
};

impl CGame {
    /// Goes through all snapshots up to the shown time.
    pub(in crate::cg) fn advance(&mut self, frame: &mut Frame<'_>) {
        self.prediction.passed.clear();
        while let Some(step) = self.snapshots.advance(frame.now) {
            match step {
                Step::Initial => self.set_initial(frame),
                Step::Next => {
                    if let Some(next) = self.snapshots.next.clone() {
                        self.entities.set_next(&next);
                        self.show_early(&next, frame);
                    }
                }
                Step::Transition { previous } => {
                    let Some(snap) = self.snapshots.snap.clone() else {
                        continue;
                    };
                    self.prediction.passed.push(snap.clone());
                    self.run_commands(snap.server_command_num, frame);
                    self.entities.transition(&previous, &snap);
                    frame.viewed_client = snap.player.client_num;
                    self.check_all_events(&snap, frame);
                    if !self.level.is_intermission {
                        self.announcer
                            .watch_limits(&self.level, &self.media.feedback, frame);
                    }
                    if !self.predicts(frame) {
                        self.player_transition(&previous.player, &snap.player, frame);
                    }
                }
            }
        }
    }

    /// Takes over what of a newer snapshot does not wait for its time (OpenArena).
    fn show_early(&mut self, next: &Snapshot, frame: &mut Frame<'_>) {
        if !self.level.profile.is_open_arena() {
            return;
        }
        let snap_time = self
            .snapshots
            .snap
            .as_ref()
            .map_or(frame.now, |snap| snap.server_time);
        for state in next
            .entities
            .iter()
            .filter(|state| missile_lead::is_early(state))
        {
            self.entities.set_early(state, snap_time, next.server_time);
            self.check_events(i32::from(state.number), next.server_time, frame);
        }
    }

    fn set_initial(&mut self, frame: &mut Frame<'_>) {
        let Some(snap) = self.snapshots.snap.clone() else {
            return;
        };
        self.entities.set_initial(&snap);
        self.run_commands(snap.server_command_num, frame);
        frame.viewed_client = snap.player.client_num;
        self.prediction.player = snap.player.clone();
        self.respawn(snap.player.weapon, frame);
        self.check_all_events(&snap, frame);
    }

    fn check_all_events(&mut self, snap: &Snapshot, frame: &mut Frame<'_>) {
        for state in &snap.entities {
            self.check_events(i32::from(state.number), snap.server_time, frame);
        }
    }

    /// Carries out server commands up to the one that came with a snapshot.
    fn run_commands(&mut self, up_to: i32, frame: &mut Frame<'_>) {
        while let Some(command) = self.commands.front() {
            if command.number.wrapping_sub(up_to) > 0 {
                break;
            }
            if let Some(command) = self.commands.pop_front() {
                self.run_command(command, frame);
            }
        }
        // However much of a vote changed at once, it is heard once.
        if core::mem::take(&mut self.vote_changed) {
            frame.start_local(channel::LOCAL_SOUND, self.media.sounds.talk);
        }
    }

    /// Whether a string tells of a vote that the player sees.
    fn is_of_vote(&self, index: usize) -> bool {
        let is_on = |time: usize| !matches!(self.level.strings.get(time), "" | "0");
        let own = match self.prediction.player.persistant[persistant::TEAM] {
            team::RED => 0,
            team::BLUE => 1,
            _ => usize::MAX,
        };
        match index {
            cs::VOTE_TIME | cs::VOTE_YES | cs::VOTE_NO => is_on(cs::VOTE_TIME),
            cs::TEAM_VOTE_TIME..cs::TEAM_VOTE_STRING | cs::TEAM_VOTE_YES..cs::GAME_VERSION => {
                index % 2 == own && is_on(cs::TEAM_VOTE_TIME + own)
            }
            _ => false,
        }
    }

    fn run_command(&mut self, command: ServerCommand, frame: &mut Frame<'_>) {
        match command.body {
            ServerCommandBody::Configstring { index, text } => {
                self.set_configstring(index, &text, frame)
            }
            ServerCommandBody::Words(words) => self.run_words(&words, frame),
        }
    }

    fn set_configstring(&mut self, index: usize, text: &str, frame: &mut Frame<'_>) {
        let warmup = self.level.warmup;
        if !self.level.set(index, text) {
            return;
        }
        match index {
            cs::MODELS..cs::SOUNDS => {
                self.media
                    .register_level_model(index - cs::MODELS, &self.level, frame.assets)
            }
            cs::SOUNDS..cs::PLAYERS => {
                self.media
                    .register_level_sound(index - cs::SOUNDS, &self.level, frame.assets)
            }
            cs::PLAYERS..cs::LOCATIONS => {
                let client = index - cs::PLAYERS;
                self.players
                    .register_client(client, &self.level, frame.settings, frame.assets);
            }
            cs::WARMUP if warmup <= 0 && self.level.warmup > 0 => {
                frame.start_local(channel::ANNOUNCER, self.media.feedback.prepare);
            }
            _ if self.is_of_vote(index) => self.vote_changed = true,
            cs::SHADER_STATE => frame.output.shader_remaps.extend(shader_remaps(text)),
            0 | 1 => {
                self.predictor.rules = MoveRules::new(&self.level);
                self.predictor.reset();
            }
            _ => {}
        }
    }

    /// The match begins again in the same map.
    fn restart(&mut self, frame: &mut Frame<'_>) {
        self.effects.clear();
        self.marks.clear();
        self.fragments.clear();
        self.timed_effects.clear();
        self.announcer = Announcer::default();
        self.team_info = TeamInfo::default();
        self.hud.restart();
        self.motion.reset();
        self.predictor.reset();
        self.prediction.must_respawn = true;
        if self.level.warmup == 0 {
            frame.start_local(channel::ANNOUNCER, self.media.feedback.fight);
            self.hud.announce("FIGHT!", frame.now);
        }
        frame.sound.restarts_music = true;
        frame.output.restarts = true;
    }

    /// Where teams are eliminated, scores come with these commands sooner than by the strings of the level.
    fn take_round_scores(&mut self, red: &str, blue: &str) {
        if self.level.has_rounds() && self.level.is_team_game() {
            self.level.set(cs::SCORES1, red);
            self.level.set(cs::SCORES2, blue);
        }
    }

    fn run_words(&mut self, words: &[String], frame: &mut Frame<'_>) {
        let word = |number: usize| words.get(number).map_or("", String::as_str);
        match word(0) {
            "print" => frame.output.printed.push(word(1).to_owned()),
            "chat" if self.level.is_team_game() && frame.settings.team_chats_only => {}
            "chat" | "tchat" => {
                let beeps = match word(0) {
                    "tchat" => frame.settings.team_chat_beep,
                    _ => frame.settings.chat_beep,
                };
                if beeps {
                    frame.start_local(channel::LOCAL_SOUND, self.media.sounds.talk);
                }
                let text = word(1).replace('\x19', "");
                if word(0) == "tchat" {
                    self.hud.team_chat.add(&text, frame.now);
                }
                frame.output.printed.push(format!("{text}\n"));
            }
            "cp" => self.hud.center_print(word(1), frame.now),
            "scores" => {
                self.hud.scores.read(words);
                if let Some(start) = self.hud.scores.round_start {
                    self.team_info.round_start = start;
                    let [red, blue] = self.hud.scores.team_scores;
                    self.take_round_scores(&red.to_string(), &blue.to_string());
                }
            }
            "elimination" => {
                self.team_info.read(words);
                self.take_round_scores(word(1), word(2));
            }
            "map_restart" => self.restart(frame),
            name if name.eq_ignore_ascii_case("remapShader") && words.len() == 4 => {
                let offset = word(3).parse().unwrap_or(0.0);
                let remap = (word(1).to_owned(), word(2).to_owned(), offset);
                frame.output.shader_remaps.push(remap);
            }
            _ if self.team_info.read(words) => {}
            _ => self.hear(words, frame),
        }
    }
}

/// `old=new:offset@` over and over; a defective record ends the list.
pub fn shader_remaps(text: &str) -> Vec<(String, String, f32)> {
    text.split('@')
        .map_while(|record| {
            let (old, rest) = record.split_once('=')?;
            let (new, offset) = rest.split_once(':')?;
            Some((old.to_owned(), new.to_owned(), offset.trim().parse().ok()?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remaps_end_at_the_first_defect() {
        let remaps = shader_remaps("a/b=c/d: 0.50@e=f:1@broken@g=h:2@");
        assert_eq!(
            remaps,
            [
                ("a/b".into(), "c/d".into(), 0.5),
                ("e".into(), "f".into(), 1.0)
            ]
        );
        assert_eq!(shader_remaps(""), []);
    }
}
