//! Tests against real dedicated servers; a minute and a half, and ports 28510 to 28519.

mod game_server;
mod player;
mod program;
mod refusals;
mod scenarios;
mod will;
