//! Sounds of OpenArena's paks through the decoders, whole and damaged.

use crate::disk::Disk;
use client::assets::{AssetState, sound};
use shared::{base::rng::Rng, formats::light::LightSound};

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
    let mut rng = Rng::new(7);
    for _ in 0..300 {
        let mut damaged = whole.clone();
        for _ in 0..4 {
            let range = if rng.below(2) == 0 {
                4000.min(damaged.len())
            } else {
                damaged.len()
            };
            damaged[rng.below(range)] = rng.below(256) as u8;
        }
        let _ = sound::decode("x.ogg", &damaged);
    }
}

#[test]
fn a_light_sound_has_the_length_that_it_says() {
    let (mut disk, mut assets) = Disk::assets();
    let taunt = assets.register_file("sound/player/neko/taunt.ogg");
    disk.serve(&mut assets);
    let vorbis = assets.file(taunt).expect("the taunt exists");
    let whole = sound::decode("x.ogg", vorbis).expect("it is decoded");
    let light = |samples: usize| {
        let samples = samples as u32;
        let bytes = LightSound { samples, vorbis }.to_bytes();
        let light = sound::decode("x.wav", &bytes).expect("it is decoded");
        assert_eq!((light.rate, light.channels), (whole.rate, whole.channels));
        let most = sound::max_bytes("x.wav", bytes.len() as u64, &bytes[..64]);
        assert!(light.samples.len() as u64 * 2 <= most);
        light.samples
    };
    let count = whole.samples.len();
    assert_eq!(light(count), whole.samples);
    let each = usize::from(whole.channels);
    assert_eq!(light(1000 * each), whole.samples[..1000 * each]);
    // What is missing is silence, and no length makes it take more than other sounds may.
    let longer = light(count + 50 * each);
    assert_eq!(longer[..count], whole.samples);
    assert_eq!(longer[count..], vec![0; 50 * each]);
    assert!(light(u32::MAX as usize).len() <= 16 << 20);
    let cut = LightSound {
        samples: 1000,
        vorbis: &vorbis[..30],
    };
    assert!(sound::decode("x.wav", &cut.to_bytes()).is_err());
}
