//! Arithmetic: the plain functions that modules call instead of having instructions for them.

use super::layout::{Answer, put_vec3, vec3_at};
use glam::Vec3;
use vm::{Memory, Syscall, Trap};

/// Moves bytes, or computes what a processor has no instruction for.
pub fn calculate(call: &Syscall, memory: &mut Memory<'_>) -> Answer {
    let (to, length) = (call.address(0), call.address(2));
    let of = |function: fn(f64) -> f64| {
        let value = function(f64::from(call.float(0))) as f32;
        Ok(value.to_bits() as i32)
    };
    match call.number {
        71 => {
            let snapped = vec3_at(memory, to).to_array().map(f32::round_ties_even);
            put_vec3(memory, to, Vec3::from(snapped));
            return Ok(0);
        }
        100 => memory.fill(to, call.int(1) as u8, length)?,
        101 => memory.copy(to, call.address(1), length)?,
        102 => {
            let text = memory.c_string(call.address(1), length as usize).to_vec();
            let buffer = memory.slice_mut(to, length)?;
            buffer.fill(0);
            buffer[..text.len()].copy_from_slice(&text);
        }
        103 => return of(libm::sin),
        104 => return of(libm::cos),
        105 => {
            let [y, x] = [0, 1].map(|index| f64::from(call.float(index)));
            return Ok((libm::atan2(y, x) as f32).to_bits() as i32);
        }
        106 => return of(f64::sqrt),
        107 => return of(f64::floor),
        108 => return of(f64::ceil),
        111 => return of(libm::acos),
        // Two calls for those who test engines.
        number => return Err(Trap::Host(format!("system call {number} is unknown"))),
    }
    Ok(to as i32)
}
