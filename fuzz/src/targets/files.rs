//! The files of the game, from their bytes to what the game makes of them.

use crate::{Target, memory_files::MemoryFiles};
use client::{
    assets::{decode, sound},
    client::{Client, ClientSetup},
    con::{
        cmd::CommandBuffer,
        edit::{EditField, History},
    },
    event::Event,
    render::{self, settings::RenderSettings},
    sound::music::{Part, Tune},
};
use glam::Vec3;
use shared::{
    base::{info::Info, text, time::ClientTime, tokens::Tokens},
    cm::{ClipMap, Sweep, marks::MarkMap},
    formats::{
        animcfg::AnimationConfig,
        bsp::{Bsp, SurfaceKind},
        lexer::{Lexer, text_from_bytes},
        md3::Md3,
        pk3::{self, Directory},
        shader_script::Library,
        skin,
    },
};
use std::sync::Arc;

pub const TARGETS: &[Target] = &[
    Target::new("animation_config", 8192, 20, animation_config),
    Target::new("bsp", 65_536, 100, bsp),
    Target::new("config", 4096, 100, config),
    Target::new("console", 4096, 20, console),
    Target::new("image_bmp", 16_384, 1000, image_bmp),
    Target::new("image_jpeg", 16_384, 1000, image_jpeg),
    Target::new("image_light", 16_384, 1000, image_light),
    Target::new("image_pcx", 16_384, 1000, image_pcx),
    Target::new("image_png", 16_384, 1000, image_png),
    Target::new("image_tga", 16_384, 1000, image_tga),
    Target::new("md3", 32_768, 100, md3),
    Target::new("pk3", 32_768, 100, pk3),
    Target::new("shader_script", 16_384, 100, shader_script),
    Target::new("skin", 4096, 20, skin),
    Target::new("sound_ogg", 32_768, 100, sound_ogg),
    Target::new("sound_wav", 16_384, 100, sound_wav),
];

fn animation_config(bytes: &[u8]) {
    let _ = AnimationConfig::parse(bytes);
}

/// More curves than these are not built: how long they take is bounded elsewhere.
const MAX_CURVES: usize = 32;

/// A map as level: loaded with its materials, made solid, swept through, marked, and built for drawing.
fn bsp(bytes: &[u8]) {
    let Ok(parsed) = Bsp::parse(bytes) else {
        return;
    };
    let is_curve = |surface: &&shared::formats::bsp::Surface| {
        matches!(surface.kind, SurfaceKind::Patch { .. })
    };
    if parsed.surfaces.iter().filter(is_curve).count() > MAX_CURVES {
        return;
    }
    if let Ok(map) = ClipMap::new(&parsed) {
        sweep(&map, &parsed);
    }
    let files = MemoryFiles::new([("maps/m.bsp", bytes)]);
    let mut assets = files.assets();
    assets.load_world("m");
    files.serve(&mut assets);
    let Some(world) = assets.world().cloned() else {
        return;
    };
    render::world_size(&assets, &world, &RenderSettings::REFERENCE);
    let mut marks = MarkMap::new(world);
    let corners = [[0.0, 0.0], [16.0, 0.0], [16.0, 16.0], [0.0, 16.0]];
    let corners = corners.map(|[x, y]| Vec3::new(x, y, 8.0));
    marks.fragments(&corners, Vec3::new(0.0, 0.0, -20.0));
}

fn sweep(map: &ClipMap, bsp: &Bsp) {
    let bounds = bsp.models.first().map(|model| [model.mins, model.maxs]);
    let [mins, maxs] = bounds.unwrap_or_default();
    let ways = [
        [Vec3::ZERO, Vec3::new(0.0, 0.0, -100.0)],
        [mins, maxs],
        [Vec3::new(8.0, 8.0, 40.0); 2],
    ];
    for [start, end] in ways {
        for size in [0.0, 15.0] {
            let sweep = Sweep {
                start,
                end,
                mins: Vec3::splat(-size),
                maxs: Vec3::splat(size),
                mask: u32::MAX,
            };
            map.trace(&sweep);
            map.trace_model(&sweep, 1);
        }
        map.point_contents(start);
        let cluster = map.cluster_at(start);
        map.cluster_sees(cluster, map.cluster_at(end));
    }
}

/// The stored settings of a player, and lines of a console, run as a client does.
fn config(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes).into_owned();
    let setup = ClientSetup {
        seed: 1,
        config: Some(text.clone()),
        history: Some(text.clone()),
        ..ClientSetup::default()
    };
    let mut client = Client::new(setup, ClientTime(0));
    let events = vec![Event::Command(text), Event::SourcesComplete];
    client.frame(ClientTime(10), events);
    client.frame(ClientTime(20), Vec::new());
    client.frame(ClientTime(1000), Vec::new());
}

/// What the console does with text before anything runs.
fn console(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut buffer = CommandBuffer::default();
    buffer.append(&text);
    while let Some(line) = buffer.next_command() {
        let tokens = Tokens::new(&line);
        for number in 0..=tokens.len() {
            tokens.get(number);
            tokens.rest(number);
        }
    }
    let wire = text::from_bytes(bytes);
    text::wire_text(&wire);
    text::without_colors(&wire);
    text::clean(&wire);
    text::number(&wire);
    Info::parse(&wire).iter().count();
    assert!(text::color_spans(&wire).count() <= bytes.len() + 1);
    History::from_text(&text).to_text();
    let mut line = EditField::default();
    line.insert_text(&text);
    line.word_left();
    line.backspace();
    line.home();
    line.word_right();
    line.delete();
}

fn image_bmp(bytes: &[u8]) {
    image("x.bmp", bytes);
}

fn image_jpeg(bytes: &[u8]) {
    image("x.jpg", bytes);
}

/// As a relay makes it, under the name of the picture that it was made of.
fn image_light(bytes: &[u8]) {
    let _ = decode::size_of("x.tga", bytes);
    image("x.tga", bytes);
}

fn image_pcx(bytes: &[u8]) {
    image("x.pcx", bytes);
}

fn image_png(bytes: &[u8]) {
    image("x.png", bytes);
}

fn image_tga(bytes: &[u8]) {
    image("x.tga", bytes);
}

fn image(name: &str, bytes: &[u8]) {
    if let Ok(pixels) = decode::decode(name, bytes) {
        let size = pixels.width as usize * pixels.height as usize;
        assert_eq!(pixels.rgba.len(), 4 * size);
        assert!(size > 0);
    }
}

/// A model as the game loads it, and every part of it that is asked for.
fn md3(bytes: &[u8]) {
    if let Ok(model) = Md3::parse(bytes) {
        model.lerp_tag(0, usize::MAX, 0.5, "tag_x");
        for tag in ["tag_torso", "tag_weapon"] {
            model.lerp_tag(0, 1, 0.5, tag);
        }
        for surface in &model.surfaces {
            surface.frame_vertices(model.frames.len() - 1);
        }
    }
    let files = MemoryFiles::new([("models/m.md3", bytes), ("models/m_1.md3", bytes)]);
    let mut assets = files.assets();
    assets.register_model("models/m.md3");
    files.serve(&mut assets);
}

/// So many files of a pak are unpacked; each has its own limit, as in the game, which takes one after the other.
const MAX_UNPACKED: usize = 8;

fn pk3(bytes: &[u8]) {
    let _ = pk3::checksum(bytes);
    let size = bytes.len() as u64;
    let Ok(place) = pk3::find_directory(size, &bytes[pk3::tail_range(size).start as usize..])
    else {
        return;
    };
    assert!(place.range.end <= size);
    let range = place.range.start as usize..place.range.end as usize;
    let Ok(directory) = Directory::parse(&place, &bytes[range]) else {
        return;
    };
    directory.checksum();
    directory.pure_checksum(7);
    for entry in directory.entries().iter().take(MAX_UNPACKED) {
        let range = entry.range();
        assert!(directory.find(&entry.name).is_some());
        let range = range.start as usize..range.end as usize;
        if let Some(packed) = bytes.get(range) {
            let _ = entry.extract(packed);
        }
    }
}

/// Scripts, and the materials that they make.
fn shader_script(bytes: &[u8]) {
    let (library, _) = Library::new([("x.shader".to_owned(), bytes)]);
    let names: Vec<String> = library.names().map(str::to_owned).collect();
    for name in &names {
        let _ = library.script(name);
    }
    let files = MemoryFiles::new([("scripts/x.shader", bytes)]);
    let mut assets = files.assets();
    for name in names.iter().take(16) {
        assets.register_shader(name);
        assets.register_world_shader(name, 0);
    }
    files.serve(&mut assets);
    let text = text_from_bytes(bytes);
    let mut lexer = Lexer::new(&text);
    while lexer.token().is_some() {
        lexer.token_on_line();
    }
}

fn skin(bytes: &[u8]) {
    skin::parse(bytes);
}

fn sound_ogg(bytes: &[u8]) {
    let _ = sound::decode("x.ogg", bytes);
    let part = Part {
        name: "x.ogg".to_owned(),
        bytes: Arc::from(bytes),
    };
    if let Ok(mut tune) = Tune::open(None, part) {
        (0..4).take_while(|_| tune.next_block().is_some()).count();
    }
}

fn sound_wav(bytes: &[u8]) {
    if let Ok(sound) = sound::decode("x.wav", bytes) {
        assert!(sound.samples.len() <= 2 * bytes.len());
    }
}
