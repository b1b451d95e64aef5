//! Everything told about one entity other than the player one looks through.

use super::trajectory::Trajectory;
use glam::Vec3;

/// The state of one entity; integers hold what the wire held, unchecked in meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EntityState {
    pub number: u16,
    pub e_type: i32,
    pub e_flags: i32,
    pub pos: Trajectory,
    pub apos: Trajectory,
    pub time: i32,
    pub time2: i32,
    pub origin: Vec3,
    pub origin2: Vec3,
    pub angles: Vec3,
    pub angles2: Vec3,
    pub other_entity_num: i32,
    pub other_entity_num2: i32,
    pub ground_entity_num: i32,
    pub constant_light: i32,
    pub loop_sound: i32,
    pub model_index: i32,
    pub model_index2: i32,
    pub client_num: i32,
    pub frame: i32,
    /// The packed box for prediction; 0xFFFFFF means an inline brush model.
    pub solid: i32,
    pub event: i32,
    pub event_parm: i32,
    pub powerups: i32,
    pub weapon: i32,
    pub legs_anim: i32,
    pub torso_anim: i32,
    pub generic1: i32,
}
