//! The nouns of the game: plain values that both the wire and the rules speak of.

pub mod configstring;
pub mod entitystate;
pub mod gamestate;
pub mod limits;
pub mod packet_entities;
pub mod playerstate;
pub mod servercmd;
pub mod snapshot;
pub mod trace;
pub mod trajectory;
pub mod usercmd;
