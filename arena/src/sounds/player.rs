//! The runner's voice, as it comes through a helmet.

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

const GRUNT: Cry = Cry {
    seconds: 0.2,
    pitch: [150.0, 105.0],
    mouth: [[620.0, 1100.0], [450.0, 900.0]],
    breath: 0.25,
    decay: 0.07,
};

pub(crate) fn files() -> Vec<PakFile> {
    let voices: [(&str, Wave); 13] = [
        (
            "death1",
            cry(
                &Cry {
                    seconds: 0.55,
                    pitch: [190.0, 70.0],
                    decay: 0.2,
                    ..GRUNT
                },
                701,
            ),
        ),
        (
            "death2",
            cry(
                &Cry {
                    seconds: 0.5,
                    pitch: [160.0, 90.0],
                    mouth: [[700.0, 1200.0], [350.0, 800.0]],
                    decay: 0.18,
                    ..GRUNT
                },
                702,
            ),
        ),
        (
            "death3",
            cry(
                &Cry {
                    seconds: 0.6,
                    pitch: [140.0, 60.0],
                    breath: 0.6,
                    decay: 0.22,
                    ..GRUNT
                },
                703,
            ),
        ),
        (
            "jump1",
            cry(
                &Cry {
                    seconds: 0.16,
                    pitch: [120.0, 165.0],
                    decay: 0.06,
                    ..GRUNT
                },
                704,
            ),
        ),
        (
            "pain25_1",
            cry(
                &Cry {
                    seconds: 0.34,
                    pitch: [200.0, 120.0],
                    mouth: [[750.0, 1300.0], [500.0, 1000.0]],
                    decay: 0.13,
                    ..GRUNT
                },
                705,
            ),
        ),
        (
            "pain50_1",
            cry(
                &Cry {
                    seconds: 0.28,
                    pitch: [180.0, 120.0],
                    decay: 0.1,
                    ..GRUNT
                },
                706,
            ),
        ),
        (
            "pain75_1",
            cry(
                &Cry {
                    seconds: 0.22,
                    pitch: [165.0, 115.0],
                    ..GRUNT
                },
                707,
            ),
        ),
        ("pain100_1", cry(&GRUNT, 708)),
        (
            "falling1",
            cry(
                &Cry {
                    seconds: 0.8,
                    pitch: [150.0, 260.0],
                    mouth: [[600.0, 1100.0], [800.0, 1400.0]],
                    breath: 0.3,
                    decay: 0.5,
                },
                709,
            ),
        ),
        (
            "gasp",
            cry(
                &Cry {
                    seconds: 0.36,
                    pitch: [90.0, 120.0],
                    breath: 2.4,
                    mouth: [[900.0, 1500.0], [1200.0, 1900.0]],
                    decay: 0.16,
                },
                710,
            ),
        ),
        ("drown", drown()),
        (
            "fall1",
            cry(
                &Cry {
                    seconds: 0.3,
                    pitch: [135.0, 80.0],
                    breath: 0.5,
                    decay: 0.1,
                    ..GRUNT
                },
                711,
            ),
        ),
        ("taunt", taunt()),
    ];
    let mut files = Vec::new();
    for name in NAMES {
        for (voice, wave) in &voices {
            files.push(PakFile::new(
                format!("sound/player/{name}/{voice}.wav"),
                wave.file(0.75),
            ));
        }
    }
    files
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
        cry(
            &Cry {
                seconds: 0.13,
                pitch: [pitch * 1.1, pitch],
                mouth: [[680.0, 1150.0], [600.0, 1050.0]],
                breath: 0.5,
                decay: 0.05,
            },
            seed,
        )
    };
    laugh(150.0, 721)
        .with(&laugh(140.0, 722), 0.15, 0.9)
        .with(&laugh(126.0, 723), 0.3, 0.85)
}
