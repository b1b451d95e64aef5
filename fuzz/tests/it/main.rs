//! A short slice of fuzzing in every test run: the kept corpus, and damaged copies of it from fixed seeds.

use fuzz::{Target, limits, mutate, room, targets};
use shared::base::rng::Rng;
use std::{fs, path::Path};

/// A build for tests is slower by as much, at most.
const SLACK: u32 = 10;

/// What lies in the tree for a target, in the order of names.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(name);
    let entries = fs::read_dir(&folder).expect("every target has a corpus");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    files.sort();
    let read = files
        .iter()
        .map(|file| fs::read(file).expect("it can be read"));
    read.collect()
}

fn check(name: &str, rounds: usize) {
    let found = targets::all().find(|target| target.name == name);
    let target: &Target = found.expect("it is in the table");
    let seeds = corpus(name);
    assert!(!seeds.is_empty(), "{name} has no corpus");
    for seed in &seeds {
        limits::run(target, seed, SLACK);
    }
    let mut rng = Rng::new(1);
    for _ in 0..rounds {
        let input = mutate::input(&mut rng, &seeds, target.max_len);
        limits::run(target, &input, SLACK);
    }
}

/// One test for each target, so that they run beside each other.
macro_rules! slices {
    ($($name:ident $rounds:literal,)+) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name), $rounds);
            }
        )+

        #[test]
        fn every_target_is_tested() {
            let tested = [$(stringify!($name)),+];
            for target in targets::all() {
                assert!(tested.contains(&target.name), "{}", target.name);
            }
        }
    };
}

slices! {
    animation_config 5_000,
    bsp 500,
    client_frame 150,
    client_message 20_000,
    config 200,
    console 2_000,
    datagram 10_000,
    demo 1_000,
    gate 10_000,
    image_bmp 500,
    image_jpeg 200,
    image_light 500,
    image_pcx 1_000,
    image_png 500,
    image_tga 1_000,
    md3 1_000,
    module_host 2_000,
    oob 20_000,
    pk3 2_000,
    server_list 2_000,
    server_message 5_000,
    shader_script 500,
    skin 5_000,
    sound_ogg 50,
    sound_wav 2_000,
    split 5_000,
    tap 2_000,
}

#[test]
fn the_room_is_a_good_map() {
    let map = room::room();
    let bsp = shared::formats::bsp::Bsp::parse(&map).expect("it is good");
    assert_eq!(bsp.models.len(), 2);
    assert!(shared::cm::ClipMap::new(&bsp).is_ok());
}

#[test]
fn a_fair_server_is_entered() {
    fuzz::hostile::play(&[0]);
}

#[test]
fn hostile_modules_get_answers() {
    let mut rng = Rng::new(1);
    let answered = (0..40).map(|_| {
        let script: Vec<u8> = (0..3000).map(|_| rng.below(256) as u8).collect();
        fuzz::hostile::module::play(&script)
    });
    // Many end at their first error, as modules do; together they come far.
    let answered: u64 = answered.sum();
    assert!(answered > 200, "{answered}");
}
