//! What console commands ask of a session.

use super::Session;
use crate::{
    cg::CGame,
    cl::{Feed, State, input::Input},
};
use shared::{
    base::info::Info,
    types::configstring::{Configstrings, index},
};

impl Session {
    pub fn is_in_game(&self) -> bool {
        self.level.as_ref().is_some_and(|level| level.is_in_game)
    }

    /// Whether the server has told what is played.
    pub fn has_level(&self) -> bool {
        self.level.is_some()
    }

    /// How much of 640 the team-mates in the upper right corner take.
    pub fn mates_width(&self) -> f32 {
        self.cgame().map_or(0.0, CGame::mates_width)
    }

    pub fn takes_commands(&self) -> bool {
        let server = self.connection();
        server.is_some_and(|server| server.state() >= State::Connected)
    }

    /// # Errors
    /// Says why the command cannot be sent.
    pub fn send_command(&mut self, command: &str) -> Result<(), String> {
        let connection = self.connection_mut().ok_or("not on a server")?;
        connection
            .add_reliable_command(command)
            .map_err(|refused| format!("{command}: {refused}"))
    }

    /// # Errors
    /// Says why nothing was sent.
    pub fn rcon(&mut self, password: &str, command: &str) -> Result<(), String> {
        let connection = self.connection_mut().ok_or("not on a server")?;
        connection
            .send_rcon(password, command)
            .map_err(|refusal| format!("rcon: {refusal}"))
    }

    /// Sends commands; those that are refused are told.
    pub(super) fn send_commands(&mut self, commands: impl IntoIterator<Item = String>) {
        let Some(connection) = self.feed.as_mut().and_then(Feed::server_mut) else {
            return;
        };
        for command in commands {
            if let Err(refused) = connection.add_reliable_command(&command) {
                self.printed.push(format!("^3{command}: {refused}\n"));
            }
        }
    }

    pub fn center_view(&self, input: &mut Input) {
        let snapshot = self.feed.as_ref().and_then(Feed::newest_snapshot);
        input.center_view(snapshot.map_or(0, |snapshot| snapshot.player.delta_angles[0]));
    }

    pub fn configstrings(&self) -> Option<&Configstrings> {
        self.feed.as_ref()?.configstrings()
    }

    /// Whether the server lets nobody in without a password.
    pub fn needs_password(&self) -> bool {
        self.configstrings().is_some_and(|strings| {
            Info::parse(strings.get(index::SERVERINFO)).number("g_needpass") != 0
        })
    }

    pub fn state(&self) -> State {
        self.feed.as_ref().map_or(State::Connecting, Feed::state)
    }
}
