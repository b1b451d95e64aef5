//! Field tables of entityState and playerState: one for reading and writing alike.

use crate::types::{entitystate::EntityState, playerstate::PlayerState};

/// How one field travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// A float: 13 bits for small whole numbers, else 32.
    Float,
    /// An integer of so many bits.
    Unsigned(u32),
    /// An integer of so many bits whose highest is its sign.
    Signed(u32),
}

/// A state that is told as a difference along a table of fields.
///
/// Fields are handed over as 32-bit patterns: floats by their bits, integers with their sign extended.
pub trait DeltaState {
    /// In the order of the wire.
    const FIELDS: &'static [FieldKind];

    /// What the fields are called here.
    const NAMES: &'static [&'static str];

    /// One field; 0 beyond the table.
    fn field(&self, index: usize) -> u32;

    /// A bit for each field whose pattern differs from the other state's, the first field lowest.
    fn differing(&self, other: &Self) -> u64;

    /// Changes one field; nothing happens beyond the table.
    fn set_field(&mut self, index: usize, word: u32);

    /// Changes one field to what a source gives for its kind.
    fn read_field(&mut self, index: usize, source: impl FieldSource);
}

/// Where the values of fields come from.
pub trait FieldSource {
    /// The value of a [`FieldKind::Float`].
    fn float(self) -> f32;
    /// The value of a [`FieldKind::Unsigned`].
    fn unsigned(self, bits: u32) -> i32;
    /// The value of a [`FieldKind::Signed`].
    fn signed(self, bits: u32) -> i32;
}

macro_rules! field_table {
    (impl $state:ident { $($index:literal ($($place:tt)+) $kind:ident $($bits:literal)?;)+ }) => {
        impl DeltaState for $state {
            const FIELDS: &'static [FieldKind] = &[$(kind!($kind $($bits)?)),+];
            const NAMES: &'static [&'static str] = &[$(stringify!($($place)+)),+];

            #[inline]
            fn field(&self, index: usize) -> u32 {
                match index {
                    $($index => from_value!($kind self.$($place)+),)+
                    _ => 0,
                }
            }

            // Without branches: nearly all fields of nearly all states are equal.
            #[inline]
            fn differing(&self, other: &Self) -> u64 {
                0 $(| u64::from(from_value!($kind self.$($place)+) != from_value!($kind other.$($place)+)) << $index)+
            }

            #[inline]
            fn set_field(&mut self, index: usize, word: u32) {
                match index {
                    $($index => self.$($place)+ = into_value!($kind word),)+
                    _ => {}
                }
            }

            // One jump leads to code made for the field; a loop over kinds would take several.
            #[inline(always)]
            fn read_field(&mut self, index: usize, source: impl FieldSource) {
                match index {
                    $($index => self.$($place)+ = source.$kind($($bits)?),)+
                    _ => {}
                }
            }
        }
    };
}

macro_rules! kind {
    (float) => {
        FieldKind::Float
    };
    (unsigned $bits:literal) => {
        FieldKind::Unsigned($bits)
    };
    (signed $bits:literal) => {
        FieldKind::Signed($bits)
    };
}

macro_rules! from_value {
    (float $value:expr) => {
        $value.to_bits()
    };
    ($integer:ident $value:expr) => {
        $value as u32
    };
}

macro_rules! into_value {
    (float $word:expr) => {
        f32::from_bits($word)
    };
    ($integer:ident $word:expr) => {
        $word as i32
    };
}

field_table! {
    impl EntityState {
        0 (pos.time) unsigned 32;
        1 (pos.base.x) float;
        2 (pos.base.y) float;
        3 (pos.delta.x) float;
        4 (pos.delta.y) float;
        5 (pos.base.z) float;
        6 (apos.base.y) float;
        7 (pos.delta.z) float;
        8 (apos.base.x) float;
        9 (event) unsigned 10;
        10 (angles2.y) float;
        11 (e_type) unsigned 8;
        12 (torso_anim) unsigned 8;
        13 (event_parm) unsigned 8;
        14 (legs_anim) unsigned 8;
        15 (ground_entity_num) unsigned 10;
        16 (pos.kind) unsigned 8;
        17 (e_flags) unsigned 19;
        18 (other_entity_num) unsigned 10;
        19 (weapon) unsigned 8;
        20 (client_num) unsigned 8;
        21 (angles.y) float;
        22 (pos.duration) unsigned 32;
        23 (apos.kind) unsigned 8;
        24 (origin.x) float;
        25 (origin.y) float;
        26 (origin.z) float;
        27 (solid) unsigned 24;
        28 (powerups) unsigned 16;
        29 (model_index) unsigned 8;
        30 (other_entity_num2) unsigned 10;
        31 (loop_sound) unsigned 8;
        32 (generic1) unsigned 8;
        33 (origin2.z) float;
        34 (origin2.x) float;
        35 (origin2.y) float;
        36 (model_index2) unsigned 8;
        37 (angles.x) float;
        38 (time) unsigned 32;
        39 (apos.time) unsigned 32;
        40 (apos.duration) unsigned 32;
        41 (apos.base.z) float;
        42 (apos.delta.x) float;
        43 (apos.delta.y) float;
        44 (apos.delta.z) float;
        45 (time2) unsigned 32;
        46 (angles.z) float;
        47 (angles2.x) float;
        48 (angles2.z) float;
        49 (constant_light) unsigned 32;
        50 (frame) unsigned 16;
    }
}

field_table! {
    impl PlayerState {
        0 (command_time) unsigned 32;
        1 (origin.x) float;
        2 (origin.y) float;
        3 (bob_cycle) unsigned 8;
        4 (velocity.x) float;
        5 (velocity.y) float;
        6 (view_angles.y) float;
        7 (view_angles.x) float;
        8 (weapon_time) signed 16;
        9 (origin.z) float;
        10 (velocity.z) float;
        11 (legs_timer) unsigned 8;
        12 (pm_time) signed 16;
        13 (event_sequence) unsigned 16;
        14 (torso_anim) unsigned 8;
        15 (movement_dir) unsigned 4;
        16 (events[0]) unsigned 8;
        17 (legs_anim) unsigned 8;
        18 (events[1]) unsigned 8;
        19 (pm_flags) unsigned 16;
        20 (ground_entity_num) unsigned 10;
        21 (weapon_state) unsigned 4;
        22 (e_flags) unsigned 16;
        23 (external_event) unsigned 10;
        24 (gravity) unsigned 16;
        25 (speed) unsigned 16;
        26 (delta_angles[1]) unsigned 16;
        27 (external_event_parm) unsigned 8;
        28 (view_height) signed 8;
        29 (damage_event) unsigned 8;
        30 (damage_yaw) unsigned 8;
        31 (damage_pitch) unsigned 8;
        32 (damage_count) unsigned 8;
        33 (generic1) unsigned 8;
        34 (pm_type) unsigned 8;
        35 (delta_angles[0]) unsigned 16;
        36 (delta_angles[2]) unsigned 16;
        37 (torso_timer) unsigned 12;
        38 (event_parms[0]) unsigned 8;
        39 (event_parms[1]) unsigned 8;
        40 (client_num) unsigned 8;
        41 (weapon) unsigned 5;
        42 (view_angles.z) float;
        43 (grapple_point.x) float;
        44 (grapple_point.y) float;
        45 (grapple_point.z) float;
        46 (jumppad_ent) unsigned 10;
        47 (loop_sound) unsigned 16;
    }
}

/// How the elements of a playerState array travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayKind {
    /// What the array is called.
    pub name: &'static str,
    /// 16 or 32; shorter elements have a sign.
    pub bits: u32,
}

/// The four arrays in the order of the wire: stats, persistant, ammo, powerups.
pub const ARRAYS: [ArrayKind; 4] = [
    array("stats", 16),
    array("persistant", 16),
    array("ammo", 16),
    array("powerups", 32),
];

const fn array(name: &'static str, bits: u32) -> ArrayKind {
    ArrayKind { name, bits }
}

/// The arrays of a player, in the order of [`ARRAYS`].
pub fn arrays(player: &PlayerState) -> [&[i32; 16]; 4] {
    [
        &player.stats,
        &player.persistant,
        &player.ammo,
        &player.powerups,
    ]
}

/// The arrays of a player to write to, in the order of [`ARRAYS`].
pub fn arrays_mut(player: &mut PlayerState) -> [&mut [i32; 16]; 4] {
    [
        &mut player.stats,
        &mut player.persistant,
        &mut player.ammo,
        &mut player.powerups,
    ]
}
