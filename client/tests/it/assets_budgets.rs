//! Paks that unfold to much more than they are: what they may cost, what is left out, and the lines that say so.

use client::assets::{
    AssetSettings, AssetState, Assets, Limits, Listed,
    image::TextureLimits,
    source::{FoundSource, SourceId, SourceKind},
    vfs::ReadRequest,
};
use flate2::{Compression, Crc, write::DeflateEncoder};
use std::io::Write;

const SETTINGS: AssetSettings = AssetSettings {
    textures: TextureLimits {
        round_down: true,
        max_size: 2048,
        max_bytes: u64::MAX,
    },
    keep_details: true,
};

const KB: u64 = 1 << 10;

/// What these tests allow, so that small files exceed it.
const LIMITS: Limits = Limits {
    images: 1024 * KB,
    unpacked: 100 << 20,
    pixels: 100 << 20,
    sounds: 100 * KB,
    models: 100 * KB,
    scripts: 64 * KB,
    files: 100 * KB,
    world: 100 * KB,
};

/// One pak in memory.
struct Pak {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    count: u16,
    /// So many bytes of zeros come before all that.
    hole: u64,
}

impl Pak {
    fn new() -> Self {
        Self {
            bytes: Vec::new(),
            directory: Vec::new(),
            count: 0,
            hole: 0,
        }
    }

    fn file(mut self, name: &str, contents: &[u8]) -> Self {
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(contents).expect("memory takes all");
        let packed = encoder.finish().expect("as above");
        let mut crc = Crc::new();
        crc.update(contents);
        let at = self.bytes.len() as u32;
        let sizes = [packed.len() as u32, contents.len() as u32];
        let middle = middle(name, 8, crc.sum(), sizes);
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&middle);
        self.bytes.extend(name.bytes());
        self.bytes.extend(packed);
        self.list(name, &middle, at)
    }

    /// A file of which only the directory knows.
    fn promised(mut self, name: &str, size: u32) -> Self {
        let at = self.hole as u32;
        self.hole += u64::from(size);
        let middle = middle(name, 0, 1, [size, size]);
        self.list(name, &middle, at)
    }

    fn list(mut self, name: &str, middle: &[u8], at: u32) -> Self {
        self.directory.extend(b"PK\x01\x02\x14\0");
        self.directory.extend(middle);
        self.directory.extend([0; 10]);
        self.directory.extend(at.to_le_bytes());
        self.directory.extend(name.bytes());
        self.count += 1;
        self
    }

    /// Assets that know this pak alone.
    fn assets(mut self, limits: Limits) -> (Self, Assets) {
        let (at, size) = (
            self.hole as u32 + self.bytes.len() as u32,
            self.directory.len() as u32,
        );
        self.bytes.append(&mut self.directory);
        self.bytes.extend(b"PK\x05\x06\0\0\0\0");
        self.bytes.extend([self.count.to_le_bytes(); 2].concat());
        self.bytes.extend(size.to_le_bytes());
        self.bytes.extend(at.to_le_bytes());
        self.bytes.extend([0; 2]);
        let mut assets = Assets::new(SETTINGS);
        assets.set_limits(limits);
        assets.add_source(FoundSource {
            id: SourceId(0),
            game: "baseoa".into(),
            root: 0,
            name: "bomb.pk3".into(),
            store: None,
            kind: SourceKind::Pak {
                size: self.hole + self.bytes.len() as u64,
            },
        });
        assets.set_sources_complete();
        self.serve(&mut assets);
        (self, assets)
    }

    fn serve(&self, assets: &mut Assets) {
        loop {
            let mut is_idle = !assets.poll(1);
            while let Some(request) = assets.next_read() {
                is_idle = false;
                assets.handle_read(request.id, Ok(self.read(&request)));
            }
            if is_idle {
                return;
            }
        }
    }

    fn read(&self, request: &ReadRequest) -> Vec<u8> {
        let mut bytes = vec![0; (request.range.end - request.range.start) as usize];
        let stored = request.range.start.max(self.hole)..request.range.end.max(self.hole);
        let from =
            &self.bytes[(stored.start - self.hole) as usize..(stored.end - self.hole) as usize];
        let at = bytes.len() - from.len();
        bytes[at..].copy_from_slice(from);
        bytes
    }
}

fn middle(name: &str, method: u16, crc: u32, sizes: [u32; 2]) -> Vec<u8> {
    let mut middle = vec![20, 0, 0, 0];
    middle.extend(method.to_le_bytes());
    middle.extend([0; 4]);
    for value in [crc, sizes[0], sizes[1]] {
        middle.extend(value.to_le_bytes());
    }
    middle.extend((name.len() as u16).to_le_bytes());
    middle.extend([0; 2]);
    middle
}

/// A picture of one color in run-length packets.
fn tga(side: u16) -> Vec<u8> {
    let mut bytes = vec![0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend([side.to_le_bytes(); 2].concat());
    bytes.extend([32, 0]);
    let packets = (usize::from(side) * usize::from(side)).div_ceil(128);
    bytes.extend([255, 1, 2, 3, 255].repeat(packets));
    bytes
}

/// Silence of 8 bits a sample.
fn wav(samples: usize) -> Vec<u8> {
    let mut bytes = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
    bytes.extend(22_050_u32.to_le_bytes());
    bytes.extend([0; 6]);
    bytes.extend([8, 0]);
    bytes.extend(b"data");
    bytes.extend((samples as u32).to_le_bytes());
    bytes.extend(vec![128; samples]);
    bytes
}

/// The lines about what is too much.
fn told(assets: &mut Assets) -> Vec<String> {
    let words = ["Left out:", "left out,", "Made smaller:"];
    let is_meant = |line: &String| words.iter().any(|word| line.contains(word));
    assets
        .take_messages()
        .into_iter()
        .filter(is_meant)
        .collect()
}

#[test]
fn images_become_smaller_when_their_memory_runs_short() {
    let count = 40;
    let mut pak = Pak::new();
    for number in 0..count {
        pak = pak.file(&format!("i{number}.tga"), &tga(256));
    }
    let limits = Limits {
        images: 4096 * KB,
        ..LIMITS
    };
    let (pak, mut assets) = pak.assets(limits);
    let shaders: Vec<_> = (0..count)
        .map(|number| assets.register_shader_no_mip(&format!("i{number}")))
        .collect();
    pak.serve(&mut assets);
    assert!(shaders.iter().all(|&id| !assets.is_missing(id)));
    let sizes: Vec<String> = assets.listed(Listed::Images);
    let side = |number: usize| {
        let line = sizes
            .iter()
            .find(|line| line.starts_with(&format!("i{number}  ")));
        let (_, side) = line
            .expect("it is listed")
            .rsplit_once('x')
            .expect("a size");
        side.parse::<u64>().expect("a number")
    };
    let bytes: u64 = (0..count).map(|number| side(number).pow(2) * 4).sum();
    assert!(bytes <= limits.images * 5 / 4, "{bytes}");
    assert_eq!((side(0), side(count - 1)), (256, 64));
    let lines = told(&mut assets);
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(
        lines[0].contains("Made smaller: i") && lines[0].contains("4 MB"),
        "{lines:?}"
    );
}

#[test]
fn pixels_beyond_the_budget_are_not_decoded() {
    let mut pak = Pak::new();
    for number in 0..6 {
        pak = pak.file(&format!("i{number}.tga"), &tga(64));
    }
    let (pak, mut assets) = pak.assets(Limits {
        pixels: 4 * 64 * 64 + 100,
        ..LIMITS
    });
    let shaders: Vec<_> = (0..6)
        .map(|number| assets.register_shader_no_mip(&format!("i{number}")))
        .collect();
    pak.serve(&mut assets);
    let missing: Vec<_> = shaders.iter().map(|&id| assets.is_missing(id)).collect();
    assert_eq!(missing, [false, false, false, false, true, true]);
    let lines = told(&mut assets);
    assert!(lines.len() == 1 && lines[0].contains("i4.tga"), "{lines:?}");
}

#[test]
fn files_beyond_the_work_that_is_allowed_are_not_unpacked() {
    let mut pak = Pak::new();
    for number in 0..4 {
        pak = pak.file(&format!("{number}.skin"), &vec![b'\n'; 300 << 10]);
    }
    let (pak, mut assets) = pak.assets(Limits {
        unpacked: 700 * KB,
        ..LIMITS
    });
    for number in 0..4 {
        assets.register_skin(&format!("{number}.skin"));
    }
    pak.serve(&mut assets);
    assert_eq!(assets.progress().wanted, 0);
    let lines = told(&mut assets);
    assert!(lines.len() == 1 && lines[0].contains("2.skin"), "{lines:?}");
}

#[test]
fn an_image_that_is_too_large_by_its_head_is_left_out() {
    let mut huge = tga(1);
    huge[12..16].copy_from_slice(&[0xff; 4]);
    let (pak, mut assets) = Pak::new().file("huge.tga", &huge).assets(LIMITS);
    let shader = assets.register_shader("huge");
    pak.serve(&mut assets);
    assert!(assets.is_missing(shader));
    let lines = told(&mut assets);
    assert!(lines[0].contains("65535 × 65535"), "{lines:?}");
}

#[test]
fn scripts_have_a_size_together_and_each() {
    let script = |name: &str| {
        let mut text = format!("{name} {{ {{ map $whiteimage }} }}").into_bytes();
        text.resize(20 << 10, b'\n');
        text
    };
    let mut pak = Pak::new().file("scripts/huge.shader", &vec![b'\n'; 9 << 20]);
    for number in 0..5 {
        let name = format!("m{number}");
        pak = pak.file(&format!("scripts/{name}.shader"), &script(&name));
    }
    let (pak, mut assets) = pak.assets(LIMITS);
    let shaders: Vec<_> = (0..5)
        .map(|number| assets.register_shader(&format!("m{number}")))
        .collect();
    pak.serve(&mut assets);
    let missing: Vec<_> = shaders.iter().map(|&id| assets.is_missing(id)).collect();
    assert_eq!(missing, [false, false, false, true, true]);
    let lines = told(&mut assets);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("scripts/m3.shader")));
    assert!(lines.iter().any(|line| line.contains("it has 9 MB")));
}

#[test]
fn sounds_and_files_have_a_budget_together() {
    let mut pak = Pak::new();
    for number in 0..4 {
        pak = pak
            .file(&format!("s{number}.wav"), &wav(40_000))
            .file(&format!("f{number}.cfg"), &[b' '; 40_000]);
    }
    let (pak, mut assets) = pak.assets(LIMITS);
    let sounds: Vec<_> = (0..4)
        .map(|number| assets.register_sound(&format!("s{number}.wav")))
        .collect();
    let files: Vec<_> = (0..4)
        .map(|number| assets.register_file(&format!("f{number}.cfg")))
        .collect();
    pak.serve(&mut assets);
    // Samples take twice as much as their file.
    let missing: Vec<_> = sounds.iter().map(|&id| assets.is_missing(id)).collect();
    assert_eq!(missing, [false, true, true, true]);
    let missing: Vec<_> = files.iter().map(|&id| assets.is_missing(id)).collect();
    assert_eq!(missing, [false, false, true, true]);
    let lines = told(&mut assets);
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(assets.is_crowded());
    assets.reset(SETTINGS);
    assert!(!assets.is_crowded());
    let sound = assets.register_sound("s3.wav");
    pak.serve(&mut assets);
    assert_eq!(assets.state(sound), AssetState::Ready);
}

#[test]
fn a_map_that_unfolds_too_far_is_refused_before_it_is_read() {
    let (pak, mut assets) = Pak::new()
        .file("maps/bomb.bsp", &vec![0; 200 << 10])
        .assets(LIMITS);
    assets.load_world("bomb");
    pak.serve(&mut assets);
    assert_eq!(assets.world_state(), AssetState::Missing);
    let lines = told(&mut assets);
    assert!(
        lines.len() == 1 && lines[0].contains("maps/bomb.bsp"),
        "{lines:?}"
    );
}

#[test]
fn names_without_end_are_left_out_and_stand_for_something() {
    let (pak, mut assets) = Pak::new().assets(LIMITS);
    let mut sound = assets.register_sound("first");
    for number in 0..5000 {
        sound = assets.register_sound(&format!("s{number}"));
    }
    let mut shader = assets.register_shader("first");
    for number in 0..20_000 {
        shader = assets.register_shader(&format!("m{number}"));
        assets.remap_shader("first", &format!("m{number}"), 0.0);
    }
    pak.serve(&mut assets);
    assert!(assets.is_missing(sound));
    let material = assets.shader(shader).expect("something to draw");
    assert!(material.is_default);
    assert!(assets.shader_count() <= 16_385 && assets.sounds().count() == 4096);
    let lines = told(&mut assets);
    assert!(lines.len() == 2, "{lines:?}");
    assert!(assets.is_crowded());
}

#[test]
fn no_more_is_read_while_much_waits_to_be_unpacked() {
    let mut pak = Pak::new();
    for number in 0..40 {
        pak = pak.promised(&format!("f{number}"), 4 << 20);
    }
    let (pak, mut assets) = pak.assets(Limits {
        files: 1 << 30,
        ..LIMITS
    });
    let files: Vec<_> = (0..40)
        .map(|number| assets.register_file(&format!("f{number}")))
        .collect();
    // Opens all of them; none has arrived.
    while assets.poll(1) {}
    let mut asked = 0;
    while let Some(request) = assets.next_read() {
        asked += request.range.end - request.range.start;
        assets.handle_read(request.id, Ok(pak.read(&request)));
    }
    assert!(asked > 60 << 20 && asked < 80 << 20, "{asked}");
    pak.serve(&mut assets);
    assert!(files.iter().all(|&file| assets.is_missing(file)));
}
