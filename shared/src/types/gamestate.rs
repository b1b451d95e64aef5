//! What a level starts with: configstrings and baselines.

use super::{configstring::Configstrings, entitystate::EntityState};

/// Everything a server tells once per level, before the first snapshot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gamestate {
    /// The newest server command whose effect is already contained.
    pub server_command_num: i32,
    /// What the server tells by number: models, sounds, players, settings.
    pub configstrings: Configstrings,
    /// The states that entities are first told against; ascending by number.
    pub baselines: Vec<EntityState>,
    /// The player's own number.
    pub client_num: i32,
    /// Goes into the keys of usercmds and into pure checksums.
    pub checksum_feed: i32,
}

impl Gamestate {
    /// The baseline of an entity; all zero where the server sent none.
    pub fn baseline(&self, number: u16) -> EntityState {
        match self
            .baselines
            .binary_search_by_key(&number, |state| state.number)
        {
            Ok(place) => self.baselines[place],
            Err(_) => EntityState {
                number,
                ..EntityState::default()
            },
        }
    }
}
