//! Where the player is now: the own movement ahead of the server, and what is solid.

pub mod case;
pub mod correct;
pub mod local_player;
pub mod misses;
pub mod missile_lead;
pub mod predictor;
pub mod pull;
pub mod rules;
pub mod solid;
