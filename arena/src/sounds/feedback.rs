//! What the game announces: motifs of few notes instead of words, each with its own color.

use super::synth::{CRISP, RATE, Tone, Wave, fall, note, wave};
use super::{Recipe, file};
use crate::PakFile;

pub(crate) const RECIPES: [Recipe; 3] = [
    ("feedback/hit", hit, 0.7),
    ("feedback/hit_teammate", hit_friend, 0.7),
    ("feedback/fight", fight, 0.85),
];

/// A name under `sound/`, the semitones of the notes, how many seconds lie between them, for how many the last one
/// sounds, and how loud it is.
type Motif = (&'static str, &'static [i8], f32, f32, f32);

const BELLS: [Motif; 18] = [
    ("feedback/1_frag", &[12], 0.0, 0.3, 0.6),
    ("feedback/2_frags", &[12, 12], 0.13, 0.3, 0.6),
    ("feedback/3_frags", &[12, 12, 12], 0.13, 0.3, 0.6),
    ("feedback/1_minute", &[7, 3], 0.16, 0.32, 0.6),
    ("feedback/5_minute", &[3, 7], 0.16, 0.32, 0.6),
    ("feedback/excellent", &[12, 16, 19], 0.08, 0.3, 0.75),
    ("feedback/impressive", &[7, 14, 19], 0.1, 0.3, 0.75),
    ("feedback/defense", &[5, 0, 5], 0.1, 0.28, 0.7),
    ("feedback/assist", &[4, 7], 0.1, 0.3, 0.7),
    ("feedback/takenlead", &[0, 7, 12], 0.11, 0.3, 0.75),
    ("feedback/tiedlead", &[7, 7], 0.14, 0.3, 0.7),
    ("feedback/lostlead", &[12, 7, 0], 0.11, 0.3, 0.75),
    (
        "teamplay/flagcapture_yourteam",
        &[7, 12, 16, 19],
        0.09,
        0.34,
        0.8,
    ),
    (
        "teamplay/flagcapture_opponent",
        &[7, 3, -2],
        0.12,
        0.34,
        0.75,
    ),
    ("teamplay/flagreturn_yourteam", &[12, 9, 12], 0.1, 0.28, 0.7),
    ("teamplay/flagreturn_opponent", &[5, 2, 5], 0.1, 0.28, 0.65),
    ("teamplay/flagtaken_yourteam", &[0, 5], 0.1, 0.28, 0.7),
    ("teamplay/flagtaken_opponent", &[5, 0], 0.1, 0.28, 0.7),
];

const HORNS: [Motif; 18] = [
    ("feedback/one", &[0], 0.0, 0.22, 0.7),
    ("feedback/two", &[2], 0.0, 0.22, 0.7),
    ("feedback/three", &[4], 0.0, 0.22, 0.7),
    ("feedback/prepare", &[-5, 0], 0.16, 0.3, 0.7),
    ("feedback/sudden_death", &[0, 1, -6], 0.14, 0.4, 0.8),
    ("feedback/humiliation", &[3, 2, -2], 0.13, 0.34, 0.75),
    ("feedback/denied", &[-3, -9], 0.12, 0.28, 0.7),
    ("feedback/voc_holyshit", &[0, 6, 12, 18], 0.08, 0.36, 0.8),
    ("feedback/redleads", &[0, 4], 0.13, 0.3, 0.7),
    ("feedback/blueleads", &[0, -3], 0.13, 0.3, 0.7),
    ("feedback/teamstied", &[0, 0], 0.15, 0.28, 0.7),
    ("teamplay/voc_red_returned", &[4, 0], 0.12, 0.26, 0.65),
    ("teamplay/voc_blue_returned", &[-3, 0], 0.12, 0.26, 0.65),
    ("teamplay/voc_red_scores", &[4, 7], 0.12, 0.32, 0.7),
    ("teamplay/voc_blue_scores", &[-3, 4], 0.12, 0.32, 0.7),
    ("teamplay/voc_enemy_flag", &[6, 0, 6], 0.1, 0.28, 0.7),
    ("teamplay/voc_team_flag", &[7, 9], 0.1, 0.28, 0.7),
    ("teamplay/voc_you_flag", &[7, 12], 0.1, 0.32, 0.75),
];

pub(crate) fn motifs() -> Vec<PakFile> {
    let mut files = Vec::new();
    let bells: fn(&Notes, f32) -> Wave = bells;
    for (instrument, motifs) in [(bells, BELLS), (horn, HORNS)] {
        for (name, steps, apart, last, volume) in motifs {
            let notes = (0..).zip(steps);
            let notes = notes.map(|(index, &step)| (f32::from(step), index as f32 * apart));
            let wave = instrument(&notes.collect::<Vec<_>>(), last);
            files.push(file(name, &wave, volume));
        }
    }
    files
}

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

fn fight() -> Wave {
    horn(&[(7.0, 0.0), (12.0, 0.1), (16.0, 0.1)], 0.42)
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
