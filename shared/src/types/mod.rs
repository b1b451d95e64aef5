//! The nouns of the game: plain values that both the wire and the rules speak of.

pub mod entitystate;
pub mod limits;
pub mod playerstate;
pub mod snapshot;
pub mod trace;
pub mod trajectory;
pub mod usercmd;
