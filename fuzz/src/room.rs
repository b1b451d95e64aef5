//! A small map: a floor, water, fog, a curve and a lift; where the hostile server plays, and a seed of maps.

/// The map file.
pub fn room() -> Vec<u8> {
    let mut lumps: [Vec<u8>; 17] = Default::default();
    lumps[0] = b"{\n\"classname\" \"worldspawn\"\n\"message\" \"room\"\n}\n{\n\"classname\" \
        \"func_plat\"\n\"model\" \"*1\"\n}\n\0"
        .to_vec();
    // Name, surface flags, contents: solid, water, fog.
    for (name, contents) in [
        ("textures/floor", 1),
        ("textures/water", 32),
        ("textures/fog", 64),
    ] {
        lumps[1].extend(named(name));
        lumps[1].extend(words(&[0, contents]));
    }
    let boxes = [
        ([-512.0, -512.0, -64.0], [512.0, 512.0, 0.0]),
        ([100.0, 100.0, 0.0], [200.0, 200.0, 64.0]),
        ([-200.0, -200.0, 0.0], [-100.0, -100.0, 64.0]),
        ([-32.0, -32.0, 0.0], [32.0, 32.0, 16.0]),
    ];
    for (number, (mins, maxs)) in boxes.into_iter().enumerate() {
        let shader = [0, 1, 2, 0][number];
        for axis in 0..3 {
            for (sign, dist) in [(-1.0, -mins[axis]), (1.0, maxs[axis])] {
                let mut normal = [0.0; 3];
                normal[axis] = sign;
                lumps[2].extend(floats(&normal));
                lumps[2].extend(floats(&[dist]));
                let plane = (lumps[2].len() / 16 - 1) as i32;
                lumps[9].extend(words(&[plane, shader]));
            }
        }
        lumps[8].extend(words(&[6 * number as i32, 6, shader]));
    }
    // The tree parts what is above the floor from what is below: plane 5, leafs 0 and 1.
    let whole = words(&[-512, -512, -64, 512, 512, 512]);
    lumps[3].extend(words(&[5, -1, -2]));
    lumps[3].extend(&whole);
    for (cluster, surfaces, brushes) in [(0, [0, 2], [0, 3]), (-1, [0, 0], [0, 1])] {
        lumps[4].extend(words(&[cluster, 0]));
        lumps[4].extend(&whole);
        lumps[4].extend(words(&[surfaces[0], surfaces[1], brushes[0], brushes[1]]));
    }
    lumps[5] = words(&[0, 1]);
    lumps[6] = words(&[0, 1, 2]);
    lumps[7].extend(floats(&[-512.0, -512.0, -64.0, 512.0, 512.0, 512.0]));
    lumps[7].extend(words(&[0, 2, 0, 3]));
    lumps[7].extend(floats(&[-32.0, -32.0, 0.0, 32.0, 32.0, 16.0]));
    lumps[7].extend(words(&[2, 0, 3, 1]));
    for (x, y) in [(-512, -512), (512, -512), (512, 512), (-512, 512)] {
        lumps[10].extend(vertex([x as f32, y as f32, 0.0]));
    }
    for row in 0..3 {
        for column in 0..3 {
            let (x, y) = (row as f32 * 64.0, column as f32 * 64.0);
            let bend = if row == 1 { 48.0 } else { 0.0 };
            lumps[10].extend(vertex([x, y, bend]));
        }
    }
    lumps[11] = words(&[0, 1, 2, 0, 2, 3]);
    lumps[12].extend(named("textures/fog"));
    lumps[12].extend(words(&[2, 5]));
    lumps[13].extend(surface([0, -1, 1, 0, 4, 0, 6], [0, 0]));
    lumps[13].extend(surface([0, 0, 2, 4, 9, 0, 0], [3, 3]));
    lumps[16] = words(&[1, 1]);
    lumps[16].push(1);
    with_directory(&lumps)
}

fn with_directory(lumps: &[Vec<u8>; 17]) -> Vec<u8> {
    let mut file = b"IBSP".to_vec();
    file.extend(words(&[46]));
    let mut at = file.len() as i32 + 17 * 8;
    for lump in lumps {
        file.extend(words(&[at, lump.len() as i32]));
        at += lump.len() as i32;
    }
    file.extend(lumps.concat());
    file
}

/// Shader, fog, kind, vertices, indexes; then the size of a curve.
fn surface(head: [i32; 7], size: [i32; 2]) -> Vec<u8> {
    let mut record = words(&head);
    record.extend(words(&[-1, 0, 0, 0, 0]));
    record.extend(floats(&[0.0; 3]));
    record.extend(floats(&[
        -1.0, -1.0, 0.0, 129.0, 129.0, 64.0, 0.0, 0.0, 1.0,
    ]));
    record.extend(words(&size));
    record
}

fn vertex(position: [f32; 3]) -> Vec<u8> {
    let mut record = floats(&position);
    record.extend(floats(&[position[0] / 64.0, position[1] / 64.0, 0.0, 0.0]));
    record.extend(floats(&[0.0, 0.0, 1.0]));
    record.extend([255; 4]);
    record
}

fn named(name: &str) -> Vec<u8> {
    let mut bytes = name.as_bytes().to_vec();
    bytes.resize(64, 0);
    bytes
}

fn words(values: &[i32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}
