//! What the game announces: motifs of few notes instead of words, each with its own color.

use super::Recipe;
use super::synth::{CRISP, RATE, Tone, Wave, fall, note, wave};

pub(crate) const RECIPES: [Recipe; 39] = [
    ("feedback/hit", hit, 0.7),
    ("feedback/hit_teammate", hit_friend, 0.7),
    ("feedback/one", || horn(&[(0.0, 0.0)], 0.22), 0.7),
    ("feedback/two", || horn(&[(2.0, 0.0)], 0.22), 0.7),
    ("feedback/three", || horn(&[(4.0, 0.0)], 0.22), 0.7),
    (
        "feedback/prepare",
        || horn(&[(-5.0, 0.0), (0.0, 0.16)], 0.3),
        0.7,
    ),
    (
        "feedback/fight",
        || horn(&[(7.0, 0.0), (12.0, 0.1), (16.0, 0.1)], 0.42),
        0.85,
    ),
    ("feedback/1_frag", || bells(&[(12.0, 0.0)], 0.3), 0.6),
    (
        "feedback/2_frags",
        || bells(&[(12.0, 0.0), (12.0, 0.13)], 0.3),
        0.6,
    ),
    (
        "feedback/3_frags",
        || bells(&[(12.0, 0.0), (12.0, 0.13), (12.0, 0.26)], 0.3),
        0.6,
    ),
    (
        "feedback/1_minute",
        || bells(&[(7.0, 0.0), (3.0, 0.16)], 0.32),
        0.6,
    ),
    (
        "feedback/5_minute",
        || bells(&[(3.0, 0.0), (7.0, 0.16)], 0.32),
        0.6,
    ),
    (
        "feedback/sudden_death",
        || horn(&[(0.0, 0.0), (1.0, 0.14), (-6.0, 0.28)], 0.4),
        0.8,
    ),
    (
        "feedback/excellent",
        || bells(&[(12.0, 0.0), (16.0, 0.08), (19.0, 0.16)], 0.3),
        0.75,
    ),
    (
        "feedback/impressive",
        || bells(&[(7.0, 0.0), (14.0, 0.1), (19.0, 0.2)], 0.3),
        0.75,
    ),
    (
        "feedback/humiliation",
        || horn(&[(3.0, 0.0), (2.0, 0.13), (-2.0, 0.26)], 0.34),
        0.75,
    ),
    (
        "feedback/defense",
        || bells(&[(5.0, 0.0), (0.0, 0.1), (5.0, 0.2)], 0.28),
        0.7,
    ),
    (
        "feedback/assist",
        || bells(&[(4.0, 0.0), (7.0, 0.1)], 0.3),
        0.7,
    ),
    (
        "feedback/denied",
        || horn(&[(-3.0, 0.0), (-9.0, 0.12)], 0.28),
        0.7,
    ),
    (
        "feedback/voc_holyshit",
        || horn(&[(0.0, 0.0), (6.0, 0.08), (12.0, 0.16), (18.0, 0.24)], 0.36),
        0.8,
    ),
    (
        "feedback/takenlead",
        || bells(&[(0.0, 0.0), (7.0, 0.11), (12.0, 0.22)], 0.3),
        0.75,
    ),
    (
        "feedback/tiedlead",
        || bells(&[(7.0, 0.0), (7.0, 0.14)], 0.3),
        0.7,
    ),
    (
        "feedback/lostlead",
        || bells(&[(12.0, 0.0), (7.0, 0.11), (0.0, 0.22)], 0.3),
        0.75,
    ),
    (
        "feedback/redleads",
        || horn(&[(0.0, 0.0), (4.0, 0.13)], 0.3),
        0.7,
    ),
    (
        "feedback/blueleads",
        || horn(&[(0.0, 0.0), (-3.0, 0.13)], 0.3),
        0.7,
    ),
    (
        "feedback/teamstied",
        || horn(&[(0.0, 0.0), (0.0, 0.15)], 0.28),
        0.7,
    ),
    (
        "teamplay/flagcapture_yourteam",
        || {
            bells(
                &[(7.0, 0.0), (12.0, 0.09), (16.0, 0.18), (19.0, 0.27)],
                0.34,
            )
        },
        0.8,
    ),
    (
        "teamplay/flagcapture_opponent",
        || bells(&[(7.0, 0.0), (3.0, 0.12), (-2.0, 0.24)], 0.34),
        0.75,
    ),
    (
        "teamplay/flagreturn_yourteam",
        || bells(&[(12.0, 0.0), (9.0, 0.1), (12.0, 0.2)], 0.28),
        0.7,
    ),
    (
        "teamplay/flagreturn_opponent",
        || bells(&[(5.0, 0.0), (2.0, 0.1), (5.0, 0.2)], 0.28),
        0.65,
    ),
    (
        "teamplay/flagtaken_yourteam",
        || bells(&[(0.0, 0.0), (5.0, 0.1)], 0.28),
        0.7,
    ),
    (
        "teamplay/flagtaken_opponent",
        || bells(&[(5.0, 0.0), (0.0, 0.1)], 0.28),
        0.7,
    ),
    (
        "teamplay/voc_red_returned",
        || horn(&[(4.0, 0.0), (0.0, 0.12)], 0.26),
        0.65,
    ),
    (
        "teamplay/voc_blue_returned",
        || horn(&[(-3.0, 0.0), (0.0, 0.12)], 0.26),
        0.65,
    ),
    (
        "teamplay/voc_red_scores",
        || horn(&[(4.0, 0.0), (7.0, 0.12)], 0.32),
        0.7,
    ),
    (
        "teamplay/voc_blue_scores",
        || horn(&[(-3.0, 0.0), (4.0, 0.12)], 0.32),
        0.7,
    ),
    (
        "teamplay/voc_enemy_flag",
        || horn(&[(6.0, 0.0), (0.0, 0.1), (6.0, 0.2)], 0.28),
        0.7,
    ),
    (
        "teamplay/voc_team_flag",
        || horn(&[(7.0, 0.0), (9.0, 0.1)], 0.28),
        0.7,
    ),
    (
        "teamplay/voc_you_flag",
        || horn(&[(7.0, 0.0), (12.0, 0.1)], 0.32),
        0.75,
    ),
];

/// Notes as semitones and when each begins; the last one sounds for `last` seconds.
type Notes = [(f32, f32)];

fn length(notes: &Notes, last: f32) -> f32 {
    notes.iter().fold(0.0_f32, |end, &(_, at)| end.max(at)) + last
}

/// Clear bells.
fn bells(notes: &Notes, last: f32) -> Wave {
    let mut tones = vec![[Tone::default(); 3]; notes.len()];
    wave(RATE, length(notes, last), |t| {
        notes
            .iter()
            .zip(&mut tones)
            .map(|(&(step, at), voices)| {
                if t < at {
                    return 0.0;
                }
                let hertz = note(step) * 2.0;
                voices
                    .iter_mut()
                    .zip([(1.0, 0.1), (2.0, 0.06), (3.01, 0.035)])
                    .map(|(tone, (ratio, decay))| {
                        tone.sine(hertz * ratio, RATE) * fall(t - at, 0.004, decay) / ratio
                    })
                    .sum::<f32>()
            })
            .sum()
    })
}

/// Warm horns in fifths.
fn horn(notes: &Notes, last: f32) -> Wave {
    let mut tones = vec![[Tone::default(); 4]; notes.len()];
    wave(RATE, length(notes, last), |t| {
        notes
            .iter()
            .zip(&mut tones)
            .enumerate()
            .map(|(index, (&(step, at), voices))| {
                if t < at {
                    return 0.0;
                }
                let end = notes
                    .get(index + 1)
                    .map_or(at + last, |next| next.1.max(at + 0.1));
                let level = ((t - at) * 50.0).min(1.0) * ((end + 0.05 - t) * 14.0).clamp(0.0, 1.0);
                let hertz = note(step);
                voices
                    .iter_mut()
                    .zip([(1.0, 1.0), (1.5, 0.5), (2.0, 0.45), (3.0, 0.2)])
                    .map(|(tone, (ratio, share))| tone.sine(hertz * ratio, RATE) * share)
                    .sum::<f32>()
                    * level
            })
            .sum()
    })
}

/// Short and bright, to be heard in any noise.
fn hit() -> Wave {
    let (mut tone, mut over) = (Tone::default(), Tone::default());
    wave(CRISP, 0.09, |t| {
        (tone.sine(1180.0, CRISP) + 0.4 * over.sine(2360.0, CRISP)) * fall(t, 0.002, 0.025)
    })
}

fn hit_friend() -> Wave {
    let mut tone = Tone::default();
    wave(CRISP, 0.14, |t| {
        let hertz = if t < 0.06 { 420.0 } else { 330.0 };
        tone.sine(hertz, CRISP) * fall(libm::fmodf(t, 0.06), 0.002, 0.04)
    })
}
