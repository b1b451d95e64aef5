//! Tests: every file is read by the readers of the game, nothing is missing, and all stays small.

use crate::{PakFile, assets, hud::Wardrobe, mesh::Model, pack, player, textures};
use glam::Mat3;
use shared::formats::{
    animcfg::AnimationConfig,
    md3::Md3,
    pk3::{self, Directory},
    shader_script::{Library, Map},
    skin,
    tga::Tga,
    wav::Wav,
};
use std::{collections::BTreeMap, ops::Range, sync::LazyLock};

/// What the pak in the tree holds besides maps. To make it takes seconds, and one test compares the two.
static FILES: LazyLock<Vec<PakFile>> = LazyLock::new(|| {
    let is_of_maps = |file: &PakFile| {
        ["maps/", "levelshots/"]
            .iter()
            .any(|folder| file.name.starts_with(folder))
            || file.name.ends_with(".arena")
    };
    let mut files = kept_files();
    files.retain(|file| !is_of_maps(file));
    files
});

/// All files of the pak in the tree.
pub(crate) fn kept_files() -> Vec<PakFile> {
    let pak = include_bytes!("../strafe.pk3");
    let place = pk3::find_directory(pak.len() as u64, pak).expect("it has a directory");
    let range = |range: Range<u64>| &pak[range.start as usize..range.end as usize];
    let directory = Directory::parse(&place, range(place.range.clone())).expect("it is read");
    let files = directory.entries().iter().map(|entry| PakFile {
        name: entry.name.clone(),
        bytes: entry.extract(range(entry.range())).expect("it unpacks"),
    });
    files.collect()
}

/// What baseq3's client asks for, and what a player's folder holds: kind and name in each line.
const WANTED: &str = include_str!("wanted.txt");

/// Names that are asked for and that the pak leaves out, each with the reason.
const LEFT_OUT: [(&str, &str); 6] = [
    ("models/weapons2/shotgun/shotgun_barrel.md3", NOTHING_TURNS),
    (
        "models/weapons2/grenadel/grenadel_barrel.md3",
        NOTHING_TURNS,
    ),
    ("models/weapons2/rocketl/rocketl_barrel.md3", NOTHING_TURNS),
    (
        "models/weapons2/lightning/lightning_barrel.md3",
        NOTHING_TURNS,
    ),
    ("models/weapons2/railgun/railgun_barrel.md3", NOTHING_TURNS),
    ("models/weapons2/plasma/plasma_barrel.md3", NOTHING_TURNS),
];
const NOTHING_TURNS: &str = "games ask for a barrel of every weapon; this one is in one piece";

fn by_name() -> BTreeMap<&'static str, &'static [u8]> {
    FILES
        .iter()
        .map(|file| (file.name.as_str(), file.bytes.as_slice()))
        .collect()
}

fn scripts() -> Library {
    let files = FILES.iter().filter(|file| file.name.ends_with(".shader"));
    let (library, errors) =
        Library::new(files.map(|file| (file.name.clone(), file.bytes.as_slice())));
    assert!(errors.is_empty(), "{errors:?}");
    library
}

/// Whether an image is there, with the extension asked for or another that the game tries.
fn has_image(name: &str) -> bool {
    let stem = name
        .rsplit_once('.')
        .filter(|(_, extension)| matches!(*extension, "tga" | "jpg"))
        .map_or(name, |(stem, _)| stem);
    let files = by_name();
    ["tga", "jpg"]
        .iter()
        .any(|extension| files.contains_key(format!("{stem}.{extension}").as_str()))
}

fn has_shader(library: &Library, name: &str) -> bool {
    library.contains(name.trim_end_matches(".tga")) || has_image(name)
}

#[test]
fn all_that_is_wanted_is_there() {
    let (files, library) = (by_name(), scripts());
    let missing: Vec<&str> = WANTED
        .lines()
        .filter(|line| {
            let (kind, name) = line.split_once(' ').expect("each line has kind and name");
            let is_here = match kind {
                "shader" => has_shader(&library, name),
                _ => files.contains_key(name),
            };
            !is_here && !LEFT_OUT.iter().any(|(left_out, _)| *left_out == name)
        })
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
    for (name, reason) in LEFT_OUT {
        assert!(
            !files.contains_key(name),
            "{name} is here, though: {reason}"
        );
    }
}

/// Each printable character of the console's font leaves ink, and no two leave the same.
#[test]
fn console_characters_differ() {
    let files = by_name();
    let font = Tga::parse(files["gfx/2d/bigchars.tga"]).expect("a Targa of ours");
    assert_eq!((font.width, font.height), (256, 256));
    let mut seen = BTreeMap::new();
    for code in 33..127_usize {
        let (left, top) = (code % 16 * 16, code / 16 * 16);
        let ink: Vec<u8> = (0..256)
            .map(|at| font.rgba[((top + at / 16) * 256 + left + at % 16) * 4 + 3])
            .collect();
        assert!(ink.iter().any(|&alpha| alpha > 128), "{code} is empty");
        assert_eq!(seen.insert(ink, code), None, "{code} looks like another");
    }
}

#[test]
fn readers_of_the_game_read_every_file() {
    for file in FILES.iter() {
        let (name, bytes) = (&file.name, &file.bytes);
        let extension = name.rsplit('.').next().expect("names have an extension");
        match extension {
            "md3" => check_model(name, bytes),
            "tga" => {
                let image = Tga::parse(bytes).expect("a Targa of ours");
                assert!(image.width.is_power_of_two() && image.height.is_power_of_two());
                assert!(
                    image
                        .rgba
                        .as_chunks::<4>()
                        .0
                        .iter()
                        .any(|pixel| pixel[3] > 0),
                    "{name}"
                );
            }
            "jpg" => {
                let image = image::load_from_memory(bytes).expect("a JPEG of ours");
                assert!(image.width().is_power_of_two() && image.height().is_power_of_two());
            }
            "wav" => {
                let wav = Wav::parse(bytes).expect("a WAV of ours");
                let loudest = wav.samples.iter().map(|sample| sample.unsigned_abs()).max();
                assert!(loudest > Some(4000), "{name} is silent");
                assert!(wav.samples.len() < wav.rate as usize * 2, "{name} is long");
            }
            "skin" => assert_eq!(skin::parse(bytes).len(), 2, "{name}"),
            "cfg" => check_animations(bytes),
            "shader" => {}
            _ => panic!("{name} is of an unknown kind"),
        }
    }
}

fn check_model(name: &str, bytes: &[u8]) {
    let model = Md3::parse(bytes).expect("a model of ours");
    let library = scripts();
    assert!(
        !model.surfaces.is_empty() || name.ends_with("_hand.md3"),
        "{name}"
    );
    for surface in &model.surfaces {
        assert!(!surface.triangles.is_empty(), "{name}");
        assert!(
            surface.vertex_count < 1000 && surface.triangles.len() < 2000,
            "{name}"
        );
        for shader in &surface.shaders {
            assert!(has_shader(&library, shader), "{name} wears {shader}");
        }
    }
}

/// Each animation lies within the frames of the parts that it moves.
fn check_animations(bytes: &[u8]) {
    let config = AnimationConfig::parse(bytes).expect("our own animations");
    let legs = player::lower().frame_count() as i32;
    let torso = player::upper().frame_count() as i32;
    for (row, animation) in config.animations.iter().take(25).enumerate() {
        let end = animation.first_frame + animation.frame_count;
        let (moves_torso, moves_legs) = (row < 13, !(6..13).contains(&row));
        assert!(animation.frame_count > 0, "row {row}");
        assert!(
            !moves_torso || end <= torso,
            "row {row} of the torso ends at {end}"
        );
        assert!(
            !moves_legs || end <= legs,
            "row {row} of the legs ends at {end}"
        );
    }
    // The view weapon's hand moves by these.
    for (row, frames) in [(7, 6), (8, 6), (9, 5), (10, 4)] {
        assert_eq!(config.animations[row].frame_count, frames, "row {row}");
    }
    assert_eq!(
        config.animations[10].first_frame,
        config.animations[9].first_frame + 5
    );
}

#[test]
fn scripts_name_images_that_exist() {
    let library = scripts();
    let names: Vec<String> = library.names().map(str::to_owned).collect();
    assert!(names.len() > 100);
    for name in names {
        let script = library
            .script(&name)
            .expect("its name is from the library")
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
        if let Some(sky) = &script.sky {
            assert!(has_image("textures/strafe/sky_rt"), "{sky:?}");
        }
        for stage in &script.stages {
            let images = match &stage.map {
                Map::Image { name, .. } => vec![name.clone()],
                Map::Animation { names, .. } => names.clone(),
                _ => Vec::new(),
            };
            for image in images {
                assert!(has_image(&image), "{name} shows {image}");
            }
        }
    }
}

#[test]
fn skins_wear_what_exists() {
    let library = scripts();
    for file in FILES.iter().filter(|file| file.name.ends_with(".skin")) {
        for (surface, shader) in skin::parse(&file.bytes) {
            assert!(has_shader(&library, &shader), "{surface} of {}", file.name);
        }
    }
}

/// The pak is the same whenever it is made, opens with the game's reader, and leaves room for maps.
#[test]
fn pak_is_small_and_always_the_same() {
    let pak = pack(assets());
    let mut backward = FILES.clone();
    backward.reverse();
    assert!(pak == pack(backward));
    assert!(pk3::checksum(&pak).is_ok());
    assert!(pak.len() <= 1_250_000, "{} bytes", pak.len());
    let mut names: Vec<&str> = FILES.iter().map(|file| file.name.as_str()).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count, "two files have one name");
}

/// Whoever stands or runs touches the ground and never sinks in.
#[test]
fn feet_stay_on_the_ground() {
    for frame in 0..player::lower().frame_count() {
        let body = player::posed(frame, None);
        let lowest = body
            .iter()
            .flat_map(|model| &model.surfaces)
            .flat_map(|surface| &surface.frames[0])
            .fold(f32::MAX, |low, (position, _)| low.min(position.z));
        assert!((-29.0..-8.0).contains(&lowest), "frame {frame}: {lowest}");
    }
}

/// A picture of the standing player fills a good part of its height.
#[test]
fn player_is_drawn() {
    let body = player::posed(56, None);
    let parts: Vec<&Model> = body.iter().collect();
    let picture = Wardrobe::new(0).draw(&parts, Mat3::IDENTITY, 64, 0);
    let rows = (0..64).filter(|&y| (0..64).any(|x| picture.get(x, y)[3] > 0.5));
    assert!(rows.count() > 48);
}

/// Surfaces are neither flat nor black nor blown out; what has holes by what is left of it.
#[test]
fn textures_have_contrast() {
    for (name, canvas) in textures::canvases() {
        let bright: Vec<f32> = canvas
            .pixels
            .iter()
            .map(|[r, g, b, a]| (r + g + b) / 3.0 * a)
            .collect();
        let mean = bright.iter().sum::<f32>() / bright.len() as f32;
        let spread =
            bright.iter().map(|value| (value - mean).abs()).sum::<f32>() / bright.len() as f32;
        assert!((0.02..0.9).contains(&mean), "{name}: {mean}");
        assert!(spread > 0.004 || name == "sky_dn", "{name}: {spread}");
    }
}
