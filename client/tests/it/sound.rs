//! What is heard of scenes and recorded matches: rendered without a device, and looked for in the samples.

use super::{
    cg_demos::{FRAME_MSEC, play},
    disk::Disk,
};
use client::{
    assets::{Assets, sound::Sound},
    client::hearing::{Attention, settings},
    con::{cvar::Cvars, cvars::TABLE},
    platform::speaker::KiraSpeaker,
    scene::{
        SoundScene,
        sound::{Ear, SoundLoop, SoundOrigin, SoundStart},
    },
    sound::{Mixer, Order, SoundSettings, Speaker, law},
};
use glam::Vec3;
use kira::backend::{Backend, Renderer};
use shared::base::time::ClientTime;
use std::{collections::BTreeMap, fs, path::Path};

/// Samples a second of what is rendered: as most sounds of the game, so that they can be found again.
const RATE: u32 = 44_100;
const SETTINGS: SoundSettings = SoundSettings {
    volume: 0.8,
    music_volume: 0.0,
    has_doppler: false,
};

/// Kira's way out, driven by the test instead of a device.
#[derive(Default)]
struct Tape {
    renderer: Option<Renderer>,
}

impl Backend for Tape {
    type Settings = ();
    type Error = String;

    fn setup((): (), _: usize) -> Result<(Self, u32), String> {
        Ok((Self::default(), RATE))
    }

    fn start(&mut self, renderer: Renderer) -> Result<(), String> {
        self.renderer = Some(renderer);
        Ok(())
    }
}

/// Mixer, speaker and what they gave so far.
struct Studio {
    mixer: Mixer,
    speaker: KiraSpeaker<Tape>,
    now: ClientTime,
    /// Left and right in turn.
    samples: Vec<f32>,
    msec: i64,
}

impl Studio {
    fn new() -> Self {
        Self {
            mixer: Mixer::default(),
            speaker: KiraSpeaker::open(()).expect("a tape always opens"),
            now: ClientTime(0),
            samples: Vec::new(),
            msec: 0,
        }
    }

    /// Lets one frame be heard; returns how many orders it took.
    fn frame(
        &mut self,
        scene: &SoundScene,
        settings: &SoundSettings,
        assets: &mut Assets,
    ) -> usize {
        let orders = self.mixer.update(self.now, scene, settings, assets);
        let count = orders.len();
        orders
            .into_iter()
            .for_each(|order| self.speaker.obey(order));
        self.speaker.tick();
        self.now = self.now + FRAME_MSEC;
        self.msec += i64::from(FRAME_MSEC);
        let end = (self.msec * i64::from(RATE) / 1000) as usize * 2;
        let from = self.samples.len();
        self.samples.resize(end, 0.0);
        let tape = self.speaker.backend_mut();
        let renderer = tape.renderer.as_mut().expect("the tape was started");
        renderer.on_start_processing();
        renderer.process(&mut self.samples[from..], 2);
        count
    }

    fn loudness(&self, from: usize) -> f32 {
        let part = &self.samples[from..];
        (part.iter().map(|sample| sample * sample).sum::<f32>() / part.len() as f32).sqrt()
    }
}

/// A sound as it is looked for: its beginning, as one channel.
fn pattern(sound: &Sound) -> Vec<f32> {
    /// A tenth of a second tells sounds apart.
    const LENGTH: usize = 4410;
    let channels = usize::from(sound.channels);
    let mono = sound.samples.chunks(channels).map(|frame| {
        let sum: f32 = frame.iter().map(|&sample| f32::from(sample)).sum();
        sum / channels as f32 / 32768.0
    });
    mono.take(LENGTH).collect()
}

/// How loud a pattern is in either ear where it should begin, and how much of what is heard there it explains.
fn find(samples: &[f32], at: usize, pattern: &[f32]) -> ([f32; 2], f32) {
    /// The player works a few samples late.
    const LATEST: usize = 12;
    let energy: f32 = pattern.iter().map(|sample| sample * sample).sum();
    let mut best = ([0.0; 2], -1.0);
    for late in 0..LATEST {
        let Some(heard) = samples.get((at + late) * 2..(at + late + pattern.len()) * 2) else {
            break;
        };
        let mut products = [0.0_f32; 2];
        let mut total = 0.0_f32;
        for (pair, wanted) in heard.chunks_exact(2).zip(pattern) {
            products[0] += pair[0] * wanted;
            products[1] += pair[1] * wanted;
            total += pair[0] * pair[0] + pair[1] * pair[1];
        }
        let explained = (products[0].powi(2) + products[1].powi(2)) / energy;
        let share = if total > 0.0 { explained / total } else { 0.0 };
        if share > best.1 {
            best = (products.map(|product| product / energy), share);
        }
    }
    best
}

fn ear() -> Ear {
    Ear {
        entity_num: 0,
        origin: Vec3::ZERO,
        axis: [Vec3::X, Vec3::Y, Vec3::Z],
        is_under_water: false,
    }
}

fn assert_near(got: [f32; 2], expected: [f32; 2], what: &str) {
    let is_near = got
        .iter()
        .zip(expected)
        .all(|(got, expected)| (got - expected).abs() < 0.02);
    assert!(is_near, "{what}: {got:.3?} instead of {expected:.3?}");
}

#[test]
fn a_sound_is_heard_from_its_side_and_distance() {
    let (mut disk, mut assets) = Disk::assets();
    let sound = assets.register_sound("sound/weapons/rocket/rocklx1a.wav");
    disk.serve(&mut assets);
    let wanted = pattern(assets.sound(sound).expect("OpenArena has rockets"));
    let rows = [
        (SoundOrigin::Local, 7, [127.0 / 255.0; 2]),
        (SoundOrigin::Fixed(Vec3::Y * 50.0), 7, [127.0 / 255.0, 0.0]),
        (
            SoundOrigin::Fixed(Vec3::X * 705.0),
            7,
            [127.0 / 255.0 * 0.25; 2],
        ),
        (
            SoundOrigin::Fixed(Vec3::NEG_Y * 705.0),
            7,
            [0.0, 127.0 / 255.0 * 0.5],
        ),
        (SoundOrigin::Fixed(Vec3::X * 1400.0), 7, [0.0; 2]),
        // The listener's own body is in both ears, another's is where it is.
        (SoundOrigin::Entity, 0, [127.0 / 255.0; 2]),
        (SoundOrigin::Entity, 7, [0.0, 127.0 / 255.0]),
    ];
    for (place, entity_num, factors) in rows {
        let mut studio = Studio::new();
        let mut scene = SoundScene {
            ear: ear(),
            positions: vec![(0, Vec3::ZERO), (7, Vec3::NEG_Y * 60.0)],
            starts: vec![SoundStart {
                sound,
                place,
                entity_num,
                channel: 0,
            }],
            ..SoundScene::default()
        };
        for _ in 0..5 {
            studio.frame(&scene, &SETTINGS, &mut assets);
            scene.starts.clear();
        }
        let (got, share) = find(&studio.samples, 0, &wanted);
        let expected = factors.map(|factor| factor * SETTINGS.volume);
        assert_near(got, expected, &format!("{place:?} of {entity_num}"));
        if expected != [0.0; 2] {
            assert!(share > 0.98, "{place:?}: {share}");
        }
    }
}

#[test]
fn sounds_are_loaded_only_for_who_hears() {
    let (mut disk, mut assets) = Disk::assets();
    assets.set_hears(false);
    let sound = assets.register_sound("sound/weapons/rocket/rocklx1a.wav");
    disk.serve(&mut assets);
    assert!(assets.sound(sound).is_none());
    assert_eq!(assets.progress().wanted, 0, "a level would wait for it");
    assets.set_hears(true);
    disk.serve(&mut assets);
    assert!(assets.sound(sound).is_some());
}

#[test]
fn loops_merge_follow_their_place_and_end() {
    let (mut disk, mut assets) = Disk::assets();
    let sound = assets.register_sound("sound/weapons/rocket/rockfly.wav");
    disk.serve(&mut assets);
    let mut studio = Studio::new();
    let looped = |entity_num, origin| SoundLoop {
        sound,
        entity_num,
        origin,
        velocity: Vec3::ZERO,
        is_ambient: false,
    };
    let mut scene = SoundScene {
        ear: ear(),
        loops: vec![looped(5, Vec3::Y * 400.0), looped(6, Vec3::NEG_Y * 400.0)],
        ..SoundScene::default()
    };
    let first = studio
        .mixer
        .update(studio.now, &scene, &SETTINGS, &mut assets);
    let started = |orders: &[Order]| {
        let is_loop = |order: &&Order| matches!(order, Order::Loop { .. });
        orders.iter().filter(is_loop).count()
    };
    assert_eq!(started(&first), 1, "equal loops are one voice: {first:?}");
    first
        .into_iter()
        .for_each(|order| studio.speaker.obey(order));
    for _ in 0..40 {
        assert_eq!(studio.frame(&scene, &SETTINGS, &mut assets), 0);
    }
    assert!(studio.loudness(0) > 0.02, "{}", studio.loudness(0));
    scene.loops.truncate(1);
    studio.frame(&scene, &SETTINGS, &mut assets);
    let from = studio.samples.len();
    for _ in 0..8 {
        studio.frame(&scene, &SETTINGS, &mut assets);
    }
    let side = |offset: usize| {
        let heard = studio.samples[from..].iter().skip(offset).step_by(2);
        heard.map(|sample| sample * sample).sum::<f32>()
    };
    assert!(side(0) > 100.0 * side(1), "only the left one is left");
    scene.loops.clear();
    for _ in 0..3 {
        studio.frame(&scene, &SETTINGS, &mut assets);
    }
    let from = studio.samples.len();
    studio.frame(&scene, &SETTINGS, &mut assets);
    assert_eq!(studio.loudness(from), 0.0, "what is not repeated ends");
}

#[test]
fn nothing_is_heard_without_the_focus_or_of_a_hidden_window_unless_wanted() {
    let (mut disk, mut assets) = Disk::assets();
    let sound = assets.register_sound("sound/weapons/rocket/rockfly.wav");
    disk.serve(&mut assets);
    let mut studio = Studio::new();
    let scene = SoundScene {
        ear: ear(),
        loops: vec![SoundLoop {
            sound,
            entity_num: 5,
            origin: Vec3::Y * 100.0,
            velocity: Vec3::ZERO,
            is_ambient: false,
        }],
        ..SoundScene::default()
    };
    let mut cvars = Cvars::new(TABLE);
    let mut hears = |cvars: &Cvars, has_focus, is_hidden| {
        let settings = settings(
            cvars,
            Attention {
                has_focus,
                is_hidden,
            },
        );
        // Loudness glides for a moment.
        for _ in 0..4 {
            studio.frame(&scene, &settings, &mut assets);
        }
        let from = studio.samples.len();
        for _ in 0..8 {
            studio.frame(&scene, &settings, &mut assets);
        }
        studio.loudness(from) > 0.01
    };
    assert!(hears(&cvars, true, false));
    assert!(!hears(&cvars, false, false), "another window has the focus");
    assert!(hears(&cvars, true, false), "it comes back");
    assert!(!hears(&cvars, true, true), "nothing can be seen");
    cvars.force("s_muteWhenUnfocused", "0");
    assert!(hears(&cvars, false, false));
    assert!(!hears(&cvars, false, true));
    cvars.force("s_muteWhenMinimized", "0");
    assert!(hears(&cvars, false, true));
}

#[test]
fn music_plays_its_intro_once_and_the_rest_for_ever() {
    let (mut disk, mut assets) = Disk::assets();
    let names = ["sound/misc/menu1.wav", "sound/misc/menu2.wav"];
    let ids = names.map(|name| assets.register_sound(name));
    disk.serve(&mut assets);
    let [intro, rest] = ids.map(|id| {
        let sound = assets.sound(id).expect("OpenArena's menus beep");
        let frames = sound.samples.len() / usize::from(sound.channels);
        assert_eq!(sound.rate, RATE);
        frames
    });
    let scene = SoundScene {
        music: names.join(" ").into(),
        ..SoundScene::default()
    };
    let settings = SoundSettings {
        music_volume: 1.0,
        ..SETTINGS
    };
    let mut mixer = Mixer::default();
    let mut tune = None;
    for _ in 0..3 {
        for order in mixer.update(ClientTime(0), &scene, &settings, &mut assets) {
            if let Order::Music(Some(new)) = order {
                assert!(tune.replace(new).is_none(), "it begins once");
            }
        }
        disk.serve(&mut assets);
    }
    let mut tune = tune.expect("the music begins when its files are here");
    let mut frames = 0;
    while frames < intro + 10 * rest {
        frames += tune.next_block().expect("music has no end").frames.len();
    }
    assert_eq!((frames - intro) % rest, 0, "{intro} {rest}");
    assert_eq!(mixer.take_messages(), Vec::<String>::new());
    let missing = SoundScene {
        music: "music/nowhere.wav".into(),
        ..SoundScene::default()
    };
    for _ in 0..3 {
        let orders = mixer.update(ClientTime(0), &missing, &settings, &mut assets);
        assert!(
            !orders
                .iter()
                .any(|order| matches!(order, Order::Music(Some(_))))
        );
        disk.serve(&mut assets);
    }
    assert_eq!(
        mixer.take_messages(),
        ["music music/nowhere.wav is missing"]
    );
}

/// What begins and ends within two frames.
fn told(mixer: &mut Mixer, scene: &SoundScene, disk: &mut Disk, assets: &mut Assets) -> String {
    let mut told = Vec::new();
    for _ in 0..2 {
        let orders = mixer.update(ClientTime(0), scene, &SETTINGS, assets);
        told.extend(orders.iter().filter_map(|order| match order {
            Order::Once { .. } => Some("sound"),
            Order::Music(Some(_)) => Some("music"),
            Order::Music(None) => Some("silence"),
            _ => None,
        }));
        disk.serve(assets);
    }
    told.join(" ")
}

#[test]
fn commands_play_sounds_and_music_of_their_own() {
    let (mut disk, mut assets) = Disk::assets();
    let mut mixer = Mixer::default();
    let (level, own) = ("sound/misc/menu1.wav", "sound/misc/menu2.wav");
    let with_music = |name: &str| SoundScene {
        music: name.into(),
        ..SoundScene::default()
    };
    let scene = with_music(level);
    let mut heard = |mixer: &mut Mixer, scene: &SoundScene, sound: &str| {
        if !sound.is_empty() {
            mixer.play(sound, &mut assets);
        }
        told(mixer, scene, &mut disk, &mut assets)
    };
    assert_eq!(heard(&mut mixer, &scene, ""), "silence music");
    // The sound is not here in the first frame.
    assert_eq!(heard(&mut mixer, &scene, level), "sound");
    mixer.play_music(own);
    assert_eq!(heard(&mut mixer, &scene, ""), "silence music");
    assert!(mixer.info(&SETTINGS).contains(own));
    assert!(!mixer.stop().is_empty(), "voices end");
    assert_eq!(heard(&mut mixer, &scene, ""), "silence");
    assert!(mixer.info(&SETTINGS).contains("no music"));
    // Another level's music is heard again.
    assert_eq!(heard(&mut mixer, &with_music(own), ""), "silence music");
}

/// A start that is looked for in the rendered match.
struct Expected {
    at: usize,
    name: String,
    pattern: Vec<f32>,
    factors: [f32; 2],
}

/// Plays a demo into the studio and tells what should be heard; sounds that fall together cannot be told apart.
fn render(demo: &str) -> (Studio, Vec<Expected>) {
    let (mut disk, mut assets) = Disk::assets();
    let mut scenes = Vec::new();
    play(
        demo,
        &mut assets,
        |assets, _| disk.serve(assets),
        |_, output, _| scenes.push(output.scene.sound.clone()),
    );
    disk.serve(&mut assets);
    let mut studio = Studio::new();
    let mut expected = Vec::new();
    for scene in &scenes {
        let at = studio.samples.len() / 2;
        for start in &scene.starts {
            let Some(sound) = assets.sound(start.sound).filter(|sound| sound.rate == RATE) else {
                continue;
            };
            let [left, right] = match start.place {
                SoundOrigin::Local => [law::VOICE; 2],
                SoundOrigin::Fixed(origin) => law::ears(&scene.ear, origin, law::VOICE),
                SoundOrigin::Entity if start.entity_num == scene.ear.entity_num => [law::VOICE; 2],
                SoundOrigin::Entity => continue,
            };
            expected.push(Expected {
                at,
                name: assets.sound_name(start.sound).to_owned(),
                pattern: pattern(sound),
                factors: [left, right].map(|factor| factor * SETTINGS.volume),
            });
        }
        studio.frame(scene, &SETTINGS, &mut assets);
    }
    (studio, expected)
}

#[test]
fn a_recorded_match_is_heard_at_the_right_time_side_and_loudness() {
    let (studio, expected) = render("oa_dm1-play");
    write_wav("oa_dm1-play", &studio.samples);
    let mut found: BTreeMap<&str, [u32; 2]> = BTreeMap::new();
    // Which ear was the louder one by far.
    let mut sides = [0; 2];
    for each in &expected {
        if each.factors[0].max(each.factors[1]) < 0.1 {
            continue;
        }
        let (got, _) = find(&studio.samples, each.at, &each.pattern);
        let is_right = got
            .iter()
            .zip(each.factors)
            .all(|(got, factor)| (got - factor).abs() < 0.1);
        let counts = found.entry(&each.name).or_default();
        counts[usize::from(is_right)] += 1;
        for (side, other) in [(0, 1), (1, 0)] {
            let is_of_side = each.factors[side] > 2.0 * each.factors[other];
            sides[side] += u32::from(is_right && is_of_side && got[side] > got[other]);
        }
    }
    assert!(sides.iter().all(|&count| count > 10), "{sides:?} by side");
    for (name, [wrong, right]) in &found {
        println!("{right:>4} heard, {wrong:>3} covered by others  {name}");
    }
    let [wrong, right] = found.values().fold([0, 0], |sum, counts| {
        [sum[0] + counts[0], sum[1] + counts[1]]
    });
    assert!(right > 100, "{right} sounds were found");
    assert!(right > wrong * 5, "{right} found, {wrong} not");
    for name in [
        "sound/weapons/machinegun/machgf1b.wav",
        "sound/weapons/rocket/rocklx1a.wav",
        "sound/feedback/lostlead.wav",
        "sound/misc/w_pkup.wav",
        "sound/world/telein.wav",
    ] {
        let [_, right] = found.get(name).copied().unwrap_or_default();
        assert!(right > 0, "{name} was never heard: {found:?}");
    }
    // What did not begin is not found: half a second after each beginning the same sounds are not there.
    let later = expected.iter().filter(|each| {
        let (got, share) = find(&studio.samples, each.at + RATE as usize / 2, &each.pattern);
        got[0].max(got[1]) > 0.1 && share > 0.5
    });
    let later = later.count();
    assert!(
        later * 20 < expected.len(),
        "{later} of {} found late",
        expected.len()
    );
}

/// Leaves the rendering for ears, among the build's own files.
fn write_wav(name: &str, samples: &[f32]) {
    let bytes: Vec<u8> = samples
        .iter()
        .flat_map(|sample| ((sample.clamp(-1.0, 1.0) * 32767.0) as i16).to_le_bytes())
        .collect();
    let length = bytes.len() as u32;
    let mut file = Vec::with_capacity(bytes.len() + 44);
    file.extend(b"RIFF");
    file.extend((length + 36).to_le_bytes());
    file.extend(b"WAVEfmt \x10\0\0\0\x01\0\x02\0");
    file.extend(RATE.to_le_bytes());
    file.extend((RATE * 4).to_le_bytes());
    file.extend(b"\x04\0\x10\0data");
    file.extend(length.to_le_bytes());
    file.extend(bytes);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.wav"));
    fs::write(&path, file).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    println!("written to {}", path.display());
}

#[test]
fn the_meter_tells_the_loudest_sample() {
    let (mut disk, mut assets) = Disk::assets();
    let sound = assets.register_sound("sound/weapons/rocket/rocklx1a.wav");
    disk.serve(&mut assets);
    let mut studio = Studio::new();
    let mut scene = SoundScene {
        ear: ear(),
        starts: vec![SoundStart {
            sound,
            place: SoundOrigin::Local,
            entity_num: 0,
            channel: 0,
        }],
        ..SoundScene::default()
    };
    for _ in 0..10 {
        studio.frame(&scene, &SETTINGS, &mut assets);
        scene.starts.clear();
    }
    let loudest = studio.samples.iter().map(|sample| sample.abs());
    let loudest = loudest.fold(0.0, f32::max);
    let peak = studio.speaker.peak();
    assert!(
        loudest > 0.01 && (peak - loudest).abs() < 1e-3,
        "{peak}, not {loudest}"
    );
    assert_eq!(studio.speaker.peak(), 0.0, "each sample counts once");
}
