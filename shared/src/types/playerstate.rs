//! Everything told about the player one looks through.

use glam::Vec3;

/// The state that pmove moves; integers hold what the wire held, unchecked in meaning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerState {
    /// Server time of the last executed usercmd.
    pub command_time: i32,
    pub pm_type: i32,
    pub bob_cycle: i32,
    pub pm_flags: i32,
    pub pm_time: i32,
    pub origin: Vec3,
    pub velocity: Vec3,
    pub weapon_time: i32,
    pub gravity: i32,
    pub speed: i32,
    /// Added to the usercmd's angles; 65536 steps to the circle.
    pub delta_angles: [i32; 3],
    pub ground_entity_num: i32,
    pub legs_timer: i32,
    pub legs_anim: i32,
    pub torso_timer: i32,
    pub torso_anim: i32,
    pub movement_dir: i32,
    pub grapple_point: Vec3,
    pub e_flags: i32,
    pub event_sequence: i32,
    pub events: [i32; 2],
    pub event_parms: [i32; 2],
    pub external_event: i32,
    pub external_event_parm: i32,
    pub client_num: i32,
    pub weapon: i32,
    pub weapon_state: i32,
    pub view_angles: Vec3,
    pub view_height: i32,
    pub damage_event: i32,
    pub damage_yaw: i32,
    pub damage_pitch: i32,
    pub damage_count: i32,
    pub stats: [i32; 16],
    pub persistant: [i32; 16],
    pub powerups: [i32; 16],
    pub ammo: [i32; 16],
    pub generic1: i32,
    pub loop_sound: i32,
    pub jumppad_ent: i32,
    /// Not on the wire: the pmove step that last touched a jump pad.
    pub jumppad_frame: i32,
    /// Not on the wire: counts pmove steps.
    pub pmove_framecount: i32,
}
