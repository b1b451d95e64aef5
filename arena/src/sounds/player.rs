//! The runner's voice, as it comes through a helmet.

use super::file;
use super::synth::{Filter, RATE, Tone, Wave, fall, glide, noise, wave};
use crate::noise::NoiseRng;
use crate::{PakFile, player::NAMES};

/// A cry: how long, pitch from and to, where the mouth is from and to, and breath.
struct Cry {
    seconds: f32,
    pitch: [f32; 2],
    mouth: [[f32; 2]; 2],
    breath: f32,
    decay: f32,
}

/// A short one is a grunt.
const fn grunt(seconds: f32, pitch: [f32; 2], decay: f32) -> Cry {
    Cry {
        seconds,
        pitch,
        mouth: [[620.0, 1100.0], [450.0, 900.0]],
        breath: 0.25,
        decay,
    }
}

/// Names of the cries, the seeds of their breath, and what they are.
const CRIES: [(&str, u32, Cry); 11] = [
    ("death1", 701, grunt(0.55, [190.0, 70.0], 0.2)),
    (
        "death2",
        702,
        Cry {
            mouth: [[700.0, 1200.0], [350.0, 800.0]],
            ..grunt(0.5, [160.0, 90.0], 0.18)
        },
    ),
    (
        "death3",
        703,
        Cry {
            breath: 0.6,
            ..grunt(0.6, [140.0, 60.0], 0.22)
        },
    ),
    ("jump1", 704, grunt(0.16, [120.0, 165.0], 0.06)),
    (
        "pain25_1",
        705,
        Cry {
            mouth: [[750.0, 1300.0], [500.0, 1000.0]],
            ..grunt(0.34, [200.0, 120.0], 0.13)
        },
    ),
    ("pain50_1", 706, grunt(0.28, [180.0, 120.0], 0.1)),
    ("pain75_1", 707, grunt(0.22, [165.0, 115.0], 0.07)),
    ("pain100_1", 708, grunt(0.2, [150.0, 105.0], 0.07)),
    (
        "falling1",
        709,
        Cry {
            mouth: [[600.0, 1100.0], [800.0, 1400.0]],
            breath: 0.3,
            ..grunt(0.8, [150.0, 260.0], 0.5)
        },
    ),
    (
        "gasp",
        710,
        Cry {
            mouth: [[900.0, 1500.0], [1200.0, 1900.0]],
            breath: 2.4,
            ..grunt(0.36, [90.0, 120.0], 0.16)
        },
    ),
    (
        "fall1",
        711,
        Cry {
            breath: 0.5,
            ..grunt(0.3, [135.0, 80.0], 0.1)
        },
    ),
];

pub(crate) fn files() -> Vec<PakFile> {
    let cries = CRIES
        .iter()
        .map(|(name, seed, shape)| (*name, cry(shape, *seed)));
    let voices = cries.chain([("drown", drown()), ("taunt", taunt())]);
    voices
        .flat_map(|(voice, wave)| {
            NAMES.map(|name| file(&format!("player/{name}/{voice}"), &wave, 0.75))
        })
        .collect()
}

/// A buzz and breath through two resonances that move.
fn cry(cry: &Cry, seed: u32) -> Wave {
    let (mut cords, mut chance) = (Tone::default(), NoiseRng::new(seed));
    let mut mouth = [Filter::default(); 2];
    wave(RATE, cry.seconds, |t| {
        let share = t / cry.seconds;
        let shake = 1.0 + 0.03 * libm::sinf(t * 44.0);
        let hertz = glide(cry.pitch[0], cry.pitch[1], t, cry.seconds * 0.4) * shake;
        let source = cords.saw(hertz, RATE) + noise(&mut chance) * cry.breath;
        let [first, second] = [0, 1]
            .map(|index| cry.mouth[0][index] + (cry.mouth[1][index] - cry.mouth[0][index]) * share);
        let voice = mouth[0].band(source, first, 0.75, RATE)
            + 0.6 * mouth[1].band(source, second, 0.8, RATE);
        let end = ((cry.seconds - t) * 25.0).min(1.0);
        (voice * 1.4).clamp(-1.0, 1.0) * fall(t, 0.012, cry.decay) * end
    })
}

fn drown() -> Wave {
    let (mut tone, mut flutter) = (Tone::default(), Tone::default());
    wave(RATE, 0.55, |t| {
        let hertz = 150.0 + 60.0 * libm::sinf(t * 31.0) - t * 80.0;
        let open = 0.5 + 0.5 * flutter.sine(11.0, RATE);
        tone.sine(hertz, RATE) * open * (1.0 - t / 0.55)
    })
}

/// Three short laughs.
fn taunt() -> Wave {
    let laugh = |pitch: f32, seed| {
        let shape = Cry {
            mouth: [[680.0, 1150.0], [600.0, 1050.0]],
            breath: 0.5,
            ..grunt(0.13, [pitch * 1.1, pitch], 0.05)
        };
        cry(&shape, seed)
    };
    laugh(150.0, 721)
        .with(&laugh(140.0, 722), 0.15, 0.9)
        .with(&laugh(126.0, 723), 0.3, 0.85)
}
