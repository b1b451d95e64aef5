//! Assets from OpenArena's paks: maps with their materials and images, models, skins, sounds.

use crate::{disk::Disk, zip::pak};
use client::assets::{AssetState, model::Model, vfs::Fetched};
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
