//! Assets from OpenArena's paks: maps with their materials and images, models, skins, sounds.

use crate::{disk::Disk, zip::pak};
use client::assets::{
    AssetState, Assets, Later, Listed,
    model::Model,
    source::{FarPak, SourceKind},
    vfs::Fetched,
};
use ruzstd::encoding::CompressionLevel;
use shared::formats::{
    light::{AlphaFilter, LightImage},
    pk3::{self, PakFile},
};
use std::{collections::BTreeSet, time::Instant};

#[test]
fn a_map_comes_with_its_materials_and_images() {
    let started = Instant::now();
    let (mut disk, mut assets) = Disk::assets();
    assets.load_world("oa_dm1");
    disk.serve(&mut assets);
    let progress = assets.progress();
    println!(
        "{progress:?} in {:?} by {} reads of {} bytes",
        started.elapsed(),
        disk.reads,
        disk.bytes
    );
    for line in assets.take_messages() {
        println!("{line}");
    }
    assert_eq!(assets.world_state(), AssetState::Ready);
    assert_eq!(progress.wanted, 0);
    let bsp = assets.world().unwrap().clone();
    assert_eq!(assets.world_surface_shaders().len(), bsp.surfaces.len());
    assert!(
        assets
            .world_surface_shaders()
            .iter()
            .all(|&id| !assets.is_missing(id))
    );
}

#[test]
fn the_next_map_begins_with_the_images_that_were_loaded_ahead() {
    let images = |assets: &Assets| -> BTreeSet<String> {
        assets.listed(Listed::Images).into_iter().collect()
    };
    let (mut disk, mut assets) = Disk::assets();
    assets.load_world("oa_dm1");
    disk.serve(&mut assets);
    let surfaces = assets.world_surface_shaders().to_vec();
    assets.take_messages();
    let mut steps = 0;
    loop {
        let before = (disk.reads, images(&assets).len());
        assets.load_next_map("oa_dm2");
        disk.serve(&mut assets);
        if steps > 1 && before == (disk.reads, images(&assets).len()) {
            break;
        }
        steps += 1;
        assert!(steps < 200, "it never ends");
    }
    // The map that is played is as before, and of the other one nothing is said.
    assert_eq!(assets.world_surface_shaders(), surfaces);
    assert_eq!(assets.take_messages(), [""; 0]);
    let reads = disk.reads;
    let ahead = images(&assets);
    assets.load_world("oa_dm2");
    disk.serve(&mut assets);
    assert_eq!(assets.world_state(), AssetState::Ready);
    assert!(disk.reads - reads <= 2, "{} reads", disk.reads - reads);
    assert_eq!(images(&assets), ahead);
    // A map that is not there is none of the player's business yet.
    assets.take_messages();
    assets.load_next_map("no_such_map");
    disk.serve(&mut assets);
    assets.load_next_map("no_such_map");
    assert_eq!(assets.take_messages(), [""; 0]);
    assert!(assets.is_idle());
}

#[test]
fn what_is_urgent_comes_before_what_was_asked_for_earlier() {
    let (mut disk, mut assets) = Disk::assets();
    let names = [
        "sarge", "major", "gargoyle", "liz", "kyonshi", "merman", "neko", "tony",
    ];
    for name in names {
        for part in ["lower", "upper", "head"] {
            assets.register_model(&format!("models/players/{name}/{part}.md3"));
        }
    }
    assets.load_world("oa_dm1");
    let letters = assets.register_shader_urgent("menu/art/font1_prop");
    // One read at a time, as over a slow line.
    while !assets.is_settled(letters) {
        while assets.poll(usize::MAX) {}
        let request = assets.next_read().expect("the letters are still awaited");
        let result = disk.read(&request);
        assets.handle_read(request.id, result);
    }
    assert_eq!(assets.state(letters), AssetState::Ready);
    let progress = assets.progress();
    assert!(progress.wanted > names.len(), "{progress:?}");
    disk.serve(&mut assets);
    assert_eq!(assets.progress().wanted, 0);
}

#[test]
fn what_a_level_can_begin_without_is_read_when_it_has_begun() {
    let (mut disk, mut assets) = Disk::assets();
    assets.begin_with_the_map();
    assets.load_world("oa_dm1");
    let model = assets.later(Later::Others, |assets| {
        assets.register_model("models/weapons2/rocketl/rocketl.md3")
    });
    let sound = assets.register_sound("sound/items/respawn1.wav");
    disk.serve(&mut assets);
    assert_eq!((assets.awaited(), assets.progress().wanted), (0, 2));
    assert_eq!(assets.world_state(), AssetState::Ready);
    assert!(assets.is_coming(model) && !assets.is_idle());
    let before = disk.bytes;
    assets.load_rest();
    disk.serve(&mut assets);
    assert!(disk.bytes > before);
    assert_eq!((assets.progress().wanted, assets.is_idle()), (0, true));
    assert_eq!(assets.state(sound), AssetState::Ready);
    assert!(!assets.is_coming(model) && assets.model(model).is_some());
    // Nothing is put off any more.
    let other = assets.later(Later::Others, |assets| {
        assets.register_model("models/weapons2/plasma/plasma.md3")
    });
    disk.serve(&mut assets);
    assert!(assets.model(other).is_some());
}

#[test]
fn a_light_pak_gives_pictures_for_another_where_they_need_not_be_exact() {
    const PICTURE: &str = "gfx/misc/tracer2.jpg";
    let mut color = Vec::new();
    image::codecs::jpeg::JpegEncoder::new(&mut color)
        .encode(&[200; 16 * 8 * 3], 16, 8, image::ExtendedColorType::Rgb8)
        .unwrap();
    let plane = AlphaFilter::Left.apply(&[7; 16 * 8], 16);
    let alpha = ruzstd::encoding::compress_to_vec(&plane[..], CompressionLevel::Fastest);
    let light = LightImage {
        size: [16, 8],
        color: &color,
        alpha: Some((AlphaFilter::Left, &alpha)),
    };
    let light = pk3::store(vec![
        PakFile::new(PICTURE, light.to_bytes().unwrap()),
        // What the other pak lacks does not come to be.
        PakFile::new("gfx/only_light.jpg", color.clone()),
    ]);
    let size = light.len() as u64;
    let mut seen = Vec::new();
    for is_exact in [false, true] {
        let exact = pak(PICTURE, &exact_picture());
        let (mut disk, mut found) = Disk::of("baseoa", Vec::new());
        let first = disk.add("baseoa", "x.pk3", exact);
        let lightens = Some(first.id);
        let mut second = disk.add("baseoa", "x.pk3", light.clone());
        let far = FarPak {
            size,
            directory: Some(200),
            lightens,
        };
        second.kind = SourceKind::Far(far);
        found.extend([first, second]);
        let (mut disk, mut assets) = Disk::announced((disk, found));
        assert_eq!(assets.vfs_mut().set_exact(is_exact), is_exact);
        disk.serve(&mut assets);
        assert_eq!(assets.vfs().paks().count(), 1);
        assert!(!assets.vfs().exists("gfx/only_light.jpg"));
        let shader = assets.register_shader_no_mip(PICTURE);
        // Whoever reads the bytes reads those of the other pak.
        let raw = assets.register_file(PICTURE);
        disk.serve(&mut assets);
        assert_eq!(assets.state(shader), AssetState::Ready);
        let bytes = assets.file(raw).map(|bytes| bytes.to_vec());
        assert_eq!(bytes, Some(exact_picture()));
        assert_eq!(assets.take_messages(), [""; 0]);
        seen.extend(
            assets
                .listed(Listed::Images)
                .into_iter()
                .filter(|line| line.starts_with(PICTURE)),
        );
        assert_eq!(assets.vfs().used_paks(), ["x.pk3"]);
    }
    assert_eq!(
        seen,
        [format!("{PICTURE}  16x8"), format!("{PICTURE}  4x4")]
    );
}

#[test]
fn where_a_light_pak_is_gone_its_pictures_come_from_the_other() {
    const PICTURES: [&str; 2] = ["gfx/misc/tracer2.jpg", "gfx/misc/tracer3.jpg"];
    let both = |bytes: &[u8]| {
        pk3::store(
            PICTURES
                .map(|name| PakFile::new(name, bytes.to_vec()))
                .into(),
        )
    };
    let (mut disk, mut found) = Disk::of("baseoa", Vec::new());
    let first = disk.add("baseoa", "x.pk3", both(&exact_picture()));
    let light = both(&[0; 64]);
    let size = light.len() as u64;
    let mut second = disk.add("baseoa", "x.pk3", light);
    second.kind = SourceKind::Far(FarPak {
        size,
        directory: None,
        lightens: Some(first.id),
    });
    let gone = second.id;
    found.extend([first, second]);
    let (mut disk, mut assets) = Disk::announced((disk, found));
    disk.serve(&mut assets);
    let shaders = PICTURES.map(|name| assets.register_shader_no_mip(name));
    let mut refused = 0;
    while assets.poll(usize::MAX) || assets.vfs().is_busy() {
        let Some(request) = assets.next_read() else {
            continue;
        };
        let result = match request.source == gone {
            true => {
                refused += 1;
                Err("404 Not Found".to_owned())
            }
            false => disk.read(&request),
        };
        assets.handle_read(request.id, result);
    }
    assert!(refused > 0);
    for shader in shaders {
        assert_eq!(assets.state(shader), AssetState::Ready);
    }
    assert_eq!(
        assets.take_messages(),
        ["baseoa/x.pk3: its own files are read, because the smaller ones cannot be: 404 Not Found"]
    );
}

/// Of 4 × 4 pixels.
fn exact_picture() -> Vec<u8> {
    let mut bytes = Vec::new();
    image::codecs::jpeg::JpegEncoder::new(&mut bytes)
        .encode(&[90; 4 * 4 * 3], 4, 4, image::ExtendedColorType::Rgb8)
        .expect("it is encoded");
    bytes
}

#[test]
fn a_material_is_settled_when_its_images_are_here() {
    let (mut disk, mut assets) = Disk::assets();
    let shader = assets.register_shader("models/weapons2/rocketl/muzzy");
    loop {
        assert!(!assets.is_settled(shader), "its image is still on its way");
        while assets.poll(usize::MAX) {}
        if assets.shader(shader).is_some() {
            break;
        }
        let request = assets.next_read().expect("the scripts are still awaited");
        let result = disk.read(&request);
        assets.handle_read(request.id, result);
    }
    assert!(!assets.is_settled(shader), "its image is still on its way");
    assert!(assets.complete_shader(shader).is_none());
    disk.serve(&mut assets);
    assert!(assets.is_settled(shader));
    assert!(!assets.is_missing(shader));
    assert_eq!(assets.complete_shader(shader), assets.shader(shader));
}

#[test]
fn a_replaced_material_is_complete_when_what_is_drawn_instead_is() {
    let (mut disk, mut assets) = Disk::assets();
    let shader = assets.register_shader("models/weapons2/rocketl/muzzy");
    disk.serve(&mut assets);
    let own = assets.complete_shader(shader).cloned();
    assert!(own.is_some());
    assets.remap_shader("models/weapons2/rocketl/muzzy", "gfx/2d/bigchars", 0.0);
    assert!(assets.shader(shader).is_some());
    assert!(
        assets.complete_shader(shader).is_none(),
        "the letters are still on their way"
    );
    disk.serve(&mut assets);
    let replaced = assets.complete_shader(shader).expect("the letters");
    assert_eq!(replaced.name, "gfx/2d/bigchars");
    assets.remap_shader(
        "models/weapons2/rocketl/muzzy",
        "models/weapons2/rocketl/muzzy",
        0.0,
    );
    assert_eq!(assets.complete_shader(shader), own.as_ref());
}

#[test]
fn a_game_s_own_scripts_win_over_those_of_the_arena() {
    let (mut disk, mut assets) = Disk::assets();
    let scripts = b"rocketExplosion\n{\n{\nmap gfx/2d/bigchars\n}\n}\nonlyHere\n{\n{\nmap gfx/2d/bigchars\n}\n}\n";
    let own = pak("scripts/zz_own.shader", scripts);
    assets.add_source(disk.add("strafe", "strafe.pk3", own));
    let games = ["baseoa", "strafe"].map(str::to_owned);
    assets.choose_paks(&games, None, Fetched::None);
    let shaders = ["rocketExplosion", "onlyHere"].map(|name| assets.register_shader(name));
    disk.serve(&mut assets);
    let stages = shaders.map(|shader| assets.shader(shader).map(|it| it.stages.len()));
    assert_eq!(stages[1], Some(1), "what the game lacks is the arena's");
    assert!(stages[0] > Some(1), "OpenArena's has several: {stages:?}");
}

#[test]
fn a_player_comes_with_model_skin_animations_and_sounds() {
    let (mut disk, mut assets) = Disk::assets();
    let model = assets.register_model("models/players/sarge/upper.md3");
    let skin = assets.register_skin("models/players/sarge/upper_default.skin");
    let animation = assets.register_animation("models/players/sarge/animation.cfg");
    let sound = assets.register_sound("sound/player/sarge/jump1.wav");
    let shader = assets.register_shader_no_mip("gfx/2d/bigchars");
    let missing = assets.register_model("models/nowhere.md3");
    assert_eq!(assets.state(model), AssetState::Wanted);
    disk.serve(&mut assets);
    let Some(Model::Mesh(mesh)) = assets.model(model).map(AsRef::as_ref) else {
        panic!("sarge has a mesh: {:?}", assets.take_messages());
    };
    assert!(mesh.lods[0].mesh.tag(0, "tag_head").is_some());
    assert!(mesh.lods[0].mesh.surfaces.iter().all(|surface| {
        let worn = assets.skin(skin).unwrap().shader(&surface.name);
        worn.is_some_and(|shader| !assets.is_missing(shader))
    }));
    assert_eq!(
        assets.animation(animation).unwrap().animations[0].first_frame,
        0
    );
    assert!(!assets.sound(sound).unwrap().samples.is_empty());
    assert!(!assets.is_missing(shader));
    assert!(assets.is_missing(missing));
    println!("{:?}", assets.take_messages());
}

#[test]
fn every_map_finds_all_materials_that_the_paks_hold() {
    let (mut disk, mut assets) = Disk::assets();
    disk.serve(&mut assets);
    let maps = assets.vfs().list("maps", ".bsp");
    let mut missing = BTreeSet::new();
    for map in &maps {
        assets.load_world(map);
        disk.serve(&mut assets);
        assert_eq!(
            assets.world_state(),
            AssetState::Ready,
            "{map}: {:?}",
            assets.take_messages()
        );
        let shaders = assets
            .world_surface_shaders()
            .iter()
            .chain(assets.world_fog_shaders());
        let defaults = shaders
            .filter_map(|&id| assets.shader(id))
            .filter(|material| material.is_default);
        missing.extend(defaults.map(|material| material.name.clone()));
    }
    assert_eq!(maps.len(), 85);
    assert_eq!(assets.progress().wanted, 0);
    // Without stages in their scripts, or absent from all paks of the game.
    let expected = [
        "textures/common/botclip",
        "textures/common/caulk",
        "textures/dsi/cretebase",
        "textures/evil6_trims/e6trim_basic128",
        "textures/evil8_lights/e8tinylight",
        "textures/evil8_wall/e8_mtlwall3",
        "textures/grass/moss2",
        "textures/radiant/notex",
        "textures/spirit3ctfduel1_ctf/c_bluelines",
        "textures/spirit3ctfduel1_ctf/c_redlines",
        "textures/trak2/trak2_wall4a",
    ];
    assert_eq!(
        missing.iter().collect::<Vec<_>>(),
        expected.iter().collect::<Vec<_>>()
    );
}
