//! What each new snapshot changes: server commands first, then entities, then what happened to the player.

use super::{CGame, frame::Frame, snapshots::Step};
use shared::{
    base::time::ServerTime,
    bg::numbers::configstring as cs,
    types::servercmd::{ServerCommand, ServerCommandBody},
};

impl CGame {
    /// Goes through all snapshots up to the shown time.
    pub(super) fn advance(&mut self, frame: &mut Frame<'_>) {
        while let Some(step) = self.snapshots.advance(ServerTime(frame.now)) {
            match step {
                Step::Initial => self.set_initial(frame),
                Step::Next => {
                    if let Some(next) = self.snapshots.next.clone() {
                        self.entities.set_next(&next);
                    }
                }
                Step::Transition { previous } => {
                    let Some(snap) = self.snapshots.snap.clone() else {
                        continue;
                    };
                    self.run_commands(snap.server_command_num, frame);
                    self.entities.transition(&previous, &snap);
                    frame.viewed_client = snap.player.client_num;
                }
            }
        }
    }

    fn set_initial(&mut self, frame: &mut Frame<'_>) {
        let Some(snap) = self.snapshots.snap.clone() else {
            return;
        };
        self.entities.set_initial(&snap);
        self.run_commands(snap.server_command_num, frame);
        frame.viewed_client = snap.player.client_num;
        self.selection.weapon = u8::try_from(snap.player.weapon).unwrap_or(0);
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
            _ => {}
        }
    }

    fn run_words(&mut self, words: &[String], frame: &mut Frame<'_>) {
        let word = |number: usize| words.get(number).map_or("", String::as_str);
        match word(0) {
            "print" => frame.output.printed.push(word(1).to_owned()),
            "chat" | "tchat" => frame
                .output
                .printed
                .push(format!("{}\n", word(1).replace('\x19', ""))),
            _ => {}
        }
    }
}
