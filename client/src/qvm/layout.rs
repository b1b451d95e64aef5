//! Values in a module's memory: the layouts of its compiler, field by field.

use glam::Vec3;
use shared::types::{
    entitystate::EntityState,
    limits::MAX_CONFIGSTRINGS,
    playerstate::PlayerState,
    snapshot::Snapshot,
    trace::{Plane, Trace},
    trajectory::Trajectory,
    usercmd::Usercmd,
};
use vm::{Memory, Trap};

/// What a system call gives back.
pub type Answer = Result<i32, Trap>;

pub const SNAPSHOT_BYTES: u32 = 53_772;
pub const GAME_STATE_BYTES: u32 = 20_100;
pub const GLCONFIG_BYTES: u32 = 11_332;
pub const REF_ENTITY_BYTES: usize = 140;
pub const REFDEF_BYTES: usize = 368;
pub const POLY_VERTEX_BYTES: u32 = 24;

const TRACE_BYTES: usize = 56;
const USERCMD_BYTES: usize = 24;
const PLAYER_AT: usize = 44;
const ENTITIES_AT: usize = 516;
const ENTITY_BYTES: usize = 208;
/// Modules have room for so many entities in a snapshot.
const MAX_ENTITIES: usize = 256;

/// A structure that is written field by field.
pub struct Fields<'a>(pub &'a mut [u8]);

impl Fields<'_> {
    pub fn bytes(&mut self, at: usize, bytes: &[u8]) {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
    }

    pub fn i32(&mut self, at: usize, value: i32) {
        self.bytes(at, &value.to_le_bytes());
    }

    pub fn f32(&mut self, at: usize, value: f32) {
        self.bytes(at, &value.to_le_bytes());
    }

    pub fn vec3(&mut self, at: usize, value: Vec3) {
        for (index, component) in value.to_array().into_iter().enumerate() {
            self.f32(at + 4 * index, component);
        }
    }

    pub fn i32s(&mut self, at: usize, values: &[i32]) {
        for (index, value) in values.iter().enumerate() {
            self.i32(at + 4 * index, *value);
        }
    }

    /// A text in a field of `room` bytes, with its NUL.
    pub fn text(&mut self, at: usize, room: usize, text: &[u8]) {
        let length = text.len().min(room - 1);
        self.bytes(at, &text[..length]);
        self.0[at + length] = 0;
    }
}

/// A structure that is read field by field.
pub struct Read<'a>(pub &'a [u8]);

impl Read<'_> {
    pub fn i32(&self, at: usize) -> i32 {
        let mut word = [0; 4];
        word.copy_from_slice(&self.0[at..at + 4]);
        i32::from_le_bytes(word)
    }

    pub fn f32(&self, at: usize) -> f32 {
        f32::from_bits(self.i32(at) as u32)
    }

    pub fn vec3(&self, at: usize) -> Vec3 {
        Vec3::new(self.f32(at), self.f32(at + 4), self.f32(at + 8))
    }

    pub fn axis(&self, at: usize) -> [Vec3; 3] {
        [self.vec3(at), self.vec3(at + 12), self.vec3(at + 24)]
    }

    pub fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let mut bytes = [0; N];
        bytes.copy_from_slice(&self.0[at..at + N]);
        bytes
    }
}

/// The bytes of a text as modules know them: one for each character.
pub fn bytes_of(text: &str) -> Vec<u8> {
    let byte = |letter| u8::try_from(letter).unwrap_or(b'.');
    text.chars().map(byte).collect()
}

/// A text of a module.
pub fn text_of(memory: &Memory<'_>, address: u32) -> String {
    /// No text that a module passes is longer.
    const MAX_TEXT: usize = 16_384;
    if address == 0 {
        return String::new();
    }
    let bytes = memory.c_string(address, MAX_TEXT);
    bytes.iter().copied().map(char::from).collect()
}

pub fn vec3_at(memory: &Memory<'_>, address: u32) -> Vec3 {
    Read(&memory.read::<12>(address)).vec3(0)
}

/// A point that may be left out.
pub fn maybe_vec3(memory: &Memory<'_>, address: u32) -> Option<Vec3> {
    (address != 0).then(|| vec3_at(memory, address))
}

pub fn put_vec3(memory: &mut Memory<'_>, address: u32, value: Vec3) {
    let mut bytes = [0; 12];
    Fields(&mut bytes).vec3(0, value);
    memory.write(address, bytes);
}

/// What a sweep met; which entity that belongs to is the module's own business.
pub fn put_trace(memory: &mut Memory<'_>, address: u32, trace: &Trace, is_box: bool) {
    let mut bytes = [0; TRACE_BYTES];
    let mut fields = Fields(&mut bytes);
    fields.i32(0, i32::from(trace.all_solid));
    fields.i32(4, i32::from(trace.start_solid));
    fields.f32(8, trace.fraction);
    fields.vec3(12, trace.end);
    put_plane(&mut fields, 24, &trace.plane, is_box);
    fields.i32(44, trace.surface_flags as i32);
    fields.i32(48, trace.contents as i32);
    memory.write(address, bytes);
}

/// Planes of boxes that modules make tell the axis of their lower sides as well, as 3 more.
fn put_plane(fields: &mut Fields<'_>, at: usize, plane: &Plane, is_box: bool) {
    let normal = plane.normal.to_array();
    fields.vec3(at, plane.normal);
    fields.f32(at + 12, plane.dist);
    if plane.normal == Vec3::ZERO {
        // Nothing was met.
        return fields.bytes(at + 16, &[0; 4]);
    }
    let axis = normal.iter().position(|component| *component == 1.0);
    let lower = normal.iter().position(|component| *component == -1.0);
    let lower = lower.filter(|_| is_box).map(|axis| axis + 3);
    let signs = (0..3).filter(|index| normal[*index] < 0.0);
    let signs = signs.fold(0, |bits, index| bits | 1 << index);
    fields.bytes(at + 16, &[axis.or(lower).unwrap_or(3) as u8, signs, 0, 0]);
}

pub fn put_usercmd(memory: &mut Memory<'_>, address: u32, usercmd: &Usercmd) {
    let mut bytes = [0; USERCMD_BYTES];
    let mut fields = Fields(&mut bytes);
    fields.i32(0, usercmd.server_time.0);
    fields.i32s(4, &usercmd.angles.map(i32::from));
    fields.i32(16, i32::from(usercmd.buttons));
    let moves = [usercmd.forward_move, usercmd.right_move, usercmd.up_move];
    fields.bytes(20, &[usercmd.weapon]);
    fields.bytes(21, &moves.map(|component| component as u8));
    memory.write(address, bytes);
}

/// A whole snapshot; the number of server commands in it is left as it is.
///
/// # Errors
/// If it does not lie in the module's memory.
pub fn put_snapshot(
    memory: &mut Memory<'_>,
    address: u32,
    snapshot: &Snapshot,
    ping_msec: i32,
) -> Result<(), Trap> {
    let mut fields = Fields(memory.slice_mut(address, SNAPSHOT_BYTES)?);
    fields.i32(0, i32::from(snapshot.flags));
    fields.i32(4, ping_msec);
    fields.i32(8, snapshot.server_time.0);
    fields.bytes(12, &snapshot.area_mask);
    put_player(&mut fields, PLAYER_AT, &snapshot.player);
    let entities = snapshot.entities.iter().take(MAX_ENTITIES);
    let mut count = 0;
    for (index, entity) in entities.enumerate() {
        put_entity(&mut fields, ENTITIES_AT + index * ENTITY_BYTES, entity);
        count = index + 1;
    }
    fields.i32(512, count as i32);
    fields.i32(53_768, snapshot.server_command_num);
    Ok(())
}

fn put_player(fields: &mut Fields<'_>, at: usize, player: &PlayerState) {
    let p = player;
    fields.i32s(
        at,
        &[
            p.command_time,
            p.pm_type,
            p.bob_cycle,
            p.pm_flags,
            p.pm_time,
        ],
    );
    fields.vec3(at + 20, p.origin);
    fields.vec3(at + 32, p.velocity);
    fields.i32s(at + 44, &[p.weapon_time, p.gravity, p.speed]);
    fields.i32s(at + 56, &p.delta_angles);
    fields.i32s(
        at + 68,
        &[
            p.ground_entity_num,
            p.legs_timer,
            p.legs_anim,
            p.torso_timer,
            p.torso_anim,
            p.movement_dir,
        ],
    );
    fields.vec3(at + 92, p.grapple_point);
    fields.i32s(at + 104, &[p.e_flags, p.event_sequence]);
    fields.i32s(at + 112, &p.events);
    fields.i32s(at + 120, &p.event_parms);
    fields.i32s(
        at + 128,
        &[
            p.external_event,
            p.external_event_parm,
            0,
            p.client_num,
            p.weapon,
            p.weapon_state,
        ],
    );
    fields.vec3(at + 152, p.view_angles);
    fields.i32s(
        at + 164,
        &[
            p.view_height,
            p.damage_event,
            p.damage_yaw,
            p.damage_pitch,
            p.damage_count,
        ],
    );
    let lists = [&p.stats, &p.persistant, &p.powerups, &p.ammo];
    for (index, list) in lists.into_iter().enumerate() {
        fields.i32s(at + 184 + 64 * index, list);
    }
    fields.i32s(
        at + 440,
        &[p.generic1, p.loop_sound, p.jumppad_ent, 0, 0, 0, 0],
    );
}

fn put_entity(fields: &mut Fields<'_>, at: usize, entity: &EntityState) {
    let e = entity;
    fields.i32s(at, &[i32::from(e.number), e.e_type, e.e_flags]);
    put_trajectory(fields, at + 12, &e.pos);
    put_trajectory(fields, at + 48, &e.apos);
    fields.i32s(at + 84, &[e.time, e.time2]);
    for (index, place) in [e.origin, e.origin2, e.angles, e.angles2]
        .into_iter()
        .enumerate()
    {
        fields.vec3(at + 92 + 12 * index, place);
    }
    fields.i32s(
        at + 140,
        &[
            e.other_entity_num,
            e.other_entity_num2,
            e.ground_entity_num,
            e.constant_light,
            e.loop_sound,
            e.model_index,
            e.model_index2,
            e.client_num,
            e.frame,
            e.solid,
            e.event,
            e.event_parm,
            e.powerups,
            e.weapon,
            e.legs_anim,
            e.torso_anim,
            e.generic1,
        ],
    );
}

fn put_trajectory(fields: &mut Fields<'_>, at: usize, trajectory: &Trajectory) {
    fields.i32s(at, &[trajectory.kind, trajectory.time, trajectory.duration]);
    fields.vec3(at + 12, trajectory.base);
    fields.vec3(at + 24, trajectory.delta);
}

/// All configstrings in one block.
///
/// # Errors
/// If it does not lie in the module's memory.
pub fn put_game_state<'a>(
    memory: &mut Memory<'_>,
    address: u32,
    strings: impl Iterator<Item = (usize, &'a str)>,
) -> Result<(), Trap> {
    const TEXTS_AT: usize = 4 * MAX_CONFIGSTRINGS;
    const END: usize = 20_096;
    let block = memory.slice_mut(address, GAME_STATE_BYTES)?;
    block.fill(0);
    let mut fields = Fields(block);
    let mut used = 1;
    for (index, text) in strings {
        let text = bytes_of(text);
        // The configstrings are bounded together, so that this only holds back what cannot be.
        if TEXTS_AT + used + text.len() + 1 > END {
            break;
        }
        fields.i32(4 * index, used as i32);
        fields.bytes(TEXTS_AT + used, &text);
        used += text.len() + 1;
    }
    fields.i32(END, used as i32);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_tell_axis_and_signs() {
        let check_side = |normal: Vec3, is_box: bool, expected: [u8; 4]| {
            let mut bytes = [9; 20];
            let plane = Plane { normal, dist: 3.0 };
            put_plane(&mut Fields(&mut bytes), 0, &plane, is_box);
            assert_eq!(bytes[16..], expected, "{normal}");
        };
        let check = |normal, expected| check_side(normal, false, expected);
        check_side(-Vec3::Y, true, [4, 2, 0, 0]);
        check_side(Vec3::Y, true, [1, 0, 0, 0]);
        check(Vec3::Y, [1, 0, 0, 0]);
        check(-Vec3::Z, [3, 4, 0, 0]);
        check(Vec3::new(-0.6, -0.8, 0.0), [3, 3, 0, 0]);
        check(Vec3::ZERO, [0, 0, 0, 0]);
    }

    #[test]
    fn letters_beyond_a_byte_become_dots() {
        assert_eq!(bytes_of("aé€"), [b'a', 0xe9, b'.']);
    }
}
