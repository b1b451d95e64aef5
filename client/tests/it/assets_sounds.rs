//! Sounds of OpenArena's paks through the decoders, whole and damaged.

use crate::disk::Disk;
use client::assets::{AssetState, sound};

#[test]
fn ogg_stands_in_for_wav_and_damaged_ones_are_errors_at_worst() {
    let (mut disk, mut assets) = Disk::assets();
    let sound = assets.register_sound("sound/player/neko/death1.wav");
    let music = assets.register_file("music/oa01.ogg");
    let taunt = assets.register_file("sound/player/neko/taunt.ogg");
    let none = assets.register_sound("sound/nowhere.wav");
    disk.serve(&mut assets);
    assert_eq!(assets.state(none), AssetState::Missing);
    let sound = assets.sound(sound).expect("the sound is decoded");
    assert!(
        sound.samples.len() > sound.rate as usize / 4,
        "{} samples",
        sound.samples.len()
    );
    let mut music = sound::Music::open(assets.file(music).expect("music exists").as_slice().into())
        .expect("music opens");
    let first: Vec<i16> = std::iter::from_fn(|| music.next_block())
        .take(100)
        .flatten()
        .collect();
    assert!(music.channels == 2 && first.iter().any(|&sample| sample != 0));
    let whole = assets.file(taunt).expect("the taunt exists").to_vec();
    let mut state = 7_u64;
    for _ in 0..300 {
        let mut damaged = whole.clone();
        for _ in 0..4 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let range = if state & 1 == 0 {
                4000.min(damaged.len())
            } else {
                damaged.len()
            };
            damaged[(state >> 33) as usize % range] = (state >> 20) as u8;
        }
        let _ = sound::decode("x.ogg", &damaged);
    }
}
