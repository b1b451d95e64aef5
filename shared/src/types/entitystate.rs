//! Everything told about one entity other than the player one looks through.

use super::trajectory::Trajectory;
use glam::Vec3;

/// The state of one entity; integers hold what the wire held, unchecked in meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EntityState {
    /// Which entity it is, 0 to 1021; players have the lowest.
    pub number: u16,
    /// One of [`crate::bg::numbers::entity_type`]; from `EVENTS` on it is an event alone.
    pub e_type: i32,
    /// Bits of [`crate::bg::numbers::entity_flags`].
    pub e_flags: i32,
    /// Where it is at which time.
    pub pos: Trajectory,
    /// How it is turned at which time, in degrees.
    pub apos: Trajectory,
    /// A server time in milliseconds, by kind of entity.
    pub time: i32,
    /// Another one.
    pub time2: i32,
    /// A second place, by kind of entity.
    pub origin: Vec3,
    /// A third.
    pub origin2: Vec3,
    /// Other angles in degrees, by kind of entity.
    pub angles: Vec3,
    /// Yet others; of players, `y` is which way they run.
    pub angles2: Vec3,
    /// Another entity that belongs to it: an attacker, a shooter.
    pub other_entity_num: i32,
    /// A second one.
    pub other_entity_num2: i32,
    /// What it stands on; `ENTITYNUM_NONE` in the air.
    pub ground_entity_num: i32,
    /// Light it gives: red, green, blue and a quarter of the reach in units, from the low byte.
    pub constant_light: i32,
    /// Configstring of the sound it makes, counted from the first sound; 0 for none.
    pub loop_sound: i32,
    /// Configstring of its model, counted from the first; of items, their number.
    pub model_index: i32,
    /// A second model.
    pub model_index2: i32,
    /// Which player's, by kind of entity.
    pub client_num: i32,
    /// Frame of the model.
    pub frame: i32,
    /// The packed box for prediction, or [`SOLID_BMODEL`].
    pub solid: i32,
    /// What has just happened to it: [`crate::bg::numbers::event`].
    pub event: i32,
    /// More about the event.
    pub event_parm: i32,
    /// A bit for each [`crate::bg::numbers::powerup`].
    pub powerups: i32,
    /// One of [`crate::bg::numbers::weapon`].
    pub weapon: i32,
    /// Animation of the legs, with a bit that flips when it starts.
    pub legs_anim: i32,
    /// The same of the torso.
    pub torso_anim: i32,
    /// Of use to mods alone.
    pub generic1: i32,
}

/// The [`EntityState::solid`] of inline models.
pub const SOLID_BMODEL: i32 = 0xFF_FFFF;
