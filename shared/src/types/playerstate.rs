//! Everything told about the player one looks through.

use glam::Vec3;

/// The state that pmove moves; integers hold what the wire held, unchecked in meaning.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerState {
    /// Server time of the last executed usercmd.
    pub command_time: i32,
    /// One of [`crate::bg::numbers::pm_type`].
    pub pm_type: i32,
    /// How far the step is; 256 to a pair of steps.
    pub bob_cycle: i32,
    /// Bits of [`crate::bg::numbers::pm_flags`].
    pub pm_flags: i32,
    /// Milliseconds that some of `pm_flags` last.
    pub pm_time: i32,
    /// Where the player is.
    pub origin: Vec3,
    /// In units per second.
    pub velocity: Vec3,
    /// Milliseconds until the weapon is ready.
    pub weapon_time: i32,
    /// In units per second, each second.
    pub gravity: i32,
    /// How fast the player may run, in units per second.
    pub speed: i32,
    /// Added to the usercmd's angles; 65536 steps to the circle.
    pub delta_angles: [i32; 3],
    /// What the player stands on; `ENTITYNUM_NONE` in the air.
    pub ground_entity_num: i32,
    /// Milliseconds for which the legs' animation is kept.
    pub legs_timer: i32,
    /// Animation of the legs, with a bit that flips when it starts.
    pub legs_anim: i32,
    /// Milliseconds for which the torso's animation is kept.
    pub torso_timer: i32,
    /// The same of the torso.
    pub torso_anim: i32,
    /// Which way he runs: 0 forwards, then on to the left in steps of 45°.
    pub movement_dir: i32,
    /// Where the hook holds.
    pub grapple_point: Vec3,
    /// Bits of [`crate::bg::numbers::entity_flags`].
    pub e_flags: i32,
    /// How many predictable events there were.
    pub event_sequence: i32,
    /// The last two of them, by number modulo 2: [`crate::bg::numbers::event`].
    pub events: [i32; 2],
    /// More about each.
    pub event_parms: [i32; 2],
    /// An event that the server alone decided.
    pub external_event: i32,
    /// More about it.
    pub external_event_parm: i32,
    /// Whose state it is: another player's while one follows him.
    pub client_num: i32,
    /// One of [`crate::bg::numbers::weapon`].
    pub weapon: i32,
    /// One of `pmove`'s weapon states: ready, raising, dropping, firing.
    pub weapon_state: i32,
    /// Pitch, yaw and roll in degrees.
    pub view_angles: Vec3,
    /// The eye above the origin, in units.
    pub view_height: i32,
    /// Counts up with each hit.
    pub damage_event: i32,
    /// Where it came from, 256 steps to the circle; 255 with pitch 255 for nowhere.
    pub damage_yaw: i32,
    /// See `damage_yaw`.
    pub damage_pitch: i32,
    /// How many points were lost.
    pub damage_count: i32,
    /// Statistics of this life, by [`crate::bg::ruleset::StatLayout`].
    pub stats: [i32; 16],
    /// What outlives death, by [`crate::bg::numbers::persistant`].
    pub persistant: [i32; 16],
    /// When each ends, as a server time; by [`crate::bg::numbers::powerup`].
    pub powerups: [i32; 16],
    /// Rounds of each weapon; −1 for endless.
    pub ammo: [i32; 16],
    /// Of use to mods alone.
    pub generic1: i32,
    /// Configstring of the sound he makes, counted from the first sound; 0 for none.
    pub loop_sound: i32,
    /// The jump pad touched last.
    pub jumppad_ent: i32,
    /// Not on the wire: the pmove step that last touched a jump pad.
    pub jumppad_frame: i32,
    /// Not on the wire: counts pmove steps.
    pub pmove_framecount: i32,
}
