//! The larger structures that the stub host writes into a module's memory.

use vm::{Memory, Trap};

type Answer = Result<i32, Trap>;

/// A plane at height 0; `entity` is what was hit and what was not, for those who want to know.
/// `[result, start, end, mins]` are addresses.
pub fn trace(
    memory: &mut Memory,
    [result, start, end, mins]: [u32; 4],
    entity: Option<(i32, i32)>,
) -> Answer {
    let vector = |memory: &Memory, at: u32| [0, 4, 8].map(|axis| memory.read_f32(at + axis));
    let below = if mins == 0 {
        0.0
    } else {
        memory.read_f32(mins + 8)
    };
    let (start, end) = (vector(memory, start), vector(memory, end));
    let (from, to) = (start[2] + below, end[2] + below);
    memory.fill(result, 0, 56)?;
    let mut put = |fraction: f32, position: [f32; 3], contents: i32| {
        memory.write_f32(result + 8, fraction);
        for (axis, value) in position.into_iter().enumerate() {
            memory.write_f32(result + 12 + 4 * axis as u32, value);
        }
        memory.write_i32(result + 48, contents);
    };
    let mut is_hit = true;
    if from < 0.0 {
        put(0.0, start, 1);
        memory.write_i32(result, 1);
        memory.write_i32(result + 4, 1);
    } else if to < 0.0 {
        let fraction = from / (from - to);
        let position = [0, 1, 2].map(|axis| start[axis] + fraction * (end[axis] - start[axis]));
        put(fraction, position, 1);
        memory.write_f32(result + 32, 1.0);
        memory.write_i32(result + 40, 2);
    } else {
        put(1.0, end, 0);
        is_hit = false;
    }
    if let Some((hit, missed)) = entity {
        memory.write_i32(result + 52, if is_hit { hit } else { missed });
    }
    Ok(0)
}

pub fn game_state(memory: &mut Memory, address: u32, game_version: &str) -> Answer {
    let zeros = "0".repeat(64);
    let strings = [
        (
            0,
            r"\sv_maxclients\8\g_gametype\0\mapname\test1\fraglimit\20\timelimit\0\dmflags\0\capturelimit\8",
        ),
        (1, r"\sv_serverid\1\sv_pure\0\sv_cheats\0"),
        (3, "Test map"),
        (20, game_version),
        (21, "500"),
        (27, &zeros),
        (
            544,
            r"n\Alpha\t\0\model\sarge\hmodel\sarge\c1\4\c2\5\hc\100\w\0\l\0\tt\0\tl\0",
        ),
        (
            545,
            r"n\Beta\t\0\model\sarge\hmodel\sarge\c1\1\c2\2\hc\90\w\1\l\2\tt\0\tl\0",
        ),
    ];
    memory.fill(address, 0, 20100)?;
    let mut count = 1;
    for (index, text) in strings {
        memory.write_i32(address + 4 * index, count);
        let size = text.len() as i32 + 1;
        memory.write_c_string(address + 4096 + count as u32, size, text.as_bytes())?;
        count += size;
    }
    memory.write_i32(address + 20096, count);
    Ok(0)
}

pub fn snapshot(memory: &mut Memory, at: u32, number: i32, latest: i32) -> Answer {
    if !(1..=latest).contains(&number) {
        return Ok(0);
    }
    let time = 1000 + 50 * number;
    for (offset, value) in [(0, 0), (4, 48), (8, time)] {
        memory.write_i32(at + offset, value);
    }
    memory.fill(at + 12, 0, 32)?;
    player_state(memory, at + 44, number, time)?;
    memory.write_i32(at + 512, 3);
    let n = number as f32;
    type Fields = (i32, i32, i32, i32, [f32; 3], [f32; 3]);
    let entities: [Fields; 3] = [
        (1, 1, 1, 0, [200.0, 5.0 * n, 24.125], [0.0; 3]),
        (70, 2, 0, 0, [300.0, -40.0, 20.0], [0.0; 3]),
        (71, 3, 2, 1000, [0.0, 0.0, 40.0], [100.0, 50.0, 0.0]),
    ];
    for (index, (entity, kind, movement, since, base, delta)) in entities.into_iter().enumerate() {
        let at = at + 516 + 208 * index as u32;
        memory.fill(at, 0, 208)?;
        for (offset, value) in [(0, entity), (4, kind), (12, movement), (16, since)] {
            memory.write_i32(at + offset, value);
        }
        for axis in 0..3 {
            let offset = 4 * axis as u32;
            memory.write_f32(at + 24 + offset, base[axis]);
            memory.write_f32(at + 92 + offset, base[axis]);
            memory.write_f32(at + 36 + offset, delta[axis]);
        }
        let more: &[(u32, i32)] = match index {
            0 => &[(48, 1), (168, 1), (192, 5), (196, 15), (200, 11)],
            1 => &[(160, 1)],
            _ => &[(192, 5)],
        };
        for (offset, value) in more {
            memory.write_i32(at + offset, *value);
        }
        if index == 0 {
            memory.write_f32(at + 64, 2.0 * n);
            if number % 10 == 0 {
                memory.write_i32(at + 180, 1 + 256 * ((number / 10) % 4));
            }
        }
    }
    memory.write_i32(at + 53764, 0);
    memory.write_i32(at + 53768, 0);
    Ok(1)
}

fn player_state(memory: &mut Memory, at: u32, number: i32, time: i32) -> Result<(), Trap> {
    memory.fill(at, 0, 468)?;
    memory.write_f32(at + 20, 10.0 * number as f32);
    memory.write_f32(at + 28, 24.125);
    memory.write_f32(at + 32, 200.0);
    let words = [
        (0, time - 25),
        (48, 800),
        (52, 320),
        (68, 1022),
        (76, 22),
        (84, 11),
        (144, 2),
        (164, 26),
        (184, 100),
        (192, 30),
        (196, 50),
        (376, 100),
        (380, 10),
        (384, 5),
        (392, 7),
        (452, 48),
    ];
    for (offset, value) in words {
        memory.write_i32(at + offset, value);
    }
    Ok(())
}

pub fn user_command(memory: &mut Memory, at: u32, number: i32, frame: i32) -> Answer {
    if number > frame || number <= frame - 64 {
        return Ok(0);
    }
    memory.fill(at, 0, 24)?;
    memory.write_i32(at, 1000 + 25 * number);
    memory.write_i32(at + 8, (64 * number) & 65535);
    memory.write_i32(at + 16, i32::from(number % 20 == 5));
    memory.write(
        at + 20,
        [
            2,
            127,
            if (number / 16) & 1 == 1 { 129 } else { 0 },
            if number % 32 == 9 { 127 } else { 0 },
        ],
    );
    Ok(1)
}
