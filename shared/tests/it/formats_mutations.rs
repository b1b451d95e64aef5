//! Damaged files never panic, hang or allocate without bounds: thousands of mutations per format.

use shared::{
    base::rng::Rng,
    formats::{
        animcfg::AnimationConfig,
        lexer::{Lexer, text_from_bytes},
        md3::Md3,
        pcx::Pcx,
        pk3::{self, Directory},
        shader_script::Library,
        skin,
        tga::Tga,
        wav::Wav,
    },
};

use crate::gamedata;

/// Changes some bytes, and sometimes cuts the end or doubles a part.
fn damage(rng: &mut Rng, bytes: &[u8]) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    // Headers decide most, so half of the changes fall there.
    for _ in 0..1 + rng.below(6) {
        let range = if rng.below(2) == 0 {
            damaged.len().min(128)
        } else {
            damaged.len()
        };
        let at = rng.below(range);
        if let Some(byte) = damaged.get_mut(at) {
            *byte = [0, 0xff, 0x80, 0x7f, b'{', b'}', b'"', rng.below(256) as u8][rng.below(8)];
        }
    }
    if rng.below(4) == 0 {
        damaged.truncate(rng.below(bytes.len()));
    }
    if rng.below(8) == 0 {
        let at = rng.below(damaged.len());
        let part = damaged[at..].to_vec();
        damaged.extend(part.iter().take(256));
    }
    damaged
}

fn check(seed: u64, rounds: usize, bytes: &[u8], read: impl Fn(&[u8])) {
    let mut rng = Rng::new(seed);
    for _ in 0..rounds {
        read(&damage(&mut rng, bytes));
    }
}

/// A small archive with a stored and a compressed file.
fn small_pak() -> Vec<u8> {
    use std::io::Write;
    let text = b"textures/a { { map textures/a.tga } } textures/a { { map textures/a.tga } }";
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    encoder.write_all(text).expect("memory can be written");
    let packed = encoder.finish().expect("memory can be written");
    let mut crc = flate2::Crc::new();
    crc.update(text);
    let mut pak = Vec::new();
    let mut directory = Vec::new();
    for (name, method, data) in [
        ("a.shader", 8_u16, packed.as_slice()),
        ("B.txt", 0, text.as_slice()),
    ] {
        let at = pak.len() as u32;
        let mut middle = Vec::new();
        middle.extend([20, 0, 0, 0]);
        middle.extend(method.to_le_bytes());
        middle.extend([0; 4]);
        for value in [crc.sum(), data.len() as u32, text.len() as u32] {
            middle.extend(value.to_le_bytes());
        }
        middle.extend((name.len() as u16).to_le_bytes());
        middle.extend([0; 2]);
        pak.extend(b"PK\x03\x04");
        pak.extend(&middle);
        pak.extend(name.bytes());
        pak.extend(data);
        directory.extend(b"PK\x01\x02\x14\0");
        directory.extend(&middle);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.bytes());
    }
    let (at, size) = (pak.len() as u32, directory.len() as u32);
    pak.extend(directory);
    pak.extend(b"PK\x05\x06\0\0\0\0\x02\0\x02\0");
    pak.extend(size.to_le_bytes());
    pak.extend(at.to_le_bytes());
    pak.extend([0; 2]);
    pak
}

/// How many files come out of an archive.
fn unpack(bytes: &[u8]) -> usize {
    let size = bytes.len() as u64;
    let Ok(place) = pk3::find_directory(size, &bytes[pk3::tail_range(size).start as usize..])
    else {
        return 0;
    };
    let range = place.range.start as usize..place.range.end as usize;
    let Ok(directory) = Directory::parse(&place, &bytes[range]) else {
        return 0;
    };
    directory.checksum();
    let unpacked = directory.entries().iter().filter(|entry| {
        let range = entry.range();
        let range = range.start as usize..range.end as usize;
        bytes
            .get(range)
            .is_some_and(|packed| entry.extract(packed).is_ok())
    });
    unpacked.count()
}

#[test]
fn damaged_paks() {
    let pak = small_pak();
    assert_eq!(unpack(&pak), 2);
    check(1, 20_000, &pak, |bytes| {
        unpack(bytes);
    });
}

#[test]
fn damaged_models() {
    let model = gamedata::file("models/powerups/health/medium_cross.md3");
    Md3::parse(&model).expect("the undamaged model can be read");
    check(2, 20_000, &model, |bytes| {
        if let Ok(model) = Md3::parse(bytes) {
            model.lerp_tag(0, usize::MAX, 0.5, "tag_x");
            for surface in &model.surfaces {
                surface.frame_vertices(model.frames.len() - 1);
            }
        }
    });
}

#[test]
fn damaged_images() {
    let image = gamedata::file("gfx/2d/crosshaira.tga");
    Tga::parse(&image).expect("the undamaged image can be read");
    check(3, 5_000, &image, |bytes| {
        let _ = Tga::parse(bytes);
    });
    let mut pcx = vec![10, 5, 1, 8, 0, 0, 0, 0, 7, 0, 7, 0];
    pcx.extend([0; 53]);
    pcx.extend([1, 8, 0]);
    pcx.extend([0; 60]);
    pcx.extend([0xc8, 1].repeat(8));
    pcx.push(12);
    pcx.extend([7; 768]);
    Pcx::parse(&pcx).expect("the undamaged image can be read");
    check(4, 20_000, &pcx, |bytes| {
        let _ = Pcx::parse(bytes);
    });
}

#[test]
fn damaged_sounds() {
    let sound = gamedata::file("sound/weapons/noammo.wav");
    Wav::parse(&sound).expect("the undamaged sound can be read");
    check(5, 5_000, &sound, |bytes| {
        let _ = Wav::parse(bytes);
    });
}

#[test]
fn damaged_texts() {
    let script = gamedata::file("scripts/common.shader");
    check(6, 2_000, &script, |bytes| {
        let (library, _) = Library::new([("x.shader".to_owned(), bytes)]);
        let names: Vec<String> = library.names().map(str::to_owned).collect();
        for name in names {
            let _ = library.script(&name);
        }
        skin::parse(bytes);
    });
    let config = gamedata::file("models/players/sarge/animation.cfg");
    check(7, 10_000, &config, |bytes| {
        let _ = AnimationConfig::parse(bytes);
        let text = text_from_bytes(bytes);
        let mut lexer = Lexer::new(&text);
        while lexer.token().is_some() {
            lexer.token_on_line();
        }
    });
}
